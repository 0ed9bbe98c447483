"""Chapter 2: whose release this is, what it is for and not for, the model and its output, the data it was judged on."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import (
    Block,
    Cell,
    Column,
    Heading,
    KeyValue,
    KeyValues,
    Paragraph,
    Placeholder,
    Prose,
    Row,
    Section,
    Table,
)
from reporter.render.markdown_prose import prose_html
from reporter.render.tables import count_cell, group_cell
from reporter.render.wording import Words, listed, literal
from reporter.results import Card, Cells, Grouping, ModelResult, Report

TITLES = {
    "summary": "Summary",
    "intended_use": "Intended use",
    "users": "Users",
    "how_to_use": "How to use it",
    "out_of_scope": "Out of scope",
    "warnings": "Warnings",
    "model": "Model and output",
    "training_data": "Training data",
    "evaluation_data": "Evaluation data",
    "considerations": "Ethical considerations",
    "mitigations": "Mitigations",
    "monitoring": "Monitoring",
    "change_log": "Change log",
}


def written(card: Card, key: str, *, below: int = 3) -> Block:
    """What the author wrote under a key, or the placeholder that says nobody did."""
    source = card.sections.get(key, "")
    if source:
        return Prose(prose_html(source, below=below), source)
    return Placeholder(f"Not written. The key card.{key} of the config fills this section.")


def identity_section(report: Report, words: Words) -> Section:
    """Identity, use and limits, with the list of what nobody wrote."""
    card = report.card
    facts = [KeyValue("Name", words.card_name), KeyValue("Release", words.version)]
    facts += [KeyValue("Owner", literal(card.owner))] if card.owner else []
    facts += [KeyValue("Contact", literal(card.contact))] if card.contact else []
    facts.append(KeyValue("Evaluated", fmt.date(report.provenance.created)))
    blocks: list[Block] = [written(card, "summary")]
    blocks.append(KeyValues(tuple(facts)))
    for key in ("intended_use", "users", "how_to_use", "out_of_scope", "warnings"):
        blocks += [Heading(key.replace("_", "-"), TITLES[key]), written(card, key)]
    missing = [TITLES.get(key, literal(key)).lower() for key in card.missing]
    missing += [name for name, value in (("owner", card.owner), ("contact", card.contact)) if not value]
    if missing:
        blocks.append(Paragraph(f"Nobody wrote these sections: {listed(missing)}.", "note"))
    return Section("identity", "Identity and use", tuple(blocks))


def model_section(report: Report, words: Words) -> Section:
    """The model, its output and threshold."""
    rows = tuple(
        Row(
            (
                Cell(literal(model.name)),
                Cell(literal(model.column)),
                Cell(decision(words, model)),
                _left_out(words, model),
            )
        )
        for model in report.models
    )
    columns = (
        Column("model", "Model"),
        Column("column", "Column"),
        Column("decision", f"Counts as {words.positive_prediction}"),
        Column("missing", "Without a prediction", "number"),
    )
    blocks: list[Block] = [
        written(report.card, "model", below=2),
        Table("models", "The models of this report; the first is the one the card is for", columns, rows),
    ]
    blocks += [
        Paragraph(f"{literal(model.name)}: {words.reason(note)}", "note")
        for model in report.models
        for note in model.notes
    ]
    return Section("model", TITLES["model"], tuple(blocks))


def decision(words: Words, model: ModelResult) -> str:
    """When a model's output counts as 1."""
    if model.kind == "prediction" or model.threshold is None:
        return "as the column says"
    sign = "at least" if model.rule == ">=" else "above"
    return f"a score {sign} {fmt.plain(model.threshold)}"


def _left_out(words: Words, model: ModelResult) -> Cell:
    cells = model.cells
    return count_cell(cells.labelled_without_prediction + cells.unlabelled_without_prediction)


