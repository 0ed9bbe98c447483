"""Chapter 5, first part: this release against its baseline, rate by rate and finding by finding."""

from __future__ import annotations

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
    Sentences,
    Table,
)
from reporter.render.plots import Axis, ChangePlot, ChangeRow
from reporter.render.tables import FIGURE_GROUPS, gap_cell, value_cell
from reporter.render.wording import Words, group_name, literal
from reporter.render.wording_releases import SEVERITIES, finding_parts, not_compared, ratio_findings, release_highlights
from reporter.results import RateChange, Releases, Report, VerdictChange


def releases_section(report: Report, words: Words) -> Section | None:
    """What changed and by how much; left out without a baseline."""
    releases = report.releases
    if releases is None:
        return None
    old, new = literal(releases.old), literal(releases.new)
    how = "row by row, on the same rows" if releases.paired else "as two independent samples"
    why = f" ({literal(releases.why_paired)})" if releases.why_paired else ""
    blocks: list[Block] = [
        Paragraph(f"Release {new} is compared with release {old} {how}{why}. Baseline: {literal(releases.baseline)}."),
        Sentences(tuple(release_highlights(report, words))),
    ]
    blocks += [figure for metric in _watched(report, releases) if (figure := _figure(report, words, releases, metric))]
    if releases.verdicts:
        blocks += [Heading("verdict-changes", "Findings of both releases"), _verdicts(report, words, releases)]
    if releases.rates:
        blocks.append(Details("rate-changes", "Every rate in both releases", (_rates(words, releases),)))
    left_out = not_compared(releases.not_compared)
    blocks += [Paragraph(left_out, "note")] if left_out else []
    return Section("releases", f"Release {new} against {old}", tuple(blocks))


def _watched(report: Report, releases: Releases) -> list[str]:
    rules = [found.metric for found in report.comparisons]
    have = {change.metric for change in releases.rates if change.group is not None}
    return [metric for metric in dict.fromkeys(rules) if metric in have]


def _figure(report: Report, words: Words, releases: Releases, metric: str) -> Figure | None:
    single = {grouping.name for grouping in report.groupings if len(grouping.columns) == 1}
    changes = [c for c in releases.rates if c.metric == metric and (c.grouping is None or c.grouping in single)]
    drawn = [change for change in changes if change.old.value is not None and change.new.value is not None]
    if not drawn:
        return None
    shown = sorted(drawn, key=lambda change: -abs(change.change.value or 0.0))[:FIGURE_GROUPS]
    ordered = [change for change in drawn if change in shown]
    worse = {c.finding for c in releases.verdicts if c.change in ("newly diverges", "still diverges")}
    flagged = {finding_parts(finding)[:3] for finding in worse}
    rows = tuple(
        ChangeRow(
            _name(words, change),
            change.old.value,
            change.new.value,
            f"{words.value(metric, change.old)} to {words.value(metric, change.new)}",
            (metric, change.grouping or "", change.group or "") in flagged,
        )
        for change in ordered
    )
    term = words.term(metric)
    old, new = literal(releases.old), literal(releases.new)
    most = max(shown, key=lambda change: abs(change.change.value or 0.0))
    return Figure(
        f"change-{metric.replace('_', '-')}",
        f"The {term.title} of each group in release {old} and in {new}; {_most(words, metric, most)}.",
        f"{term.title[:1].upper()}{term.title[1:]} of each group in both releases. Every rate is in the table below."
        + (
            f" The figure shows the {len(rows)} largest of {fmt.count(len(drawn))} changes."
            if len(rows) < len(drawn)
            else ""
        ),
        ChangePlot(
            Axis(f"{term.title}: {term.meaning}", "percent" if term.kind == "share" else "number"),
            old,
            new,
            rows,
            len(drawn),
        ),
    )


def _most(words: Words, metric: str, change: RateChange) -> str:
    if not change.change.value:
        return "it is the same in every group"
    old, new = words.value(metric, change.old), words.value(metric, change.new)
    return f"it changed most for {_name(words, change)}, from {old} to {new}"


def _name(words: Words, change: RateChange) -> str:
    if change.grouping is None or change.group is None:
        return f"all {words.units}"
    return f"{literal(change.grouping)}: {group_name(change.group)}"


def _verdicts(report: Report, words: Words, releases: Releases) -> Table:
    ratios = ratio_findings(report)
    columns = (
        Column("group", "Group"),
        Column("grouping", "Grouping"),
        Column("measure", "Measure"),
        Column("old", literal(releases.old)),
        Column("new", literal(releases.new)),
        Column("change", "Change", "verdict"),
        Column("gap", "Change of the gap", "number"),
    )
    return Table(
        "release-findings",
        "What became of each finding",
        columns,
        tuple(_verdict_row(words, change, change.finding in ratios) for change in releases.verdicts),
        pdf_limit=30,
    )


def _verdict_row(words: Words, change: VerdictChange, of_ratio: bool) -> Row:
    metric, grouping, group, _ = finding_parts(change.finding)
    gap = change.gap_change
    cell = Cell("not compared") if gap is None else gap_cell(words, metric, gap, of_ratio=of_ratio)
    return Row(
        (
            Cell(group_name(group)),
            Cell(literal(grouping)),
            Cell(words.term(metric).title),
            Cell(change.old or "not in it"),
            Cell(change.new or "not in it"),
            Cell(change.change),
            cell,
        ),
        SEVERITIES.get(change.change),
    )


def _rates(words: Words, releases: Releases) -> Table:
    columns = (
        Column("group", "Group"),
        Column("measure", "Measure"),
        Column("old", literal(releases.old), "number"),
        Column("new", literal(releases.new), "number"),
        Column("change", "Change", "number", f"with its {words.level_name()}"),
        Column("p", "p", "number"),
    )
    return Table(
        "release-rates",
        f"{literal(releases.new)} minus {literal(releases.old)}, rate by rate",
        columns,
        tuple(_rate_row(words, change) for change in releases.rates),
        pdf_limit=40,
    )


def _rate_row(words: Words, change: RateChange) -> Row:
    return Row(
        (
            Cell(_name(words, change)),
            Cell(words.term(change.metric).title),
            value_cell(words, change.metric, change.old),
            value_cell(words, change.metric, change.new),
            gap_cell(words, change.metric, change.change),
            Cell("none" if change.p is None else fmt.p_number(change.p), "", change.p),
        )
    )
