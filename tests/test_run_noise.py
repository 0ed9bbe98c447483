"""Noise studies through a whole run: their results, their errors at the config's lines, interruption and replay."""

from __future__ import annotations

import io
import json
import operator
import os
import pickle
import re
import sys
import threading
import time
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.cli import _guarded
from reporter.config.loader import load_config
from reporter.data.noise_rows import noise_rows
from reporter.errors import ReporterError
from reporter.progress import Progress
from reporter.render.as_json import read_report
from reporter.results import Report
from reporter.runner import evaluate, open_checked
from reporter.stats import noise_tiles

HEAD = """\
data: {source: visits.csv, label: ill, key: id}
models:
  - {name: m, score: risk, threshold: 0.4}
groups: [sex, {column: age, breaks: [9, 60]}]
fail_on: [insufficient_evidence]
output: {directory: out, formats: [json]}
seed: 5
noise:
  model: m
"""

STUDY = """\
  inputs: [age, pain]
  group: sex
  perturb:
    age: {sd: 5, round: true, min: 18}
    pain: {sd: 2}
  levels: [0, 0.2]
  repeats: 4
"""

MODULE = """\
import numpy as np

calls = 0


def score(frame):
    return 1 / (1 + np.exp(-(frame["age"] / 50 + frame["pain"] - 1.5)))


def labels(frame):
    return np.where(score(frame) > 0.4, "ill", "healthy")


def too_short(frame):
    return score(frame)[:-1]


def holes(frame):
    return score(frame).where(frame["pain"] < 3)


def raises(frame):
    raise ValueError(f"secret value {frame['age'].iloc[0]}")


def raises_when_perturbed(frame):
    if (frame["pain"] > 3).any():
        raise ValueError(f"secret value {frame['pain'].max()}")
    return score(frame)


def stopped(frame):
    global calls
    calls += 1
    if calls > 5:
        raise KeyboardInterrupt
    return score(frame)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    rng = np.random.default_rng(1)
    n = 300
    age, pain = rng.integers(18, 90, n), rng.uniform(-1, 2, n).round(3)
    risk = 1 / (1 + np.exp(-(age / 50 + pain - 1.5)))
    visits = pd.DataFrame(
        {
            "id": [f"v{i}" for i in range(n)],
            "sex": np.where(rng.random(n) < 0.5, "f", "m"),
            "stage": np.resize(["I", "II", "III"], n),
            "age": age,
            "pain": pain,
            "ill": (rng.random(n) < risk).astype(int),
            "risk": risk.round(4),
        }
    )
    visits.to_csv(tmp_path / "visits.csv", index=False)
    (tmp_path / "scoring_of_visits.py").write_text(MODULE)
    yield tmp_path
    sys.modules.pop("scoring_of_visits", None)


def write(folder: Path, predictor: str, study: str = STUDY, head: str = HEAD) -> Path:
    path = folder / "c.yaml"
    path.write_text(f"{head}  predictor: {predictor}\n{study}")
    return path


def function(name: str) -> str:
    return f"{{callable: 'scoring_of_visits:{name}'}}"


def run(path: Path) -> Report:
    return reporter.run(path)


def test_a_study_is_in_the_report_with_its_sample_and_findings(folder: Path) -> None:
    (study,) = run(write(folder, function("score"))).noise_results
    assert study.groups == ("f", "m")
    assert sum(study.group_sizes) == study.n == study.sampled_from == 300
    assert not study.partial
    assert not study.replayable
    assert study.findings is not None
    kappa = {(p.group, p.noise): p for p in study.points if p.statistic == "kappa"}
    assert kappa["f", 0.0].mean == 1.0
    assert kappa["f", 0.2].mean is not None
    assert kappa["f", 0.2].mean < 1
    assert kappa["f", 0.2].mc_error is not None


def test_the_threshold_is_that_of_the_model(folder: Path) -> None:
    (study,) = run(write(folder, function("score"))).noise_results
    rate = next(p for p in study.points if (p.statistic, p.group, p.noise) == ("referral_rate", "f", 0.0))
    rows = pd.read_csv(folder / "visits.csv")
    women = rows[rows["sex"] == "f"]
    assert rate.mean == pytest.approx((1 / (1 + np.exp(-(women["age"] / 50 + women["pain"] - 1.5))) >= 0.4).mean())


def test_a_stand_in_is_fitted_to_the_label(folder: Path) -> None:
    frame = run(write(folder, "{fit: logistic}", STUDY + "  folds: 3\n")).noise
    assert set(frame["statistic"]) >= {"kappa", "pabak", "icc_a1", "mean_score", "referral_rate"}
    assert (frame["repeats"] == 4).all()


def test_groups_are_the_intervals_of_the_grouping_in_their_order(folder: Path) -> None:
    rows = pd.read_csv(folder / "visits.csv")
    rows.loc[:9, "age"] = 5
    rows.to_csv(folder / "visits.csv", index=False)
    (study,) = run(write(folder, function("score"), STUDY.replace("group: sex", "group: age"))).noise_results
    assert study.groups == ("<= 9", "(9, 60]", "> 60")


def test_several_studies_and_variants_follow_each_other(folder: Path) -> None:
    text = HEAD.replace("noise:\n  model: m\n", "noise:\n")
    one = f"  - model: m\n    predictor: {function('score')}\n" + "".join(f"  {line}\n" for line in STUDY.splitlines())
    path = folder / "c.yaml"
    path.write_text(text + one + "    variants: [all, minima]\n" + one)
    assert [study.variant for study in run(path).noise_results] == ["all", "minima", "all"]


def test_the_sample_is_the_same_whatever_the_order_of_rows(folder: Path) -> None:
    path = write(folder, function("score"), STUDY + "  sample: 50\n")
    (study,) = run(path).noise_results
    assert (study.n, study.sampled_from) == (50, 300)
    rows = pd.read_csv(folder / "visits.csv")
    rows.sample(frac=1, random_state=3).to_csv(folder / "visits.csv", index=False)
    (again,) = run(path).noise_results
    assert again.points == study.points
    (other,) = run(write(folder, function("score"), STUDY + "  sample: 50\n", HEAD.replace("5\n", "6\n"))).noise_results
    assert other.points != study.points


def test_a_sample_is_drawn_from_all_rows_with_equal_chances(folder: Path) -> None:
    n = 20_000
    pd.DataFrame({"sex": "f", "age": np.arange(n), "pain": 0.5, "ill": np.arange(n) % 2, "risk": 0.1}).to_csv(
        folder / "visits.csv", index=False
    )
    head = HEAD.replace(", key: id", "").replace(", {column: age, breaks: [9, 60]}", "")
    loaded = load_config(write(folder, function("score"), STUDY + "  sample: 2000\n", head), environ={})
    (study,) = loaded.config.noise_studies
    drawn = noise_rows(open_checked(loaded), loaded, study)
    assert len(drawn.inputs) == 2000
    assert drawn.inputs["age"].is_monotonic_increasing
    quarters = np.bincount(drawn.inputs["age"] // (n // 4), minlength=4)
    assert quarters.min() > 430
    assert quarters.max() < 570
    assert drawn.inputs["age"].dtype == np.int64
    assert drawn.inputs.index.equals(pd.Index(drawn.inputs["age"], name="row"))


@pytest.mark.parametrize(
    ("predictor", "study", "place", "message"),
    [
        pytest.param(
            "{onnx: visits.csv}",
            STUDY,
            "10:21 noise.predictor.onnx",
            "visits.csv is not an ONNX file",
            marks=pytest.mark.needs("onnxruntime"),
            id="no ONNX file",
        ),
        pytest.param("{onnx: none.onnx}", STUDY, "10:21 noise.predictor.onnx", "found no file", id="no file"),
        pytest.param(function("score"), STUDY.replace("pain", "pian"), "11:17 noise.inputs[1]", "'pian'", id="column"),
        pytest.param(
            function("raises"), STUDY, "10:3 noise.predictor", "raised ValueError", id="a predictor that raises"
        ),
        pytest.param(
            function("raises_when_perturbed"),
            STUDY,
            "10:3 noise.predictor",
            "on perturbed rows, for example on row ",
            id="a predictor that raises on perturbed rows",
        ),
        pytest.param(
            function("too_short"), STUDY, "10:3 noise.predictor", "299 scores for 300 rows", id="wrong length"
        ),
        pytest.param(
            function("holes"), STUDY, "10:3 noise.predictor", "missing or infinite scores on perturbed rows", id="NaN"
        ),
        pytest.param(function("labels"), STUDY, "10:3 noise.predictor", "labels instead of scores", id="labels"),
        pytest.param(
            function("score"),
            STUDY.replace("pain: {sd: 2}", "stage: flip").replace("pain]", "stage]"),
            "15:12 noise.perturb.stage",
            "'stage' has 3 distinct values, a flip needs 2",
            id="a flip of three values",
        ),
        pytest.param(
            function("score"),
            STUDY.replace("pain: {sd: 2}", "stage: {sd: 2}").replace("pain]", "stage]"),
            "15:5 noise.perturb.stage",
            "'stage' is not a column of numbers",
            id="noise on words",
        ),
        pytest.param(
            function("score"), STUDY.replace("sd: 5", "sd: -5"), "14:15 noise.perturb.age.sd", "-5", id="negative sd"
        ),
        pytest.param(
            function("score"), STUDY.replace("0.2]", "1.2]"), "16:15 noise.levels[1]", "1.2", id="p outside [0, 1]"
        ),
        pytest.param("{pickle: m.pkl}", STUDY, "10:3 noise.predictor", "allow_pickle: true", id="pickle"),
    ],
)
def test_bad_input_is_named_with_the_line_of_the_config(
    folder: Path, predictor: str, study: str, place: str, message: str
) -> None:
    path = write(folder, predictor, study)
    with pytest.raises(ReporterError) as raised:
        run(path)
    (problem,) = raised.value.problems
    assert str(problem).startswith(f"{path}:{place}: ")
    assert message in str(problem)
    assert "secret value" not in str(problem)


def test_all_that_the_data_tell_of_a_study_is_found_before_anything_is_predicted(folder: Path) -> None:
    study = """\
  inputs: [age, pain, stage, sex]
  group: sex
  perturb: {stage: {sd: 2}, age: flip}
  one_hot: [[sex, pain]]
