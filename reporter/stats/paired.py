"""Two models on the same rows: differences with paired intervals, from joint counts.

Knows neither groupings nor references; the change of a gap between releases is made of these in ``releases``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from reporter.results import Estimate, ModelPair
from reporter.stats import intervals
from reporter.stats.cells import Floats, Ints, Objects, is_none, none_reasons
from reporter.stats.gaps import Gaps, joined_reasons
from reporter.stats.joint import PREDICTED, JointCells, JointScores
from reporter.stats.measures import COUNT_ONLY, NO_VARIANCE, Metric, Sample, counts_of
from reporter.stats.metrics import metric
from reporter.stats.placements import CrossTable, exact_sums
from reporter.stats.scores import moments_from_table

__all__ = [
    "JointCells",
    "JointScores",
    "mcnemar",
    "paired_differences",
    "paired_gaps",
    "paired_interval",
    "same_rows",
]

NO_JOINT_SCORES = "there is no joint table of both models' scores: one has none, or there are too many pairs to count"
SAME_LABELS = "both models are held against the same labels, so this cannot differ"
SHARED_ROWS = "there is no closed-form interval of a difference of two fits to the same rows"
EXACT_BELOW = 25
"""With fewer discordant rows McNemar's test is the mid-p binomial one."""


def paired_differences(
    names: Sequence[str],
    *,
    first: str,
    second: str,
    joint: JointCells,
    scores: JointScores | None = None,
    scores_reason: str | None = None,
    confidence: float = 0.95,
) -> ModelPair:
    """Disagreement and the differences (second minus first) of two models over all rows of ``joint`` (its groups are summed).

    Rates over the same rows: Newcombe's paired interval; other functions of the cells: delta method on the joint counts; AUC, Brier score
    and mean score: the paired variance of the rows' contributions. ``scores_reason`` says why there is no joint score table
    (for instance that a model has predictions only).

    Examples
    --------
    >>> joint = JointCells([[[[40, 5], [5, 10]], [[10, 20], [2, 60]], [[0, 0], [0, 0]]]])
    >>> pair = paired_differences(["tpr"], first="old", second="new", joint=joint)
    >>> tpr = pair.differences["tpr"]
    >>> pair.n, pair.first_only, pair.second_only, round(tpr.value, 4), round(tpr.low, 4), round(tpr.high, 4)
    (152, 7, 25, 0.1957, 0.1008, 0.2902)
    """
    whole = joint.sum()
    table = whole.counts[0].sum(axis=0)
    neither, second_only, first_only, both = (int(table[i, j]) for i in (0, 1) for j in (0, 1))
    n = int(table.sum())
    low, high = intervals.wilson(first_only + second_only, n, confidence)
    if n:
        apart = first_only + second_only
        disagreement = Estimate(apart / n, float(low[0]), float(high[0]), n, apart, n, "Wilson")
    else:
        disagreement = Estimate(None, reason="no row has a prediction of both models")
    pooled = None if scores is None else scores.pooled()
    differences = {}
    for name in names:
        asked = metric(name)
        gaps = paired_gaps(asked, whole, pooled, confidence=confidence, scores_reason=scores_reason)
        differences[asked.name] = gaps.to_estimates()[0]
    return ModelPair(first, second, n, both, first_only, second_only, neither, disagreement, differences)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # undefined numbers are NaN with a reason
def paired_gaps(
    asked: Metric,
    joint: JointCells,
    scores: JointScores | None = None,
    *,
    confidence: float = 0.95,
    scores_reason: str | None = None,
) -> Gaps:
    """Second minus first of one metric in each group of ``joint``, with interval and p-value for paired rows (no inner interval)."""
    if asked.kind in ("rate", "cells"):
        return _of_cells(asked, joint, confidence)
    if asked.kind == "count":
        one, two = (asked.measure(Sample(side)) for side in (joint.first(), joint.second()))
        no_interval = np.full(len(joint), COUNT_ONLY, object)
        return _gaps(two.value - one.value, None, None, one.n, one.reason, no_interval, "")
    if scores is None:
        nothing = np.full(len(joint), np.nan)
        reason = np.full(len(joint), scores_reason or NO_JOINT_SCORES, object)
        return _gaps(nothing, None, None, np.zeros(len(joint), np.int64), reason, none_reasons(len(joint)), "")
    return _of_scores(asked, joint, scores, confidence)


