"""Gaps of agreement between groups: values, intervals, p-values and the three verdicts."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.stats.agreement import agreement_from_counts
from reporter.stats.agreement_gaps import (
    MAY_BE_CHANCE,
    NO_VARIANCE,
    TOO_SMALL,
    TOO_WIDE,
    UNDEFINED,
    agreement_gaps,
)
from reporter.stats.comparisons import adjust_p
from reporter.stats.icc import icc
from reporter.stats.rater_pairs import PairCounts, PairMoments


def moments_of(*groups: np.ndarray) -> PairMoments:
    rows = []
    for scores in groups:
        r, s = scores.T
        dr, ds = r - r.mean(), s - s.mean()
        rows.append((len(r), r.mean(), s.mean(), dr @ dr, ds @ ds, dr @ ds))
    return PairMoments.of(*zip(*rows, strict=True))


def test_kappa_gap_is_the_difference_with_both_variances() -> None:
    gap = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["kappa"], counts=PairCounts.of([40, 60], [5, 9], [6, 12], [49, 119])
    )[0]
    here, there = agreement_from_counts(40, 5, 6, 49), agreement_from_counts(60, 9, 12, 119)
    error = math.hypot(here.kappa_high - here.kappa_low, there.kappa_high - there.kappa_low) / 2 / 1.959963984540054
    assert gap.gap.value == pytest.approx(here.kappa - there.kappa)
    assert gap.gap.high - gap.gap.value == pytest.approx(1.959963984540054 * error)
    assert gap.p == pytest.approx(math.erfc(abs(gap.gap.value) / error / math.sqrt(2)))


def test_pabak_gap_is_twice_newcombes_interval() -> None:
    from statsmodels.stats.proportion import confint_proportions_2indep

    gap = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["pabak"], counts=PairCounts.of([40, 60], [5, 9], [6, 12], [49, 119])
    )[0]
    low, high = confint_proportions_2indep(89, 100, 179, 200, method="newcomb")
    assert (gap.gap.low, gap.gap.high) == pytest.approx((2 * low, 2 * high), abs=1e-9)


def test_icc_gap_combines_both_intervals_and_its_p_value_is_where_it_touches_0() -> None:
    rng = np.random.default_rng(3)
    one, two = (rng.normal(size=(80, 1)) + rng.normal(scale=sd, size=(80, 2)) for sd in (0.3, 0.8))
    gap = agreement_gaps(["x", "y"], grouping="g", statistics=["icc"], moments=moments_of(one, two))[0]
    here, there = icc(one), icc(two)
    assert gap.statistic == "icc_a1"
    assert gap.gap.value == pytest.approx(here.value - there.value)
    assert gap.gap.low == pytest.approx(
        gap.gap.value - math.hypot(here.value - here.low, there.high - there.value), abs=1e-9
    )
    touching = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["icc"], moments=moments_of(one, two), confidence=1 - gap.p
    )[0]
    assert touching.gap.low == pytest.approx(0, abs=1e-6)


def test_the_icc_gap_test_keeps_its_size_for_normal_scores() -> None:
    rng = np.random.default_rng(11)
    rejected = 0
    for _ in range(300):
        one, two = (rng.normal(size=(60, 1)) + rng.normal(scale=0.5, size=(60, 2)) for _ in range(2))
        gap = agreement_gaps(["x", "y"], grouping="g", statistics=["icc"], moments=moments_of(one, two))[0]
        rejected += gap.p <= 0.05
    assert rejected / 300 == pytest.approx(0.05, abs=0.04)


def test_the_rest_of_moments_is_what_the_other_rows_give() -> None:
    rng = np.random.default_rng(1)
    groups = [1e8 + rng.normal(loc=i, size=(20 + i, 2)) for i in range(4)]
    rest = moments_of(*groups).rest()
    expected = moments_of(np.concatenate([groups[0], groups[2], groups[3]]))
    for name in ("n", "mean_r", "mean_s", "s_rr", "s_ss", "s_rs"):
        assert getattr(rest, name)[1] == pytest.approx(getattr(expected, name)[0], rel=1e-6)


def test_two_groups_are_one_comparison_and_more_are_adjusted_together() -> None:
    two = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["pabak"], counts=PairCounts.of([40, 60], [5, 9], [6, 12], [49, 119])
    )
    assert two[0].p_adjusted == two[0].p == two[1].p_adjusted
    assert two[0].gap.value == pytest.approx(-two[1].gap.value)
    counts = PairCounts.of([40, 60, 30], [5, 9, 20], [6, 12, 20], [49, 119, 30])
    three = agreement_gaps(["x", "y", "z"], grouping="g", statistics=["kappa", "pabak"], counts=counts)
    assert len(three) == 6
    assert [gap.p_adjusted for gap in three] == adjust_p([gap.p for gap in three], "holm")


def verdict_of(counts: PairCounts, **settings: float) -> tuple[str, str | None]:
    gap = agreement_gaps(["x", "y"], grouping="g", statistics=["pabak"], counts=counts, **settings)[0]  # type: ignore[arg-type]
    return gap.verdict, gap.reason


def test_a_clear_gap_diverges() -> None:
    assert verdict_of(PairCounts.of([400, 400], [100, 10], [100, 10], [400, 580])) == ("diverges", None)


def test_a_small_gap_of_many_rows_is_within_the_limit() -> None:
    assert verdict_of(PairCounts.of([4000, 4010], [100, 95], [100, 95], [5800, 5800])) == ("within limit", None)


def test_few_rows_are_insufficient_evidence_with_the_reason() -> None:
    assert verdict_of(PairCounts.of([5, 400], [1, 10], [1, 10], [5, 580])) == ("insufficient evidence", TOO_SMALL)
    assert verdict_of(PairCounts.of([20, 20], [2, 2], [2, 2], [20, 21])) == ("insufficient evidence", TOO_WIDE)
    assert verdict_of(PairCounts.of([20, 22], [4, 2], [2, 1], [20, 20])) == ("insufficient evidence", MAY_BE_CHANCE)


def test_an_undefined_statistic_has_no_gap_and_a_certain_one_no_interval() -> None:
    constant = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["kappa"], counts=PairCounts.of([40, 60], [0, 9], [0, 12], [0, 119])
    )[0]
    assert (constant.gap.value, constant.p, constant.verdict, constant.reason) == (
        None,
        None,
        "insufficient evidence",
        UNDEFINED,
    )
    perfect = agreement_gaps(
        ["x", "y"], grouping="g", statistics=["kappa"], counts=PairCounts.of([40, 60], [0, 9], [0, 12], [40, 119])
    )[0]
    assert perfect.gap.value is not None
    assert (perfect.gap.low, perfect.reason) == (None, NO_VARIANCE)


def test_one_group_has_no_gap() -> None:
    assert agreement_gaps(["x"], grouping="g", counts=PairCounts.of([1], [1], [1], [1])) == ()


def test_an_unknown_statistic_is_refused() -> None:
    with pytest.raises(ValueError, match="'alpha' has no gap"):
        agreement_gaps(
            ["x", "y"], grouping="g", statistics=["alpha"], counts=PairCounts.of([1, 1], [1, 1], [1, 1], [1, 1])
        )


@given(st.lists(st.tuples(*[st.integers(0, 50)] * 4), min_size=2, max_size=5), st.randoms(use_true_random=False))
def test_the_order_of_groups_changes_nothing(rows: list[tuple[int, ...]], random: object) -> None:
    names = [f"g{i}" for i in range(len(rows))]
    order = list(range(len(rows)))
    random.shuffle(order)  # type: ignore[attr-defined]
    one = agreement_gaps(names, grouping="g", counts=PairCounts.of(*zip(*rows, strict=True)))
    other = agreement_gaps(
        [names[i] for i in order], grouping="g", counts=PairCounts.of(*zip(*(rows[i] for i in order), strict=True))
    )
    by_name = {(gap.statistic, gap.group): gap for gap in other}
    for gap in one:
        twin = by_name[gap.statistic, gap.group]
        assert twin.gap.value == pytest.approx(gap.gap.value)
        assert twin.p == pytest.approx(gap.p)
        assert twin.p_adjusted == pytest.approx(gap.p_adjusted)
        assert twin.verdict == gap.verdict
