"""Curves per group in small panels that share their x axis, with their bands: what a study does over its levels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from reporter.render import chart_style as style
from reporter.render.chart_sheet import (
    AXIS_HEIGHT,
    NOTE_HEIGHT,
    Sheet,
    label_height,
    legend_height,
    padded_limits,
    spread,
    y_tick_width,
)
from reporter.render.chart_text import capped_note, fit
from reporter.render.plots import Curve, CurvesPlot, Panel

PANEL_HEIGHT = 112.0
TITLE_HEIGHT = 15.0
BETWEEN = 16.0
COLUMNS = 2
MARGIN = 12.0
"""On the right, for half a tick label."""
MOST_TICKS = 4
MARKS = 7
"""About so many markers a curve, so that they tell curves apart without hiding them."""


def draw_curves(plot: CurvesPlot, figure_id: str, title: str) -> str:
    """The SVG of all panels, two a row; at most ``chart_style.MOST_CURVES`` labels, the same look for a label everywhere."""
    labels = list(dict.fromkeys(curve.label for panel in plot.panels for curve in panel.curves))
    shown = {label: number for number, label in enumerate(labels[: style.MOST_CURVES])}
    note = capped_note(len(shown), len(labels))
    columns = min(COLUMNS, len(plot.panels))
    legend_room = style.WIDTH / 2
    head = legend_height(legend_room, list(shown)) + (NOTE_HEIGHT if note else 0)
    x_values = [x for panel in plot.panels for curve in panel.curves for x in curve.x]
    x_limits = spread(
        min(x_values, default=0.0) if plot.x.low is None else plot.x.low,
        max(x_values, default=1.0) if plot.x.high is None else plot.x.high,
    )
    limits = [_y_limits(panel, shown) for panel in plot.panels]
    left = max(y_tick_width(p.y, bounds, MOST_TICKS) for p, bounds in zip(plot.panels, limits, strict=True)) + 8
    wide = (style.WIDTH - MARGIN - (columns - 1) * BETWEEN) / columns - left
    rows = -(-len(plot.panels) // columns)
    under = label_height(plot.x)
    row_height = TITLE_HEIGHT + PANEL_HEIGHT + AXIS_HEIGHT + 4
    sheet = Sheet(head + 4 + rows * row_height + under)
    y = sheet.legend(0, 0, legend_room, [(number, label) for label, number in shown.items()])
    if note:
        sheet.words(0, y + NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    for number, (panel, bounds) in enumerate(zip(plot.panels, limits, strict=True)):
        row, column = divmod(number, columns)
        x = column * (left + wide + BETWEEN) + left
        y = head + 4 + row * row_height
        for text in fit(panel.title, wide + left, style.TEXT, lines=1, bold=True):
            sheet.words(x - left, y + TITLE_HEIGHT / 2 - 1, text, bold=True)
        axes = sheet.axes(
            x,
            y + TITLE_HEIGHT,
            wide,
            PANEL_HEIGHT,
            x_axis=plot.x,
            y_axis=_unlabelled(panel),
            x_limits=x_limits,
            y_limits=bounds,
            most_ticks=MOST_TICKS,
            x_label=False,
        )
        for curve in panel.curves:
            if curve.label in shown:
                _draw_curve(axes, curve, shown[curve.label])
    for number, text in enumerate(fit(plot.x.label, style.WIDTH, style.TEXT)):
        down = sheet.height - under + (number + 0.5) * style.TEXT * style.LINE_HEIGHT
        sheet.words(style.WIDTH / 2, down, text, align="center")
    return sheet.svg(figure_id, title)


def _unlabelled(panel: Panel) -> Any:
    """The panel's title names its y axis already."""
    from dataclasses import replace

    return replace(panel.y, label="")


def _y_limits(panel: Panel, shown: dict[str, int]) -> tuple[float, float]:
    numbers = [
        value
        for curve in panel.curves
        if curve.label in shown
        for value in (*curve.y, *curve.low, *curve.high)
        if value is not None
    ]
    return padded_limits(panel.y, numbers)


def _draw_curve(axes: Any, curve: Curve, number: int) -> None:
    look = style.look(number)
    for x, low, high in _bands(curve):
        axes.fill_between(x, low, high, color=look.colour, alpha=0.18, linewidth=0)
    every = max(1, len(curve.x) // MARKS)
    axes.plot(
        curve.x,
        curve.y,
        color=look.colour,
        linewidth=1.4,
        linestyle=look.dash,
        marker=look.marker,
        markersize=4,
        markevery=(number % every, every),
    )


def _bands(curve: Curve) -> Iterator[tuple[Sequence[float], Sequence[float], Sequence[float]]]:
    """The stretches of the curve where both ends of its band are known."""
    stretch: list[tuple[float, float, float]] = []
    for x, low, high in zip(curve.x, curve.low, curve.high, strict=False):
        if low is not None and high is not None:
            stretch.append((x, low, high))
        elif stretch:
            yield tuple(zip(*stretch, strict=True))  # type: ignore[misc]
            stretch = []
    if stretch:
        yield tuple(zip(*stretch, strict=True))  # type: ignore[misc]
