"""Chapter 3, the core: every measure per group, one factor at a time and then intersections, as tables and forest plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from reporter.render import format as fmt
from reporter.render.document import (
    Block,
    Cell,
    Column,
    Details,
    Figure,
    Heading,
    Paragraph,
    Row,
    Section,
    Severity,
    Table,
)
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow
from reporter.render.tables import (
    FIGURE_GROUPS,
    by_severity,
    capped_note,
    comparison_severity,
    count_cell,
    flagged_groups,
    group_cell,
    metric_column,
    metric_order,
    rule_metrics,
    seen_twice,
    shown_levels,
    value_cell,
    with_which,
    without_intervals,
)
from reporter.render.wording import Words, by_grouping, group_name, listed, literal, plural, unbroken
from reporter.render.wording_findings import (
    excess,
    gap_interval,
    gap_text,
    limit_text,
    reference_name,
    rows_needed_phrase,
)
from reporter.results import Comparison, Estimate, Grouping, GroupResult, Level, Report

MEASURES_ACROSS = 8
"""More columns than this do not fit the width of a page."""

FEW_COMPARISONS = 8
KEPT = "diverging ones first, then those beyond their limit without the evidence, the largest gap first"
MOST_FLAGGED_IN_PDF = 60
"""Whoever signs on paper sees every comparison that diverges, up to this many."""


def groups_section(report: Report, words: Words) -> Section | None:
    """Tables and figures of every grouping, and the table of all comparisons."""
    if not report.groupings:
        return None
    single = [grouping for grouping in report.groupings if len(grouping.columns) == 1]
    crossed = [grouping for grouping in report.groupings if len(grouping.columns) > 1]
    blocks: list[Block] = []
    for grouping in single:
        blocks += _grouping(report, words, grouping)
    blocks += _forests(report, words, single, "factors")
    for grouping in crossed:
        blocks += _grouping(report, words, grouping)
        blocks += _forests(report, words, [grouping], f"group-{report.groupings.index(grouping) + 1}")
    if report.comparisons:
        blocks.append(
            Details(
                "comparisons", f"All {plural(len(report.comparisons), 'comparison')}", (_comparisons(report, words),)
            )
        )
    return Section("groups", "Results by group", tuple(blocks))


def _grouping(report: Report, words: Words, grouping: Grouping) -> list[Block]:
    place = report.groupings.index(grouping) + 1
    blocks: list[Block] = [
        Heading(f"group-{place}", by_grouping(grouping)),
        Paragraph(_summary(report, words, grouping)),
    ]
    blocks += [Paragraph(words.reason(note), "note") for note in grouping.notes if len(grouping.columns) > 1]
    for index, model in enumerate(report.models):
        tables = _results(report, words, grouping, model.name, f"group-{place}-model-{index + 1}")
        if index == 0:
            blocks += tables
        else:
            summary = f"The same for {words.model(model.name)}"
            blocks.append(Details(f"group-{place}-more-{index + 1}", summary, tuple(tables), in_pdf=False))
    return blocks


def _summary(report: Report, words: Words, grouping: Grouping) -> str:
    found = [one for one in report.comparisons if one.grouping == grouping.name]
    groups = plural(len(grouping.levels), "group")
    if not found:
        return f"{groups}. No rule compares them."
    tally = {
        name: sum(one.verdict == name for one in found)
        for name in ("diverges", "within limit", "insufficient evidence")
    }
    twice = " (each gap seen from both sides)" if seen_twice(report, grouping.name) else ""
    return (
        f"{groups}, {plural(len(found), 'comparison')}{twice}: {fmt.count(tally['diverges'])} "
        f"{'diverges' if tally['diverges'] == 1 else 'diverge'}{with_which(report, words, found)}, {fmt.count(tally['within limit'])} within limit, "
        f"{fmt.count(tally['insufficient evidence'])} insufficient evidence."
    )


def _results(report: Report, words: Words, grouping: Grouping, model: str, table_id: str) -> list[Table]:
    """The model's table, in parts where there are more measures than fit a page."""
    by_group = {result.group: result for result in grouping.results if result.model == model}
    names = metric_order(report, next(iter(by_group.values())).metrics) if by_group else []
    diverging: dict[str, list[Comparison]] = {}
    for found in report.comparisons:
        if found.grouping == grouping.name and found.model == model and found.verdict == "diverges":
            diverging.setdefault(found.group, []).append(found)
    parts = [names[start : start + MEASURES_ACROSS] for start in range(0, len(names), MEASURES_ACROSS)] or [[]]
    caption = f"{words.model(model)} by {literal(grouping.name)}: value, {words.level_name()} and counts"
    tables = []
    for number, part in enumerate(parts, 1):
        which = f", part {number} of {len(parts)}" if len(parts) > 1 else ""
        part_id = table_id if number == 1 else f"{table_id}-part-{number}"
        every = [(name, result.metrics[name]) for result in by_group.values() for name in part]
        noted, note = without_intervals(words, every)
        columns, rows = _part(report, words, grouping, part, by_group, diverging, noted)
        tables.append(Table(part_id, f"{caption}{which}", columns, rows, note))
    return tables


