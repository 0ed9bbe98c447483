"""Δ trees in words that a risk officer understands: what Δ is, whether the overall Δ hides subgroups, and each leaf."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.wording import Words, listed, literal, plural
from reporter.results import TreeResult
from reporter.tree import NEVER_DISAGREE, Node, Rate, Split

TESTS = {
    "wald": "a test of Δ alone",
    "score": "the published score test",
    "permutation": "a permutation test",
}


def rate_title(words: Words, result: TreeResult) -> str:
    """The rate that a tree is about."""
    if result.rate == "score":
        return "mean score"
    return words.term({"referral": "referral_rate"}.get(result.rate, result.rate)).title


def rate_meaning(words: Words, result: TreeResult) -> str:
    """What the rate is a share of."""
    if result.rate == "score":
        return "mean of the scores"
    return words.term({"referral": "referral_rate"}.get(result.rate, result.rate)).meaning


def question(words: Words, result: TreeResult) -> str:
    """What the tree asks, in one or two sentences."""
    rate = rate_title(words, result)
    levels = [literal(level) for level in result.levels]
    if len(levels) > 2:
        gap = f"how much the {rate} varies over the groups of {literal(result.attribute)} ({listed(levels)})"
        measure = "spread"
    else:
        gap = f"the {rate} of {levels[1]} minus that of {levels[0]}"
        measure = "gap"
    if len(result.models) == 1:
        return f"The {measure} is {gap}. Δ is the {measure} of {words.model(result.models[0])}; the tree asks in which subgroups it differs."
    first, second = words.model(result.models[0]), words.model(result.models[1])
    return (
        f"The {measure} is {gap}. Δ is how much it changes from {first} to {second}: the {measure} of {second} minus the {measure} of "
        f"{first}. The tree asks in which subgroups this change differs."
    )


def overall_sentence(words: Words, result: TreeResult) -> str:
    """Whether the overall Δ hides subgroups."""
    root = result.tree.root
    start = f"Over all {fmt.count(root.n)} {_rows(words, result)}, {change_phrase(words, result, root)}."
    leaves = leaves_of(root)
    if len(leaves) == 1:
        why = f" ({words.reason(root.reason)})" if root.reason else ""
        if root.reason == NEVER_DISAGREE:
            return f"{start} The two models never disagree on these rows: Δ is 0 everywhere."
        if is_untestable(root) or (not root.tests and root.reason):
            return f"{start} Whether it hides subgroups cannot be told{why}."
        return f"{start} No subgroup was found in which Δ differs{why}; that is not proof that there is none."
    deltas = sorted(leaf.delta for leaf in leaves if leaf.delta is not None)
    ends = f", with Δ from {delta_text(result, deltas[0])} to {with_unit(result, deltas[-1])}" if deltas else ""
    found = f"The overall Δ hides subgroups: the tree finds {fmt.count(len(leaves))}{ends}."
    return f"{start} {found} {_reversals(root, leaves)}"


def _reversals(root: Node, leaves: list[Node]) -> str:
    reversed_ = [leaf for leaf in leaves if reverses(root, leaf)]
    uncertain = sum(includes_zero(leaf) for leaf in reversed_)
    sure = len(reversed_) - uncertain
    if not reversed_:
        return "In none of them is the sign reversed."
    doubt = "but the interval includes 0, so that the sign is uncertain"
    if not sure:
        return f"In {fmt.count(uncertain)} of them the sign is reversed, {doubt}."
    more = f"; in {fmt.count(uncertain)} more it is too, {doubt}" if uncertain else ""
    return f"In {fmt.count(sure)} of them the sign is reversed{more}."


def leaf_sentence(words: Words, result: TreeResult, leaf: Node) -> str:
    """A leaf: who, how many, what happens to the gap, and whether the leaf could hide more."""
    who = f"Where {path_words(result, leaf.path)}" if leaf.path and leaf.path != "all rows" else "All"
    text = f"{who} ({fmt.count(leaf.n)} {_rows(words, result)}): {change_phrase(words, result, leaf)}."
    return f"{text} Whether this hides more cannot be told." if is_untestable(leaf) else text


def leaf_end(words: Words, result: TreeResult, leaf: Node) -> str:
    """Why a leaf was not divided, for a table; empty where it was tested and nothing differs."""
    if not leaf.reason or _nothing_differs(result, leaf):
        return ""
    if is_untestable(leaf):
        return f"more cannot be told: {words.reason(leaf.reason)}"
    return words.reason(leaf.reason) if leaf.tests else f"not tested: {words.reason(leaf.reason)}"


def end_note(result: TreeResult, leaves: Sequence[Node]) -> str:
    """What a leaf without a remark means, where there is one."""
    if not any(_nothing_differs(result, leaf) for leaf in leaves):
        return ""
    return "A subgroup without a remark was tested: no covariate was found over which Δ differs within it."


def _nothing_differs(result: TreeResult, leaf: Node) -> bool:
    known = [test.p_adjusted for test in leaf.tests.values() if test.p_adjusted is not None]
    return bool(known) and min(known) > result.alpha


def is_untestable(node: Node) -> bool:
    """Whether tests were tried in a node and none was possible."""
    return bool(node.tests) and all(test.p is None for test in node.tests.values())


def change_phrase(words: Words, result: TreeResult, node: Node) -> str:
    """What happens to the gap between two levels from one model to the other, and Δ with its interval."""
    told = delta_phrase(result, node, words)
    if len(result.models) < 2 or len(result.levels) != 2:
        return told
    gaps = []
    for model in ("m1", "m2"):
        low, high = (node.rates[f"{model}_{level}"].rate for level in ("a1", "a2"))
        if low is None or high is None:
            return told
        gaps.append(high - low)
    first, second = (literal(name) for name in result.models)
    return f"the gap goes from {delta_text(result, gaps[0])} with {first} to {with_unit(result, gaps[1])} with {second}; {told}"


def delta_phrase(result: TreeResult, node: Node, words: Words) -> str:
    """Δ with its interval: "Δ is +12.3 points (95 % interval +6.1 to +18.4)"."""
    if node.delta is None:
        return "Δ is undefined"
    text = f"Δ is {with_unit(result, node.delta)}"
    if node.low is None or node.high is None:
        return text
    return f"{text} ({words.level_name()} {delta_text(result, node.low)} to {delta_text(result, node.high)})"


def delta_text(result: TreeResult, value: float) -> str:
    """Δ with its sign: points, or the score's own unit; the spread of rates has its own scale."""
    if result.rate == "score" or len(result.levels) > 2:
        return fmt.signed(fmt.number(value, 4), value)
    return fmt.signed_points(value)


