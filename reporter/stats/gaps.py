"""Gaps between two sets of groups that share no rows: differences and ratios with intervals and p-values, for every metric.

Rates: Newcombe, Koopman and the score test. Everything else: normal, with the standard error of each side. A reference that contains
the group ("overall") is reduced to the rest. Verdicts, limits and rules are unknown here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from reporter.results import Estimate
from reporter.stats import intervals
from reporter.stats.cells import Bools, Floats, Ints, Objects, is_none
from reporter.stats.measures import (
    CELLS,
    Measure,
    Metric,
    Sample,
    counts_of,
    optional,
)

Comparison = Literal["difference", "ratio"]

ZERO_REFERENCE = "the reference's value is 0, so there is no ratio"
NOT_POSITIVE = "a ratio's interval needs two values above 0"
ENDLESS = "the interval reaches infinity"
CONTAINED = "there is no closed-form interval of a gap to an overall value that contains the group"


@dataclass(frozen=True, slots=True, eq=False)
class Gaps:
    """K gaps, group minus reference or group over reference (NaN: undefined, with ``reason``).

    ``low``/``high``: the interval at the shown confidence; ``inner_low``/``inner_high``: at the confidence of the two one-sided
    tests (NaN with ``no_interval`` where a defined gap has none). ``p``: two-sided, of "no gap". ``group_variance`` and
    ``reference_variance``: what each side adds to the variance of the gap (of its logarithm for a ratio).
    """

    value: Floats
    low: Floats
    high: Floats
    inner_low: Floats
    inner_high: Floats
    p: Floats
    n: Ints
    reason: Objects
    no_interval: Objects
    group_variance: Floats
    reference_variance: Floats
    method: str

    def to_estimates(self) -> list[Estimate]:
        """One Estimate a gap."""
        reasons = self.no_interval.copy()
        undefined = np.isnan(self.value)
        reasons[undefined] = self.reason[undefined]
        lows = optional(self.low)
        methods = ["" if low is None else self.method for low in lows]
        nothing = [None] * len(lows)
        rows = zip(
            optional(self.value), lows, optional(self.high), self.n.tolist(), nothing, nothing, methods,
            reasons.tolist(), strict=True,
        )  # fmt: skip
        return [Estimate(*row) for row in rows]


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # undefined numbers are NaN with a reason
def independent_gaps(
    metric: Metric,
    group: Sample,
    reference: Sample,
    *,
    comparison: Comparison,
    confidence: float,
    inner_confidence: float,
) -> Gaps:
    """The gap of each group to the reference at the same position, the two sharing no rows.

    Undefined: either value is; for a ratio also a reference of 0 (or below, for metrics that can be negative).

    Examples
    --------
    >>> from reporter.stats.cells import CellArrays
    >>> from reporter.stats.metrics import METRICS
    >>> group = Sample(CellArrays(tp=[56], fp=[0], tn=[0], fn=[14]))
    >>> others = Sample(CellArrays(tp=[48], fp=[0], tn=[0], fn=[32]))
    >>> found = independent_gaps(METRICS["tpr"], group, others, comparison="difference", confidence=0.95, inner_confidence=0.9)
    >>> [round(float(x[0]), 4) for x in (found.value, found.low, found.high)]
    [0.2, 0.0524, 0.3339]
    """
    one, two = metric.measure(group), metric.measure(reference)
    reason = joined_reasons(one.reason, two.reason)
    ratio = comparison == "ratio"
    if ratio:
        reason[is_none(reason) & ~(two.value > 0)] = ZERO_REFERENCE
    defined = is_none(reason)
    value = one.value / two.value if ratio else one.value - two.value
    value = np.where(defined, value, np.nan)
    p = _p_value(metric, one, two)
    if metric.kind == "rate":
        counts = (*counts_of(one), *counts_of(two))
        function = intervals.koopman if ratio else intervals.newcombe
        shown, inner = (function(*counts, level) for level in (confidence, inner_confidence))
        no_interval = np.full(len(value), None, object)
        method = "Koopman" if ratio else "Newcombe"
        variances = [_rate_variance(*counts_of(side), ratio=ratio) for side in (one, two)]
    else:
        errors = [_error(metric, side, ratio=ratio) for side in (one, two)]
        no_interval = joined_reasons(one.no_interval, two.no_interval)
        if ratio:
            no_interval[is_none(no_interval) & (np.isnan(errors[0]) | np.isnan(errors[1]))] = NOT_POSITIVE
        variances = [error**2 for error in errors]
        shown, inner = (
            _normal(value, np.hypot(*errors), level, metric, ratio=ratio) for level in (confidence, inner_confidence)
        )
        method = metric.method
    ends = [np.where(defined, end, np.nan) for end in (*shown, *inner)]
    low, high, inner_low, inner_high = _finite(ends, no_interval)
    return Gaps(
        value, low, high, inner_low, inner_high, p, one.n + two.n, reason, no_interval,
        group_variance=variances[0], reference_variance=variances[1], method=method,
    )  # fmt: skip


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # undefined numbers are NaN with a reason
def overall_gaps(
    metric: Metric,
    group: Sample,
    rest: Sample,
    overall: Sample,
    *,
    comparison: Comparison,
    confidence: float,
    inner_confidence: float,
    variances: tuple[Floats, Floats] | None = None,
) -> Gaps:
    """The gap of each group to all rows, the group included; ``overall`` repeats the whole at every position.

    For means and proportions the overall value is w * group + (1 - w) * rest with w the group's share of the denominator,
    so the gap is (1 - w) times that to the rest, and the ratio is r / (w r + 1 - w) with r that to the rest. Other functions of
    the cells: delta method over both sets of counts. Elsewhere a difference has an interval where ``variances`` (what the group's and the
    others' rows add) are given, and a ratio has none. p is always that of the rest.
    """
    found = independent_gaps(
        metric, group, rest, comparison=comparison, confidence=confidence, inner_confidence=inner_confidence
    )
    one, two, whole = (metric.measure(side) for side in (group, rest, overall))
    ratio = comparison == "ratio"
    value = one.value / whole.value if ratio else one.value - whole.value
    reason = joined_reasons(joined_reasons(one.reason, two.reason), whole.reason)
    if ratio:
        reason[is_none(reason) & ~(whole.value > 0)] = ZERO_REFERENCE
    value = np.where(is_none(reason), value, np.nan)
    share = _share(metric, one, two)
    if share is not None:
        if not ratio:
            value = np.where(np.isnan(value), np.nan, (1.0 - share) * found.value)
        ends, parts = _by_share(found, share, ratio=ratio)
        no_interval = found.no_interval.copy()
        no_interval[is_none(no_interval) & is_none(reason) & np.isnan(ends[0])] = ZERO_REFERENCE
    elif metric.kind == "cells" or (variances is not None and not ratio):
        parts, no_interval = _contained_variances(metric, group, rest, overall, variances, ratio=ratio)
        error = np.sqrt(parts[0] + parts[1])
        ends = [
            end for level in (confidence, inner_confidence) for end in _normal(value, error, level, metric, ratio=ratio)
        ]
    else:
        nothing = np.full(len(value), np.nan)
        ends, parts, no_interval = [nothing] * 4, [nothing] * 2, np.full(len(value), CONTAINED, object)
    ends = _finite(ends, no_interval)
    return replace(
        found,
        value=value,
        low=ends[0],
        high=ends[1],
        inner_low=ends[2],
        inner_high=ends[3],
        n=whole.n,
        reason=reason,
        no_interval=no_interval,
        group_variance=parts[0],
        reference_variance=parts[1],
    )


def _finite(ends: list[Floats], no_interval: Objects) -> list[Floats]:
    """The ends without intervals that reach infinity, which are marked in ``no_interval``."""
    endless = np.logical_or.reduce([np.isinf(end) for end in ends])
    no_interval[endless & is_none(no_interval)] = ENDLESS
    return [np.where(endless, np.nan, end) for end in ends]


def joined_reasons(one: Objects, two: Objects) -> Objects:
    """The group's reason, else the reference's, marked as such."""
    reason = one.copy()
    missing = is_none(one) & ~is_none(two)
    reason[missing] = [f"in the reference: {text}" for text in two[missing]]
    return reason


def _p_value(metric: Metric, one: Measure, two: Measure) -> Floats:
    if metric.kind == "rate":
        return intervals.rate_test(*counts_of(one), *counts_of(two))[0]
    gap = np.log(one.value) - np.log(two.value) if metric.scale == "log" else one.value - two.value
    return intervals.two_sided(gap / np.hypot(one.se, two.se))


def _rate_variance(x: Ints, n: Ints, *, ratio: bool) -> Floats:
    """The variance of a rate (of its logarithm), from (x + 1) / (n + 2) so that it is never 0."""
    share = (x + 1.0) / (n + 2.0)
    return np.asarray((1.0 - share) / (share * n) if ratio else share * (1.0 - share) / n, np.float64)


def _error(metric: Metric, side: Measure, *, ratio: bool) -> Floats:
    """The standard error on the scale of the gap: of the value for a difference, of its logarithm for a ratio."""
    if ratio == (metric.scale == "log"):
        return side.se
    if ratio:
        return np.where(side.value > 0, side.se / side.value, np.nan)
    return side.se * side.value


def _normal(value: Floats, error: Floats, confidence: float, metric: Metric, *, ratio: bool) -> tuple[Floats, Floats]:
    if ratio:
        low, high = intervals.normal(np.log(np.where(value > 0, value, np.nan)), error, confidence)
        return np.exp(low), np.exp(high)
    low, high = intervals.normal(value, error, confidence)
    widest = metric.bounds[1] - metric.bounds[0]
    return np.maximum(low, -widest), np.minimum(high, widest)


def _share(metric: Metric, one: Measure, two: Measure) -> Floats | None:
    """The group's share of the denominator, for metrics that are a mean or a proportion."""
    if one.denominator is not None and two.denominator is not None:
        mine, others = one.denominator, two.denominator
    elif metric.name in ("brier", "mean_score"):
        mine, others = one.n, two.n
    else:
        return None
    return np.asarray(mine / (mine + others), np.float64)


def _by_share(found: Gaps, share: Floats, *, ratio: bool) -> tuple[list[Floats], list[Floats]]:
    """Ends of both intervals and variances of the gap to the whole, from those of the gap to the rest."""
    other = 1.0 - share
    ends = (found.low, found.high, found.inner_low, found.inner_high)
    variances = (found.group_variance, found.reference_variance)
    if not ratio:
        return [other * end for end in ends], [other**2 * part for part in variances]
    slope = other / (share * found.value + other)  # d log(ratio to the whole) / d log(ratio to the rest)
    return [end / (share * end + other) for end in ends], [slope**2 * part for part in variances]


def _contained_variances(
    metric: Metric,
    group: Sample,
    rest: Sample,
    overall: Sample,
    known: tuple[Floats, Floats] | None,
    *,
    ratio: bool,
) -> tuple[list[Floats], Objects]:
    """What the group's and the others' rows add to the variance of the group's value against all rows', and why there is none.

    For functions of the cells, where it is not ``known``, the delta method for f(group) against f(group + rest): each cell's count times
    its squared slope.
    """
    own, whole = metric.measure(group), metric.measure(overall)
    variances = list(known) if known is not None else _slopes_of_both(metric, group, rest, overall, ratio=ratio)
    no_interval = joined_reasons(own.no_interval, whole.no_interval)
    if ratio:
        no_interval[is_none(no_interval) & ~_positive(own, whole)] = NOT_POSITIVE
    usable = is_none(no_interval)
    return [np.where(usable, variance, np.nan) for variance in variances], no_interval


def _slopes_of_both(metric: Metric, group: Sample, rest: Sample, overall: Sample, *, ratio: bool) -> list[Floats]:
    if metric.gradient is None:
        raise TypeError(f"{metric.name} has no gradient")
    slopes = []
    for sample in (group, overall):
        value, slope = metric.gradient(sample.cells)
        if ratio and metric.scale != "log":
            slope = slope / value
        elif not ratio and metric.scale == "log":
            slope = slope * value
        slopes.append(slope)
    variances = []
    for sample, slope in ((group, slopes[0] - slopes[1]), (rest, slopes[1])):
        counts = np.stack([getattr(sample.cells, cell) for cell in CELLS])
        variances.append(np.where(counts > 0, counts * slope**2, 0.0).sum(axis=0))
    return variances


def _positive(*sides: Measure) -> Bools:
    return np.asarray(np.logical_and.reduce([side.value > 0 for side in sides]), np.bool_)
