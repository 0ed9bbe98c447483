"""The columns of any table as distinct rows with their number: counted by the engine that holds them.

An Ibis table is counted where it lives, a file by DuckDB while it is read, a frame in memory by pandas.
"""

from __future__ import annotations

import difflib
import os
import warnings
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.api.arguments import as_arrow, holds_several_values
from reporter.errors import DataError, Problem
from reporter.stats.delta_options import as_found

Counts = NDArray[np.int64]


def counted_frame(data: Any, columns: Sequence[str], *, keep_order: bool) -> tuple[pd.DataFrame, Counts]:
    """The distinct rows of the columns and how often each occurs, or all rows in their order, each once."""
    if isinstance(data, (str, os.PathLike)):
        frame, n = _file(Path(data), columns, keep_order=keep_order)
    elif hasattr(data, "to_pyarrow") and hasattr(data, "aggregate"):
        frame, n = _ibis(data, columns, keep_order=keep_order)
    else:
        frame, n = _in_memory(data, columns, keep_order=keep_order)
    _single_values(frame)
    return frame, n


def _in_memory(data: Any, columns: Sequence[str], *, keep_order: bool) -> tuple[pd.DataFrame, Counts]:
    """Counted by pandas."""
    if not isinstance(data, pd.DataFrame):
        table = as_arrow(data)
        _known(columns, table.column_names)
        data = table.select(list(columns)).to_pandas()
    _known(columns, list(data.columns))
    selected: pd.DataFrame = data[list(columns)].reset_index(drop=True)
    if keep_order:
        return selected, np.ones(len(selected), np.int64)
    try:
        grouped = selected.groupby(list(columns), dropna=False, observed=True, sort=False).size()
    except (TypeError, NotImplementedError):  # what cannot be grouped is told by its column
        _single_values(selected)
        raise
    counted: pd.DataFrame = grouped.rename(_unused(columns)).reset_index()
    return _apart(counted, columns)


def _ibis(table: Any, columns: Sequence[str], *, keep_order: bool) -> tuple[pd.DataFrame, Counts]:
    """Counted by the engine that holds the table."""
    _known(columns, list(table.columns))
    selected = table.select(*columns)
    if not keep_order:
        selected = selected.group_by(*columns).aggregate(**{_unused(columns): selected.count()})
    with warnings.catch_warnings():
        # Ibis itself calls what its engine has renamed
        warnings.simplefilter("ignore", DeprecationWarning)
        frame: pd.DataFrame = selected.to_pyarrow().to_pandas()
    return (frame, np.ones(len(frame), np.int64)) if keep_order else _apart(frame, columns)


def _file(path: Path, columns: Sequence[str], *, keep_order: bool) -> tuple[pd.DataFrame, Counts]:
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
    counted = f'{wanted}, {1 if keep_order else "count(*)"} AS "{_unused(columns)}"'
    with duckdb.connect() as engine:
        try:
            _known(columns, engine.sql(f"SELECT * FROM {source}").columns)
            query = f"SELECT {counted} FROM {source}" + ("" if keep_order else " GROUP BY ALL")
            answer: pd.DataFrame = engine.sql(query).to_arrow_table().to_pandas()
        except duckdb.Error as error:
            raise DataError(
                Problem(f"the file cannot be read: {str(error).splitlines()[0]}", path=str(path))
            ) from error
    frame, n = _apart(answer, columns)
    if ending not in readers:
        frame = frame.assign(**{column: _numbers_or_words(frame[column]) for column in columns})
    return frame, n


def _unused(columns: Sequence[str]) -> str:
    """A name for the numbers of rows that no column has: engines do not tell upper from lower case."""
    taken = {column.casefold() for column in columns}
    name = "n_rows"
    while name in taken:
        name += "_"
    return name


def _apart(counted: pd.DataFrame, columns: Sequence[str]) -> tuple[pd.DataFrame, Counts]:
    return counted[list(columns)], counted[_unused(columns)].to_numpy(dtype=np.int64)


def _single_values(frame: pd.DataFrame) -> None:
    """Refuses columns whose values are lists, mappings or the like."""
    problems = []
    for name in frame.columns:
        values = frame[name]
        if holds_several_values(values):
            odd = next(value for value in values if not isinstance(value, Hashable))
            problems.append(
                Problem(f"column {name!r} holds {as_found(odd)}, expected a single value in each row", key="data")
            )
    if problems:
        raise DataError(*problems)


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
