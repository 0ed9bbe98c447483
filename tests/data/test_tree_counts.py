"""A Δ tree grown from the engine's counts is the tree grown from the rows, with a cube and without one, and again from a record."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.config.loader import LoadedConfig
from reporter.data import tree_codes, tree_scans
from reporter.data.checks import plan
from reporter.data.counts import Counts, count
from reporter.data.source import open_source
from reporter.data.tree_engine import EngineCounter
from reporter.data.tree_plans import tree_plans
from reporter.data.tree_views import tree_counter
from reporter.errors import DataError, Problem
from reporter.stats.delta_tree import grow
from reporter.tree import Tree

Configure = Callable[..., LoadedConfig]

TREE: dict[str, Any] = {
    "compare": ["old", "new"],
    "attribute": "race",
    "levels": ["A", "B"],
    "split_on": ["sex", {"column": "age", "as": "numeric"}, {"column": "stage", "order": ["I", "II", "III"]}],
    "min_size": 50,
    "alpha": 0.2,
}
MODELS = [{"name": "old", "score": "s1"}, {"name": "new", "score": "s2", "threshold": 0.4}]


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(11)
    n = 4000
    sex = rng.choice(["F", "M", None], n, p=[0.5, 0.4, 0.1])
    race = rng.choice(["A", "B", "C"], n, p=[0.5, 0.4, 0.1])
    s1 = np.round(rng.random(n), 2)
    lift = np.where((sex == "F") & (race == "B"), 0.35, 0.0)
    frame = pd.DataFrame(
        {
            "sex": sex,
            "race": race,
            "age": rng.integers(20, 80, n).astype(float),
            "stage": rng.choice(["I", "II", "III", None], n),
            "site": rng.choice(["north", "south", "west"], n),
            "y": rng.choice([0, 1, None], n, p=[0.5, 0.45, 0.05]),
            "s1": s1,
            "s2": np.round(np.clip(s1 + lift + rng.normal(0, 0.1, n), 0, 1), 2),
        }
    )
    frame.loc[::97, "age"] = np.nan
    frame.loc[::89, "s2"] = np.nan
    return frame


def _grown(counts: Counts, loaded: LoadedConfig) -> list[Tree]:
    return [
        grow(tree_counter(counts, plan.index), plan.spec, plan.rng()).tree
        for plan in tree_plans(counts.facts, loaded.config)
    ]


def _both_ways(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch, **tree: Any
) -> tuple[list[Tree], list[Tree], Counts]:
    loaded = configured("(frame)", models=MODELS, trees=[{**TREE, **tree}])
    with_cube = count(open_source(loaded, data=frame), loaded)
    assert with_cube.facts["trees"][0]["cube"]
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", 10)
    without = count(open_source(loaded, data=frame), loaded)
    assert not without.facts["trees"][0]["cube"]
    assert without.facts["trees"][0]["notes"] == with_cube.facts["trees"][0]["notes"]
    return _grown(with_cube, loaded), _grown(without, loaded), without


@pytest.mark.parametrize("rate", ["referral", "fpr", "fnr", "accuracy"])
def test_cube_and_queries_grow_the_same_tree(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch, rate: str
) -> None:
    (cube,), (queries,), _ = _both_ways(frame, configured, monkeypatch, rate=rate)
    assert cube.to_dict() == queries.to_dict()
    assert rate != "referral" or cube.to_dict()["split"] is not None


def test_trees_on_scores_agree_to_the_last_digits(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    (cube,), (queries,), _ = _both_ways(frame, configured, monkeypatch, rate="score")
    assert [node.path for node in cube.nodes()] == [node.path for node in queries.nodes()]
    for one, other in zip(cube.nodes(), queries.nodes(), strict=True):
        assert other.delta == pytest.approx(one.delta, rel=1e-10)
        assert other.n == one.n


def test_the_python_api_grows_the_same_tree(frame: pd.DataFrame, configured: Configure) -> None:
    import reporter

    loaded = configured("(frame)", models=MODELS, trees=[TREE])
    counts = count(open_source(loaded, data=frame), loaded)
    rows = frame.assign(
        old=(frame["s1"] >= 0.5).astype(float), new=(frame["s2"] >= 0.4).astype(float).where(frame["s2"].notna())
    )
    expected = reporter.delta_tree(
        rows,
        attribute="race",
        levels=("A", "B"),
        models=("old", "new"),
        label="y",
        split_on=["sex", "age", "stage"],
        ordered={"stage": ["I", "II", "III"]},
        alpha=0.2,
        min_size=50,
    )
    assert _grown(counts, loaded)[0].to_dict() == expected.to_dict()


def test_pairs_of_levels_share_one_cube(frame: pd.DataFrame, configured: Configure) -> None:
    tree = {key: value for key, value in TREE.items() if key != "levels"}
    loaded = configured("(frame)", models=MODELS, trees=[{**tree, "pairs": "one_vs_rest"}, {**tree, "pairs": "spread"}])
    counts = count(open_source(loaded, data=frame), loaded)
    plans = tree_plans(counts.facts, loaded.config)
    assert [(plan.index, plan.spec.levels) for plan in plans] == [
        (0, ("(rest)", "A")),
        (0, ("(rest)", "B")),
        (0, ("(rest)", "C")),
        (1, ("A", "B", "C")),
    ]
    assert sorted(name for name in counts.tables if name.startswith("trees/")) == ["trees/0", "trees/1"]
    assert len({plan.name for plan in plans}) == len(plans)


def test_a_record_without_a_cube_grows_the_same_tree_again(
    tmp_path: Path, frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = configured("(frame)", models=MODELS, trees=[TREE])
    (expected,), _, counts = _both_ways(frame, configured, monkeypatch)
    counts.save(tmp_path / "record")
    (again,) = _grown(Counts.load(tmp_path / "record"), loaded)
    assert again.to_dict() == expected.to_dict()


def test_a_record_does_not_answer_what_was_not_asked(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, _, counts = _both_ways(frame, configured, monkeypatch)
    other = configured("(frame)", models=MODELS, trees=[{**TREE, "min_size": 900, "alpha": 0.99}])
    del counts.tables["trees/0/0"]
    counts.facts["trees"][0]["requests"].pop(0)
    for k in range(len(counts.facts["trees"][0]["requests"])):
        counts.tables[f"trees/0/{k}"] = counts.tables.pop(f"trees/0/{k + 1}")
    with pytest.raises(DataError, match="the record does not hold"):
        _grown(counts, other)


def test_a_covariate_with_very_many_values_is_binned_and_says_so(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_scans, "MOST_VALUES", 20)
    (cube,), (queries,), counts = _both_ways(frame, configured, monkeypatch)
    facts = counts.facts["trees"][0]
    assert any("age has more than 20 values" in note for note in facts["notes"])
    assert len(facts["covariates"][1]["values"]) <= 128
    assert cube.to_dict() == queries.to_dict()


@pytest.mark.parametrize("rate", ["fpr", "score"])
@pytest.mark.parametrize("cube", [True, False])
def test_honest_halves_do_not_depend_on_the_order_of_rows(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch, rate: str, cube: bool
) -> None:
    scores = [{"name": "old", "score": "s"}, {"name": "new", "score": "t"}]
    frame = frame.assign(
        s=np.round(np.linspace(0, 1, len(frame)) ** 2, 3), t=np.round(np.linspace(1, 0, len(frame)), 3)
    )
    models = scores if rate == "score" else MODELS
    loaded = configured("(frame)", models=models, trees=[{**TREE, "rate": rate, "honest": True}])
    if not cube:
        monkeypatch.setattr(tree_scans, "CUBE_CELLS", 10)
        monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    first = count(open_source(loaded, data=frame), loaded)
    assert first.facts["trees"][0]["cube"] == cube
    (tree,) = _grown(first, loaded)
    assert "random half" in tree.notes[0]
    for seed in (1, 2):
        (other,) = _grown(count(open_source(loaded, data=frame.sample(frac=1, random_state=seed)), loaded), loaded)
        assert other.to_dict() == tree.to_dict()


def test_halves_drawn_by_the_engine_are_all_rows_once(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", 10)
    monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    loaded = configured("(frame)", models=MODELS, trees=[{**TREE, "honest": True}])
    source = open_source(loaded, data=frame)
    made = plan(source, loaded)
    (tree,) = made.trees
    covariates = [one.covariate for one in tree.covariates]
    with tree_codes.kept(tree, source.n) as rows:
        whole = EngineCounter(rows, made)
        drawn = []
        for seed in (3, 3, 4):
            halves = whole.halves(np.random.default_rng(seed))
            drawn.append([half.tables([()], covariates) for half in halves])
    everything = EngineCounter(tree, made).tables([()], covariates)
    for first, second in drawn:
        for one, other, both in zip(first, second, everything, strict=True):
            assert (one + other == both).all()
            # Rows that the tree does not count were drawn as well.
            assert 0.4 < one.sum() / both.sum() < 0.6
    same, again, different = (first for first, _ in drawn)
    assert all((a == b).all() for a, b in zip(same, again, strict=True))
    assert any((a != b).any() for a, b in zip(same, different, strict=True))


def test_honest_halves_of_too_many_cells_need_rows_that_can_be_kept(
    frame: pd.DataFrame, configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = configured("(frame)", models=MODELS, trees=[{**TREE, "honest": True}])
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", 10)
    with pytest.raises(DataError, match="honest"):
        count(open_source(loaded, data=frame), loaded)


def test_csv_and_frame_give_the_same_tree(tmp_path: Path, frame: pd.DataFrame, configured: Configure) -> None:
    frame.to_csv(tmp_path / "a.csv", index=False)
    trees = []
    for source, data in (("(frame)", frame), (str(tmp_path / "a.csv"), None)):
        loaded = configured(source, models=MODELS, trees=[TREE])
        trees += _grown(count(open_source(loaded, data=data), loaded), loaded)
    assert trees[0].to_dict() == trees[1].to_dict()


@pytest.mark.parametrize(
    ("change", "key", "message"),
    [
        ({"levels": ["A", "Bb"]}, "trees[0].levels", "has no level 'Bb'"),
        ({"levels": None}, "trees[0].attribute", "has 3 levels: A, B, C; expected two"),
        ({"levels": None, "pairs": [["A", "D"]]}, "trees[0].pairs", "has no level 'D'"),
        ({"split_on": [{"column": "stage", "order": ["I", "II"]}]}, "trees[0].split_on[0].order", "without a place"),
        ({"split_on": [{"column": "site", "as": "numeric"}]}, "trees[0].split_on[0]", "no finite number"),
        ({"split_on": ["nowhere"]}, "trees[0].split_on[0]", "no column 'nowhere'"),
    ],
)
def test_what_does_not_fit_is_said_with_its_key(
    frame: pd.DataFrame, problems: Callable[..., list[Problem]], change: dict[str, Any], key: str, message: str
) -> None:
    tree = {name: value for name, value in {**TREE, **change}.items() if value is not None}
    (found,) = problems(frame, models=MODELS, trees=[tree])
    assert found.key == key
    assert message in found.message
