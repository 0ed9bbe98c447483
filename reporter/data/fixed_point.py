"""Sums of floats that do not depend on the order in which an engine adds: each term as two whole numbers.

A term x with \\|x\\| <= 2^e is hi * 2^(e - 30) + lo * 2^(e - 60), hi and lo whole, cut off below 2^(e - 60). Whole numbers add up to the same total in any
order, on any engine and with any number of threads; all scaling is by powers of two, which is exact.
"""

from __future__ import annotations

import math

_PART = 30


def exponent(bound: float) -> int:
    """The least e with ``bound`` <= 2^e (0 for a bound of 0).

    >>> exponent(1.0), exponent(1.5), exponent(0.25)
    (0, 1, -2)
    """
    if bound == 0:
        return 0
    mantissa, power = math.frexp(bound)
    return power - 1 if mantissa == 0.5 else power


def total(high: int | None, low: int | None, power: int) -> float:
    """The float nearest to the sum that two sums of parts stand for.

    >>> total(3 * 2**29, 0, 0)
    1.5
    """
    whole = ((high or 0) << _PART) + (low or 0)
    return math.ldexp(float(whole), power - 2 * _PART) if abs(whole) < 2**1000 else float("nan")
