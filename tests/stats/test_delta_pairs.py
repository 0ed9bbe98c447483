"""Which levels of an attribute are compared."""

from __future__ import annotations

from typing import Any

import pytest

from reporter.errors import ConfigError
from reporter.stats.delta_pairs import Pairing, pairings


def test_two_levels_are_one_pair_however_it_is_asked_for() -> None:
    only = (Pairing(("a", "b"), ((0,), (1,))),)
    assert pairings(("a", "b")) == pairings(("a", "b"), "all") == pairings(("a", "b"), "one_vs_rest") == only


def test_a_list_of_pairs_keeps_its_order_and_direction() -> None:
    assert pairings(("a", "b", "c"), [("c", "a"), ("a", "b")]) == (
        Pairing(("c", "a"), ((2,), (0,))),
        Pairing(("a", "b"), ((0,), (1,))),
    )


def test_one_against_the_rest_makes_a_tree_a_level() -> None:
    assert [pairing.groups for pairing in pairings(("a", "b", "c"), "one_vs_rest")] == [
        ((1, 2), (0,)),
        ((0, 2), (1,)),
        ((0, 1), (2,)),
    ]


def test_the_spread_is_one_tree_over_all_levels() -> None:
    assert pairings(("a", "b", "c"), "spread") == (Pairing(("a", "b", "c"), ((0,), (1,), (2,)), "spread"),)


@pytest.mark.parametrize(
    ("labels", "pairs", "message"),
    [
        (("a",), None, "1 levels, expected at least two"),
        (("a", "b", "c"), None, "3 levels: a, b, c. Name two of them, or use pairs"),
        (("a", "b", "c"), "every", "found 'every'"),
        (("a", "b", "c"), [("a", "x")], "found a, x, expected two of the levels a, b, c"),
        (("a", "b", "c"), [("a", "a")], "found a, a"),
        (("a", "b", "c"), [("a", "b", "c")], r"pairs\[0\]: found a, b, c"),
    ],
)
def test_pairs_that_make_no_sense_are_refused(labels: Any, pairs: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        pairings(labels, pairs)
