"""Which groups must be shown together so that no small count is shown or follows from what is shown. Whole numbers only.

A group is described by a row of counts: how many of its rows fall in each cell that is published of it (each label and prediction of each
model). A count is *small* when it lies from 1 to ``k`` - 1. Groups that are hidden are published only as one pooled group.

Why it holds. All that is published is unchanged when rows of hidden groups trade places, as long as the pooled table stays as it is. So a
reader can tell of a hidden group's cell only that it lies between 0 and the pooled cell, and since a pooled cell is 0 or at least ``k``, no hidden
cell can be found, nor be known to be small. For crossed columns the same is true of rows that trade the value of one of the two columns, as long
as the totals of each hidden row and column of the cross table stay as they are; so these totals must be 0 or at least ``k`` too.
"""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]


def is_safe(counts: Ints, k: int) -> bool:
    """Whether no count lies from 1 to ``k`` - 1.

    >>> is_safe(np.array([0, 11, 40]), 11), is_safe(np.array([0, 10, 40]), 11)
    (True, False)
    """
    return not bool(((counts > 0) & (counts < k)).any())


def hide_groups(cells: Ints, sizes: Ints, k: int) -> tuple[int, ...]:
    """The groups of one column (by their place) that must be pooled; all of them when nothing less is safe.

    ``cells`` has a row per group and a column per published cell, ``sizes`` the rows of each group (at least 1). The first to be pooled
    are those with a small cell; then the smallest others, until the pool has no small cell, at least two groups, and so many rows that
    each of its groups could have ``k`` rows or more. The table over all rows must itself be safe.

    Raises
    ------
    ValueError
        The table over all rows has a small cell: then no pooling helps.

    Examples
    --------
    >>> hide_groups(np.array([[40, 60], [30, 5], [90, 12], [50, 50]]), np.array([100, 35, 102, 100]), 11)
    (0, 1)
    >>> hide_groups(np.array([[40, 60], [50, 50]]), np.array([100, 100]), 11)
    ()
    """
    if not is_safe(cells.sum(axis=0), k):
        raise ValueError("the table over all rows has a small cell")
    hidden = {i for i in range(len(cells)) if not is_safe(cells[i], k)}
    others = sorted(set(range(len(cells))) - hidden, key=lambda i: (sizes[i], i))
    while hidden and others and not _pool_is_safe(cells[sorted(hidden)], sizes[sorted(hidden)], k):
        hidden.add(others.pop(0))
    return tuple(sorted(hidden))


def _pool_is_safe(cells: Ints, sizes: Ints, k: int) -> bool:
    return len(cells) >= 2 and is_safe(cells.sum(axis=0), k) and int(sizes.sum()) >= k + len(cells) - 1


def hide_block(
    table: Ints, k: int, *, merged_rows: Collection[int] = (), merged_columns: Collection[int] = ()
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The rows and columns of a cross table whose crossings must be pooled: ``((), ())`` for none, None when nothing less than all is safe.

    ``table[row, column]`` holds the published cells of one combination. ``merged_rows`` and ``merged_columns`` stand for several values that
    are shown together where the column is shown alone: none of their combinations may be shown. Hidden combinations are always a full
    block of rows and columns, so that within it only the totals of each row and each column can be found, and these are safe.

    Examples
    --------
    >>> table = np.array([[[40], [50], [5]], [[60], [30], [8]], [[90], [20], [70]]])
    >>> hide_block(table, 11)
    ((0, 1), (1, 2))
    """
    n_rows, n_columns = table.shape[:2]
    if merged_rows and merged_columns:
        return None
    unsafe = [(r, c) for r in range(n_rows) for c in range(n_columns) if not is_safe(table[r, c], k)]
    if not unsafe and not merged_rows and not merged_columns:
        return (), ()
    rows = set(range(n_rows)) if merged_columns else {r for r, _ in unsafe} | set(merged_rows)
    columns = set(range(n_columns)) if merged_rows else {c for _, c in unsafe} | set(merged_columns)
    while True:
        across, down = table[:, sorted(columns)].sum(axis=1), table[sorted(rows)].sum(axis=0)
        if any(not is_safe(across[r], k) for r in rows):
            grown = _grow(columns, down.sum(axis=1))
        elif any(not is_safe(down[c], k) for c in columns):
            grown = _grow(rows, across.sum(axis=1))
        else:
            whole = len(rows) == n_rows and len(columns) == n_columns
            return None if whole else (tuple(sorted(rows)), tuple(sorted(columns)))
        if not grown:
            return None


def _grow(chosen: set[int], weight: Ints) -> bool:
    """Add the lightest of those not chosen yet; False when all are."""
    others = [i for i in range(len(weight)) if i not in chosen]
    if not others:
        return False
    chosen.add(min(others, key=lambda i: (weight[i], i)))
    return True
