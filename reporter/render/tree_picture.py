"""What a tree's drawing is made of: plain rectangles, lines, dots and words with their places, ready to be written out.

The nouns between ``tree_layout``, which fills them, and the template ``tree.svg.j2``, which writes them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reporter.render import chart_style as style
from reporter.render.chart_text import clean, width


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle; ``dash`` is empty for a solid edge."""

    x: float
    y: float
    wide: float
    high: float
    fill: str
    edge: str
    weight: float
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A polyline through ``points`` ("x,y x,y")."""

    points: str
    colour: str
    weight: float
    dash: str = ""


@dataclass(frozen=True, slots=True)
class Shape:
    """A filled polygon."""

    points: str
    fill: str


@dataclass(frozen=True, slots=True)
class Dot:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str
    edge: str


@dataclass(frozen=True, slots=True)
class Word:
    """One line of text; ``y`` is its baseline."""

    x: float
    y: float
    text: str
    size: float
    anchor: str = "start"
    bold: bool = False
    colour: str = style.INK


@dataclass(slots=True)
class Picture:
    """Everything to draw, back to front within each kind; ``shown_width`` and ``shown_height`` are its size on the page."""

    outline: float
    width: float = style.WIDTH
    height: float = 0.0
    shown_width: float = style.WIDTH
    shown_height: float = 0.0
    boxes: list[Box] = field(default_factory=list)
    strokes: list[Stroke] = field(default_factory=list)
    shapes: list[Shape] = field(default_factory=list)
    dots: list[Dot] = field(default_factory=list)
    words: list[Word] = field(default_factory=list)

    def word(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        *,
        anchor: str = "start",
        bold: bool = False,
        colour: str = style.INK,
    ) -> None:
        """Add a line of text."""
        self.words.append(Word(rounded(x), rounded(y), clean(text), size, anchor, bold, colour))

    def right(self) -> float:
        """How far boxes and words reach to the right."""
        boxes = [box.x + box.wide for box in self.boxes]
        return max([*boxes, *(word.x + width(word.text, word.size, word.bold) for word in self.words)])


def corners(points: Sequence[tuple[float, float]]) -> str:
    """Points as SVG writes them."""
    return " ".join(f"{rounded(x):g},{rounded(y):g}" for x, y in points)


def rounded(value: float) -> float:
    """A length with as many digits as a drawing needs."""
    return round(value, 2)
