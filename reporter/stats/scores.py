"""Score tables and what is summed from them: the sufficient sums of AUC, Brier score and mean score per group.

A table holds one row per distinct (group, label, score), so its size does not grow with the number of rows. It sorts
itself, hence no figure depends on the order in which an engine delivers its rows. Engines and files are unknown here.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.stats.cells import Floats, Ints, Objects, whole_numbers
from reporter.stats.placements import CrossTable, exact_sums, rest_placements

UNLABELLED = -1
"""The label of rows without a label."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """How many rows have each distinct (group position, label, score) of one model; four arrays of shape (K,).

    ``label`` is 1, 0 or -1 (unlabelled), ``score`` finite, ``n`` a count (default: 1 each). Given in any order and with
    repetitions; stored sorted by group, score, label, without repetitions and without empty rows.

    Raises
    ------
    ValueError
        For a label other than 1, 0, -1, a score that is not finite, a negative group or count.

    Examples
    --------
    >>> ScoreTable(group=[0, 0, 0], label=[1, 0, 1], score=[0.9, 0.2, 0.9]).n.tolist()
    [1, 2]
    """

    group: Ints
    label: Ints
    score: Floats
    n: Ints

    def __init__(self, group: ArrayLike, label: ArrayLike, score: ArrayLike, n: ArrayLike | None = None) -> None:
        groups = whole_numbers(group, "group")
        labels = np.atleast_1d(np.asarray(label, dtype=np.int64))
        scores = np.atleast_1d(np.asarray(score, dtype=np.float64)) + 0.0  # -0.0 becomes 0.0
        counts = np.ones(len(groups), np.int64) if n is None else whole_numbers(n, "n")
        if not len(groups) == len(labels) == len(scores) == len(counts):
            raise ValueError("group, label, score and n must have equal lengths")
        if not np.isin(labels, (1, 0, UNLABELLED)).all():
            raise ValueError("label must be 1, 0 or -1 (unlabelled)")
        if not np.isfinite(scores).all():
            raise ValueError("score must be finite")
        order = np.lexsort((labels, scores, groups))
        order = order[counts[order] > 0]
        groups, labels, scores, counts = groups[order], labels[order], scores[order], counts[order]
        if len(groups):
            same = (groups[1:] == groups[:-1]) & (labels[1:] == labels[:-1]) & (scores[1:] == scores[:-1])
            first = np.flatnonzero(np.concatenate(([True], ~same)))
            counts = np.add.reduceat(counts, first)
            groups, labels, scores = groups[first], labels[first], scores[first]
        for name, array in (("group", groups), ("label", labels), ("score", scores), ("n", counts)):
            object.__setattr__(self, name, array)

    def __len__(self) -> int:
        return len(self.n)

    def pooled(self) -> ScoreTable:
        """All groups as group 0."""
        return ScoreTable(np.zeros(len(self), np.int64), self.label, self.score, self.n)

    def labelled(self) -> ScoreTable:
        """Only the rows with a label."""
        return self._where(self.label != UNLABELLED)

    def only(self, group: int) -> ScoreTable:
        """Only this group, as group 0."""
        return self._where(self.group == group).pooled()

    def without(self, group: int) -> ScoreTable:
        """Everyone who is not in this group, as group 0."""
        return self._where(self.group != group).pooled()

    def _where(self, keep: NDArray[np.bool_]) -> ScoreTable:
        return ScoreTable(self.group[keep], self.label[keep], self.score[keep], self.n[keep])


@dataclass(frozen=True, slots=True, eq=False)
class ScoreGrid:
    """A score table in bins, for models with too many distinct scores; six arrays of shape (K,).

    Each row says that ``n`` rows of this group and label have a score in ``[low, high)`` (the last bin includes its end)
    and that these scores add up to ``total``. The bins are the same for all groups and do not overlap.
    """

    group: Ints
    label: Ints
    low: Floats
    high: Floats
    n: Ints
    total: Floats

    def __init__(
        self,
        group: ArrayLike,
        label: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        n: ArrayLike,
        total: ArrayLike,
    ) -> None:
        arrays: dict[str, Any] = {
            "group": whole_numbers(group, "group"),
            "label": np.atleast_1d(np.asarray(label, dtype=np.int64)),
            "low": np.atleast_1d(np.asarray(low, dtype=np.float64)) + 0.0,
            "high": np.atleast_1d(np.asarray(high, dtype=np.float64)) + 0.0,
            "n": whole_numbers(n, "n"),
            "total": np.atleast_1d(np.asarray(total, dtype=np.float64)),
        }
        if len({len(array) for array in arrays.values()}) > 1:
            raise ValueError("the arrays of a score grid must have equal lengths")
        if not np.isin(arrays["label"], (1, 0, UNLABELLED)).all():
            raise ValueError("label must be 1, 0 or -1 (unlabelled)")
        order = np.lexsort((arrays["label"], arrays["low"], arrays["group"]))
        order = order[arrays["n"][order] > 0]
        for name, array in arrays.items():
            object.__setattr__(self, name, array[order])

    def __len__(self) -> int:
        return len(self.n)

    def pooled(self) -> ScoreGrid:
        """All groups as group 0 (bins that coincide are summed)."""
        key = np.stack((self.low, self.high, self.label.astype(np.float64)), axis=1)
        unique, inverse = np.unique(key, axis=0, return_inverse=True)
        inverse = inverse.ravel()
        counts = np.bincount(inverse, weights=self.n, minlength=len(unique)).astype(np.int64)
        order = np.argsort(inverse, kind="stable")
        starts = np.searchsorted(inverse[order], np.arange(len(unique) + 1))
        totals = [math.fsum(self.total[order[a:b]].tolist()) for a, b in itertools.pairwise(starts.tolist())]
        zeros = np.zeros(len(unique), np.int64)
        return ScoreGrid(zeros, unique[:, 2].astype(np.int64), unique[:, 0], unique[:, 1], counts, totals)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreMoments:
    """The sums per group from which AUC, Brier score and mean score follow; arrays of shape (G,).

    ``n1``, ``n0``: rows labelled 1 and 0 that have a score. ``n``: all rows with a score, labelled or not.

    The placement of a row labelled 1 is 2 * (rows labelled 0 with a lower score) + (rows labelled 0 with the same score);
    that of a row labelled 0 is 2 * (rows labelled 1 with a higher score) + (... the same score), always within the
    group. They are whole numbers, so their sums are exact: ``placements`` = sum over the rows labelled 1 (the same number
    over the rows labelled 0) = 2 * U of Mann and Whitney, ``squares1`` and ``squares0`` = sums of squares over the rows labelled 1 and 0.
    These three are Python integers of any size in object arrays (int64 or float input is converted).

    ``error2`` and ``error4``: sums of (score - label)^2 and ^4 over labelled rows. ``total`` and ``total2``: sums of the scores and
    their squares over all scored rows. ``low`` and ``high``: the range of the scores (NaN for a group without any).
    """

    n1: Ints
    n0: Ints
    n: Ints
    placements: Objects
    squares1: Objects
    squares0: Objects
    error2: Floats
    error4: Floats
    total: Floats
    total2: Floats
    low: Floats
    high: Floats

    def __init__(
        self,
        n1: ArrayLike,
        n0: ArrayLike,
        n: ArrayLike,
        placements: ArrayLike,
        squares1: ArrayLike,
        squares0: ArrayLike,
        error2: ArrayLike,
        error4: ArrayLike,
        total: ArrayLike,
        total2: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
    ) -> None:
        for name, value in (("n1", n1), ("n0", n0), ("n", n)):
            object.__setattr__(self, name, whole_numbers(value, name))
        for name, value in (("placements", placements), ("squares1", squares1), ("squares0", squares0)):
            object.__setattr__(self, name, _exact(value))
        for name, value in (
            ("error2", error2),
            ("error4", error4),
            ("total", total),
            ("total2", total2),
            ("low", low),
            ("high", high),
        ):
            object.__setattr__(self, name, np.atleast_1d(np.asarray(value, dtype=np.float64)))
        if len({len(array) for array in self.arrays()}) > 1:
            raise ValueError("the arrays of score moments must have equal lengths")

    def __len__(self) -> int:
        return len(self.n)

    def arrays(self) -> tuple[NDArray[Any], ...]:
        """The twelve arrays in the order of their fields."""
        return (
            self.n1,
            self.n0,
            self.n,
            self.placements,
            self.squares1,
            self.squares0,
            self.error2,
            self.error4,
            self.total,
            self.total2,
            self.low,
            self.high,
        )

    def take(self, index: ArrayLike) -> ScoreMoments:
        """The groups at these positions, in this order (positions may repeat)."""
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64))
        return ScoreMoments(*(array[chosen] for array in self.arrays()))

    @classmethod
    def concatenate(cls, *parts: ScoreMoments) -> ScoreMoments:
        """The groups of all parts, one after another."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*(p.arrays() for p in parts), strict=True)))


