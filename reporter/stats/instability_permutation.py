"""The permutation test of instability: the covariate is permuted among the rows of each attribute level.

Exact only for the global null that the covariate is independent of the outcomes within each attribute level; where
baselines vary over the covariate while Δ does not, it rejects too often. It is offered for small nodes.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from reporter.stats.instability import CONSTANT, Test
from reporter.stats.instability_wald import PSEUDO_ROWS

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]

MAX_ROWS = 1_000_000_000


def permutation_test(
    counts: Counts,
    values: Floats,
    *,
    ordered: bool,
    min_size: int,
    permutations: int,
    rng: np.random.Generator,
) -> Test:
    """The share of random permutations whose statistic is at least the observed one, (1 + k) / (1 + permutations).

    Parameters
    ----------
    counts: shape (levels, 2 attribute levels, values of z).
    values: the values of z.
    ordered: the largest squared contrast over the cuts that leave ``min_size`` rows on both sides, instead of Q.

    Notes
    -----
    Permuting rows draws random tables with the margins of the observed one, so tables are drawn (a sequence of
    hypergeometric draws) and the number of rows costs nothing. Levels without rows of both attribute levels carry no
    Δ and take part in the permutation only. Untestable where fewer than two levels have rows of both attribute levels.

    Examples
    --------
    >>> counts = np.array([[[2, 8], [9, 1]], [[5, 5], [5, 5]]])
    >>> test = permutation_test(counts, np.array([1.0, 0.0]), ordered=False, min_size=5, permutations=999,
    ...                         rng=np.random.default_rng(0))
    >>> bool(0.02 < test.p < 0.1)
    True
    """
    counts = counts[counts.sum(axis=(1, 2)) > 0]
    sizes = counts.sum(axis=2)
    both = (sizes > 0).all(axis=1)
    if len(counts) < 2:
        return Test.impossible(CONSTANT if len(counts) else "no row has a value")
    if both.sum() < 2:
        return Test.impossible("cannot be told: fewer than two parts of it have rows of both attribute levels")
    if ((counts.sum(axis=0) > 0).sum(axis=1) < 2).all():
        return Test.impossible("the models never disagree here")
    if counts.sum() >= MAX_ROWS:
        return Test.impossible("too many rows to permute: 1,000,000,000 or more")
    cuts = None
    if ordered:
        rows = np.cumsum(sizes.sum(axis=1))[:-1]
        cuts = (rows >= min_size) & (sizes.sum() - rows >= min_size)
        # a cut needs levels with a Δ on both sides
        cuts &= (np.cumsum(both)[:-1] > 0) & (np.cumsum(both[::-1])[::-1][1:] > 0)
        if not cuts.any():
            return Test.impossible(f"no cut leaves {min_size} rows on both sides")
    observed = float(_statistics(counts[None], values, both, cuts)[0])
    drawn = _statistics(_random_tables(counts, permutations, rng), values, both, cuts)
    # equal tables may differ in the last bits
    p = (1 + int((drawn >= observed * (1 - 1e-12)).sum())) / (1 + permutations)
    return Test(observed, None, p, math.log(p))


def _random_tables(counts: Counts, n_draws: int, rng: np.random.Generator) -> Counts:
    """Tables with the margins of each attribute level's table: shape (draws, levels, 2, values)."""
    result = np.zeros((n_draws, *counts.shape), dtype=np.int64)
    for group in range(counts.shape[1]):
        room = np.repeat(counts[:, group].sum(axis=1)[None], n_draws, axis=0)
        for value in range(counts.shape[2]):
            left = np.full(n_draws, counts[:, group, value].sum())
            rest = room.sum(axis=1)
            for level in range(len(counts)):
                rest = rest - room[:, level]
                drawn = rng.hypergeometric(room[:, level], rest, left)
                result[:, level, group, value] = drawn
                left = left - drawn
            room = room - result[:, :, group, value]
    return result


def _statistics(tables: Counts, values: Floats, both: NDArray[np.bool_], cuts: NDArray[np.bool_] | None) -> Floats:
    n = tables.sum(axis=-1)
    pooled = tables[0].sum(axis=0) / np.maximum(n[0].sum(axis=0), 1)[:, None]
    size = np.maximum(n, 1)
    mean = (tables @ values) / size
    shares = (tables + PSEUDO_ROWS * pooled) / (n + PSEUDO_ROWS)[..., None]
    variances = (shares @ values**2 - (shares @ values) ** 2) / np.maximum(n - 1, 1)
    delta = mean[..., 1] - mean[..., 0]
    weight = np.where(both, 1 / variances.sum(axis=-1), 0.0)
    total = weight.sum(axis=1)
    overall = (weight * delta).sum(axis=1)
    if cuts is None:
        result: Floats = (weight * (delta - (overall / total)[:, None]) ** 2).sum(axis=1)
        return result
    left = np.cumsum(weight, axis=1)[:, :-1][:, cuts]
    sums = np.cumsum(weight * delta, axis=1)[:, :-1][:, cuts]
    right = total[:, None] - left
    contrasts = (sums / left - (overall[:, None] - sums) / right) ** 2 / (1 / left + 1 / right)
    largest: Floats = contrasts.max(axis=1)
    return largest
