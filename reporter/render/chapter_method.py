"""Chapter 2, last part: what was computed, and how a verdict is reached, for a reader who does not know the method."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Heading, Paragraph, Row, Section, Table
from reporter.render.tables import metric_order
from reporter.render.wording import Words, listed, literal
from reporter.render.wording_findings import limit_text
from reporter.results import AgreementSection, Comparison, Report

REFERENCES = {
    "rest": "everyone else",
    "overall": "all {units}",
    "largest": "the largest group",
    "best": "the best group, chosen from the data",
}

INTERVALS = (
    "Shares have Wilson score intervals, differences of shares Newcombe's, ratios Koopman's. AUC rests on DeLong's variance, "
    "the other measures above on the delta method. An undefined value is shown as such, with its reason, and never as 0 or 1."
)

AGREEMENT_INTERVALS = {
    "kappa": "kappa has the interval of Fleiss, Cohen and Everitt, its gaps one from the variances of both sides",
    "pabak": "PABAK has the one that follows from the Wilson interval of the share of agreement, its gaps twice Newcombe's",
    "ac1": "Gwet's AC1 has none in a single group, its gaps have one from Gwet's variance",
    "weighted_kappa": "weighted kappa (quadratic weights) is treated as kappa, with the interval of Fleiss, Cohen and Everitt",
    "icc": "the ICC has the F interval of McGraw and Wong, its gaps combine both (Zou and Donner)",
    "fleiss": "Fleiss' kappa (nominal) has one from its linearised variance",
    "krippendorff": "Krippendorff's alpha (nominal, or ordinal for ratings in numbers) has one from its linearised variance",
}

NOISE_ERRORS = (
    "Reliability under noise: means over repeats have no such interval but a Monte-Carlo error, which says how much they would move with "
    "other random draws. Chance in who belongs to a group is not part of it"
)

GROUP_ERRORS = "; where it is counted, its error comes from leaving out blocks of each group in turn (jackknife)"

ADJUSTMENT = {
    "holm": "p-values are adjusted by Holm's method over the comparisons of one grouping and model",
    "bh": "p-values are adjusted by Benjamini and Hochberg's method over the comparisons of one grouping and model",
    "none": "p-values are not adjusted for the number of comparisons",
}


VERDICTS_ABOVE = "What the three verdicts mean stands under the verdict, in the first chapter."


def method_section(report: Report, words: Words) -> Section:
    """Measures, limits, verdicts, intervals."""
    settings = report.settings
    blocks: list[Block] = [_measures(report, words)]
    if report.comparisons:
        blocks.append(_rules(report, words))
        smallest = settings.get("min_group_size")
        said = [VERDICTS_ABOVE]
        adjust = ADJUSTMENT.get(str(settings.get("adjust")))
        said += [f"{adjust[0].upper()}{adjust[1:]}."] if adjust and settings.get("decide_by") != "point" else []
        said += (
            [f"Groups under {words.count_units(smallest)} get no other verdict than insufficient evidence."]
            if smallest
            else []
        )
        blocks += [Heading("how-decided", "How a verdict is reached"), Paragraph(" ".join(said))]
    blocks += [Heading("intervals", "Uncertainty"), Paragraph(f"Every interval is a {words.level_name()}. {INTERVALS}")]
    if report.agreement_section is not None:
        blocks.append(Paragraph(f"Agreement: {_agreement_intervals(report.agreement_section)}"))
    if report.noise_results:
        findings = [one for study in report.noise_results if study.findings for one in study.findings.statistics]
        counted = any(one.sampling_error is not None for one in findings)
        blocks.append(Paragraph(f"{NOISE_ERRORS}{GROUP_ERRORS if counted else ''}."))
    if settings.get("small_cells"):
        most = int(settings["small_cells"]) - 1
        blocks.append(
            Paragraph(
                f"Small cells: no count from 1 to {most} is shown, nor does one follow from what is shown of groups that are crossed; further "
                "counts are hidden where they would tell."
            )
        )
    blocks += [Paragraph(literal(note), "note") for note in report.notes]
    return Section("method", "Method", tuple(blocks))


def _agreement_intervals(found: AgreementSection) -> str:
    """How the interval of each statistic that was asked for is made."""
    said = [text for name, text in AGREEMENT_INTERVALS.items() if name in found.statistics or not found.statistics]
    return f"{'; '.join(said)}."


def _measures(report: Report, words: Words) -> Table:
    names = metric_order(report, report.models[0].metrics)
    rows = tuple(
        Row((Cell(words.term(name).title), Cell(words.term(name).meaning), Cell(literal(name)))) for name in names
    )
    columns = (Column("title", "Measure"), Column("meaning", "What it is"), Column("name", "Name in files"))
    return Table("measures", "What was measured", columns, rows, pdf_limit=None)


def _rules(report: Report, words: Words) -> Table:
    firsts: dict[tuple[int, str], Comparison] = {}
    groupings: dict[tuple[int, str], list[str]] = {}
    for found in report.comparisons:
        key = (found.rule, found.metric)
        firsts.setdefault(key, found)
        names = groupings.setdefault(key, [])
        if found.grouping not in names:
            names.append(found.grouping)
    every = {grouping.name for grouping in report.groupings}
    rows = tuple(
        Row(
            (
                Cell(words.term(found.metric).title),
                Cell(REFERENCES.get(found.reference, literal(found.reference)).format(units=words.units)),
                Cell(limit_text(words, found.metric, found.comparison, found.limit, found.side)),
                Cell("all" if set(groupings[key]) == every else listed([literal(name) for name in groupings[key]])),
                Cell("stops the release" if found.severity == "fail" else "warns"),
            )
        )
        for key, found in sorted(firsts.items())
    )
    columns = (
        Column("metric", "Measure"),
        Column("reference", "A group is held against"),
        Column("limit", "Limit of the gap", note=_fmt_note(rows)),
        Column("groupings", "Groupings"),
        Column("severity", "Beyond it"),
    )
    return Table("rules", "Which gap is too much", columns, rows, pdf_limit=None)


def _fmt_note(rows: tuple[Row, ...]) -> str:
    """Only a table with points needs to say what a point is."""
    return "a point is one hundredth" if any(f"{fmt.NBSP}point" in row.cells[2].text for row in rows) else ""
