"""Small cells: everything that is published is turned into linear equations, and a solver looks for the hidden counts."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

import reporter
from reporter.config.loader import load_config
from reporter.data.counts import Counts
from reporter.errors import DataError
from reporter.runner import evaluate, run_to_files
from reporter.small_cells.hiding import hide_block, hide_groups, is_safe

K = 11
CELLS = {"tp": (1, 1), "fp": (0, 1), "tn": (0, 0), "fn": (1, 0)}


def people(seed: int, n: int = 1600) -> pd.DataFrame:
    """Groups of very different size, so that some of their cells are small. Model b predicts 1 for some of those that a does."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M", "X"], n, p=[0.55, 0.42, 0.03]),
            "origin": rng.choice(list("ABCDE"), n, p=[0.5, 0.3, 0.12, 0.06, 0.02]),
            "site": rng.choice([f"s{i}" for i in range(7)], n, p=[0.4, 0.3, 0.14, 0.1, 0.04, 0.015, 0.005]),
        }
    )
    frame["y"] = (rng.random(n) < 0.35).astype(int)
    frame["score"] = np.round(np.clip(0.35 * frame["y"] + rng.normal(0.35, 0.2, n), 0, 1), 3)
    frame["c"] = np.where(rng.random(n) < 0.2, 1 - frame["y"], frame["y"])
    frame.loc[frame["site"] == "s6", "site"] = None
    return frame


def config(**changes: Any) -> dict[str, Any]:
    return {
        "data": {"label": "y"},
        "models": [
            {"name": "a", "score": "score", "threshold": 0.5},
            {"name": "b", "score": "score", "threshold": 0.65},
            {"name": "c", "prediction": "c"},
        ],
        "groups": ["sex", "origin", "site", ["sex", "origin"]],
        "metrics": "all",
        "small_cells": K,
        "agreement": {"pairs": [["a", "b"], ["a", "c"], ["b", "c"]]},
        **changes,
    }


def truth(frame: pd.DataFrame) -> pd.DataFrame:
    """One row per person with what each model says."""
    people = frame.assign(a=(frame["score"] >= 0.5).astype(int), b=(frame["score"] >= 0.65).astype(int))
    return people.fillna({"site": "(missing)"})


class Attacker:
    """Knows the published report, the names of the groups, and that whom b refers a refers too; unknown is how many people are in each cell."""

    def __init__(self, report: dict[str, Any], columns: list[str], names: dict[str, list[str]]) -> None:
        self.columns = columns
        self.atoms = list(itertools.product(*(names[c] for c in columns), (0, 1), (0, 1), (0, 1), (0, 1)))
        self.atoms = [atom for atom in self.atoms if not (atom[-2] == 1 and atom[-3] == 0)]
        self.rows: list[np.ndarray[Any, Any]] = []
        self.known: list[float] = []
        self._learn(report, names)

    def where(self, **wanted: Any) -> np.ndarray[Any, Any]:
        keys = [*self.columns, "y", "a", "b", "c"]
        return np.array(
            [
                all(
                    (atom[keys.index(k)] in v) if isinstance(v, (set, list, tuple)) else atom[keys.index(k)] == v
                    for k, v in wanted.items()
                )
                for atom in self.atoms
            ],
            float,
        )

    def _equation(self, row: np.ndarray[Any, Any], n: float) -> None:
        self.rows.append(row)
        self.known.append(n)

    def _learn(self, report: dict[str, Any], names: dict[str, list[str]]) -> None:
        self._equation(self.where(), report["data"]["n"])
        self._equation(self.where(y=1), report["data"]["n_positive"])
        for model in report["models"]:
            self._model(model["name"], model["cells"], model["metrics"], {})
        for pair in report["model_pairs"]:
            first, second = pair["first"], pair["second"]
            for key, (i, j) in {"both": (1, 1), "first_only": (1, 0), "second_only": (0, 1)}.items():
                self._equation(self.where(**{first: i, second: j}), pair[key])
        for one in (report["agreement_section"] or {"results": []})["results"]:
            assert one["group"] is None
            for key, (i, j) in {"a": (1, 1), "b": (0, 1), "c": (1, 0), "d": (0, 0)}.items():
                self._equation(self.where(**{one["first"]: i, one["second"]: j}), one["agreement"][key])
        for grouping in report["groupings"]:
            if not set(grouping["columns"]) <= set(self.columns):
                continue
            shown = [level for level in grouping["levels"] if not level["pooled"]]
            for level in grouping["levels"]:
                if level["pooled"]:
                    continue
                chosen = dict(
                    zip(
                        grouping["columns"],
                        ["(missing)" if v is None else v for v in level["values"]],
                        strict=True,
                    )
                )
                self._equation(self.where(**chosen), level["n"])
                for result in grouping["results"]:
                    if result["group"] == level["name"]:
                        self._model(result["model"], result["cells"], result["metrics"], chosen)
            assert sum(level["n"] for level in grouping["levels"]) == report["data"]["n"]
            assert len(shown) < len(grouping["levels"]) or all(not level["pooled"] for level in shown)

    def _model(self, name: str, cells: dict[str, int], metrics: dict[str, Any], chosen: dict[str, Any]) -> None:
        for cell, (y, d) in CELLS.items():
            self._equation(self.where(y=y, **{name: d}, **chosen), cells[cell])
        for metric, condition in {
            "fnr": {"y": 1, name: 0},
            "ppv": {"y": 1, name: 1},
            "referral_rate": {name: 1},
        }.items():
            estimate = metrics.get(metric)
            if estimate and estimate["value"] is not None:
                self._equation(self.where(**condition, **chosen), estimate["value"] * estimate["denominator"])

    def most(self, row: np.ndarray[Any, Any]) -> float:
        """The largest count that agrees with all that is published."""
        found = linprog(-row, A_eq=csr_array(np.array(self.rows)), b_eq=np.array(self.known), bounds=(0, None))
        assert found.status == 0, found.message
        return -float(found.fun)


