"""The Wald tests of instability: do the Δ of a covariate's levels differ?

Works on the effects of levels (an estimate, a variance, the rows behind them), so it serves Δ of two models, the
disparity of one model, score differences and the spread over many groups alike. Knows nothing of trees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.stats.contrast_chain import log_p_largest
from reporter.stats.instability import CONSTANT, Test, log_chi2_sf

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Bools = NDArray[np.bool_]

MIN_ROWS = 20
"""Rows of each attribute group that a level needs to be tested on its own."""
MIN_EXPECTED = 5.0
"""Expected disagreements of each attribute group that a level needs."""
MAX_SPARSE_SHARE = 0.1
"""The largest share of a level's variance that may come from groups below ``MIN_EXPECTED``."""
PSEUDO_ROWS = 5.0
"""Rows with the node's shares that are added to a level for its variance."""
MAX_BINS = 16
"""The number of quantile bins of a numeric covariate."""


@dataclass(frozen=True, slots=True)
class Effects:
    """One covariate's levels in one node.

    ``rows`` (levels,) and ``groups`` (levels, attribute groups) are counts; ``delta``, ``variance``, ``weight``
    (levels,) the estimate, its variance and its Cochran-Mantel-Haenszel weight, which is 0 where a group is absent
    (``delta`` is then 0 and means nothing); ``pooled`` (levels, groups) each group's part of the variance by the
    node's pooled variance; ``rate`` (groups,) the node's share of rows off the commonest value of z.
    """

    rows: Counts
    groups: Counts
    delta: Floats
    variance: Floats
    weight: Floats
    pooled: Floats
    rate: Floats


@dataclass(frozen=True, slots=True)
class Bins:
    """Levels joined until each can be tested: ``members`` are level codes; ``left_out`` could not be used."""

    members: tuple[tuple[int, ...], ...]
    left_out: tuple[int, ...]
    rows: Counts
    delta: Floats
    variance: Floats


def difference_effects(n: Counts, z: Floats, zz: Floats, varying: Floats) -> Effects:
    """The effects for Δ = mean(z | a2) - mean(z | a1).

    Parameters
    ----------
    n, z, zz: number of rows, sum of z, sum of z squared; shape (levels, 2).
    varying: the node's share of rows whose z is not the commonest in its group, shape (2,).

    Notes
    -----
    V = sum over groups of var / max(n - 1, 1), var from shares shrunk to the node's: (count + 5 * share) / (n + 5).
    The estimate itself is not shrunk. Weight n1 n2 / (n1 + n2).
    """
    total = np.maximum(n.sum(axis=0), 1)
    mean, square = z.sum(axis=0) / total, zz.sum(axis=0) / total
    shrunk = (z + PSEUDO_ROWS * mean) / (n + PSEUDO_ROWS)
    variances = np.maximum((zz + PSEUDO_ROWS * square) / (n + PSEUDO_ROWS) - shrunk**2, 0)
    both = (n > 0).all(axis=1)
    size = np.maximum(n, 1)
    level_mean = z / size
    return Effects(
        rows=n.sum(axis=1),
        groups=n,
        delta=np.where(both, level_mean[:, 1] - level_mean[:, 0], 0.0),
        variance=(variances / np.maximum(n - 1, 1)).sum(axis=1),
        weight=np.where(both, 1 / (1 / size).sum(axis=1), 0.0),
        # a difference that is only rounding is none
        pooled=np.where(square - mean**2 > 1e-12 * square, square - mean**2, 0.0) / size,
        rate=varying,
    )


