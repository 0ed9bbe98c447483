"""Small counts that follow from all groupings together: bands that overlap, columns that follow from each other, crossings that share columns."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.errors import DataError, Problem
from reporter.small_cells.derivable import SmallSet, small_set
from reporter.small_cells.tables import FullTables

Ints = NDArray[np.int64]

MOST_PARTS = 20_000
"""Combinations of the columns of several crossings that share columns; so many take some seconds for each model."""


def hide_what_overlaps_tell(made: FullTables, shown: dict[str, set[int]], k: int) -> None:
    """Take groups out of ``shown`` until no small count of any set of rows follows from what is left.

    What follows from what is in ``derivable.py``. A reader is taken to know which combinations of a crossing are empty, as they do of bands of one number.
    Of columns that are crossed by no grouping, directly or through others, every combination is taken to be possible. Of crossings that
    divide a column in another way than the rest, nothing is shown.
    Hidden are the smallest combinations without which a small set can be counted no more, else the smallest group of one column.

    Raises
    ------
    DataError
        Crossings that share columns have too many combinations to be checked.
    """
    crossings = list(_comparable(made))
    for name in _names(made, crossed=True):
        if name not in crossings:
            shown[name] = set()
    for names in _connected(made, crossings):
        overlap = _Overlap.of(made, names)
        total, cells = made.cells(None)[0], {name: made.cells(name) for name in overlap.place}
        sizes = {name: [level.n for level in made.levels(name)] for name in overlap.place}
        for outcome in np.flatnonzero(total):
            while True:
                classes = [(name, i) for name in overlap.place for i in sorted(shown[name])]
                counts = np.array([total[outcome], *(cells[name][i, outcome] for name, i in classes)], np.int64)
                found = small_set(overlap.members(shown, classes), counts, k)
                if found is None:
                    break
                _Choice(shown, sizes, classes).hide(found, overlap.crossings)


@dataclass(frozen=True)
class _Choice:
    """What can be hidden: groups that are shown, of a size, with their rows among the equations."""

    shown: dict[str, set[int]]
    sizes: dict[str, list[int]]
    classes: Sequence[tuple[str, int]]

    def hide(self, found: SmallSet, crossings: Sequence[str]) -> None:
        """Combinations, where that is enough, one or the fewest of a crossing; else the smallest group of one column that is."""
        combinations = [one for one in self._smallest_first() if one[0] in crossings]
        others = [one for one in self._smallest_first() if one[0] not in crossings]
        chosen = (
            self._one(found, combinations)
            or next(filter(None, (self._several(found, name) for name in crossings)), None)
            or self._one(found, others)
            or self._part(found)
        )
        for name, i in chosen:
            self.shown[name].discard(i)

    def _smallest_first(self) -> list[tuple[str, int]]:
        return sorted(self.classes, key=lambda one: self.sizes[one[0]][one[1]])

    def _together(self, one: tuple[str, int]) -> list[tuple[str, int]]:
        """Hidden alone, a group would be what all others leave of the total: the next smallest goes with it."""
        name = one[0]
        if len(self.shown[name]) < len(self.sizes[name]):
            return [one]
        return [one, *[other for other in self._smallest_first() if other[0] == name and other != one][:1]]

    def _rows(self, groups: Sequence[tuple[str, int]]) -> list[int]:
        return [self.classes.index(one) + 1 for one in groups]

    def _one(self, found: SmallSet, groups: Sequence[tuple[str, int]]) -> list[tuple[str, int]] | None:
        choices = (self._together(one) for one in groups)
        return next((choice for choice in choices if found.needs(self._rows(choice))), None)

    def _several(self, found: SmallSet, crossing: str) -> list[tuple[str, int]] | None:
        groups = [one for one in self._smallest_first() if one[0] == crossing]
        if not groups or not found.needs(self._rows(groups)):
            return None
        # The fewest of the smallest that are enough, less those of them that make no difference.
        enough = 1 + bisect_left(range(1, len(groups)), True, key=lambda n: found.needs(self._rows(groups[:n])))
        chosen = groups[:enough]
        for one in reversed(chosen[:-1]):
            rest = [other for other in chosen if other != one]
            if found.needs(self._rows(rest)):
                chosen = rest
        return self._together(chosen[0]) if len(chosen) == 1 else chosen

    def _part(self, found: SmallSet) -> list[tuple[str, int]]:
        """Where no one grouping is enough: a group that the sum is made of."""
        return next(
            choice for one in self._smallest_first() if found.factors[self._rows(choice := self._together(one))].any()
        )


def _connected(made: FullTables, crossings: Sequence[str]) -> Iterator[list[str]]:
    """The groupings that have to do with each other: crossings that share columns, and their columns alone."""
    left = list(crossings)
    while left:
        together = [left.pop(0)]
        columns = set(made.columns(together[0]))
        while near := [name for name in left if columns & set(made.columns(name))]:
            together.append(near[0])
            columns |= set(made.columns(near[0]))
            left.remove(near[0])
        yield [*together, *(name for name in _names(made, crossed=False) if made.columns(name)[0] in columns)]


def _names(made: FullTables, *, crossed: bool) -> list[str]:
    return [one["name"] for one in made.counts.facts["groupings"] if (len(one["columns"]) > 1) is crossed]


def _comparable(made: FullTables) -> Iterator[str]:
    """The crossings that divide each column as all others do, and as the column alone, but for groups that it pools as small."""
    alone, crossed = {}, dict[str, set[str | None]]()
    for name in _names(made, crossed=False):
        levels = made.levels(name)
        alone[made.columns(name)[0]] = (
            {level.values[0] for level in levels if not level.pooled},
            any(level.pooled for level in levels),
        )
    for name in _names(made, crossed=True):
        levels = made.levels(name)
        if any(level.pooled for level in levels):
            continue
        values = {column: {level.values[a] for level in levels} for a, column in enumerate(made.columns(name))}
        named = {column: alone.get(column, (found, False)) for column, found in values.items()}
        if all(
            (named[column][0] <= found if named[column][1] else named[column][0] == found)
            and crossed.get(column, found) == found
            for column, found in values.items()
        ):
            crossed.update(values)
            yield name


@dataclass(frozen=True)
class _Overlap:
    """Every combination of the columns that may have rows, by the group of each grouping that it belongs to."""

    place: dict[str, Ints]
    crossings: tuple[str, ...]

    @classmethod
    def of(cls, made: FullTables, names: Sequence[str]) -> _Overlap:
        parts: pd.DataFrame | None = None
        crossings = [name for name in names if len(made.columns(name)) > 1]
        codes: dict[str, dict[str | None, int]] = {}
        for name in crossings:
            levels = made.levels(name)
            table = pd.DataFrame({("group", name): np.arange(len(levels))})
            for a, column in enumerate(made.columns(name)):
                code = codes.setdefault(column, {})
                table["value", column] = [code.setdefault(level.values[a], len(code)) for level in levels]
            parts = table if parts is None else _joined(parts, table, crossings)
        assert parts is not None
        place = {name: parts["group", name].to_numpy().astype(np.int64) for name in crossings}
        for name in names:
            if name in place:
                continue
            column, levels = made.columns(name)[0], made.levels(name)
            rest = next((i for i, level in enumerate(levels) if level.pooled), None)
            own = {level.values[0]: i for i, level in enumerate(levels) if not level.pooled}
            group = [own[value] if rest is None else own.get(value, rest) for value in codes[column]]
            place[name] = np.array(group, np.int64)[parts["value", column].to_numpy()]
        return cls(place, tuple(crossings))

    def members(self, shown: dict[str, set[int]], classes: Sequence[tuple[str, int]]) -> Ints:
        """The groups that are shown (all rows first) by the parts that they tell apart."""
        told = [np.where(np.isin(place, sorted(shown[name])), place, -1) for name, place in self.place.items()]
        parts = dict(zip(self.place, np.unique(np.stack(told), axis=1), strict=True))
        width = len(next(iter(parts.values())))
        return np.stack([np.ones(width, np.int64), *((parts[name] == i).astype(np.int64) for name, i in classes)])


def _joined(parts: pd.DataFrame, table: pd.DataFrame, crossings: Sequence[str]) -> pd.DataFrame:
    shared = [column for column in table if column in parts.columns]
    n_parts, n_table = parts.groupby(shared).size(), table.groupby(shared).size()
    if int((n_parts * n_table).sum()) > MOST_PARTS:
        raise DataError(
            Problem(
                f"the crossings {', '.join(crossings)} share columns and have more than {MOST_PARTS:,} combinations together, "
                "so that small counts that follow from all of them cannot be looked for",
                key="small_cells",
                hint="Leave one of these crossings out, or make fewer groups of their columns.",
            )
        )
    return parts.merge(table, on=shared)