def hidden_cells(people: pd.DataFrame, columns: list[str]) -> Iterator[tuple[dict[str, Any], int]]:
    """Every small count of one or more columns: of groups, of each cell of each model, and of what two models differ in."""
    for width in range(1, len(columns) + 1):
        for chosen in itertools.combinations(columns, width):
            for values, group in people.groupby(list(chosen)):
                base = dict(zip(chosen, values, strict=True))
                asked: list[dict[str, Any]] = [base, *({**base, "y": y} for y in (0, 1))]
                for model in "abc":
                    asked += [{**base, model: d} for d in (0, 1)]
                    asked += [{**base, "y": y, model: d} for y, d in CELLS.values()]
                asked += [{**base, "y": y, "a": 1, "b": 0} for y in (0, 1)]
                for condition in asked:
                    mask = np.ones(len(group), bool)
                    for key, value in condition.items():
                        mask &= (group[key] == value).to_numpy()
                    if 0 < mask.sum() < K:
                        yield condition, int(mask.sum())


@pytest.mark.parametrize("seed", range(3))
def test_no_small_count_can_be_solved_for(seed: int) -> None:
    frame = people(seed)
    report = json.loads(reporter.run(config(), data=frame).to_json())
    whole = truth(frame)
    names = {c: sorted(whole[c].unique()) for c in ("sex", "origin", "site")}
    n_hidden = 0
    for columns in (["sex", "origin"], ["site"]):
        attacker = Attacker(report, columns, names)
        for condition, true in hidden_cells(whole, columns):
            n_hidden += 1
            assert attacker.most(attacker.where(**condition)) >= K - 1e-6, (condition, true)
    assert n_hidden > 20


def test_the_attacker_finds_a_small_count_where_only_the_small_group_is_hidden() -> None:
    """The solver is no blunt tool: hiding single groups, without a second one, gives their counts away."""
    frame = people(0)
    whole = truth(frame)
    full = json.loads(reporter.run(config(small_cells=None), data=frame).to_json())
    small = min(("F", "M", "X"), key=lambda sex: (whole["sex"] == sex).sum())
    for grouping in full["groupings"]:
        grouping["levels"] = [
            level for level in grouping["levels"] if level["name"] != small and grouping["name"] == "sex"
        ]
    full["groupings"] = [grouping for grouping in full["groupings"] if grouping["name"] == "sex"]
    for grouping in full["groupings"]:
        grouping["levels"].append(
            {"name": "gap", "pooled": ["x"], "n": int((whole["sex"] == small).sum()), "values": [None]}
        )
    full["agreement_section"] = None
    attacker = Attacker(full, ["sex"], {"sex": ["F", "M", "X"]})
    wanted = [(c, n) for c, n in hidden_cells(whole, ["sex"]) if c["sex"] == small]
    assert wanted
    assert any(math.isclose(attacker.most(attacker.where(**c)), n, abs_tol=1e-6) for c, n in wanted)


