"""How a Δ tree was grown, in words: test, level, adjustment, sizes, what its intervals are worth, and where a Δ looks odd."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.wording import Words, listed, literal, plural
from reporter.render.wording_tree_paths import named, path_words
from reporter.render.wording_tree_terms import delta_text, population, size_text
from reporter.render.wording_trees import TESTS
from reporter.results import TreeResult
from reporter.tree import Node


def method_sentence(words: Words, result: TreeResult) -> str:
    """Test, level, adjustment, sizes, and what the intervals are worth."""
    test = TESTS.get(result.test, literal(result.test))
    what = " of all four parameters" if result.parameters == "all" else ""
    adjust = (
        "adjusted (Bonferroni) over the covariates that can be tested in a node"
        if result.adjust == "bonferroni"
        else "not adjusted"
    )
    half = " of the half that splits were sought on" if result.honest else ""
    size = f"no node under {fmt.count(result.min_size)} {population(words, result)}{half}"
    depth = "" if result.max_depth is None else f"; at most {plural(result.max_depth, 'split')} on a path"
    joined = (
        f"; neighbours whose Δ{' in that half' if result.honest else ''} differ by less than {size_text(result, result.min_difference)} are joined"
        if result.min_difference
        else ""
    )
    return (
        f"{'Split' if result.tree.root.children else 'Splits were sought'} by {test}{what}, p-values {adjust}, level "
        f"{fmt.plain(result.alpha)} in each node (not over the whole tree); {size}{depth}{joined}. "
        f"Covariates: {listed([named(name) for name in result.split_on])}. {tested_sentence(result)}{_worth(result)}"
    )


def _worth(result: TreeResult) -> str:
    """What the intervals are worth after a search."""
    divided = bool(result.tree.root.children)
    if result.honest:
        found = "found" if divided else "sought"
        text = f" Splits were {found} on one half of the rows and every figure comes from the other half"
        if not divided:
            return f"{text}."
        return (
            f"{text}, so that the intervals hold. A subgroup may have fewer rows in that other half than the least size, and neighbours' Δ may "
            "lie closer together in it."
        )
    if not divided:
        return ""
    return (
        " The intervals follow a search: the subgroups were found on the same rows on which Δ is estimated, which overstates how much and how "
        "surely they differ."
    )


def tested_sentence(result: TreeResult) -> str:
    """How many covariates could be tested at the root, which moves the adjusted p-value, and the smallest of these."""
    root = result.tree.root
    known = [test.p_adjusted for test in root.tests.values() if test.p_adjusted is not None]
    if not known:
        return "No covariate could be tested." if root.tests else "Nothing was tested."
    what = f"{_p(result)} of the first split" if root.split is not None else f"smallest {_p(result)}"
    return f"In the whole, {testable(root)}; the {what} is {fmt.p_number(min(known))}."


def testable(node: Node) -> str:
    """How many covariates could be tested in a node: "4 of 6 covariates could be tested"."""
    n = sum(test.p is not None for test in node.tests.values())
    return f"{n} of {plural(len(node.tests), 'covariate')} could be tested"


def split_line(result: TreeResult, node: Node) -> str:
    """What led to a split, in a few words for the diagram."""
    assert node.split is not None
    test = node.tests.get(node.split.covariate)
    if test is None or test.p_adjusted is None:
        return ""
    number = fmt.p_number(test.p_adjusted)
    return f"{_p(result)} {number if number.startswith(('<', '>')) else f'= {number}'}; {testable(node)}"


def _p(result: TreeResult) -> str:
    return "p" if result.adjust == "none" else "adjusted p"


def outside_sentence(result: TreeResult) -> str:
    """Why a node's Δ can lie outside the Δ of both its parts, where it does; empty where it does not."""
    nodes = outside_children(result.tree.root)
    if not nodes:
        return ""
    where = ["the whole" if node.id == result.tree.root.id else path_words(node) for node in nodes]
    told = "; ".join(
        f"{place} ({', '.join(delta_text(result, one.delta or 0.0) for one in (node, *node.children))})"
        for place, node in zip(where, nodes, strict=True)
    )
    return (
        f"Δ lies outside the Δ of both parts (Δ of the node, then of its parts) in: {told}. That is no error. Δ compares the groups "
        "as they are mixed in the node, and the groups are not spread alike over the two parts."
    )


def outside_children(root: Node) -> list[Node]:
    """Nodes whose Δ lies outside the Δ of both of their children, which readers find odd and the card explains."""
    found = []
    stack = [root]
    while stack:
        node = stack.pop()
        stack.extend(node.children)
        deltas = [child.delta for child in node.children if child.delta is not None]
        if node.delta is not None and len(deltas) == 2 and not min(deltas) <= node.delta <= max(deltas):
            found.append(node)
    return found
