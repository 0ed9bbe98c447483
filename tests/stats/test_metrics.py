"""The table of metrics: values, undefined states, and properties that every metric must have."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporter.results import Estimate
from reporter.stats.cells import CellArrays
from reporter.stats.metrics import ALIASES, METRICS, canonical_name, estimates
from reporter.stats.scores import ScoreTable

REFERENCE = Path(__file__).parents[1] / "reference"

COUNTED = [name for name, metric in METRICS.items() if not metric.needs_score]


def one(name: str, **cells: int) -> Estimate:
    full = {"tp": 0, "fp": 0, "tn": 0, "fn": 0, **cells}
    return estimates([name], CellArrays(**{key: [value] for key, value in full.items()}))[canonical_name(name)][0]


@pytest.mark.parametrize(
    ("name", "value", "numerator", "denominator"),
    [
        ("accuracy", 14 / 20, 14, 20),
        ("referral_rate", 10 / 20, 10, 20),
        ("base_rate", 8 / 20, 8, 20),
        ("tpr", 6 / 8, 6, 8),
        ("fnr", 2 / 8, 2, 8),
        ("tnr", 8 / 12, 8, 12),
        ("fpr", 4 / 12, 4, 12),
        ("ppv", 6 / 10, 6, 10),
        ("fdr", 4 / 10, 4, 10),
        ("npv", 8 / 10, 8, 10),
        ("for", 2 / 10, 2, 10),
        ("f1", 12 / 18, 12, 18),
    ],
)
def test_rates_are_the_ratio_of_their_counts(name: str, value: float, numerator: int, denominator: int) -> None:
    found = one(name, tp=6, fp=4, tn=8, fn=2)
    assert (found.value, found.numerator, found.denominator) == (value, numerator, denominator)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("balanced_accuracy", (6 / 8 + 8 / 12) / 2),
        ("mcc", (6 * 8 - 4 * 2) / math.sqrt(10 * 8 * 12 * 10)),
        ("predicted_positives", 10),
        ("positive_likelihood_ratio", (6 / 8) / (4 / 12)),
        ("negative_likelihood_ratio", (2 / 8) / (8 / 12)),
    ],
)
def test_other_functions_of_the_cells_follow_their_formula(name: str, value: float) -> None:
    assert one(name, tp=6, fp=4, tn=8, fn=2).value == pytest.approx(value, rel=1e-15)


def test_every_metric_of_the_definitions_is_in_the_table() -> None:
    assert list(METRICS) == [
        "accuracy", "balanced_accuracy", "referral_rate", "base_rate", "tpr", "fnr", "tnr", "fpr", "ppv", "fdr", "npv", "for", "f1", "mcc",
        "predicted_positives", "positive_likelihood_ratio", "negative_likelihood_ratio", "auc", "brier", "mean_score",
        "calibration_intercept", "calibration_slope", "expected_calibration_error",
    ]  # fmt: skip
    assert (
        ALIASES.items()
        >= {
            "selection_rate": "referral_rate",
            "acceptance_rate": "referral_rate",
            "prevalence": "base_rate",
            "sensitivity": "tpr",
            "specificity": "tnr",
        }.items()
    )
    assert not set(ALIASES) & set(METRICS)


def test_an_unknown_metric_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="unknown metric 'fnrr'"):
        canonical_name("fnrr")


@pytest.mark.parametrize(
    ("name", "cells", "reason"),
    [
        ("accuracy", {}, "no row has a prediction"),
        ("accuracy", {"unlabelled_positive": 3}, "no row has both a label and a prediction"),
        ("accuracy", {"labelled_without_prediction": 3}, "no row has a prediction"),
        ("referral_rate", {"labelled_without_prediction": 3}, "no row has a prediction"),
        ("tpr", {"tn": 2}, "no row labelled 1"),
        ("fnr", {"tn": 2, "fp": 1}, "no row labelled 1"),
        ("tnr", {"tp": 2}, "no row labelled 0"),
        ("fpr", {"tp": 2, "fn": 1}, "no row labelled 0"),
        ("ppv", {"tn": 2, "fn": 1}, "nobody was predicted 1"),
        ("fdr", {"tn": 2, "fn": 1}, "nobody was predicted 1"),
        ("npv", {"tp": 2, "fp": 1}, "everybody was predicted 1"),
        ("for", {"tp": 2, "fp": 1}, "everybody was predicted 1"),
        ("balanced_accuracy", {"tp": 2, "fn": 1}, "no row labelled 0"),
        ("f1", {"tn": 2}, "no row labelled 1 and nobody was predicted 1"),
        ("mcc", {"tp": 2, "fp": 3}, "everybody was predicted 1"),
        ("mcc", {"tn": 2, "fn": 3}, "nobody was predicted 1"),
        ("positive_likelihood_ratio", {"tp": 2, "tn": 3}, "nobody labelled 0 was predicted 1"),
        ("negative_likelihood_ratio", {"tp": 2, "fp": 3}, "nobody labelled 0 was predicted 0"),
        ("auc", {"tp": 2, "fp": 3}, "this model has no score"),
        ("brier", {"tp": 2, "fp": 3}, "this model has no score"),
        ("calibration_slope", {"tp": 2, "fp": 3}, "this model has no score"),
    ],
)
def test_undefined_is_none_with_a_reason(name: str, cells: dict[str, int], reason: str) -> None:
    found = one(name, **cells)
    assert (found.value, found.low, found.high, found.reason) == (None, None, None, reason)


def test_unlabelled_rows_count_for_the_referral_rate_alone() -> None:
    cells = {"tp": 1, "fn": 1, "unlabelled_positive": 2, "unlabelled_negative": 1}
    assert (one("referral_rate", **cells).value, one("referral_rate", **cells).n) == (3 / 5, 5)
    assert (one("accuracy", **cells).n, one("predicted_positives", **cells).value) == (2, 3)


def test_a_zero_variance_gives_a_value_without_an_interval_and_says_so() -> None:
    found = one("balanced_accuracy", tp=5, tn=7)
    assert (found.value, found.low) == (1.0, None)
    assert found.reason == "the variance formula gives exactly 0 here, so there is no interval"


def test_mcc_does_not_overflow_at_a_hundred_million_rows() -> None:
    huge = one("mcc", tp=60_000_000, fp=40_000_000, tn=80_000_000, fn=20_000_000)
    small = one("mcc", tp=6, fp=4, tn=8, fn=2)
    assert huge.value == pytest.approx(small.value, rel=1e-14)


def test_the_published_motivating_table_is_reproduced_from_its_counts() -> None:
    names = {"acc": "accuracy", "ppv": "ppv", "tnr": "tnr", "tpr": "tpr", "share": "referral_rate"}
    rows = json.loads((REFERENCE / "compas_table.json").read_text())
    assert len(rows) == 32
    for row in rows:
        cells = CellArrays([row["tp"]], [row["fp"]], [row["tn"]], [row["fn"]])
        found = estimates(list(names.values()), cells)
        for printed, name in names.items():
            assert found[name][0].value == pytest.approx(row[printed], rel=1e-12), (row, name)


# Properties over the whole table --------------------------------------------------------------------------------------

CELL = st.integers(0, 30)
GROUP = st.tuples(*[CELL] * 8)
SCORED = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from([0, 1, -1]), st.integers(0, 8).map(lambda i: i / 8)),
    min_size=1,
    max_size=40,
)


def everything(rows: list[tuple[int, int, float]], repeat: int = 1) -> dict[str, tuple[Estimate, ...]]:
    """All metrics of rows (group, label, score), with a prediction of 1 from 0.5 on."""
    group, label, score = (np.asarray(column) for column in zip(*rows, strict=True))
    counts = np.zeros((3, 3, 2), int)
    np.add.at(counts, (group, label, (score >= 0.5).astype(int)), repeat)
    cells = CellArrays(
        tp=counts[:, 1, 1], fp=counts[:, 0, 1], tn=counts[:, 0, 0], fn=counts[:, 1, 0],
        unlabelled_positive=counts[:, 2, 1], unlabelled_negative=counts[:, 2, 0],
    )  # fmt: skip
    table = ScoreTable(group, label, score, np.full(len(rows), repeat))
    return estimates(list(METRICS), cells, table=table)


@given(SCORED, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_no_metric_depends_on_the_order_of_rows(rows: list[tuple[int, int, float]], random: object) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert everything(shuffled) == everything(rows)


@given(SCORED)
@settings(max_examples=60, deadline=None)
def test_no_metric_depends_on_the_names_of_groups(rows: list[tuple[int, int, float]]) -> None:
    renamed = everything([((group + 1) % 3, label, score) for group, label, score in rows])
    for name, found in everything(rows).items():
        moved = renamed[name]
        assert found == (moved[1], moved[2], moved[0]), name


@given(SCORED)
@settings(max_examples=60, deadline=None)
def test_doubling_every_row_leaves_values_and_narrows_intervals(rows: list[tuple[int, int, float]]) -> None:
    once, twice = everything(rows), everything(rows, repeat=2)
    for name, found in once.items():
        for a, b in zip(found, twice[name], strict=True):
            assert (a.value is None) == (b.value is None), name
            if a.value is None:
                assert a.reason == b.reason
            elif METRICS[name].kind == "count":
                assert b.value == 2 * a.value
            else:
                tolerance = 1e-6 if METRICS[name].kind == "calibration" else 1e-12
                assert b.value == pytest.approx(a.value, rel=tolerance, abs=tolerance), name
                if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
                    assert b.high - b.low <= a.high - a.low + 1e-9, name


@given(st.lists(GROUP, min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_merging_groups_adds_their_cells(groups: list[tuple[int, ...]]) -> None:
    cells = CellArrays(*np.asarray(groups).T)
    merged = estimates(COUNTED, cells.sum())
    by_hand = estimates(COUNTED, CellArrays(*(np.asarray(groups).sum(axis=0, keepdims=True)).T))
    assert merged == by_hand
    assert int(cells.n.sum()) == int(cells.sum().n[0]) == int(np.asarray(groups).sum())


SWAPPED = {
    "accuracy": "accuracy", "balanced_accuracy": "balanced_accuracy", "tpr": "tnr", "fnr": "fpr", "tnr": "tpr", "fpr": "fnr",
    "ppv": "npv", "fdr": "for", "npv": "ppv", "for": "fdr", "mcc": "mcc",
}  # fmt: skip


@given(GROUP)
@settings(max_examples=60, deadline=None)
def test_swapping_the_positive_class_swaps_the_rates(group: tuple[int, ...]) -> None:
    tp, fp, tn, fn, up, un, lw, uw = ([n] for n in group)
    found = estimates(list(SWAPPED), CellArrays(tp, fp, tn, fn, up, un, lw, uw))
    swapped = estimates(list(SWAPPED), CellArrays(tn, fn, tp, fp, un, up, lw, uw))
    for name, other in SWAPPED.items():
        a, b = found[name][0], swapped[other][0]
        assert (a.value is None) == (b.value is None), name
        if a.value is not None and b.value is not None:
            assert a.value == pytest.approx(b.value, abs=1e-14)
            assert (a.low is None) == (b.low is None)
            assert a.low is None or a.low == pytest.approx(b.low, abs=1e-12)


@given(GROUP)
@settings(max_examples=60, deadline=None)
def test_complements_add_to_one_and_mirror_their_intervals(group: tuple[int, ...]) -> None:
    found = estimates(COUNTED, CellArrays(*([n] for n in group)))
    for name in COUNTED:
        other = METRICS[name].complement
        if other is None or found[name][0].value is None:
            continue
        a, b = found[name][0], found[other][0]
        assert METRICS[name].family == METRICS[other].family
        assert a.value + b.value == pytest.approx(1.0)  # type: ignore[operator]
        assert a.low + b.high == pytest.approx(1.0)  # type: ignore[operator]


@given(SCORED)
@settings(max_examples=60, deadline=None)
def test_every_value_has_a_reason_or_an_interval_that_holds_it(rows: list[tuple[int, int, float]]) -> None:
    for name, found in everything(rows).items():
        metric = METRICS[name]
        for estimate in found:
            if estimate.value is None:
                assert estimate.reason
                assert estimate.low is estimate.high is None
                continue
            assert metric.bounds[0] <= estimate.value <= metric.bounds[1]
            if estimate.low is None:
                assert estimate.reason, name
            else:
                assert estimate.low - 1e-12 <= estimate.value <= estimate.high + 1e-12, name  # type: ignore[operator]
                assert estimate.method
                assert estimate.reason is None
