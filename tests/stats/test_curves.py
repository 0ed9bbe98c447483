"""ROC points, calibration bins and densities: exact where the table is, thinned without losing the best trade-offs."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_curve

from reporter.stats.curves import curves
from reporter.stats.scores import ScoreGrid, ScoreTable


def sample(seed: int, n: int, digits: int) -> ScoreTable:
    rng = np.random.default_rng(seed)
    label = rng.integers(0, 2, n)
    score = np.round(1 / (1 + np.exp(-rng.normal(label - 0.5, 1.0))), digits)
    return ScoreTable(np.zeros(n, int), label, score)


def test_roc_points_are_sklearn_at_every_distinct_score() -> None:
    table = sample(1, 300, 2)
    (one,) = curves(table, model="m", groups=[None], roc_points=200)
    fpr, tpr, cuts = roc_curve(
        np.repeat(table.label, table.n), np.repeat(table.score, table.n), drop_intermediate=False
    )
    assert [p.fpr for p in one.roc] == pytest.approx(fpr.tolist())
    assert [p.tpr for p in one.roc] == pytest.approx(tpr.tolist())
    assert [p.threshold for p in one.roc[1:]] == cuts[1:].tolist()
    assert one.roc[0].threshold is None


def test_thinning_keeps_the_ends_the_hull_and_only_points_of_the_curve() -> None:
    table = sample(2, 5000, 4)
    (exact,) = curves(table, model="m", groups=[None], roc_points=10**6)
    (thin,) = curves(table, model="m", groups=[None], roc_points=50)
    assert len(exact.roc) > 1000
    assert len(thin.roc) < 120
    assert set(thin.roc) <= set(exact.roc)
    assert (thin.roc[0], thin.roc[-1]) == (exact.roc[0], exact.roc[-1])
    for weight in np.linspace(0.01, 0.99, 50):
        best = max(weight * p.tpr - (1 - weight) * p.fpr for p in exact.roc)
        assert max(weight * p.tpr - (1 - weight) * p.fpr for p in thin.roc) == pytest.approx(best, abs=1e-15)


def test_calibration_bins_count_rows_and_observed_rates() -> None:
    table = ScoreTable([0] * 5, [1, 0, 1, 0, -1], [0.05, 0.1, 0.15, 1.0, 0.5])
    (one,) = curves(table, model="m", groups=["a"])
    found = [(b.low, b.high, b.n, round(b.mean_score, 3), b.observed.value) for b in one.calibration]
    assert found == [(0.0, 0.1, 1, 0.05, 1.0), (0.1, 0.2, 2, 0.125, 0.5), (0.9, 1.0, 1, 1.0, 0.0)]
    assert one.calibration[1].observed.method == "Wilson"


def test_density_counts_all_scored_rows_labelled_or_not() -> None:
    table = ScoreTable([0] * 4, [1, 0, -1, -1], [0.0, 0.3, 0.3, 1.0], [1, 2, 3, 4])
    (one,) = curves(table, model="m", groups=["a"], density_bins=10)
    assert [b.n for b in one.density] == [1, 0, 0, 5, 0, 0, 0, 0, 0, 4]
    assert (one.n, one.density[3].low, one.density[3].high) == (10, 0.3, 0.4)


def test_scores_outside_zero_to_one_have_roc_and_density_but_no_calibration() -> None:
    table = ScoreTable([0, 0, 1, 1], [1, 0, 1, 0], [3.0, -1.0, 0.2, 0.9])
    first, second = curves(table, model="m", groups=["a", "b"], density_bins=4)
    assert first.calibration == second.calibration == ()
    assert first.reason == "no calibration: scores lie outside [0, 1], so they are not probabilities"
    assert len(first.roc) == 3
    assert [(b.low, b.high) for b in first.density] == [(-1.0, 0.0), (0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]


def test_what_is_empty_is_said() -> None:
    table = ScoreTable([0, 0, 2], [1, 1, -1], [0.2, 0.9, 0.5])
    one_class, nobody, unlabelled = curves(table, model="m", groups=["a", "b", "c"])
    assert (one_class.roc, one_class.reason) == ((), "no ROC curve: no row labelled 0")
    assert len(one_class.calibration) == 2
    assert (nobody.n, nobody.density, nobody.reason) == (0, (), "no row has a score")
    assert (unlabelled.calibration, unlabelled.reason) == ((), "no row has both a label and a score")


def test_equal_scores_beyond_one_still_have_a_density() -> None:
    (one,) = curves(ScoreTable([0, 0], [1, 0], [7.0, 7.0]), model="m", groups=["a"], density_bins=2)
    assert [(b.low, b.high, b.n) for b in one.density] == [(6.5, 7.0, 0), (7.0, 7.5, 2)]


def test_a_grid_gives_exact_points_at_its_bin_ends() -> None:
    table = sample(3, 4000, 3)
    low = np.floor(table.score * 20) / 20
    grid = ScoreGrid(table.group, table.label, low, np.minimum(low + 0.05, 1.0), table.n, table.score * table.n)
    (exact,) = curves(table, model="m", groups=[None], roc_points=10**6)
    (coarse,) = curves(grid.pooled(), model="m", groups=[None])
    by_cut = {round(p.threshold, 6): (p.fpr, p.tpr) for p in exact.roc if p.threshold is not None}
    for point in coarse.roc[1:]:
        at_or_above = [cut for cut in by_cut if cut >= round(point.threshold, 6)]  # type: ignore[arg-type]
        assert (point.fpr, point.tpr) == pytest.approx(by_cut[min(at_or_above)])
    assert sum(b.n for b in coarse.density) == 4000
    assert [b.n for b in coarse.calibration] == [b.n for b in exact.calibration]


def test_a_group_beyond_the_names_is_refused() -> None:
    with pytest.raises(ValueError, match="expected at most 0"):
        curves(ScoreTable([1], [1], [0.5]), model="m", groups=["a"])
