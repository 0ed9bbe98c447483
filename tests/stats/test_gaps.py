"""Gaps of every metric between sets of rows that do not overlap, and to an overall value that contains the group."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporter.stats import intervals
from reporter.stats.cells import CellArrays
from reporter.stats.gaps import Comparison, Gaps, independent_gaps, overall_gaps
from reporter.stats.measures import Sample
from reporter.stats.metrics import METRICS, metric

CELLS = st.tuples(*[st.integers(0, 40)] * 4)


def gap(name: str, one: tuple[int, ...], two: tuple[int, ...], comparison: Comparison = "difference") -> Gaps:
    sides = [Sample(CellArrays(*([n] for n in cells))) for cells in (one, two)]
    return independent_gaps(metric(name), *sides, comparison=comparison, confidence=0.95, inner_confidence=0.9)


def to_overall(name: str, one: tuple[int, ...], two: tuple[int, ...], comparison: Comparison = "difference") -> Gaps:
    group, rest = (CellArrays(*([n] for n in cells)) for cells in (one, two))
    return overall_gaps(
        metric(name), Sample(group), Sample(rest), Sample(group.plus(rest)),
        comparison=comparison, confidence=0.95, inner_confidence=0.9,
    )  # fmt: skip


GROUP, REST = (30, 12, 40, 9), (80, 31, 120, 41)


def test_a_rate_has_newcombe_koopman_and_the_score_test() -> None:
    found = gap("tpr", GROUP, REST)
    low, high = intervals.newcombe(30, 39, 80, 121)
    assert (found.value[0], found.low[0], found.high[0]) == (30 / 39 - 80 / 121, low[0], high[0])
    assert found.p[0] == intervals.score_test(30, 39, 80, 121)[0]
    ratio = gap("tpr", GROUP, REST, "ratio")
    low, high = intervals.koopman(30, 39, 80, 121)
    assert (ratio.low[0], ratio.high[0], ratio.p[0]) == (low[0], high[0], found.p[0])
    inner = intervals.newcombe(30, 39, 80, 121, 0.9)
    assert (found.inner_low[0], found.inner_high[0]) == (inner[0][0], inner[1][0])


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.kind == "cells"])
@pytest.mark.parametrize("comparison", ["difference", "ratio"])
def test_delta_method_is_the_numerical_derivative(name: str, comparison: Comparison) -> None:
    """Each cell's count times the squared slope of the gap, slopes by central differences."""

    def value(cells: np.ndarray) -> float:
        shown = metric(name).gradient(_real(cells))[0][0]  # type: ignore[misc]
        return float(np.log(shown) if comparison == "ratio" else shown)

    variance = 0.0
    for cells in (np.array(GROUP, float), np.array(REST, float)):
        for i in range(4):
            step = np.zeros(4)
            step[i] = 1e-4
            slope = (value(cells + step) - value(cells - step)) / 2e-4
            variance += cells[i] * slope**2
    found = gap(name, GROUP, REST, comparison)
    assert found.group_variance[0] + found.reference_variance[0] == pytest.approx(variance, rel=1e-6)
    middle = np.log(found.value[0]) if comparison == "ratio" else found.value[0]
    end = np.log(found.high[0]) if comparison == "ratio" else found.high[0]
    assert end - middle == pytest.approx(1.959963984540054 * np.sqrt(variance), rel=1e-6)


@pytest.mark.parametrize("name", [n for n, m in METRICS.items() if m.kind == "cells" and n != "f1"])
@pytest.mark.parametrize("comparison", ["difference", "ratio"])
def test_delta_method_of_a_gap_to_the_whole_counts_the_group_on_both_sides(name: str, comparison: Comparison) -> None:
    def value(group: np.ndarray, rest: np.ndarray) -> float:
        one, all_ = (metric(name).gradient(_real(cells))[0][0] for cells in (group, group + rest))  # type: ignore[misc]
        return float(np.log(one / all_) if comparison == "ratio" else one - all_)

    group, rest = np.array(GROUP, float), np.array(REST, float)
    variance = 0.0
    for i in range(4):
        step = np.zeros(4)
        step[i] = 1e-4
        variance += group[i] * ((value(group + step, rest) - value(group - step, rest)) / 2e-4) ** 2
        variance += rest[i] * ((value(group, rest + step) - value(group, rest - step)) / 2e-4) ** 2
    found = to_overall(name, GROUP, REST, comparison)
    assert found.group_variance[0] + found.reference_variance[0] == pytest.approx(variance, rel=1e-6)


