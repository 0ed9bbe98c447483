"""How far a group's agreement lies from that of everyone else, and the verdict on it.

Knows counts and centred sums per group. The groups are independent samples; which rater pair or item they belong to is
only carried along.

Sources
-------
1. Newcombe, R. G. (1998). Statistics in Medicine 17, 873-890, method 10.
2. Zou, G. Y. and Donner, A. (2008). Statistics in Medicine 27, 1693-1702 (intervals of differences from two intervals).
3. Ramasundarahettige, C. F., Donner, A. and Zou, G. Y. (2009). Statistics in Medicine 28, 1041-1053 (the same for ICCs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr

from reporter.results import AgreementGap, Estimate, Icc, VerdictName
from reporter.stats.agreement import AgreementArrays, agreement_arrays
from reporter.stats.comparisons import Adjust, adjust_p
from reporter.stats.intervals import newcombe, normal_quantile, rate_test, two_sided
from reporter.stats.rater_pairs import PairCounts, PairMoments
from reporter.stats.weighted_kappa import weighted_kappa

UNDEFINED = "the statistic is undefined for the group or for the rest"
NO_VARIANCE = "no interval for the group or for the rest: its variance formula gives 0"
NO_ICC_INTERVAL = "no interval of the correlation for the group or for the rest"
TOO_SMALL = "fewer pairs of ratings than min_group_size in the group or in the rest"
MAY_BE_CHANCE = "beyond the limit, but it may be chance"
TOO_WIDE = "the interval is too wide to tell"


def agreement_gaps(
    groups: Sequence[str],
    *,
    grouping: str,
    counts: PairCounts | None = None,
    moments: PairMoments | None = None,
    tables: Sequence[ArrayLike] | None = None,
    statistics: Sequence[str] = ("kappa", "pabak", "ac1", "icc"),
    icc_form: str = "A1",
    limit: float = 0.1,
    alpha: float = 0.05,
    adjust: Adjust = "holm",
    min_group_size: int = 30,
    confidence: float = 0.95,
    first: str = "",
    second: str = "",
    item: str | None = None,
) -> tuple[AgreementGap, ...]:
    """Each group's agreement minus that of the rest, statistic by statistic, with interval, p-value and verdict.

    - kappa, ac1: normal interval and test from both groups' variances (Fleiss, Cohen and Everitt; linearisation).
    - pabak: twice Newcombe's interval [1] of the two shares of agreement; p as for any two rates (pooled score test, mid-p
      Fisher where an expected count is under 5).
    - weighted_kappa: normal, from the standard errors of both (Fleiss, Cohen and Everitt).
    - icc: the limits of both F-based intervals combined [2, 3]; p is where that interval just touches 0. The F intervals
      take the scores for normal, which makes this a large-sample approximation for other scores.

    p-values are adjusted over the distinct comparisons of this call; two groups are one comparison a statistic.

    Parameters
    ----------
    groups
        The G groups' names.
    counts, moments, tables
        Of the same G groups. ``counts`` serve kappa, pabak and ac1, ``moments`` icc, ``tables`` (of ordered categories)
        weighted_kappa; a statistic without its counts or sums is left out.
    limit
        The largest gap that is within the limit, in the statistic's own unit (kappa: 0 to 2).

    Returns
    -------
    tuple of AgreementGap
        "diverges": the gap lies beyond the limit and the adjusted p-value is at most alpha. "within limit": the
        1 - 2*alpha interval lies inside the limit. "insufficient evidence": everything else, with the reason.

    Examples
    --------
    >>> found = agreement_gaps(["x", "y"], grouping="sex", statistics=["pabak"],
    ...                        counts=PairCounts.of([40, 80], [5, 1], [5, 1], [50, 118]))
    >>> [(one.group, round(one.gap.value, 2), one.verdict) for one in found]
    [('x', -0.18, 'diverges'), ('y', 0.18, 'diverges')]
    """
    if len(groups) < 2:
        return ()
    found: list[tuple[str, int, _Gap]] = []
    for statistic in statistics:
        for group, gap in enumerate(_gaps(statistic, counts, moments, tables, icc_form, confidence, alpha)):
            found.append((statistic, group, gap))
    tested = [i for i, (_, group, gap) in enumerate(found) if gap.p is not None and (len(groups) > 2 or group == 0)]
    adjusted = dict(zip(tested, adjust_p([found[i][2].p or 0.0 for i in tested], adjust), strict=True))
    result = []
    for i, (statistic, group, gap) in enumerate(found):
        # The second of two groups repeats the first one's comparison.
        p_adjusted = adjusted.get(i if len(groups) > 2 or group == 0 else i - 1)
        verdict, reason = _verdict(gap, p_adjusted, limit=limit, alpha=alpha, min_group_size=min_group_size)
        estimate = Estimate(gap.value, gap.low, gap.high, gap.n, method=gap.method, reason=gap.reason)
        result.append(
            AgreementGap(
                grouping=grouping,
                group=groups[group],
                statistic=f"icc_{icc_form.lower()}" if statistic == "icc" else statistic,
                reference="rest",
                gap=estimate,
                p=gap.p,
                p_adjusted=p_adjusted,
                verdict=verdict,
                reason=reason,
                first=first,
                second=second,
                item=item,
                limit=limit,
                group_value=gap.group_value,
                reference_value=gap.reference_value,
            )
        )
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _Gap:
    """One gap before its verdict; ``inner`` is the 1 - 2*alpha interval of the two one-sided tests."""

    value: float | None
    n: int
    n_rest: int
    method: str
    group_value: float | None
    reference_value: float | None
    low: float | None = None
    high: float | None = None
    inner: tuple[float, float] | None = None
    p: float | None = None
    reason: str | None = None


def _gaps(
    statistic: str,
    counts: PairCounts | None,
    moments: PairMoments | None,
    tables: Sequence[ArrayLike] | None,
    icc_form: str,
    confidence: float,
    alpha: float,
) -> list[_Gap]:
    if statistic == "weighted_kappa":
        return [] if tables is None else _weighted_gaps(tables, confidence, alpha)
    if statistic == "icc":
        return [] if moments is None else _icc_gaps(moments, icc_form, confidence, alpha)
    if counts is None:
        return []
    values = agreement_arrays(counts.a, counts.b, counts.c, counts.d)
    rest = counts.rest()
    others = agreement_arrays(rest.a, rest.b, rest.c, rest.d)
    if statistic == "pabak":
        return _pabak_gaps(counts, rest, values, others, confidence, alpha)
    if statistic not in ("kappa", "ac1"):
        raise ValueError(f"statistic {statistic!r} has no gap; expected kappa, pabak, ac1, weighted_kappa or icc")
    return _normal_gaps(statistic, values, others, confidence, alpha)


def _normal_gaps(
    statistic: str, values: AgreementArrays, others: AgreementArrays, confidence: float, alpha: float
) -> list[_Gap]:
    here, there = getattr(values, statistic), getattr(others, statistic)
    gap = here - there
    error = np.sqrt(getattr(values, f"{statistic}_variance") + getattr(others, f"{statistic}_variance"))
    with np.errstate(divide="ignore", invalid="ignore"):
        p = two_sided(gap / error)
    outer, inner = normal_quantile(confidence) * error, normal_quantile(1 - 2 * alpha) * error
    columns = (here, there, gap, gap - outer, gap + outer, gap - inner, gap + inner, p, values.n, others.n)
    return [_one_gap(row, "normal, from both variances", NO_VARIANCE) for row in np.stack(columns, axis=1).tolist()]


def _pabak_gaps(
    counts: PairCounts,
    rest: PairCounts,
    values: AgreementArrays,
    others: AgreementArrays,
    confidence: float,
    alpha: float,
) -> list[_Gap]:
    agreeing = (counts.a + counts.d, values.n, rest.a + rest.d, others.n)
    low, high = newcombe(*agreeing, confidence)
    inner_low, inner_high = newcombe(*agreeing, 1 - 2 * alpha)
    p, _ = rate_test(*agreeing)
    gap = values.pabak - others.pabak
    columns = (values.pabak, others.pabak, gap, 2 * low, 2 * high, 2 * inner_low, 2 * inner_high, p, values.n, others.n)
    return [_one_gap(row, "Newcombe, twice that of agreement", UNDEFINED) for row in np.stack(columns, axis=1).tolist()]


def _weighted_gaps(tables: Sequence[ArrayLike], confidence: float, alpha: float) -> list[_Gap]:
    counts = np.stack([np.asarray(table, dtype=np.float64) for table in tables])
    pairs = [
        (weighted_kappa(one, confidence=confidence), weighted_kappa(counts.sum(axis=0) - one, confidence=confidence))
        for one in counts
    ]
    here, there = (
        np.array([math.nan if one.value is None else one.value for one in ones]) for ones in zip(*pairs, strict=True)
    )
    error = np.array([math.hypot(*(_standard_error(one, confidence) for one in pair)) for pair in pairs])
    gap, sizes = here - there, np.array([[one.n for one in pair] for pair in pairs])
    outer, inner = normal_quantile(confidence) * error, normal_quantile(1 - 2 * alpha) * error
    with np.errstate(divide="ignore", invalid="ignore"):
        p = two_sided(gap / error)
    columns = (here, there, gap, gap - outer, gap + outer, gap - inner, gap + inner, p, sizes[:, 0], sizes[:, 1])
    return [_one_gap(row, "normal, from both variances", NO_VARIANCE) for row in np.stack(columns, axis=1).tolist()]


def _standard_error(estimate: Estimate, confidence: float) -> float:
    if estimate.low is None or estimate.high is None:
        return math.nan
    return (estimate.high - estimate.low) / 2 / normal_quantile(confidence)


def _one_gap(row: list[float], method: str, no_interval: str) -> _Gap:
    here, there, gap, low, high, inner_low, inner_high, p, n, n_rest = row
    bare = _Gap(_defined(gap), int(n), int(n_rest), method, _defined(here), _defined(there))
    if bare.value is None:
        return replace(bare, reason=UNDEFINED)
    if math.isnan(low):
        return replace(bare, reason=no_interval)
    return replace(bare, low=low, high=high, inner=(inner_low, inner_high), p=p)


def _icc_gaps(moments: PairMoments, form: str, confidence: float, alpha: float) -> list[_Gap]:
    rest = moments.rest()
    found = []
    for group in range(len(moments.n)):
        here, there = moments.icc(group, form, confidence), rest.icc(group, form, confidence)
        gap = None if here.value is None or there.value is None else here.value - there.value
        bare = _Gap(gap, here.n, there.n, "both F-based intervals combined", here.value, there.value)
        limits = _combined(here, there)
        if gap is None or limits is None:
            found.append(replace(bare, reason=UNDEFINED if gap is None else NO_ICC_INTERVAL))
            continue

        def at(level: float, group: int = group) -> tuple[float, float] | None:
            return _combined(moments.icc(group, form, level), rest.icc(group, form, level))

        found.append(replace(bare, low=limits[0], high=limits[1], inner=at(1 - 2 * alpha), p=_touching_p(gap, at)))
    return found


def _combined(here: Icc, there: Icc) -> tuple[float, float] | None:
    """The interval of a difference from both intervals [2]."""
    if here.value is None or there.value is None or here.low is None or there.low is None:
        return None
    if here.high is None or there.high is None:
        return None
    gap = here.value - there.value
    return (
        gap - math.hypot(here.value - here.low, there.high - there.value),
        gap + math.hypot(here.high - here.value, there.value - there.low),
    )


def _touching_p(gap: float, at: Callable[[float], tuple[float, float] | None]) -> float:
    """The p-value at which the interval just touches 0, by bisection over the normal quantile of its level."""
    if gap == 0:
        return 1.0
    excludes, covers = 0.0, 8.0
    for _ in range(30):
        z = (excludes + covers) / 2
        limits = at(float(1 - 2 * ndtr(-z)))
        # A missing limit at an extreme level says nothing against "no gap".
        if limits is None or limits[0] <= 0 <= limits[1]:
            covers = z
        else:
            excludes = z
    return float(2 * ndtr(-excludes))


def _verdict(
    gap: _Gap, p_adjusted: float | None, *, limit: float, alpha: float, min_group_size: int
) -> tuple[VerdictName, str | None]:
    if gap.value is None or gap.inner is None or p_adjusted is None:
        return "insufficient evidence", gap.reason
    if min(gap.n, gap.n_rest) < min_group_size:
        return "insufficient evidence", TOO_SMALL
    if abs(gap.value) > limit and p_adjusted <= alpha:
        return "diverges", None
    if -limit < gap.inner[0] and gap.inner[1] < limit:
        return "within limit", None
    return "insufficient evidence", MAY_BE_CHANCE if abs(gap.value) > limit else TOO_WIDE


def _defined(value: float) -> float | None:
    return None if math.isnan(value) else value
