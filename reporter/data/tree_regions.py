"""Which region of a Δ tree a row lies in, without asking for each of up to 2^d disjoint regions in turn.

Either each covariate's levels fall into few classes that no region divides, and the classes together tell the region (``classes``); or the
row is asked one question after another, as the tree does (``questions``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.stats.delta_counts import Covariate, Region, Side

Allowed = NDArray[np.bool_]

MOST_CLASSES = 4
"""So many combinations of classes for each region cost an engine less than questions do."""


@dataclass(frozen=True, slots=True)
class Question:
    """Rows on a side go on with its answer, others with the next; rows on none lie in no region. Without sides the last answer is for all others.
    An answer is a region's number or another question."""

    sides: tuple[tuple[Side, ...], ...]
    answers: tuple[int | Question, ...]


@dataclass(frozen=True, slots=True)
class Classes:
    """``sides[j]``: the classes of one covariate but for the last, which holds all other rows; a row's key is the sum over covariates of its class
    times ``steps[j]``, and ``region[key]`` its region, -1 for none."""

    sides: tuple[tuple[Side, ...], ...]
    steps: tuple[int, ...]
    region: NDArray[np.int64]


def classes(regions: Sequence[Region], covariates: Sequence[Covariate]) -> Classes | None:
    """The classes, or None where their combinations would be many more than the regions.

    Examples
    --------
    >>> sex, age = Covariate("sex", "categorical", ("F", "M")), Covariate("age", "numeric", values=(1.0, 2.0, 3.0))
    >>> women, low = Side("sex", False, codes=(0,)), Side("age", False, upto=0)
    >>> found = classes([(women, low), (women, Side("age", True, above=0))], [sex, age])
    >>> [len(sides) + 1 for sides in found.sides], found.region.tolist()
    ([2, 2], [0, -1, 1, -1])
    """
    sides: list[tuple[Side, ...]] = []
    steps: list[int] = []
    allowed = np.ones((len(regions), 1), bool)
    for covariate in covariates:
        masks = np.ones((len(regions), covariate.n_levels + 1), bool)
        for number, region in enumerate(regions):
            for side in region:
                if side.covariate == covariate.name:
                    masks[number] = side.allows(covariate.n_levels)
        patterns, of_level = np.unique(masks, axis=1, return_inverse=True)
        of_level = of_level.ravel()
        # The missing value's class comes last, so that no question is about missing values.
        order = [k for k in range(patterns.shape[1]) if k != of_level[-1]]
        if not order:
            allowed &= patterns[:, of_level[-1]][:, None]
            continue
        chosen = [of_level == k for k in order]
        if covariate.kind != "categorical" and any((_hull(covariate, mask) != mask).any() for mask in chosen):
            return None
        steps.append(allowed.shape[1])
        sides.append(tuple(_side(covariate, mask) for mask in chosen))
        by_class = patterns[:, [*order, int(of_level[-1])]]
        allowed = (by_class[:, :, None] & allowed[:, None, :]).reshape(len(regions), -1)
        if allowed.shape[1] > MOST_CLASSES * len(regions):
            return None
    of_key: NDArray[np.int64] = np.where(allowed.any(axis=0), allowed.argmax(axis=0), -1).astype(np.int64)
    return Classes(tuple(sides), tuple(steps), of_key)


def questions(regions: Sequence[Region], covariates: Sequence[Covariate]) -> int | Question:
    """The questions that lead to every one of these disjoint regions.

    Examples
    --------
    >>> age = Covariate("age", "numeric", values=(1.0, 2.0, 3.0))
    >>> low, high = Side("age", False, upto=0), Side("age", True, above=0)
    >>> asked = questions([(low,), (high,)], [age])
    >>> [side.upto for sides in asked.sides for side in sides], asked.answers
    ([0], (0, 1))
    """
    named = {covariate.name: covariate for covariate in covariates}
    items = [
        (number, {side.covariate: side.allows(named[side.covariate].n_levels) for side in region})
        for number, region in enumerate(regions)
    ]
    return _ask(items, {}, named)


def _ask(
    items: list[tuple[int, dict[str, Allowed]]], known: dict[str, Allowed], named: Mapping[str, Covariate]
) -> int | Question:
    if len(items) == 1:
        number, allowed = items[0]
        # What the questions so far already imply need not be asked.
        open_ = {name: mask for name, mask in allowed.items() if name not in known or (known[name] & ~mask).any()}
        if not open_:
            return number
        return Question((tuple(_side(named[name], mask) for name, mask in open_.items()),), (number,))
    splits = [split for name in named if (split := _parts(items, named[name])) is not None]
    if not splits:
        return Question(
            tuple(tuple(_side(named[name], mask) for name, mask in allowed.items()) for _, allowed in items),
            tuple(number for number, _ in items),
        )
    name, parts = min(splits, key=lambda split: max(len(members) for _, members in split[1]))
    parts = sorted(parts, key=lambda part: bool(part[0][-1]))
    reached = np.logical_or.reduce([mask for mask, _ in parts]) | ~known.get(name, np.True_)
    sides = [(_side(named[name], mask),) for mask, _ in parts]
    return Question(
        (*sides[:-1], () if reached.all() else sides[-1]),
        tuple(_ask(members, {**known, name: mask & known.get(name, mask)}, named) for mask, members in parts),
    )


def _parts(
    items: list[tuple[int, dict[str, Allowed]]], covariate: Covariate
) -> tuple[str, list[tuple[Allowed, list[tuple[int, dict[str, Allowed]]]]]] | None:
    """Regions that share no value of a covariate come apart; None when all hang together."""
    parts: list[tuple[Allowed, list[tuple[int, dict[str, Allowed]]]]] = []
    for item in items:
        mask = item[1].get(covariate.name)
        if mask is None:
            return None
        members = [item]
        joined = [part for part in parts if (part[0] & mask).any()]
        for other, others in joined:
            mask = _hull(covariate, mask | other)
            members = [*others, *members]
        parts = [part for part in parts if not any(part is one for one in joined)]
        parts.append((_hull(covariate, mask), members))
    masks = np.array([mask for mask, _ in parts])
    return (covariate.name, parts) if len(parts) > 1 and (masks.sum(axis=0) <= 1).all() else None


def _hull(covariate: Covariate, mask: Allowed) -> Allowed:
    """With an order, everything between the ends: one comparison each."""
    if covariate.kind == "categorical":
        return mask
    found = np.flatnonzero(mask[:-1])
    filled = mask.copy()
    if len(found):
        filled[found[0] : found[-1] + 1] = True
    return filled


def _side(covariate: Covariate, mask: Allowed) -> Side:
    codes = np.flatnonzero(mask[:-1]).tolist()
    missing = bool(mask[-1])
    if covariate.kind == "categorical" or not codes:
        return Side(covariate.name, missing, codes=tuple(codes))
    last = codes[-1]
    return Side(covariate.name, missing, above=codes[0] - 1, upto=None if last == covariate.n_levels - 1 else last)
