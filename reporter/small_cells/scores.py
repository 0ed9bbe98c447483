"""Where metrics of scores may be shown: not where a score of few values would tell how many rows have each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from reporter.small_cells.hiding import is_safe
from reporter.small_cells.tables import FullTables

if TYPE_CHECKING:
    from reporter.stats.scores import ScoreTable

FEW_SCORES = 64
"""A score of at most so many values is a grade, and its mean, Brier score and AUC are equations in the rows of each grade; three grades
are found from the mean alone. Of more values there are far more counts than equations."""


def open_scores(made: FullTables, i: int, shown: dict[str, set[int]], k: int) -> set[str | None]:
    """The groupings (None: all rows) whose metrics of model ``i``'s scores tell of no count from 1 to ``k`` - 1.

    Of a score of few values the rows of each label and value must be 0 or at least ``k``: over all rows, and in every group of a grouping, whose
    groups must all be shown.
    """
    from reporter.data.cells import model_names, score_table
    from reporter.stats.scores import ScoreTable

    model = model_names(made.counts)[i]
    whole = score_table(made.counts, None, model)
    everywhere: set[str | None] = {None, *shown}
    if not isinstance(whole, ScoreTable) or len(np.unique(whole.score)) > FEW_SCORES:
        return everywhere
    if not _is_safe_by_value(whole, k):
        return set()
    found: set[str | None] = {None}
    for name, groups in shown.items():
        table = score_table(made.counts, name, model)
        assert isinstance(table, ScoreTable)
        if len(groups) == len(made.levels(name)) and _is_safe_by_value(table, k):
            found.add(name)
    return found


def _is_safe_by_value(table: ScoreTable, k: int) -> bool:
    """The table over all rows has an entry a group of one grouping, so equal entries are added first."""
    keys = np.stack([table.group.astype(float), table.label.astype(float), table.score])
    _, place = np.unique(keys, axis=1, return_inverse=True)
    return is_safe(np.bincount(place.ravel(), weights=table.n).astype(np.int64), k)