def moments_from_table(table: ScoreTable, n_groups: int) -> ScoreMoments:
    """The moments of groups 0 to ``n_groups - 1`` of a score table, in O(distinct scores).

    Examples
    --------
    >>> moments = moments_from_table(ScoreTable([0, 0, 0], [1, 0, 1], [0.9, 0.5, 0.5]), 1)
    >>> moments.placements.tolist(), moments.n1.tolist()
    ([3], [2])
    """
    cross = CrossTable.of(table.group, table.label, table.score, table.n, n_groups)
    return ScoreMoments(
        n1=exact_sums(cross.group, cross.ones, n_groups),
        n0=exact_sums(cross.group, cross.zeros, n_groups),
        n=exact_sums(table.group, table.n, n_groups),
        placements=exact_sums(cross.group, cross.ones * cross.below, n_groups),
        squares1=exact_sums(cross.group, cross.ones * cross.below**2, n_groups),
        squares0=exact_sums(cross.group, cross.zeros * cross.above**2, n_groups),
        **_float_sums(table, n_groups),
    )


def rest_moments(table: ScoreTable, n_groups: int) -> ScoreMoments:
    """For each group the moments of everyone who is not in it, in O(distinct scores) for all groups together.

    The placement of a row outside group g among the rows outside g is its placement among all minus its placement among g's rows,
    and the latter is a step function of the score, so that all sums follow from cumulative counts.
    """
    own = moments_from_table(table, n_groups)
    if n_groups == 2:
        return own.take([1, 0])
    everyone = moments_from_table(table.pooled(), 1)
    cross = CrossTable.of(table.group, table.label, table.score, table.n, n_groups)
    placements, squares1 = rest_placements(cross, n_groups)
    _, squares0 = rest_placements(cross.mirrored(), n_groups)
    sums = {name: getattr(everyone, name)[0] - getattr(own, name) for name in ("error2", "error4", "total", "total2")}
    return ScoreMoments(
        n1=everyone.n1[0] - own.n1,
        n0=everyone.n0[0] - own.n0,
        n=everyone.n[0] - own.n,
        placements=placements,
        squares1=squares1,
        squares0=squares0,
        low=_lowest_of_others(own.low),
        high=-_lowest_of_others(-own.high),
        **sums,
    )


