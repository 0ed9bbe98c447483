"""Δ trees through whole runs: from rows over counts to the report, its replay, and what a config is told that cannot work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.archive.replay import replay_record
from reporter.assemble import assemble
from reporter.assemble_trees import tree_results
from reporter.config.loader import config_from_public, load_config
from reporter.data import tree_codes, tree_scans
from reporter.data.counts import Counts
from reporter.errors import ConfigError, DataError, ReporterError
from reporter.results import Report, TreeResult
from reporter.runner import Places, evaluate, run_to_files
from reporter.tree import NEVER_DISAGREE, Node

N = 4000


def loans() -> pd.DataFrame:
    """Model ``new`` lifts approvals of women of group B, and only theirs."""
    rng = np.random.default_rng(11)
    sex = rng.choice(["F", "M"], N)
    race = rng.choice(["A", "B", "C"], N, p=[0.5, 0.4, 0.1])
    old = np.round(rng.random(N), 2)
    lift = np.where((sex == "F") & (race == "B"), 0.35, 0.0)
    frame = pd.DataFrame(
        {
            "id": np.arange(N),
            "sex": sex,
            "race": race,
            "age": rng.integers(20, 80, N),
            "stage": rng.choice(["I", "II", "III"], N),
            "all_missing": "",
            "one_value": "x",
            "paid": rng.choice(["0", "1", ""], N, p=[0.5, 0.45, 0.05]),
            "old": old,
            "new": np.round(np.clip(old + lift + rng.normal(0, 0.1, N), 0, 1), 2),
            "same": old,
        }
    )
    frame["unlike"] = [f"u{i % 900}" for i in range(N)]
    return frame


TREE: dict[str, Any] = {
    "compare": ["old", "new"],
    "attribute": "race",
    "levels": ["A", "B"],
    "split_on": ["sex", {"column": "age", "as": "numeric"}, {"column": "stage", "order": ["I", "II", "III"]}],
}


def config(*trees: dict[str, Any], **keys: Any) -> dict[str, Any]:
    return {
        "data": {"source": "loans.csv", "label": "paid"},
        "models": [{"name": "old", "score": "old"}, {"name": "new", "score": "new"}, {"name": "same", "score": "same"}],
        "metrics": ["referral_rate"],
        "flags": {"rules": [{"metric": "referral_rate", "reference": "rest", "difference": 0.9}]},
        "groups": ["sex"],
        "trees": [{key: value for key, value in {**TREE, **tree}.items() if value is not None} for tree in trees],
        **keys,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("loans")
    loans().to_csv(place / "loans.csv", index=False)
    return place


@pytest.fixture
def report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(folder)

    def run(*trees: dict[str, Any], **keys: Any) -> Report:
        return reporter.run(config(*trees, **keys))

    return run


def leaves(result: TreeResult) -> list[Node]:
    return [node for node in result.tree.nodes() if not node.children]


def test_a_tree_of_the_config_finds_where_the_gap_changes(report: Any) -> None:
    made = report({"name": "Approvals"})
    (result,) = made.tree_results
    assert made.trees == (result.tree,)
    assert (result.name, result.models, result.attribute, result.levels) == (
        "Approvals",
        ("old", "new"),
        "race",
        ("A", "B"),
    )
    assert result.split_on == ("sex", "age", "stage")
    assert result.tree.root.split is not None
    assert result.tree.root.split.covariate == "sex"
    women, men = result.tree.root.children
    assert women.path == "sex = F"
    assert women.delta is not None
    assert women.delta > 0.25
    assert men.low is not None
    assert men.high is not None
    assert men.low < 0 < men.high
    assert any("another value of race than A, B" in note for note in result.notes)


@pytest.mark.parametrize("cube", [True, False])
@pytest.mark.parametrize("rate", ["fpr", "score"])
def test_each_tree_of_several_pairs_says_which_rows_it_leaves_out(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: str, cube: bool
) -> None:
    rows = loans()
    rows["race"] = rows["race"].where(rows.index % 40 != 0, None)
    rows["new"] = rows["new"].where(rows.index % 30 != 1, None)
    rows.to_csv(tmp_path / "loans.csv", index=False)
    monkeypatch.chdir(tmp_path)
    if not cube:
        monkeypatch.setattr(tree_scans, "CUBE_CELLS", 5)
    several = [
        {"pairs": [["A", "B"], ["A", "C"]], "levels": None},
        {"pairs": "one_vs_rest", "levels": None},
        {"levels": ["A", "B"]},
    ]
    made = reporter.run(config(*({"rate": rate, **tree} for tree in several), baseline=None))
    inside = [["A", "B"], ["A", "C"], *[["A", "B", "C"]] * 3, ["A", "B"]]
    for result, levels in zip(made.tree_results, inside, strict=True):
        among = rows[rows["race"].isin(levels)]
        known = among.dropna(subset=["new"])
        unlabelled = known["paid"] == ""
        told = [
            f"{len(rows) - len(among):,} rows have another value of race than {', '.join(levels)}, or none: left out.",
            f"{len(among) - len(known)} rows lack a prediction of old or new: left out.",
        ]
        if rate == "fpr":
            told.append(f"{unlabelled.sum()} rows have no label: left out.")
        assert list(result.notes) == told
        counted = known[known["paid"] == "0"] if rate == "fpr" else known
        assert result.tree.root.n == len(counted)


def test_the_python_api_finds_the_same_tree(report: Any) -> None:
    (result,) = report({"rate": "fpr"}).tree_results
    rows = loans()
    rows = rows.assign(old=(rows["old"] >= 0.5).astype(int), new=(rows["new"] >= 0.5).astype(int))
    rows["paid"] = rows["paid"].replace("", None)
    tree = reporter.delta_tree(
        rows,
        attribute="race",
        levels=("A", "B"),
        models=("old", "new"),
        rate="fpr",
        label="paid",
        positive="1",
        split_on=["sex", "age", "stage"],
        ordered={"stage": ["I", "II", "III"]},
        numeric=["age"],
    )
    assert result.tree.to_dict() == tree.to_dict()


def test_rows_without_a_label_are_counted_where_the_rate_needs_one(report: Any) -> None:
    rows = loans()
    missing = int(((rows["paid"] == "") & rows["race"].isin(["A", "B"])).sum())
    fpr, referral = report({"rate": "fpr"}, {}).tree_results
    assert f"{missing} rows have no label: left out." in fpr.notes
    assert not any("label" in note for note in referral.notes)


@pytest.mark.parametrize(
    ("change", "names", "levels"),
    [
        ({"pairs": "all"}, ["T: A, B", "T: A, C", "T: B, C"], [("A", "B"), ("A", "C"), ("B", "C")]),
        (
            {"pairs": "one_vs_rest"},
            ["T: (rest), A", "T: (rest), B", "T: (rest), C"],
            [("(rest)", "A"), ("(rest)", "B"), ("(rest)", "C")],
        ),
        ({"pairs": [["B", "A"], ["C", "B"]]}, ["T: B, A", "T: C, B"], [("B", "A"), ("C", "B")]),
        ({"pairs": "spread"}, ["T"], [("A", "B", "C")]),
    ],
)
def test_more_than_two_levels_give_a_tree_each_or_one_of_their_spread(
    report: Any, change: dict[str, Any], names: list[str], levels: list[tuple[str, ...]]
) -> None:
    results = report({"name": "T", "levels": None, "split_on": ["sex"], **change}).tree_results
    assert [result.name for result in results] == names
    assert [result.levels for result in results] == levels
    assert all(result.tree.root.delta is not None for result in results)


@pytest.mark.parametrize("levels", [["A", "B"], ["A", "B", "C"]])
def test_a_spread_is_told_from_a_difference_whatever_the_number_of_levels(report: Any, levels: list[str]) -> None:
    data = {"source": "loans.csv", "label": "paid", "where": f"race in ({', '.join(map(repr, levels))})"}
    (result,) = report({"levels": None, "pairs": "spread", "split_on": ["sex"]}, data=data).tree_results
    rates = {name: rate.rate for name, rate in result.tree.root.rates.items()}
    before, after = ([rates[f"{model}_a{k + 1}"] for k in range(len(levels))] for model in ("m1", "m2"))
    assert result.contrast == "spread"
    assert result.tree.root.delta == pytest.approx(np.var(after) - np.var(before), abs=1e-12)


def test_swapped_levels_swap_the_sign(report: Any) -> None:
    one, other = report({"split_on": ["sex"]}, {"split_on": ["sex"], "levels": ["B", "A"]}).tree_results
    assert one.tree.root.delta == pytest.approx(-other.tree.root.delta)


def test_one_model_gives_the_tree_of_its_own_disparity(report: Any) -> None:
    (result,) = report({"compare": None, "models": ["new"], "split_on": ["sex"]}).tree_results
    root = result.tree.root
    assert result.models == ("new",)
    assert set(root.rates) == {"m1_a1", "m1_a2"}
    assert root.delta == pytest.approx(root.rates["m1_a2"].rate - root.rates["m1_a1"].rate)
    assert root.split is not None


def test_scores_give_a_tree_of_mean_scores(report: Any) -> None:
    (result,) = report({"rate": "score", "split_on": ["sex"]}).tree_results
    rows = loans()
    means = (rows["new"] - rows["old"]).groupby(rows["race"]).mean()
    assert result.tree.root.delta == pytest.approx(means["B"] - means["A"])
    assert result.tree.root.split is not None


@pytest.mark.parametrize(
    "change", [{"honest": True}, {"test": "permutation", "split_on": ["sex"]}, {"test": "score", "parameters": "all"}]
)
def test_options_reach_the_tree_and_are_reported(report: Any, change: dict[str, Any]) -> None:
    (result,) = report({**change, "alpha": 0.01, "adjust": "none", "min_size": 60, "max_depth": 1}).tree_results
    assert (result.alpha, result.adjust, result.min_size, result.max_depth) == (0.01, "none", 60, 1)
    for key in ("honest", "test", "parameters"):
        if key in change:
            assert getattr(result, key) == change[key]
    assert result.tree.root.split is not None
    assert result.tree.root.split.covariate == "sex"
    assert all(not child.children for child in result.tree.root.children)
    assert any("random half" in note for note in result.tree.notes) == bool(change.get("honest"))


def test_joined_neighbours_are_kept_as_the_tree_before(report: Any) -> None:
    joined, whole = report({"min_difference": 0.9}, {}).tree_results
    assert joined.unpruned is not None
    assert len(leaves(joined)) == 1
    assert joined.unpruned.to_dict() == whole.tree.to_dict()
    assert whole.unpruned is None


def test_random_halves_follow_the_seed_and_the_place_in_the_config(report: Any) -> None:
    honest = {"honest": True, "split_on": ["sex"]}
    first, second = report(honest, honest).tree_results
    again, _ = report(honest, honest).tree_results
    (other,) = report(honest, seed=5).tree_results
    assert first.tree == again.tree
    assert first.tree.root.delta != second.tree.root.delta
    assert first.tree.root.delta != other.tree.root.delta


def test_equal_models_say_that_delta_is_zero_everywhere(report: Any) -> None:
    (result,) = report({"compare": ["old", "same"]}).tree_results
    assert (result.tree.root.delta, result.tree.root.reason) == (0.0, NEVER_DISAGREE)
    assert not result.tree.root.children


def test_covariates_that_divide_nothing_are_untestable_with_a_reason(report: Any) -> None:
    (result,) = report({"split_on": ["sex", "all_missing", "one_value", "unlike"]}).tree_results
    tests = result.tree.root.tests
    assert tests["sex"].p is not None
    for name in ("all_missing", "one_value"):
        assert tests[name].p is None
        assert tests[name].reason
    assert result.tree.root.split is not None
    assert result.tree.root.split.covariate == "sex"


def test_a_covariate_with_a_level_for_every_row_makes_no_split(report: Any, folder: Path) -> None:
    few = loans().head(300).assign(unlike=[f"u{i}" for i in range(300)])
    few.to_csv(folder / "few.csv", index=False)
    (result,) = report({"split_on": ["unlike"]}, data={"source": "few.csv", "label": "paid"}).tree_results
    assert not result.tree.root.children
    assert result.tree.root.tests["unlike"].p is None
    assert "cannot be told" in (result.tree.root.tests["unlike"].reason or "")


def test_a_min_size_above_the_rows_is_a_stated_leaf(report: Any) -> None:
    (result,) = report({"min_size": 100_000}).tree_results
    assert result.tree.root.reason == f"{result.tree.root.n} rows are fewer than twice min_size = 100000"


def test_small_cells_keep_trees_out(report: Any) -> None:
    made = report({}, small_cells=11)
    assert made.tree_results == ()


# --- what a config is told -------------------------------------------------------------------------------------------

YAML = """\
data: {source: loans.csv, label: paid}
models:
  - {name: old, score: old}
  - {name: new, score: new}