def _real(cells: np.ndarray) -> CellArrays:
    """Cells that are not whole, for derivatives alone."""
    made = CellArrays([0], [0], [0], [0])
    for name, number in zip(("tp", "fp", "tn", "fn"), cells, strict=True):
        object.__setattr__(made, name, np.array([number]))
    return made


@pytest.mark.parametrize("name", ["tpr", "fpr", "ppv", "accuracy", "referral_rate", "f1"])
def test_overall_is_the_share_of_the_rest_and_keeps_its_p(name: str) -> None:
    rest, whole = gap(name, GROUP, REST), to_overall(name, GROUP, REST)
    denominators = {
        "tpr": (39, 121), "fpr": (52, 151), "ppv": (42, 111), "accuracy": (91, 272), "referral_rate": (91, 272), "f1": (81, 232),
    }  # fmt: skip
    mine, others = denominators[name]
    share = mine / (mine + others)
    for key in ("value", "low", "high", "inner_low", "inner_high"):
        assert getattr(whole, key)[0] == pytest.approx((1 - share) * getattr(rest, key)[0], rel=1e-12), key
    assert whole.p[0] == rest.p[0]


def test_overall_ratio_is_the_group_over_all_rows_with_mapped_ends() -> None:
    rest, whole = gap("tpr", GROUP, REST, "ratio"), to_overall("tpr", GROUP, REST, "ratio")
    assert whole.value[0] == pytest.approx((30 / 39) / (110 / 160))
    share = 39 / 160
    assert whole.low[0] == pytest.approx(rest.low[0] / (share * rest.low[0] + 1 - share))
    assert whole.low[0] < whole.value[0] < whole.high[0]


@given(CELLS, CELLS)
@settings(max_examples=30, deadline=None)
def test_a_complement_has_the_mirrored_gap_and_the_same_p(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    for name, other in (("tpr", "fnr"), ("tnr", "fpr"), ("ppv", "fdr"), ("npv", "for")):
        a, b = gap(name, one, two), gap(other, one, two)
        np.testing.assert_allclose(a.value, -b.value, atol=1e-14)
        np.testing.assert_allclose(a.low, -b.high, atol=1e-12)
        np.testing.assert_allclose(a.p, b.p, rtol=1e-9)


@given(CELLS, CELLS)
@settings(max_examples=30, deadline=None)
def test_exchanging_the_sides_mirrors_every_gap(one: tuple[int, ...], two: tuple[int, ...]) -> None:
    for name, m in METRICS.items():
        if not m.needs_score:
            a, b = gap(name, one, two), gap(name, two, one)
            np.testing.assert_allclose(a.value, -b.value, atol=1e-14)
            np.testing.assert_allclose(a.low, -b.high, atol=1e-12)
            np.testing.assert_allclose(a.p, b.p, rtol=1e-9)


@given(st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=20))
@settings(max_examples=12, deadline=None)
def test_every_gap_has_an_interval_around_it_or_a_reason(pairs: list[tuple[tuple[int, ...], tuple[int, ...]]]) -> None:
    group, rest = (CellArrays(*np.asarray(side).T) for side in zip(*pairs, strict=True))
    sides = Sample(group), Sample(rest), Sample(group.plus(rest))
    for name, m in METRICS.items():
        for comparison in ("difference", "ratio") if not m.needs_score else ():
            asked: dict[str, Any] = {"comparison": comparison, "confidence": 0.95, "inner_confidence": 0.9}
            for found in (independent_gaps(m, *sides[:2], **asked), overall_gaps(m, *sides, **asked)):
                for estimate in found.to_estimates():
                    if estimate.value is None or estimate.low is None:
                        assert estimate.reason, (name, comparison)
                    else:
                        assert estimate.low - 1e-9 <= estimate.value <= estimate.high + 1e-9, (name, comparison)  # type: ignore[operator]


def test_a_ratio_to_zero_is_undefined_never_infinite() -> None:
    (estimate,) = gap("fpr", (0, 3, 5, 0), (0, 0, 9, 0), "ratio").to_estimates()
    assert (estimate.value, estimate.high) == (None, None)
    assert estimate.reason == "the reference's value is 0, so there is no ratio"


def test_the_reason_says_on_which_side_a_value_is_missing() -> None:
    assert gap("tpr", (0, 3, 5, 0), (4, 0, 9, 1)).to_estimates()[0].reason == "no row labelled 1"
    assert gap("tpr", (4, 0, 9, 1), (0, 3, 5, 0)).to_estimates()[0].reason == "in the reference: no row labelled 1"
