"""What a noise study's curves say: which statistic puts which group at a disadvantage, and which correction explains it.

Knows the curves' points only; the words are made elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal

from reporter.results import NoiseFinding, NoiseFindings, NoiseGroup, NoisePoint

JUDGED = ("kappa", "pabak", "icc_a1")
"""The statistics of agreement; the others explain them."""

SYSTEMATIC_SHARE = 0.9


def noise_findings(points: Iterable[NoisePoint]) -> NoiseFindings:
    """The facts behind a noise study's sentences; empty with fewer than two groups or without a level above 0.

    Examples
    --------
    >>> points = [NoisePoint(g, p, "pabak", 1 - p * f, 0.001, 20) for p in (0.1, 0.2) for g, f in (("x", 2), ("y", 1))]
    >>> one = noise_findings(points).statistics[0]
    >>> one.lower, one.levels_lower, round(one.mean_gap, 3), one.largest_at, one.systematic
    ('x', 2, 0.15, 0.2, True)
    """
    curves = _Curves(points)
    found = [finding for statistic in JUDGED if (finding := _finding(curves, statistic)) is not None]
    groups = tuple(_group(curves, group) for group in curves.groups)
    main_part, most_corrected = _main_part(groups)
    return NoiseFindings(
        statistics=tuple(found),
        groups=groups,
        contradictions=tuple(
            (one.statistic, two.statistic) for one, two in combinations(found, 2) if _opposed(one, two)
        ),
        main_part=main_part,
        most_corrected=most_corrected,
    )


class _Curves:
    """The points by statistic, group and level."""

    def __init__(self, points: Iterable[NoisePoint]) -> None:
        self._by = {(point.statistic, point.group, point.noise): point for point in points}
        self.groups = tuple(dict.fromkeys(group for _, group, _ in self._by))
        self.levels = tuple(sorted({noise for _, _, noise in self._by}))
        self.noisy = tuple(level for level in self.levels if level > 0)

    def value(self, statistic: str, group: str, level: float) -> float | None:
        point = self._by.get((statistic, group, level))
        return None if point is None else point.mean

    def error(self, statistic: str, group: str, level: float) -> float | None:
        point = self._by.get((statistic, group, level))
        return None if point is None else point.mc_error

    def mean(self, statistic: str, group: str) -> float | None:
        """Over the levels above 0 where it is defined."""
        values = [value for level in self.noisy if (value := self.value(statistic, group, level)) is not None]
        return math.fsum(values) / len(values) if values else None


def _finding(curves: _Curves, statistic: str) -> NoiseFinding | None:
    means = {group: mean for group in curves.groups if (mean := curves.mean(statistic, group)) is not None}
    if len(means) < 2:
        return None
    lower, higher = min(means, key=lambda group: means[group]), max(means, key=lambda group: means[group])
    gaps = {}
    for level in curves.noisy:
        low, high = curves.value(statistic, lower, level), curves.value(statistic, higher, level)
        if low is not None and high is not None:
            gaps[level] = high - low
    if lower == higher or not gaps:
        return None
    n_lower = sum(gap > 0 for gap in gaps.values())
    share, mean_gap = n_lower / len(gaps), math.fsum(gaps.values()) / len(gaps)
    largest_at = max(gaps, key=lambda level: gaps[level])
    error = _mean_error(curves, statistic, (lower, higher), tuple(gaps))
    beyond_chance = error is None or mean_gap > 2 * error
    return NoiseFinding(
        statistic=statistic,
        lower=lower,
        higher=higher,
        levels=len(gaps),
        levels_lower=n_lower,
        share=share,
        mean_gap=mean_gap,
        mean_gap_error=error,
        largest_gap=gaps[largest_at],
        largest_at=largest_at,
        systematic=share >= SYSTEMATIC_SHARE and beyond_chance,
    )


def _mean_error(curves: _Curves, statistic: str, groups: tuple[str, str], levels: Sequence[float]) -> float | None:
    """An upper bound of the mean gap's Monte-Carlo error: as if all levels erred together, which shared folds make them do in part."""
    errors = []
    for level in levels:
        parts = [curves.error(statistic, group, level) for group in groups]
        if any(part is None for part in parts):
            return None
        errors.append(math.hypot(*(part or 0.0 for part in parts)))
    return math.fsum(errors) / len(errors)


def _group(curves: _Curves, group: str) -> NoiseGroup:
    kappa, pabak = curves.mean("kappa", group), curves.mean("pabak", group)
    parts = [curves.mean(f"{part}_adjusted_kappa", group) for part in ("prevalence", "bias")]
    prevalence, bias = (None if part is None or kappa is None else part - kappa for part in parts)
    ends = (curves.levels[0], curves.levels[-1])
    scores = [curves.value(name, group, level) for name in ("mean_score", "referral_rate") for level in ends]
    return NoiseGroup(
        group=group,
        correction=None if kappa is None or pabak is None else pabak - kappa,
        prevalence_part=prevalence,
        bias_part=bias,
        mean_score_first=scores[0],
        mean_score_last=scores[1],
        referral_rate_first=scores[2],
        referral_rate_last=scores[3],
    )


def _main_part(groups: Sequence[NoiseGroup]) -> tuple[Literal["prevalence", "bias"] | None, str | None]:
    known = [group for group in groups if group.prevalence_part is not None and group.bias_part is not None]
    if len(known) < 2:
        return None, None
    prevalence = {group.group: group.prevalence_part or 0.0 for group in known}
    bias = {group.group: abs(group.bias_part or 0.0) for group in known}
    by_prevalence = max(prevalence.values()) - min(prevalence.values())
    by_bias = max(bias.values()) - min(bias.values())
    chosen: tuple[Literal["prevalence", "bias"], dict[str, float]]
    chosen = ("prevalence", prevalence) if by_prevalence >= by_bias else ("bias", bias)
    return chosen[0], max(chosen[1], key=lambda group: chosen[1][group])


def _opposed(one: NoiseFinding, two: NoiseFinding) -> bool:
    opposite = one.lower == two.higher and one.higher == two.lower
    return opposite and one.systematic and two.systematic
