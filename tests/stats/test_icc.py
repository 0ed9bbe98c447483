"""The six intraclass correlations against exact rationals, R psych and pingouin, and their properties."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.stats.icc import (
    ALL_EQUAL,
    IDENTICAL,
    NO_DENOMINATOR,
    TOO_FEW_RATERS,
    TOO_FEW_SUBJECTS,
    f_quantile,
    icc,
    icc_a1_of_pairs,
    icc_from_mean_squares,
    icc_from_moments,
    mean_squares,
)

REFERENCE = Path(__file__).parents[1] / "reference" / "agreement"
CASES = json.loads((REFERENCE / "icc.json").read_text())["cases"]
EXACT = {"1": "ICC1", "A1": "ICC2_A1", "C1": "ICC3_C1", "1k": "ICC1k", "Ak": "ICC2k", "Ck": "ICC3k"}
TESTS = {"1": "ICC1", "A1": "ICC2", "C1": "ICC3", "1k": "ICC1k", "Ak": "ICC2k", "Ck": "ICC3k"}
forms = pytest.mark.parametrize("form", list(EXACT))
ratings = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=3, max_size=15)


@forms
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_values_match_exact_rational_arithmetic(case: dict, form: str) -> None:
    found = icc(case["scores"], form)
    expected = case["exact"][EXACT[form]] if case["exact"] else None
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert (found.value is None) == (expected is None)
    if expected is None:
        assert found.reason


@forms
@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_intervals_and_tests_match_r_psych(case: dict, form: str) -> None:
    found = icc(case["scores"], form)
    expected = case.get("ci_and_tests", {}).get(TESTS[form])
    if expected is None:
        assert found.low is None
        assert found.reason
        return
    assert (found.low, found.high) == pytest.approx(tuple(expected["ci"]), abs=1e-9)
    assert (found.F, found.df1, found.df2) == pytest.approx((expected["F"], expected["df1"], expected["df2"]))
    assert found.p == pytest.approx(expected["p"], abs=1e-12)


def test_published_fold_statistics_follow_from_their_mean_squares() -> None:
    n = {}
    with (REFERENCE / "fold0_sd5_statistics.csv").open() as file:
        for row in csv.DictReader(file):
            n[row["p"]] = int(row["n"])
            found = icc_from_mean_squares(*(float(row[name]) for name in ("MSB", "MSJ", "MSE")), int(row["n"]), 2)
            assert found.value == pytest.approx(float(row["ICC_2"]), abs=1e-12)
    assert len(n) == 31


@pytest.mark.parametrize("offset", [1e8, -1e8, 1e12])
def test_a_common_offset_loses_no_digit(offset: float) -> None:
    scores = np.array([[9.0, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]])
    assert icc(scores + offset).value == pytest.approx(0.28976377952755905, abs=1e-12)


def test_all_ratings_equal_is_undefined() -> None:
    assert icc([[0.1, 0.1], [0.1, 0.1], [0.1, 0.1]]).reason == ALL_EQUAL


def test_identical_raters_give_1_without_an_interval() -> None:
    found = icc([[0.1, 0.1], [0.4, 0.4], [0.35, 0.35]])
    assert (found.value, found.low, found.high, found.reason) == (1.0, None, None, IDENTICAL)


def test_strong_disagreement_is_negative_and_not_clipped() -> None:
    assert icc([[1, 6], [2, 5], [3, 4], [4, 3], [5, 2], [6, 1]]).value == pytest.approx(-1.5)


def test_subjects_that_do_not_differ_leave_the_consistency_form_undefined() -> None:
    found = icc([[0.2, 0.6], [0.2, 0.6], [0.2, 0.6]], "C1")
    assert (found.value, found.reason) == (None, NO_DENOMINATOR)


def test_parts_that_cancel_leave_the_mean_form_undefined_and_not_huge() -> None:
    found = icc([[0, 2], [0, 4], [2, 0]], "Ak")
    assert (found.value, found.reason) == (None, NO_DENOMINATOR)


def test_a_subject_with_a_missing_rating_counts_as_if_it_were_absent() -> None:
    with_missing = icc([[1, 2], [2, np.nan], [3, 5], [4, 4], [6, 7]])
    assert with_missing == icc([[1, 2], [3, 5], [4, 4], [6, 7]])
    assert with_missing.n == 4


def test_too_few_subjects_or_raters_are_undefined() -> None:
    assert icc([[1, 2]]).reason == TOO_FEW_SUBJECTS
    assert icc([[1], [2], [3]]).reason == TOO_FEW_RATERS
    assert icc_from_moments(1, 0.2, 0.3, 0, 0, 0).reason == TOO_FEW_SUBJECTS


def test_an_unknown_form_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="'A2' is unknown; expected one of 1, A1, C1, 1k, Ak, Ck"):
        icc([[1, 2], [3, 4]], "A2")


def test_f_quantiles_match_scipy() -> None:
    from scipy.stats import f

    for df1, df2 in [(5, 15), (1, 1.3), (2.7, 4000), (800, 1.01), (1e6, 1e6)]:
        assert f_quantile(df1, df2, 0.025) == pytest.approx(f.isf(0.025, df1, df2), rel=1e-9)


@forms
@given(pairs=ratings)
def test_moments_give_what_the_ratings_give(form: str, pairs: list[tuple[int, int]]) -> None:
    r, s = np.array(pairs, dtype=float).T
    dr, ds = r - r.mean(), s - s.mean()
    found = icc_from_moments(len(r), r.mean(), s.mean(), dr @ dr, ds @ ds, dr @ ds, form)
    assert same(found.value, icc(np.column_stack([r, s]), form).value)


@given(pairs=ratings)
def test_the_array_form_gives_what_the_ratings_give(pairs: list[tuple[int, int]]) -> None:
    r, s = np.array(pairs, dtype=float).T
    mean, difference = (r + s) / 2, s - r
    found = float(
        icc_a1_of_pairs(len(r), difference.mean(), len(r) * mean.var(), len(r) * difference.var()),
    )
    expected = icc(np.column_stack([r, s])).value
    if expected is None:
        assert np.isnan(found) or abs(found) > 1e6 or squares_are_rounding(pairs)
    else:
        assert found == pytest.approx(expected, abs=1e-9)


def same(found: float | None, expected: float | None, rel: float = 1e-9) -> bool:
    if found is None or expected is None:
        return found is expected
    return found == pytest.approx(expected, abs=1e-9, rel=rel)


def squares_are_rounding(pairs: list[tuple[int, int]]) -> bool:
    squares = mean_squares(pairs)
    return squares.msb + squares.mse < 1e-12


@forms
@given(pairs=ratings, scale=st.sampled_from([0.25, 2.0, -1.0]), shift=st.integers(-5, 5))
def test_scaling_shifting_and_swapping_raters_change_nothing(
    form: str, pairs: list[tuple[int, int]], scale: float, shift: int
) -> None:
    scores = np.array(pairs, dtype=float)
    expected = icc(scores, form)
    for changed in (scores * scale + shift, scores[:, ::-1], scores[::-1]):
        found = icc(changed, form)
        assert same(found.value, expected.value)
        assert same(found.low, expected.low, rel=1e-6)


@pytest.mark.parametrize("scale", [1.0, 0.25, 3.0])
def test_an_infinite_quantile_leaves_the_limit_that_it_tends_to(scale: float) -> None:
    found = icc(np.array([(6, 1), (8, 0), (8, 0)]) * scale, "A1")
    assert found.value == pytest.approx(-4 / 149)
    assert found.low == pytest.approx(-1 / 33)
    assert found.high is not None
    assert found.value < found.high < 1
