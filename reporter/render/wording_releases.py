"""What changed since the last release, in sentences."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote

from reporter.render import format as fmt
from reporter.render.document import Sentence, Severity
from reporter.render.wording import Words, group_name, listed, literal, plural, whose
from reporter.render.wording_findings import signed_change
from reporter.results import Estimate, RateChange, Releases, Report, VerdictChange

MOST_CHANGES = 6

SEVERITIES: dict[str, Severity] = {
    "newly diverges": "fail",
    "no longer diverges": "ok",
    "still diverges": "warn",
    "cannot tell": "unknown",
    "still within limit": "ok",
}


def release_highlights(report: Report, words: Words) -> list[Sentence]:
    """Findings that changed their verdict or still diverge, then the clearest changes of the rates that rules look at."""
    releases = report.releases
    if releases is None:
        return []
    said = [_verdict_change(report, words, change) for change in _ordered(releases)]
    shown = said[:MOST_CHANGES]
    if len(said) > len(shown):
        shown.append(
            Sentence(
                f"And {plural(len(said) - len(shown), 'more finding')}, in the chapter on releases.", anchor="releases"
            )
        )
    clear = clear_changes(report, releases)
    room = max(MOST_CHANGES - len(shown), 1)
    shown += [Sentence(change_sentence(report, words, change), anchor="releases") for change in clear[:room]]
    if len(clear) > room:
        more = (
            f"And {plural(len(clear) - room, 'more rate')} changed beyond chance, by less, in the chapter on releases."
        )
        shown.append(Sentence(more, anchor="releases"))
    if not shown:
        shown = [
            Sentence(
                "No finding changed its verdict, and no rate that a rule looks at changed beyond chance.",
                "ok",
                anchor="releases",
            )
        ]
    return shown


def clear_changes(report: Report, releases: Releases) -> list[RateChange]:
    """The changes of rates that rules look at whose interval excludes 0, the largest first."""
    watched = {found.metric for found in report.comparisons}
    known = [
        change
        for change in releases.rates
        if change.metric in watched
        and change.change.value is not None
        and change.change.low is not None
        and change.change.high is not None
        and (change.change.low > 0 or change.change.high < 0)
    ]
    return sorted(known, key=lambda change: -abs(change.change.value or 0.0))


def change_sentence(report: Report, words: Words, change: RateChange) -> str:
    """One rate's change: "The miss rate of patients whose age is over 75 rose from 25.0 % to 31.1 % (6.1 points more, ...)."""
    term = words.term(change.metric)
    old, new, gap = change.old.value, change.new.value, change.change.value
    if old is None or new is None or gap is None:
        return f"The change of the {term.title} {_of_whom(report, words, change)} is undefined: {words.reason(change.change.reason)}."
    verb = "rose" if gap > 0 else "fell" if gap < 0 else "stayed"
    size = (
        f"{fmt.points(gap, 1)} {'more' if gap > 0 else 'less'}"
        if term.kind == "share"
        else (f"{words.written(change.metric, abs(gap))} {'more' if gap > 0 else 'less'}")
    )
    interval = _interval(words, change.metric, change.change)
    return (
        f"The {term.title} {_of_whom(report, words, change)} {verb} from {words.written(change.metric, old)} to "
        f"{words.written(change.metric, new)} ({size}{interval})."
    )


def new_finding_sentence(report: Report, words: Words, finding: str) -> str:
    """What newly diverges since the baseline, by how much its gap changed and what the group's own rate did."""
    releases = report.releases
    change = None if releases is None else next((c for c in releases.verdicts if c.finding == finding), None)
    return "" if change is None else _verdict_change(report, words, change).text


def finding_parts(finding: str) -> tuple[str, str, str, str]:
    """metric, grouping, group and model of a finding's id.

    Examples
    --------
    >>> finding_parts("fnr/sex/a%2Fb/2.4")
    ('fnr', 'sex', 'a/b', '2.4')
    """
    parts = [unquote(part) for part in finding.split("/")]
    metric, grouping, group, model = (*parts, "", "", "", "")[:4]
    return metric, grouping, group, model