def every_count(value: Any, key: str = "") -> Iterator[tuple[str, float]]:
    counted = {"n", "numerator", "denominator", "tp", "fp", "tn", "fn", "both", "first_only", "second_only", "neither"}
    counted |= {"a", "b", "c", "d", "n_positive", "n_labelled", "n_filtered_out", *_MISSING}
    if isinstance(value, dict):
        for name, inner in value.items():
            if name not in ("provenance", "settings", "verdict"):
                yield from every_count(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from every_count(inner, key)
    elif key in counted and isinstance(value, (int, float)):
        yield key, value


_MISSING = (
    "unlabelled_positive",
    "unlabelled_negative",
    "labelled_without_prediction",
    "unlabelled_without_prediction",
)


@pytest.mark.parametrize("seed", range(2))
def test_no_small_count_stands_in_the_report(seed: int) -> None:
    report = json.loads(reporter.run(config(), data=people(seed)).to_json())
    counts = list(every_count(report))
    assert len(counts) > 500
    assert [(key, n) for key, n in counts if 0 < n < K] == []


def test_the_record_holds_no_small_count_and_gives_the_report_again(tmp_path: Path) -> None:
    people(1).to_csv(tmp_path / "people.csv", index=False)
    keys = config(archive="archive", sealed_archive="sealed", output={"formats": ["json", "markdown"]})
    keys["data"] = {"source": "people.csv", "label": "y"}
    (tmp_path / "card.yaml").write_text(json.dumps(keys))
    written = run_to_files(tmp_path / "card.yaml")
    assert written.problems == ()
    record = next((tmp_path / "archive").glob("*/*/data/report.json")).parent
    counts = Counts.load(record / "counts")
    for table in counts.tables.values():
        assert is_safe(table["n"].to_numpy(), K)
    assert not [
        name for name in counts.tables if name.startswith(("scores", "moments", "ratings", "trees", "score pairs"))
    ]
    sealed = next((tmp_path / "sealed").glob("*/*/data/report.json")).parent
    assert any(not is_safe(table["n"].to_numpy(), K) for table in Counts.load(sealed / "counts").tables.values())
    from reporter.archive.replay import replay_record

    assert replay_record(record.parent).identical
    assert replay_record(sealed.parent).identical


def test_verdicts_are_those_of_the_full_counts() -> None:
    frame = people(2)
    full = reporter.run(config(small_cells=None), data=frame)
    shown = reporter.run(config(), data=frame)
    single = {g.name for g in full.groupings if len(g.columns) == 1}
    assert [(c.finding, c.verdict) for c in shown.comparisons if c.grouping in single] == [
        (c.finding, c.verdict) for c in full.comparisons if c.grouping in single
    ]
    open_names = {level.name for g in shown.groupings if g.name not in single for level in g.levels if not level.pooled}
    assert [(c.finding, c.verdict) for c in shown.comparisons if c.group in open_names] == [
        (c.finding, c.verdict) for c in full.comparisons if c.group in open_names
    ]
    assert shown.verdict.outcome == full.verdict.outcome
    hidden = [c for c in shown.comparisons if c.group_estimate.value is None and c.group_estimate.reason]
    assert hidden
    assert {c.gap.reason for c in hidden if "hidden" in (c.gap.reason or "")} == {
        "hidden, and its n too: a count from 1 to 10 could be found from it"
    }


def test_scores_of_a_pooled_group_are_undefined_with_the_reason() -> None:
    report = reporter.run(config(), data=people(1))
    pools = {level.name for grouping in report.groupings for level in grouping.levels if level.pooled}
    found = {
        (one.model, one.metrics["auc"].reason) for g in report.groupings for one in g.results if one.group in pools
    }
    why = "scores of groups that are shown together are not kept"
    assert found == {("a", why), ("b", why), ("c", "this model has no score")}


def test_a_group_is_never_hidden_alone() -> None:
    for seed in range(3):
        report = reporter.run(config(), data=people(seed))
        for grouping in report.groupings:
            for level in grouping.levels:
                if level.pooled and len(grouping.columns) == 1:
                    assert len(level.pooled) >= 2
                    assert level.n >= K + len(level.pooled) - 1


def test_what_cannot_be_made_safe_is_left_out_and_said() -> None:
    report = reporter.run(config(), data=people(3))
    assert all(grouping.curves == () for grouping in report.groupings)
    assert any("curves of scores" in note for note in report.notes)


def test_few_rows_without_a_prediction_stop_the_run() -> None:
    frame = people(4)
    frame.loc[:3, "score"] = None
    with pytest.raises(DataError, match="model a: a count over all rows lies between 1 and 10"):
        reporter.run(config(), data=frame)


def test_few_rows_that_were_filtered_out_are_not_counted() -> None:
    frame = people(5)
    frame["keep"] = (np.arange(len(frame)) > 4).astype(int)
    keys = config()
    keys["data"] = {"label": "y", "where": "keep = 1"}
    assert reporter.run(keys, data=frame).data.n_filtered_out is None


def test_models_that_differ_in_few_rows_stop_the_run() -> None:
    frame = people(6)
    frame["d"] = frame["c"]
    frame.loc[frame.index[frame["c"] == 0][:5], "d"] = 1
    keys = config(models=[{"name": "c", "prediction": "c"}, {"name": "d", "prediction": "d"}], agreement=None)
    with pytest.raises(DataError, match="differ in a count between 1 and 10"):
        reporter.run(keys, data=frame)


def test_a_column_divided_in_two_ways_is_shown_once() -> None:
    frame = people(7)
    frame["age"] = np.random.default_rng(7).integers(18, 90, len(frame))
    groups = [{"column": "age", "breaks": [40, 65]}, [{"column": "age", "breaks": [41]}, "sex"]]
    report = reporter.run(config(groups=groups, agreement=None), data=frame)
    alone, crossed = report.groupings
    assert len(alone.levels) == 3
    assert [level.pooled for level in crossed.levels] == [("combinations that are not shown",)]


def test_small_cells_are_in_no_text_of_the_card(tmp_path: Path) -> None:
    people(1).to_csv(tmp_path / "people.csv", index=False)
    keys = config(
        output={"formats": ["markdown", "csv", "github", "junit"], "directory": "out"},
        models=config()["models"][:1],
        agreement=None,
    )
    keys["data"] = {"source": "people.csv", "label": "y"}
    (tmp_path / "card.yaml").write_text(json.dumps(keys))
    written = run_to_files(tmp_path / "card.yaml")
    text = "\n".join(content.decode() for content in written.contents.values())
    assert "(suppressed)" in text
    shares = re.findall(r"\b(\d+) of ([\d,]+)(?! comparisons)\b", text)  # "5 of 120": a count with its denominator
    assert [pair for pair in shares if 0 < int(pair[0]) < K <= int(pair[1].replace(",", ""))] == []


def test_the_full_evaluation_stays_beside_the_shown_one() -> None:
    loaded = load_config({**config(), "data": {"source": "(frame)", "label": "y"}}, environ={})
    done = evaluate(loaded, data=people(1))
    assert done.sealed is not None
    assert done.baseline is None
    assert done.sealed.report.comparisons != done.report.comparisons


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([[40, 60], [50, 50]], ()),
        ([[40, 5], [50, 50], [60, 20]], (0, 2)),
        ([[5, 0], [5, 0], [90, 90]], (0, 1, 2)),
        ([[10, 0], [1, 0], [90, 90]], (0, 1, 2)),
        ([[6, 0], [6, 0], [90, 90]], (0, 1)),
    ],
)
def test_groups_are_hidden_until_the_pool_is_safe(cells: list[list[int]], expected: tuple[int, ...]) -> None:
    table = np.array(cells)
    assert hide_groups(table, table.sum(axis=1), K) == expected


