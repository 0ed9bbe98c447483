"""The digest of the key column knows rows, not their order or type."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reporter.data.counts import Counts

Count = Callable[..., Counts]


def _digest(counted: Count, keys: Any) -> str | None:
    counts = counted(pd.DataFrame({"id": keys, "y": 1, "d": 1}), data={"key": "id"})
    found: str | None = counts.facts["key_digest"]
    return found


@pytest.mark.parametrize(
    "keys",
    [[10, 9, 1], [1, 9, 10], ["9", "10", "1"], [1.0, 10.0, 9.0], pd.Categorical(["1", "9", "10"])],
)
def test_the_same_keys_have_the_same_digest(counted: Count, keys: Any) -> None:
    assert _digest(counted, keys) == _digest(counted, [9, 1, 10])


def test_other_keys_have_another_digest(counted: Count) -> None:
    assert _digest(counted, ["a", "bc"]) != _digest(counted, ["ab", "c"])
    assert _digest(counted, [1, 2]) != _digest(counted, [1, 2, 3])


def test_a_csv_gives_the_digest_of_the_frame(tmp_path: Path, counted: Count) -> None:
    frame = pd.DataFrame({"id": [7, 100, 20], "y": 1, "d": 1})
    frame.to_csv(tmp_path / "a.csv", index=False)
    found = counted(tmp_path / "a.csv", data={"key": "id"}).facts["key_digest"]
    assert found == _digest(counted, [100, 20, 7])


def test_without_a_key_there_is_none(counted: Count) -> None:
    assert counted(pd.DataFrame({"y": [1], "d": [1]})).facts["key_digest"] is None
