"""Chapter 3, last part: calibration, ROC and the spread of scores per group, for the model the card is for."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Figure, Heading, Paragraph, Row, Section, Table
from reporter.render.plots import Axis, CalibrationPlot, Curve, DensityPlot, RocPlot, Steps
from reporter.render.tables import CURVE_GROUPS, capped_note, count_cell, shown_levels, value_cell
from reporter.render.wording import Words, group_name, listed, literal
from reporter.results import Curves, Grouping, ModelResult, Report


def scores_section(report: Report, words: Words) -> Section | None:
    """Figures per grouping of one factor; a model without scores has none."""
    model = next((one for one in report.models if one.kind == "score" and _has_curves(report, one.name)), None)
    if model is None:
        return None
    blocks: list[Block] = [
        Paragraph(
            f"These figures show the scores of {words.model(model.name)} before they are cut at its threshold "
            f"of {fmt.plain(model.threshold if model.threshold is not None else 0.5)}."
        )
    ]
    for place, grouping in enumerate(report.groupings, 1):
        if len(grouping.columns) == 1:
            blocks += _grouping(words, model, grouping, place)
    return Section("scores", "Scores", tuple(blocks))


def _has_curves(report: Report, model: str) -> bool:
    return any(
        one.model == model and (one.roc or one.calibration or one.density)
        for grouping in report.groupings
        if len(grouping.columns) == 1
        for one in grouping.curves
    )


def _grouping(words: Words, model: ModelResult, grouping: Grouping, place: int) -> list[Block]:
    chosen = {level.name for level in shown_levels(grouping, set(), CURVE_GROUPS)}
    curves = [one for one in grouping.curves if one.model == model.name and one.group in chosen]
    if not curves:
        return []
    total = len(grouping.levels)
    note = capped_note(total, len(chosen))
    name = literal(grouping.name)
    blocks: list[Block] = [Heading(f"scores-{place}", f"Scores by {name}")]
    if any(one.calibration for one in curves):
        blocks.append(_calibration(words, curves, place, name, note, total))
    if any(one.roc for one in curves):
        blocks.append(_roc(words, model, grouping, curves, place, name, note))
    if any(one.density for one in curves):
        blocks.append(_density(words, model, curves, place, name, note, total))
    for reason in dict.fromkeys(one.reason for one in curves if one.reason):
        groups = [group_name(one.group or "") for one in curves if one.reason == reason]
        blocks.append(Paragraph(f"{listed(groups)}: {words.reason(reason)}.", "note"))
    return blocks


def _calibration(words: Words, curves: Sequence[Curves], place: int, name: str, note: str, total: int) -> Figure:
    drawn = []
    rows = []
    for one in curves:
        bins = [found for found in one.calibration if found.observed.value is not None]
        if bins:
            drawn.append(
                Curve(
                    group_name(one.group or ""),
                    tuple(found.mean_score for found in bins),
                    tuple(found.observed.value or 0.0 for found in bins),
                    tuple(found.observed.low for found in bins),
                    tuple(found.observed.high for found in bins),
                    tuple(found.n for found in bins),
                )
            )
        for found in one.calibration:
            rows.append(
                Row(
                    (
                        Cell(group_name(one.group or "")),
                        Cell(f"{fmt.number(found.low, 2)} to {fmt.number(found.high, 2)}", "", found.low),
                        count_cell(found.n),
                        Cell(fmt.percent(found.mean_score, 1), "", found.mean_score),
                        value_cell(words, "base_rate", found.observed),
                    )
                )
            )
    columns = (
        Column("group", name),
        Column("bin", "Score"),
        Column("n", words.units.capitalize(), "number"),
        Column("mean", "Mean score", "number"),
        Column("observed", f"Observed share {words.positive_label}", "number"),
    )
    return Figure(
        f"calibration-{place}",
        f"Observed share {words.positive_label} against the mean score, by {name}: {_calibration_sentence(words, curves)}",
        f"Calibration by {name}. On the diagonal, scores mean what they say; above it they are too low. "
        f"Bars are {words.level_name()}s{_aside(drawn)}.{note}",
        CalibrationPlot(
            Axis("mean score", "percent", 0.0, 1.0),
            Axis(f"observed share {words.positive_label}", "percent", 0.0, 1.0),
            tuple(drawn),
            ideal="scores mean what they say",
            total=total,
        ),
        Table(f"calibration-{place}-data", f"Calibration by {name}", columns, tuple(rows), pdf_limit=0),
    )


def _aside(drawn: Sequence[Curve]) -> str:
    return "; groups are set beside each other within a bin" if len(drawn) > 1 else ""


def _calibration_sentence(words: Words, curves: Sequence[Curves]) -> str:
    """Per group, how far the scores are from what was observed, on average."""
    said = []
    for one in curves:
        n = sum(found.n for found in one.calibration)
        known = [found for found in one.calibration if found.observed.value is not None]
        if n and known:
            score = sum(found.mean_score * found.n for found in known) / n
            seen = sum((found.observed.value or 0.0) * found.n for found in known) / n
            said.append(
                f"{group_name(one.group or '')} scores {fmt.percent(score)} on average and {fmt.percent(seen)} are {words.positive_label}"
            )
    return "; ".join(said) + "."


def _roc(
    words: Words, model: ModelResult, grouping: Grouping, curves: Sequence[Curves], place: int, name: str, note: str
) -> Figure:
    drawn: list[Curve] = []
    points: list[tuple[int, float, float]] = []
    rows: list[Row] = []
    for one in curves:
        if not one.roc:
            continue
        group = one.group or ""
        result = grouping.result(model.name, group)
        fpr, tpr = _shares(result.cells.fp, result.cells.tn), _shares(result.cells.tp, result.cells.fn)
        if fpr is not None and tpr is not None:
            points.append((len(drawn), fpr, tpr))
        drawn.append(Curve(group_name(group), tuple(p.fpr for p in one.roc), tuple(p.tpr for p in one.roc)))
        auc = result.metrics.get("auc")
        rows.append(
            Row(
                (
                    Cell(group_name(group)),
                    count_cell(one.n),
                    Cell("not asked for") if auc is None else value_cell(words, "auc", auc),
                    Cell(fmt.UNDEFINED if fpr is None else fmt.percent(fpr, 1), "", fpr),
                    Cell(fmt.UNDEFINED if tpr is None else fmt.percent(tpr, 1), "", tpr),
                )
            )
        )
    at = f"at {fmt.plain(model.threshold)}" if model.threshold is not None else "at the threshold"
    columns = (
        Column("group", name),
        Column("n", words.units.capitalize(), "number"),
        Column("auc", "AUC", "number"),
        Column("fpr", f"{words.term('fpr').title} {at}", "number"),
        Column("tpr", f"{words.term('tpr').title} {at}", "number"),
    )
    return Figure(
        f"roc-{place}",
        f"ROC curves of {words.model(model.name)} by {name}, with the point where the threshold lies: "
        + "; ".join(
            f"{row.cells[0].text} finds {row.cells[4].text} at {row.cells[3].text} false alarms" for row in rows
        )
        + ".",
        f"Share of {words.positive_label} found against false alarms, by {name}, for every threshold; the marks are the threshold in force. "
        f"The nearer a curve to the upper left corner, the better the scores tell the two apart.{note}",
        RocPlot(
            Axis(words.term("fpr").meaning, "percent", 0.0, 1.0),
            Axis(words.term("tpr").meaning, "percent", 0.0, 1.0),
            tuple(drawn),
            tuple(points),
            f"threshold {fmt.plain(model.threshold)}" if model.threshold is not None else "threshold",
            len(grouping.levels),
        ),
        Table(f"roc-{place}-data", f"ROC by {name}", columns, tuple(rows), pdf_limit=0),
    )


def _shares(one: int, other: int) -> float | None:
    return one / (one + other) if one + other else None


def _density(
    words: Words, model: ModelResult, curves: Sequence[Curves], place: int, name: str, note: str, total: int
) -> Figure:
    steps = []
    said = []
    for one in curves:
        n = sum(found.n for found in one.density)
        if not n:
            continue
        heights = tuple(found.n / n for found in one.density)
        steps.append(
            Steps(group_name(one.group or ""), (*(found.low for found in one.density), one.density[-1].high), heights)
        )
        highest = max(one.density, key=lambda found: found.n)
        said.append(
            f"{group_name(one.group or '')} most often from {fmt.number(highest.low, 2)} to {fmt.number(highest.high, 2)}"
        )
    threshold = None if model.threshold is None else (model.threshold, f"threshold {fmt.plain(model.threshold)}")
    return Figure(
        f"density-{place}",
        f"How the scores of {words.model(model.name)} are spread, by {name}: {'; '.join(said)}.",
        f"Spread of the scores by {name}, as a share of each group.{note}",
        DensityPlot(Axis("score"), Axis("share of the group", "percent", 0.0), tuple(steps), threshold, total),
        _density_table(words, curves, place, name),
    )


def _density_table(words: Words, curves: Sequence[Curves], place: int, name: str) -> Table:
    """One row a bin of scores, one column a group."""
    shares: dict[tuple[float, float], dict[str, Cell]] = {}
    groups = []
    for one in curves:
        n = sum(found.n for found in one.density)
        if n:
            groups.append(one.group or "")
        for found in one.density:
            cell = Cell(
                fmt.percent(found.n / n, 1) if n else fmt.UNDEFINED, fmt.count(found.n), found.n / n if n else None
            )
            shares.setdefault((found.low, found.high), {})[one.group or ""] = cell
    columns = (
        Column("bin", "Score"),
        *(Column(f"group-{index}", group_name(group), "number") for index, group in enumerate(groups)),
    )
    rows = tuple(
        Row(
            (
                Cell(f"{fmt.number(low, 3)} to {fmt.number(high, 3)}", "", low),
                *(cells.get(group, Cell(fmt.percent(0, 1), "0", 0.0)) for group in groups),
            )
        )
        for (low, high), cells in sorted(shares.items())
    )
    note = f"Share of the group's {words.units}, and how many they are."
    return Table(f"density-{place}-data", f"Scores by {name}", columns, rows, note=note, pdf_limit=0)