def ratio_findings(report: Report) -> set[str]:
    """The findings whose gap is a ratio."""
    return {found.finding for found in report.comparisons if found.comparison == "ratio"}


def _ordered(releases: Releases) -> list[VerdictChange]:
    order = ("newly diverges", "no longer diverges", "still diverges")
    return sorted((c for c in releases.verdicts if c.change in order), key=lambda change: order.index(change.change))


def _verdict_change(report: Report, words: Words, change: VerdictChange) -> Sentence:
    metric, grouping_name, group, _ = finding_parts(change.finding)
    grouping = next((one for one in report.groupings if one.name == grouping_name), None)
    who = whose(grouping, group) if grouping is not None else f"in {literal(group)}"
    text = f"The {words.term(metric).title} of {words.units} {who} {change.change}."
    gap = change.gap_change
    if gap is not None and gap.value is not None:
        of_ratio = change.finding in ratio_findings(report)
        points = f"{fmt.NBSP}points" if words.term(metric).kind == "share" and not of_ratio else ""
        size = f"{signed_change(words, metric, gap.value, of_ratio=of_ratio)}{points}"
        interval = ""
        if gap.low is not None and gap.high is not None:
            low, high = (signed_change(words, metric, end, of_ratio=of_ratio) for end in (gap.low, gap.high))
            interval = f", {words.level_name()} {low} to {high}"
        text = f"{text[:-1]} (its {'ratio' if of_ratio else 'gap'} changed by {size}{interval})."
    text += _own_rate(report, words, change)
    return Sentence(
        text,
        SEVERITIES.get(change.change, "info"),
        label=change.change[:1].upper() + change.change[1:],
        anchor="releases",
    )


LOWER_IS_BETTER = ("fnr", "fpr", "fdr", "for", "brier", "expected_calibration_error", "negative_likelihood_ratio")
HIGHER_IS_BETTER = (
    "accuracy",
    "balanced_accuracy",
    "tpr",
    "tnr",
    "ppv",
    "npv",
    "f1",
    "mcc",
    "auc",
    "positive_likelihood_ratio",
)


def _own_rate(report: Report, words: Words, change: VerdictChange) -> str:
    """What the group's own rate did: a gap also opens where the others change, or where the group alone gets better."""
    if change.change != "newly diverges" or report.releases is None:
        return ""
    key = finding_parts(change.finding)[:3]
    rate = next((r for r in report.releases.rates if (r.metric, r.grouping, r.group) == key), None)
    if rate is None or rate.old.value is None or rate.new.value is None:
        return ""
    metric, step = rate.metric, rate.new.value - rate.old.value
    old, new = words.written(metric, rate.old.value), words.written(metric, rate.new.value)
    own = f"The group's own {words.term(metric).title}"
    if step == 0:
        return f" {own} stayed at {new}: what is new is the gap to the others."
    moved = f"{'rose' if step > 0 else 'fell'} from {old} to {new}"
    better = (step < 0 and metric in LOWER_IS_BETTER) or (step > 0 and metric in HIGHER_IS_BETTER)
    return f" {own} got better, it {moved}: what is new is the gap to the others." if better else f" {own} {moved}."


def _of_whom(report: Report, words: Words, change: RateChange) -> str:
    if change.grouping is None or change.group is None:
        return f"of all {words.units}"
    grouping = next((one for one in report.groupings if one.name == change.grouping), None)
    if grouping is None:
        return f"of {literal(change.grouping)} {group_name(change.group)}"
    return f"of {words.units} {whose(grouping, change.group)}"


def _interval(words: Words, metric: str, gap: Estimate) -> str:
    if gap.low is None or gap.high is None:
        return ""
    if words.term(metric).kind == "share":
        low, high = (fmt.signed_points(end) for end in (gap.low, gap.high))
    else:
        low, high = (fmt.signed(fmt.number(end), end) for end in (gap.low, gap.high))
    return f", {words.level_name()} {low} to {high}"


def not_compared(names: Sequence[str]) -> str:
    """What the two releases do not share."""
    return (
        f"Not compared, because only one of the releases has it: {listed([literal(name) for name in names])}."
        if names
        else ""
    )
