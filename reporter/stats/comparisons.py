"""Each group held against a reference: gaps, p-values adjusted over the distinct comparisons, and the three verdicts.

Verdicts are decided here, once; card, exit code, JUnit and annotations only show them. Config and rendering are unknown here.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from reporter.results import Comparison, Estimate, Level
from reporter.stats.cells import CellArrays, Ints
from reporter.stats.gaps import Gaps, independent_gaps, overall_gaps
from reporter.stats.measures import Metric, to_estimates
from reporter.stats.metrics import metric
from reporter.stats.samples import Groups
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable
from reporter.stats.verdicts import Evidence, Rule, Settings, check_rule, decide, rows_needed, wholly_beyond

__all__ = ["Adjust", "Rule", "adjust_p", "compare", "finding_id", "finding_part"]

Adjust = Literal["holm", "bh", "none"]

NEITHER_BETTER = "neither high nor low values of this metric are better, so no group is best"
NO_BEST = "no group has a value, so none is best"


def compare(
    rules: Sequence[Rule],
    *,
    model: str,
    grouping: str,
    levels: Sequence[Level],
    cells: CellArrays,
    scores: ScoreMoments | None = None,
    rest_scores: ScoreMoments | None = None,
    overall_scores: ScoreMoments | None = None,
    table: ScoreTable | ScoreGrid | None = None,
    alpha: float = 0.05,
    adjust: Adjust = "holm",
    min_group_size: int = 30,
    confidence: float = 0.95,
) -> tuple[Comparison, ...]:
    """All comparisons of one model in one grouping, rule by rule, groups in the order of ``levels``.

    ``cells`` and ``scores`` are aligned with ``levels``. ``rest_scores`` (for each group the moments of everyone else), ``overall_scores``
    (one group: all rows) and ``scores`` follow from ``table`` when it is an exact ScoreTable; an engine that counted moments itself
    passes them. A group is not compared with itself. A rule whose named reference is not among ``levels`` gives no comparison here.

    p-values of "no gap" are adjusted over the distinct comparisons of all ``rules``: a metric and its complement ask the same question,
    two groups ask it once, ``overall`` asks that of the rest, and so do several rules about one metric and reference. Comparisons without
    a p-value do not count. ``best`` is chosen from these data among the named groups of at least ``min_group_size`` rows.

    Verdicts: *diverges* when the estimated gap is beyond the limit and the adjusted p is at most ``alpha``; *within limit* when the interval
    at confidence 1 - 2 * ``alpha`` (two one-sided tests) lies inside the limit; else *insufficient evidence* with a reason.
    With ``decide_by="point"`` the bare gap decides. A side of fewer than ``min_group_size`` rows is never enough.

    Raises
    ------
    ValueError
        For an unknown metric, a limit that makes no sense, alpha outside (0, 0.5).

    Examples
    --------
    >>> levels = [Level("f", 200, ("f",)), Level("m", 200, ("m",))]
    >>> cells = CellArrays(tp=[80, 50], fp=[10, 10], tn=[90, 90], fn=[20, 50])
    >>> found = compare([Rule("fnr", limit=0.05)], model="m1", grouping="sex", levels=levels, cells=cells)
    >>> [(one.finding, one.verdict, one.clear) for one in found]
    [('fnr/sex/f/m1', 'diverges', True), ('fnr/sex/m/m1', 'diverges', True)]
    """
    if not 0.0 < alpha < 0.5:
        raise ValueError(f"alpha must lie between 0 and 0.5, found {alpha}")
    if len(levels) != len(cells):
        raise ValueError(f"{len(levels)} levels, cells of {len(cells)} groups")
    groups = Groups(cells, scores=scores, rest_scores=rest_scores, overall_scores=overall_scores, table=table)
    settings = Settings(alpha, min_group_size, confidence)
    held = [_hold(rule, groups=groups, levels=levels, settings=settings) for rule in rules if _applies(rule, levels)]
    family, adjusted = _adjusted_family(held, adjust)
    steps = _levels(list(family.values()), list(adjusted.values()), adjust, alpha)
    found = []
    for one in held:
        p, p_adjusted = ([known.get(key) for key in one.keys] for known in (family, adjusted))
        found += _comparisons(
            one, p, p_adjusted, steps, model=model, grouping=grouping, levels=levels, settings=settings
        )
    return tuple(found)


def adjust_p(p: Sequence[float], method: Adjust) -> list[float]:
    """Adjusted p-values in the order given: Holm (family-wise error), Benjamini-Hochberg (false discovery rate), or none.

    References
    ----------
    .. [1] S. Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6, 65-70.
    .. [2] Y. Benjamini and Y. Hochberg (1995), Controlling the false discovery rate, JRSS B 57, 289-300.

    Examples
    --------
    >>> adjust_p([0.01, 0.04, 0.03], "holm"), adjust_p([0.01, 0.04, 0.03], "bh")
    ([0.03, 0.06, 0.06], [0.03, 0.04, 0.04])
    """
    values = np.asarray(p, np.float64)
    m = len(values)
    if method == "none" or m == 0:
        return [float(value) for value in p]
    order = np.argsort(values, kind="stable")
    ranked = values[order]
    if method == "holm":
        steps = np.maximum.accumulate(ranked * np.arange(m, 0, -1))
    elif method == "bh":
        steps = np.minimum.accumulate((ranked * m / np.arange(1, m + 1))[::-1])[::-1]
    else:
        raise ValueError(f"adjust is {method!r}, expected holm, bh or none")
    result = np.empty(m)
    result[order] = np.minimum(steps, 1.0)
    return [float(value) for value in result]


def finding_id(metric: str, grouping: str, group: str, model: str, rule: str | None = None) -> str:
    """``metric/grouping/group/model[/rule]``, with "%" and "/" inside a part written as %25 and %2F.

    >>> finding_id("fnr", "sex", "a/b", "2.4")
    'fnr/sex/a%2Fb/2.4'
    """
    parts = [metric, grouping, group, model, *([rule] if rule else [])]
    return "/".join(map(finding_part, parts))


def finding_part(name: str) -> str:
    """A name as a finding's id spells it.

    >>> finding_part("100% a/b")
    '100%25 a%2Fb'
    """
    return name.replace("%", "%25").replace("/", "%2F")


class _Asked(TypedDict):
    comparison: Literal["difference", "ratio"]
    confidence: float
    inner_confidence: float


@dataclass(frozen=True, slots=True)
class _Held:
    """One rule's comparisons before adjustment: positions of the groups, gaps, both sides' estimates."""

    rule: Rule
    metric: Metric
    position: Ints
    gaps: Gaps | None
    keys: list[Hashable]
    group_estimates: list[Estimate]
    reference_estimates: list[Estimate]
    reference_group: str | None
    group_sizes: Ints
    reference_sizes: Ints
    reason: str | None = None


def _applies(rule: Rule, levels: Sequence[Level]) -> bool:
    return rule.reference in ("rest", "overall", "largest", "best") or any(
        level.name == rule.reference for level in levels
    )


def _hold(rule: Rule, *, groups: Groups, levels: Sequence[Level], settings: Settings) -> _Held:
    asked = metric(rule.metric)
    check_rule(rule)
    sizes = groups.cells.n
    asked_for: _Asked = {
        "comparison": rule.comparison,
        "confidence": settings.confidence,
        "inner_confidence": 1.0 - 2.0 * settings.alpha,
    }
    everyone = np.arange(len(levels))
    sample = groups.sample(asked)
    own = to_estimates(asked, asked.measure(sample), settings.confidence)
    family = asked.family
    if rule.reference in ("rest", "overall"):
        rest = groups.rest(asked)
        if rule.reference == "rest":
            gaps = independent_gaps(asked, sample, rest, **asked_for)
            reference = to_estimates(asked, asked.measure(rest), settings.confidence)
        else:
            whole = groups.overall(asked)
            repeated = whole.take(np.zeros(len(levels), np.int64))
            known = groups.contained_auc_variances if asked.name == "auc" else None
            gaps = overall_gaps(asked, sample, rest, repeated, variances=known, **asked_for)
            reference = to_estimates(asked, asked.measure(repeated), settings.confidence)
        two = len(levels) == 2
        keys: list[Hashable] = [(family, frozenset({0, 1}) if two else i) for i in range(len(levels))]
        return _Held(rule, asked, everyone, gaps, keys, list(own), list(reference), None, sizes, sizes.sum() - sizes)
    chosen = _reference_position(rule.reference, asked, own, levels, settings.min_group_size)
    if chosen is None:
        why = NO_BEST if asked.better else NEITHER_BETTER
        nothing = [Estimate(None, reason=why)] * len(levels)
        return _Held(rule, asked, everyone, None, [None] * len(levels), list(own), nothing, None, sizes, sizes, why)
    others = everyone[everyone != chosen]
    gaps = independent_gaps(asked, sample.take(others), sample.take(np.full(len(others), chosen)), **asked_for)
    return _Held(
        rule,
        asked,
        others,
        gaps,
        [(family, frozenset({int(i), chosen})) for i in others],
        [own[i] for i in others],
        [own[chosen]] * len(others),
        levels[chosen].name,
        sizes[others],
        np.full(len(others), sizes[chosen]),
    )


def _reference_position(
    reference: str, asked: Metric, own: Sequence[Estimate], levels: Sequence[Level], min_group_size: int
) -> int | None:
    """The reference group's place. Ties go to the larger group, then to the first; "(missing)" is chosen only for want of others."""
    if reference not in ("largest", "best"):
        return next(i for i, level in enumerate(levels) if level.name == reference)
    known = [i for i, level in enumerate(levels) if not level.missing] or list(range(len(levels)))
    if reference == "largest":
        return max(known, key=lambda i: (levels[i].n, -i), default=None)
    defined = [i for i in known if own[i].value is not None and asked.better]
    large = [i for i in defined if levels[i].n >= min_group_size] or defined
    sign = 1.0 if asked.better == "high" else -1.0
    return max(large, key=lambda i: (sign * (own[i].value or 0.0), levels[i].n, -i), default=None)


