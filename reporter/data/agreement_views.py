"""Views of stored counts as what agreement statistics take: pairs of raters and items with several raters. No engine, rows or config.

A pair is found by its place in :func:`rater_pairs`; None as the grouping is all rows as one group.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.cells import grouping_names, joint, levels
from reporter.data.counts import Counts
from reporter.stats.rater_pairs import PairCounts, PairMoments

MOST_ORDERED = 50
"""More ordered categories than this are scores, not a table for weighted kappa."""


@dataclass(frozen=True, slots=True)
class RaterPair:
    """Two raters of one item (None: the prediction). ``binary``: both have two values; ``reason`` says why not.

    ``order_reason`` and ``score_reason``: why there is no table of ordered ratings and why there are no scores; None where there are.
    """

    first: str
    second: str
    item: str | None
    binary: bool
    reason: str | None
    order_reason: str | None = None
    score_reason: str | None = None


@dataclass(frozen=True, slots=True)
class Patterns:
    """Units of one group by how many raters put them in each category: ``chosen`` of shape (U, K), ``times`` of shape (U,)."""

    chosen: NDArray[np.int64]
    times: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RatedByMany:
    """One item with its human raters; ``numbers`` are the categories' values where they are numbers."""

    item: str | None
    raters: tuple[str, ...]
    categories: tuple[str, ...]
    numbers: tuple[float, ...] | None


def rater_pairs(counts: Counts) -> tuple[RaterPair, ...]:
    """Every pair that was counted."""
    return tuple(
        RaterPair(
            pair["first"],
            pair["second"],
            pair["item"],
            pair["binary"],
            _reason(counts, pair),
            _order_reason(counts, pair),
            _score_reason(counts, pair),
        )
        for pair in counts.facts["pairs"]
    )


def pair_counts(counts: Counts, grouping: str | None, pair: int) -> PairCounts | None:
    """The four counts per group; None when the ratings are not binary."""
    facts = counts.facts["pairs"][pair]
    if not facts["binary"]:
        return None
    cells = np.zeros((_n_levels(counts, grouping), 2, 2), np.int64)
    if all(side.startswith("m") for side in facts["sides"]):
        cells = joint(counts, grouping, facts["first"], facts["second"]).counts.sum(axis=1)
    else:
        table = _table(counts, *_binary_table(facts), grouping)
        first, second = _bits(counts, facts, table)
        keep = (first >= 0) & (second >= 0)
        np.add.at(cells, (_level(table, grouping)[keep], first[keep], second[keep]), table["n"].to_numpy()[keep])
    return PairCounts.of(cells[:, 1, 1], cells[:, 0, 1], cells[:, 1, 0], cells[:, 0, 0])


def pair_moments(counts: Counts, grouping: str | None, pair: int) -> PairMoments | None:
    """The centred sums of two scores, or of two raters' numbers, per group; None where either side has none."""
    facts = counts.facts["pairs"][pair]
    stored = _find(counts, "icc", _counted_as(facts), grouping)
    if stored is not None:
        r, s = ("s", "r") if _turned(facts) else ("r", "s")
        columns = ("n", f"mean_{r}", f"mean_{s}", f"s_{r}{r}", f"s_{s}{s}", "s_rs")
        found = PairMoments.of(*(stored[column] for column in columns))
        return found.total() if grouping is None else found
    table = _number_pairs(counts, facts, grouping)
    return None if table is None else _centred(table, _n_levels(counts, grouping))


def pair_tables(counts: Counts, grouping: str | None, pair: int) -> list[NDArray[np.int64]] | None:
    """Per group the table of two raters' ordered categories (first in rows); None unless both rate in at most 50 ordered numbers.

    Two values have an order of their own: 0 and 1.
    """
    facts = counts.facts["pairs"][pair]
    if _order_reason(counts, facts) is not None:
        return None
    if not _has_ordered_numbers(counts, facts):
        found = pair_counts(counts, grouping, pair)
        assert found is not None
        cells = np.stack([np.stack([found.d, found.b], -1), np.stack([found.c, found.a], -1)], -2)
        return list(cells.astype(np.int64))
    size = len(counts.facts["ratings"][facts["ratings"]]["categories"])
    table = _table(counts, "ratings", str(facts["ratings"]), grouping)
    result = np.zeros((_n_levels(counts, grouping), size, size), np.int64)
    first, second = (table[side].to_numpy().astype(np.int64) for side in facts["sides"])
    keep = (first >= 0) & (second >= 0)
    np.add.at(result, (_level(table, grouping)[keep], first[keep], second[keep]), table["n"].to_numpy()[keep])
    return list(result)


