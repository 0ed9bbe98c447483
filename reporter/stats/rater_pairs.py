"""What an engine sums up about two raters per group: the four counts of binary ratings, the centred sums of scores.

Knows arrays only: a group is a position.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.results import Icc
from reporter.stats.cells import Floats
from reporter.stats.icc import icc_from_moments


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """The four counts of two binary raters per group: arrays of shape (G,)."""

    a: Floats
    b: Floats
    c: Floats
    d: Floats

    @classmethod
    def of(cls, a: ArrayLike, b: ArrayLike, c: ArrayLike, d: ArrayLike) -> PairCounts:
        """From anything that numpy turns into numbers."""
        return cls(*(np.atleast_1d(np.asarray(count, dtype=np.float64)) for count in (a, b, c, d)))

    def rest(self) -> PairCounts:
        """For each group everyone who is not in it."""
        return PairCounts(*(count.sum() - count for count in (self.a, self.b, self.c, self.d)))


@dataclass(frozen=True, slots=True, eq=False)
class PairMoments:
    """The centred sums of two raters' scores per group: arrays of shape (G,), as :func:`icc_from_moments` takes them."""

    n: Floats
    mean_r: Floats
    mean_s: Floats
    s_rr: Floats
    s_ss: Floats
    s_rs: Floats

    @classmethod
    def of(
        cls, n: ArrayLike, mean_r: ArrayLike, mean_s: ArrayLike, s_rr: ArrayLike, s_ss: ArrayLike, s_rs: ArrayLike
    ) -> PairMoments:
        """From anything that numpy turns into numbers; the means and sums of an empty group may be NaN."""
        sizes = np.atleast_1d(np.asarray(n, dtype=np.float64))
        sums = (np.atleast_1d(np.asarray(value, dtype=np.float64)) for value in (mean_r, mean_s, s_rr, s_ss, s_rs))
        return cls(sizes, *(np.where(sizes > 0, value, 0.0) for value in sums))

    def rest(self) -> PairMoments:
        """For each group everyone who is not in it, merged about their own means."""
        groups = range(len(self.n))
        merged = [self._merged(np.array([other != group for other in groups], dtype=bool)) for group in groups]
        return PairMoments(*(np.array(column) for column in zip(*merged, strict=True)))

    def total(self) -> PairMoments:
        """All groups as one."""
        return PairMoments(*(np.array([value]) for value in self._merged(np.ones(len(self.n), dtype=bool))))

    def icc(self, group: int, form: str, confidence: float) -> Icc:
        """The correlation of one group."""
        return icc_from_moments(
            int(self.n[group]),
            float(self.mean_r[group]),
            float(self.mean_s[group]),
            float(self.s_rr[group]),
            float(self.s_ss[group]),
            float(self.s_rs[group]),
            form,
            confidence=confidence,
        )

    def _merged(self, chosen: NDArray[np.bool_]) -> tuple[float, ...]:
        n = self.n[chosen]
        total = float(n.sum())
        if total == 0:
            return (0.0,) * 6
        mean_r, mean_s = (float(n @ mean[chosen]) / total for mean in (self.mean_r, self.mean_s))
        # About each other: a common offset of the means cancels before it is squared.
        dr, ds = self.mean_r[chosen] - mean_r, self.mean_s[chosen] - mean_s
        s_rr = float((self.s_rr[chosen] + n * dr * dr).sum())
        s_ss = float((self.s_ss[chosen] + n * ds * ds).sum())
        s_rs = float((self.s_rs[chosen] + n * dr * ds).sum())
        return total, mean_r, mean_s, s_rr, s_ss, s_rs
