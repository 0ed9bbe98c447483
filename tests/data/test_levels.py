"""Names, order and pooling of groups; intervals of numeric columns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.data import cells
from reporter.data.counts import Counts
from reporter.data.groupings import Bins

Count = Callable[..., Counts]


def _sizes(counts: Counts, grouping: str) -> list[tuple[str, int]]:
    return [(level.name, level.n) for level in cells.levels(counts, grouping)]


def test_breaks_are_closed_on_the_right_with_open_ends_and_lose_no_row(counted: Count) -> None:
    frame = pd.DataFrame({"age": [17, 18, 18.5, 25, 40, 41, np.nan, np.inf], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"column": "age", "breaks": [18, 25, 40]}])
    assert _sizes(counts, "age") == [("<= 18", 2), ("(18, 25]", 2), ("(25, 40]", 1), ("> 40", 2), ("(missing)", 1)]


def test_a_number_of_breaks_is_equal_widths_over_the_range(counted: Count) -> None:
    frame = pd.DataFrame({"x": [0.0, 1, 2, 3, 4, 10], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"column": "x", "breaks": 4}])
    assert _sizes(counts, "x") == [("<= 2.5", 3), ("(2.5, 5]", 2), ("> 7.5", 1)]


def test_a_width_makes_intervals_between_its_multiples(counted: Count) -> None:
    frame = pd.DataFrame({"x": [0.1, 0.3, 0.30001, 1.1, -0.05], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"column": "x", "width": 0.1}])
    assert _sizes(counts, "x") == [
        ("(-0.1, 0]", 1),
        ("(0, 0.1]", 1),
        ("(0.2, 0.3]", 1),
        ("(0.3, 0.4]", 1),
        ("(1, 1.1]", 1),
    ]


def test_quantiles_keep_equal_values_together(counted: Count) -> None:
    frame = pd.DataFrame({"x": [1, 1, 1, 1, 2, 3, 4, 5], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"column": "x", "quantiles": 4}])
    assert _sizes(counts, "x") == [("<= 1", 4), ("(1, 3]", 2), ("> 3", 2)]


def test_a_constant_column_is_one_interval(counted: Count) -> None:
    frame = pd.DataFrame({"x": [3.0, 3.0], "y": 1, "d": 1})
    for how in ({"breaks": 4}, {"quantiles": 4}, {"width": 2}):
        assert sum(n for _, n in _sizes(counted(frame, groups=[{"column": "x", **how}]), "x")) == 2


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.floats(1e-3, 1e6))
def test_every_number_lies_in_its_interval_of_width(values: list[float], width: float) -> None:
    low, high = min(values), max(values)
    if (high - low) / width > 5_000:
        return
    bins = Bins.of_width(width, low, high)
    assert len(bins.labels) == len(bins.cuts) + 1
    for value in values:
        place = int(np.searchsorted(bins.cuts, value, side="left"))
        left, right = (float(end) for end in bins.labels[place][1:-1].split(", "))
        assert left < value <= right


def test_small_groups_are_pooled_with_their_names(counted: Count) -> None:
    frame = pd.DataFrame({"site": ["a"] * 5 + ["b"] * 2 + ["c"] + [None], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"column": "site", "at_least": 3}])
    levels = cells.levels(counts, "site")
    assert [(level.name, level.n, level.pooled) for level in levels] == [
        ("a", 5, ()),
        ("(other)", 3, ("b", "c")),
        ("(missing)", 1, ()),
    ]
    assert cells.grouping_notes(counts, "site") == ("2 groups with fewer than 3 rows pooled as (other): b, c.",)


def test_small_combinations_are_pooled_and_missing_ones_are_not(counted: Count) -> None:
    frame = pd.DataFrame({"a": [*list("xxxyyz"), None], "b": [*list("uuuuvv"), "u"], "y": 1, "d": 1})
    counts = counted(frame, groups=[{"columns": ["a", "b"], "at_least": 2}])
    assert [(level.name, level.n, level.pooled) for level in cells.levels(counts, "a x b")] == [
        ("x, u", 3, ()),
        ("(missing), u", 1, ()),
        ("(other)", 3, ("y, u", "y, v", "z, v")),
    ]


def test_a_column_of_an_intersection_is_pooled_before_it_is_crossed(counted: Count) -> None:
    frame = pd.DataFrame({"a": list("xxxyz"), "b": list("uuvuv"), "y": 1, "d": 1})
    counts = counted(frame, groups=[[{"column": "a", "at_least": 2}, "b"]])
    assert _sizes(counts, "a x b") == [("x, u", 2), ("x, v", 1), ("(other), u", 1), ("(other), v", 1)]


def test_numbers_are_sorted_as_numbers_and_words_as_words(counted: Count) -> None:
    frame = pd.DataFrame({"n": ["10", "9", "-1", None], "w": ["10", "9", "x", None], "y": 1, "d": 1})
    counts = counted(frame, groups=["n", "w"])
    assert [name for name, _ in _sizes(counts, "n")] == ["-1", "9", "10", "(missing)"]
    assert [name for name, _ in _sizes(counts, "w")] == ["10", "9", "x", "(missing)"]


def test_counts_are_the_same_after_saving_and_loading(tmp_path: Path, counted: Count) -> None:
    frame = pd.DataFrame({"a": ["x, y", None, "é"], "s": [0.1, 0.2, None], "y": [1, 0, None], "d": [1, 0, 1]})
    models: list[dict[str, Any]] = [{"name": "m / 1", "prediction": "d"}, {"name": "s", "score": "s"}]
    counts = counted(frame, groups=["a"], models=models)
    counts.save(tmp_path / "record")
    loaded = Counts.load(tmp_path / "record")
    assert loaded.facts == counts.facts
    assert set(loaded.tables) == set(counts.tables)
    assert cells.levels(loaded, "a") == cells.levels(counts, "a")
    for model in ("m / 1", "s"):
        for one, other in zip(
            cells.cells(loaded, "a", model).arrays(), cells.cells(counts, "a", model).arrays(), strict=True
        ):
            np.testing.assert_array_equal(one, other)
    loaded.save(tmp_path / "again")
    for file in (tmp_path / "record").iterdir():
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


@pytest.mark.parametrize("damage", ["no facts", "no table", "not json", "not parquet"])
def test_a_damaged_folder_of_counts_is_a_data_error(tmp_path: Path, counted: Count, damage: str) -> None:
    from reporter.errors import DataError

    counted(pd.DataFrame({"y": [1], "d": [1]})).save(tmp_path)
    table = next(iter(tmp_path.glob("*.parquet")))
    if damage == "no facts":
        (tmp_path / "facts.json").unlink()
    elif damage == "no table":
        table.unlink()
    elif damage == "not json":
        (tmp_path / "facts.json").write_text("{")
    else:
        table.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="does not hold the counts of a run"):
        Counts.load(tmp_path)
