"""A Δ tree as SVG: the layout by ``tree_layout``, the writing by the template ``tree.svg.j2``."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from reporter.render.chart_svg import FONT_FAMILY
from reporter.render.chart_text import clean
from reporter.render.plots import TreeDiagram
from reporter.render.tree_layout import lay_out

if TYPE_CHECKING:
    import jinja2


def draw_tree(diagram: TreeDiagram, figure_id: str, title: str) -> str:
    """The SVG of a tree."""
    picture = lay_out(diagram)
    return _template().render(picture=picture, figure_id=figure_id, title=clean(title), font_family=FONT_FAMILY)


@cache
def _template() -> jinja2.Template:
    import jinja2

    from reporter.packaged import packaged_folder

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(packaged_folder("templates")),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        keep_trailing_newline=False,
    )
    return environment.get_template("tree.svg.j2")
