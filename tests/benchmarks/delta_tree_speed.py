"""The time to grow Δ trees once the counts are in memory, against its limits and R's partykit.

    REPORTER_DATA=/path/to/data python tests/benchmarks/delta_tree_speed.py

COMPAS (3,283 rows, 6 covariates): at most 40 ms (partykit's mob: 350 ms of CPU on the same kind of machine). Adult (32,561 rows,
education as 16 unordered levels, wald): at most 0.6 s (partykit: minutes). Times are the best of several runs. Ends with 1
if a limit is missed.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from reporter.api.tree_arguments import Columns
from reporter.api.tree_data import tree_data
from reporter.stats.delta_spec import TreeSpec
from reporter.stats.delta_tree import grow

COMPAS = ("sex", "age_cat", "c_charge_degree", "juv_misd_count", "juv_fel_count", "juv_other_count")
ADULT = ("education", "age", "marital_status", "race")


def main() -> int:
    """Print one line a tree; 1 if one is too slow."""
    folder = Path(os.environ["REPORTER_DATA"], "golden", "delta_tree", "inputs")
    compas = pd.read_csv(folder / "compas_fpr_gt.csv")
    adult = pd.read_csv(folder / "adult.csv", keep_default_na=False)
    cases = [
        ("COMPAS wald", compas, COMPAS, {}, 0.040, 0.350),
        ("COMPAS score, all", compas, COMPAS, {"test": "score", "parameters": "all"}, 0.040, 0.350),
        ("Adult wald, 16 unordered levels", adult, ADULT, {"min_size": 500}, 0.600, None),
    ]
    slow = 0
    for name, frame, covariates, options, limit, peer in cases:
        seconds, n_leaves = timed(frame, covariates, options)
        slow += seconds > limit
        against = f", {peer / seconds:.0f} times as fast as partykit" if peer else ""
        print(
            f"{name:34}{len(frame):>8} rows {n_leaves:>3} leaves {seconds * 1000:>8.1f} ms "
            f"(limit {limit * 1000:.0f} ms{against})"
        )
    return 1 if slow else 0


def timed(frame: pd.DataFrame, covariates: tuple[str, ...], options: dict[str, object]) -> tuple[float, int]:
    """The best of seven runs, without the counting."""
    columns = Columns("A", ("m1", "m2"), None, covariates)
    found = tree_data(frame, columns, levels=None, positive=1, ordered={}, numeric=[], scored=False, keep_order=False)
    spec = TreeSpec(
        levels=found.levels,
        models=("m1", "m2"),
        covariates=found.covariates,
        **options,  # type: ignore[arg-type]
    )
    times = []
    n_leaves = 0
    for _ in range(7):
        begin = time.perf_counter()
        tree = grow(found.cube, spec, np.random.default_rng(0)).tree
        times.append(time.perf_counter() - begin)
        n_leaves = sum(not node.children for node in tree.nodes())
    return min(times), n_leaves


if __name__ == "__main__":
    sys.exit(main())
