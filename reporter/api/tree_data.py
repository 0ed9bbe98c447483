"""Opening the data of a Δ tree: any table becomes count cells with codes, whatever it came from.

Counting happens in the engine that holds an Ibis table or a file; a frame in memory is counted by pandas.
"""

from __future__ import annotations

import difflib
import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from reporter.errors import DataError, Problem
from reporter.stats.delta_counts import Covariate, Cube

_COUNT = "__rows__"


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of the data play which part."""

    attribute: str
    models: tuple[str, ...]
    label: str | None
    split_on: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Every column that is needed, once."""
        label = () if self.label is None else (self.label,)
        return tuple(dict.fromkeys((self.attribute, *self.models, *label, *self.split_on)))


@dataclass(frozen=True, slots=True)
class TreeData:
    """Counted data: the cube with attribute codes 0 (a1) and 1 (a2), and what was left out of it."""

    cube: Cube
    levels: tuple[str, ...]
    covariates: tuple[Covariate, ...]
    notes: tuple[str, ...]


def tree_data(
    data: Any,
    columns: Columns,
    *,
    levels: Sequence[Any] | None,
    positive: Any,
    ordered: Mapping[str, Sequence[Any]],
    numeric: Sequence[str],
    scored: bool,
    keep_order: bool,
) -> TreeData:
    """Count the rows by covariates, attribute level, predictions and label.

    Rows without an attribute value, of another attribute level, or without a prediction of every model are left out, and
    the notes say how many. Every problem with the data is a ``DataError`` that names the column.
    """
    frame = _frame(data, columns.all, keep_order=keep_order)
    n = frame.pop(_COUNT).to_numpy(dtype=np.int64)
    if not n.sum():
        raise DataError("the data has no rows")
    group, names = _groups(frame[columns.attribute], columns.attribute, levels)
    predictions = [_predictions(frame[model], model, n, scored=scored) for model in columns.models]
    label = _labels(frame, columns.label, positive)
    codes, covariates = [], []
    for name in columns.split_on:
        code, covariate = _covariate(frame[name], name, ordered.get(name), is_numeric=name in numeric)
        codes.append(code)
        covariates.append(covariate)
    of_group = group >= 0
    predicted = np.logical_and.reduce([~np.isnan(values) for values in predictions])
    notes = _left_out(n, of_group, predicted, columns, names)
    kept = of_group & predicted
    for code, name in enumerate(names):
        if not n[kept & (group == code)].sum():
            raise DataError(
                Problem(
                    f"no row of the attribute level {name!r} has a prediction of every model", key=columns.attribute
                )
            )
    cube = Cube.of(
        covariates,
        np.column_stack(codes)[kept],
        group[kept],
        label[kept],
        predictions[0][kept],
        predictions[1][kept] if len(predictions) == 2 else None,
        n[kept],
        n_groups=len(names),
        scored=scored,
        row_order=keep_order,
    )
    return TreeData(cube, names, tuple(covariates), notes)


def _frame(data: Any, columns: Sequence[str], *, keep_order: bool) -> pd.DataFrame:
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
        return selected.assign(**{_COUNT: 1}).reset_index(drop=True)
    grouped = selected.groupby(list(columns), dropna=False, observed=True, sort=False).size()
    counted: pd.DataFrame = grouped.rename(_COUNT).reset_index()
    return counted


def _ibis(table: Any, columns: Sequence[str], *, keep_order: bool) -> pd.DataFrame:
    """Counted by the engine that holds the table."""
    _known(columns, list(table.columns))
    selected = table.select(*columns)
    if not keep_order:
        selected = selected.group_by(*columns).aggregate(**{_COUNT: selected.count()})
    with warnings.catch_warnings():
        # Ibis itself calls what its engine has renamed
        warnings.simplefilter("ignore", DeprecationWarning)
        frame: pd.DataFrame = selected.to_pyarrow().to_pandas()
    return frame.assign(**{_COUNT: 1}) if keep_order else frame


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
    counted = f'{wanted}, {1 if keep_order else "count(*)"} AS "{_COUNT}"'
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


def _text(value: Any) -> str:
    """A value as a label: 1.0 is "1", whatever the type of its column."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _shown(value: Any) -> str:
    """A value as it is written in Python."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _groups(
    values: pd.Series[Any], name: str, levels: Sequence[Any] | None
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], tuple[str, ...]]:
    """Codes of the attribute levels (-1: another level, or none) and their labels."""
    codes, uniques = pd.factorize(values, sort=False)
    found = [_text(value) for value in uniques]
    if levels is None:
        if len(found) != 2:
            raise DataError(
                Problem(
                    f"{name!r} has {len(found)} levels ({_listed(found)}), expected two",
                    key="levels",
                    hint="Name the two levels to compare: levels=(a1, a2)",
                )
            )
        names = tuple(sorted(found))
    else:
        names = tuple(_text(level) for level in levels)
        missing = [level for level in names if level not in found]
        if missing:
            raise DataError(
                Problem(f"{name!r} has no level {missing[0]!r}", key="levels", hint=f"Its levels are {_listed(found)}")
            )
    place = np.array([names.index(level) if level in names else -1 for level in found] + [-1])
    return place[codes], names


