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
    VerdictChange,
)
from reporter.small_cells.groups import POOL, pool_name
from reporter.small_cells.scores import open_scores
from reporter.small_cells.tables import FullTables
from reporter.stats.comparisons import finding_id, finding_part
from reporter.stats.releases import became


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
    report: Report, made: FullTables, shown: dict[str, set[int]], agreement: list[AgreementResult], k: int
) -> dict[str, Any]:
    open_groups = {
        grouping.name: {level.name for i, level in enumerate(grouping.levels) if i in shown[grouping.name]}
        for grouping in report.groupings
    }
    scores = {model.name: open_scores(made, i, shown, k) for i, model in enumerate(report.models)}
    unnamed = {
        grouping.name: pool_name(grouping.levels)
        for grouping in report.groupings
        if len(grouping.columns) > 1 and len(open_groups[grouping.name]) < len(grouping.levels)
    }
    published = [
        _published(c, open_groups[c.grouping], c.grouping in scores[c.model], report) for c in report.comparisons
    ]
    return {
        "below": k,
        "comparisons": [asdict(one) for one in _unnamed(published, open_groups, unnamed)],
        "scores": list(_score_estimates(report.models, report.groupings, open_groups, scores)),
        "agreement": [asdict(one) for one in agreement],
        "releases": _verdict_changes(report.releases, open_groups, unnamed),
        "notes": [*_left_out(report, agreement, shown, scores, k), *_unnamed_notes(unnamed, report)],
    }


def hidden_reason(k: int) -> str:
    """Why a number is not given.

    >>> hidden_reason(11)
    'hidden, and its n too: a count from 1 to 10 could be found from it'
    """
    return f"hidden, and its n too: a count from 1 to {k - 1} could be found from it"


def _published(found: Comparison, shown: set[str], scores_are_open: bool, report: Report) -> Comparison:
    """The comparison with its verdict, and with its numbers where they tell of no hidden group or score."""
    from reporter.stats.metrics import METRICS

    k = int(report.settings["small_cells"])
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    tells_scores = METRICS[found.metric].needs_score and not scores_are_open
    in_the_open = found.group in shown and (found.reference_group is None or found.reference_group in shown)
    if in_the_open and not tells_scores:
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


WORST_FIRST = ("diverges", "insufficient evidence", "within limit")


def _unnamed(found: Iterable[Comparison], shown: dict[str, set[str]], unnamed: dict[str, str]) -> Iterator[Comparison]:
    """Combinations that are not shown get one verdict a rule and model, the worst of theirs: a list of their verdicts would tell which
    of them exist, and where all others of a row are empty, its total is the count of the one that is left."""
    together: dict[str, Comparison] = {}
    for one in found:
        pool = unnamed.get(one.grouping)
        if pool is not None and one.reference_group is not None and one.reference_group not in shown[one.grouping]:
            one = replace(one, reference_group=pool)
        if pool is None or one.group in shown[one.grouping]:
            together[one.finding] = one
            continue
        rule = one.finding.removeprefix(finding_id(one.metric, one.grouping, one.group, one.model))
        finding = finding_id(one.metric, one.grouping, pool, one.model) + rule
        merged = replace(one, finding=finding, group=pool, reference_group=None)
        other = together.get(finding, merged)
        worst = min(other, merged, key=lambda c: WORST_FIRST.index(c.verdict))
        together[finding] = replace(worst, clear=merged.clear or other.clear)
    yield from together.values()


def _unnamed_notes(unnamed: dict[str, str], report: Report) -> list[str]:
    told = [name for name in unnamed if any(c.grouping == name for c in report.comparisons)]
    return [
        f"The combinations of {name} that are not shown have one verdict together, that of the worst of them, under the name {unnamed[name]}."
        for name in told
    ]


def read_comparison(plain: dict[str, Any]) -> Comparison:
    estimates = {key: Estimate(**plain[key]) for key in ("group_estimate", "reference_estimate", "gap")}
    return Comparison(**{**plain, **estimates})


def _score_estimates(
    models: Iterable[ModelResult],
    groupings: Iterable[Grouping],
    shown: dict[str, set[str]],
    scores: dict[str, set[str | None]],
) -> Iterator[dict[str, Any]]:
    """Score metrics, which the published tables do not give: of all rows, and of groups that are shown, where they tell of no small count."""
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
        if None in scores[model.name]:
            yield from plain(model.name, None, None, model.metrics)
    for grouping in groupings:
        for result in grouping.results:
            if result.group in shown[grouping.name] and grouping.name in scores[result.model]:
                yield from plain(result.model, grouping.name, result.group, result.metrics)


def _verdict_changes(
    releases: Releases | None, shown: dict[str, set[str]], unnamed: dict[str, str]
) -> dict[str, Any] | None:
    if releases is None:
        return None
    told = "the rates of the two releases: their change would tell of small counts"
    named = [one for one in releases.not_compared if not any(one.endswith(f" of {name}") for name in unnamed)]
    return asdict(
        replace(
            releases,
            rates=(),
            verdicts=tuple(_unnamed_changes(releases.verdicts, shown, unnamed)),
            not_compared=(*without_counts(named), told),
        )
    )


def _unnamed_changes(
    found: Iterable[VerdictChange], shown: dict[str, set[str]], unnamed: dict[str, str]
) -> Iterator[VerdictChange]:
    """As for the verdicts themselves: one change for all combinations that are not shown, from the worst verdict to the worst."""
    pools = {
        finding_part(name): (finding_part(pool), {*map(finding_part, shown[name])}) for name, pool in unnamed.items()
    }
    together: dict[str, VerdictChange] = {}
    for one in found:
        metric, grouping, group, *rest = one.finding.split("/")
        pool, open_groups = pools.get(grouping, (group, {group}))
        finding = one.finding if group in open_groups else "/".join((metric, grouping, pool, *rest))
        other = together.get(finding)
        old, new = one.old, one.new
        if other is not None:
            old, new = _worst(old, other.old), _worst(new, other.new)
        change = one.change if finding == one.finding else became(old, new)
        together[finding] = VerdictChange(finding, old, new, change)
    yield from together.values()


def _worst(*verdicts: str | None) -> str | None:
    known = [verdict for verdict in verdicts if verdict is not None]
    return min(known, key=WORST_FIRST.index) if known else None


def _left_out(
    report: Report,
    agreement: list[AgreementResult],
    shown: dict[str, set[int]],
    scores: dict[str, set[str | None]],
    k: int,
) -> list[str]:
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
    for model in report.models:
        closed = ["all rows"] if None not in scores[model.name] else []
        closed += [name for name in shown if name not in scores[model.name]]
        if model.kind == "score" and closed:
            parts.append(f"metrics of the scores of {model.name} ({', '.join(closed)})")
    if not parts:
        return []
    return [f"Left out, so that no count from 1 to {k - 1} can be found: {', '.join(parts)}."]
