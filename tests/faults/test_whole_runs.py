"""Public fault kinds through the command line: what a run leaves in every format, and nothing outside its folder."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from reporter.cli import _guarded

ALL_TEXTS = "json,html,markdown,csv,junit,github"
CONFIG = """
data: {{source: {source}, label: y}}
groups: [g]
models: [{{name: m, prediction: d}}]
flags: {{rules: [{{metric: fnr, difference: 0.05}}]}}
"""


def write(folder: Path, rows: list[str], config: str = CONFIG) -> Path:
    (folder / "data.csv").write_text("g,y,d\n" + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "c.yaml").write_text(config.format(source="data.csv"), encoding="utf-8")
    return folder / "c.yaml"


def everything(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("out", ["a b", "größe", "x/../y", "deep/er", 'it\'s "q"', "[x]*", "--", "o.html"])
def test_files_are_exactly_where_out_says_and_nothing_is_outside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    config = write(tmp_path, ["a,1,1", "a,0,0", "b,1,0"])
    (tmp_path / "x").mkdir()
    here = tmp_path / "elsewhere"
    here.mkdir()
    monkeypatch.chdir(here)
    before = everything(tmp_path)
    assert _guarded(["run", str(config), "-q", "--out", out, "--format", "json,csv"]) == 0
    made = {
        str((here / out / name).resolve()) for name in ("report.json", "tables/models.csv", "tables/comparisons.csv")
    }
    made.add(str((here / out / "tables/groups_g.csv").resolve()))
    assert {str(tmp_path / name) for name in everything(tmp_path) - before} == made


def test_an_undefined_rate_has_its_reason_in_every_format(tmp_path: Path) -> None:
    rows = [f"healthy,0,{i % 2}" for i in range(40)] + [f"both,{i % 2},{i % 3 % 2}" for i in range(40)] + [",1,1"]
    out = tmp_path / "o"
    assert _guarded(["run", str(write(tmp_path, rows)), "-q", "--out", str(out), "--format", ALL_TEXTS]) == 0

    report = json.loads((out / "report.json").read_text(), parse_constant=pytest.fail)
    results = {one["group"]: one["metrics"]["fnr"] for one in report["groupings"][0]["results"]}
    assert list(results) == ["both", "healthy", "(missing)"]
    assert sum(level["n"] for level in report["groupings"][0]["levels"]) == len(rows)
    healthy = results["healthy"]
    assert (healthy["value"], healthy["reason"]) == (None, "no row labelled 1")
    assert (healthy["n"], healthy["numerator"], healthy["denominator"]) == (0, 0, 0)

    table = list(csv.DictReader(io.StringIO((out / "tables" / "groups_g.csv").read_text())))
    (row,) = [row for row in table if row["group"] == "healthy" and row["metric"] == "fnr"]
    assert (row["value"], row["low"], row["high"], row["reason"]) == ("", "", "", "no row labelled 1")

    cases = {case.get("name"): case for case in ElementTree.parse(out / "junit.xml").iter("testcase")}
    skipped = cases["fnr/g/healthy/m"].find("skipped")
    assert skipped is not None
    assert "undefined (no row that is positive)" in (skipped.get("message") or ""), "in the words of the card"
    for name in ("card.html", "card.md"):
        text = (out / name).read_text()
        assert "undefined" in text
        assert "(missing)" in text
        assert ">NaN<" not in text


def test_five_hundred_flags_stay_inside_the_limits_of_a_pipeline(tmp_path: Path) -> None:
    rows = [f"{'name ' * 30}{k},1,{int(k % 2 == 0)}" for k in range(500) for _ in range(40)]
    out = tmp_path / "o"
    assert _guarded(["run", str(write(tmp_path, rows)), "-q", "--out", str(out), "--format", "github,json"]) == 1
    flagged = json.loads((out / "report.json").read_text())["verdict"]["n_flagged"]
    assert flagged == 500
    summary = (out / "summary.md").read_bytes()
    assert len(summary) < 2**20
    assert b"500 diverging" in summary
    lines = (out / "annotations.txt").read_text().splitlines()
    assert len(lines) == 10
    assert "and 491 more of 500" in lines[-1]


def test_what_the_environment_holds_is_in_no_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    with sqlite3.connect(tmp_path / "swordfish-41.db") as database:
        database.execute("create table t (g text, y integer, d integer)")
        database.executemany("insert into t values (?, ?, ?)", [("a", 1, 1), ("b", 0, 1)] * 20)
    database.close()
    config = write(tmp_path, ["a,1,1"], CONFIG.replace("{source}", '{{url: "sqlite:///${{SECRET}}.db", table: t}}'))
    monkeypatch.setenv("SECRET", "swordfish-41")
    out = tmp_path / "o"
    code = _guarded(
        ["run", str(config), "--out", str(out), "--archive", str(tmp_path / "archive"), "--format", ALL_TEXTS]
    )
    said = "".join(capfd.readouterr())
    assert code == 0, said
    assert "swordfish" not in said
    written = [path for folder in (out, tmp_path / "archive") for path in folder.rglob("*") if path.is_file()]
    assert len(written) > 10
    assert [path.name for path in written if b"swordfish" in path.read_bytes()] == []
