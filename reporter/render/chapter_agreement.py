"""Chapter 4: how far two models or raters agree in each group, with what prevalence and bias do to kappa."""

from __future__ import annotations

from collections.abc import Sequence

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
    Sentence,
    Sentences,
    Severity,
    Table,
)
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow
from reporter.render.tables import FIGURE_GROUPS, capped_note, count_cell, number_cell
from reporter.render.wording import Words, capital, group_name, listed, literal, unbroken
from reporter.results import AgreementGap, AgreementResult, Estimate, Icc, MultiRater, Report

STATISTICS = {
    "kappa": "kappa",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
    "weighted_kappa": "weighted kappa",
    "prevalence_adjusted_kappa": "prevalence-adjusted kappa",
    "bias_adjusted_kappa": "bias-adjusted kappa",
}

EXPLANATION = (
    "Kappa is agreement beyond what chance would give, 1 at most. It falls where one answer is rare (prevalence) and rises where "
    "the two say yes unequally often (bias), however often they agree. PABAK puts both aside: it is twice the share of "
    "agreement, minus 1. The prevalence index is how unequal “both yes” and “both no” are; the bias index how unequally often "
    "the two say yes. Adjusted kappas take one of the two out."
)

MARKS: dict[str, Severity] = {"diverges": "warn", "within limit": "ok", "insufficient evidence": "unknown"}


def statistic_name(name: str) -> str:
    """A statistic as the card names it.

    Examples
    --------
    >>> statistic_name("pabak"), statistic_name("icc_a1"), statistic_name("referral_rate")
    ('PABAK', 'ICC(A,1)', 'referral rate')
    """
    if name.lower().startswith("icc"):
        return icc_name(name[4:].upper() or "A1")
    return STATISTICS.get(name, name.replace("_", " "))


def icc_name(form: str) -> str:
    """A form of the intraclass correlation as in McGraw and Wong."""
    form = form.replace("K", "k")
    return f"ICC({form[0]},{form[1:]})" if form[0] in "AC" and len(form) > 1 else f"ICC({form})"


def agreement_section(report: Report, words: Words) -> Section | None:
    """Sentences, then a table and a figure per pair and item, the gaps between groups, and three or more raters."""
    found = report.agreement_section
    if found is None or not (found.results or found.multi):
        return None
    blocks: list[Block] = [Paragraph(EXPLANATION)]
    gaps = [_gap_sentence(report, words, gap) for gap in found.gaps if gap.verdict == "diverges"]
    said = [Sentence(literal(text)) for text in found.sentences]
    if gaps or said:
        blocks.append(Sentences((*gaps, *said)))
    pairs = list(dict.fromkeys((one.first, one.second, one.item) for one in found.results))
    for place, (first, second, item) in enumerate(pairs, 1):
        results = [one for one in found.results if (one.first, one.second, one.item) == (first, second, item)]
        about = f", {literal(item)}" if item else ""
        blocks.append(Heading(f"agreement-{place}", f"{literal(first)} and {literal(second)}{about}"))
        blocks.append(_table(words, results, place))
        blocks += [figure] if (figure := _figure(report, words, results, place)) else []
    if found.gaps:
        blocks.append(Details("agreement-gaps", "Gaps in agreement between groups", (_gaps(words, found.gaps),)))
    if found.multi:
        blocks += [Heading("many-raters", "Three or more raters"), _multi(words, found.multi)]
    return Section("agreement", "Agreement", tuple(blocks))


def _gap_sentence(report: Report, words: Words, gap: AgreementGap) -> Sentence:
    ours, rest = gap.group_value, gap.reference_value
    about = f" about {literal(gap.item)}" if gap.item else ""
    value = gap.gap.value or 0.0
    interval = (
        ""
        if gap.gap.low is None or gap.gap.high is None
        else (f", {words.level_name()} {fmt.coefficient(gap.gap.low)} to {fmt.coefficient(gap.gap.high)}")
    )
    both = (
        f" ({fmt.coefficient(ours)} against {fmt.coefficient(rest)}" if ours is not None and rest is not None else " ("
    )
    middle = "; " if ours is not None and rest is not None else ""
    text = (
        f"{capital(literal(gap.first))} and {literal(gap.second)} agree{about} {'more' if value > 0 else 'less'} by {statistic_name(gap.statistic)} "
        f"for {literal(gap.grouping)}: {group_name(gap.group)} than for the others{both}{middle}gap "
        f"{fmt.signed(fmt.coefficient(value), value)}{interval})."
    )
    limit = "" if gap.limit is None else f" of {fmt.plain(gap.limit)}"
    p = "" if gap.p_adjusted is None else f" (adjusted {fmt.p_value(gap.p_adjusted)})"
    return Sentence(
        text,
        "warn",
        label="Diverges",
        anchor="agreement-gaps",
        detail=f"The estimated gap is beyond the limit{limit}, and “no gap” is ruled out{p}. It does not stop the release.",
    )


