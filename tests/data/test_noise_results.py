"""Noise studies as a config asks for them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.api.noise import noise_study, noise_study_cv
from reporter.config.schema import NoiseConfig
from reporter.data.noise_results import noise_results
from reporter.errors import DataError, MissingExtraError

RNG = np.random.default_rng(8)
ROWS = pd.DataFrame(
    {
        "age": RNG.integers(18, 90, 240),
        "pain": RNG.integers(0, 11, 240),
        "sex_f": RNG.integers(0, 2, 240),
        "sex": np.array(["f", "m", None], dtype=object)[RNG.integers(0, 3, 240)],
    }
)
LABEL = (RNG.random(240) < 1 / (1 + np.exp(-(ROWS["age"] - 50) / 15))).astype(int)
FUNCTION = "import numpy as np\n\ndef scores(frame):\n    return 1 / (1 + np.exp(-(frame['age'] - 50) / 15 - frame['sex_f'] + frame['pain'] / 5))\n"


def study_of(**changes: Any) -> NoiseConfig:
    keys: dict[str, Any] = {
        "model": "2.4",
        "predictor": {"callable": "noise_results_function:scores"},
        "inputs": ["age", "pain", "sex_f"],
        "group": "sex",
        "perturb": {"age": {"sd": 5, "round": True, "min": 18}, "pain": {"sd": 1, "round": True}, "sex_f": "flip"},
        "levels": {"from": 0, "to": 0.2, "step": 0.1},
        "repeats": 4,
    }
    return NoiseConfig.model_validate(keys | changes)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "noise_results_function.py").write_text(FUNCTION)
    return tmp_path


def test_a_predictor_of_the_config_gives_what_the_api_gives(folder: Path) -> None:
    (found,) = noise_results(
        study_of(), ROWS, groups=ROWS["sex"], threshold=0.35, seed=7, folder=folder, sampled_from=5000
    )
    assert found.predictor == "function noise_results_function:scores"
    assert (found.n, found.sampled_from, found.repeats, found.seed, found.variant) == (240, 5000, 4, 7, "all")
    assert found.groups == ("f", "m", "(missing)")
    assert sum(found.group_sizes) == 240
    namespace: dict[str, Any] = {}
    exec(FUNCTION, namespace)
    expected = noise_study(
        namespace["scores"],
        ROWS[["age", "pain", "sex_f"]],
        ROWS["sex"],
        perturb={"age": {"sd": 5, "round": True, "min": 18}, "pain": {"sd": 1, "round": True}, "sex_f": "flip"},
        levels=[0, 0.1, 0.2],
        repeats=4,
        threshold=0.35,
        seed=7,
    )
    assert found.points == expected.points
    assert found.findings == expected.findings


def test_the_stand_in_of_the_config_is_the_published_design() -> None:
    (found,) = noise_results(study_of(predictor={"fit": "logistic"}), ROWS, groups=ROWS["sex"], label=LABEL, seed=7)
    expected = noise_study_cv(
        ROWS,
        LABEL,
        ["age", "pain", "sex_f"],
        "sex",
        perturb={"age": {"sd": 5, "round": True, "min": 18}, "pain": {"sd": 1, "round": True}, "sex_f": "flip"},
        levels=[0, 0.1, 0.2],
        repeats=4,
        seed=7,
    )
    assert found.points == expected.points
    assert found.predictor == "logistic stand-in, fitted in 5 folds"


def test_rows_without_a_label_are_left_out_of_the_stand_in_and_counted() -> None:
    label = LABEL.astype("Int64").where(ROWS.index >= 10)
    (found,) = noise_results(study_of(predictor={"fit": "logistic"}), ROWS, groups=ROWS["sex"], label=label)
    assert found.n == 230
    assert found.notes[0] == "10 rows without a label are left out"


def test_a_stand_in_without_labels_is_refused() -> None:
    with pytest.raises(DataError, match="the labels must be 0 and 1"):
        noise_results(study_of(predictor={"fit": "logistic"}), ROWS, groups=ROWS["sex"])


def test_variants_are_results_of_their_own(folder: Path) -> None:
    found = noise_results(
        study_of(variants=["all", "minima", "numeric", "binary"]), ROWS, groups=ROWS["sex"], folder=folder
    )
    assert [one.variant for one in found] == ["all", "minima", "numeric", "binary"]
    assert len({one.points for one in found}) == 4


def test_progress_runs_once_over_all_variants(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    noise_results(
        study_of(variants=["numeric", "binary"]),
        ROWS,
        groups=ROWS["sex"],
        folder=folder,
        progress=lambda done, every: seen.append((done, every)),
    )
    assert seen == [(240 * 12, 2 * 240 * 12), (2 * 240 * 12, 2 * 240 * 12)]


def test_an_interruption_keeps_the_finished_variants_and_names_the_missing(folder: Path) -> None:
    def stop(done: int, every: int) -> None:
        if done > every / 3:
            raise KeyboardInterrupt

    found = noise_results(
        study_of(variants=["all", "numeric", "binary"], predictor={"fit": "logistic"}),
        ROWS,
        groups=ROWS["sex"],
        label=LABEL,
        progress=stop,
    )
    assert [one.variant for one in found] == ["all", "numeric"]
    assert [one.partial for one in found] == [False, True]
    assert found[1].repeats == 1
    assert found[1].notes[-1] == "stopped before the variants binary"


def test_a_missing_input_is_named(folder: Path) -> None:
    with pytest.raises(DataError, match="the data has no column 'pulse'"):
        noise_results(study_of(inputs=["age", "pain", "sex_f", "pulse"]), ROWS, groups=ROWS["sex"], folder=folder)


def test_processes_without_joblib_name_the_extra(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "joblib", None)
    with pytest.raises(MissingExtraError, match=r"needs the package joblib.*model-card-reporter\[parallel\]"):
        noise_results(study_of(processes=2), ROWS, groups=ROWS["sex"], folder=folder)
