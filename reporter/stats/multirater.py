"""Agreement of three and more raters: Fleiss' kappa and Krippendorff's alpha, from counts.

Knows counts only: for each kind of unit, how many raters chose each category, and how many units are of that kind. So a
million rows with three raters and two categories are ten lines.

Sources
-------
1. Fleiss, J. L. (1971). Psychological Bulletin 76, 378-382.
2. Krippendorff, K. (2019). Content Analysis, 4th edition, chapter 12.
3. Gwet, K. L. (2021). Handbook of Inter-Rater Reliability, 5th edition, volume 1 (variances by linearisation).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from reporter.results import Estimate
from reporter.stats.cells import Floats
from reporter.stats.intervals import normal_quantile

Scale = Literal["nominal", "ordinal", "interval"]

NO_UNIT = "no unit with the ratings of all raters"
NO_PAIR = "no unit with two ratings or more"
ALWAYS_THE_SAME = "all ratings are the same, so that agreement by chance is certain"
NO_INTERVAL = "no interval: the units do not vary in agreement, where the variance formula gives 0"


def fleiss_kappa(chosen: ArrayLike, times: ArrayLike | None = None, *, confidence: float = 0.95) -> Estimate:
    """Agreement beyond chance of m raters who chose one of K categories for each unit [1].

    kappa = (P - Pe)/(1 - Pe): P the mean share of agreeing pairs of raters within a unit, Pe = sum p_k^2 with p_k the share
    of category k over all ratings.

    Parameters
    ----------
    chosen
        U x K: how many raters put a unit of this kind into each category.
    times
        How many units are of each kind; default one.

    Returns
    -------
    Estimate
        With the linearised interval [3]; ``n`` units with the ratings of all m raters (m is the most that any unit has),
        the others are left out. Undefined without one, and when all ratings are the same.

    Examples
    --------
    >>> round(fleiss_kappa([[3, 0], [0, 3], [2, 1], [1, 2]], [20, 20, 5, 5]).value, 4)
    0.7333
    """
    counts, weights = _units(chosen, times)
    method = "Fleiss, linearised variance"
    raters = counts.sum(axis=1).max(initial=0.0)
    complete = (counts.sum(axis=1) == raters) & (raters >= 2)
    counts, weights = counts[complete], weights[complete]
    n = float(weights.sum())
    if n == 0:
        return Estimate(None, n=0, method=method, reason=NO_UNIT)
    shares = counts / raters
    p = weights @ shares / n
    if np.count_nonzero(p) == 1:
        return Estimate(None, n=int(n), method=method, reason=ALWAYS_THE_SAME)
    within = ((counts**2).sum(axis=1) - raters) / (raters * (raters - 1))
    observed, expected = float(weights @ within / n), float(p @ p)
    value = (observed - expected) / (1 - expected)
    adds = (within - observed) / (1 - expected) - 2 * (1 - value) / (1 - expected) * (shares @ p - expected)
    return _with_interval(value, adds, weights, confidence, method)


def krippendorff_alpha(
    chosen: ArrayLike,
    times: ArrayLike | None = None,
    *,
    scale: Scale = "nominal",
    values: ArrayLike | None = None,
    confidence: float = 0.95,
) -> Estimate:
    """Agreement beyond chance of any number of raters, ratings may be missing [2].

    alpha = 1 - Do/De: the mean squared distance of two ratings of one unit over that of any two ratings. The squared distance
    is 1 ("nominal"), (v_c - v_k)^2 ("interval"), or the square of how many ratings lie between the categories ("ordinal").

    Parameters
    ----------
    chosen, times
        As for :func:`fleiss_kappa`; units with fewer than two ratings are left out.
    scale
        What the categories are; for "ordinal" the columns are in order.
    values
        The categories' values for "interval"; default 0, 1, 2, ...

    Returns
    -------
    Estimate
        At most 1, negative for disagreement beyond chance; ``n`` units with two ratings or more. The interval is linearised over
        units, with the ordinal distances held fixed. Undefined without such a unit and when all ratings are the same.

    Examples
    --------
    >>> round(krippendorff_alpha([[2, 0], [0, 3], [1, 1]], [10, 10, 4]).value, 4)
    0.7206
    """
    counts, weights = _units(chosen, times)
    method = f"Krippendorff, {scale} distances, linearised variance"
    ratings = counts.sum(axis=1)
    paired = ratings >= 2
    counts, weights, ratings = counts[paired], weights[paired], ratings[paired]
    units = float(weights.sum())
    if units == 0:
        return Estimate(None, n=0, method=method, reason=NO_PAIR)
    totals = weights @ counts
    if np.count_nonzero(totals) == 1:
        return Estimate(None, n=int(units), method=method, reason=ALWAYS_THE_SAME)
    distance = _distances(totals, scale, values)
    apart = ((counts @ distance) * counts).sum(axis=1) / (ratings - 1)
    n = float(totals.sum())
    observed, possible = float(weights @ apart), float(totals @ distance @ totals)
    value = 1 - (n - 1) * observed / possible
    # What one unit adds to alpha, by its ratings, its distances within and its distances to all ratings; times the units.
    outside = 2 * counts @ distance @ totals
    adds = -units * ((n - 1) * apart + ratings * observed - (n - 1) * observed / possible * outside) / possible
    return _with_interval(value, adds, weights, confidence, method)


def _units(chosen: ArrayLike, times: ArrayLike | None) -> tuple[Floats, Floats]:
    counts = np.asarray(chosen, dtype=np.float64)
    if counts.ndim != 2:
        raise ValueError(f"expected units x categories, found {counts.ndim} dimension(s)")
    weights = np.ones(len(counts)) if times is None else np.asarray(times, dtype=np.float64)
    if weights.shape != (len(counts),):
        raise ValueError(f"times has shape {weights.shape}, expected ({len(counts)},)")
    for name, array in (("chosen", counts), ("times", weights)):
        if not np.all((array >= 0) & (array == np.floor(array)) & np.isfinite(array)):
            raise ValueError(f"{name} must hold whole numbers that are not negative")
    return counts[weights > 0], weights[weights > 0]


def _distances(totals: Floats, scale: Scale, values: ArrayLike | None) -> Floats:
    k = len(totals)
    if scale == "nominal":
        return 1.0 - np.eye(k)
    if scale == "interval":
        at = np.arange(k, dtype=np.float64) if values is None else np.asarray(values, dtype=np.float64)
        if at.shape != (k,) or not np.isfinite(at).all():
            raise ValueError(f"values must be {k} finite numbers, one for each category")
        return np.asarray((at[:, None] - at[None, :]) ** 2)
    if scale == "ordinal":
        # Ratings between c and k, with half of both: the distance of the categories' mid-ranks.
        middle = np.cumsum(totals) - totals / 2
        return np.asarray((middle[:, None] - middle[None, :]) ** 2)
    raise ValueError(f"scale {scale!r} is unknown; expected nominal, ordinal or interval")


def _with_interval(value: float, adds: Floats, weights: Floats, confidence: float, method: str) -> Estimate:
    n = float(weights.sum())
    spread = float(weights @ (adds - weights @ adds / n) ** 2)
    # Rounding leaves a trace of what is exactly 0 when all units agree alike.
    if n < 2 or spread <= 1e-20 * n:
        return Estimate(value, n=int(n), method=method, reason=NO_INTERVAL)
    half = normal_quantile(confidence) * float(np.sqrt(spread / (n * (n - 1))))
    return Estimate(value, value - half, value + half, n=int(n), method=method)
