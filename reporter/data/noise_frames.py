"""Between data frames and the noise study: inputs as columns, groups as codes, and a predictor called with perturbed frames.

Knows pandas and a predictor; no files, no config, no statistics. A predictor's own error messages may quote values of rows, so
they are not repeated here: what is reported is the kind of error and an example row's index.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.errors import DataError, InputError, Problem, ReporterError
from reporter.results import MISSING
from reporter.stats.noise_tiles import Groups
from reporter.stats.perturbation import Column

Predict = Callable[[pd.DataFrame], Any]


def columns_of(frame: pd.DataFrame) -> dict[str, Column]:
    """The frame's columns as arrays: numbers as numbers (missing: NaN), everything else as objects (missing: None)."""
    columns: dict[str, Column] = {}
    for name in frame.columns:
        values = frame[name]
        kind = getattr(values.dtype, "kind", "O")
        if isinstance(values.dtype, np.dtype) and kind in "iufb":
            columns[str(name)] = values.to_numpy()
        elif kind in "iuf" and not isinstance(values.dtype, pd.CategoricalDtype):
            gaps = values.isna().any()
            columns[str(name)] = values.to_numpy(dtype=np.float64 if gaps or kind == "f" else np.int64, na_value=np.nan)
        else:
            columns[str(name)] = values.astype(object).where(values.notna(), None).to_numpy(dtype=object)
    return columns


def groups_of(values: Any) -> tuple[Groups, tuple[Any, ...]]:
    """Each row's group, and the groups' values as given: numbers ascending, words sorted, "(missing)" last.

    The groups of an ordered categorical come in its order.

    Examples
    --------
    >>> groups, labels = groups_of(["b", None, "a", "b"])
    >>> groups.names, groups.codes.tolist(), labels
    (('a', 'b', '(missing)'), [1, 2, 0, 1], ('a', 'b', '(missing)'))
    """
    series = pd.Series(values).reset_index(drop=True)
    missing = series.isna().to_numpy()
    distinct = series[~missing].unique().tolist()
    if isinstance(series.dtype, pd.CategoricalDtype) and series.dtype.ordered:
        order = {value: position for position, value in enumerate(series.dtype.categories)}
        distinct.sort(key=lambda value: order[value])
    else:
        numbers = all(isinstance(value, int | float | np.number) for value in distinct)
        distinct.sort(key=None if numbers else str)
    place = {value: position for position, value in enumerate(distinct)}
    labels = tuple(distinct) + ((MISSING,) if missing.any() else ())
    codes = series.astype(object).map(place).fillna(len(distinct)).to_numpy(dtype=np.int64)
    names = tuple(str(label) for label in labels)
    if len(set(names)) < len(names):
        raise InputError(Problem("two different group values look the same as text", key="groups"))
    return Groups(names, codes), labels


class FrameScorer:
    """Calls ``predict`` with data frames of (perturbed) inputs and checks every answer; a ``Scorer`` of the noise study.

    Columns keep their order and, unless a perturbation makes whole numbers fractional, their types.

    Parameters
    ----------
    predict
        Takes a DataFrame of the inputs, returns one score a row.
    inputs
        The original rows.

    Raises
    ------
    DataError
        On a call: the predictor raises, or its answer has the wrong length, a missing or infinite value, or
        holds labels instead of scores. For perturbed rows an example row's index is named.
    """

    def __init__(self, predict: Predict, inputs: pd.DataFrame) -> None:
        self._predict = predict
        self._index = inputs.index
        self._dtypes = inputs.dtypes.to_dict()
        self._arrays = {name: inputs[name].array for name in inputs.columns}
        self._plain = {
            name: inputs[name].to_numpy() for name, dtype in self._dtypes.items() if isinstance(dtype, np.dtype)
        }

    def __call__(self, rows: NDArray[np.intp], changed: Mapping[str, Column]) -> NDArray[np.float64]:
        frame = self._frame(rows, changed)
        where = "on perturbed rows" if changed else "on the original rows"
        try:
            answer = self._predict(frame)
        except ReporterError:
            raise
        except Exception as error:  # a user's predictor may raise anything
            example = self._failing_row(frame, rows) if changed else None
            raise DataError(_raised(error, where, example)) from None
        scores = scores_of(answer, len(rows), where)
        bad = ~np.isfinite(scores)
        if bad.any():
            first = self._named(rows[int(np.flatnonzero(bad)[0])])
            text = (
                f"the predictor returned {int(bad.sum())} missing or infinite scores {where}, for example for {first}"
            )
            raise DataError(Problem(text, key="predictor"))
        if not changed and len(scores) > 1 and np.isin(scores, (0.0, 1.0)).all():
            raise DataError(_labels("only 0 and 1"))
        return scores

    def _frame(self, rows: NDArray[np.intp], changed: Mapping[str, Column]) -> pd.DataFrame:
        columns: dict[Any, Any] = {}
        for name, array in self._arrays.items():
            if str(name) in changed:
                columns[name] = _as_type(changed[str(name)], self._dtypes[name])
            elif name in self._plain:
                columns[name] = self._plain[name][rows]
            else:
                columns[name] = array.take(rows)
        return pd.DataFrame(columns, copy=False)

    def _failing_row(self, frame: pd.DataFrame, rows: NDArray[np.intp]) -> str | None:
        """A row on which the predictor raises by itself, by halving; None if it raises only on the whole."""
        start, stop = 0, len(frame)
        while stop - start > 1:
            middle = (start + stop) // 2
            if self._raises(frame.iloc[start:middle]):
                stop = middle
            elif self._raises(frame.iloc[middle:stop]):
                start = middle
            else:
                return None
        return self._named(rows[start])

    def _raises(self, frame: pd.DataFrame) -> bool:
        try:
            self._predict(frame.reset_index(drop=True))
        except Exception:  # as above
            return True
        return False

    def _named(self, row: np.intp) -> str:
        label = self._index[int(row)]
        return f"row {label}" if isinstance(label, int | np.integer) else f"row {int(row)} (counted from 0)"


