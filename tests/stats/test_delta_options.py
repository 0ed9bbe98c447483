"""Options of a Δ tree by themselves and together."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from reporter.config.schema import TreeConfig
from reporter.errors import ConfigError
from reporter.stats.delta_counts import Covariate
from reporter.stats.delta_options import combination_problems, rate_problem, value_problems
from reporter.stats.delta_spec import TreeSpec


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("min_size", value) for value in (0, 1.5, 50.0, True, "50", None, np.float64(50), np.bool_(True), [50])),
        *(("max_depth", value) for value in (-1, 1.5, False, "2", float("nan"))),
        *(("alpha", value) for value in (0, 1, 2, "0.05", None, True, float("nan"), 0.05j, np.array([0.05]))),
        *(("min_difference", value) for value in (-0.1, "a", None, float("inf"), float("nan"))),
        *(("honest", value) for value in ("yes", 1, None)),
        *(("seed", value) for value in (-1, "a", None, 1.0, True)),
        *(("trim", value) for value in (0, 0.5, "0.1")),
        *(("rate", value) for value in (["fpr"], None, 1)),
        *(("test", value) for value in (["wald"], None, np.array(["wald", "score"]))),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_its_key(option: str, value: Any) -> None:
    (problem,) = value_problems({option: value})
    assert problem.key == option
    assert problem.message.startswith("found ")
    assert "expected" in problem.message


@pytest.mark.parametrize(
    ("option", "value"),
    [
        *(("min_size", value) for value in (1, np.int64(50), np.uint8(7))),
        *(("alpha", value) for value in (0.05, np.float32(0.05), np.float64(0.1), Fraction(1, 20))),
        *(("max_depth", value) for value in (None, 0, np.int32(3))),
        *(("min_difference", value) for value in (0, 0.1, np.float32(0.1))),
        *(("honest", value) for value in (True, False, np.bool_(True))),
        ("seed", np.int64(2**40)),
    ],
)
def test_numbers_of_numpy_are_numbers(option: str, value: Any) -> None:
    assert value_problems({option: value}) == []


def test_every_problem_of_a_question_is_told_at_once() -> None:
    sex = Covariate("sex", "categorical", ("F", "M"))
    with pytest.raises(ConfigError) as caught:
        TreeSpec(
            levels=("a", "a"), models=("m", "m"), covariates=(sex, sex), rate="ppv", alpha=2, min_size=0,
            contrast="spread", test="score",
        )  # fmt: skip
    assert [problem.key for problem in caught.value.problems] == [
        *("rate", "alpha", "min_size", "models", "split_on", "levels", "pairs")
    ]


@pytest.mark.parametrize("min_size", [1, 2, 0])
def test_a_config_and_the_api_agree_on_the_smallest_node(min_size: int) -> None:
    mapping = {"models": ["m"], "attribute": "sex", "split_on": ["age"], "min_size": min_size}
    fine = not value_problems({"min_size": min_size})
    if fine:
        assert TreeConfig.model_validate(mapping).min_size == min_size
    else:
        with pytest.raises(ValueError, match="min_size"):
            TreeConfig.model_validate(mapping)


@pytest.mark.parametrize(
    ("rate", "said"),
    [
        ("npv", "no common rows"),
        ("tpr", "Use fnr, whose Δ has the opposite sign"),
        ("selection_rate", "Use referral"),
        ("acuracy", "Did you mean 'accuracy'?"),
        ("f1", "not a mean over rows that both models share"),
    ],
)
def test_a_rate_that_cannot_be_compared_says_why_or_what_is_meant(rate: str, said: str) -> None:
    assert said in str(rate_problem(rate))


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ({"test": "wald"}, []),
        ({"parameters": "all"}, ["parameters"]),
        ({"parameters": "all", "test": "permutation"}, ["parameters"]),
        ({"parameters": "all", "test": "score", "n_models": 1, "kinds": ["numeric"]}, ["parameters"]),
        ({"parameters": "all", "test": "score", "n_models": 1, "kinds": ["ordered"]}, []),
        ({"rate": "score", "test": "permutation"}, ["test"]),
        ({"contrast": "spread", "test": "permutation"}, ["pairs"]),
        ({"contrast": "spread", "rate": "score"}, ["pairs"]),
        ({"ties": "rows", "parameters": "all"}, ["ties", "parameters"]),
    ],
)
def test_options_that_contradict_each_other_are_told(options: dict[str, Any], keys: list[str]) -> None:
    asked = {"rate": "referral", "test": "wald", "parameters": "delta", "n_models": 2} | options
    assert [problem.key for problem in combination_problems(**asked)] == keys
