"""What predicts again on perturbed inputs: one way to call ONNX, skops, MLflow and pickle files, functions and endpoints.

Every predictor is called with a DataFrame of its inputs and returns one score a row. Knows files and models; no statistics,
no groups. Each kind's package is imported when it is used; where it is missing the error names the extra to install.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from reporter.errors import ConfigError, DataError, MissingExtraError, Problem

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["onnx", "skops", "mlflow", "callable", "http", "pickle"]

PICKLE_RISK = "loading a pickle or joblib file runs whatever code it holds"


class Predictor(Protocol):
    """Scores of a DataFrame of inputs. ``description`` says what it is, for the card."""

    description: str

    def __call__(self, frame: pd.DataFrame) -> Any: ...


def load_predictor(
    kind: str,
    target: str,
    *,
    inputs: Sequence[str],
    folder: Path | str = ".",
    allow_pickle: bool = False,
    trusted: Sequence[str] = (),
) -> Predictor:
    """A predictor, loaded and checked against its inputs.

    Parameters
    ----------
    kind, target
        - "onnx": an ONNX file (extra ``onnx``): one tensor of all inputs in their order, or one input a column.
        - "skops": a skops file of a scikit-learn model (extra ``skops``); ``trusted`` names types beyond its defaults.
        - "mlflow": an MLflow model's folder or URI (extra ``mlflow``).
        - "callable": ``package.module:function``, also beside the config.
        - "http": an endpoint, see :mod:`reporter.data.predictor_http`.
        - "pickle": a pickle or joblib file of a model; only with ``allow_pickle``, since loading one runs its code.
    inputs
        The input columns in the model's order.
    folder
        What relative paths start from.

    Raises
    ------
    ConfigError
        An unknown kind, a pickle without ``allow_pickle``, an endpoint that is no http(s) address.
    DataError
        The file is missing or is not of its kind, or the model needs inputs that are not named.
    MissingExtraError
        The kind's package is not installed.

    Examples
    --------
    >>> load_predictor("pickle", "model.pkl", inputs=["age"])
    Traceback (most recent call last):
        ...
    reporter.errors.ConfigError: predictor.pickle: loading a pickle or joblib file runs whatever code it holds. If you \
