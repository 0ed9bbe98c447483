"""Δ trees and instability tests from Python: inputs of every kind, and what bad input says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.errors import ConfigError, DataError, InputError


def frame(n: int = 2_000) -> pd.DataFrame:
    """Δ differs between men and women; the label is independent of all."""
    rng = np.random.default_rng(11)
    sex, race = rng.integers(0, 2, n), rng.integers(0, 2, n)
    first = (rng.random(n) < 0.3).astype(int)
    second = (rng.random(n) < 0.3 + 0.3 * sex * race).astype(int)
    return pd.DataFrame(
        {
            "race": np.array(["black", "white"])[race],
            "old": first,
            "new": second,
            "outcome": rng.integers(0, 2, n),
            "sex": np.array(["F", "M"])[sex],
            "age": rng.integers(18, 70, n),
            "stage": np.array(["I", "II", "III"])[rng.integers(0, 3, n)],
        }
    )


def tree_of(data: Any, **changes: Any) -> reporter.tree.Tree:
    arguments: dict[str, Any] = {"attribute": "race", "models": ("old", "new"), "split_on": ["sex", "age"]}
    return reporter.delta_tree(data, **(arguments | changes))


def test_a_tree_shows_its_leaves_as_a_table() -> None:
    leaves = tree_of(frame()).leaves()
    assert leaves.columns.tolist() == [
        *("id", "path", "n", "delta", "low", "high", "m1_a1", "m1_a2", "m2_a1", "m2_a2"),
        *("base_rate_a1", "base_rate_a2"),
    ]
    assert sorted(leaves["path"]) == ["sex = F", "sex = M"]
    data = frame()
    men = data[data["sex"] == "M"]
    by_race = men.groupby("race")[["old", "new"]].mean()
    row = leaves[leaves["path"] == "sex = M"].iloc[0]
    assert row["m2_a1"] == pytest.approx(by_race.loc["black", "new"])
    assert row["delta"] == pytest.approx(
        (by_race["new"] - by_race["old"])["white"] - (by_race["new"] - by_race["old"])["black"]
    )
    # without labels a base rate is undefined
    assert leaves["base_rate_a1"].isna().all()


def test_a_tree_as_a_dictionary_has_the_documented_keys() -> None:
    root = tree_of(frame(), rate="fpr", label="outcome").to_dict()
    assert list(root) == [
        *("id", "n", "delta", "low", "high", "rates", "base_rates", "tests", "split", "reason", "children")
    ]
    assert root["n"] == (frame()["outcome"] == 0).sum()
    assert list(root["tests"]) == ["sex", "age"]
    assert list(root["tests"]["sex"]) == ["statistic", "df", "p", "log_p", "p_adjusted", "reason"]
    assert root["split"]["covariate"] == "sex"
    assert root["base_rates"]["a1"]["n"] == (frame()["race"] == "black").sum()
    assert root["children"][0]["id"] == 2


def test_every_kind_of_table_gives_the_same_tree(tmp_path: Path) -> None:
    import ibis
    import pyarrow as pa

    data = frame()
    expected = tree_of(data).to_dict()
    data.to_csv(tmp_path / "rows.csv", index=False)
    data.to_parquet(tmp_path / "rows.parquet")
    assert tree_of(pa.Table.from_pandas(data)).to_dict() == expected
    assert tree_of(ibis.memtable(pa.Table.from_pandas(data))).to_dict() == expected
    assert tree_of(tmp_path / "rows.csv").to_dict() == expected
    assert tree_of(str(tmp_path / "rows.parquet")).to_dict() == expected


@pytest.mark.parametrize("kind", ["bool", "float", "string", "Int64", "category"])
def test_the_type_of_columns_does_not_matter(kind: str) -> None:
    data = frame()
    other = data.assign(
        old=data["old"].astype(kind), new=data["new"].astype(kind), race=data["race"].astype("category")
    )
    assert tree_of(other).to_dict() == tree_of(data).to_dict()


@pytest.mark.parametrize("levels", [("a", "b"), (1, 2)])
def test_the_levels_of_the_attribute_may_be_numbers(levels: tuple[Any, Any]) -> None:
    data = frame()
    data["race"] = data["race"].map({"black": levels[0], "white": levels[1]})
    assert tree_of(data, levels=levels).root.delta == tree_of(frame()).root.delta
    assert tree_of(data, levels=levels[::-1]).root.delta == pytest.approx(-tree_of(frame()).root.delta)


def test_ordered_covariates_come_from_the_argument_or_a_categorical() -> None:
    data = frame()
    by_argument = tree_of(data, split_on=["stage"], ordered={"stage": ["III", "II", "I"]})
    by_type = tree_of(
        data.assign(stage=pd.Categorical(data["stage"], ["III", "II", "I"], ordered=True)), split_on=["stage"]
    )
    assert by_argument.to_dict() == by_type.to_dict()
    assert by_argument.root.tests["stage"].df == 1


def test_numbers_in_words_are_read_as_numbers_on_demand() -> None:
    data = frame()
    words = data.assign(age=data["age"].astype(str))
    assert tree_of(words, numeric=["age"]).to_dict() == tree_of(data).to_dict()
    assert tree_of(words).root.tests["age"].p != tree_of(data).root.tests["age"].p


def test_rows_that_cannot_take_part_are_counted_in_the_notes() -> None:
    data = frame()
    data.loc[:9, "race"] = "other"
    data.loc[10:14, "race"] = None
    data["new"] = data["new"].astype(float)
    data.loc[20:22, "new"] = np.nan
    tree = tree_of(data, levels=("black", "white"))
    assert tree.root.n == 2_000 - 15 - 3
    assert tree.notes == (
        "15 rows of neither black nor white are left out",
        "3 rows without a prediction of old and new are left out",
    )


def test_rows_without_a_label_are_counted_where_the_rate_needs_it() -> None:
    data = frame().astype({"outcome": float})
    data.loc[:4, "outcome"] = np.nan
    assert tree_of(data, rate="accuracy", label="outcome").notes == ("5 rows without a label are left out",)
    assert tree_of(data, label="outcome").notes == ()


def test_a_missing_value_of_an_unordered_covariate_is_a_level() -> None:
    data = frame()
    data["sex"] = data["sex"].where(data["sex"] != "M", None)
    split = tree_of(data).root.split
    assert split is not None
    assert sorted([split.levels_left, split.levels_right]) == [("(missing)",), ("F",)]


def test_score_mode_drops_rows_with_a_missing_covariate_and_counts_them() -> None:
    data = frame()
    data.loc[:99, "sex"] = None
    tree = tree_of(data, test="score")
    assert (tree.n_dropped, tree.root.n) == (100, 1_900)


def test_words_as_labels_need_the_positive_one() -> None:
    data = frame().assign(outcome=np.where(frame()["outcome"] == 1, ">50K", "<=50K"))
    with pytest.raises(
        DataError, match=r"positive: the label 'outcome' has the values .*'<=50K'.*'>50K'|'>50K'.*'<=50K'"
    ):
        tree_of(data, rate="fpr", label="outcome")
    named = tree_of(data, rate="fpr", label="outcome", positive=">50K")
    assert named.to_dict() == tree_of(frame(), rate="fpr", label="outcome").to_dict()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"split_on": ["race"]}, "'race' is the attribute itself"),
        ({"rate": "ppv"}, "the two models have no common rows"),
        ({"rate": "fpr"}, "fpr needs the true labels"),
        ({"models": "old"}, "expected a list of columns"),
        ({"levels": ("black",)}, "expected two levels"),
        ({"levels": ("black", "black")}, "expected two different levels"),
        ({"levels": ("a", "b", "c")}, "expected two levels"),
        ({"models": ("old", "old")}, "named twice: Δ would be 0 everywhere"),
        ({"models": ()}, "found 0 models"),
        ({"models": ("a", "b", "c")}, "found 3 models"),
        ({"ordered": {"stage": ["I", "II"]}}, "'stage' is not in split_on"),
        ({"numeric": ["stage"]}, "'stage' is not in split_on"),
        ({"split_on": []}, "no covariate"),
        ({"split_on": ["sex", "sex"]}, "named twice"),
        ({"alpha": 2}, "alpha"),
        ({"test": "t"}, "expected one of wald"),
    ],
)
def test_wrong_arguments_are_told_before_the_data_is_read(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tree_of("no/such/file.csv", **changes)


def test_every_wrong_argument_is_told_at_once() -> None:
    with pytest.raises(ConfigError) as caught:
        tree_of(
            None, attribute="A", models=("m", "m"), split_on=["A", "A"], rate="ppv", alpha=2, min_size=0, levels="xy",
            numeric=None, ordered=["c"], seed=-1, honest="yes", label=3,
        )  # fmt: skip
    assert [problem.key for problem in caught.value.problems] == [
        *("data", "label", "numeric", "ordered", "levels", "rate", "alpha", "min_size", "honest", "seed"),
        *("models", "split_on", "split_on"),
    ]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"min_size": "50"}, "min_size: found '50', expected a whole number of rows, at least 1"),
        ({"min_size": 1.5}, r"min_size: found 1\.5, expected a whole number"),
        ({"max_depth": "2"}, "max_depth: found '2', expected a whole number of splits"),
        ({"alpha": None}, "alpha: found None, expected a number between 0 and 1"),
        ({"min_difference": "a"}, "min_difference: found 'a', expected a number, at least 0"),
        ({"honest": "yes"}, "honest: found 'yes', expected True or False"),
        ({"seed": "a"}, "seed: found 'a', expected a whole number, at least 0"),
        ({"rate": ["fpr"]}, r"rate: found \['fpr'\], expected one of referral"),
        ({"split_on": None}, "split_on: found None, expected a list of columns"),
        ({"split_on": {"sex"}}, r"split_on: found {'sex'}, expected a list of columns"),
        ({"split_on": ["sex", 3]}, r"split_on\[1\]: found 3, expected a column's name"),
        ({"numeric": None}, "numeric: found None, expected a list of columns"),
        ({"ordered": ["sex"]}, r"ordered: found \['sex'\], expected a mapping from a covariate to its levels"),
        ({"ordered": {"sex": "FM"}}, r"ordered\['sex'\]: found 'FM', expected its levels in order"),
        ({"attribute": "old"}, "attribute: 'old' holds what a compared model says"),
        ({"attribute": "outcome", "label": "outcome"}, "attribute: 'outcome' is the label"),
        ({"levels": (1, 1.0)}, "levels: found 1 twice"),
        ({"levels": {"black", "white"}}, "expected two levels"),
    ],
)
def test_an_argument_of_the_wrong_kind_is_named_with_what_was_expected(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tree_of("no/such/file.csv", **changes)


@pytest.mark.parametrize("data", [None, [1, 2], 5, np.zeros((2, 2)), pd.Series([1])])
def test_what_is_no_table_is_refused(data: Any) -> None:
    with pytest.raises(ConfigError, match=r"data: found .*expected a pandas or Arrow frame, an Ibis table or a path"):
        tree_of(data)


def test_columns_of_a_mapping_that_make_no_table_are_refused() -> None:
    with pytest.raises(DataError, match=r"data: the data cannot be read as a table: .*length"):
        tree_of({"race": ["a", "b"], "old": [1]})


def test_numbers_and_lists_of_numpy_are_as_good_as_those_of_python() -> None:
    tree = tree_of(
        frame(), min_size=np.int64(50), alpha=np.float64(0.05), max_depth=np.int32(1), honest=np.bool_(False),
        min_difference=np.float32(0), seed=np.int64(0), models=np.array(["old", "new"]), split_on=iter(["sex", "age"]),
    )  # fmt: skip
    assert tree.to_dict() == tree_of(frame(), max_depth=1).to_dict()


@pytest.mark.parametrize("name", ["__rows__", "n_rows", "N_ROWS", "count", "index"])
@pytest.mark.parametrize("kind", ["pandas", "csv", "ibis"])
def test_a_column_may_have_any_name(name: str, kind: str, tmp_path: Path) -> None:
    import ibis
    import pyarrow as pa

    renamed = frame().rename(columns={"sex": name})
    renamed.to_csv(tmp_path / "rows.csv", index=False)
    data = {"pandas": renamed, "csv": tmp_path / "rows.csv", "ibis": ibis.memtable(pa.Table.from_pandas(renamed))}[kind]
    found, expected = tree_of(data, split_on=[name]).root, tree_of(frame(), split_on=["sex"]).root
    assert found.tests[name] == expected.tests["sex"]


def test_an_index_with_the_name_of_a_column_does_not_matter() -> None:
    data = frame()
    assert tree_of(data.set_index("sex", drop=False)).to_dict() == tree_of(data).to_dict()


@pytest.mark.parametrize("ties", ["groups", "rows"])
@pytest.mark.parametrize("odd", [[1, 2], {"a": 1}, {1}])
def test_a_column_of_lists_or_mappings_is_refused(odd: Any, ties: str) -> None:
    data = frame(200).assign(site=[odd] * 200)
    with pytest.raises(DataError, match=r"column 'site' holds .*, expected a single value in each row"):
        tree_of(data, split_on=["site"], ties=ties, test="score")


def test_a_column_of_lists_in_an_arrow_table_is_refused() -> None:
    import pyarrow as pa

    table = pa.Table.from_pandas(frame(200).assign(site=[[1]] * 200))
    with pytest.raises(DataError, match=r"column 'site' holds .*, expected a single value in each row"):
        tree_of(table, split_on=["site"])


def test_dates_and_complex_numbers_are_no_scores_and_no_numeric_covariates() -> None:
    data = frame(200).assign(day=pd.Timestamp("2020-01-01"), wave=1 + 2j)
    with pytest.raises(DataError) as caught:
        tree_of(data, models=("old", "day"), rate="score", split_on=["wave", "day"], numeric=["day"])
    lines = str(caught.value).splitlines()
    assert [line.partition(":")[0] for line in lines] == ["column 'day'", "column 'wave'", "column 'day'"]
    assert all("expected a finite number" in line for line in lines)


def test_everything_that_the_data_has_wrong_is_told_at_once() -> None:
    data = frame(200).assign(race="black", new=2, sex=np.inf, outcome=None)
    with pytest.raises(DataError) as caught:
        tree_of(data, label="outcome")
    assert [str(problem).partition(",")[0] for problem in caught.value.problems] == [
        "attribute: 'race' has one level ('black')",
        "column 'new': found 2 (200 such rows)",
        "label: the label 'outcome' has no value: every one is missing",
        "column 'sex': found inf",
    ]


def test_equal_values_of_different_types_are_one_level() -> None:
    data = frame().astype({"outcome": object, "race": object})
    data.loc[::2, "outcome"] = data.loc[::2, "outcome"].astype(str)
    assert (
        tree_of(data, rate="fpr", label="outcome").to_dict() == tree_of(frame(), rate="fpr", label="outcome").to_dict()
    )
    data["race"] = [1 if place % 2 else "1" for place in range(len(data))]
    with pytest.raises(DataError, match=r"'race' has one level \('1'\)"):
        tree_of(data)


def test_true_is_the_label_1() -> None:
    expected = tree_of(frame(), rate="fpr", label="outcome").to_dict()
    assert tree_of(frame(), rate="fpr", label="outcome", positive=True).to_dict() == expected
    assert tree_of(frame().astype({"outcome": bool}), rate="fpr", label="outcome").to_dict() == expected


def test_a_models_own_predictions_may_divide_the_rows() -> None:
    root = tree_of(frame(), split_on=["old"], models=("old", "new")).root
    assert root.tests["old"].p is not None
    alone = tree_of(frame(), split_on=["new"], models=["new"]).root
    # within one of its predictions a model has no gap
    assert (alone.split, alone.tests["new"].p) == (None, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("column", "value", "changes", "message"),
    [
        ("new", 2, {}, r"column 'new': found .*2.* expected 0 or 1"),
        ("new", 0.5, {}, r"expected 0 or 1\. For scores use rate='score'"),
        ("new", "yes", {}, "expected 0 or 1"),
        ("age", "old", {"numeric": ["age"]}, "column 'age': found 'old', expected a finite number"),
        ("age", np.inf, {}, "column 'age': found inf, expected a finite number"),
        (
            "stage",
            "IV",
            {"split_on": ["stage"], "ordered": {"stage": ["I", "II", "III"]}},
            "without a place in its order: 'IV'",
        ),
    ],
)
def test_values_that_do_not_fit_are_named(column: str, value: Any, changes: dict[str, Any], message: str) -> None:
    data = frame().astype({column: object})
    data.loc[7, column] = value
    if column == "age" and value is np.inf:
        data["age"] = data["age"].astype(float)
    with pytest.raises(DataError, match=message):
        tree_of(data, **changes)


def test_data_that_does_not_fit_the_question_is_told() -> None:
    data = frame()
    with pytest.raises(DataError, match=r"no column 'sexx'\. Did you mean 'sex'"):
        tree_of(data, split_on=["sexx"])
    with pytest.raises(DataError, match="'race' has no level 'asian'"):
        tree_of(data, levels=("black", "asian"))
    with pytest.raises(DataError, match=r"'race' has one level \('black'\), expected two\. Choose another column"):
        tree_of(data[data["race"] == "black"])
    with pytest.raises(DataError, match="no rows"):
        tree_of(data.iloc[:0], levels=("black", "white"))
    with pytest.raises(DataError, match="every value is missing"):
        tree_of(data.assign(new=np.nan))
    with pytest.raises(DataError, match="occurs 2 times"):
        tree_of(pd.concat([data, data[["sex"]]], axis=1))
    with pytest.raises(DataError, match="does not exist"):
        tree_of("no/such/file.csv")
    with pytest.raises(DataError, match="has 3 values"):
        tree_of(data, rate="fnr", label="stage", positive="I")


def test_models_that_never_disagree_say_so() -> None:
    data = frame()
    root = tree_of(data.assign(new=data["old"])).root
    assert (root.delta, root.reason) == (0.0, "the two models never disagree here: Δ is 0")


def test_a_covariate_with_as_many_levels_as_rows_cannot_be_told() -> None:
    data = frame().assign(key=[f"k{i}" for i in range(2_000)])
    root = tree_of(data, split_on=["key"]).root
    assert (
        root.tests["key"].reason
        == "cannot be told: none of its levels has rows of every attribute level that is compared"
    )
    with pytest.raises(ConfigError, match="2000 unordered levels"):
        tree_of(data, split_on=["key"], test="score")


def test_an_all_missing_covariate_is_untestable() -> None:
    data = frame().assign(empty=np.nan, none=None)
    root = tree_of(data, split_on=["empty", "none", "sex"]).root
    assert root.tests["empty"].reason == "no row has a value"
    assert root.tests["none"].reason == "no row has a value"
    assert root.split is not None
    assert root.split.covariate == "sex"
    dropped = tree_of(data, split_on=["empty", "sex"], test="score")
    assert (dropped.n_dropped, dropped.root.n, dropped.root.delta) == (2_000, 0, None)


def test_min_size_above_the_number_of_rows_leaves_the_root() -> None:
    assert tree_of(frame(), min_size=5_000).root.reason == "2000 rows are fewer than twice min_size = 5000"


def test_scores_are_compared_by_their_means() -> None:
    data = frame()
    scores = data.assign(old=data["old"] * 0.25 + 0.1, new=data["new"] * 0.25 + 0.1)
    assert tree_of(scores, rate="score").root.delta == pytest.approx(0.25 * tree_of(data).root.delta)


def test_scores_that_differ_by_a_constant_have_nothing_to_test() -> None:
    data = frame()
    scores = np.random.default_rng(1).random(2_000)
    shifted = tree_of(data.assign(old=scores, new=scores + 0.1), rate="score").root
    assert shifted.delta == pytest.approx(0, abs=1e-12)
    assert shifted.reason == "the two models' scores differ by the same amount on every row of an attribute level"
    equal = tree_of(data.assign(old=scores, new=scores), rate="score").root
    assert (equal.delta, equal.reason) == (0, "the two models never disagree here: Δ is 0")
    alone = tree_of(data.assign(new=0.3), rate="score", models=["new"]).root
    assert alone.reason == "the score is the same for every row of an attribute level"


def test_one_model_gives_its_own_disparity() -> None:
    tree = tree_of(frame(), models=["new"])
    rates = tree.root.rates
    assert tree.root.delta == pytest.approx(rates["m1_a2"].rate - rates["m1_a1"].rate)
    assert "m2_a1" not in tree.leaves()


def test_an_instability_test_is_that_of_the_root() -> None:
    data = frame()
    vectors = [data[name].tolist() for name in ("race", "old", "new")]
    for kind, name in (("categorical", "sex"), ("numeric", "age")):
        for test in ("wald", "score"):
            found = reporter.instability_test(data[name].tolist(), *vectors, kind=kind, test=test)
            expected = tree_of(data, split_on=[name], test=test).root.tests[name]
            assert (found.statistic, found.df, found.p, found.log_p) == (
                *(expected.statistic, expected.df, expected.p, expected.log_p),
            )
    ordered = reporter.instability_test(data["stage"], *vectors, kind="ordered")
    assert ordered.df == 1
    drawn = reporter.instability_test(data["sex"], *vectors, test="permutation")
    assert drawn.p == pytest.approx(0.0001)


def test_numbers_can_be_categories_of_an_instability_test() -> None:
    data = frame()
    arguments = (data["race"], data["old"], data["new"])
    assert reporter.instability_test(data["age"] % 3, *arguments).df == 2
    assert reporter.instability_test((data["age"] % 3).where(data["age"] > 20), *arguments).df == 3


def test_an_instability_test_refuses_vectors_that_do_not_fit() -> None:
    data = frame(200)
    vectors = (data["race"], data["old"], data["new"])
    with pytest.raises(ValueError, match=r"different lengths: covariate 3, attribute 200"):
        reporter.instability_test([1, 2, 3], *vectors)
    with pytest.raises(ValueError, match="empty"):
        reporter.instability_test([], [], [], [])
    with pytest.raises(ValueError, match="m2: found 1 missing value, expected none"):
        reporter.instability_test(data["sex"], data["race"], data["old"], [None, *data["new"][1:]])
    with pytest.raises(ConfigError, match="kind"):
        reporter.instability_test(data["sex"], *vectors, kind="nominal")
    with pytest.raises(ConfigError, match="wald, score, permutation"):
        reporter.instability_test(data["sex"], *vectors, test="z")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"levels": ("black",)}, "levels: found .*expected two levels"),
        ({"levels": "xy"}, "levels: found 'xy', expected two levels"),
        ({"levels": ("black", "black")}, "levels: found 'black' twice"),
        ({"min_size": None}, "min_size: found None"),
        ({"trim": "a"}, "trim: found 'a', expected a share between 0 and 0.5"),
        ({"seed": -1}, "seed: found -1"),
        ({"kind": ["numeric"]}, r"kind: found \['numeric'\], expected categorical, ordered or numeric"),
        ({"parameters": "all"}, "parameters: all parameters can be tested by test: score only"),
    ],
)
def test_an_instability_test_names_a_wrong_argument(changes: dict[str, Any], message: str) -> None:
    data = frame(200)
    with pytest.raises(ConfigError, match=message):
        reporter.instability_test(data["sex"], data["race"], data["old"], data["new"], **changes)


@pytest.mark.parametrize(
    ("covariate", "message"),
    [
        (None, "covariate: found None, expected a vector"),
        ("F" * 200, "covariate: found a str, expected a vector"),
        ({"F": 1}, "covariate: found a dict, expected a vector"),
        (np.ones((200, 2)), "covariate: found 2 dimensions, expected a vector"),
        (pd.DataFrame({"sex": ["F"] * 200}), "covariate: found 2 dimensions, expected a vector"),
        ([[1, 2]] * 200, "covariate: found rows that hold several values"),
        (np.full(200, 1j), "covariate: found complex numbers"),
    ],
)
def test_an_instability_test_refuses_what_is_no_vector(covariate: Any, message: str) -> None:
    data = frame(200)
    with pytest.raises(InputError, match=message):
        reporter.instability_test(covariate, data["race"], data["old"], data["new"])


def test_an_instability_test_takes_vectors_of_every_kind() -> None:
    import pyarrow as pa

    data = frame()
    arguments = (data["race"], data["old"].to_numpy(), pa.array(data["new"]))
    expected = reporter.instability_test(data["sex"], *arguments)
    for covariate in (iter(data["sex"]), (one for one in data["sex"]), pa.chunked_array([data["sex"].tolist()])):
        assert reporter.instability_test(covariate, *arguments) == expected


def test_a_config_that_calls_words_ordered_is_asked_for_their_order() -> None:
    config = {
        "data": {"source": "rows.csv"},
        "models": [{"name": "old", "prediction": "old"}],
        "trees": [{"models": ["old"], "attribute": "race", "split_on": [{"column": "sex", "as": "ordered"}]}],
    }
    with pytest.raises(DataError) as caught:
        reporter.run(config, data=frame(200))
    assert [str(problem) for problem in caught.value.problems] == [
        "trees[0].split_on[0]: column 'sex' holds 'F': words have no order of their own. "
        "List all levels in their order: order: [...]"
    ]


def test_values_without_a_common_order_cannot_be_ordered() -> None:
    data = frame(200)
    mixed = [1, "a"] * 100
    with pytest.raises(InputError, match=r"covariate: found values of different kinds \(int and str\)"):
        reporter.instability_test(mixed, data["race"], data["old"], data["new"], kind="ordered")


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, reporter; print([m for m in ('pandas', 'numpy', 'scipy', 'ibis') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
