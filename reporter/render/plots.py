"""What a figure shows: labels that are already worded and plain numbers, without any drawing.

``figures.draw`` turns one of these into SVG. Positions are in the unit of the axis; ``Axis.kind`` says how ticks are written
("percent": proportions shown as percent). Texts are literal: no math mode, no markup. Undefined values are None and are
left out of the drawing (a forest row keeps its line, with ``text`` saying why).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis. ``low`` and ``high`` bound it (None: by the data)."""

    label: str
    kind: Literal["percent", "points", "number", "count"] = "number"
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class ForestPoint:
    """One estimate in a row of a forest plot; ``series`` indexes ``ForestPlot.series``."""

    series: int
    value: float | None
    low: float | None
    high: float | None
    text: str


@dataclass(frozen=True, slots=True)
class ForestRow:
    """One line of a forest plot: a group with a point per series. Without points it is a heading over the rows that follow.
    ``mark`` is the verdict in words, set bold under the label."""

    label: str
    points: tuple[ForestPoint, ...]
    flagged: bool = False
    mark: str = ""


@dataclass(frozen=True, slots=True)
class ForestPlot:
    """Estimates with intervals, one row a group, rows of several groupings under their headings. ``lines`` are vertical marks
    with their labels (the value over all rows); ``total`` is how many groups there are when the rows are capped. ``band`` shades what lies
    within the limit: (low, high, its label)."""

    axis: Axis
    series: tuple[str, ...]
    rows: tuple[ForestRow, ...]
    lines: tuple[tuple[float, str], ...] = ()
    total: int = 0
    band: tuple[float, float, str] | None = None


@dataclass(frozen=True, slots=True)
class Curve:
    """One line of a plot; ``low`` and ``high`` (same length, or empty) are a band or error bars."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()
    n: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RocPlot:
    """ROC curves, with the diagonal. ``points`` marks where a curve's threshold lies: (curve index, x, y)."""

    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    points: tuple[tuple[int, float, float], ...] = ()
    points_label: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class CalibrationPlot:
    """Observed share against mean score, with intervals and the diagonal (labelled ``ideal``)."""

    x: Axis
    y: Axis
    curves: tuple[Curve, ...]
    ideal: str = ""
    total: int = 0


@dataclass(frozen=True, slots=True)
class Steps:
    """A histogram's outline: ``edges`` has one entry more than ``heights``."""

    label: str
    edges: tuple[float, ...]
    heights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class DensityPlot:
    """How scores are spread per group; ``threshold`` is a vertical mark with its label."""

    x: Axis
    y: Axis
    steps: tuple[Steps, ...]
    threshold: tuple[float, str] | None = None
    total: int = 0


@dataclass(frozen=True, slots=True)
class Panel:
    """One of several small plots that share their x axis."""

    title: str
    y: Axis
    curves: tuple[Curve, ...]


@dataclass(frozen=True, slots=True)
class CurvesPlot:
    """Curves per group in one or more panels (the noise study); curves of one label share colour, dash and marker."""

    x: Axis
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One group in two releases; the change is drawn as a line from old to new."""

    label: str
    old: float | None
    new: float | None
    text: str
    flagged: bool = False


@dataclass(frozen=True, slots=True)
class ChangePlot:
    """Each group's rate in the old and in the new release."""

    axis: Axis
    old: str
    new: str
    rows: tuple[ChangeRow, ...]
    total: int = 0


@dataclass(frozen=True, slots=True)
class TreeRate:
    """One of a leaf's rates, for the small plot: rate of a ``group`` under a ``model`` (indices into the diagram's names)."""

    model: int
    group: int
    value: float | None
    text: str


@dataclass(frozen=True, slots=True)
class TreeNode:
    """One box. ``lines`` are its texts from top to bottom, the first set bold; ``question`` names the covariate that splits
    it; ``edge`` is the answer that leads here, ``path`` the whole way from the root. ``delta`` only chooses the colour, its text
    stands in ``lines``."""

    id: int
    lines: tuple[str, ...]
    delta: float | None
    edge: str = ""
    question: str = ""
    children: tuple[TreeNode, ...] = ()
    rates: tuple[TreeRate, ...] = ()
    mark: str = ""
    path: str = ""


@dataclass(frozen=True, slots=True)
class TreeDiagram:
    """A Δ tree. ``models`` and ``groups`` name what the rates' indices mean; ``negative`` and ``positive`` explain the two
    colours in words; ``rate_axis`` is the axis of the small plots in the leaves. A tall tree is drawn as several pictures."""

    root: TreeNode
    models: tuple[str, ...]
    groups: tuple[str, ...]
    negative: str
    positive: str
    rate_axis: Axis


Plot = ForestPlot | RocPlot | CalibrationPlot | DensityPlot | CurvesPlot | ChangePlot | TreeDiagram
"""Any figure's data."""