def scores_of(answer: Any, n: int, where: str) -> NDArray[np.float64]:
    """A predictor's answer as n floats, or a DataError that says what it is instead."""
    try:
        array = np.asarray(answer)
    except ValueError:
        raise DataError(Problem(f"the predictor returned rows of different lengths {where}", key="predictor")) from None
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim == 2 and array.shape[1] == 2:
        hint = "Return the second column, the probability of 1."
        raise DataError(Problem(f"the predictor returned two columns {where}", key="predictor", hint=hint))
    if array.dtype.kind == "b":
        raise DataError(_labels("true and false"))
    if array.dtype.kind in "cmM":
        kind = "complex numbers" if array.dtype.kind == "c" else "dates or durations"
        raise DataError(Problem(f"the predictor returned {kind} {where}", key="predictor"))
    if array.dtype.kind not in "iuf":
        try:
            # Objects may be numbers with None for missing; words are labels.
            array = np.array([np.nan if value is None else value for value in array.ravel().tolist()], dtype=np.float64)
        except (TypeError, ValueError):
            raise DataError(_labels("words")) from None
    if array.shape != (n,):
        found = str(len(array)) if array.ndim == 1 else f"an array of shape {array.shape}"
        raise DataError(Problem(f"the predictor returned {found} scores for {n} rows {where}", key="predictor"))
    return array.astype(np.float64)


def require_inputs(frame: pd.DataFrame, names: Sequence[str], key: str = "inputs") -> None:
    """A DataError that names every input that the data lacks or has several times, and every one that is named twice."""
    problems = [
        Problem(f"the data has no column {name!r}", key=key, hint=f"It has: {', '.join(map(str, frame.columns))}")
        for name in dict.fromkeys(names)
        if name not in frame.columns
    ]
    written = [str(name) for name in frame.columns]
    for name in dict.fromkeys(map(str, names)):
        if written.count(name) > 1:
            problems.append(Problem(f"the data has {written.count(name)} columns {name!r}", key=key))
        if list(map(str, names)).count(name) > 1:
            problems.append(Problem(f"the input {name!r} is named twice", key=key, hint="Keep one of them."))
    if problems:
        raise DataError(*problems)


def _as_type(values: Column, dtype: Any) -> Any:
    if isinstance(dtype, np.dtype):
        return values
    if values.dtype.kind == "f" and getattr(dtype, "kind", "O") in "iu":
        return pd.array(values, dtype="Float64")
    return pd.array(values, dtype=dtype)


def _labels(found: str) -> Problem:
    hint = "A noise study needs scores: return, for example, predict_proba's second column."
    return Problem(f"the predictor returned labels instead of scores ({found})", key="predictor", hint=hint)


def _raised(error: Exception, where: str, example: str | None) -> Problem:
    frames = traceback.extract_tb(error.__traceback__)
    place = f" in {frames[-1].name} ({frames[-1].filename.rsplit('/', 1)[-1]}:{frames[-1].lineno})" if frames else ""
    row = f", for example on {example}" if example else ""
    return Problem(
        f"the predictor raised {type(error).__name__}{place} {where}{row}",
        key="predictor",
        hint="Its message is not repeated, as it may quote values of a row.",
    )