def _table(words: Words, results: Sequence[AgreementResult], place: int) -> Table:
    forms = list(dict.fromkeys(icc.form for one in results for icc in one.iccs))
    weighted = any(one.weighted_kappa is not None for one in results)
    binary = any(one.agreement is not None for one in results)
    columns = [Column("group", "Group"), Column("n", "Pairs", "number")]
    if binary:
        columns += [
            Column("observed", "Agree", "number"),
            Column("kappa", "kappa", "number"),
            Column("pabak", "PABAK", "number"),
            Column("ac1", "AC1", "number"),
            Column("pi", "Prevalence index", "number"),
            Column("bi", "Bias index", "number"),
            Column("pak", "kappa, prevalence-adjusted", "number"),
            Column("bak", "kappa, bias-adjusted", "number"),
        ]
    columns += [Column("weighted", "weighted kappa", "number")] if weighted else []
    columns += [Column(f"icc-{form}", icc_name(form), "number") for form in forms]
    rows = []
    for one in results:
        name = f"all {words.units}" if one.group is None else group_name(one.group)
        n = one.agreement.n if one.agreement else max((icc.n for icc in one.iccs), default=0)
        cells = [Cell(name, literal(one.grouping) if one.grouping else ""), count_cell(n)]
        if binary:
            cells += _agreement_cells(one)
        cells += [_estimate_cell(one.weighted_kappa)] if weighted else []
        by_form = {icc.form: icc for icc in one.iccs}
        cells += [_icc_cell(by_form.get(form)) for form in forms]
        rows.append(Row(tuple(cells)))
    first, second, item = results[0].first, results[0].second, results[0].item
    about = f" about {literal(item)}" if item else ""
    return Table(
        f"agreement-{place}-table",
        f"Agreement of {literal(first)} and {literal(second)}{about}, with {words.level_name()}s",
        tuple(columns),
        tuple(rows),
        note="A pair with a missing rating is left out.",
    )


def _agreement_cells(one: AgreementResult) -> list[Cell]:
    found = one.agreement
    if found is None:
        return [Cell("not rated")] * 8
    agree = (
        Cell(fmt.UNDEFINED, literal(found.reason or ""))
        if found.observed is None
        else Cell(
            fmt.percent(found.observed, 1),
            unbroken(f"{fmt.count(found.a + found.d)} of {fmt.count(found.n)}"),
            found.observed,
        )
    )
    why = literal(found.reason) if found.reason and found.kappa is None else ""
    return [
        agree,
        number_cell(found.kappa, detail=_span(found.kappa_low, found.kappa_high) or why or literal(found.reason or "")),
        number_cell(found.pabak, detail=_span(found.pabak_low, found.pabak_high)),
        number_cell(found.ac1),
        number_cell(found.prevalence_index),
        number_cell(found.bias_index),
        number_cell(found.prevalence_adjusted_kappa),
        number_cell(found.bias_adjusted_kappa),
    ]


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else unbroken(f"{fmt.coefficient(low)} to {fmt.coefficient(high)}")


