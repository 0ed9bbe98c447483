"""Rounding and units, and what rounding must never do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.render import format as fmt

SHARES = st.floats(0, 1, allow_nan=False)


@given(SHARES, st.integers(0, 2))
def test_a_share_is_zero_or_whole_in_print_only_if_it_is(value: float, digits: int) -> None:
    shown = fmt.percent(value, digits)
    assert bool(re.fullmatch(r"0(\.0+)?\u00a0%", shown)) == (value == 0)
    assert bool(re.fullmatch(r"100(\.0+)?\u00a0%", shown)) == (value == 1)


@given(st.floats(-1, 1, allow_nan=False))
def test_a_coefficient_is_an_extreme_in_print_only_if_it_is(value: float) -> None:
    shown = fmt.coefficient(value)
    assert bool(re.fullmatch(r"0\.0+", shown)) == (value == 0)
    assert bool(re.fullmatch(r"−?1\.0+", shown)) == (abs(value) == 1)


@given(SHARES)
def test_whole_percents_are_the_nearest(value: float) -> None:
    shown = fmt.percent_number(value)
    if "." not in shown and shown[0] not in "<>":
        assert abs(float(shown) - value * 100) <= 0.5 + 1e-9


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.125, "13"),
        (0.005, "1"),
        (0.0049, "0.5"),
        (0.995, "99.5"),
        (0.9949, "99"),
        (-0.02, "−2"),
        (0.0, "0"),
        (1.0, "100"),
    ],
)
def test_halves_go_up_and_the_ends_keep_a_digit(value: float, shown: str) -> None:
    assert fmt.percent_number(value) == shown


def test_a_number_and_its_unit_do_not_part() -> None:
    assert fmt.percent(0.31) == "31\u00a0%"
    assert fmt.points(0.13) == "13\u00a0points"
    assert fmt.points(-0.01) == "1\u00a0point"


def test_thousands_are_set_off() -> None:
    assert fmt.count(1894) == "1,894"
    assert fmt.plain(20000) == "20,000"


def test_parts_add_up_as_they_are_written() -> None:
    assert fmt.adds_up(-0.10, [-0.04, -0.07, 0.01])
    assert not fmt.adds_up(0.0759, [0.0384, 0.0124, 0.0251])


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "p < 0.001"),
        (0.0009, "p < 0.001"),
        (0.001, "p = 0.001"),
        (0.04999, "p = 0.050"),
        (0.995, "p > 0.99"),
        (1.0, "p = 1"),
    ],
)
def test_p_values(value: float, shown: str) -> None:
    assert fmt.p_value(value).replace("\u00a0", " ") == shown
