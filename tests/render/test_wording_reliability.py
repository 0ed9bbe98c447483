"""Agreement and noise in sentences: what the corrections did, and which statistic is lower in which group."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.wording import Words
from reporter.render.wording_agreement import corrections
from reporter.render.wording_noise import noise_sentences
from reporter.results import Agreement, AgreementResult, NoiseFinding, NoiseFindings, NoiseGroup


@pytest.fixture
def words(samples: ModuleType) -> Words:
    return Words.of(samples.report())


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def agreement(a: int, b: int, c: int, d: int) -> Agreement:
    """From counts by the identities of Byrt et al. (1993)."""
    n = a + b + c + d
    po, pi, bi = (a + d) / n, (a - d) / n, (b - c) / n
    pabak = 2 * po - 1
    kappa = (pabak - pi**2 + bi**2) / (1 - pi**2 + bi**2)
    return Agreement(
        n, a, b, c, d, po, (1 + pi**2 - bi**2) / 2, kappa, None, None, pabak, None, None, None, bi, pi,
        kappa * (1 - pi**2) + pi**2, kappa * (1 + bi**2) - bi**2,
    )  # fmt: skip


def result(group: str, found: Agreement | None, item: str | None = None) -> AgreementResult:
    return AgreementResult("nurse", "physician", item, "race", group, found)


def test_a_low_kappa_that_prevalence_makes_is_explained(words: Words) -> None:
    rare, even = agreement(20, 15, 15, 950), agreement(440, 60, 60, 440)
    (said,) = corrections(words, [result("White", rare), result("Black", even)], 30)
    assert said.label == "Kappa and PABAK disagree"
    assert said.severity == "warn"
    assert plain(said.text) == (
        "Nurse and physician, by race: kappa is lowest for White (0.56) and highest for Black (0.76), because fewer of them are "
        "referred (prevalence). By PABAK, which leaves that out, the order is the other way round: 0.94 against 0.76."
    )


def test_two_kappas_whose_intervals_overlap_are_no_news(words: Words) -> None:
    low, high = agreement(300, 200, 200, 300), agreement(440, 60, 60, 440)
    wide = [replace(low, kappa_low=0.1, kappa_high=0.8), replace(high, kappa_low=0.5, kappa_high=0.9)]
    assert corrections(words, [result("White", wide[0]), result("Black", wide[1])], 30) == []


def test_a_reversal_within_the_intervals_is_not_called_one(words: Words) -> None:
    rare = replace(agreement(20, 15, 15, 950), pabak_low=0.7, pabak_high=0.97)
    even = replace(agreement(440, 60, 60, 440), pabak_low=0.72, pabak_high=0.8)
    (said,) = corrections(words, [result("White", rare), result("Black", even)], 30)
    assert plain(said.text).endswith(
        "By PABAK, which leaves that out, the two can no longer be told apart: 0.94 against 0.76."
    )
    assert said.label == ""


def test_an_order_that_stays_is_said_to_stay(words: Words) -> None:
    (said,) = corrections(
        words, [result("White", agreement(300, 200, 200, 300)), result("Black", agreement(440, 60, 60, 440))], 30
    )
    assert said.severity == "info"
    assert plain(said.text).endswith(
        "By PABAK, which leaves prevalence and bias out, the order stays: 0.20 against 0.76."
    )


def test_small_groups_and_undefined_kappas_do_not_speak(words: Words) -> None:
    tiny, fine = agreement(5, 5, 5, 5), agreement(440, 60, 60, 440)
    constant = replace(fine, kappa=None)
    assert (
        corrections(
            words, [result("White", tiny), result("Black", fine), result("Other", constant), result("None", None)], 30
        )
        == []
    )


def test_no_value_is_called_good_or_poor(words: Words) -> None:
    said = corrections(
        words, [result("White", agreement(20, 15, 15, 950)), result("Black", agreement(440, 60, 60, 440))], 30
    )
    text = " ".join(item.text.lower() for item in said)
    assert not [word for word in ("good", "poor", "excellent", "substantial", "moderate", "fair ") if word in text]


def finding(statistic: str, lower: str, higher: str, *, systematic: bool = True, share: float = 1.0) -> NoiseFinding:
    return NoiseFinding(statistic, lower, higher, 30, round(30 * share), share, 0.0312, 0.001, 0.0514, 0.3, systematic)


FOUND = NoiseFindings(
    statistics=(
        finding("kappa", "White", "Black", systematic=False, share=0.6),
        finding("pabak", "Black", "White"),
        finding("icc_a1", "White", "Black"),
    ),
    groups=(NoiseGroup("White", 0.21, 0.22, -0.01, 0.31, 0.36, 0.2, 0.284),),
    contradictions=(("pabak", "icc_a1"),),
    main_part="prevalence",
    most_corrected="White",
)


def test_a_noise_study_says_which_statistic_is_lower_where_how_often_and_by_how_much(words: Words) -> None:
    said = {item.label: plain(item.text) for item in noise_sentences(words, FOUND, "race")}
    assert said["Lower PABAK: Black"] == (
        "PABAK is lower where race is Black than where it is White at all 30 noise levels, by 0.031 on average (Monte-Carlo error at "
        "most 0.001), and by 0.051 at most (at a noise level of 30 %)."
    )
    assert said["No systematic gap"] == (
        "Kappa is lower where race is White than where it is Black at 18 of 30 noise levels (60 %), by 0.031 on average (Monte-Carlo "
        "error at most 0.001)."
    )


def test_statistics_that_contradict_each_other_come_first(words: Words) -> None:
    first = noise_sentences(words, FOUND, "race")[0]
    assert first.label == "The statistics disagree"
    assert first.text == (
        "PABAK is lower where race is Black, but ICC(A,1) is lower where race is White. Which group seems to get the less reliable "
        "predictions depends on the statistic that is reported."
    )


def test_what_explains_the_curves_is_said(words: Words) -> None:
    part, scores = (plain(item.text) for item in noise_sentences(words, FOUND, "race")[-2:])
    assert part == (
        "PABAK minus kappa is on average +0.210 where race is White (+0.220 by prevalence, −0.010 by bias). What differs most "
        "between the groups is prevalence (how rare one of the two answers is)."
    )
    assert scores == (
        "With growing noise, the mean score goes from 0.310 to 0.360 and the referral rate from 20.0 % to 28.4 % where race is White."
    )


def test_a_group_that_is_a_bare_number_is_named_with_its_column(words: Words) -> None:
    said, _ = noise_sentences(words, NoiseFindings(statistics=(finding("pabak", "0", "1"),)), "race")
    assert said.label == "Lower PABAK: race 0"
    assert plain(said.text).startswith("PABAK is lower where race is 0 than where it is 1 at all 30 noise levels")