def _estimate_cell(estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell("not computed")
    return number_cell(
        estimate.value,
        detail=_span(estimate.low, estimate.high) or literal(estimate.reason or "") * bool(estimate.reason),
    )


def _icc_cell(icc: Icc | None) -> Cell:
    if icc is None:
        return Cell("not computed")
    return number_cell(icc.value, detail=_span(icc.low, icc.high) or (literal(icc.reason) if icc.reason else ""))


def _figure(report: Report, words: Words, results: Sequence[AgreementResult], place: int) -> Figure | None:
    known = [
        one
        for one in results
        if one.group is not None and one.agreement is not None and one.agreement.pabak is not None
    ]
    if len(known) < 2:
        return None
    sizes = sorted((one.agreement.n for one in known if one.agreement), reverse=True)
    smallest = sizes[min(FIGURE_GROUPS, len(sizes)) - 1]
    shown = [one for one in known if one.agreement and one.agreement.n >= smallest][:FIGURE_GROUPS]
    rows: list[ForestRow] = []
    heading = None
    for one in shown:
        if one.grouping != heading:
            heading = one.grouping
            rows.append(ForestRow(literal(heading or ""), ()))
        a = one.agreement
        if a is None:
            continue
        rows.append(
            ForestRow(
                group_name(one.group or ""),
                (
                    ForestPoint(
                        0,
                        a.kappa,
                        a.kappa_low,
                        a.kappa_high,
                        fmt.UNDEFINED if a.kappa is None else fmt.coefficient(a.kappa),
                    ),
                    ForestPoint(
                        1,
                        a.pabak,
                        a.pabak_low,
                        a.pabak_high,
                        fmt.UNDEFINED if a.pabak is None else fmt.coefficient(a.pabak),
                    ),
                ),
            )
        )
    first, second = literal(known[0].first), literal(known[0].second)
    lowest = min(
        known, key=lambda one: one.agreement.pabak if one.agreement and one.agreement.pabak is not None else 2.0
    )
    low = lowest.agreement.pabak if lowest.agreement else None
    return Figure(
        f"agreement-{place}-figure",
        f"Kappa and PABAK of {first} and {second} in each group; PABAK is lowest for {literal(lowest.grouping or '')}: "
        f"{group_name(lowest.group or '')}, {fmt.coefficient(low or 0.0)}.",
        f"Kappa and PABAK in each group, with {words.level_name()}s. The table above holds the numbers.{capped_note(len(known), len(shown))}",
        ForestPlot(Axis("agreement (1 at most)"), ("kappa", "PABAK"), tuple(rows), (), len(known)),
    )


def _gaps(words: Words, gaps: Sequence[AgreementGap]) -> Table:
    columns = (
        Column("group", "Group"),
        Column("grouping", "Grouping"),
        Column("pair", "Who"),
        Column("statistic", "Measure"),
        Column("gap", "Gap to the rest", "number", f"with its {words.level_name()}"),
        Column("p", "p, adjusted", "number"),
        Column("verdict", "Verdict", "verdict"),
    )
    rows = tuple(
        Row(
            (
                Cell(group_name(gap.group)),
                Cell(literal(gap.grouping)),
                Cell(
                    listed([literal(name) for name in (gap.first, gap.second) if name]),
                    literal(gap.item) if gap.item else "",
                ),
                Cell(statistic_name(gap.statistic)),
                number_cell(
                    gap.gap.value,
                    None if gap.gap.value is None else fmt.signed(fmt.coefficient(gap.gap.value), gap.gap.value),
                    _span(gap.gap.low, gap.gap.high) or (literal(gap.gap.reason) if gap.gap.reason else ""),
                ),
                Cell("none" if gap.p_adjusted is None else fmt.p_number(gap.p_adjusted), "", gap.p_adjusted),
                Cell(gap.verdict, literal(gap.reason) if gap.reason else "", gap.verdict),
            ),
            MARKS.get(gap.verdict),
        )
        for gap in gaps
    )
    return Table("agreement-gaps-table", "Each group's agreement minus that of the rest", columns, rows, pdf_limit=30)


def _multi(words: Words, many: Sequence[MultiRater]) -> Table:
    columns = (
        Column("group", "Group"),
        Column("raters", "Raters"),
        Column("n", "Rated", "number"),
        Column("fleiss", "Fleiss' kappa", "number"),
        Column("alpha", "Krippendorff's alpha", "number"),
    )
    rows = tuple(
        Row(
            (
                Cell(
                    f"all {words.units}" if one.group is None else group_name(one.group),
                    literal(one.grouping) if one.grouping else "",
                ),
                Cell(listed([literal(name) for name in one.raters]), literal(one.item) if one.item else ""),
                count_cell(one.krippendorff_alpha.n),
                _estimate_cell(one.fleiss_kappa),
                _estimate_cell(one.krippendorff_alpha),
            )
        )
        for one in many
    )
    return Table(
        "many-raters-table",
        f"Agreement of three or more raters, with {words.level_name()}s where they exist",
        columns,
        rows,
    )
