"""The description of a noise study: what is accepted, and every problem at once."""

from __future__ import annotations

from typing import Any

import pytest

from reporter.errors import InputError
from reporter.stats.noise_spec import Gaussian, noise_spec


def test_levels_from_to_step_are_the_decimals_as_written() -> None:
    found = noise_spec({"x": {"sd": 1}}, levels={"from": 0, "to": 0.3, "step": 0.01}).levels
    assert found == tuple(i / 100 for i in range(31))


def test_plain_values_become_perturbations() -> None:
    found = noise_spec(
        {"age": {"sd": 5, "round": True, "min": 18, "max": None}, "sex": "flip", "site": {"replace": True, "sd": None}},
        levels=[0.1],
    )
    assert found.perturb == {"age": Gaussian(5.0, True, 18, None), "sex": "flip", "site": "replace"}


@pytest.mark.parametrize(
    ("perturb", "levels", "message"),
    [
        ({"x": {"sd": -1}}, [0.1], "perturb.x.sd: found -1, expected a number of 0 or more"),
        ({"x": {"sd": "5"}}, [0.1], "perturb.x.sd: found '5'"),
        ({"x": {"sd": float("nan")}}, [0.1], "perturb.x.sd: found nan"),
        ({"x": {"variance": 5}}, [0.1], "perturb.x.variance: unknown key; expected sd, round, min, max"),
        ({"x": {"sd": 1, "min": 5, "max": 2}}, [0.1], "perturb.x: min 5 is above max 2"),
        ({"x": {"sd": 1, "round": "yes"}}, [0.1], "perturb.x.round: found 'yes', expected true or false"),
        ({"x": "swap"}, [0.1], "perturb.x: found 'swap', expected flip, replace or {sd: ...}"),
        ({}, [0.1], "perturb: nothing is perturbed"),
        ({"x": "flip"}, [0.1, 1.2], "levels: found 1.2, expected probabilities from 0 to 1"),
        ({"x": "flip"}, [-0.1], "levels: found -0.1"),
        ({"x": "flip"}, [], "levels: no noise level"),
        ({"x": "flip"}, [0.1, 0.1], "levels: a noise level is named twice"),
        ({"x": "flip"}, {"from": 0, "to": 0.3, "step": 0}, "levels: found"),
        ({"x": "flip"}, {"from": 0.3, "to": 0.1, "step": 0.1}, "expected from <= to and step > 0"),
        ({"x": "flip"}, {"from": 0, "to": 0.3}, "expected from <= to and step > 0"),
    ],
)
def test_bad_designs_are_refused_with_what_was_found(perturb: Any, levels: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        noise_spec(perturb, levels=levels)
    assert message in str(error.value)


def test_every_problem_is_reported_at_once() -> None:
    with pytest.raises(InputError) as error:
        noise_spec({"x": {"sd": -1}}, levels=[2], repeats=0, seed=-1, rule="<")
    assert len(error.value.problems) == 5


def test_one_hot_columns_may_flip_but_have_no_other_perturbation() -> None:
    assert noise_spec({"f": "flip", "m": "flip"}, levels=[0.1], one_hot=[["f", "m"]]).one_hot == (("f", "m"),)
    with pytest.raises(InputError, match="'m' cannot have a perturbation of its own but flip"):
        noise_spec({"m": {"sd": 1}}, levels=[0.1], one_hot=[["f", "m"]])
    with pytest.raises(InputError, match="two columns or more"):
        noise_spec({}, levels=[0.1], one_hot=[["f"]])
    with pytest.raises(InputError, match="'f' is named twice"):
        noise_spec({}, levels=[0.1], one_hot=[["f", "m"], ["f", "g"]])


def test_variants_choose_inputs_and_minima() -> None:
    spec = noise_spec(
        {"age": {"sd": 5}, "count": {"sd": 1, "min": 2}, "sex": "flip"}, levels=[0.1], one_hot=[["f", "m"]]
    )
    assert spec.restricted("all") == spec
    assert list(spec.restricted("numeric").perturb) == ["age", "count"]
    assert spec.restricted("numeric").one_hot == ()
    assert list(spec.restricted("binary").perturb) == ["sex"]
    assert spec.restricted("binary").one_hot == (("f", "m"),)
    minima = spec.restricted("minima").perturb
    assert minima["age"] == Gaussian(5.0, floor=True)
    assert minima["count"] == Gaussian(1.0, min=2)


def test_a_variant_without_inputs_is_an_error() -> None:
    with pytest.raises(InputError, match="no input has normal draws"):
        noise_spec({"sex": "flip"}, levels=[0.1]).restricted("numeric")
