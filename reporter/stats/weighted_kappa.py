"""Weighted kappa of two raters' ordered scores, from the table of their joint counts.

Knows counts only. Sources: [1] Cohen, J. (1968), Psychological Bulletin 70, 213-220; [2] Fleiss, J. L., Cohen, J. and
Everitt, B. S. (1969), Psychological Bulletin 72, 323-327, eq. 8.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri

from reporter.results import Estimate
from reporter.stats.cells import Floats

Weights = Literal["linear", "quadratic"]

NO_PAIR = "no pair of ratings"
ALWAYS_THE_SAME = "both raters always gave the same rating, so that agreement by chance is certain"
NO_INTERVAL = "no interval: the variance formula gives 0"


def weighted_kappa(table: ArrayLike, *, weights: Weights = "quadratic", confidence: float = 0.95) -> Estimate:
    """Agreement of two raters beyond chance when a near miss counts for more than a far one.

    kappa_w = (po - pc)/(1 - pc) with po = sum w_ij p_ij and pc = sum w_ij p_i. p_.j [1]; w_ij = 1 - |i - j|/(K - 1)
    ("linear") or 1 - (i - j)^2/(K - 1)^2 ("quadratic"). With K = 2 both are Cohen's kappa.

    Parameters
    ----------
    table
        K x K counts: rows the first rater's categories, columns the second's, both in their order.
    weights
        How fast credit falls with the distance of two categories (their ranks count, not their values).

    Returns
    -------
    Estimate
        In [-1, 1], with the large-sample interval of [2]. Undefined without a pair and where pc = 1; no interval where
        its variance formula gives 0.

    Raises
    ------
    ValueError
        A table that is not square, or counts that are negative or not whole numbers.

    Examples
    --------
    >>> round(weighted_kappa([[11, 3, 0], [2, 8, 4], [0, 1, 9]]).value, 4)
    0.8
    """
    counts = np.asarray(table, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[0] != counts.shape[1]:
        raise ValueError(f"the table must be square, found shape {counts.shape}")
    if not np.all((counts >= 0) & (counts == np.floor(counts)) & np.isfinite(counts)):
        raise ValueError("the table must hold whole numbers that are not negative")
    method = f"Fleiss, Cohen and Everitt 1969, {weights} weights"
    n = float(counts.sum())
    if n == 0:
        return Estimate(None, n=0, method=method, reason=NO_PAIR)
    shares = counts / n
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    w = _weights(len(counts), weights)
    observed, expected = float((w * shares).sum()), float(rows @ w @ columns)
    # One category for both: exactly, whatever the rounding of the shares.
    if np.count_nonzero(counts) == 1 and np.trace(counts) == n:
        return Estimate(None, n=int(n), method=method, reason=ALWAYS_THE_SAME)
    value = (observed - expected) / (1 - expected)
    variance = _variance(shares, rows, columns, w, observed, expected) / n
    if _is_certain(counts, variance, n):
        return Estimate(value, n=int(n), method=method, reason=NO_INTERVAL)
    half = float(ndtri(0.5 + confidence / 2)) * float(np.sqrt(variance))
    return Estimate(value, value - half, value + half, n=int(n), method=method)


def _weights(k: int, weights: Weights) -> Floats:
    if weights not in ("linear", "quadratic"):
        raise ValueError(f"weights {weights!r} are unknown; expected 'linear' or 'quadratic'")
    rank = np.arange(k)
    distance = np.abs(rank[:, None] - rank[None, :]) / max(k - 1, 1)
    return np.asarray(1 - (distance if weights == "linear" else distance**2))


def _variance(shares: Floats, rows: Floats, columns: Floats, w: Floats, observed: float, expected: float) -> float:
    """[2], eq. 8, times n: the variance of what one pair adds to kappa_w."""
    mean_of_row, mean_of_column = w @ columns, rows @ w
    adds = w * (1 - expected) - (mean_of_row[:, None] + mean_of_column[None, :]) * (1 - observed)
    centre = observed * expected - 2 * expected + observed
    return float(((shares * adds**2).sum() - centre**2) / (1 - expected) ** 4)


def _is_certain(counts: Floats, variance: float, n: float) -> bool:
    perfect = np.trace(counts) == n
    constant = np.count_nonzero(counts.sum(axis=0)) == 1 or np.count_nonzero(counts.sum(axis=1)) == 1
    # Per pair the variance is of the order of 1: less than this is what rounding leaves of 0.
    return bool(perfect or constant or variance * n < 1e-12)
