"""JUnit: one case a rule and group, verdicts as a build server reads them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from reporter.render.as_junit import render_junit
from reporter.results import Comparison, GateFailure, Report, Verdict

Make = Callable[..., Report]
MakeComparison = Callable[..., Comparison]


def _cases(text: str) -> dict[str, ElementTree.Element]:
    cases = list(ElementTree.fromstring(text).iter("testcase"))
    named = {case.attrib["name"]: case for case in cases}
    assert len(named) == len(cases), "case names are unique"
    return named


def test_each_verdict_has_its_outcome(make_report: Make, comparison: MakeComparison) -> None:
    cases = _cases(
        render_junit(
            make_report(
                comparisons=(
                    comparison("North", "2.4", verdict="diverges"),
                    comparison("South", "2.4", verdict="insufficient evidence", reason="12 rows, 30 needed"),
                    comparison("West", "2.4", verdict="within limit"),
                    comparison("East", "2.4", verdict="diverges", accepted=True),
                )
            )
        )
    )
    outcome = {name: [child.tag for child in case] for name, case in cases.items()}
    assert outcome == {
        "fnr/ward/North/2.4": ["failure"],
        "fnr/ward/South/2.4": ["skipped"],
        "fnr/ward/West/2.4": ["system-out"],
        "fnr/ward/East/2.4": ["skipped"],
        "all other gates": [],
    }
    assert cases["fnr/ward/East/2.4"][0].attrib["message"].startswith("accepted: diverges; ")
    assert "12 patients, 30 needed" in cases["fnr/ward/South/2.4"][0].attrib["message"]


def test_a_failure_states_the_evidence(make_report: Make, comparison: MakeComparison) -> None:
    failure = _cases(render_junit(make_report(comparisons=(comparison("North", "2.4"),))))["fnr/ward/North/2.4"][0]
    assert failure.attrib["type"] == "diverges"
    assert failure.text == failure.attrib["message"]
    assert failure.text == (
        "fnr of North: 0.3113 [0.2513, 0.3713] (66 of 212); rest: 0.1800 [0.1200, 0.2400] (341 of 1,894); "
        "difference 0.1313 [0.0673, 0.1979] (n = 2,106), limit 0.05; adjusted p = 0.001"
    )


def test_counts_in_the_head_are_those_of_the_cases(make_report: Make) -> None:
    root = ElementTree.fromstring(render_junit(make_report(groups=tuple(f"g{i}" for i in range(10)))))
    for element in (root, *root.iter("testsuite")):
        assert int(element.attrib["tests"]) == len(list(element.iter("testcase")))
        assert int(element.attrib["failures"]) == len(list(element.iter("failure")))
        assert int(element.attrib["skipped"]) == len(list(element.iter("skipped")))
    assert root.attrib["failures"] == "4"
    assert root.attrib["name"] == "Referral model 2.4"


def test_what_stops_nothing_is_no_failure_and_says_so(make_report: Make, comparison: MakeComparison) -> None:
    warned = comparison("North", "2.4", severity="warn")
    ungated = comparison("South", "2.4")
    report = make_report(comparisons=(warned, ungated), verdict=Verdict("pass", n_flagged=2))
    root = ElementTree.fromstring(render_junit(report))
    assert (root.attrib["failures"], root.attrib["skipped"]) == ("0", "2")
    messages = [case.attrib["message"].split(";")[0] for case in root.iter("skipped")]
    assert messages == ["diverges, stops nothing (a warning)", "diverges, stops nothing (no gate asks for it)"]


def test_a_group_that_must_not_lack_the_evidence_is_one_failure(make_report: Make, comparison: MakeComparison) -> None:
    found = comparison("South", "2.4", verdict="insufficient evidence", reason="too few rows: 12, and 30 are needed")
    failure = GateFailure("insufficient_evidence", found.finding, "fnr of South (ward): insufficient evidence.")
    report = make_report(comparisons=(found,), verdict=Verdict("fail", (failure,)))
    (case, other) = _cases(render_junit(report)).values()
    assert (case[0].tag, case[0].attrib["type"], list(other)) == ("failure", "insufficient evidence", [])
    assert "too few patients: 12, and 30 are needed" in case[0].attrib["message"]


def test_a_group_that_newly_diverges_is_one_failure(make_report: Make, comparison: MakeComparison) -> None:
    found = comparison("North", "2.4")
    said = "It newly diverges since release 2.3."
    failures = (
        GateFailure("diverges", found.finding, "It diverges."),
        GateFailure("worse_than_baseline", found.finding, said),
    )
    report = make_report(comparisons=(found,), verdict=Verdict("fail", failures))
    (case, other) = _cases(render_junit(report)).values()
    assert (case[0].attrib["type"], list(other)) == ("diverges, worse than baseline", [])
    assert case[0].attrib["message"].endswith("; It newly diverges since release 2.3")


def test_the_file_is_the_one_in_the_repository(make_report: Make) -> None:
    report = make_report()
    git = {"commit": "0" * 40, "modified": False, "path": "configs/clinic.yaml"}
    root = ElementTree.fromstring(render_junit(replace(report, provenance=replace(report.provenance, git=git))))
    assert next(root.iter("testsuite")).attrib["file"] == "configs/clinic.yaml:31"


def test_each_rule_is_a_suite_that_names_its_line(make_report: Make, comparison: MakeComparison) -> None:
    second = comparison("North", "2.4", rule=1, metric="fpr", finding="fpr/ward/North/2.4")
    root = ElementTree.fromstring(render_junit(make_report(comparisons=(comparison("North", "2.4"), second))))
    suites = [(suite.attrib["name"], suite.attrib.get("file")) for suite in root.iter("testsuite")]
    assert suites == [
        ("rule 1: fnr, difference to rest, limit 0.05", "clinic.yaml:31"),
        ("rule 2: fpr, difference to rest, limit 0.05", None),
        ("gates", None),
    ]


def test_findings_that_share_an_id_keep_cases_of_their_own(make_report: Make, comparison: MakeComparison) -> None:
    twice = (comparison("North", "2.4"), comparison("North", "2.4", rule=1))
    assert list(_cases(render_junit(make_report(comparisons=twice))))[:2] == [
        "fnr/ward/North/2.4",
        "fnr/ward/North/2.4 (2)",
    ]


def test_gates_that_no_finding_decides_are_cases_too(make_report: Make) -> None:
    failure = GateFailure("unsigned_baseline", "", "The baseline must carry a signed approval.")
    report = replace(make_report(), verdict=Verdict("fail", (failure,)))
    case = _cases(render_junit(report))["unsigned_baseline"]
    assert case[0].attrib["message"] == "The baseline must carry a signed approval."


@pytest.mark.parametrize("name", ["\x00\x1b[31m", 'a"b<c>&d', "line\nbreak\ttab", "\ufffe", "]]>"])
def test_any_group_name_gives_wellformed_xml_and_stays_apart(
    make_report: Make, comparison: MakeComparison, name: str
) -> None:
    text = render_junit(make_report(comparisons=(comparison(name, "2.4"), comparison(name + "2", "2.4"))))
    assert len(_cases(text)) == 3
    failure = next(ElementTree.fromstring(text.encode()).iter("failure"))
    if name.isprintable():
        assert f"fnr of {name}:" in (failure.text or "")


def test_a_report_without_rules_still_has_a_case(make_report: Make) -> None:
    report = replace(make_report(comparisons=()), verdict=Verdict("pass"))
    assert list(_cases(render_junit(report))) == ["all other gates"]
