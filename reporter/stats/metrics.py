"""THE table of metrics. Adding a metric is one function, one row of the table and one reference test."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.results import Estimate
from reporter.stats.cells import CellArrays
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable


def estimates(
    names: Sequence[str],
    cells: CellArrays,
    *,
    confidence: float = 0.95,
    scores: ScoreMoments | None = None,
    table: ScoreTable | ScoreGrid | None = None,
) -> dict[str, tuple[Estimate, ...]]:
    """Every metric in ``names`` for every group: metric name -> one Estimate per group.

    ``scores`` may be left out when ``table`` is an exact :class:`ScoreTable`; a model without scores has neither.
    """
    raise NotImplementedError
