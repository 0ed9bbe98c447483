"""The scalar types of a config: numbers that remember how they were written, text, and unions told apart by shape.

YAML reads ``2.10`` as a number. Where a key wants text (``version: 2.10``) the text as written is kept, so nothing turns
into ``2.1``. Knows nothing of files, positions or keys.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Discriminator, Field, StringConstraints, WithJsonSchema
from pydantic_core import PydanticCustomError

UNFILLED = "FILL IN"  # what `reporter init` writes where it cannot guess
MAX_INTEGER = 2**53 - 1  # RFC 8785: beyond it JSON readers disagree about integers


class WrittenInt(int):
    """An integer with the text it was written as.

    >>> WrittenInt.read("+5") + 1, WrittenInt.read("+5").written
    (6, '+5')
    """

    written: str

    @classmethod
    def read(cls, text: str) -> WrittenInt:
        """The number that ``text`` is."""
        number = cls(text)
        number.written = text
        return number


class WrittenFloat(float):
    """A decimal number with the text it was written as.

    >>> float(WrittenFloat.read("2.10")), WrittenFloat.read("2.10").written
    (2.1, '2.10')
    """

    written: str

    @classmethod
    def read(cls, text: str) -> WrittenFloat:
        """The number that ``text`` is."""
        number = cls(text)
        number.written = text
        return number


def as_written(value: Any) -> Any:
    """The text of a number read from YAML; every other value as it is."""
    return value.written if isinstance(value, WrittenInt | WrittenFloat) else value


def plain_number(value: Any) -> Any:
    """A number without its text, for keys that hold it against a literal; every other value as it is."""
    return int(value) if isinstance(value, WrittenInt) else value


def by_shape(expected: str, *, numbers: str = "text", words: Collection[str] | None = None) -> Discriminator:
    """Tells the members of a union apart by the shape of the value, so that a mistake gives one message, not one per member.

    Members are tagged ``shape:text``, ``shape:number``, ``shape:list``, ``shape:mapping`` and ``shape:columns`` (a
    mapping with the key ``columns``). ``expected`` says in words what the key takes. ``numbers`` is the shape that a number
    counts as: text where names are wanted, "number" where an amount is. ``words`` are the only texts allowed.
    """

    def shape(value: Any) -> str:
        if isinstance(value, str):
            return "shape:text" if words is None or value in words else "shape:other"
        if isinstance(value, bool) or value is None:
            return "shape:other"
        if isinstance(value, int | float):
            return f"shape:{numbers}"
        if isinstance(value, list | tuple):
            return "shape:list"
        if isinstance(value, Mapping):
            return "shape:columns" if "columns" in value and "column" not in value else "shape:mapping"
        if isinstance(value, BaseModel):
            return "shape:columns" if hasattr(value, "columns") else "shape:mapping"
        return "shape:other"

    return Discriminator(shape, custom_error_type="shape", custom_error_message=expected)


def _scalar(value: Any) -> Any:
    if isinstance(value, str | bool | int | float) or value is None:
        return value
    raise PydanticCustomError("shape", "one value (a text, a number, true or false)")


_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")


def _date(value: Any) -> Any:
    # pydantic would read a number as seconds since 1970
    if isinstance(value, datetime.date) or (isinstance(value, str) and _DATE.fullmatch(value)):
        return value
    raise PydanticCustomError("shape", "a date such as 2027-03-31")


_TEXT_SCHEMA = {"type": ["string", "number"]}

Text = Annotated[str, BeforeValidator(as_written), WithJsonSchema(_TEXT_SCHEMA)]
Name = Annotated[
    str,
    StringConstraints(min_length=1),
    BeforeValidator(as_written),
    WithJsonSchema({**_TEXT_SCHEMA, "minLength": 1}),
]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Whole = Annotated[int, Field(strict=True, ge=-MAX_INTEGER, le=MAX_INTEGER)]
Truth = Annotated[bool, Field(strict=True)]
Scalar = Annotated[str | bool | int | float, BeforeValidator(_scalar)]
Date = Annotated[datetime.date, BeforeValidator(_date)]
