"""Group reports from Python: ``group_report``, ``parity`` and ``parity_plot``.

Rows are read and counted in ``_read`` alone; everything else works on counts.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from reporter.data.values import number_text, plain, read_binary, text_of
from reporter.stats.cells import CellArrays
from reporter.stats.metrics import canonical_name, estimates
from reporter.stats.scores import ScoreTable

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MISSING = "(missing)"
"""The name of the group of rows without a group."""

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
    if not len(groups) == len(labels) == len(predictions):
        raise ValueError(
            f"groups, labels and predictions have {len(groups)}, {len(labels)} and {len(predictions)} entries, "
            "expected equally many"
        )
    if not len(groups):
        raise ValueError("groups, labels and predictions are empty")
    codes, names = _levels([text_of(value) for value in groups])
    cells = _cells(codes, len(names), _bits(labels, "labels"), _bits(predictions, "predictions"))
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

    name = canonical_name(metric)
    if (score is None) == (prediction is None):
        raise ValueError("give either score or prediction")
    if rule not in (">=", ">"):
        raise ValueError(f"rule is {rule!r}, expected '>=' or '>'")
    read = _read(
        data, label, group, score, prediction, threshold=threshold, rule=rule, positive=positive, breaks=breaks
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

    Group names are shown as they are written. At most the 40 largest groups are drawn; the title then says so.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": list("ffmm"), "ill": [1, 0, 1, 0], "sent": [1, 0, 0, 0]})
    >>> figure = parity_plot(parity(frame, "accuracy", label="ill", group="sex", prediction="sent"))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['f', 'm']
    """
    from matplotlib.figure import Figure

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


@dataclass(frozen=True, slots=True)
class _Read:
    names: list[str]
    cells: CellArrays
    table: ScoreTable | None


def _read(
    data: Any,
    label: str | Sequence[Any],
    group: str | Sequence[Any],
    score: str | Sequence[Any] | None,
    prediction: str | Sequence[Any] | None,
    *,
    threshold: float,
    rule: str,
    positive: Any,
    breaks: Sequence[float] | int | None,
) -> _Read:
    """Rows to counts: the one place that touches rows."""
    given = {"label": label, "group": group, "score": score, "prediction": prediction}
    frame = _frame(data, [column for column in given.values() if isinstance(column, str)])
    columns = {key: _column(frame, column, key) for key, column in given.items() if column is not None}
    if breaks is None:
        codes, names = _levels(*_spelled(columns["group"]))
    else:
        codes, names = _intervals(columns["group"], breaks)
    y = _binary(columns["label"], positive, "label")
    table = None
    if score is None:
        words = not all(value is None or plain(value) in _BITS for value in _spelled(columns["prediction"])[0])
        d = _binary(columns["prediction"], positive if words else None, "prediction")
    else:
        s = _numbers(columns["score"], "score")
        if np.isinf(s).any():
            raise ValueError(f"score: {int(np.isinf(s).sum())} rows have an infinite value")
        known = ~np.isnan(s)
        d = np.where(known, s >= threshold if rule == ">=" else s > threshold, -1).astype(np.int64)
        table = ScoreTable(codes[known], y[known], s[known])
    return _Read(names, _cells(codes, len(names), y, d), table)


_BITS = frozenset({"0", "1", "false", "true"})


def _frame(data: Any, columns: list[str]) -> pd.DataFrame:
    """The named columns of anything that holds a table."""
    import pandas as pd

    wanted = list(dict.fromkeys(columns))
    if isinstance(data, (str, os.PathLike)):
        data = _open(os.fspath(data))
    if isinstance(data, pd.DataFrame):
        names = list(data.columns)
    else:
        names = list(getattr(data, "column_names", None) or data.columns)
    problems = [
        f"no column {name!r}; the columns are {', '.join(map(str, names))}" for name in wanted if name not in names
    ]
    problems += [f"{names.count(name)} columns are called {name!r}" for name in wanted if names.count(name) > 1]
    if problems:
        raise ValueError("; ".join(problems))
    if isinstance(data, pd.DataFrame):
        return data
    chosen = data.select(wanted) if wanted else data
    arrow = chosen.to_pyarrow() if hasattr(chosen, "to_pyarrow") else chosen
    # Whole numbers stay whole where some are missing: as floats they would lose digits beyond 2^53.
    return arrow.to_pandas(integer_object_nulls=True)  # type: ignore[no-any-return]


def _open(path: str) -> Any:
    """A file as an Arrow table; the columns of text files stay text, so that leading zeros are kept."""
    import duckdb

    with duckdb.connect() as engine:
        quoted = path.replace("'", "''")
        ending = path.lower().removesuffix(".gz").removesuffix(".zst").rsplit(".", 1)[-1]
        reader = {"parquet": "read_parquet('{}')", "jsonl": "read_json_auto('{}')", "json": "read_json_auto('{}')"}
        source = reader.get(ending, "read_csv('{}', all_varchar=true, header=true)").format(quoted)
        return engine.sql(f"select * from {source}").to_arrow_table()


