"""Chapter 1, the first screenful: the verdict in words, each flagged group in a sentence, what changed, what is not known."""

from __future__ import annotations

from typing import Literal

from reporter.render import format as fmt
from reporter.render.document import Banner, Block, Heading, Paragraph, Section, Sentence, Sentences
from reporter.render.tables import by_severity, comparison_severity, once, seen_twice, with_which
from reporter.render.wording import Words, card_title, listed, literal, plural, whose
from reporter.render.wording_findings import finding_sentence, undecided_by_reason, verdict_sentence
from reporter.render.wording_releases import new_finding_sentence, release_highlights
from reporter.results import Comparison, GateFailure, Report

MOST_FINDINGS = 10
MOST_NAMED = 5
ALREADY_TOLD = ("diverges", "insufficient_evidence")
"""Gates whose findings stand on this page anyway."""

GATES = {
    "diverges": "a comparison diverges",
    "insufficient_evidence": "a comparison lacks the evidence",
    "worse_than_baseline": "a group newly diverges since the baseline",
    "unsigned_baseline": "the baseline carries no signed approval",
}


def verdict_section(report: Report, words: Words) -> Section:
    """The verdict, the flagged groups, the changes and the gaps in knowledge."""
    blocks: list[Block] = [_banner(report, words)]
    blocks += _failures(report, words)
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
    total = len(report.comparisons)
    flagged, within, unknown = verdict.n_flagged, verdict.n_within, verdict.n_insufficient
    facts = (
        f"{fmt.count(flagged)} of {plural(total, 'comparison')} {'diverges' if flagged == 1 else 'diverge'}",
        f"{fmt.count(unknown)} insufficient evidence",
        f"{fmt.count(within)} within limit",
    )
    text = [] if total else ["No rule compares groups, so there is no verdict about any of them."]
    text.append(_gate(report))
    text += ["Gaps between two groups count twice, once from either side."] if seen_twice(report) else []
    model = report.models[0].name
    text += [] if words.model(model) == card_title(report.card) else [f"This card is for the model {literal(model)}."]
    return Banner(
        outcome=_outcome(report),
        headline=f"{card_title(report.card)} {_passes(report)}",
        text=" ".join(text),
        facts=facts if total else (),
    )


def _outcome(report: Report) -> Literal["pass", "fail", "undecided"]:
    """A release that nothing speaks against because nothing could be told is not shown as one that passed."""
    verdict = report.verdict
    if verdict.outcome == "pass" and not verdict.n_within and not verdict.n_flagged:
        return "undecided"
    return verdict.outcome


def _passes(report: Report) -> str:
    """Whoever reads no more than the headline learns what was found, and whether anything was."""
    if report.verdict.outcome == "fail":
        return "does not pass"
    if _outcome(report) == "undecided":
        found = "no comparison could be decided" if report.comparisons else "no groups were compared"
        return f"is not stopped, but {found}"
    flagged = [found for found in report.comparisons if found.verdict == "diverges"]
    warnings = sum(found.severity == "warn" for found in flagged)
    accepted = sum(found.severity == "fail" and found.accepted for found in flagged)
    ungated = len(flagged) - warnings - accepted
    counted = [plural(warnings, "warning")] if warnings else []
    counted += [plural(accepted, "accepted finding")] if accepted else []
    counted += [f"{plural(ungated, 'finding')} that no gate stops"] if ungated else []
    return f"passes, with {listed(counted)}" if counted else "passes"


def _gate(report: Report) -> str:
    gates = [GATES.get(name, literal(str(name))) for name in report.settings.get("fail_on", ())]
    if not gates:
        return "No gate is set: the release passes whatever is found."
    warned = any(found.verdict == "diverges" and found.severity == "warn" for found in report.comparisons)
    tail = "; rules of severity “warn” are shown and do not stop it" if warned else ""
    return f"The release is stopped when {listed(gates, last='or')}{tail}."


def _failures(report: Report, words: Words) -> list[Block]:
    """Every reason why the gate fails, where the flagged groups below are not the only one."""
    failures = report.verdict.failures
    if all(failure.gate in ALREADY_TOLD for failure in failures):
        return []
    items = [_failure(report, words, failure) for failure in failures if failure.gate not in ALREADY_TOLD]
    shown = items[:MOST_FINDINGS]
    if len(items) > len(shown):
        shown.append(Sentence(f"And {fmt.count(len(items) - len(shown))} more gate failures, in report.json.", "info"))
    shown += [told for gate in ALREADY_TOLD if (told := _findings_of(report, words, gate))]
    return [Heading("gate-failures", "Why the gate fails"), Sentences(tuple(shown))]


def _failure(report: Report, words: Words, failure: GateFailure) -> Sentence:
    said = new_finding_sentence(report, words, failure.finding) if failure.gate == "worse_than_baseline" else ""
    return Sentence(
        said or literal(failure.sentence),
        "fail",
        label=f"Gate: {failure.gate.replace('_', ' ')}",
        detail=f"Finding {literal(failure.finding)}" if failure.finding else "",
    )


def _findings_of(report: Report, words: Words, gate: str) -> Sentence | None:
    """The findings that one gate stops at, in a few words each."""
    stopped = {failure.finding for failure in report.verdict.failures if failure.gate == gate}
    found = [one for one in report.comparisons if one.finding in stopped]
    if not found:
        return None
    names = [_short(report, words, one) for one in found[:MOST_NAMED]]
    more = len(found) - len(names)
    names += [f"{fmt.count(more)} more"] if more else []
    what = "diverge" if gate == "diverges" else "lack the evidence"
    if len(found) == 1:
        what = "diverges" if gate == "diverges" else "lacks the evidence"
    anchor = "flagged" if gate == "diverges" else "undecided"
    text = f"{plural(len(found), 'comparison')} that must not {what}: {'; '.join(names)}."
    return Sentence(text, "fail", label=f"Gate: {gate.replace('_', ' ')}", anchor=anchor)


def _short(report: Report, words: Words, found: Comparison) -> str:
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    return (
        f"{words.term(found.metric).title} of {words.units} {whose(grouping, found.group)} ({words.model(found.model)})"
    )


def _flagged(report: Report, words: Words) -> list[Block]:
    flagged = by_severity(report.comparisons, report)
    if not flagged:
        text = "No group diverges from its reference."
        return [Paragraph(text, "lead")] if report.comparisons else []
    told, mirrored = once(flagged, report)
    shown = told[:MOST_FINDINGS]
    items = [_finding(report, words, found, mirrored.get(found.finding)) for found in shown]
    seen = {one.finding for one in shown} | {mirrored[one.finding].finding for one in shown if one.finding in mirrored}
    rest = [found for found in flagged if found.finding not in seen]
    if rest:
        items.append(
            Sentence(
                f"And {plural(len(rest), 'more finding')} that {'diverges' if len(rest) == 1 else 'diverge'}"
                f"{with_which(report, words, rest)}, in the table of all comparisons.",
                "info",
                anchor="all-comparisons",
            )
        )
    return [Heading("flagged", "Groups beyond a limit"), Sentences(tuple(items))]


def _finding(report: Report, words: Words, found: Comparison, mirror: Comparison | None) -> Sentence:
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    settings = report.settings
    detail = verdict_sentence(words, found, alpha=settings.get("alpha", 0.05), adjust=settings.get("adjust", ""))
    if mirror is not None:
        detail += (
            f" The same gap seen from the other side, {words.units} {whose(grouping, mirror.group)}, diverges too."
        )
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
    said = undecided_by_reason(words, report.comparisons, report.models[0].name)
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
