"""Decides whether a release passes: one place for the exit code, the card, JUnit and annotations, which only show it.

Knows comparisons, acceptances and a date; nothing of files, clocks or rendering.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

from reporter.results import Accepted, Comparison, GateFailure, Releases, Verdict


def decide(
    comparisons: Sequence[Comparison],
    *,
    fail_on: Sequence[str],
    accepted: Sequence[tuple[str, str, str, datetime.date]] = (),
    today: datetime.date,
    releases: Releases | None = None,
    baseline_signed: bool | None = None,
) -> tuple[tuple[Comparison, ...], Verdict]:
    """The comparisons, marked where they are accepted, and the verdict over them.

    ``fail_on`` names the gates: ``diverges`` and ``insufficient_evidence`` look at findings of severity "fail" that nobody answers
    for; ``worse_than_baseline`` at those of them that newly diverge; ``unsigned_baseline`` at a baseline without a valid approval
    (``baseline_signed`` is None when there is no baseline, which fails that gate too). ``accepted`` holds (finding, reason, approver,
    last day). An acceptance that expired or names no finding of this run always fails: it is a promise that no longer holds.

    Examples
    --------
    >>> comparisons, verdict = decide([], fail_on=["diverges"], today=datetime.date(2026, 1, 1))
    >>> verdict.outcome
    'pass'
    """
    findings = {comparison.finding for comparison in comparisons}
    diverging = {comparison.finding for comparison in comparisons if comparison.verdict == "diverges"}
    acceptances = tuple(
        Accepted(
            finding=finding,
            reason=reason,
            approver=approver,
            until=until.isoformat(),
            state="unknown finding"
            if finding not in findings
            else "expired"
            if until < today
            else "in force"
            if finding in diverging or "insufficient_evidence" in fail_on
            else "not needed",
        )
        for finding, reason, approver, until in accepted
    )
    in_force = {acceptance.finding for acceptance in acceptances if acceptance.state == "in force"}
    marked = tuple(
        replace(c, accepted=True) if c.finding in in_force and c.verdict != "within limit" else c for c in comparisons
    )

    failures = [*_finding_failures(marked, fail_on), *_acceptance_failures(acceptances)]
    if "worse_than_baseline" in fail_on:
        warnings = {c.finding for c in marked if c.severity == "warn"}
        failures += _baseline_failures(releases, in_force | warnings)
    if "unsigned_baseline" in fail_on and baseline_signed is not True:
        found = "there is no baseline" if baseline_signed is None else "no valid approval was found beside it"
        failures.append(GateFailure("unsigned_baseline", "", f"The baseline must carry a signed approval: {found}."))
    return marked, Verdict(
        outcome="fail" if failures else "pass",
        failures=tuple(failures),
        n_flagged=sum(c.verdict == "diverges" for c in marked),
        n_insufficient=sum(c.verdict == "insufficient evidence" for c in marked),
        n_within=sum(c.verdict == "within limit" for c in marked),
        accepted=acceptances,
    )


def _finding_failures(comparisons: Sequence[Comparison], fail_on: Sequence[str]) -> list[GateFailure]:
    gates = {"diverges": "diverges", "insufficient_evidence": "insufficient evidence"}
    return [
        GateFailure(gate, c.finding, f"{c.metric} of {c.group} ({c.grouping}), model {c.model}: {c.verdict}.")
        for gate, verdict in gates.items()
        if gate in fail_on
        for c in comparisons
        if c.verdict == verdict and c.severity == "fail" and not c.accepted
    ]


def _acceptance_failures(acceptances: Sequence[Accepted]) -> list[GateFailure]:
    said = {
        "expired": "The acceptance expired on {until}. Renew it with a new date, or mend the finding.",
        "unknown finding": "This run has no finding of that id. Remove the acceptance, or correct the id.",
    }
    return [
        GateFailure(f"acceptance {a.state}", a.finding, said[a.state].format(until=a.until))
        for a in acceptances
        if a.state in said
    ]


def _baseline_failures(releases: Releases | None, spared: set[str]) -> list[GateFailure]:
    if releases is None:
        return [GateFailure("worse_than_baseline", "", "There is no baseline to compare with.")]
    return [
        GateFailure("worse_than_baseline", change.finding, f"It newly diverges since release {releases.old}.")
        for change in releases.verdicts
        if change.change == "newly diverges" and change.finding not in spared
    ]
