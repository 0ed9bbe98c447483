"""What a pipeline shows beside the code: each flagged finding and each other failed gate, on the line of its rule.

One list for GitHub, GitLab and SARIF, so that they cannot tell different things. It only shows verdicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reporter.render.wording import Words
from reporter.render.wording_findings import finding_sentence
from reporter.results import Comparison, Report


@dataclass(frozen=True, slots=True)
class Notice:
    """``rule`` is a metric or a gate, ``finding`` stable over runs, ``line`` that of the rule in the config. ``accepted``: why somebody
    answers for it (empty: nobody does). ``gate``: a gate that no single finding decides."""

    level: Literal["error", "warning"]
    rule: str
    finding: str
    text: str
    line: int | None
    accepted: str = ""
    gate: bool = False

    @property
    def message(self) -> str:
        """The text, with the finding where the text does not tell it."""
        return f"{self.finding}: {self.text}" if self.gate and self.finding else self.text


def notices(report: Report) -> tuple[Notice, ...]:
    """Failed gates that no single finding decides, then the findings that diverge, those that stop the release first."""
    gates = tuple(
        Notice("error", f.gate, f.finding, f.sentence, None, gate=True)
        for f in report.verdict.failures
        if f.gate != "diverges"
    )
    words = Words.of(report)
    groupings = {grouping.name: grouping for grouping in report.groupings}
    reasons = {a.finding: f"{a.approver}, until {a.until}: {a.reason}" for a in report.verdict.accepted}
    found = [c for c in report.comparisons if c.verdict == "diverges"]
    found.sort(key=lambda c: (c.accepted, c.severity != "fail"))
    lines = report.provenance.rule_lines
    return gates + tuple(
        Notice(
            level_of(c),
            c.metric,
            c.finding,
            finding_sentence(words, groupings[c.grouping], c),
            lines[c.rule] if c.rule < len(lines) else None,
            reasons.get(c.finding, "accepted") if c.accepted else "",
        )
        for c in found
    )


def level_of(comparison: Comparison) -> Literal["error", "warning"]:
    """An error stops the release, a warning does not."""
    return "error" if comparison.severity == "fail" and not comparison.accepted else "warning"


def config_file(report: Report) -> str:
    """The config's path within its repository where git told it, else its name."""
    return str((report.provenance.git or {}).get("path", report.provenance.config_name))
