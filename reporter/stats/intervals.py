"""Intervals and p-values in closed form, over whole arrays of groups at once.

All functions are elementwise over arrays of equal shape (numbers count as arrays of one). Undefined is NaN here; the reason is
given by the caller, which knows what the numbers mean. Nothing is known of metrics, groups or reports.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from reporter.stats.cells import Floats

MIN_EXPECTED = 5.0
"""Below this expected count in any of the four cells the exact conditional test replaces the score test."""


def normal_quantile(confidence: float) -> float:
    """The two-sided standard normal quantile of a confidence level in (0, 1).

    >>> round(normal_quantile(0.95), 6)
    1.959964
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must lie between 0 and 1, found {confidence}")
    return float(special.ndtri(0.5 + confidence / 2.0))


def wilson(x: ArrayLike, n: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's score interval of a proportion x / n: the p with |x/n - p| <= z * sqrt(p * (1 - p) / n).

    Undefined (NaN) when n = 0. Lies in [0, 1]; touches 0 only for x = 0 and 1 only for x = n.

    References
    ----------
    .. [1] E. B. Wilson (1927), Probable inference, the law of succession, and statistical inference, JASA 22, 209-212.

    Examples
    --------
    >>> low, high = wilson(8, 10)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.4902, 0.9433)
    """
    x, n = _floats(x), _floats(n)
    z = normal_quantile(confidence)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = x / n
        middle = x + z * z / 2.0
        half = z * np.sqrt(x * (1.0 - share) + z * z / 4.0)
        low = (middle - half) / (n + z * z)
        high = (middle + half) / (n + z * z)
    low = np.where(x == 0, 0.0, low)
    high = np.where(x == n, 1.0, high)
    empty = n == 0
    return np.where(empty, np.nan, low), np.where(empty, np.nan, high)


def newcombe(
    x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Newcombe's interval of x1/n1 - x2/n2 for independent samples: two Wilson intervals squared and added.

    Undefined (NaN) when n1 = 0 or n2 = 0. Lies in [-1, 1].

    References
    ----------
    .. [1] R. G. Newcombe (1998), Interval estimation for the difference between independent proportions, Statistics in
       Medicine 17, 873-890, method 10.

    Examples
    --------
    >>> low, high = newcombe(56, 70, 48, 80)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (0.0524, 0.3339)
    """
    x1, n1, x2, n2 = (_floats(value) for value in (x1, n1, x2, n2))
    with np.errstate(divide="ignore", invalid="ignore"):
        p1, p2 = x1 / n1, x2 / n2
    return mover_difference(p1, *wilson(x1, n1, confidence), p2, *wilson(x2, n2, confidence))


def mover_difference(
    first: Floats, low1: Floats, high1: Floats, second: Floats, low2: Floats, high2: Floats
) -> tuple[Floats, Floats]:
    """The interval of first - second of two independent estimates from their own intervals (method of variance estimates recovery).

    References
    ----------
    .. [1] G. Y. Zou and A. Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine
       27, 1693-1702.
    """
    gap = first - second
    return gap - np.hypot(first - low1, high2 - second), gap + np.hypot(high1 - first, second - low2)


