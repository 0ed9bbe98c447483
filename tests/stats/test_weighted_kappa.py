"""Weighted kappa against statsmodels, and its degenerate tables."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.stats.agreement import agreement_from_counts
from reporter.stats.weighted_kappa import ALWAYS_THE_SAME, NO_INTERVAL, NO_PAIR, weighted_kappa


@pytest.mark.parametrize("weights", ["linear", "quadratic"])
@pytest.mark.parametrize(
    "table", [[[11, 3, 0], [2, 8, 4], [0, 1, 9]], [[5, 1, 0, 0], [2, 9, 3, 1], [0, 0, 14, 2], [1, 0, 3, 30]]]
)
def test_value_and_interval_match_statsmodels(table: list[list[int]], weights: str) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa

    found = weighted_kappa(table, weights=weights)  # type: ignore[arg-type]
    oracle = cohens_kappa(np.array(table), wt=weights)
    assert found.value == pytest.approx(oracle.kappa, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((oracle.kappa_low, oracle.kappa_upp), abs=1e-9)
    assert found.n == np.sum(table)


@given(*[st.integers(0, 40)] * 4)
def test_two_categories_give_cohens_kappa(a: int, b: int, c: int, d: int) -> None:
    found, plain = weighted_kappa([[d, b], [c, a]]), agreement_from_counts(a, b, c, d)
    assert found.value == pytest.approx(plain.kappa, abs=1e-9)
    assert found.low == pytest.approx(plain.kappa_low, abs=1e-6)


def test_degenerate_tables_have_a_reason() -> None:
    assert weighted_kappa(np.zeros((3, 3))).reason == NO_PAIR
    assert weighted_kappa([[0, 0, 0], [0, 7, 0], [0, 0, 0]]).reason == ALWAYS_THE_SAME
    perfect = weighted_kappa([[3, 0, 0], [0, 7, 0], [0, 0, 2]])
    assert (perfect.value, perfect.low, perfect.reason) == (1.0, None, NO_INTERVAL)


def test_bad_tables_are_refused() -> None:
    with pytest.raises(ValueError, match="square"):
        weighted_kappa([[1, 2, 3], [4, 5, 6]])
    with pytest.raises(ValueError, match="whole numbers"):
        weighted_kappa([[1, -2], [3, 4]])
    with pytest.raises(ValueError, match="'cubic' are unknown"):
        weighted_kappa([[1, 2], [3, 4]], weights="cubic")  # type: ignore[arg-type]
