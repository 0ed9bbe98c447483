"""Agreement of two binary raters from their four counts: Cohen's kappa, PABAK and what lies between them.

Knows counts only: no rows, no names, no engines. Raters r (first) and s (second): a = both 1, b = (r 0, s 1),
c = (r 1, s 0), d = both 0. Nothing here calls a value good or bad.

Sources
-------
1. Cohen, J. (1960). Educational and Psychological Measurement 20, 37-46.
2. Fleiss, J. L., Cohen, J. and Everitt, B. S. (1969). Psychological Bulletin 72, 323-327, eq. 13.
3. Byrt, T., Bishop, J. and Carlin, J. B. (1993). Journal of Clinical Epidemiology 46, 423-429.
4. Gwet, K. L. (2008). British Journal of Mathematical and Statistical Psychology 61, 29-48.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from reporter.results import Agreement
from reporter.stats.cells import Floats
from reporter.stats.intervals import normal_quantile, wilson

NO_PAIR = "no pair of ratings"
ALWAYS_THE_SAME = "both raters always gave the same rating, so that agreement by chance is certain"
IDENTICAL = "no interval: the raters agree on every pair, where the variance formula gives 0"
CONSTANT_RATER = "no interval: one rater always gave the same rating, where the variance formula gives 0"
OPPOSITE = "no interval: the raters disagree on every pair, where the variance formula gives 0"


@dataclass(frozen=True, slots=True, eq=False)
class AgreementArrays:
    """The statistics of G pairs of raters at once; every field is an array of shape (G,), NaN where undefined.

    ``kappa_variance`` is NaN where the formula gives exactly 0 (see :func:`kappa_variance`).
    """

    n: Floats
    observed: Floats
    expected: Floats
    kappa: Floats
    kappa_variance: Floats
    pabak: Floats
    ac1: Floats
    ac1_variance: Floats
    bias_index: Floats
    prevalence_index: Floats
    prevalence_adjusted_kappa: Floats
    bias_adjusted_kappa: Floats


def agreement_from_counts(a: int, b: int, c: int, d: int, *, confidence: float = 0.95) -> Agreement:
    """Cohen's kappa, PABAK, their decomposition and Gwet's AC1 of two binary raters.

    kappa = (po - pc)/(1 - pc) with po = (a + d)/n and pc = (r1*s1 + r0*s0)/n^2 [1]; PABAK = 2*po - 1, bias index
    BI = (b - c)/n, prevalence index PI = (a - d)/n [3]; kappa = (PABAK - PI^2 + BI^2)/(1 - PI^2 + BI^2) exactly, so that
    kappa*(1 - PI^2) + PI^2 (BI set to 0) and kappa*(1 + BI^2) - BI^2 (PI set to 0) split PABAK - kappa in two parts.

    Parameters
    ----------
    a, b, c, d
        How many pairs are (1, 1), (0, 1), (1, 0), (0, 0); whole numbers, not negative.
    confidence
        Of both intervals, in (0, 1).

    Returns
    -------
    Agreement
        kappa lies in [-1, 1], its interval (variance of [2], normal) is not clipped; PABAK's comes from the Wilson
        interval of po. ``reason`` says what is undefined: everything without a pair; kappa and the adjusted kappas
        where pc = 1; kappa's interval where its variance formula gives exactly 0.

    Raises
    ------
    ValueError
        Counts that are negative or not whole numbers.

    Examples
    --------
    >>> one = agreement_from_counts(90, 5, 5, 0)
    >>> round(one.kappa, 4), round(one.pabak, 4)
    (-0.0526, 0.8)
    >>> agreement_from_counts(10, 0, 0, 0).kappa is None
    True
    """
    return agreements_from_counts([a], [b], [c], [d], confidence=confidence)[0]


def agreements_from_counts(
    a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike, *, confidence: float = 0.95
) -> tuple[Agreement, ...]:
    """:func:`agreement_from_counts` for many groups: four arrays of shape (G,), one :class:`Agreement` each.

    Examples
    --------
    >>> [one.n for one in agreements_from_counts([3, 0], [1, 0], [0, 0], [4, 0])]
    [8, 0]
    """
    counts = _four_counts(a, b, c, d)
    values = agreement_arrays(*counts)
    half = normal_quantile(confidence) * np.sqrt(values.kappa_variance)
    po_low, po_high = wilson(counts[0] + counts[3], values.n, confidence)
    columns = {
        "observed": values.observed,
        "expected": values.expected,
        "kappa": values.kappa,
        "kappa_low": values.kappa - half,
        "kappa_high": values.kappa + half,
        "pabak": values.pabak,
        "pabak_low": 2 * po_low - 1,
        "pabak_high": 2 * po_high - 1,
        "ac1": values.ac1,
        "bias_index": values.bias_index,
        "prevalence_index": values.prevalence_index,
        "prevalence_adjusted_kappa": values.prevalence_adjusted_kappa,
        "bias_adjusted_kappa": values.bias_adjusted_kappa,
    }
    table = np.stack(list(columns.values()), axis=1)
    whole = np.stack(counts, axis=1).astype(np.int64).tolist()
    found = []
    for (a_, b_, c_, d_), row in zip(whole, table.tolist(), strict=True):
        numbers = {name: None if np.isnan(number) else number for name, number in zip(columns, row, strict=True)}
        n, reason = a_ + b_ + c_ + d_, _reason(a_, b_, c_, d_)
        found.append(Agreement(n=n, a=a_, b=b_, c=c_, d=d_, **numbers, reason=reason))
    return tuple(found)


def agreement_arrays(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> AgreementArrays:
    """The statistics of :func:`agreement_from_counts` as arrays, for whole tables of groups, levels and repeats.

    The four arrays broadcast together; every statistic has their common shape and is NaN where it is undefined.

    Examples
    --------
    >>> agreement_arrays([20, 10], [5, 0], [10, 0], [15, 0]).kappa.tolist()
    [0.4, nan]
    """
    a, b, c, d = (np.asarray(count, dtype=np.float64) for count in (a, b, c, d))
    with np.errstate(divide="ignore", invalid="ignore"):
        n = a + b + c + d
        r1, r0, s1, s0 = a + c, b + d, a + b, c + d
        observed = (a + d) / n
        expected = (r1 * s1 + r0 * s0) / n**2
        # (po - pc)/(1 - pc) times n^2: differences of whole numbers, without cancellation near 1.
        kappa = 2 * (a * d - b * c) / (r1 * s0 + r0 * s1)
        prevalence_index = (a - d) / n
        bias_index = (b - c) / n
        ac1, ac1_variance = _ac1(a, b, c, d, n)
        return AgreementArrays(
            n=n,
            observed=observed,
            expected=expected,
            kappa=kappa,
            kappa_variance=kappa_variance(a, b, c, d),
            pabak=(a + d - b - c) / n,
            ac1=ac1,
            ac1_variance=ac1_variance,
            bias_index=bias_index,
            prevalence_index=prevalence_index,
            prevalence_adjusted_kappa=kappa * (1 - prevalence_index**2) + prevalence_index**2,
            bias_adjusted_kappa=kappa * (1 + bias_index**2) - bias_index**2,
        )


def kappa_variance(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """The large-sample variance of kappa, [2] eq. 13; arrays that broadcast together.

    NaN where the formula gives exactly 0, which holds in these cases and in no other: the raters agree on every pair; one
    rater always gave the same rating; the raters disagree on every pair, as often one way as the other. A variance of 0
    would claim certainty that such data do not give.

    Examples
    --------
    >>> one = np.array([20.0]), np.array([5.0]), np.array([10.0]), np.array([15.0])
    >>> kappa_variance(*one).round(6).tolist()
    [0.016128]
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        n = a + b + c + d
        r1, r0, s1, s0 = (a + c) / n, (b + d) / n, (a + b) / n, (c + d) / n
        po = (a + d) / n
        off = (b + c) / n
        pc = r1 * s1 + r0 * s0
        rest = r1 * s0 + r0 * s1
        agreeing = a / n * (rest - (r1 + s1) * off) ** 2 + d / n * (rest - (r0 + s0) * off) ** 2
        # Cell (i, j) of rater r and s weighs with s's share of i and r's share of j.
        disagreeing = off**2 * (c / n * (s1 + r0) ** 2 + b / n * (s0 + r1) ** 2)
        variance = (agreeing + disagreeing - (po * pc - 2 * pc + po) ** 2) / (n * rest**4)
    exactly_zero = (b + c == 0) | (r1 * r0 == 0) | (s1 * s0 == 0) | ((a + d == 0) & (b == c))
    return np.where(exactly_zero, np.nan, np.maximum(variance, 0.0))


