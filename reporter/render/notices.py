"""What a pipeline shows beside the code: each flagged finding, each that lacks the evidence where that stops the release, and each
other failed gate, on the line of its rule.

One list for GitHub, GitLab and SARIF, so that they cannot tell different things. It only shows verdicts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from reporter.render.tables import by_severity
from reporter.render.wording import Words
from reporter.render.wording_findings import excess, finding_sentence, undecided_sentence
from reporter.results import Comparison, GateFailure, Grouping, Report

FINDING_GATES = frozenset({"diverges", "insufficient_evidence", "worse_than_baseline"})
"""Gates that a single finding decides (but for a baseline that is not there)."""


@dataclass(frozen=True, slots=True)
class Notice:
    """``rule`` is a metric or a gate, ``finding`` stable over runs, ``line`` that of the rule in the config. ``accepted``: who answers
    for it, until when and why (empty: nobody does). ``gate``: a gate that no finding of this run decides."""

    level: Literal["error", "warning"]
    rule: str
    finding: str
    text: str
    line: int | None
    accepted: str = ""
    gate: bool = False

    @property
    def message(self) -> str:
        """The text, with the finding where the text does not tell it, and with who answers for it."""
        told = f"{self.finding}: {self.text}" if self.gate and self.finding else self.text
        return f"{told} Accepted by {self.accepted.rstrip('.')}." if self.accepted else told


def notices(report: Report) -> tuple[Notice, ...]:
    """Gates without a finding, findings that diverge and stop the release, failed acceptances, findings that stop it for want of
    evidence, and then those that diverge and do not stop it; the gravest first."""
    stops = stopping(report)
    gates = [Notice("error", f.gate, f.finding, f.sentence, None, gate=True) for f in other_failures(report)]
    words = Words.of(report)
    groupings = {grouping.name: grouping for grouping in report.groupings}
    reasons = {a.finding: f"{a.approver}, until {a.until}: {a.reason}" for a in report.verdict.accepted}
    flagged = [_flagged(report, words, groupings, c, stops, reasons) for c in by_severity(report.comparisons, report)]
    unknown = [c for c in report.comparisons if c.verdict == "insufficient evidence" and is_stopped_by(c, stops)]
    unknown.sort(key=lambda c: (c.model != report.models[0].name, -excess(c)))
    undecided = [
        Notice(
            "error",
            "insufficient_evidence",
            c.finding,
            undecided_sentence(words, groupings[c.grouping], c),
            _line(report, c),
        )
        for c in unknown
    ]
    flagged.sort(key=lambda notice: (bool(notice.accepted), notice.level == "warning"))
    return (
        *(notice for notice in gates if not notice.finding),
        *(notice for notice in flagged if notice.level == "error"),
        *(notice for notice in gates if notice.finding),
        *undecided,
        *(notice for notice in flagged if notice.level == "warning"),
    )


def stopping(report: Report) -> dict[str, tuple[GateFailure, ...]]:
    """Per finding the failed gates that it decides."""
    found: dict[str, tuple[GateFailure, ...]] = {}
    for failure in report.verdict.failures:
        if failure.finding and failure.gate in FINDING_GATES:
            found[failure.finding] = (*found.get(failure.finding, ()), failure)
    return found


def other_failures(report: Report) -> list[GateFailure]:
    """The failures that no comparison of this run shows."""
    stops = stopping(report)
    stopped = {comparison.finding for comparison in report.comparisons if is_stopped_by(comparison, stops)}
    return [f for f in report.verdict.failures if f.gate not in FINDING_GATES or f.finding not in stopped]


def is_stopped_by(comparison: Comparison, stops: Mapping[str, object]) -> bool:
    """Whether the release is stopped by this comparison. Neither a warning nor a finding that somebody answers for does that."""
    return comparison.finding in stops and comparison.severity == "fail" and not comparison.accepted


def _flagged(
    report: Report,
    words: Words,
    groupings: Mapping[str, Grouping],
    found: Comparison,
    stops: Mapping[str, tuple[GateFailure, ...]],
    reasons: Mapping[str, str],
) -> Notice:
    """One that diverges, and, where that stops the release too, that it did not do so before."""
    stopped = is_stopped_by(found, stops)
    newly = [f.sentence for f in stops.get(found.finding, ()) if stopped and f.gate == "worse_than_baseline"]
    return Notice(
        "error" if stopped else "warning",
        found.metric,
        found.finding,
        " ".join([finding_sentence(words, groupings[found.grouping], found), *newly]),
        _line(report, found),
        reasons.get(found.finding, "somebody") if found.accepted else "",
    )


def _line(report: Report, found: Comparison) -> int | None:
    lines = report.provenance.rule_lines
    return lines[found.rule] if found.rule < len(lines) else None


def config_file(report: Report) -> str:
    """The config's path within its repository where git told it, else its name."""
    return str((report.provenance.git or {}).get("path", report.provenance.config_name))
