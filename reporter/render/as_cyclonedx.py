"""A Report as a CycloneDX 1.6 bill of materials with a ``modelCard``: the card's model, its metrics overall and per group, its considerations.

Metric values are strings there. Undefined ones have no place in the format; a property says how many there are.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

from reporter.render import format as written
from reporter.render.wording import Words
from reporter.render.wording_findings import finding_sentence
from reporter.results import Comparison, Estimate, ModelResult, Report

NAMESPACE = uuid.UUID("2f6b1c0e-5b1c-5d3e-9a55-0b8f5a1c4e11")


def render_cyclonedx(report: Report) -> str:
    """The bill of materials as JSON. Equal reports give equal text: its serial number follows from the config, data and time."""
    provenance = report.provenance
    seed = f"{provenance.config_sha256} {report.data.sha256} {provenance.created}"
    component: dict[str, Any] = {
        "type": "machine-learning-model",
        "bom-ref": "model",
        "name": report.card.name,
        "version": report.card.version,
        "modelCard": _model_card(report),
        "properties": _properties(report),
    }
    if report.card.sections.get("summary"):
        component["description"] = report.card.sections["summary"]
    if report.card.owner:
        component["supplier"] = {"name": report.card.owner}
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(NAMESPACE, seed)}",
        "version": 1,
        "metadata": {
            "timestamp": provenance.created,
            "tools": {
                "components": [{"type": "application", "name": "reporter", "version": provenance.reporter_version}]
            },
            "component": component,
        },
    }
    return json.dumps(bill, indent=2, ensure_ascii=False) + "\n"


def _model_card(report: Report) -> dict[str, Any]:
    model = report.models[0]
    card: dict[str, Any] = {
        "modelParameters": {"task": "binary classification", "outputs": [{"format": _output(model)}]},
        "quantitativeAnalysis": {"performanceMetrics": list(_metrics(report, model.name))},
    }
    considerations = _considerations(report)
    return {**card, "considerations": considerations} if considerations else card


def _output(model: ModelResult) -> str:
    if model.kind == "prediction":
        return f"prediction 0 or 1 ({model.column})"
    return f"score ({model.column}); 1 when {model.rule} {written.plain(model.threshold or 0.0)}"


def _metrics(report: Report, model: str) -> Iterator[dict[str, Any]]:
    for name, estimate in report.models[0].metrics.items():
        if estimate.value is not None:
            yield _metric(name, estimate)
    for grouping in report.groupings:
        for result in grouping.results:
            if result.model == model:
                for name, estimate in result.metrics.items():
                    if estimate.value is not None:
                        yield _metric(name, estimate, f"{grouping.name}: {result.group}")


def _metric(name: str, estimate: Estimate, part: str | None = None) -> dict[str, Any]:
    metric: dict[str, Any] = {"type": name, "value": repr(estimate.value)}
    if part is not None:
        metric["slice"] = part
    if estimate.low is not None and estimate.high is not None:
        metric["confidenceInterval"] = {"lowerBound": repr(estimate.low), "upperBound": repr(estimate.high)}
    return metric


def _considerations(report: Report) -> dict[str, Any]:
    sections = report.card.sections
    lists = {"users": "users", "useCases": "intended_use"}
    found: dict[str, Any] = {key: [sections[name]] for key, name in lists.items() if name in sections}
    limits = [sections[name] for name in ("out_of_scope", "warnings") if name in sections]
    if limits:
        found["technicalLimitations"] = limits
    if "considerations" in sections:
        found["ethicalConsiderations"] = [_with_mitigation({"name": sections["considerations"]}, sections)]
    model = report.models[0].name
    flagged = [c for c in report.comparisons if c.verdict == "diverges" and c.model == model]
    if flagged:
        found["fairnessAssessments"] = [_with_mitigation(_assessment(report, c), sections) for c in flagged]
    return found


def _assessment(report: Report, found: Comparison) -> dict[str, Any]:
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    return {
        "groupAtRisk": f"{found.grouping}: {found.group}",
        "harms": finding_sentence(Words.of(report), grouping, found),
    }


def _with_mitigation(entry: dict[str, Any], sections: dict[str, str]) -> dict[str, Any]:
    return {**entry, "mitigationStrategy": sections["mitigations"]} if "mitigations" in sections else entry


def _properties(report: Report) -> list[dict[str, str]]:
    model = report.models[0]
    slices = [r.metrics for g in report.groupings for r in g.results if r.model == model.name]
    undefined = sum(e.value is None for metrics in (model.metrics, *slices) for e in metrics.values())
    facts = {
        "verdict": report.verdict.outcome,
        "rows": str(report.data.n),
        "data": report.data.source,
        "data sha256": report.data.sha256 or "",
        "undefined metrics": str(undefined),
    }
    return [{"name": f"reporter:{key}", "value": value} for key, value in facts.items() if value]
