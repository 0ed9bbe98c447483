"""Agreement in Python: kappa and its relatives of two vectors or four counts, intraclass correlations of scores."""

from __future__ import annotations

from collections.abc import Sized
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.api.arguments import check_confidence, vector
from reporter.errors import InputError, Problem
from reporter.results import Agreement, Icc
from reporter.stats import agreement as binary
from reporter.stats import icc as scores_icc
from reporter.stats.delta_options import as_found, is_number, is_whole

MOST_ROWS = 2**53
"""Beyond it a count is no longer exact as a number with a fraction."""


def agreement(first: Any, second: Any, *, confidence: float = 0.95) -> Agreement:
    """Agreement of two binary raters from their ratings.

    Parameters
    ----------
    first, second
        The ratings of the same rows in the same order: vectors of 0 and 1 (numbers, booleans or the words "0" and "1").
        A pair with a missing rating is left out, as if the row were absent. Two pandas Series must have the same index.
    confidence
        Of the intervals, in (0, 1).

    Returns
    -------
    Agreement
        ``n`` is the number of complete pairs; see :func:`agreement_from_counts`.

    Raises
    ------
    InputError (a ValueError)
        Vectors of different length or with different row sets, or values other than 0 and 1.

    Examples
    --------
    >>> found = agreement([1, 1, 0, 0, 1, None], [1, 0, 0, 0, 1, 1])
    >>> found.n, round(found.kappa, 4)
    (5, 0.6154)
    """
    check_confidence(confidence)
    _check_same_rows(first, second)
    r, s = _ratings(first, "first"), _ratings(second, "second")
    if len(r) != len(s):
        raise InputError(Problem(f"first has {len(r)} ratings and second {len(s)}; they must rate the same rows"))
    both = ~(np.isnan(r) | np.isnan(s))
    one, two = r[both] == 1, s[both] == 1
    counts = (int(np.sum(x)) for x in (one & two, ~one & two, one & ~two, ~one & ~two))
    return binary.agreement_from_counts(*counts, confidence=confidence)


def agreement_from_counts(a: int, b: int, c: int, d: int, *, confidence: float = 0.95) -> Agreement:
    """Agreement of two binary raters from four counts.

    Parameters
    ----------
    a, b, c, d
        Rows that both raters (first r, second s) rated 1; r 0 and s 1; r 1 and s 0; both 0.
    confidence
        Of the intervals, in (0, 1).

    Returns
    -------
    Agreement
        n, observed, expected, kappa and pabak with intervals, ac1, bias_index, prevalence_index and the two adjusted kappas;
        undefined values are None, and ``reason`` says why. Formulas: :mod:`reporter.stats.agreement`.

    Raises
    ------
    InputError (a ValueError)
        Counts that are negative or not whole numbers.

    Examples
    --------
    >>> found = agreement_from_counts(20, 5, 10, 15)
    >>> found.kappa, round(found.kappa_low, 4), round(found.kappa_high, 4)
    (0.4, 0.1511, 0.6489)
    """
    check_confidence(confidence)
    counts = {"a": a, "b": b, "c": c, "d": d}
    problems = [
        Problem(f"{name} must hold whole numbers that are not negative, found {as_found(count)}")
        for name, count in counts.items()
        if not (is_number(count) and 0 <= count <= MOST_ROWS and count == int(count))
    ]
    if problems:
        raise InputError(*problems)
    return binary.agreement_from_counts(a, b, c, d, confidence=confidence)


def icc(scores: Any, form: str = "A1", *, confidence: float = 0.95) -> Icc:
    """The intraclass correlation of n subjects scored by the same k raters.

    Parameters
    ----------
    scores
        n x k numbers (an array, lists or a DataFrame); subjects with a missing score are left out.
    form
        "1" (one-way), "A1" (two-way, absolute agreement), "C1" (consistency), or the mean of k raters: "1k", "Ak", "Ck".
    confidence
        Of the interval, in (0, 1).

    Returns
    -------
    Icc
        value, low, high, F, df1, df2, p, n, k; undefined values are None, and ``reason`` says why. Never clipped.

    Raises
    ------
    InputError (a ValueError)
        Something other than n x k finite numbers, or an unknown form.

    Examples
    --------
    >>> round(icc([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]).value, 4)
    0.2898
    """
    check_confidence(confidence)
    table = _score_table(scores)
    try:
        return scores_icc.icc(table, form, confidence=confidence)
    except (TypeError, ValueError) as error:
        raise InputError(Problem(str(error))) from None


