"""What is given from Python as data: columns of any pandas type get the names that a reader expects, and what is no table is refused."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import reporter
from reporter.data import cells
from reporter.data.counts import Counts
from reporter.errors import InputError, Problem

Count = Callable[..., Counts]
Y, D = [1, 0, 1, 0], [1, 1, 0, 0]


def _sizes(counts: Counts) -> dict[str, int]:
    return {level.name: level.n for level in cells.levels(counts, "g")}


GROUPS: dict[str, tuple[Any, dict[str, int]]] = {
    "intervals of cut": (pd.cut([1, 9, 9, np.nan], [0, 5, 10]), {"(0, 5]": 1, "(5, 10]": 2, "(missing)": 1}),
    "intervals": (pd.arrays.IntervalArray.from_tuples([(0, 1), (1, 2)] * 2), {"(0, 1]": 2, "(1, 2]": 2}),
    "days": (pd.PeriodIndex(["2020-01-01", "2020-01-02"] * 2, freq="D"), {"2020-01-01": 2, "2020-01-02": 2}),
    "quarters": (pd.PeriodIndex(["2020Q1", None] * 2, freq="Q"), {"2020Q1": 2, "(missing)": 2}),
    "a category of quarters": (
        pd.Categorical(pd.PeriodIndex(["2020Q1", None] * 2, freq="Q")),
        {"2020Q1": 2, "(missing)": 2},
    ),
    "integers beyond 64 bits": ([10**30, 7] * 2, {"7": 2, "1" + "0" * 30: 2}),
    "sparse": (pd.arrays.SparseArray([0, 0, 3, 0]), {"0": 3, "3": 1}),
    "moments": (
        pd.to_datetime(["2020-01-01", "2020-07-01"] * 2).tz_localize("Europe/Zurich"),
        {"2020-01-01 00:00:00+01:00": 2, "2020-07-01 00:00:00+02:00": 2},
    ),
}


@pytest.mark.parametrize("kind", list(GROUPS))
def test_values_are_called_what_pandas_calls_them(counted: Count, kind: str) -> None:
    values, expected = GROUPS[kind]
    frame = pd.DataFrame({"g": values, "y": Y, "d": D})
    assert _sizes(counted(frame, groups=["g"])) == expected
    table = reporter.parity(frame, "accuracy", label="y", group="g", prediction="d")
    assert dict(zip(table["group"], table["n"], strict=True)) == expected


def test_moments_of_an_arrow_table_are_named_in_their_own_zone(counted: Count) -> None:
    moment = datetime.datetime(2020, 1, 1, tzinfo=ZoneInfo("Europe/Zurich"))
    kind = pa.timestamp("us", tz="Europe/Zurich")
    table = pa.table({"g": pa.array([moment, None, moment, moment], kind), "y": Y, "d": D})
    assert _sizes(counted(table, groups=["g"])) == {"2020-01-01 00:00:00+01:00": 3, "(missing)": 1}


def test_moments_that_a_tree_splits_on_are_named_in_their_own_zone() -> None:
    moments = pd.to_datetime(["2020-01-01", "2020-01-02"] * 200).tz_localize("Europe/Zurich")
    frame = pd.DataFrame({"day": moments, "sex": np.repeat(["f", "m"], 200), "y": 1})
    frame["a"] = np.arange(400) % 3 % 2
    frame["b"] = ((frame["sex"] == "f") & (np.arange(400) % 2 == 0)).astype(int)
    models = [{"name": "a", "prediction": "a"}, {"name": "b", "prediction": "b"}]
    tree = {"attribute": "sex", "compare": ["a", "b"], "split_on": ["day"], "min_size": 20}
    report = reporter.run({"data": {"label": "y"}, "models": models, "trees": [tree]}, data=frame)
    levels = {level for split in _splits(report) for level in split}
    assert levels == {"2020-01-01 00:00:00+01:00", "2020-01-02 00:00:00+01:00"}


def _splits(report: Any) -> list[list[str]]:
    root = report.trees[0].to_dict()
    return [
        root["split"]["levels_left"],
        *(leaf["path"].split(": ")[-1].split(" = ")[-1:] for leaf in report.trees[0].leaves().to_dict("records")),
    ]


def test_sparse_predictions_are_predictions(counted: Count) -> None:
    dense = pd.DataFrame({"g": list("aabb"), "y": Y, "d": D})
    sparse = dense.assign(d=pd.arrays.SparseArray(D))
    assert cells.cells(counted(sparse, groups=["g"]), "g", "m").tp.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "data: found 5, expected a pandas or Arrow frame, an Ibis table or a path"),
        ([{"g": "a", "y": 1}], "data: found [{'g': 'a', 'y': 1}], expected a pandas"),
        (np.zeros((2, 2)), "data: found a ndarray, expected a pandas"),
        (pd.Series([1, 0], name="y"), "data: found a Series, expected a pandas"),
        (pd.DataFrame(), "data: found a table without columns"),
        (pa.table({}), "data: found a table without columns"),
        ({}, "data: found a table without columns"),
        ({"y": [1, 0], "d": [1]}, "data: cannot be read as a table: "),
        (
            pd.DataFrame({"g": pd.Series(["\ud800"], dtype=object)}),
            "data: column 'g' holds text that is not Unicode (half of a pair",
        ),
        (
            pd.DataFrame([[1]], columns=pd.Index(["\ud800"], dtype=object)),
            "data: the name '\\ud800' is not Unicode (half of a pair",
        ),
        ({"g": ["\ud800"], "y": [1]}, "data: cannot be read as a table: "),
    ],
    ids=["number", "records", "array", "series", "frame", "arrow", "mapping", "ragged", "text", "name", "mapped text"],
)
def test_what_is_no_table_is_refused(counted: Count, data: Any, message: str) -> None:
    keys = {"models": [{"name": "m", "prediction": "d"}], "data": {"label": "y"}, "groups": ["g"]}
    with pytest.raises(InputError) as caught:
        reporter.run(keys, data=data)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (pd.to_timedelta([1, 2, 3, 4], unit="h"), "durations"),
        ([[1], [2], [3], [4]], "lists"),
        ([{"a": 1}] * 4, "records"),
        ([b"a"] * 4, "bytes"),
    ],
    ids=["durations", "lists", "records", "bytes"],
)
def test_columns_that_hold_no_single_values_are_named_in_words(
    problems: Callable[..., list[Problem]], values: Any, words: str
) -> None:
    (found,) = problems(pd.DataFrame({"g": values, "y": Y, "d": D}), groups=["g"])
    assert found.message == f"column 'g' holds {words}; expected text, numbers, booleans or dates"
