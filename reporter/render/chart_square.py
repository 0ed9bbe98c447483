"""ROC and calibration curves: square plots with their diagonal, and a legend beside them that names every group in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reporter.render import chart_style as style
from reporter.render.chart_sheet import AXIS_HEIGHT, NOTE_HEIGHT, Sheet, label_height, legend_height, y_tick_width
from reporter.render.chart_text import capped_note, fit
from reporter.render.plots import Axis, CalibrationPlot, Curve, RocPlot

SIDE = 160.0
TOP = 6.0
MOST_TICKS = 5
ASIDE = 0.012
MOST_ASIDE = 0.07
"""Of the axis: all groups of a bin together, so that bins a tenth wide stay apart."""
MARKS = 8
"""About so many markers on a ROC curve, so that it is told apart in black and white."""


def draw_square(plot: RocPlot | CalibrationPlot, figure_id: str, title: str) -> str:
    """The SVG of ROC or calibration curves, at most ``chart_style.MOST_CURVES`` of them."""
    curves = plot.curves[: style.MOST_CURVES]
    x_limits, y_limits = _limits(plot.x, curves), _limits(plot.y, curves)
    left = y_tick_width(plot.y, y_limits, MOST_TICKS) + 14 + _label_depth(plot.y, SIDE)
    legend_x = left + SIDE + 22
    room = style.WIDTH - legend_x
    note = capped_note(len(curves), max(plot.total, len(plot.curves)))
    extra = _extra_label(plot)
    words = legend_height(room, [*(curve.label for curve in curves), *([extra] if extra else [])])
    words += NOTE_HEIGHT if note else 0
    sheet = Sheet(max(TOP + SIDE + AXIS_HEIGHT + label_height(plot.x), words + 2 * TOP))
    axes = sheet.axes(
        left,
        TOP,
        SIDE,
        SIDE,
        x_axis=plot.x,
        y_axis=plot.y,
        x_limits=x_limits,
        y_limits=y_limits,
        most_ticks=MOST_TICKS,
    )
    _diagonal(axes, x_limits, y_limits)
    for number, curve in enumerate(curves):
        calibration = isinstance(plot, CalibrationPlot)
        _curve(axes, number, _beside(curve, number, len(curves)) if calibration else curve, markers=calibration)
    y = TOP + sheet.legend(legend_x, TOP, room, [(number, curve.label) for number, curve in enumerate(curves)])
    if isinstance(plot, RocPlot):
        for number, x, height in plot.points:
            if number < len(curves):
                _threshold(axes, number, x, height)
    y = _draw_extra(sheet, plot, extra, legend_x, y, room)
    if note:
        sheet.words(legend_x, y + NOTE_HEIGHT / 2, note, size=style.SMALL, colour=style.SOFT_INK)
    return sheet.svg(figure_id, title)


def _limits(axis: Axis, curves: Sequence[Curve]) -> tuple[float, float]:
    """Both axes run over the whole unit unless scores go beyond it, so that the diagonal is one."""
    numbers = [value for curve in curves for value in (*curve.x, *curve.y)]
    low = min([0.0, *numbers]) if axis.low is None else axis.low
    high = max([1.0, *numbers]) if axis.high is None else axis.high
    return low, high


def _beside(curve: Curve, number: int, of: int) -> Curve:
    """The curve a little to the side, so that the intervals of several groups stand beside each other."""
    aside = (number - (of - 1) / 2) * min(ASIDE, MOST_ASIDE / of)
    return replace(curve, x=tuple(x + aside for x in curve.x))


def _label_depth(axis: Axis, high: float) -> float:
    return len(fit(axis.label, high, style.TEXT)) * style.TEXT * style.LINE_HEIGHT


def _diagonal(axes: Any, x_limits: tuple[float, float], y_limits: tuple[float, float]) -> None:
    low, high = max(x_limits[0], y_limits[0]), min(x_limits[1], y_limits[1])
    axes.plot((low, high), (low, high), color=style.RULE, linewidth=0.8, linestyle=(0, (2, 2)))


def _curve(axes: Any, number: int, curve: Curve, *, markers: bool) -> None:
    one = style.look(number)
    every = 1 if markers else max(1, len(curve.x) // MARKS)
    axes.plot(
        curve.x,
        curve.y,
        color=one.colour,
        linewidth=1.4,
        linestyle=one.dash,
        marker=one.marker,
        markersize=4.5 if markers else 3.5,
        markevery=((number * every) // style.MOST_CURVES, every),
        clip_on=False,
    )
    bars = [
        (x, low, high)
        for x, low, high in zip(curve.x, curve.low, curve.high, strict=False)
        if low is not None and high is not None
    ]
    if bars:
        axes.vlines(*zip(*bars, strict=True), colors=one.colour, linewidth=0.9)


def _threshold(axes: Any, number: int, x: float, y: float) -> None:
    one = style.look(number)
    axes.plot(
        (x,),
        (y,),
        marker=one.marker,
        markersize=7,
        markerfacecolor=style.PAPER,
        markeredgecolor=one.colour,
        markeredgewidth=1.6,
        linestyle="",
        clip_on=False,
        zorder=4,
    )


def _extra_label(plot: RocPlot | CalibrationPlot) -> str:
    """What the legend says after the groups: the mark of the threshold, or the diagonal."""
    if isinstance(plot, CalibrationPlot):
        return plot.ideal
    return plot.points_label if plot.points else ""


def _draw_extra(sheet: Sheet, plot: RocPlot | CalibrationPlot, label: str, x: float, y: float, room: float) -> float:
    if not label:
        return y
    if isinstance(plot, CalibrationPlot):
        sheet.line((x, x + 22), (y + 5, y + 5), style.RULE, 0.8, (0, (2, 2)))
    else:
        sheet.line((x + 11,), (y + 5,), style.SOFT_INK, 0, marker="o", marker_size=7, filled=False)
    for text in fit(label, room - 28, style.TEXT):
        sheet.words(x + 28, y + 5, text)
        y += style.TEXT * style.LINE_HEIGHT
    return y + 3
