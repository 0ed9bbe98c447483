"""How many rows of each group have a score above the median of all rows, from stored score tables."""

from __future__ import annotations

import numpy as np

from reporter.data import cells as views
from reporter.data.counts import Counts
from reporter.profiles.selection import AboveMedian
from reporter.stats.scores import ScoreTable


def above_median(counts: Counts, grouping: str, model: str) -> AboveMedian:
    """The median of all scores of ``model`` (of an even number: the mean of the two in the middle) and who lies above it.

    Not known for a model with so many distinct scores that only a grid of them is stored.
    """
    table = views.score_table(counts, grouping, model)
    if not isinstance(table, ScoreTable):
        return AboveMedian(None, {}, {}, "only a grid of the scores is stored, as there are very many distinct ones")
    n = int(table.n.sum())
    if n == 0:
        return AboveMedian(None, {}, {}, "no row has a score")
    order = np.argsort(table.score, kind="stable")
    ends = np.cumsum(table.n[order])
    low, high = (table.score[order][np.searchsorted(ends, place, side="right")] for place in ((n - 1) // 2, n // 2))
    median = float((low + high) / 2)
    names = [level.name for level in views.levels(counts, grouping)]
    above, scored = np.zeros(len(names), np.int64), np.zeros(len(names), np.int64)
    np.add.at(scored, table.group, table.n)
    np.add.at(above, table.group[table.score > median], table.n[table.score > median])
    return AboveMedian(
        median, dict(zip(names, above.tolist(), strict=True)), dict(zip(names, scored.tolist(), strict=True))
    )
