"""Views of stored counts as the arrays that ``stats`` takes. Shared by a run and its replay: no engine, rows or config here.

A grouping is given by its name, a model by its name; None as the grouping is all rows as one group.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.counts import Counts, prediction_tables
from reporter.results import Level
from reporter.stats.cells import CellArrays
from reporter.stats.paired import JointCells, JointScores
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable, moments_from_table
from reporter.stats.scores import rest_moments as table_rest_moments

Ints = NDArray[np.int64]


def grouping_names(counts: Counts) -> tuple[str, ...]:
    """The groupings in the order of the config."""
    return tuple(grouping["name"] for grouping in counts.facts["groupings"])


def grouping_columns(counts: Counts, grouping: str) -> tuple[str, ...]:
    """The columns of a grouping."""
    return tuple(_grouping(counts, grouping)["columns"])


def grouping_notes(counts: Counts, grouping: str) -> tuple[str, ...]:
    """What must be said of a grouping: what was pooled, how intervals were made."""
    return tuple(_grouping(counts, grouping)["notes"])


def model_names(counts: Counts) -> tuple[str, ...]:
    """The models in the order of the config."""
    return tuple(model["name"] for model in counts.facts["models"])


def model_notes(counts: Counts, model: str) -> tuple[str, ...]:
    """What must be said of a model's column: missing predictions, scores that are no probabilities."""
    return tuple(counts.facts["models"][_index(counts, model)]["notes"])


def levels(counts: Counts, grouping: str) -> tuple[Level, ...]:
    """The groups of a grouping in their order."""
    table = counts.tables[f"levels/{grouping}"]
    columns = [name for name in table.columns if name.startswith("value")]
    return tuple(
        Level(
            name=row["name"],
            n=int(row["n"]),
            values=tuple(None if row[name] is None or row[name] != row[name] else row[name] for name in columns),
            missing=bool(row["missing"]),
            pooled=tuple(json.loads(row["pooled"])),
        )
        for row in table.to_dict("records")
    )


def cells(counts: Counts, grouping: str, model: str) -> CellArrays:
    """One model's cells, a group each, in the order of ``levels``."""
    table, name = _predictions(counts, grouping, model)
    return _cells(_array(table, name, _n_levels(counts, grouping)))


def overall_cells(counts: Counts, model: str) -> CellArrays:
    """One model's cells over all rows, as one group."""
    table, name = _predictions(counts, None, model)
    return _cells(_array(table, name, 1))


def joint(counts: Counts, grouping: str | None, first: str, second: str) -> JointCells:
    """How two models predict the same rows, per group; rows that lack either prediction are left out."""
    i, j = _index(counts, first), _index(counts, second)
    stem = "overall" if grouping is None else f"groups/{grouping}"
    n_models = len(counts.facts["models"])
    suffix = next(suffix for suffix, members in prediction_tables(n_models) if i in members and j in members)
    # Counts without small cells (reporter/small_cells/suppression.py) keep a table for each pair that they may show.
    table = counts.tables.get(_name(stem, f"/{min(i, j)},{max(i, j)}"), counts.tables.get(_name(stem, suffix)))
    if table is None:
        raise KeyError((grouping, first, second))
    result = np.zeros((_n_levels(counts, grouping), 3, 2, 2), np.int64)
    keep = ((table[f"m{i}"] >= 0) & (table[f"m{j}"] >= 0)).to_numpy()
    level = _level(table)[keep]
    label = table["label"].to_numpy().astype(np.int64)[keep]
    label[label < 0] = 2
    at = (level, label, *(table[f"m{k}"].to_numpy().astype(np.int64)[keep] for k in (i, j)))
    np.add.at(result, at, table["n"].to_numpy()[keep])
    return JointCells(result)


def has_joint(counts: Counts, first: str, second: str) -> bool:
    """Whether these counts tell how the two models predict the same rows; those without small cells may not."""
    i, j = sorted((_index(counts, first), _index(counts, second)))
    members = {i, j}
    whole = [suffix for suffix, models in prediction_tables(len(counts.facts["models"])) if members <= set(models)]
    return any(_name("overall", suffix) in counts.tables for suffix in (f"/{i},{j}", *whole))


def joint_scores(counts: Counts, first: str, second: str) -> JointScores | None:
    """The joint score table of two models over all rows, None when either has no scores or they have too many distinct pairs."""
    i, j = sorted((_index(counts, first), _index(counts, second)))
    names = grouping_names(counts)
    # Every row is in some group, so that all rows are the sum over any grouping.
    table = counts.tables.get(f"score pairs/m{i},m{j}/{names[0] if names else ''}")
    if table is None:
        return None
    sides = ("first", "second") if i == _index(counts, first) else ("second", "first")
    return JointScores(
        group=np.zeros(len(table), np.int64),
        label=table["label"].to_numpy().astype(np.int64),
        first=table[sides[0]].to_numpy(),
        second=table[sides[1]].to_numpy(),
        n=table["n"].to_numpy(),
    )


