"""Two models on the same rows against computations on the rows themselves, statsmodels and published examples."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.contingency_tables import mcnemar as oracle_mcnemar

from reporter.stats.cells import CellArrays
from reporter.stats.measures import CELLS
from reporter.stats.metrics import METRICS, estimates, metric
from reporter.stats.paired import JointCells, JointScores, mcnemar, paired_differences, paired_gaps, paired_interval
from reporter.stats.scores import ScoreTable


def sample(seed: int, n: int = 600) -> dict[str, np.ndarray]:
    """Rows with a label (2: none) and two correlated scores."""
    rng = np.random.default_rng(seed)
    label = rng.choice(3, n, p=[0.5, 0.4, 0.1])
    shared = rng.normal(size=n)
    first, second = (
        np.round(1 / (1 + np.exp(-(shared + rng.normal(size=n) + (label == 1) * lift))), 2) for lift in (0.5, 1.0)
    )
    return {
        "label": label,
        "first": first,
        "second": second,
        "d1": (first >= 0.5).astype(int),
        "d2": (second >= 0.6).astype(int),
    }


def joint(rows: dict[str, np.ndarray], group: np.ndarray | None = None, groups: int = 1) -> JointCells:
    counts = np.zeros((groups, 3, 2, 2), int)
    place = np.zeros(len(rows["label"]), int) if group is None else group
    np.add.at(counts, (place, rows["label"], rows["d1"], rows["d2"]), 1)
    return JointCells(counts)


def joint_scores(rows: dict[str, np.ndarray]) -> JointScores:
    n = len(rows["label"])
    label = np.where(rows["label"] == 2, -1, rows["label"])
    return JointScores(np.zeros(n, int), label, rows["first"], rows["second"], np.ones(n, int))


def test_margins_are_the_cells_of_each_model() -> None:
    rows = sample(1)
    both = joint(rows)
    first = both.first().to_cells()[0]
    assert first.tp == int(((rows["label"] == 1) & (rows["d1"] == 1)).sum())
    assert first.fp == int(((rows["label"] == 0) & (rows["d1"] == 1)).sum())
    assert first.unlabelled_negative == int(((rows["label"] == 2) & (rows["d1"] == 0)).sum())
    assert both.second().to_cells()[0].fn == int(((rows["label"] == 1) & (rows["d2"] == 0)).sum())
    assert first.n == both.second().to_cells()[0].n == 600


def test_disagreement_and_differences_of_two_models() -> None:
    rows = sample(2)
    names = [name for name, m in METRICS.items() if not m.needs_score]
    pair = paired_differences(names, first="old", second="new", joint=joint(rows))
    d1, d2 = rows["d1"], rows["d2"]
    assert (pair.both, pair.first_only, pair.second_only, pair.neither) == (
        int((d1 & d2).sum()), int((d1 & (1 - d2)).sum()), int(((1 - d1) & d2).sum()), int(((1 - d1) & (1 - d2)).sum()),
    )  # fmt: skip
    assert pair.disagreement.value == (d1 != d2).mean()
    for name in names:
        sides = [estimates([name], cells)[name][0].value for cells in (joint(rows).first(), joint(rows).second())]
        assert pair.differences[name].value == pytest.approx(sides[1] - sides[0], abs=1e-15)  # type: ignore[operator]
        if METRICS[name].kind != "count" and name != "base_rate":
            assert pair.differences[name].low < pair.differences[name].value < pair.differences[name].high  # type: ignore[operator]


@pytest.mark.parametrize(
    "name", ["ppv", "npv", "fdr", "for", "f1", "mcc", "balanced_accuracy", "positive_likelihood_ratio"]
)
def test_delta_method_is_the_numerical_derivative_over_joint_counts(name: str) -> None:
    both = joint(sample(3))

    def difference(counts: np.ndarray) -> float:
        values = []
        for axis in (3, 2):
            margin = counts.sum(axis=axis)[0]
            cells = CellArrays([0], [0], [0], [0])
            places = {
                "tp": (1, 1),
                "fp": (0, 1),
                "tn": (0, 0),
                "fn": (1, 0),
                "unlabelled_positive": (2, 1),
                "unlabelled_negative": (2, 0),
            }
            for cell in CELLS:
                object.__setattr__(cells, cell, np.array([margin[places[cell]]]))
            values.append(float(metric(name).gradient(cells)[0][0]))  # type: ignore[misc]
        return values[1] - values[0]

    variance = 0.0
    for place in np.ndindex(1, 3, 2, 2):
        step = np.zeros((1, 3, 2, 2))
        step[place] = 1e-3
        slope = (difference(both.counts + step) - difference(both.counts - step)) / 2e-3
        variance += both.counts[place] * slope**2
    (found,) = paired_gaps(metric(name), both).to_estimates()
    assert (found.high - found.low) / 2 == pytest.approx(1.959963984540054 * np.sqrt(variance), rel=1e-6)  # type: ignore[operator]
    assert found.method == "delta method, paired"


def test_newcombe_paired_matches_the_published_example() -> None:
    """Airway hyper-responsiveness of 21 children before and after stem cell transplantation (Fagerland, Lydersen and Laake 2014)."""
    low, high = paired_interval(1, 7, 1, 12)
    assert (round(low[0], 3), round(high[0], 3)) == (-0.507, -0.026)
    assert round(mcnemar(7, 1)[0], 4) == 0.0391


def test_newcombe_paired_nears_the_wald_interval_in_large_samples() -> None:
    e, f, g, h = 79400, 15000, 8600, 57000
    n = e + f + g + h
    gap = (g - f) / n
    half = 1.959963984540054 * np.sqrt(f + g - (g - f) ** 2 / n) / n
    low, high = paired_interval(e, f, g, h)
    assert (low[0], high[0]) == pytest.approx((gap - half, gap + half), abs=2e-5)


def test_identical_predictions_have_an_interval_that_is_not_a_point() -> None:
    low, high = paired_interval(30, 0, 0, 20)
    assert low[0] < 0 < high[0]


def test_mcnemar_is_statsmodels() -> None:
    for f, g in ((30, 50), (12, 13), (100, 60)):
        expected = oracle_mcnemar([[0, f], [g, 0]], exact=False, correction=False).pvalue
        assert mcnemar(f, g)[0] == pytest.approx(expected, rel=1e-9)
    for f, g in ((1, 7), (0, 5), (3, 9), (10, 12)):
        exact = oracle_mcnemar([[0, f], [g, 0]], exact=True).pvalue
        point = float(np.prod([(f + g - i) / (i + 1) for i in range(min(f, g))]) * 0.5 ** (f + g))
        assert mcnemar(f, g)[0] == pytest.approx(exact - point, rel=1e-9)
    assert mcnemar([0, 4], [0, 4]).tolist() == [1.0, 1.0]


def test_auc_brier_and_mean_score_use_the_rows_own_differences() -> None:
    rows = sample(4)
    pair = paired_differences(
        ["auc", "brier", "mean_score"], first="a", second="b", joint=joint(rows), scores=joint_scores(rows)
    )
    label, one, two = rows["label"], rows["first"], rows["second"]

    def placements(score: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        p, q = score[label == 1][:, None], score[label == 0][None, :]
        wins = (p > q) + 0.5 * (p == q)
        return wins.mean(axis=1), wins.mean(axis=0)

    (a10, a01), (b10, b01) = placements(one), placements(two)
    se = np.sqrt(np.var(b10 - a10, ddof=1) / len(a10) + np.var(b01 - a01, ddof=1) / len(a01))
    auc = pair.differences["auc"]
    assert auc.value == pytest.approx(b10.mean() - a10.mean(), abs=1e-13)
    assert (auc.high - auc.low) / 2 == pytest.approx(1.959963984540054 * se, rel=1e-10)  # type: ignore[operator]
    known = label != 2
    gaps = ((two - label) ** 2 - (one - label) ** 2)[known]
    brier = pair.differences["brier"]
    assert brier.value == pytest.approx(gaps.mean(), abs=1e-13)
    assert (brier.high - brier.low) / 2 == pytest.approx(
        1.959963984540054 * gaps.std(ddof=1) / np.sqrt(len(gaps)), rel=1e-9
    )  # type: ignore[operator]
    mean = pair.differences["mean_score"]
    assert (mean.high - mean.low) / 2 == pytest.approx(
        1.959963984540054 * (two - one).std(ddof=1) / np.sqrt(600), rel=1e-9
    )  # type: ignore[operator]


def test_without_joint_scores_the_reason_is_given() -> None:
    rows = sample(5)
    pair = paired_differences(["auc"], first="a", second="b", joint=joint(rows), scores_reason="b has predictions only")
    assert (pair.differences["auc"].value, pair.differences["auc"].reason) == (None, "b has predictions only")
    plain = paired_differences(["auc"], first="a", second="b", joint=joint(rows))
    assert plain.differences["auc"].reason == (
        "there is no joint table of both models' scores: one has none, or there are too many pairs to count"
    )


def test_the_base_rate_of_the_same_rows_cannot_differ() -> None:
    found = paired_differences(["base_rate"], first="a", second="b", joint=joint(sample(6))).differences["base_rate"]
    assert (found.value, found.low) == (0.0, None)
    assert found.reason == "both models are held against the same labels, so this cannot differ"


def test_no_common_row_is_undefined_everywhere() -> None:
    pair = paired_differences(["accuracy", "ppv"], first="a", second="b", joint=JointCells(np.zeros((2, 3, 2, 2), int)))
    assert (pair.n, pair.disagreement.value) == (0, None)
    assert pair.disagreement.reason == "no row has a prediction of both models"
    assert {one.reason for one in pair.differences.values()} == {"no row has a prediction"}


def test_groups_are_summed_for_the_pair_and_kept_for_gaps() -> None:
    rows = sample(7)
    group = np.random.default_rng(7).integers(0, 3, 600)
    parts = joint(rows, group, 3)
    assert paired_differences(["tpr"], first="a", second="b", joint=parts) == paired_differences(
        ["tpr"], first="a", second="b", joint=joint(rows)
    )
    alone = {key: values[group == 1] for key, values in rows.items()}
    assert (
        paired_gaps(metric("tpr"), parts).to_estimates()[1]
        == paired_gaps(metric("tpr"), joint(alone)).to_estimates()[0]
    )


def test_exchanging_the_models_mirrors_every_difference() -> None:
    both = joint(sample(8))
    swapped = JointCells(both.counts.transpose(0, 1, 3, 2))
    for name, m in METRICS.items():
        if not m.needs_score:
            a, b = paired_gaps(m, both), paired_gaps(m, swapped)
            np.testing.assert_allclose(a.value, -b.value, atol=1e-14, err_msg=name)
            np.testing.assert_allclose(a.low, -b.high, atol=1e-12, err_msg=name)
            np.testing.assert_allclose(a.p, b.p, rtol=1e-9, err_msg=name)


def test_joint_tables_give_each_models_own_table() -> None:
    rows = sample(9)
    one, two = joint_scores(rows).tables()
    label = np.where(rows["label"] == 2, -1, rows["label"])
    for table, key in ((one, "first"), (two, "second")):
        expected = ScoreTable(np.zeros(600, int), label, rows[key])
        np.testing.assert_array_equal(table.score, expected.score)
        np.testing.assert_array_equal(table.n, expected.n)


def test_joint_counts_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="expected \\(groups, 3, 2, 2\\)"):
        JointCells(np.zeros((2, 2, 2)))
