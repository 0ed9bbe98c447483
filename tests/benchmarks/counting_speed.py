"""How fast and in how much memory rows become counts, against a peer and against the bare queries, in one run.

    python tests/benchmarks/counting_speed.py            everything at full size (about 10 minutes and 1 GB of disk)
    python tests/benchmarks/counting_speed.py --scale 0.1

Printed are ratios of wall-clock times of the same machine, each the best of ``--repeat`` runs, from config to Counts with imports done.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

RACES = np.array(["African-American", "Asian", "Caucasian", "Hispanic", "Native American", "Other"])
METRICS = ["accuracy", "referral_rate", "base_rate", "tpr", "fpr", "fnr", "tnr", "ppv", "npv"]
BY_RACE_AND_SEX: dict[str, Any] = {
    "models": [{"name": "m", "prediction": "d"}],
    "groups": [["race", "sex"]],
    "metrics": METRICS,
}


def main() -> None:
    """Print every ratio beside what it must reach."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies every number of rows")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=["peer", "counts", "auc", "memory", "linear"], nargs="*")
    parser.add_argument("--count", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.count:
        _count(options.count, **BY_RACE_AND_SEX)
        print(_peak())
        return
    parts: dict[str, Callable[[Path, float, int], None]] = {
        "peer": _against_fairlearn,
        "counts": _against_group_by,
        "auc": _against_rank,
        "memory": _memory,
        "linear": _linear,
    }
    with tempfile.TemporaryDirectory() as folder:
        warm = _write(Path(folder) / "warm.parquet", 1_000)
        _count(warm, **BY_RACE_AND_SEX)
        for name in options.only or parts:
            parts[name](Path(folder), options.scale, options.repeat)


def _against_fairlearn(folder: Path, scale: float, repeat: int) -> None:
    import functools
    import warnings

    import pandas as pd
    from fairlearn import metrics as peer
    from sklearn.metrics import accuracy_score, precision_score

    path = _write(folder / "peer.parquet", int(1_000_000 * scale))
    ours = _best(repeat, lambda: _count(path, **BY_RACE_AND_SEX))
    frame = pd.read_parquet(path)
    names = {
        "accuracy": accuracy_score,
        "referral_rate": peer.selection_rate,
        "base_rate": lambda y, d: peer.selection_rate(y, y),
        "tpr": peer.true_positive_rate,
        "fpr": peer.false_positive_rate,
        "fnr": peer.false_negative_rate,
        "tnr": peer.true_negative_rate,
        "ppv": functools.partial(precision_score, zero_division=np.nan),
        "npv": functools.partial(precision_score, pos_label=0, zero_division=np.nan),
    }

    def theirs() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            frames = peer.MetricFrame(
                metrics=names, y_true=frame["y"], y_pred=frame["d"], sensitive_features=frame[["race", "sex"]]
            )
            assert len(frames.by_group) == 12

    _print(f"fairlearn MetricFrame / ours, {len(frame):,} rows, 9 metrics", _best(1, theirs) / ours, "at least 100")


def _against_group_by(folder: Path, scale: float, repeat: int) -> None:
    path = _write(folder / "counts.parquet", int(10_000_000 * scale))
    bare = _best(repeat, lambda: _sql(f"SELECT race, sex, y, d, count(*) FROM '{path}' GROUP BY ALL"))
    ours = _best(repeat, lambda: _count(path, **BY_RACE_AND_SEX))
    _print(f"ours / bare GROUP BY, {_rows(path):,} rows", ours / bare, "at most 3")


def _against_rank(folder: Path, scale: float, repeat: int) -> None:
    path = _write(folder / "auc.parquet", int(10_000_000 * scale), score=True)
    bare = _best(
        repeat,
        lambda: _sql(
            "SELECT race, sum(place) FILTER (y = 1), count(*) FILTER (y = 1), count(*) FROM (SELECT race, y, "
            f"rank() OVER (PARTITION BY race ORDER BY s) AS place FROM '{path}') GROUP BY race"
        ),
    )
    keys: dict[str, Any] = {"models": [{"name": "m", "score": "s"}], "groups": ["race"], "metrics": ["auc"]}
    ours = _best(repeat, lambda: _count(path, **keys, flags={"rules": [{"metric": "fpr", "difference": 0.1}]}))
    _print(f"ours / bare rank query, AUC of {_rows(path):,} distinct scores by race", ours / bare, "at most 2")
    with_rule = _best(1, lambda: _count(path, **keys, flags={"rules": [{"metric": "auc", "difference": 0.1}]}))
    _print("  the same with a rule on AUC against the rest", with_rule / bare, "")


def _memory(folder: Path, scale: float, repeat: int) -> None:
    del repeat
    files = folder / "many"
    files.mkdir()
    first = _write(files / "part-0.parquet", int(10_000_000 * scale))
    for i in range(1, 10):
        (files / f"part-{i}.parquet").hardlink_to(first)
    command = [sys.executable, __file__, "--count", str(files / "*.parquet")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    gib = int(done.stdout) / 2**30
    _print(f"peak memory in GiB, {10 * _rows(first):,} rows as a glob", gib, "under 1.5")


def _peak() -> int:
    """The most bytes that this process held. What rusage says begins with the parent's peak on Linux, hence its other source."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _linear(folder: Path, scale: float, repeat: int) -> None:
    sizes = [int(n * scale) for n in (2_000_000, 4_000_000, 8_000_000)]
    times = []
    for n in sizes:
        path = _write(folder / f"linear-{n}.parquet", n)
        times.append(_best(repeat, lambda path=path: _count(path, **BY_RACE_AND_SEX)))  # type: ignore[misc]
    growth = (times[2] - times[1]) / (times[1] - times[0]) if times[1] > times[0] else float("nan")
    _print("growth from 4 to 8 million rows / from 2 to 4 million", growth, "about 2")


def _write(path: Path, n: int, *, score: bool = False) -> Path:
    rng = np.random.default_rng(1)
    with pq.ParquetWriter(path, _table(rng, 1, score).schema) as writer:
        for start in range(0, n, 1_000_000):
            writer.write_table(_table(rng, min(1_000_000, n - start), score))
    return path


def _table(rng: np.random.Generator, n: int, score: bool) -> pa.Table:
    columns = {
        "race": RACES[rng.choice(6, n, p=[0.5, 0.01, 0.34, 0.09, 0.01, 0.05])],
        "sex": np.array(["Female", "Male"])[rng.integers(0, 2, n)],
        "y": rng.integers(0, 2, n),
        "d": rng.integers(0, 2, n),
    }
    return pa.table({**columns, **({"s": rng.random(n)} if score else {})})


def _rows(path: Path) -> int:
    return int(pq.ParquetFile(path).metadata.num_rows)


def _count(path: Path | str, **keys: Any) -> None:
    from reporter.config.loader import load_config
    from reporter.data.counts import count
    from reporter.data.source import open_source

    loaded = load_config({"data": {"source": str(path), "label": "y"}, **keys}, environ={})
    count(open_source(loaded), loaded)


def _sql(query: str) -> None:
    import duckdb

    with duckdb.connect() as connection:
        connection.execute(query).fetchall()


def _best(repeat: int, work: Callable[[], None]) -> float:
    times = []
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def _print(what: str, value: float, must: str) -> None:
    print(f"{what}: {value:.2f}{f'   (must be {must})' if must else ''}", flush=True)


if __name__ == "__main__":
    main()
