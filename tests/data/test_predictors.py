"""Every kind of predictor, with real models of its kind, and what each refuses."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.data.noise_frames import FrameScorer
from reporter.data.predictors import load_predictor
from reporter.errors import ConfigError, DataError, MissingExtraError

RNG = np.random.default_rng(4)
FRAME = pd.DataFrame(
    {"age": RNG.integers(18, 90, 200), "pulse": RNG.normal(75, 12, 200), "sex_f": RNG.integers(0, 2, 200)}
)
LABEL = (RNG.random(200) < 1 / (1 + np.exp(-(FRAME["age"] - 50) / 15))).astype(int)
INPUTS = list(FRAME.columns)


@pytest.fixture(scope="module")
def model() -> Any:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression()).fit(FRAME, LABEL)


@pytest.fixture(scope="module")
def expected(model: Any) -> np.ndarray:
    return model.predict_proba(FRAME)[:, 1]


@pytest.fixture(scope="module")
def onnx_file(model: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("onnxruntime")
    skl2onnx = pytest.importorskip("skl2onnx")
    from skl2onnx.common.data_types import FloatTensorType

    path = tmp_path_factory.mktemp("onnx") / "model.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = skl2onnx.convert_sklearn(
            model, initial_types=[("x", FloatTensorType([None, 3]))], options={id(model): {"zipmap": False}}
        )
    path.write_bytes(made.SerializeToString())
    return path


def test_an_onnx_file_predicts_the_probability_of_1(onnx_file: Path, expected: np.ndarray) -> None:
    predictor = load_predictor("onnx", onnx_file.name, inputs=INPUTS, folder=onnx_file.parent)
    assert predictor.description == "ONNX file model.onnx"
    assert predictor(FRAME) == pytest.approx(expected, abs=1e-5)


def test_an_onnx_file_takes_its_inputs_by_name_and_maps_of_classes(
    model: Any, expected: np.ndarray, tmp_path: Path
) -> None:
    skl2onnx = pytest.importorskip("skl2onnx")
    pytest.importorskip("onnxruntime")
    from skl2onnx.common.data_types import FloatTensorType
    from sklearn.compose import make_column_transformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    by_name = make_pipeline(make_column_transformer((StandardScaler(), INPUTS)), LogisticRegression()).fit(FRAME, LABEL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = skl2onnx.convert_sklearn(by_name, initial_types=[(name, FloatTensorType([None, 1])) for name in INPUTS])
    (tmp_path / "named.onnx").write_bytes(made.SerializeToString())
    predictor = load_predictor("onnx", "named.onnx", inputs=["sex_f", "pulse", "age"], folder=tmp_path)
    assert predictor(FRAME[["sex_f", "pulse", "age"]]) == pytest.approx(expected, abs=1e-5)
    with pytest.raises(DataError, match="needs the input 'pulse', which is not named"):
        load_predictor("onnx", "named.onnx", inputs=["sex_f", "age"], folder=tmp_path)


def test_an_onnx_file_that_is_not_one_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "model.onnx").write_text("not a model")
    with pytest.raises(DataError, match=r"predictor.onnx: model.onnx is not an ONNX file that onnxruntime can read"):
        load_predictor("onnx", "model.onnx", inputs=INPUTS, folder=tmp_path)


def test_an_onnx_file_with_another_number_of_inputs_is_refused(onnx_file: Path) -> None:
    with pytest.raises(DataError, match="takes 3 inputs, 2 are named"):
        load_predictor("onnx", str(onnx_file), inputs=["age", "pulse"])


def test_a_loaded_predictor_travels_to_another_process(onnx_file: Path, expected: np.ndarray) -> None:
    predictor = load_predictor("onnx", str(onnx_file), inputs=INPUTS)
    assert pickle.loads(pickle.dumps(predictor))(FRAME) == pytest.approx(expected, abs=1e-5)


def test_a_skops_file_predicts_the_probability_of_1(model: Any, expected: np.ndarray, tmp_path: Path) -> None:
    skops = pytest.importorskip("skops.io")
    skops.dump(model, tmp_path / "model.skops")
    predictor = load_predictor("skops", "model.skops", inputs=INPUTS, folder=tmp_path)
    assert predictor(FRAME) == pytest.approx(expected)


def test_a_skops_file_with_types_that_are_not_trusted_names_them(tmp_path: Path) -> None:
    skops = pytest.importorskip("skops.io")
    from sklearn.preprocessing import FunctionTransformer

    skops.dump(FunctionTransformer(json.dumps), tmp_path / "model.skops")
    with pytest.raises(DataError, match=r"holds types that are not trusted: json\.dumps.*predictor\.trusted"):
        load_predictor("skops", "model.skops", inputs=INPUTS, folder=tmp_path)


def test_a_skops_file_that_is_not_one_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("skops")
    (tmp_path / "model.skops").write_text("not a model")
    with pytest.raises(DataError, match=r"model\.skops is not a skops file"):
        load_predictor("skops", "model.skops", inputs=INPUTS, folder=tmp_path)


def test_a_model_with_other_inputs_names_every_difference(model: Any, tmp_path: Path) -> None:
    skops = pytest.importorskip("skops.io")
    skops.dump(model, tmp_path / "model.skops")
    with pytest.raises(DataError) as error:
        load_predictor("skops", "model.skops", inputs=["age", "pulse", "weight"], folder=tmp_path)
    assert "needs the input 'sex_f', which is not named" in str(error.value)
    assert "has no input 'weight'. Its inputs: age, pulse, sex_f" in str(error.value)


def test_an_mlflow_model_saved_to_a_folder_predicts_the_probability_of_1(
    model: Any, expected: np.ndarray, tmp_path: Path
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip("mlflow")
        import mlflow.sklearn

        mlflow.sklearn.save_model(model, str(tmp_path / "saved"))
        predictor = load_predictor("mlflow", "saved", inputs=INPUTS, folder=tmp_path)
    assert predictor(FRAME) == pytest.approx(expected)


def test_a_folder_without_an_mlflow_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("mlflow")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="is not an MLflow model"):
        load_predictor("mlflow", "empty", inputs=INPUTS, folder=tmp_path)


def test_a_pickle_is_loaded_only_when_it_is_allowed(model: Any, expected: np.ndarray, tmp_path: Path) -> None:
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(model))
    with pytest.raises(ConfigError, match=r"runs whatever code it holds.*set allow_pickle: true"):
        load_predictor("pickle", "model.pkl", inputs=INPUTS, folder=tmp_path)
    predictor = load_predictor("pickle", "model.pkl", inputs=INPUTS, folder=tmp_path, allow_pickle=True)
    assert predictor(FRAME) == pytest.approx(expected)


def test_a_joblib_file_is_loaded_when_it_is_allowed(model: Any, expected: np.ndarray, tmp_path: Path) -> None:
    joblib = pytest.importorskip("joblib")
    joblib.dump(model, tmp_path / "model.joblib", compress=3)
    predictor = load_predictor("pickle", "model.joblib", inputs=INPUTS, folder=tmp_path, allow_pickle=True)
    assert predictor(FRAME) == pytest.approx(expected)


def test_a_model_fitted_on_an_array_is_called_with_one(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    plain = LogisticRegression(max_iter=1000).fit(FRAME.to_numpy(), LABEL)
    (tmp_path / "model.pkl").write_bytes(pickle.dumps(plain))
    predictor = load_predictor("pickle", "model.pkl", inputs=INPUTS, folder=tmp_path, allow_pickle=True)
    assert predictor(FRAME) == pytest.approx(plain.predict_proba(FRAME.to_numpy())[:, 1])
    with pytest.raises(DataError, match="takes 3 inputs, 2 are named"):
        load_predictor("pickle", "model.pkl", inputs=["age", "pulse"], folder=tmp_path, allow_pickle=True)


def test_a_function_beside_the_config_is_imported(tmp_path: Path) -> None:
    (tmp_path / "risk_function_beside.py").write_text(
        "class Model:\n    def scores(self, frame):\n        return frame['age'] / 100\n\nmodel = Model()\n"
    )
    predictor = load_predictor("callable", "risk_function_beside:model.scores", inputs=INPUTS, folder=tmp_path)
    assert predictor(FRAME).tolist() == (FRAME["age"] / 100).tolist()
    assert str(tmp_path) not in sys.path


@pytest.mark.parametrize(
    ("target", "error", "message"),
    [
        ("no_function", ConfigError, "expected package.module:function"),
        ("no_such_module_at_all:f", DataError, "there is no module 'no_such_module_at_all'"),
        ("json:nothing", DataError, "the module json has no 'nothing'"),
        ("json:__doc__", DataError, "json:__doc__ cannot be called"),
    ],
)
def test_a_function_that_is_not_there_is_named(target: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        load_predictor("callable", target, inputs=INPUTS)


class _Scores(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        rows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((len(rows), self.headers.get("Authorization")))  # type: ignore[attr-defined]
        scores: Any = [None if row["pulse"] is None else (row["age"] + row["sex_f"]) / 100 for row in rows]
        if self.path == "/pairs":
            scores = {"predictions": [[1 - score, score] for score in scores]}
        elif self.path == "/wrong":
            scores = scores[1:]
        elif self.path == "/object":
            scores = {"answer": 42}
        body = b"<html>" if self.path == "/html" else json.dumps(scores).encode()
        self.send_response(503 if self.path == "/down" else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing goes to stderr."""


