"""The data of a Δ tree: distinct rows become count cells with codes. Values that do not fit are named."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from reporter.api.tree_arguments import Columns, level_text
from reporter.api.tree_rows import counted_frame
from reporter.errors import DataError, Problem
from reporter.stats.delta_counts import Covariate, Cube


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
    frame, n = counted_frame(data, columns.all, keep_order=keep_order)
    if not n.sum():
        raise DataError("the data has no rows")
    problems: list[Problem] = []
    with _gathered(problems):
        group, names = _groups(frame[columns.attribute], columns.attribute, levels)
    predictions = []
    for model in columns.models:
        with _gathered(problems):
            predictions.append(_predictions(frame[model], model, n, scored=scored))
    with _gathered(problems):
        label = _labels(frame, columns.label, positive)
    codes, covariates = [], []
    for name in columns.split_on:
        with _gathered(problems):
            code, covariate = _covariate(frame[name], name, ordered.get(name), is_numeric=name in numeric)
            codes.append(code)
            covariates.append(covariate)
    if problems:
        raise DataError(*problems)
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


@contextlib.contextmanager
def _gathered(problems: list[Problem]) -> Iterator[None]:
    """What one column has wrong joins what the others have."""
    try:
        yield
    except DataError as error:
        problems += error.problems


def _shown(value: Any) -> str:
    """A value as it is written in Python."""
    return repr(value.item() if isinstance(value, np.generic) else value)


def _groups(
    values: pd.Series[Any], name: str, levels: Sequence[Any] | None
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], tuple[str, ...]]:
    """Codes of the attribute levels (-1: another level, or none) and their labels."""
    codes, uniques = pd.factorize(values, sort=False)
    found = [level_text(value) for value in uniques]
    if levels is None:
        names = tuple(sorted(set(found)))
        if len(names) != 2:
            raise DataError(_not_two(name, names))
    else:
        names = tuple(level_text(level) for level in levels)
        missing = [level for level in names if level not in found]
        if missing:
            raise DataError(
                Problem(f"{name!r} has no level {missing[0]!r}", key="levels", hint=f"Its levels are {_listed(found)}")
            )
    place = np.array([names.index(level) if level in names else -1 for level in found] + [-1])
    return place[codes], names


def _not_two(name: str, found: Sequence[str]) -> Problem:
    if not found:
        return Problem(f"{name!r} has no level: every value is missing", key="attribute")
    if len(found) == 1:
        message = f"{name!r} has one level ({_listed(found)}), expected two"
        hint = "Choose another column: with fewer than two levels there is no gap"
        return Problem(message, key="attribute", hint=hint)
    message = f"{name!r} has {len(found)} levels ({_listed(found)}), expected two"
    return Problem(message, key="levels", hint="Name the two levels to compare: levels=(a1, a2)")


def _predictions(values: pd.Series[Any], name: str, n: Any, *, scored: bool) -> Any:
    """The predictions 0 and 1, or the scores, as floats; NaN for a missing one."""
    numbers = _as_numbers(values)
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
                hint="" if scored else "For scores use rate='score' of delta_tree, or apply the threshold first",
            )
        )
    if np.isnan(numbers).all():
        raise DataError(Problem(f"column {name!r} has no prediction: every value is missing"))
    return numbers


def _as_numbers(values: pd.Series[Any]) -> Any:
    """The values as floats, NaN for what is missing or no number: dates and complex numbers are none."""
    if values.dtype.kind in "mMc":
        values = values.astype(object)
    numbers = pd.to_numeric(values, errors="coerce")
    if numbers.dtype.kind == "c":
        return np.full(len(values), np.nan)
    return numbers.to_numpy(dtype=float, na_value=np.nan)


def _labels(frame: pd.DataFrame, name: str | None, positive: Any) -> Any:
    """Label codes 0, 1 and 2 for none."""
    if name is None:
        return np.full(len(frame), 2)
    codes, uniques = pd.factorize(frame[name], sort=False)
    found = [level_text(value) for value in uniques]
    if not found:
        raise DataError(Problem(f"the label {name!r} has no value: every one is missing", key="label"))
    yes = level_text(positive)
    # bools are the labels 0 and 1
    bits = {"True": "1", "False": "0"}
    if set(found) <= set(bits) and yes in ("0", "1"):
        found = [bits[value] for value in found]
    elif set(found) <= {"0", "1"}:
        yes = bits.get(yes, yes)
    distinct = sorted(set(found))
    if len(distinct) > 2:
        raise DataError(
            Problem(f"the label {name!r} has {len(distinct)} values ({_listed(distinct)}), expected two", key="label")
        )
    if yes not in found and not (set(found) == {"0"} and yes == "1"):
        raise DataError(
            Problem(
                f"the label {name!r} has the values {_listed(distinct)}, none of them is {yes!r}",
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
        occurring = {level_text(value) for value in uniques}
        levels = [name for name in map(level_text, dtype.categories) if name in occurring]
    else:
        levels = sorted({level_text(value) for value in uniques})
    place = {level: code for code, level in enumerate(levels)}
    lookup = np.array([place[level_text(value)] for value in uniques] + [len(levels)])
    return lookup[codes], Covariate(name, "categorical", levels=tuple(levels))


def _ordered(values: pd.Series[Any], name: str, order: Sequence[Any]) -> tuple[Any, Covariate]:
    levels = tuple(level_text(level) for level in order)
    place = {level: code for code, level in enumerate(levels)}
    if len(place) < len(levels):
        raise DataError(Problem("a level is named twice", key=f"ordered[{name!r}]"))
    codes, uniques = pd.factorize(values, sort=False)
    unknown = [level_text(value) for value in uniques if level_text(value) not in place]
    if unknown:
        raise DataError(
            Problem(
                f"column {name!r} has values without a place in its order: {_listed(unknown)}", key=f"ordered[{name!r}]"
            )
        )
    return np.array([place[level_text(value)] for value in uniques] + [len(levels)])[codes], Covariate(
        name, "ordered", levels=levels
    )


def _numeric(values: pd.Series[Any], name: str) -> tuple[Any, Covariate]:
    numbers = _as_numbers(values.astype(object))
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
