"""Rows as CSV text, safe to open in a spreadsheet: texts that it would run are neutralised, numbers are whole and untouched."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from reporter.results import Estimate

Value = str | int | float | bool | None

ESTIMATE = ("value", "low", "high", "n", "numerator", "denominator", "method", "reason")
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")


def csv_table(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    """The text of a table: a header line, then a line a row, each ended by a line feed."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([neutralised(value) for value in row] for row in rows)
    return text.getvalue()


def neutralised(value: Value) -> Value:
    """The value, with an apostrophe before a text that a spreadsheet would take for a formula; a whole number has no point.

    Examples
    --------
    >>> neutralised("=HYPERLINK(1)"), neutralised("-5"), neutralised("- 5 years"), neutralised(-0.25)
    ("'=HYPERLINK(1)", '-5', "'- 5 years", -0.25)
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if not isinstance(value, str) or (
        not value.startswith(FORMULA_STARTS) and not value.lstrip().startswith(FORMULA_STARTS)
    ):
        return value
    return value if _is_number(value) else f"'{value}"


def _is_number(text: str) -> bool:
    """Whether the text is a plain decimal number, as a group of numbers may be named."""
    return text.lstrip("+-").replace(".", "", 1).isdecimal() and len(text) - len(text.lstrip("+-")) <= 1


def estimate_cells(estimate: Estimate | None) -> tuple[Value, ...]:
    """The columns ``ESTIMATE`` of a number."""
    return tuple(None if estimate is None else getattr(estimate, name) for name in ESTIMATE)


def prefixed(prefix: str, names: Iterable[str] = ESTIMATE) -> tuple[str, ...]:
    """Column names with their subject before them."""
    return tuple(f"{prefix}_{name}" for name in names)
