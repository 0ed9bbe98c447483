"""The card for other catalogues: CycloneDX, the hub's model index, CHAI's XML."""

from __future__ import annotations

import json
from collections.abc import Callable
from xml.etree import ElementTree

import pytest
import yaml

from reporter.render.as_chai_xml import NAMESPACE, render_chai_xml
from reporter.render.as_cyclonedx import render_cyclonedx
from reporter.render.as_model_index import render_model_index
from reporter.results import Card, Report

Make = Callable[..., Report]
HOSTILE = "</Label><script>\x00&\"'"

TEXT = None
CHAI = {
    "BasicInfo": ["ModelName", "ModelDeveloper", "DeveloperContact"],
    "ReleaseInfo": ["ReleaseStage", "ReleaseDate", "ReleaseVersion", "GlobalAvailability", "EHRCompatibility?", "RegulatoryApproval?"],
    "ModelSummary": ["Summary", "Keywords"],
    "UsesAndDirections": [
        "IntendedUseAndWorkflow", "PrimaryIntendedUsers", "HowToUse", "TargetedPatientPopulation", "CautionedOutOfScopeSettings",
    ],
    "Warnings": ["KnownRisksAndLimitations", "KnownBiasesOrEthicalConsiderations", "ClinicalRiskLevel"],
    "TrustIngredients": ["AISystemFacts", "TransparencyInformation"],
    "AISystemFacts": [
        "OutcomesAndOutputs", "ModelType", "FoundationModels?", "InputDataSource", "OutputAndInputDataTypes",
        "DevelopmentDataCharacterization", "BiasMitigationApproaches", "OngoingMaintenance", "Security?", "Transparency?",
    ],
    "TransparencyInformation": ["FundingSource", "ThirdPartyInformation?", "StakeholdersConsulted"],
    "KeyMetrics": ["UsefulnessUsabilityEfficacy", "FairnessEquity", "SafetyReliability"],
    "Resources": [
        "EvaluationReferences?", "ClinicalTrial?", "PeerReviewedPublications", "ReimbursementStatus?", "PatientConsentOrDisclosure",
    ],
    "Bibliography": [],
}  # fmt: skip
KEY_METRIC = [
    "MetricGoal",
    "Results",
    "Interpretation",
    "TestType",
    "TestingDataDescription",
    "ValidationProcessAndJustification",
]


def _plain(element: ElementTree.Element) -> str:
    assert element.tag.startswith(f"{{{NAMESPACE}}}")
    return element.tag.removeprefix(f"{{{NAMESPACE}}}")


def _holds(found: list[str], wanted: list[str]) -> bool:
    """Whether the elements stand in the schema's order, each once, optional ones (?) perhaps not."""
    rest = iter(found)
    item = next(rest, None)
    for name in wanted:
        if item == name.removesuffix("?"):
            item = next(rest, None)
        elif not name.endswith("?"):
            return False
    return item is None


@pytest.mark.parametrize(
    "attributes", [{}, {"EHRCompatibility": "One, Two", "Security": "x", "Keywords": "a, b", "ClinicalTrial": "NCT"}]
)
def test_chai_elements_stand_in_the_order_of_the_schema(make_report: Make, attributes: dict[str, str]) -> None:
    card = Card("Model", "1", "en", {"units": "patients"}, {"summary": HOSTILE}, attributes=attributes)
    root = ElementTree.fromstring(render_chai_xml(make_report(groups=(HOSTILE, "South", "West"), card=card)))
    assert _plain(root) == "AppliedModelCard"
    assert [_plain(child) for child in root] == [
        k for k in CHAI if k not in ("AISystemFacts", "TransparencyInformation")
    ]
    for parent in root.iter():
        name, children = _plain(parent), [_plain(child) for child in parent]
        if CHAI.get(name):
            assert _holds(children, CHAI[name]), (name, children)
        elif name in CHAI["KeyMetrics"]:
            assert children == KEY_METRIC
        elif name == "Results":
            assert set(children) == {"MetricResult"}
            for result in parent:
                assert [_plain(child) for child in result] == ["Label", "ValueJson"]
                json.loads(result[1].text or "")
        elif name not in ("AppliedModelCard", "MetricResult", "EHRCompatibility", "Keywords"):
            assert children == [], name


def test_chai_invents_nothing(make_report: Make) -> None:
    root = ElementTree.fromstring(render_chai_xml(make_report()))
    space = {"c": NAMESPACE}
    for name in ("FundingSource", "StakeholdersConsulted", "ReleaseDate", "ClinicalRiskLevel"):
        (element,) = root.findall(f".//c:{name}", space)
        assert element.text is None


@pytest.mark.needs("cyclonedx")
@pytest.mark.parametrize("groups", [("North", "South", "West"), (HOSTILE, "=1+1", "é")])
def test_the_bill_of_materials_is_strictly_valid(make_report: Make, groups: tuple[str, ...]) -> None:
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    sections = {
        "summary": "s",
        "intended_use": "i",
        "users": "u",
        "warnings": "w",
        "considerations": "c",
        "mitigations": "m",
    }
    card = Card("Model", "1", "en", {"units": "patients"}, sections, owner="A hospital")
    for report in (make_report(groups=groups), make_report(groups=groups, card=card)):
        text = render_cyclonedx(report)
        assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
        assert render_cyclonedx(report) == text


def test_metric_values_are_strings_and_undefined_ones_are_counted(make_report: Make) -> None:
    component = json.loads(render_cyclonedx(make_report()))["metadata"]["component"]
    metrics = component["modelCard"]["quantitativeAnalysis"]["performanceMetrics"]
    assert all(isinstance(metric["value"], str) for metric in metrics)
    assert {metric.get("slice") for metric in metrics} == {None, "ward: North", "ward: South", "ward: West"}
    assert {"name": "reporter:undefined metrics", "value": "4"} in component["properties"]


@pytest.mark.needs("huggingface_hub")
@pytest.mark.filterwarnings("ignore")
def test_the_hub_reads_the_model_index(make_report: Make) -> None:
    from huggingface_hub.repocard_data import model_index_to_eval_results

    index = yaml.safe_load(render_model_index(make_report()))["model-index"]
    name, results = model_index_to_eval_results(index)
    assert name == "Referral model 2.4"
    assert [(one.metric_name, one.metric_value) for one in results] == [("fnr", 10 / 30), ("fpr", 10 / 70)]


def test_undefined_metrics_are_named_in_a_comment(make_report: Make) -> None:
    assert render_model_index(make_report()).startswith("# undefined: ppv\n")


def test_every_format_of_a_config_can_be_made() -> None:
    from reporter.config.schema import FORMATS, OPTIONAL_FORMATS
    from reporter.outputs import MAKERS, OWNED

    assert set(MAKERS) == set(OWNED) == {*FORMATS, *OPTIONAL_FORMATS}
