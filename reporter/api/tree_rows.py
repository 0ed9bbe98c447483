"""The columns of any table as distinct rows with their number: counted by the engine that holds them.

An Ibis table is counted where it lives, a file by DuckDB while it is read, a frame in memory by pandas.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from reporter.errors import DataError, Problem

COUNT = "__rows__"
"""The column with the number of rows."""


def counted_frame(data: Any, columns: Sequence[str], *, keep_order: bool) -> pd.DataFrame:
    """The distinct rows of the columns with their number, or all rows in their order with the number 1."""
    if isinstance(data, (str, Path)):
        return _file(Path(data), columns, keep_order=keep_order)
    if hasattr(data, "to_pyarrow") and hasattr(data, "aggregate"):
        return _ibis(data, columns, keep_order=keep_order)
    if not isinstance(data, pd.DataFrame):
        import pyarrow as pa

        table = data if isinstance(data, pa.Table) else pa.table(data)
        _known(columns, table.column_names)
        data = table.select(list(columns)).to_pandas()
    _known(columns, list(data.columns))
    selected: pd.DataFrame = data[list(columns)]
    if keep_order:
        return selected.assign(**{COUNT: 1}).reset_index(drop=True)
    grouped = selected.groupby(list(columns), dropna=False, observed=True, sort=False).size()
    counted: pd.DataFrame = grouped.rename(COUNT).reset_index()
    return counted


def _ibis(table: Any, columns: Sequence[str], *, keep_order: bool) -> pd.DataFrame:
    """Counted by the engine that holds the table."""
    _known(columns, list(table.columns))
    selected = table.select(*columns)
    if not keep_order:
        selected = selected.group_by(*columns).aggregate(**{COUNT: selected.count()})
    with warnings.catch_warnings():
        # Ibis itself calls what its engine has renamed
        warnings.simplefilter("ignore", DeprecationWarning)
        frame: pd.DataFrame = selected.to_pyarrow().to_pandas()
    return frame.assign(**{COUNT: 1}) if keep_order else frame


def _file(path: Path, columns: Sequence[str], *, keep_order: bool) -> pd.DataFrame:
    """Counted by DuckDB while it reads. A column of a text file holds numbers if every value is one and none starts with
    a zero before another digit, so that the codes 01 and 1 stay apart."""
    import duckdb

    if not path.is_file():
        raise DataError(Problem("the file does not exist", path=str(path)))
    name = str(path).replace("'", "''")
    ending = path.name.lower().removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[-1]
    readers = {"parquet": "read_parquet('{}')", "json": "read_json_auto('{}')", "jsonl": "read_json_auto('{}')"}
    source = readers.get(ending, "read_csv('{}', all_varchar=true, header=true)").format(name)
    wanted = ", ".join('"' + column.replace('"', '""') + '"' for column in columns)
    counted = f'{wanted}, {1 if keep_order else "count(*)"} AS "{COUNT}"'
    with duckdb.connect() as engine:
        try:
            _known(columns, engine.sql(f"SELECT * FROM {source}").columns)
            query = f"SELECT {counted} FROM {source}" + ("" if keep_order else " GROUP BY ALL")
            frame: pd.DataFrame = engine.sql(query).to_arrow_table().to_pandas()
        except duckdb.Error as error:
            raise DataError(
                Problem(f"the file cannot be read: {str(error).splitlines()[0]}", path=str(path))
            ) from error
    if ending in readers:
        return frame
    return frame.assign(**{column: _numbers_or_words(frame[column]) for column in columns})


def _numbers_or_words(values: pd.Series[Any]) -> pd.Series[Any]:
    numbers = pd.to_numeric(values, errors="coerce")
    coded = values.str.match(r"^[+-]?0\d", na=False)
    return values if bool((numbers.isna() & values.notna()).any()) or bool(coded.any()) else numbers


def _known(columns: Sequence[str], present: list[Any]) -> None:
    problems = []
    for name in columns:
        times = present.count(name)
        if times == 0:
            close = difflib.get_close_matches(str(name), [str(one) for one in present], n=1)
            hint = f"Did you mean {close[0]!r}?" if close else f"The columns are {', '.join(map(str, present))}"
            problems.append(Problem(f"the data has no column {name!r}", hint=hint))
        elif times > 1:
            problems.append(Problem(f"the column {name!r} occurs {times} times"))
    if problems:
        raise DataError(*problems)