def rated_by_many(counts: Counts) -> tuple[RatedByMany, ...]:
    """The items with human raters, in the order of the config."""
    return tuple(
        RatedByMany(
            one["item"],
            tuple(one["raters"]),
            tuple(one["categories"]),
            None if one["numbers"] is None else tuple(one["numbers"]),
        )
        for one in counts.facts["ratings"]
    )


def rating_patterns(counts: Counts, grouping: str | None, item: int) -> list[Patterns]:
    """Per group how many raters of an item (by its place in :func:`rated_by_many`) chose each category, for Fleiss and Krippendorff."""
    rated = counts.facts["ratings"][item]
    table = _table(counts, "ratings", str(item), grouping)
    size = len(rated["categories"])
    codes = table[[f"r{i}" for i in range(len(rated["raters"]))]].to_numpy().astype(np.int64)
    chosen = np.stack([(codes == category).sum(axis=1) for category in range(size)], axis=1) if size else codes[:, :0]
    level, n = _level(table, grouping), table["n"].to_numpy()
    found = []
    for place in range(_n_levels(counts, grouping)):
        inside = level == place
        kinds, inverse = np.unique(chosen[inside], axis=0, return_inverse=True)
        times = np.zeros(len(kinds), np.int64)
        np.add.at(times, inverse.ravel(), n[inside])
        found.append(Patterns(kinds, times))
    return found


def _reason(counts: Counts, pair: dict[str, Any]) -> str | None:
    if pair["binary"]:
        return None
    place = pair["ratings"]
    rated = counts.facts["ratings"]
    one = rated[place] if place is not None else next(item for item in rated if item["item"] is None)
    reason: str | None = one["bits_reason"]
    return reason


def _has_ordered_numbers(counts: Counts, facts: dict[str, Any]) -> bool:
    rated = None if facts["ratings"] is None else counts.facts["ratings"][facts["ratings"]]
    return rated is not None and rated["numbers"] is not None and len(rated["categories"]) <= MOST_ORDERED


def _order_reason(counts: Counts, facts: dict[str, Any]) -> str | None:
    if facts["binary"] or _has_ordered_numbers(counts, facts):
        return None
    if facts["ratings"] is None:
        return "a prediction and ratings of more than two values have no common order"
    rated = counts.facts["ratings"][facts["ratings"]]
    if rated["numbers"] is None:
        return "the ratings are words, which have no order" if rated["categories"] else "there is no rating"
    many = len(rated["categories"])
    return f"the ratings have {many:,} values, more than {MOST_ORDERED}: they are scores rather than ordered categories"


def _score_reason(counts: Counts, facts: dict[str, Any]) -> str | None:
    if facts["ratings"] is not None:
        rated = counts.facts["ratings"][facts["ratings"]]
        if rated["numbers"] is not None:
            return None
        return "the ratings are words, not numbers" if rated["categories"] else "there is no rating"
    names = grouping_names(counts)
    kinds = [f"{kind}/{_counted_as(facts)}/{names[0] if names else ''}" for kind in ("icc", "score pairs")]
    if any(kind in counts.tables for kind in kinds):
        return None
    if facts["scores"]:
        return "a model has no score in any row"
    sides = dict(zip(facts["sides"], (facts["first"], facts["second"]), strict=True))
    without = [name for side, name in sides.items() if side.startswith("m") and not _has_scores(counts, side)]
    if without:
        return f"{' and '.join(without)} {'have' if len(without) > 1 else 'has'} predictions only, no scores"
    raters = [name for side, name in sides.items() if side.startswith("r")]
    return f"the ratings of {' and '.join(raters)} are no scores"


