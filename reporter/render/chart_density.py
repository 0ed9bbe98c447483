"""How scores are spread in each group: outlines of histograms over one axis, with the threshold as a line."""

from __future__ import annotations

from reporter.render import chart_style as style
from reporter.render.chart_forest import capped_note
from reporter.render.chart_sheet import (
    AXIS_HEIGHT,
    NOTE_HEIGHT,
    Sheet,
    label_height,
    legend_height,
    spread,
    y_tick_width,
)
from reporter.render.chart_text import fit, width
from reporter.render.plots import DensityPlot

HEIGHT = 150.0
LEGEND = 160.0
TOP = 16.0
MOST_TICKS = 5


def draw_density(plot: DensityPlot, figure_id: str, title: str) -> str:
    """The SVG of the outlines, at most ``chart_style.MOST_CURVES`` of them."""
    steps = plot.steps[: style.MOST_CURVES]
    edges = [edge for one in steps for edge in one.edges]
    x_limits = spread(_or(plot.x.low, min(edges, default=0.0)), _or(plot.x.high, max(edges, default=1.0)))
    top = max((height for one in steps for height in one.heights), default=1.0) or 1.0
    y_limits = spread(_or(plot.y.low, 0.0), _or(plot.y.high, top * 1.05))
    y_label = len(fit(plot.y.label, HEIGHT, style.TEXT)) * style.TEXT * style.LINE_HEIGHT
    left = y_tick_width(plot.y, y_limits, MOST_TICKS) + 14 + y_label
    legend_x = style.WIDTH - LEGEND
    wide = legend_x - 18 - left
    note = capped_note(len(steps), max(plot.total, len(plot.steps)))
    words = legend_height(LEGEND, [one.label for one in steps]) + (NOTE_HEIGHT if note else 0)
    sheet = Sheet(max(TOP + HEIGHT + AXIS_HEIGHT + label_height(plot.x, wide), TOP + words + 6))
    axes = sheet.axes(
        left,
        TOP,
        wide,
        HEIGHT,
        x_axis=plot.x,
        y_axis=plot.y,
        x_limits=x_limits,
        y_limits=y_limits,
        most_ticks=MOST_TICKS,
    )
    for number, one in enumerate(steps):
        look = style.look(number)
        x = [edge for edge in one.edges for _ in (0, 1)]
        y = [0.0, *(height for height in one.heights for _ in (0, 1)), 0.0]
        axes.plot(x, y, color=look.colour, linewidth=1.4, linestyle=look.dash, solid_joinstyle="miter")
        if one.heights:  # the marker of the legend, on top of the highest bar
            peak = max(range(len(one.heights)), key=one.heights.__getitem__)
            middle = (one.edges[peak] + one.edges[peak + 1]) / 2
            axes.plot(
                (middle,), (one.heights[peak],), color=look.colour, marker=look.marker, markersize=5, clip_on=False
            )
    if plot.threshold is not None and x_limits[0] <= plot.threshold[0] <= x_limits[1]:
        place = left + (plot.threshold[0] - x_limits[0]) / (x_limits[1] - x_limits[0]) * wide
        sheet.line((place, place), (TOP - 2, TOP + HEIGHT), style.SOFT_INK, 0.9, (0, (3, 2)))
        for text in fit(plot.threshold[1], style.WIDTH * 0.6, style.SMALL, lines=1):
            half = width(text, style.SMALL) / 2
            sheet.words(max(place, half), TOP - 8, text, align="center", size=style.SMALL, colour=style.SOFT_INK)
    y = TOP + sheet.legend(legend_x, TOP, LEGEND, [(number, one.label) for number, one in enumerate(steps)])
    if note:
        sheet.words(legend_x, y + NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    return sheet.svg(figure_id, title)


def _or(bound: float | None, otherwise: float) -> float:
    return otherwise if bound is None else bound
