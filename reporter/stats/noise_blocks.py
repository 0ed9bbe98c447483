"""How far a noise study's statistics would move with other rows in the groups: a jackknife over blocks of rows.

The repeats of a study tell how far chance in the noise moves a statistic, not how far chance in who belongs to a group does. So the
rows of each group are divided at random into at most 50 blocks, whose sums over all repeats are kept; leaving one block out at a time
gives the standard error of any statistic, of ratios and of means over noise levels too. Knows arrays and positions only.

Sources
-------
1. Efron, B. and Tibshirani, R. J. (1993). An Introduction to the Bootstrap, chapter 11 (the delete-d jackknife by blocks).
2. Wolter, K. M. (2007). Introduction to Variance Estimation, 2nd edition, chapter 4.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from reporter.stats.cells import Floats, Ints
from reporter.stats.noise_curves import N_SUMS, STATISTICS, repeat_statistics

N_BLOCKS = 50
"""Of a group; with fewer rows each is a block."""

N_ORIGINALS = 4
"""Rows; rows predicted 1; sums of the original score's distance from the group's mean, and of its square."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """Each row's block, ``of_row`` of shape (n,); those of group g are numbered from ``starts[g]`` up to ``starts[g + 1]``."""

    of_row: Ints
    starts: Ints

    @classmethod
    def drawn(cls, groups: Ints, n_groups: int, seed: int) -> Blocks:
        """Blocks within each group, whose sizes differ by one row at most.

        >>> blocks = Blocks.drawn(np.array([0, 0, 1, 1, 1]), 2, seed=0)
        >>> sorted(blocks.of_row.tolist()), blocks.starts.tolist()
        ([0, 1, 2, 3, 4], [0, 2, 5])
        """
        sizes = np.bincount(groups, minlength=n_groups)
        starts = np.concatenate([[0], np.cumsum(np.minimum(sizes, N_BLOCKS))]).astype(np.int64)
        of_row = np.zeros(len(groups), dtype=np.int64)
        by_group = np.split(np.argsort(groups, kind="stable"), np.cumsum(sizes)[:-1])
        for group, rows in enumerate(by_group):
            rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(3, group)))
            of_row[rng.permutation(rows)] = starts[group] + np.arange(len(rows)) % N_BLOCKS
        return cls(of_row, starts)

    @property
    def n(self) -> int:
        """Blocks of all groups."""
        return int(self.starts[-1])


@dataclass(frozen=True, slots=True, eq=False)
class BlockSums:
    """Sums over the rows of each block and over repeats: ``totals`` (levels, blocks, 5) as in :func:`repeat_statistics`, ``originals`` (blocks, 4)."""

    totals: Floats
    originals: Floats

    @classmethod
    def empty(cls, n_levels: int, n_blocks: int) -> BlockSums:
        """No row yet."""
        return cls(np.zeros((n_levels, n_blocks, N_SUMS)), np.zeros((n_blocks, N_ORIGINALS)))

    def add(self, other: BlockSums) -> None:
        """Add the sums of other rows or repeats."""
        np.add(self.totals, other.totals, out=self.totals)
        np.add(self.originals, other.originals, out=self.originals)


class Replicates:
    """The statistics of each group with one block left out, for all levels: what :meth:`error` takes standard errors from."""

    def __init__(self, sums: BlockSums, blocks: Blocks, groups: Sequence[str], levels: Sequence[float]) -> None:
        self._level = {level: place for place, level in enumerate(levels)}
        self._of = {
            group: _left_out(sums, slice(start, stop))
            for group, (start, stop) in zip(groups, pairwise(blocks.starts.tolist()), strict=True)
        }

    def blocks(self, group: str) -> int:
        """How many blocks the group has."""
        return len(self._of[group])

    def error(self, group: str, statistic: str, levels: Sequence[float]) -> float | None:
        """The standard error of the statistic's mean over these levels, by the rows of the group; None where it cannot be told.

        sqrt((B - 1)/B sum (m_b - mean m)^2) with m_b the mean over the levels without block b [1, 2]. Needs two rows, and the
        statistic defined without each of the blocks.
        """
        replicates = self._of[group]
        b = len(replicates)
        if b < 2 or not levels:
            return None
        means = replicates[:, [self._level[level] for level in levels], STATISTICS.index(statistic)].mean(axis=1)
        if not np.isfinite(means).all():
            return None
        return math.sqrt((b - 1) / b * float(((means - means.mean()) ** 2).sum()))


def _left_out(sums: BlockSums, group: slice) -> Floats:
    """(blocks, levels, statistics) without each block of one group."""
    originals, totals = sums.originals[group], sums.totals[:, group]
    n, n_one, centred, squares = (originals.sum(axis=0) - originals).T
    rest = totals.sum(axis=1, keepdims=True) - totals
    with np.errstate(divide="ignore", invalid="ignore"):
        offset = np.where(n > 0, centred / n, 0.0)
    # Without the block the mean is another one.
    rest[..., 4] -= offset * rest[..., 2]
    s_rr = np.maximum(squares - centred * offset, 0.0)
    return np.swapaxes(repeat_statistics(n, n_one, offset, s_rr, rest[None])[0], 0, 1)
