"""The split of a referral gap against the six orders of replacement, and who has none."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reporter.results import Level
from reporter.stats.cells import CellArrays
from reporter.stats.decomposition import decompose


def levels(cells: CellArrays) -> list[Level]:
    return [Level("abcd"[i], n, ("abcd"[i],)) for i, n in enumerate(cells.n.tolist())]


def by_all_orders(group: tuple[float, ...], reference: tuple[float, ...]) -> list[float]:
    """Shapley values of base rate, hit rate and false alarm rate by replacing them one after another."""
    parts = np.zeros(3)
    for order in permutations(range(3)):
        state = list(reference)
        for i in order:
            before = state[0] * state[1] + (1 - state[0]) * state[2]
            state[i] = group[i]
            parts[i] += (state[0] * state[1] + (1 - state[0]) * state[2] - before) / 6
    return parts.tolist()


@given(st.lists(st.tuples(*[st.integers(1, 60)] * 4), min_size=2, max_size=4))
@settings(max_examples=60, deadline=None)
def test_the_parts_are_the_mean_over_all_orders_and_add_up(groups: list[tuple[int, ...]]) -> None:
    cells = CellArrays(*np.asarray(groups).T)
    found = decompose(model="m", levels=levels(cells), cells=cells)
    for one, own, rest in zip(found, cells.to_cells(), cells.rest().to_cells(), strict=True):
        sides = [((c.tp + c.fn) / c.n_labelled, c.tp / (c.tp + c.fn), c.fp / (c.fp + c.tn)) for c in (own, rest)]
        parts = [one.prevalence, one.hit_rate, one.false_alarms]
        assert parts == pytest.approx(by_all_orders(*sides), abs=1e-12)
        assert sum(parts) == pytest.approx(one.gap, abs=1e-12)  # type: ignore[arg-type]
        assert one.gap == pytest.approx((own.tp + own.fp) / own.n_labelled - (rest.tp + rest.fp) / rest.n_labelled)
        assert (one.reference, one.n, one.reason) == ("rest", own.n_labelled, None)


def test_a_group_with_one_class_has_no_decomposition_with_that_reason() -> None:
    cells = CellArrays(tp=[5, 9, 7], fp=[3, 0, 2], tn=[7, 0, 8], fn=[5, 1, 3])
    a, b, c = decompose(model="m", levels=levels(cells), cells=cells)
    assert (b.prevalence, b.hit_rate, b.false_alarms, b.reason) == (None, None, None, "no row labelled 0")
    assert b.gap is not None
    assert a.reason is c.reason is None
    two = cells.take([0, 1])
    assert decompose(model="m", levels=levels(two), cells=two)[0].reason == "in the reference: no row labelled 0"


def test_only_labelled_rows_count() -> None:
    plain = CellArrays(tp=[5, 9], fp=[3, 2], tn=[7, 6], fn=[5, 1])
    more = CellArrays(
        tp=[5, 9], fp=[3, 2], tn=[7, 6], fn=[5, 1], unlabelled_positive=[90, 0], unlabelled_negative=[0, 70]
    )
    assert decompose(model="m", levels=levels(plain), cells=more) == decompose(
        model="m", levels=levels(plain), cells=plain
    )


def test_references() -> None:
    cells = CellArrays(tp=[5, 9, 7], fp=[3, 2, 2], tn=[7, 6, 8], fn=[5, 1, 3])
    known = levels(cells)
    assert [(d.group, d.reference) for d in decompose(model="m", levels=known, cells=cells, reference="b")] == [
        ("a", "b"),
        ("c", "b"),
    ]
    assert [(d.group, d.reference) for d in decompose(model="m", levels=known, cells=cells, reference="largest")] == [
        ("b", "a"),
        ("c", "a"),
    ]
    assert [d.group for d in decompose(model="m", levels=known, cells=cells, reference="overall")] == ["a", "b", "c"]
    assert decompose(model="m", levels=known, cells=cells, reference="White") == ()
    one = cells.take([0])
    assert decompose(model="m", levels=levels(one), cells=one)[0].reason == "there is no other group to compare with"