def icc_from_mean_squares(
    msb: float, msj: float, mse: float, n: int, k: int, form: str = "A1", *, confidence: float = 0.95
) -> Icc:
    """The intraclass correlation from the mean squares between subjects, between raters and of the residual.

    Parameters, result and errors as in :func:`reporter.icc`; ``n`` subjects, ``k`` raters.

    Examples
    --------
    >>> round(icc_from_mean_squares(15.75, 36.75, 1.75, 6, 2).value, 12)
    0.48
    """
    check_confidence(confidence)
    problems = [
        Problem(f"found {as_found(value)}, expected a whole number, at least 0", key=key)
        for key, value in (("n", n), ("k", k))
        if not (is_whole(value) and 0 <= value <= MOST_ROWS)
    ]
    problems += [
        Problem(f"found {as_found(value)}: mean squares must be finite and not negative", key=key)
        for key, value in (("msb", msb), ("msj", msj), ("mse", mse))
        if not (is_number(value) and value >= 0)
    ]
    if problems:
        raise InputError(*problems)
    try:
        return scores_icc.icc_from_mean_squares(msb, msj, mse, n, k, form, confidence=confidence)
    except (TypeError, ValueError) as error:
        raise InputError(Problem(str(error))) from None


def _score_table(scores: Any) -> NDArray[np.float64]:
    """n x k floats, NaN for a missing score."""
    unfit = Problem(f"found {as_found(scores)}, expected n x k numbers", key="scores")
    if scores is None or isinstance(scores, str | bytes):
        raise InputError(unfit)
    if isinstance(scores, list | tuple):
        lengths = {len(row) if isinstance(row, Sized) and not isinstance(row, str) else 1 for row in scores}
        if len(lengths) > 1:
            raise InputError(Problem("the subjects have different numbers of scores", key="scores"))
    try:
        frame = pd.DataFrame(scores)
    except (TypeError, ValueError):
        raise InputError(unfit) from None
    columns = [frame.iloc[:, place] for place in range(frame.shape[1])]
    kinds = {"c": "complex numbers", "M": "dates", "m": "durations"}
    odd = [kinds[column.dtype.kind] for column in columns if column.dtype.kind in kinds]
    if odd:
        raise InputError(Problem(f"found {odd[0]}, expected n x k numbers", key="scores"))
    try:
        numbers = [_floats(column) for column in columns]
    except (TypeError, ValueError):
        raise InputError(_no_number(columns)) from None
    return np.column_stack(numbers) if numbers else np.empty((len(frame), 0))


def _floats(column: pd.Series[Any]) -> NDArray[np.float64]:
    # Objects may hold any of the ways to say that a score is missing.
    if column.dtype == object:
        column = column.where(column.notna(), np.nan)
    return column.to_numpy(dtype=np.float64, na_value=np.nan)


def _no_number(columns: list[pd.Series[Any]]) -> Problem:
    for value in (value for column in columns for value in column.tolist()):
        try:
            float(np.nan if pd.isna(value) else value)
        except (TypeError, ValueError):
            return Problem(f"found {as_found(value)}, expected n x k numbers", key="scores")
    return Problem("expected n x k numbers", key="scores")


def _check_same_rows(first: Any, second: Any) -> None:
    both_series = isinstance(first, pd.Series) and isinstance(second, pd.Series)
    if both_series and len(first) == len(second) and not first.index.equals(second.index):
        hint = "Align the two on their row keys first."
        raise InputError(Problem("first and second have different row sets or row orders", hint=hint))


def _ratings(values: Any, name: str) -> NDArray[np.float64]:
    """0.0, 1.0 or NaN for each rating."""
    series = vector(name, values)
    if series.dtype.kind in "mM":
        series = series.astype(object)
    missing = series.isna().to_numpy()
    numbers = pd.to_numeric(series, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~missing & ~np.isin(numbers, (0.0, 1.0))
    if bad.any():
        found = ", ".join(sorted({repr(value) for value in series[bad].tolist()})[:3])
        raise InputError(Problem(f"{name} has {int(bad.sum())} ratings other than 0 and 1, such as {found}"))
    return numbers
