"""An ONNX model as a predictor, through onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reporter.data.predictors import check_names, probability_of_one
from reporter.errors import DataError, MissingExtraError, Problem

if TYPE_CHECKING:
    import pandas as pd

_TYPES: dict[str, Any] = {
    "tensor(float)": np.float32,
    "tensor(double)": np.float64,
    "tensor(int64)": np.int64,
    "tensor(int32)": np.int32,
    "tensor(bool)": np.bool_,
    "tensor(string)": np.str_,
}


class OnnxPredictor:
    """Scores of an ONNX model: its float output, or the probability of the second class where it returns one for each.

    A model with one input takes a tensor of all columns in their order; with several inputs, one column each by name.

    Raises
    ------
    DataError
        Not an ONNX file, inputs that do not fit, an input type that columns cannot become, or labels only.
    MissingExtraError
        onnxruntime is not installed.
    """

    def __init__(self, path: Path, inputs: tuple[str, ...]) -> None:
        try:
            import onnxruntime
        except ImportError:
            raise MissingExtraError(feature="predictor: onnx", package="onnxruntime", extra="onnx") from None
        self.description = f"ONNX file {path.name}"
        self._arguments = (path, inputs)
        options = onnxruntime.SessionOptions()
        # Errors only: its warnings would mix into the command's output.
        options.log_severity_level = 3
        try:
            self._session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a class of its own for each way a file can be wrong
            if not type(error).__module__.startswith("onnxruntime"):
                raise
            raise DataError(
                Problem(f"{path.name} is not an ONNX file that onnxruntime can read", key="predictor.onnx")
            ) from None
        self._inputs = self._session.get_inputs()
        self._check_inputs(inputs)
        self._output = self._score_output()

    def __call__(self, frame: pd.DataFrame) -> NDArray[Any]:
        inputs = self._arguments[1]
        if len(self._inputs) == 1 and not self._by_name:
            one = self._inputs[0]
            feed = {one.name: np.ascontiguousarray(frame[list(inputs)].to_numpy(dtype=_TYPES[one.type]))}
        else:
            feed = {
                one.name: frame[one.name].to_numpy().astype(_TYPES[one.type]).reshape(-1, 1) for one in self._inputs
            }
        (answer,) = self._session.run([self._output.name], feed)
        if isinstance(answer, list):
            # One mapping of class to probability a row; the last class in order counts as 1.
            last = sorted(answer[0], key=lambda label: (str(type(label)), label))[-1] if answer else None
            return np.array([row[last] for row in answer], dtype=np.float64)
        return probability_of_one(answer)

    def __reduce__(self) -> tuple[Any, ...]:
        return OnnxPredictor, self._arguments

    def _check_inputs(self, inputs: tuple[str, ...]) -> None:
        unknown = sorted({one.type for one in self._inputs} - set(_TYPES))
        if unknown:
            raise DataError(
                Problem(f"the model takes {', '.join(unknown)}, which columns cannot become", key="predictor.onnx")
            )
        names = [one.name for one in self._inputs]
        self._by_name = len(names) > 1 or (len(inputs) == 1 and names[0] == inputs[0])
        if self._by_name:
            check_names(names, inputs, self.description)
            return
        width = self._inputs[0].shape[-1] if self._inputs[0].shape else None
        if isinstance(width, int) and width != len(inputs):
            text = f"the {self.description} takes {width} inputs, {len(inputs)} are named"
            raise DataError(Problem(text, key="inputs"))

    def _score_output(self) -> Any:
        floats = ("tensor(float)", "tensor(double)")
        outputs = self._session.get_outputs()
        found = [one for one in outputs if one.type in floats or one.type.startswith("seq(map(")]
        if not found:
            types = ", ".join(one.type for one in outputs)
            hint = "Export the model with its probabilities."
            text = f"the {self.description} returns labels instead of scores ({types})"
            raise DataError(Problem(text, key="predictor.onnx", hint=hint))
        # Classifiers return the label first and the probabilities after it.
        return found[-1]
