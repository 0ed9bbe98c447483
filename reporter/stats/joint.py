"""How two models predict and score the same rows: joint counts and joint score tables of groups.

Only shapes, margins and checks; what is computed from them is unknown here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.stats.cells import CellArrays, Floats, Ints, whole_numbers
from reporter.stats.scores import ScoreTable

PREDICTED = {
    "tp": (1, 1),
    "fp": (0, 1),
    "tn": (0, 0),
    "fn": (1, 0),
    "unlabelled_positive": (2, 1),
    "unlabelled_negative": (2, 0),
}
"""Label and prediction of each cell, as in JointCells, in the order of ``metrics.CELLS``."""  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class JointCells:
    """How both models predict the same rows of G groups: ``counts[g, y, i, j]`` rows of group g with label y (0, 1, 2 = unlabelled),
    prediction i of the first and j of the second model (0 or 1). Shape (G, 3, 2, 2). Rows that lack either prediction are left out.
    """

    counts: NDArray[np.int64]

    def __init__(self, counts: ArrayLike) -> None:
        array = np.asarray(counts)
        if array.ndim != 4 or array.shape[1:] != (3, 2, 2):
            raise ValueError(f"joint counts have shape {array.shape}, expected (groups, 3, 2, 2)")
        whole = whole_numbers(array.ravel(), "joint counts").reshape(array.shape)
        object.__setattr__(self, "counts", whole)

    def __len__(self) -> int:
        return len(self.counts)

    def first(self) -> CellArrays:
        """The first model's cells on these rows."""
        return _margin(self.counts.sum(axis=3))

    def second(self) -> CellArrays:
        """The second model's cells on these rows."""
        return _margin(self.counts.sum(axis=2))

    def take(self, index: ArrayLike) -> JointCells:
        """The groups at these positions."""
        return JointCells(self.counts[np.atleast_1d(np.asarray(index, np.int64))])

    def sum(self) -> JointCells:
        """All groups as one."""
        return JointCells(self.counts.sum(axis=0, keepdims=True))

    def rest(self) -> JointCells:
        """For each group everyone who is not in it."""
        return JointCells(self.counts.sum(axis=0, keepdims=True) - self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class JointScores:
    """How many rows have each distinct (group position, label 1, 0 or -1, first score, second score); arrays of shape (K,), in any order.

    Stored sorted, without empty rows.
    """

    group: Ints
    label: Ints
    first: Floats
    second: Floats
    n: Ints

    def __init__(self, group: ArrayLike, label: ArrayLike, first: ArrayLike, second: ArrayLike, n: ArrayLike) -> None:
        groups, counts = whole_numbers(group, "group"), whole_numbers(n, "n")
        labels = np.atleast_1d(np.asarray(label, np.int64))
        scores = [np.atleast_1d(np.asarray(score, np.float64)) + 0.0 for score in (first, second)]
        if len({len(array) for array in (groups, labels, *scores, counts)}) > 1:
            raise ValueError("the arrays of joint scores must have equal lengths")
        if not np.isfinite(scores).all():
            raise ValueError("scores must be finite")
        order = np.lexsort((labels, scores[1], scores[0], groups))
        order = order[counts[order] > 0]
        names = ("group", "label", "first", "second", "n")
        for name, array in zip(names, (groups, labels, *scores, counts), strict=True):
            object.__setattr__(self, name, array[order])

    def pooled(self) -> JointScores:
        """All groups as group 0."""
        return JointScores(np.zeros(len(self.n), np.int64), self.label, self.first, self.second, self.n)

    def tables(self) -> tuple[ScoreTable, ScoreTable]:
        """Each model's own score table on these rows."""
        one, two = (ScoreTable(self.group, self.label, score, self.n) for score in (self.first, self.second))
        return one, two


def _margin(counts: NDArray[np.int64]) -> CellArrays:
    return CellArrays(*(counts[:, y, d] for y, d in PREDICTED.values()))
