"""Whether a small count follows from published counts of overlapping classes of rows. It knows 0/1 matrices and numbers, no data or config.

Unknown is how many rows are in each *part*, the finest sets that the published classes tell apart. Each class that is published is an equation:
the sum of its parts is its count. A set of parts can be counted by a reader if its 0/1 vector is a combination of these equations, once the
parts that no reader can take for anything but empty are left out.

1. A linear program finds a solution that is positive wherever any solution is; the other parts are empty in all of them. What all
   non-negative solutions agree on is then just what follows from the equations over the parts that are left.
2. A part that is ``k`` or more in this solution is in no small set, as a set that can be counted has the same count in every solution.
   So only combinations of equations that are 0 on these parts matter. Elimination modulo a prime gives them, and no rounding error.
3. In reduced form every 0/1 vector among them is a sum of rows, each taken or not: a short search finds one with a count below ``k``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.errors import DataError, Problem

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

PRIME = 2**31 - 1
MOST_STEPS = 20_000
"""Of the search for a small set. Where it is not done by then, what it looked at is taken to be one: that only hides more."""


@dataclass(frozen=True)
class SmallSet:
    """A set of rows that can be counted: ``factors`` of the classes whose sum it is, and the ``relations`` between classes, which change
    nothing when they are added to it. Modulo :data:`PRIME`."""

    factors: Ints
    relations: Ints

    def needs(self, classes: Sequence[int]) -> bool:
        """Whether the set can be counted no more once these classes are hidden."""
        wanted, free = self.factors[list(classes)], self.relations[:, list(classes)]
        if not free.any():
            return bool(wanted.any())
        return len(_reduce(np.vstack([free, wanted]), len(classes))) > len(_reduce(free.copy(), len(classes)))


def small_set(members: Ints, counts: Ints, k: int) -> SmallSet | None:
    """A set of parts whose count, from 1 to ``k`` - 1, follows from those of the classes; None if there is none.

    ``members[class, part]`` is 1 where the part belongs to the class, ``counts`` are those of the classes.

    Raises
    ------
    DataError
        The linear program was not solved.

    Examples
    --------
    Ages to 20, 21 to 40, 41 to 45, over 45: of "to 20", "21 to 45" and "to 40" the counts give away that of 41 to 45.

    >>> members = np.array([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 1, 0], [1, 1, 0, 0]])
    >>> found = small_set(members, np.array([137, 30, 47, 70]), 11)
    >>> found is None, found.needs([2]), found.needs([0])
    (False, True, False)
    >>> small_set(members, np.array([137, 30, 57, 70]), 11) is None
    True
    """
    empty = (members[counts == 0] > 0).any(axis=0)
    inner = _inner_solution(members[:, ~empty], counts)
    parts = members[:, ~empty][:, inner > 0]
    inner = inner[inner > 0]
    large = inner > k - 0.5
    return _search(parts[:, large], parts[:, ~large], inner[~large], counts, k)


def _inner_solution(members: Ints, counts: Ints) -> Floats:
    """A non-negative solution with as few zeros as any: the largest sum of ``capped`` with members @ (capped + rest) = counts * scale."""
    if not members.shape[1]:
        return np.zeros(0)
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    n = members.shape[1]
    equations = csr_array(members.astype(float))
    system = hstack([equations, equations, csr_array(-counts[:, None].astype(float))], format="csr")
    bounds = np.array([[0.0, 1.0]] * n + [[0.0, np.inf]] * n + [[1.0, np.inf]])
    cost = np.concatenate([-np.ones(n), np.zeros(n + 1)])
    best = linprog(cost, A_eq=system, b_eq=np.zeros(len(counts)), bounds=bounds, method="highs")
    if best.status != 0:
        raise DataError(
            Problem(
                f"whether overlapping groups give small counts away could not be found out ({best.message})",
                key="small_cells",
                hint="Leave one of the crossings in groups out.",
            )
        )
    capped, rest = best.x[:n], best.x[n : 2 * n]
    found: Floats = np.where(capped > 0.5, (capped + rest) / best.x[-1], 0.0)
    return found


def _search(large: Ints, small: Ints, inner: Floats, counts: Ints, k: int) -> SmallSet | None:
    width = small.shape[1]
    if not width:
        return None
    free = _without(large)
    # Each row: a combination of classes as a vector over the small parts, then as factors of the classes.
    rows = np.concatenate([_times(free, small), free], axis=1)
    pivots = _reduce(rows, width)
    vectors, factors = rows[: len(pivots), :width], rows[: len(pivots), width:]
    relations = rows[len(pivots) :, width:]
    remainders = [int(n) % PRIME for n in counts]

    def is_small(chosen: Ints) -> bool:
        total = sum(int(f) * n for f, n in zip(chosen, remainders, strict=True)) % PRIME
        return 0 < total < k

    for vector, chosen in zip(vectors, factors, strict=True):
        if (vector <= 1).all() and is_small(chosen):
            return SmallSet(chosen, relations)
    # After row i has been taken or not, the parts whose last entry is in row i have their final value.
    last = np.full(width, -1)
    for i, vector in enumerate(vectors):
        last[vector != 0] = i
    stack = [(0, np.zeros(width, np.int64), np.zeros(len(counts), np.int64))]
    steps = 0
    while stack:
        i, vector, chosen = stack.pop()
        steps += 1
        if steps > MOST_STEPS:
            return SmallSet(factors[0], relations)
        final = last < i
        if (vector[final] > 1).any() or inner[final & (vector == 1)].sum() > k - 0.5:
            continue
        if i == len(vectors):
            if is_small(chosen):
                return SmallSet(chosen, relations)
            continue
        stack.append((i + 1, (vector + vectors[i]) % PRIME, (chosen + factors[i]) % PRIME))
        stack.append((i + 1, vector, chosen))
    return None


def _without(members: Ints) -> Ints:
    """A basis of the combinations of classes that are 0 on every part."""
    n_classes, n_parts = members.shape
    own = np.eye(n_classes, dtype=np.int64)
    if n_parts > n_classes + 8:
        # Fewer columns, each a random sum of parts, nearly always have the same combinations; whether they do is seen below.
        mix = np.random.default_rng(0).integers(0, PRIME, (n_parts, n_classes + 8))
        rows = np.concatenate([(members @ mix) % PRIME, own], axis=1)
        found = rows[len(_reduce(rows, n_classes + 8)) :, n_classes + 8 :]
        if not _times(found, members).any():
            return found
    rows = np.concatenate([members, own], axis=1)
    return rows[len(_reduce(rows, n_parts)) :, n_parts:]


def _times(factors: Ints, members: Ints) -> Ints:
    """The product modulo the prime; ``members`` are 0 and 1, so that no sum overflows."""
    product: Ints = (factors @ members) % PRIME
    return product


def _reduce(rows: Ints, width: int) -> list[int]:
    """Reduced row-echelon form over the first ``width`` columns modulo the prime, in place; the columns of the pivots, which come first."""
    pivots: list[int] = []
    for column in range(width):
        top = len(pivots)
        below = np.flatnonzero(rows[top:, column])
        if not len(below):
            continue
        rows[[top, top + below[0]]] = rows[[top + below[0], top]]
        rows[top] = rows[top] * pow(int(rows[top, column]), -1, PRIME) % PRIME
        others = np.flatnonzero(rows[:, column])
        others = others[others != top]
        rows[others] = (rows[others] - rows[others, column, None] * rows[top]) % PRIME
        pivots.append(column)
        if len(pivots) == len(rows):
            break
    return pivots
