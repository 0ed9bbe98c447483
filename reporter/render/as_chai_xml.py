"""A Report as a CHAI Applied Model Card 0.2 in XML: what the author wrote and what was computed, under the names of CHAI's schema.

Elements that the schema wants and that nobody wrote stand there empty, and the card's profile ``chai`` lists them as missing; nothing is
made up. Texts are Markdown there as here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from xml.sax.saxutils import escape

from reporter.render import format as written
from reporter.render.as_junit import xml_text
from reporter.render.wording import Words
from reporter.render.wording_findings import finding_sentence
from reporter.results import Comparison, Estimate, Report

NAMESPACE = "https://mc.chai.org/v0.2/schema.xsd"


def render_chai_xml(report: Report) -> str:
    """The whole document as text. ``card.attributes`` fills elements by name; optional ones are left out where nobody wrote them."""
    card, sections = report.card, report.card.sections

    def text(name: str, own: str = "") -> str:
        return _element(name, card.attributes.get(name, "").strip() or own)

    def optional(name: str) -> str:
        return text(name) if card.attributes.get(name, "").strip() else ""

    basic = text("ModelName", card.name) + text("ModelDeveloper", card.owner) + text("DeveloperContact", card.contact)
    release = (
        text("ReleaseStage") + text("ReleaseDate") + text("ReleaseVersion", card.version) + text("GlobalAvailability")
    )
    release += _listed("EHRCompatibility", "EHR", card.attributes) + optional("RegulatoryApproval")
    summary = text("Summary", sections.get("summary", "")) + (
        _listed("Keywords", "Keyword", card.attributes) or "<Keywords/>"
    )
    uses = (
        text("IntendedUseAndWorkflow", sections.get("intended_use", ""))
        + text("PrimaryIntendedUsers", sections.get("users", ""))
        + text("HowToUse", sections.get("how_to_use", ""))
        + text("TargetedPatientPopulation")
        + text("CautionedOutOfScopeSettings", sections.get("out_of_scope", ""))
    )
    warnings = (
        text("KnownRisksAndLimitations", sections.get("warnings", ""))
        + text("KnownBiasesOrEthicalConsiderations", sections.get("considerations", ""))
        + text("ClinicalRiskLevel")
    )
    facts = (
        text("OutcomesAndOutputs", _output(report))
        + text("ModelType", sections.get("model", ""))
        + optional("FoundationModels")
        + text("InputDataSource")
        + text("OutputAndInputDataTypes")
        + text("DevelopmentDataCharacterization", sections.get("training_data", ""))
        + text("BiasMitigationApproaches", sections.get("mitigations", ""))
        + text("OngoingMaintenance", sections.get("monitoring", ""))
        + optional("Security")
        + optional("Transparency")
    )
    openness = text("FundingSource") + optional("ThirdPartyInformation") + text("StakeholdersConsulted")
    resources = (
        optional("EvaluationReferences")
        + optional("ClinicalTrial")
        + text("PeerReviewedPublications")
        + optional("ReimbursementStatus")
        + text("PatientConsentOrDisclosure")
    )
    body = (
        _group("BasicInfo", basic)
        + _group("ReleaseInfo", release)
        + _group("ModelSummary", summary)
        + _group("UsesAndDirections", uses)
        + _group("Warnings", warnings)
        + _group("TrustIngredients", _group("AISystemFacts", facts) + _group("TransparencyInformation", openness))
        + _group("KeyMetrics", _key_metrics(report))
        + _group("Resources", resources)
        + text("Bibliography")
    )
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<AppliedModelCard xmlns="{NAMESPACE}">\n{body}</AppliedModelCard>\n'
    )


def _element(name: str, value: str) -> str:
    return f"<{name}>{escape(xml_text(value))}</{name}>\n" if value else f"<{name}/>\n"


def _group(name: str, inner: str) -> str:
    return f"<{name}>\n{inner}</{name}>\n"


def _listed(name: str, item: str, attributes: dict[str, str]) -> str:
    """A list element from a text with commas; nothing when nobody wrote it."""
    parts = [part.strip() for part in attributes.get(name, "").split(",") if part.strip()]
    return _group(name, "".join(_element(item, part) for part in parts)) if parts else ""


def _output(report: Report) -> str:
    model = report.models[0]
    if model.kind == "prediction":
        return f"A prediction of 0 or 1 (column {model.column})."
    return f"A score (column {model.column}) that predicts 1 when it is {model.rule} {written.plain(model.threshold or 0.0)}."


def _key_metrics(report: Report) -> str:
    model = report.models[0]
    overall = [(name, estimate) for name, estimate in model.metrics.items()]
    groups = [
        (f"{name}, {grouping.name}: {result.group}", estimate)
        for grouping in report.groupings
        for result in grouping.results
        if result.model == model.name
        for name, estimate in result.metrics.items()
    ]
    section = report.agreement_section
    agreement = [
        (f"{name} of {one.first} and {one.second}", Estimate(getattr(one.agreement, name), n=one.agreement.n))
        for one in (section.results if section else ())
        if one.grouping is None and one.agreement is not None
        for name in ("observed", "kappa", "pabak")
    ]
    found = [c for c in report.comparisons if c.model == model.name]
    verdicts = f"{sum(c.verdict == 'diverges' for c in found)} of {len(found)} comparisons of groups diverge."
    flagged = " ".join([verdicts, *_sentences(report, found)])
    return (
        _key_metric(report, "UsefulnessUsabilityEfficacy", overall, "")
        + _key_metric(report, "FairnessEquity", groups, flagged)
        + _key_metric(report, "SafetyReliability", agreement, "")
    )


def _sentences(report: Report, found: list[Comparison]) -> Iterator[str]:
    words = Words.of(report)
    groupings = {grouping.name: grouping for grouping in report.groupings}
    for one in found:
        if one.verdict == "diverges":
            yield finding_sentence(words, groupings[one.grouping], one)


def _key_metric(report: Report, name: str, results: list[tuple[str, Estimate]], interpretation: str) -> str:
    """One part of the key metrics. The schema wants at least one result: where there is none, it says so."""
    rows = "".join(
        _group("MetricResult", _element("Label", label) + _element("ValueJson", _value(estimate)))
        for label, estimate in results
    ) or _group("MetricResult", _element("Label", "not measured") + _element("ValueJson", json.dumps({"kind": "none"})))
    data = report.data
    tested = f"{data.n} rows of {data.source}, {data.n_positive} of {data.n_labelled} labelled 1."
    return _group(
        name,
        _element("MetricGoal", "")
        + _group("Results", rows)
        + _element("Interpretation", interpretation)
        + _element("TestType", "evaluation of stored predictions")
        + _element("TestingDataDescription", f"{report.card.sections.get('evaluation_data', '')}\n\n{tested}".strip())
        + _element("ValidationProcessAndJustification", ""),
    )


def _value(estimate: Estimate) -> str:
    if estimate.value is None:
        return json.dumps({"kind": "none", "reason": estimate.reason or "undefined", "n": estimate.n}, sort_keys=True)
    found = {"kind": "single", "value": estimate.value, "n": estimate.n}
    if estimate.low is not None and estimate.high is not None:
        found |= {"low": estimate.low, "high": estimate.high}
    return json.dumps(found, sort_keys=True)
