"""Any figure's data as SVG: one function, the same drawing in HTML and PDF, the same bytes for the same data."""

from __future__ import annotations

from functools import lru_cache

from reporter.render.chart_sheet import charts_styled
from reporter.render.plots import (
    CalibrationPlot,
    ChangePlot,
    CurvesPlot,
    DensityPlot,
    ForestPlot,
    Plot,
    RocPlot,
)


@lru_cache(maxsize=64)
def draw(spec: Plot, figure_id: str, title: str) -> str:
    """The figure as one ``svg`` element; a tall tree as several.

    ``figure_id`` prefixes every id inside, so it must be unique in the page; ``title`` is the alternative text, a full
    sentence. All texts appear literally as text (never as outlines, never as mathematics), wrapped or cut with an ellipsis.
    HTML and PDF ask for the same figures, so the latest are kept.

    Examples
    --------
    >>> from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow
    >>> rows = (ForestRow("<$25k", (ForestPoint(0, 0.3, 0.2, 0.4, "30 % (20 to 40)"),)),)
    >>> svg = draw(ForestPlot(Axis("miss rate", "percent"), ("2.4",), rows), "forest", "One group misses 30 %.")
    >>> "&lt;$25k</text>" in svg, "<title>One group misses 30 %.</title>" in svg
    (True, True)
    """
    with charts_styled():
        match spec:
            case ForestPlot():
                from reporter.render.chart_forest import draw_forest

                return draw_forest(spec, figure_id, title)
            case RocPlot() | CalibrationPlot():
                from reporter.render.chart_square import draw_square

                return draw_square(spec, figure_id, title)
            case DensityPlot():
                from reporter.render.chart_density import draw_density

                return draw_density(spec, figure_id, title)
            case CurvesPlot():
                from reporter.render.chart_curves import draw_curves

                return draw_curves(spec, figure_id, title)
            case ChangePlot():
                from reporter.render.chart_change import draw_change

                return draw_change(spec, figure_id, title)
            case _:
                from reporter.render.tree_diagram import draw_tree

                return draw_tree(spec, figure_id, title)
