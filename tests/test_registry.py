"""Logging to MLflow, with a local tracking store."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from reporter.errors import ConfigError
from reporter.registry import log_to_mlflow
from reporter.runner import run_to_files

ROWS = "group,y,d\n" + "".join(
    f"{g},1,{d}\n" * n for g, d, n in [("a", 1, 90), ("a", 0, 10), ("b", 1, 30), ("b", 0, 70)]
)


def config(folder: Path, **mlflow: str) -> Path:
    (folder / "people.csv").write_text(ROWS)
    keys: dict[str, Any] = {
        "card": {"name": "Triage", "version": "2"},
        "data": {"source": "people.csv", "label": "y"},
        "models": [{"name": "m (new)", "prediction": "d"}],
        "groups": ["group"],
        "metrics": ["fnr", "fpr"],
        "output": {"formats": ["json", "csv"], **({"mlflow": mlflow} if mlflow else {})},
    }
    (folder / "card.yaml").write_text(json.dumps(keys))
    return folder / "card.yaml"


@pytest.mark.needs("mlflow")
@pytest.mark.filterwarnings("ignore")
def test_a_run_is_logged_with_its_metrics_verdict_and_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    written = run_to_files(config(tmp_path, tracking_uri="store", experiment="cards"))
    assert written.problems == ()
    from mlflow import MlflowClient

    client = MlflowClient(tracking_uri=(tmp_path / "store").as_uri())
    experiment = client.get_experiment_by_name("cards")
    assert experiment is not None
    (run,) = client.search_runs([experiment.experiment_id])
    assert run.info.status == "FINISHED"
    assert {name: value for name, value in run.data.metrics.items() if "/" in name} == {
        "m _new_/fnr": 0.4,
        "m _new_/referral_rate": 0.6,
    }
    assert run.data.metrics["n_flagged"] == written.report.verdict.n_flagged
    assert run.data.tags["reporter.verdict"] == written.report.verdict.outcome
    assert run.data.tags["mlflow.runName"] == "Triage 2"
    files = {item.path for item in client.list_artifacts(run.info.run_id, "model-card")}
    assert "model-card/report.json" in files
    assert "model-card/tables" in files


@pytest.mark.needs("mlflow")
@pytest.mark.filterwarnings("ignore")
def test_a_store_that_refuses_is_a_problem_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("not a folder")
    written = run_to_files(config(tmp_path, tracking_uri="store"))
    assert written.exit_code == 4
    assert "the run could not be logged to MLflow" in str(written.problems[0])
    assert (tmp_path / "report" / "report.json").is_file()


def test_without_the_extra_the_other_outputs_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "mlflow", None)
    written = run_to_files(config(tmp_path, tracking_uri="store"))
    assert written.exit_code == 4
    assert "pip install 'model-card-reporter[mlflow]'" in str(written.problems[0])
    assert (tmp_path / "report" / "report.json").is_file()


def test_nothing_is_logged_unless_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reporter.registry.log_to_mlflow", lambda *a, **k: pytest.fail("logged"))
    assert run_to_files(config(tmp_path)).problems == ()
    assert callable(log_to_mlflow)
    with pytest.raises(ConfigError, match="tracking_uri"):
        run_to_files(config(tmp_path, experiment="x"))
