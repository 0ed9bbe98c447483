"""Chapter 3, first part: all models side by side, and where they disagree."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Details, Paragraph, Row, Section, Table
from reporter.render.tables import count_cell, gap_cell, metric_order, value_cell
from reporter.render.wording import Words, literal
from reporter.results import ModelPair, Report


def overall_section(report: Report, words: Words) -> Section:
    """One table of all models; two models have their difference beside them, more have a table of pairs."""
    pairs = report.model_pairs
    if len(pairs) < 2:
        blocks: list[Block] = [_models(report, words, pairs[0] if pairs else None)]
        blocks += [Paragraph(_sentence(words, pair)) for pair in pairs]
        return Section("overall", "Overall results", tuple(blocks))
    blocks = [_models(report, words, None), _pairs(words, pairs)]
    for place, pair in enumerate(pairs, 1):
        if pair.differences:
            title = f"{literal(pair.second)} minus {literal(pair.first)}"
            blocks.append(Details(f"pair-{place}", title, (_differences(report, words, pair, place),), in_pdf=False))
    return Section("overall", "Overall results", tuple(blocks))


def _models(report: Report, words: Words, pair: ModelPair | None) -> Table:
    columns = [Column("measure", "Measure")]
    columns += [Column(f"model-{place}", literal(model.name), "number") for place, model in enumerate(report.models)]
    compared = pair is not None and bool(pair.differences)
    if pair is not None and compared:
        title = f"{literal(pair.second)} minus {literal(pair.first)}"
        columns.append(Column("difference", title, "number", f"on the same {words.units}"))
    none = [Cell("")] if compared else []
    predicted = [count_cell(model.cells.n_predicted) for model in report.models]
    rows = [Row((Cell(f"{words.units.capitalize()} with a prediction"), *predicted, *none))]
    if report.data.label is not None:
        labelled = [count_cell(model.cells.n_labelled) for model in report.models]
        rows.append(Row((Cell("of these with a label"), *labelled, *none)))
    for name in metric_order(report, (name for model in report.models for name in model.metrics)):
        values = [
            value_cell(words, name, model.metrics[name]) if name in model.metrics else Cell("not computed")
            for model in report.models
        ]
        gap = [_gap(words, pair, name)] if pair is not None and compared else []
        rows.append(Row((Cell(words.term(name).title), *values, *gap)))
    caption = f"All {words.units} together: value, {words.level_name()} and counts"
    return Table("overall-table", caption, tuple(columns), tuple(rows), pdf_limit=None)


def _gap(words: Words, pair: ModelPair, metric: str) -> Cell:
    return gap_cell(words, metric, pair.differences[metric]) if metric in pair.differences else Cell("not computed")


def _sentence(words: Words, pair: ModelPair) -> str:
    first, second = literal(pair.first), literal(pair.second)
    share = pair.disagreement
    if share.value is None:
        return f"Whether {first} and {second} agree cannot be told: {words.reason(share.reason)}."
    return (
        f"{words.model(pair.first)} and {words.model(pair.second)} disagree about {fmt.percent(share.value, 1)} of "
        f"{words.count_units(pair.n)} ({words.level_name()} {words.interval('accuracy', share)}): "
        f"{fmt.count(pair.first_only)} {'is' if pair.first_only == 1 else 'are'} {words.positive_prediction} by {first} alone, "
        f"{fmt.count(pair.second_only)} by {second} alone, {fmt.count(pair.both)} by both and {fmt.count(pair.neither)} by neither."
    )


def _pairs(words: Words, pairs: tuple[ModelPair, ...]) -> Table:
    marked = words.positive_prediction
    columns = (
        Column("first", "First"),
        Column("second", "Second"),
        Column("disagree", "Disagree", "number"),
        Column("first-only", f"{marked.capitalize()} by the first alone", "number"),
        Column("second-only", "by the second alone", "number"),
        Column("both", "by both", "number"),
        Column("neither", "by neither", "number"),
    )
    rows = tuple(
        Row(
            (
                Cell(literal(pair.first)),
                Cell(literal(pair.second)),
                value_cell(words, "accuracy", pair.disagreement),
                count_cell(pair.first_only),
                count_cell(pair.second_only),
                count_cell(pair.both),
                count_cell(pair.neither),
            )
        )
        for pair in pairs
    )
    return Table("pairs", f"Where two models disagree, on the same {words.units}", columns, rows)


def _differences(report: Report, words: Words, pair: ModelPair, place: int) -> Table:
    columns = (
        Column("measure", "Measure"),
        Column("difference", "Difference", "number", f"with its {words.level_name()}, paired"),
    )
    rows = tuple(
        Row((Cell(words.term(name).title), gap_cell(words, name, pair.differences[name])))
        for name in metric_order(report, pair.differences)
    )
    caption = f"{literal(pair.second)} minus {literal(pair.first)}, on the same {words.units}"
    return Table(f"pair-{place}-table", caption, columns, rows, pdf_limit=None)
