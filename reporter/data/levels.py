"""The groups of a grouping: their names, order, sizes, and which rows' values belong to which.

Works on counts of combinations, not on rows. Every row belongs to exactly one level, so that the sizes add up to n.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.config.schema import GroupColumn
from reporter.data.groupings import Bins, GroupingSpec
from reporter.data.scan import Margin
from reporter.data.values import plain
from reporter.results import MISSING, Level

Ints = NDArray[np.int64]

OTHER = "(other)"

_RESERVED = re.compile(r'"*\((missing|other)\)"*')


@dataclass(frozen=True, slots=True)
class LevelMap:
    """The levels of a grouping in their order, and the way from scan codes to them."""

    levels: tuple[Level, ...]
    names: tuple[str, ...]
    ranks: tuple[Ints, ...]
    sizes: tuple[int, ...]
    keys: Ints
    level_of_key: Ints

    def of(self, margin: Margin) -> Ints:
        """The level of each combination of a margin that has this grouping's columns."""
        key = _key([rank[margin.column(name)] for rank, name in zip(self.ranks, self.names, strict=True)], self.sizes)
        return np.asarray(self.level_of_key[np.searchsorted(self.keys, key)])


@dataclass(frozen=True, slots=True)
class _Column:
    """One column's values in their order: ``rank`` maps scan codes to positions in ``values`` and ``shown``."""

    rank: Ints
    values: tuple[str | None, ...]
    shown: tuple[str, ...]
    pooled: tuple[str, ...]


def build_levels(
    spec: GroupingSpec,
    margin: Margin,
    *,
    texts: Mapping[str, Sequence[str | None]],
    bins: Mapping[str, Bins],
) -> LevelMap:
    """The levels of ``spec`` from the counts over its columns (``margin.names``).

    ``bins`` has the intervals of those of them that are binned. Levels come in the order of the columns' values: numbers and intervals ascending,
    words sorted, then "(other)", "(missing)" last.
    """
    columns = [
        _column(margin, name, texts[name], bins.get(name), group)
        for name, group in zip(margin.names, spec.columns, strict=True)
    ]
    sizes = tuple(len(column.values) for column in columns)
    ranked = [column.rank[margin.column(name)] for column, name in zip(columns, margin.names, strict=True)]
    keys, inverse = np.unique(_key(ranked, sizes), return_inverse=True)
    n = np.zeros(len(keys), np.int64)
    np.add.at(n, inverse, margin.n)
    parts = _parts(keys, sizes)
    names = _combined_names(columns, parts)
    levels = [
        Level(
            name=name,
            n=int(size),
            values=tuple(column.values[i] for column, i in zip(columns, position, strict=True)),
            missing=any(column.values[i] is None for column, i in zip(columns, position, strict=True)),
            pooled=columns[0].pooled if len(columns) == 1 and columns[0].values[position[0]] == OTHER else (),
        )
        for name, size, position in zip(names, n, parts, strict=True)
    ]
    kept, level_of_key = _pool(levels, spec.at_least, len(columns))
    return LevelMap(
        levels=kept,
        names=margin.names,
        ranks=tuple(column.rank for column in columns),
        sizes=sizes,
        keys=keys,
        level_of_key=level_of_key,
    )


def pooled_notes(spec: GroupingSpec, level_map: LevelMap) -> tuple[str, ...]:
    """What was pooled, in a sentence a pooled level."""
    notes = []
    for level in level_map.levels:
        if level.pooled:
            least = spec.at_least if spec.at_least is not None else spec.columns[0].at_least
            groups = "1 group" if len(level.pooled) == 1 else f"{len(level.pooled):,} groups"
            notes.append(f"{groups} with fewer than {least:,} rows pooled as {OTHER}: {_listed(level.pooled)}.")
    return tuple(notes)


def shown_value(value: str | None) -> str:
    """A value as a group's name. A text that reads like one of this tool's own names is quoted.

    >>> shown_value(None), shown_value("(missing)")
    ('(missing)', '"(missing)"')
    """
    if value is None:
        return MISSING
    return f'"{value}"' if _RESERVED.fullmatch(value) else value