def _part(
    report: Report,
    words: Words,
    grouping: Grouping,
    names: Sequence[str],
    by_group: dict[str, GroupResult],
    diverging: dict[str, list[Comparison]],
    noted: frozenset[str],
) -> tuple[tuple[Column, ...], tuple[Row, ...]]:
    columns = [Column("group", literal(grouping.name)), Column("n", words.units.capitalize(), "number")]
    # The measures are explained once, over the first table.
    explained = grouping is report.groupings[0]
    columns += [metric_column(words, name, explained=explained) for name in names]
    rows = []
    for level in grouping.levels:
        result = by_group.get(level.name)
        if result is None:
            continue
        cells = [_group(words, level, diverging.get(level.name, [])), count_cell(level.n)]
        marks = {found.metric: comparison_severity(found) for found in diverging.get(level.name, [])}
        cells += [replace(value_cell(words, name, result.metrics[name], noted), mark=marks.get(name)) for name in names]
        rows.append(Row(tuple(cells), _mark(diverging.get(level.name, []))))
    return tuple(columns), tuple(rows)


def _group(words: Words, level: Level, diverging: Sequence[Comparison]) -> Cell:
    """A group's name, with what it diverges in under it."""
    cell = group_cell(level)
    if not diverging:
        return cell
    notes = [f"{words.term(one.metric).title}{_how(one)}" for one in diverging]
    said = f"diverges in {', '.join(dict.fromkeys(notes))}"
    return Cell(cell.text, "\n".join(part for part in (cell.detail, said) if part), None)


def _how(found: Comparison) -> str:
    return " (accepted)" if found.accepted else "" if found.severity == "fail" else " (warning)"


def _mark(diverging: Sequence[Comparison]) -> Severity | None:
    marks = [comparison_severity(found) for found in diverging]
    return "fail" if "fail" in marks else marks[0] if marks else None


def _forests(report: Report, words: Words, groupings: Sequence[Grouping], prefix: str) -> list[Block]:
    if not groupings:
        return []
    known = {metric for grouping in groupings for result in grouping.results for metric in result.metrics}
    blocks: list[Block] = [
        _forest(report, words, groupings, metric, f"forest-{prefix}-{metric.replace('_', '-')}")
        for metric in rule_metrics(report)
        if metric in known
    ]
    unknown = [words.term(metric).title for metric in rule_metrics(report) if metric not in known]
    if unknown:
        blocks.append(Paragraph(f"This report holds {listed(unknown)} in the table of all comparisons alone.", "note"))
    return blocks


