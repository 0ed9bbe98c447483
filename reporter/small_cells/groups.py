"""Which groups, and which pairs of models, are shown on their own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.errors import DataError, Problem
from reporter.results import Level
from reporter.small_cells.hiding import hide_block, hide_groups, is_safe
from reporter.small_cells.overlaps import hide_what_overlaps_tell
from reporter.small_cells.tables import FullTables

Ints = NDArray[np.int64]

POOL = "(suppressed)"
"""The name of the group that hidden groups are shown as."""
SOME = "combinations that are not shown"
"""What it holds where the combinations are not named: which of them exist would tell which counts are 0."""


def refuse_small_totals(made: FullTables, k: int) -> None:
    names = [model["name"] for model in made.counts.facts["models"]]
    problems = [
        Problem(
            f"model {names[i]}: a count over all rows lies between 1 and {k - 1}, so that nothing can be published of it",
            key="small_cells",
            hint="Leave the rows without a label or prediction out with data.where, use more rows, or leave the model out.",
        )
        for i in range(made.n_models)
        if not is_safe(made.model(None, i), k)
    ]
    if not problems and not is_safe(made.cells(None), k):
        problems = [
            Problem(
                f"two models differ in a count between 1 and {k - 1} of rows, which their totals would give away",
                key="small_cells",
                hint="Leave one of them out.",
            )
        ]
    if problems:
        raise DataError(*problems)


def shown_groups(made: FullTables, k: int) -> dict[str, set[int]]:
    """The groups of each grouping (by their place) that are shown on their own."""
    names = [facts["name"] for facts in made.counts.facts["groupings"]]
    single = [name for name in names if len(made.columns(name)) == 1]
    shown: dict[str, set[int]] = {}
    alone: dict[str, str] = {}
    for name in single:
        levels = made.levels(name)
        hidden = hide_groups(made.cells(name), np.array([level.n for level in levels], np.int64), k)
        shown[name] = set(range(len(levels))) - set(hidden)
        alone.setdefault(made.columns(name)[0], name)
    crossed = [name for name in names if name not in shown]
    _hide_what_inclusions_tell(made, shown, alone, crossed, k)
    classes = _classes(made, shown, alone)
    for name in crossed:
        others = {column for other in crossed if other != name for column in made.columns(other)}
        # Rows must be able to trade the value of a column that no other crossing shows.
        kept = _crossing(made, classes, name, k, may_hide=not set(made.columns(name)) <= others)
        shown[name] = set() if kept is None else kept
    hide_what_overlaps_tell(made, shown, k)
    return shown


def _hide_what_inclusions_tell(
    made: FullTables, shown: dict[str, set[int]], alone: dict[str, str], crossed: Sequence[str], k: int
) -> None:
    """Where groups of one column lie wholly within a group of another (the counties of a state, ages up to 40 in those up to 41), the rest
    of that group follows from the two columns. If it is small, the second column is not shown at all; the crossing tells what lies in what."""
    tables = [
        (made.levels(name), made.columns(name), made.cells(name))
        for name in crossed
        if set(made.columns(name)) <= alone.keys() and not any(level.pooled for level in made.levels(name))
    ]
    changed = True
    while changed:
        changed = False
        for levels, columns, cells in tables:
            for a, b in permutations(range(len(columns)), 2):
                classes = _classes(made, shown, alone)
                parts, whole = (classes.place(columns[i], [level.values[i] for level in levels]) for i in (a, b))
                sizes = np.array([level.n for level in levels], np.int64)
                if parts is None or whole is None or not _rest_is_small(parts, whole, cells, sizes, k):
                    continue
                shown[alone[columns[b]]] = set()
                changed = True


def _rest_is_small(parts: _Placed, whole: _Placed, cells: Ints, sizes: Ints, k: int) -> bool:
    """Whether a class of ``whole`` without the classes of ``parts`` that lie within it has a small cell."""
    if whole.n < 2:
        return False
    n = np.zeros((parts.n, whole.n), np.int64)
    np.add.at(n, (parts.index, whole.index), sizes)
    table = np.zeros((parts.n, whole.n, cells.shape[1]), np.int64)
    np.add.at(table, (parts.index, whole.index), cells)
    within = (n == n.sum(axis=1, keepdims=True)) & (n > 0)
    rest = np.where(within[:, :, None], 0, table).sum(axis=0)
    return any(not is_safe(rest[b], k) for b in range(whole.n) if within[:, b].any())


def _classes(made: FullTables, shown: dict[str, set[int]], alone: dict[str, str]) -> _Classes:
    return _Classes(made, {column: (name, shown[name]) for column, name in alone.items()})


def shown_pairs(made: FullTables, k: int) -> list[tuple[int, int]]:
    """The pairs of models whose joint table is shown: only those with the first model, so that the tables hang together like a star.
    Then a reader can tell of a combination of several models only that it is at most the smallest of these cells."""
    if made.n_models > 2 and made.inclusions:
        return []
    return [(i, j) for i, j in made.pairs() if i == 0 and is_safe(made.pair(None, i, j), k)]


def _crossing(made: FullTables, classes: _Classes, name: str, k: int, *, may_hide: bool) -> set[int] | None:
    """The combinations that are shown; None when the crossing can only be left out."""
    levels, columns = made.levels(name), made.columns(name)
    if any(level.pooled for level in levels) or len(set(columns)) < len(columns):
        return None
    placed = [classes.place(column, [level.values[a] for level in levels]) for a, column in enumerate(columns)]
    known = [one for one in placed if one is not None]
    if len(known) < len(placed):
        return None
    cells = made.cells(name)
    merged = [set(one.merged) for one in known]
    if not any(merged) and is_safe(cells, k):
        return set(range(len(levels)))
    if len(columns) != 2 or not may_hide:
        return None
    rows, down = known
    table = np.zeros((rows.n, down.n, cells.shape[1]), np.int64)
    np.add.at(table, (rows.index, down.index), cells)
    found = hide_block(table, k, merged_rows=merged[0], merged_columns=merged[1])
    if found is None:
        return None
    block = {(r, c) for r in found[0] for c in found[1]}
    return {i for i in range(len(levels)) if (int(rows.index[i]), int(down.index[i])) not in block}


@dataclass(frozen=True)
class _Placed:
    """Values by the class in which their column shows them; ``merged`` classes hold several values."""

    index: Ints
    n: int
    merged: tuple[int, ...]


class _Classes:
    """How each column's values are shown where the column is shown alone: by themselves, or pooled with others."""

    def __init__(self, made: FullTables, alone: dict[str, tuple[str, set[int]]]) -> None:
        self._classes: dict[str, dict[str | None, str]] = {}
        self._rest: dict[str, str | None] = {}
        for column, (name, shown) in alone.items():
            levels = made.levels(name)
            self._classes[column] = {
                level.values[0]: (f"value {i}" if i in shown else POOL)
                for i, level in enumerate(levels)
                if not level.pooled
            }
            pools = [f"value {i}" if i in shown else POOL for i, level in enumerate(levels) if level.pooled]
            self._rest[column] = pools[0] if pools else None

    def place(self, column: str, values: list[str | None]) -> _Placed | None:
        """None when a value is not one that the column shows elsewhere: it is divided in two ways."""
        known = self._classes.setdefault(column, {value: f"value {value!r}" for value in values})
        rest = self._rest.setdefault(column, None)
        names: list[str] = []
        for value in values:
            name = known.get(value, rest)
            if name is None:
                return None
            names.append(name)
        order = {name: i for i, name in enumerate(dict.fromkeys(names))}
        merged = tuple(i for name, i in order.items() if name in (POOL, rest))
        return _Placed(np.array([order[name] for name in names], np.int64), len(order), merged)


