"""Kappa, PABAK and their decomposition against exact rationals, and the properties they must have."""

from __future__ import annotations

import csv
import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.results import Agreement
from reporter.stats.agreement import (
    ALWAYS_THE_SAME,
    CONSTANT_RATER,
    IDENTICAL,
    NO_PAIR,
    OPPOSITE,
    agreement_arrays,
    agreement_from_counts,
    agreements_from_counts,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "agreement"
CASES = json.loads((REFERENCE / "kappa.json").read_text())["cases"]
count = st.integers(0, 60)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_statistics_match_exact_rational_arithmetic(case: dict) -> None:
    found = agreement_from_counts(case["a"], case["b"], case["c"], case["d"])
    values = {
        "po": found.observed,
        "pc": found.expected,
        "kappa": found.kappa,
        "PABAK": found.pabak,
        "PI": found.prevalence_index,
        "BI": found.bias_index,
        "PAK_BI0": found.prevalence_adjusted_kappa,
        "BAK_PI0": found.bias_adjusted_kappa,
    }
    for name, value in values.items():
        assert value == pytest.approx(case[name], abs=1e-12), name
    assert (found.kappa is None) == (case["kappa"] is None)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_kappa_interval_matches_fleiss_cohen_everitt_or_is_refused_with_a_reason(case: dict) -> None:
    found = agreement_from_counts(case["a"], case["b"], case["c"], case["d"])
    if case["var_FCE1969"]:
        assert (found.kappa_low, found.kappa_high) == pytest.approx(tuple(case["ci95_FCE"]), abs=1e-9)
        assert found.reason is None
    else:
        assert found.kappa_low is None
        assert found.kappa_high is None
        assert found.reason in {ALWAYS_THE_SAME, CONSTANT_RATER, IDENTICAL, OPPOSITE}


def test_published_fold_statistics_follow_from_their_counts() -> None:
    with (REFERENCE / "fold0_sd5_statistics.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 62
    for row in rows:
        found = agreement_from_counts(*(int(row[cell]) for cell in "abcd"))
        for name, value in {
            "po": found.observed,
            "pc": found.expected,
            "kappa": found.kappa,
            "PABAK": found.pabak,
            "PI": found.prevalence_index,
            "BI": found.bias_index,
            "PAK": found.prevalence_adjusted_kappa,
            "BAK": found.bias_adjusted_kappa,
        }.items():
            assert value == pytest.approx(float(row[name]), abs=1e-12), (row["p"], row["group"], name)


def test_no_pair_leaves_everything_undefined() -> None:
    found = agreement_from_counts(0, 0, 0, 0)
    assert found == Agreement(0, 0, 0, 0, 0, *[None] * 13, reason=NO_PAIR)


def test_constant_raters_have_observed_agreement_and_pabak_but_no_kappa() -> None:
    found = agreement_from_counts(10, 0, 0, 0)
    assert (found.observed, found.pabak, found.ac1) == (1.0, 1.0, 1.0)
    assert found.kappa is None
    assert found.reason == ALWAYS_THE_SAME


def test_pabak_interval_is_the_wilson_interval_of_observed_agreement() -> None:
    from statsmodels.stats.proportion import proportion_confint

    found = agreement_from_counts(20, 5, 10, 15)
    low, high = proportion_confint(35, 50, method="wilson")
    assert (found.pabak_low, found.pabak_high) == pytest.approx((2 * low - 1, 2 * high - 1), abs=1e-12)


def test_ac1_takes_chance_agreement_from_the_raters_mean_share() -> None:
    # q = (123 + 118)/250, chance = 2q(1 - q), as exact fractions.
    q = Fraction(241, 250)
    chance = 2 * q * (1 - q)
    found = agreement_from_counts(118, 0, 5, 2)
    assert found.ac1 == pytest.approx(float((Fraction(120, 125) - chance) / (1 - chance)), abs=1e-15)


def test_ac1_variance_matches_the_spread_of_simulated_samples() -> None:
    rng = np.random.default_rng(5)
    draws = rng.multinomial(400, [0.6, 0.1, 0.05, 0.25], size=20_000).T
    simulated = agreement_arrays(*draws).ac1.std()
    predicted = math.sqrt(float(agreement_arrays(240, 40, 20, 100).ac1_variance))
    assert predicted == pytest.approx(simulated, rel=0.03)


@pytest.mark.parametrize("bad", [-1, 0.5, math.nan, math.inf])
def test_counts_that_are_not_whole_numbers_are_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="b must hold whole numbers"):
        agreement_from_counts(1, bad, 0, 0)  # type: ignore[arg-type]


def test_large_counts_lose_no_digit() -> None:
    found = agreement_from_counts(350_000_000, 41_234_000, 35_111_000, 388_000_000)
    assert found.kappa == pytest.approx(0.8121010965025219, abs=1e-12)


@given(count, count, count, count)
def test_swapping_the_raters_turns_only_the_bias_index(a: int, b: int, c: int, d: int) -> None:
    one, other = agreement_from_counts(a, b, c, d), agreement_from_counts(a, c, b, d)
    assert one.kappa == pytest.approx(other.kappa)
    assert one.pabak == other.pabak
    assert one.ac1 == pytest.approx(other.ac1)
    assert one.kappa_low == pytest.approx(other.kappa_low)
    if one.bias_index is not None and other.bias_index is not None:
        assert one.bias_index == -other.bias_index


@given(count, count, count, count)
def test_exchanging_0_and_1_turns_only_the_prevalence_index(a: int, b: int, c: int, d: int) -> None:
    one, other = agreement_from_counts(a, b, c, d), agreement_from_counts(d, c, b, a)
    assert one.kappa == pytest.approx(other.kappa)
    assert one.ac1 == pytest.approx(other.ac1)
    assert one.prevalence_adjusted_kappa == pytest.approx(other.prevalence_adjusted_kappa)
    if one.prevalence_index is not None and other.prevalence_index is not None:
        assert one.prevalence_index == -other.prevalence_index


@given(count, count, count, count, st.integers(2, 5))
def test_repeating_every_row_keeps_the_values_and_narrows_the_interval(
    a: int, b: int, c: int, d: int, times: int
) -> None:
    one, more = agreement_from_counts(a, b, c, d), agreement_from_counts(*(times * x for x in (a, b, c, d)))
    for name in ("observed", "expected", "kappa", "pabak", "ac1", "prevalence_adjusted_kappa"):
        assert getattr(one, name) == pytest.approx(getattr(more, name)), name
    if one.kappa_low is not None and one.kappa_high is not None:
        assert more.kappa_high - more.kappa_low == pytest.approx((one.kappa_high - one.kappa_low) / math.sqrt(times))


@given(count, count, count, count)
def test_kappa_splits_exactly_into_pabak_prevalence_and_bias(a: int, b: int, c: int, d: int) -> None:
    found = agreement_from_counts(a, b, c, d)
    if found.kappa is None or found.pabak is None:
        return
    pi2, bi2 = (found.prevalence_index or 0) ** 2, (found.bias_index or 0) ** 2
    assert found.kappa == pytest.approx((found.pabak - pi2 + bi2) / (1 - pi2 + bi2))
    prevalence_part = (found.prevalence_adjusted_kappa or 0) - found.kappa
    bias_part = (found.bias_adjusted_kappa or 0) - found.kappa
    assert found.pabak - found.kappa == pytest.approx(prevalence_part + bias_part, abs=1e-12)


@given(st.lists(st.tuples(count, count, count, count), min_size=1, max_size=6))
def test_many_groups_at_once_equal_one_by_one(rows: list[tuple[int, int, int, int]]) -> None:
    together = agreements_from_counts(*zip(*rows, strict=True))
    assert together == tuple(agreement_from_counts(*row) for row in rows)
