"""The chapter of Δ trees: what a reader who knows no statistics is told, and what is said when nothing can be told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from reporter.render.document import Block, Details, Figure, Paragraph, Section, Sentences, Table, make_document
from reporter.render.plots import TreeDiagram
from reporter.render.wording_trees import path_words
from reporter.results import Report, TreeResult
from reporter.tree import NEVER_DISAGREE, Node, NodeTest, Rate, Tree


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
        "all patients",
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
    assert spec.negative == "Δ below 0: Black falls relative to White"
    assert spec.positive == "Δ above 0: Black rises relative to White"
    assert _plain(spec.root.lines[0]) == "Δ +4.0 points"
    assert _plain(spec.root.lines[-1]) == "p = 0.002; 1 of 2 covariates testable"
    women, men = spec.root.children
    assert (women.mark, men.mark) == ("reversed sign", "")
    assert [len(node.rates) for node in (spec.root, women, men)] == [4, 4, 0]


def test_testable_covariates_level_and_search_are_stated(report: Report, result: TreeResult) -> None:
    (told,) = [text for text in texts(chapter(report, result)) if text.startswith("Split by")]
    assert "level 0.05 in each node (not over the whole tree)" in told
    assert "Over all patients 1 of 2 covariates testable; the p of the first split is 0.002." in told
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
    assert _plain(table(section).rows[2].cells[0].detail).startswith("more cannot be told: ")


def test_a_tested_leaf_where_nothing_differs_needs_no_remark_of_its_own(report: Report, result: TreeResult) -> None:
    women, men = result.tree.root.children
    tested = replace(
        women, tests={"site": NodeTest(0.3, 1.0, 0.6, -0.51, 0.6)}, reason="no covariate differs at alpha = 0.05"
    )
    one = table(chapter(report, with_root(result, children=(tested, men))))
    assert one.rows[2].cells[0].detail == ""
    assert one.note.startswith("A subgroup without a remark was tested")
    assert table(chapter(report, result)).note == ""
    assert _plain(table(chapter(report, result)).rows[2].cells[0].detail) == "not tested: p above alpha"


def test_models_that_never_disagree_are_said_to(report: Report, result: TreeResult) -> None:
    told = texts(chapter(report, leaf(result, delta=0.0, low=-0.01, high=0.01, reason=NEVER_DISAGREE)))
    assert told[1].endswith("The two models never disagree on these rows: Δ is 0 everywhere.")


def test_a_delta_outside_its_parts_is_explained_where_it_happens(report: Report, result: TreeResult) -> None:
    assert not any("outside" in text for text in texts(chapter(report, result)))
    (told,) = [text for text in texts(chapter(report, with_root(result, delta=0.2))) if "outside" in text]
    assert "all patients (+20.0, −4.9, +9.0)" in told
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
    assert told[1].startswith("Over all 1,600 healthy patients, Δ is +4.0 points")
    assert diagram(section).negative == "Δ below 0: Black lies below White"


def test_an_undefined_delta_has_no_change_phrase(report: Report, result: TreeResult) -> None:
    rates = {**result.tree.root.rates, "m1_a2": Rate(None, 0), "m2_a2": Rate(None, 0)}
    reason = "Δ is undefined: no row of Black"
    told = texts(chapter(report, leaf(result, rates=rates, delta=None, low=None, high=None, reason=reason)))[1]
    assert told.startswith("Over all 1,600 healthy patients, Δ is undefined. Whether it hides subgroups cannot be told")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("all rows", "all rows"),
        ("sex = F & 27 < age <= 40", "sex = F and 27 < age ≤ 40"),
        ("unit in {R & D, <= 3} & age > 45 or (missing)", "unit is one of R & D, <= 3 and age > 45 or (missing)"),
        ("unit = a & sex = b", "unit = a and sex = b"),
        ("HS grad < education <= Masters & unit = x", "HS grad < education ≤ Masters and unit = x"),
    ],
)
def test_paths_are_written_in_words_and_levels_as_they_are(result: TreeResult, path: str, words: str) -> None:
    covariates = ("sex", "age", "unit", "education", "education level")
    assert _plain(path_words(replace(result, split_on=covariates), path)) == words