def _adjusted_family(held: Sequence[_Held], adjust: Adjust) -> tuple[dict[Hashable, float], dict[Hashable, float]]:
    """p and adjusted p of every question; equal questions share both."""
    family: dict[Hashable, float] = {}
    for one in held:
        if one.gaps is not None:
            for key, p in zip(one.keys, one.gaps.p.tolist(), strict=True):
                if not math.isnan(p):
                    family.setdefault(key, p)
    return family, dict(zip(family, adjust_p(list(family.values()), adjust), strict=True))


def _levels(p: Sequence[float], adjusted: Sequence[float], adjust: Adjust, alpha: float) -> NDArray[np.float64]:
    """The levels, ascending, of which the largest below a comparison's p is what its p would have to fall to for an adjusted p of
    alpha, as all others stand."""
    m = len(p)
    if adjust == "none" or m == 0:
        return np.array([alpha])
    if adjust == "holm":
        settled = sum(one <= alpha for one in adjusted)
        return np.array([alpha / max(m - settled, 1)])
    steps = alpha * np.arange(1, m + 1) / m
    return steps[np.searchsorted(np.sort(p), steps, side="right") >= np.arange(m)]


def _comparisons(
    held: _Held,
    p: list[float | None],
    p_adjusted: list[float | None],
    steps: NDArray[np.float64],
    *,
    model: str,
    grouping: str,
    levels: Sequence[Level],
    settings: Settings,
) -> list[Comparison]:
    rule, gaps = held.rule, held.gaps
    n = len(held.position)
    gap_estimates = [Estimate(None, reason=held.reason)] * n if gaps is None else gaps.to_estimates()
    inner = np.full((2, n), np.nan) if gaps is None else np.stack((gaps.inner_low, gaps.inner_high))
    variances = np.full((2, n), np.nan) if gaps is None else np.stack((gaps.group_variance, gaps.reference_variance))
    found = []
    for k, position in enumerate(held.position.tolist()):
        evidence = Evidence(
            gap=gap_estimates[k],
            inner_low=float(inner[0, k]),
            inner_high=float(inner[1, k]),
            p=p[k],
            p_adjusted=p_adjusted[k],
            n_group=int(held.group_sizes[k]),
            n_reference=int(held.reference_sizes[k]),
            group_variance=float(variances[0, k]),
            reference_variance=float(variances[1, k]),
            level=float(steps[max(int(np.searchsorted(steps, p[k] or 0.0)) - 1, 0)]),
            counts=_counts(held, k) if held.metric.kind == "rate" else None,
        )
        verdict, reason = decide(rule, evidence, settings)
        needed = rows_needed(rule, evidence, settings) if verdict == "insufficient evidence" else None
        name = levels[position].name
        found.append(
            Comparison(
                finding=finding_id(held.metric.name, grouping, name, model, rule.name),
                rule=rule.index,
                model=model,
                grouping=grouping,
                group=name,
                metric=held.metric.name,
                reference=rule.reference,
                reference_group=held.reference_group,
                comparison=rule.comparison,
                limit=rule.limit,
                side=rule.side,
                severity=rule.severity,
                decide_by=rule.decide_by,
                group_estimate=held.group_estimates[k],
                reference_estimate=held.reference_estimates[k],
                gap=evidence.gap,
                p=p[k],
                p_adjusted=p_adjusted[k],
                verdict=verdict,
                clear=verdict == "diverges" and wholly_beyond(rule, evidence.gap),
                reason=reason,
                rows_needed=needed,
            )
        )
    return found


def _counts(held: _Held, k: int) -> tuple[float, float, float, float] | None:
    """Numerator and denominator of the group and of those it was tested against: the rest, where the reference is the whole."""
    group, reference = held.group_estimates[k], held.reference_estimates[k]
    x1, n1, x2, n2 = group.numerator, group.denominator, reference.numerator, reference.denominator
    if x1 is None or x2 is None or not n1 or not n2:
        return None
    if held.rule.reference == "overall":
        x2, n2 = x2 - x1, n2 - n1
    return (x1, n1, x2, n2) if n2 else None
