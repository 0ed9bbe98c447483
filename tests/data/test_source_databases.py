"""Rows in DuckDB, SQLite and PostgreSQL are counted where they are, with the same result as in a file, byte by byte."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.config.loader import load_config
from reporter.data import cells, score_pairs, scores
from reporter.data.counts import Counts, count
from reporter.data.source import open_source
from reporter.errors import DataError, MissingExtraError

Count = Callable[..., Counts]

KEYS: dict[str, Any] = {
    "data": {"positive": "ill", "key": "id", "where": "age >= 20"},
    "models": [
        {"name": "new", "score": "s1", "threshold": 0.4, "rule": ">"},
        {"name": "old", "score": "s2"},
        {"name": "bits", "prediction": "d"},
    ],
    "groups": [
        "sex",
        {"column": "site", "at_least": 40},
        {"column": "age", "breaks": [40, 65]},
        {"column": "age2", "quantiles": 3},
        {"column": "age3", "width": 20},
        {"column": "age4", "breaks": 4},
        ["sex", "site"],
    ],
    "flags": {"rules": [{"metric": "auc", "difference": 0.1}]},
    "agreement": {"raters": {"nurse": "nurse", "doctor": "doctor"}},
}


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    n = 500
    age = rng.integers(18, 90, n).astype(float)
    age[:7] = np.nan
    frame = pd.DataFrame(
        {
            "id": np.arange(n),
            "sex": rng.choice(["F", "M", "NA", ""], n, p=[0.5, 0.4, 0.05, 0.05]),
            "site": rng.integers(1, 14, n),
            "age": rng.integers(18, 90, n),
            "age2": age,
            "age3": age,
            "age4": age,
            "y": rng.choice(["ill", "well", ""], n, p=[0.4, 0.5, 0.1]),
            "s1": np.round(rng.random(n), 3),
            "s2": np.round(rng.normal(size=n), 2),
            "d": rng.choice([0, 1], n),
            "nurse": rng.choice([0.0, 1.0, 2.0, np.nan], n),
            "doctor": rng.choice([0, 1, 2], n),
        }
    )
    frame.loc[10:20, "s1"] = np.nan
    return frame


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The URL of a server: the user's own, or a cluster that lives as long as the tests."""
    pytest.importorskip("psycopg", reason="PostgreSQL's driver is missing: pip install 'model-card-reporter[postgres]'")
    own = os.environ.get("REPORTER_TEST_POSTGRES")
    if own:
        yield own
        return
    binaries = [Path(found).parent for found in [shutil.which("initdb")] if found]
    binaries += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if not binaries:
        pytest.skip("PostgreSQL is missing: install the package postgresql, or set REPORTER_TEST_POSTGRES to a URL")
    # Not below pytest's folder, which only its owner may enter.
    folder = Path(tempfile.mkdtemp(prefix="reporter-postgres-"))
    as_user = _as_ordinary_user(folder)
    data, log = folder / "data", folder / "log"
    run = {"check": True, "capture_output": True, "cwd": folder}
    subprocess.run([*as_user, binaries[-1] / "initdb", "-D", data, "-U", "reader", "-A", "trust"], **run)
    port = str(50_000 + os.getpid() % 10_000)
    options = f"-p {port} -k {folder} -c listen_addresses=127.0.0.1 -c fsync=off"
    subprocess.run([*as_user, binaries[-1] / "pg_ctl", "-D", data, "-l", log, "-o", options, "-w", "start"], **run)
    try:
        yield f"postgres://reader:hush@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*as_user, binaries[-1] / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **run)
        shutil.rmtree(folder)


