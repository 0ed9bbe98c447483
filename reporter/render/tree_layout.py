"""Where everything of a Δ tree's drawing lies: boxes sized from font metrics, as plain rectangles, lines, dots and words.

The tree is an outline: each node under its parent, one step to the right, so that any depth and any number of leaves fit a
width; beside each leaf its rates under each model. An outline too tall for half a page goes on in further pictures, so that type
keeps its size and pages are filled; each names where it goes on. All arithmetic of the drawing is here and in ``tree_rates``; the
template only writes it out.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reporter.render import chart_style as style
from reporter.render.chart_text import fit, widest, width
from reporter.render.plots import TreeDiagram, TreeNode
from reporter.render.tree_picture import Box, Picture, Shape, Stroke, corners, rounded
from reporter.render.tree_rates import Rates

OUTLINE = (215.0, 285.0)
"""The least and the most width of the outline where the rest is for the leaves' rates."""
STEP = 17.0
DEEPEST = 110.0
"""The most that the deepest node is moved to the right."""
PAD_X, PAD_Y = 7.0, 4.0
ROW_GAP = 8.0
LINE = style.SMALL * style.LINE_HEIGHT
BOLD_LINE = style.TEXT * style.LINE_HEIGHT
MARK = 10.0
EDGE_LINES = 4
HEADING_LINES = 3
WHOLE, PART = 330.0, (100.0, 180.0, 235.0)
"""A drawing up to the first height stays one picture. A taller one is cut into pictures of between the least and the most of the others, rather
of the middle one: a page that has no room for the next of them stays empty by less than that."""

NEGATIVE, POSITIVE, NEUTRAL = ("#0072b2", "#e3eff7"), ("#b54a00", "#fbeadf"), (style.RULE, "#f4f4f4")


@dataclass(frozen=True, slots=True)
class Line:
    """A node in the outline."""

    node: TreeNode
    depth: int
    parent: Line | None

    def answer(self) -> str:
        """The answer that leads here: "sex: Female"."""
        if self.parent is None:
            return ""
        question = self.parent.node.question
        return f"{question}: {self.node.edge}" if question else self.node.edge


def lay_out(diagram: TreeDiagram) -> tuple[tuple[Picture, tuple[TreeNode, ...]], ...]:
    """The pictures of a tree from top to bottom, each with the nodes that it shows."""
    lines = list(_lines(diagram.root))
    step = min(STEP, DEEPEST / max(1, *(line.depth for line in lines)))
    outline = style.WIDTH
    rates = None
    if any(line.node.rates for line in lines):
        scratch = Picture(OUTLINE[1])
        for line in lines:
            _node(scratch, line, step, 0.0)
        outline = min(max(OUTLINE[0], scratch.right() + 16), OUTLINE[1])
        rates = Rates(diagram, [line.node for line in lines], outline)
    heights = [_drawn(Picture(outline), line, step, 0.0, rates)[1] for line in lines]
    drawn = []
    first = 0
    for last in _ends(heights, lines):
        drawn.append(
            (_picture(diagram, lines, first, last, step, outline, rates), tuple(one.node for one in lines[first:last]))
        )
        first = last
    return tuple(drawn)


def _lines(node: TreeNode, parent: Line | None = None) -> Iterator[Line]:
    line = Line(node, 0 if parent is None else parent.depth + 1, parent)
    yield line
    for child in node.children:
        yield from _lines(child, line)


def _ends(heights: Sequence[float], lines: Sequence[Line]) -> list[int]:
    """Where each picture ends: before the least deep node within reach, so that what belongs together stays so."""
    least, wanted, most = PART
    ends: list[int] = []
    start = 0
    while sum(heights[start:]) > (most if ends else WHOLE):
        reach = list(itertools.accumulate(heights[start:]))
        near = [i for i, used in enumerate(reach, start + 1) if least <= used <= most and i < len(lines)]
        # A single node may be taller than a picture should be.
        start = min(near, key=lambda i: (lines[i].depth, abs(reach[i - start - 1] - wanted))) if near else start + 1
        if start >= len(lines):
            break
        ends.append(start)
    return [*ends, len(lines)]


def _picture(
    diagram: TreeDiagram,
    lines: Sequence[Line],
    first: int,
    last: int,
    step: float,
    outline: float,
    rates: Rates | None,
) -> Picture:
    picture = Picture(outline)
    y = _legend(picture, diagram) if first == 0 else 0.0
    y = _heading(picture, lines[first], step, y, rates)
    body = y
    places: dict[int, tuple[float, float]] = {}
    waiting: dict[int, float] = {}
    for place, line in enumerate(lines[:last]):
        for child in line.node.children:
            waiting[child.id] = line.depth * step + step / 2
        if place < first:
            waiting.pop(line.node.id, None)
            continue
        if line.parent is not None:
            x = waiting.pop(line.node.id)
            _elbow(picture, (x, places.get(line.parent.node.id, (x, 0.0))[1]), line.depth * step, y)
        bottom, y = _drawn(picture, line, step, y, rates)
        places[line.node.id] = (line.depth * step + step / 2, bottom)
    if rates is not None:
        rates.grid(picture, body, y - ROW_GAP / 2)
    picture.height = rounded(y if last < len(lines) else y - ROW_GAP + 2)
    owners = {child.id: line.node.id for line in lines[:last] for child in line.node.children}
    for child_id, x in waiting.items():
        top = places.get(owners[child_id], (x, 0.0))[1]
        picture.strokes.append(Stroke(corners(((x, top), (x, picture.height))), style.RULE, 0.9))
    picture.shown_width, picture.shown_height = style.WIDTH, picture.height
    return picture


