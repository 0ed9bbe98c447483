"""Chapter 4: how far two models or raters agree in each group, with what prevalence and bias do to kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.agreement_tables import agreement_tables, counts_table, gap_table, many_raters_table
from reporter.render.document import (
    Block,
    Details,
    Figure,
    Heading,
    Paragraph,
    Section,
    Sentence,
    Sentences,
)
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow
from reporter.render.tables import FIGURE_GROUPS, capped_note
from reporter.render.wording import Words, capital, group_name, literal
from reporter.render.wording_agreement import corrections, statistic_name
from reporter.results import AgreementGap, AgreementResult, Report

EXPLANATION = (
    "Kappa is agreement beyond what chance would give, 1 at most. It falls where one answer is rare (prevalence) and rises where "
    "the two say yes unequally often (bias), however often they agree. PABAK puts both aside: it is twice the share of "
    "agreement, minus 1. The prevalence index is how unequal “both yes” and “both no” are; the bias index how unequally often "
    "the two say yes. Adjusted kappas take one of the two out."
)


def agreement_section(report: Report, words: Words) -> Section | None:
    """Sentences, then a table and a figure per pair and item, the gaps between groups, and three or more raters."""
    found = report.agreement_section
    if found is None or not (found.results or found.multi):
        return None
    blocks: list[Block] = [Paragraph(EXPLANATION)]
    gaps = [_gap_sentence(report, words, gap) for gap in _told_once(found.gaps) if gap.verdict == "diverges"]
    said = corrections(words, found.results, int(report.settings.get("min_group_size") or 1))
    said += [Sentence(literal(text)) for text in found.sentences]
    said = [*gaps, *([_no_gap(found.gaps)] if found.gaps and not gaps else []), *said]
    blocks += [Sentences(tuple(said))] if said else []
    pairs = list(dict.fromkeys((one.first, one.second, one.item) for one in found.results))
    for place, (first, second, item) in enumerate(pairs, 1):
        results = [one for one in found.results if (one.first, one.second, one.item) == (first, second, item)]
        about = f", {literal(item)}" if item else ""
        blocks.append(Heading(f"agreement-{place}", f"{literal(first)} and {literal(second)}{about}"))
        reasons = dict.fromkeys(one.reason for one in results if one.reason)
        blocks += [
            Paragraph(f"Kappa and PABAK need answers of two kinds: {words.reason(why)}.", "note") for why in reasons
        ]
        if any(one.agreement or one.iccs or one.weighted_kappa for one in results):
            blocks += agreement_tables(words, results, place, found.statistics)
        blocks += [figure] if (figure := _figure(report, words, results, place)) else []
        counts = counts_table(words, results, place)
        if counts is not None:
            what = f"The counts behind the agreement of {literal(first)} and {literal(second)}{about}"
            blocks.append(Details(f"agreement-{place}-behind", what, (counts,), in_pdf=False))
    if found.gaps:
        blocks.append(Details("agreement-gaps", "Gaps in agreement between groups", (gap_table(words, found.gaps),)))
    if found.multi:
        blocks += [Heading("many-raters", "Three or more raters"), many_raters_table(words, found.multi)]
    return Section("agreement", "Agreement", tuple(blocks))


def _told_once(gaps: Sequence[AgreementGap]) -> list[AgreementGap]:
    """Of two groups the one with less agreement: the other's gap is the same with the other sign."""
    groups = Counter((gap.first, gap.second, gap.item, gap.grouping, gap.statistic) for gap in gaps)
    return [
        gap
        for gap in gaps
        if groups[gap.first, gap.second, gap.item, gap.grouping, gap.statistic] != 2 or (gap.gap.value or 0.0) <= 0
    ]


def _no_gap(gaps: Sequence[AgreementGap]) -> Sentence:
    """No gap diverges: how many are within the limit, and how many cannot be told."""
    within = sum(gap.verdict == "within limit" for gap in gaps)
    limit = gaps[0].limit
    beyond = "diverges" if limit is None else f"is shown to be beyond the limit of {fmt.plain(limit)}"
    rest = len(gaps) - within
    told = "" if rest == 0 else f"; for {fmt.count(rest)} the evidence is insufficient"
    return Sentence(
        f"No group's agreement {beyond}: {fmt.count(within)} of {fmt.count(len(gaps))} gaps are within it{told}.",
        "ok" if rest == 0 else "unknown",
        label="Agreement",
        anchor="agreement-gaps",
    )


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