def _as_ordinary_user(folder: Path) -> list[str]:
    """PostgreSQL refuses to run as root: then it runs as its own user, to whom the folder is given."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, "postgres", "postgres")
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]


def _count_from(database: dict[str, str], environ: dict[str, str] | None = None, **keys: Any) -> Counts:
    config = {**KEYS, **keys}
    loaded = load_config(
        {**config, "data": {**config["data"], "source": database, "label": "y"}}, environ=environ or {}
    )
    return count(open_source(loaded), loaded)


def _bytes(counts: Counts, folder: Path) -> dict[str, bytes]:
    for name in ("source", "sha256", "inputs"):
        counts.facts.pop(name)
    counts.save(folder)
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _fill_postgres(url: str, frame: pd.DataFrame) -> None:
    import psycopg

    kinds = {"i": "integer", "f": "double precision", "O": "text"}
    columns = ", ".join(f"{name} {kinds.get(kind.kind, 'text')}" for name, kind in frame.dtypes.items())
    with psycopg.connect(url) as connection:
        connection.execute("drop table if exists scored cascade")
        connection.execute(f"create table scored ({columns})")
        marks = ", ".join(["%s"] * len(frame.columns))
        rows = frame.astype(object).where(frame.notna(), None).to_numpy().tolist()
        connection.cursor().executemany(f"insert into scored values ({marks})", rows)


@pytest.fixture
def everywhere(tmp_path: Path, frame: pd.DataFrame, postgres: str) -> dict[str, dict[str, str]]:
    import duckdb

    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("create table scored as select * from frame")
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as lite:
        frame.to_sql("scored", lite, index=False)
    _fill_postgres(postgres, frame)
    url = postgres.replace("hush", "${PASSWORD}")
    return {
        "duckdb": {"url": f"duckdb:///{tmp_path / 'a.duckdb'}", "table": "scored"},
        "duckdb query": {"url": f"duckdb:///{tmp_path / 'a.duckdb'}", "sql": "select * from scored;"},
        "sqlite": {"url": f"sqlite:///{tmp_path / 'a.sqlite'}", "table": "scored"},
        "sqlite query": {"url": f"sqlite:///{tmp_path / 'a.sqlite'}", "sql": "select * from scored"},
        "postgres": {"url": url, "table": "scored"},
        "postgres schema": {"url": url, "table": "public.scored"},
        "postgres query": {"url": url, "sql": "select * from scored where id >= 0"},
    }


@pytest.mark.parametrize("most", [200_000, 100], ids=["exact scores", "moments"])
def test_every_engine_gives_the_same_bytes(
    tmp_path: Path,
    frame: pd.DataFrame,
    everywhere: dict[str, dict[str, str]],
    counted: Count,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
) -> None:
    monkeypatch.setattr(scores, "MOST_SCORES", most)
    monkeypatch.setattr(score_pairs, "MOST_SCORES", most)
    expected = _bytes(counted(frame, **KEYS), tmp_path / "frame")
    assert any("moments" in name or "scores/" in name for name in Counts.load(tmp_path / "frame").tables)
    for name, database in everywhere.items():
        found = _count_from(database, {"PASSWORD": "hush"})
        assert "hush" not in str(found.facts)
        assert _bytes(found, tmp_path / name) == expected, name
    frame.to_csv(tmp_path / "a.csv", index=False)
    frame.to_parquet(tmp_path / "a.parquet")
    for file in ("a.csv", "a.parquet"):
        keys = KEYS if file == "a.parquet" else _with_floats_as_in_csv(frame, tmp_path)
        assert _bytes(counted(tmp_path / file, **keys), tmp_path / f"of {file}") == expected, file


def _with_floats_as_in_csv(frame: pd.DataFrame, folder: Path) -> dict[str, Any]:
    """A CSV of a float column says "1.0", which is another text than "1": the raters' columns are written as integers."""
    frame.astype({"nurse": "Int64"}).to_csv(folder / "a.csv", index=False)
    return KEYS


