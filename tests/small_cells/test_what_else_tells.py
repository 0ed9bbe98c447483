"""What tells of small counts beside the counts: a list of names, and metrics of a score that has few values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import reporter
from reporter.runner import run_to_files

K = 11
SIZES = {
    ("F", "A"): 0, ("F", "B"): 40, ("F", "C"): 60,
    ("M", "A"): 50, ("M", "B"): 5, ("M", "C"): 70,
    ("X", "A"): 30, ("X", "B"): 20, ("X", "C"): 90,
}  # fmt: skip
"""No woman of origin A: were X, A and X, B shown, who knows that would find the 5 men of origin B from the totals."""
CROSSED = {
    "data": {"source": "(frame)", "label": "y"},
    "models": [{"name": "m", "prediction": "d"}],
    "groups": ["sex", "origin", ["sex", "origin"]],
    "metrics": ["referral_rate"],
    "small_cells": K,
    "flags": {"min_group_size": 1, "rules": [{"metric": "referral_rate", "difference": 0.1, "side": "low"}]},
}


def crossed(**sizes: int) -> pd.DataFrame:
    """Of every combination so many that are ill and referred, and as many that are neither; ``MA=90`` for 90 men of origin A."""
    wanted = SIZES | {(name[0], name[1]): n for name, n in sizes.items()}
    people = [(sex, origin) for (sex, origin), n in wanted.items() for _ in range(n)]
    ill = pd.DataFrame(people, columns=["sex", "origin"]).assign(y=1, d=1)
    return pd.concat([ill, ill.assign(y=0, d=0)], ignore_index=True)


def test_no_name_tells_which_combinations_exist() -> None:
    report = reporter.run(CROSSED, data=crossed())
    text = json.dumps([json.loads(report.to_json())[key] for key in ("groupings", "comparisons", "verdict", "notes")])
    assert "(suppressed)" in text
    assert [name for name in ("F, A", "F, B", "M, A", "M, B", "X, A", "X, B") if name in text] == []
    assert [c.group for c in report.comparisons if c.grouping == "sex x origin"] == [
        "(suppressed)",
        "F, C",
        "M, C",
        "X, C",
    ]
    assert len({c.finding for c in report.comparisons}) == len(report.comparisons)
    assert "under the name (suppressed)" in report.notes[0]


def test_a_combination_that_diverges_fails_the_gate_without_its_name() -> None:
    frame = crossed()
    men_of_a = (frame["sex"] == "M") & (frame["origin"] == "A")
    frame.loc[men_of_a & (frame["y"] == 1), "d"] = 0
    report = reporter.run(CROSSED, data=frame)
    (pool,) = [c for c in report.comparisons if c.group == "(suppressed)"]
    assert (pool.finding, pool.verdict) == ("referral_rate/sex x origin/(suppressed)/m", "diverges")
    assert (pool.gap.value, pool.p, pool.rows_needed, pool.reference_group) == (None, None, None, None)
    assert report.verdict.outcome == "fail"
    assert pool.finding in {failure.finding for failure in report.verdict.failures}


def test_a_reference_that_is_not_shown_has_no_name() -> None:
    rule = {"metric": "referral_rate", "difference": 0.1, "reference": "largest"}
    keys = {**CROSSED, "flags": {"rules": [rule], "min_group_size": 1}}
    found = reporter.run(keys, data=crossed(FA=30, FB=130, XA=90, XB=90)).comparisons
    assert [(c.group, c.reference_group, c.gap.value) for c in found if c.grouping == "sex x origin"] == [
        ("(suppressed)", None, None),
        ("F, C", "(suppressed)", None),
        ("M, C", "(suppressed)", None),
        ("X, A", "(suppressed)", None),
        ("X, B", "(suppressed)", None),
        ("X, C", "(suppressed)", None),
    ]


def test_a_change_between_releases_does_not_tell_which_combinations_exist(tmp_path: Path) -> None:
    crossed().to_csv(tmp_path / "people.csv", index=False)
    keys: dict[str, Any] = {**CROSSED, "data": {"source": "people.csv", "label": "y"}}
    old = {**keys, "small_cells": None, "output": {"formats": ["json"], "directory": "old"}}
    (tmp_path / "old.yaml").write_text(json.dumps(old))
    run_to_files(tmp_path / "old.yaml")
    new = {**keys, "baseline": "old/report.json", "output": {"formats": ["json"], "directory": "new"}}
    (tmp_path / "new.yaml").write_text(json.dumps(new))
    releases = run_to_files(tmp_path / "new.yaml").report.releases
    assert releases is not None
    assert [one.finding for one in releases.verdicts if "sex x origin" in one.finding] == [
        "referral_rate/sex x origin/(suppressed)/m",
        "referral_rate/sex x origin/F, C/m",
        "referral_rate/sex x origin/M, C/m",
        "referral_rate/sex x origin/X, C/m",
    ]
    assert [note for note in releases.not_compared if "sex x origin" in note] == []


def graded(n_top: int) -> pd.DataFrame:
    """Scores of three values; ``n_top`` women and as many men have the highest."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"sex": ["F", "M"] * 400, "y": rng.integers(0, 2, 800), "s": rng.choice([0.2, 0.5], 800)})
    frame.loc[: 2 * n_top - 1, "s"] = 0.9
    return frame


