"""A small whole Report, built by hand, whose group and model names a test may choose."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from reporter.results import (
    Accepted,
    Card,
    Cells,
    Comparison,
    DataSummary,
    Estimate,
    GateFailure,
    Grouping,
    GroupResult,
    Level,
    ModelResult,
    Provenance,
    Report,
    Verdict,
)

RULE = {"metric": "fnr", "reference": "rest", "difference": 0.05, "ratio": None, "side": "both", "severity": "fail"}


def _rate(numerator: int, denominator: int) -> Estimate:
    if denominator == 0:
        return Estimate(None, n=0, numerator=0, denominator=0, method="wilson", reason="nobody is ill")
    value = numerator / denominator
    return Estimate(
        value, max(0.0, value - 0.06), min(1.0, value + 0.06), denominator, numerator, denominator, "wilson"
    )


def _comparison(group: str, model: str, **changes: Any) -> Comparison:
    values: dict[str, Any] = {
        "finding": f"fnr/ward/{group}/{model}",
        "rule": 0,
        "model": model,
        "grouping": "ward",
        "group": group,
        "metric": "fnr",
        "reference": "rest",
        "reference_group": None,
        "comparison": "difference",
        "limit": 0.05,
        "side": "both",
        "severity": "fail",
        "decide_by": "interval",
        "group_estimate": _rate(66, 212),
        "reference_estimate": _rate(341, 1894),
        "gap": Estimate(0.1313, 0.0673, 0.1979, 2106, method="newcombe"),
        "p": 0.0004,
        "p_adjusted": 0.0012,
        "verdict": "diverges",
    }
    return Comparison(**{**values, **changes})


@pytest.fixture
def comparison() -> Callable[..., Comparison]:
    """Make a comparison of one group: ``comparison("North", "2.4", verdict="diverges")``."""
    return _comparison


@pytest.fixture
def make_report() -> Callable[..., Report]:
    """Make a report: ``make_report(groups=("North", "South"), model="2.4", comparisons=(...))``."""

    def make(
        groups: tuple[str, ...] = ("North", "South", "West"),
        model: str = "2.4",
        grouping: str = "ward",
        comparisons: tuple[Comparison, ...] | None = None,
        **changes: Any,
    ) -> Report:
        cells = Cells(tp=20, fp=10, tn=60, fn=10)
        metrics = {"fnr": _rate(10, 30), "fpr": _rate(10, 70), "ppv": _rate(0, 0)}
        if comparisons is None:
            verdicts = ("diverges", "insufficient evidence", "within limit")
            comparisons = tuple(_comparison(g, model, verdict=verdicts[i % 3]) for i, g in enumerate(groups))
        values: dict[str, Any] = {
            "provenance": Provenance(
                created="2026-11-30T12:00:00+00:00",
                reporter_version="0.1.0",
                python="3.11",
                packages={"numpy": "2.0"},
                command="reporter run clinic.yaml",
                config_name="clinic.yaml",
                config_sha256="0" * 64,
                config={"flags": {"rules": [RULE]}},
                config_text="schema: 1\n",
                seed=7,
                rule_lines=(31,),
            ),
            "card": Card("Referral model", "2.4", "en", {"units": "patients"}, {"summary": "Refers."}),
            "data": DataSummary("clinic.csv", 100 * len(groups), 0, None, "ill", "1", 100, 30),
            "models": (ModelResult(model, "score", "risk", 0.35, ">=", cells, metrics),),
            "model_pairs": (),
            "groupings": (
                Grouping(
                    name=grouping,
                    columns=("ward",),
                    levels=tuple(Level(g, 100, (g,)) for g in groups),
                    results=tuple(GroupResult(model, g, cells, metrics) for g in groups),
                ),
            ),
            "comparisons": comparisons,
            "verdict": Verdict(
                "fail",
                failures=tuple(
                    GateFailure("diverges", one.finding, "It diverges.")
                    for one in comparisons
                    if one.verdict == "diverges" and one.severity == "fail" and not one.accepted
                ),
                accepted=(Accepted("fnr/ward/West/2.4", "Known.", "Board", "2027-03-31", "in force"),),
            ),
            "confidence": 0.95,
        }
        return Report(**{**values, **changes})

    return make
