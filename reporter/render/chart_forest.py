"""Forest plots: a line a group with its estimate, its interval, and the words that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reporter.render import chart_style as style
from reporter.render.chart_sheet import AXIS_HEIGHT, NOTE_HEIGHT, Sheet, label_height, padded_limits
from reporter.render.chart_text import capped_note, fit, widest, width
from reporter.render.plots import ForestPlot, ForestPoint, ForestRow

POINT_HEIGHT = 9.5
ROW_GAP = 2.5
LABEL_LINE = 1.18
"""Lines of a label stand closer than other lines, so that two plots of ten groups fit a page."""
LABEL_ROOM = 150.0
WORDS_ROOM = 190.0
GAP = 10.0
FLAG = "\u25b6"
"""Stands before a flagged label: the mark must not depend on colour or weight."""


def draw_forest(plot: ForestPlot, figure_id: str, title: str) -> str:
    """The SVG of a forest plot, at most ``chart_style.MOST_ROWS`` lines, flagged ones first among those left out."""
    rows = _capped(plot.rows)
    frame = _frame(plot, rows)
    heights = [_height(row, frame) for row in rows]
    head, head_height = _head(plot, frame)
    top, body = head_height + 4, sum(heights)
    note = capped_note(_groups(rows), max(plot.total, _groups(plot.rows)))
    sheet = Sheet(top + body + AXIS_HEIGHT + label_height(plot.axis) + (NOTE_HEIGHT if note else 0))
    y = top
    for row, high in zip(rows, heights, strict=True):
        if row.flagged:
            sheet.box(0, y, style.WIDTH, high, style.FLAG_BAND)
        y += high
    if plot.band is not None:
        low, high = frame.place(plot.band[0]), frame.place(plot.band[1])
        sheet.box(low, top, high - low, body, style.LIMIT_BAND)
    sheet.axes(
        frame.left,
        top,
        frame.right - frame.left,
        body,
        x_axis=plot.axis,
        y_axis=None,
        x_limits=frame.limits,
        y_limits=(1, 0),
        most_ticks=6,
    )
    _draw_head(sheet, head)
    for value, _ in plot.lines:
        sheet.line((frame.place(value),) * 2, (top - 3, top + body), style.SOFT_INK, 0.8, (0, (3, 2)))
    y = top
    for row, high in zip(rows, heights, strict=True):
        _draw_row(sheet, row, y, high, frame)
        y += high
        sheet.line((0, style.WIDTH), (y, y), style.GRID, 0.5)
    if note:
        sheet.words(0, sheet.height - NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    return sheet.svg(figure_id, title)


def _groups(rows: Sequence[ForestRow]) -> int:
    return sum(bool(row.points) for row in rows)


def _capped(rows: Sequence[ForestRow]) -> list[ForestRow]:
    """The first lines up to the cap, with every flagged line before any other is kept."""
    if len(rows) <= style.MOST_ROWS:
        return list(rows)
    order = sorted(range(len(rows)), key=lambda i: (not rows[i].flagged, i))
    kept = set(order[: style.MOST_ROWS])
    return [row for i, row in enumerate(rows) if i in kept]


def _indent(row: ForestRow) -> float:
    """Room for the flag before a label."""
    return width(f"{FLAG} ", style.TEXT, bold=True) if row.flagged else 0.0


def _height(row: ForestRow, frame: _Frame) -> float:
    if not row.points:
        return style.TEXT * style.LINE_HEIGHT + 2
    label = sum(size for _, size in _label_lines(row, frame)) * LABEL_LINE
    said = sum(len(_said(point, frame.words_room)) for point in row.points)
    return max(label, said * POINT_HEIGHT) + ROW_GAP


def _label_lines(row: ForestRow, frame: _Frame) -> list[tuple[str, float]]:
    """The lines of a label with their sizes, the verdict last."""
    room = frame.label_room - _indent(row)
    lines = [(text, style.TEXT) for text in fit(row.label, room, style.TEXT, bold=row.flagged)]
    if row.mark:
        (mark,) = fit(row.mark, room, style.SMALL, lines=1, bold=True)
        lines.append((mark, style.SMALL))
    return lines


def _said(point: ForestPoint, room: float) -> tuple[str, ...]:
    return fit(point.text, room, style.SMALL) if point.text else ("",)


def _limits(plot: ForestPlot, rows: Sequence[ForestRow]) -> tuple[float, float]:
    """The axis: its own bounds, else what is drawn with some room on both sides; proportions stay within 0 and 1."""
    numbers = [value for value, _ in plot.lines]
    for row in rows:
        for point in row.points:
            numbers += [x for x in (point.value, point.low, point.high) if x is not None]
    if plot.band is not None:
        numbers += plot.band[:2]
    return padded_limits(plot.axis, numbers)


@dataclass(frozen=True)
class _Frame:
    """Where the columns of the chart lie, and how values become places."""

    label_room: float
    words_room: float
    left: float
    right: float
    limits: tuple[float, float]

    def place(self, value: float) -> float:
        low, high = self.limits
        return self.left + (min(max(value, low), high) - low) * (self.right - self.left) / (high - low)


def _frame(plot: ForestPlot, rows: Sequence[ForestRow]) -> _Frame:
    labels = max((_indent(row) + width(row.label, style.TEXT, row.flagged) for row in rows if row.points), default=0.0)
    marks = max((_indent(row) + width(row.mark, style.SMALL, bold=True) for row in rows if row.points), default=0.0)
    texts = [point.text for row in rows for point in row.points]
    label_room = min(LABEL_ROOM, max(labels, marks) + 2)
    words_room = min(WORDS_ROOM, widest(texts, style.SMALL) + 2)
    return _Frame(label_room, words_room, label_room + GAP, style.WIDTH - words_room - GAP, _limits(plot, rows))


def _draw_row(sheet: Sheet, row: ForestRow, y: float, high: float, frame: _Frame) -> None:
    if not row.points:
        for text in fit(row.label, style.WIDTH, style.TEXT, lines=1, bold=True):
            sheet.words(0, y + high / 2 + 1, text, bold=True, colour=style.SOFT_INK)
        return
    label = _label_lines(row, frame)
    line = y + (high - sum(size for _, size in label) * LABEL_LINE) / 2
    for number, (text, size) in enumerate(label):
        flag = row.flagged and number == 0
        place = 0.0 if flag else _indent(row)
        sheet.words(
            place, line + size * LABEL_LINE / 2, f"{FLAG} {text}" if flag else text, size=size, bold=row.flagged
        )
        line += size * LABEL_LINE
    _draw_points(sheet, row, y, high, frame)


def _draw_points(sheet: Sheet, row: ForestRow, y: float, high: float, frame: _Frame) -> None:
    """Estimates and intervals, the words of each at its own height."""
    said = [_said(point, frame.words_room) for point in row.points]
    line = y + (high - sum(map(len, said)) * POINT_HEIGHT) / 2
    for point, texts in zip(row.points, said, strict=True):
        _draw_point(sheet, point, line + len(texts) * POINT_HEIGHT / 2, frame)
        for text in texts:
            sheet.words(frame.right + GAP, line + POINT_HEIGHT / 2, text, size=style.SMALL)
            line += POINT_HEIGHT


def _draw_point(sheet: Sheet, point: ForestPoint, y: float, frame: _Frame) -> None:
    if point.value is None:
        return
    one = style.look(point.series)
    if point.low is not None and point.high is not None:
        ends = frame.place(point.low), frame.place(point.high)
        sheet.line(ends, (y, y), one.colour, 1.4)
        for bound, end in zip((point.low, point.high), ends, strict=True):
            if frame.limits[0] <= bound <= frame.limits[1]:
                sheet.line((end, end), (y - 2.2, y + 2.2), one.colour, 1.0)
            else:  # the interval goes on beyond the axis
                sheet.line((end,), (y,), one.colour, 0, marker="<" if bound < frame.limits[0] else ">", marker_size=3.5)
    if frame.limits[0] <= point.value <= frame.limits[1]:
        sheet.line((frame.place(point.value),), (y,), one.colour, 0, marker=one.marker, marker_size=5)


@dataclass(frozen=True)
class _HeadWord:
    """A text above the lines, with its place; ``series`` when a sample of the look stands before it."""

    x: float
    y: float
    text: str
    series: int | None = None


def _head(plot: ForestPlot, frame: _Frame) -> tuple[tuple[_HeadWord, ...], float]:
    """The legend of several series and the labels of the vertical lines and the band, and the height they take."""
    words: list[_HeadWord] = []
    line = style.TEXT * style.LINE_HEIGHT + 1
    y = line / 2
    if len(plot.series) > 1:
        x = 0.0
        for number, name in enumerate(plot.series):
            (text,) = fit(name, style.WIDTH / 2 - 20, style.TEXT, lines=1)
            needed = 14 + width(text, style.TEXT) + 18
            if x and x + needed > style.WIDTH:
                x, y = 0.0, y + line
            words.append(_HeadWord(x, y, text, number))
            x += needed
        y += line
    labels = [(frame.place(value), label) for value, label in plot.lines]
    if plot.band is not None:
        labels.append((frame.place((plot.band[0] + plot.band[1]) / 2), plot.band[2]))
    for place, label in labels:
        for text in fit(label, style.WIDTH * 0.7, style.SMALL, lines=1):
            half = width(text, style.SMALL) / 2
            words.append(_HeadWord(min(max(place, half), style.WIDTH - half), y, text))
            y += line
    return tuple(words), y - line / 2


def _draw_head(sheet: Sheet, words: Sequence[_HeadWord]) -> None:
    for word in words:
        if word.series is None:
            sheet.words(word.x, word.y, word.text, align="center", size=style.SMALL, colour=style.SOFT_INK)
        else:
            one = style.look(word.series)
            sheet.line((word.x, word.x + 10), (word.y, word.y), one.colour, 1.4)
            sheet.line((word.x + 5,), (word.y,), one.colour, 0, marker=one.marker, marker_size=5)
            sheet.words(word.x + 14, word.y, word.text)