def score_table(counts: Counts, grouping: str | None, model: str) -> ScoreTable | ScoreGrid | None:
    """The scores of one model per group: exact, or a grid of 1,000 quantile bins; None for a model without scores."""
    facts = counts.facts["models"][_index(counts, model)]
    if facts["kind"] != "score" or "exact_scores" not in facts:
        return None
    table = _score_frame(counts, "scores" if facts["exact_scores"] else "grid", grouping, model)
    group = _level(table) if grouping is not None else np.zeros(len(table), np.int64)
    label = table["label"].to_numpy().astype(np.int64)
    if facts["exact_scores"]:
        return ScoreTable(group, label, table["score"].to_numpy(), table["n"].to_numpy())
    grid = ScoreGrid(group, label, *(table[name].to_numpy() for name in ("low", "high", "n", "total")))
    return grid.pooled() if grouping is None else grid


def score_moments(counts: Counts, grouping: str | None, model: str) -> ScoreMoments | None:
    """The sums behind AUC, Brier and mean score per group; None for a model without scores."""
    return _moments(counts, grouping, model, rest=False)


def rest_moments(counts: Counts, grouping: str, model: str) -> ScoreMoments | None:
    """The same for everyone who is not in the group; None for a model without scores."""
    return _moments(counts, grouping, model, rest=True)


def _moments(counts: Counts, grouping: str | None, model: str, *, rest: bool) -> ScoreMoments | None:
    index = _index(counts, model)
    facts = counts.facts["models"][index]
    if facts["kind"] != "score" or "exact_scores" not in facts:
        return None
    if not facts["exact_scores"]:
        table = counts.tables.get(f"{'rest' if rest else 'moments'}/{index}/{grouping or ''}")
        return None if table is None else _stored_moments(table)
    scores = score_table(counts, grouping, model)
    assert isinstance(scores, ScoreTable)
    return (table_rest_moments if rest else moments_from_table)(scores, _n_levels(counts, grouping))


def _stored_moments(table: pd.DataFrame) -> ScoreMoments:
    exact = {
        name: np.array([int(text) for text in table[name]], object) for name in ("placements", "squares1", "squares0")
    }
    plain = ("n1", "n0", "n", "error2", "error4", "total", "total2", "low", "high")
    return ScoreMoments(**exact, **{name: table[name].to_numpy() for name in plain})


def _score_frame(counts: Counts, kind: str, grouping: str | None, model: str) -> pd.DataFrame:
    names = grouping_names(counts)
    # Every row is in some group, so that all rows are the sum over any grouping.
    name = grouping if grouping is not None else (names[0] if names else "")
    return counts.tables[f"{kind}/{_index(counts, model)}/{name}"]


def _predictions(counts: Counts, grouping: str | None, model: str) -> tuple[pd.DataFrame, str]:
    index = _index(counts, model)
    tables = prediction_tables(len(counts.facts["models"]))
    stem = "overall" if grouping is None else f"groups/{grouping}"
    alone = counts.tables.get(_name(stem, f"/{index}"))
    if alone is not None:
        return alone, f"m{index}"
    suffix = next(suffix for suffix, members in tables if index in members)
    return counts.tables[_name(stem, suffix)], f"m{index}"


def _name(stem: str, suffix: str) -> str:
    return f"{stem}{suffix}"


def _array(table: pd.DataFrame, model: str, n_levels: int) -> Ints:
    """n[level, label, prediction], with 2 for missing."""
    result = np.zeros((n_levels, 3, 3), np.int64)
    label, prediction = (table[name].to_numpy().astype(np.int64) % 3 for name in ("label", model))
    np.add.at(result, (_level(table), label, prediction), table["n"].to_numpy())
    return result


def _cells(n: Ints) -> CellArrays:
    return CellArrays(
        tp=n[:, 1, 1],
        fp=n[:, 0, 1],
        tn=n[:, 0, 0],
        fn=n[:, 1, 0],
        unlabelled_positive=n[:, 2, 1],
        unlabelled_negative=n[:, 2, 0],
        labelled_without_prediction=n[:, 0, 2] + n[:, 1, 2],
        unlabelled_without_prediction=n[:, 2, 2],
    )


def _level(table: pd.DataFrame) -> Ints:
    if "level" not in table.columns:
        return np.zeros(len(table), np.int64)
    return table["level"].to_numpy().astype(np.int64)


def _n_levels(counts: Counts, grouping: str | None) -> int:
    return 1 if grouping is None else len(counts.tables[f"levels/{grouping}"])


def _grouping(counts: Counts, grouping: str) -> dict[str, Any]:
    for facts in counts.facts["groupings"]:
        if facts["name"] == grouping:
            found: dict[str, Any] = facts
            return found
    raise KeyError(grouping)


def _index(counts: Counts, model: str) -> int:
    return model_names(counts).index(model)
