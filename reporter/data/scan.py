"""How many rows have each combination of a few columns' values: one pass over the rows where that is possible.

All combinations of all columns at once (the joint) answer every question about fewer columns by adding up. If there are too many combinations, each
question is one query of its own. Which of the two happened cannot be told from the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reporter.data.values import text_of

if TYPE_CHECKING:
    from reporter.data.source import Source

Ints = NDArray[np.int64]

PREFIX_ROWS = 100_000
"""So many first rows tell whether the joint is worth trying; a table that ends before always has it."""
PREFIX_CELLS = 20_000
JOINT_CELLS = 1_000_000
"""A joint with more combinations is given up."""


@dataclass(frozen=True, slots=True)
class Margin:
    """Counts of the combinations that occur: ``codes[k, j]`` is the code of column j in combination k, sorted; ``n[k]`` its rows."""

    names: tuple[str, ...]
    codes: Ints
    n: Ints

    def column(self, name: str) -> Ints:
        """The codes of one column."""
        return np.asarray(self.codes[:, self.names.index(name)])


class Scan:
    """Counts over ``columns``: name -> Ibis expression over ``source.table``.

    Values get their one spelling (:func:`text_of`); ``texts[name][code]`` is the value of a code. Codes come in the order in which values
    were first met and mean nothing else. ``sure``: there cannot be more than ``most_cells`` combinations. ``dictionaries``: name -> the Arrow
    values that a column's whole numbers stand for, where they do.
    """

    def __init__(
        self,
        source: Source,
        columns: Mapping[str, Any],
        *,
        missing: frozenset[str],
        most_cells: int | None = None,
        prefix_rows: int | None = None,
        sure: bool = False,
        dictionaries: Mapping[str, Any] | None = None,
    ) -> None:
        self.source = source
        self.columns = dict(columns)
        self.missing = missing
        self.most_cells = most_cells
        self.sure = sure
        self.dictionaries = dict(dictionaries or {})
        self.prefix_rows = PREFIX_ROWS if prefix_rows is None else prefix_rows
        self.expected_cells: int | None = None
        self.texts: dict[str, list[str | None]] = {name: [] for name in columns}
        self._codes: dict[str, dict[str | None, int]] = {name: {} for name in columns}
        self._known: dict[tuple[str, ...], Margin] = {}
        self._joint: Margin | None = None
        self._tried = False
        self._zones = {name: zone for name in columns if (zone := self._zone(name)) is not None}

    def margin(self, names: Sequence[str]) -> Margin:
        """The counts over some of the columns (none: all rows as one combination)."""
        wanted = tuple(names)
        if wanted not in self._known:
            joint = self.joint()
            if joint is not None:
                self._known[wanted] = add_up(wanted, [joint.column(name) for name in wanted], joint.n)
            elif wanted:
                self._known[wanted] = self._read(wanted, self.source.fetch(self.counted(wanted)))
            else:
                self._known[wanted] = Margin((), np.zeros((1, 0), np.int64), np.array([self.source.n], np.int64))
        return self._known[wanted]

    def over(
        self, source: Source, columns: Mapping[str, Any], dictionaries: Mapping[str, Any], *, has_joint: bool = True
    ) -> Scan:
        """A fresh scan under the same limits over other rows that hold the same; not ``has_joint``: there are known to be too many combinations."""
        other = Scan(
            source,
            columns,
            missing=self.missing,
            most_cells=self.most_cells,
            prefix_rows=self.prefix_rows,
            sure=self.sure,
            dictionaries=dictionaries,
        )
        other.expected_cells = self.expected_cells
        other._tried = not has_joint
        other._zones = self._zones
        return other

    def columns_of(self, table: Any, names: Sequence[str]) -> dict[str, Any]:
        """The expressions, built over ``table``."""
        return {name: self.columns[name](table) for name in names}

    def code(self, name: str, text: str | None) -> int:
        """The code of a value that was met."""
        return self._codes[name][text]

    def _zone(self, name: str) -> str | None:
        """The time zone of a column of moments."""
        if not self.source.time_zones:
            return None
        value = self.columns[name](self.source.table)
        return self.source.time_zones.get(value.get_name()) if value.type().is_timestamp() else None

    def joint(self) -> Margin | None:
        """The counts over all columns, None when there are too many combinations."""
        if not self._tried:
            self._tried = True
            everything = tuple(self.columns)
            if everything and (self.sure or self._is_small(everything)):
                most = JOINT_CELLS if self.most_cells is None else self.most_cells
                answer = self.source.fetch(self.counted(everything).limit(most + 1))
                if answer.num_rows <= most:
                    self._joint = self._read(everything, answer)
        return self._joint

    def _is_small(self, names: tuple[str, ...]) -> bool:
        """Whether few combinations are possible, or the first rows have few, or are all rows."""
        if self.expected_cells is not None and self.expected_cells <= (self.most_cells or JOINT_CELLS):
            return True
        head = self.source.table.limit(self.prefix_rows)
        named = head.select(**self.columns_of(head, names))
        counted = named.group_by(list(names)).agg(n_rows=named.count())
        summed = self.source.fetch(counted.agg(cells=counted.count(), head=counted["n_rows"].sum()))
        cells, rows = summed["cells"][0].as_py(), summed["head"][0].as_py() or 0
        few = PREFIX_CELLS if self.most_cells is None else self.prefix_rows / 2
        return bool(rows < self.prefix_rows or cells <= few)

    def counted(self, names: tuple[str, ...]) -> Any:
        """The query that counts the combinations of some columns."""
        table = self.source.table
        named = table.select(**self.columns_of(table, names))
        return named.group_by(list(names)).agg(n_rows=named.count())

    def _read(self, names: tuple[str, ...], answer: Any) -> Margin:
        codes = [self.encode(name, answer[name]) for name in names]
        return add_up(names, codes, answer["n_rows"].to_numpy().astype(np.int64))

    def encode(self, name: str, column: Any) -> Ints:
        """The codes of an Arrow column of one of the scan's columns."""
        import pyarrow as pa
        import pyarrow.compute as pc

        array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
        if pa.types.is_null(array.type):
            array = array.cast(pa.string())
        if name in self.dictionaries:
            array = pa.DictionaryArray.from_arrays(array, self.dictionaries[name])
        if not pa.types.is_dictionary(array.type):
            array = pc.dictionary_encode(array, null_encoding="encode")
        values = array.dictionary
        if name in self._zones and pa.types.is_timestamp(values.type):
            # The engine tells moments in UTC, where they may be on another day.
            values = values.cast(pa.timestamp(values.type.unit, self._zones[name]))
        single = pa.types.is_float32(values.type)
        distinct = list(values.to_numpy(zero_copy_only=False)) if single else values.to_pylist()
        known, texts = self._codes[name], self.texts[name]
        places = np.empty(len(distinct) + 1, np.int64)
        for i, value in enumerate([*distinct, None]):
            text = text_of(value, self.missing)
            if text not in known:
                known[text] = len(texts)
                texts.append(text)
            places[i] = known[text]
        indices = array.indices.fill_null(len(distinct)).to_numpy(zero_copy_only=False)
        return np.asarray(places[indices])


def add_up(names: Sequence[str], columns: Sequence[Ints], n: Ints) -> Margin:
    """The distinct rows of ``columns`` in ascending order, each with the sum of its ``n``.

    >>> margin = add_up(("a",), [np.array([2, 0, 2])], np.array([1, 5, 3]))
    >>> margin.codes[:, 0].tolist(), margin.n.tolist()
    ([0, 2], [5, 4])
    """
    if not columns:
        return Margin((), np.zeros((1, 0), np.int64), np.array([n.sum()], np.int64))
    key = np.zeros(len(n), np.int64)
    size = 1
    for column in columns:
        low = int(column.min(initial=0))
        span = int(column.max(initial=0)) - low + 1
        if size * span >= 2**62:
            _, key = np.unique(key, return_inverse=True)
            size = len(n) + 1
        key = key * span + (column - low)
        size *= span
    _, first, inverse = np.unique(key, return_index=True, return_inverse=True)
    sums = np.zeros(len(first), np.int64)
    np.add.at(sums, inverse, n)
    codes = (
        np.stack([column[first] for column in columns], axis=1) if len(first) else np.zeros((0, len(columns)), np.int64)
    )
    return Margin(tuple(names), codes.astype(np.int64), sums)
