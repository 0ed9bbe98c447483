"""Growing, splitting, pruning and honest estimation on small count tables."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

from reporter.errors import ConfigError, DataError
from reporter.stats.delta_counts import Covariate, Cube, Region, Side, narrowed
from reporter.stats.delta_spec import TreeSpec
from reporter.stats.delta_tree import grow
from reporter.tree import Condition, Node, Rate, Tree

SEX = Covariate("sex", "categorical", ("F", "M"))
SITE = Covariate("site", "categorical", ("A", "B", "C"))
AGE = Covariate("age", "numeric", values=(20.0, 30.0, 40.0, 50.0))
STAGE = Covariate("stage", "ordered", ("I", "II", "III"))

Level = tuple[tuple[int, int, int], tuple[int, int, int]]
NONE: Level = ((20, 20, 160), (20, 20, 160))
MORE: Level = ((20, 20, 160), (70, 10, 120))


def cube_of(covariates: tuple[Covariate, ...], levels: Iterable[tuple[tuple[int, ...], Level]]) -> Cube:
    """Per combination of codes and attribute level the rows where m2 alone, m1 alone, neither predicts 1."""
    codes, group, first, second, n = [], [], [], [], []
    for code, counts in levels:
        for a, (up, down, same) in enumerate(counts):
            for d1, d2, rows in ((0, 1, up), (1, 0, down), (0, 0, same)):
                codes.append(code)
                group.append(a)
                first.append(d1)
                second.append(d2)
                n.append(rows)
    label = np.full(len(n), 2)
    return Cube.of(covariates, codes, group, label, first, second, n, n_groups=2)


def spec_of(*covariates: Covariate, **options: Any) -> TreeSpec:
    return TreeSpec(**({"levels": ("a1", "a2"), "models": ("m1", "m2"), "covariates": covariates} | options))


def tree_of(cube: Cube, *covariates: Covariate, seed: int = 0, **options: Any) -> Tree:
    return grow(cube, spec_of(*covariates, **options), np.random.default_rng(seed)).tree


def test_the_tree_splits_where_delta_differs_and_says_why_leaves_are_leaves() -> None:
    cube = cube_of((SEX, SITE), [((s, t), MORE if s else NONE) for s in range(2) for t in range(3)])
    tree = tree_of(cube, SEX, SITE)
    assert [node.path for node in tree.nodes()] == ["all rows", "sex = F", "sex = M"]
    root, left, right = tree.nodes()
    assert root.delta == pytest.approx(0.15)
    assert (left.delta, right.delta) == (pytest.approx(0.0), pytest.approx(0.3))
    assert left.rates["m2_a1"] == Rate(pytest.approx(0.1), 600)
    assert left.reason == "no covariate differs at alpha = 0.05"
    assert left.tests["sex"].reason == "it has one value here"
    assert left.tests["site"].p == pytest.approx(1.0)
    # with one covariate left to test nothing is adjusted
    assert left.tests["site"].p_adjusted == left.tests["site"].p


def test_a_child_of_an_unordered_split_is_left_if_it_has_fewer_rows() -> None:
    cube = cube_of((SITE,), [((0,), NONE), ((1,), MORE), ((2,), NONE)])
    split = tree_of(cube, SITE).root.split
    assert split is not None
    assert (split.levels_left, split.levels_right) == (("B",), ("A", "C"))


def test_an_ordered_split_keeps_the_order() -> None:
    cube = cube_of((STAGE,), [((0,), NONE), ((1,), NONE), ((2,), MORE)])
    tree = tree_of(cube, STAGE)
    assert tree.root.split is not None
    assert tree.root.split.levels_left == ("I", "II")
    assert [child.path for child in tree.root.children] == ["stage <= II", "stage > II"]


def test_numeric_splits_make_intervals_on_the_path() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), MORE), ((2,), MORE), ((3,), NONE)])
    tree = tree_of(cube, AGE, alpha=0.2)
    paths = tree.leaves()["path"].tolist()
    assert paths == ["age <= 20", "20 < age <= 40", "age > 40"]
    assert tree.root.split is not None
    assert tree.root.split.threshold in (20.0, 40.0)
    assert tree.leaves()["n"].sum() == tree.root.n == 1600


def test_max_depth_counts_splits_on_a_path() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), MORE), ((2,), MORE), ((3,), NONE)])
    assert tree_of(cube, AGE, max_depth=0).root.reason == "max_depth = 0 is reached"
    shallow = tree_of(cube, AGE, alpha=0.2, max_depth=1)
    assert len(shallow.leaves()) == 2
    assert "max_depth = 1 is reached" in {node.reason for node in shallow.nodes()}


def test_a_root_smaller_than_twice_min_size_is_a_leaf() -> None:
    cube = cube_of((SEX,), [((0,), NONE), ((1,), MORE)])
    assert tree_of(cube, SEX, min_size=401).root.reason == "800 rows are fewer than twice min_size = 401"


def test_a_significant_covariate_without_an_admissible_split_gives_way_to_the_next_in_wald_mode_only() -> None:
    thin = ((10, 10, 20), (35, 0, 5))
    combinations = [((s, t), (thin if s else (MORE if t else NONE))) for s in range(2) for t in range(2)]
    cube = cube_of((SEX, Covariate("site", "categorical", ("A", "B"))), combinations)
    site = Covariate("site", "categorical", ("A", "B"))
    wald = tree_of(cube, SEX, site, min_size=200)
    assert wald.root.split is not None
    assert wald.root.split.covariate == "site"
    score = tree_of(cube, SEX, site, min_size=200, test="score")
    assert score.root.tests["sex"].log_p < score.root.tests["site"].log_p
    assert score.root.reason == "no split leaves min_size = 200 rows on both sides"


def test_a_missing_value_is_a_level_of_an_unordered_covariate() -> None:
    cube = cube_of((SEX,), [((0,), NONE), ((1,), NONE), ((2,), MORE)])
    tree = tree_of(cube, SEX)
    assert tree.root.split is not None
    assert tree.root.split.levels_left == ("(missing)",)
    assert tree.root.children[0].path == "sex = (missing)"
    assert tree.leaves()["n"].sum() == 1200


def test_missing_numbers_are_not_tested_and_follow_the_larger_child() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), NONE), ((2,), MORE), ((4,), NONE)])
    tree = tree_of(cube, AGE)
    split = tree.root.split
    assert split is not None
    assert (split.threshold, split.followed) == (30.0, ("(missing)",))
    assert [child.n for child in tree.root.children] == [1200, 400]
    assert tree.root.children[0].path == "age <= 30 or (missing)"


def test_thin_levels_are_left_out_said_and_follow_the_larger_child() -> None:
    tiny = ((1, 1, 2), (1, 1, 2))
    cube = cube_of((SITE,), [((0,), NONE), ((1,), MORE), ((2,), tiny)])
    tree = tree_of(cube, SITE)
    assert tree.root.tests["site"].left_out == ("C",)
    assert tree.root.split is not None
    assert tree.root.split.followed == ("C",)
    assert tree.leaves()["n"].tolist() == [400, 408]


def test_siblings_with_nearly_the_same_delta_are_joined_from_the_leaves_up() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), MORE), ((2,), MORE), ((3,), NONE)])
    grown = grow(cube, spec_of(AGE, alpha=0.2, min_difference=0.35), np.random.default_rng(0))
    assert len(grown.unpruned.leaves()) == 3
    assert grown.tree.root.children == ()
    assert grown.tree.root.reason == "its two sides' Δ differ by less than min_difference = 0.35"
    assert [node.id for node in grown.unpruned.nodes()] == [1, 2, 3, 4, 5]
    kept = grow(cube, spec_of(AGE, alpha=0.2, min_difference=0.25), np.random.default_rng(0))
    assert kept.tree == kept.unpruned


def test_honest_figures_come_from_the_other_half() -> None:
    cube = cube_of((SEX, SITE), [((s, t), MORE if s else NONE) for s in range(2) for t in range(3)])
    tree = tree_of(cube, SEX, SITE, honest=True, seed=7)
    assert tree.root.n == 1200
    assert tree.leaves()["n"].sum() == 1200
    halves = "Splits were found on a random half (1,200 rows); all figures come from the other half (1,200 rows)."
    assert tree.notes == (halves,)
    assert tree == tree_of(cube, SEX, SITE, honest=True, seed=7)
    assert tree != tree_of(cube, SEX, SITE, honest=True, seed=8)
    # a node is the sum of its children
    for node in tree.nodes():
        if node.children:
            assert node.n == sum(child.n for child in node.children)


def test_halves_partition_the_rows_of_every_cell() -> None:
    cube = cube_of((SEX,), [((0,), NONE), ((1,), MORE)])
    first, second = cube.halves(np.random.default_rng(1))
    assert (first.n + second.n == cube.n).all()
    assert first.n.sum() == 400
    assert (first.n >= 0).all()


def test_models_that_never_disagree_have_delta_zero_everywhere() -> None:
    cube = cube_of((SEX,), [((0,), ((0, 0, 200), (0, 0, 200))), ((1,), ((0, 0, 200), (0, 0, 200)))])
    root = tree_of(cube, SEX).root
    assert (root.delta, root.reason) == (0.0, "the two models never disagree here: Δ is 0")
    assert root.low is not None
    assert root.low < 0 < root.high


def test_a_condition_without_rows_of_a_level_leaves_delta_undefined() -> None:
    cube = cube_of((SEX,), [((0,), ((5, 5, 90), (0, 0, 0)))])
    root = tree_of(cube, SEX).root
    assert (root.delta, root.low, root.reason) == (None, None, "Δ is undefined: no row of a2")
    assert root.rates["m1_a2"] == Rate(None, 0)


def test_a_covariate_without_any_value_is_untestable() -> None:
    cube = cube_of((AGE, SEX), [((4, 0), NONE), ((4, 1), MORE)])
    tree = tree_of(cube, AGE, SEX)
    assert tree.root.tests["age"].reason == "no row has a value"
    assert tree.root.split is not None
    assert tree.root.split.covariate == "sex"


def test_score_mode_leaves_rows_with_a_missing_covariate_out_and_counts_them() -> None:
    cube = cube_of((SEX, AGE), [((0, 0), NONE), ((1, 0), MORE), ((2, 0), NONE), ((1, 4), NONE)])
    tree = tree_of(cube, SEX, AGE, test="score")
    assert (tree.root.n, tree.n_dropped) == (800, 800)


def test_the_permutation_test_grows_a_tree() -> None:
    small: Level = ((3, 3, 14), (3, 3, 14))
    large: Level = ((3, 3, 14), (14, 1, 5))
    cube = cube_of((SEX,), [((0,), small), ((1,), large)])
    tree = tree_of(cube, SEX, test="permutation", min_size=15, permutations=999)
    assert sorted(tree.leaves()["path"]) == ["sex = F", "sex = M"]
    assert tree.root.tests["sex"].df is None
    # no permutation test is more significant than one in the number of permutations
    assert tree.root.tests["sex"].p is not None
    assert tree.root.tests["sex"].p >= 0.001


def labelled_cube() -> Cube:
    rng = np.random.default_rng(3)
    n = 4_000
    sex, group, label = rng.integers(0, 2, n), rng.integers(0, 2, n), rng.integers(0, 3, n)
    first, second = rng.integers(0, 2, n), rng.integers(0, 2, n)
    return Cube.of((SEX,), sex[:, None], group, label, first, second, n_groups=2)


@pytest.mark.parametrize("rate", ["referral", "fpr", "fnr", "accuracy"])
def test_rates_are_those_of_their_definition(rate: str) -> None:
    cube = labelled_cube()
    root = tree_of(cube, SEX, rate=rate).root
    second = cube.second
    assert second is not None
    condition = {
        "referral": cube.label >= 0,
        "fpr": cube.label == 0,
        "fnr": cube.label == 1,
        "accuracy": cube.label < 2,
    }[rate]
    values = {}
    for name, d in (("m1", cube.first), ("m2", second)):
        event = {"referral": d, "fpr": d, "fnr": 1 - d, "accuracy": (d == cube.label).astype(int)}[rate]
        for a in (0, 1):
            rows = cube.n * condition * (cube.group == a)
            values[f"{name}_a{a + 1}"] = float((rows * event).sum() / rows.sum())
            assert root.rates[f"{name}_a{a + 1}"].n == rows.sum()
    assert {name: rate_.rate for name, rate_ in root.rates.items()} == pytest.approx(values)
    expected = values["m2_a2"] - values["m2_a1"] - values["m1_a2"] + values["m1_a1"]
    assert root.delta == pytest.approx(expected)
    labelled = (cube.n * (cube.label < 2) * (cube.group == 0)).sum()
    positive = (cube.n * (cube.label == 1) * (cube.group == 0)).sum()
    assert root.base_rates["a1"] == Rate(pytest.approx(positive / labelled), labelled)


def test_one_model_gives_the_tree_of_its_own_disparity() -> None:
    codes = [[s] for s in (0, 0, 0, 0, 1, 1, 1, 1)]
    group, first = [0, 0, 1, 1] * 2, [0, 1] * 4
    n = [150, 50, 150, 50, 150, 50, 80, 120]
    cube = Cube.of((SEX,), codes, group, [2] * 8, first, n=n, n_groups=2)
    tree = tree_of(cube, SEX, models=("m1",))
    assert tree.leaves()["delta"].tolist() == pytest.approx([0.0, 0.35])
    assert list(tree.root.rates) == ["m1_a1", "m1_a2"]
    assert "m2_a1" not in tree.leaves().columns
    score = tree_of(cube, SEX, models=("m1",), test="score", parameters="all")
    assert score.root.tests["sex"].df == 2
    assert len(score.leaves()) == 2


def test_scores_compare_means() -> None:
    rng = np.random.default_rng(4)
    n = 2_000
    sex, group = rng.integers(0, 2, n), rng.integers(0, 2, n)
    first = rng.random(n).round(3)
    second = (first + 0.1 * rng.random(n) + 0.2 * sex * group).round(3)
    cube = Cube.of((SEX,), sex[:, None], group, [2] * n, first, second, n_groups=2, scored=True)
    tree = tree_of(cube, SEX, rate="score")
    z = second - first
    assert tree.root.delta == pytest.approx(z[group == 1].mean() - z[group == 0].mean())
    assert tree.root.rates["m2_a1"].rate == pytest.approx(second[group == 0].mean())
    assert sorted(tree.leaves()["delta"].round(1).tolist()) == [0.0, 0.2]


def test_the_spread_compares_variances_over_many_levels() -> None:
    rng = np.random.default_rng(5)
    n = 9_000
    sex, group = rng.integers(0, 2, n), rng.integers(0, 3, n)
    first = (rng.random(n) < 0.4).astype(int)
    second = (rng.random(n) < 0.4 + 0.3 * (group - 1) * sex).astype(int)
    cube = Cube.of((SEX,), sex[:, None], group, [2] * n, first, second, n_groups=3)
    tree = tree_of(cube, SEX, levels=("a", "b", "c"), contrast="spread")
    assert [node.path for node in tree.nodes()] == ["all rows", *tree.leaves()["path"]]
    men = next(node for node in tree.nodes() if node.path == "sex = M")
    rates = [[men.rates[f"m{m}_a{a}"].rate for a in (1, 2, 3)] for m in (1, 2)]
    assert men.delta == pytest.approx(np.var(rates[1]) - np.var(rates[0]))
    assert men.delta == pytest.approx(0.06, abs=0.015)
    assert men.low is not None
    assert men.low < 0.06 < men.high


def test_the_spread_holds_its_size_where_no_level_differs() -> None:
    rng = np.random.default_rng(6)
    rejected = 0
    for _ in range(300):
        counts = rng.multinomial(400, [0.5, 0.1, 0.1, 0.3], size=(2, 3)).reshape(2, 3, 2, 2)
        place = np.argwhere(counts >= 0)
        cube = Cube.of(
            (SEX,), place[:, :1], place[:, 1], [2] * len(place), place[:, 2], place[:, 3], counts.ravel(), n_groups=3
        )
        rejected += bool(tree_of(cube, SEX, levels=("a", "b", "c"), contrast="spread").root.children)
    assert rejected / 300 <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)


def test_attribute_codes_can_be_joined_to_levels() -> None:
    cube = cube_of((SEX,), [((0,), NONE), ((1,), MORE)])
    swapped = tree_of(cube, SEX, groups=((1,), (0,)), levels=("a2", "a1"))
    assert swapped.root.delta == pytest.approx(-0.15)


class Counting:
    """A counter that counts how often it is asked."""

    def __init__(self, cube: Cube) -> None:
        self.cube, self.calls = cube, 0

    def tables(self, regions: Any, covariates: Any) -> Any:
        self.calls += 1
        return self.cube.tables(regions, covariates)

    def halves(self, rng: np.random.Generator) -> Any:
        return self.cube.halves(rng)


def test_the_counter_is_asked_once_per_level_of_the_tree_and_once_for_the_root() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), MORE), ((2,), MORE), ((3,), NONE)])
    counting = Counting(cube)
    tree = grow(counting, spec_of(AGE, alpha=0.2, max_depth=2), np.random.default_rng(0)).tree
    assert len(tree.leaves()) == 3
    assert counting.calls == 3


def test_regions_hold_one_side_a_covariate() -> None:
    region: Region = narrowed(narrowed((), Side("age", True, upto=9)), Side("age", False, above=3))
    assert region == (Side("age", False, above=3, upto=9),)
    assert region[0].allows(12).tolist() == [False] * 4 + [True] * 6 + [False] * 3
    codes = narrowed((Side("sex", True, codes=(0, 1)),), Side("sex", True, codes=(1, 2)))
    assert codes == (Side("sex", True, codes=(1,)),)


def test_tables_of_disjoint_regions_add_up() -> None:
    cube = cube_of((SEX, SITE), [((s, t), MORE if s else NONE) for s in range(2) for t in range(3)])
    both = cube.tables([(Side("sex", False, codes=(0,)),), (Side("sex", True, codes=(1,)),)], [SITE])[0]
    assert (both.sum(axis=0) == cube.tables([()], [SITE])[0][0]).all()
    assert both.dtype == np.int64
    assert both.shape == (2, 4, 2, 2, 2, 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": "ppv"}, "conditions on the prediction, so the two models have no common rows"),
        ({"rate": "auc"}, "not a mean over rows"),
        ({"test": "anova"}, "found 'anova', expected one of wald, score, permutation"),
        ({"parameters": "all"}, "all parameters can be tested by test: score only"),
        ({"alpha": 0.0}, "alpha"),
        ({"min_size": 0}, "min_size"),
        ({"max_depth": -1}, "max_depth"),
        ({"levels": ("a", "a")}, "a level is named twice"),
        ({"levels": ("a", "b", "c")}, "found 3 levels, expected two"),
        ({"levels": ("a",)}, "found 1 levels, expected two"),
        ({"models": ("m", "m")}, "named twice"),
        ({"rate": "score", "test": "score"}, "score needs 0/1 predictions"),
        ({"contrast": "spread", "levels": ("a", "b", "c"), "test": "score"}, "spread needs 0/1 predictions"),
        ({"ties": "rows"}, "the order of rows matters to test: score only"),
        ({"covariates": ()}, "no covariate"),
        ({"covariates": (SEX, SEX)}, "'sex' is named twice"),
    ],
)
def test_questions_that_make_no_sense_are_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        spec_of(**({"covariates": (SEX,)} | options))


def test_score_mode_refuses_many_unordered_levels_and_names_the_way_out() -> None:
    wide = Covariate("place", "categorical", tuple(f"p{i}" for i in range(17)))
    with pytest.raises(ConfigError, match=r"17 unordered levels.*Use test: wald, give the levels an order"):
        spec_of(wide, test="score")


def test_one_billion_rows_cannot_be_halved() -> None:
    cube = cube_of((SEX,), [((0,), ((10**9, 1, 1), (1, 1, 1)))])
    with pytest.raises(DataError, match="1,000,000,000"):
        cube.halves(np.random.default_rng(0))


def walk(node: Node) -> Iterable[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def test_ids_count_depth_first() -> None:
    cube = cube_of((AGE,), [((0,), NONE), ((1,), MORE), ((2,), MORE), ((3,), NONE)])
    tree = tree_of(cube, AGE, alpha=0.2)
    assert [node.id for node in walk(tree.root)] == [1, 2, 3, 4, 5]


def test_the_way_to_a_node_names_the_ordered_levels_that_occur_there() -> None:
    grade = Covariate("grade", "ordered", ("a", "b", "c", "d", "never"))
    rates = (NONE, ((20, 20, 160), (50, 10, 140)), MORE, ((20, 20, 160), (120, 10, 70)))
    tree = tree_of(cube_of((grade,), [((k,), level) for k, level in enumerate(rates)]), grade, alpha=0.001)
    splits = [node.split for node in tree.nodes() if node.split is not None]
    assert [split.levels_left for split in splits] == [("a", "b", "c"), ("a",)], (
        "as published: every level up to the cut"
    )
    assert [node.conditions for node in tree.nodes() if not node.children] == [
        (Condition("grade", upto="a", occurring=("a",)),),
        (Condition("grade", above="a", upto="c", occurring=("b", "c")),),
        (Condition("grade", above="c", occurring=("d",)),),
    ]


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ((20_061_214.0, 20_061_215.0), "day <= 20061214"),
        ((1_234_608.5, 1_234_609.0), "day <= 1234608.5"),
        ((0.123456789012345, 0.2), "day <= 0.123457"),
        ((0.123456411111111, 0.123456412222222), "day <= 0.123456412"),
        ((1.5e-9, 2e-9), "day <= 1.5e-09"),
    ],
)
def test_a_threshold_in_words_divides_the_same_rows(values: tuple[float, float], path: str) -> None:
    day = Covariate("day", "numeric", values=values)
    left, right = tree_of(cube_of((day,), [((0,), NONE), ((1,), MORE)]), day).root.children
    assert left.path == path
    (condition,) = left.conditions
    assert isinstance(condition.upto, float)
    assert values[0] <= condition.upto < values[1]
    assert right.conditions == (Condition("day", above=condition.upto),)


def test_levels_that_only_follow_are_named_in_the_way_to_the_node() -> None:
    site = Covariate("site", "categorical", ("A", "B", "tiny"))
    thin: Level = ((0, 1, 3), (0, 1, 3))
    tree = tree_of(cube_of((site,), [((0,), NONE), ((1,), MORE), ((2,), thin)]), site)
    followed = [node.conditions[0] for node in tree.root.children if node.conditions[0].followed]
    assert len(followed) == 1
    assert followed[0].followed == ("tiny",)
    assert "tiny" in (followed[0].levels or ())


def test_rows_without_a_value_do_not_make_an_ordered_covariate_testable() -> None:
    rare: Level = ((2, 2, 196), (2, 2, 196))
    often: Level = ((100, 100, 200), (100, 100, 200))
    with_value = [((0,), rare), ((1,), rare)]
    alone = tree_of(cube_of((STAGE,), with_value), STAGE).root.tests["stage"]
    beside = tree_of(cube_of((STAGE,), [*with_value, ((3,), often)]), STAGE).root.tests["stage"]
    assert alone.p is None
    assert (beside.p, beside.reason) == (alone.p, alone.reason)


def test_sides_that_differ_by_the_sign_alone_keep_their_places_when_models_swap() -> None:
    up: Level = ((20, 20, 160), (80, 20, 100))
    down: Level = ((20, 20, 160), (20, 80, 100))
    for levels in ((up, down), (down, up)):
        tree = tree_of(cube_of((SEX,), [((s,), level) for s, level in enumerate(levels)]), SEX)
        assert [node.path for node in tree.root.children] == ["sex = F", "sex = M"]


def test_a_covariate_that_copies_the_attribute_is_not_tested_for_that_reason() -> None:
    copy = Covariate("copy", "categorical", ("a", "b"))
    nothing = (0, 0, 0)
    cube = cube_of((copy,), [((0,), (MORE[0], nothing)), ((1,), (nothing, MORE[1]))])
    reason = "cannot be told: none of its levels has rows of every attribute level that is compared"
    assert tree_of(cube, copy).root.tests["copy"].reason == reason


@pytest.mark.parametrize(
    ("rate", "predictions", "kind"),
    [
        ("fnr", (0, 1), "old alone predicts 0"),
        ("fnr", (1, 0), "new alone predicts 0"),
        ("accuracy", (0, 1), "new alone is right"),
        ("referral", (1, 0), "old alone predicts 1"),
    ],
)
def test_an_empty_cell_of_the_score_test_is_named_by_the_event_of_the_rate(
    rate: str, predictions: tuple[int, int], kind: str
) -> None:
    kinds = [(0, 0), (0, 1), (1, 0), (1, 1)]
    cells = [(s, a, *pair) for s in (0, 1) for a in (0, 1) for pair in kinds if not (a == 1 and pair == predictions)]
    code, group, first, second = np.array(cells).T
    ones = np.ones(len(cells), int)
    cube = Cube.of((SEX,), code[:, None], group, ones, first, second, 100 * ones, n_groups=2)
    spec: dict[str, Any] = {"test": "score", "rate": rate, "models": ("old", "new"), "levels": ("men", "women")}
    reason = tree_of(cube, SEX, **spec).root.tests["sex"].reason
    assert reason == f"an empty cell: no row of level women where {kind}"
