"""Trees counted over codes have, to the last byte, the counts of trees counted over the values themselves."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from reporter.config.loader import LoadedConfig
from reporter.data import tree_codes, tree_engine, tree_scans
from reporter.data.counts import Counts, count
from reporter.data.source import open_source

Configure = Callable[..., LoadedConfig]

MODELS = [
    {"name": "old", "prediction": "d1", "positive": "yes"},
    {"name": "new", "score": "s2", "threshold": 0.4},
]
COVARIATES = [
    "sex",
    {"column": "age", "as": "numeric"},
    {"column": "stage", "order": ["I", "II", "III"]},
    "smokes",
    "weight",
    "visits",
    "day",
    "price",
    "written",
    "empty",
]
TREE: dict[str, Any] = {
    "compare": ["old", "new"],
    "attribute": "race",
    "levels": ["A", "B"],
    "split_on": COVARIATES,
    "min_size": 20,
    "alpha": 0.9,
    "max_depth": 4,
}


def drawn(seed: int) -> pd.DataFrame:
    """Rows with every kind of column, missing in every way."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(600, 1200))
    sex = rng.choice(np.array(["F", "M", "NA", "", "x y", None], object), n)
    s1 = np.round(rng.random(n), 2)
    s1[rng.random(n) < 0.02] = np.nan
    return pd.DataFrame(
        {
            "sex": pd.Categorical(sex) if seed % 2 else sex,
            "race": rng.choice(np.array(["A", "B", "C", "NA", None], object), n, p=[0.4, 0.4, 0.1, 0.05, 0.05]),
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.integers(20, 60, n)),
            "stage": rng.choice(np.array(["I", "II", "III", None], object), n),
            "smokes": rng.choice(np.array([True, False, None], object), n),
            "weight": rng.choice(np.array([0.1, -0.0, 0.0, 2.7, np.nan], np.float32), n).astype(np.float32),
            "visits": rng.integers(-3, 9, n).astype(np.int16),
            "day": pd.to_datetime(rng.choice(np.array(["2024-01-01", "2024-02-01", None], object), n)),
            "price": rng.choice(np.array([Decimal("0.10"), Decimal("2.50"), Decimal("7.25"), None], object), n),
            "written": rng.choice(["1", "1.0", "02", "-7", "NA"] if seed % 3 else ["1", "1.0", "2.5", "-7", "NA"], n),
            "empty": pd.Series([None] * n, dtype=object),
            "y": rng.choice(np.array(["good", "bad", "NA", None], object), n, p=[0.5, 0.4, 0.05, 0.05]),
            "s1": s1,
            "d1": np.where(s1 > 0.5, "yes", "no"),
            "s2": np.round(np.clip(s1 + np.where(sex == "F", 0.3, 0.0) + rng.normal(0, 0.2, n), 0, 1), 2),
        }
    )


def configured_tree(configured: Configure, **tree: Any) -> LoadedConfig:
    data = {"missing": ["", "NA"], "positive": "bad"}
    models = MODELS if tree.get("rate") != "score" else [{"name": "old", "score": "s1"}, MODELS[1]]
    return configured("(frame)", data=data, models=models, trees=[{**TREE, **tree}])


def saved(counts: Counts, folder: Path) -> dict[str, bytes]:
    counts.save(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("cells", [10, 3_000_000])
@pytest.mark.parametrize("rate", ["referral", "fpr", "score"])
@pytest.mark.parametrize("seed", range(3))
def test_counts_over_codes_are_those_over_values(
    tmp_path: Path, configured: Configure, monkeypatch: pytest.MonkeyPatch, seed: int, rate: str, cells: int
) -> None:
    frame, loaded = drawn(seed), configured_tree(configured, rate=rate)
    monkeypatch.setattr(tree_scans, "CUBE_CELLS", cells)
    monkeypatch.setattr(tree_scans, "MOST_VALUES", 30)
    by_value = count(open_source(loaded, data=frame), loaded)
    monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    # Sets of levels are bits of a number or, beyond these, a list.
    monkeypatch.setattr(tree_engine, "LAST_BIT", 62 if seed else 1)
    by_code = count(open_source(loaded, data=frame), loaded)
    facts = by_value.facts["trees"][0]
    assert facts["cube"] == (cells > 10)
    assert facts["cube"] or len(facts["requests"]) > len(COVARIATES), "the tree has more than a root"
    assert saved(by_code, tmp_path / "code") == saved(by_value, tmp_path / "value")


def test_a_table_of_codes_is_small_numbers_and_is_dropped(
    configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = ibis.duckdb.connect()
    frame = drawn(1).drop(columns=["day", "empty"])
    frame["sex"] = frame["sex"].astype(object)
    connection.con.register("frame", pa.Table.from_pandas(frame, preserve_index=False))
    connection.raw_sql("CREATE TABLE people AS SELECT * FROM frame")
    loaded = configured_tree(configured, split_on=["sex", "age", "visits"])
    source = open_source(loaded, data=connection.table("people"))
    from reporter.data.checks import plan

    (tree,) = plan(source, loaded).trees
    monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    with tree_codes.kept(tree, source.n) as light:
        kinds = {str(kind) for kind in light.scan.source.table.schema().types}
        assert kinds == {"int8"}
        assert light.scan.source.fetch_number(light.scan.source.table.count()) == source.n
        assert _tables(connection) == 2
    assert _tables(connection) == 1


def test_a_table_of_codes_is_not_kept_when_it_would_be_large(
    configured: Configure, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, loaded = drawn(2), configured_tree(configured, split_on=["sex", "age"])
    source = open_source(loaded, data=frame)
    from reporter.data.checks import plan

    (tree,) = plan(source, loaded).trees
    with tree_codes.kept(tree, source.n) as few:
        assert few is tree
    monkeypatch.setattr(tree_codes, "FEWEST_ROWS", 1)
    monkeypatch.setattr(tree_codes, "MOST_BYTES", source.n)
    with tree_codes.kept(tree, source.n) as large:
        assert large is tree


def _tables(connection: Any) -> int:
    return len(connection.raw_sql("SELECT * FROM duckdb_tables() WHERE NOT internal").fetchall())
