"""``reporter render report.json`` makes the files that the run made, byte for byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporter.cli import _guarded
from reporter.render.as_json import report_from_json
from reporter.runner import run

CONFIG = """
card: {name: Loans, version: "1.0", summary: "Decides *who* is asked for papers."}
data: {source: data.csv, label: y}
groups: [sex, [sex, site], {column: age, breaks: [30, 60]}]
models: [{name: old, score: s}, {name: new, prediction: d}]
metrics: all
flags: {rules: [{metric: tpr, difference: 0.05}, {metric: fpr, reference: largest, ratio: 0.8, severity: warn}]}
agreement: {pairs: all}
"""
TEXTS = "json,html,markdown,csv,junit,github,gitlab,sarif,cyclonedx,model_index,chai_xml"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    lines = ["sex,site,age,y,s,d"]
    for i in range(600):
        y, sex = int(i % 5 < 2), "fm"[i % 2] if i % 97 else ""
        score = (i * 37 % 101) / 100
        lines.append(f"{sex},{i % 3},{20 + i % 50},{'' if i % 41 == 0 else y},{score},{int(score + 0.3 * y > 0.6)}")
    (tmp_path / "data.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "c.yaml").write_text(CONFIG)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("formats", [TEXTS, pytest.param("pdf,json", marks=pytest.mark.needs("pango"))])
def test_a_report_renders_to_the_same_bytes_as_its_run(folder: Path, formats: str) -> None:
    config, first, again = str(folder / "c.yaml"), folder / "first", folder / "again"
    code = _guarded(["run", config, "-q", "--out", str(first), "--format", formats])
    assert code in (0, 1)
    assert _guarded(["render", str(first / "report.json"), "-q", "--out", str(again), "--format", formats]) == code
    made, remade = files(first), files(again)
    assert sorted(made) == sorted(remade)
    assert [name for name in made if made[name] != remade[name]] == []


def test_a_report_that_was_read_lists_metrics_in_the_order_of_the_run(folder: Path) -> None:
    report = run(folder / "c.yaml")
    again = report_from_json(report.to_json())
    assert again.groups.equals(report.groups)
    assert list(again.models[0].metrics) == list(report.models[0].metrics)
    assert list(again.model_pairs[0].differences) == list(report.model_pairs[0].differences)
