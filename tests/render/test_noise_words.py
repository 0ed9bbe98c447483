"""What a noise study's findings read like, and what the chapters of agreement and noise say beside them."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from reporter.render.chapter_agreement import agreement_section
from reporter.render.chapter_noise import noise_section
from reporter.render.document import Block, Details, Figure, Paragraph, Section, Sentences
from reporter.render.plots import CurvesPlot
from reporter.render.wording import Words
from reporter.render.wording_noise import noise_sentences
from reporter.results import (
    AgreementGap,
    AgreementResult,
    AgreementSection,
    Estimate,
    NoiseFinding,
    NoiseFindings,
    NoiseGroup,
    NoisePoint,
)

WORDS = Words("COMPAS", "1", "predicted to reoffend", "reoffended", "did not", "defendant", "defendants", "share", 0.95)


def finding(
    statistic: str, lower: str, higher: str, *, levels_lower: int = 30, systematic: bool = True
) -> NoiseFinding:
    return NoiseFinding(
        statistic, lower, higher, 30, levels_lower, levels_lower / 30, 0.04, 0.002, 0.07, 0.29, systematic
    )


def findings(*statistics: NoiseFinding, contradictions: tuple[tuple[str, str], ...] = ()) -> NoiseFindings:
    groups = (
        NoiseGroup("White", 0.0659, 0.066, -0.0001, 0.39, 0.38, 0.25, 0.28),
        NoiseGroup("Black", 0.0034, 0.0036, -0.0002, 0.49, 0.47, 0.46, 0.42),
    )
    return NoiseFindings(statistics, groups, contradictions, "prevalence", "White")


PUBLISHED = findings(
    finding("kappa", "White", "Black"),
    finding("pabak", "Black", "White"),
    finding("icc_a1", "White", "Black"),
    contradictions=(("kappa", "pabak"), ("pabak", "icc_a1")),
)


def said(found: NoiseFindings, grouping: str = "race") -> list[str]:
    texts = [f"{one.label}: {one.text}" if one.label else one.text for one in noise_sentences(WORDS, found, grouping)]
    return [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts]


def test_a_contradiction_comes_first_as_one_warning() -> None:
    assert said(PUBLISHED)[0] == (
        "The statistics disagree: Kappa and ICC(A,1) are lower where race is White, but PABAK is lower where race is Black. "
        "Which group seems to get the less reliable predictions depends on the statistic that is reported."
    )


def test_prevalence_is_told_as_the_cause_of_kappas_gap_and_each_statistic_says_what_it_says() -> None:
    assert said(PUBLISHED)[1] == (
        "Kappa is lower where race is White because fewer of these defendants are predicted to reoffend (25.0 % against 46.0 % without "
        "noise). PABAK, which leaves that out, is higher there, but ICC(A,1), which looks at the scores, is lower there."
    )


def test_a_finding_says_group_share_of_levels_and_size() -> None:
    text = said(findings(finding("pabak", "> 65", "<= 65", levels_lower=28)), "age")[0]
    assert text == (
        "Lower PABAK: over 65: PABAK is lower where age is over 65 than where it is at most 65 at 28 of 30 noise levels (93 %), by "
        "0.040 on average (Monte-Carlo error at most 0.002), and by 0.070 at most (at a noise level of 29 %)."
    )


def test_a_gap_that_is_not_systematic_is_no_disadvantage() -> None:
    one, rule, *_ = noise_sentences(
        WORDS, findings(finding("kappa", "0", "1", levels_lower=20, systematic=False)), "race"
    )
    assert (one.label, one.severity) == ("No systematic gap", "unknown")
    assert "nine noise levels in ten" in rule.detail


def test_no_group_is_at_a_disadvantage_while_chance_in_its_members_is_not_counted() -> None:
    texts = said(findings(finding("kappa", "0", "1")))
    assert not any("disadvantage" in text for text in texts)
    assert texts[1].startswith(
        "Chance in the groups is not counted: The gaps are held against chance in the noise alone"
    )
    assert "put together by lot from the same defendants" in texts[1]


def test_chance_in_the_groups_is_told_where_it_is_counted() -> None:
    kappa = replace(finding("kappa", "0", "1"), sampling_error=0.011, p_adjusted=0.0004)
    pabak = replace(finding("pabak", "0", "1", systematic=False), sampling_error=0.04, p_adjusted=0.31)
    first, second, held, *_ = noise_sentences(WORDS, findings(kappa, pabak), "race")
    assert (first.label, first.severity) == ("Lower kappa: race 0", "warn")
    assert "(Monte-Carlo error at most 0.002, error from the groups 0.011, adjusted p\u00a0<\u00a00.001)" in first.text
    assert second.label == "No systematic gap"
    assert second.text.endswith("error from the groups 0.040, adjusted p\u00a0=\u00a00.31).")
    assert "chance in who belongs to which group would hardly make it" in held.text
    assert not [text for text in said(findings(kappa, pabak)) if "not counted" in text]


def test_both_parts_of_the_correction_are_told_for_each_group() -> None:
    (text,) = (one for one in said(PUBLISHED) if one.startswith("PABAK minus kappa"))
    assert "+0.066 where race is White (+0.066 by prevalence, about 0 by bias)" in text
    # +0.003 = +0.004 + about 0 would not add up.
    assert "+0.0034 where race is Black (+0.0036 by prevalence, −0.0002 by bias)" in text
    assert text.endswith("What differs most between the groups is prevalence (how rare one of the two answers is).")


def test_parts_that_do_not_add_up_are_not_told() -> None:
    groups = (
        NoiseGroup("White", 0.066, 0.066, 0.0, 0.39, 0.38, 0.25, 0.28),
        NoiseGroup("Black", 0.999, 0.988, 0.0, 0.0, 0.0, 0.0, 0.0),
    )
    parts = said(NoiseFindings((), groups, (), "prevalence", "White"))[:2]
    assert parts == [
        "PABAK minus kappa is on average +0.066 where race is White (+0.066 by prevalence, about 0 by bias).",
        "Where race is Black, PABAK minus kappa cannot be split into its parts: their means do not rest on the same repeats, because "
        "kappa is undefined in some.",
    ]


def test_no_value_is_called_good_or_poor() -> None:
    text = " ".join(said(PUBLISHED)).lower()
    assert not any(word in text for word in ("good", "excellent", "poor", "fair ", "moderate", "substantial"))


def test_a_partial_study_says_what_it_rests_on_and_that_it_cannot_be_replayed(samples: ModuleType) -> None:
    report = samples.report()
    stopped = replace(report.noise_results[0], partial=True, repeats=7)
    section = noise_section(replace(report, noise_results=(stopped,)), Words.of(report))
    assert section is not None
    texts = [block.text for block in section.blocks if isinstance(block, Paragraph)]
    assert any("it rests on the 7 repeats that were finished" in text for text in texts)
    assert any("cannot be recomputed from stored counts" in text for text in texts)


def point(noise: float, statistic: str, mean: float | None, repeats: int, error: float | None = 0.0002) -> NoisePoint:
    return NoisePoint("Male", noise, statistic, mean, error if mean is not None else None, repeats)


def study_of(samples: ModuleType, *points: NoisePoint, **changes: Any) -> tuple[Block, ...]:
    report = samples.report()
    study = replace(report.noise_results[0], groups=("Male",), group_sizes=(9,), points=points, repeats=50, **changes)
    section = noise_section(replace(report, noise_results=(study,)), Words.of(report))
    assert section is not None
    return section.blocks


def notes_of(blocks: tuple[Block, ...]) -> list[str]:
    return [block.text for block in blocks if isinstance(block, Paragraph) and block.kind == "note"]


def test_a_mean_of_few_repeats_says_how_many_and_one_note_tells_of_all(samples: ModuleType) -> None:
    stored = (
        "kappa, prevalence_adjusted_kappa of Male: undefined in 46 to 50 of 50 repeats at 2 noise levels; means are of the other repeats",
        "stopped early",
    )
    blocks = study_of(
        samples,
        *(point(0.0, name, None, 0) for name in ("kappa", "prevalence_adjusted_kappa")),
        *(point(0.1, name, 0.0, 4) for name in ("kappa", "prevalence_adjusted_kappa")),
        point(0.1, "pabak", 0.9, 50),
        notes=stored,
    )
    (note,) = (text for text in notes_of(blocks) if text.startswith("Undefined"))
    assert note.startswith(
        "Undefined values do not count: where sex is Male, kappa and prevalence-adjusted kappa in all repeats at 1 noise level and in "
        "some repeats at 1 noise level."
    )
    assert not [text for text in notes_of(blocks) if "prevalence_adjusted_kappa" in text]
    assert "stopped early" in notes_of(blocks)
    figure = next(block for block in blocks if isinstance(block, Figure))
    assert figure.table is not None
    kappa = [row.cells[1] for row in figure.table.rows]
    assert [cell.text for cell in kappa] == ["undefined", "0.000"]
    assert kappa[1].detail.replace("\u00a0", " ").split("\n")[1] == "4 of 50 repeats"
    assert "0.000 (4 of 50 repeats) for Male" in figure.title.replace("\u00a0", " ")


def test_an_error_has_the_unit_of_its_mean_and_the_width_of_the_band(samples: ModuleType) -> None:
    blocks = study_of(samples, point(0.1, "referral_rate", 0.278, 50), point(0.1, "kappa", 0.9, 50))
    figure = next(block for block in blocks if isinstance(block, Figure))
    assert figure.table is not None
    details = [cell.detail.replace("\u00a0", " ") for cell in figure.table.rows[0].cells[1:]]
    assert details == ["± 0.0004", "± 0.04 points"]
    assert "1.96 standard errors" in figure.table.note
    assert isinstance(figure.spec, CurvesPlot)
    assert figure.spec.panels[0].curves[0].low[0] == pytest.approx(0.9 - 1.96 * 0.0002)


def test_the_noise_level_is_a_chance_and_the_perturbed_inputs_are_named(samples: ModuleType) -> None:
    blocks = study_of(samples, point(0.1, "kappa", 0.9, 50), inputs=("age", "pain", "sex_f", "pulse"))
    assert "Perturbed: age and pain. Left as they are: sex_f and pulse." in notes_of(blocks)
    figure = next(block for block in blocks if isinstance(block, Figure))
    assert isinstance(figure.spec, CurvesPlot)
    assert figure.spec.x.label == "noise level: chance that a value of a perturbed input is taken down anew"


def test_signs_and_errors_of_a_noise_study_are_explained(samples: ModuleType) -> None:
    (text,) = (note for note in notes_of(study_of(samples, point(0.1, "kappa", 0.9, 50))) if "bias index" in note)
    assert "the bias index is above 0 where more are referred with noise than without" in text
    assert "Monte-Carlo error says how much a mean would move with other random draws" in text
    assert "Without noise each is 1 where it is defined" in text


def section_of(samples: ModuleType, **changes: object) -> Section:
    report = samples.report()
    found = replace(report.agreement_section, **changes)
    section = agreement_section(replace(report, agreement_section=found), Words.of(report))
    assert section is not None
    return section


def test_without_a_diverging_gap_the_verdicts_are_counted(samples: ModuleType) -> None:
    gap = AgreementGap(
        "sex", "f", "kappa", "rest", Estimate(0.01), 0.8, 0.8, "within limit", first="a", second="b", limit=0.1
    )
    other = replace(gap, group="m", verdict="insufficient evidence")
    section = section_of(samples, gaps=(gap, other))
    block = next(one for one in section.blocks if isinstance(one, Sentences))
    assert block.items[0].text == (
        "No group's agreement is shown to be beyond the limit of 0.1: 1 of 2 gaps are within it; for 1 the evidence is insufficient."
    )


def test_of_two_groups_only_the_one_with_less_agreement_is_told(samples: ModuleType) -> None:
    less = AgreementGap(
        "sex",
        "f",
        "kappa",
        "rest",
        Estimate(-0.3, -0.4, -0.2),
        0.001,
        0.002,
        "diverges",
        first="a",
        second="b",
        limit=0.1,
    )
    more = replace(less, group="m", gap=Estimate(0.3, 0.2, 0.4))
    section = section_of(samples, results=samples.report().agreement_section.results[:1], gaps=(less, more))
    block = next(one for one in section.blocks if isinstance(one, Sentences))
    told = [one.text.split(" than ")[0] for one in block.items if one.label == "Diverges"]
    assert told == ["A and b agree less by kappa for sex: f"]


def test_the_four_counts_are_kept_behind_the_table(samples: ModuleType) -> None:
    details = next(
        one for one in section_of(samples).blocks if isinstance(one, Details) and one.id == "agreement-1-behind"
    )
    (table,) = details.blocks
    assert [column.note for column in table.columns[1:]] == ["a", "b", "c", "d", "observed", "expected"]  # type: ignore[union-attr]


def test_ratings_without_kappa_say_why(samples: ModuleType) -> None:
    result = AgreementResult("a", "b", "colour", None, None, None, reason="the ratings have 3 values, not two")
    section = section_of(samples, results=(result,), gaps=(), multi=())
    texts = [block.text for block in section.blocks if isinstance(block, Paragraph)]
    assert "Kappa and PABAK need answers of two kinds: the ratings have 3 values, not two." in texts


def test_nothing_is_said_without_agreement(samples: ModuleType) -> None:
    report = replace(samples.report(), agreement_section=AgreementSection())
    assert agreement_section(report, Words.of(report)) is None
