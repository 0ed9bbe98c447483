"""A Δ tree as SVG: the layout by ``tree_layout``, the writing by the template ``tree.svg.j2``."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render.chart_svg import FONT_FAMILY
from reporter.render.chart_text import clean
from reporter.render.plots import TreeDiagram, TreeNode
from reporter.render.templating import environment, fill
from reporter.render.tree_layout import lay_out
from reporter.render.wording import plural


def draw_tree(diagram: TreeDiagram, figure_id: str, title: str) -> str:
    """The SVG of a tree; a tall one is several under each other, each with the nodes that it shows as its alternative text."""
    drawn = lay_out(diagram)
    n_leaves = sum(not node.children for _, nodes in drawn for node in nodes)
    env = environment(None)
    return "\n".join(
        fill(
            env,
            "tree.svg.j2",
            picture=picture,
            figure_id=figure_id if place == 1 else f"{figure_id}-{place}",
            title=clean(title if len(drawn) == 1 else _part_title(nodes, place, len(drawn), n_leaves)),
            font_family=FONT_FAMILY,
        )
        for place, (picture, nodes) in enumerate(drawn, 1)
    )


def _part_title(nodes: Sequence[TreeNode], place: int, n: int, n_leaves: int) -> str:
    shown = [node for node in nodes if not node.children] or nodes
    said = "; ".join(": ".join(part for part in (node.path, *node.lines[:1]) if part) for node in shown)
    return f"Tree of {plural(n_leaves, 'subgroup')}, part {place} of {n}. {said}."
