"""Several crossings that share columns, a pooled group, missing labels: the solver looks for hidden counts in all of it at once."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import linprog
from scipy.sparse import csr_array

import reporter
from reporter.errors import DataError

K = 6
COLUMNS = ("sex", "origin", "site")
GROUPS: list[list[Any]] = [
    ["sex", "origin", "site", ["sex", "origin"], ["sex", "site"]],
    ["sex", ["sex", "origin"], ["origin", "site"], ["sex", "origin", "site"]],
    [["sex", "origin"], ["origin", "site"], ["sex", "site"]],
    ["sex", {"column": "site", "at_least": 60}, ["sex", "site"], ["origin", "site"]],
]


def people(seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    n = 900
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M"], n, p=[0.6, 0.4]),
            "origin": rng.choice(list("ABCD"), n, p=[0.5, 0.3, 0.15, 0.05]),
            "site": rng.choice(["n", "o", "p", "q"], n, p=[0.55, 0.3, 0.11, 0.04]),
            "y": rng.choice(["1", "0", None], n, p=[0.4, 0.5, 0.1]),
        }
    )
    frame["d"] = rng.choice([0, 1], n, p=[0.55, 0.45])
    return frame


def solve(report: dict[str, Any], frame: pd.DataFrame, asked: list[dict[str, Any]]) -> list[float]:
    """The largest count of each of ``asked`` that agrees with the report, by linear programming over all combinations."""
    labels = ("1", "0", "none")
    names = [sorted(frame[c].unique()) for c in COLUMNS]
    atoms = list(itertools.product(*names, labels, (0, 1)))
    keys = [*COLUMNS, "y", "d"]
    table = pd.DataFrame(atoms, columns=keys)

    def row(wanted: dict[str, Any]) -> np.ndarray[Any, Any]:
        mask = np.ones(len(table), bool)
        for key, value in wanted.items():
            mask &= (table[key] == value).to_numpy()
        return mask.astype(float)

    cells = {
        "tp": ("1", 1), "fp": ("0", 1), "tn": ("0", 0), "fn": ("1", 0), "unlabelled_positive": ("none", 1), "unlabelled_negative": ("none", 0),
    }  # fmt: skip
    equations, known = [], []

    def learn(found: dict[str, int], chosen: dict[str, Any]) -> None:
        for cell, (y, d) in cells.items():
            equations.append(row({**chosen, "y": y, "d": d}))
            known.append(found[cell])

    learn(report["models"][0]["cells"], {})
    for grouping in report["groupings"]:
        open_levels = {level["name"]: level["values"] for level in grouping["levels"] if not level["pooled"]}
        for result in grouping["results"]:
            if result["group"] in open_levels:
                learn(result["cells"], dict(zip(grouping["columns"], open_levels[result["group"]], strict=True)))
    system, right = csr_array(np.array(equations)), np.array(known, float)
    found = []
    for wanted in asked:
        best = linprog(-row(wanted), A_eq=system, b_eq=right, bounds=(0, None))
        assert best.status == 0, best.message
        found.append(-float(best.fun))
    return found


@pytest.mark.parametrize("groups", GROUPS, ids=range(len(GROUPS)))
@pytest.mark.parametrize("seed", range(3))
def test_no_small_count_of_any_combination_can_be_solved_for(groups: list[Any], seed: int) -> None:
    frame = people(seed)
    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": groups,
        "metrics": ["fnr", "referral_rate"],
        "small_cells": K,
    }
    report = json.loads(reporter.run(config, data=frame).to_json())
    whole = frame.fillna({"y": "none"})
    small: list[dict[str, Any]] = []
    for width in (1, 2, 3):
        for chosen in itertools.combinations(COLUMNS, width):
            counts = whole.groupby([*chosen, "y", "d"]).size()
            small += [dict(zip([*chosen, "y", "d"], key, strict=True)) for key, n in counts.items() if 0 < n < K]  # type: ignore[call-overload]
            sizes = whole.groupby(list(chosen)).size()
            small += [
                dict(zip(chosen, key if width > 1 else (key,) if not isinstance(key, tuple) else key, strict=True))  # type: ignore[arg-type]
                for key, n in sizes.items()
                if 0 < n < K
            ]
    picked = [small[i] for i in np.random.default_rng(seed).permutation(len(small))[:70]]
    assert len(picked) > 20
    for wanted, most in zip(picked, solve(report, whole, picked), strict=True):
        assert most >= K - 1e-6, wanted


def test_crossings_that_are_safe_as_they_are_stay_whole() -> None:
    frame = pd.DataFrame(
        {"sex": ["F", "M"] * 400, "site": (["n"] * 2 + ["o"] * 2) * 200, "y": [1, 0, 0, 1, 1, 1, 0, 0] * 100}
    )
    frame["d"] = [1, 1, 0, 0, 0, 1, 1, 0] * 100
    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["sex", "site", ["sex", "site"]],
        "small_cells": 11,
    }
    report = reporter.run(config, data=frame)
    assert [len(grouping.levels) for grouping in report.groupings] == [2, 2, 4]
    assert not any(level.pooled for grouping in report.groupings for level in grouping.levels)


def test_a_table_without_enough_rows_is_refused() -> None:
    frame = pd.DataFrame({"sex": ["F", "M"] * 10, "y": [1, 0] * 10, "d": [1, 0, 0, 1] * 5})
    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["sex"],
        "small_cells": 11,
    }
    with pytest.raises(DataError, match="a count over all rows lies between 1 and 10"):
        reporter.run(config, data=frame)
