"""Public fault kind: the result depends on the dtype. A score of single precision means its shortest decimal."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import reporter

FRAME = pd.DataFrame({"s": [0.35, 0.3, 0.1, 0.7] * 30, "y": [1, 0, 0, 1] * 30, "g": ["a", "a", "b", "b"] * 30})
CONFIG = {
    "data": {"label": "y"},
    "models": [{"name": "m", "score": "s", "threshold": 0.35}],
    "groups": ["g", {"column": "s", "breaks": [0.3]}],
    "metrics": ["referral_rate", "auc", "brier"],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float16, "Float32"])
def test_single_precision_gives_the_figures_of_double_precision(dtype: str, tmp_path: Path) -> None:
    single = FRAME.assign(s=FRAME["s"].astype(dtype))
    expected = reporter.run(CONFIG, data=FRAME)
    found = reporter.run(CONFIG, data=single)
    pd.testing.assert_frame_equal(found.groups, expected.groups)
    assert found.groups.query("grouping == 's' and metric == 'auc'")["n"].tolist() == [60, 60]
    if dtype != np.float16:
        single.to_parquet(tmp_path / "single.parquet")
        stored = reporter.run(CONFIG, data=tmp_path / "single.parquet")
        pd.testing.assert_frame_equal(stored.groups, expected.groups)


@pytest.mark.parametrize("dtype", [np.float32, "Float32"])
def test_parity_reads_single_precision_by_its_shortest_decimal(dtype: str) -> None:
    single = FRAME.assign(s=FRAME["s"].astype(dtype))
    options = {"label": "y", "group": "g", "score": "s", "threshold": 0.35}
    expected = reporter.parity(FRAME, "referral_rate", **options)
    pd.testing.assert_frame_equal(reporter.parity(single, "referral_rate", **options), expected)
    assert expected["value"].tolist() == [0.5, 0.5]
