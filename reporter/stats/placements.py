"""Where each labelled row stands among the rows of the other label: the whole numbers behind AUC and its variance.

The placement of a row labelled 1 is 2 * (rows labelled 0 with a lower score) + (rows labelled 0 with the same score). Everything
here is exact: int64, or Python integers where sums of squares outgrow it. It works on arrays alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reporter.stats.cells import Floats, Ints, Objects


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Labelled rows by (group, distinct score): counts of both labels, and placements within the group.

    All numbers are whole; beyond what int64 holds in the sums of squares they are Python integers.
    """

    group: Ints
    score: Ints
    ones: NDArray[Any]
    zeros: NDArray[Any]
    below: NDArray[Any]
    above: NDArray[Any]
    n_scores: int

    @classmethod
    def of(cls, group: Ints, label: Ints, score: Floats, n: Ints, n_groups: int) -> CrossTable:
        """From a score table's arrays, sorted by group and score; rows with a label of -1 are left out."""
        keep = label >= 0
        group, label, score, n = group[keep], label[keep], score[keep], n[keep]
        if len(group) and group.max() >= n_groups:
            raise ValueError(f"the score table has a group {group.max()}, expected at most {n_groups - 1}")
        distinct, place = np.unique(score, return_inverse=True)
        first = np.flatnonzero(
            np.concatenate(([True], (group[1:] != group[:-1]) | (place[1:] != place[:-1])))[: len(group)]
        )
        wide = int(n.sum()) ** 3 >= 2**60
        kind: Any = object if wide else np.int64
        cell = np.cumsum(np.isin(np.arange(len(group)), first)) - 1
        counts = np.zeros((2, len(first)), np.int64)
        np.add.at(counts, (label, cell), n)
        ones, zeros = counts[1].astype(kind), counts[0].astype(kind)
        return cls._with_placements(group[first], place[first], ones, zeros, len(distinct))

    @classmethod
    def _with_placements(
        cls, group: Ints, score: Ints, ones: NDArray[Any], zeros: NDArray[Any], n_scores: int
    ) -> CrossTable:
        below = 2 * _running(group, zeros) - zeros
        above = 2 * _running(group[::-1], ones[::-1])[::-1] - ones
        return cls(group, score, ones, zeros, below, above, n_scores)

    def mirrored(self) -> CrossTable:
        """The same with labels exchanged and scores negated: rows labelled 0 take the role of those labelled 1."""
        order = np.lexsort((-self.score, self.group))
        return self._with_placements(
            self.group[order],
            (self.n_scores - 1 - self.score)[order],
            self.zeros[order],
            self.ones[order],
            self.n_scores,
        )


def rest_placements(cross: CrossTable, n_groups: int) -> tuple[Objects, Objects]:
    """Sum and sum of squares of the placements of the rows labelled 1 outside each group, among rows outside it."""
    kind = cross.ones.dtype
    ones = np.zeros(cross.n_scores, kind)
    zeros = np.zeros(cross.n_scores, kind)
    np.add.at(ones, cross.score, cross.ones)
    np.add.at(zeros, cross.score, cross.zeros)
    below_all = 2 * np.cumsum(zeros) - zeros
    # Sums over all rows labelled 1 of h(s_i - s), h = 0, 1, 2 for below, equal, above; then with h^2 and with placement * h.
    over = _tail(ones) * 2 + ones
    over_squared = _tail(ones) * 4 + ones
    placed = ones * below_all
    over_placed = _tail(placed) * 2 + placed
    at = cross.score
    q = cross.zeros
    earlier = _running(cross.group, q) - q
    everyone = int((ones * below_all).sum()), int((ones * below_all**2).sum())
    first = exact_sums(cross.group, q * over[at], n_groups)
    second = exact_sums(cross.group, q * q * over_squared[at] + 4 * q * earlier * over[at], n_groups)
    mixed = exact_sums(cross.group, q * over_placed[at], n_groups)
    gap = below_all[at] - cross.below
    own = exact_sums(cross.group, cross.ones * gap, n_groups)
    own_squared = exact_sums(cross.group, cross.ones * gap**2, n_groups)
    return everyone[0] - first - own, everyone[1] - 2 * mixed + second - own_squared


