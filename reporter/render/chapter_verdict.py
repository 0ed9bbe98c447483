"""Chapter 1, the first screenful: the verdict in words, each flagged group in a sentence, what changed, what is not known."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Banner, Block, Heading, Paragraph, Section, Sentence, Sentences
from reporter.render.tables import by_severity, comparison_severity
from reporter.render.wording import Words, listed, literal, plural
from reporter.render.wording_findings import finding_sentence, undecided_by_reason, verdict_sentence
from reporter.render.wording_releases import release_highlights
from reporter.results import Comparison, Report

MOST_FINDINGS = 10

GATES = {
    "diverges": "a comparison diverges",
    "insufficient_evidence": "a comparison lacks the evidence",
    "worse_than_baseline": "a group newly diverges since the baseline",
    "unsigned_baseline": "the baseline carries no signed approval",
}


def verdict_section(report: Report, words: Words) -> Section:
    """The verdict, the flagged groups, the changes and the gaps in knowledge."""
    blocks: list[Block] = [_banner(report, words)]
    blocks += _failures(report)
    blocks += _flagged(report, words)
    blocks += _changes(report, words)
    blocks += _undecided(report, words)
    blocks.append(Paragraph(meaning_of_verdicts(report, words), "note"))
    return Section("verdict", "Verdict", tuple(blocks))


def meaning_of_verdicts(report: Report, words: Words) -> str:
    """What the three verdicts say, and no more."""
    alpha = fmt.percent(report.settings.get("alpha", 0.05))
    if report.settings.get("decide_by") == "point":
        return (
            "Diverges: the bare estimate of the gap is beyond its limit, whatever its interval. Within limit: it is not. "
            "Insufficient evidence: the gap is undefined or the group is too small."
        )
    return (
        "Diverges: the estimated gap is beyond its limit and “no gap” is ruled out. Within limit: a gap beyond the "
        f"limit is ruled out at the {alpha} level. Insufficient evidence: neither can be said. A verdict is about a gap in the data "
        f"and not about its cause; brackets hold the {words.level_name()} and the counts."
    )


def _banner(report: Report, words: Words) -> Banner:
    verdict = report.verdict
    subject = words.model(report.models[0].name)
    passes = verdict.outcome == "pass"
    total = len(report.comparisons)
    flagged, within, unknown = verdict.n_flagged, verdict.n_within, verdict.n_insufficient
    facts = (
        f"{fmt.count(flagged)} of {plural(total, 'comparison')} {'diverges' if flagged == 1 else 'diverge'}",
        f"{fmt.count(unknown)} insufficient evidence",
        f"{fmt.count(within)} within limit",
    )
    nothing = "" if total else "No rule compares groups, so there is no verdict about any of them. "
    return Banner(
        outcome=verdict.outcome,
        headline=f"{subject} {_passes(report) if passes else 'does not pass'}",
        text=f"{nothing}{_gate(report)}",
        facts=facts if total else (),
    )


def _passes(report: Report) -> str:
    """Whoever reads no more than the headline learns that something was found."""
    warnings = sum(1 for found in report.comparisons if found.verdict == "diverges" and found.severity == "warn")
    return f"passes, with {plural(warnings, 'warning')}" if warnings else "passes"


def _gate(report: Report) -> str:
    gates = [GATES.get(name, literal(str(name))) for name in report.settings.get("fail_on", ())]
    if not gates:
        return "No gate is set: the release passes whatever is found."
    warned = any(found.verdict == "diverges" and found.severity == "warn" for found in report.comparisons)
    tail = "; rules of severity “warn” are shown and do not stop it" if warned else ""
    return f"The release is stopped when {listed(gates, last='or')}{tail}."


def _failures(report: Report) -> list[Block]:
    """Reasons to fail that no flagged group shows: a baseline, an expired acceptance, missing evidence."""
    items = tuple(
        Sentence(
            literal(failure.sentence),
            "fail",
            label=f"Gate: {failure.gate.replace('_', ' ')}",
            detail=f"Finding {literal(failure.finding)}" if failure.finding else "",
        )
        for failure in report.verdict.failures
        if failure.gate not in ("diverges", "insufficient_evidence")
    )
    shown = items[:MOST_FINDINGS]
    if len(items) > len(shown):
        shown += (Sentence(f"And {fmt.count(len(items) - len(shown))} more gate failures, in report.json.", "info"),)
    return [Heading("gate-failures", "Why the gate fails"), Sentences(shown)] if shown else []


def _flagged(report: Report, words: Words) -> list[Block]:
    flagged = by_severity(report.comparisons, report)
    if not flagged:
        text = "No group diverges from its reference."
        return [Paragraph(text, "lead")] if report.comparisons else []
    items = [_finding(report, words, found) for found in flagged[:MOST_FINDINGS]]
    rest = len(flagged) - len(items)
    if rest:
        items.append(
            Sentence(
                f"And {plural(rest, 'more finding')} that {'diverges' if rest == 1 else 'diverge'}, in the table of all comparisons.",
                "info",
                anchor="all-comparisons",
            )
        )
    return [Heading("flagged", "Groups beyond a limit"), Sentences(tuple(items))]


def _finding(report: Report, words: Words, found: Comparison) -> Sentence:
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    settings = report.settings
    detail = verdict_sentence(words, found, alpha=settings.get("alpha", 0.05), adjust=settings.get("adjust", ""))
    if found.severity == "warn":
        detail += " A warning: it does not stop the release."
    for acceptance in report.verdict.accepted:
        if acceptance.finding == found.finding and acceptance.state == "in force":
            detail += f" Accepted by {literal(acceptance.approver)} until {fmt.date(acceptance.until)}: {literal(acceptance.reason)}"
    return Sentence(
        finding_sentence(words, grouping, found),
        comparison_severity(found),
        label=_label(found),
        anchor=f"group-{report.groupings.index(grouping) + 1}",
        detail=detail,
    )


def _label(found: Comparison) -> str:
    if found.accepted:
        return "Diverges, accepted"
    return "Diverges" if found.severity == "fail" else "Diverges, warning"


def _changes(report: Report, words: Words) -> list[Block]:
    if report.releases is None:
        return []
    items = release_highlights(report, words)
    return [Heading("changed", f"Since release {literal(report.releases.old)}"), Sentences(tuple(items))]


def _undecided(report: Report, words: Words) -> list[Block]:
    said = undecided_by_reason(words, report.comparisons)
    if not said:
        return []
    items = tuple(
        Sentence(text, "unknown", label="Insufficient evidence", anchor="all-comparisons", detail=detail)
        for text, detail in said[:MOST_FINDINGS]
    )
    if len(said) > MOST_FINDINGS:
        more = f"And {plural(len(said) - MOST_FINDINGS, 'more reason')}, in the table of all comparisons."
        items += (Sentence(more, anchor="all-comparisons"),)
    return [Heading("undecided", "What could not be decided"), Sentences(items)]