def data_section(report: Report, words: Words) -> Section:
    """Training and evaluation data: author's prose, then sizes, events, what is missing and the composition."""
    data = report.data
    blocks: list[Block] = [Heading("training-data", TITLES["training_data"]), written(report.card, "training_data")]
    blocks += [Heading("evaluation-data", TITLES["evaluation_data"]), written(report.card, "evaluation_data")]
    facts = [KeyValue("Source", literal(data.source), code=True)]
    facts.append(KeyValue("Counted", words.count_units(data.n)))
    if data.where is not None:
        out = "a hidden number" if data.n_filtered_out is None else words.count_units(data.n_filtered_out)
        facts.append(KeyValue("Filter", f"{literal(data.where)} ({out} left out)", code=True))
    if data.label is None:
        facts.append(KeyValue("Label", f"none; only the {words.referral_rate} can be reported"))
    else:
        value = "1" if data.positive is None else literal(data.positive)
        facts.append(KeyValue("Label", f"{words.positive_label}, where the column {literal(data.label)} is {value}"))
        facts.append(KeyValue("With a label", _of(data.n_labelled, data.n)))
        facts.append(KeyValue(f"{words.positive_label.capitalize()}", _of(data.n_positive, data.n_labelled)))
    blocks.append(KeyValues(tuple(facts)))
    blocks += [Paragraph(literal(note), "note") for note in data.notes]
    single = [grouping for grouping in report.groupings if len(grouping.columns) == 1]
    if single:
        blocks.append(_composition(report, words, single))
    return Section("data", "Data", tuple(blocks))


def _of(n: int, total: int) -> str:
    return f"{fmt.count(n)} of {fmt.count(total)}" + (f" ({fmt.percent(n / total, 1)})" if total else "")


def _composition(report: Report, words: Words, groupings: Sequence[Grouping]) -> Table:
    """Who was evaluated: every group of every factor with its size, events and what is missing."""
    labelled = report.data.label is not None
    lacking = [model.name for model in report.models if any(_lacks(grouping, model.name) for grouping in groupings)]
    columns = [
        Column("group", "Group"),
        Column("grouping", "Factor"),
        Column("n", words.units.capitalize(), "number"),
        Column("share", "Share", "number"),
    ]
    if labelled:
        columns += [
            Column("positive", words.positive_label.capitalize(), "number"),
            Column("base-rate", f"Share {words.positive_label}", "number"),
            Column("unlabelled", "Without a label", "number"),
        ]
    columns += [
        Column(f"missing-{place}", f"Without a prediction of {literal(name)}", "number")
        for place, name in enumerate(lacking)
    ]
    rows = [row for grouping in groupings for row in _composition_rows(report, grouping, lacking, labelled=labelled)]
    notes = [f"{literal(grouping.name)}: {words.reason(note)}" for grouping in groupings for note in grouping.notes]
    return Table("composition", "Who was evaluated", tuple(columns), tuple(rows), note=" ".join(notes))


def _composition_rows(report: Report, grouping: Grouping, lacking: Sequence[str], *, labelled: bool) -> list[Row]:
    total = sum(level.n for level in grouping.levels)
    by_group = {(result.model, result.group): result.cells for result in grouping.results}
    rows = []
    for level in grouping.levels:
        cells = [group_cell(level), Cell(literal(grouping.name)), count_cell(level.n)]
        cells.append(Cell(fmt.percent(level.n / total, 1) if total else fmt.UNDEFINED, "", level.n))
        if labelled:
            cells += _events(by_group.get((report.models[0].name, level.name)), level.n)
        for name in lacking:
            one = by_group[(name, level.name)]
            cells.append(count_cell(one.labelled_without_prediction + one.unlabelled_without_prediction))
        rows.append(Row(tuple(cells)))
    return rows


def _events(cells: Cells | None, n: int) -> list[Cell]:
    """Events among the rows with a label (and a prediction of the first model), and the rows without a label."""
    if cells is None:
        return [Cell("not counted")] * 3
    positive, known = cells.tp + cells.fn, cells.n_labelled
    share = Cell(fmt.percent(positive / known, 1), "", positive / known) if known else Cell(fmt.UNDEFINED, "no label")
    return [count_cell(positive), share, count_cell(n - known - cells.labelled_without_prediction)]


def _lacks(grouping: Grouping, model: str) -> bool:
    return any(
        result.cells.labelled_without_prediction + result.cells.unlabelled_without_prediction
        for result in grouping.results
        if result.model == model
    )
