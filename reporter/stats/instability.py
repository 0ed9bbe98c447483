"""What a test of instability returns, and its p-values: in logarithms, so that they never underflow to 0."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from scipy import special

CONSTANT = "it has one value here"
"""Why a covariate is not tested in a node where it does not vary."""


@dataclass(frozen=True, slots=True)
class Test:
    """Does Δ differ over the levels of a covariate?

    ``statistic`` with ``df`` degrees of freedom (the largest of several contrasts: 1, of one squared contrast), ``p``
    in [0, 1] and its natural logarithm ``log_p``, which stays finite where ``p`` is 0 in floating point. All are None,
    with a ``reason``, where the test is not possible.
    """

    __test__: ClassVar[bool] = False  # not a test class of pytest

    statistic: float | None
    df: float | None
    p: float | None
    log_p: float | None
    reason: str | None = None

    @classmethod
    def of(cls, statistic: float, df: float, log_p: float) -> Test:
        """A test that was possible."""
        log_p = min(0.0, float(log_p))
        return cls(float(statistic), float(df), math.exp(log_p), log_p)

    @classmethod
    def impossible(cls, reason: str) -> Test:
        """A test that was not possible."""
        return cls(None, None, None, None, reason)


def log_chi2_sf(x: float, df: float) -> float:
    """The natural logarithm of the chi-square upper tail probability P(X > x), ``df`` > 0 (any real number).

    Where the probability is below 1e-250 the continued fraction of the upper incomplete gamma function is used [1]_.

    References
    ----------
    .. [1] NIST Digital Library of Mathematical Functions, equation 8.9.2.

    Examples
    --------
    >>> round(log_chi2_sf(3.841458820694124, 1), 6) == round(math.log(0.05), 6)
    True
    >>> log_chi2_sf(4000.0, 1) < -2000
    True
    """
    if x <= 0:
        return 0.0
    tail = float(special.gammaincc(df / 2, x / 2))
    if tail > 1e-250:
        return math.log(tail) if tail < 1 else 0.0
    a, y = df / 2, x / 2
    # Lentz's evaluation of 1/(y+1-a- 1(1-a)/(y+3-a- 2(2-a)/(y+5-a- ...)))
    b = y + 1 - a
    c = math.inf
    d = 1 / b
    fraction = d
    for i in range(1, 1000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        step = c * d
        fraction *= step
        if abs(step - 1) < 1e-15:
            break
    return a * math.log(y) - y - math.lgamma(a) + math.log(fraction)


def adjusted_log_p(log_p: float, n_tests: int, adjust: str) -> float:
    """The logarithm of the p-value adjusted for the best of ``n_tests`` tests.

    ``bonferroni``: min(1, n p) where p <= 0.001; above that the slightly sharper 1 - (1 - p)^n (Sidak), as the R package
    partykit does under that name. ``none``: p.

    Examples
    --------
    >>> round(math.exp(adjusted_log_p(math.log(0.0005), 4, "bonferroni")), 10)
    0.002
    >>> round(math.exp(adjusted_log_p(math.log(0.02), 3, "bonferroni")), 6)
    0.058808
    """
    if adjust == "none":
        return log_p
    if adjust != "bonferroni":
        raise ValueError(f"unknown adjustment {adjust!r}: bonferroni or none")
    if log_p <= math.log(0.001):
        return min(0.0, log_p + math.log(n_tests))
    # 1 - (1-p)^n without cancellation
    return math.log(-math.expm1(n_tests * math.log(-math.expm1(log_p)))) if log_p < 0 else 0.0
