"""The first page: what a signer learns who reads no further, and the tables that it sends them to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.chapter_groups import groups_section
from reporter.render.chapter_overall import overall_section
from reporter.render.chapter_verdict import verdict_section
from reporter.render.chapter_why import why_section
from reporter.render.document import Banner, Details, Heading, Paragraph, Section, Sentence, Sentences, Table
from reporter.render.wording import Words
from reporter.results import (
    Comparison,
    Decomposition,
    Estimate,
    GateFailure,
    ModelPair,
    ModelResult,
    Releases,
    Report,
    Verdict,
    VerdictChange,
)

Make = Callable[..., Report]
Compare = Callable[..., Comparison]


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def banner(report: Report) -> Banner:
    found = verdict_section(report, Words.of(report)).blocks[0]
    assert isinstance(found, Banner)
    return found


def sentences(section: Section, heading: str) -> tuple[Sentence, ...]:
    place = next(i for i, b in enumerate(section.blocks) if isinstance(b, Heading) and b.id == heading)
    found = section.blocks[place + 1]
    assert isinstance(found, Sentences)
    return found.items


def tables(section: Section | None) -> list[Table]:
    assert section is not None
    blocks = [inner for b in section.blocks for inner in (b.blocks if isinstance(b, Details) else (b,))]
    return [block for block in blocks if isinstance(block, Table)]


def test_a_release_about_which_nothing_could_be_told_is_not_shown_as_one_that_passed(
    make_report: Make, comparison: Compare
) -> None:
    unknown = tuple(
        comparison(g, "2.4", verdict="insufficient evidence", reason="too wide") for g in ("North", "South")
    )
    found = banner(make_report(comparisons=unknown, verdict=Verdict("pass", n_insufficient=2)))
    assert (found.outcome, found.headline) == (
        "undecided",
        "Referral model 2.4 is not stopped, but no comparison could be decided",
    )


def test_the_headline_of_a_pass_counts_all_that_was_found(make_report: Make, comparison: Compare) -> None:
    found = (
        comparison("North", "2.4", severity="warn"),
        comparison("South", "2.4", accepted=True),
        comparison("West", "2.4"),
    )
    report = make_report(comparisons=found, verdict=Verdict("pass", n_flagged=3))
    said = "passes, with 1 warning, 1 accepted finding and 1 finding that no gate stops"
    assert banner(report).headline == f"Referral model 2.4 {said}"


def test_the_headline_names_what_the_title_names_and_the_text_its_model(make_report: Make) -> None:
    found = banner(make_report(model="pd_score"))
    assert found.headline == "Referral model 2.4 does not pass"
    assert found.text.endswith("This card is for the model pd_score.")
    assert "This card is for" not in banner(make_report()).text


def test_a_gap_between_two_groups_is_told_once_and_said_to_count_twice(make_report: Make, comparison: Compare) -> None:
    report = make_report(groups=("North", "South"), comparisons=tuple(comparison(g, "2.4") for g in ("North", "South")))
    (only,) = sentences(verdict_section(report, Words.of(report)), "flagged")
    assert "The same gap seen from the other side, patients whose ward is South, diverges too." in only.detail
    assert "Gaps between two groups count twice, once from either side." in banner(report).text
    section = groups_section(report, Words.of(report))
    assert section is not None
    assert isinstance(section.blocks[1], Paragraph)
    assert section.blocks[1].text.startswith("2 groups, 2 comparisons (each gap seen from both sides): ")


def test_three_groups_have_every_gap_once(make_report: Make, comparison: Compare) -> None:
    report = make_report(comparisons=tuple(comparison(g, "2.4") for g in ("North", "South", "West")))
    assert len(sentences(verdict_section(report, Words.of(report)), "flagged")) == 3
    assert "twice" not in banner(report).text


def test_every_reason_of_a_failed_gate_is_told_in_words(make_report: Make, comparison: Compare) -> None:
    found = tuple(comparison(g, "2.4") for g in ("North", "South", "West"))
    verdict = Verdict(
        "fail",
        (
            *(GateFailure("diverges", one.finding, "raw") for one in found),
            GateFailure("worse_than_baseline", found[1].finding, "It newly diverges since release 2.3."),
            GateFailure("unsigned_baseline", "", "The baseline must carry a signed approval: there is no baseline."),
        ),
    )
    changes = (VerdictChange(found[1].finding, "within limit", "diverges", "newly diverges"),)
    report = make_report(
        comparisons=found, verdict=verdict, releases=Releases("2.3", "2.4", "old", False, "", verdicts=changes)
    )
    told = sentences(verdict_section(report, Words.of(report)), "gate-failures")
    assert [(one.label, one.text) for one in told] == [
        ("Gate: worse than baseline", "The miss rate of patients whose ward is South newly diverges."),
        ("Gate: unsigned baseline", "The baseline must carry a signed approval: there is no baseline."),
        (
            "Gate: diverges",
            "3 comparisons that must not diverge: miss rate of patients whose ward is North (Referral model 2.4); miss rate of "
            "patients whose ward is South (Referral model 2.4); miss rate of patients whose ward is West (Referral model 2.4).",
        ),
    ]


def test_gaps_beyond_their_limit_without_the_evidence_are_in_the_pdf_the_largest_first(
    make_report: Make, comparison: Compare
) -> None:
    def wide(group: str, value: float) -> Comparison:
        gap = Estimate(value, value - 0.3, value + 0.3, 40)
        return comparison(group, "2.4", verdict="insufficient evidence", reason="too wide", gap=gap)

    groups = tuple(f"g{place:02d}" for place in range(24))
    inside = tuple(wide(group, 0.01) for group in groups[:10])
    beyond = tuple(wide(group, 0.06 + place / 100) for place, group in enumerate(groups[10:22]))
    flagged = tuple(comparison(group, "2.4") for group in groups[22:])
    report = make_report(groups=groups, comparisons=(*inside, *beyond, *flagged))
    table = tables(groups_section(report, Words.of(report)))[-1]
    shown = [row.cells[0].text for row in table.rows[: table.pdf_limit]]
    assert shown == ["g22", "g23", *(f"g{place}" for place in range(21, 9, -1))]


def test_two_models_differ_by_the_cards_own_minus_the_other(make_report: Make) -> None:
    report = make_report()
    old = replace(report.models[0], name="2.3", kind="prediction", threshold=None, rule=None)
    gaps = {"fnr": Estimate(-0.066, -0.077, -0.055, 100), "fpr": Estimate(0.0, -0.1, 0.2, 100)}
    pair = ModelPair("2.4", "2.3", 100, 1, 2, 3, 94, Estimate(0.05), gaps)
    (table,) = tables(
        overall_section(replace(report, models=(report.models[0], old), model_pairs=(pair,)), Words.of(report))
    )
    assert table.columns[-1].title == "2.4 minus 2.3"
    cells = {row.cells[0].text: row.cells[-1] for row in table.rows}
    assert (plain(cells["miss rate"].text), plain(cells["miss rate"].detail)) == ("+6.6 points", "+5.5 to +7.7")
    assert (plain(cells["false alarm rate"].text), plain(cells["false alarm rate"].detail)) == (
        "0.0 points",
        "−20.0 to +10.0",
    )


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (None, "2.3 has no AUC: this model has no score"),
        (0.7, "the scores of the two models form too many pairs of values to be counted together"),
    ],
)
def test_why_two_scores_have_no_difference_is_one_reason(make_report: Make, known: float | None, said: str) -> None:
    from reporter.stats.paired import NO_JOINT_SCORES

    report = make_report()
    reason = "this model has no score" if known is None else None
    models: list[ModelResult] = [
        replace(report.models[0], name=name, metrics={"auc": value})
        for name, value in (("2.4", Estimate(0.8)), ("2.3", Estimate(known, reason=reason)))
    ]
    gaps = {"auc": Estimate(None, reason=NO_JOINT_SCORES)}
    pair = ModelPair("2.4", "2.3", 100, 1, 2, 3, 94, Estimate(0.05), gaps)
    (table,) = tables(overall_section(replace(report, models=tuple(models), model_pairs=(pair,)), Words.of(report)))
    assert table.rows[-1].cells[-1].detail == said


def test_parts_that_do_not_add_up_as_written_are_said_to_be_rounded(make_report: Make) -> None:
    report = make_report()
    parts = (
        Decomposition("2.4", "North", "rest", 0.0759, 0.0384, 0.0124, 0.0251, 100),
        Decomposition("2.4", "South", "rest", 0.05, 0.02, 0.02, 0.01, 100),
    )
    report = replace(report, groupings=(replace(report.groupings[0], decompositions=parts),))
    section = why_section(report, Words.of(report))
    assert section is not None
    texts = [plain(block.text) for block in section.blocks if isinstance(block, Paragraph)]
    assert texts[1].endswith(
        "+3.8 from different base rates, +1.2 from different hit rates, +2.5 from different false alarms (rounded)."
    )
    assert tables(section)[0].note == "Parts are rounded and may not add up to their gap in the last digit."


def test_a_measure_that_only_rules_look_at_is_never_called_undefined(
    samples: ModuleType, make_report: Make, comparison: Compare
) -> None:
    report = make_report(comparisons=(comparison("North", "2.4", metric="for"),))
    section = groups_section(report, Words.of(report))
    assert section is not None
    notes = [block.text for block in section.blocks if isinstance(block, Paragraph) and block.kind == "note"]
    assert notes == ["This report holds false omission rate in the table of all comparisons alone."]


def test_why_a_measure_has_no_interval_is_said_once_under_its_table(make_report: Make) -> None:
    report = make_report()
    results = tuple(
        replace(
            one,
            metrics={
                "predicted_positives": Estimate(30.0, n=100, reason="a count has no interval"),
                "fnr": one.metrics["fnr"],
            },
        )
        for one in report.groupings[0].results
    )
    report = replace(report, groupings=(replace(report.groupings[0], results=results),))
    table = tables(groups_section(report, Words.of(report)))[0]
    assert table.note == "Number predicted positive: a count has no interval."
    assert [(row.cells[3].text, row.cells[3].detail) for row in table.rows] == [("30", "")] * 3
    assert plain(table.rows[0].cells[2].detail).endswith("10 of 30")


def test_findings_that_are_not_told_are_counted_by_model(make_report: Make, comparison: Compare) -> None:
    names = tuple(f"ward {i}" for i in range(11))
    found = tuple(comparison(name, model) for model in ("2.4", "2.3") for name in names)
    report = make_report(groups=names, comparisons=found)
    report = replace(report, models=(report.models[0], replace(report.models[0], name="2.3")))
    said = [plain(item.text) for item in sentences(verdict_section(report, Words.of(report)), "flagged")]
    assert len(said) == 11
    assert said[-1] == (
        "And 12 more findings that diverge (1 with Referral model 2.4 and 11 with Referral model 2.3), in the table of all comparisons."
    )
