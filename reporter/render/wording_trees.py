"""Δ trees in words that a risk officer understands: what Δ is, whether the overall Δ hides subgroups, and each leaf."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import Severity
from reporter.render.wording import Words, capital, listed, literal, plural
from reporter.render.wording_tree_paths import named, path_words
from reporter.render.wording_tree_reasons import is_untestable, reason_words
from reporter.render.wording_tree_terms import (
    change_phrase,
    delta_text,
    group_phrases,
    is_spread,
    rate_title,
    whole,
    with_unit,
)
from reporter.results import REST, TreeResult
from reporter.tree import NEVER_DISAGREE, Node

TESTS = {
    "wald": "a test of Δ alone",
    "score": "the published score test",
    "permutation": "a permutation test",
}


def headings(words: Words, results: Sequence[TreeResult]) -> list[str]:
    """A heading for each tree; what tells equal ones apart stands behind."""
    titles = [_title(words, result) for result in results]
    for told in (_models, _test, _sizes):
        n = Counter(titles)
        titles = [
            f"{title}, {more}" if n[title] > 1 and (more := told(result)) else title
            for title, result in zip(titles, results, strict=True)
        ]
    n = Counter(titles)
    return [
        f"{title} ({titles[:place].count(title) + 1} of {n[title]})" if n[title] > 1 else title
        for place, title in enumerate(titles)
    ]


def _title(words: Words, result: TreeResult) -> str:
    first, *others = group_phrases(result)
    groups = f"{others[0]} against all others" if result.levels[0] == REST else listed([first, *others])
    unnamed = f"{result.rate}, {result.attribute}"
    end = f": {', '.join(result.levels)}"
    if result.name in ("", unnamed, unnamed + end):
        return f"{capital(rate_title(words, result))} by {named(result.attribute)}: {groups}"
    return f"{literal(result.name.removesuffix(end))}: {groups}" if result.name.endswith(end) else literal(result.name)


def _models(result: TreeResult) -> str:
    return " to ".join(literal(name) for name in result.models)


def _test(result: TreeResult) -> str:
    name = TESTS.get(result.test, literal(result.test)).removeprefix("a ").removeprefix("the ")
    return f"{name} of all four parameters" if result.parameters == "all" else name


def _sizes(result: TreeResult) -> str:
    depth = "" if result.max_depth is None else f", at most {plural(result.max_depth, 'split')} on a path"
    honest = ", honest" if result.honest else ""
    return f"level {fmt.plain(result.alpha)}, least size {fmt.count(result.min_size)}{depth}{honest}"


def question(words: Words, result: TreeResult) -> str:
    """What the tree asks, in a few sentences."""
    rate = rate_title(words, result)
    groups = group_phrases(result)
    models = [words.model(name) for name in result.models]
    if is_spread(result):
        what = (
            f"The spread is the variance of the {rate} over the groups of {named(result.attribute)} ({listed(groups)}): the mean of the "
            "squared distances of their rates from the mean of these rates, every group counted once. It is 0 where all groups have the same rate."
        )
        measure = "spread"
    else:
        what = f"The gap is the {rate} of {groups[1]} minus that of {groups[0]}."
        measure = "gap"
        if REST in result.levels:
            what += f" “All others” are all other groups of {named(result.attribute)} together."
    if len(models) == 1:
        asks = (
            "the tree asks in which subgroups it differs"
            if result.test != "score"
            else f"the tree asks in which subgroups the {rate} or its {measure} differs"
        )
        return f"{what} Δ is the {measure} of {models[0]}; {asks}."
    differs = "this change differs" if result.test != "score" else "the disagreement of the two models differs"
    return (
        f"{what} Δ is how much the {measure} changes from {models[0]} to {models[1]}: the {measure} of {models[1]} minus the {measure} of "
        f"{models[0]}. The tree asks in which subgroups {differs}."
    )


def overall_sentence(words: Words, result: TreeResult) -> str:
    """Whether the overall Δ hides subgroups."""
    root = result.tree.root
    start = f"Over all {fmt.count(root.n)} {whole(words, result)}, {change_phrase(words, result, root)}."
    leaves = leaves_of(root)
    what = "Δ differs" if result.test != "score" else f"{_disagreement(words, result)} differs"
    if len(leaves) == 1:
        if root.reason == NEVER_DISAGREE:
            return f"{start} The two models never disagree on these rows: Δ is 0 everywhere."
        told = reason_words(words, result, root)
        why = f" ({told})" if told else ""
        if is_untestable(root) or (not root.tests and root.reason):
            return f"{start} Whether it hides subgroups cannot be told{why}."
        return f"{start} No subgroup was found in which {what}{why}; that is not proof that there is none."
    deltas = sorted(leaf.delta for leaf in leaves if leaf.delta is not None)
    ends = f", with Δ from {delta_text(result, deltas[0])} to {with_unit(result, deltas[-1])}" if deltas else ""
    if result.test == "wald":
        found = f"The overall Δ hides subgroups: the tree finds {fmt.count(len(leaves))}{ends}."
    else:
        found = f"The tree finds {plural(len(leaves), 'subgroup')}{ends}. {_caution(words, result)}"
    return f"{start} {found} {_signs(root, leaves)}"


def _disagreement(words: Words, result: TreeResult) -> str:
    return (
        "the models' disagreement"
        if len(result.models) > 1
        else f"the {rate_title(words, result)} or its {'spread' if is_spread(result) else 'gap'}"
    )


def _caution(words: Words, result: TreeResult) -> str:
    """What a split does not show where the test is not of Δ alone."""
    if result.test == "permutation":
        return (
            "A permutation test divides too often where the subgroups differ in other ways than in Δ; hold the intervals of their Δ against "
            "each other before you read a difference of Δ into them."
        )
    if len(result.models) == 1:
        return (
            f"That is no finding about Δ: the score test also answers to the level of the {rate_title(words, result)} and to how the groups are "
            "mixed. The subgroups differ in these or in Δ; hold the intervals of their Δ against each other. For a test of Δ alone, set test: wald in the config."
        )
    how = (
        "how often each model alone is positive, in each group"
        if result.parameters == "all"
        else "how often the two models disagree, in which direction, and how the groups are mixed"
    )
    return (
        f"That is no finding about Δ: the score test also answers to {how}. The subgroups differ in the two models' disagreement, and Δ may "
        "still be the same in all of them; hold the intervals of their Δ against each other. For a test of Δ alone, set test: wald in the config."
    )


def _signs(root: Node, leaves: list[Node]) -> str:
    """Which leaves have the opposite sign to the overall Δ, where that has a sign for sure."""
    below = sum(leaf.high is not None and leaf.high < 0 for leaf in leaves)
    above = sum(leaf.low is not None and leaf.low > 0 for leaf in leaves)
    if includes_zero(root):
        start = "The sign of the overall Δ is itself uncertain (its interval includes 0), so that none can be called opposite to it."
        clear = [
            f"below 0 in {fmt.count(below)} of the subgroups" if below else "",
            f"above 0 in {fmt.count(above)}" + ("" if below else " of the subgroups") if above else "",
        ]
        told = " and ".join(part for part in clear if part)
        if not told:
            return f"{start} In no subgroup does the interval exclude 0."
        against = ": the subgroups go in opposite directions" if below and above else ""
        return f"{start} Δ lies clearly {told}{against}."
    opposite = [leaf for leaf in leaves if reverses(root, leaf)]
    uncertain = sum(includes_zero(leaf) for leaf in opposite)
    sure = len(opposite) - uncertain
    if not opposite:
        return "In none of them has Δ the opposite sign."
    doubt = "but its interval includes 0, so that the sign is uncertain"
    if not sure:
        return f"In {fmt.count(uncertain)} of them Δ has the opposite sign, {doubt}."
    more = f"; in {fmt.count(uncertain)} more it has the opposite sign too, {doubt}" if uncertain else ""
    return f"In {fmt.count(sure)} of them Δ has the opposite sign{more}."


def leaf_sentence(words: Words, result: TreeResult, leaf: Node) -> str:
    """A leaf: who, how many, what happens to the gap, and whether the leaf could hide more."""
    size = f"{fmt.count(leaf.n)} of the {fmt.count(result.tree.root.n)}"
    text = f"Where {path_words(leaf)} ({size}): {change_phrase(words, result, leaf)}."
    return f"{text} Whether this hides more cannot be told." if is_untestable(leaf) else text


def sign_mark(root: Node, leaf: Node) -> tuple[str, Severity]:
    """What is said beside a leaf whose Δ has the other sign than the overall one, and how it is marked."""
    if not reverses(root, leaf):
        return "", "info"
    if includes_zero(root):
        return ("Opposite sign, overall sign uncertain", "warn") if not includes_zero(leaf) else ("", "info")
    return ("Opposite sign to overall, uncertain" if includes_zero(leaf) else "Opposite sign to overall"), "warn"


def leaves_of(node: Node) -> list[Node]:
    """The leaves below a node, left to right."""
    return [node] if not node.children else [leaf for child in node.children for leaf in leaves_of(child)]


def reverses(root: Node, leaf: Node) -> bool:
    """Whether a leaf's Δ has the other sign than the overall one."""
    return root.delta is not None and leaf.delta is not None and root.delta * leaf.delta < 0