def pool_name(levels: tuple[Level, ...]) -> str:
    """What the pool of a grouping is called: like no group of the data."""
    name = POOL
    while name in {level.name for level in levels}:
        name += "*"
    return name


def pooled_levels(levels: tuple[Level, ...], shown: set[int]) -> tuple[pd.DataFrame, Ints]:
    """The table of groups as it is published, and each group's new place."""
    hidden = [i for i in range(len(levels)) if i not in shown]
    kept = [levels[i] for i in sorted(shown)]
    place = np.full(len(levels), len(kept), np.int64)
    for new, i in enumerate(sorted(shown)):
        place[i] = new
    if hidden:
        width = len(levels[0].values)
        name = pool_name(levels)
        alone = width == 1
        names = tuple(part for i in hidden for part in (levels[i].pooled or (levels[i].name,))) if alone else ()
        kept.append(Level(name, sum(levels[i].n for i in hidden), (None,) * width, pooled=names or (SOME,)))
    table = pd.DataFrame(
        {
            "level": np.arange(len(kept), dtype=np.int32),
            "name": pd.Series([level.name for level in kept], dtype=object),
            "n": np.array([level.n for level in kept], np.int64),
            "missing": np.array([level.missing for level in kept], bool),
            "pooled": pd.Series([json.dumps(level.pooled, ensure_ascii=False) for level in kept], dtype=object),
        }
    )
    for j in range(len(kept[0].values) if kept else 0):
        table[f"value{j}"] = pd.Series([level.values[j] for level in kept], dtype=object)
    return table, place
