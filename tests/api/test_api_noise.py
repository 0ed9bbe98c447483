"""The noise study in the Python API, and the published claims on the COMPAS data."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.api.noise import NoiseStudy
from reporter.errors import DataError, InputError, ReporterError

REFERENCE = Path(__file__).parents[1] / "reference" / "agreement" / "monte_carlo_reference.csv"
NUMERIC = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
BINARY = ["sex", "c_charge_degree_F", "c_charge_degree_M"]
REPEATS = 25

INPUTS = pd.DataFrame({"age": [20, 30, 40, 50, 60] * 20, "sex": ["f", "m"] * 50, "pain": [0.5, 1.5, 2.5, 3.5] * 25})
SITES = ["north", "south", "south", None, "north"] * 20
SMALL: dict[str, Any] = {"perturb": {"age": {"sd": 5, "round": True}, "sex": "flip"}, "levels": [0, 0.2], "repeats": 3}


def predict(frame: pd.DataFrame) -> np.ndarray:
    z = (frame["age"] - 40) / 10 + (frame["sex"] == "f") - frame["pain"] / 4
    return (1 / (1 + np.exp(-z))).to_numpy()


@pytest.fixture(scope="module")
def published(shared_data: Path) -> dict[int, NoiseStudy]:
    """The published design for sd 1, 5 and 10."""
    data = pd.read_csv(shared_data / "compas_friedler.csv")
    inputs = [name for name in data if name != "two_year_recid"]
    return {
        sd: reporter.noise_study_cv(
            data,
            "two_year_recid",
            inputs,
            "race",
            perturb={name: {"sd": sd, "round": True} for name in NUMERIC} | dict.fromkeys(BINARY, "flip"),
            levels={"from": 0, "to": 0.3, "step": 0.01},
            repeats=REPEATS,
            seed=20261130,
        )
        for sd in (1, 5, 10)
    }


def test_every_point_lies_within_four_monte_carlo_errors_of_the_independent_reference(
    published: dict[int, NoiseStudy],
) -> None:
    points = {
        (sd, point.noise, point.group, point.statistic): point
        for sd, study in published.items()
        for point in study.points
    }
    with REFERENCE.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 558
    for row in rows:
        key = int(row["noise_sd"]), float(row["noise_p"]), row["group"], row["statistic"]
        point = points[key]
        assert point.mean is not None
        assert point.mc_error is not None
        error = math.hypot(point.mc_error, float(row["mc_sd_single_run"]) / math.sqrt(int(row["reps"])))
        assert abs(point.mean - float(row["mc_mean"])) <= 4 * error + 1e-12, key


@pytest.mark.parametrize("sd", [1, 5, 10])
def test_published_claims_about_pabak_and_icc_hold_at_every_level(published: dict[int, NoiseStudy], sd: int) -> None:
    found = {finding.statistic: finding for finding in published[sd].findings.statistics}
    assert (found["pabak"].lower, found["pabak"].levels_lower, found["pabak"].levels) == ("0", 30, 30)
    assert (found["icc_a1"].lower, found["icc_a1"].levels_lower, found["icc_a1"].levels) == ("1", 30, 30)
    assert found["pabak"].systematic
    assert found["icc_a1"].systematic


def test_kappa_has_no_systematic_gap_at_sd_1_and_is_lower_in_group_1_at_5_and_10(
    published: dict[int, NoiseStudy],
) -> None:
    found = {sd: {f.statistic: f for f in study.findings.statistics}["kappa"] for sd, study in published.items()}
    assert not found[1].systematic
    for sd in (5, 10):
        assert (found[sd].lower, found[sd].levels_lower, found[sd].systematic) == ("1", 30, True)


@pytest.mark.parametrize("sd", [1, 5, 10])
def test_the_prevalence_part_explains_pabak_minus_kappa_mostly_in_group_1(
    published: dict[int, NoiseStudy], sd: int
) -> None:
    findings = published[sd].findings
    assert (findings.main_part, findings.most_corrected) == ("prevalence", "1")
    for group in findings.groups:
        assert abs(group.bias_part or 0) < 0.2 * abs(group.prevalence_part or 0)


@pytest.mark.parametrize("sd", [5, 10])
def test_the_statistics_contradict_each_other_as_published(published: dict[int, NoiseStudy], sd: int) -> None:
    assert published[sd].findings.contradictions == (("kappa", "pabak"), ("pabak", "icc_a1"))


def test_group_0_has_the_higher_mean_score_at_every_level(published: dict[int, NoiseStudy]) -> None:
    for study in published.values():
        curves = study.curves.query("statistic == 'mean_score'").pivot_table(
            index="noise", columns="group", values="mean"
        )
        assert (curves[0] > curves[1]).all()


def test_curves_have_one_row_for_each_group_level_and_statistic() -> None:
    study = reporter.noise_study(predict, INPUTS, SITES, **SMALL)
    assert list(study.curves.columns) == ["group", "noise", "statistic", "mean", "mc_error", "repeats"]
    assert len(study.curves) == 3 * 2 * 9
    assert study.groups == {"north": 40, "south": 40, "(missing)": 20}
    assert study.curves["mean"].dtype == np.float64


def test_groups_keep_their_given_values_and_may_be_a_column() -> None:
    data = INPUTS.assign(ward=[1, 2] * 50)
    study = reporter.noise_study(predict, data, "ward", **SMALL)
    assert sorted(study.curves["group"].unique()) == [1, 2]


def test_frames_keep_their_columns_and_types() -> None:
    seen: list[pd.DataFrame] = []

    def spy(frame: pd.DataFrame) -> np.ndarray:
        seen.append(frame)
        return predict(frame)

    inputs = INPUTS.assign(sex=INPUTS["sex"].astype("category"), visits=pd.array([1, None] * 50, dtype="Int64"))
    perturb = {"age": {"sd": 5, "round": True}, "sex": "flip", "visits": {"sd": 1, "round": True}}
    reporter.noise_study(spy, inputs, SITES, perturb=perturb, levels=[0.5])
    original, perturbed = seen
    pd.testing.assert_frame_equal(original, inputs)
    assert list(perturbed.columns) == list(inputs.columns)
    assert perturbed.dtypes.drop("visits").to_dict() == inputs.dtypes.drop("visits").to_dict()
    assert perturbed["visits"].isna().sum() == 50
    assert sorted(perturbed["pain"]) == sorted(inputs["pain"])


def test_the_inputs_are_not_modified() -> None:
    before = INPUTS.copy(deep=True)
    reporter.noise_study(predict, INPUTS, SITES, **SMALL)
    pd.testing.assert_frame_equal(INPUTS, before)


def test_the_order_of_rows_changes_the_curves_by_monte_carlo_error_only() -> None:
    one = reporter.noise_study(predict, INPUTS, ["g"] * 100, **(SMALL | {"repeats": 60}))
    other = reporter.noise_study(predict, INPUTS[::-1].reset_index(drop=True), ["g"] * 100, **(SMALL | {"repeats": 60}))
    for here, there in zip(one.points, other.points, strict=True):
        assert here.mean == pytest.approx(
            there.mean, abs=4.5 * math.hypot(here.mc_error or 0, there.mc_error or 0) + 1e-9
        )


def test_calls_are_batched() -> None:
    calls = []

    def count(frame: pd.DataFrame) -> np.ndarray:
        calls.append(len(frame))
        return predict(frame)

    reporter.noise_study(count, INPUTS, SITES, perturb={"age": {"sd": 5}}, levels=[0, 0.1, 0.2], repeats=50)
    assert calls == [100, 50 * 3 * 100]


def raising(frame: pd.DataFrame) -> np.ndarray:
    raise RuntimeError("secret value 61")


def raising_on_negative_ages(frame: pd.DataFrame) -> np.ndarray:
    if (frame["age"] < 0).any():
        raise ValueError(f"negative age {frame['age'].min()}")
    return predict(frame)


def nan_on_negative_ages(frame: pd.DataFrame) -> np.ndarray:
    return np.where(frame["age"] < 0, np.nan, predict(frame))


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (raising, "the predictor raised RuntimeError in raising (test_api_noise.py:"),
        (lambda frame: predict(frame)[:-1], "the predictor returned 99 scores for 100 rows on the original rows"),
        (lambda frame: np.full(len(frame), np.nan), "100 missing or infinite scores on the original rows"),
        (lambda frame: [None] * len(frame), "100 missing or infinite scores"),
        (lambda frame: predict(frame) > 0.5, "labels instead of scores (true and false)"),
        (lambda frame: (predict(frame) > 0.5).astype(int), "labels instead of scores (only 0 and 1)"),
        (lambda frame: ["ill"] * len(frame), "labels instead of scores (words)"),
        (lambda frame: np.column_stack([predict(frame)] * 2), "returned two columns on the original rows"),
        (lambda frame: 0.5, "for 100 rows on the original rows"),
    ],
)
def test_a_predictor_that_misbehaves_is_named(bad: Any, message: str) -> None:
    with pytest.raises(DataError) as error:
        reporter.noise_study(bad, INPUTS, SITES, **SMALL)
    assert message in str(error.value)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("bad", [raising_on_negative_ages, nan_on_negative_ages])
def test_a_predictor_that_fails_on_perturbed_rows_only_is_reported_with_a_rows_index_and_no_values(bad: Any) -> None:
    inputs = INPUTS.set_axis(range(1000, 1100)).assign(age=lambda frame: frame["age"].where(frame.index != 1042, 1))
    with pytest.raises(DataError) as error:
        reporter.noise_study(
            bad, inputs, ["g"] * 100, perturb={"age": {"sd": 4, "round": True}}, levels=[0.9], repeats=20
        )
    assert "on perturbed rows, for example" in str(error.value)
    assert "row 1042" in str(error.value)
    assert "negative age" not in str(error.value)
    assert error.value.__cause__ is None


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"perturb": {"sexx": "flip"}}, "'sexx' is not among the inputs (age, sex, pain)"),
        ({"perturb": {"age": "flip"}}, "'age' has 5 distinct values, a flip needs 2"),
        ({"perturb": {"age": {"sd": -5}}}, "perturb.age.sd: found -5"),
        ({"levels": [1.5]}, "expected probabilities from 0 to 1"),
    ],
)
def test_designs_that_do_not_fit_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as error:
        reporter.noise_study(predict, INPUTS, SITES, **(SMALL | changes))
    assert message in str(error.value)


def test_groups_and_labels_must_fit_the_rows() -> None:
    with pytest.raises(InputError, match="groups: 3 values for 100 rows"):
        reporter.noise_study(predict, INPUTS, ["a", "b", "c"], **SMALL)
    with pytest.raises(InputError, match="groups: the data has no column 'ward'"):
        reporter.noise_study(predict, INPUTS, "ward", **SMALL)
    with pytest.raises(InputError, match="groups: the row sets differ"):
        reporter.noise_study(predict, INPUTS, pd.Series(SITES, index=range(1, 101)), **SMALL)
    with pytest.raises(InputError, match="there are no rows"):
        reporter.noise_study(predict, INPUTS.iloc[:0], [], **SMALL)
    with pytest.raises(DataError, match="the data has no column 'pulse'"):
        reporter.noise_study_cv(INPUTS, [0, 1] * 50, ["age", "pulse"], SITES, perturb={"age": {"sd": 1}}, levels=[0.1])
    with pytest.raises(ReporterError, match="the labels must be 0 and 1"):
        reporter.noise_study_cv(INPUTS, [0, 2] * 50, ["age"], SITES, perturb={"age": {"sd": 1}}, levels=[0.1])


def test_the_notebook_view_is_a_table() -> None:
    assert "<table" in reporter.noise_study(predict, INPUTS, SITES, **SMALL)._repr_html_()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predict": None}, "predict: found None, expected a function of a DataFrame"),
        ({"inputs": 5}, "inputs: found 5, expected a DataFrame"),
        ({"inputs": None}, "inputs: found None, expected a DataFrame"),
        ({"groups": None}, "groups: found None, expected a vector"),
        ({"groups": [["a"]] * 100}, "groups: found rows that hold several values"),
        ({"groups": np.ones((100, 2))}, "groups: found 2 dimensions, expected a vector"),
        ({"groups": {"a": 1}}, "groups: found a dict, expected a vector"),
        ({"perturb": None}, "perturb: found None, expected a mapping"),
        ({"perturb": ["age"]}, r"perturb: found \['age'\], expected a mapping"),
        ({"levels": 0.2}, r"levels: found 0\.2, expected a list of probabilities"),
        ({"levels": "0.2"}, r"levels: found '0\.2', expected a list of probabilities"),
        ({"one_hot": None}, "one_hot: found None, expected a list of lists of columns"),
        ({"one_hot": ["ab"]}, r"one_hot: found \['ab'\], expected a list of lists of columns"),
        ({"by_group": "no"}, "by_group: found 'no', expected True or False"),
        ({"exact_proportion": 1}, "exact_proportion: found 1, expected True or False"),
        ({"progress": 5}, "progress: found 5, expected a function"),
        ({"n_jobs": 0}, "n_jobs: found 0, expected a whole number other than 0"),
        ({"perturb": {"age": np.array([1, 2])}}, "perturb.age: found an? ndarray, expected flip"),
        ({"perturb": {"age": {"replace": "yes"}}}, "perturb.age.replace: found 'yes', expected true or false"),
        ({"perturb": {"age": {"sd": 1, "replace": True}}}, "perturb.age.replace: found replace beside sd"),
        ({"perturb": {"age": {"sd": 1e300, "round": True}}}, r"perturb.age.sd: found 1e\+300, with which 'age' leaves"),
        ({"perturb": {"pain": {"sd": 1e308}}}, r"perturb.pain.sd: found 1e\+308, with which 'pain' leaves"),
        ({"levels": [0.1, 0.1 + 1e-13]}, "levels: a noise level is named twice"),
        ({"levels": {"from": 0, "to": 0.2, "step": 0.1, "by": 3}}, "levels.by: unknown key"),
        ({"levels": {"from": 0, "to": 1, "step": 1e-9}}, "levels: more than 10,000 noise levels"),
        ({"inputs": pd.concat([INPUTS, INPUTS[["age"]]], axis=1)}, "inputs: found 2 columns 'age'"),
        ({"predict": lambda frame: [[1], [1, 2]]}, "predictor: the predictor returned rows of different lengths"),
        ({"predict": lambda frame: np.full(len(frame), 1j)}, "predictor: the predictor returned complex numbers"),
    ],
)
def test_a_study_names_an_argument_of_the_wrong_kind(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {"predict": predict, "inputs": INPUTS, "groups": SITES} | SMALL | change
    with pytest.raises(DataError, match=message):
        reporter.noise_study(**arguments)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"data": 5}, "data: found 5, expected a DataFrame"),
        ({"label": None}, "label: found None, expected a vector"),
        ({"label": ["ill", "healthy"] * 50}, "label: found 'ill', expected labels 0 and 1"),
        ({"inputs": ["age", "age"]}, "inputs: the input 'age' is named twice"),
        ({"inputs": "age"}, "inputs: found 'age', expected a list of columns"),
        ({"inputs": None}, "inputs: found None, expected a list of columns"),
        ({"scale": 5}, "scale: found 5, expected a list of columns"),
        ({"folds": "a"}, "folds: found 'a', expected a whole number, at least 2"),
        ({"folds": True}, "folds: found True, expected a whole number, at least 2"),
        ({"groups": None}, "groups: found None, expected a vector"),
    ],
)
def test_a_study_with_a_stand_in_names_an_argument_of_the_wrong_kind(change: dict[str, Any], message: str) -> None:
    arguments: dict[str, Any] = {
        "data": INPUTS.assign(ill=[0, 1] * 50), "label": "ill", "inputs": ["age"], "groups": SITES,
        "perturb": {"age": {"sd": 5}}, "levels": [0.2],
    } | change  # fmt: skip
    with pytest.raises(DataError, match=message):
        reporter.noise_study_cv(**arguments)


def test_everything_that_a_study_is_given_wrongly_is_told_at_once() -> None:
    ask: Any = reporter.noise_study
    with pytest.raises(InputError) as caught:
        ask(None, INPUTS, SITES, perturb={"age": 5}, levels=[2], repeats=0, seed=-1, by_group="no", n_jobs=0)
    assert [problem.key for problem in caught.value.problems] == [
        *("predict", "by_group", "n_jobs", "perturb.age", "levels", "repeats", "seed")
    ]