def includes_zero(node: Node) -> bool:
    """Whether the interval of a node's Δ leaves its sign open."""
    return node.low is None or node.high is None or node.low <= 0 <= node.high


def sign_words(words: Words, result: TreeResult) -> tuple[str, str]:
    """What Δ below 0 and above 0 mean, for the diagram."""
    models = [literal(name) for name in result.models]
    rate = rate_title(words, result)
    if is_spread(result):
        if len(models) < 2:
            return "", ""
        return tuple(
            f"from {models[0]} to {models[1]} the groups move {way} in their {rate}"
            for way in ("closer together", "apart")
        )  # type: ignore[return-value]
    first, second = group_phrases(result)
    if len(models) == 1:
        return tuple(f"the {rate} of {second} lies {way} that of {first}" for way in ("below", "above"))  # type: ignore[return-value]
    return tuple(
        f"from {models[0]} to {models[1]}, the {rate} of {second} {way} relative to {first}"
        for way in ("falls", "rises")
    )  # type: ignore[return-value]


def several_trees(results: Sequence[TreeResult]) -> str:
    """What it means that several trees were grown."""
    of_delta = [result for result in results if result.test == "wald"]
    n_others = len(results) - len(of_delta)
    told = [f"This report grows {plural(len(results), 'tree')}, each at its own level."]
    if of_delta:
        none = math.prod((1 - result.alpha) ** _n_chances(result) for result in of_delta)
        among = f" of the {fmt.count(len(of_delta))} that test Δ alone" if n_others else " of them"
        which = f"at least one{among}" if len(of_delta) > 1 else "the one that tests Δ alone"
        told.append(
            f"Where Δ differs nowhere, {which} still splits with a chance of up to about {fmt.percent(1 - none)}: read a split that only one "
            "tree finds with that in mind."
        )
    if n_others:
        which = "The others" if of_delta and n_others > 1 else "The other" if of_delta else "They"
        told.append(
            f"{which} may split far more often where Δ differs nowhere: the test behind {'it' if which == 'The other' else 'them'} also answers "
            "to other differences between subgroups."
        )
    return " ".join(told)


def _n_chances(result: TreeResult) -> int:
    """How many tests at the level are made in the first node: one where they are adjusted for each other."""
    return len(result.split_on) if result.adjust == "none" else 1