trust model.pkl as you trust a program, set allow_pickle: true; otherwise export the model as onnx or skops
    """
    base = Path(folder)
    if kind == "onnx":
        from reporter.data.predictor_onnx import OnnxPredictor

        return OnnxPredictor(_file(kind, base / target), tuple(inputs))
    if kind == "http":
        from reporter.data.predictor_http import HttpPredictor

        return HttpPredictor(target)
    if kind == "callable":
        return CallablePredictor(target, str(base))
    if kind == "skops":
        path = _file(kind, base / target)
        return ModelPredictor(
            f"skops file {Path(target).name}", _load_skops, (str(path), tuple(trusted)), tuple(inputs)
        )
    if kind == "mlflow":
        uri = target if "://" in target or target.startswith("models:/") else str(_existing(kind, base / target))
        return ModelPredictor(f"MLflow model {Path(target).name}", _load_mlflow, (uri,), tuple(inputs))
    if kind == "pickle":
        if not allow_pickle:
            hint = (
                f"If you trust {Path(target).name} as you trust a program, set allow_pickle: true; "
                "otherwise export the model as onnx or skops"
            )
            raise ConfigError(Problem(PICKLE_RISK, key="predictor.pickle", hint=hint))
        path = _file(kind, base / target)
        return ModelPredictor(f"pickle file {Path(target).name}", _load_pickle, (str(path),), tuple(inputs))
    raise ConfigError(
        Problem(f"found {kind!r}, expected one of {', '.join(get_args(Kind))} or fit: logistic", key="predictor")
    )


class CallablePredictor:
    """A function ``package.module:function`` that takes a DataFrame; ``folder`` is searched before the Python path."""

    def __init__(self, target: str, folder: str) -> None:
        self.description = f"function {target}"
        self._arguments = (target, folder)
        self._function = _import_function(target, folder)

    def __call__(self, frame: pd.DataFrame) -> Any:
        return self._function(frame)

    def __reduce__(self) -> tuple[Any, ...]:
        return CallablePredictor, self._arguments


class ModelPredictor:
    """A model object with ``predict_proba`` (its second column counts), else ``predict``. In another process it is loaded anew."""

    def __init__(
        self, description: str, load: Callable[..., Any], arguments: tuple[Any, ...], inputs: tuple[str, ...]
    ) -> None:
        self.description = description
        self._load, self._arguments, self._inputs = load, arguments, inputs
        self._model = load(*arguments)
        expected = getattr(self._model, "feature_names_in_", None)
        if expected is not None:
            check_names([str(name) for name in expected], inputs, description)
            # scikit-learn wants the names in the order of the fit.
            self._order = [str(name) for name in expected]
        else:
            self._order = list(inputs)
        width = getattr(self._model, "n_features_in_", None)
        if expected is None and width is not None and width != len(inputs):
            raise DataError(Problem(f"the {description} takes {width} inputs, {len(inputs)} are named", key="inputs"))

    def __call__(self, frame: pd.DataFrame) -> Any:
        named: Any = frame[self._order]
        if hasattr(self._model, "n_features_in_") and not hasattr(self._model, "feature_names_in_"):
            # Fitted on an array: scikit-learn would warn about names.
            named = named.to_numpy()
        if hasattr(self._model, "predict_proba"):
            return probability_of_one(self._model.predict_proba(named))
        return probability_of_one(self._model.predict(named))

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelPredictor, (self.description, self._load, self._arguments, self._inputs)


def probability_of_one(answer: Any) -> NDArray[Any]:
    """The second of two columns, or the answer as it is."""
    array = np.asarray(answer)
    return array[:, 1] if array.ndim == 2 and array.shape[1] == 2 else array


def check_names(expected: Sequence[str], inputs: Sequence[str], description: str) -> None:
    """A DataError that names what the model needs and does not get, and what it does not know."""
    problems = [
        Problem(f"the {description} needs the input {name!r}, which is not named", key="inputs")
        for name in expected
        if name not in inputs
    ]
    problems += [
        Problem(f"the {description} has no input {name!r}", key="inputs", hint=f"Its inputs: {', '.join(expected)}")
        for name in inputs
        if name not in expected
    ]
    if problems:
        raise DataError(*problems)


def _import_function(target: str, folder: str) -> Callable[..., Any]:
    key = "predictor.callable"
    module_name, _, attribute = target.partition(":")
    if not module_name or not attribute:
        raise ConfigError(Problem(f"found {target!r}, expected package.module:function", key=key))
    place = str(Path(folder).resolve())
    sys.path.insert(0, place)
    try:
        found: Any = importlib.import_module(module_name)
    except Exception as error:  # a user's module may raise anything while it is imported
        raise DataError(Problem(_not_imported(module_name, error, place), key=key)) from None
    finally:
        sys.path.remove(place)
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise DataError(Problem(f"the module {module_name} has no {attribute!r}", key=key))
        found = getattr(found, part)
    if not callable(found):
        raise DataError(Problem(f"{target} cannot be called", key=key))
    function: Callable[..., Any] = found
    return function


def _not_imported(module: str, error: Exception, place: str) -> str:
    if not isinstance(error, ModuleNotFoundError) or error.name is None:
        return f"the module {module!r} cannot be imported: {type(error).__name__}: {error}"
    if f"{module}.".startswith(f"{error.name}."):
        return f"there is no module {module!r} in {place} or on the Python path"
    return f"the module {module!r} cannot be imported: it needs the module {error.name!r}, which is not there"


def _load_skops(path: str, trusted: tuple[str, ...]) -> Any:
    try:
        from skops import io
    except ImportError:
        raise MissingExtraError(feature="predictor: skops", package="skops", extra="skops") from None
    from zipfile import BadZipFile

    try:
        unknown = sorted(set(io.get_untrusted_types(file=path)) - set(trusted))
        if unknown:
            hint = "If you trust the file, list them as predictor.trusted."
            text = f"{Path(path).name} holds types that are not trusted: {', '.join(unknown)}"
            raise DataError(Problem(text, key="predictor.skops", hint=hint))
        return io.load(path, trusted=list(trusted))
    except (BadZipFile, KeyError, ValueError):
        raise DataError(Problem(f"{Path(path).name} is not a skops file", key="predictor.skops")) from None


def _load_mlflow(uri: str) -> Any:
    import warnings

    try:
        with warnings.catch_warnings():
            # MLflow warns about its own type hints while it is imported.
            warnings.simplefilter("ignore")
            import mlflow.pyfunc
            from mlflow.exceptions import MlflowException
    except ImportError:
        raise MissingExtraError(feature="predictor: mlflow", package="mlflow", extra="mlflow") from None
    try:
        model = mlflow.pyfunc.load_model(uri)
    except (MlflowException, OSError):
        raise DataError(Problem(f"{uri} is not an MLflow model", key="predictor.mlflow")) from None
    if "sklearn" in model.metadata.flavors:
        # The model itself: MLflow's generic interface returns a scikit-learn classifier's labels.
        return model.get_raw_model()
    return model


def _load_pickle(path: str) -> Any:
    import pickle

    try:
        import joblib
    except ImportError:
        load: Callable[[str], Any] = _plain_pickle
    else:
        load = joblib.load
    try:
        return load(path)
    except (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError):
        raise DataError(Problem(f"{Path(path).name} is not a pickle or joblib file", key="predictor.pickle")) from None


def _plain_pickle(path: str) -> Any:
    import pickle

    with open(path, "rb") as file:
        return pickle.load(file)


def _existing(kind: str, path: Path) -> Path:
    if not path.exists():
        raise DataError(Problem(f"there is no file {path}", key=f"predictor.{kind}"))
    return path


def _file(kind: str, path: Path) -> Path:
    if not _existing(kind, path).is_file():
        raise DataError(Problem(f"{path} is not a file", key=f"predictor.{kind}"))
    return path
