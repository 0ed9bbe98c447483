"""Two scores of the same rows: how often each pair of values occurs, or, for very many pairs, their centred sums.

Sides are named ``m<i>`` (model i) and ``r<j>`` (rater j of the config). Per grouping (nothing behind the last slash: all rows, where there is no grouping):

- ``score pairs/<a>,<b>/<grouping>``: level, label, first, second -> n, up to 200,000 distinct pairs over all rows
- ``icc/<a>,<b>/<grouping>``: level -> n, means and centred sums of squares and products, beyond that

The engine sums whole numbers (``fixed_point``), so that the sums are the same in any order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data import fixed_point
from reporter.data.scan import Margin, Scan
from reporter.data.scores import MOST_SCORES, number_margin

if TYPE_CHECKING:
    from reporter.data.checks import Plan
    from reporter.data.groupings import GroupingSpec
    from reporter.data.source import Source

Ints = NDArray[np.int64]
Number = Callable[[Any], Any]

SUMS = ("a", "b", "aa", "bb", "ab")


def count_score_pairs(
    tables: dict[str, pd.DataFrame],
    made: Plan,
    source: Source,
    sides: tuple[str, str],
    numbers: tuple[Number, Number],
    *,
    few: bool,
) -> None:
    """Add the tables of one pair. ``few``: neither side has more than 200,000 distinct values."""
    exact = source.n <= MOST_SCORES or (few and _distinct_pairs(source, numbers) <= MOST_SCORES)
    name = ",".join(sides)
    for spec in made.specs or (None,):
        behind = "" if spec is None else spec.name
        if exact:
            tables[f"score pairs/{name}/{behind}"] = _pairs(made, source, sides, numbers, spec)
        else:
            tables[f"icc/{name}/{behind}"] = _moments(made, source, numbers, spec)


def _distinct_pairs(source: Source, numbers: tuple[Number, Number]) -> int:
    table = source.table
    pairs = table.select(first=numbers[0](table), second=numbers[1](table))
    return source.fetch_number(pairs.distinct().count())


def _both(made: Plan, source: Source, numbers: tuple[Number, Number], names: tuple[str, ...]) -> Any:
    """Rows with both numbers, and the scan's columns ``names``."""
    table = source.table
    columns = {} if made.scan is None else made.scan.columns_of(table, names)
    chosen = table.select(first=numbers[0](table), second=numbers[1](table), **columns)
    return chosen.filter(chosen["first"].notnull() & chosen["second"].notnull())


def _levels(made: Plan, scan: Scan, spec: GroupingSpec | None, answer: Any) -> Ints:
    if spec is None:
        return np.zeros(answer.num_rows, np.int64)
    names = made.names[spec.name]
    codes = np.stack([scan.encode(name, answer[name]) for name in names], axis=1)
    return made.levels[spec.name].of(Margin(names, codes, np.ones(len(codes), np.int64)))


def _pairs(
    made: Plan, source: Source, sides: tuple[str, str], numbers: tuple[Number, Number], spec: GroupingSpec | None
) -> pd.DataFrame:
    groups = () if spec is None else made.names[spec.name]
    names = (*groups, *(() if made.label is None else ("label",)))
    margin, (first, second) = number_margin(source, made, names, dict(zip(sides, numbers, strict=True)))
    level = np.zeros(len(margin.n), np.int64) if spec is None else made.levels[spec.name].of(margin)
    label = np.full(len(margin.n), -1, np.int64) if made.label is None else made.label[margin.column("label")]
    table = pd.DataFrame(
        {
            "level": level.astype(np.int32),
            "label": label.astype(np.int8),
            "first": first,
            "second": second,
            "n": margin.n,
        }
    )
    return table.groupby(["level", "label", "first", "second"], sort=True)[["n"]].sum().reset_index()


def _moments(made: Plan, source: Source, numbers: tuple[Number, Number], spec: GroupingSpec | None) -> pd.DataFrame:
    assert made.scan is not None
    names = () if spec is None else made.names[spec.name]
    chosen = _both(made, source, numbers, names)
    ends = source.fetch(
        chosen.agg(
            low1=chosen["first"].min(),
            high1=chosen["first"].max(),
            low2=chosen["second"].min(),
            high2=chosen["second"].max(),
        )
    ).to_pylist()[0]
    middle = [ends[f"low{i}"] / 2 + ends[f"high{i}"] / 2 for i in (1, 2)]
    reach = max(ends[f"high{i}"] - ends[f"low{i}"] for i in (1, 2))
    powers = {name: fixed_point.exponent(reach ** len(name)) for name in SUMS}
    a, b = chosen["first"] - middle[0], chosen["second"] - middle[1]
    terms: dict[str, Any] = {}
    for name, term in zip(SUMS, (a, b, a * a, b * b, a * b), strict=True):
        terms[f"{name}_hi"], terms[f"{name}_lo"] = fixed_point.parts(term, powers[name])
    cut = chosen.select(*names, **terms)
    sums = {name: cut[name].sum() for name in terms}
    grouped = (
        cut.group_by(list(names)).agg(n_rows=cut.count(), **sums) if names else cut.agg(n_rows=cut.count(), **sums)
    )
    answer = source.fetch(grouped)
    level = _levels(made, made.scan, spec, answer)
    n_levels = 1 if spec is None else len(made.levels[spec.name].levels)
    totals = {name: _by_level(answer[name], level, n_levels) for name in ("n_rows", *terms)}
    rows = [_centred(place, totals, powers, middle) for place in range(n_levels)]
    return pd.DataFrame(rows).astype({"level": np.int32, "n": np.int64})


def _by_level(column: Any, level: Ints, n_levels: int) -> list[int]:
    totals = [0] * n_levels
    for place, value in zip(level.tolist(), column.to_pylist(), strict=True):
        totals[place] += int(value or 0)
    return totals


def _centred(place: int, totals: dict[str, list[int]], powers: dict[str, int], middle: list[float]) -> dict[str, Any]:
    """Means, and sums of squares and products about them, in exact fractions until the last step."""
    n = totals["n_rows"][place]
    if n == 0:
        return {"level": place, "n": 0, **dict.fromkeys(("mean_r", "mean_s", "s_rr", "s_ss", "s_rs"), math.nan)}
    a, b, aa, bb, ab = (
        fixed_point.fraction(totals[f"{name}_hi"][place], totals[f"{name}_lo"][place], powers[name]) for name in SUMS
    )
    return {
        "level": place,
        "n": n,
        "mean_r": float(a / n + Fraction(middle[0])),
        "mean_s": float(b / n + Fraction(middle[1])),
        "s_rr": float(max(aa - a * a / n, Fraction(0))),
        "s_ss": float(max(bb - b * b / n, Fraction(0))),
        "s_rs": float(ab - a * b / n),
    }
