"""Fleiss' kappa and Krippendorff's alpha against statsmodels and the package krippendorff."""

from __future__ import annotations

import numpy as np
import pytest

from reporter.stats.multirater import ALWAYS_THE_SAME, NO_PAIR, NO_UNIT, fleiss_kappa, krippendorff_alpha

RATINGS = np.random.default_rng(1).multinomial(4, [0.2, 0.5, 0.3], size=30)
WITH_GAPS = np.maximum(RATINGS - (np.arange(30)[:, None] % 4 == np.arange(3)), 0)


def test_fleiss_kappa_matches_statsmodels() -> None:
    from statsmodels.stats.inter_rater import fleiss_kappa as oracle

    assert fleiss_kappa(RATINGS).value == pytest.approx(oracle(RATINGS), abs=1e-12)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval"])
@pytest.mark.parametrize("chosen", [RATINGS, WITH_GAPS], ids=["complete", "with missing ratings"])
def test_alpha_matches_the_package_krippendorff(scale: str, chosen: np.ndarray) -> None:
    krippendorff = pytest.importorskip("krippendorff")
    expected = krippendorff.alpha(value_counts=chosen, level_of_measurement=scale, value_domain=[0, 1, 2])
    assert krippendorff_alpha(chosen, scale=scale).value == pytest.approx(expected, abs=1e-12)  # type: ignore[arg-type]


def test_alpha_of_interval_values_matches_the_package_krippendorff() -> None:
    krippendorff = pytest.importorskip("krippendorff")
    expected = krippendorff.alpha(value_counts=WITH_GAPS, level_of_measurement="interval", value_domain=[0.5, 1.0, 4.0])
    found = krippendorff_alpha(WITH_GAPS, scale="interval", values=[0.5, 1.0, 4.0])
    assert found.value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("statistic", [fleiss_kappa, krippendorff_alpha])
def test_kinds_with_multiplicities_equal_repeated_units(statistic: object) -> None:
    kinds, times = np.array([[3, 0], [0, 3], [2, 1], [1, 2]]), np.array([20, 25, 5, 4])
    one, other = statistic(kinds, times), statistic(np.repeat(kinds, times, axis=0))  # type: ignore[operator]
    assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high), abs=1e-12)
    assert one.n == other.n == 54


@pytest.mark.parametrize("scale", ["nominal", "interval", "ordinal"])
def test_intervals_are_as_wide_as_simulated_samples_vary(scale: str) -> None:
    rng = np.random.default_rng(2)
    values, widths = [], []
    for _ in range(400):
        share = np.where(rng.random((120, 1)) < 0.3, [[0.1, 0.2, 0.7]], [[0.7, 0.2, 0.1]])
        chosen = np.stack([rng.multinomial(4, row) for row in share])
        found = krippendorff_alpha(chosen, scale=scale)  # type: ignore[arg-type]
        values.append(found.value)
        widths.append(found.high - found.low)
    assert np.mean(widths) / (2 * 1.96) == pytest.approx(np.std(values), rel=0.12)


def test_units_without_all_ratings_do_not_count_for_fleiss() -> None:
    assert fleiss_kappa([[3, 0], [0, 3], [2, 1], [1, 1]]) == fleiss_kappa([[3, 0], [0, 3], [2, 1]])


def test_degenerate_ratings_have_a_reason() -> None:
    assert fleiss_kappa(np.zeros((0, 2))).reason == NO_UNIT
    assert fleiss_kappa([[3, 0], [3, 0]]).reason == ALWAYS_THE_SAME
    assert krippendorff_alpha([[1, 0], [0, 1]]).reason == NO_PAIR
    assert krippendorff_alpha([[3, 0], [2, 0]]).reason == ALWAYS_THE_SAME


def test_perfect_agreement_is_1_without_an_interval() -> None:
    found = krippendorff_alpha([[3, 0], [0, 3], [0, 3]])
    assert (found.value, found.low) == (1.0, None)
    assert found.reason


def test_bad_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="whole numbers"):
        fleiss_kappa([[1.5, 1.5]])
    with pytest.raises(ValueError, match="times has shape"):
        fleiss_kappa([[3, 0]], [1, 2])
    with pytest.raises(ValueError, match="'ratio' is unknown"):
        krippendorff_alpha([[2, 0], [0, 2]], scale="ratio")  # type: ignore[arg-type]
