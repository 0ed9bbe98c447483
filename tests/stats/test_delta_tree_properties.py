"""What must not matter to a Δ tree: the order of rows, names, which level or model comes first, constant covariates."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reporter

TESTS = ("wald", "score")
CASES = settings(max_examples=25, deadline=None)
SEEDS = st.integers(0, 2**32 - 1)


def sample(seed: int, n: int = 1_500) -> pd.DataFrame:
    """Rows with three covariates, two of which move Δ in most samples."""
    rng = np.random.default_rng(seed)
    site = rng.integers(0, 4, n)
    sex = rng.integers(0, 2, n)
    age = rng.integers(18, 60, n)
    race = (rng.random(n) < 0.3 + 0.4 * sex).astype(int)
    first = rng.random(n) < 0.3 + 0.1 * (site == 1)
    shift = rng.uniform(0, 0.4)
    second = np.where(
        rng.random(n) < 0.6, first, rng.random(n) < 0.3 + shift * race * (site == 2) + 0.2 * race * (age > 40)
    )
    return pd.DataFrame(
        {
            "race": np.array(["a", "b"])[race],
            "m1": first.astype(int),
            "m2": second.astype(int),
            "site": np.array(["north", "south", "east", "west"])[site],
            "sex": np.array(["F", "M"])[sex],
            "age": age,
        }
    )


def tree_of(frame: pd.DataFrame, **changes: Any) -> reporter.tree.Tree:
    arguments: dict[str, Any] = {
        "attribute": "race",
        "levels": ("a", "b"),
        "models": ("m1", "m2"),
        "split_on": ["site", "sex", "age"],
        "alpha": 0.2,
    }
    return reporter.delta_tree(frame, **(arguments | changes))


def shape(node: dict[str, Any]) -> Any:
    """The splits and sizes, whichever side is called left."""
    split = node["split"]
    if split is None:
        return node["n"]
    sides = [split.get("levels_left"), split.get("levels_right"), split.get("threshold")]
    left, right = (shape(child) for child in node["children"])
    return split["covariate"], *sides, left, right


@CASES
@given(SEEDS, st.sampled_from(TESTS))
def test_the_order_of_rows_does_not_matter(seed: int, test: str) -> None:
    frame = sample(seed)
    shuffled = frame.sample(frac=1, random_state=seed % 1000)
    assert tree_of(shuffled, test=test).to_dict() == tree_of(frame, test=test).to_dict()


@CASES
@given(SEEDS)
def test_honest_trees_do_not_depend_on_the_order_of_rows(seed: int) -> None:
    frame = sample(seed)
    shuffled = frame.sample(frac=1, random_state=seed % 1000)
    assert tree_of(shuffled, honest=True) == tree_of(frame, honest=True)


@CASES
@given(SEEDS, st.permutations(["north", "south", "east", "west"]))
def test_names_of_unordered_levels_do_not_matter(seed: int, names: list[str]) -> None:
    frame = sample(seed)
    renaming = dict(zip(["north", "south", "east", "west"], names, strict=True))
    found = tree_of(frame.assign(site=frame["site"].map(renaming))).to_dict()

    def check(one: dict[str, Any], other: dict[str, Any]) -> None:
        assert (one["n"], len(one["children"])) == (other["n"], len(other["children"]))
        assert one["delta"] == pytest.approx(other["delta"], abs=1e-12)
        if one["split"] and one["split"]["covariate"] == "site":
            assert sorted(renaming[level] for level in one["split"]["levels_left"]) == other["split"]["levels_left"]
        for child, twin in zip(one["children"], other["children"], strict=True):
            check(child, twin)

    check(tree_of(frame).to_dict(), found)


def opposite(one: dict[str, Any], other: dict[str, Any]) -> None:
    """The same tree with the sign of Δ turned."""
    assert other["delta"] == pytest.approx(-one["delta"], abs=1e-12)
    assert (other["low"], other["high"]) == (
        pytest.approx(-one["high"], abs=1e-12),
        pytest.approx(-one["low"], abs=1e-12),
    )
    for name, test in one["tests"].items():
        assert other["tests"][name]["statistic"] == (
            None if test["statistic"] is None else pytest.approx(test["statistic"], rel=1e-6, abs=1e-9)
        )
    for child, twin in zip(one["children"], other["children"], strict=True):
        opposite(child, twin)


@CASES
@given(SEEDS)
def test_exchanging_the_attribute_levels_turns_the_sign_of_delta_only(seed: int) -> None:
    frame = sample(seed)
    one, other = tree_of(frame).to_dict(), tree_of(frame, levels=("b", "a")).to_dict()
    assert shape(one) == shape(other)
    opposite(one, other)


@CASES
@given(SEEDS, st.sampled_from(TESTS))
def test_exchanging_the_models_turns_the_sign_of_delta_only(seed: int, test: str) -> None:
    frame = sample(seed)
    one = tree_of(frame, test=test).to_dict()
    other = tree_of(frame, test=test, models=("m2", "m1")).to_dict()
    assert shape(one) == shape(other)
    opposite(one, other)


@CASES
@given(SEEDS, st.sampled_from(TESTS), st.sampled_from([1, "x", True]))
def test_a_constant_covariate_changes_nothing_and_is_not_counted_as_tested(seed: int, test: str, value: Any) -> None:
    frame = sample(seed)
    more = tree_of(frame.assign(same=value), test=test, split_on=["same", "site", "sex", "age"])
    less = tree_of(frame, test=test)
    for node, twin in zip(more.nodes(), less.nodes(), strict=True):
        tests = dict(node.tests)
        same = tests.pop("same", None)
        assert same is None or (same.p is None and same.reason)
        assert tests == twin.tests
        assert (node.n, node.delta, node.split) == (twin.n, twin.delta, twin.split)


@CASES
@given(SEEDS, st.sampled_from(TESTS))
def test_every_row_twice_keeps_rates_and_doubles_statistics(seed: int, test: str) -> None:
    frame = sample(seed, 4_000)
    options = {"test": test, "max_depth": 1, "split_on": ["site", "sex"]}
    one = tree_of(frame, **options).root
    two = tree_of(pd.concat([frame, frame]), **options).root
    assert two.delta == pytest.approx(one.delta)
    assert {name: rate.rate for name, rate in two.rates.items()} == pytest.approx(
        {name: rate.rate for name, rate in one.rates.items()}
    )
    # wald: the divisor n - 1 and the shrinkage towards the node are the small-sample correction
    rel = 1e-9 if test == "score" else 0.05
    for name, result in one.tests.items():
        assert two.tests[name].statistic == pytest.approx(2 * result.statistic, rel=rel, abs=0.02)


@CASES
@given(SEEDS, st.sampled_from(["wald", "score"]), st.integers(20, 300))
def test_leaves_partition_the_rows_and_keep_min_size(seed: int, test: str, min_size: int) -> None:
    tree = tree_of(sample(seed), test=test, min_size=min_size)
    leaves = tree.leaves()
    assert leaves["n"].sum() == tree.root.n == 1_500
    assert len(leaves) == 1 or leaves["n"].min() >= min_size
    for node in tree.nodes():
        assert (node.reason is None) == bool(node.children)
        assert node.delta is None or node.low <= node.delta <= node.high
