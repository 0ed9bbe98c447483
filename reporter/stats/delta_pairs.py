"""More than two attribute levels: which pairs of levels are compared, each by a tree of its own, or all of them by one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reporter.errors import ConfigError, Problem
from reporter.results import REST


@dataclass(frozen=True, slots=True)
class Pairing:
    """One tree's levels: their ``levels`` (labels), and for each the attribute codes that make it up. Goes into a
    ``TreeSpec`` as ``levels``, ``groups`` and ``contrast``."""

    levels: tuple[str, ...]
    groups: tuple[tuple[int, ...], ...]
    contrast: Literal["difference", "spread"] = "difference"


def pairings(labels: Sequence[str], pairs: str | Sequence[Sequence[str]] | None = None) -> tuple[Pairing, ...]:
    """The trees over an attribute with these levels; code i is the level ``labels[i]``.

    ``None``: the only pair of two levels. ``all``: every pair in the order of the labels. ``one_vs_rest``: each level as
    a2 against all others as a1 (with two levels a single pair). ``spread``: one tree of the variance over all levels. Else
    a list of pairs (a1, a2).

    Raises
    ------
    ConfigError
        Fewer than two levels, more than two without ``pairs``, or a pair that names no two of the levels.

    Examples
    --------
    >>> [pairing.levels for pairing in pairings(("a", "b", "c"), "all")]
    [('a', 'b'), ('a', 'c'), ('b', 'c')]
    >>> pairings(("a", "b", "c"), "one_vs_rest")[1]
    Pairing(levels=('(rest)', 'b'), groups=((0, 2), (1,)), contrast='difference')
    """
    labels = tuple(labels)
    if len(labels) < 2:
        raise ConfigError(Problem(f"the attribute has {len(labels)} levels, expected at least two", key="attribute"))
    if pairs == "spread":
        return (Pairing(labels, tuple((code,) for code in range(len(labels))), "spread"),)
    if pairs == "one_vs_rest" and len(labels) > 2:
        everyone = range(len(labels))
        return tuple(
            Pairing((REST, label), (tuple(other for other in everyone if other != code), (code,)))
            for code, label in enumerate(labels)
        )
    if pairs is None and len(labels) > 2:
        raise ConfigError(
            Problem(
                f"the attribute has {len(labels)} levels: {', '.join(labels)}",
                key="levels",
                hint="Name two of them, or use pairs: all, one_vs_rest, spread or a list of pairs",
            )
        )
    if pairs is None or pairs in ("all", "one_vs_rest"):
        chosen: list[tuple[str, ...]] = list(itertools.combinations(labels, 2))
    elif isinstance(pairs, str):
        raise ConfigError(
            Problem(f"found {pairs!r}, expected all, one_vs_rest, spread or a list of pairs", key="pairs")
        )
    else:
        chosen = [tuple(pair) for pair in pairs]
    problems = [
        Problem(f"found {', '.join(pair)}, expected two of the levels {', '.join(labels)}", key=f"pairs[{place}]")
        for place, pair in enumerate(chosen)
        if len(pair) != 2 or pair[0] == pair[1] or not set(pair) <= set(labels)
    ]
    if problems:
        raise ConfigError(*problems)
    return tuple(Pairing(pair, tuple((labels.index(label),) for label in pair)) for pair in chosen)
