"""From the evidence of one comparison to its verdict: diverges, within limit, or insufficient evidence with the reason.

Pure functions of numbers; how gaps, intervals and p-values come about is unknown here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from scipy import special

from reporter.results import Estimate, VerdictName

TOLERANCE = 1e-12
"""A gap this close to the limit is at the limit, not beyond: 0.24 / 0.30 must not fall below 0.8 by rounding."""

NO_OTHER_GROUP = "there is no other group to compare with"
TOO_WIDE_TO_DIVERGE = "the gap is beyond the limit, but there are too few rows to rule out that there is none"
TOO_WIDE_TO_SETTLE = "the gap is inside the limit, but there are too few rows to rule out one beyond it"
NO_TEST = "the gap is beyond the limit, but it has no p-value"
NO_INTERVAL = "the gap is inside the limit, but it has no interval"


@dataclass(frozen=True, slots=True)
class Rule:
    """What must not differ by more than what. ``index`` is the rule's place in the config, ``name`` its optional name.

    ``reference`` is "rest", "overall", "largest", "best" or the name of a group. ``limit``: for a difference in the metric's
    unit, for a ratio r a number in (0, 1): beyond means outside r to 1/r. ``side``: only gaps below ("low") or above ("high") count.
    """

    metric: str
    reference: str = "rest"
    comparison: Literal["difference", "ratio"] = "difference"
    limit: float = 0.05
    side: Literal["both", "low", "high"] = "both"
    severity: Literal["fail", "warn"] = "fail"
    decide_by: Literal["interval", "point"] = "interval"
    index: int = 0
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Settings:
    """What all verdicts of a run share: the level of the tests, the smallest group, the confidence of the intervals shown."""

    alpha: float
    min_group_size: int
    confidence: float


def check_rule(rule: Rule) -> None:
    """ValueError for a limit that makes no sense."""
    if rule.comparison == "ratio" and not 0.0 < rule.limit < 1.0:
        raise ValueError(f"{rule.metric}: a ratio limit must lie between 0 and 1, found {rule.limit}")
    if rule.comparison == "difference" and not 0.0 <= rule.limit < math.inf:
        raise ValueError(f"{rule.metric}: a limit must not be negative, found {rule.limit}")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What one comparison rests on. NaN in the inner interval or the variances: there is none.

    ``level``: p must be at most this for the gap to be ruled out to be none, as the other comparisons of the family stand. ``counts``: of a
    rate, the group's and the reference's numerator and denominator that p was computed from.
    """

    gap: Estimate
    inner_low: float
    inner_high: float
    p: float | None
    p_adjusted: float | None
    n_group: int
    n_reference: int
    group_variance: float
    reference_variance: float
    level: float
    counts: tuple[float, float, float, float] | None = None


def decide(rule: Rule, evidence: Evidence, settings: Settings) -> tuple[VerdictName, str | None]:
    """The verdict and, for "insufficient evidence", why.

    *diverges*: the gap is beyond the limit and the adjusted p at most alpha. *within limit*: the inner interval, at 1 - 2 alpha, lies inside the
    limit. With ``decide_by`` "point" the gap alone decides. Anything undefined or too small is insufficient.
    """
    undecided: VerdictName = "insufficient evidence"
    if evidence.n_reference == 0:
        return undecided, NO_OTHER_GROUP
    if evidence.gap.value is None:
        return undecided, evidence.gap.reason
    smallest = settings.min_group_size
    if evidence.n_group < smallest:
        return undecided, f"the group is smaller than the minimum of {smallest} rows"
    if evidence.n_reference < smallest:
        return undecided, f"the reference is smaller than the minimum of {smallest} rows"
    beyond = _beyond(rule, evidence.gap.value)
    if rule.decide_by == "point":
        return ("diverges" if beyond else "within limit"), None
    if beyond:
        if evidence.p_adjusted is None:
            return undecided, _because(NO_TEST, evidence.gap.reason)
        if evidence.p_adjusted <= settings.alpha:
            return "diverges", None
        return undecided, TOO_WIDE_TO_DIVERGE
    low, high = limits_of(rule)
    if math.isnan(evidence.inner_low) or math.isnan(evidence.inner_high):
        return undecided, _because(NO_INTERVAL, evidence.gap.reason)
    if evidence.inner_low >= low - TOLERANCE and evidence.inner_high <= high + TOLERANCE:
        return "within limit", None
    return undecided, TOO_WIDE_TO_SETTLE


def _because(text: str, reason: str | None) -> str:
    return text if reason is None else f"{text}: {reason}"


def limits_of(rule: Rule) -> tuple[float, float]:
    """The smallest and largest gap that is not beyond the limit; infinite on a side that does not count.

    >>> limits_of(Rule("tpr", comparison="ratio", limit=0.8, side="low")), limits_of(Rule("tpr", limit=0.05))
    ((0.8, inf), (-0.05, 0.05))
    """
    low, high = (rule.limit, 1.0 / rule.limit) if rule.comparison == "ratio" else (-rule.limit, rule.limit)
    return (
        -math.inf if rule.side == "high" else low,
        math.inf if rule.side == "low" else high,
    )


