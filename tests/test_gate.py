"""What stops a release: every gate, acceptances in force, expired, unknown and not needed; and that findings keep their ids."""

from __future__ import annotations

import datetime
from typing import Any, get_args

import pytest

from reporter.config.schema import Gate
from reporter.gate import decide
from reporter.results import Comparison, Estimate, Releases, VerdictChange

TODAY = datetime.date(2026, 6, 1)
YESTERDAY = datetime.date(2026, 5, 31)

OUTCOMES = ("diverges", "insufficient evidence", "within limit")


def _comparison(group: str, verdict: str = "diverges", severity: str = "fail") -> Comparison:
    e = Estimate(0.2, 0.1, 0.3, 100)
    values: dict[str, Any] = {
        "finding": f"fnr/sex/{group}/m",
        "rule": 0,
        "model": "m",
        "grouping": "sex",
        "group": group,
        "metric": "fnr",
        "reference": "rest",
        "reference_group": None,
        "comparison": "difference",
        "limit": 0.05,
        "side": "both",
        "severity": severity,
        "decide_by": "interval",
        "group_estimate": e,
        "reference_estimate": e,
        "gap": e,
        "p": 0.01,
        "p_adjusted": 0.02,
        "verdict": verdict,
    }
    return Comparison(**values)


def _accept(group: str, until: datetime.date = TODAY) -> tuple[str, str, str, datetime.date]:
    return (f"fnr/sex/{group}/m", "Known.", "Board", until)


def _gates(verdict: Any) -> list[tuple[str, str]]:
    return [(failure.gate, failure.finding) for failure in verdict.failures]


def test_nothing_fails_without_a_gate() -> None:
    _, verdict = decide([_comparison("F"), _comparison("M", "insufficient evidence")], fail_on=[], today=TODAY)
    assert verdict.outcome == "pass"
    assert (verdict.n_flagged, verdict.n_insufficient, verdict.n_within) == (1, 1, 0)


@pytest.mark.parametrize("gate", ["diverges", "insufficient_evidence"])
@pytest.mark.parametrize("found", OUTCOMES)
@pytest.mark.parametrize("severity", ["fail", "warn"])
def test_a_finding_fails_its_own_gate_at_severity_fail_alone(gate: str, found: str, severity: str) -> None:
    _, verdict = decide([_comparison("F", found, severity)], fail_on=[gate], today=TODAY)
    fails = gate.replace("_", " ") == found and severity == "fail"
    assert verdict.outcome == ("fail" if fails else "pass")
    assert _gates(verdict) == ([(gate, "fnr/sex/F/m")] if fails else [])


@pytest.mark.parametrize(("until", "state", "outcome"), [(TODAY, "in force", "pass"), (YESTERDAY, "expired", "fail")])
def test_an_acceptance_holds_through_its_last_day(until: datetime.date, state: str, outcome: str) -> None:
    comparisons, verdict = decide([_comparison("F")], fail_on=["diverges"], accepted=[_accept("F", until)], today=TODAY)
    assert verdict.accepted[0].state == state
    assert verdict.outcome == outcome
    assert comparisons[0].accepted is (state == "in force")
    gates = {gate for gate, _ in _gates(verdict)}
    assert gates == (set() if outcome == "pass" else {"diverges", "acceptance expired"})


def test_an_accepted_finding_does_not_answer_for_another() -> None:
    _, verdict = decide(
        [_comparison("F"), _comparison("M")], fail_on=["diverges"], accepted=[_accept("F")], today=TODAY
    )
    assert _gates(verdict) == [("diverges", "fnr/sex/M/m")]
    assert verdict.n_flagged == 2


@pytest.mark.parametrize("fail_on", [[], ["diverges"], ["insufficient_evidence"]])
def test_an_unknown_finding_fails_whatever_the_gates(fail_on: list[str]) -> None:
    _, verdict = decide([_comparison("F", "within limit")], fail_on=fail_on, accepted=[_accept("X")], today=TODAY)
    assert verdict.accepted[0].state == "unknown finding"
    assert _gates(verdict) == [("acceptance unknown finding", "fnr/sex/X/m")]


def test_an_expired_acceptance_fails_even_where_the_finding_is_gone() -> None:
    _, verdict = decide(
        [_comparison("F", "within limit")], fail_on=["diverges"], accepted=[_accept("F", YESTERDAY)], today=TODAY
    )
    assert _gates(verdict) == [("acceptance expired", "fnr/sex/F/m")]


def test_an_acceptance_of_a_finding_within_its_limit_is_not_needed() -> None:
    comparisons, verdict = decide(
        [_comparison("F", "within limit")], fail_on=["diverges"], accepted=[_accept("F")], today=TODAY
    )
    assert verdict.accepted[0].state == "not needed"
    assert verdict.outcome == "pass"
    assert comparisons[0].accepted is False


def test_insufficient_evidence_can_be_accepted_where_it_is_a_gate() -> None:
    _, verdict = decide(
        [_comparison("F", "insufficient evidence")],
        fail_on=["insufficient_evidence"],
        accepted=[_accept("F")],
        today=TODAY,
    )
    assert verdict.outcome == "pass"
    assert verdict.accepted[0].state == "in force"


def _releases(*changes: VerdictChange) -> Releases:
    return Releases(old="1.0", new="1.1", baseline="b", paired=False, why_paired="", verdicts=changes)


@pytest.mark.parametrize(
    ("change", "outcome"),
    [
        ("newly diverges", "fail"),
        ("still diverges", "pass"),
        ("no longer diverges", "pass"),
        ("still within limit", "pass"),
        ("cannot tell", "pass"),
    ],
)
def test_worse_than_the_baseline_means_newly_diverging(change: str, outcome: str) -> None:
    releases = _releases(VerdictChange("fnr/sex/F/m", "within limit", "diverges", change))
    _, verdict = decide([_comparison("F")], fail_on=["worse_than_baseline"], today=TODAY, releases=releases)
    assert verdict.outcome == outcome
    if outcome == "fail":
        assert verdict.failures[0].sentence == "It newly diverges since release 1.0."


def test_a_warning_that_newly_diverges_does_not_fail() -> None:
    releases = _releases(VerdictChange("fnr/sex/F/m", "within limit", "diverges", "newly diverges"))
    _, verdict = decide(
        [_comparison("F", severity="warn")], fail_on=["worse_than_baseline"], today=TODAY, releases=releases
    )
    assert verdict.outcome == "pass"


def test_an_accepted_finding_may_newly_diverge() -> None:
    releases = _releases(VerdictChange("fnr/sex/F/m", "within limit", "diverges", "newly diverges"))
    _, verdict = decide(
        [_comparison("F")], fail_on=["worse_than_baseline"], accepted=[_accept("F")], today=TODAY, releases=releases
    )
    assert verdict.outcome == "pass"


@pytest.mark.parametrize(("signed", "outcome"), [(True, "pass"), (False, "fail"), (None, "fail")])
def test_the_baseline_must_be_signed_where_that_is_a_gate(signed: bool | None, outcome: str) -> None:
    _, verdict = decide([], fail_on=["unsigned_baseline"], today=TODAY, baseline_signed=signed)
    assert verdict.outcome == outcome


def test_no_baseline_fails_the_gates_that_need_one() -> None:
    _, verdict = decide([], fail_on=["worse_than_baseline", "unsigned_baseline"], today=TODAY)
    assert [gate for gate, _ in _gates(verdict)] == ["worse_than_baseline", "unsigned_baseline"]


def test_every_gate_of_the_config_is_known_here() -> None:
    assert set(get_args(Gate)) == {"diverges", "insufficient_evidence", "worse_than_baseline", "unsigned_baseline"}
    _, verdict = decide(
        [_comparison("F"), _comparison("M", "insufficient evidence")], fail_on=get_args(Gate), today=TODAY
    )
    assert {gate for gate, _ in _gates(verdict)} == set(get_args(Gate))


def _findings(rows: list[tuple[str, int, int]], **keys: Any) -> list[str]:
    import pandas as pd

    from reporter import run

    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["g"],
        "flags": {"rules": [{"metric": "fnr", "reference": "rest", "difference": 0.05}]},
        **keys,
    }
    return [c.finding for c in run(config, data=pd.DataFrame(rows, columns=["g", "y", "d"])).comparisons]


def test_finding_ids_are_the_same_over_runs_rows_and_other_rules() -> None:
    rows = [("a", 1, 0), ("b", 1, 1), ("a", 0, 1), ("b", 0, 0)] * 10
    first = _findings(rows)
    assert sorted(first) == ["fnr/g/a/m", "fnr/g/b/m"]
    assert _findings(rows[::-1]) == first
    assert _findings([*rows, ("c", 1, 1), ("c", 0, 1)])[: len(first)] == first
    more = {"rules": [{"metric": "fpr", "reference": "rest", "difference": 0.05}, {"metric": "fnr", "reference": "rest", "difference": 0.1}]}  # fmt: skip
    assert set(first) < set(_findings(rows, flags=more))
