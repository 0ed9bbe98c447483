"""Fault kind: 500 flags drown a pipeline. The summary stays under 1 MiB, at most ten annotations a level are made, the total is stated."""

from __future__ import annotations

import pandas as pd
import pytest

import reporter
from reporter.render.as_github import render_annotations, render_summary
from reporter.results import Report


@pytest.fixture(scope="module")
def flagged() -> Report:
    """500 groups with long hostile names whose ill people are all missed, and one large group whose are all found."""
    names = [f"{i:03d} <b>::error::</b> @all %0A {'x' * 1500}" for i in range(500)]
    ill = pd.DataFrame({"g": [n for n in names for _ in range(4)], "y": 1, "d": 0})
    rest = pd.DataFrame({"g": "the rest", "y": [1] * 4000, "d": [1] * 4000})
    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["g"],
        "metrics": ["fnr"],
        "flags": {
            "decide_by": "point",
            "min_group_size": 1,
            "rules": [{"metric": "fnr", "difference": 0.05, "side": "high"}],
        },
    }
    return reporter.run(config, data=pd.concat([ill, rest]))


def test_the_summary_is_cut_below_the_limit_and_says_so(flagged: Report) -> None:
    text = render_summary(flagged)
    assert flagged.verdict.n_flagged == 500
    assert len(text.encode()) < 1_048_576
    assert "500 diverging" in text
    assert text.rstrip().endswith("lines; the card has all")


def test_ten_annotations_state_the_total(flagged: Report) -> None:
    lines = render_annotations(flagged).splitlines()
    assert len(lines) == 10
    assert lines[-1] == "::error title=reporter::and 491 more of 500; the card lists all"
    assert all(line.startswith("::error ") for line in lines)
