"""Names for coded group values, wherever groups are shown or named."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import reporter
from reporter.errors import ConfigError, DataError

ROWS = pd.DataFrame({"race": [0, 1, 1, None] * 10, "age": [20, 70] * 20, "y": [0, 1] * 20, "d": [1, 1, 0, 0] * 10})


def groups(*columns: Any, rules: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    asked = {"data": {"label": "y"}, "models": [{"name": "m", "prediction": "d"}], "groups": list(columns)}
    return asked if rules is None else {**asked, "flags": {"rules": rules}}


def names(config: dict[str, Any], rows: pd.DataFrame = ROWS) -> list[str]:
    return [level.name for level in reporter.run(config, data=rows).groupings[0].levels]


def test_values_are_named_and_stay_in_their_order() -> None:
    assert names(groups({"column": "race", "labels": {0: "non-White", 1: "White"}})) == [
        "non-White",
        "White",
        "(missing)",
    ]


def test_a_value_without_a_label_keeps_its_own_name() -> None:
    assert names(groups({"column": "race", "labels": {1: "White"}})) == ["0", "White", "(missing)"]


def test_intervals_and_intersections_have_labels_too() -> None:
    asked = groups(
        [{"column": "race", "labels": {"1": "White"}}, {"column": "age", "breaks": [65], "labels": {"> 65": "old"}}]
    )
    assert names(asked) == ["0, <= 65", "White, <= 65", "White, old", "(missing), old"]


def test_a_label_that_is_another_value_is_told_apart() -> None:
    assert names(groups({"column": "race", "labels": {0: "1"}})) == ["1 (0)", "1", "(missing)"]


def test_numbers_written_with_a_point_are_the_same_values() -> None:
    rows = ROWS.assign(race=["0.0", "1.0", "1.0", None] * 10)
    assert names(groups({"column": "race", "labels": {0: "non-White", 1: "White"}}), rows)[:2] == ["non-White", "White"]


def test_rules_name_a_reference_by_its_label() -> None:
    column = {"column": "race", "labels": {0: "non-White", 1: "White"}}
    rule = {"metric": "referral_rate", "difference": 0.1, "reference": "White"}
    assert len(reporter.run(groups(column, rules=[rule]), data=ROWS).comparisons) >= 1
    with pytest.raises(DataError, match="there is no group '1'"):
        reporter.run(groups(column, rules=[{**rule, "reference": "1"}]), data=ROWS)


def test_two_values_of_the_same_label_are_refused() -> None:
    with pytest.raises(ConfigError, match="the same label for two values"):
        reporter.run(groups({"column": "race", "labels": {0: "White", 1: "White"}}), data=ROWS)
