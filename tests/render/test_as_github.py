"""The job summary and the annotations of GitHub: what they show, how large they get, and that names cannot act."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from reporter.render.as_github import ANNOTATION_LIMIT, command, render_annotations, render_summary
from reporter.render.as_gitlab import render_gitlab
from reporter.results import Comparison, GateFailure, Report, Verdict

Make = Callable[..., Report]
MakeComparison = Callable[..., Comparison]


def test_the_verdict_comes_first(make_report: Make) -> None:
    assert render_summary(make_report()).startswith("## Referral model 2.4: the gate failed\n")


def test_each_flagged_group_is_a_sentence_with_its_finding(make_report: Make) -> None:
    text = render_summary(make_report())
    assert text.count("- **error**") == 1
    assert "`fnr/ward/North/2.4`" in text
    assert "### What could not be decided" in text


def test_an_accepted_finding_is_a_warning_with_who_answers_for_it(
    make_report: Make, comparison: MakeComparison
) -> None:
    report = make_report(comparisons=(comparison("West", "2.4", verdict="diverges", accepted=True),))
    assert "**warning** (accepted by Board, until 2027-03-31&#58; Known.)" in render_summary(report)
    (line,) = render_annotations(report).splitlines()
    assert line.startswith("::warning ")
    assert line.endswith(" Accepted by Board, until 2027-03-31: Known.")


def test_what_diverges_stands_before_what_lacks_the_evidence(make_report: Make, comparison: MakeComparison) -> None:
    names = tuple(f"ward {i}" for i in range(12))
    unknown = {"verdict": "insufficient evidence", "reason": "too few rows (12, and 30 are needed)"}
    found = (*(comparison(name, "2.4", **unknown) for name in names), comparison("North", "2.4"))
    gates = {"insufficient evidence": "insufficient_evidence", "diverges": "diverges"}
    failures = tuple(GateFailure(gates[one.verdict], one.finding, "fnr of it.") for one in found)
    report = make_report(groups=(*names, "North"), comparisons=found, verdict=Verdict("fail", failures))
    first, second, *_ = render_annotations(report).splitlines()
    assert first.startswith("::error file=clinic.yaml,line=31,title=fnr/ward/North/2.4::Referral model 2.4")
    assert second == (
        "::error file=clinic.yaml,line=31,title=fnr/ward/ward 0/2.4::Insufficient evidence about the miss rate of Referral model 2.4 "
        "for patients whose ward is ward 0: too few patients (12, and 30 are needed); further patients of that group alone would not "
        "settle it, or how many cannot be told (31.1 %25 against 18.0 %25 of the others)."
    ).replace(" %25", "\N{NO-BREAK SPACE}%25")
    assert "fnr of it" not in render_summary(report)


def test_what_stops_nothing_is_a_warning(make_report: Make, comparison: MakeComparison) -> None:
    report = make_report(comparisons=(comparison("North", "2.4"),), verdict=Verdict("pass", n_flagged=1))
    assert render_annotations(report).startswith("::warning ")


def test_a_group_that_newly_diverges_has_one_annotation(make_report: Make, comparison: MakeComparison) -> None:
    found = comparison("North", "2.4")
    failure = GateFailure("worse_than_baseline", found.finding, "It newly diverges since release 2.3.")
    report = make_report(comparisons=(found,), verdict=Verdict("fail", (failure,)))
    (line,) = render_annotations(report).splitlines()
    assert line.startswith("::error file=clinic.yaml,line=31,")
    assert line.endswith("). It newly diverges since release 2.3.")


def test_an_annotation_stands_on_the_line_of_its_rule(make_report: Make) -> None:
    (line,) = render_annotations(make_report()).splitlines()
    assert line.startswith("::error file=clinic.yaml,line=31,title=fnr/ward/North/2.4::")


def test_other_gates_are_shown_with_their_name(make_report: Make) -> None:
    verdict = Verdict("fail", (GateFailure("unsigned_baseline", "", "Nobody signed it."),))
    report = make_report(comparisons=(), verdict=verdict)
    assert render_annotations(report) == "::error file=clinic.yaml,title=unsigned baseline::Nobody signed it.\n"
    assert "- **error** unsigned baseline: Nobody signed it." in render_summary(report)


@pytest.mark.parametrize(("n", "lines"), [(9, 9), (10, 10), (500, 10)])
def test_there_are_at_most_ten_annotations_a_level_and_the_last_says_how_many_more(
    make_report: Make, comparison: MakeComparison, n: int, lines: int
) -> None:
    names = tuple(f"ward {i}" for i in range(n))
    found = tuple(comparison(name, "2.4", verdict="diverges") for name in names)
    written = render_annotations(make_report(groups=names, comparisons=found)).splitlines()
    assert len(written) == lines
    if n > ANNOTATION_LIMIT:
        assert written[-1].endswith(f"::and {n - 9} more of {n}; the card lists all")


@pytest.mark.parametrize(
    "name",
    [
        "::error::gotcha",
        "a\r\n::add-mask::x",
        "%0A::set-output name=x::y",
        "x,line=9,title=z",
        "\u2028::stop-commands::t",
    ],
)
def test_a_name_starts_no_workflow_command(make_report: Make, name: str) -> None:
    written = render_annotations(make_report(groups=(name, "South", "West")))
    assert len(written.split("\n")) == 2
    match = re.fullmatch(r"::error file=clinic\.yaml,line=31,title=([^:,\r\n]*)::([^\r\n]*)\n", written)
    assert match is not None


@pytest.mark.parametrize(
    "name",
    [
        "<script>alert(1)</script>",
        "[x](javascript:alert(1))",
        "a`b`",
        "@everyone",
        "|x|",
        "![i](http://e)",
        "&lt;b&gt;",
    ],
)
def test_a_name_makes_no_markup_in_the_summary(make_report: Make, name: str) -> None:
    text = render_summary(make_report(groups=(name, "South", "West")))
    outside_code = re.sub(r"`[^`\n]*`", "", text)
    assert not re.search(r"[<\[\]@|!]", outside_code.split("###")[0])
    assert text.count("`") % 2 == 0
    assert "&lt;" not in outside_code


def test_commands_escape_what_ends_them() -> None:
    assert command("error", "a\n::b%", title="c:d,e") == "::error title=c%3Ad%2Ce::a%0A::b%25"


def test_gitlab_shows_the_same_findings(make_report: Make, comparison: MakeComparison) -> None:
    import json

    report = make_report(
        comparisons=(
            comparison("North", "2.4", verdict="diverges"),
            comparison("South", "2.4", verdict="diverges", severity="warn"),
            comparison("West", "2.4", verdict="diverges", accepted=True),
        )
    )
    entries = json.loads(render_gitlab(report))
    assert [entry["severity"] for entry in entries] == ["critical", "minor", "info"]
    assert {entry["location"]["lines"]["begin"] for entry in entries} == {31}
    assert len({entry["fingerprint"] for entry in entries}) == 3
    assert json.loads(render_gitlab(report)) == entries
