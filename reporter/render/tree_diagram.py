"""A Δ tree as SVG: the layout by ``tree_layout``, the writing by the template ``tree.svg.j2``."""

from __future__ import annotations

from reporter.render.chart_svg import FONT_FAMILY
from reporter.render.chart_text import clean
from reporter.render.plots import TreeDiagram
from reporter.render.templating import environment, fill
from reporter.render.tree_layout import lay_out


def draw_tree(diagram: TreeDiagram, figure_id: str, title: str) -> str:
    """The SVG of a tree."""
    return fill(
        environment(None),
        "tree.svg.j2",
        picture=lay_out(diagram),
        figure_id=figure_id,
        title=clean(title),
        font_family=FONT_FAMILY,
    )
