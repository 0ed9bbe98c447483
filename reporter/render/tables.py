"""Pieces that several chapters share: the cell of an estimate, the marks of a verdict, and which groups fit a figure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from reporter.render import format as fmt
from reporter.render.document import Cell, Column, Severity
from reporter.render.wording import Words, capital, counts, group_name, listed, unbroken
from reporter.render.wording_findings import excess, signed_change
from reporter.results import Comparison, Estimate, Grouping, Level, Report

FIGURE_GROUPS = 20
CURVE_GROUPS = 6


def value_cell(words: Words, metric: str, estimate: Estimate, noted: Collection[str] = ()) -> Cell:
    """A value with its interval and counts under it; an undefined one with its reason, sorted last. Why a ``noted`` measure has no
    interval stands under the table."""
    if metric in noted and estimate.value is not None:
        return Cell(words.value(metric, estimate), unbroken(counts(estimate)), estimate.value)
    return Cell(words.value(metric, estimate), words.evidence(metric, estimate), estimate.value)


def without_intervals(words: Words, estimates: Iterable[tuple[str, Estimate]]) -> tuple[frozenset[str], str]:
    """The measures that have values and, for one and the same reason, never an interval; and the note that says so once for all of them."""
    reasons: dict[str, set[str]] = {}
    for metric, estimate in estimates:
        if estimate.value is not None:
            bare = estimate.low is None and estimate.high is None
            reasons.setdefault(metric, set()).add((estimate.reason or "") if bare else "")
    same = {metric: next(iter(why)) for metric, why in reasons.items() if len(why) == 1 and why != {""}}
    notes = [f"{capital(words.term(metric).title)}: {words.reason(why)}." for metric, why in same.items()]
    return frozenset(same), " ".join(notes)


def gap_cell(words: Words, metric: str, gap: Estimate, *, of_ratio: bool = False) -> Cell:
    """A signed difference (of two ratios where ``of_ratio``) with its interval; an undefined one with its reason."""
    if gap.value is None:
        return Cell(fmt.UNDEFINED, words.reason(gap.reason))
    if gap.low is None or gap.high is None:
        detail = words.note(gap.reason)
    else:
        low, high = (signed_change(words, metric, end, of_ratio=of_ratio) for end in (gap.low, gap.high))
        detail = unbroken(f"{low} to {high}")
    text = signed_change(words, metric, gap.value, of_ratio=of_ratio)
    unit = f"{fmt.NBSP}points" if words.term(metric).kind == "share" and not of_ratio else ""
    return Cell(f"{text}{unit}", detail, gap.value)


def number_cell(value: float | None, text: str | None = None, detail: str = "") -> Cell:
    """A number, or "undefined"."""
    if value is None:
        return Cell(fmt.UNDEFINED, detail, None)
    return Cell(fmt.coefficient(value) if text is None else text, detail, value)


def count_cell(n: int, detail: str = "") -> Cell:
    """A count."""
    return Cell(fmt.count(n), detail, n)


def group_cell(level: Level) -> Cell:
    """A group's name; what was pooled into it stands under it."""
    pooled = f"pools {listed([group_name(name) for name in level.pooled])}" if level.pooled else ""
    return Cell(group_name(level), pooled, None)


def metric_column(words: Words, metric: str, *, explained: bool) -> Column:
    """A metric's column, with its meaning where it is ``explained``."""
    term = words.term(metric)
    return Column(metric, term.title, "number", term.meaning if explained and term.meaning != term.title else "")


def comparison_severity(found: Comparison) -> Severity:
    """How a verdict is marked; an accepted finding no longer counts as a failure."""
    if found.verdict == "insufficient evidence":
        return "unknown"
    if found.verdict == "within limit":
        return "ok"
    return "fail" if found.severity == "fail" and not found.accepted else "warn"


def flagged_groups(report: Report, grouping: str, *, metric: str | None = None, model: str | None = None) -> set[str]:
    """The groups of a grouping that diverge (in one metric, for one model)."""
    return {
        found.group
        for found in report.comparisons
        if found.grouping == grouping
        and found.verdict == "diverges"
        and (metric is None or found.metric == metric)
        and (model is None or found.model == model)
    }