def quantile_bins(rows: Counts) -> Counts:
    """The bin of each value: at most 16 bins of about equal numbers of rows; values stay whole.

    Examples
    --------
    >>> quantile_bins(np.array([5, 0, 5])).tolist()
    [0, 0, 1]
    >>> int(quantile_bins(np.ones(160, dtype=np.int64)).max()) + 1
    16
    """
    present = rows > 0
    if present.sum() <= MAX_BINS:
        return np.asarray(np.maximum(np.cumsum(present) - 1, 0))
    before = np.cumsum(rows) - rows
    # integer arithmetic: counting every row twice gives the same bins
    _, codes = np.unique(before * MAX_BINS // rows.sum(), return_inverse=True)
    return codes.astype(np.int64)


def joined_bins(effects: Effects, *, ordered: bool, thin_rule: bool = True) -> Bins:
    """The levels joined by the rule for thin levels.

    A level is usable if each attribute group has at least 20 rows in it and at least 5 expected disagreements (its
    rows times the node's rate); groups below 5 are allowed if they bring at most 10 % of the variance. Ordered:
    neighbours join from the lowest up, a remainder joins the last bin. Unordered: the thin levels form one bin; if
    that is still too thin it is left out. A joined bin's Δ is the mean over its levels weighted by n1 n2 / (n1 + n2);
    counts are never pooled over levels, which would make differences where mix and baseline vary. Only margins and
    the node's rates decide, never a level's own outcomes. Without ``thin_rule`` a row of each attribute group is enough.
    """
    present = np.flatnonzero(effects.rows)
    # rows of a level without the other group say nothing of Δ
    informative = effects.weight > 0
    groups = effects.groups * informative[:, None]
    parts = effects.weight[:, None] ** 2 * effects.pooled

    def usable(levels: Counts | list[int]) -> Bools:
        if not thin_rule:
            return np.asarray((groups[levels].sum(axis=0) > 0).all())
        return _usable(groups[levels].sum(axis=0), parts[levels].sum(axis=0), effects.rate)

    members: list[list[int]] = []
    left_out: list[int] = []
    if ordered:
        open_bin: list[int] = []
        for level in present.tolist():
            open_bin.append(level)
            if usable(open_bin):
                members.append(open_bin)
                open_bin = []
        if members:
            members[-1].extend(open_bin)
        else:
            left_out = open_bin
    else:
        alone = _usable(groups[present], parts[present], effects.rate) if thin_rule else informative[present]
        members = [[level] for level in present[alone].tolist()]
        thin = present[~alone].tolist()
        if thin and usable(thin):
            members.append(thin)
        else:
            left_out = thin
    weights = np.zeros((len(members), len(effects.rows)))
    for row, levels in enumerate(members):
        weights[row, levels] = effects.weight[levels]
    weights /= weights.sum(axis=1, keepdims=True)
    return Bins(
        members=tuple(tuple(levels) for levels in members),
        left_out=tuple(left_out),
        rows=np.array([effects.rows[levels].sum() for levels in members], dtype=np.int64),
        delta=weights @ effects.delta,
        variance=weights**2 @ effects.variance,
    )


def _usable(groups: Counts, parts: Floats, rate: Floats) -> Bools:
    """Shape (..., groups) -> (...): may these rows be tested?"""
    # 0.1 * 50 rows are 5, whatever the last bit says
    enough = groups * rate >= MIN_EXPECTED - 1e-9
    sparse = (parts * ~enough).sum(axis=-1) <= MAX_SPARSE_SHARE * parts.sum(axis=-1)
    usable: Bools = (groups >= MIN_ROWS).all(axis=-1) & enough.any(axis=-1) & sparse
    return usable


def homogeneity_test(effects: Effects, bins: Bins) -> Test:
    """Q = sum_k (Δ_k - Δ_w)^2 / V_k with the inverse-variance mean Δ_w; chi-square with bins - 1 degrees of freedom."""
    reason = _untestable(effects, bins)
    if reason:
        return Test.impossible(reason)
    weight = 1 / bins.variance
    mean = (weight * bins.delta).sum() / weight.sum()
    statistic = float((weight * (bins.delta - mean) ** 2).sum())
    df = len(bins.delta) - 1
    return Test.of(statistic, df, log_chi2_sf(statistic, df))


def largest_contrast_test(effects: Effects, bins: Bins, min_size: int) -> Test:
    """The largest squared standardised contrast over the cuts that leave ``min_size`` rows on both sides."""
    reason = _untestable(effects, bins)
    if reason:
        return Test.impossible(reason)
    rows = np.cumsum(bins.rows)
    admissible = (rows[:-1] >= min_size) & (rows[-1] - rows[:-1] >= min_size)
    if not admissible.any():
        return Test.impossible(f"no cut leaves {min_size} rows on both sides")
    contrasts, times = ordered_contrasts(bins.delta, bins.variance)
    largest = float(np.abs(contrasts[admissible]).max())
    return Test.of(largest**2, 1, log_p_largest(largest, times[admissible]))


def ordered_contrasts(delta: Floats, variance: Floats) -> tuple[Floats, Floats]:
    """Per cut between neighbours: the standardised contrast (left minus right) of the inverse-variance means, and the
    share of the information that lies on the left."""
    weight = 1 / variance
    left = np.cumsum(weight)[:-1]
    right = weight.sum() - left
    sum_left = np.cumsum(weight * delta)[:-1]
    sum_right = (weight * delta).sum() - sum_left
    contrasts = (sum_left / left - sum_right / right) / np.sqrt(1 / left + 1 / right)
    return contrasts, left / (left + right)


def _untestable(effects: Effects, bins: Bins) -> str | None:
    if (effects.rows > 0).sum() < 2:
        return "no row has a value" if not effects.rows.any() else CONSTANT
    if not (effects.weight > 0).any():
        return "cannot be told: none of its levels has rows of every attribute level that is compared"
    if not effects.rate.any() or not effects.pooled.any():
        return "what is compared does not vary among the rows of an attribute level"
    if len(bins.members) < 2:
        return f"cannot be told: {_few(len(bins.members))} enough rows and disagreements"
    return None


def _few(n_bins: int) -> str:
    return "only one part of it has" if n_bins else "no part of it has"