def test_a_block_of_a_cross_table_has_safe_margins() -> None:
    rng = np.random.default_rng(0)
    for _ in range(300):
        table = rng.poisson(rng.choice([4, 20, 80]), size=(int(rng.integers(2, 6)), int(rng.integers(2, 6)), 4))
        table[rng.random(table.shape) < 0.5] += 30
        found = hide_block(table, K)
        if found is None:
            continue
        rows, columns = (list(part) for part in found)
        block = table[np.ix_(rows, columns)]
        assert is_safe(block.sum(axis=0), K)
        assert is_safe(block.sum(axis=1), K)
        shown = np.ones(table.shape[:2], bool)
        shown[np.ix_(rows, columns)] = False
        assert is_safe(table[shown], K)


def test_an_older_release_is_compared_by_verdicts_alone(tmp_path: Path) -> None:
    people(1).to_csv(tmp_path / "people.csv", index=False)
    keys = config(small_cells=None, output={"formats": ["json"], "directory": "old"})
    keys["data"] = {"source": "people.csv", "label": "y"}
    (tmp_path / "old.yaml").write_text(json.dumps(keys))
    run_to_files(tmp_path / "old.yaml")
    keys |= {"small_cells": K, "baseline": "old/report.json", "archive": "archive", "fail_on": ["worse_than_baseline"]}
    (tmp_path / "new.yaml").write_text(
        json.dumps({**keys, "output": {"formats": ["json", "html"], "directory": "new"}})
    )
    written = run_to_files(tmp_path / "new.yaml")
    releases = written.report.releases
    assert releases is not None
    assert releases.rates == ()
    assert releases.verdicts
    assert all(change.gap_change is None for change in releases.verdicts)
    assert "the rates of the two releases: their change would tell of small counts" in releases.not_compared
    record = next((tmp_path / "archive").glob("*/*/data/report.json")).parent
    assert not (record / "baseline.json").exists()
    from reporter.archive.replay import replay_record

    assert replay_record(record.parent).identical