"""
    path = write(folder, "{callable: 'no_such_module:score'}", study)
    with pytest.raises(ReporterError) as raised:
        open_checked(load_config(path, environ={}))
    found = [(problem.line, problem.key) for problem in raised.value.problems]
    assert found == [(13, "noise.perturb.stage"), (13, "noise.perturb.age"), (14, "noise.one_hot")]


def test_a_stand_in_needs_numbers_and_as_many_rows_as_folds(folder: Path) -> None:
    study = STUDY.replace("pain]", "pain, stage]") + "  folds: 301\n"
    with pytest.raises(ReporterError) as raised:
        open_checked(load_config(write(folder, "{fit: logistic}", study), environ={}))
    assert [problem.key for problem in raised.value.problems] == ["noise.folds", "noise.inputs"]


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("import no_such_package_of_ours\n", "it needs the module 'no_such_package_of_ours', which is not there"),
        ("def score(frame:\n", "SyntaxError"),
        ("1 / 0\n", "ZeroDivisionError"),
    ],
    ids=["needs another", "does not parse", "raises"],
)
def test_a_module_that_cannot_be_imported_is_named_with_the_line(folder: Path, module: str, message: str) -> None:
    (folder / "module_of_this_test.py").write_text(module)
    path = write(folder, "{callable: 'module_of_this_test:score'}")
    with pytest.raises(ReporterError) as raised:
        run(path)
    (problem,) = raised.value.problems
    assert (problem.line, problem.key) == (10, "noise.predictor.callable")
    assert "the module 'module_of_this_test' cannot be imported" in problem.message
    assert message in problem.message


def test_raters_in_columns_that_do_not_exist_are_named_with_their_line(folder: Path) -> None:
    path = folder / "c.yaml"
    path.write_text(HEAD.split("noise:")[0] + "agreement:\n  raters:\n    nurse: triage\n    physician: ill\n")
    with pytest.raises(ReporterError) as raised:
        run(path)
    (problem,) = raised.value.problems
    assert str(problem).startswith(f"{path}:10:12 agreement.raters.nurse: the data have no column 'triage'")


def test_an_interrupted_study_is_written_as_partial_and_ends_with_130(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # One call scores the original rows, the next ones a group of a repeat each.
    monkeypatch.setattr(noise_tiles, "BATCH_ROWS", 400)
    path = write(folder, function("stopped"), STUDY.replace("repeats: 4", "repeats: 40"))
    archive = folder / "archive"
    assert _guarded(["run", str(path), "--quiet", "--archive", str(archive)]) == 130
    (found,) = read_report(folder / "out" / "report.json").noise_results
    assert found.partial
    assert found.repeats == 2
    assert "stopped after 2 of 40 repeats" in found.notes
    assert not archive.exists()
    assert "report.json" in capsys.readouterr().out


def test_interrupted_before_anything_is_finished_nothing_is_written(folder: Path) -> None:
    module = folder / "scoring_of_visits.py"
    module.write_text(MODULE.replace("calls > 5", "calls > 0"))
    assert _guarded(["run", str(write(folder, function("stopped"))), "--quiet"]) == 130
    assert not (folder / "out").exists()


def test_a_secret_address_is_nowhere_in_the_report(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from reporter.data import predictor_http

    monkeypatch.setattr(predictor_http.HttpPredictor, "__call__", lambda self, frame: 1 / (1 + np.exp(-frame["pain"])))
    monkeypatch.setenv("SCORING", "https://reader:hunter2@internal.example.org/score?token=abc123")
    path = write(folder, "{http: '${SCORING}'}")
    report = evaluate(load_config(path, environ=os.environ)).report
    text = report.to_json()
    for secret in ("hunter2", "abc123", "internal.example.org"):
        assert secret not in text
    assert report.noise_results[0].predictor == "endpoint ${SCORING}"


def test_a_secret_address_is_in_no_message(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "abc123")
    path = write(folder, "{http: 'http://reader:${TOKEN}@127.0.0.1:9/score?token=${TOKEN}'}")
    with pytest.raises(ReporterError) as raised:
        reporter.run(path)
    (problem,) = raised.value.problems
    assert str(problem).startswith(
        f"{path}:10:21 noise.predictor.http: the endpoint http://127.0.0.1:9/score cannot be reached"
    )


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An address on this machine that answers rows with scores."""

    class Scoring(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            body = json.dumps([1 / (1 + np.exp(-(row["age"] / 50 + row["pain"] - 1.5))) for row in rows]).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Scoring)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/score"
    server.shutdown()
    thread.join()
    server.server_close()


