"""How numbers are written: percent, points, counts, ratios, p-values. Rounding happens here and nowhere else.

Rounding never turns a non-zero share into 0 % nor an imperfect one into 100 %: digits are added until it does not.
Thousands are set off with a comma from 1,000 on; a number and its unit are joined by a no-break space.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal

NBSP = "\u00a0"
MINUS = "\u2212"
UNDEFINED = "undefined"
MOST_DIGITS = 4


def percent(value: float, digits: int = 0) -> str:
    """A proportion in percent.

    Examples
    --------
    >>> percent(0.3113), percent(0.3113, 1), percent(0.0004), percent(0.99996), percent(1.0)
    ('31\\xa0%', '31.1\\xa0%', '0.04\\xa0%', '99.996\\xa0%', '100\\xa0%')
    """
    return f"{percent_number(value, digits)}{NBSP}%"


def percent_number(value: float, digits: int = 0) -> str:
    """A proportion in percent without its sign, for the ends of an interval.

    Examples
    --------
    >>> percent_number(0.125), percent_number(1e-9), percent_number(1 - 1e-9), percent_number(-0.02)
    ('13', '<\\xa00.0001', '>\\xa099.9999', '−2')
    """
    exact = Decimal(repr(float(value))) * 100
    for shown in range(digits, MOST_DIGITS + 1):
        rounded = _rounded(exact, shown)
        if not ((rounded == 0 and exact != 0) or (abs(rounded) == 100 and abs(exact) < 100)):
            return _signed(rounded, shown)
    if abs(exact) < 1:
        return f"<{NBSP}0.0001" if exact > 0 else f">{NBSP}{MINUS}0.0001"
    return f">{NBSP}99.9999" if exact > 0 else f"<{NBSP}{MINUS}99.9999"


def points(gap: float, digits: int = 0) -> str:
    """The size of a difference of two proportions, in percentage points, without its direction.

    Examples
    --------
    >>> points(0.1313), points(-0.01), points(0.004), points(0.0)
    ('13\\xa0points', '1\\xa0point', '0.4\\xa0points', '0\\xa0points')
    """
    number = percent_number(abs(gap), digits)
    return f"{number}{NBSP}{'point' if number == '1' else 'points'}"


def signed_points(gap: float, digits: int = 1) -> str:
    """A difference of two proportions with its sign, in percentage points, for tables and figures.

    Examples
    --------
    >>> signed_points(0.1313), signed_points(-0.088), signed_points(0.0)
    ('+13.1', '−8.8', '0.0')
    """
    number = percent_number(gap, digits)
    return f"+{number}" if gap > 0 else number


def adds_up(total: float, parts: Sequence[float], digits: int = 1) -> bool:
    """Whether the written percentage points of the parts add up to that of their total.

    Examples
    --------
    >>> adds_up(0.10, [0.04, 0.06]), adds_up(0.0759, [0.0384, 0.0124, 0.0251])
    (True, False)
    """
    shown = [_rounded(Decimal(repr(float(part))) * 100, digits) for part in parts]
    return sum(shown, Decimal(0)) == _rounded(Decimal(repr(float(total))) * 100, digits)


def rough(n: int) -> int:
    """A guess with the two leading digits that it is worth, rounded up.

    Examples
    --------
    >>> rough(3464), rough(96), rough(7)
    (3500, 96, 7)
    """
    step = int(10 ** max(len(str(n)) - 2, 0))
    return -(-n // step) * step


def number(value: float, digits: int = 3) -> str:
    """A number that is not a proportion, with so many decimals; more where it would round to nothing.

    Examples
    --------
    >>> number(0.70274), number(-0.0526, 2), number(0.0004, 2), number(1234.5, 1), number(0.9996, 2)
    ('0.703', '−0.05', '0.0004', '1,234.5', '1.00')
    """
    exact = Decimal(repr(float(value)))
    for shown in range(digits, digits + MOST_DIGITS):
        rounded = _rounded(exact, shown)
        if rounded != 0 or exact == 0:
            return _signed(rounded, shown)
    return f"{value:.1e}".replace("-", MINUS)


def coefficient(value: float, digits: int = 2) -> str:
    """A coefficient whose extremes mean something (kappa, AUC, ICC): never shown as 0 or ±1 unless it is.

    Examples
    --------
    >>> coefficient(0.996), coefficient(1.0), coefficient(-0.0526), coefficient(0.001)
    ('0.996', '1.00', '−0.05', '0.001')
    """
    exact = Decimal(repr(float(value)))
    for shown in range(digits, digits + MOST_DIGITS):
        rounded = _rounded(exact, shown)
        if not ((rounded == 0 and exact != 0) or (abs(rounded) == 1 and abs(exact) < 1)):
            return _signed(rounded, shown)
    if abs(exact) < Decimal("0.5"):
        return f"{value:.1e}".replace("-", MINUS)
    edge = f"0.{'9' * (digits + MOST_DIGITS)}"
    return f">{NBSP}{edge}" if exact > 0 else f"<{NBSP}{MINUS}{edge}"


def signed(text: str, value: float) -> str:
    """A written number with a plus sign where it is above 0.

    Examples
    --------
    >>> signed("0.12", 0.12), signed("−0.12", -0.12)
    ('+0.12', '−0.12')
    """
    return f"+{text}" if value > 0 else text


def count(value: float) -> str:
    """A count with thousands separators; fractions of a count (weights) keep one decimal.

    Examples
    --------
    >>> count(1894), count(66), count(12345678), count(2.5)
    ('1,894', '66', '12,345,678', '2.5')
    """
    if float(value).is_integer():
        return f"{int(value):,}".replace("-", MINUS)
    return f"{value:,.1f}".replace("-", MINUS)


def plain(value: float) -> str:
    """A number as a config has it: with all its digits and no more.

    Examples
    --------
    >>> plain(0.35), plain(40.0), plain(1e-05), plain(-2), plain(1227027.5)
    ('0.35', '40', '0.00001', '−2', '1,227,027.5')
    """
    if float(value).is_integer():
        return count(value)
    return f"{Decimal(repr(float(value))):,f}".replace("-", MINUS)


def p_value(value: float) -> str:
    """A p-value with its sign of equality.

    Examples
    --------
    >>> p_value(0.0213), p_value(0.00004), p_value(0.5), p_value(1.0)
    ('p = 0.021', 'p < 0.001', 'p = 0.50', 'p = 1')
    """
    shown = p_number(value).replace(NBSP, " ")
    return f"p {shown}" if shown[0] in "<>" else f"p = {shown}"


def p_number(value: float) -> str:
    """A p-value for a table.

    Examples
    --------
    >>> p_number(0.0213), p_number(0.00004), p_number(0.9999)
    ('0.021', '<\\xa00.001', '>\\xa00.99')
    """
    if value < 0.001:
        return f"<{NBSP}0.001"
    if value == 1:
        return "1"
    if value > 0.99:
        return f">{NBSP}0.99"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def date(iso: str) -> str:
    """A day written out, from an ISO 8601 date or time.

    Examples
    --------
    >>> date("2026-11-30T10:00:00+00:00"), date("2027-03-01")
    ('30\\xa0November\\xa02026', '1\\xa0March\\xa02027')
    """
    day = datetime.date.fromisoformat(iso[:10])
    return f"{day.day}{NBSP}{_MONTHS[day.month - 1]}{NBSP}{day.year}"


_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def _rounded(exact: Decimal, digits: int) -> Decimal:
    return exact.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP, context=_EVERY_FLOAT)


_EVERY_FLOAT = Context(prec=400)
"""Enough digits for the largest float."""


def _signed(rounded: Decimal, digits: int) -> str:
    if rounded == 0:
        rounded = abs(rounded)
    return f"{rounded:,.{digits}f}".replace("-", MINUS)