def _beyond(rule: Rule, gap: float) -> bool:
    low, high = limits_of(rule)
    return gap < low - TOLERANCE or gap > high + TOLERANCE


def wholly_beyond(rule: Rule, gap: Estimate) -> bool:
    """Whether the whole interval shown lies beyond the limit."""
    if gap.low is None or gap.high is None:
        return False
    low, high = limits_of(rule)
    return gap.high < low - TOLERANCE or gap.low > high + TOLERANCE


def rows_needed(rule: Rule, evidence: Evidence, settings: Settings) -> int | None:
    """Roughly how many more rows of the group would settle the verdict, if its rates and all other comparisons stayed as they are.

    For a rate beyond the limit: the rows with which its test of "no gap" (pooled, two-sided) is at its level. Else the group's share of the
    variance shrinks with its rows and the reference's stays; what must shrink is the distance of the test statistic from its critical
    value or, for a gap inside the limit, how far the 1 - 2 alpha interval reaches beyond it. None when no number of rows of this group
    alone would do, or when the gap is undefined.
    """
    missing = max(settings.min_group_size - evidence.n_group, 0)
    value, ratio = evidence.gap.value, rule.comparison == "ratio"
    total = evidence.group_variance + evidence.reference_variance
    if value is None or evidence.n_group == 0 or evidence.n_reference < settings.min_group_size:
        return None
    if rule.decide_by == "point" or not total > 0.0 or (ratio and value <= 0.0):
        return missing or None
    if _beyond(rule, value) and evidence.counts is not None:
        factor = _rate_factor(*evidence.counts, evidence.level)
        return _whole(evidence.n_group * (factor - 1.0), missing)
    share = evidence.group_variance / total
    allowed = _allowed_shrinkage(rule, evidence)
    if allowed is None:
        return missing or None
    room = allowed**2 - (1.0 - share)
    if room <= 0.0:
        return None
    return _whole(evidence.n_group * (share / room - 1.0), missing)


def _whole(more: float, missing: int) -> int | None:
    return max(math.ceil(more), missing, 1) if more < 1e12 else None


def _rate_factor(x1: float, n1: float, x2: float, n2: float, level: float) -> float:
    """The smallest factor on x1 and n1 with which the pooled test of two rates has p <= level; infinite if there is none.

    With r1 = x1 / n1 and N rows of the first group the pooled z is at its critical value c where
    (r1 N + x2) ((1 - r1) N + n2 - x2) = K N (N + n2), K = (r1 - r2)^2 n2 / c^2: a quadratic equation in N.

    >>> factor = _rate_factor(14, 100, 2000, 10000, 0.05)
    >>> round(100 * factor)
    173
    """
    r1, r2 = x1 / n1, x2 / n2
    k = (r1 - r2) ** 2 * n2 / special.ndtri(level / 2.0) ** 2
    a, b, c = r1 * (1.0 - r1) - k, r1 * (n2 - x2) + (1.0 - r1) * x2 - k * n2, x2 * (n2 - x2)
    if a * n1 * n1 + b * n1 + c <= 0.0:
        return 1.0
    discriminant = b * b - 4.0 * a * c
    if discriminant < 0.0:
        return math.inf
    # without cancellation: the roots are q / a and c / q
    q = -(b + math.copysign(math.sqrt(discriminant), b)) / 2.0
    roots = [part / whole for part, whole in ((q, a), (c, q)) if whole]
    return min((root / n1 for root in roots if root >= n1), default=math.inf)


def _allowed_shrinkage(rule: Rule, evidence: Evidence) -> float | None:
    """The factor by which the standard error must shrink; None where that cannot be told."""
    value = evidence.gap.value or 0.0
    if _beyond(rule, value):
        if not evidence.p or evidence.p >= 1.0:
            return None
        critical = special.ndtri(evidence.level / 2.0)
        return float(special.ndtri(evidence.p / 2.0) / critical)
    ends = (value, evidence.inner_low, evidence.inner_high, *limits_of(rule))
    if rule.comparison == "ratio":
        ends = tuple(math.log(end) if end > 0 else -math.inf for end in ends)  # type: ignore[assignment]
    gap, inner_low, inner_high, low, high = ends
    if math.isnan(inner_low) or math.isnan(inner_high):
        return None
    reaches = ((gap - low, gap - inner_low), (high - gap, inner_high - gap))
    factors = [margin / reach for margin, reach in reaches if math.isfinite(margin) and 0 < reach < math.inf]
    smallest = min(factors, default=math.inf)
    return smallest if TOLERANCE < smallest < math.inf else None