def _column(margin: Margin, name: str, texts: Sequence[str | None], bins: Bins | None, group: GroupColumn) -> _Column:
    at_least = group.at_least
    n = np.zeros(len(texts), np.int64)
    np.add.at(n, margin.column(name), margin.n)
    present = [code for code in range(len(texts)) if n[code] > 0]
    values = _labelled({code: _value(texts[code], bins) for code in present}, group.labels)
    small = {code for code in present if at_least is not None and values[code] is not None and n[code] < at_least}
    kept = sorted((code for code in present if code not in small), key=_order([texts[c] for c in present], texts, bins))
    named = [values[code] for code in kept]
    shown = [shown_value(value) for value in named]
    rank = np.full(len(texts), -1, np.int64)
    pooled: tuple[str, ...] = ()
    if small:
        at = len(kept) - (1 if kept and values[kept[-1]] is None else 0)
        named.insert(at, OTHER)
        shown.insert(at, OTHER)
        ordered = sorted(small, key=_order([texts[c] for c in present], texts, bins))
        pooled = tuple(shown_value(values[code]) for code in ordered)
        for code in small:
            rank[code] = at
        for position, code in enumerate(kept):
            rank[code] = position + (position >= at)
    else:
        for position, code in enumerate(kept):
            rank[code] = position
    return _Column(rank, tuple(named), tuple(shown), pooled)


def _value(text: str | None, bins: Bins | None) -> str | None:
    return text if bins is None or text is None else bins.labels[int(text)]


def _labelled(values: dict[int, str | None], labels: Mapping[str, str]) -> dict[int, str | None]:
    """The values by the names that the config gives them; a name that is another value's too is told apart."""
    taken = {value for value in values.values() if value is not None and value not in labels}
    named: dict[int, str | None] = {}
    for code, value in values.items():
        label = value if value is None else labels.get(value, labels.get(plain(value), value))
        named[code] = f"{label} ({value})" if label != value and label in taken else label
    return named


def _order(present: Sequence[str | None], texts: Sequence[str | None], bins: Bins | None):  # type: ignore[no-untyped-def]
    """The sorting key of a code: numbers ascending if all values are numbers, else words; missing last."""
    numbers = {text: _number(text) for text in present if text is not None}
    numeric = bins is not None or all(value is not None for value in numbers.values())

    def key(code: int) -> tuple[bool, float, str]:
        text = texts[code]
        if text is None:
            return True, 0.0, ""
        return False, (numbers[text] or 0.0) if numeric else 0.0, text

    return key


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value == value and text.strip()[-1:].isdigit() else None


def _key(ranks: Sequence[Ints], sizes: Sequence[int]) -> Ints:
    key = np.zeros(len(ranks[0]), np.int64)
    for rank, size in zip(ranks, sizes, strict=True):
        key = key * size + rank
    return key


def _parts(keys: Ints, sizes: Sequence[int]) -> list[tuple[int, ...]]:
    parts = []
    rest = keys
    for size in reversed(sizes):
        rest, part = np.divmod(rest, size)
        parts.append(part.tolist())
    return list(zip(*reversed(parts), strict=True))


def _combined_names(columns: Sequence[_Column], parts: Sequence[tuple[int, ...]]) -> list[str]:
    """ "Female, Black"; where that would be ambiguous, each value is quoted."""
    if len(columns) == 1:
        return [columns[0].shown[i] for (i,) in parts]
    words = [[column.shown[i] for column, i in zip(columns, position, strict=True)] for position in parts]
    names = [", ".join(row) for row in words]
    if len(set(names)) < len(names):
        names = [", ".join(json.dumps(word, ensure_ascii=False) for word in row) for row in words]
    return names


def _pool(levels: Sequence[Level], at_least: int | None, n_columns: int) -> tuple[tuple[Level, ...], Ints]:
    """Combinations with fewer than ``at_least`` rows as one level before those with missing values."""
    small = [i for i, level in enumerate(levels) if at_least is not None and level.n < at_least and not level.missing]
    level_of_key = np.zeros(len(levels), np.int64)
    if not small:
        return tuple(levels), np.arange(len(levels), dtype=np.int64)
    chosen = set(small)
    kept = [i for i in range(len(levels)) if i not in chosen]
    at = next((k for k, i in enumerate(kept) if all(value is None for value in levels[i].values)), len(kept))
    other = Level(
        name=OTHER,
        n=sum(levels[i].n for i in small),
        values=(OTHER,) * n_columns,
        pooled=tuple(levels[i].name for i in small),
    )
    for position, i in enumerate(kept):
        level_of_key[i] = position + (position >= at)
    level_of_key[small] = at
    result = [levels[i] for i in kept]
    result.insert(at, other)
    return tuple(result), level_of_key


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 20 else f"{', '.join(names[:20])} and {len(names) - 20:,} more"
