"""Faults that users of agreement tools have reported: constant raters, high prevalence, missing ratings, extremes, JSON."""

from __future__ import annotations

import json
from dataclasses import asdict

import numpy as np
import pytest

import reporter


@pytest.mark.parametrize("rating", [0, 1])
def test_constant_raters_agree_without_a_kappa(rating: int) -> None:
    found = reporter.agreement([rating] * 12, [rating] * 12)
    assert (found.kappa, found.observed, found.pabak) == (None, 1.0, 1.0)
    assert found.reason


def test_one_constant_rater_has_a_kappa_of_0_without_a_false_interval() -> None:
    found = reporter.agreement([1] * 10, [1] * 6 + [0] * 4)
    assert (found.kappa, found.kappa_low, found.kappa_high) == (0.0, None, None)
    assert found.reason


def test_high_prevalence_shows_kappa_and_pabak() -> None:
    found = reporter.agreement_from_counts(90, 5, 5, 0)
    assert found.kappa == pytest.approx(-0.0526, abs=5e-5)
    assert found.pabak == pytest.approx(0.80, abs=1e-12)
    assert found.prevalence_adjusted_kappa == pytest.approx(0.80, abs=1e-12)


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_a_missing_rating_leaves_the_pair_out_and_n_says_so(missing: object) -> None:
    found = reporter.agreement([1, missing, 0, 1], [1, 0, 0, missing])
    assert found.n == 2
    assert found == reporter.agreement([1, 0], [1, 0])


def test_equal_scores_have_no_correlation_and_opposed_ones_a_negative_one() -> None:
    assert reporter.icc(np.full((5, 3), 0.1)).value is None
    assert reporter.icc(np.full((5, 3), 0.1)).reason == "all ratings are equal"
    assert reporter.icc([[1, 6], [2, 5], [3, 4], [4, 3], [5, 2], [6, 1]]).value == pytest.approx(-1.5)


def test_a_large_common_offset_does_not_lose_the_correlation() -> None:
    scores = np.array([[9.0, 2], [6, 1], [8, 4], [7, 1], [10, 5], [6, 2]])
    assert reporter.icc(scores + 1e8).value == pytest.approx(reporter.icc(scores).value, abs=1e-12)


@pytest.mark.parametrize("counts", [(0, 0, 0, 0), (10, 0, 0, 0), (6, 0, 4, 0), (20, 5, 10, 15)])
def test_results_are_strict_json(counts: tuple[int, int, int, int]) -> None:
    found = asdict(reporter.agreement_from_counts(*counts))
    assert json.loads(json.dumps(found, allow_nan=False)) == found
