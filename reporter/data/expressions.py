"""Ibis expressions that mean the same on every engine: numbers of text columns, predictions of scores, intervals.

No engine is asked anything here. Comparisons with the largest finite number stand for tests of infinity and NaN, which not every engine has.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, Literal

from reporter.data.groupings import Bins

LARGEST = sys.float_info.max

# The codes of a score: a prediction (0, 1), or why there is none, or a prediction from a score outside [0, 1].
NOT_FINITE, NOT_A_NUMBER, OUTSIDE = 2, 3, 4

_NUMBER = r"^\s*[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?[0-9]+)?\s*$"


def is_text(table: Any, column: str) -> bool:
    """Whether a column holds text."""
    return bool(table[column].type().is_string())


def is_plain(table: Any, column: str) -> bool:
    """Whether a column holds single values: text, numbers, booleans, dates."""
    kind = table[column].type()
    return bool(
        kind.is_string()
        or kind.is_numeric()
        or kind.is_boolean()
        or kind.is_temporal()
        or kind.is_null()
        or kind.is_uuid()
    )


def kind_in_words(kind: Any) -> str:
    """What a column of a type that is not plain holds."""
    if kind.is_interval():
        return "durations"
    if kind.is_array():
        return "lists"
    if kind.is_struct() or kind.is_map() or kind.is_json():
        return "records"
    return "bytes" if kind.is_binary() else f"values of the type {kind}"


def known(table: Any, column: str, missing: Sequence[str]) -> Any:
    """A column with null for what counts as missing in text."""
    value = table[column]
    if not is_text(table, column) or not missing:
        return value
    import ibis

    return ibis.ifelse(value.isin(list(missing)), ibis.null("string"), value)


def number(table: Any, column: str, missing: Sequence[str], *, sql_name: str) -> Any:
    """A column as float64; null where it is missing or text that is no number."""
    import ibis

    value = table[column]
    if value.type().is_boolean():
        return ibis.ifelse(value, ibis.literal(1.0), ibis.literal(0.0))
    if not is_text(table, column):
        return _widened(value)
    if sql_name == "duckdb":
        # DuckDB reads "1_000" as a number; nobody else does.
        plain = value.try_cast("float64")
        return ibis.ifelse(value.isin(list(missing)) | value.contains("_"), ibis.null("float64"), plain)
    return ibis.ifelse(value.re_search(_NUMBER), value.cast("float64"), ibis.null("float64"))


def _widened(value: Any) -> Any:
    """A number as float64. One of single precision is read by its shortest decimal: 0.35 is 0.35, as in a CSV, not 0.3499999940395355."""
    kind = value.type()
    if kind.is_float32() or kind.is_float16():
        return value.cast("string").cast("float64")
    return value.cast("float64")


def finite(value: Any) -> Any:
    """Whether a number is finite (null for null)."""
    return (value >= -LARGEST) & (value <= LARGEST)


def score_code(
    table: Any, column: str, missing: Sequence[str], *, cut: float, rule: Literal[">=", ">"], sql_name: str
) -> Any:
    """What a score predicts: 0 or 1 (plus ``OUTSIDE`` when the score is outside [0, 1]); null when it is missing,
    ``NOT_FINITE`` for infinity and NaN, ``NOT_A_NUMBER`` for other text.
    """
    import ibis

    value = number(table, column, missing, sql_name=sql_name)
    decided = (value >= cut) if rule == ">=" else (value > cut)
    prediction = _bit(decided)
    unknown = ibis.null("int8")
    if is_text(table, column):
        text = known(table, column, missing)
        unknown = ibis.ifelse(text.isnull(), ibis.null("int8"), ibis.literal(NOT_A_NUMBER, "int8"))
    return ibis.cases(
        ((value >= 0) & (value <= 1), prediction),
        (value.isnull(), unknown),
        (finite(value), prediction + ibis.literal(OUTSIDE, "int8")),
        else_=ibis.literal(NOT_FINITE, "int8"),
    )


def _bit(condition: Any) -> Any:
    """A condition as 1 or 0: not every engine casts booleans."""
    import ibis

    return ibis.ifelse(condition, ibis.literal(1, "int8"), ibis.literal(0, "int8"))


def interval_code(value: Any, bins: Bins, *, has_nan: bool) -> Any:
    """The position of the interval that holds a number; null for null and NaN."""
    import ibis

    branches = [(value <= cut, ibis.literal(i, "int32")) for i, cut in enumerate(bins.cuts)]
    last = ibis.literal(len(bins.cuts), "int32")
    ends = [(value.isnull() | value.isnan() if has_nan else value.isnull(), ibis.null("int32"))]
    return ibis.cases(*ends, *branches, else_=last)


def is_one_of(value: Any, texts: Sequence[str]) -> Any:
    """Whether a raw value has one of these spellings (of :func:`reporter.data.values.text_of`)."""
    kind = value.type()
    if kind.is_string():
        return value.isin(list(texts))
    if kind.is_boolean():
        return value.isin([text == "true" for text in texts])
    if kind.is_numeric():
        return _widened(value).isin([float(text) for text in texts])
    return value.cast("string").isin(list(texts))
