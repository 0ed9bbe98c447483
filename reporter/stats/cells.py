"""Counts of many groups at once: the arrays that every statistic starts from.

They know nothing of names, engines or rendering: a group is a position.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.results import Cells

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Objects = NDArray[np.object_]


@dataclass(frozen=True, slots=True, eq=False)
class CellArrays:
    """How many rows of each of G groups fall in each cell, for one model; every field is an int64 array of shape (G,).

    The names are those of :class:`reporter.results.Cells`. Anything that numpy turns into whole numbers is accepted.

    Raises
    ------
    ValueError
        When the arrays differ in length, are negative or are not whole numbers.

    Examples
    --------
    >>> cells = CellArrays(tp=[3, 1], fp=[1, 0], tn=[5, 2], fn=[0, 2])
    >>> cells.n.tolist(), cells.rest().tp.tolist()
    ([9, 5], [1, 3])
    """

    tp: Ints
    fp: Ints
    tn: Ints
    fn: Ints
    unlabelled_positive: Ints
    unlabelled_negative: Ints
    labelled_without_prediction: Ints
    unlabelled_without_prediction: Ints

    def __init__(
        self,
        tp: ArrayLike,
        fp: ArrayLike,
        tn: ArrayLike,
        fn: ArrayLike,
        unlabelled_positive: ArrayLike | None = None,
        unlabelled_negative: ArrayLike | None = None,
        labelled_without_prediction: ArrayLike | None = None,
        unlabelled_without_prediction: ArrayLike | None = None,
    ) -> None:
        given = (
            tp,
            fp,
            tn,
            fn,
            unlabelled_positive,
            unlabelled_negative,
            labelled_without_prediction,
            unlabelled_without_prediction,
        )
        length = len(np.atleast_1d(np.asarray(tp)))
        for field, value in zip(fields(self), given, strict=True):
            array = np.zeros(length, np.int64) if value is None else whole_numbers(value, field.name)
            if array.shape != (length,):
                raise ValueError(f"{field.name} has shape {array.shape}, expected ({length},)")
            object.__setattr__(self, field.name, array)

    def __len__(self) -> int:
        return len(self.tp)

    @property
    def n_labelled(self) -> Ints:
        """Rows with a label and a prediction."""
        return self.tp + self.fp + self.tn + self.fn

    @property
    def n_predicted(self) -> Ints:
        """Rows with a prediction, labelled or not."""
        return self.n_labelled + self.unlabelled_positive + self.unlabelled_negative

    @property
    def n(self) -> Ints:
        """All rows."""
        return self.n_predicted + self.labelled_without_prediction + self.unlabelled_without_prediction

    def arrays(self) -> tuple[Ints, ...]:
        """The eight arrays in the order of their fields."""
        return tuple(getattr(self, field.name) for field in fields(self))

    def take(self, index: ArrayLike) -> CellArrays:
        """The groups at these positions, in this order (positions may repeat)."""
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64))
        return CellArrays(*(array[chosen] for array in self.arrays()))

    def sum(self) -> CellArrays:
        """All groups as one."""
        return CellArrays(*(array.sum(keepdims=True) for array in self.arrays()))

    def rest(self) -> CellArrays:
        """For each group everyone who is not in it."""
        return CellArrays(*(array.sum() - array for array in self.arrays()))

    def plus(self, other: CellArrays) -> CellArrays:
        """Cell by cell sums with as many other groups."""
        return CellArrays(*(a + b for a, b in zip(self.arrays(), other.arrays(), strict=True)))

    def to_cells(self) -> list[Cells]:
        """One :class:`Cells` a group."""
        return [Cells(*row) for row in zip(*(array.tolist() for array in self.arrays()), strict=True)]

    @classmethod
    def from_cells(cls, cells: Iterable[Cells]) -> CellArrays:
        """The arrays of these groups."""
        names = [field.name for field in fields(Cells)]
        rows = [[getattr(one, name) for name in names] for one in cells]
        return cls(*np.asarray(rows, np.int64).reshape(len(rows), len(names)).T)


def none_reasons(n: int) -> Objects:
    """n times "no reason"."""
    return np.full(n, None, object)


def is_none(reasons: Objects) -> Bools:
    """Where there is no reason."""
    return np.asarray(np.equal(reasons, cast(Any, None)), np.bool_)


def whole_numbers(value: ArrayLike, name: str) -> Ints:
    """``value`` as a one-dimensional int64 array of counts, or a ValueError that names it."""
    array = np.atleast_1d(np.asarray(value))
    whole = array.astype(np.int64) if array.size else np.zeros(0, np.int64)
    if array.dtype.kind not in "iub" and not np.array_equal(whole, array):
        raise ValueError(f"{name} must be whole numbers")
    if whole.size and whole.min() < 0:
        raise ValueError(f"{name} must not be negative")
    return whole
