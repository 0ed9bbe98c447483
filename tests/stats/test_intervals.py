"""Intervals and tests against statsmodels and scipy.stats, and at their edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats
from statsmodels.stats.proportion import (
    confint_proportions_2indep,
    proportion_confint,
    proportions_ztest,
    score_test_proportions_2indep,
    tost_proportions_2indep,
)

from reporter.stats import intervals

Z = scipy.stats.norm.ppf(0.975)


def tables(seed: int, count: int, most: int = 400) -> list[tuple[int, int, int, int]]:
    """Random pairs of samples, extremes included."""
    rng = np.random.default_rng(seed)
    drawn = []
    for _ in range(count):
        n1, n2 = (int(n) for n in rng.integers(1, most, 2))
        drawn.append((int(rng.integers(0, n1 + 1)), n1, int(rng.integers(0, n2 + 1)), n2))
    return drawn


@pytest.mark.parametrize("confidence", [0.8, 0.95, 0.999])
def test_wilson_is_statsmodels(confidence: float) -> None:
    for x, n, _, _ in tables(1, 100):
        low, high = intervals.wilson(x, n, confidence)
        expected = proportion_confint(x, n, alpha=1 - confidence, method="wilson")
        assert (low[0], high[0]) == pytest.approx(expected, abs=1e-13)


def test_wilson_touches_the_ends_only_where_the_rate_does() -> None:
    low, high = intervals.wilson([0, 7, 3, 0], [7, 7, 7, 0])
    assert (low[0], high[1]) == (0.0, 1.0)
    assert 0 < low[2] < high[2] < 1
    assert 0 < high[0] < 1
    assert np.isnan(low[3])
    assert np.isnan(high[3])


@pytest.mark.parametrize("confidence", [0.9, 0.95])
def test_newcombe_is_statsmodels(confidence: float) -> None:
    for x1, n1, x2, n2 in tables(2, 100):
        low, high = intervals.newcombe(x1, n1, x2, n2, confidence)
        expected = confint_proportions_2indep(x1, n1, x2, n2, method="newcomb", compare="diff", alpha=1 - confidence)
        assert (low[0], high[0]) == pytest.approx(expected, abs=1e-13)


def test_newcombe_matches_the_published_example() -> None:
    low, high = intervals.newcombe(56, 70, 48, 80)
    assert (round(low[0], 4), round(high[0], 4)) == (0.0524, 0.3339)


def test_both_ends_of_koopman_have_the_score_statistic_of_the_normal_quantile() -> None:
    for x1, n1, x2, n2 in tables(3, 150):
        if x1 == 0 or x2 == 0 or (x1 == n1 and x2 == n2):
            continue
        for end, expected in zip(intervals.koopman(x1, n1, x2, n2), (Z, -Z), strict=True):
            oracle = score_test_proportions_2indep(x1, n1, x2, n2, value=end[0], compare="ratio", correction=False)
            assert oracle.statistic == pytest.approx(expected, abs=1e-9)


def test_koopman_is_statsmodels_to_the_precision_of_its_root_finding() -> None:
    low, high = intervals.koopman(36, 40, 16, 80)
    expected = confint_proportions_2indep(36, 40, 16, 80, method="score", compare="ratio", correction=False)
    assert (low[0], high[0]) == pytest.approx(expected, rel=1e-9)


def test_koopman_at_its_edges() -> None:
    low, high = intervals.koopman(
        [0, 5, 5, 0, 5, 5], [10, 10, 10, 10, 5, 0], [4, 0, 20, 0, 7, 5], [20, 20, 20, 20, 7, 9]
    )
    assert low[0] == 0.0
    assert 0 < high[0] < 2
    assert np.isnan(low[[1, 3, 5]]).all()
    assert np.isnan(high[[1, 3, 5]]).all()
    assert low[4] < 1 < high[4]


def test_exchanging_the_samples_inverts_koopman() -> None:
    for x1, n1, x2, n2 in tables(4, 50):
        if x1 and x2:
            low, high = intervals.koopman(x1, n1, x2, n2)
            back_low, back_high = intervals.koopman(x2, n2, x1, n1)
            assert (1 / back_high[0], 1 / back_low[0]) == pytest.approx((low[0], high[0]), rel=1e-9)


def test_score_test_is_the_pooled_z_test_of_statsmodels() -> None:
    for x1, n1, x2, n2 in tables(5, 150):
        if 0 < x1 + x2 < n1 + n2:
            expected = proportions_ztest([x1, x2], [n1, n2])[1]
            assert intervals.score_test(x1, n1, x2, n2)[0] == pytest.approx(expected, rel=1e-9)


def test_no_gap_cannot_be_ruled_out_when_all_or_none_count() -> None:
    p, _ = intervals.rate_test([0, 9, 0], [9, 9, 0], [0, 5, 3], [5, 5, 9])
    assert p[:2].tolist() == [1.0, 1.0]
    assert np.isnan(p[2])


def test_mid_p_fisher_is_the_hypergeometric_distribution() -> None:
    for x1, n1, x2, n2 in tables(6, 300, most=120):
        table = scipy.stats.hypergeom(n1 + n2, n1, x1 + x2)
        half = table.pmf(x1) / 2
        expected = min(1.0, 2 * (min(table.cdf(x1 - 1), table.sf(x1)) + half))
        assert intervals.mid_p_fisher(x1, n1, x2, n2)[0] == pytest.approx(expected, rel=1e-9, abs=1e-300)


def test_mid_p_fisher_keeps_its_precision_among_a_hundred_million_rows() -> None:
    table = scipy.stats.binom(4, 3 / 100_000_003)  # 4 successes among 1e8: nearly binomial
    expected = 2 * (table.sf(2) + table.pmf(2) / 2)
    assert intervals.mid_p_fisher(2, 3, 2, 100_000_000)[0] == pytest.approx(expected, rel=1e-6)


def test_mid_p_fisher_does_not_depend_on_what_counts_as_success_or_first() -> None:
    for x1, n1, x2, n2 in tables(7, 60, most=60):
        p = intervals.mid_p_fisher(x1, n1, x2, n2)[0]
        assert intervals.mid_p_fisher(x2, n2, x1, n1)[0] == pytest.approx(p, rel=1e-12)
        assert intervals.mid_p_fisher(n1 - x1, n1, n2 - x2, n2)[0] == pytest.approx(p, rel=1e-12)


def test_the_exact_test_takes_over_below_five_expected_rows() -> None:
    p, exact = intervals.rate_test([3, 30], [10, 100], [2, 25], [20, 100])
    assert exact.tolist() == [True, False]
    assert p[0] == intervals.mid_p_fisher(3, 10, 2, 20)[0]
    assert p[1] == intervals.score_test(30, 100, 25, 100)[0]


def test_an_interval_at_one_minus_two_alpha_inside_the_limit_is_both_one_sided_tests() -> None:
    """statsmodels' TOST of a difference, with the same (Wald) variance, decides as its 1 - 2 alpha interval does."""
    for limit in (0.02, 0.1, 0.2, 0.3):
        low, high = confint_proportions_2indep(60, 200, 70, 210, method="wald", compare="diff", alpha=0.10)
        p = tost_proportions_2indep(60, 200, 70, 210, -limit, limit, method="wald", compare="diff").pvalue
        assert (p <= 0.05) == (-limit <= low and high <= limit)


def test_confidence_outside_zero_to_one_is_refused() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        intervals.wilson(1, 2, 1.0)
