"""Chapter 3, first part: all models side by side, and where they disagree."""

from __future__ import annotations

from dataclasses import replace

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Details, Paragraph, Row, Section, Table
from reporter.render.tables import count_cell, gap_cell, metric_order, value_cell, without_intervals
from reporter.render.wording import Words, literal
from reporter.results import Estimate, ModelPair, Report

NO_JOINT_SCORES = "there is no joint table of both models' scores: one has none, or there are too many pairs to count"
"""What the statistics say where they cannot know which of the two it is; here the models tell."""


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
            title = f"{literal(pair.first)} minus {literal(pair.second)}"
            blocks.append(Details(f"pair-{place}", title, (_differences(report, words, pair, place),), in_pdf=False))
    return Section("overall", "Overall results", tuple(blocks))


def _models(report: Report, words: Words, pair: ModelPair | None) -> Table:
    columns = [Column("measure", "Measure")]
    columns += [Column(f"model-{place}", literal(model.name), "number") for place, model in enumerate(report.models)]
    compared = pair is not None and bool(pair.differences)
    if pair is not None and compared:
        title = f"{literal(pair.first)} minus {literal(pair.second)}"
        columns.append(Column("difference", title, "number", f"on the same {words.units}"))
    none = [Cell("")] if compared else []
    predicted = [count_cell(model.cells.n_predicted) for model in report.models]
    rows = [Row((Cell(f"{words.units.capitalize()} with a prediction"), *predicted, *none))]
    if report.data.label is not None:
        labelled = [count_cell(model.cells.n_labelled) for model in report.models]
        rows.append(Row((Cell("of these with a label"), *labelled, *none)))
    names = metric_order(report, (name for model in report.models for name in model.metrics))
    every = [(name, m.metrics[name]) for name in names for m in report.models if name in m.metrics]
    noted, note = without_intervals(words, every)
    for name in names:
        values = [
            value_cell(words, name, model.metrics[name], noted) if name in model.metrics else Cell("not computed")
            for model in report.models
        ]
        gap = [_gap(report, words, pair, name)] if pair is not None and compared else []
        rows.append(Row((Cell(words.term(name).title), *values, *gap)))
    caption = f"All {words.units} together: value, {words.level_name()} and counts"
    return Table("overall-table", caption, tuple(columns), tuple(rows), note, pdf_limit=None)


def _gap(report: Report, words: Words, pair: ModelPair, metric: str) -> Cell:
    """First minus second: the model that the card is for comes first, so that what it gains has a plus, as between releases."""
    if metric not in pair.differences:
        return Cell("not computed")
    gap = _turned(pair.differences[metric])
    if gap.value is None:
        values = {model.name: model.metrics.get(metric) for model in report.models}
        for name in (pair.first, pair.second):
            one = values.get(name)
            if one is not None and one.value is None:
                return Cell(
                    fmt.UNDEFINED, f"{literal(name)} has no {words.term(metric).title}: {words.reason(one.reason)}"
                )
        if gap.reason == NO_JOINT_SCORES:
            return Cell(
                fmt.UNDEFINED, "the scores of the two models form too many pairs of values to be counted together"
            )
    return gap_cell(words, metric, gap)


def _turned(gap: Estimate) -> Estimate:
    """The same difference seen from the other side."""
    value, low, high = (None if end is None else -end or 0.0 for end in (gap.value, gap.high, gap.low))
    return replace(gap, value=value, low=low, high=high)


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
        Row((Cell(words.term(name).title), _gap(report, words, pair, name)))
        for name in metric_order(report, pair.differences)
    )
    caption = f"{literal(pair.first)} minus {literal(pair.second)}, on the same {words.units}"
    return Table(f"pair-{place}-table", caption, columns, rows, pdf_limit=None)
