"""With thousands of groups every rate is kept, and the curves of the largest, which is said."""

from __future__ import annotations

import numpy as np
import pandas as pd

import reporter
from reporter.assemble import MOST_CURVES


def test_curves_are_kept_for_the_largest_groups_and_that_is_said() -> None:
    rng = np.random.default_rng(1)
    n_groups = MOST_CURVES + 50
    sizes = np.r_[np.full(MOST_CURVES, 6), np.full(50, 4)]
    group = np.repeat([f"g{i:03d}" for i in range(n_groups)], sizes)
    frame = pd.DataFrame({"g": group, "y": rng.integers(0, 2, len(group)), "s": rng.random(len(group)).round(2)})
    report = reporter.run(
        {"data": {"label": "y"}, "models": [{"name": "m", "score": "s"}], "groups": ["g"], "metrics": ["auc"]},
        data=frame,
    )
    (grouping,) = report.groupings
    assert [curve.group for curve in grouping.curves] == [f"g{i:03d}" for i in range(MOST_CURVES)]
    assert grouping.notes == ("curves of scores are kept for the 200 largest of 250 groups",)
    assert len(grouping.results) == n_groups
