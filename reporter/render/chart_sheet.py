"""The paper a chart is drawn on: matplotlib laid out in points from the top left corner, by arithmetic and never by trial.

Placing every axis and word by known widths keeps a chart cheap (no second layout pass) and its bytes the same. Knows the
style, the font's metrics and matplotlib; nothing of what a chart means.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal

from reporter.render import chart_style as style
from reporter.render.chart_svg import finished
from reporter.render.chart_text import clean, fit, tick_text, width
from reporter.render.plots import Axis

AXIS_HEIGHT = 15.0
"""Room for ticks and their labels under an axis; the axis label comes below it."""
NOTE_HEIGHT = 14.0

Align = Literal["left", "center", "right"]


@contextmanager
def charts_styled() -> Iterator[None]:
    """Within the block matplotlib draws in the charts' style and is silent about glyphs that only the page's fonts have."""
    import matplotlib

    with matplotlib.rc_context(style.RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


class Sheet:
    """A drawing of a given height; ``x`` and ``y`` are points from the top left corner."""

    def __init__(self, height: float, width: float = style.WIDTH) -> None:
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure

        self.height, self.width = height, width
        self.figure = Figure(figsize=(width / 72, height / 72), facecolor=style.PAPER)
        FigureCanvasSVG(self.figure)
        self._back = self._layer(-1)
        self._page = self._layer(5)

    def _layer(self, order: int) -> Any:
        """An Axes over the whole paper, in points, without any of its own lines."""
        layer = self.figure.add_axes((0, 0, 1, 1), frameon=False, zorder=order)
        layer.set(xlim=(0, self.width), ylim=(self.height, 0), xticks=(), yticks=())
        layer.patch.set_visible(False)
        layer.grid(False)
        return layer

    def words(
        self,
        x: float,
        y: float,
        text: str,
        *,
        align: Align = "left",
        size: float = style.TEXT,
        bold: bool = False,
        colour: str = style.INK,
        turned: bool = False,
    ) -> None:
        """One line of text whose middle is at height ``y``."""
        self._page.text(
            x,
            y,
            clean(text),
            ha=align,
            va="center_baseline" if not turned else "center",
            fontsize=size,
            fontweight="bold" if bold else "normal",
            color=colour,
            rotation=90 if turned else 0,
            rotation_mode="default",
        )

    def line(
        self,
        x: Sequence[float],
        y: Sequence[float],
        colour: str,
        weight: float = 0.6,
        dash: style.Dash = "solid",
        marker: str = "",
        marker_size: float = 4.5,
        filled: bool = True,
    ) -> None:
        """A polyline, or markers, or both, on the page."""
        from matplotlib.lines import Line2D

        self._page.add_line(
            Line2D(
                x,
                y,
                color=colour,
                linewidth=weight,
                linestyle=dash,
                marker=marker,
                markersize=marker_size,
                markerfacecolor=colour if filled else style.PAPER,
                markeredgecolor=colour,
                markeredgewidth=0.9,
                clip_on=False,
            )
        )

    def box(self, x: float, y: float, wide: float, high: float, colour: str, edge: str = "none") -> None:
        """A filled rectangle behind everything else of the page."""
        from matplotlib.patches import Rectangle

        self._back.add_patch(
            Rectangle((x, y), wide, high, facecolor=colour, edgecolor=edge, linewidth=0.6, clip_on=False)
        )

    def axes(
        self,
        x: float,
        y: float,
        wide: float,
        high: float,
        *,
        x_axis: Axis,
        y_axis: Axis | None,
        x_limits: tuple[float, float],
        y_limits: tuple[float, float],
        most_ticks: int = 6,
        most_y_ticks: int | None = None,
        x_label: bool = True,
    ) -> Any:
        """A matplotlib Axes in that place, with ticks written as the axis says; ``y_axis`` None: no ticks of its own."""
        place = (x / self.width, 1 - (y + high) / self.height, wide / self.width, high / self.height)
        axes = self.figure.add_axes(place, facecolor="none")
        axes.set(xlim=x_limits, ylim=y_limits)
        _ticks(axes.xaxis, x_axis, x_limits, most_ticks)
        if y_axis is None:
            axes.set_yticks(())
            axes.spines["left"].set_visible(False)
        else:
            _ticks(axes.yaxis, y_axis, y_limits, most_y_ticks or most_ticks)
            self._y_label(x, y, high, y_axis, y_limits, most_y_ticks or most_ticks)
        if x_label:
            for number, text in enumerate(fit(x_axis.label, self.width, style.TEXT)):
                half = width(text, style.TEXT) / 2
                middle = min(max(x + wide / 2, half), self.width - half)
                down = AXIS_HEIGHT + (number + 0.6) * style.TEXT * style.LINE_HEIGHT
                self.words(middle, y + high + down, text, align="center")
        return axes

    def _y_label(self, x: float, y: float, high: float, axis: Axis, limits: tuple[float, float], most: int) -> None:
        """Outside the widest tick label."""
        out = x - 8 - y_tick_width(axis, limits, most) - style.TEXT * 0.7
        lines = fit(axis.label, high, style.TEXT)
        for number, text in enumerate(reversed(lines)):
            place = out - number * style.TEXT * style.LINE_HEIGHT
            self.words(place, y + high / 2, text, align="center", turned=True)

    def sample(self, x: float, y: float, index: int) -> None:
        """A short piece of the look of series number ``index``."""
        one = style.look(index)
        self.line((x, x + 22), (y, y), one.colour, 1.5, one.dash)
        self.line((x + 11,), (y,), one.colour, 0, marker=one.marker)

    def legend(self, x: float, y: float, room: float, entries: Sequence[tuple[int, str]]) -> float:
        """Samples of the looks with their labels under each other, and the height they take."""
        used = y
        for index, label in entries:
            self.sample(x, used + 5, index)
            for text in fit(label, room - 28, style.TEXT):
                self.words(x + 28, used + 5, text)
                used += style.TEXT * style.LINE_HEIGHT
            used += 3
        return used - y

    def svg(self, figure_id: str, title: str) -> str:
        """The finished drawing."""
        text = io.StringIO()
        self.figure.savefig(text, format="svg", metadata={"Date": None}, facecolor=style.PAPER)
        return finished(text.getvalue(), figure_id, title)


def spread(low: float, high: float) -> tuple[float, float]:
    """The bounds of an axis, pulled apart where they meet.

    Examples
    --------
    >>> spread(0.0, 1.0), spread(2.0, 2.0)
    ((0.0, 1.0), (1.95, 2.05))
    """
    if high > low:
        return low, high
    room = abs(low) * 0.025 or 0.05
    return low - room, low + room


def padded_limits(axis: Axis, numbers: Sequence[float]) -> tuple[float, float]:
    """Bounds of an axis over these numbers.

    Examples
    --------
    >>> padded_limits(Axis("rate", "percent"), [0.02, 0.5])
    (0.0, 0.524)
    >>> padded_limits(Axis("rate", "percent", 0.0, 1.0), [0.2])
    (0.0, 1.0)
    """
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    room = (high - low) * 0.05 or 0.05
    low, high = low - room, high + room
    if axis.kind == "percent":
        low, high = max(0.0, low), min(1.0, high)
    elif axis.kind == "count":
        low = max(0.0, low)
    low = low if axis.low is None else axis.low
    high = high if axis.high is None else axis.high
    return spread(low, high)


def label_height(axis: Axis) -> float:
    """The height of the label under an axis."""
    return (len(fit(axis.label, style.WIDTH, style.TEXT)) + 0.3) * style.TEXT * style.LINE_HEIGHT


def legend_height(room: float, labels: Sequence[str]) -> float:
    """The height that ``Sheet.legend`` needs for these labels."""
    lines = sum(len(fit(label, room - 28, style.TEXT)) for label in labels)
    return lines * style.TEXT * style.LINE_HEIGHT + 3 * len(labels)


def y_tick_width(axis: Axis, limits: tuple[float, float], most_ticks: int) -> float:
    """The width of the widest tick label of an axis with these limits."""
    values, step = tick_values(limits, most_ticks, whole=axis.kind == "count")
    return max((width(tick_text(axis, value, step), style.SMALL) for value in values), default=0.0)


def tick_values(limits: tuple[float, float], most: int, whole: bool = False) -> tuple[list[float], float]:
    """Round values between the limits, at most ``most + 1``, and the step between them.

    Examples
    --------
    >>> tick_values((0.0, 0.5), 5)
    ([0.0, 0.1, 0.2, 0.3, 0.4, 0.5], 0.1)
    """
    from matplotlib.ticker import MaxNLocator

    low, high = limits
    ticks = MaxNLocator(most, steps=[1, 2, 2.5, 5, 10], integer=whole).tick_values(low, high)
    step = float(ticks[1] - ticks[0])
    margin = step * 1e-6
    return [round(float(tick), 12) for tick in ticks if low - margin <= tick <= high + margin], round(step, 12)


def _ticks(axis: Any, spec: Axis, limits: tuple[float, float], most: int) -> None:
    values, step = tick_values(limits, most, whole=spec.kind == "count")
    axis.set_ticks(values, [tick_text(spec, value, step) for value in values])
    for line in axis.get_gridlines():
        line.set_clip_on(False)  # ticks lie within the bounds; a clip path a line costs the PDF's engine
