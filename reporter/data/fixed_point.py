"""Sums of floats that do not depend on the order in which an engine adds: each term as two whole numbers.

A term x with \\|x\\| <= 2^e is hi * 2^(e - 30) + lo * 2^(e - 60), hi and lo whole, cut off below 2^(e - 60). Whole numbers add up to the same total in any
order, on any engine and with any number of threads; all scaling is by powers of two, which is exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

BITS = 30


def exponent(bound: float) -> int:
    """The least e with ``bound`` <= 2^e (0 for a bound of 0).

    >>> exponent(1.0), exponent(1.5), exponent(0.25)
    (0, 1, -2)
    """
    if bound == 0:
        return 0
    mantissa, power = math.frexp(bound)
    return power - 1 if mantissa == 0.5 else power


def parts(term: Any, power: int) -> tuple[Any, Any]:
    """The two whole numbers of an engine's float expression, \\|term\\| <= 2^power."""
    # Two factors, as a single one may lie beyond the range of floats.
    half = (BITS - power) // 2
    scaled = term * math.ldexp(1.0, half) * math.ldexp(1.0, BITS - power - half)
    high = scaled.floor()
    return high, ((scaled - high.cast("float64")) * float(2**BITS)).floor()


def fraction(high: int, low: int, power: int) -> Fraction:
    """The sum that two sums of parts stand for, exactly.

    >>> fraction(3 * 2**29, 0, 0)
    Fraction(3, 2)
    """
    whole = (high << BITS) + low
    shift = power - 2 * BITS
    return Fraction(whole << shift) if shift >= 0 else Fraction(whole, 1 << -shift)


def total(high: int, low: int, power: int) -> float:
    """The float nearest to that sum.

    >>> total(3 * 2**29, 0, 0)
    1.5
    """
    return float(fraction(high, low, power))
