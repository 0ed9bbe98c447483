"""Two models on the same rows: differences with paired intervals, from joint counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.results import ModelPair
from reporter.stats.cells import CellArrays, Floats, Ints


@dataclass(frozen=True, slots=True, eq=False)
class JointCells:
    """How both models predict the same rows: ``counts[g, y, i, j]`` rows of group g with label y (0, 1, 2 = unlabelled),
    prediction i of the first and j of the second model (0 or 1). Shape (G, 3, 2, 2). Rows that lack either prediction are left out.
    """

    counts: NDArray[np.int64]

    def first(self) -> CellArrays:
        """The first model's cells on these rows."""
        return _margin(self.counts.sum(axis=3))

    def second(self) -> CellArrays:
        """The second model's cells on these rows."""
        return _margin(self.counts.sum(axis=2))

    def sum(self) -> JointCells:
        """All groups as one."""
        return JointCells(self.counts.sum(axis=0, keepdims=True))

    def rest(self) -> JointCells:
        """For each group everyone who is not in it."""
        return JointCells(self.counts.sum(axis=0, keepdims=True) - self.counts)


@dataclass(frozen=True, slots=True, eq=False)
class JointScores:
    """How many rows have each distinct (group, label, first score, second score); arrays of shape (K,), in any order."""

    group: Ints
    label: Ints
    first: Floats
    second: Floats
    n: Ints


def paired_differences(
    names: Sequence[str],
    *,
    first: str,
    second: str,
    joint: JointCells,
    scores: JointScores | None = None,
    scores_reason: str | None = None,
    confidence: float = 0.95,
) -> ModelPair:
    """Disagreement and the differences (second minus first) of two models over all rows of ``joint`` (its groups are summed).

    ``scores_reason`` says why there is no joint score table (for instance that a model has predictions only).
    """
    raise NotImplementedError


def _margin(counts: NDArray[np.int64]) -> CellArrays:
    return CellArrays(
        tp=counts[:, 1, 1],
        fp=counts[:, 0, 1],
        tn=counts[:, 0, 0],
        fn=counts[:, 1, 0],
        unlabelled_positive=counts[:, 2, 1],
        unlabelled_negative=counts[:, 2, 0],
    )


def joint_cells(counts: ArrayLike) -> JointCells:
    """``counts`` checked: whole numbers of shape (G, 3, 2, 2)."""
    array = np.asarray(counts, dtype=np.int64)
    if array.ndim != 4 or array.shape[1:] != (3, 2, 2):
        raise ValueError(f"joint counts have shape {array.shape}, expected (groups, 3, 2, 2)")
    return JointCells(array)
