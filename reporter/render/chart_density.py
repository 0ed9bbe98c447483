"""How scores are spread in each group: outlines of histograms, with the threshold as a line.

Few groups lie over each other; more have a strip each, over one axis and to one scale, with their names beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reporter.render import chart_style as style
from reporter.render.chart_sheet import (
    AXIS_HEIGHT,
    NOTE_HEIGHT,
    Sheet,
    label_height,
    legend_height,
    spread,
    y_tick_width,
)
from reporter.render.chart_text import capped_note, fit, width
from reporter.render.plots import DensityPlot, Steps

HEIGHT = 102.0
MOST_TOGETHER = 3
"""More outlines than this cannot be told apart where they meet."""
STRIP = 25.0
BETWEEN = 7.0
STRIP_TICKS = 2
LEGEND = 160.0
TOP = 16.0
MOST_TICKS = 5
COMB = 0.25
"""The share of bins within the range, empty in every group, from which scores count as taking few values."""


def draw_density(plot: DensityPlot, figure_id: str, title: str) -> str:
    """The SVG of the outlines, at most ``chart_style.MOST_CURVES`` of them."""
    steps = plot.steps[: style.MOST_CURVES]
    edges = [edge for one in steps for edge in one.edges]
    x_limits = spread(_or(plot.x.low, min(edges, default=0.0)), _or(plot.x.high, max(edges, default=1.0)))
    top = max((height for one in steps for height in one.heights), default=1.0) or 1.0
    y_limits = spread(_or(plot.y.low, 0.0), _or(plot.y.high, top * 1.05))
    apart = len(steps) > MOST_TOGETHER
    body = len(steps) * (STRIP + BETWEEN) - BETWEEN if apart else HEIGHT
    ticks = STRIP_TICKS if apart else MOST_TICKS
    y_lines = fit(plot.y.label, body, style.TEXT)
    left = y_tick_width(plot.y, y_limits, ticks) + 14 + len(y_lines) * style.TEXT * style.LINE_HEIGHT
    legend_x = style.WIDTH - LEGEND
    wide = legend_x - 18 - left
    note = capped_note(len(steps), max(plot.total, len(plot.steps)))
    words = 0.0 if apart else legend_height(LEGEND, [one.label for one in steps])
    words += (NOTE_HEIGHT if note else 0) + (body if apart else 0)
    sheet = Sheet(max(TOP + body + AXIS_HEIGHT + label_height(plot.x), TOP + words + 6))
    kept = _kept_bins(steps)
    shared: Any = None
    for number, one in enumerate(steps):
        last = number == len(steps) - 1
        if apart or shared is None:
            shared = sheet.axes(
                left,
                TOP + number * (STRIP + BETWEEN) if apart else TOP,
                wide,
                STRIP if apart else HEIGHT,
                x_axis=plot.x,
                y_axis=replace(plot.y, label="") if apart else plot.y,
                x_limits=x_limits,
                y_limits=y_limits,
                most_ticks=MOST_TICKS,
                most_y_ticks=ticks,
                x_label=last or not apart,
            )
            shared.tick_params(labelbottom=last or not apart)
        _draw(shared, number, one, kept)
        if apart:
            middle = TOP + number * (STRIP + BETWEEN) + STRIP / 2
            sheet.sample(legend_x, middle, number)
            for text in fit(one.label, LEGEND - 28, style.TEXT, lines=1):
                sheet.words(legend_x + 28, middle, text)
    if apart:
        for number, text in enumerate(reversed(y_lines)):
            place = left - 8 - y_tick_width(plot.y, y_limits, ticks) - style.TEXT * (0.7 + number * style.LINE_HEIGHT)
            sheet.words(place, TOP + body / 2, text, align="center", turned=True)
        below = TOP + body
    else:
        below = TOP + sheet.legend(legend_x, TOP, LEGEND, [(number, one.label) for number, one in enumerate(steps)])
    if plot.threshold is not None and x_limits[0] <= plot.threshold[0] <= x_limits[1]:
        place = left + (plot.threshold[0] - x_limits[0]) / (x_limits[1] - x_limits[0]) * wide
        sheet.line((place, place), (TOP - 2, TOP + body), style.SOFT_INK, 0.9, (0, (3, 2)))
        for text in fit(plot.threshold[1], style.WIDTH * 0.6, style.SMALL, lines=1):
            half = width(text, style.SMALL) / 2
            sheet.words(max(place, half), TOP - 8, text, align="center", size=style.SMALL, colour=style.SOFT_INK)
    if note:
        sheet.words(legend_x, below + NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    return sheet.svg(figure_id, title)


def _draw(axes: Any, number: int, one: Steps, kept: frozenset[tuple[float, float]] | None) -> None:
    look = style.look(number)
    x, y, marks = _outline(one, kept)
    axes.plot(
        x,
        y,
        color=look.colour,
        linewidth=1.4,
        linestyle=look.dash,
        solid_joinstyle="miter",
        marker=look.marker,
        markersize=4.5,
        markevery=marks,
        clip_on=False,
    )


def _kept_bins(steps: Sequence[Steps]) -> frozenset[tuple[float, float]] | None:
    """Of scores that take few values (many bins inside the range are empty in every group), the bins that hold any; else None.

    A histogram of such scores would be a comb; a line over the values that occur shows their shares.
    """
    filled: dict[tuple[float, float], bool] = {}
    for one in steps:
        for place, height in zip(_bins(one), one.heights, strict=True):
            filled[place] = filled.get(place, False) or height > 0
    held = sorted(place for place, any_ in filled.items() if any_)
    if len(held) < 2:
        return None
    inside = [place for place in filled if held[0] <= place <= held[-1]]
    return frozenset(held) if len(inside) - len(held) >= len(inside) * COMB else None


def _bins(one: Steps) -> list[tuple[float, float]]:
    return list(zip(one.edges, one.edges[1:], strict=False))


def _outline(one: Steps, kept: frozenset[tuple[float, float]] | None) -> tuple[list[float], list[float], list[int]]:
    """The points of the line, and which of them carry a marker: all values, or the peak of a histogram."""
    if kept is not None:
        points = [(sum(b) / 2, height) for b, height in zip(_bins(one), one.heights, strict=True) if b in kept]
        return [x for x, _ in points], [y for _, y in points], list(range(len(points)))
    x = [edge for edge in one.edges for _ in (0, 1)]
    y = [0.0, *(height for height in one.heights for _ in (0, 1)), 0.0]
    peak = max(range(len(one.heights)), key=one.heights.__getitem__, default=0)
    return x, y, [1 + 2 * peak] if one.heights else []


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound
