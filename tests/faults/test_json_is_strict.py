"""Public fault kind: undefined values in JSON. Null with a reason; strict parsers accept the file."""

from __future__ import annotations

import json

from reporter.render.as_json import report_to_json
from reporter.results import Card, Cells, DataSummary, Estimate, ModelResult, Provenance, Report, Verdict


def test_an_undefined_value_is_null_with_its_reason_and_counts() -> None:
    undefined = Estimate(None, n=0, numerator=0, denominator=0, reason="no positive labels")
    model = ModelResult("m", "prediction", "d", None, None, Cells(0, 0, 2, 0), {"tpr": undefined})
    provenance = Provenance("2026-11-30T12:00:00Z", "0", "3", {}, "run", "a.yaml", "0", {}, "", 0)
    data = DataSummary("a.csv", 2, 0, None, "y", "1", 2, 0)
    report = Report(provenance, Card("c", "1", "en", {}, {}), data, (model,), (), (), (), Verdict("pass"), 0.95)

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    tpr = json.loads(report_to_json(report), parse_constant=refuse)["models"][0]["metrics"]["tpr"]
    assert tpr == {
        "value": None,
        "low": None,
        "high": None,
        "n": 0,
        "numerator": 0,
        "denominator": 0,
        "method": "",
        "reason": "no positive labels",
    }
