"""Chapter 4: each Δ tree with its question, its answer, the diagram, the leaves in words and as a table."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import (
    Block,
    Details,
    Figure,
    Heading,
    Paragraph,
    Section,
    Sentence,
    Sentences,
)
from reporter.render.plots import Axis, TreeDiagram, TreeNode, TreeRate
from reporter.render.tree_tables import leaf_table, test_table
from reporter.render.wording import Words, literal, plural
from reporter.render.wording_trees import (
    delta_text,
    edge_words,
    includes_zero,
    leaf_sentence,
    leaves_of,
    method_sentence,
    outside_sentence,
    overall_sentence,
    path_words,
    question,
    rate_meaning,
    rate_text,
    rate_title,
    reverses,
    several_trees,
    sign_words,
    split_line,
    unit,
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
    for place, result in enumerate(report.tree_results, 1):
        blocks += _tree(words, result, place)
    return Section("trees", "Subgroups in which disparities differ", tuple(blocks))


def _tree(words: Words, result: TreeResult, place: int) -> list[Block]:
    root = result.tree.root
    leaves = sorted(leaves_of(root), key=lambda leaf: -abs(leaf.delta or 0.0))
    title = literal(result.name) if result.name else f"{rate_title(words, result)} by {literal(result.attribute)}"
    blocks: list[Block] = [
        Heading(f"tree-{place}", title),
        Paragraph(question(words, result)),
        Paragraph(overall_sentence(words, result), "lead"),
    ]
    if len(leaves) > 1:
        blocks.append(Sentences(_leaf_sentences(words, result, root, leaves)))
        blocks.append(_figure(words, result, root, f"tree-{place}-figure"))
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
    outside = outside_sentence(words, result)
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
            leaf_table(words, result, before, leaves_of(before), f"tree-{place}-unpruned-table"),
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


def _leaf_sentences(words: Words, result: TreeResult, root: Node, leaves: list[Node]) -> tuple[Sentence, ...]:
    items = tuple(
        Sentence(
            leaf_sentence(words, result, leaf),
            "warn" if reverses(root, leaf) else "info",
            label=_label(root, leaf),
        )
        for leaf in leaves[:MOST_SENTENCES]
    )
    if len(leaves) > MOST_SENTENCES:
        items += (Sentence(f"And {plural(len(leaves) - MOST_SENTENCES, 'more subgroup')}, in the table."),)
    return items


def _label(root: Node, leaf: Node) -> str:
    if not reverses(root, leaf):
        return ""
    return "Reversed sign, uncertain" if includes_zero(leaf) else "Reversed sign"


def _figure(words: Words, result: TreeResult, root: Node, figure_id: str) -> Figure:
    leaves = leaves_of(root)
    said = "; ".join(f"{path_words(result, leaf.path)}: Δ {_delta(result, leaf.delta)}" for leaf in leaves)
    low, high = sign_words(result)
    return Figure(
        figure_id,
        f"Tree of {plural(len(leaves), 'subgroup')}. {said}.",
        f"Δ of the {rate_title(words, result)} in each subgroup, with its {words.level_name()}; the dots are the "
        f"{rate_title(words, result)} ({rate_meaning(words, result)}) of each group, with each model; the line between them is the gap.",
        TreeDiagram(
            root=_node(result, root, root, ""),
            models=tuple(literal(name) for name in result.models),
            groups=tuple(literal(level) for level in result.levels),
            negative=f"Δ below 0: {low}" if low else "",
            positive=f"Δ above 0: {high}" if high else "",
            rate_axis=Axis(rate_title(words, result), "number" if result.rate == "score" else "percent"),
        ),
    )


def _node(result: TreeResult, node: Node, root: Node, edge: str) -> TreeNode:
    interval = (
        ""
        if node.low is None or node.high is None
        else f"{delta_text(result, node.low)} to {delta_text(result, node.high)}"
    )
    lines = tuple(line for line in (f"Δ {_delta(result, node.delta)}", interval, f"n = {fmt.count(node.n)}") if line)
    if node.split is not None and (line := split_line(node)):
        lines += (line,)
    children: tuple[TreeNode, ...] = ()
    asked = ""
    if node.split is not None and node.children:
        asked = literal(node.split.covariate)
        children = tuple(
            _node(result, child, root, answer)
            for child, answer in zip(node.children, edge_words(node.split), strict=True)
        )
    rates = tuple(
        TreeRate(model, level, rate.rate, rate_text(result, rate))
        for model in range(len(result.models))
        for level in range(len(result.levels))
        if (rate := node.rates.get(f"m{model + 1}_a{level + 1}")) is not None
    )
    return TreeNode(
        id=node.id,
        lines=lines,
        delta=node.delta,
        edge=edge,
        question=asked,
        children=children,
        rates=rates if not children or node is root else (),
        mark="" if children else _label(root, node).lower(),
    )


def _delta(result: TreeResult, value: float | None) -> str:
    return fmt.UNDEFINED if value is None else f"{delta_text(result, value)}{unit(result)}"
