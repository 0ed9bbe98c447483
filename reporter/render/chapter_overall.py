"""Chapter 3, first part: all models side by side, and where they disagree."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Paragraph, Row, Section, Table
from reporter.render.tables import count_cell, gap_cell, metric_order, value_cell
from reporter.render.wording import Words, literal
from reporter.results import ModelPair, Report


def overall_section(report: Report, words: Words) -> Section:
    """One table of all models, a sentence and a table per pair of models."""
    blocks: list[Block] = [_models(report, words)]
    for index, pair in enumerate(report.model_pairs):
        blocks += _pair(report, words, pair, index + 1)
    return Section("overall", "Overall results", tuple(blocks))


def _models(report: Report, words: Words) -> Table:
    columns = (
        Column("measure", "Measure"),
        *(Column(f"model-{place}", literal(model.name), "number") for place, model in enumerate(report.models)),
    )
    rows = [
        Row(
            (
                Cell(f"{words.units.capitalize()} with a prediction"),
                *(count_cell(m.cells.n_predicted) for m in report.models),
            )
        )
    ]
    if report.data.label is not None:
        rows.append(Row((Cell("of these with a label"), *(count_cell(m.cells.n_labelled) for m in report.models))))
    names = metric_order(report, (name for model in report.models for name in model.metrics))
    for name in names:
        term = words.term(name)
        values = tuple(
            value_cell(words, name, model.metrics[name]) if name in model.metrics else Cell("not computed")
            for model in report.models
        )
        rows.append(Row((Cell(term.title, term.meaning if term.meaning != term.title else ""), *values)))
    return Table("overall-table", f"All {words.units} together", columns, tuple(rows), pdf_limit=None)


def _pair(report: Report, words: Words, pair: ModelPair, index: int) -> list[Block]:
    first, second = literal(pair.first), literal(pair.second)
    share = pair.disagreement
    if share.value is None:
        return [Paragraph(f"Whether {first} and {second} agree cannot be told: {words.reason(share.reason)}.")]
    marked = words.positive_prediction
    sentence = (
        f"{words.model(pair.first)} and {words.model(pair.second)} disagree about {fmt.percent(share.value, 1)} of "
        f"{words.count_units(pair.n)} ({words.level_name()} {words.interval('accuracy', share)}): "
        f"{fmt.count(pair.first_only)} {'is' if pair.first_only == 1 else 'are'} {marked} by {first} alone, "
        f"{fmt.count(pair.second_only)} by {second} alone, {fmt.count(pair.both)} by both and {fmt.count(pair.neither)} by neither."
    )
    blocks: list[Block] = [Paragraph(sentence)]
    if pair.differences:
        rows = tuple(
            Row((Cell(words.term(name).title), gap_cell(words, name, pair.differences[name])))
            for name in metric_order(report, pair.differences)
        )
        columns = (
            Column("measure", "Measure"),
            Column("difference", "Difference", "number", f"with its {words.level_name()}, paired"),
        )
        blocks.append(
            Table(f"pair-{index}", f"{second} minus {first}, on the same {words.units}", columns, rows, pdf_limit=None)
        )
    return blocks