def _predictions(values: pd.Series[Any], name: str, n: Any, *, scored: bool) -> Any:
    """The predictions 0 and 1, or the scores, as floats; NaN for a missing one."""
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = np.isnan(numbers) & values.notna().to_numpy()
    if scored:
        bad |= np.isinf(numbers)
    else:
        bad |= ~np.isnan(numbers) & (numbers != 0) & (numbers != 1)
    if bad.any():
        expected = "a finite number" if scored else "0 or 1"
        example = values[bad].iloc[0]
        raise DataError(
            Problem(
                f"column {name!r}: found {_shown(example)} ({int(n[bad].sum())} such rows), expected {expected}",
                hint="" if scored else "For scores use rate='score', or apply the threshold first",
            )
        )
    if np.isnan(numbers).all():
        raise DataError(Problem(f"column {name!r} has no prediction: every value is missing"))
    return numbers


def _labels(frame: pd.DataFrame, name: str | None, positive: Any) -> Any:
    """Label codes 0, 1 and 2 for none."""
    if name is None:
        return np.full(len(frame), 2)
    codes, uniques = pd.factorize(frame[name], sort=False)
    found = [_text(value) for value in uniques]
    yes = _text(positive)
    # bools are the labels 0 and 1
    known = {"True": "1", "False": "0"} if set(found) <= {"True", "False"} and yes in ("0", "1") else {}
    found = [known.get(value, value) for value in found]
    if len(found) > 2:
        raise DataError(
            Problem(f"the label {name!r} has {len(found)} values ({_listed(found)}), expected two", key="label")
        )
    if yes not in found and not (set(found) == {"0"} and yes == "1"):
        raise DataError(
            Problem(
                f"the label {name!r} has the values {_listed(found)}, none of them is {yes!r}",
                key="positive",
                hint="Name the value that counts as 1: positive=...",
            )
        )
    return np.array([int(value == yes) for value in found] + [2])[codes]


def _covariate(
    values: pd.Series[Any], name: str, order: Sequence[Any] | None, *, is_numeric: bool
) -> tuple[Any, Covariate]:
    """Codes (the missing one last) and the covariate that they belong to."""
    dtype = values.dtype
    if order is None and isinstance(dtype, pd.CategoricalDtype) and dtype.ordered and not is_numeric:
        order = list(dtype.categories)
    if order is not None:
        return _ordered(values, name, order)
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    # a column without any value has no levels: an empty numeric covariate says that it has none
    if is_numeric or is_number or values.isna().all():
        return _numeric(values, name)
    codes, uniques = pd.factorize(values, sort=False)
    if isinstance(dtype, pd.CategoricalDtype):
        occurring = {_text(value) for value in uniques}
        levels = [name for name in map(_text, dtype.categories) if name in occurring]
    else:
        levels = sorted({_text(value) for value in uniques})
    place = {level: code for code, level in enumerate(levels)}
    lookup = np.array([place[_text(value)] for value in uniques] + [len(levels)])
    return lookup[codes], Covariate(name, "categorical", levels=tuple(levels))


def _ordered(values: pd.Series[Any], name: str, order: Sequence[Any]) -> tuple[Any, Covariate]:
    levels = tuple(_text(level) for level in order)
    place = {level: code for code, level in enumerate(levels)}
    if len(place) < len(levels):
        raise DataError(Problem("a level is named twice", key=f"ordered[{name!r}]"))
    codes, uniques = pd.factorize(values, sort=False)
    unknown = [_text(value) for value in uniques if _text(value) not in place]
    if unknown:
        raise DataError(
            Problem(
                f"column {name!r} has values without a place in its order: {_listed(unknown)}", key=f"ordered[{name!r}]"
            )
        )
    return np.array([place[_text(value)] for value in uniques] + [len(levels)])[codes], Covariate(
        name, "ordered", levels=levels
    )


def _numeric(values: pd.Series[Any], name: str) -> tuple[Any, Covariate]:
    numbers = pd.to_numeric(values.astype(object), errors="coerce").to_numpy(dtype=float, na_value=np.nan)
    bad = (np.isnan(numbers) & values.notna().to_numpy()) | np.isinf(numbers)
    if bad.any():
        raise DataError(Problem(f"column {name!r}: found {_shown(values[bad].iloc[0])}, expected a finite number"))
    distinct = np.unique(numbers[~np.isnan(numbers)])
    codes = np.where(np.isnan(numbers), len(distinct), np.searchsorted(distinct, numbers))
    return codes, Covariate(name, "numeric", values=tuple(distinct.tolist()))


def _left_out(n: Any, of_group: Any, predicted: Any, columns: Columns, names: tuple[str, ...]) -> tuple[str, ...]:
    notes = []
    other = int(n[~of_group].sum())
    if other:
        notes.append(f"{other} rows of neither {names[0]} nor {names[1]} are left out")
    unpredicted = int(n[of_group & ~predicted].sum())
    if unpredicted:
        notes.append(f"{unpredicted} rows without a prediction of {' and '.join(columns.models)} are left out")
    return tuple(notes)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown if len(names) <= 8 else f"{shown} and {math.floor(len(names) - 8)} more"