def paired_interval(
    both: ArrayLike, first_only: ArrayLike, second_only: ArrayLike, neither: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Newcombe's interval of the difference (second minus first) of two proportions of the same rows.

    Two Wilson intervals squared and added with their correlation, which is corrected for continuity where positive. NaN without rows.

    References
    ----------
    .. [1] R. G. Newcombe (1998), Improved confidence intervals for the difference between binomial proportions based on
       paired data, Statistics in Medicine 17, 2635-2650, method 10.

    Examples
    --------
    >>> low, high = paired_interval(1, 7, 1, 12)
    >>> round(float(low[0]), 3), round(float(high[0]), 3)
    (-0.507, -0.026)
    """
    e, f, g, h = (np.atleast_1d(np.asarray(value, np.float64)) for value in (both, first_only, second_only, neither))
    n = e + f + g + h
    with np.errstate(divide="ignore", invalid="ignore"):
        p1, p2 = (e + f) / n, (e + g) / n
        product = e * h - f * g
        product = np.where(product > 0, np.maximum(product - n / 2.0, 0.0), product)
        root = np.sqrt((e + f) * (g + h) * (e + g) * (f + h))
        phi = np.where(root > 0, product / root, 0.0)
    low1, high1 = intervals.wilson(e + f, n, confidence)
    low2, high2 = intervals.wilson(e + g, n, confidence)
    gap = p2 - p1

    def reach(a: Floats, b: Floats) -> Floats:
        return np.asarray(np.sqrt(np.maximum(a * a - 2.0 * phi * a * b + b * b, 0.0)))

    return gap - reach(p2 - low2, high1 - p1), gap + reach(high2 - p2, p1 - low1)


def mcnemar(first_only: ArrayLike, second_only: ArrayLike) -> Floats:
    """Two-sided p-value of "the two proportions of the same rows are equal": McNemar's score test, mid-p binomial below 25 discordant rows.

    1 without discordant rows.

    References
    ----------
    .. [1] M. W. Fagerland, S. Lydersen and P. Laake (2013), The McNemar test for binary matched-pairs data: mid-p and asymptotic
       are better than exact conditional, BMC Medical Research Methodology 13, 91.

    Examples
    --------
    >>> round(float(mcnemar(1, 7)[0]), 4), round(float(mcnemar(20, 40)[0]), 4)
    (0.0391, 0.0098)
    """
    f, g = (np.atleast_1d(np.asarray(value, np.float64)) for value in (first_only, second_only))
    m, smaller = f + g, np.minimum(f, g)
    with np.errstate(divide="ignore", invalid="ignore"):
        p = intervals.two_sided((g - f) / np.sqrt(m))
    few = np.minimum(m, EXACT_BELOW).astype(np.int64)
    tail = special.bdtr(smaller, few, 0.5)
    point = tail - np.where(smaller > 0, special.bdtr(np.maximum(smaller - 1, 0), few, 0.5), 0.0)
    exact = np.minimum(1.0, 2.0 * tail - point)
    exact = np.where(f == g, 1.0, exact)
    return np.asarray(np.where(m == 0, 1.0, np.where(m < EXACT_BELOW, exact, p)), np.float64)


def _of_cells(asked: Metric, joint: JointCells, confidence: float) -> Gaps:
    one, two = (asked.measure(Sample(side)) for side in (joint.first(), joint.second()))
    reason = joined_reasons(one.reason, two.reason)
    defined = is_none(reason)
    value = np.where(defined, two.value - one.value, np.nan)
    if asked.name == "base_rate":
        return _gaps(value, None, None, one.n, reason, np.full(len(joint), SAME_LABELS, object), "")
    if asked.kind == "rate" and same_rows(asked):
        quadruple = _hits(asked, joint)
        return _gaps(
            value, paired_interval(*quadruple, confidence), mcnemar(quadruple[1], quadruple[2]),
            counts_of(one)[1], reason, none_reasons(len(joint)), "Newcombe, paired",
        )  # fmt: skip
    variance = _joint_variance(asked, joint)
    no_interval = none_reasons(len(joint)) if asked.kind == "rate" else joined_reasons(one.no_interval, two.no_interval)
    return _normal(value, variance, np.maximum(one.n, two.n), reason, no_interval, confidence, "delta method, paired")


def same_rows(asked: Metric) -> bool:
    """Whether the denominator depends on labels alone, so that both models are judged on the same rows."""
    pairs = (("tp", "fn"), ("fp", "tn"), ("unlabelled_positive", "unlabelled_negative"))
    return all((a in asked.bottom) == (b in asked.bottom) for a, b in pairs)


def _hits(asked: Metric, joint: JointCells) -> tuple[Ints, Ints, Ints, Ints]:
    """Rows of the denominator in the numerator of both, the first, the second, neither model."""
    total = np.zeros((2, 2, len(joint)), np.int64)
    labels = sorted({PREDICTED[cell][0] for cell in asked.bottom})
    hit = {(y, d): int(cell in asked.top) for cell, (y, d) in PREDICTED.items()}
    for y in labels:
        for i in (0, 1):
            for j in (0, 1):
                total[hit[y, i], hit[y, j]] += joint.counts[:, y, i, j]
    return total[1, 1], total[1, 0], total[0, 1], total[0, 0]


def _joint_variance(asked: Metric, joint: JointCells) -> Floats:
    """Each joint count times the squared difference of its two slopes."""
    if asked.gradient is None:
        raise TypeError(f"{asked.name} has no gradient")
    slopes = []
    for side in (joint.first(), joint.second()):
        value, slope = asked.gradient(side)
        slopes.append(slope * value if asked.scale == "log" else slope)
    place = {pair: k for k, pair in enumerate(PREDICTED.values())}
    variance = np.zeros(len(joint))
    with np.errstate(invalid="ignore", over="ignore"):
        for y in (0, 1, 2):
            for i in (0, 1):
                for j in (0, 1):
                    n = joint.counts[:, y, i, j]
                    gap = slopes[1][place[y, j]] - slopes[0][place[y, i]]
                    variance += np.where(n > 0, n * gap**2, 0.0)
    return variance


def _of_scores(asked: Metric, joint: JointCells, scores: JointScores, confidence: float) -> Gaps:
    groups = len(joint)
    samples = [
        Sample.of(side, moments_from_table(table, groups), table, fit=asked.kind == "calibration")
        for side, table in zip((joint.first(), joint.second()), scores.tables(), strict=True)
    ]
    one, two = (asked.measure(sample) for sample in samples)
    reason = joined_reasons(one.reason, two.reason)
    value = two.value - one.value
    if asked.name == "auc":
        variance = _auc_variance(scores, groups)
    elif asked.name in ("brier", "mean_score"):
        variance = _mean_variance(scores, groups, squared=asked.name == "brier")
    else:
        return _gaps(value, None, None, one.n, reason, np.full(groups, SHARED_ROWS, object), "")
    method = f"{asked.method}, paired"
    return _normal(value, variance, one.n, reason, none_reasons(groups), confidence, method)


def _auc_variance(scores: JointScores, groups: int) -> Floats:
    """DeLong's variance of a difference: that of the rows' differences of placements."""
    crosses, places = [], []
    known = scores.label >= 0
    group, label, n = scores.group[known], scores.label[known], scores.n[known]
    for score, table in zip((scores.first, scores.second), scores.tables(), strict=True):
        cross = CrossTable.of(table.group, table.label, table.score, table.n, groups)
        distinct = np.unique(score[known])
        key = group * max(len(distinct), 1) + np.searchsorted(distinct, score[known])
        crosses.append(cross)
        places.append(np.searchsorted(cross.group * max(len(distinct), 1) + cross.score, key))
    below = crosses[1].below[places[1]] - crosses[0].below[places[0]]
    above = crosses[1].above[places[1]] - crosses[0].above[places[0]]
    ones, zeros = n * (label == 1), n * (label == 0)
    return intervals.delong_variance(
        exact_sums(group, ones, groups),
        exact_sums(group, zeros, groups),
        exact_sums(group, ones * below, groups),
        exact_sums(group, ones * below**2, groups),
        exact_sums(group, zeros * above**2, groups),
    )


def _mean_variance(scores: JointScores, groups: int, *, squared: bool) -> Floats:
    """The variance of the mean of the rows' differences of (score - label)^2, or of the score."""
    keep = scores.label >= 0 if squared else np.ones(len(scores.n), bool)
    group, label, n = scores.group[keep], scores.label[keep], scores.n[keep].astype(np.float64)
    one, two = scores.first[keep], scores.second[keep]
    gap = (two - label) ** 2 - (one - label) ** 2 if squared else two - one
    rows = np.bincount(group, weights=n, minlength=groups)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.bincount(group, weights=n * gap, minlength=groups) / rows
        spread = np.bincount(group, weights=n * (gap - mean[group]) ** 2, minlength=groups)
        return np.asarray(np.where(rows > 1, spread / rows / (rows - 1.0), np.nan), np.float64)


def _normal(
    value: Floats,
    variance: Floats,
    n: Ints,
    reason: Objects,
    no_interval: Objects,
    confidence: float,
    method: str,
) -> Gaps:
    no_interval = no_interval.copy()
    no_interval[is_none(no_interval) & ~(variance > 0)] = NO_VARIANCE
    error = np.sqrt(np.where(is_none(no_interval), variance, np.nan))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = intervals.two_sided(value / error)
    return _gaps(value, intervals.normal(value, error, confidence), p, n, reason, no_interval, method)


def _gaps(
    value: Floats,
    ends: tuple[Floats, Floats] | None,
    p: Floats | None,
    n: Ints,
    reason: Objects,
    no_interval: Objects,
    method: str,
) -> Gaps:
    nothing = np.full(len(value), np.nan)
    undefined = np.isnan(value)
    low, high = (np.where(undefined, np.nan, end) for end in ends) if ends else (nothing, nothing)
    found = nothing if p is None else np.where(undefined, np.nan, p)
    return Gaps(value, low, high, nothing, nothing, found, n, reason, no_interval, nothing, nothing, method)