def _drawn(picture: Picture, line: Line, step: float, y: float, rates: Rates | None) -> tuple[float, float]:
    """A line of the outline with its rates; returns the height below its box and that of the next line."""
    bottom = _node(picture, line, step, y)
    end = bottom
    if rates is not None and line.node.rates:
        end = max(end, rates.draw(picture, line.node, y, bottom))
    return bottom, end + ROW_GAP


def _node(picture: Picture, line: Line, step: float, y: float) -> float:
    """A node with the answer that leads to it above its box; returns the height below it."""
    node, x = line.node, line.depth * step
    edge, fill = _colours(node.delta)
    room = picture.outline - x
    if line.parent is not None:
        for text in fit(line.answer(), room - 12, style.TEXT, lines=EDGE_LINES):
            picture.word(x, y + style.TEXT, text, style.TEXT)
            y += BOLD_LINE
        y += 2.5
    inside = room - 2 * PAD_X - MARK
    first = fit(node.lines[0], inside, style.TEXT, bold=True) if node.lines else ()
    rest = [text for part in _joined(node.lines[1:], inside) for text in fit(part, inside, style.SMALL)]
    mark = fit(node.mark, inside, style.SMALL, bold=True) if node.mark else ()
    wide = max(widest(first, style.TEXT, bold=True), widest(rest, style.SMALL), widest(mark, style.SMALL, bold=True))
    high = 2 * PAD_Y + len(first) * BOLD_LINE + (len(rest) + len(mark)) * LINE
    dash = "4 2" if node.delta is not None and node.delta < 0 else ""
    weight = 0.7 if node.children else 1.4
    # A thick edge is drawn half inside, so that none of it lies beyond the picture.
    left, wide = x + weight / 2, wide + 2 * PAD_X + MARK
    picture.boxes.append(Box(rounded(left), rounded(y), rounded(wide), rounded(high), fill, edge, weight, dash))
    _sign(picture, node.delta, left + PAD_X, y + PAD_Y + BOLD_LINE / 2, edge)
    below = y + PAD_Y
    for text in first:
        picture.word(left + PAD_X + MARK, below + style.TEXT, text, style.TEXT, bold=True)
        below += BOLD_LINE
    for texts, bold in ((rest, False), (mark, True)):
        for text in texts:
            picture.word(left + PAD_X + MARK, below + style.SMALL, text, style.SMALL, bold=bold)
            below += LINE
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
    picture.shapes.append(Shape(corners(((x, y - up * 2.6), (x + 6.4, y - up * 2.6), (x + 3.2, y + up * 3.0))), colour))


def _elbow(picture: Picture, parent: tuple[float, float], x: float, top: float) -> None:
    """From under the parent's box to the left of the child's answer."""
    middle = top + style.TEXT * 0.62
    picture.strokes.append(
        Stroke(corners(((parent[0], parent[1]), (parent[0], middle), (x - 1.5, middle))), style.RULE, 0.9)
    )


def _legend(picture: Picture, diagram: TreeDiagram) -> float:
    """What the two colours mean; returns the height below it."""
    y = 0.0
    for (edge, fill), delta, text, dash in (
        (NEGATIVE, -1.0, diagram.negative, "4 2"),
        (POSITIVE, 1.0, diagram.positive, ""),
    ):
        if not text:
            continue
        picture.boxes.append(Box(0.5, rounded(y + 0.5), 20, 10, fill, edge, 0.9, dash))
        _sign(picture, delta, 7.3, y + 5.5, edge)
        for line in fit(text, style.WIDTH - 26, style.SMALL):
            picture.word(26, y + 8.3, line, style.SMALL)
            y += LINE + 1
        y += 2
    return y + ROW_GAP if y else 0.0


def _heading(picture: Picture, line: Line, step: float, y: float, rates: Rates | None) -> float:
    """Whose rates the columns are, and in a picture that continues the tree where it goes on; returns the height below."""
    left = y
    if line.parent is not None:
        x = line.depth * step
        room = picture.outline - x - 12
        told = "continued" if line.depth == 1 else f"continued, below: {line.parent.node.path or line.parent.answer()}"
        if len(fit(told, room, style.SMALL, lines=9)) > HEADING_LINES:
            told = f"continued, below: … {line.parent.answer()}"
        for text in fit(told, room, style.SMALL, lines=HEADING_LINES):
            picture.word(x, left + style.SMALL, text, style.SMALL, colour=style.SOFT_INK)
            left += LINE
        left += 5
    right = y if rates is None else rates.heading(picture, y, short=line.parent is not None)
    return max(left, right)
