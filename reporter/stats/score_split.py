"""The published split: the admissible two-way partition with the smallest multinomial deviance of its two sides."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

Bools = NDArray[np.bool_]
Counts = NDArray[np.int64]

MAX_UNORDERED_LEVELS = 16
"""The number of two-way partitions doubles with each level: 16 levels have 32,767."""


def best_ordered_cut(events: Counts, min_size: int) -> int | None:
    """The last code of the left side of the best cut, or None where no cut leaves ``min_size`` rows on both sides.

    ``events`` has shape (levels in order, 2 attribute levels, events). Ties go to the lowest cut.

    Examples
    --------
    >>> best_ordered_cut(np.array([[[8, 2], [2, 8]], [[8, 2], [2, 8]], [[2, 8], [8, 2]]]), 5)
    1
    """
    present = np.flatnonzero(events.sum(axis=(1, 2)))
    left = np.cumsum(events[present], axis=0)[:-1]
    best = _best(left, events.sum(axis=0), min_size)
    return None if best is None else int(present[best])


def best_partition(events: Counts, min_size: int) -> Bools | None:
    """Per level whether it lies on the left of the best partition; the last level that occurs is on the right.

    ``events`` has shape (levels, 2 attribute levels, events). None where no partition is admissible. At most
    ``MAX_UNORDERED_LEVELS`` levels may occur.
    """
    present = np.flatnonzero(events.sum(axis=(1, 2)))
    width = len(present)
    if width > MAX_UNORDERED_LEVELS:
        raise ValueError(f"{width} levels: at most {MAX_UNORDERED_LEVELS} can be searched")
    codes = np.arange(1, 2 ** max(width - 1, 0))
    inside = (codes[:, None] >> np.arange(width)) & 1
    left = np.tensordot(inside, events[present], axes=(1, 0))
    best = _best(left, events.sum(axis=0), min_size)
    if best is None:
        return None
    chosen = np.zeros(len(events), dtype=bool)
    chosen[present] = inside[best].astype(bool)
    return chosen


def _best(left: Counts, total: Counts, min_size: int) -> int | None:
    sizes = left.sum(axis=(1, 2))
    admissible = np.flatnonzero((sizes >= min_size) & (total.sum() - sizes >= min_size))
    if not len(admissible):
        return None
    sides = left[admissible]
    return int(admissible[np.argmin(_deviance(sides) + _deviance(total - sides))])


def _deviance(events: Counts) -> NDArray[np.float64]:
    """Minus the log likelihood of each attribute level's own multinomial, summed over them."""
    groups = events.sum(axis=-1)
    result: NDArray[np.float64] = special.xlogy(groups, groups).sum(axis=-1) - special.xlogy(events, events).sum(
        axis=(-1, -2)
    )
    return result
