"""Δ trees on 10 million rows, 8 covariates, depth 5, against plain GROUP BY scans of the same file.

    python tests/benchmarks/tree_scale.py [ROWS]

A plain scan counts one covariate, the attribute, the label and both predictions over all rows, in the same engine and process: the
median over the eight covariates. A tree's cost is what it adds to a run: a run with it minus the same run without it, that is reading
the covariates, counting and growing. At most 15 scans where the cells of all covariates fit (a cube), 60 where they do not. Ends with 1
if a ratio is missed. Both clocks are printed; the bound is on CPU seconds, which other work on the machine moves least.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import duckdb

from reporter.config.loader import load_config
from reporter.runner import evaluate

ROWS = 10_000_000
DEPTH = 5
CASES = {
    "all cells fit": ((2, 3, 4, 5, 2, 3, 6, 4), 15.0, True),
    "they do not": ((2, 3, 16, 5, 40, 90, 500, 4), 60.0, False),
}
"""The covariates' numbers of levels, the bound in scans, and whether a cube is expected."""


def main() -> int:
    """Print one line a case; 1 if a bound is missed or a tree is not as deep as it should be."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        # The first run imports everything.
        _write(path, 10_000, CASES["all cells fit"][0])
        _run(path, CASES["all cells fit"][0], trees=True)
        missed = [_missed(path, n, name) for name in CASES]
        return int(any(missed))


def _missed(path: Path, n: int, name: str) -> bool:
    levels, bound, wants_cube = CASES[name]
    _write(path, n, levels)
    scans = [_timed(partial(_plain_scan, path, j))[1:] for j in range(len(levels))]
    wall, cpu = (statistics.median(scan[k] for scan in scans) for k in (0, 1))
    _, bare_wall, bare_cpu = _timed(partial(_run, path, levels, trees=False))
    done, whole_wall, whole_cpu = _timed(partial(_run, path, levels, trees=True))
    ratio = (whole_cpu - bare_cpu) / cpu
    (tree,) = done.report.trees
    depth = _depth(tree.root)
    is_cube = done.counts.facts["trees"][0]["cube"]
    print(
        f"{name:14} {n:>11,} rows, depth {depth}, {sum(not node.children for node in tree.nodes())} leaves: "
        f"{ratio:5.1f} plain scans of CPU (at most {bound:.0f}), {(whole_wall - bare_wall) / wall:5.1f} by the clock "
        f"(scan {wall:.2f} s, CPU {cpu:.2f} s; run without tree {bare_wall:.2f} s, with {whole_wall:.2f} s)"
    )
    return ratio > bound or depth != DEPTH or is_cube != wants_cube


def _timed(work: Callable[[], Any]) -> tuple[Any, float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    done = work()
    return done, time.perf_counter() - wall, time.process_time() - cpu


def _write(path: Path, n: int, levels: tuple[int, ...]) -> None:
    """Rows whose Δ differs over every covariate; hashes instead of random numbers, so that every run writes the same."""
    columns = ", ".join(
        f"(hash(i * 31 + {j}) % {k})::integer as n{j}" if k > 20 else f"'v' || (hash(i * 31 + {j}) % {k}) as n{j}"
        for j, k in enumerate(levels)
    )
    # Each covariate's upper half adds to the second group's rate under the new model, ever less.
    lifts = " + ".join(
        f"case when {f'n{j}' if k > 20 else f'substr(n{j}, 2)::integer'} * 2 >= {k} then {60 // (j + 1)} else 0 end"
        for j, k in enumerate(levels)
    )
    duckdb.sql(
        f"""copy (
            with rows as (select i, {columns} from range({n}) t(i)),
            drawn as (select *, hash(i * 31 + 20) % 2 as g, hash(i * 31 + 21) % 2 as y, hash(i * 31 + 22) % 1000 as u,
                      {lifts} as lift from rows)
            select * exclude (g, y, u, lift, i), case when g = 1 then 'B' else 'A' end as attribute, y::tinyint as label,
                   (u < 300)::tinyint as old, (u < 320 + g * lift)::tinyint as new from drawn
        ) to '{path}' (format parquet)"""
    )


def _plain_scan(path: Path, j: int) -> None:
    query = f"select n{j}, attribute, label, old, new, count(*) from '{path}' group by all"
    assert duckdb.sql(query).fetchall()


def _run(path: Path, levels: tuple[int, ...], *, trees: bool) -> Any:
    tree = {
        "compare": ["old", "new"],
        "attribute": "attribute",
        "levels": ["A", "B"],
        "rate": "fpr",
        "split_on": [f"n{j}" for j in range(len(levels))],
        "max_depth": DEPTH,
        "min_size": 1000,
    }
    keys = {
        "data": {"source": str(path), "label": "label"},
        "models": [{"name": "old", "prediction": "old"}, {"name": "new", "prediction": "new"}],
        "groups": ["attribute"],
        "trees": [tree] if trees else [],
    }
    return evaluate(load_config(keys, environ={}))


def _depth(node: Any) -> int:
    return 1 + max(map(_depth, node.children)) if node.children else 0


if __name__ == "__main__":
    sys.exit(main())