def koopman(
    x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Koopman's score interval of the ratio (x1/n1) / (x2/n2) for independent samples.

    The ratios r whose score statistic (p1 - r * p2) / sqrt(q1(1-q1)/n1 + r^2 q2(1-q2)/n2) lies within the normal quantiles,
    with q1 = r * q2 the likeliest rates under that ratio. Both ends are found by bisection of log r to full precision.
    Undefined (NaN) when n1 = 0, n2 = 0 or x2 = 0 (the ratio itself is undefined). The low end is 0 for x1 = 0.

    References
    ----------
    .. [1] P. A. R. Koopman (1984), Confidence intervals for the ratio of two binomial proportions, Biometrics 40, 513-517.

    Examples
    --------
    >>> low, high = koopman(36, 40, 16, 80)
    >>> round(float(low[0]), 4), round(float(high[0]), 4)
    (2.9396, 7.1522)
    """
    x1, n1, x2, n2 = np.broadcast_arrays(*(_floats(value) for value in (x1, n1, x2, n2)))
    z = normal_quantile(confidence)
    defined = (n1 > 0) & (n2 > 0) & (x2 > 0)
    cells = tuple(value[defined] for value in (x1, n1, x2, n2))
    low = np.full(x1.shape, np.nan)
    high = np.full(x1.shape, np.nan)
    high[defined] = np.exp(_ratio_root(*cells, target=-z))
    found = np.exp(_ratio_root(*cells, target=z))
    low[defined] = np.where(cells[0] == 0, 0.0, found)
    return low, high


def _ratio_root(x1: Floats, n1: Floats, x2: Floats, n2: Floats, *, target: float) -> Floats:
    """The log ratio at which the score statistic, which falls with the ratio, equals ``target``."""
    below: Floats = np.full(x1.shape, -60.0)
    above: Floats = np.full(x1.shape, 60.0)
    for _ in range(64):  # 120 / 2^64 is below the spacing of floats at the roots
        middle = (below + above) / 2.0
        larger = _ratio_score(np.exp(middle), x1, n1, x2, n2) > target
        below = np.where(larger, middle, below)
        above = np.where(larger, above, middle)
    return np.asarray((below + above) / 2.0)


def _ratio_score(ratio: Floats, x1: Floats, n1: Floats, x2: Floats, n2: Floats) -> Floats:
    a = (n1 + n2) * ratio
    b = (x2 + n1) * ratio + x1 + n2
    c = x1 + x2
    q2 = 2.0 * c / (b + np.sqrt(np.maximum(b * b - 4.0 * a * c, 0.0)))
    q1 = ratio * q2
    variance = q1 * np.maximum(1.0 - q1, 0.0) / n1 + ratio * ratio * q2 * np.maximum(1.0 - q2, 0.0) / n2
    gap = x1 / n1 - ratio * x2 / n2
    with np.errstate(divide="ignore", invalid="ignore"):
        score = gap / np.sqrt(variance)
    edge = np.where(gap == 0, 0.0, np.copysign(np.inf, gap))
    return np.asarray(np.where(variance > 0, score, edge))


def rate_test(x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike) -> tuple[Floats, NDArray[np.bool_]]:
    """Two-sided p-value of "the two rates are equal", and where it is the exact one.

    The pooled score test; the mid-p Fisher test where an expected count of the 2 x 2 table is under 5. p is NaN when n1 = 0 or n2 = 0.
    """
    x1, n1, x2, n2 = np.broadcast_arrays(*(_floats(value) for value in (x1, n1, x2, n2)))
    p = score_test(x1, n1, x2, n2)
    with np.errstate(divide="ignore", invalid="ignore"):
        successes = x1 + x2
        smallest = np.minimum(n1, n2) * np.minimum(successes, n1 + n2 - successes) / (n1 + n2)
    exact = (n1 > 0) & (n2 > 0) & (smallest < MIN_EXPECTED)
    if exact.any():
        p[exact] = mid_p_fisher(x1[exact], n1[exact], x2[exact], n2[exact])
    return p, exact


def score_test(x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike) -> Floats:
    """Two-sided p-value of the pooled score test: z = (p1 - p2) / sqrt(p(1-p)(1/n1 + 1/n2)) with p the pooled rate.

    1 when all or none of the rows count; NaN when n1 = 0 or n2 = 0.

    >>> round(float(score_test(20, 100, 30, 100)[0]), 6)
    0.10247
    """
    x1, n1, x2, n2 = (_floats(value) for value in (x1, n1, x2, n2))
    with np.errstate(divide="ignore", invalid="ignore"):
        pooled = (x1 + x2) / (n1 + n2)
        spread = np.sqrt(pooled * (1.0 - pooled) * (1.0 / n1 + 1.0 / n2))
        z = (x1 / n1 - x2 / n2) / spread
    p = two_sided(z)
    p = np.where((pooled == 0) | (pooled == 1), 1.0, p)
    return np.where((n1 == 0) | (n2 == 0), np.nan, p)


def two_sided(z: ArrayLike) -> Floats:
    """2 * Phi(-|z|)."""
    return np.asarray(2.0 * special.ndtr(-np.abs(_floats(z))), np.float64)


def mid_p_fisher(x1: ArrayLike, n1: ArrayLike, x2: ArrayLike, n2: ArrayLike) -> Floats:
    """Two-sided mid-p value of Fisher's exact test: twice the smaller tail, the observed table counted half in each.

    Sums hypergeometric weights outward from the mode, so the size of the counts costs no precision. 1 at most; NaN when n1 = 0 or n2 = 0.

    References
    ----------
    .. [1] H. O. Lancaster (1961), Significance tests in discrete distributions, JASA 56, 223-234.

    Examples
    --------
    >>> round(float(mid_p_fisher(7, 12, 1, 9)[0]), 6)
    0.039894
    """
    x1, n1, x2, n2 = np.broadcast_arrays(*(_floats(value) for value in (x1, n1, x2, n2)))
    total = n1 + n2
    few_rows = n1 <= n2
    rows, x = np.where(few_rows, n1, n2), np.where(few_rows, x1, x2)
    few_successes = (x1 + x2) * 2 <= total
    column = np.where(few_successes, x1 + x2, total - x1 - x2)
    observed = np.where(few_successes, x, rows - x)
    shape = observed.shape
    parts = [np.ravel(value) for value in (observed, rows, column, total)]
    below, at, above = _hypergeometric_tails(*parts)
    with np.errstate(divide="ignore", invalid="ignore"):
        everything = below + at + above
        p = np.minimum(1.0, 2.0 * (np.minimum(below, above) + at / 2.0) / everything)
    p = np.where((parts[1] == 0) | (parts[3] == 0), np.nan, p)
    return np.asarray(p.reshape(shape), np.float64)


def _hypergeometric_tails(
    observed: Floats, rows: Floats, column: Floats, total: Floats
) -> tuple[Floats, Floats, Floats]:
    """Weights below, at and above the observed cell; the cell's support is 0 to min(rows, column)."""
    mode = np.floor((rows + 1.0) * (column + 1.0) / (total + 2.0))
    top = np.minimum(rows, column)
    mode = np.minimum(mode, top)
    below, at, above = (np.zeros(observed.shape) for _ in range(3))
    at += np.where(mode == observed, 1.0, 0.0)
    below += np.where(mode < observed, 1.0, 0.0)
    above += np.where(mode > observed, 1.0, 0.0)
    for step in (1.0, -1.0):
        active = np.arange(len(observed))
        k, weight = mode.copy(), np.ones(observed.shape)
        while len(active):
            r, c, t, o = rows[active], column[active], total[active], observed[active]
            if step > 0:
                weight = weight * (r - k) * (c - k) / ((k + 1.0) * (t - r - c + k + 1.0))
            else:
                weight = weight * k * (t - r - c + k) / ((r - k + 1.0) * (c - k + 1.0))
            k = k + step
            below[active] += np.where(k < o, weight, 0.0)
            at[active] += np.where(k == o, weight, 0.0)
            above[active] += np.where(k > o, weight, 0.0)
            passed = (k - o) * step > 0
            beyond = (above if step > 0 else below)[active]
            more = (k < top[active]) if step > 0 else (k > 0)
            keep = more & (weight > 0) & ~(passed & (weight < 1e-18 * beyond))
            active, k, weight = active[keep], k[keep], weight[keep]
    return below, at, above


def normal(value: ArrayLike, se: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """value -/+ z * se."""
    value, half = _floats(value), normal_quantile(confidence) * _floats(se)
    return value - half, value + half


def delong_variance(
    n1: NDArray[Any],
    n0: NDArray[Any],
    placements: NDArray[Any],
    squares1: NDArray[Any],
    squares0: NDArray[Any],
) -> Floats:
    """DeLong's variance of the AUC from whole-number placement sums (see ScoreMoments), without any rounding before the last step.

    var = S10 / n1 + S01 / n0 with S10 and S01 the sample variances (divisor n - 1) of the placements. NaN with fewer than two rows of a class.

    References
    ----------
    .. [1] E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Comparing the areas under two or more correlated
       receiver operating characteristic curves, Biometrics 44, 837-845.
    """
    variance = np.full(len(n1), np.nan)
    rows = zip(n1.tolist(), n0.tolist(), placements.tolist(), squares1.tolist(), squares0.tolist(), strict=True)
    for i, (m, n, sum_, square1, square0) in enumerate(rows):
        if m >= 2 and n >= 2:
            one = (m * square1 - sum_ * sum_) / (4 * m * m * (m - 1) * n * n)
            zero = (n * square0 - sum_ * sum_) / (4 * n * n * (n - 1) * m * m)
            variance[i] = one + zero
    return variance


def _floats(value: ArrayLike) -> Floats:
    return np.atleast_1d(np.asarray(value, dtype=np.float64))
