"""What a Δ tree counts: covariates, the regions that splits cut out, and count tables over them.

Growing never sees rows. It asks a ``Counter`` for one table per covariate and level of the tree, so the same growing
works on a cube in memory, on queries to an engine, and on the tables of a record.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, Context, Decimal
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from reporter.errors import DataError, Problem
from reporter.results import MISSING

Kind = Literal["categorical", "ordered", "numeric"]
Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

N_LABELS = 3  # label 0, label 1, no label
MOMENTS = ("n", "nonzero", "z", "zz", "s1", "s2")


@dataclass(frozen=True, slots=True)
class Covariate:
    """A column that the tree may split on.

    ``levels`` are the labels of the codes 0, 1, ... of a categorical or ordered covariate (ordered: from low to high),
    ``values`` the ascending values of a numeric one (or the upper ends of its bins). A missing value has the code
    ``n_levels``, one past the last.

    Examples
    --------
    >>> Covariate("age", "numeric", values=(18.0, 19.0)).n_levels
    2
    """

    name: str
    kind: Kind
    levels: tuple[str, ...] = ()
    values: tuple[float, ...] = ()

    @property
    def n_levels(self) -> int:
        """The number of codes, without the missing one."""
        return len(self.values) if self.kind == "numeric" else len(self.levels)

    def label(self, code: int) -> str:
        """The label of a code; ``(missing)`` for the code past the last."""
        if code == self.n_levels:
            return MISSING
        return f"{self.values[code]:g}" if self.kind == "numeric" else self.levels[code]

    def end(self, code: int) -> float | str:
        """What divides the rows up to a code from those above it: an ordered level's label, or a number. Numbers of more than 12 digits
        become the shortest of at least 6 that divides the same rows.

        >>> Covariate("x", "numeric", values=(0.1234567890123, 0.2, 20061215.0)).end(0)
        0.123457
        """
        if self.kind != "numeric":
            return self.levels[code]
        value = self.values[code]
        if float(f"{value:.12g}") == value:
            return value
        above = self.values[code + 1] if code + 1 < len(self.values) else float("inf")
        exact = Decimal(value)
        rounded_up = (float(Context(digits, ROUND_CEILING).plus(exact)) for digits in range(6, 18))
        return next(short for short in rounded_up if value <= short < above)


@dataclass(frozen=True, slots=True)
class Side:
    """The rows on one side of the splits on one covariate: ``above < code <= upto``, or the code is one of ``codes``.

    ``codes`` is for unordered covariates (None otherwise), ``above`` and ``upto`` for ordered and numeric ones.
    ``missing`` tells whether rows without a value belong to it. In a query: ``column IN (...)`` or
    ``column > values[above] AND column <= values[upto]``, ``OR column IS NULL`` if ``missing``.
    """

    covariate: str
    missing: bool
    codes: tuple[int, ...] | None = None
    above: int = -1
    upto: int | None = None

    def allows(self, n_levels: int) -> Bools:
        """Per code (the missing one last): does the row belong to the side?"""
        allowed = np.zeros(n_levels + 1, dtype=bool)
        if self.codes is not None:
            allowed[list(self.codes)] = True
        else:
            allowed[self.above + 1 : (n_levels if self.upto is None else self.upto + 1)] = True
        allowed[n_levels] = self.missing
        return allowed

    def __and__(self, other: Side) -> Side:
        missing = self.missing and other.missing
        if self.codes is not None and other.codes is not None:
            return replace(self, missing=missing, codes=tuple(c for c in self.codes if c in set(other.codes)))
        ends = [end for end in (self.upto, other.upto) if end is not None]
        return replace(self, missing=missing, above=max(self.above, other.above), upto=min(ends) if ends else None)


Region = tuple[Side, ...]
"""The rows that satisfy every side; at most one side a covariate. The empty region holds all rows. Hashable."""


def narrowed(region: Region, side: Side) -> Region:
    """The part of the region that lies on the side.

    Examples
    --------
    >>> [s.upto for s in narrowed((Side("age", True, upto=9),), Side("age", True, upto=5))]
    [5]
    """
    if any(known.covariate == side.covariate for known in region):
        return tuple(known & side if known.covariate == side.covariate else known for known in region)
    return (*region, side)


class Counter(Protocol):
    """Whatever can count: a cube, an engine, or the stored tables of a record."""

    def tables(self, regions: Sequence[Region], covariates: Sequence[Covariate]) -> list[NDArray[Any]]:
        """One table per covariate over disjoint regions; rows in none of the regions are not counted.

        For 0/1 predictions int64 counts of shape (regions, n_levels + 1, groups, 2, 2, 3): the covariate's code
        (missing last), the attribute's code, the first and the second model's prediction, the label (0, 1, none).
        With one model the axis of the second has length 1. For scores float64 of shape (regions, n_levels + 1,
        groups, 3, 6): the last axis holds the ``MOMENTS`` number of rows, rows with z != 0, sum of z, sum of z
        squared, sum of the first and of the second score, where z is the second score minus the first (with one model
        the first score itself).
        """
        ...  # pragma: no cover

    def halves(self, rng: np.random.Generator) -> tuple[Counter, Counter]:
        """The rows in two random halves. Whoever cannot draw them says so by a ``DataError``."""
        ...  # pragma: no cover


@dataclass(frozen=True, slots=True, eq=False)
class Cube:
    """Count cells in memory: how many rows have these codes.

    Shapes: ``codes`` (cells, covariates), all others (cells,). ``label`` is 0, 1 or 2 for none. ``first`` and
    ``second`` are the models' predictions 0/1, or their scores if ``scored``; ``second`` is None for one model.
    With ``row_order`` the cells are single rows in the order of the file.

    Examples
    --------
    >>> cube = Cube.of([Covariate("sex", "categorical", ("F", "M"))], [[0], [0], [1]], [0, 0, 1], [2, 2, 2],
    ...                [0, 0, 1], [1, 1, 1], n_groups=2)
    >>> cube.n.tolist()
    [2, 1]
    >>> cube.tables([()], cube.covariates)[0].sum(axis=(0, 2, 3, 4, 5)).tolist()
    [2, 1, 0]
    """

    covariates: tuple[Covariate, ...]
    codes: NDArray[np.int32]
    group: NDArray[np.int32]
    label: NDArray[np.int8]
    first: NDArray[Any]
    second: NDArray[Any] | None
    n: Counts
    n_groups: int
    scored: bool = False
    row_order: bool = False

    @classmethod
    def of(
        cls,
        covariates: Sequence[Covariate],
        codes: Any,
        group: Any,
        label: Any,
        first: Any,
        second: Any | None = None,
        n: Any | None = None,
        *,
        n_groups: int,
        scored: bool = False,
        row_order: bool = False,
    ) -> Cube:
        """The cube of rows (or of cells with counts ``n``). Equal cells are joined and sorted, so that the order of
        rows never matters, unless ``row_order`` asks for the rows as they are."""
        rows = np.ascontiguousarray(codes, dtype=np.int32).reshape(len(np.asarray(group)), len(covariates))
        kind = np.float64 if scored else np.int8
        columns = [
            *rows.T,
            np.asarray(group, dtype=np.int32),
            np.asarray(label, dtype=np.int8),
            np.asarray(first, dtype=kind),
            *([] if second is None else [np.asarray(second, dtype=kind)]),
        ]
        counts = np.ones(len(rows), dtype=np.int64) if n is None else np.asarray(n, dtype=np.int64)
        if not row_order:
            columns, counts = _joined(columns, counts)
        width = len(covariates)
        joined = np.column_stack(columns[:width]) if width else np.zeros((len(counts), 0))
        return cls(
            covariates=tuple(covariates),
            codes=joined.astype(np.int32),
            group=columns[width].astype(np.int32),
            label=columns[width + 1].astype(np.int8),
            first=columns[width + 2],
            second=None if second is None else columns[width + 3],
            n=counts,
            n_groups=n_groups,
            scored=scored,
            row_order=row_order,
        )

    def tables(self, regions: Sequence[Region], covariates: Sequence[Covariate]) -> list[NDArray[Any]]:
        """See ``Counter.tables``."""
        places = [self._members(region) for region in regions]
        cells = np.concatenate(places) if places else np.zeros(0, dtype=np.int64)
        node = np.repeat(np.arange(len(regions)), [len(place) for place in places])
        inner, width, weights = self._inner(cells)
        result = []
        for covariate in covariates:
            n_codes = covariate.n_levels + 1
            key = ((node * n_codes + self.codes[cells, self._column(covariate.name)]) * width) + inner
            size = len(regions) * n_codes * width
            shape = (len(regions), n_codes, self.n_groups)
            if self.scored:
                sums = [np.bincount(key, weights=weight, minlength=size) for weight in weights]
                result.append(np.stack(sums, axis=-1).reshape(*shape, N_LABELS, len(MOMENTS)))
            else:
                # float64 sums of integers are exact below 2**53 rows
                counts = np.rint(np.bincount(key, weights=weights[0], minlength=size)).astype(np.int64)
                result.append(counts.reshape(*shape, 2, 1 if self.second is None else 2, N_LABELS))
        return result

    def halves(self, rng: np.random.Generator) -> tuple[Cube, Cube]:
        """Half of the rows (rounded down) without replacement, drawn from the cells, and the rest."""
        total = int(self.n.sum())
        if total >= 1_000_000_000:
            raise DataError(
                Problem("honest: halves can be drawn from fewer than 1,000,000,000 rows", hint="Use honest: false")
            )
        drawn = rng.multivariate_hypergeometric(self.n, total // 2, method="marginals").astype(np.int64)
        return replace(self, n=drawn), replace(self, n=self.n - drawn)

    def sequence(self, region: Region, covariate: Covariate) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The rows of a region sorted by the covariate, ties in the order of the file: codes and cell numbers."""
        if not self.row_order:
            raise ValueError("the order of rows is only known to a cube that was built with row_order=True")
        cells = self._members(region)
        cells = cells[self.n[cells] > 0]
        codes = self.codes[cells, self._column(covariate.name)]
        order = np.argsort(codes, kind="stable")
        return codes[order], cells[order]

    def _column(self, name: str) -> int:
        return next(i for i, covariate in enumerate(self.covariates) if covariate.name == name)

    def _members(self, region: Region) -> NDArray[np.int64]:
        cells = np.arange(len(self.n))
        for side in region:
            column = self._column(side.covariate)
            allowed = side.allows(self.covariates[column].n_levels)
            cells = cells[allowed[self.codes[cells, column]]]
        return cells

    def _inner(self, cells: NDArray[np.int64]) -> tuple[NDArray[np.int64], int, list[Floats]]:
        """The key of a cell within its covariate level, the number of such keys, and what is summed."""
        counts = self.n[cells].astype(float)
        key = self.group[cells].astype(np.int64)
        label = self.label[cells].astype(np.int64)
        if self.scored:
            first = self.first[cells]
            second = first if self.second is None else self.second[cells]
            z = first if self.second is None else second - first
            sums = [counts, counts * (z != 0), counts * z, counts * z**2, counts * first, counts * second]
            return key * N_LABELS + label, self.n_groups * N_LABELS, sums
        key = key * 2 + self.first[cells]
        if self.second is not None:
            key = key * 2 + self.second[cells]
        width = self.n_groups * 2 * (1 if self.second is None else 2) * N_LABELS
        return key * N_LABELS + label, width, [counts]


def _joined(columns: list[NDArray[Any]], counts: Counts) -> tuple[list[NDArray[Any]], Counts]:
    """Equal rows joined, in sorted order."""
    if not len(counts):
        return columns, counts
    order = np.lexsort(columns[::-1])
    ordered = [column[order] for column in columns]
    new = np.zeros(len(order), dtype=bool)
    new[0] = True
    for column in ordered:
        new[1:] |= column[1:] != column[:-1]
    starts = np.flatnonzero(new)
    return [column[starts] for column in ordered], np.add.reduceat(counts[order], starts)
