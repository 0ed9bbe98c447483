"""The published score test and its deviance splits on small tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from reporter.stats.instability_score import levels_test, node_scores, suplm_test, suplm_test_by_rows
from reporter.stats.score_split import best_ordered_cut, best_partition

EVENTS = np.array([[[20, 10, 70], [30, 10, 60]], [[10, 20, 70], [10, 25, 65]], [[15, 15, 70], [5, 15, 30]]])


def test_decorrelated_scores_have_the_identity_as_information() -> None:
    total = EVENTS.sum(axis=0)
    scores = node_scores(total, "all")
    outer = np.einsum("ge,gep,geq->pq", total / total.sum(), scores.values, scores.values)
    assert outer == pytest.approx(np.eye(4), abs=1e-10)
    assert np.einsum("ge,gep->p", total, scores.values) == pytest.approx(np.zeros(4), abs=1e-9)


def test_delta_is_the_last_of_all_parameters() -> None:
    total = EVENTS.sum(axis=0)
    assert node_scores(total, "delta").values[..., 0] == pytest.approx(node_scores(total, "all").values[..., 3])


def test_levels_test_has_parameters_times_levels_less_one_degrees_of_freedom() -> None:
    test = levels_test(node_scores(EVENTS.sum(axis=0), "all"), EVENTS)
    assert test.df == 8
    assert test.p == pytest.approx(stats.chi2.sf(test.statistic, 8))


def test_levels_without_rows_do_not_count() -> None:
    padded = np.concatenate([EVENTS, np.zeros_like(EVENTS)])
    scores = node_scores(EVENTS.sum(axis=0), "delta")
    assert levels_test(scores, padded) == levels_test(scores, EVENTS)


def test_an_empty_cell_is_untestable_with_its_name() -> None:
    scores = node_scores(np.array([[0, 46, 214], [41, 45, 154]]), "delta", ("men", "women"))
    reason = "an empty cell: no row of level men where m2 alone predicts 1"
    assert levels_test(scores, np.array([[[0, 46, 214], [41, 45, 154]]])).reason == reason


def test_one_model_has_two_parameters() -> None:
    events = np.array([[[20, 80], [30, 70]], [[40, 60], [45, 55]]])
    test = levels_test(node_scores(events.sum(axis=0), "all"), events)
    assert test.df == 2
    assert test.statistic > 10


def test_suplm_by_groups_looks_between_distinct_values_only() -> None:
    scores = node_scores(EVENTS.sum(axis=0), "delta")
    by_groups = suplm_test(scores, EVENTS, min_size=50, trim=0.1)
    n = EVENTS.sum()
    process = np.cumsum(np.einsum("lge,gep->lp", EVENTS, scores.values)[:, 0])[:-1]
    share = np.cumsum(EVENTS.sum(axis=(1, 2)))[:-1] / n
    assert by_groups.statistic == pytest.approx((process**2 / n / (share * (1 - share))).max())
    kinds = np.concatenate([np.repeat(np.arange(6), level.ravel()) for level in EVENTS])
    by_rows = suplm_test_by_rows(scores, kinds, min_size=50, trim=0.1)
    assert by_rows.statistic is not None
    assert by_rows.statistic > by_groups.statistic


def test_suplm_without_a_cut_in_the_middle_is_untestable() -> None:
    scores = node_scores(EVENTS.sum(axis=0), "delta")
    test = suplm_test(scores, EVENTS, min_size=230, trim=0.1)
    assert test.reason == "no cut between distinct values leaves 230 rows on both sides"
    assert suplm_test(scores, EVENTS, min_size=300, trim=0.1).reason == (
        "550 rows are too few: cuts must leave 300 rows on both sides"
    )


def deviance(events: np.ndarray) -> float:
    total = 0.0
    for row in events:
        total -= sum(count * math.log(count / row.sum()) for count in row if count)
    return total


def test_the_partition_has_the_smallest_deviance_of_all() -> None:
    rng = np.random.default_rng(3)
    events = rng.integers(1, 30, size=(5, 2, 3))
    found = best_partition(events, 1)
    assert found is not None
    values = {}
    for size in range(1, 5):
        for left in itertools.combinations(range(5), size):
            side = np.isin(np.arange(5), left)
            values[left] = deviance(events[side].sum(axis=0)) + deviance(events[~side].sum(axis=0))
    best = min(values.values())
    assert values[tuple(np.flatnonzero(found).tolist())] == pytest.approx(best)
    assert not found[4]


def test_an_ordered_cut_respects_the_order_and_min_size() -> None:
    events = np.array([[[1, 1, 8], [1, 1, 8]], [[1, 1, 8], [9, 1, 0]], [[9, 1, 0], [1, 1, 8]]])
    assert best_ordered_cut(events, 1) == 1
    assert best_ordered_cut(events, 21) is None


def test_more_levels_than_can_be_searched_are_an_error() -> None:
    with pytest.raises(ValueError, match="17 levels"):
        best_partition(np.ones((17, 2, 3), dtype=np.int64), 1)
