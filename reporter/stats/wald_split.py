"""The Wald split: the admissible two-way partition with the largest contrast of inverse-variance means of Δ."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reporter.stats.instability_wald import Bins, ordered_contrasts

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

MAX_SEARCHED_BINS = 16
"""Up to so many bins every two-way partition is searched where the best contiguous one is not admissible."""


def best_cut(bins: Bins, min_size: int) -> int | None:
    """For ordered bins: how many bins lie on the left of the best cut that leaves ``min_size`` rows on both sides."""
    if len(bins.members) < 2:
        return None
    contrasts, _ = ordered_contrasts(bins.delta, bins.variance)
    rows = np.cumsum(bins.rows)
    admissible = (rows[:-1] >= min_size) & (rows[-1] - rows[:-1] >= min_size)
    if not admissible.any():
        return None
    return int(np.argmax(np.where(admissible, contrasts**2, -1.0))) + 1


def best_partition(bins: Bins, min_size: int) -> Bools | None:
    """For unordered bins: which of them lie on the left; None where no partition leaves ``min_size`` rows on both sides.

    Without the restriction the best of the 2^(K-1) - 1 partitions is contiguous once the bins are sorted by Δ, so K - 1
    are looked at. Where that one is not admissible all are searched with up to 16 bins; beyond that the best
    admissible contiguous one is taken. The left is the side with fewer rows (if equal, that with the smaller |Δ|), so
    it depends neither on the names of levels nor on which model or attribute level comes first; where all is equal but the
    sign of Δ, the first level lies on the left.
    """
    n_bins = len(bins.members)
    if n_bins < 2:
        return None
    order = np.argsort(bins.delta, kind="stable")
    contrasts, _ = ordered_contrasts(bins.delta[order], bins.variance[order])
    rows = np.cumsum(bins.rows[order])
    total = rows[-1]
    admissible = (rows[:-1] >= min_size) & (total - rows[:-1] >= min_size)
    best = int(np.argmax(contrasts**2))
    if admissible[best] or (n_bins > MAX_SEARCHED_BINS and admissible.any()):
        cut = int(np.argmax(np.where(admissible, contrasts**2, -1.0)))
        left = np.zeros(n_bins, dtype=bool)
        left[order[: cut + 1]] = True
        return _smaller_first(bins, left)
    if n_bins > MAX_SEARCHED_BINS:
        return None
    found = _searched(bins, min_size)
    return None if found is None else _smaller_first(bins, found)


def _searched(bins: Bins, min_size: int) -> Bools | None:
    """The best admissible of all two-way partitions."""
    n_bins = len(bins.members)
    inside = ((np.arange(1, 2 ** (n_bins - 1))[:, None] >> np.arange(n_bins)) & 1).astype(float)
    rows = inside @ bins.rows
    admissible = np.flatnonzero((rows >= min_size) & (bins.rows.sum() - rows >= min_size))
    if not len(admissible):
        return None
    inside = inside[admissible]
    weight = 1 / bins.variance
    left, sum_left = inside @ weight, inside @ (weight * bins.delta)
    right, sum_right = weight.sum() - left, (weight * bins.delta).sum() - sum_left
    contrasts = (sum_left / left - sum_right / right) ** 2 / (1 / left + 1 / right)
    result: Bools = inside[int(np.argmax(contrasts))] > 0
    return result


def _smaller_first(bins: Bins, left: Bools) -> Bools:
    def key(side: Bools) -> tuple[int, float, int]:
        weight = 1 / bins.variance[side]
        delta = abs((weight * bins.delta[side]).sum() / weight.sum())
        # equal but for rounding
        return (
            int(bins.rows[side].sum()),
            float(f"{delta:.9g}"),
            min(bins.members[row][0] for row in np.flatnonzero(side)),
        )

    return left if key(left) <= key(~left) else ~left
