"""What the full counts decided, as far as it may be published: verdicts, score metrics, agreement, notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from typing import Any

from reporter.results import (
    AgreementResult,
    Comparison,
    Estimate,
    Grouping,
    Level,
    ModelResult,
    Releases,
    Report,
)
from reporter.small_cells.groups import POOL
from reporter.small_cells.tables import FullTables


def shown_agreement(report: Report, made: FullTables, pairs: list[tuple[int, int]], k: int) -> list[AgreementResult]:
    """Agreement over all rows, where every row has both ratings, each of the four counts is large, and no circle of pairs arises."""
    section = report.agreement_section
    names = [model["name"] for model in made.counts.facts["models"]]
    joined = {frozenset((names[i], names[j])) for i, j in pairs}
    component: dict[str, str] = dict.fromkeys(names, "models")
    shown = []
    for one in () if section is None or made.inclusions else section.results:
        found = one.agreement
        if one.grouping is not None or one.item is not None or found is None or found.n != report.data.n:
            continue
        if min(found.a, found.b, found.c, found.d) < k:
            continue
        if frozenset((one.first, one.second)) not in joined:
            first, second = (component.setdefault(rater, rater) for rater in (one.first, one.second))
            if first == second:
                continue
            component = {rater: second if place == first else place for rater, place in component.items()}
        shown.append(replace(one, iccs=(), weighted_kappa=None))
    return shown


def pool_notes(levels: tuple[Level, ...], shown: set[int], k: int) -> list[str]:
    if len(shown) == len(levels):
        return []
    why = f"so that no count from 1 to {k - 1} can be found"
    if not shown:
        return [f"No group is shown on its own, {why}."]
    if len(levels[0].values) == 1:
        names = ", ".join(levels[i].name for i in range(len(levels)) if i not in shown)
        return [f"Shown together as {POOL}, {why}: {names}."]
    return [f"Some combinations are shown together as {POOL}, {why}."]


def without_counts(notes: Iterable[str]) -> list[str]:
    """The notes that hold no number, which could be a count."""
    return [note for note in notes if not re.search(r"\d", note)]


def decided_facts(
    report: Report, shown: dict[str, set[int]], agreement: list[AgreementResult], k: int
) -> dict[str, Any]:
    open_groups = {
        grouping.name: {level.name for i, level in enumerate(grouping.levels) if i in shown[grouping.name]}
        for grouping in report.groupings
    }
    return {
        "below": k,
        "comparisons": [asdict(_published(c, open_groups[c.grouping], report)) for c in report.comparisons],
        "scores": list(_score_estimates(report.models, report.groupings, open_groups)),
        "agreement": [asdict(one) for one in agreement],
        "releases": _verdict_changes(report.releases),
        "notes": _left_out(report, agreement, shown, k),
    }


def hidden_reason(k: int) -> str:
    """Why a number is not given.

    >>> hidden_reason(11)
    'hidden, and its n too: a count from 1 to 10 could be found from it'
    """
    return f"hidden, and its n too: a count from 1 to {k - 1} could be found from it"


def _published(found: Comparison, shown: set[str], report: Report) -> Comparison:
    """The comparison with its verdict, and with its numbers where they tell of no hidden group."""
    k = int(report.settings["small_cells"])
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    if found.group in shown and (found.reference_group is None or found.reference_group in shown):
        # An adjusted p-value can be that of another group of the family, times a whole number.
        whole = len(shown) == len(grouping.levels)
        return found if whole else replace(found, p_adjusted=None)
    nothing = Estimate(None, reason=hidden_reason(k))
    undecided = found.verdict == "insufficient evidence"
    return replace(
        found,
        group_estimate=nothing,
        reference_estimate=nothing,
        gap=nothing,
        p=None,
        p_adjusted=None,
        rows_needed=None,
        reason=hidden_reason(k) if undecided else None,
    )


def read_comparison(plain: dict[str, Any]) -> Comparison:
    estimates = {key: Estimate(**plain[key]) for key in ("group_estimate", "reference_estimate", "gap")}
    return Comparison(**{**plain, **estimates})


def _score_estimates(
    models: Iterable[ModelResult], groupings: Iterable[Grouping], shown: dict[str, set[str]]
) -> Iterator[dict[str, Any]]:
    """Score metrics, which the published tables do not give: of all rows, and of groups that are shown."""
    from reporter.stats.metrics import METRICS

    def plain(
        model: str, grouping: str | None, group: str | None, metrics: dict[str, Estimate]
    ) -> Iterator[dict[str, Any]]:
        for name, estimate in metrics.items():
            if "score" in METRICS[name].needs:
                yield {
                    "model": model,
                    "grouping": grouping,
                    "group": group,
                    "metric": name,
                    "estimate": asdict(estimate),
                }

    for model in models:
        yield from plain(model.name, None, None, model.metrics)
    for grouping in groupings:
        for result in grouping.results:
            if result.group in shown[grouping.name]:
                yield from plain(result.model, grouping.name, result.group, result.metrics)


def _verdict_changes(releases: Releases | None) -> dict[str, Any] | None:
    if releases is None:
        return None
    told = "the rates of the two releases: their change would tell of small counts"
    return asdict(
        replace(
            releases,
            rates=(),
            verdicts=tuple(replace(one, gap_change=None) for one in releases.verdicts),
            not_compared=(*without_counts(releases.not_compared), told),
        )
    )


def _left_out(report: Report, agreement: list[AgreementResult], shown: dict[str, set[int]], k: int) -> list[str]:
    """What the card does not show, so that no small count can be found."""
    parts = []
    if any(grouping.curves for grouping in report.groupings) or any(model.curves for model in report.models):
        parts.append("curves of scores")
    if report.tree_results:
        parts.append("Δ trees")
    if report.noise_results:
        parts.append("noise studies")
    if report.agreement_section is not None:
        parts.append("agreement per group" if agreement else "agreement")
    parts += [f"single groups of {name}" for name, groups in shown.items() if not groups]
    if not parts:
        return []
    return [f"Left out, so that no count from 1 to {k - 1} can be found: {', '.join(parts)}."]
