"""Two releases side by side: each group's rate in the old and in the new one, joined by an arrow in the direction of time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reporter.render import chart_style as style
from reporter.render.chart_forest import FLAG, GAP, LABEL_ROOM, WORDS_ROOM
from reporter.render.chart_sheet import AXIS_HEIGHT, NOTE_HEIGHT, Sheet, label_height, padded_limits
from reporter.render.chart_text import capped_note, fit, widest, width
from reporter.render.plots import ChangePlot, ChangeRow

ROW_GAP = 8.0
HEAD = 18.0


def draw_change(plot: ChangePlot, figure_id: str, title: str) -> str:
    """The SVG of a change plot, at most ``chart_style.MOST_ROWS`` lines, flagged ones kept first."""
    rows = _capped(plot.rows)
    labels = [_label(row) for row in rows]
    label_room = min(LABEL_ROOM, widest(labels, style.TEXT, bold=True) + 2)
    words_room = min(WORDS_ROOM, widest([row.text for row in rows], style.SMALL, bold=True) + 2)
    left, right = label_room + GAP, style.WIDTH - words_room - GAP
    limits = padded_limits(plot.axis, [x for row in rows for x in (row.old, row.new) if x is not None])
    heights = [_height(row, label_room, words_room) for row in rows]
    body = sum(heights)
    note = capped_note(len(rows), max(plot.total, len(plot.rows)))
    sheet = Sheet(HEAD + body + AXIS_HEIGHT + label_height(plot.axis) + (NOTE_HEIGHT if note else 0))
    sheet.axes(left, HEAD, right - left, body, x_axis=plot.axis, y_axis=None, x_limits=limits, y_limits=(1, 0))
    _legend(sheet, plot)
    y = HEAD
    for row, label, high in zip(rows, labels, heights, strict=True):
        if row.flagged:
            sheet.box(0, y, style.WIDTH, high, style.FLAG_BAND)
        middle = y + high / 2
        _lines(sheet, 0, middle, fit(label, label_room, style.TEXT, bold=row.flagged), style.TEXT, row.flagged)
        _lines(
            sheet,
            right + GAP,
            middle,
            fit(row.text, words_room, style.SMALL, bold=row.flagged),
            style.SMALL,
            row.flagged,
        )

        def place(value: float) -> float:
            return left + (min(max(value, limits[0]), limits[1]) - limits[0]) * (right - left) / (limits[1] - limits[0])

        _draw_change(
            sheet, None if row.old is None else place(row.old), None if row.new is None else place(row.new), middle
        )
        y += high
        sheet.line((0, style.WIDTH), (y, y), style.GRID, 0.5)
    if note:
        sheet.words(0, sheet.height - NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    return sheet.svg(figure_id, title)


def _capped(rows: Sequence[ChangeRow]) -> list[ChangeRow]:
    order = sorted(range(len(rows)), key=lambda i: (not rows[i].flagged, i))
    kept = set(order[: style.MOST_ROWS])
    return [row for i, row in enumerate(rows) if i in kept]


def _label(row: ChangeRow) -> str:
    return f"{FLAG} {row.label}" if row.flagged else row.label


def _height(row: ChangeRow, label_room: float, words_room: float) -> float:
    label = len(fit(_label(row), label_room, style.TEXT, bold=row.flagged)) * style.TEXT * style.LINE_HEIGHT
    said = len(fit(row.text, words_room, style.SMALL, bold=row.flagged)) * style.SMALL * style.LINE_HEIGHT
    return max(label, said) + ROW_GAP


def _lines(sheet: Sheet, x: float, middle: float, texts: Sequence[str], size: float, bold: bool) -> None:
    step = size * style.LINE_HEIGHT
    for number, text in enumerate(texts):
        sheet.words(x, middle + (number - (len(texts) - 1) / 2) * step, text, size=size, bold=bold)


def _draw_change(sheet: Sheet, old: float | None, new: float | None, y: float) -> None:
    """Hollow for the old release, filled for the new, so that the direction shows without colour."""
    before, after = style.look(7), style.look(0)
    if old is not None and new is not None and abs(new - old) > 1:
        sheet.line((old, new), (y, y), style.SOFT_INK, 1.2)
        if abs(new - old) > 12:
            sheet.line(((old + new) / 2,), (y,), style.SOFT_INK, 0, marker=">" if new > old else "<", marker_size=5)
    if old is not None:
        sheet.line((old,), (y,), before.colour, 0, marker="o", marker_size=5.5, filled=False)
    if new is not None:
        sheet.line((new,), (y,), after.colour, 0, marker="o", marker_size=5.5)


def _legend(sheet: Sheet, plot: ChangePlot) -> None:
    x = 5.0
    samples: tuple[tuple[str, Any, bool], ...] = ((plot.old, style.look(7), False), (plot.new, style.look(0), True))
    for name, look, filled in samples:
        (text,) = fit(name, style.WIDTH / 2 - 30, style.TEXT, lines=1)
        sheet.line((x,), (7,), look.colour, 0, marker="o", marker_size=5.5, filled=filled)
        sheet.words(x + 8, 7, text)
        x += 8 + width(text, style.TEXT) + 22
