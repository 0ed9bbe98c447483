"""Rows of a Python table to counts: what ``parity`` reads, grouped and counted without a loop over rows.

The only part of the group API that touches rows. What is computed from the counts is unknown here.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from reporter.api.arguments import as_arrow, check_single_values, vector
from reporter.data.values import number_text, plain, read_binary, text_of
from reporter.errors import InputError, Problem
from reporter.results import MISSING
from reporter.stats.cells import CellArrays
from reporter.stats.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class CountedRows:
    """The groups' names in order, their counts, and their scores where a score was given."""

    names: list[str]
    cells: CellArrays
    table: ScoreTable | None


def read_rows(
    data: Any,
    label: str | Sequence[Any],
    group: str | Sequence[Any],
    score: str | Sequence[Any] | None,
    prediction: str | Sequence[Any] | None,
    *,
    threshold: float,
    rule: str,
    positive: Any,
    breaks: Sequence[float] | int | None,
) -> CountedRows:
    """Rows to counts, as ``parity`` takes them; ValueError for what cannot be read."""
    given = {"label": label, "group": group, "score": score, "prediction": prediction}
    frame = _frame(data, [column for column in given.values() if isinstance(column, str)])
    columns = _columns(frame, {key: column for key, column in given.items() if column is not None})
    if breaks is None:
        codes, names = name_levels(*_spelled(columns["group"]))
    else:
        codes, names = _intervals(columns["group"], breaks)
    y = _binary(columns["label"], positive, "label")
    table = None
    if score is None:
        words = not all(value is None or plain(value) in _BITS for value in _spelled(columns["prediction"])[0])
        d = _binary(columns["prediction"], positive if words else None, "prediction")
    else:
        s = _numbers(columns["score"], "score")
        if np.isinf(s).any():
            raise ValueError(f"score: {int(np.isinf(s).sum())} rows have an infinite value")
        known = ~np.isnan(s)
        d = np.where(known, s >= threshold if rule == ">=" else s > threshold, -1).astype(np.int64)
        table = ScoreTable(codes[known], y[known], s[known])
    return CountedRows(names, count_cells(codes, len(names), y, d), table)


_BITS = frozenset({"0", "1", "false", "true"})


def _frame(data: Any, columns: list[str]) -> pd.DataFrame:
    """The named columns of anything that holds a table."""
    import pandas as pd

    wanted = list(dict.fromkeys(columns))
    if isinstance(data, (str, os.PathLike)):
        data = _open(os.fspath(data))
    if isinstance(data, pd.DataFrame):
        names = list(data.columns)
    else:
        if not (hasattr(data, "column_names") or hasattr(data, "columns")):
            data = as_arrow(data)
        names = list(getattr(data, "column_names", None) or data.columns)
    problems = [
        f"no column {name!r}; the columns are {', '.join(map(str, names))}" for name in wanted if name not in names
    ]
    problems += [f"{names.count(name)} columns are called {name!r}" for name in wanted if names.count(name) > 1]
    if problems:
        raise ValueError("; ".join(problems))
    if isinstance(data, pd.DataFrame):
        return data
    chosen = data.select(wanted) if wanted else data
    arrow = chosen.to_pyarrow() if hasattr(chosen, "to_pyarrow") else chosen
    # Whole numbers stay whole where some are missing: as floats they would lose digits beyond 2^53.
    return arrow.to_pandas(integer_object_nulls=True)  # type: ignore[no-any-return]


def _open(path: str) -> Any:
    """A file as an Arrow table; the columns of text files stay text, so that leading zeros are kept."""
    import duckdb

    if not os.path.isfile(path):
        raise InputError(Problem("the file does not exist", path=path))
    with duckdb.connect() as engine:
        quoted = path.replace("'", "''")
        ending = path.lower().removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[-1]
        reader = {"parquet": "read_parquet('{}')", "jsonl": "read_json_auto('{}')", "json": "read_json_auto('{}')"}
        source = reader.get(ending, "read_csv('{}', all_varchar=true, header=true)").format(quoted)
        try:
            return engine.sql(f"select * from {source}").to_arrow_table()
        except duckdb.Error as error:
            raise InputError(Problem(f"the file cannot be read: {str(error).splitlines()[0]}", path=path)) from error


def _columns(frame: pd.DataFrame, given: dict[str, str | Sequence[Any]]) -> dict[str, pd.Series[Any]]:
    """Each part's column or vector; every one that does not fit is told."""
    problems: list[Problem] = []
    columns: dict[str, pd.Series[Any]] = {}
    for what, named in given.items():
        try:
            if isinstance(named, str):
                check_single_values(what, frame[named])
            columns[what] = frame[named] if isinstance(named, str) else vector(what, named)
        except InputError as error:
            problems += error.problems
            continue
        if len(columns[what]) != len(frame):
            problems.append(Problem(f"{what} has {len(columns[what])} entries, the data {len(frame)} rows"))
    if problems:
        raise InputError(*problems)
    return columns


