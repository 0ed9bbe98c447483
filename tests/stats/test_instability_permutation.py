"""The permutation test of instability."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from reporter.stats.instability_permutation import _random_tables, permutation_test

Z = np.array([1.0, -1.0, 0.0])


def test_random_tables_keep_the_margins_within_each_attribute_level() -> None:
    counts = np.random.default_rng(0).integers(0, 12, size=(4, 2, 3))
    drawn = _random_tables(counts, 500, np.random.default_rng(1))
    assert (drawn >= 0).all()
    assert (drawn.sum(axis=1) == counts.sum(axis=0)).all()
    assert (drawn.sum(axis=3) == counts.sum(axis=2)).all()


def test_random_tables_have_the_hypergeometric_mean() -> None:
    counts = np.array([[[8, 2, 10], [1, 1, 8]], [[2, 2, 26], [9, 9, 2]]])
    drawn = _random_tables(counts, 20_000, np.random.default_rng(2))
    expected = counts.sum(axis=2)[:, :, None] * counts.sum(axis=0)[None] / counts.sum(axis=(0, 2))[None, :, None]
    assert drawn.mean(axis=0) == pytest.approx(expected, abs=0.05)


def test_p_agrees_with_the_chi_square_test_in_large_tables() -> None:
    counts = np.array([[[60, 40, 300], [90, 40, 270]], [[60, 40, 300], [55, 40, 305]]])
    test = permutation_test(counts, Z, ordered=False, min_size=1, permutations=9_999, rng=np.random.default_rng(3))
    assert test.statistic is not None
    assert test.p == pytest.approx(stats.chi2.sf(test.statistic, 1), abs=0.012)
    assert test.log_p == pytest.approx(math.log(test.p))
    assert test.df is None


def test_p_is_never_below_one_in_the_number_of_permutations() -> None:
    counts = np.array([[[50, 0, 0], [0, 50, 0]], [[0, 50, 0], [50, 0, 0]]])
    test = permutation_test(counts, Z, ordered=False, min_size=1, permutations=99, rng=np.random.default_rng(4))
    assert test.p == pytest.approx(0.01)


def test_ordered_levels_use_the_largest_admissible_contrast() -> None:
    counts = np.array([[[5, 5, 10], [5, 5, 10]], [[5, 5, 10], [5, 5, 10]], [[5, 5, 10], [15, 0, 5]]])
    test = permutation_test(counts, Z, ordered=True, min_size=40, permutations=999, rng=np.random.default_rng(5))
    assert test.p is not None
    assert test.p < 0.05
    none = permutation_test(counts, Z, ordered=True, min_size=100, permutations=999, rng=np.random.default_rng(5))
    assert none.reason == "no cut leaves 100 rows on both sides"


def test_untestable_tables_say_why() -> None:
    def reason(counts: list[list[list[int]]]) -> str | None:
        rng = np.random.default_rng(0)
        return permutation_test(np.array(counts), Z, ordered=False, min_size=1, permutations=99, rng=rng).reason

    assert reason([[[5, 5, 5], [5, 5, 5]], [[0, 0, 0], [0, 0, 0]]]) == "it has one value here"
    assert reason([[[0, 0, 0], [0, 0, 0]]]) == "no row has a value"
    assert reason([[[0, 0, 9], [0, 0, 9]], [[0, 0, 9], [0, 0, 9]]]) == "the models never disagree here"
    one_sided = [[[5, 5, 5], [5, 5, 5]], [[5, 5, 5], [0, 0, 0]]]
    assert reason(one_sided) == "cannot be told: fewer than two parts of it have rows of both attribute levels"


def test_size_is_exact_under_the_global_null() -> None:
    rng = np.random.default_rng(6)
    tables = rng.multinomial(80, np.full(12, 1 / 12), size=300).reshape(300, 2, 2, 3)
    p = [permutation_test(table, Z, ordered=False, min_size=1, permutations=199, rng=rng).p for table in tables]
    rejected = np.mean([value <= 0.05 for value in p if value is not None])
    assert rejected <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 300)