def _column(frame: pd.DataFrame, given: str | Sequence[Any], what: str) -> pd.Series[Any]:
    import pandas as pd

    if isinstance(given, str):
        return frame[given]
    vector = pd.Series(given)
    if len(vector) != len(frame):
        raise ValueError(f"{what} has {len(vector)} entries, the data {len(frame)} rows")
    return vector


def _spelled(column: pd.Series[Any]) -> tuple[list[str | None], np.ndarray[Any, np.dtype[np.int64]]]:
    """The texts of a column's distinct values, and each row's place among them (missing: the last)."""
    import pandas as pd

    codes, distinct = pd.factorize(column)
    texts = [text_of(value) for value in distinct.tolist()]
    return [*texts, None], np.where(codes < 0, len(texts), codes).astype(np.int64)


def _levels(
    texts: Sequence[str | None], codes: np.ndarray[Any, Any] | None = None
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    """Each row's group and the groups' names: words sorted, "(missing)" last. Equal texts are one group."""
    places = np.arange(len(texts)) if codes is None else codes
    used = {texts[i] for i in np.unique(places).tolist()}
    names = sorted(text for text in used if text is not None)
    position = {name: i for i, name in enumerate(names)}
    lookup = np.asarray([len(names) if text is None else position.get(text, 0) for text in texts], np.int64)
    return lookup[places], names + ([MISSING] if None in used else [])


def _intervals(
    column: pd.Series[Any], breaks: Sequence[float] | int
) -> tuple[np.ndarray[Any, np.dtype[np.int64]], list[str]]:
    """Each row's interval and the names of the intervals that hold rows."""
    values = _numbers(column, "group")
    known = values[~np.isnan(values)]
    if isinstance(breaks, int):
        if breaks < 2:
            raise ValueError(f"breaks is {breaks}, expected at least 2 intervals or a list of cut points")
        ends = np.linspace(known.min(), known.max(), breaks + 1)[1:-1] if len(known) else np.zeros(0)
        ends = np.unique(ends) if len(known) and known.min() < known.max() else np.zeros(0)
        short = [number_text(float(f"{end:.6g}")) for end in ends.tolist()]
    else:
        ends = np.asarray(breaks, np.float64)
        if not len(ends) or not np.isfinite(ends).all() or (np.diff(ends) <= 0).any():
            raise ValueError(f"breaks is {list(breaks)!r}, expected increasing finite numbers")
        short = [number_text(end) for end in ends.tolist()]
    if len(ends):
        inner = [f"({low}, {high}]" for low, high in itertools.pairwise(short)]
        names = [f"<= {short[0]}", *inner, f"> {short[-1]}"]
    else:
        names = [number_text(known[0])] if len(known) else []
    codes = np.where(np.isnan(values), len(names), np.searchsorted(ends, values, side="left"))
    names = [*names, MISSING]
    used, places = np.unique(codes, return_inverse=True)
    return places.ravel().astype(np.int64), [names[i] for i in used.tolist()]


def _numbers(column: pd.Series[Any], what: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce").to_numpy(np.float64, na_value=np.nan)
    wrong = np.isnan(numbers) & column.notna().to_numpy()
    if wrong.any():
        example = column[wrong].iloc[0]
        raise ValueError(f"{what}: {int(wrong.sum())} rows hold no number, for instance {example!r}")
    return numbers


def _binary(column: pd.Series[Any], positive: Any, what: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Each row as 1, 0 or -1 (missing)."""
    texts, codes = _spelled(column)
    counts = np.bincount(codes, minlength=len(texts)).tolist()
    name = column.name if isinstance(column.name, str) else None
    shown = f"{what} column {name!r}" if name else what
    binary = read_binary(texts, counts, positive=positive, what=shown)
    if binary.bits is None and text_of(positive) == "1":
        # 1 is also the default: what is said of the values alone is the better message.
        binary = read_binary(texts, counts, positive=None, what=shown)
    if binary.bits is None:
        raise ValueError(f"{binary.message}. {binary.hint}" if binary.hint else binary.message)
    return np.asarray(np.asarray(binary.bits, np.int64)[codes])


def _cells(codes: Any, n_groups: int, y: Any, d: Any) -> CellArrays:
    """The counts of every (group, label, prediction), both coded 1, 0 and -1 (missing)."""
    counts = np.bincount(codes * 9 + (y + 1) * 3 + (d + 1), minlength=n_groups * 9).reshape(n_groups, 3, 3)
    return CellArrays(
        tp=counts[:, 2, 2],
        fp=counts[:, 1, 2],
        tn=counts[:, 1, 1],
        fn=counts[:, 2, 1],
        unlabelled_positive=counts[:, 0, 2],
        unlabelled_negative=counts[:, 0, 1],
        labelled_without_prediction=counts[:, 1, 0] + counts[:, 2, 0],
        unlabelled_without_prediction=counts[:, 0, 0],
    )


def _bits(values: Sequence[Any], what: str) -> np.ndarray[Any, np.dtype[np.int64]]:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{what} must be a plain list of 0 and 1")
    odd = set(array.tolist()) - {0, 1}
    if odd:
        raise ValueError(f"{what} must be 0 or 1, found {sorted(map(repr, odd))[0]}")
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