def _forest(report: Report, words: Words, groupings: Sequence[Grouping], metric: str, figure_id: str) -> Figure:
    term = words.term(metric)
    rows: list[ForestRow] = []
    total = shown = 0
    for grouping in groupings:
        flagged = flagged_groups(report, grouping.name, metric=metric)
        levels = shown_levels(grouping, flagged, max(FIGURE_GROUPS // len(groupings), 6))
        total += len(grouping.levels)
        shown += len(levels)
        if len(groupings) > 1:
            rows.append(ForestRow(literal(grouping.name), ()))
        by_key = {(result.model, result.group): result.metrics.get(metric) for result in grouping.results}
        rows += [_forest_row(report, words, metric, level, by_key, level.name in flagged) for level in levels]
    lines = _overall_line(report, words, metric)
    spec = ForestPlot(
        axis=_axis(term.kind, f"{term.title}: {term.meaning}"),
        series=tuple(literal(model.name) for model in report.models),
        rows=tuple(rows),
        lines=lines,
        total=total,
    )
    by = literal(groupings[0].name) if len(groupings) == 1 else "each group, one factor at a time"
    return Figure(
        figure_id,
        _forest_sentence(report, words, metric, groupings, by),
        f"{term.title[:1].upper()}{term.title[1:]} by {by}, with {words.level_name()}s"
        f"{'; the vertical line is all ' + words.units + ' together' if lines else ''}. "
        f"The tables by group hold the numbers.{capped_note(total, shown)}",
        spec,
    )


def _forest_row(
    report: Report,
    words: Words,
    metric: str,
    level: Level,
    by_key: dict[tuple[str, str], Estimate | None],
    flagged: bool,
) -> ForestRow:
    points = []
    for place, model in enumerate(report.models):
        estimate = by_key.get((model.name, level.name))
        if estimate is not None:
            text = "; ".join([words.value(metric, estimate), *words.evidence(metric, estimate).splitlines()])
            points.append(ForestPoint(place, estimate.value, estimate.low, estimate.high, text))
    return ForestRow(group_name(level), tuple(points), flagged, "diverges" if flagged else "")


def _axis(kind: str, label: str) -> Axis:
    return Axis(label, "percent" if kind == "share" else "count" if kind == "count" else "number")


def _overall_line(report: Report, words: Words, metric: str) -> tuple[tuple[float, str], ...]:
    overall = report.models[0].metrics.get(metric)
    if overall is None or overall.value is None:
        return ()
    return ((overall.value, f"all {words.units}, {literal(report.models[0].name)}"),)


def _forest_sentence(report: Report, words: Words, metric: str, groupings: Sequence[Grouping], by: str) -> str:
    """What there is to see: the lowest and the highest group of this card's model."""
    model = report.models[0].name
    found = [
        (estimate.value, group_name(result.group), literal(grouping.name), estimate)
        for grouping in groupings
        for result in grouping.results
        if result.model == model and (estimate := result.metrics.get(metric)) is not None and estimate.value is not None
    ]
    title = words.term(metric).title
    if not found:
        return f"The {title} of {words.model(model)} by {by} is undefined in every group."
    low = min(found, key=lambda item: item[0])
    high = max(found, key=lambda item: item[0])
    if low[0] == high[0]:
        return f"The {title} of {words.model(model)} by {by} is {words.value(metric, low[3])} in every group."
    return (
        f"The {title} of {words.model(model)} by {by} goes from {words.value(metric, low[3])} ({low[2]}: {low[1]}) "
        f"to {words.value(metric, high[3])} ({high[2]}: {high[1]})."
    )


def _comparisons(report: Report, words: Words) -> Table:
    columns = (
        Column("group", "Group"),
        Column("measure", "Measure"),
        Column("value", "Group's value", "number"),
        Column("reference", "Reference's value", "number"),
        Column("gap", "Gap", "number", f"with its {words.level_name()}"),
        Column("limit", "Limit", "number"),
        Column("p", "p, adjusted", "number"),
        Column("verdict", "Verdict", "verdict"),
    )
    own = report.models[0].name
    diverging = by_severity(report.comparisons, report)
    beyond = [one for one in report.comparisons if one.verdict == "insufficient evidence" and excess(one) > 1.0]
    gravest = diverging + sorted(beyond, key=lambda found: -excess(found))
    told = {found.finding for found in gravest}
    gravest.sort(key=lambda found: found.model != own)
    others = [found for found in report.comparisons if found.finding not in told]
    others.sort(key=lambda found: found.model != own)
    rows = tuple(_comparison_row(words, found) for found in (*gravest, *others))
    # The PDF holds every comparison beyond its limit of the model that is signed for; the others follow where there is room.
    limit = max(FEW_COMPARISONS, min(sum(found.model == own for found in gravest), MOST_FLAGGED_IN_PDF))
    kept = f"those of {words.model(own)} before others, {KEPT}" if len(report.models) > 1 else KEPT
    return Table("all-comparisons", "Every comparison with its verdict", columns, rows, pdf_limit=limit, kept=kept)


def _comparison_row(words: Words, found: Comparison) -> Row:
    p = found.p_adjusted
    verdict = found.verdict + (", accepted" if found.accepted else "")
    needed = rows_needed_phrase(words, [found.rows_needed]) if found.verdict == "insufficient evidence" else ""
    reason = "; ".join(part for part in (words.note(found.reason), needed) if part)
    return Row(
        (
            Cell(group_name(found.group), literal(found.grouping), f"{found.grouping}/{found.group}"),
            Cell(words.term(found.metric).title, literal(found.model)),
            value_cell(words, found.metric, found.group_estimate),
            value_cell(words, found.metric, found.reference_estimate),
            Cell(
                gap_text(words, found),
                unbroken(gap_interval(words, found)) or words.note(found.gap.reason),
                found.gap.value,
            ),
            Cell(
                limit_text(words, found.metric, found.comparison, found.limit, found.side),
                f"to{fmt.NBSP}{reference_name(found)}",
                found.limit,
            ),
            Cell("none" if p is None else fmt.p_number(p), "", p),
            Cell(verdict, reason or ("the whole interval is beyond the limit" if found.clear else ""), found.verdict),
        ),
        comparison_severity(found),
    )
