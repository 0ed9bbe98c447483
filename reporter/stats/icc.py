"""Intraclass correlation of scores: the six forms of McGraw and Wong from mean squares, ratings or centred sums.

Knows numbers only: no names, no engines. Values are never clipped: an ICC can be negative, and a mean-of-k form can
lie beyond 1.

Sources
-------
1. McGraw, K. O. and Wong, S. P. (1996). Psychological Methods 1, 30-46 (corrected: 1, 390), tables 4, 7 and 8.
2. Shrout, P. E. and Fleiss, J. L. (1979). Psychological Bulletin 86, 420-428.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaincinv

from reporter.results import Icc
from reporter.stats.cells import Floats

Form = Literal["1", "A1", "C1", "1k", "Ak", "Ck"]

TOO_FEW_SUBJECTS = "fewer than two subjects with every rating"
TOO_FEW_RATERS = "fewer than two raters"
ALL_EQUAL = "all ratings are equal"
NO_DENOMINATOR = "the denominator is 0: the variances it adds up cancel"
IDENTICAL = "no interval: the raters agree on every subject"
NO_INTERVAL = "no interval: the F-based limits are undefined here"


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """The two-way analysis of variance of n subjects by k raters: between subjects, between raters, residual."""

    msb: float
    msj: float
    mse: float
    n: int
    k: int


def icc_from_mean_squares(
    msb: float, msj: float, mse: float, n: int, k: int, form: str = "A1", *, confidence: float = 0.95
) -> Icc:
    """The intraclass correlation of n subjects rated by the same k raters.

    A1 (two-way, one rater, absolute agreement) = (MSB - MSE)/(MSB + (k-1)MSE + k(MSJ - MSE)/n);
    C1 (consistency) = (MSB - MSE)/(MSB + (k-1)MSE); 1 (one-way) = (MSB - MSW)/(MSB + (k-1)MSW) with
    MSW = (MSJ + (n-1)MSE)/n; Ak, Ck, 1k: the same for the mean of k raters. All of [1], table 4.

    Parameters
    ----------
    msb, msj, mse
        Mean squares between subjects, between raters and of the residual, all >= 0.
    n, k
        How many subjects and raters.
    form
        "1", "A1", "C1", "1k", "Ak" or "Ck".
    confidence
        Of the interval, in (0, 1).

    Returns
    -------
    Icc
        With the F test of no differences between subjects (one-sided p) and the F-based interval of [1], tables 7 and 8.
        Undefined with fewer than two subjects or raters, when all ratings are equal, or when the denominator is 0. No
        interval when the raters agree on every subject.

    Raises
    ------
    ValueError
        An unknown form, or a mean square that is negative or not finite.

    Examples
    --------
    >>> one = icc_from_mean_squares(11.241666666666667, 32.486111111111114, 1.0194444444444444, 6, 4)
    >>> round(one.value, 4), round(one.low, 4), round(one.high, 4)
    (0.2898, 0.0188, 0.7611)
    """
    kind = _checked_form(form)
    if n < 2:
        return _undefined(kind, n, k, TOO_FEW_SUBJECTS)
    if k < 2:
        return _undefined(kind, n, k, TOO_FEW_RATERS)
    if not all(math.isfinite(square) and square >= 0 for square in (msb, msj, mse)):
        raise ValueError("mean squares must be finite and not negative")
    if msb == msj == mse == 0:
        return _undefined(kind, n, k, ALL_EQUAL)
    scale = _power_of_two(max(msb, msj, mse))
    msb, msj, mse = msb * scale, msj * scale, mse * scale
    one_way, mean_of_k = kind[0] == "1", kind[-1] == "k"
    error = (msj + (n - 1) * mse) / n if one_way else mse
    rater_part = (msj - mse) / n if kind[0] == "A" else 0.0
    denominator = msb + rater_part if mean_of_k else msb + (k - 1) * error + k * rater_part
    # Parts that cancel leave a trace of rounding instead of 0.
    if abs(denominator) <= 1e-14 * (msb + (k - 1) * error + k * (msj + mse) / n):
        return _undefined(kind, n, k, NO_DENOMINATOR)
    value = (msb - error) / denominator
    df1, df2 = float(n - 1), float(n * (k - 1) if one_way else (n - 1) * (k - 1))
    if error == 0:
        reason = IDENTICAL if msj == 0 else NO_INTERVAL
        return Icc(kind, value, None, None, None, df1, df2, None, n, k, reason)
    ratio = msb / error
    p = float(betainc(df2 / 2, df1 / 2, df2 / (df2 + df1 * ratio)))
    tail = (1 - confidence) / 2
    if kind[0] == "A":
        limits = _absolute_limits(MeanSquares(msb, msj, mse, n, k), tail, mean_of_k=mean_of_k)
    else:
        limits = _ratio_limits(ratio, df1, df2, k, tail, mean_of_k=mean_of_k)
    if limits and not all(math.isfinite(limit) for limit in limits):
        limits = None
    low, high = limits or (None, None)
    return Icc(kind, value, low, high, ratio, df1, df2, p, n, k, None if limits else NO_INTERVAL)


def icc(scores: ArrayLike, form: str = "A1", *, confidence: float = 0.95) -> Icc:
    """:func:`icc_from_mean_squares` of an array of n subjects by k raters; subjects with a missing rating are left out.

    Examples
    --------
    >>> round(icc([[1, 2], [2, 4], [3, 6], [4, 8], [5, 10], [6, 12]]).value, 12)
    0.48
    """
    x = np.asarray(scores, dtype=np.float64)
    # Of scores whose squares are beyond a float's range, the correlation is that of the same scores in another unit.
    squares = mean_squares(x * _power_of_two(float(np.max(np.abs(x[np.isfinite(x)]), initial=0.0))))
    return icc_from_mean_squares(
        squares.msb, squares.msj, squares.mse, squares.n, squares.k, form, confidence=confidence
    )


def mean_squares(scores: ArrayLike) -> MeanSquares:
    """The mean squares of an array of n subjects by k raters; subjects with a missing rating (NaN) are left out.

    The first subject's first rating is subtracted before anything else. Differences of neighbouring floats are exact, so that
    a common offset, however large, costs no digit.

    Examples
    --------
    >>> mean_squares([[1e8 + 1, 1e8 + 2], [1e8 + 2, 1e8 + 4], [1e8 + 3, 1e8 + 6]])
    MeanSquares(msb=4.5, msj=6.0, mse=0.5, n=3, k=2)
    """
    x = np.asarray(scores, dtype=np.float64)
    if x.ndim != 2:
        raise ValueError(f"scores must be subjects x raters, found {x.ndim} dimension(s)")
    if np.isinf(x).any():
        raise ValueError("scores must be finite")
    x = x[~np.isnan(x).any(axis=1)]
    n, k = x.shape
    if n < 2 or k < 2:
        return MeanSquares(0.0, 0.0, 0.0, n, k)
    x = x - x[0, 0]
    subjects, raters = x.sum(axis=1), x.sum(axis=0)
    # Equal sums give exactly 0, which centring on a rounded mean would miss.
    between = _squares_about_mean(subjects) / k
    across = _squares_about_mean(raters) / n
    contrast = x - x[:, :1]
    if np.all(contrast == contrast[0]):
        residual = 0.0
    else:
        centred = x - x.mean(axis=0)
        residual = float(((centred - centred.mean(axis=1, keepdims=True)) ** 2).sum())
    return MeanSquares(between / (n - 1), across / (k - 1), residual / ((n - 1) * (k - 1)), n, k)


def icc_from_moments(
    n: int,
    mean_r: float,
    mean_s: float,
    s_rr: float,
    s_ss: float,
    s_rs: float,
    form: str = "A1",
    *,
    confidence: float = 0.95,
) -> Icc:
    """:func:`icc_from_mean_squares` for two raters from what an engine can sum.

    Parameters
    ----------
    n
        Subjects with both scores.
    mean_r, mean_s
        The raters' means.
    s_rr, s_ss, s_rs
        Sums of centred squares and products: sum (r - mean_r)^2, sum (s - mean_s)^2, sum (r - mean_r)(s - mean_s).

    Examples
    --------
    >>> round(icc_from_moments(6, 3.5, 7.0, 17.5, 70.0, 35.0).value, 12)
    0.48
    """
    if n < 2:
        return _undefined(_checked_form(form), n, 2, TOO_FEW_SUBJECTS)
    msb, msj, mse = pair_mean_squares(n, mean_r - mean_s, s_rr, s_ss, s_rs)
    return icc_from_mean_squares(float(msb), float(msj), float(mse), n, 2, form, confidence=confidence)


def pair_mean_squares(
    n: ArrayLike, mean_difference: ArrayLike, s_rr: ArrayLike, s_ss: ArrayLike, s_rs: ArrayLike
) -> tuple[Floats, Floats, Floats]:
    """(MSB, MSJ, MSE) of two raters from centred sums; arrays that broadcast together, n >= 2.

    Sums that only rounding keeps from 0 are 0: a sum of squares cannot be negative, and one below n units in the last place
    of its parts holds no digit.
    """
    size = np.asarray(n, dtype=np.float64)
    parts = np.asarray(s_rr, dtype=np.float64) + np.asarray(s_ss, dtype=np.float64)
    product = 2 * np.asarray(s_rs, dtype=np.float64)
    noise = 2 * np.finfo(np.float64).eps * parts
    sums, differences = (np.where(total <= noise, 0.0, total) for total in (parts + product, parts - product))
    return (
        sums / (2 * (size - 1)),
        size * np.asarray(mean_difference, dtype=np.float64) ** 2 / 2,
        differences / (2 * (size - 1)),
    )


def icc_a1_of_pairs(n: ArrayLike, mean_difference: ArrayLike, s_mm: ArrayLike, s_dd: ArrayLike) -> Floats:
    """ICC(A,1) of two raters as an array, NaN where undefined.

    From the centred sums of squares of the pairs' means (``s_mm``) and differences (``s_dd``): free of the cancellation that
    s_rr + s_ss - 2 s_rs has for raters that nearly agree.
    """
    size = np.asarray(n, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        msb = 2 * np.asarray(s_mm, dtype=np.float64) / (size - 1)
        mse = np.asarray(s_dd, dtype=np.float64) / (2 * (size - 1))
        msj = size * np.asarray(mean_difference, dtype=np.float64) ** 2 / 2
        value: Floats = (msb - mse) / (msb + mse + 2 * (msj - mse) / size)
    return value


def undefined_icc(form: str, reason: str, *, n: int = 0, k: int = 2) -> Icc:
    """The correlation of n subjects and k raters that cannot be computed, with its reason.

    >>> undefined_icc("A1", "no scores").reason
    'no scores'
    """
    return _undefined(_checked_form(form), n, k, reason)


def _power_of_two(largest: float) -> float:
    """What to multiply by so that squares neither overflow nor vanish: 1 for all but extreme numbers.

    >>> _power_of_two(7.5), _power_of_two(1e300) < 1e-298
    (1.0, True)
    """
    if largest == 0 or 1e-100 < largest < 1e100:
        return 1.0
    return math.ldexp(1.0, max(-1000, min(1000, -math.frexp(largest)[1])))


def _squares_about_mean(sums: Floats) -> float:
    if np.all(sums == sums[0]):
        return 0.0
    return float(((sums - sums.mean()) ** 2).sum())


def _ratio_limits(
    ratio: float, df1: float, df2: float, k: int, tail: float, *, mean_of_k: bool
) -> tuple[float, float] | None:
    """Limits of the one-way and the consistency forms: [1], table 7."""
    lower = ratio / f_quantile(df1, df2, tail)
    upper = ratio * f_quantile(df2, df1, tail)
    if mean_of_k:
        return (1 - 1 / lower, 1 - 1 / upper) if ratio > 0 else None
    return (lower - 1) / (lower + k - 1), (upper - 1) / (upper + k - 1)


def _absolute_limits(squares: MeanSquares, tail: float, *, mean_of_k: bool) -> tuple[float, float] | None:
    """Limits of the absolute-agreement forms, with Satterthwaite's degrees of freedom: [1], table 7."""
    msb, msj, mse, n, k = squares.msb, squares.msj, squares.mse, squares.n, squares.k
    denominator = msb + (k - 1) * mse + k * (msj - mse) / n
    rho = (msb - mse) / denominator if denominator else 1.0
    if rho == 1:
        return None
    a = k * rho / (n * (1 - rho))
    b = 1 + k * rho * (n - 1) / (n * (1 - rho))
    spread = (a * msj) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1))
    if spread == 0 or msb == 0:
        return None
    v = (a * msj + b * mse) ** 2 / spread
    if v <= 0:
        return None
    common = k * msj + (k * n - k - n) * mse
    f_low, f_high = f_quantile(n - 1, v, tail), f_quantile(v, n - 1, tail)
    # With few degrees of freedom a quantile may be infinite or 0, so that it is kept out of the larger terms.
    low = n * (msb / f_low - mse) / (common + n * msb / f_low)
    if f_high > 1:
        high = n * (msb - mse / f_high) / (common / f_high + n * msb)
    else:
        high = n * (f_high * msb - mse) / (common + n * f_high * msb)
    if not low - 1e-12 <= rho <= high + 1e-12:
        return None
    if not mean_of_k:
        return low, high
    # Spearman-Brown; below -1/(k-1) a single rater's limit has no counterpart for the mean of k.
    steps = [1 + (k - 1) * limit for limit in (low, high)]
    return (k * low / steps[0], k * high / steps[1]) if min(steps) > 1e-12 else None


def f_quantile(df1: float, df2: float, tail: float) -> float:
    """The value that an F variable with these degrees of freedom exceeds with probability ``tail``.

    >>> round(f_quantile(5, 15, 0.025), 4)
    3.5764
    """
    # The complement's quantile keeps its digits in the upper tail.
    x = float(betaincinv(df2 / 2, df1 / 2, tail))
    return math.inf if x == 0 else df2 * (1 - x) / (df1 * x)


def _checked_form(form: str) -> Form:
    if form not in get_args(Form):
        raise ValueError(f"form {form!r} is unknown; expected one of {', '.join(get_args(Form))}")
    return cast(Form, form)


def _undefined(form: Form, n: int, k: int, reason: str) -> Icc:
    return Icc(form, None, None, None, None, None, None, None, n, k, reason)
