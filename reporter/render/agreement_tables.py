"""The tables of agreement: pairs of raters per group, gaps between groups, three and more raters."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reporter.render import format as fmt
from reporter.render.document import Cell, Column, Row, Severity, Table
from reporter.render.tables import count_cell, number_cell
from reporter.render.wording import Words, group_name, listed, literal, unbroken
from reporter.render.wording_agreement import gap_reason, icc_name, nowhere, of_form, signs, statistic_name
from reporter.results import AgreementGap, AgreementResult, Estimate, Icc, MultiRater

PDF_ROWS = 18
"""At most so many rows of a table stand in the PDF; HTML, CSV and JSON have all."""

GAP_ROWS = 10
"""So many gaps of a pair stand in the PDF, those that tell most first."""

FORMS_BESIDE = 2
"""So many correlations fit beside kappa and its kin on a page."""

BINARY_COLUMNS = (
    Column("observed", "Agree", "number"),
    Column("kappa", "kappa", "number"),
    Column("pabak", "PABAK", "number"),
    Column("ac1", statistic_name("ac1"), "number"),
    Column("pi", "Prevalence index", "number"),
    Column("bi", "Bias index", "number"),
    Column("pak", statistic_name("prevalence_adjusted_kappa"), "number"),
    Column("bak", statistic_name("bias_adjusted_kappa"), "number"),
)

MARKS: dict[str, Severity] = {"diverges": "warn", "within limit": "ok", "insufficient evidence": "unknown"}


def single_factors(results: Sequence[AgreementResult], crossed: Collection[str]) -> int:
    """How many of the first results are all rows and single factors, where the PDF shows these alone; 0 where it shows all results,
    or the largest groups. ``crossed`` names the groupings of several factors, which come last."""
    n = sum(one.grouping not in crossed for one in results)
    return n if 1 < n <= PDF_ROWS < len(results) else 0


def agreement_tables(
    words: Words,
    results: Sequence[AgreementResult],
    place: int,
    asked: Sequence[str] = (),
    crossed: Collection[str] = (),
) -> list[Table]:
    """Kappa and its kin; the correlations of scores beside them, or in a table of their own where they are many.

    Without a column for what has no value in any group for one reason: that is said once, beside the table.
    """
    forms, weighted = shown_forms(results), has_weighted(results)
    binary = any(one.agreement is not None for one in results)
    if not (binary or forms or weighted):
        return []
    first, second, item = results[0].first, results[0].second, results[0].item
    about = f"{literal(first)} and {literal(second)}" + (f" about {literal(item)}" if item else "")
    apart = binary and len(forms) + weighted > FORMS_BESIDE
    columns = [Column("group", "Group"), Column("n", "Pairs", "number")]
    scores = [Column("weighted", "weighted kappa", "number")] if weighted else []
    scores += [Column(f"icc-{form}", icc_name(form), "number") for form in forms]
    main, more = [], []
    for one in results:
        n = one.agreement.n if one.agreement else max((icc.n for icc in one.iccs), default=0)
        start = [_group_cell(words, one), count_cell(n)]
        by_form = {icc.form: icc for icc in one.iccs}
        ends = [_estimate_cell(words, one.weighted_kappa)] if weighted else []
        ends += [_icc_cell(words, by_form.get(form)) for form in forms]
        middle = [cell for key, cell in _agreement_cells(words, one) if is_asked(key, asked)] if binary else []
        main.append(Row((*start, *middle, *([] if apart else ends))))
        more.append(Row((*start, *ends)))
    binary_columns = [column for column in BINARY_COLUMNS if is_asked(column.key, asked)] if binary else []
    caption = f"Agreement of {about}, with {words.level_name()}s"
    left_out = "A pair with a missing rating is left out."
    meaning = f"{left_out} {signs(first, second)}" if binary else left_out
    single = single_factors(results, crossed)
    limit, kept = (single, f"all {words.units} together and the single factors") if single else (PDF_ROWS, "")
    tables = [
        Table(
            f"agreement-{place}-table",
            caption,
            (*columns, *binary_columns, *([] if apart else scores)),
            tuple(main),
            note=meaning,
            pdf_limit=limit,
            kept=kept,
        )
    ]
    if apart:
        title = f"Agreement of the scores of {about}, with {words.level_name()}s"
        tables.append(
            Table(
                f"agreement-{place}-scores",
                title,
                (*columns, *scores),
                tuple(more),
                note=left_out,
                pdf_limit=limit,
                kept=kept,
            )
        )
    return tables


def shown_forms(results: Sequence[AgreementResult]) -> list[str]:
    """The forms of the ICC that have something to show."""
    forms = dict.fromkeys(icc.form for one in results for icc in one.iccs)
    return [form for form in forms if nowhere(of_form(results, form)) is None]


def has_weighted(results: Sequence[AgreementResult]) -> bool:
    """Whether weighted kappa has something to show."""
    known = [one.weighted_kappa for one in results if one.weighted_kappa is not None]
    return bool(known) and nowhere(known) is None


def counts_table(words: Words, results: Sequence[AgreementResult], place: int) -> Table | None:
    """The four counts that kappa and its kin rest on, with the agreement that chance alone would give; None without them."""
    known = [(one, one.agreement) for one in results if one.agreement is not None]
    if not known:
        return None
    first, second, item = (literal(name or "") for name in (results[0].first, results[0].second, results[0].item))
    columns = (
        Column("group", "Group"),
        Column("a", "Both yes", "number", "a"),
        Column("b", f"Only {second} yes", "number", "b"),
        Column("c", f"Only {first} yes", "number", "c"),
        Column("d", "Both no", "number", "d"),
        Column("observed", "Agree", "number", "observed"),
        Column("expected", "By chance", "number", "expected"),
    )
    rows = tuple(
        Row(
            (
                _group_cell(words, one),
                *(count_cell(n) for n in (found.a, found.b, found.c, found.d)),
                *(
                    Cell(fmt.UNDEFINED) if share is None else Cell(fmt.percent(share, 1), "", share)
                    for share in (found.observed, found.expected)
                ),
            )
        )
        for one, found in known
    )
    about = f"{first} and {second}" + (f" about {item}" if results[0].item else "")
    return Table(f"agreement-{place}-counts", f"How often {about} said the same", columns, rows)


def _group_cell(words: Words, one: AgreementResult) -> Cell:
    name = f"all {words.units}" if one.group is None else group_name(one.group)
    return Cell(name, literal(one.grouping) if one.grouping else "")


def is_asked(key: str, asked: Sequence[str]) -> bool:
    """Whether the config asked for a column; shares and indices belong to all of them, and nothing asked means all."""
    owner = {"kappa": "kappa", "pak": "kappa", "bak": "kappa", "pabak": "pabak", "ac1": "ac1"}.get(key)
    return not asked or owner is None or owner in asked


def _agreement_cells(words: Words, one: AgreementResult) -> list[tuple[str, Cell]]:
    found = one.agreement
    keys = [column.key for column in BINARY_COLUMNS]
    if found is None:
        why = [Cell("not computed", words.note(one.reason)), *[Cell("not computed")] * (len(keys) - 1)]
        return list(zip(keys, why, strict=True))
    agree = number_cell(found.observed, None, words.note(found.reason))
    if found.observed is not None:
        both = unbroken(f"{fmt.count(found.a + found.d)} of {fmt.count(found.n)}")
        agree = Cell(fmt.percent(found.observed, 1), both, found.observed)
    cells = [
        agree,
        number_cell(found.kappa, detail=_span(found.kappa_low, found.kappa_high) or words.note(found.reason)),
        number_cell(found.pabak, detail=_span(found.pabak_low, found.pabak_high)),
        number_cell(found.ac1),
        number_cell(found.prevalence_index),
        number_cell(found.bias_index),
        number_cell(found.prevalence_adjusted_kappa),
        number_cell(found.bias_adjusted_kappa),
    ]
    return list(zip(keys, cells, strict=True))


def _span(low: float | None, high: float | None) -> str:
    return "" if low is None or high is None else unbroken(f"{fmt.coefficient(low)} to {fmt.coefficient(high)}")


def _estimate_cell(words: Words, estimate: Estimate | None) -> Cell:
    if estimate is None:
        return Cell("not computed")
    return number_cell(estimate.value, detail=_span(estimate.low, estimate.high) or words.note(estimate.reason))


def _icc_cell(words: Words, icc: Icc | None) -> Cell:
    if icc is None:
        return Cell("not computed")
    return number_cell(icc.value, detail=_span(icc.low, icc.high) or words.note(icc.reason))


def gap_table(words: Words, gaps: Sequence[AgreementGap], place: int, smallest: int) -> Table:
    """The gaps of one pair; those that diverge and those whose interval leaves out 0 come first, so that the PDF has them."""
    columns = (
        Column("group", "Group"),
        Column("grouping", "Grouping"),
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
                Cell(statistic_name(gap.statistic)),
                number_cell(
                    gap.gap.value,
                    None if gap.gap.value is None else fmt.signed(fmt.coefficient(gap.gap.value), gap.gap.value),
                    _span(gap.gap.low, gap.gap.high) or words.note(gap.gap.reason),
                ),
                Cell("none" if gap.p_adjusted is None else fmt.p_number(gap.p_adjusted), "", gap.p_adjusted),
                Cell(gap.verdict, gap_reason(words, gap.reason, smallest), gap.verdict),
            ),
            MARKS.get(gap.verdict),
        )
        for gap in sorted(gaps, key=_telling)
    )
    pair = listed([literal(name) for name in (gaps[0].first, gaps[0].second) if name])
    about = f" about {literal(gaps[0].item)}" if gaps[0].item else ""
    return Table(
        f"agreement-gaps-{place}",
        f"Each group's agreement minus that of the rest: {pair}{about}",
        columns,
        rows,
        note=_order_said(gaps),
        pdf_limit=GAP_ROWS,
        kept="the first ones",
    )


def _telling(gap: AgreementGap) -> tuple[bool, bool, bool]:
    return gap.verdict != "diverges", _covers_zero(gap), gap.verdict == "within limit"


def _order_said(gaps: Sequence[AgreementGap]) -> str:
    first = len({_covers_zero(gap) for gap in gaps}) > 1
    last = len({gap.verdict == "within limit" for gap in gaps if _covers_zero(gap)}) > 1
    if first and last:
        return "Gaps whose interval leaves out 0 stand first, then those for which the evidence is insufficient."
    if first:
        return "Gaps whose interval leaves out 0 stand first."
    return "Gaps for which the evidence is insufficient stand first." if last else ""


def _covers_zero(gap: AgreementGap) -> bool:
    low, high = gap.gap.low, gap.gap.high
    return low is None or high is None or low <= 0 <= high


def many_raters_table(words: Words, many: Sequence[MultiRater]) -> Table:
    """Fleiss' kappa and Krippendorff's alpha, each with its scale and with how many it rests on."""
    shown = [
        (name, name.split("_")[0])
        for name in ("fleiss_kappa", "krippendorff_alpha")
        if any(getattr(one, name) is not None for one in many)
    ]
    columns = (
        Column("group", "Group"),
        Column("raters", "Raters"),
        *(Column(key, statistic_name(key), "number") for _, key in shown),
    )
    rows = tuple(
        Row(
            (
                Cell(
                    f"all {words.units}" if one.group is None else group_name(one.group),
                    literal(one.grouping) if one.grouping else "",
                ),
                Cell(listed([literal(name) for name in one.raters]), literal(one.item) if one.item else ""),
                *(_many_cell(words, getattr(one, name), _basis(key, one)) for name, key in shown),
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


def _basis(key: str, one: MultiRater) -> str:
    """The scale of a statistic, and which cases it uses."""
    if key == "fleiss":
        return f"nominal\nrated by all {len(one.raters)}"
    method = "" if one.krippendorff_alpha is None else one.krippendorff_alpha.method
    scale = next((name for name in ("nominal", "ordinal", "interval") if name in method), "")
    return f"{scale}\nrated twice or more".lstrip("\n")


def _many_cell(words: Words, estimate: Estimate | None, basis: str) -> Cell:
    if estimate is None:
        return Cell("not computed")
    cell = _estimate_cell(words, estimate)
    if estimate.n == 0:
        return cell
    *scale, used = basis.split("\n")
    lines = [*scale, cell.detail, unbroken(f"{fmt.count(estimate.n)} {used}")]
    return Cell(cell.text, "\n".join(line for line in lines if line), cell.sort)
