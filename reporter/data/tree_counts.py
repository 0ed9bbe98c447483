"""What Δ trees are grown from: one cube of all covariates for each tree, or, where it is too large, the tables that growing asked for.

- ``trees/<i>``: c0, c1, ... (covariate codes, the missing one last), group (the attribute's code), label (0, 1, 2 for none), first, second (predictions or
  scores; no second for a tree of one model) -> n, for tree i of the config, rows outside the attribute's levels or without a prediction left out
- ``trees/<i>/<k>``: region, code, group, label, first, second -> n (or the six sums of scores): answer k to a request while growing

``facts["trees"]`` describes each: labels, covariates, notes, and the requests in their order. A record holds exactly what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reporter.data.scan import add_up
from reporter.data.tree_checks import no_halves
from reporter.data.tree_codes import coded, kept
from reporter.data.tree_engine import EngineCounter
from reporter.data.tree_plans import TreePlan, tree_plans
from reporter.data.tree_scans import TreeScan
from reporter.errors import DataError

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.checks import Plan


def count_trees(
    tables: dict[str, pd.DataFrame],
    facts: dict[str, Any],
    made: Plan,
    loaded: LoadedConfig,
    *,
    told: Callable[[str], None],
) -> None:
    """Add the tables and facts of every tree."""
    facts["trees"] = []
    for index, scan in enumerate(made.trees):
        known = described(scan)
        cube = _cube(coded(scan, made.n), made)
        if cube is not None:
            tables[f"trees/{index}"] = cube[0]
            known["left_out"] = cube[1]
        known["cube"] = cube is not None
        facts["trees"].append(known)
    for index, plans in groupby(tree_plans(facts, loaded.config), key=lambda plan: plan.index):
        if not facts["trees"][index]["cube"]:
            _grow(tables, facts, made, loaded, index, plans, told)


def described(scan: TreeScan) -> dict[str, Any]:
    """The facts of a tree that are known before anything is counted."""
    return {
        "labels": list(scan.labels),
        "scored": scan.scored,
        "n_models": len(scan.models),
        "covariates": [
            {
                "name": one.covariate.name,
                "kind": one.covariate.kind,
                "levels": list(one.covariate.levels),
                "values": list(one.covariate.values),
            }
            for one in scan.covariates
        ],
        "notes": list(scan.notes),
        "left_out": {},
        "requests": [],
    }


def _cube(scan: TreeScan, made: Plan) -> tuple[pd.DataFrame, dict[str, Any]] | None:
    """The cube and the rows left out of it; None when it has too many cells."""
    margin = scan.scan.joint()
    if margin is None:
        return None
    group = scan.group_codes()[margin.column("attribute")]
    outcomes = outcome_columns(scan, made, {name: margin.column(name) for name in margin.names})
    predicted = np.logical_and.reduce([~np.isnan(outcomes[name]) for name in outcomes if name != "label"])
    left_out = rows_left_out(scan, group, predicted, margin.n)
    keep = (group >= 0) & predicted
    columns: dict[str, Any] = {
        f"c{j}": scan.covariate_codes(one)[margin.column(one.scan_name)][keep].astype(np.int32)
        for j, one in enumerate(scan.covariates)
    }
    columns["group"] = group[keep].astype(np.int32)
    columns["label"] = outcomes["label"][keep].astype(np.int8)
    for name in ("first", "second"):
        if name in outcomes:
            columns[name] = outcomes[name][keep] if scan.scored else outcomes[name][keep].astype(np.int8)
    columns["n"] = margin.n[keep]
    if scan.scored:
        frame = pd.DataFrame(columns)
        return frame.groupby([name for name in columns if name != "n"], sort=True)[["n"]].sum().reset_index(), left_out
    keys = [name for name in columns if name != "n"]
    summed = add_up(keys, [columns[name].astype(np.int64) for name in keys], columns["n"])
    kept = {name: summed.column(name).astype(columns[name].dtype) for name in keys}
    return pd.DataFrame({**kept, "n": summed.n}), left_out


def outcome_columns(scan: TreeScan, made: Plan, codes: dict[str, Any]) -> dict[str, Any]:
    """Label (0, 1, 2 for none) and predictions or scores (NaN where missing) of combinations of scan codes."""
    length = len(codes["attribute"])
    found: dict[str, Any] = {"label": np.full(length, 2, np.int64)}
    if made.label is not None:
        found["label"] = label_codes(scan, made)[codes["label"]]
    for name, i in zip(("first", "second"), scan.models, strict=False):
        key = f"model {i}"
        if scan.scored:
            values = np.array([np.nan if text is None else float(text) for text in scan.scan.texts[key]])
        else:
            bits = _translated(scan, made, key, made.models[i]).astype(float)
            values = np.where(bits < 0, np.nan, bits)
        found[name] = values[codes[key]]
    return found


def label_codes(scan: TreeScan, made: Plan) -> Any:
    """Scan code -> label 0, 1, or 2 for none."""
    assert made.label is not None
    bits = _translated(scan, made, "label", made.label)
    return np.where(bits < 0, 2, bits)


def rows_left_out(scan: TreeScan, group: Any, predicted: Any, n: Any) -> dict[str, Any]:
    """How many rows no tree of the entry counts: ``other`` have none of its levels, ``unpredicted`` lack a prediction, by level."""
    return {
        "other": int(n[group < 0].sum()),
        "unpredicted": [int(n[(group == code) & ~predicted].sum()) for code in range(len(scan.labels))],
    }


def _translated(scan: TreeScan, made: Plan, name: str, bits: Any) -> Any:
    """The main scan's reading of a column's values, for this scan's codes."""
    assert made.scan is not None
    place = {text: code for code, text in enumerate(made.scan.texts[name])}
    return np.array([bits[place[text]] for text in scan.scan.texts[name]], np.int64)


def _grow(
    tables: dict[str, pd.DataFrame],
    facts: dict[str, Any],
    made: Plan,
    loaded: LoadedConfig,
    index: int,
    plans: Iterable[TreePlan],
    told: Callable[[str], None],
) -> None:
    """Grow the trees of an entry without a cube once, only to learn which tables they ask for."""
    from reporter.stats.delta_tree import grow

    known = facts["trees"][index]
    with kept(made.trees[index], made.n) as scan:
        if scan.tree.honest and scan.kept_as is None:
            raise DataError(no_halves(loaded, index))
        counter = EngineCounter(scan, made)
        known["left_out"] = counter.left_out()
        for plan in plans:
            told(f"tree {plan.name}")
            grow(counter, plan.spec, plan.rng())
            # What is said of a tree's rows is about both halves.
            counter.tables([()], plan.spec.covariates[:1])
    for k, (request, table) in enumerate(counter.recorded.items()):
        known["requests"].append(request)
        tables[f"trees/{index}/{k}"] = table
