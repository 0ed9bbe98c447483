"""What a noise study's curves say: which statistic puts which group at a disadvantage, and which correction explains it.

A gap is held against chance twice: in the noise, by the repeats, and in who belongs to the groups, by leaving out blocks of rows. The
second is what a group of this size, put together by lot, would show. Knows the curves' points and the rows' blocks only; the words are
made elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal

import numpy as np
from scipy.special import stdtr

from reporter.results import NoiseFinding, NoiseFindings, NoiseGroup, NoisePoint
from reporter.stats.noise_blocks import Replicates

JUDGED = ("kappa", "pabak", "icc_a1")
"""The statistics of agreement; the others explain them."""

EXPLAINED = ("kappa", "pabak", "prevalence_adjusted_kappa", "bias_adjusted_kappa")
"""PABAK - kappa is the sum of what the two adjusted kappas add to kappa."""

SYSTEMATIC_SHARE = 0.9


ALPHA = 0.05
"""The chance that any gap of a study is called systematic where the groups differ by who belongs to them alone."""

COMPARED_SHARE = 0.5
"""Two groups are compared where both are defined at this share of the noise levels or more."""


def noise_findings(points: Iterable[NoisePoint], replicates: Replicates | None = None) -> NoiseFindings:
    """The facts behind a noise study's sentences; empty with fewer than two groups or without a level above 0.

    A level counts where all that is compared there is defined in every repeat: a mean over the other repeats is one over rows that
    happened to be predicted in both ways. Without ``replicates`` the gaps are held against chance in the noise alone.

    Examples
    --------
    >>> points = [NoisePoint(g, p, "pabak", 1 - p * f, 0.001, 20) for p in (0.1, 0.2) for g, f in (("x", 2), ("y", 1))]
    >>> one = noise_findings(points).statistics[0]
    >>> one.lower, one.levels_lower, round(one.mean_gap, 3), one.largest_at, one.systematic
    ('x', 2, 0.15, 0.2, True)
    """
    curves = _Curves(points)
    compared = [(name, pair) for name in JUDGED if (pair := _furthest(curves, name)) is not None]
    tests = len(compared) * math.comb(len(curves.groups), 2)
    found = [_finding(curves, name, pair, replicates, tests) for name, pair in compared]
    groups = tuple(_group(curves, group) for group in curves.groups)
    main_part, most_corrected = _main_part(curves, groups)
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
        self._repeats = max((point.repeats for point in self._by.values()), default=0)

    def value(self, statistic: str, group: str, level: float) -> float | None:
        point = self._by.get((statistic, group, level))
        return None if point is None else point.mean

    def error(self, statistic: str, group: str, level: float) -> float | None:
        point = self._by.get((statistic, group, level))
        return None if point is None else point.mc_error

    def complete(self, statistic: str, group: str) -> dict[float, float]:
        """The means at the levels above 0 where it is defined in every repeat."""
        points = {level: self._by.get((statistic, group, level)) for level in self.noisy}
        return {
            level: point.mean
            for level, point in points.items()
            if point is not None and point.mean is not None and point.repeats == self._repeats
        }


def _furthest(curves: _Curves, statistic: str) -> tuple[str, str] | None:
    """The groups with the lower and the higher mean that lie furthest apart over the levels that both have."""
    table = np.full((len(curves.groups), len(curves.noisy)), np.nan)
    place = {level: i for i, level in enumerate(curves.noisy)}
    for row, group in zip(table, curves.groups, strict=True):
        for level, value in curves.complete(statistic, group).items():
            row[place[level]] = value
    known = np.isfinite(table)
    both = known.astype(np.float64) @ known.T
    total = np.where(known, table, 0.0) @ known.T
    fair = (both > 0) & (both >= COMPARED_SHARE * len(curves.noisy))
    # [i, j]: how far i lies below j.
    gaps = np.where(fair, (total.T - total) / np.maximum(both, 1), -np.inf)
    if not gaps.size or gaps.max() <= 0:
        return None
    lower, higher = np.unravel_index(int(gaps.argmax()), gaps.shape)
    return curves.groups[int(lower)], curves.groups[int(higher)]


def _finding(
    curves: _Curves, statistic: str, pair: tuple[str, str], replicates: Replicates | None, tests: int
) -> NoiseFinding:
    low, high = (curves.complete(statistic, group) for group in pair)
    gaps = {level: high[level] - low[level] for level in low if level in high}
    n_lower = sum(gap > 0 for gap in gaps.values())
    share, mean_gap = n_lower / len(gaps), math.fsum(gaps.values()) / len(gaps)
    largest_at = max(gaps, key=lambda level: gaps[level])
    error = _mean_error(curves, statistic, pair, tuple(gaps))
    beyond_noise = error is None or mean_gap > 2 * error
    sampling, p = _sampling(statistic, pair, tuple(gaps), mean_gap, replicates, tests)
    beyond_chance = replicates is None or (p is not None and p <= ALPHA)
    return NoiseFinding(
        statistic=statistic,
        lower=pair[0],
        higher=pair[1],
        levels=len(gaps),
        levels_lower=n_lower,
        share=share,
        mean_gap=mean_gap,
        mean_gap_error=error,
        largest_gap=gaps[largest_at],
        largest_at=largest_at,
        systematic=share >= SYSTEMATIC_SHARE and beyond_noise and beyond_chance,
        sampling_error=sampling,
        p_adjusted=p,
    )


def _sampling(
    statistic: str,
    pair: tuple[str, str],
    levels: Sequence[float],
    gap: float,
    replicates: Replicates | None,
    tests: int,
) -> tuple[float | None, float | None]:
    """The standard error of the mean gap from who belongs to the groups, and Bonferroni's p of no gap by Student's t."""
    if replicates is None:
        return None, None
    errors = [replicates.error(group, statistic, levels) for group in pair]
    if any(error is None for error in errors):
        return None, None
    error = math.hypot(*(one or 0.0 for one in errors))
    if error == 0:
        return 0.0, None
    freedom = min(replicates.blocks(group) for group in pair) - 1
    return error, min(1.0, tests * 2 * float(stdtr(freedom, -gap / error)))


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
    values = {name: curves.complete(name, group) for name in EXPLAINED}
    levels = [level for level in curves.noisy if all(level in one for one in values.values())]
    kappa, pabak, prevalence, bias = (
        math.fsum(one[level] for level in levels) / len(levels) if levels else None for one in values.values()
    )
    ends = (curves.levels[0], curves.levels[-1])
    scores = [curves.value(name, group, level) for name in ("mean_score", "referral_rate") for level in ends]
    return NoiseGroup(
        group=group,
        correction=_minus(pabak, kappa),
        prevalence_part=_minus(prevalence, kappa),
        bias_part=_minus(bias, kappa),
        mean_score_first=scores[0],
        mean_score_last=scores[1],
        referral_rate_first=scores[2],
        referral_rate_last=scores[3],
    )


def _minus(one: float | None, other: float | None) -> float | None:
    return None if one is None or other is None else one - other


def _main_part(
    curves: _Curves, groups: Sequence[NoiseGroup]
) -> tuple[Literal["prevalence", "bias"] | None, str | None]:
    """Of the groups whose parts rest on the same levels, the most that any has."""
    n_levels = {one.group: len(curves.complete("kappa", one.group)) for one in groups}
    most = max(n_levels.values(), default=0)
    known = [one for one in groups if one.prevalence_part is not None and n_levels[one.group] == most]
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
