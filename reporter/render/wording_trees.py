"""Δ trees in words that a risk officer understands: what Δ is, whether the overall Δ hides subgroups, and each leaf."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.wording import Words, capital, listed, literal, plural
from reporter.results import TreeResult
from reporter.tree import Node, Rate, Split

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
        f"The {measure} is {gap}. Δ is the {measure} of {second} minus the {measure} of {first}: what replacing the one by the other does "
        f"to it. The tree asks in which subgroups Δ differs."
    )


def overall_sentence(words: Words, result: TreeResult) -> str:
    """Whether the overall Δ hides subgroups."""
    root = result.tree.root
    start = f"Over all {fmt.count(root.n)} {_rows(words, result)}, {delta_phrase(result, root, words)}"
    leaves = leaves_of(root)
    if len(leaves) == 1:
        untestable = bool(root.tests) and all(test.p is None for test in root.tests.values())
        why = f" ({words.reason(root.reason)})" if root.reason else ""
        if untestable or (not root.tests and root.reason):
            return f"{start}. Whether it hides subgroups cannot be told{why}."
        return f"{start}. No subgroup was found in which it differs{why}; that is not proof that there is none."
    reversed_ = [leaf for leaf in leaves if reverses(root, leaf)]
    tail = ""
    if reversed_:
        tail = f"; in {fmt.count(len(reversed_))} of them the sign is reversed"
        open_ = [leaf for leaf in reversed_ if includes_zero(leaf)]
        if open_:
            tail += f", in {fmt.count(len(open_))} of these with an interval that includes 0"
    return f"{start}. That hides {plural(len(leaves), 'subgroup')} in which it differs{tail}."


def leaf_sentence(words: Words, result: TreeResult, leaf: Node) -> str:
    """A leaf: who, how many, Δ with its interval, and the rates behind it."""
    who = f"Where {path_words(leaf.path)}" if leaf.path and leaf.path != "all rows" else "All"
    parts = []
    for model, name in enumerate(result.models, 1):
        rates = [leaf.rates.get(f"m{model}_a{level}") for level in range(1, len(result.levels) + 1)]
        shown = listed(
            [
                f"{rate_text(result, rate)} of {literal(level)}"
                for rate, level in zip(rates, result.levels, strict=True)
                if rate is not None
            ]
        )
        parts.append(f"{literal(name)}: {shown}")
    return f"{who} ({fmt.count(leaf.n)} {_rows(words, result)}): {delta_phrase(result, leaf, words)}. {capital(rate_title(words, result))} with {'; '.join(parts)}."


def delta_phrase(result: TreeResult, node: Node, words: Words) -> str:
    """Δ with its interval: "Δ is +12.3 points (95 % interval +6.1 to +18.4)"."""
    if node.delta is None:
        return "Δ is undefined"
    text = f"Δ is {delta_text(result, node.delta)}{unit(result)}"
    if node.low is None or node.high is None:
        return text
    return f"{text} ({words.level_name()} {delta_text(result, node.low)} to {delta_text(result, node.high)})"


def delta_text(result: TreeResult, value: float) -> str:
    """Δ with its sign: points, or the score's own unit; the spread of rates has its own scale."""
    if result.rate == "score" or len(result.levels) > 2:
        return fmt.signed(fmt.number(value, 4), value)
    return fmt.signed_points(value)


def unit(result: TreeResult) -> str:
    """The unit after a Δ."""
    return "" if result.rate == "score" or len(result.levels) > 2 else f"{fmt.NBSP}points"


def rate_text(result: TreeResult, rate: Rate) -> str:
    """One rate of a node."""
    if rate.rate is None:
        return fmt.UNDEFINED
    return fmt.number(rate.rate, 3) if result.rate == "score" else fmt.percent(rate.rate, 1)


def path_words(path: str) -> str:
    """A node's path as the tree gives it, with its parts joined by words.

    Examples
    --------
    >>> path_words("sex = F & 27 < age <= 40"), path_words("all rows")
    ('sex = F and 27 < age ≤ 40', 'all rows')
    """
    return literal(path).replace(" & ", " and ").replace("<=", "≤")


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
        f"; siblings whose Δ differ by less than {fmt.points(result.min_difference, 1)} are joined"
        if result.min_difference
        else ""
    )
    honest = (
        "Splits were found on one half of the rows and Δ estimated on the other, so that the intervals hold."
        if result.honest
        else "The subgroups were found on the same rows on which Δ is estimated: their intervals are optimistic."
    )
    return (
        f"Split by {test}{what}, p-values {adjust}, level {fmt.plain(result.alpha)}; {size}{depth}{joined}. Covariates: "
        f"{listed([literal(name) for name in result.split_on])}. {honest}"
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