@np.errstate(divide="ignore", invalid="ignore")  # NaN where a group has too few rows
def contained_variances(cross: CrossTable, n_groups: int) -> tuple[Floats, Floats]:
    """What the group's rows and the others' rows add to the variance of the group's AUC minus that of all rows.

    A row's influence on an AUC is (its placement - the AUC) / (rows of its label), scaled as DeLong's sample variances are. A row of the group
    has one on both; the variance is the sum of the squared differences. NaN with fewer than two rows of a label in the group.
    """
    inside, outside = np.zeros(n_groups), np.zeros(n_groups)
    whole_ones, whole_zeros = int(cross.ones.sum()), int(cross.zeros.sum())
    own_ones = np.bincount(cross.group, weights=cross.ones.astype(np.float64), minlength=n_groups)
    own_zeros = np.bincount(cross.group, weights=cross.zeros.astype(np.float64), minlength=n_groups)
    for n, own, whole_n, own_n, whole_other, own_other in (
        (cross.ones, cross.below, whole_ones, own_ones, whole_zeros, own_zeros),
        (cross.zeros, cross.above, whole_zeros, own_zeros, whole_ones, own_ones),
    ):
        weight = n.astype(np.float64)
        everyone = _among_all(cross, below=own is cross.below)
        mine = _influence(own.astype(np.float64), weight, cross.group, own_n, own_other)
        zero = np.zeros(len(weight), np.int64)
        all_ = _influence(everyone.astype(np.float64), weight, zero, np.array([whole_n]), np.array([whole_other]))
        square = weight * all_**2
        inside += np.bincount(cross.group, weights=weight * (mine - all_) ** 2, minlength=n_groups)
        outside += square.sum() - np.bincount(cross.group, weights=square, minlength=n_groups)
    small = (own_ones < 2) | (own_zeros < 2)
    return np.where(small, np.nan, inside), np.where(small, np.nan, outside)


def _among_all(cross: CrossTable, *, below: bool) -> NDArray[Any]:
    """Each cell's placement among all rows of the other label."""
    others = np.zeros(cross.n_scores, cross.ones.dtype)
    np.add.at(others, cross.score, cross.zeros if below else cross.ones)
    placed = 2 * np.cumsum(others) - others if below else 2 * _tail(others) + others
    return np.asarray(placed[cross.score])


def _influence(placement: Floats, weight: Floats, group: Ints, n: NDArray[Any], other: NDArray[Any]) -> Floats:
    share = placement / (2.0 * other[group])
    mean = np.bincount(group, weights=weight * share, minlength=len(n)) / n
    return np.asarray((share - mean[group]) / n[group] * np.sqrt(n / (n - 1.0))[group], np.float64)


def _tail(values: NDArray[Any]) -> NDArray[Any]:
    """Sums over all later positions."""
    return np.asarray(values.sum() - np.cumsum(values)) if len(values) else values


def _running(group: Ints, values: NDArray[Any]) -> NDArray[Any]:
    """Cumulative sums that start anew with each group (groups are contiguous)."""
    if not len(values):
        return values
    total = np.cumsum(values)
    starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
    before = total[starts] - values[starts]
    return np.asarray(total - np.repeat(before, np.diff(np.append(starts, len(group)))))


def exact_sums(group: Ints, values: NDArray[Any], n_groups: int) -> Objects:
    """Exact sums of whole numbers per group, as Python integers."""
    result = np.empty(n_groups, object)
    result[:] = [0] * n_groups
    if len(group):
        starts = np.flatnonzero(np.concatenate(([True], group[1:] != group[:-1])))
        result[group[starts]] = np.add.reduceat(values, starts).tolist()
    return result
