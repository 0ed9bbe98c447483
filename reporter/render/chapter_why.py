"""Chapter 3: why the referral rates differ, how much from different base rates and how much from different errors."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Details, Heading, Paragraph, Row, Section, Table
from reporter.render.tables import count_cell
from reporter.render.wording import Words, by_grouping, group_name, literal, whose
from reporter.results import Decomposition, Grouping, Report

SENTENCES_PER_GROUPING = 1


def why_section(report: Report, words: Words) -> Section | None:
    """One sentence per grouping (its widest gap) and a table of all groups; intersections are folded."""
    chosen = [(place, grouping) for place, grouping in enumerate(report.groupings, 1) if grouping.decompositions]
    if not chosen:
        return None
    blocks: list[Block] = [Paragraph(_explanation(words))]
    for place, grouping in chosen:
        first, *others = (model.name for model in report.models)
        table = _table(words, grouping, [first], f"why-{place}-table")
        if len(grouping.columns) > 1:
            blocks.append(Details(f"why-{place}", by_grouping(grouping), (table,), in_pdf=False))
            continue
        blocks.append(Heading(f"why-{place}", by_grouping(grouping)))
        blocks += [Paragraph(text) for text in _sentences(report, words, grouping)]
        blocks.append(table)
        if any(part.model in others for part in grouping.decompositions):
            more = _table(words, grouping, others, f"why-{place}-more-table")
            blocks.append(Details(f"why-{place}-more", "The same for the other models", (more,), in_pdf=False))
    return Section("why", f"Why the {words.referral_rate} differs", tuple(blocks))


def _explanation(words: Words) -> str:
    return (
        f"The gap between a group's {words.referral_rate} and its reference's has three parts that add up: how many are "
        f"{words.positive_label} (base rate), how many of those are {words.positive_prediction} (hit rate), and how many of the "
        f"{words.negative_label} are {words.positive_prediction} (false alarms). Where base rates differ, equal errors and equal "
        f"{words.referral_rate}s cannot both hold, unless the model treats the {words.positive_label} and the "
        f"{words.negative_label} alike."
    )


def _sentences(report: Report, words: Words, grouping: Grouping) -> list[str]:
    model = report.models[0].name
    known = [part for part in grouping.decompositions if part.model == model and part.gap is not None]
    known.sort(key=lambda part: -abs(part.gap or 0.0))
    return [_sentence(words, grouping, part) for part in known[:SENTENCES_PER_GROUPING]]


def _sentence(words: Words, grouping: Grouping, part: Decomposition) -> str:
    gap = part.gap or 0.0
    other = {"rest": "the others", "overall": f"all {words.units}"}.get(
        part.reference, f"those {whose(grouping, part.reference)}"
    )
    ours = f"{words.units} {whose(grouping, part.group)}"
    if gap == 0:
        return f"With {words.model(part.model)}, {ours} have the same {words.referral_rate} as {other}."
    named = (
        ("different base rates", part.prevalence),
        ("different hit rates", part.hit_rate),
        ("different false alarms", part.false_alarms),
    )
    pieces = [f"{fmt.signed_points(value)} from {name}" for name, value in named if value is not None]
    rounded = "" if _adds_up(part) else " (rounded)"
    return (
        f"With {words.model(part.model)}, the {words.referral_rate} of {ours} is {fmt.points(gap, 1)} "
        f"{'higher' if gap > 0 else 'lower'} than that of {other}: {', '.join(pieces)}{rounded}."
    )


def _adds_up(part: Decomposition) -> bool:
    parts = (part.prevalence, part.hit_rate, part.false_alarms)
    return part.gap is None or fmt.adds_up(part.gap, [value for value in parts if value is not None])


def _table(words: Words, grouping: Grouping, models: Sequence[str], table_id: str) -> Table:
    several = len(models) > 1
    columns = [Column("group", literal(grouping.name))]
    columns += [Column("model", "Model")] if several else []
    columns += [
        Column("gap", f"Gap in {words.referral_rate}", "number", "points"),
        Column("prevalence", "from base rates", "number", "points"),
        Column("hit", "from hit rates", "number", "points"),
        Column("false", "from false alarms", "number", "points"),
        Column("n", f"{words.units.capitalize()} with a label", "number"),
    ]
    parts = [part for part in grouping.decompositions if part.model in models]
    who = words.model(models[0]) if len(models) == 1 else "the other models"
    caption = f"Parts of the gap with {who}, by {literal(grouping.name)}, against {_against(words, parts)}"
    note = "" if all(map(_adds_up, parts)) else "Parts are rounded and may not add up to their gap in the last digit."
    return Table(table_id, caption, tuple(columns), tuple(_row(words, part, several) for part in parts), note)


def _against(words: Words, parts: Sequence[Decomposition]) -> str:
    name = parts[0].reference if parts else "rest"
    return {"rest": "the rest", "overall": f"all {words.units}"}.get(name, literal(name))


def _row(words: Words, part: Decomposition, several: bool) -> Row:
    cells = [Cell(group_name(part.group))]
    cells += [Cell(literal(part.model))] if several else []
    if part.gap is None:
        cells.append(Cell(fmt.UNDEFINED, words.reason(part.reason), None))
        cells += [Cell(fmt.UNDEFINED)] * 3
    else:
        cells += [
            Cell(fmt.UNDEFINED if value is None else fmt.signed_points(value), "", value)
            for value in (part.gap, part.prevalence, part.hit_rate, part.false_alarms)
        ]
    cells.append(count_cell(part.n))
    return Row(tuple(cells))