def shown_levels(grouping: Grouping, flagged: set[str], limit: int) -> list[Level]:
    """At most ``limit`` groups for a figure, the flagged and then the largest, in their own order."""
    if len(grouping.levels) <= limit:
        return list(grouping.levels)
    ranked = sorted(grouping.levels, key=lambda level: (level.name not in flagged, -level.n))
    chosen = {level.name for level in ranked[:limit]}
    return [level for level in grouping.levels if level.name in chosen]


def capped_note(total: int, shown: int) -> str:
    """What a figure says of the groups it leaves out."""
    if shown >= total:
        return ""
    return f" The figure shows the flagged and the largest {fmt.count(shown)} of {fmt.count(total)} groups; the tables hold all."


def metric_order(report: Report, names: Iterable[str]) -> list[str]:
    """Measures in the order of the config, then by name: a report read back from JSON has lost the order of its maps."""
    asked = [str(name) for name in report.settings.get("metrics", ())]
    known = set(names)
    return [name for name in asked if name in known] + sorted(known - set(asked))


def rule_metrics(report: Report) -> list[str]:
    """The metrics that a rule looks at, in the order of the rules; without rules the reported metrics."""
    named = list(dict.fromkeys(found.metric for found in report.comparisons))
    return named or metric_order(report, report.models[0].metrics)[:4]


def by_severity(comparisons: Sequence[Comparison], report: Report) -> list[Comparison]:
    """Diverging comparisons, gravest first: this card's model, failures, not accepted, the largest excess over the limit."""
    models = {model.name: place for place, model in enumerate(report.models)}
    groupings = {grouping.name: len(grouping.columns) for grouping in report.groupings}

    def rank(found: Comparison) -> tuple[int, bool, bool, int, float]:
        return (
            models.get(found.model, len(models)),
            found.accepted,
            found.severity != "fail",
            groupings.get(found.grouping, 1),
            -excess(found),
        )

    return sorted((found for found in comparisons if found.verdict == "diverges"), key=rank)


def with_which(report: Report, words: Words, found: Sequence[Comparison]) -> str:
    """With which of several models these diverge, in brackets: what follows may show the first model alone."""
    counted = [
        (words.model(model.name), sum(one.verdict == "diverges" and one.model == model.name for one in found))
        for model in report.models
    ]
    counted = [(name, n) for name, n in counted if n]
    if not counted or len(report.models) == 1:
        return ""
    if len(counted) == 1:
        name, n = counted[0]
        return f" (all with {name})" if n > 1 else f" (with {name})"
    return f" ({listed([f'{fmt.count(n)} with {name}' for name, n in counted])})"


def seen_twice(report: Report, grouping: str | None = None) -> bool:
    """Whether gaps (of one grouping) are counted from both sides: two groups, each held against the other as everyone else."""
    pairs = {one.name for one in report.groupings if len(one.levels) == 2 and grouping in (None, one.name)}
    return any(found.reference == "rest" and found.grouping in pairs for found in report.comparisons)


def once(found: Sequence[Comparison], report: Report) -> tuple[list[Comparison], dict[str, Comparison]]:
    """Each gap between two groups once, and by the finding's id the comparison that sees the same gap from the other side.

    Two that somebody accepted differently, or that rules decide differently, stay two.
    """
    pairs = {one.name for one in report.groupings if len(one.levels) == 2}
    kept: list[Comparison] = []
    mirrored: dict[str, Comparison] = {}
    first: dict[tuple[object, ...], Comparison] = {}
    for one in found:
        key = (one.rule, one.metric, one.model, one.grouping, one.accepted, one.clear)
        if one.reference != "rest" or one.grouping not in pairs or key not in first:
            first.setdefault(key, one)
            kept.append(one)
        else:
            mirrored[first[key].finding] = one
    return kept, mirrored