def _float_sums(table: ScoreTable, n_groups: int) -> dict[str, Floats]:
    """Correctly rounded sums, hence the same in any order and for any other groups in the table."""
    labelled = table.label != UNLABELLED
    error = np.where(labelled, table.score - table.label, 0.0)
    terms = {
        "error2": table.n * error**2,
        "error4": table.n * error**4,
        "total": table.n * table.score,
        "total2": table.n * table.score**2,
    }
    edges = np.searchsorted(table.group, np.arange(n_groups + 1)).tolist()
    spans = list(itertools.pairwise(edges))
    sums = {
        name: np.asarray([math.fsum(values[a:b]) for a, b in spans], np.float64)
        for name, values in ((name, array.tolist()) for name, array in terms.items())
    }
    scores = table.score
    return {
        **sums,
        "low": np.asarray([scores[a] if b > a else np.nan for a, b in spans], np.float64),
        "high": np.asarray([scores[b - 1] if b > a else np.nan for a, b in spans], np.float64),
    }


def _lowest_of_others(values: Floats) -> Floats:
    """For each position the smallest value elsewhere, NaN ignored."""
    if len(values) < 2:
        return np.full(len(values), np.nan)
    known = np.where(np.isnan(values), np.inf, values)
    order = np.argsort(known, kind="stable")
    lowest = np.full(len(values), known[order[0]])
    lowest[order[0]] = known[order[1]]
    return np.where(np.isinf(lowest), np.nan, lowest)


def _exact(value: ArrayLike) -> Objects:
    items = np.atleast_1d(np.asarray(value)).tolist()
    exact = np.empty(len(items), object)
    exact[:] = [int(item) for item in items]
    return exact
