"""Where everything of a Δ tree's drawing lies: boxes sized from font metrics, as plain rectangles, lines, dots and words.

The tree is an outline: each node under its parent, one step to the right, so that any depth and any number of leaves fit a
page; beside each leaf its rates under each model, the groups' dots joined by a line as long as the gap. All arithmetic
of the drawing is here; the template only writes it out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from reporter.render import chart_style as style
from reporter.render.chart_sheet import tick_values
from reporter.render.chart_text import clean, fit, tick_text, widest, width
from reporter.render.plots import TreeDiagram, TreeNode
from reporter.render.tree_picture import Box, Dot, Picture, Shape, Stroke, Word

OUTLINE = (215.0, 316.0)
"""The least and the most width of the outline where the rest is for the leaves' rates."""
STEP = 17.0
PAD_X, PAD_Y = 7.0, 4.0
ROW_GAP = 8.0
LINE = style.SMALL * style.LINE_HEIGHT
BOLD_LINE = style.TEXT * style.LINE_HEIGHT
MARK = 10.0
RATE_STEP = 13.0
MODEL_ROOM = 62.0
VALUE_ROOM = 27.0
HIGHEST = 690.0
"""A taller drawing is scaled down to fit a page."""

NEGATIVE, POSITIVE, NEUTRAL = ("#0072b2", "#e3eff7"), ("#b54a00", "#fbeadf"), (style.RULE, "#f4f4f4")


def lay_out(diagram: TreeDiagram) -> Picture:
    """The whole drawing of a tree: once to see how much width the outline needs, then for good."""
    if not any(node.rates for node, _, _ in _walk(diagram.root)):
        return _laid_out(diagram, style.WIDTH, rates=False)
    least, most = OUTLINE
    needed = _laid_out(diagram, most, rates=False).right() + 20
    return _laid_out(diagram, min(max(least, needed), most), rates=True)


def _laid_out(diagram: TreeDiagram, outline: float, *, rates: bool) -> Picture:
    picture = Picture(outline)
    y = _legend(picture, diagram, rates)
    body = y
    scale = _Rates(diagram, outline) if rates else None
    places: dict[int, tuple[float, float]] = {}
    for node, depth, parent in _walk(diagram.root):
        x = depth * STEP
        top = y
        y = _node(picture, node, parent, x, y)
        if parent is not None:
            _elbow(picture, places[parent.id], x, top)
        places[node.id] = (x + STEP / 2, y)
        if scale is not None and node.rates:
            y = max(y, scale.draw(picture, diagram, node, top, y))
        y += ROW_GAP
    if scale is not None:
        y = scale.axis(picture, diagram, body, y)
    picture.height = _rounded(y + 2)
    shrink = min(1.0, HIGHEST / picture.height)
    picture.shown_width, picture.shown_height = _rounded(style.WIDTH * shrink), _rounded(picture.height * shrink)
    return picture


def _walk(
    node: TreeNode, depth: int = 0, parent: TreeNode | None = None
) -> Iterator[tuple[TreeNode, int, TreeNode | None]]:
    yield node, depth, parent
    for child in node.children:
        yield from _walk(child, depth + 1, node)


def _node(picture: Picture, node: TreeNode, parent: TreeNode | None, x: float, y: float) -> float:
    """A node with the answer that leads to it above its box; returns the height below it."""
    edge, fill = _colours(node.delta)
    room = picture.outline - x
    if parent is not None:
        answer = f"{parent.question}: {node.edge}" if parent.question else node.edge
        for text in fit(answer, room - STEP, style.TEXT):
            _word(picture, x, y + style.TEXT, text, style.TEXT)
            y += BOLD_LINE
        y += 2.5
    inside = room - 2 * PAD_X - MARK
    first = fit(node.lines[0], inside, style.TEXT, bold=True) if node.lines else ()
    rest = [text for line in _joined(node.lines[1:], inside) for text in fit(line, inside, style.SMALL)]
    mark = fit(node.mark, inside, style.SMALL, bold=True) if node.mark else ()
    wide = max(widest(first, style.TEXT, bold=True), widest(rest, style.SMALL), widest(mark, style.SMALL, bold=True))
    high = 2 * PAD_Y + len(first) * BOLD_LINE + (len(rest) + len(mark)) * LINE
    dash = "4 2" if node.delta is not None and node.delta < 0 else ""
    weight = 0.7 if node.children else 1.4
    picture.boxes.append(
        Box(_rounded(x), _rounded(y), _rounded(wide + 2 * PAD_X + MARK), _rounded(high), fill, edge, weight, dash)
    )
    _sign(picture, node.delta, x + PAD_X, y + PAD_Y + BOLD_LINE / 2, edge)
    line = y + PAD_Y
    for text in first:
        _word(picture, x + PAD_X + MARK, line + style.TEXT, text, style.TEXT, bold=True)
        line += BOLD_LINE
    for texts, bold in ((rest, False), (mark, True)):
        for text in texts:
            _word(picture, x + PAD_X + MARK, line + style.SMALL, text, style.SMALL, bold=bold)
            line += LINE
    return y + high


def _joined(lines: Sequence[str], room: float) -> list[str]:
    """The lines, as many on one as fit."""
    done: list[str] = []
    for line in lines:
        longer = f"{done[-1]}; {line}" if done else line
        if done and width(longer, style.SMALL) <= room:
            done[-1] = longer
        else:
            done.append(line)
    return done


def _colours(delta: float | None) -> tuple[str, str]:
    if delta is None or delta == 0:
        return NEUTRAL
    return NEGATIVE if delta < 0 else POSITIVE


