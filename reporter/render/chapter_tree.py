"""Chapter 4: each Δ tree with its question, its answer, the diagram, the leaves in words and as a table."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Block, Details, Figure, Heading, Paragraph, Section, Sentence, Sentences
from reporter.render.plots import Axis, TreeDiagram, TreeNode, TreeRate
from reporter.render.tree_tables import leaf_table, test_table
from reporter.render.wording import Words, literal, plural
from reporter.render.wording_tree_method import method_sentence, outside_sentence, split_line
from reporter.render.wording_tree_paths import edge_words, named, path_words
from reporter.render.wording_tree_terms import (
    group_names,
    interval,
    is_spread,
    rate_meaning,
    rate_text,
    rate_title,
    with_unit,
)
from reporter.render.wording_trees import (
    headings,
    leaf_sentence,
    leaves_of,
    overall_sentence,
    question,
    several_trees,
    sign_mark,
    sign_words,
)
from reporter.results import Report, TreeResult
from reporter.tree import Node

MOST_SENTENCES = 12


def tree_section(report: Report, words: Words) -> Section | None:
    """A part per tree."""
    if not report.tree_results:
        return None
    blocks: list[Block] = []
    if len(report.tree_results) > 1:
        blocks.append(
            Paragraph(
                several_trees(report.tree_results),
                "note",
            )
        )
    titles = headings(words, report.tree_results)
    for place, (title, result) in enumerate(zip(titles, report.tree_results, strict=True), 1):
        blocks += _tree(words, result, title, place)
    return Section("trees", "Subgroups in which disparities differ", tuple(blocks))


def _tree(words: Words, result: TreeResult, title: str, place: int) -> list[Block]:
    root = result.tree.root
    leaves = _by_size(root)
    blocks: list[Block] = [
        Heading(f"tree-{place}", title),
        Paragraph(question(words, result)),
        Paragraph(overall_sentence(words, result), "lead"),
    ]
    if len(leaves) > 1:
        blocks.append(_figure(words, result, root, f"tree-{place}-figure"))
        blocks.append(Sentences(_leaf_sentences(words, result, root, leaves)))
    blocks.append(leaf_table(words, result, root, leaves, f"tree-{place}-table"))
    if result.tree.root.tests:
        blocks.append(
            Details(
                f"tree-{place}-tests",
                "The test of each covariate in each node",
                (test_table(words, result, f"tree-{place}-tests-table"),),
                in_pdf=False,
            )
        )
    blocks.append(Paragraph(method_sentence(words, result), "note"))
    outside = outside_sentence(result)
    if outside:
        blocks.append(Paragraph(outside, "note"))
    if result.tree.n_dropped:
        blocks.append(
            Paragraph(f"{words.count_units(result.tree.n_dropped)} left out because a covariate was missing.", "note")
        )
    blocks += [Paragraph(literal(note), "note") for note in (*result.notes, *result.tree.notes)]
    if result.unpruned is not None and len(leaves_of(result.unpruned.root)) != len(leaves):
        before = result.unpruned.root
        n_before = len(leaves_of(before))
        blocks.append(
            Paragraph(
                f"Before neighbours with nearly the same Δ were joined, the tree had {plural(n_before, 'subgroup')}.",
                "note",
            )
        )
        inner: tuple[Block, ...] = (
            _figure(words, result, before, f"tree-{place}-unpruned-figure"),
            leaf_table(words, result, before, _by_size(before), f"tree-{place}-unpruned-table"),
        )
        blocks.append(
            Details(
                f"tree-{place}-unpruned",
                "The tree before neighbours with nearly the same Δ were joined",
                inner,
                in_pdf=False,
            )
        )
    return blocks


def _by_size(root: Node) -> list[Node]:
    return sorted(leaves_of(root), key=lambda leaf: -abs(leaf.delta or 0.0))


def _leaf_sentences(words: Words, result: TreeResult, root: Node, leaves: list[Node]) -> tuple[Sentence, ...]:
    items = tuple(
        Sentence(leaf_sentence(words, result, leaf), severity, label=label)
        for leaf in leaves[:MOST_SENTENCES]
        for label, severity in (sign_mark(root, leaf),)
    )
    if len(leaves) > MOST_SENTENCES:
        items += (Sentence(f"And {plural(len(leaves) - MOST_SENTENCES, 'more subgroup')}, in the table."),)
    return items


def _figure(words: Words, result: TreeResult, root: Node, figure_id: str) -> Figure:
    leaves = leaves_of(root)
    said = "; ".join(f"{path_words(leaf)}: Δ {with_unit(result, leaf.delta)}" for leaf in leaves)
    low, high = sign_words(words, result)
    rate = rate_title(words, result)
    if is_spread(result):
        plot = f"each stroke beside it is the {rate} ({rate_meaning(words, result)}) of one group, with the lowest and the highest as numbers."
    else:
        plot = f"the dots beside it are the {rate} ({rate_meaning(words, result)}) of the two groups; the line between them is the gap."
    return Figure(
        figure_id,
        f"Tree of {plural(len(leaves), 'subgroup')}. {said}.",
        f"Δ of the {rate} in each subgroup, with its {words.level_name()}; {plot}",
        TreeDiagram(
            root=_node(result, root, root, ""),
            models=tuple(literal(name) for name in result.models),
            groups=group_names(result),
            negative=f"Δ below 0: {low}" if low else "",
            positive=f"Δ above 0: {high}" if high else "",
            rate_axis=Axis(rate, "number" if result.rate == "score" else "percent"),
        ),
    )


def _node(result: TreeResult, node: Node, root: Node, edge: str) -> TreeNode:
    tested = "" if node.split is None else split_line(result, node)
    lines = (f"Δ {with_unit(result, node.delta)}", interval(result, node), f"n = {fmt.count(node.n)}", tested)
    children: tuple[TreeNode, ...] = ()
    asked = ""
    if node.split is not None and node.children:
        asked = named(node.split.covariate)
        children = tuple(
            _node(result, child, root, answer) for child, answer in zip(node.children, edge_words(node), strict=True)
        )
    rates = tuple(
        TreeRate(model, level, rate.rate, rate_text(result, rate))
        for model in range(len(result.models))
        for level in range(len(result.levels))
        if (rate := node.rates.get(f"m{model + 1}_a{level + 1}")) is not None
    )
    return TreeNode(
        id=node.id,
        lines=tuple(line for line in lines if line),
        delta=node.delta,
        edge=edge,
        question=asked,
        children=children,
        rates=rates if not children or node is root else (),
        mark="" if children else sign_mark(root, node)[0].lower(),
        path=path_words(node),
    )
