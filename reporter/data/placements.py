"""Sums of placements over scores that arrive in ascending order, batch by batch, per level and for everyone else.

The names are those of :class:`reporter.stats.scores.ScoreMoments`; the formulas of the rest those of its ``rest_moments``. Whole numbers only: floats are
cut into two whole parts (``fixed_point``), and large whole numbers are summed in parts whose sums over one batch are exact in float64.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data import fixed_point

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

EXACT = ("placements", "squares1", "squares0")
FLOATS = ("error2", "error4", "total", "total2")
_BITS = fixed_point.BITS
_MASK = (1 << _BITS) - 1
MOST_SUMMED = 1 << 22
"""So many 30-bit numbers have a sum below 2^53."""


@dataclass(frozen=True)
class Shared:
    """What a batch says whatever the levels are. Per row: ``score``, ``label``, ``tie`` (which distinct score) and grid ``bin``;
    per distinct score: counts and placements over all rows.
    """

    score: Floats
    label: NDArray[np.int8]
    tie: Ints
    bin: Ints
    ones: Ints
    zeros: Ints
    below: Ints
    above: Ints
    higher1: Ints
    lower0: Ints
    lower_placed1: Ints
    lower_placed0: Ints
    parts: dict[str, Floats]


class Everyone:
    """Cumulative counts over all rows, whose number ``n``, number labelled 1 and range of scores are known before."""

    def __init__(self, *, n: int, n1: int, low: float, high: float, n_bins: int) -> None:
        self.n, self.n1, self.n_bins = n, n1, n_bins
        most = max(abs(low), abs(high))
        bounds = {"error2": (most + 1) ** 2, "error4": (most + 1) ** 4, "total": most, "total2": most**2}
        self.powers = {name: fixed_point.exponent(bound) for name, bound in bounds.items()}
        self._seen = self._seen1 = self._seen0 = 0
        self._placed1 = self._placed0 = 0
        self.bin_low = np.full(n_bins, np.inf)
        self.bin_high = np.full(n_bins, -np.inf)

    @property
    def placed1(self) -> int:
        """The sum of the placements of all rows labelled 1, at the end."""
        return self._placed1

    def take(self, score: Floats, label: NDArray[np.int8]) -> Shared:
        """Go on with the next rows, in ascending order of ``score`` with whole ties."""
        new = np.concatenate(([True], score[1:] != score[:-1]))
        first = np.flatnonzero(new)
        tie = np.cumsum(new) - 1
        rows = np.diff(np.append(first, len(score)))
        ones = np.add.reduceat((label == 1).astype(np.int64), first)
        zeros = np.add.reduceat((label == 0).astype(np.int64), first)
        seen1, seen0 = self._seen1 + np.cumsum(ones), self._seen0 + np.cumsum(zeros)
        below, above = 2 * seen0 - zeros, 2 * (self.n1 - seen1) + ones
        placed1, placed0 = ones * below, zeros * above
        sum1, sum0 = self._placed1 + np.cumsum(placed1), self._placed0 + np.cumsum(placed0)
        seen = self._seen + np.cumsum(rows)
        bins = ((seen - 1) * self.n_bins) // self.n
        # Bins ascend with the scores: each has its ends where it begins and where the next one does.
        begins = np.flatnonzero(np.concatenate(([True], bins[1:] != bins[:-1])))
        ends = np.append(begins[1:], len(bins)) - 1
        self.bin_low[bins[begins]] = np.minimum(self.bin_low[bins[begins]], score[first[begins]])
        self.bin_high[bins[ends]] = np.maximum(self.bin_high[bins[ends]], score[first[ends]])
        self._seen, self._seen1, self._seen0 = int(seen[-1]), int(seen1[-1]), int(seen0[-1])
        self._placed1, self._placed0 = int(sum1[-1]), int(sum0[-1])
        error = np.where(label >= 0, score - (label == 1), 0.0)
        terms = {"error2": error**2, "error4": (error**2) ** 2, "total": score, "total2": score**2}
        parts: dict[str, Floats] = {}
        for name, term in terms.items():
            parts[f"{name}_hi"], parts[f"{name}_lo"] = _two_parts(term, self.powers[name])
        return Shared(
            score=score,
            label=label,
            tie=tie,
            bin=bins[tie],
            ones=ones,
            zeros=zeros,
            below=below,
            above=above,
            higher1=self.n1 - seen1,
            lower0=seen0 - zeros,
            lower_placed1=2 * sum1 - placed1,
            lower_placed0=2 * (sum0 - placed0) + placed0,
            parts=parts,
        )


class LevelSums:
    """The sums of one grouping's levels; ``n1[level]`` rows of a level are labelled 1 and have a score."""

    def __init__(self, everyone: Everyone, n1: Ints, *, rest: bool = True) -> None:
        self.everyone, self.n1, self.with_rest = everyone, n1, rest
        self.n_levels = len(n1)
        self._seen1 = np.zeros(self.n_levels, np.int64)
        self._seen0 = np.zeros(self.n_levels, np.int64)
        self._whole: dict[str, NDArray[Any]] = {}
        self._low = np.full(self.n_levels, np.inf)
        self._high = np.full(self.n_levels, -np.inf)
        size = self.n_levels * 3 * everyone.n_bins
        self._grid = np.zeros(size, np.int64)
        self._grid_hi = np.zeros(size, np.int64)
        self._grid_lo = np.zeros(size, np.int64)

    def add(self, shared: Shared, level: Ints) -> None:
        """Go on with the rows of ``shared``, which are in these levels."""
        self._add_rows(shared, level)
        if self.n_levels == 1:
            self._add_cells(
                shared, np.zeros(len(shared.ones), np.int64), np.arange(len(shared.ones)), shared.ones, shared.zeros
            )
            return
        order = np.argsort(_narrow(level, self.n_levels), kind="stable")
        rows = order[shared.label[order] >= 0]
        if not len(rows):
            return
        row_level, tie, one = level[rows], shared.tie[rows], shared.label[rows] == 1
        first = np.flatnonzero(np.concatenate(([True], (row_level[1:] != row_level[:-1]) | (tie[1:] != tie[:-1]))))
        at, tie = row_level[first], tie[first]
        ones = np.add.reduceat(one.astype(np.int64), first)
        self._add_cells(shared, at, tie, ones, np.diff(np.append(first, len(rows))) - ones)

    def _add_cells(self, shared: Shared, at: Ints, tie: Ints, ones: Ints, zeros: Ints) -> None:
        """Labelled rows by level and distinct score, in this order."""
        seen1, seen0 = (self._running(at, counts, seen) for counts, seen in ((ones, self._seen1), (zeros, self._seen0)))
        below, above = 2 * seen0 - zeros, 2 * (self.n1[at] - seen1) + ones
        self._sum("placements", at, ones, below)
        self._sum("squares1", at, ones, below * below)
        self._sum("squares0", at, zeros, above * above)
        if self.with_rest:
            self._add_rest(shared, at, tie, ones, zeros, seen1, seen0, below, above)
        np.add.at(self._seen1, at, ones)
        np.add.at(self._seen0, at, zeros)

    def _add_rows(self, shared: Shared, level: Ints) -> None:
        """What needs no order within a level: counts, ends, float sums, the grid."""
        # Slices so short that sums of 30-bit parts are exact in float64, however many rows a single tie has.
        for start in range(0, len(level), MOST_SUMMED):
            rows = slice(start, start + MOST_SUMMED)
            self._add_slice(shared, level, rows)
        # Scores ascend: a level's first row has its lowest score of the batch, its last row the highest.
        first = np.full(self.n_levels, -1, np.int64)
        last = np.full(self.n_levels, -1, np.int64)
        first[level[::-1]] = np.arange(len(level) - 1, -1, -1)
        last[level] = np.arange(len(level))
        present = np.flatnonzero(last >= 0)
        self._low[present] = np.minimum(self._low[present], shared.score[first[present]])
        self._high[present] = np.maximum(self._high[present], shared.score[last[present]])

    def _add_slice(self, shared: Shared, level: Ints, rows: slice) -> None:
        key = (level[rows] * 3 + shared.label[rows] + 1) * self.everyone.n_bins + shared.bin[rows]
        size = len(self._grid)
        self._grid += np.bincount(key, minlength=size)
        self._grid_hi += _exact(np.bincount(key, weights=shared.parts["total_hi"][rows], minlength=size))
        self._grid_lo += _exact(np.bincount(key, weights=shared.parts["total_lo"][rows], minlength=size))
        for name in ("error2_hi", "error2_lo", "error4_hi", "error4_lo", "total2_hi", "total2_lo"):
            sums = np.bincount(level[rows], weights=shared.parts[name][rows], minlength=self.n_levels)
            self._keep(name, sums)

    def _add_rest(
        self,
        shared: Shared,
        at: Ints,
        tie: Ints,
        ones: Ints,
        zeros: Ints,
        seen1: Ints,
        seen0: Ints,
        below: Ints,
        above: Ints,
    ) -> None:
        all_below, all_above = shared.below[tie], shared.above[tie]
        earlier0, later1 = seen0 - zeros, self.n1[at] - seen1
        self._sum("first1", at, zeros, all_above)
        self._sum("second1", at, zeros, zeros * (4 * shared.higher1[tie] + shared.ones[tie]))
        self._sum("second1", at, 4 * zeros * earlier0, all_above)
        self._sum("mixed1", at, zeros, shared.lower_placed1[tie])
        self._sum("own1", at, ones, all_below - below)
        self._sum("own_squared1", at, ones, (all_below - below) ** 2)
        self._sum("second0", at, ones, ones * (4 * shared.lower0[tie] + shared.zeros[tie]))
        self._sum("second0", at, 4 * ones * later1, all_below)
        self._sum("mixed0", at, ones, shared.lower_placed0[tie])
        self._sum("own_squared0", at, zeros, (all_above - above) ** 2)

    def _running(self, at: Ints, counts: Ints, seen: Ints) -> Ints:
        """Cumulative counts within each level, going on from ``seen``; levels are contiguous."""
        total = np.cumsum(counts)
        starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
        before = total[starts] - counts[starts]
        return np.asarray(total - np.repeat(before, np.diff(np.append(starts, len(at)))) + seen[at])

    def _sum(self, name: str, at: Ints, factor: Ints, value: Ints) -> None:
        """Add ``factor * value`` (neither negative) per level, exactly: in parts where a sum could exceed 62 bits."""
        starts = np.flatnonzero(np.concatenate(([True], at[1:] != at[:-1])))
        levels = at[starts]
        whole = self._whole.setdefault(name, _zeros(self.n_levels))
        if int(factor.max()) * int(value.max()) * len(at) < 1 << 62:
            whole[levels] += np.add.reduceat(factor * value, starts).astype(object)
            return
        for shift, part in _bit_parts(value):
            for other, piece in _bit_parts(factor):
                product = part * piece
                # Products have up to 60 bits: two more parts keep their sums below 2^63.
                small = int(product.max()) * len(at) < 1 << 62
                for more, half in ((0, product),) if small else ((0, product & _MASK), (_BITS, product >> _BITS)):
                    sums = np.add.reduceat(half, starts)
                    whole[levels] += sums.astype(object) << (shift + other + more)

    def _keep(self, name: str, sums: NDArray[Any]) -> None:
        whole = self._whole.setdefault(name, _zeros(self.n_levels))
        whole += _exact(sums).astype(object)

    def moments(self) -> pd.DataFrame:
        """One row a level; whole numbers of any size as text."""
        grid = self._grid.reshape(self.n_levels, 3, -1).sum(axis=2)
        total_hi, total_lo = (part.reshape(self.n_levels, -1).sum(axis=1) for part in (self._grid_hi, self._grid_lo))
        powers = self.everyone.powers
        columns: dict[str, Any] = {
            "level": np.arange(self.n_levels, dtype=np.int32),
            "n1": grid[:, 2],
            "n0": grid[:, 1],
            "n": grid.sum(axis=1),
        }
        columns |= {name: [str(value) for value in self._of(name)] for name in EXACT}
        for name in FLOATS:
            hi, lo = (total_hi, total_lo) if name == "total" else (self._of(f"{name}_hi"), self._of(f"{name}_lo"))
            columns[name] = [fixed_point.total(int(a), int(b), powers[name]) for a, b in zip(hi, lo, strict=True)]
        columns["low"], columns["high"] = _or_nan(self._low), _or_nan(self._high)
        return pd.DataFrame(columns)

    def rest(self, everyone: pd.DataFrame) -> pd.DataFrame:
        """The moments of everyone who is not in a level; ``everyone`` are those of all rows."""
        own = self.moments()
        total = {name: int(everyone[name].iloc[0]) for name in EXACT}
        exact = {name: np.array([int(text) for text in own[name]], object) for name in EXACT}
        zeros = np.array(own["n0"].tolist(), object)
        # lower_placed1 counts the placements up to a score; those from it on are what is left of all.
        mixed1 = 2 * self.everyone.placed1 * zeros - self._of("mixed1")
        first1 = self._of("first1")
        columns: dict[str, Any] = {"level": own["level"]}
        columns |= {name: int(everyone[name].iloc[0]) - own[name].to_numpy() for name in ("n1", "n0", "n")}
        columns["placements"] = total["placements"] - first1 - self._of("own1")
        columns["squares1"] = total["squares1"] - 2 * mixed1 + self._of("second1") - self._of("own_squared1")
        columns["squares0"] = (
            total["squares0"] - 2 * self._of("mixed0") + self._of("second0") - self._of("own_squared0")
        )
        columns |= {name: [str(value) for value in columns[name]] for name in EXACT if len(exact[name])}
        columns |= {name: float(everyone[name].iloc[0]) - own[name].to_numpy() for name in FLOATS}
        columns["low"] = _or_nan(_least_of_others(self._low))
        columns["high"] = _or_nan(-_least_of_others(-self._high))
        return pd.DataFrame(columns)

    def grid(self) -> pd.DataFrame:
        """Rows per level, label and bin; a bin's upper end is the next one's lower end."""
        used = np.flatnonzero(np.isfinite(self.everyone.bin_low))
        low = self.everyone.bin_low[used]
        high = np.append(low[1:], self.everyone.bin_high[used][-1:])
        place = np.zeros(self.everyone.n_bins, np.int64)
        place[used] = np.arange(len(used))
        cells = np.flatnonzero(self._grid)
        rest, bins = np.divmod(cells, self.everyone.n_bins)
        level, label = np.divmod(rest, 3)
        power = self.everyone.powers["total"]
        totals = [
            fixed_point.total(int(hi), int(lo), power)
            for hi, lo in zip(self._grid_hi[cells].tolist(), self._grid_lo[cells].tolist(), strict=True)
        ]
        table = pd.DataFrame(
            {
                "level": level.astype(np.int32),
                "label": (label - 1).astype(np.int8),
                "low": low[place[bins]],
                "high": high[place[bins]],
                "n": self._grid[cells],
                "total": np.array(totals, np.float64),
            }
        )
        return table.sort_values(["level", "low", "label"], kind="stable", ignore_index=True)

    def _of(self, name: str) -> NDArray[Any]:
        return self._whole.get(name, _zeros(self.n_levels))


