"""The full counts as arrays, and the tables of them that may be published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.counts import Counts, prediction_tables
from reporter.results import Level

Ints = NDArray[np.int64]

KINDS = ((1,), (0,), (2,), (0, 1), (1, 2), (0, 2))
"""What one model can say of a row, and unions of it: predicted 1, predicted 0, no prediction."""


@dataclass(frozen=True)
class FullTables:
    """The full counts as arrays ``n[group, label, prediction]``, with 2 for a missing label or prediction."""

    counts: Counts
    n_models: int
    inclusions: tuple[tuple[int, int, Ints], ...]

    @classmethod
    def of(cls, counts: Counts) -> FullTables:
        made = cls(counts, len(counts.facts["models"]), ())
        return replace(made, inclusions=tuple(made._found_inclusions()))

    def pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.n_models), 2)

    def levels(self, grouping: str) -> tuple[Level, ...]:
        from reporter.data.cells import levels

        return levels(self.counts, grouping)

    def columns(self, grouping: str) -> tuple[str, ...]:
        from reporter.data.cells import grouping_columns

        return grouping_columns(self.counts, grouping)

    def model(self, grouping: str | None, i: int) -> Ints:
        """``n[group, label, prediction]``."""
        return self._array(grouping, (i,))

    def pair(self, grouping: str | None, i: int, j: int) -> Ints:
        """``n[group, label, prediction of i, prediction of j]``."""
        return self._array(grouping, (i, j))

    def cells(self, grouping: str | None) -> Ints:
        """Everything that is published of a group, a row per group: each model's table, and what follows where one model's
        positives (or negatives, or missing ones) are all among another's: the difference is then a count, too."""
        parts = [self.model(grouping, i) for i in range(self.n_models)]
        flat = [part.reshape(len(part), -1) for part in parts]
        flat += [
            (self.pair(grouping, i, j) * between[None, None]).sum(axis=(2, 3)) for i, j, between in self.inclusions
        ]
        return np.concatenate(flat, axis=1)

    def frame(self, grouping: str | None, i: int, place: Ints | None) -> pd.DataFrame:
        """One model's table as it is published; ``place`` gives each group's new number."""
        n = self.model(grouping, i)
        if place is not None:
            pooled = np.zeros((int(place.max()) + 1 if len(place) else 0, 3, 3), np.int64)
            np.add.at(pooled, place, n)
            n = pooled
        level, label, prediction = np.nonzero(n)
        columns: dict[str, Any] = {} if grouping is None else {"level": level.astype(np.int32)}
        columns["label"] = _code(label)
        columns[f"m{i}"] = _code(prediction)
        return pd.DataFrame({**columns, "n": n[level, label, prediction]})

    def pair_frame(self, i: int, j: int) -> pd.DataFrame:
        n = self.pair(None, i, j)[0]
        label, first, second = np.nonzero(n)
        return pd.DataFrame(
            {"label": _code(label), f"m{i}": _code(first), f"m{j}": _code(second), "n": n[label, first, second]}
        )

    def _array(self, grouping: str | None, models: tuple[int, ...]) -> Ints:
        stem = "overall" if grouping is None else f"groups/{grouping}"
        suffix = next(s for s, members in prediction_tables(self.n_models) if set(models) <= set(members))
        table = self.counts.tables[stem + suffix]
        n_groups = 1 if grouping is None else len(self.counts.tables[f"levels/{grouping}"])
        group = np.zeros(len(table), np.int64) if grouping is None else table["level"].to_numpy().astype(np.int64)
        found = np.zeros((n_groups, 3, *(3 for _ in models)), np.int64)
        codes = (table[name].to_numpy().astype(np.int64) % 3 for name in ("label", *(f"m{i}" for i in models)))
        np.add.at(found, (group, *codes), table["n"].to_numpy().astype(np.int64))
        return found

    def _found_inclusions(self) -> Iterator[tuple[int, int, Ints]]:
        """Where the rows that one model says one thing of are all among those that another says something of."""
        for i, j in self.pairs():
            both = self.pair(None, i, j)[0].sum(axis=0)
            total = both.sum()
            for first in KINDS:
                for second in KINDS:
                    inside = np.zeros((3, 3), np.int64)
                    inside[np.ix_(first, second)] = 1
                    ours = np.zeros((3, 3), np.int64)
                    ours[list(first), :] = 1
                    theirs = np.zeros((3, 3), np.int64)
                    theirs[:, list(second)] = 1
                    n_ours, n_theirs = int((both * ours).sum()), int((both * theirs).sum())
                    if not 0 < n_ours < total or not 0 < n_theirs < total:
                        continue
                    n_both = int((both * inside).sum())
                    if n_both == n_ours:
                        yield i, j, theirs - inside
                    elif n_both == n_theirs:
                        yield i, j, ours - inside


def _code(index: Ints) -> NDArray[np.int8]:
    return np.where(index == 2, -1, index).astype(np.int8)
