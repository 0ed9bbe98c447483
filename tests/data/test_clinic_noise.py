"""The clinic example's noise study with the ONNX model that its script trains."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from reporter.config.schema import NoiseConfig
from reporter.data.noise_results import noise_results
from reporter.data.predictors import load_predictor

FOLDER = Path(__file__).parents[2] / "configs" / "data"
INPUTS = ["age", "sex_f", "pain", "pulse", "temperature"]


@pytest.fixture(scope="module")
def visits() -> pd.DataFrame:
    return pd.read_csv(FOLDER / "clinic.csv")


def test_the_committed_model_tells_ill_from_healthy(visits: pd.DataFrame) -> None:
    pytest.importorskip("onnxruntime")
    scores = load_predictor("onnx", "referral.onnx", inputs=INPUTS, folder=FOLDER)(visits[INPUTS])
    ranks = pd.Series(scores).rank()
    ill = visits["ill"] == 1
    auc = (ranks[ill].sum() - ill.sum() * (ill.sum() + 1) / 2) / (ill.sum() * (~ill).sum())
    assert auc > 0.8


def test_its_noise_study_reports_every_group_and_level(visits: pd.DataFrame) -> None:
    pytest.importorskip("onnxruntime")
    study = NoiseConfig.model_validate(
        {
            "model": "2.4",
            "predictor": {"onnx": "referral.onnx"},
            "inputs": INPUTS,
            "group": "sex",
            "perturb": {
                "age": {"sd": 5, "round": True, "min": 18},
                "sex_f": "flip",
                "pain": {"sd": 1, "round": True, "min": 0, "max": 10},
                "pulse": {"sd": 5, "round": True},
            },
            "levels": {"from": 0, "to": 0.3, "step": 0.1},
            "repeats": 3,
        }
    )
    (found,) = noise_results(study, visits, groups=visits["sex"], threshold=0.35, folder=FOLDER)
    kappa = {(point.group, point.noise): point.mean for point in found.points if point.statistic == "kappa"}
    assert found.predictor == "ONNX file referral.onnx"
    assert found.groups == ("Female", "Male")
    for group in found.groups:
        values = [kappa[group, noise] for noise in (0.0, 0.1, 0.2, 0.3)]
        assert values[0] == 1.0
        assert values == sorted(values, reverse=True)
