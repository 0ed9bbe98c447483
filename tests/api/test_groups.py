"""group_report, parity and parity_plot: the worked example, the R package's published figures, and hostile input."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import reporter

REFERENCE = Path(__file__).parents[1] / "reference" / "parity"


def test_group_report_gives_the_worked_example() -> None:
    found = reporter.group_report(["b", "a", "b", "a", "a"], [1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    assert found == [0.6, [["a", 0.3333, 0.6667, 1.0, 0.5], ["b", 1.0, 0.5, 0.0, 0.0]]]


def test_group_report_says_none_where_a_rate_does_not_exist() -> None:
    found = reporter.group_report(["x", "x", "y"], [0, 0, 1], [0, 1, 0])
    assert found == [0.3333, [["x", 0.5, 0.5, 0.5, None], ["y", 0.0, 0.0, None, 1.0]]]


def test_group_report_takes_arrays_series_booleans_and_whole_floats() -> None:
    expected = reporter.group_report(["a", "b"], [1, 0], [1, 1])
    assert reporter.group_report(np.array(["a", "b"]), np.array([True, False]), pd.Series([1.0, 1.0])) == expected


def test_group_report_keeps_rows_without_a_group() -> None:
    assert [row[0] for row in reporter.group_report(["z", None, "a"], [1, 0, 1], [1, 0, 1])[1]] == [
        "a",
        "z",
        "(missing)",
    ]


@pytest.mark.parametrize(
    ("groups", "labels", "predictions", "message"),
    [
        (["a"], [1, 0], [1], "1, 2 and 1 entries"),
        ([], [], [], "empty"),
        (["a", "b"], [1, 2], [1, 0], "labels must be 0 or 1, found 2"),
        (["a", "b"], [1, 0], [1, 0.5], "predictions must be 0 or 1, found 0.5"),
        (["a", "b"], [1, None], [1, 0], "labels must be 0 or 1, found None"),
        (["a", "b"], ["1", "0"], [1, 0], "labels must be 0 or 1, found '0'"),
        (["a", "b"], [1, float("nan")], [1, 0], "labels must be 0 or 1, found nan"),
    ],
)
def test_group_report_refuses(groups: list[str], labels: list[object], predictions: list[object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reporter.group_report(groups, labels, predictions)


# The R package's named faults ------------------------------------------------------------------------------------------


def _fault(name: str, record: dict[str, object], got: float, expected: float) -> str | None:
    """Which named fault of the R package explains a difference, if any."""
    return None


def _number(value: object) -> float:
    return {"NaN": math.nan, "NA": math.nan, "Inf": math.inf}[value] if isinstance(value, str) else float(value)  # type: ignore[arg-type]
