"""Where the intervals of a numeric group column begin and end: from the config, or from the data's range or quantiles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporter.config.schema import GroupColumn
from reporter.data import expressions
from reporter.data.groupings import MOST_INTERVALS, Bins, n_intervals_of_width

if TYPE_CHECKING:
    from reporter.data.source import Source


def find_bins(source: Source, column: GroupColumn, missing: Sequence[str]) -> Bins | str:
    """The intervals of a column, or a sentence that says why there are none.

    Quantile q of n values is the smallest value with at least q * n values up to it (type 1 of Hyndman and Fan 1996), so that equal values stay
    together; equal cut points are one. Infinite values do not count for the range.
    """
    table = source.table
    name = column.column
    value = expressions.number(table, name, missing, sql_name=source.backend.name)
    if expressions.is_text(table, name):
        odd = _text_problem(source, name, value, missing)
        if odd is not None:
            return odd
    if isinstance(column.breaks, list):
        return Bins.of_breaks(column.breaks)
    numbers = table.select(value=value)
    numbers = numbers.filter(expressions.finite(numbers["value"]))
    summed = source.fetch(numbers.agg(low=numbers["value"].min(), high=numbers["value"].max(), n_rows=numbers.count()))
    low, high, n = (summed[part][0].as_py() for part in ("low", "high", "n_rows"))
    if not n:
        return f"column {name!r} has no numbers, so that no intervals can be made of it"
    if column.width is not None:
        if n_intervals_of_width(column.width, low, high) > MOST_INTERVALS:
            return f"intervals of width {column.width:g} over {low:g} to {high:g} are more than {MOST_INTERVALS:,}"
        return Bins.of_width(column.width, low, high)
    if column.quantiles is not None:
        return Bins.of_breaks(quantile_cuts(source, numbers, n, column.quantiles))
    assert isinstance(column.breaks, int)
    return Bins.of_equal_widths(column.breaks, low, high)


def quantile_cuts(source: Source, numbers: Any, n: int, parts: int) -> list[float]:
    """The inner quantiles of ``numbers["value"]`` (n finite numbers), which make ``parts`` groups of about equal size."""
    import ibis

    counted = numbers.group_by("value").agg(n_rows=numbers.count())
    upto = counted.mutate(
        upto=counted["n_rows"].sum().over(ibis.window(order_by=counted["value"], preceding=None, following=0))
    )
    wanted = {f"q{i}": math.ceil(n * i / parts) for i in range(1, parts)}
    answer = source.fetch(
        upto.agg(**{name: upto["value"].min(where=upto["upto"] >= least) for name, least in wanted.items()})
    )
    return [answer[name][0].as_py() for name in wanted]


def _text_problem(source: Source, name: str, value: Any, missing: Sequence[str]) -> str | None:
    table = source.table
    odd = table.filter(value.isnull() & expressions.known(table, name, missing).notnull())
    answer = source.fetch(odd.agg(n_rows=odd.count(), example=odd[name].min()))
    n, example = answer["n_rows"][0].as_py(), answer["example"][0].as_py()
    if not n:
        return None
    rows = "1 row holds" if n == 1 else f"{n:,} rows hold"
    return f"column {name!r}: {rows} no number, e.g. {example!r}; intervals need numbers"
