"""Group reports from Python: ``group_report``, ``parity`` and ``parity_plot``.

Rows are read and counted by :mod:`reporter.api.rows`; everything here works on counts.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from numbers import Integral
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from reporter.api.arguments import A_TABLE, may_be_a_table
from reporter.api.rows import count_cells, name_levels, read_rows
from reporter.data.values import text_of
from reporter.errors import InputError, Problem
from reporter.results import MISSING
from reporter.stats.delta_options import as_found, is_number, value_problems
from reporter.stats.metrics import canonical_name, estimates

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_PLOTTED = 40
"""A plot with more groups than this shows the largest ones and says so."""


def group_report(groups: Sequence[Any], labels: Sequence[Any], predictions: Sequence[Any]) -> list[Any]:
    """Overall accuracy, and per group (sorted by name) accuracy, referral rate, false positive and false negative rate.

    The three arguments have one entry per row; labels and predictions are 0 or 1. Numbers are rounded to 4 decimals; a rate that
    does not exist (nobody labelled 0, nobody labelled 1) is None. Rows without a group form the group "(missing)", listed last.

    Raises
    ------
    ValueError
        For unequal lengths, no rows, or a label or prediction other than 0 and 1.

    Examples
    --------
    >>> group_report(["b", "a", "b", "a", "a"], [1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    [0.6, [['a', 0.3333, 0.6667, 1.0, 0.5], ['b', 1.0, 0.5, 0.0, 0.0]]]
    """
    given = {"groups": groups, "labels": labels, "predictions": predictions}
    for what, values in given.items():
        if isinstance(values, str | bytes) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
            raise InputError(f"{what} must be a plain list with one entry per row, found {as_found(values)}")
    if not len(groups) == len(labels) == len(predictions):
        raise InputError(
            f"groups, labels and predictions have {len(groups)}, {len(labels)} and {len(predictions)} entries, "
            "expected equally many"
        )
    if not len(groups):
        raise InputError("groups, labels and predictions are empty")
    odd = [value for value in groups if not isinstance(value, Hashable)]
    if odd:
        raise InputError(f"groups must hold one value per row, found {as_found(odd[0])}")
    codes, names = name_levels([text_of(value) for value in groups])
    cells = count_cells(codes, len(names), _bits(labels, "labels"), _bits(predictions, "predictions"))
    wanted = ("accuracy", "referral_rate", "fpr", "fnr")
    found = estimates(wanted, cells)
    overall = estimates(["accuracy"], cells.sum())["accuracy"][0].value
    rows = [[name, *(_rounded(found[key][i].value) for key in wanted)] for i, name in enumerate(names)]
    return [_rounded(overall), rows]


def parity(
    data: Any,
    metric: str,
    *,
    label: str | Sequence[Any],
    group: str | Sequence[Any],
    score: str | Sequence[Any] | None = None,
    prediction: str | Sequence[Any] | None = None,
    threshold: float = 0.5,
    rule: Literal[">=", ">"] = ">=",
    positive: Any = 1,
    base: Any = None,
    breaks: Sequence[float] | int | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """One metric per group with its interval, and its ratio to the base group's value.

    ``data`` is a pandas or Arrow frame, an Ibis table or a path; ``label``, ``group``, ``score`` and ``prediction`` are names of its columns
    or vectors of its length. Give a ``score`` (predicted 1 when ``score >= threshold``, or ``>`` by ``rule``) or a ``prediction``. ``positive``
    is the label, and the prediction where predictions are words, that counts as 1. ``breaks``: cut points of a numeric group
    column (right-closed, the open ends are groups of their own) or a number of equal widths over its range; a group without rows is
    not listed. ``base``: a group's name, by default the largest group.

    Returns a DataFrame with the columns group, n (rows of the group), value, low, high, ratio, reason; NaN with a reason where undefined.

    Raises
    ------
    ValueError
        For an unknown metric, column or base, vectors of another length, values that cannot be read as 0 and 1, an infinite score.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": list("ffffmmmm"), "ill": [1, 1, 0, 0] * 2, "risk": [0.9, 0.4, 0.7, 0.1, 0.8, 0.6, 0.2, 0.3]})
    >>> table = parity(frame, "tpr", label="ill", group="sex", score="risk", base="m")
    >>> table[["group", "n", "value", "ratio"]].values.tolist()
    [['f', 4, 0.5, 0.5], ['m', 4, 1.0, 1.0]]
    """
    import pandas as pd

    _check_parity(data, metric, label, group, score, prediction, threshold, rule, breaks, confidence)
    name = canonical_name(metric)
    read = read_rows(
        data,
        label,
        group,
        score,
        prediction,
        threshold=float(threshold),
        rule=rule,
        positive=positive,
        breaks=int(breaks) if isinstance(breaks, Integral) else breaks,
    )
    found = estimates([name], read.cells, confidence=confidence, table=read.table)[name]
    sizes = read.cells.n
    position = _base(base, read.names, sizes)
    reference = found[position].value
    ratios = [
        None if one.value is None or not reference else (1.0 if i == position else one.value / reference)
        for i, one in enumerate(found)
    ]
    reasons = [
        one.reason or (None if ratio is not None else _no_ratio(reference, read.names[position]))
        for one, ratio in zip(found, ratios, strict=True)
    ]
    return pd.DataFrame(
        {
            "group": read.names,
            "n": sizes,
            "value": np.asarray([one.value for one in found], np.float64),
            "low": np.asarray([one.low for one in found], np.float64),
            "high": np.asarray([one.high for one in found], np.float64),
            "ratio": np.asarray(ratios, np.float64),
            "reason": pd.Series(reasons, dtype=object),
        }
    ).astype({"group": object})


def parity_plot(table: pd.DataFrame) -> Figure:
    """The values of a :func:`parity` table with their intervals, one row a group, as a matplotlib Figure.

    Group names are shown as they are written. At most the 40 largest groups are drawn; the title then says so. Raises ValueError
    for a table that lacks a column of :func:`parity`.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": list("ffmm"), "ill": [1, 0, 1, 0], "sent": [1, 0, 0, 0]})
    >>> figure = parity_plot(parity(frame, "accuracy", label="ill", group="sex", prediction="sent"))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['f', 'm']
    """
    from matplotlib.figure import Figure

    if not hasattr(table, "columns"):
        raise InputError(f"found {as_found(table)}, expected a table of reporter.parity")
    lacking = [name for name in ("group", "n", "value", "low", "high", "reason") if name not in table.columns]
    if lacking:
        raise ValueError(f"the table has no column {', '.join(lacking)}; expected a table of reporter.parity")
    shown = table
    if len(table) > MOST_PLOTTED:
        shown = table.nlargest(MOST_PLOTTED, "n", keep="first").sort_index()
    figure = Figure(figsize=(7.0, 1.2 + 0.32 * len(shown)), layout="constrained")
    axes = figure.add_subplot()
    value, low, high = (shown[column].to_numpy(np.float64) for column in ("value", "low", "high"))
    place = np.arange(len(shown))
    drawn = ~np.isnan(value)
    with_interval = drawn & ~np.isnan(low)
    axes.hlines(place[with_interval], low[with_interval], high[with_interval], color="#0072B2")
    axes.plot(value[drawn], place[drawn], "o", color="#0072B2")
    for i in np.flatnonzero(~drawn):
        note = f"undefined: {shown['reason'].iloc[i]}"
        axes.text(0.01, float(i), note, transform=axes.get_yaxis_transform(), va="center", parse_math=False)
    labels = axes.set_yticks(place, labels=[str(name) for name in shown["group"]])
    for tick in labels:
        tick.label1.set_parse_math(False)
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlabel("value with interval")
    if len(shown) < len(table):
        axes.set_title(f"The {len(shown)} largest of {len(table)} groups")
    return figure


def _check_parity(
    data: Any,
    metric: Any,
    label: Any,
    group: Any,
    score: Any,
    prediction: Any,
    threshold: Any,
    rule: Any,
    breaks: Any,
    confidence: Any,
) -> None:
    """Every argument that cannot be what it should, told at once."""
    problems = []
    if not may_be_a_table(data):
        problems.append(Problem(f"found {as_found(data)}, expected {A_TABLE}", key="data"))
    if not isinstance(metric, str):
        problems.append(Problem(f"found {as_found(metric)}, expected the name of a metric", key="metric"))
    for key, column in (("label", label), ("group", group)):
        if column is None:
            problems.append(Problem("found None, expected a column's name or a vector", key=key))
    if (score is None) == (prediction is None):
        problems.append(Problem("give either score or prediction"))
    if not is_number(threshold):
        problems.append(Problem(f"found {as_found(threshold)}, expected a number", key="threshold"))
    if not (isinstance(rule, str) and rule in (">=", ">")):
        problems.append(Problem(f"rule is {as_found(rule)}, expected '>=' or '>'"))
    whole = isinstance(breaks, Integral) and not isinstance(breaks, bool)
    points = isinstance(breaks, Sequence | np.ndarray) and not isinstance(breaks, str) and all(map(is_number, breaks))
    if not (breaks is None or whole or points):
        expected = "a list of increasing numbers or a number of intervals"
        problems.append(Problem(f"breaks is {as_found(breaks)}, expected {expected}"))
    problems += value_problems({"confidence": confidence})
    if problems:
        raise InputError(*problems)


def _bits(values: Sequence[Any], what: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    try:
        array = np.asarray(values)
    except ValueError:
        raise InputError(f"{what} must be a plain list of 0 and 1") from None
    if array.ndim != 1:
        raise InputError(f"{what} must be a plain list of 0 and 1")
    odd = set(array.tolist()) - {0, 1}
    if odd:
        raise InputError(f"{what} must be 0 or 1, found {sorted(map(repr, odd))[0]}")
    return np.asarray(array, np.int64)


def _base(base: Any, names: list[str], sizes: np.ndarray[Any, Any]) -> int:
    if not names:
        raise ValueError("the data have no rows")
    if base is None:
        known = [i for i, name in enumerate(names) if name != MISSING] or [0]
        return max(known, key=lambda i: (sizes[i], -i))
    text = text_of(base)
    if text not in names:
        raise ValueError(f"base is {base!r}, expected one of {', '.join(map(repr, names))}")
    return names.index(text)


def _no_ratio(reference: float | None, base: str) -> str:
    state = "undefined" if reference is None else "0"
    return f"no ratio, because the value of the base group {base!r} is {state}"


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
