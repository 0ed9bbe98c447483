"""What divides the rows: the groupings of a config, and the intervals that make groups of a numeric column.

A binned column is an ascending list of cut points with a label for each interval, closed on the right; no row is lost. Knows no engine.
"""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from reporter.config.schema import Config, Group, GroupColumn, Intersection, grouping_name
from reporter.data.values import number_text

MOST_INTERVALS = 10_000


@dataclass(frozen=True, slots=True)
class GroupingSpec:
    """One grouping: its columns with the config key of each; ``at_least`` pools its combinations."""

    name: str
    columns: tuple[GroupColumn, ...]
    keys: tuple[str, ...]
    at_least: int | None = None


@dataclass(frozen=True, slots=True)
class Bins:
    """Interval i holds the numbers above ``cuts[i - 1]`` up to and including ``cuts[i]``; the first and last are open.

    >>> Bins.of_breaks([40, 65]).labels
    ('<= 40', '(40, 65]', '> 65')
    """

    cuts: tuple[float, ...]
    labels: tuple[str, ...]
    note: str = ""

    @classmethod
    def of_breaks(cls, breaks: Sequence[float], *, digits: int | None = None, note: str = "") -> Bins:
        """Open at both ends; numbers are written as given, or with at most ``digits`` significant digits while that keeps them apart."""
        cuts = tuple(sorted({float(cut) + 0.0 for cut in breaks}))
        names = _names(cuts, digits)
        inner = [f"({low}, {high}]" for low, high in itertools.pairwise(names)]
        return cls(cuts, (f"<= {names[0]}", *inner, f"> {names[-1]}"), note)

    @classmethod
    def of_width(cls, width: float, low: float, high: float) -> Bins:
        """Intervals between multiples of ``width`` that cover ``low`` to ``high``.

        >>> Bins.of_width(4, 3, 9).labels
        ('(0, 4]', '(4, 8]', '(8, 12]')
        """
        step = decimal.Decimal(number_text(width))
        first = math.ceil(decimal.Decimal(low) / step) - 1
        # The quotient of decimals is rounded: the comparison that counts is the one with the edge as a float.
        first -= float(first * step) >= low
        last = math.ceil(decimal.Decimal(high) / step)
        last += float(last * step) < high
        edges = [float(step * k) for k in range(first, last + 1)]
        names = _names(edges, None)
        labels = tuple(f"({a}, {b}]" for a, b in itertools.pairwise(names))
        return cls(tuple(edges[1:-1]), labels)

    @classmethod
    def of_equal_widths(cls, count: int, low: float, high: float) -> Bins:
        """``count`` intervals of equal width over the range; the outer ones are open.

        >>> Bins.of_equal_widths(2, 0, 3).labels
        ('<= 1.5', '> 1.5')
        """
        by = (high - low) / count
        return cls.of_breaks([low + by * i for i in range(1, count)], digits=6)


def n_intervals_of_width(width: float, low: float, high: float) -> float:
    """How many intervals of this width the range needs."""
    return (high - low) / width + 2


def grouping_specs(config: Config) -> tuple[GroupingSpec, ...]:
    """The groupings of a config in its order."""
    return tuple(_spec(i, group) for i, group in enumerate(config.groups))


def group_columns(config: Config) -> Iterator[tuple[str, GroupColumn]]:
    """Every column of every grouping, with its key in the config."""
    for spec in grouping_specs(config):
        yield from zip(spec.keys, spec.columns, strict=True)


def is_binned(column: GroupColumn) -> bool:
    """Whether a group column is divided by intervals."""
    return column.breaks is not None or column.width is not None or column.quantiles is not None


def _spec(index: int, group: Group) -> GroupingSpec:
    at = f"groups[{index}]"
    if isinstance(group, str):
        return GroupingSpec(grouping_name(group), (GroupColumn(column=group),), (at,))
    if isinstance(group, GroupColumn):
        return GroupingSpec(grouping_name(group), (group,), (f"{at}.column",))
    members = group.columns if isinstance(group, Intersection) else group
    at_least = group.at_least if isinstance(group, Intersection) else None
    inside = f"{at}.columns" if isinstance(group, Intersection) else at
    columns = tuple(GroupColumn(column=one) if isinstance(one, str) else one for one in members)
    keys = tuple(f"{inside}[{j}]" for j in range(len(columns)))
    return GroupingSpec(grouping_name(group), columns, keys, at_least)


def _names(cuts: Sequence[float], digits: int | None) -> list[str]:
    if digits is None:
        return [number_text(cut) for cut in cuts]
    for precision in range(digits, 18):
        names = [number_text(float(f"{cut:.{precision}g}")) for cut in cuts]
        if len(set(names)) == len(names):
            return names
    return [number_text(cut) for cut in cuts]