def graded_config(**changes: Any) -> dict[str, Any]:
    rules = [{"metric": "mean_score", "difference": 0.1}]
    return {
        "data": {"label": "y"},
        "models": [{"name": "m", "score": "s", "threshold": 0.5}],
        "groups": ["sex"],
        "metrics": "all",
        "small_cells": K,
        "flags": {"rules": rules},
        **changes,
    }


def test_metrics_of_a_grade_are_hidden_where_few_rows_have_one_of_its_values() -> None:
    report = reporter.run(graded_config(), data=graded(3))
    scored = ("auc", "brier", "mean_score", "calibration_slope", "calibration_intercept")
    results = [report.models[0].metrics, *(one.metrics for one in report.groupings[0].results)]
    known = [name for name in scored if name in results[0]]
    assert len(known) >= 4
    assert {one[name].value for one in results for name in known} == {None}
    assert {one["auc"].reason for one in results} == {
        "hidden: it would tell how many rows have each of the few scores there are"
    }
    assert results[1]["tpr"].value is not None
    assert {(c.group_estimate.value, c.gap.value, c.p, c.rows_needed) for c in report.comparisons} == {
        (None, None, None, None)
    }
    assert any("metrics of the scores of m (all rows, sex)" in note for note in report.notes)


def test_metrics_of_a_grade_are_shown_where_many_rows_have_each_of_its_values() -> None:
    report = reporter.run(graded_config(), data=graded(60))
    assert report.models[0].metrics["mean_score"].value is not None
    assert all(one.metrics["auc"].value is not None for one in report.groupings[0].results)
    assert all(c.gap.value is not None for c in report.comparisons)


SITES = {"a": ("north", 200), "b": ("north", 6), "c": ("south", 150), "d": ("south", 40)}
"""Site b is small; north without site a is site b."""


def sites() -> pd.DataFrame:
    rows = [(site, region) for site, (region, n) in SITES.items() for _ in range(n)]
    ill = pd.DataFrame(rows, columns=["site", "region"]).assign(y=1, d=1)
    return pd.concat([ill, ill.assign(y=0, d=0)], ignore_index=True)


def test_a_column_within_another_that_it_is_crossed_with_leaves_no_small_rest() -> None:
    report = reporter.run({**CROSSED, "groups": ["site", "region", ["region", "site"]]}, data=sites())
    by_name = {grouping.name: [level.name for level in grouping.levels] for grouping in report.groupings}
    assert by_name == {
        "site": ["a", "c", "(suppressed)"],
        "region": ["(suppressed)"],
        "region x site": ["(suppressed)"],
    }


def test_a_column_within_another_is_shown_where_no_rest_is_small() -> None:
    frame = sites().query("site != 'b'")
    report = reporter.run({**CROSSED, "groups": ["site", "region", ["region", "site"]]}, data=frame)
    assert [len(grouping.levels) for grouping in report.groupings] == [3, 2, 3]
    assert not any(level.pooled for grouping in report.groupings for level in grouping.levels)


def test_a_cut_point_beside_another_leaves_no_small_rest() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"age": rng.integers(18, 90, 2000), "y": rng.integers(0, 2, 2000), "d": rng.integers(0, 2, 2000)}
    )
    frame.loc[frame["age"] == 41, "age"] = 42
    frame.loc[:4, "age"] = 41
    frame["years"] = frame["age"]
    first, second = {"column": "age", "breaks": [40]}, {"column": "years", "breaks": [41]}
    report = reporter.run({**CROSSED, "groups": [first, second, [first, second]]}, data=frame)
    shown = [sum(not level.pooled for level in grouping.levels) for grouping in report.groupings]
    assert shown[:2] in ([0, 2], [2, 0])
    assert shown[2] == 0


def test_the_progress_does_not_tell_how_many_combinations_exist(tmp_path: Path) -> None:
    import io

    from reporter.progress import Progress

    crossed().to_csv(tmp_path / "people.csv", index=False)
    keys = {**CROSSED, "data": {"source": "people.csv", "label": "y"}, "output": {"formats": ["json"]}}
    (tmp_path / "card.yaml").write_text(json.dumps(keys))
    said = io.StringIO()
    written = run_to_files(tmp_path / "card.yaml", progress=Progress(said))
    assert "Compute the report" in said.getvalue()
    assert "comparisons" not in said.getvalue()
    assert len(written.report.comparisons) == 10
