"""p-values of instability tests in logarithms: against scipy, Hansen's table and partykit's adjustment."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from reporter.stats.contrast_chain import log_p_largest
from reporter.stats.instability import Test as Outcome
from reporter.stats.instability import adjusted_log_p, log_chi2_sf
from reporter.stats.suplm import _TABLE, log_p_suplm

REFERENCE = Path(__file__).parents[1] / "reference" / "delta_tree"


@pytest.mark.parametrize("df", [1, 1.26, 2, 3.9, 15, 60])
@pytest.mark.parametrize("x", [0.01, 1.0, 5.0, 80.0, 700.0])
def test_chi_square_tail_matches_scipy(x: float, df: float) -> None:
    assert log_chi2_sf(x, df) == pytest.approx(stats.chi2.logsf(x, df), rel=1e-11, abs=1e-14)


@pytest.mark.parametrize("x", [1_200.0, 5_000.0, 1e6])
def test_chi_square_tail_stays_finite_where_the_probability_is_zero_in_floating_point(x: float) -> None:
    # one degree of freedom is a squared normal, two are an exponential
    assert log_chi2_sf(x, 1) == pytest.approx(math.log(2) + stats.norm.logsf(math.sqrt(x)), rel=1e-12)
    assert log_chi2_sf(x, 2) == pytest.approx(-x / 2, rel=1e-12)


def test_chi_square_tail_is_continuous_where_the_method_changes() -> None:
    x = np.linspace(1_140, 1_160, 400)
    steps = np.diff([log_chi2_sf(value, 4) for value in x])
    assert np.ptp(steps) < 1e-5


def test_a_statistic_of_zero_is_no_evidence() -> None:
    assert log_chi2_sf(0.0, 3) == 0.0


def test_adjustment_is_sharper_than_bonferroni_above_one_in_a_thousand_only() -> None:
    assert math.exp(adjusted_log_p(math.log(0.3), 4, "bonferroni")) == pytest.approx(1 - 0.7**4)
    assert math.exp(adjusted_log_p(math.log(0.0009), 4, "bonferroni")) == pytest.approx(0.0036)
    assert adjusted_log_p(-4_000.0, 4, "bonferroni") == pytest.approx(-4_000 + math.log(4))
    assert adjusted_log_p(math.log(0.3), 4, "none") == math.log(0.3)
    assert adjusted_log_p(0.0, 4, "bonferroni") == 0.0


def test_an_unknown_adjustment_is_an_error() -> None:
    with pytest.raises(ValueError, match="holm"):
        adjusted_log_p(-1.0, 2, "holm")


def test_an_impossible_test_has_a_reason_and_no_number() -> None:
    test = Outcome.impossible("too few rows")
    assert (test.statistic, test.df, test.p, test.log_p, test.reason) == (None, None, None, None, "too few rows")


def test_suplm_table_is_the_published_one() -> None:
    published = json.loads((REFERENCE / "hansen1997_suplm.json").read_text())
    assert [list(row) for row in _TABLE[1]] == published["k1"]
    assert [list(row) for row in _TABLE[4]] == published["k4"]


def test_suplm_with_a_single_cut_is_a_chi_square_test() -> None:
    assert log_p_suplm(6.0, 4, 1.0) == pytest.approx(stats.chi2.logsf(6.0, 4))


def test_suplm_is_continuous_between_the_rows_of_the_table() -> None:
    # the trimmed share is 1 / (1 + sqrt(ratio)): 0.11 is a row, so both sides of it must agree
    ratios = [(1 / tau - 1) ** 2 for tau in (0.11 - 1e-9, 0.11 + 1e-9)]
    low, high = (log_p_suplm(9.0, 1, ratio) for ratio in ratios)
    assert low == pytest.approx(high, abs=1e-6)


def test_suplm_grows_less_significant_the_more_cuts_there_are() -> None:
    values = [log_p_suplm(9.0, 1, (1 / tau - 1) ** 2) for tau in (0.495, 0.4, 0.3, 0.15, 0.05, 0.005)]
    assert values == sorted(values)


def test_suplm_knows_no_other_number_of_parameters() -> None:
    with pytest.raises(ValueError, match="1 and 4"):
        log_p_suplm(9.0, 2, 4.0)


def test_largest_of_one_contrast_is_a_normal_test() -> None:
    assert log_p_largest(2.5, np.array([0.3])) == pytest.approx(math.log(2) + stats.norm.logsf(2.5))


@pytest.mark.parametrize("c", [0.5, 1.5, 2.5])
@pytest.mark.parametrize("times", [(0.3, 0.6), (0.1, 0.9), (0.5, 0.501)])
def test_largest_of_two_contrasts_matches_the_bivariate_normal(c: float, times: tuple[float, float]) -> None:
    first, second = times
    rho = math.sqrt(first * (1 - second) / (second * (1 - first)))
    normal = stats.multivariate_normal(cov=[[1, rho], [rho, 1]])
    inside = normal.cdf([c, c], lower_limit=[-c, -c])
    assert math.exp(log_p_largest(c, np.array(times))) == pytest.approx(1 - inside, rel=2e-4)


def test_largest_of_fifteen_contrasts_matches_simulation() -> None:
    times = np.arange(1, 16) / 16
    rng = np.random.default_rng(1)
    walk = rng.normal(size=(200_000, 16)).cumsum(axis=1) / 4
    largest = np.abs((walk[:, :-1] - times * walk[:, -1:]) / np.sqrt(times * (1 - times))).max(axis=1)
    for c in (1.0, 2.0, 2.8):
        share = (largest > c).mean()
        assert math.exp(log_p_largest(c, times)) == pytest.approx(share, abs=4 * math.sqrt(share / 200_000))


def test_largest_contrast_lies_between_one_cut_and_the_sum_over_cuts() -> None:
    times = np.array([0.02, 0.05, 0.2, 0.21, 0.6, 0.97])
    for c in (0.1, 1.0, 4.0, 11.9, 12.1, 30.0, 60.0):
        one = math.log(2) + stats.norm.logsf(c)
        assert one <= log_p_largest(c, times) <= min(0.0, one + math.log(len(times))) + 1e-12


def test_largest_contrast_falls_without_a_jump() -> None:
    times = np.arange(1, 8) / 8
    values = np.array([log_p_largest(c, times) for c in np.linspace(0, 20, 400)])
    assert (np.diff(values) <= 1e-9).all()
    assert np.isfinite(values).all()


def test_cuts_at_the_same_time_count_once() -> None:
    assert log_p_largest(2.0, np.array([0.3, 0.3, 0.7])) == pytest.approx(log_p_largest(2.0, np.array([0.3, 0.7])))
