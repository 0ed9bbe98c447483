"""A column without a name, as pandas' default CSV and a separator at a line's end make it: it gets one, in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ibis
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from reporter.config.loader import load_config
from reporter.data import cells
from reporter.data.counts import Counts, count
from reporter.data.source import check_source, open_source
from reporter.errors import DataError

NOTE = "Column 1 of the data has no name; it is called 'Unnamed: 0'."


def _count(source: Any, *, data: Any = None, group: str = "sex") -> Counts:
    keys = {"models": [{"name": "m", "prediction": "d"}], "groups": [group]}
    loaded = load_config({"data": {"source": str(source), "label": "y"}, **keys}, environ={})
    return count(open_source(loaded, data=data), loaded)


def _sizes(counts: Counts, grouping: str = "sex") -> dict[str, int]:
    return {level.name: level.n for level in cells.levels(counts, grouping)}


def _table() -> pa.Table:
    return pa.table([["a", "b", "a"], ["f", "m", "m"], [1, 0, 1], [1, 1, 0]], names=["", "sex", "y", "d"])


def test_the_index_that_pandas_writes_by_default_does_not_disturb(tmp_path: Path) -> None:
    frame = pd.DataFrame({"sex": ["f", "m", "m"], "y": [1, 0, 1], "d": [1, 1, 0]})
    frame.to_csv(tmp_path / "a.csv")
    counts = _count(tmp_path / "a.csv")
    assert _sizes(counts) == {"f": 1, "m": 2}
    assert counts.facts["notes"] == [NOTE]


@pytest.mark.parametrize("kind", ["csv", "parquet", "feather", "arrow", "pandas", "dict"])
def test_a_column_without_a_name_can_be_used_by_the_one_it_gets(tmp_path: Path, kind: str) -> None:
    table, path, data = _table(), tmp_path / f"a.{kind}", None
    if kind == "csv":
        table.to_pandas().to_csv(path, index=False)
    elif kind == "parquet":
        pq.write_table(table, path)
    elif kind == "feather":
        feather.write_feather(table, path)
    else:
        data = {"arrow": table, "pandas": table.to_pandas(), "dict": table.to_pydict()}[kind]
    counts = _count(path, data=data, group="Unnamed: 0")
    assert _sizes(counts, "Unnamed: 0") == {"a": 2, "b": 1}
    assert counts.facts["notes"] == [NOTE]


def test_the_name_is_one_that_no_other_column_has(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(",unnamed: 0,sex,y,d\n7,8,f,1,1\n")
    counts = _count(tmp_path / "a.csv", group="Unnamed: 0 (2)")
    assert _sizes(counts, "Unnamed: 0 (2)") == {"7": 1}


@pytest.mark.parametrize(
    ("content", "notes"),
    [
        ("sex,y,d,\nf,1,1,\nm,0,1,\n", ["Column 4 of the data has no name; it is called 'Unnamed: 3'."]),
        ("sex,y,d,\nf,1,1\nm,0,1\n", []),
        ("sex;y;d;;\nf;1;1\nm;0;1\n", []),
    ],
    ids=["in every line", "in the first line", "several"],
)
def test_a_separator_at_the_end_of_lines_does_not_disturb(tmp_path: Path, content: str, notes: list[str]) -> None:
    (tmp_path / "a.csv").write_text(content)
    counts = _count(tmp_path / "a.csv")
    assert _sizes(counts) == {"f": 1, "m": 1}
    assert counts.facts["notes"] == notes


def test_a_parquet_file_with_two_columns_of_one_name_is_refused_where_they_are_used(tmp_path: Path) -> None:
    pq.write_table(pa.table([["f"], ["m"], [1], [1]], names=["sex", "sex", "y", "d"]), tmp_path / "a.parquet")
    keys = {"models": [{"name": "m", "prediction": "d"}], "groups": ["sex"]}
    loaded = load_config({"data": {"source": str(tmp_path / "a.parquet"), "label": "y"}, **keys}, environ={})
    found = check_source(open_source(loaded), loaded)
    assert [problem.message for problem in found] == ["the data have 2 columns named 'sex'"]


def test_json_lines_with_a_key_without_a_name_are_refused(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps({"": 1, "sex": "f", "y": 1, "d": 1}) + "\n")
    with pytest.raises(DataError, match=r"data\.source: the objects of a\.jsonl have a key without a name\. Give it a"):
        _count(tmp_path / "a.jsonl")


def test_an_ibis_table_with_a_column_without_a_name_is_refused() -> None:
    with pytest.raises(DataError, match=r"data\.source: the Ibis table has a column without a name\. Rename it"):
        _count("(table)", data=ibis.memtable(_table()))


def test_json_objects_with_hundreds_of_keys_are_rows(tmp_path: Path) -> None:
    row = {f"x{i}": 0.5 for i in range(250)}
    rows = [{**row, "sex": sex, "y": 1, "d": 1} for sex in "fmm"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert _sizes(_count(tmp_path / "a.jsonl")) == {"f": 1, "m": 2}
    numbers = [{**row, "sex": 1, "y": 1, "d": 1} for _ in range(3)]
    (tmp_path / "b.jsonl").write_text("".join(json.dumps(row) + "\n" for row in numbers))
    assert _sizes(_count(tmp_path / "b.jsonl")) == {"1": 3}
