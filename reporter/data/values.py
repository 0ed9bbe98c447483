"""What a raw value is as text, and which of a column's few values counts as 1.

Engines deliver the same value in different types (1, 1.0, True, "1"); from here on there is one spelling. Works on distinct values,
never on rows; knows nothing of engines or config files.
"""

from __future__ import annotations

import datetime
import decimal
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

NO = -1
"""The code of a missing label or prediction."""

_CODE = re.compile(r"[+-]?0[0-9]+")
_BITS = {"0": 0, "1": 1, "false": 0, "true": 1}


def text_of(value: Any, missing: frozenset[str] = frozenset()) -> str | None:
    """The one spelling of a value: None when it is missing.

    Whole floats are written as integers, booleans as "true" and "false", dates in ISO form. NaN is missing; of text also what ``missing`` lists.

    Examples
    --------
    >>> [text_of(value) for value in (1, 1.0, 0.5, True, "01", float("nan"), None)]
    ['1', '1', '0.5', 'true', '01', None, None]
    >>> text_of("NA", frozenset({"", "NA"})) is None
    True
    """
    if value is None:
        return None
    if isinstance(value, str):
        return None if value in missing else value
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return None if math.isnan(value) else number_text(value)
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else _decimal_text(value)
    if isinstance(value, datetime.datetime):
        return None if value != value else value.isoformat(sep=" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    unequal = value != value
    # pandas' NA answers a comparison with itself.
    return None if unequal is value or unequal else str(value)


def number_text(value: float | np.floating[Any]) -> str:
    """The shortest text of a number; a whole one has no point.

    >>> number_text(40.0), number_text(-0.0), number_text(0.1)
    ('40', '0', '0.1')
    """
    number = float(value)
    if number.is_integer() and abs(number) < 1e16:
        return str(int(number))
    return str(value) if isinstance(value, np.floating) else repr(number)


def _decimal_text(value: decimal.Decimal) -> str:
    text = format(value, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def plain(text: str) -> str:
    """A spelling under which equal numbers and booleans are equal; a code with leading zeros is no number.

    >>> plain("1.0"), plain("TRUE"), plain("01")
    ('1', 'true', '01')
    """
    lowered = text.strip().lower()
    if lowered in ("true", "false"):
        return lowered
    if _CODE.fullmatch(lowered):
        return text
    try:
        number = float(lowered)
    except ValueError:
        return text
    return number_text(number) if math.isfinite(number) else text


@dataclass(frozen=True, slots=True)
class Binary:
    """How the distinct values of a column read as 0 and 1. ``bits[i]``: 1, 0 or -1 (missing) for value i; None with a ``message``."""

    bits: tuple[int, ...] | None
    message: str = ""
    hint: str = ""
    needs_positive: bool = False
    note: str = ""


def read_binary(
    values: Sequence[str | None], counts: Sequence[int], *, positive: str | bool | int | float | None, what: str
) -> Binary:
    """Read a column's distinct values as 0 and 1.

    0/1 and false/true in any type or spelling need no ``positive``; two words need it. ``what`` names the column in messages.

    Examples
    --------
    >>> read_binary(["0.0", "1", None], [5, 3, 1], positive=None, what="column 'y'").bits
    (0, 1, -1)
    >>> print(read_binary(["<=50K", ">50K"], [5, 3], positive=None, what="column 'income'").message)
    column 'income' holds the words '<=50K' and '>50K', and nothing says which one counts as 1
    """
    spelled = [None if value is None else plain(value) for value in values]
    present = [(value, n) for value, n in zip(values, counts, strict=True) if value is not None and n > 0]
    if all(value is None or value in _BITS for value in spelled):
        bits = [NO if value is None else _BITS[value] for value in spelled]
        wanted = None if positive is None else _BITS.get(plain(_given(positive)))
        if positive is not None and wanted is None:
            return _absent(positive, present, what)
        return Binary(tuple(1 - bit if wanted == 0 and bit != NO else bit for bit in bits))
    if positive is None:
        return _unreadable(present, what)
    if len(present) > 2:
        return Binary(None, f"{what} has {_many(present)}; expected two", _TWO)
    given = _given(positive)
    matches = [value == given for value in values]
    if not any(matches):
        matches = [value is not None and value == plain(given) for value in spelled]
    if not any(matches):
        if len(present) == 2:
            return _absent(positive, present, what)
        note = f"No row of {what} has the value {given!r}; all {present[0][1]:,} have {present[0][0]!r}."
        return Binary(tuple(NO if value is None else 0 for value in values), note=note)
    return Binary(tuple(NO if value is None else int(match) for value, match in zip(values, matches, strict=True)))


_TWO = "Use a column with two values, or filter the rows with data.where"


def _given(positive: str | bool | int | float) -> str:
    text = text_of(positive)
    return "" if text is None else text


def _unreadable(present: list[tuple[str, int]], what: str) -> Binary:
    odd = [(value, n) for value, n in present if plain(value) not in _BITS]
    numbers = all(_is_number(value) for value, _ in present)
    fractions = numbers and any(not float(value).is_integer() for value, _ in present)
    if len(present) > 2 or fractions or (numbers and len(odd) < len(present)):
        example, n = max(odd, key=lambda pair: (pair[1], pair[0]))
        total = sum(count for _, count in odd)
        rows = "1 row has a value" if total == 1 else f"{total:,} rows have a value"
        more = "" if len(odd) == 1 else f" (e.g. {example!r}, {n:,} of them; {len(odd):,} such values)"
        found = f"{example!r}" if len(odd) == 1 else "other values"
        if fractions or len(odd) < len(present):
            return Binary(None, f"{what}: {rows} that is neither 0 nor 1: {found}{more}", _TWO)
        return Binary(None, f"{what} has {_many(present)}; expected two", _TWO)
    words = " and ".join(repr(value) for value in sorted(value for value, _ in present))
    kind = "values" if numbers else "words"
    if len(present) == 1:
        message = f"{what} holds only {words}, and nothing says whether it counts as 1"
    else:
        message = f"{what} holds the {kind} {words}, and nothing says which one counts as 1"
    return Binary(None, message, needs_positive=True)


def _absent(positive: Any, present: list[tuple[str, int]], what: str) -> Binary:
    found = " and ".join(f"{value!r} ({n:,} rows)" for value, n in sorted(present)) or "no value at all"
    return Binary(None, f"{what} has {found}, not {positive!r}", "Set `positive` to one of its values", True)


def _many(present: list[tuple[str, int]]) -> str:
    shown = sorted(present, key=lambda pair: (-pair[1], pair[0]))[:5]
    listed = ", ".join(f"{value!r} ({n:,} rows)" for value, n in shown)
    return f"{len(present):,} values: {listed}{', ...' if len(present) > 5 else ''}"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
