"""The Wald tests of instability and the rule for thin levels."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from reporter.stats.contrast_chain import log_p_largest
from reporter.stats.instability_wald import (
    Bins,
    Effects,
    difference_effects,
    homogeneity_test,
    joined_bins,
    largest_contrast_test,
    quantile_bins,
)
from reporter.stats.wald_split import best_cut, best_partition

Z = np.array([1, -1, 0])


def effects_of(table: list[list[list[int]]]) -> Effects:
    """Rows: levels, then attribute levels, then counts of z = 1, -1, 0."""
    counts = np.array(table)
    total = counts.sum(axis=0)
    varying = (total.sum(axis=1) - total.max(axis=1)) / total.sum(axis=1)
    return difference_effects(counts.sum(axis=2), counts @ Z, counts @ Z**2, varying)


def test_an_effect_is_the_difference_of_mean_z_with_shrunk_variance() -> None:
    effects = effects_of([[[10, 5, 85], [30, 5, 65]], [[20, 20, 160], [10, 10, 80]]])
    assert effects.delta == pytest.approx([0.25 - 0.05, 0.0])
    # by hand for the first level: shares (count + 5 * pooled) / (n + 5), pooled over the levels
    up, down = (10 + 5 * 30 / 300) / 105, (5 + 5 * 25 / 300) / 105
    first = (up + down - (up - down) ** 2) / 99
    up, down = (30 + 5 * 40 / 200) / 105, (5 + 5 * 15 / 200) / 105
    second = (up + down - (up - down) ** 2) / 99
    assert effects.variance[0] == pytest.approx(first + second)
    assert effects.weight == pytest.approx([50, 200 * 100 / 300])


def test_q_is_the_weighted_sum_of_squares_around_the_inverse_variance_mean() -> None:
    effects = effects_of([[[20, 10, 70], [40, 10, 50]], [[10, 20, 70], [10, 20, 70]], [[15, 15, 70], [25, 15, 60]]])
    bins = joined_bins(effects, ordered=False)
    weight = 1 / effects.variance
    mean = np.average(effects.delta, weights=weight)
    expected = float((weight * (effects.delta - mean) ** 2).sum())
    test = homogeneity_test(effects, bins)
    assert test.statistic == pytest.approx(expected)
    assert test.df == 2
    assert test.p == pytest.approx(stats.chi2.sf(expected, 2))


def test_the_largest_contrast_is_that_of_the_best_admissible_cut() -> None:
    effects = effects_of([[[10, 10, 30], [10, 10, 30]], [[10, 10, 30], [12, 10, 28]], [[10, 10, 30], [30, 5, 15]]])
    bins = joined_bins(effects, ordered=True)
    w, d = 1 / effects.variance, effects.delta
    contrasts = []
    for j in (1, 2):
        left, right = np.average(d[:j], weights=w[:j]), np.average(d[j:], weights=w[j:])
        contrasts.append(abs(left - right) / math.sqrt(1 / w[:j].sum() + 1 / w[j:].sum()))
    test = largest_contrast_test(effects, bins, 50)
    assert test.statistic == pytest.approx(max(contrasts) ** 2)
    assert test.log_p == pytest.approx(log_p_largest(max(contrasts), np.cumsum(w)[:-1] / w.sum()))
    # 150 rows on the left are only reached by the second cut
    narrower = largest_contrast_test(effects, bins, 150)
    assert narrower.reason == "no cut leaves 150 rows on both sides"
    assert best_cut(bins, 100) == 1 + int(np.argmax(contrasts))


def test_a_level_with_fewer_than_twenty_rows_of_a_group_is_joined_or_left_out() -> None:
    thick, thin = [[20, 20, 60], [20, 20, 60]], [[5, 5, 9], [20, 20, 60]]
    alone = joined_bins(effects_of([thick, thick, thin]), ordered=False)
    assert (alone.members, alone.left_out) == (((0,), (1,)), (2,))
    lump = joined_bins(effects_of([thick, thin, thick, thin]), ordered=False)
    assert (lump.members, lump.left_out) == (((0,), (2,), (1, 3)), ())


def test_neighbours_join_from_the_lowest_and_the_remainder_joins_the_last_bin() -> None:
    thick, thin = [[20, 20, 60], [20, 20, 60]], [[4, 4, 4], [4, 4, 4]]
    bins = joined_bins(effects_of([thin, thin, thick, thin, thick, thin]), ordered=True)
    assert bins.members == ((0, 1), (2,), (3, 4, 5))
    assert bins.rows.tolist() == [48, 200, 248]


def test_a_level_with_few_expected_disagreements_is_thin() -> None:
    # 4 % disagree: 100 rows expect 4, 200 rows 8
    small, large = [[2, 2, 96], [2, 2, 96]], [[4, 4, 192], [4, 4, 192]]
    bins = joined_bins(effects_of([small, large, large]), ordered=False)
    assert bins.members == ((1,), (2,))
    assert bins.left_out == (0,)


def test_a_group_without_disagreements_is_allowed_where_it_brings_little_variance() -> None:
    quiet = [[0, 1, 999], [30, 30, 40]]
    bins = joined_bins(effects_of([quiet, quiet]), ordered=False)
    assert bins.members == ((0,), (1,))


def test_joined_levels_are_averaged_never_pooled() -> None:
    # each level has Δ = 0.1; mix and baseline differ so much that pooling would give another value
    first, second = [[2, 0, 8], [6, 0, 14]], [[12, 0, 8], [7, 0, 3]]
    effects = effects_of([first, second, [[200, 0, 300], [250, 0, 250]]])
    bins = joined_bins(effects, ordered=True)
    assert bins.members == ((0, 1), (2,))
    assert bins.delta == pytest.approx([0.1, 0.1])
    # the pooled counts of the first bin would give 13 / 30 - 14 / 30
    assert bins.rows.tolist() == [60, 1000]


def test_rows_of_a_level_without_the_other_group_bring_no_information() -> None:
    only_first, only_second = [[30, 30, 40], [0, 0, 0]], [[0, 0, 0], [30, 30, 40]]
    thick = [[20, 20, 60], [20, 20, 60]]
    bins = joined_bins(effects_of([thick, only_first, only_second]), ordered=False)
    assert (bins.members, bins.left_out) == (((0,),), (1, 2))
    assert np.isfinite(bins.delta).all()


def test_one_usable_part_cannot_be_told() -> None:
    effects = effects_of([[[20, 20, 60], [20, 20, 60]], [[1, 1, 3], [1, 1, 3]]])
    test = homogeneity_test(effects, joined_bins(effects, ordered=False))
    assert test.p is None
    assert test.reason == "cannot be told: only one part of it has enough rows and disagreements"


def test_a_constant_covariate_is_not_tested() -> None:
    effects = effects_of([[[20, 20, 60], [20, 20, 60]], [[0, 0, 0], [0, 0, 0]]])
    assert homogeneity_test(effects, joined_bins(effects, ordered=False)).reason == "it has one value here"


def test_models_that_never_disagree_are_not_tested() -> None:
    effects = effects_of([[[0, 0, 100], [0, 0, 100]], [[0, 0, 100], [0, 0, 100]]])
    reason = "what is compared does not vary among the rows of an attribute level"
    assert homogeneity_test(effects, joined_bins(effects, ordered=False)).reason == reason


def test_up_to_sixteen_values_stay_as_they_are() -> None:
    assert quantile_bins(np.array([3, 0, 900, 1])).tolist() == [0, 0, 1, 2]


def test_more_values_become_sixteen_bins_of_about_equal_size() -> None:
    rows = np.random.default_rng(0).integers(1, 20, size=300)
    bins = quantile_bins(rows)
    assert (np.diff(bins) >= 0).all()
    sizes = np.bincount(bins, weights=rows)
    assert len(sizes) == 16
    assert np.ptp(sizes) <= 40
    assert quantile_bins(2 * rows).tolist() == bins.tolist()


def bins_of(delta: list[float], variance: list[float], rows: list[int]) -> Bins:
    return Bins(
        members=tuple((i,) for i in range(len(delta))),
        left_out=(),
        rows=np.array(rows),
        delta=np.array(delta),
        variance=np.array(variance),
    )


def brute_force(bins: Bins, min_size: int) -> float:
    """The largest squared contrast of any admissible partition."""
    n, weight, best = len(bins.delta), 1 / bins.variance, -1.0
    for code in range(1, 2 ** (n - 1)):
        left = np.array([(code >> i) & 1 for i in range(n)], dtype=bool)
        if min(bins.rows[left].sum(), bins.rows[~left].sum()) >= min_size:
            best = max(best, contrast(bins, left, weight))
    return best


def contrast(bins: Bins, left: NDArray[np.bool_], weight: NDArray[np.float64]) -> float:
    means = [np.average(bins.delta[side], weights=weight[side]) for side in (left, ~left)]
    return float((means[0] - means[1]) ** 2 / (1 / weight[left].sum() + 1 / weight[~left].sum()))


def test_the_best_partition_equals_an_exhaustive_search() -> None:
    rng = np.random.default_rng(5)
    for _ in range(300):
        n = int(rng.integers(2, 8))
        bins = bins_of(
            rng.normal(size=n).tolist(), rng.gamma(1, size=n).tolist(), rng.integers(20, 200, size=n).tolist()
        )
        left = best_partition(bins, 1)
        assert left is not None
        assert contrast(bins, left, 1 / bins.variance) == pytest.approx(brute_force(bins, 1))
        assert bins.rows[left].sum() <= bins.rows[~left].sum()


def test_a_partition_that_is_not_contiguous_is_found_where_only_that_is_admissible() -> None:
    bins = bins_of([0.0, 0.1, 0.2], [1.0, 1.0, 1.0], [60, 120, 60])
    left = best_partition(bins, 115)
    assert left is not None
    assert left[0] == left[2] != left[1]
    assert best_partition(bins, 121) is None


def test_beyond_sixteen_bins_the_best_admissible_contiguous_partition_is_taken() -> None:
    bins = bins_of([float(i) for i in range(16)] + [100.0], [1.0] * 17, [50] * 17)
    left = best_partition(bins, 100)
    assert left is not None
    # the outlier alone would be best, but has only 50 rows
    assert np.flatnonzero(left).tolist() == [15, 16]


def test_nothing_to_split_with_one_bin() -> None:
    one = bins_of([0.1], [1.0], [100])
    assert best_partition(one, 1) is None
    assert best_cut(one, 1) is None
