"""Frames from Python: the same values in any dtype give the same counts, and what cannot be counted is refused."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from reporter.data import cells
from reporter.data.counts import Counts
from reporter.errors import DataError, Problem

Count = Callable[..., Counts]
Y, D = [1, 0, 1, 0, 1, 1], [1, 1, 0, 0, None, 1]
SITE = [1, 2, 10, 2, None, 1]


def _bytes(counts: Counts, folder: Path) -> dict[str, bytes]:
    counts.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


DTYPES: dict[str, Any] = {
    "float": pd.array(SITE, dtype="float64"),
    "nullable integer": pd.array(SITE, dtype="Int64"),
    "string": pd.array(["1", "2", "10", "2", None, "1"], dtype="string"),
    "object": pd.array(["1", "2", "10", "2", None, "1"], dtype=object),
    "mixed objects": np.array([1, "2", 10.0, decimal.Decimal("2.0"), None, "1"], dtype=object),
    "category of text": pd.Categorical(["1", "2", "10", "2", None, "1"]),
    "category of integers": pd.Categorical(SITE, categories=[10, 2, 1]),
    "float32": np.array(SITE, dtype="float32"),
    "decimal": pd.array([None if s is None else decimal.Decimal(s) for s in SITE], dtype=object),
}


@pytest.mark.parametrize("kind", list(DTYPES))
def test_groups_of_any_dtype_give_the_same_bytes(tmp_path: Path, counted: Count, kind: str) -> None:
    expected = counted(pd.DataFrame({"site": DTYPES["string"], "y": Y, "d": D}), groups=["site"])
    found = counted(pd.DataFrame({"site": DTYPES[kind], "y": Y, "d": D}), groups=["site"])
    assert [(level.name, level.n) for level in cells.levels(found, "site")] == [
        ("1", 2),
        ("2", 2),
        ("10", 1),
        ("(missing)", 1),
    ]
    assert _bytes(expected, tmp_path / "a") == _bytes(found, tmp_path / "b")


@pytest.mark.parametrize(
    ("label", "prediction"),
    [
        ([1, 0, 1, 0], [1, 1, 0, 0]),
        ([True, False, True, False], [True, True, False, False]),
        (["1", "0", "1", "0"], [1, 1, 0, 0]),
        ([1.0, 0.0, 1.0, 0.0], ["1", "1", "0", "0"]),
        (["1.0", "0", "1", "0.0"], ["True", "TRUE", "false", "False"]),
        (np.array([1, 0, 1, 0], dtype=object), np.array(["1", 1, 0.0, False], dtype=object)),
    ],
)
def test_labels_and_predictions_of_mixed_kinds_are_normalised_once(
    tmp_path: Path, counted: Count, label: Any, prediction: Any
) -> None:
    sex = ["F", "F", "M", "M"]
    expected = counted(pd.DataFrame({"sex": sex, "y": [1, 0, 1, 0], "d": [1, 1, 0, 0]}), groups=["sex"])
    found = counted(pd.DataFrame({"sex": sex, "y": label, "d": prediction}), groups=["sex"])
    assert _bytes(expected, tmp_path / "a") == _bytes(found, tmp_path / "b")


def test_arrow_ibis_and_dictionaries_give_the_same_bytes(tmp_path: Path, counted: Count) -> None:
    frame = pd.DataFrame({"sex": ["F", None, "M", "F"], "y": [1, 0, 1, None], "d": [1, 1, 0, 0]})
    expected = _bytes(counted(frame, groups=["sex"]), tmp_path / "a")
    table = pa.Table.from_pandas(frame, preserve_index=False)
    encoded = table.set_column(0, "sex", table["sex"].dictionary_encode())
    for name, data in {
        "arrow": table,
        "encoded": encoded,
        "memory": ibis.memtable(table),
        "expression": ibis.memtable(table).mutate(extra=1),
    }.items():
        assert _bytes(counted(data, groups=["sex"]), tmp_path / name) == expected, name


def test_a_filter_works_on_frames_and_ibis_tables(counted: Count) -> None:
    frame = pd.DataFrame({"year": [2025, 2026, 2026], "y": [1, 0, 1], "d": [1, 1, 0]})
    for data in (frame, ibis.memtable(pa.Table.from_pandas(frame))):
        counts = counted(data, data={"where": "year = 2026"})
        assert (counts.facts["n"], counts.facts["n_filtered_out"]) == (2, 1)


def test_dates_and_booleans_are_groups(counted: Count) -> None:
    frame = pd.DataFrame(
        {
            "day": [datetime.date(2026, 1, 2), datetime.date(2026, 1, 1), None],
            "urgent": [True, False, None],
            "y": [1, 0, 1],
            "d": [1, 0, 1],
        }
    )
    counts = counted(frame, groups=["day", "urgent"])
    assert [level.name for level in cells.levels(counts, "day")] == ["2026-01-01", "2026-01-02", "(missing)"]
    assert [level.name for level in cells.levels(counts, "urgent")] == ["false", "true", "(missing)"]


def test_a_literal_missing_is_quoted_and_apart_from_missing_values(counted: Count) -> None:
    frame = pd.DataFrame({"g": ["(missing)", None, "nan", "NA", "(other)", '"(missing)"'], "y": 1, "d": 1})
    assert [(level.name, level.values) for level in cells.levels(counted(frame, groups=["g"]), "g")] == [
        ('""(missing)""', ('"(missing)"',)),
        ('"(missing)"', ("(missing)",)),
        ('"(other)"', ("(other)",)),
        ("NA", ("NA",)),
        ("nan", ("nan",)),
        ("(missing)", (None,)),
    ]


def test_names_of_combinations_are_never_ambiguous(counted: Count) -> None:
    frame = pd.DataFrame({"a": ["x, y", "x"], "b": ["z", "y, z"], "y": 1, "d": 1})
    names = [level.name for level in cells.levels(counted(frame, groups=[["a", "b"]]), "a x b")]
    assert names == ['"x", "y, z"', '"x, y", "z"']


def test_duplicate_columns_of_a_frame_are_an_error(problems: Callable[..., list[Problem]]) -> None:
    frame = pd.DataFrame([["F", "M", 1, 1], ["M", "F", 0, 1]], columns=["sex", "sex", "y", "d"])
    (found,) = problems(frame, groups=["sex"])
    assert "2 columns named 'sex'" in found.message
    assert found.key == "groups[0]"


def test_a_column_of_lists_is_refused_with_its_type(problems: Callable[..., list[Problem]]) -> None:
    (found,) = problems(pa.table({"g": [[1], [2]], "y": [1, 0], "d": [1, 0]}), groups=["g"])
    assert "expected text, numbers, booleans or dates" in found.message


def test_a_path_given_from_python_is_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, configured: Callable[..., Any]
) -> None:
    from reporter.data.counts import count
    from reporter.data.source import open_source

    (tmp_path / "a.csv").write_text("y,d\n1,1\n0,1\n")
    monkeypatch.chdir(tmp_path)
    loaded = configured("elsewhere.csv")
    assert count(open_source(loaded, data="a.csv"), loaded).facts["n"] == 2
    with pytest.raises(DataError, match="there is no file"):
        open_source(loaded)
