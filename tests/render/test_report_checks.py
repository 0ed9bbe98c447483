"""A stored report that was changed by hand: what its parts say of each other is told by file and place, not by a traceback."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporter.cli import _guarded
from reporter.runner import run

FORMATS = "json,html,markdown,csv,junit,github,gitlab,sarif,cyclonedx,model_index,chai_xml"


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("stored")
    rows = "".join(f"{'fm'[i % 2]},{i % 2},{i % 3 % 2},{i % 10 / 10}\n" for i in range(200))
    (folder / "d.csv").write_text(f"sex,y,d,s\n{rows}")
    keys = {
        "data": {"source": str(folder / "d.csv"), "label": "y"},
        "models": [{"name": "a", "prediction": "d"}, {"name": "b", "score": "s"}],
        "groups": ["sex"],
        "metrics": ["accuracy", "fnr"],
        "flags": {"rules": [{"metric": "fnr", "difference": 0.1}]},
        "agreement": {},
    }
    return run(keys).to_json()


def _created(report: Any) -> None:
    report["provenance"]["created"] = "x"


def _no_zone(report: Any) -> None:
    report["provenance"]["created"] = "2026-01-15T09:00:00"


def _no_models(report: Any) -> None:
    report["models"] = []


def _grouping(report: Any) -> None:
    report["comparisons"][0]["grouping"] = "x"


def _model(report: Any) -> None:
    report["comparisons"][1]["model"] = "x"


def _metric(report: Any) -> None:
    report["comparisons"][0]["metric"] = "x"


def _no_result(report: Any) -> None:
    del report["groupings"][0]["results"][0]


def _group(report: Any) -> None:
    report["groupings"][0]["results"][0]["group"] = "x"


def _missing_metric(report: Any) -> None:
    del report["groupings"][0]["results"][0]["metrics"]["fnr"]


def _pair(report: Any) -> None:
    report["model_pairs"][0]["second"] = "x"


def _agreement(report: Any) -> None:
    report["agreement_section"]["results"][-1]["grouping"] = "x"


def _formats(report: Any) -> None:
    report["settings"]["formats"] = 3


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (_created, "provenance.created: found 'x', expected a moment"),
        (_no_zone, "provenance.created: found '2026-01-15T09:00:00', expected a moment"),
        (_no_models, "models: found no model"),
        (_grouping, "comparisons[0].grouping: found 'x', which is no grouping of this report"),
        (_model, "comparisons[1].model: found 'x', which is no model of this report"),
        (_metric, "comparisons[0].metric: found 'x', which is no metric of this report"),
        (_no_result, "groupings[0].results: found none of 'a' in the group 'f'"),
        (_group, "groupings[0].results[0].group: found 'x', which is no group of this report"),
        (_missing_metric, "groupings[0].results[0].metrics: found no fnr"),
        (_pair, "model_pairs[0].second: found 'x', which is no model of this report"),
        (_agreement, "].grouping: found 'x', which is no grouping of this report"),
        (_formats, "settings.formats: found something else, expected a list of formats"),
    ],
)
def test_a_contradiction_is_told_with_its_file_and_place(
    tmp_path: Path, stored: str, capsys: pytest.CaptureFixture[str], change: Callable[[Any], None], place: str
) -> None:
    report = json.loads(stored)
    change(report)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert _guarded(["render", str(path), "-q", "--format", FORMATS, "--out", str(tmp_path / "o")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"{path} " in err
    assert place in err
    assert not (tmp_path / "o").exists()


def test_deep_nesting_is_told_with_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.json"
    path.write_text("[" * 100_000 + "]" * 100_000)
    assert _guarded(["render", str(path), "-q"]) == 2
    assert capsys.readouterr().err == f"{path}: not a report: its values are nested too deep\n"
    for command in (["compare", str(path), str(path)], ["compare", str(path), str(path), "--json"]):
        assert _guarded(command) == 2
        assert "nested too deep" in capsys.readouterr().err


def test_the_formats_of_a_stored_report_are_known_ones(
    tmp_path: Path, stored: str, capsys: pytest.CaptureFixture[str]
) -> None:
    report = json.loads(stored)
    path = tmp_path / "report.json"
    for formats, said in ((["json", "x"], "settings.formats: found 'x', expected one of "), (None, "names no format")):
        report["settings"]["formats"] = formats
        if formats is None:
            del report["settings"]["formats"]
        path.write_text(json.dumps(report))
        assert _guarded(["render", str(path), "-q", "--out", str(tmp_path / "o")]) == 2
        err = capsys.readouterr().err
        assert said in err
        assert str(path) in err
    assert _guarded(["render", str(path), "-q", "--format", FORMATS, "--out", str(tmp_path / "o")]) in (0, 1)


def test_a_number_of_any_size_is_shown(tmp_path: Path, stored: str, capsys: pytest.CaptureFixture[str]) -> None:
    report = json.loads(stored)
    report["models"][0]["metrics"]["accuracy"]["value"] = 1e300
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    assert _guarded(["render", str(path), "-q", "--format", FORMATS, "--out", str(tmp_path / "o")]) in (0, 1)