def _spelled(column: pd.Series[Any]) -> tuple[list[str | None], np.ndarray[Any, np.dtype[np.int64]]]:
    """The texts of a column's distinct values, and each row's place among them (missing: the last)."""
    import pandas as pd

    codes, distinct = pd.factorize(column)
    texts = [text_of(value) for value in distinct.tolist()]
    return [*texts, None], np.where(codes < 0, len(texts), codes).astype(np.int64)


def name_levels(
    texts: Sequence[str | None], codes: np.ndarray[Any, Any] | None = None
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    """Each row's group and the groups' names: words sorted, "(missing)" last. Equal texts are one group.

    A text that reads like one of this tool's own names is quoted, as everywhere.
    """
    places = np.arange(len(texts)) if codes is None else codes
    used = {texts[i] for i in np.unique(places).tolist()}
    names = sorted(text for text in used if text is not None)
    position = {name: i for i, name in enumerate(names)}
    lookup = np.asarray([len(names) if text is None else position.get(text, 0) for text in texts], np.int64)
    return lookup[places], [*map(_shown, names), *([MISSING] if None in used else [])]


def _shown(name: str) -> str:
    if not name.endswith(")") and not name.endswith('"'):
        return str(name)  # numpy's own kind of text becomes plain
    from reporter.data.levels import shown_value

    return str(shown_value(name))


def _intervals(
    column: pd.Series[Any], breaks: Sequence[float] | int
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    """Each row's interval and the names of the intervals that hold rows."""
    values = _numbers(column, "group")
    known = values[~np.isnan(values)]
    if isinstance(breaks, int):
        if breaks < 2:
            raise ValueError(f"breaks is {breaks}, expected at least 2 intervals or a list of cut points")
        ends = np.linspace(known.min(), known.max(), breaks + 1)[1:-1] if len(known) else np.zeros(0)
        ends = np.unique(ends) if len(known) and known.min() < known.max() else np.zeros(0)
        short = [number_text(float(f"{end:.6g}")) for end in ends.tolist()]
    else:
        ends = np.asarray(breaks, np.float64)
        if not len(ends) or not np.isfinite(ends).all() or (np.diff(ends) <= 0).any():
            raise ValueError(f"breaks is {list(breaks)!r}, expected increasing finite numbers")
        short = [number_text(end) for end in ends.tolist()]
    if len(ends):
        inner = [f"({low}, {high}]" for low, high in itertools.pairwise(short)]
        names = [f"<= {short[0]}", *inner, f"> {short[-1]}"]
    else:
        names = [number_text(known[0])] if len(known) else []
    codes = np.where(np.isnan(values), len(names), np.searchsorted(ends, values, side="left"))
    names = [*names, MISSING]
    used, places = np.unique(codes, return_inverse=True)
    return places.ravel().astype(np.int64), [names[i] for i in used.tolist()]


def _numbers(column: pd.Series[Any], what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    import pandas as pd

    if str(column.dtype).lower() in ("float32", "float16", "float[pyarrow]", "halffloat[pyarrow]"):
        # By their shortest decimals, as everywhere: 0.35 is 0.35, not 0.3499999940395355.
        codes, distinct = pd.factorize(column)
        values = np.append([float(str(value)) for value in np.asarray(distinct)], np.nan)
        return np.asarray(values[codes])
    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.isnan(numbers) & column.notna().to_numpy()
    if wrong.any():
        example = column[wrong].iloc[0]
        raise ValueError(f"{what}: {int(wrong.sum())} rows hold no number, for instance {example!r}")
    return numbers


def _binary(column: pd.Series[Any], positive: Any, what: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Each row as 1, 0 or -1 (missing)."""
    texts, codes = _spelled(column)
    counts = np.bincount(codes, minlength=len(texts)).tolist()
    name = column.name if isinstance(column.name, str) else None
    shown = f"{what} column {name!r}" if name else what
    binary = read_binary(texts, counts, positive=positive, what=shown)
    if binary.bits is None and text_of(positive) == "1":
        # 1 is also the default: what is said of the values alone is the better message.
        binary = read_binary(texts, counts, positive=None, what=shown)
    if binary.bits is None:
        raise ValueError(f"{binary.message}. {binary.hint}" if binary.hint else binary.message)
    return np.asarray(np.asarray(binary.bits, np.int64)[codes])


def count_cells(codes: Any, n_groups: int, y: Any, d: Any) -> CellArrays:
    """The counts of every (group, label, prediction), both coded 1, 0 and -1 (missing)."""
    counts = np.bincount(codes * 9 + (y + 1) * 3 + (d + 1), minlength=n_groups * 9).reshape(n_groups, 3, 3)
    return CellArrays(
        tp=counts[:, 2, 2],
        fp=counts[:, 1, 2],
        tn=counts[:, 1, 1],
        fn=counts[:, 2, 1],
        unlabelled_positive=counts[:, 0, 2],
        unlabelled_negative=counts[:, 0, 1],
        labelled_without_prediction=counts[:, 1, 0] + counts[:, 2, 0],
        unlabelled_without_prediction=counts[:, 0, 0],
    )