@pytest.fixture(scope="module")
def endpoint() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Scores)
    server.seen = []  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def address(server: ThreadingHTTPServer, path: str = "/") -> str:
    return f"http://127.0.0.1:{server.server_address[1]}{path}"


@pytest.mark.parametrize("path", ["/", "/pairs"])
def test_an_endpoint_answers_rows_with_scores(endpoint: ThreadingHTTPServer, path: str) -> None:
    predictor = load_predictor("http", address(endpoint, path), inputs=INPUTS)
    assert predictor(FRAME) == pytest.approx(((FRAME["age"] + FRAME["sex_f"]) / 100).to_numpy(), abs=1e-15)


def test_an_endpoint_gets_many_rows_in_several_requests_and_the_token(
    endpoint: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPORTER_PREDICTOR_TOKEN", "t0ken")
    endpoint.seen.clear()  # type: ignore[attr-defined]
    many = pd.concat([FRAME] * 60, ignore_index=True)
    assert len(load_predictor("http", address(endpoint), inputs=INPUTS)(many)) == 12_000
    assert endpoint.seen == [(10_000, "Bearer t0ken"), (2_000, "Bearer t0ken")]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/wrong", "returned 199 scores for 200 rows"),
        ("/object", "did not answer with a list of scores"),
        ("/html", "did not answer with JSON"),
        ("/down", "answered with status 503"),
    ],
)
def test_an_endpoint_that_misbehaves_is_named(endpoint: ThreadingHTTPServer, path: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load_predictor("http", address(endpoint, path), inputs=INPUTS)(FRAME)


def test_an_endpoint_that_is_not_there_is_named_without_its_secrets() -> None:
    predictor = load_predictor("http", "http://user:pass@127.0.0.1:9/score?key=s3cret", inputs=INPUTS)
    with pytest.raises(DataError) as error:
        predictor(FRAME)
    assert "endpoint http://127.0.0.1:9/score cannot be reached" in str(error.value)
    assert "s3cret" not in str(error.value)
    assert "pass" not in str(error.value)


def test_missing_scores_of_an_endpoint_are_found_by_the_study(endpoint: ThreadingHTTPServer) -> None:
    frame = FRAME.assign(pulse=FRAME["pulse"].where(FRAME.index != 7))
    scorer = FrameScorer(load_predictor("http", address(endpoint), inputs=INPUTS), frame)
    with pytest.raises(DataError, match="1 missing or infinite scores on the original rows, for example for row 7"):
        scorer(np.arange(200), {})


@pytest.mark.parametrize("url", ["ftp://example.org/x", "scores", "file:///etc/passwd"])
def test_only_http_addresses_are_called(url: str) -> None:
    with pytest.raises(ConfigError, match="expected an http or https address"):
        load_predictor("http", url, inputs=INPUTS)


def test_a_missing_file_and_an_unknown_kind_are_named(tmp_path: Path) -> None:
    for kind in ("onnx", "skops", "mlflow"):
        with pytest.raises(DataError, match=f"predictor.{kind}: there is no file .*gone"):
            load_predictor(kind, "gone", inputs=INPUTS, folder=tmp_path)
    with pytest.raises(ConfigError, match="found 'pmml', expected one of onnx, skops, mlflow, callable, http, pickle"):
        load_predictor("pmml", "x", inputs=INPUTS)


@pytest.mark.parametrize(
    ("kind", "package", "extra"),
    [("onnx", "onnxruntime", "onnx"), ("skops", "skops", "skops"), ("mlflow", "mlflow", "mlflow")],
)
def test_a_package_that_is_not_installed_is_named_with_its_extra(
    kind: str, package: str, extra: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if name == package or name.startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "model").write_text("x")
    with pytest.raises(MissingExtraError, match=rf"needs the package {package}.*model-card-reporter\[{extra}\]"):
        load_predictor(kind, "model", inputs=INPUTS, folder=tmp_path)


def test_no_kind_of_predictor_is_imported_before_it_is_used() -> None:
    code = (
        "import sys, reporter.data.predictors\n"
        "print(sorted({'onnxruntime', 'skops', 'mlflow', 'joblib', 'sklearn', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