def _has_scores(counts: Counts, side: str) -> bool:
    return bool(counts.facts["models"][int(side[1:])]["kind"] == "score")


def _turned(facts: dict[str, Any]) -> bool:
    """Whether the pair is asked for in the other order than it is counted in."""
    return facts["ratings"] is None and facts["sides"] != _in_order(facts["sides"])


def _in_order(sides: list[str]) -> list[str]:
    """Models before raters, each by its place."""
    return sorted(sides, key=lambda side: (side[0], int(side[1:])))


def _counted_as(facts: dict[str, Any]) -> str:
    return ",".join(_in_order(facts["sides"]))


def _binary_table(facts: dict[str, Any]) -> tuple[str, str]:
    if facts["ratings"] is not None:
        return "ratings", str(facts["ratings"])
    return "pairs", _counted_as(facts)


def _bits(counts: Counts, facts: dict[str, Any], table: pd.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if facts["ratings"] is None:
        sides = ("second", "first") if _turned(facts) else ("first", "second")
        first, second = (table[side].to_numpy().astype(np.int64) for side in sides)
        return first, second
    bits = np.array([*counts.facts["ratings"][facts["ratings"]]["bits"], -1], np.int64)
    first, second = (bits[table[side].to_numpy().astype(np.int64)] for side in facts["sides"])
    return first, second


def _number_pairs(counts: Counts, facts: dict[str, Any], grouping: str | None) -> pd.DataFrame | None:
    """level, first, second -> n."""
    if facts["ratings"] is None:
        table = _find(counts, "score pairs", _counted_as(facts), grouping)
        if table is None:
            return None
        names = {"first": "second", "second": "first"} if _turned(facts) else {}
        return table.rename(columns=names).assign(level=_level(table, grouping))
    rated = counts.facts["ratings"][facts["ratings"]]
    if rated["numbers"] is None:
        return None
    table = _table(counts, "ratings", str(facts["ratings"]), grouping)
    numbers = np.array([*rated["numbers"], math.nan])
    first, second = (numbers[table[side].to_numpy().astype(np.int64)] for side in facts["sides"])
    pairs = pd.DataFrame(
        {"level": _level(table, grouping), "first": first, "second": second, "n": table["n"].to_numpy()}
    )
    return pairs.dropna()


def _centred(table: pd.DataFrame, n_levels: int) -> PairMoments:
    """Sums about each group's own means; correctly rounded, so that the order of the table does not matter."""
    rows = []
    for place in range(n_levels):
        part = table[table["level"] == place]
        n, first, second = (part[name].to_numpy().astype(np.float64) for name in ("n", "first", "second"))
        total = float(n.sum())
        if total == 0:
            rows.append((0.0, math.nan, math.nan, math.nan, math.nan, math.nan))
            continue
        # Differences from one of the values are exact or nearly so: a large common offset costs no digit.
        mean_r = first[0] + math.fsum(n * (first - first[0])) / total
        mean_s = second[0] + math.fsum(n * (second - second[0])) / total
        r, s = first - mean_r, second - mean_s
        rows.append((total, mean_r, mean_s, math.fsum(n * r * r), math.fsum(n * s * s), math.fsum(n * r * s)))
    return PairMoments.of(*zip(*rows, strict=True))


def _find(counts: Counts, kind: str, name: str, grouping: str | None) -> pd.DataFrame | None:
    names = grouping_names(counts)
    behind = grouping if grouping is not None else (names[0] if names else "")
    return counts.tables.get(f"{kind}/{name}/{behind}")


def _table(counts: Counts, kind: str, name: str, grouping: str | None) -> pd.DataFrame:
    table = _find(counts, kind, name, grouping)
    if table is None:
        raise KeyError(f"{kind}/{name}")
    return table


def _level(table: pd.DataFrame, grouping: str | None) -> NDArray[np.int64]:
    if grouping is None:
        return np.zeros(len(table), np.int64)
    return table["level"].to_numpy().astype(np.int64)


def _n_levels(counts: Counts, grouping: str | None) -> int:
    return 1 if grouping is None else len(levels(counts, grouping))
