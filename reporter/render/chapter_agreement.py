"""Chapter 4: how far two models or raters agree in each group, with what prevalence and bias do to kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from reporter.render import format as fmt
from reporter.render.agreement_figures import agreement_figures
from reporter.render.agreement_tables import (
    agreement_tables,
    counts_table,
    gap_table,
    has_weighted,
    is_asked,
    many_raters_table,
    shown_forms,
)
from reporter.render.document import (
    Block,
    Details,
    Heading,
    Paragraph,
    Section,
    Sentence,
    Sentences,
    Table,
)
from reporter.render.wording import Words, capital, group_name, listed, literal
from reporter.render.wording_agreement import corrections, explanation, not_computed, statistic_name
from reporter.results import AgreementGap, AgreementResult, AgreementSection, MultiRater, Report

OF_MANY = ("fleiss", "krippendorff")
"""Statistics of three or more raters; the others compare two."""

MANY = 3


def agreement_section(report: Report, words: Words) -> Section | None:
    """Sentences, then tables and figures per pair and item, the gaps between groups, and three or more raters."""
    found = report.agreement_section
    if found is None or not (found.results or found.multi):
        return None
    smallest = int(report.settings.get("min_group_size") or 1)
    many = [one for one in found.multi if len(one.raters) >= MANY]
    told = explanation(words, _shown(found, many), shown_forms(found.results))
    blocks: list[Block] = [Paragraph(told)] if told else []
    gaps = [_gap_sentence(report, words, gap) for gap in _told_once(found.gaps) if gap.verdict == "diverges"]
    both = all(is_asked(name, found.statistics) for name in ("kappa", "pabak"))
    said = corrections(words, found.results, smallest) if both else []
    said += [Sentence(literal(text)) for text in found.sentences]
    said = [*gaps, *([_no_gap(found.gaps)] if found.gaps and not gaps else []), *said]
    blocks += [Sentences(tuple(said))] if said else []
    if set(found.statistics) - set(OF_MANY) or not found.statistics:
        pairs = list(dict.fromkeys((one.first, one.second, one.item) for one in found.results))
        crossed = frozenset(grouping.name for grouping in report.groupings if len(grouping.columns) > 1)
        for place, pair in enumerate(pairs, 1):
            results = [one for one in found.results if (one.first, one.second, one.item) == pair]
            results.sort(key=lambda one: one.grouping in crossed)
            blocks += _pair(words, results, place, found.statistics, crossed)
    if found.gaps:
        blocks.append(
            Details("agreement-gaps", "Gaps in agreement between groups", _gap_tables(words, found, smallest))
        )
    if many:
        blocks += [Heading("many-raters", "Three or more raters"), many_raters_table(words, many)]
    blocks += [Paragraph(text, "note") for text in _too_few(found)]
    return Section("agreement", "Agreement", tuple(blocks))


def _shown(found: AgreementSection, many: Sequence[MultiRater]) -> list[str]:
    """The statistics that the chapter has numbers of."""
    binary = any(one.agreement is not None for one in found.results)
    names = [name for name in ("kappa", "pabak", "ac1") if binary and is_asked(name, found.statistics)]
    names += ["weighted_kappa"] if has_weighted(found.results) else []
    names += ["icc"] if shown_forms(found.results) else []
    names += ["fleiss"] if any(one.fleiss_kappa is not None for one in many) else []
    return names + (["krippendorff"] if any(one.krippendorff_alpha is not None for one in many) else [])


def _too_few(found: AgreementSection) -> list[str]:
    """Where statistics of many raters were asked for and there are too few."""
    asked = [name for name in OF_MANY if name in found.statistics] or (list(OF_MANY) if found.multi else [])
    names = listed([statistic_name(name) for name in asked])
    need = "needs" if len(asked) == 1 else "need"
    few = list(dict.fromkeys((one.raters, one.item) for one in found.multi if len(one.raters) < MANY))
    if few:
        told = [
            listed([literal(name) for name in raters]) + (f" ({literal(item)})" if item else "") for raters, item in few
        ]
        return [f"{names} {need} three or more raters of the same thing: not computed for {'; '.join(told)}."]
    if asked and not found.multi:
        return [f"{names} {need} three or more raters of the same thing: not computed."]
    return []


def _pair(
    words: Words, results: Sequence[AgreementResult], place: int, asked: Sequence[str], crossed: Collection[str]
) -> list[Block]:
    """One pair and item: why what is missing is missing, the tables, the figures, the counts behind them."""
    first, second, item = results[0].first, results[0].second, results[0].item
    about = f", {literal(item)}" if item else ""
    blocks: list[Block] = [Heading(f"agreement-{place}", f"{literal(first)} and {literal(second)}{about}")]
    blocks += [Paragraph(text, "note") for text in not_computed(words, results, asked)]
    blocks += agreement_tables(words, results, place, asked, crossed)
    blocks += agreement_figures(words, results, place, asked, crossed)
    counts = counts_table(words, results, place)
    if counts is not None:
        what = f"The counts behind the agreement of {literal(first)} and {literal(second)}{about}"
        blocks.append(Details(f"agreement-{place}-behind", what, (counts,), in_pdf=False))
    return blocks


def _gap_tables(words: Words, found: AgreementSection, smallest: int) -> tuple[Table, ...]:
    pairs = list(dict.fromkeys((gap.first, gap.second, gap.item) for gap in found.gaps))
    return tuple(
        gap_table(words, [gap for gap in found.gaps if (gap.first, gap.second, gap.item) == pair], place, smallest)
        for place, pair in enumerate(pairs, 1)
    )


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