def _ac1(a: Floats, b: Floats, c: Floats, d: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Gwet's AC1 [4]: chance agreement 2q(1 - q) with q the raters' mean share of 1; its variance by linearisation."""
    po = (a + d) / n
    q = (2 * a + b + c) / (2 * n)
    chance = 2 * q * (1 - q)
    ac1 = (po - chance) / (1 - chance)
    # What one pair of each cell adds to AC1: (agree - po)/(1 - pe) - (1 - po)/(1 - pe)^2 * 2(1 - 2q)(its share of 1 - q).
    slope = (1 - po) / (1 - chance) ** 2 * 2 * (1 - 2 * q)
    both_one = (1 - po) / (1 - chance) - slope * (1 - q)
    both_zero = (1 - po) / (1 - chance) + slope * q
    apart = -po / (1 - chance) - slope * (0.5 - q)
    variance = (a * both_one**2 + d * both_zero**2 + (b + c) * apart**2) / n**2
    return ac1, np.where((b + c == 0) | (a + d == 0), np.nan, variance)


def _four_counts(a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> tuple[Floats, Floats, Floats, Floats]:
    counts = []
    for name, given in zip("abcd", (a, b, c, d), strict=True):
        array = np.asarray(given, dtype=np.float64).reshape(-1)
        if not np.all((array >= 0) & (array == np.floor(array)) & np.isfinite(array)):
            raise ValueError(f"{name} must hold whole numbers that are not negative")
        counts.append(array)
    if len({len(array) for array in counts}) != 1:
        raise ValueError("a, b, c and d must have the same length")
    return counts[0], counts[1], counts[2], counts[3]


def _reason(a: int, b: int, c: int, d: int) -> str | None:
    n = a + b + c + d
    if n == 0:
        return NO_PAIR
    if n in (a, d):
        return ALWAYS_THE_SAME
    if b + c == 0:
        return IDENTICAL
    if (a + c) in (0, n) or (a + b) in (0, n):
        return CONSTANT_RATER
    if a + d == 0 and b == c:
        return OPPOSITE
    return None
