"""Make ``referral.onnx``: a logistic regression on the synthetic clinic's age, sex, pain, pulse and temperature.

A noise study of the clinic example perturbs its inputs. Trained on every second visit; takes one tensor of the five inputs in
their order and returns the probability of illness as the second column of its second output.

    pip install 'model-card-reporter[examples]'
    python configs/data/make_referral_model.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

import pandas as pd

INPUTS = ["age", "sex_f", "pain", "pulse", "temperature"]
HERE = Path(__file__).parent


def referral_model() -> bytes:
    """The fitted model as ONNX."""
    from skl2onnx import convert_sklearn
    from skl2onnx.common.data_types import FloatTensorType
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    visits = pd.read_csv(HERE / "clinic.csv")
    train = visits.iloc[::2]
    model = make_pipeline(StandardScaler(), LogisticRegression(tol=1e-10, max_iter=1000))
    model.fit(train[INPUTS].to_numpy(), train["ill"])
    made = convert_sklearn(
        model,
        name="referral",
        initial_types=[("inputs", FloatTensorType([None, len(INPUTS)]))],
        options={id(model): {"zipmap": False}},
        target_opset=15,
    )
    content: bytes = made.SerializeToString()
    return content


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "referral.onnx"
    target.write_bytes(referral_model())
    print(target)