groups: [sex]
trees:
  - compare: [old, new]
    attribute: race
    levels: [A, B]
    split_on: [sex]
"""


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("attribute: race", "attribute: one_value", "9:5 trees[0].levels", "column 'one_value' has no level 'A'"),
        ("attribute: race\n    levels: [A, B]", "attribute: one_value", "8:16 trees[0].attribute", "has 1 level: x; expected two"),
        ("attribute: race\n    levels: [A, B]", "attribute: all_missing", "8:16 trees[0].attribute", "has 0 levels; expected two"),
        ("    levels: [A, B]\n", "", "8:16 trees[0].attribute", "has 3 levels: A, B, C; expected two"),
        ("levels: [A, B]", "levels: [A, D]", "9:5 trees[0].levels", "has no level 'D'"),
        ("levels: [A, B]", "levels: [A, A]", "9:5 trees[0].levels", "found 'A' twice"),
        ("levels: [A, B]", "pairs: [[A, B], [A, Q]]", "9:5 trees[0].pairs", "has no level 'Q'"),
        ("split_on: [sex]", "split_on: [sex, race]", "10:21 trees[0].split_on[1]", "which is the attribute"),
        ("split_on: [sex]", "split_on: [unlike]\n    test: score", "10:5 trees[0].split_on", "900 unordered levels"),
        ("split_on: [sex]", "split_on: [sex]\n    parameters: all", "11:17 trees[0].parameters", "by test: score only"),
        ("split_on: [sex]", "split_on: [sex]\n    rate: score\n    test: score", "12:11 trees[0].test", "0/1 predictions"),
        ("levels: [A, B]", "pairs: spread\n    test: permutation", "9:12 trees[0].pairs", "spread needs 0/1"),
        ("attribute: race", "rate: ppv\n    attribute: race", "8:11 trees[0].rate", "conditions on the prediction"),
    ],
)  # fmt: skip
def test_what_cannot_be_grown_is_said_at_its_line(folder: Path, old: str, new: str, place: str, message: str) -> None:
    assert old in YAML
    (folder / "wrong.yaml").write_text(YAML.replace(old, new))
    with pytest.raises((ConfigError, DataError)) as caught:
        run_to_files(folder / "wrong.yaml")
    assert message in str(caught.value)
    assert f"wrong.yaml:{place}" in str(caught.value)


def test_honest_halves_of_too_many_cells_are_refused_at_their_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", 5)
    (folder / "wrong.yaml").write_text(YAML + "    honest: true\n")
    with pytest.raises(ReporterError, match=r"wrong.yaml:11:13 trees\[0\].honest: halves are drawn from the cells"):
        run_to_files(folder / "wrong.yaml")


# --- replay ----------------------------------------------------------------------------------------------------------

ALL_KINDS = (
    {"name": "pairs", "levels": None, "pairs": "one_vs_rest"},
    {"name": "scores", "rate": "score", "split_on": ["sex", "stage"]},
    {"name": "shuffled", "test": "permutation", "split_on": ["sex"]},
    {"name": "one", "compare": None, "models": ["new"], "rate": "fpr"},
    {"name": "published", "test": "score", "parameters": "all"},
)


@pytest.mark.parametrize("cube", [True, False])
def test_a_record_with_trees_replays_byte_for_byte(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cube: bool
) -> None:
    several = {"name": "honest pairs", "honest": True, "levels": None, "pairs": "one_vs_rest"}
    trees: tuple[dict[str, Any], ...] = (*ALL_KINDS, {"name": "honest", "honest": True}, several)
    if not cube:
        monkeypatch.setattr(tree_scans, "CUBE_CELLS", 5)
        monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    keys = config(*trees, output={"formats": ["json"]})
    (folder / "replayed.yaml").write_text(json.dumps(keys))
    written = run_to_files(folder / "replayed.yaml", places=Places(out=tmp_path, archive=str(tmp_path / "archive")))
    assert not written.problems
    assert written.record_path is not None
    if not cube:
        monkeypatch.undo()
    replay = replay_record(Path(written.record_path))
    assert replay.identical, replay.differences
    stored = json.loads((tmp_path / "report.json").read_text())
    assert len(stored["tree_results"]) == len(trees) + 4
    assert any(result["tree"]["root"]["split"] for result in stored["tree_results"])


def test_recorded_answers_give_the_trees_of_a_cube(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    trees = [tree for tree in ALL_KINDS if tree["name"] != "scores"]
    loaded = load_config(config(*trees), environ={})
    with_cube = evaluate(loaded)
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", 5)
    without = evaluate(loaded)
    assert without.report.tree_results == with_cube.report.tree_results
    without.counts.save(tmp_path / "counts")
    counts = Counts.load(tmp_path / "counts")
    again = config_from_public(without.report.provenance.config)
    assert tree_results(counts, again) == with_cube.report.tree_results
    assert assemble(counts, again, without.report.provenance) == without.report


# --- golden trees through the whole line -----------------------------------------------------------------------------

GOLDEN = {
    "compas_fpr_gt_ms50": "compas_fpr_gt.csv",
    "compas_fpr_ge_ms50": "compas_fpr_ge.csv",
}
COVARIATES = ("sex", "age_cat", "c_charge_degree")
COUNTS = ("juv_misd_count", "juv_fel_count", "juv_other_count")


@pytest.mark.parametrize("case", list(GOLDEN))
def test_a_config_grows_the_wald_trees_of_the_prototype(shared_golden: Path, case: str) -> None:
    expected = json.loads((shared_golden / "delta_tree" / "wald_prototype.json").read_text())[case]
    keys = {
        "data": {"source": str(shared_golden / "delta_tree" / "inputs" / GOLDEN[case])},
        "models": [{"name": "m1", "prediction": "m1"}, {"name": "m2", "prediction": "m2"}],
        "groups": ["A"],
        "trees": [
            {
                "compare": ["m1", "m2"],
                "attribute": "A",
                "levels": ["0", "1"],
                "split_on": [
                    *({"column": name, "as": "categorical"} for name in COVARIATES),
                    *({"column": name, "as": "numeric"} for name in COUNTS),
                ],
            }
        ],
    }
    (result,) = reporter.run(keys).tree_results
    found = list(result.tree.nodes())
    wanted: list[dict[str, Any]] = []

    def walk(node: dict[str, Any]) -> None:
        wanted.append(node)
        for child in node.get("kids", ()):
            walk(child)

    walk(expected)
    assert [node.n for node in found] == [node["n"] for node in wanted]
    for node, other in zip(found, wanted, strict=True):
        assert node.delta == pytest.approx(other["Delta"], rel=1e-9)
        assert node.rates["m2_a2"].rate == pytest.approx(other["m2"][1], rel=1e-9)
        assert sum(test.p is not None for test in node.tests.values()) == other["m"]
        best = node.tests[other["var"]]
        assert best.p_adjusted == pytest.approx(other["p_adj"], rel=1e-3)
        if "left" in other:
            assert node.split is not None
            assert node.split.covariate == other["var"]
            assert set(node.split.levels_left or ()) == set(other["left"].split("{")[1].rstrip("}").split(","))
        else:
            assert node.split is None