def _two_parts(term: Floats, power: int) -> tuple[Floats, Floats]:
    scaled = np.ldexp(term, _BITS - power)
    high = np.floor(scaled)
    return high, np.floor(np.ldexp(scaled - high, _BITS))


def _bit_parts(value: Ints) -> list[tuple[int, Ints]]:
    """Whole numbers of up to 62 bits (those summed here are not negative) as parts of 30 bits with their shifts."""
    most = int(value.max(initial=0))
    parts = [(0, value & _MASK)]
    if most >= 1 << _BITS:
        parts.append((_BITS, (value >> _BITS) & _MASK))
    if most >= 1 << 2 * _BITS:
        parts.append((2 * _BITS, value >> 2 * _BITS))
    return parts


def _exact(sums: NDArray[Any]) -> Ints:
    return np.asarray(sums.astype(np.int64))


def _zeros(n: int) -> NDArray[Any]:
    zeros = np.empty(n, object)
    zeros[:] = 0
    return zeros


def _narrow(level: Ints, n_levels: int) -> NDArray[Any]:
    """Small integers sort by radix."""
    return level.astype(np.int16) if n_levels < 2**15 else level


def _or_nan(ends: Floats) -> Floats:
    return np.where(np.isfinite(ends), ends, math.nan)


def _least_of_others(ends: Floats) -> Floats:
    if len(ends) < 2:
        return np.full(len(ends), math.inf)
    order = np.argsort(ends, kind="stable")
    least = np.full(len(ends), ends[order[0]])
    least[order[0]] = ends[order[1]]
    return least