def test_an_endpoint_gives_the_same_study_as_the_function_behind_it(folder: Path, endpoint: str) -> None:
    (asked,) = run(write(folder, f"{{http: '{endpoint}'}}")).noise_results
    (called,) = run(write(folder, function("score"))).noise_results
    assert asked.predictor == f"endpoint {endpoint}"
    assert [p.mean for p in asked.points] == pytest.approx([p.mean for p in called.points], abs=1e-12)


@pytest.mark.needs("skops", "scikit-learn")
def test_a_skops_file_needs_its_types_trusted_in_the_config(folder: Path) -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer
    from skops import io as skops_io

    rows = pd.read_csv(folder / "visits.csv")
    model = make_pipeline(FunctionTransformer(operator.neg), LogisticRegression()).fit(
        rows[["age", "pain"]], rows["ill"]
    )
    skops_io.dump(model, folder / "m.skops")
    (unknown,) = skops_io.get_untrusted_types(file=folder / "m.skops")
    with pytest.raises(ReporterError, match="types that are not trusted"):
        run(write(folder, "{skops: m.skops}"))
    (study,) = run(write(folder, f"{{skops: m.skops, trusted: ['{unknown}']}}")).noise_results
    assert study.predictor == "skops file m.skops"


@pytest.mark.needs("mlflow", "scikit-learn")
def test_an_mlflow_model_and_an_allowed_pickle_of_it_give_the_same_study(folder: Path) -> None:
    from sklearn.linear_model import LogisticRegression

    rows = pd.read_csv(folder / "visits.csv")
    model = LogisticRegression(max_iter=1000).fit(rows[["age", "pain"]], rows["ill"])
    (folder / "m.pkl").write_bytes(pickle.dumps(model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlflow.sklearn

        mlflow.sklearn.save_model(model, str(folder / "saved"))
        (tracked,) = run(write(folder, "{mlflow: saved}")).noise_results
    (pickled,) = run(write(folder, "{pickle: m.pkl, allow_pickle: true}")).noise_results
    assert (tracked.predictor, pickled.predictor) == ("MLflow model saved", "pickle file m.pkl")
    assert tracked.points == pickled.points
    changed = [point.mean for point in pickled.points if point.statistic == "kappa" and point.noise > 0]
    assert changed
    assert all(mean is not None and 0 < mean < 0.9 for mean in changed)


def test_two_processes_give_the_same_study(folder: Path) -> None:
    pytest.importorskip("joblib")
    (alone,) = run(write(folder, "{fit: logistic}")).noise_results
    (shared,) = run(write(folder, "{fit: logistic}", STUDY + "  processes: 2\n")).noise_results
    assert shared.points == alone.points


def test_a_terminal_is_told_the_time_left(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(noise_tiles, "BATCH_ROWS", 400)
    clock = iter(range(1_000_000))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(clock)))
    shown = Terminal()
    evaluate(load_config(write(folder, function("score")), environ={}), progress=Progress(shown))
    assert re.search(r"Noise studies 50%, about \d+ s left", shown.getvalue())


def test_a_record_with_agreement_and_noise_replays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(folder, function("score"))
    path.write_text(path.read_text() + "agreement: {raters: {nurse: ill}, statistics: [kappa, pabak]}\n")
    assert _guarded(["run", str(path), "--quiet", "--archive", str(folder / "archive"), "--json"]) in (0, 1)
    record = json.loads(capsys.readouterr().out)["record"]["path"]
    assert _guarded(["replay", record]) == 0
    assert "noise curves" in capsys.readouterr().out


@pytest.mark.needs("onnxruntime")
def test_the_clinic_example_runs_with_its_onnx_model() -> None:
    path = Path(__file__).parents[1] / "configs" / "clinic_noise.yaml"
    loaded = load_config(path, overrides=["noise.repeats=2", "noise.levels=[0, 0.3]", "noise.sample=1000"], environ={})
    report = evaluate(loaded).report
    (study,) = report.noise_results
    assert study.predictor == "ONNX file referral.onnx"
    assert (study.n, study.sampled_from) == (1000, 4999)
    assert study.groups == ("<= 65", "> 65")
    model = next(one for one in report.provenance.inputs if one["name"] == "referral.onnx")
    assert len(model["sha256"]) == 64


def _values(study: Any, statistic: str, group: str) -> dict[float, float]:
    return {
        p.noise: p.mean for p in study.points if (p.statistic, p.group) == (statistic, group) and p.mean is not None
    }


def test_the_published_study_comes_out_as_published(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path(__file__).parents[1] / "configs" / "reliability.yaml"
    levels = "{from: 0, to: 0.3, step: 0.05}"
    overrides = [f"noise[{i}].{key}" for i in range(3) for key in (f"levels={levels}", "repeats=12")]
    studies = evaluate(load_config(path, overrides=overrides, environ=os.environ)).report.noise_results
    assert [study.n for study in studies] == [6167, 6167, 6167]
    for study in studies:
        assert study.findings is not None
        by_name = {one.statistic: one for one in study.findings.statistics}
        assert (by_name["pabak"].lower, by_name["pabak"].share) == ("non-White", 1.0)
        assert (by_name["icc_a1"].lower, by_name["icc_a1"].share) == ("White", 1.0)
        assert (study.findings.main_part, study.findings.most_corrected) == ("prevalence", "White")
        assert ("pabak", "icc_a1") in study.findings.contradictions
        assert by_name["kappa"].systematic == (not study.model.endswith("sd 1"))
        if by_name["kappa"].systematic:
            assert (by_name["kappa"].lower, by_name["kappa"].share) == ("White", 1.0)