def test_a_duckdb_file_is_opened_read_only(tmp_path: Path) -> None:
    import duckdb

    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute("create table scored as select 1 as y, 1 as d")
    before = (tmp_path / "a.duckdb").read_bytes()
    loaded = load_config(
        {
            "data": {"source": {"url": f"duckdb:///{tmp_path / 'a.duckdb'}", "table": "scored"}, "label": "y"},
            "models": [{"name": "m", "prediction": "d"}],
        },
        environ={},
    )
    source = open_source(loaded)
    with pytest.raises(duckdb.Error, match="read-only"):
        source.backend.raw_sql("create table other as select 1")
    assert count(source, loaded).facts["n"] == 1
    assert (tmp_path / "a.duckdb").read_bytes() == before


def test_paths_of_database_files_are_relative_to_the_config(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    with closing(sqlite3.connect(tmp_path / "data" / "a b.sqlite")) as lite:
        pd.DataFrame({"y": [1, 0], "d": [1, 1]}).to_sql("scored", lite, index=False)
    config = tmp_path / "c.yaml"
    config.write_text(
        'data: {source: {url: "sqlite:///data/a b.sqlite", table: scored}, label: y}\n'
        "models: [{name: m, prediction: d}]\n"
    )
    loaded = load_config(config, environ={})
    assert cells.overall_cells(count(open_source(loaded), loaded), "m").tp.tolist() == [1]


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("postgres://reader:${PW}@127.0.0.1:1/db?application_name=${PW}", "127.0.0.1:1/db cannot be reached"),
        ("sqlite:///nowhere.db", "there is no file"),
        ("duckdb:///nowhere.db", "there is no file"),
        ("oracle://reader:${PW}@host/db", "the kind 'oracle'"),
    ],
)
def test_an_unreachable_database_is_said_without_its_password(url: str, message: str) -> None:
    config = {
        "data": {"source": {"url": url, "table": "t"}, "label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
    }
    loaded = load_config(config, environ={"PW": "hush-hush"})
    with pytest.raises(DataError, match=message) as caught:
        open_source(loaded)
    assert "hush" not in str(caught.value)
    assert caught.value.problems[0].key == "data.source.url"


def test_a_missing_table_names_the_nearest(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as lite:
        pd.DataFrame({"y": [1]}).to_sql("predictions", lite, index=False)
    with pytest.raises(DataError, match=r"'prediction'.*Did you mean 'predictions'"):
        _count_from({"url": f"sqlite:///{tmp_path / 'a.sqlite'}", "table": "prediction"})


def test_a_wrong_query_is_said_with_its_key(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as lite:
        pd.DataFrame({"y": [1]}).to_sql("predictions", lite, index=False)
    for sql in ("select nothing from predictions", "selekt 1", "drop table predictions"):
        with pytest.raises(DataError, match="the query of") as caught:
            _count_from({"url": f"sqlite:///{tmp_path / 'a.sqlite'}", "sql": sql})
        assert caught.value.problems[0].key == "data.source.sql"
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as lite:
        assert lite.execute("select count(*) from predictions").fetchone() == (1,)


def test_a_missing_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"model-card-reporter\[postgres\]"):
        _count_from({"url": "postgres://localhost/db", "table": "t"})


@pytest.mark.parametrize(
    ("url", "said", "shown"),
    [
        ("postgres://u:hush@h/db", "Connection refused by u, user u", "Connection refused by u, user u"),
        ("postgres://u:pw@h/db", 'failed for user "u" at pg://u:pw@h', 'failed for user "***" at pg://***:***@h'),
        ("postgres://u:p@h/db", "cannot open postgres://u:p@h/db: paused", "cannot open ***: paused"),
        ("postgres://reader:hush@h/db", "role \"reader\" has no 'hush', hushed", "role \"***\" has no '***', ***ed"),
        ("postgres://re%40d:hu%40sh@h/db", 'role "re@d" hu@sh hu%40sh', 'role "***" *** ***'),
    ],
)
def test_names_and_short_passwords_are_hidden_as_parts_and_not_inside_words(url: str, said: str, shown: str) -> None:
    from reporter.data.databases import _reason

    assert _reason(OSError(said), url) == shown
