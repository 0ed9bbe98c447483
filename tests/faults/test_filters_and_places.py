"""``where`` must be a condition, what is wrong with it is said of it; and every problem with a file's rows has its place in the config."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pandas as pd
import pytest

from reporter.config.loader import load_config
from reporter.data.counts import count
from reporter.data.source import check_source, open_source
from reporter.errors import DataError

ROWS = "g,y,d,risk,ok\n" + "a,1,1,0.9,true\nb,0,1,0.2,false\n" * 3


def _problems(folder: Path, where: str, kind: str = "csv") -> list[str]:
    (folder / "a.csv").write_text(ROWS)
    frame = pd.read_csv(folder / "a.csv")
    config = folder / "c.yaml"
    source = "a.csv"
    if kind == "parquet":
        source = "a.parquet"
        frame.to_parquet(folder / source)
    elif kind == "sqlite":
        source = "{url: 'sqlite:///a.db', table: rows}"
        with sqlite3.connect(folder / "a.db") as database:
            frame.to_sql("rows", database, index=False, if_exists="replace")
        database.close()
    config.write_text(
        f"data:\n  source: {source}\n  label: y\n  where: {where}\nmodels:\n  - {{name: m, prediction: d}}\ngroups: [g]\n"
    )
    loaded = load_config(config, environ={})
    try:
        opened = open_source(loaded, data=frame if kind == "frame" else None)
        found = check_source(opened, loaded)
        if not found:
            count(opened, loaded)
    except DataError as error:
        found = list(error.problems)
    return [str(problem).replace(str(folder), "") for problem in found]


@pytest.mark.parametrize("kind", ["csv", "parquet", "frame"])
@pytest.mark.parametrize(
    ("where", "found"),
    [
        ("risk", "is a number"),
        ('"1"', "is a number"),
        ("risk * 2", "is a number"),
        ("g", "is text"),
        ("\"'x'\"", "is text"),
        ('"[1, 2]"', "is no condition"),
    ],
)
def test_a_filter_that_is_no_condition_is_refused(tmp_path: Path, where: str, found: str, kind: str) -> None:
    (problem,) = _problems(tmp_path, where, kind)
    shown = where.strip('"')
    assert problem == f"/c.yaml:4:10 data.where: {shown!r} {found}. Write a condition, e.g. year = 2026"


@pytest.mark.parametrize("where", ['"1"', "risk"])
def test_a_database_that_takes_numbers_for_conditions_gets_none(tmp_path: Path, where: str) -> None:
    (problem,) = _problems(tmp_path, where, "sqlite")
    assert problem.endswith("Write a condition, e.g. year = 2026")


@pytest.mark.parametrize("where", ["ok", "not ok", "risk > 0.5", "g in ('a')", "'true'", "(ok)"])
def test_a_condition_is_taken(tmp_path: Path, where: str) -> None:
    assert _problems(tmp_path, where) == []
    assert _problems(tmp_path, where, "parquet") == []


@pytest.mark.parametrize(
    ("where", "reason"),
    [
        ('"g = "', "a value is missing"),
        ("\"g = 'a' or\"", "a value is missing"),
        ('"(g = 1"', "it breaks off at its end"),
        ('"g = 1 1"', "it cannot be read from '1' on"),
        ('"g = \'a"', "is a quotation mark not closed?"),
    ],
)
def test_a_filter_that_cannot_be_read_says_why_in_words(tmp_path: Path, where: str, reason: str) -> None:
    (problem,) = _problems(tmp_path, where)
    assert problem.startswith("/c.yaml:4:10 data.where: ")
    assert reason in problem
    assert "<class" not in problem
    assert "Line" not in problem


@pytest.mark.parametrize("where", ["\"risk > 'much'\"", '"risk > 0 and g"'])
def test_a_comparison_that_fails_on_the_rows_is_said_of_the_filter(tmp_path: Path, where: str) -> None:
    (problem,) = _problems(tmp_path, where, "frame")
    assert problem.startswith("/c.yaml:4:10 data.where: the filter cannot be used: ")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'g,y,d\na,1,1\n"b,0,1\n', "a.csv opens a quote that is never closed"),
        (b"g,y,d\na,1,1\nb,0\n", "line 3 of a.csv has 2 fields, expected 3"),
        (b"g,y,d\n\xe9,1,1\n", "line 2 of a.csv is not UTF-8. Set data.csv.encoding, e.g. to cp1252"),
        (b"g,y,d\n" + b"a,1,1\n" * 300_000 + b"\xe9,1,1\n", "is not UTF-8. Set data.csv.encoding, e.g. to cp1252"),
    ],
    ids=["open quote", "ragged", "encoding", "encoding far below"],
)
def test_what_is_wrong_with_a_file_is_placed_at_the_source(tmp_path: Path, content: bytes, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    config = tmp_path / "c.yaml"
    config.write_text("data:\n  label: y\n  source: a.csv\nmodels:\n  - {name: m, prediction: d}\ngroups: [g]\n")
    loaded = load_config(config, environ={})
    with pytest.raises(DataError) as caught:
        check_source(open_source(loaded), loaded)
    (problem,) = caught.value.problems
    assert (problem.path, problem.line, problem.column) == (str(config), 3, 11)
    assert message in str(problem)


def test_an_encoding_that_is_written_and_wrong_is_placed_where_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"g,y,d\n\xff,1,1\n")
    config = tmp_path / "c.yaml"
    config.write_text(
        "data:\n  source: a.csv\n  label: y\n  csv: {encoding: martian}\nmodels:\n  - {name: m, prediction: d}\n"
    )
    loaded = load_config(config, environ={})
    with pytest.raises(DataError, match=r"c\.yaml:4:19 data\.csv\.encoding: unknown encoding 'martian'"):
        open_source(loaded)
