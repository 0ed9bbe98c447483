"""The chapter of Δ trees: what a reader who knows no statistics is told, and what is said when nothing can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from reporter.render.document import (
    Block,
    Details,
    Figure,
    Heading,
    Paragraph,
    Section,
    Sentences,
    Table,
    make_document,
)
from reporter.render.plots import TreeDiagram
from reporter.render.wording_tree_paths import edge_words, path_words
from reporter.results import Report, TreeResult
from reporter.tree import NEVER_DISAGREE, Condition, Node, NodeTest, Rate, Split, Tree


@pytest.fixture(scope="module")
def report(samples: ModuleType) -> Report:
    whole: Report = samples.report()
    return whole


@pytest.fixture(scope="module")
def result(report: Report) -> TreeResult:
    return report.tree_results[0]


def chapter(report: Report, *results: TreeResult) -> Section:
    document = make_document(replace(report, tree_results=results))
    return next(one for one in document.sections if one.id == "trees")


def _blocks(section: Section) -> Iterator[Block]:
    for block in section.blocks:
        yield block
        if isinstance(block, Details):
            yield from block.blocks


def texts(section: Section) -> list[str]:
    return [_plain(block.text) for block in section.blocks if isinstance(block, Paragraph)]


def table(section: Section, name: str = "tree-1-table") -> Table:
    return next(block for block in _blocks(section) if isinstance(block, Table) and block.id == name)


def diagram(section: Section) -> TreeDiagram:
    spec = next(block for block in _blocks(section) if isinstance(block, Figure)).spec
    assert isinstance(spec, TreeDiagram)
    return spec


def _plain(text: str) -> str:
    return text.replace("\xa0", " ").replace("\u2060", "")


def with_root(result: TreeResult, **changes: Any) -> TreeResult:
    return replace(result, tree=Tree(replace(result.tree.root, **changes)))


def leaf(result: TreeResult, **changes: Any) -> TreeResult:
    return with_root(result, **{"children": (), "split": None, "tests": {}, **changes})


def test_the_table_has_an_overall_row_and_the_leaves_by_the_size_of_delta(report: Report, result: TreeResult) -> None:
    one = table(chapter(report, result))
    assert [_plain(row.cells[0].text) for row in one.rows] == [
        "overall",
        "sex = Male and age ≤ 45",
        "sex = Female",
        "sex = Male and age > 45",
    ]
    assert [_plain(row.cells[2].text) for row in one.rows] == [
        "+4.0 points",
        "+12.3 points",
        "−4.9 points",
        "+2.0 points",
    ]
    assert [row.flag for row in one.rows] == [None, None, "warn", None]
    assert [_plain(column.title) for column in one.columns][-2:] == ["base rate, White", "base rate, Black"]


def test_the_diagram_says_signs_in_words_and_what_led_to_a_split(report: Report, result: TreeResult) -> None:
    spec = diagram(chapter(report, result))
    assert spec.negative == "Δ below 0: from 2.3 to 2.4, the false alarm rate of Black falls relative to White"
    assert spec.positive == "Δ above 0: from 2.3 to 2.4, the false alarm rate of Black rises relative to White"
    assert _plain(spec.root.lines[0]) == "Δ +4.0 points"
    assert _plain(spec.root.lines[-1]) == "adjusted p = 0.002; 1 of 2 covariates could be tested"
    women, men = spec.root.children
    assert (women.mark, men.mark) == ("opposite sign to overall", "")
    assert [len(node.rates) for node in (spec.root, women, men)] == [4, 4, 0]


def test_testable_covariates_level_and_search_are_stated(report: Report, result: TreeResult) -> None:
    (told,) = [text for text in texts(chapter(report, result)) if text.startswith("Split by")]
    assert "level 0.05 in each node (not over the whole tree)" in told
    assert "In the whole, 1 of 2 covariates could be tested; the adjusted p of the first split is 0.002." in told
    assert "The intervals follow a search" in told
    (honest,) = [text for text in texts(chapter(report, replace(result, honest=True))) if text.startswith("Split by")]
    assert "every figure comes from the other half" in honest
    assert "follow a search" not in honest


def test_an_untestable_subgroup_is_said_to_be_open(report: Report, result: TreeResult) -> None:
    women, men = result.tree.root.children
    reason = "cannot be told: no part of it has enough rows and disagreements"
    open_ = replace(
        women, tests={"site": NodeTest(None, None, None, None, None, reason)}, reason=f"no covariate: {reason}"
    )
    section = chapter(report, with_root(result, children=(open_, men)))
    (sentences,) = [block for block in section.blocks if isinstance(block, Sentences)]
    assert [_plain(item.text).endswith("Whether this hides more cannot be told.") for item in sentences.items] == [
        False,
        True,
        False,
    ]
    assert _plain(table(section).rows[2].cells[0].detail) == (
        "opposite sign to overall\nmore cannot be told: too few rows or disagreements to compare the parts of any covariate"
    )


def test_a_tested_leaf_where_nothing_differs_needs_no_remark_of_its_own(report: Report, result: TreeResult) -> None:
    women, men = result.tree.root.children
    tested = replace(
        women, tests={"site": NodeTest(0.3, 1.0, 0.6, -0.51, 0.6)}, reason="no covariate differs at alpha = 0.05"
    )
    one = table(chapter(report, with_root(result, children=(tested, men))))
    assert one.rows[2].cells[0].detail == "opposite sign to overall"
    assert one.note.startswith("A subgroup without a remark was tested")
    assert table(chapter(report, result)).note == ""
    assert _plain(table(chapter(report, result)).rows[2].cells[0].detail).endswith("\nnot tested: p above alpha")


def test_models_that_never_disagree_are_said_to(report: Report, result: TreeResult) -> None:
    told = texts(chapter(report, leaf(result, delta=0.0, low=-0.01, high=0.01, reason=NEVER_DISAGREE)))
    assert told[1].endswith("The two models never disagree on these rows: Δ is 0 everywhere.")


def test_a_delta_outside_its_parts_is_explained_where_it_happens(report: Report, result: TreeResult) -> None:
    assert not any("outside" in text for text in texts(chapter(report, result)))
    (told,) = [text for text in texts(chapter(report, with_root(result, delta=0.2))) if "outside" in text]
    assert "the whole (+20.0, −4.9, +9.0)" in told
    assert "That is no error." in told


def test_the_tree_before_joining_is_shown_and_counted(report: Report, result: TreeResult) -> None:
    joined = replace(leaf(result, reason="its two sides' Δ differ by less"), unpruned=result.tree)
    section = chapter(report, joined)
    assert "Before neighbours with nearly the same Δ were joined, the tree had 3 subgroups." in texts(section)
    assert len(table(section, "tree-1-unpruned-table").rows) == 4


def test_several_trees_say_what_their_number_means(report: Report, result: TreeResult) -> None:
    first = texts(chapter(report, result, replace(result, alpha=0.1), result))[0]
    assert first.startswith("This report grows 3 trees, each at its own level.")
    assert "at least one of them still splits with a chance of up to about 19 %" in first


def test_one_model_has_a_gap_and_no_change(report: Report, result: TreeResult) -> None:
    def alone(node: Node) -> Node:
        rates = {name: rate for name, rate in node.rates.items() if name.startswith("m1")}
        return replace(node, rates=rates, children=tuple(alone(child) for child in node.children))

    section = chapter(report, replace(result, models=("2.3",), tree=Tree(alone(result.tree.root))))
    told = texts(section)
    assert "Δ is the gap of" in told[0]
    assert told[1].startswith("Over all 1,600 healthy patients whose ethnicity is White or Black, Δ is +4.0 points")
    assert diagram(section).negative == "Δ below 0: the false alarm rate of Black lies below that of White"


def test_an_undefined_delta_has_no_change_phrase(report: Report, result: TreeResult) -> None:
    rates = {**result.tree.root.rates, "m1_a2": Rate(None, 0), "m2_a2": Rate(None, 0)}
    reason = "Δ is undefined: no row of Black"
    told = texts(chapter(report, leaf(result, rates=rates, delta=None, low=None, high=None, reason=reason)))[1]
    assert ", Δ is undefined. Whether it hides subgroups cannot be told (Δ is undefined: no patient of Black)" in told


def test_an_interval_has_the_same_digits_at_both_ends(report: Report, result: TreeResult) -> None:
    one = table(chapter(report, with_root(result, low=-0.00001, high=0.02)))
    assert _plain(one.rows[0].cells[2].detail) == "−0.001 to +2.000"


def test_no_sign_is_opposite_to_an_overall_one_that_is_uncertain(report: Report, result: TreeResult) -> None:
    section = chapter(report, with_root(result, low=-0.01))
    told = texts(section)[1]
    assert "The sign of the overall Δ is itself uncertain" in told
    assert (
        "Δ lies clearly below 0 in 1 of the subgroups and above 0 in 1: the subgroups go in opposite directions."
        in told
    )
    (leaves,) = [block for block in section.blocks if isinstance(block, Sentences)]
    assert [item.label for item in leaves.items] == ["", "Opposite sign, overall sign uncertain", ""]
    women, men = result.tree.root.children
    unclear = with_root(result, low=-0.01, children=(replace(women, high=0.01), men))
    section = chapter(report, unclear)
    (leaves,) = [block for block in section.blocks if isinstance(block, Sentences)]
    assert [(item.label, item.severity) for item in leaves.items][1] == ("", "info")


@pytest.mark.parametrize("parameters", ["delta", "all"])
def test_the_score_test_finds_disagreement_and_not_delta(report: Report, result: TreeResult, parameters: str) -> None:
    scored = replace(result, test="score", parameters=parameters)
    asked, told, *_ = texts(chapter(report, scored))
    assert "the disagreement of the two models differs" in asked
    assert "hides subgroups" not in told
    assert "That is no finding about Δ" in told
    first = texts(chapter(report, scored, result))[0]
    assert "the one that tests Δ alone still splits with a chance of up to about 5 %" in first
    assert "The other may split far more often where Δ differs nowhere" in first
    assert "still splits with a chance" not in texts(chapter(report, scored, scored))[0]
    none = texts(chapter(report, leaf(scored, tests=result.tree.root.tests, reason="p above")))[1]
    assert "No subgroup was found in which the models' disagreement differs" in none


def test_p_values_without_adjustment_give_each_covariate_its_chance(report: Report, result: TreeResult) -> None:
    plain = replace(result, adjust="none")
    assert "a chance of up to about 26 %" in texts(chapter(report, plain, plain))[0], (
        "1 - 0.95 ** (2 trees * 3 covariates)"
    )
    assert _plain(diagram(chapter(report, plain)).root.lines[-1]) == "p = 0.002; 1 of 2 covariates could be tested"


def test_a_tree_without_a_split_speaks_of_no_search_and_no_subgroup(report: Report, result: TreeResult) -> None:
    tests = {"sex": NodeTest(0.3, 1.0, 0.6, -0.51, 0.6)}
    for honest in (False, True):
        alone = replace(leaf(result, tests=tests, reason="no covariate differs at alpha = 0.05"), honest=honest)
        section = chapter(report, alone)
        told = " ".join(texts(section))
        assert "follow a search" not in told
        assert "so that the intervals hold" not in told
        assert table(section).note == ""
        assert [_plain(row.cells[0].text) for row in table(section).rows] == ["overall"]


def test_an_honest_tree_says_whose_rows_the_least_size_counts(report: Report, result: TreeResult) -> None:
    (told,) = [text for text in texts(chapter(report, replace(result, honest=True))) if text.startswith("Split by")]
    assert "no node under 50 healthy patients of the half that splits were sought on" in told
    assert "neighbours whose Δ in that half differ by less than 1.0 points are joined" in told
    assert "A subgroup may have fewer rows in that other half" in told


def test_one_group_against_all_others_is_named_so(report: Report, result: TreeResult) -> None:
    section = chapter(report, replace(result, name="fpr, ethnicity: (rest), Black", levels=("(rest)", "Black")))
    heading = next(block for block in section.blocks if isinstance(block, Heading))
    assert heading.text == "False alarm rate by ethnicity: Black against all others"
    assert "“All others” are all other groups of ethnicity together." in texts(section)[0]
    assert "(rest)" not in repr(section)
    assert diagram(section).groups == ("all others", "Black")


def test_headings_of_several_trees_differ(report: Report, result: TreeResult) -> None:
    unnamed = replace(result, name="fpr, ethnicity: White, Black")
    trees = (
        unnamed,
        replace(unnamed, models=("2.4", "2.5")),
        replace(unnamed, test="score"),
        replace(unnamed, test="score", parameters="all"),
        replace(unnamed, min_size=20),
        replace(unnamed, min_size=20, split_on=("sex",)),
    )
    found = [block.text for block in chapter(report, *trees).blocks if isinstance(block, Heading)]
    assert len(set(found)) == len(trees)
    assert found[1] == "False alarm rate by ethnicity: White and Black, 2.4 to 2.5"
    assert found[3].endswith("published score test of all four parameters")


def test_the_spread_of_many_groups_is_explained_and_in_squared_points(report: Report, result: TreeResult) -> None:
    rates = {f"m{model}_a{level}": Rate(0.1 * level * model, 100) for model in (1, 2) for level in (1, 2, 3)}
    spread = replace(
        leaf(result, rates=rates, delta=0.00003, low=-0.001, high=0.002, base_rates={}),
        contrast="spread",
        levels=("White", "Black", "Asian"),
    )
    asked, told, *rest = texts(chapter(report, replace(spread, min_difference=0.001)))
    assert "The spread is the variance of the false alarm rate over the groups of ethnicity" in asked
    assert "goes from 8.2 points with 2.3 to 16.3 points with 2.4; Δ is +0.3 squared points" in told
    assert any("differ by less than 10.0 squared points" in text for text in rest)


def test_the_least_difference_of_scores_is_in_the_score_s_unit(report: Report, result: TreeResult) -> None:
    told = texts(chapter(report, replace(result, rate="score", min_difference=0.3)))
    assert any("differ by less than 0.3 are joined" in text for text in told)


def at(*conditions: Condition, path: str = "") -> Node:
    return Node(2, 9, None, None, None, {}, {}, path=path, conditions=conditions)


@pytest.mark.parametrize(
    ("conditions", "words"),
    [
        ((), "all rows"),
        ((Condition("sex", ("F",)), Condition("age", above=27.0, upto=40.0)), "sex = F and 27 < age ≤ 40"),
        ((Condition("x", upto=1227027.5),), "x ≤ 1,227,027.5"),
        ((Condition("unit", ("a & sex = F",)),), "unit = “a & sex = F”"),
        ((Condition("unit", ("S, T", "U")), Condition("sex", ("F",))), "unit is one of “S, T” or U, and sex = F"),
        ((Condition("unit", ("{x}", " b", "now or never")),), "unit is one of “{x}”, “ b” or “now or never”"),
        ((Condition("unit", ("a”, “b",)),), "unit = “a\\u201d, \\u201cb”"),
        ((Condition("edu", above="HS grad", upto="<= 12th"),), "HS grad < edu ≤ “<= 12th”"),
        ((Condition("age", above=45.0, missing=True), Condition("sex", ("F",))), "age > 45 or missing, and sex = F"),
        ((Condition("sex", ("F", "(missing)")),), "sex is one of F or missing"),
        ((Condition("unit", ("a", "b", "c"), followed=("b", "c")),), "unit = a (and b and c, too few to test)"),
    ],
)
def test_paths_are_written_from_conditions_and_no_level_can_be_misread(
    conditions: tuple[Condition, ...], words: str
) -> None:
    assert _plain(path_words(at(*conditions))) == words


def test_a_path_of_an_older_report_is_written_as_it_stands() -> None:
    assert path_words(at(path="sex = F & 27 < age <= 40")) == "sex = F & 27 < age <= 40"


def split(split: Split, left: Condition | None, right: Condition | None) -> Node:
    children = tuple(at(*([] if one is None else [one])) for one in (left, right))
    return replace(at(), split=split, children=children)


def test_edges_give_the_same_answers_as_the_sentences() -> None:
    age = split(
        Split("age", threshold=1227027.0),
        Condition("age", upto=1227027.5, missing=True),
        Condition("age", above=1227027.5),
    )
    assert edge_words(age) == ("≤ 1,227,027.5 or missing", "> 1,227,027.5")
    unit = Split("unit", ("S, T", "b"), ("c",), followed=("b",))
    sides = Condition("unit", ("S, T", "b"), followed=("b",)), Condition("unit", ("c",))
    assert edge_words(split(unit, *sides)) == ("“S, T” (and b, too few to test)", "c")
    assert edge_words(split(unit, None, None)) == ("“S, T” (and b, too few to test)", "c")
    education = Split("edu", ("9th", "10th"), ("11th",))
    assert edge_words(split(education, Condition("edu", upto="10th"), Condition("edu", above="10th"))) == (
        "≤ 10th",
        "> 10th",
    )


def test_levels_that_only_follow_are_marked_in_sentence_figure_table_and_alternative_text(
    report: Report, result: TreeResult
) -> None:
    women, men = result.tree.root.children
    both = (Condition("sex", ("Female", "Other"), followed=("Other",)),)
    section = chapter(report, with_root(result, children=(replace(women, conditions=both), men)))
    words = "sex = Female (and Other, too few to test)"
    figure = next(block for block in section.blocks if isinstance(block, Figure))
    (leaves,) = [block for block in section.blocks if isinstance(block, Sentences)]
    assert words in figure.title
    assert words in leaves.items[1].text
    assert words in [row.cells[0].text for row in table(section).rows]
    assert diagram(section).root.children[0].edge == "Female (and Other, too few to test)"


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("57 rows are fewer than twice min_size = 1000", "fewer than 2,000 healthy patients, which two parts need"),
        ("max_depth = 1 is reached", "no more than 1 split on a path were asked for"),
        (NEVER_DISAGREE, "the two models never disagree here, so that Δ is 0"),
    ],
)
def test_why_a_leaf_was_not_tested_is_told_without_the_keys_of_the_config(
    report: Report, result: TreeResult, reason: str, words: str
) -> None:
    women, men = result.tree.root.children
    one = table(chapter(report, with_root(result, children=(replace(women, reason=reason), men))))
    assert _plain(one.rows[2].cells[0].detail) == f"opposite sign to overall\nnot tested: {words}"


def test_different_reasons_are_told_each_with_its_covariates(report: Report, result: TreeResult) -> None:
    few = "cannot be told: only one part of it has enough rows and disagreements"
    tests = {
        name: NodeTest(None, None, None, None, None, reason)
        for name, reason in (
            ("sex", "it has one value here"),
            ("age", few),
            ("site", few),
            ("unit", "an empty cell: no row of level Black where 2.4 alone predicts 1"),
        )
    }
    told = texts(chapter(report, leaf(result, tests=tests, reason="no covariate can be tested here: see the tests")))[1]
    assert told.endswith(
        "Whether it hides subgroups cannot be told (sex has one value here; too few rows or disagreements to compare the parts of age and "
        "site; no patient of Black where 2.4 alone predicts “referred” (unit))."
    )
