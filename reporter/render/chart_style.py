"""How every chart looks: one table of settings, colours, dashes, markers and sizes, in points. Nothing is drawn here.

Colours are Okabe and Ito's, told apart by readers with any colour vision; dash and marker tell the same in black and white.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

WIDTH = 500.0
"""The width of every chart in points: the text width of an A4 page with 17 mm margins."""

TEXT = 8.5
SMALL = 7.5
LINE_HEIGHT = 1.3

INK = "#1a1a1a"
SOFT_INK = "#4d4d4d"
RULE = "#8c8c8c"
GRID = "#e2e2e2"
FLAG_BAND = "#ececec"
LIMIT_BAND = "#e6f0f5"
PAPER = "#ffffff"

MOST_ROWS = 40
"""The most lines of a forest or change plot; the figure states the total when it shows fewer."""
MOST_CURVES = 8
"""The most curves in one plot; the figure states the total when it shows fewer."""

RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "reporter",
    "svg.image_inline": True,
    "text.parse_math": False,
    "text.usetex": False,
    "font.family": ["DejaVu Sans"],
    "font.size": TEXT,
    "figure.dpi": 72,
    "axes.unicode_minus": True,
    "axes.formatter.use_mathtext": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.labelcolor": INK,
    "axes.labelsize": TEXT,
    "axes.labelpad": 4,
    "axes.titlesize": TEXT,
    "axes.grid": True,
    "grid.color": GRID,
    "grid.linewidth": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.major.pad": 5,
    "ytick.major.pad": 4,
    "path.simplify": False,
}


Dash = Literal["solid"] | tuple[float, Sequence[float]]
"""How matplotlib takes a dash: an offset and the lengths of strokes and gaps."""


@dataclass(frozen=True, slots=True)
class Look:
    """Colour, dash and marker of one series."""

    colour: str
    dash: Dash
    marker: str


LOOKS = (
    Look("#0072b2", "solid", "o"),
    Look("#d55e00", (0, (5, 1.8)), "s"),
    Look("#009e73", (0, (1.2, 1.4)), "^"),
    Look("#a1467c", (0, (6, 1.6, 1.2, 1.6)), "D"),
    Look("#000000", (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)), "v"),
    Look("#c28500", (0, (8, 2.5)), "P"),
    Look("#3a93c2", (0, (2.2, 2.2)), "X"),
    Look("#6b6b6b", (0, (9, 1.5, 1.2, 1.5)), "*"),
)
"""Series in order. Purple, orange and sky blue are darkened to stand out from white paper at 3 to 1."""


def look(index: int) -> Look:
    """The look of series number ``index``, counted from 0.

    Examples
    --------
    >>> look(0).marker, look(8) == look(0)
    ('o', True)
    """
    return LOOKS[index % len(LOOKS)]