def with_unit(result: TreeResult, value: float) -> str:
    """Δ with its sign and its unit."""
    return f"{delta_text(result, value)}{unit(result)}"


def unit(result: TreeResult) -> str:
    """The unit after a Δ."""
    return "" if result.rate == "score" or len(result.levels) > 2 else f"{fmt.NBSP}points"


def rate_text(result: TreeResult, rate: Rate) -> str:
    """One rate of a node."""
    if rate.rate is None:
        return fmt.UNDEFINED
    return fmt.number(rate.rate, 3) if result.rate == "score" else fmt.percent(rate.rate, 1)


def path_words(result: TreeResult, path: str) -> str:
    """A node's path as the tree gives it, in words: "sex = Male and age_cat is one of 25 - 45, > 45 and 3 < visits ≤ 9"."""
    names = "|".join(re.escape(name) for name in sorted(result.split_on, key=len, reverse=True))
    # A level may hold " & " or "<=": only what stands before and after a covariate's name is the tree's own.
    parts = re.split(rf" & (?=(?:[^&]* < )?(?:{names}) (?:=|in|<=|>) )", path)
    return literal(" and ".join(_condition(part, names) for part in parts))


def _condition(part: str, names: str) -> str:
    found = re.fullmatch(rf"((?:.* < )?)({names}) (=|in|<=|>) (.*)", part, re.DOTALL)
    if found is None:
        return part
    above, name, sign, rest = found.groups()
    if sign == "in":
        return f"{name} is one of {rest[1:-1]}"
    return f"{above}{name} {'≤' if sign == '<=' else sign} {rest}"


def edge_words(split: Split) -> tuple[str, str]:
    """The answers that lead left and right."""
    if split.levels_left is not None:
        return _levels(split.levels_left), _levels(split.levels_right or ())
    threshold = fmt.plain(split.threshold if split.threshold is not None else 0.0)
    return f"≤ {threshold}", f"> {threshold}"


def leaves_of(node: Node) -> list[Node]:
    """The leaves below a node, left to right."""
    return [node] if not node.children else [leaf for child in node.children for leaf in leaves_of(child)]


def reverses(root: Node, leaf: Node) -> bool:
    """Whether a leaf's Δ has the other sign than the overall one."""
    return root.delta is not None and leaf.delta is not None and root.delta * leaf.delta < 0