def _sign(picture: Picture, delta: float | None, x: float, y: float, colour: str) -> None:
    """A triangle that points up or down: the sign without colour."""
    if delta is None or delta == 0:
        return
    up = -1.0 if delta > 0 else 1.0
    corners = ((x, y - up * 2.6), (x + 6.4, y - up * 2.6), (x + 3.2, y + up * 3.0))
    picture.shapes.append(Shape(_points(corners), colour))


def _elbow(picture: Picture, parent: tuple[float, float], x: float, top: float) -> None:
    """From under the parent's box to the left of the child's answer."""
    middle = top + style.TEXT * 0.62
    picture.strokes.append(
        Stroke(_points(((parent[0], parent[1]), (parent[0], middle), (x - 1.5, middle))), style.RULE, 0.9)
    )


def _legend(picture: Picture, diagram: TreeDiagram, has_rates: bool) -> float:
    """What the two colours mean, and whose rates the dots are; returns the height below it."""
    y = 0.0
    room = picture.outline - 24 if has_rates else style.WIDTH
    for (edge, fill), delta, text, dash in (
        (NEGATIVE, -1.0, diagram.negative, "4 2"),
        (POSITIVE, 1.0, diagram.positive, ""),
    ):
        if not text:
            continue
        picture.boxes.append(Box(0.5, _rounded(y + 0.5), 20, 10, fill, edge, 0.9, dash))
        _sign(picture, delta, 7.3, y + 5.5, edge)
        for line in fit(text, room - 26, style.SMALL):
            _word(picture, 26, y + 8.3, line, style.SMALL)
            y += LINE + 1
        y += 2
    right = start = 0.0
    if has_rates:
        for number, group in enumerate(diagram.groups[:2]):
            start = right
            for line in fit(group, style.WIDTH - picture.outline - 14, style.SMALL):
                _word(picture, picture.outline + 14, right + 8.3, line, style.SMALL)
                right += LINE
            _group_dot(picture, number, picture.outline + 5, start + 5.5)
            right += 3
    return max(y, right) + ROW_GAP


def _group_dot(picture: Picture, group: int, x: float, y: float) -> None:
    """Hollow for the first group, filled for the second."""
    picture.dots.append(Dot(_rounded(x), _rounded(y), 3.0, style.PAPER if group == 0 else style.INK, style.INK))


class _Rates:
    """The small plots beside the leaves, on one scale."""

    def __init__(self, diagram: TreeDiagram, outline: float) -> None:
        values = [rate.value for node, _, _ in _walk(diagram.root) for rate in node.rates if rate.value is not None]
        axis = diagram.rate_axis
        self.low = 0.0 if axis.low is None else axis.low
        self.high = (max(values, default=1.0) * 1.05 or 1.0) if axis.high is None else axis.high
        self.left = outline + MODEL_ROOM + VALUE_ROOM
        self.right = style.WIDTH - VALUE_ROOM

    def place(self, value: float) -> float:
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + share * (self.right - self.left)

    def draw(self, picture: Picture, diagram: TreeDiagram, node: TreeNode, top: float, bottom: float) -> float:
        """A line a model, beside the leaf's box; returns the height below them."""
        models = sorted({rate.model for rate in node.rates})
        y = max(top, bottom - len(models) * RATE_STEP - 1)
        for model in models:
            y += RATE_STEP
            middle = y - RATE_STEP / 2
            for text in fit(diagram.models[model], MODEL_ROOM - 4, style.SMALL, lines=1):
                _word(picture, picture.outline, middle + 2.6, text, style.SMALL, colour=style.SOFT_INK)
            rates = sorted(
                (r for r in node.rates if r.model == model and r.value is not None), key=lambda r: r.value or 0.0
            )
            places = [self.place(rate.value or 0.0) for rate in rates]
            if len(places) > 1:
                picture.strokes.append(Stroke(_points(((places[0], middle), (places[-1], middle))), style.INK, 1.4))
            for rate, place in zip(rates, places, strict=True):
                _group_dot(picture, rate.group, place, middle)
            if rates:
                _word(picture, places[0] - 5, middle + 2.6, rates[0].text, style.SMALL, anchor="end")
            if len(rates) > 1:
                _word(picture, places[-1] + 5, middle + 2.6, rates[-1].text, style.SMALL)
            missing = "; ".join(r.text for r in node.rates if r.model == model and r.value is None and r.text)
            if missing and not rates:
                for text in fit(missing, style.WIDTH - self.left, style.SMALL, lines=1):
                    _word(picture, self.left, middle + 2.6, text, style.SMALL)
        return y + 1

    def axis(self, picture: Picture, diagram: TreeDiagram, top: float, y: float) -> float:
        """Ticks and the label below the last leaf, light lines through all of them; returns the height below."""
        values, step = tick_values((self.low, self.high), 3)
        grid = [Stroke(_points(((self.place(v), top), (self.place(v), y))), style.GRID, 0.6) for v in values]
        picture.strokes[:0] = grid
        picture.strokes.append(Stroke(_points(((self.left, y), (self.right, y))), style.RULE, 0.6))
        for value in values:
            text = tick_text(diagram.rate_axis, value, step)
            _word(picture, self.place(value), y + 10, text, style.SMALL, anchor="middle")
        y += 14
        room = style.WIDTH - picture.outline
        for text in fit(diagram.rate_axis.label, room, style.SMALL):
            _word(picture, style.WIDTH - room / 2, y + style.SMALL, text, style.SMALL, anchor="middle")
            y += LINE
        return y


def _word(
    picture: Picture,
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    anchor: str = "start",
    bold: bool = False,
    colour: str = style.INK,
) -> None:
    picture.words.append(Word(_rounded(x), _rounded(y), clean(text), size, anchor, bold, colour))


def _points(corners: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{_rounded(x):g},{_rounded(y):g}" for x, y in corners)


def _rounded(value: float) -> float:
    return round(value, 2)
