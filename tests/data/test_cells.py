"""Views of counts: what stats takes is what the rows say, for one, two and many models, exact scores and grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.data import cells, score_stream, scores
from reporter.data.counts import Counts
from reporter.stats.scores import ScoreGrid, ScoreTable

Count = Callable[..., Counts]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(5)
    n = 2_000
    frame = pd.DataFrame({"g": rng.choice(["a", "b", "c", None], n), "h": rng.choice(["u", "v"], n)})
    frame["y"] = rng.choice([0, 1, None], n, p=[0.5, 0.4, 0.1])
    for i in range(8):
        frame[f"d{i}"] = rng.choice([0, 1, None], n, p=[0.5, 0.45, 0.05])
    frame["s"] = np.round(rng.normal(size=n), 3)
    frame["t"] = np.round(rng.normal(size=n), 1)
    frame.loc[::50, "s"] = np.nan
    return frame


def _models(n: int) -> list[dict[str, str]]:
    return [{"name": f"m{i}", "prediction": f"d{i}"} for i in range(n)]


@pytest.mark.parametrize("n_models", [2, 8])
def test_joint_cells_of_any_two_models_equal_the_rows(frame: pd.DataFrame, counted: Count, n_models: int) -> None:
    counts = counted(frame, models=_models(n_models), groups=["g"])
    first, second = "m1", f"m{n_models - 1}" if n_models > 2 else "m0"
    found = cells.joint(counts, "g", first, second).counts
    label = frame["y"].astype(float).fillna(2).astype(int)
    for k, mask in enumerate([frame["g"] == "a", frame["g"] == "b", frame["g"] == "c", frame["g"].isna()]):
        for y in (0, 1, 2):
            for i in (0, 1):
                for j in (0, 1):
                    rows = mask & (label == y) & (frame["d" + first[1:]] == i) & (frame["d" + second[1:]] == j)
                    assert found[k, y, i, j] == rows.sum()
    np.testing.assert_array_equal(cells.joint(counts, None, first, second).counts[0], found.sum(axis=0))


def test_cells_of_many_models_equal_those_of_few(frame: pd.DataFrame, counted: Count) -> None:
    few, many = (counted(frame, models=_models(n), groups=["g"]) for n in (2, 8))
    for one, other in zip(cells.cells(few, "g", "m1").arrays(), cells.cells(many, "g", "m1").arrays(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_score_table_holds_each_distinct_score(frame: pd.DataFrame, counted: Count) -> None:
    counts = counted(frame, models=[{"name": "s", "score": "s"}], groups=["g"])
    table = cells.score_table(counts, "g", "s")
    assert isinstance(table, ScoreTable)
    scored = frame[frame["s"].notna()]
    expected = (
        scored.assign(g=scored["g"].fillna("~"), y=scored["y"].astype(float).fillna(-1)).groupby(["g", "s", "y"]).size()
    )
    assert table.n.tolist() == expected.tolist()
    assert table.score.tolist() == expected.index.get_level_values("s").tolist()
    whole = cells.score_table(counts, None, "s")
    assert isinstance(whole, ScoreTable)
    assert whole.n.sum() == len(scored)


@pytest.mark.parametrize("batch", [1 << 20, 64, 7])
def test_moments_in_sorted_batches_equal_those_of_the_exact_table(
    frame: pd.DataFrame, counted: Count, monkeypatch: pytest.MonkeyPatch, batch: int
) -> None:
    keys: dict[str, Any] = {
        "models": [{"name": "s", "score": "s"}, {"name": "t", "score": "t"}],
        "groups": [{"column": "g", "at_least": 480}, "h", {"columns": ["g", "h"], "at_least": 255}],
        "flags": {"rules": [{"metric": "auc", "difference": 0.1}]},
    }
    exact = counted(frame, **keys)
    monkeypatch.setattr(scores, "MOST_SCORES", 50)
    monkeypatch.setattr(score_stream, "BATCH_ROWS", batch)
    streamed = counted(frame, **keys)
    for model in ("s", "t"):
        assert not streamed.facts["models"][0]["exact_scores"]
        for grouping in (None, *cells.grouping_names(exact)):
            views = [cells.score_moments] if grouping is None else [cells.score_moments, cells.rest_moments]
            for view in views:
                expected, found = view(exact, grouping, model), view(streamed, grouping, model)  # type: ignore[arg-type]
                assert expected is not None
                assert found is not None
                for one, other in zip(expected.arrays(), found.arrays(), strict=True):
                    if one.dtype == np.float64:
                        np.testing.assert_allclose(other, one, rtol=1e-13)
                    else:
                        assert other.tolist() == one.tolist()


def test_the_grid_has_the_rows_and_totals_of_the_exact_table(
    frame: pd.DataFrame, counted: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: dict[str, Any] = {"models": [{"name": "s", "score": "s"}], "groups": ["g"]}
    exact = cells.score_table(counted(frame, **keys), "g", "s")
    monkeypatch.setattr(scores, "MOST_SCORES", 50)
    grid = cells.score_table(counted(frame, **keys), "g", "s")
    assert isinstance(exact, ScoreTable)
    assert isinstance(grid, ScoreGrid)
    assert len(np.unique(grid.low)) <= 1_000
    for group in range(4):
        for label in (-1, 0, 1):
            rows = (exact.group == group) & (exact.label == label)
            bins = (grid.group == group) & (grid.label == label)
            assert grid.n[bins].sum() == exact.n[rows].sum()
            assert grid.total[bins].sum() == pytest.approx((exact.score * exact.n)[rows].sum(), abs=1e-9)
    ends = np.unique(np.stack([grid.low, grid.high], axis=1), axis=0)
    assert (ends[1:, 0] == ends[:-1, 1]).all()


def test_without_rules_on_scores_no_rest_is_counted(
    frame: pd.DataFrame, counted: Count, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scores, "MOST_SCORES", 50)
    counts = counted(frame, models=[{"name": "s", "score": "s"}], groups=["g"])
    assert cells.rest_moments(counts, "g", "s") is None
    assert cells.score_moments(counts, "g", "s") is not None


def test_joint_scores_keep_which_model_is_which(frame: pd.DataFrame, counted: Count) -> None:
    counts = counted(frame, models=[{"name": "s", "score": "s"}, {"name": "t", "score": "t"}], groups=["g"])
    one, other = cells.joint_scores(counts, "s", "t"), cells.joint_scores(counts, "t", "s")
    assert one is not None
    assert other is not None
    both = frame[frame["s"].notna()]
    assert one.n.sum() == len(both)
    assert (one.first * one.n).sum() == pytest.approx(both["s"].sum())
    assert (other.first * other.n).sum() == pytest.approx(both["t"].sum())


def test_a_model_with_predictions_has_no_scores(frame: pd.DataFrame, counted: Count) -> None:
    counts = counted(frame, models=_models(1), groups=["g"])
    assert cells.score_table(counts, "g", "m0") is None
    assert cells.score_moments(counts, None, "m0") is None
    assert cells.rest_moments(counts, "g", "m0") is None


def test_a_label_free_config_counts_predictions(frame: pd.DataFrame, counted: Count) -> None:
    counts = counted(
        frame,
        data={"label": None},
        models=_models(1),
        groups=["g"],
        metrics=["referral_rate"],
        flags={"rules": [{"metric": "referral_rate", "ratio": 0.8}]},
    )
    found = cells.cells(counts, "g", "m0")
    assert found.n_labelled.tolist() == [0, 0, 0, 0]
    assert found.unlabelled_positive.sum() == (frame["d0"] == 1).sum()
    assert (counts.facts["n_labelled"], counts.facts["n_positive"]) == (0, 0)