def includes_zero(node: Node) -> bool:
    """Whether the interval of a node's Δ leaves its sign open."""
    return node.low is None or node.high is None or node.low <= 0 <= node.high


def method_sentence(words: Words, result: TreeResult) -> str:
    """Test, level, adjustment, sizes, and what the intervals are worth."""
    test = TESTS.get(result.test, literal(result.test))
    what = " of all four parameters" if result.parameters == "all" else ""
    adjust = (
        "adjusted (Bonferroni) over the covariates that can be tested in a node"
        if result.adjust == "bonferroni"
        else "not adjusted"
    )
    size = f"no node under {fmt.count(result.min_size)} {_rows(words, result)}"
    depth = "" if result.max_depth is None else f"; at most {plural(result.max_depth, 'split')} on a path"
    joined = (
        f"; neighbours whose Δ differ by less than {fmt.points(result.min_difference, 1)} are joined"
        if result.min_difference
        else ""
    )
    honest = (
        "Splits were found on one half of the rows and every figure comes from the other half, so that the intervals hold."
        if result.honest
        else "The intervals follow a search: the subgroups were found on the same rows on which Δ is estimated, which overstates "
        "how much and how surely they differ."
    )
    return (
        f"Split by {test}{what}, p-values {adjust}, level {fmt.plain(result.alpha)} in each node (not over the whole tree); "
        f"{size}{depth}{joined}. Covariates: {listed([literal(name) for name in result.split_on])}. {tested_sentence(words, result)} "
        f"{honest}"
    )


def tested_sentence(words: Words, result: TreeResult) -> str:
    """How many covariates could be tested at the root, which moves the adjusted p-value, and the smallest of these."""
    root = result.tree.root
    known = [test.p_adjusted for test in root.tests.values() if test.p_adjusted is not None]
    if not known:
        return "No covariate could be tested." if root.tests else "Nothing was tested."
    what = "the p of the first split" if root.split is not None else "the smallest p"
    return f"Over all {words.units} {testable(root)}; {what} is {fmt.p_number(min(known))}."


def testable(node: Node) -> str:
    """How many covariates could be tested in a node: "4 of 6 covariates testable"."""
    n = sum(test.p is not None for test in node.tests.values())
    return f"{n} of {plural(len(node.tests), 'covariate')} testable"


def split_line(node: Node) -> str:
    """What led to a split, in a few words for the diagram."""
    assert node.split is not None
    test = node.tests.get(node.split.covariate)
    if test is None or test.p_adjusted is None:
        return ""
    number = fmt.p_number(test.p_adjusted)
    return f"p {number if number.startswith(('<', '>')) else f'= {number}'}; {testable(node)}"


def sign_words(result: TreeResult) -> tuple[str, str]:
    """What Δ below 0 and above 0 mean, for the diagram."""
    if len(result.levels) > 2:
        return ("the groups move closer together", "the groups move apart") if len(result.models) == 2 else ("", "")
    first, second = (literal(level) for level in result.levels)
    if len(result.models) == 1:
        return f"{second} lies below {first}", f"{second} lies above {first}"
    return f"{second} falls relative to {first}", f"{second} rises relative to {first}"


def several_trees(results: Sequence[TreeResult]) -> str:
    """What it means that several trees were grown."""
    none = math.prod(1 - result.alpha for result in results)
    return (
        f"This report grows {plural(len(results), 'tree')}, each at its own level. Where Δ differs nowhere, at least one of them still splits "
        f"with a chance of up to about {fmt.percent(1 - none)}: read a split that only one tree finds with that in mind."
    )


def outside_sentence(words: Words, result: TreeResult) -> str:
    """Why a node's Δ can lie outside the Δ of both its parts, where it does; empty where it does not."""
    nodes = outside_children(result.tree.root)
    if not nodes:
        return ""
    where = [
        f"all {words.units}" if node.id == result.tree.root.id else path_words(result, node.path) for node in nodes
    ]
    told = "; ".join(
        f"{place} ({', '.join(delta_text(result, one.delta or 0.0) for one in (node, *node.children))})"
        for place, node in zip(where, nodes, strict=True)
    )
    return (
        f"Δ lies outside the Δ of both parts (Δ of the whole, then of the parts) in: {told}. That is no error. Δ compares the groups "
        "as they are mixed in the whole, and the groups are not spread alike over the two parts."
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


def _rows(words: Words, result: TreeResult) -> str:
    if result.rate in ("fpr", "fnr"):
        return words.term(result.rate).population
    return words.units


def _levels(levels: tuple[str, ...]) -> str:
    return ", ".join(literal(level) for level in levels)
