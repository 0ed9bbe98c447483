"""The logistic recalibration fit against statsmodels, the expected calibration error against a plain loop, and what has no fit."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm

from reporter.stats.calibration import fit_calibration
from reporter.stats.scores import ScoreGrid, ScoreTable


def sample(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, n)
    score = np.round(rng.random(n), 2)
    label = (rng.random(n) < 0.2 + 0.5 * score + 0.1 * group).astype(int)
    return group, label, score


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_intercept_and_slope_are_statsmodels_logit_in_every_group(seed: int) -> None:
    group, label, score = sample(seed)
    fits = fit_calibration(ScoreTable(group, label, score), 3)
    inside = np.clip(score, 1e-6, 1 - 1e-6)
    logit = np.log(inside / (1 - inside))
    for i in range(3):
        oracle = sm.Logit(label[group == i], sm.add_constant(logit[group == i])).fit(disp=0, tol=1e-14, maxiter=200)
        assert (fits.intercept[i], fits.slope[i]) == pytest.approx(tuple(oracle.params), rel=1e-7, abs=1e-7)
        assert (fits.intercept_se[i], fits.slope_se[i]) == pytest.approx(tuple(oracle.bse), rel=1e-6)


def test_a_calibrated_model_has_intercept_zero_slope_one_and_no_error() -> None:
    scores = [0.1, 0.3, 0.5, 0.8]
    table = ScoreTable(
        [0] * 8,
        [1] * 4 + [0] * 4,
        scores * 2,
        [round(1000 * s) for s in scores] + [round(1000 * (1 - s)) for s in scores],
    )
    fits = fit_calibration(table, 1)
    assert (fits.intercept[0], fits.slope[0], fits.error[0]) == pytest.approx((0, 1, 0), abs=1e-9)


def test_expected_calibration_error_is_the_weighted_gap_over_ten_bins() -> None:
    group, label, score = sample(4)
    fits = fit_calibration(ScoreTable(group, label, score), 3)
    place = np.minimum((score * 100).round().astype(int) // 10, 9)
    for i in range(3):
        expected = (
            sum(
                (chosen := (group == i) & (place == k)).sum() * abs(score[chosen].mean() - label[chosen].mean())
                for k in range(10)
                if ((group == i) & (place == k)).any()
            )
            / (group == i).sum()
        )
        assert fits.error[i] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("label", "score", "reason"),
    [
        ([1, 1, 1], [0.2, 0.5, 0.9], "all labels are the same, so no curve can be fitted"),
        ([1, 0, 1], [0.4, 0.4, 0.4], "all scores are equal, so no curve can be fitted"),
        (
            [0, 0, 1, 1],
            [0.1, 0.3, 0.6, 0.9],
            "the scores separate the labels without overlap, so the fit has no finite answer",
        ),
        (
            [1, 0, 1, 0],
            [0.5, 0.5, 0.6, 0.4],
            "the scores separate the labels without overlap, so the fit has no finite answer",
        ),
        ([-1, -1], [0.1, 0.3], "no row has both a label and a score"),
    ],
)
def test_what_has_no_fit_says_why(label: list[int], score: list[float], reason: str) -> None:
    fits = fit_calibration(ScoreTable([0] * len(label), label, score), 1)
    assert np.isnan(fits.slope[0])
    assert np.isnan(fits.intercept[0])
    assert fits.reason[0] == reason


def test_scores_of_exactly_zero_and_one_are_moved_inside() -> None:
    fits = fit_calibration(ScoreTable([0] * 4, [0, 1, 0, 1], [0.0, 0.0, 1.0, 1.0], [90, 10, 10, 90]), 1)
    logit = np.log(1e-6 / (1 - 1e-6))
    assert fits.slope[0] == pytest.approx(np.log(10 / 90) / logit, rel=1e-6)


def test_a_fine_grid_fits_like_the_exact_table() -> None:
    group, label, score = sample(5, 2000)
    exact = fit_calibration(ScoreTable(group, label, score), 3)
    low = np.floor(score * 100) / 100
    grid = fit_calibration(ScoreGrid(group, label, low, np.minimum(low + 0.01, 1.0), np.ones(2000, int), score), 3)
    assert grid.slope == pytest.approx(exact.slope, rel=1e-3)
    assert grid.error == pytest.approx(exact.error, abs=1e-9)


def test_a_group_does_not_change_the_fit_of_another() -> None:
    group, label, score = sample(6)
    together = fit_calibration(ScoreTable(group, label, score), 3)
    alone = fit_calibration(ScoreTable(group, label, score).only(1), 1)
    assert together.slope[1] == pytest.approx(alone.slope[0], rel=1e-8)
