"""The small plots beside the leaves of a Δ tree: each model's rates of the groups on one scale, with their numbers in columns.

With two groups the first one's number stands left and its dot is hollow, the second one's stands right and its dot is filled.
With more, each group is a stroke, and the numbers are the lowest and the highest rate.
"""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render import chart_style as style
from reporter.render.chart_sheet import padded_limits, tick_values
from reporter.render.chart_text import fit, tick_text, widest, width
from reporter.render.plots import TreeDiagram, TreeNode, TreeRate
from reporter.render.tree_picture import Dot, Picture, Stroke, corners, rounded

ROW = 13.0
RADIUS = 3.0
APART = 3.2
"""How far dots that would cover each other are moved up and down."""
MOST_MODEL_ROOM = 84.0
GAP = 6.0
LINE = style.SMALL * style.LINE_HEIGHT
MOST_TICKS = 4


class Rates:
    """The plots of one diagram, right of ``outline``."""

    def __init__(self, diagram: TreeDiagram, nodes: Sequence[TreeNode], outline: float) -> None:
        rates = [rate for node in nodes for rate in node.rates]
        self.diagram = diagram
        self.outline = outline
        self.pair = len(diagram.groups) <= 2
        self.limits = padded_limits(diagram.rate_axis, [rate.value for rate in rates if rate.value is not None])
        models = [diagram.models[rate.model] for rate in rates]
        self.model_room = min(widest(models, style.SMALL), MOST_MODEL_ROOM)
        number = max(widest([rate.text for rate in rates], style.SMALL), 20.0)
        self.left = outline + self.model_room + GAP + number + GAP + RADIUS
        self.right = style.WIDTH - number - GAP - RADIUS

    def heading(self, picture: Picture, y: float, *, short: bool) -> float:
        """Whose numbers stand left and right, and unless ``short`` the rate and its scale; returns the height below."""
        names = self.diagram.groups if self.pair else ("lowest group", "highest group")
        axis = self.diagram.rate_axis
        for text in () if short else fit(axis.label, style.WIDTH - self.outline, style.SMALL):
            picture.word(
                (self.outline + style.WIDTH) / 2, y + style.SMALL, text, style.SMALL, anchor="middle", bold=True
            )
            y += LINE
        y += 1.0
        room = (style.WIDTH - self.outline) / 2 - 14
        mark = 11.0 if self.pair else 0.0
        first, second = (fit(name, room, style.SMALL) for name in (names[0], names[-1]))
        far = style.WIDTH - widest(second, style.SMALL)
        for x, texts in ((self.outline + mark, first), (far, second)):
            for number, text in enumerate(texts):
                picture.word(x, y + style.SMALL + number * LINE, text, style.SMALL)
        if self.pair:
            self._dot(picture, 0, self.outline + RADIUS + 1, y + 5.0)
            self._dot(picture, 1, far - 7, y + 5.0)
        y += max(len(first), len(second)) * LINE + 2.0
        if short:
            return y
        values, step = tick_values(self.limits, MOST_TICKS)
        taken = 0.0
        for value in values:
            text = tick_text(axis, value, step)
            place, half = self.place(value), width(text, style.SMALL) / 2
            if place - half >= taken:
                picture.word(place, y + style.SMALL, text, style.SMALL, anchor="middle", colour=style.SOFT_INK)
                taken = place + half + 3
        return y + LINE + 2

    def grid(self, picture: Picture, top: float, bottom: float) -> None:
        """Light lines at the ticks, behind everything."""
        values, _ = tick_values(self.limits, MOST_TICKS)
        picture.strokes[:0] = [
            Stroke(corners(((self.place(value), top), (self.place(value), bottom))), style.GRID, 0.6)
            for value in values
        ]

    def place(self, value: float) -> float:
        """Where a rate lies across."""
        low, high = self.limits
        share = (min(max(value, low), high) - low) / (high - low)
        return self.left + share * (self.right - self.left)

    def draw(self, picture: Picture, node: TreeNode, top: float, bottom: float) -> float:
        """A line a model, beside the node's box; returns the height below them."""
        models = sorted({rate.model for rate in node.rates})
        y = max(top, bottom - len(models) * ROW - 1)
        for model in models:
            y += ROW
            middle = y - ROW / 2
            (name,) = fit(self.diagram.models[model], self.model_room + 1, style.SMALL, lines=1)
            picture.word(self.outline, middle + 2.6, name, style.SMALL, colour=style.SOFT_INK)
            own = [rate for rate in node.rates if rate.model == model]
            if self.pair:
                self._pair(picture, own, middle)
            else:
                self._many(picture, own, middle)
        return y + 1

    def _pair(self, picture: Picture, rates: Sequence[TreeRate], middle: float) -> None:
        known = [(rate, self.place(rate.value)) for rate in rates if rate.value is not None]
        shift = 0.0
        if len(known) == 2:
            ends = [place for _, place in known]
            shift = APART if abs(ends[0] - ends[1]) < 2 * RADIUS + 1.5 else 0.0
            if not shift:
                picture.strokes.append(Stroke(corners(((ends[0], middle), (ends[1], middle))), style.INK, 1.4))
        for rate, place in known:
            self._dot(picture, rate.group, place, middle + (shift if rate.group else -shift))
        for rate in rates:
            self._number(picture, rate.text, middle, right=rate.group > 0)

    def _many(self, picture: Picture, rates: Sequence[TreeRate], middle: float) -> None:
        known = sorted((rate.value, rate.text) for rate in rates if rate.value is not None)
        if not known:
            self._number(picture, rates[0].text, middle, right=False)
            return
        places = [self.place(value) for value, _ in known]
        picture.strokes.append(Stroke(corners(((places[0], middle), (places[-1], middle))), style.RULE, 0.7))
        for place in places:
            picture.strokes.append(Stroke(corners(((place, middle - 4), (place, middle + 4))), style.INK, 1.1))
        self._number(picture, known[0][1], middle, right=False)
        self._number(picture, known[-1][1], middle, right=True)

    def _number(self, picture: Picture, text: str, middle: float, *, right: bool) -> None:
        if right:
            picture.word(style.WIDTH, middle + 2.6, text, style.SMALL, anchor="end")
        else:
            picture.word(self.left - GAP - RADIUS, middle + 2.6, text, style.SMALL, anchor="end")

    def _dot(self, picture: Picture, group: int, x: float, y: float) -> None:
        """Hollow for the first group, filled for the second."""
        fill = style.PAPER if group == 0 else style.INK
        picture.dots.append(Dot(rounded(x), rounded(y), RADIUS, fill, style.INK))
