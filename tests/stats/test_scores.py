"""Score tables: AUC and DeLong against a brute-force computation, sums that no order changes, and everyone outside a group."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score

from reporter.stats import intervals
from reporter.stats.cells import CellArrays, Floats, Ints
from reporter.stats.metrics import estimates
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable, moments_from_table, rest_moments

ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0, 1, -1]), st.integers(-2, 9).map(lambda i: i / 8)), max_size=50
)


def columns(rows: list[tuple[int, int, float]]) -> tuple[Ints, Ints, Floats]:
    group, label, score = (np.asarray([row[i] for row in rows]) for i in range(3))
    return group.astype(np.int64), label.astype(np.int64), score.astype(np.float64)


def brute(label: Ints, score: Floats) -> tuple[int, int, int, int, int]:
    """Class sizes and placement sums from all pairs, O(n^2)."""
    ones, zeros = score[label == 1], score[label == 0]
    wins = 2 * (ones[:, None] > zeros[None, :]) + (ones[:, None] == zeros[None, :])
    by_one, by_zero = wins.sum(axis=1), wins.sum(axis=0)
    return len(ones), len(zeros), int(wins.sum()), int((by_one**2).sum()), int((by_zero**2).sum())


def sums(moments: ScoreMoments, i: int) -> tuple[int, int, int, int, int]:
    names = ("n1", "n0", "placements", "squares1", "squares0")
    return tuple(int(getattr(moments, name)[i]) for name in names)  # type: ignore[return-value]


@given(ROWS)
@settings(max_examples=100, deadline=None)
def test_placements_of_each_group_and_of_everyone_else_are_those_of_all_pairs(
    rows: list[tuple[int, int, float]],
) -> None:
    group, label, score = columns(rows)
    table = ScoreTable(group, label, score)
    own, rest = moments_from_table(table, 4), rest_moments(table, 4)
    for i in range(4):
        for moments, inside in ((own, group == i), (rest, group != i)):
            assert sums(moments, i) == brute(label[inside], score[inside])
            labelled = inside & (label >= 0)
            error = (score - label)[labelled]
            assert moments.error2[i] == pytest.approx((error**2).sum(), abs=1e-12)
            assert moments.error4[i] == pytest.approx((error**4).sum(), abs=1e-12)
            assert moments.total[i] == pytest.approx(score[inside].sum(), abs=1e-12)
            assert moments.total2[i] == pytest.approx((score[inside] ** 2).sum(), abs=1e-12)
            if inside.any():
                assert (moments.low[i], moments.high[i]) == (score[inside].min(), score[inside].max())
            else:
                assert np.isnan(moments.low[i])


@given(ROWS, st.randoms(use_true_random=False))
@settings(max_examples=50, deadline=None)
def test_a_table_is_the_same_for_any_order_of_its_rows(rows: list[tuple[int, int, float]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    one, two = (moments_from_table(ScoreTable(*columns(each)), 4) for each in (rows, shuffled))
    for a, b in zip(one.arrays(), two.arrays(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_sums_of_scores_are_correctly_rounded() -> None:
    table = ScoreTable([0] * 4, [0, 0, 1, 1], [1e16, 1.0, -1e16, 3.0])
    assert moments_from_table(table, 1).total[0] == 4.0


def test_counts_beyond_sixty_four_bits_stay_exact() -> None:
    table = ScoreTable([0, 0, 0], [0, 1, 0], [0.1, 0.5, 0.9], [30_000_000, 50_000_000, 20_000_000])
    moments = moments_from_table(table, 1)
    assert moments.squares1[0] == 50_000_000 * (2 * 30_000_000) ** 2
    auc = estimates(["auc"], CellArrays([0], [0], [0], [0]), scores=moments)["auc"][0]
    assert auc.value == 0.6


def test_auc_is_sklearn_with_ties_counted_half() -> None:
    rng = np.random.default_rng(8)
    label, score = rng.integers(0, 2, 500), rng.integers(0, 12, 500) / 12
    found = estimates(
        ["auc", "brier"], CellArrays([0], [0], [0], [0]), table=ScoreTable(np.zeros(500, int), label, score)
    )
    assert found["auc"][0].value == pytest.approx(roc_auc_score(label, score), abs=1e-14)
    assert found["brier"][0].value == pytest.approx(brier_score_loss(label, score), abs=1e-14)


def test_auc_is_never_flipped() -> None:
    table = ScoreTable([0] * 4, [1, 1, 0, 0], [0.1, 0.2, 0.8, 0.9])
    assert estimates(["auc"], CellArrays([0], [0], [4], [0]), table=table)["auc"][0].value == 0.0


def test_delong_is_the_sample_variance_of_placements() -> None:
    rng = np.random.default_rng(9)
    label = rng.integers(0, 2, 300)
    score = np.round(rng.normal(label, 1.0), 1)
    wins = (score[label == 1][:, None] > score[label == 0]) + 0.5 * (score[label == 1][:, None] == score[label == 0])
    v10, v01 = wins.mean(axis=1), wins.mean(axis=0)
    expected = np.var(v10, ddof=1) / len(v10) + np.var(v01, ddof=1) / len(v01)
    moments = moments_from_table(ScoreTable(np.zeros(300, int), label, score), 1)
    found = intervals.delong_variance(moments.n1, moments.n0, moments.placements, moments.squares1, moments.squares0)
    assert found[0] == pytest.approx(expected, rel=1e-12)
    auc = estimates(["auc"], CellArrays([0], [0], [0], [0]), scores=moments)["auc"][0]
    assert auc.high == pytest.approx(wins.mean() + 1.959963984540054 * np.sqrt(expected), rel=1e-12)


@pytest.mark.parametrize(
    ("label", "score", "value", "reason"),
    [
        ([1, 1], [0.2, 0.7], None, "no row labelled 0"),
        ([0, 0], [0.2, 0.7], None, "no row labelled 1"),
        ([-1, -1], [0.2, 0.7], None, "no row has both a label and a score"),
        ([1, 0], [0.7, 0.2], 1.0, "fewer than two rows of a class, so there is no interval"),
        ([1, 1, 0, 0], [0.7, 0.8, 0.2, 0.1], 1.0, "the variance formula gives exactly 0 here, so there is no interval"),
    ],
)
def test_auc_at_its_edges(label: list[int], score: list[float], value: float | None, reason: str) -> None:
    table = ScoreTable([0] * len(label), label, score)
    found = estimates(["auc"], CellArrays([0], [0], [0], [0]), table=table)["auc"][0]
    assert (found.value, found.low, found.reason) == (value, None, reason)


def test_scores_outside_zero_to_one_keep_auc_and_lose_brier_and_calibration() -> None:
    table = ScoreTable([0, 0, 0, 0, 1], [1, 0, 1, 0, 1], [3.0, -1.0, 2.0, 2.5, 0.5])
    names = ["auc", "mean_score", "brier", "calibration_intercept", "calibration_slope", "expected_calibration_error"]
    found = estimates(names, CellArrays(*[[0, 0]] * 4), table=table)
    assert found["auc"][0].value == 0.75
    assert found["mean_score"][0].value == 6.5 / 4
    for name in names[2:]:
        for estimate in found[name]:  # also in the group whose own scores lie inside
            assert (estimate.value, estimate.reason) == (
                None,
                "scores lie outside [0, 1], so they are not probabilities",
            )


def test_a_group_without_scores_says_so() -> None:
    table = ScoreTable([0, 0], [1, 0], [0.2, 0.7])
    found = estimates(["auc", "mean_score", "brier"], CellArrays(*[[0, 0]] * 4), table=table)
    assert {name: one[1].reason for name, one in found.items()} == dict.fromkeys(found, "no row has a score")


def test_equal_scores_have_a_mean_without_an_interval() -> None:
    table = ScoreTable([0, 0, 0], [1, 0, 1], [0.1, 0.1, 0.1])
    found = estimates(["mean_score"], CellArrays([0], [0], [0], [0]), table=table)["mean_score"][0]
    assert (found.value, found.low, found.n) == (pytest.approx(0.1), None, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0], [2], [0.5]), "label must be 1, 0 or -1"),
        (([0], [1], [float("nan")]), "score must be finite"),
        (([0], [1], [float("inf")]), "score must be finite"),
        (([0, 1], [1], [0.5]), "equal lengths"),
        (([-1], [1], [0.5]), "must not be negative"),
        (([0], [1], [0.5], [0.5]), "whole numbers"),
    ],
)
def test_a_table_refuses_what_it_cannot_count(arguments: tuple[list[float], ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ScoreTable(*arguments)


def test_pooling_a_grid_adds_counts_and_totals_of_equal_bins() -> None:
    grid = ScoreGrid([1, 0, 0], [1, 1, 0], [0.0, 0.0, 0.5], [0.5, 0.5, 1.0], [2, 3, 4], [0.4, 0.9, 3.0])
    pooled = grid.pooled()
    assert pooled.n.tolist() == [5, 4]
    assert pooled.total.tolist() == [1.3, 3.0]
    assert pooled.group.tolist() == [0, 0]
