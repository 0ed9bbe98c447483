"""Perturbed copies: the right values change, by the right amounts, as often as asked; the others stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.errors import InputError
from reporter.stats.noise_spec import noise_spec
from reporter.stats.perturbation import Perturber, coded


def drawn(columns: dict[str, Any], perturb: dict[str, Any], levels: list[float], seed: int = 0, **design: Any) -> Any:
    arrays = {name: np.asarray(values) for name, values in columns.items()}
    n = len(next(iter(arrays.values())))
    perturber = Perturber(arrays, noise_spec(perturb, levels=levels, **design))
    found = perturber.draw(np.random.default_rng(seed), np.arange(n))
    return {name: values.reshape(len(levels), n) for name, values in found.items()}


def test_nothing_changes_at_level_0_and_everything_at_level_1() -> None:
    sex, age = np.arange(1000) % 2, np.arange(1000)
    found = drawn({"sex": sex, "age": age}, {"sex": "flip", "age": {"sd": 1000}}, [0.0, 1.0])
    assert (found["sex"][0] == sex).all()
    assert (found["sex"][1] == 1 - sex).all()
    assert (found["age"][0] == age).all()
    assert (found["age"][1] != age).all()


def test_the_share_of_changed_values_is_the_level() -> None:
    found = drawn({"sex": np.zeros(200_000, int)}, {"sex": "flip"}, [0.01, 0.1, 0.3])
    shares = found["sex"].mean(axis=1)
    for share, level in zip(shares, [0.01, 0.1, 0.3], strict=True):
        assert share == pytest.approx(level, abs=5 * (level * (1 - level) / 200_000) ** 0.5)


def test_sd_is_a_standard_deviation_and_not_a_variance() -> None:
    found = drawn({"x": np.zeros(100_000)}, {"x": {"sd": 5}}, [1.0])["x"][0]
    assert found.std() == pytest.approx(5, rel=0.02)
    assert found.mean() == pytest.approx(0, abs=0.1)


def test_rounded_draws_keep_whole_numbers_whole() -> None:
    found = drawn({"x": np.arange(1000)}, {"x": {"sd": 2, "round": True}}, [1.0])["x"]
    assert found.dtype == np.int64
    halves = drawn({"x": np.arange(1000) + 0.5}, {"x": {"sd": 2, "round": True}}, [1.0])["x"]
    assert set(np.unique(halves % 1)) == {0.5}


def test_results_are_clipped_to_minimum_and_maximum() -> None:
    found = drawn({"age": np.full(5000, 20)}, {"age": {"sd": 10, "round": True, "min": 18, "max": 25}}, [1.0])["age"]
    assert (found.min(), found.max()) == (18, 25)


def test_minima_clip_to_the_smallest_value_of_the_column() -> None:
    column = np.array([18.0, 30.0, np.nan] * 500)
    spec = noise_spec({"age": {"sd": 10}}, levels=[1.0]).restricted("minima")
    found = Perturber({"age": column}, spec).draw(np.random.default_rng(0), np.arange(len(column)))["age"]
    assert np.nanmin(found) == 18


def test_missing_values_stay_missing() -> None:
    words = np.array(["a", None, "b", "c"] * 50, dtype=object)
    found = drawn(
        {"x": np.array([1.0, np.nan, 3.0, 4.0] * 50), "word": words},
        {"x": {"sd": 1, "min": 0}, "word": "replace"},
        [1.0],
    )
    assert (np.isnan(found["x"][0]) == (np.arange(200) % 4 == 1)).all()
    assert [value is None for value in found["word"][0]] == [i % 4 == 1 for i in range(200)]
    assert all(new != old for new, old in zip(found["word"][0], words, strict=True) if old is not None)


def test_replacement_takes_every_other_observed_category_alike() -> None:
    original = np.array([3, 7, 9] * 10_000)
    found = drawn({"x": original}, {"x": "replace"}, [1.0])
    for value, others in {3: (7, 9), 7: (3, 9), 9: (3, 7)}.items():
        new = found["x"][0][original == value]
        assert set(new) == set(others)
        assert (new == others[0]).mean() == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("values", "flipped"),
    [
        (np.array([True, False, True]), [False, True, False]),
        (np.array(["yes", "no", "no"], dtype=object), ["no", "yes", "yes"]),
        (np.array([1.0, 2.0, 1.0]), [2.0, 1.0, 2.0]),
        (np.array([0, 0, 0]), [1, 1, 1]),
        (np.array([1, 1, 1], dtype=np.int8), [0, 0, 0]),
    ],
    ids=["booleans", "words", "two numbers", "constant 0", "constant 1"],
)
def test_a_flip_gives_the_other_of_two_values(values: np.ndarray, flipped: list[Any]) -> None:
    found = drawn({"x": values}, {"x": "flip"}, [1.0])["x"][0]
    assert found.tolist() == flipped
    assert found.dtype == values.dtype


def test_a_one_hot_set_moves_its_1_and_stays_one_hot() -> None:
    table = np.eye(3, dtype=int)[np.arange(3000) % 3]
    columns = {"a": table[:, 0], "b": table[:, 1], "c": table[:, 2]}
    found = drawn(columns, {"a": "flip"}, [0.2, 1.0], one_hot=[["a", "b", "c"]])
    stacked = np.stack([found[name] for name in "abc"], axis=2)
    assert (stacked.sum(axis=2) == 1).all()
    moved = (stacked != table).any(axis=2).mean(axis=1)
    assert moved[0] == pytest.approx(0.2, abs=0.04)
    assert moved[1] == 1


@given(st.integers(1, 60), st.integers(0, 2**31))
def test_quotas_change_exactly_so_many_values(n: int, seed: int) -> None:
    spec = noise_spec({"x": "flip", "y": "flip"}, levels=[0.1, 0.5])
    perturber = Perturber({"x": np.zeros(n, int), "y": np.zeros(n, int)}, spec)
    quota = np.array([[0, n], [n // 2, n // 3]])
    found = perturber.draw(np.random.default_rng(seed), np.arange(n), quota)
    assert [found[name].reshape(2, n).sum(axis=1).tolist() for name in "xy"] == [[0, n // 2], [n, n // 3]]


@pytest.mark.parametrize(
    ("columns", "perturb", "message"),
    [
        ({"x": [0, 1, 2]}, {"x": "flip"}, "perturb.x: 'x' has 3 distinct values, a flip needs 2. Use replace."),
        ({"x": [5, 5, 5]}, {"x": "flip"}, "perturb.x: 'x' has 1 distinct values, a flip needs 2"),
        ({"x": [5, 5, 5]}, {"x": "replace"}, "a replacement needs 2 or more"),
        ({"x": ["a", "b", "b"]}, {"x": {"sd": 1}}, "perturb.x: 'x' is not a column of numbers. Use flip or replace."),
        ({"x": [1.0, np.inf, 2.0]}, {"x": {"sd": 1}}, "'x' holds infinite values"),
        ({"x": [1, 2, 3]}, {"y": "flip"}, "perturb.y: 'y' is not among the inputs (x)"),
    ],
)
def test_columns_that_do_not_fit_are_named(columns: Any, perturb: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        drawn(columns, perturb, [0.1])
    assert message in str(error.value)


def test_rows_that_are_not_one_hot_are_counted_and_one_is_named_without_its_values() -> None:
    with pytest.raises(InputError) as error:
        drawn({"a": [1, 0, 1], "b": [0, 0, 1]}, {}, [0.1], one_hot=[["a", "b"]])
    assert "2 rows do not hold exactly one 1, for example row 1 (counted from 0)" in str(error.value)


def test_categories_have_a_fixed_order_whatever_the_order_of_rows() -> None:
    values = np.array(["b", None, "a", "c", "a"], dtype=object)
    levels, codes = coded(values)
    again, reversed_codes = coded(values[::-1])
    assert levels.tolist() == again.tolist() == ["a", "b", "c"]
    assert codes.tolist() == reversed_codes[::-1].tolist() == [1, -1, 0, 2, 0]
