"""Why a node of a Δ tree was not divided or a covariate not tested, in a reader's words instead of the keys of a config."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.wording import Words, listed, literal, plural
from reporter.render.wording_tree_paths import named
from reporter.render.wording_tree_terms import population, size_text
from reporter.results import TreeResult
from reporter.tree import NEVER_DISAGREE, Node

_TOO_FEW = re.compile(r"(?:cannot be told: )?(?:only one|no) part of it has enough rows and disagreements")
_SMALL = re.compile(r"[\d,]+ rows? (?:is|are) fewer than twice min_size = ([\d,]+)")
_DEPTH = re.compile(r"max_depth = (\d+) is reached")
_ONE_SIDED = re.compile(r"no (?:split|cut) leaves (?:min_size = )?([\d,]+) rows on both sides")
_EMPTY = re.compile(r"an empty cell: no row of level (.*) where (.*)", re.DOTALL)


def leaf_end(words: Words, result: TreeResult, leaf: Node) -> str:
    """Why a leaf was not divided, for a table; empty where it was tested and nothing differs."""
    if not leaf.reason or _nothing_differs(result, leaf):
        return ""
    told = reason_words(words, result, leaf)
    if is_untestable(leaf):
        return f"more cannot be told: {told}"
    return told if leaf.tests else f"not tested: {told}"


def end_note(result: TreeResult, leaves: Sequence[Node]) -> str:
    """What a leaf without a remark means, where there is one."""
    if len(leaves) < 2 or not any(_nothing_differs(result, leaf) for leaf in leaves):
        return ""
    what = "Δ differs" if result.test != "score" else "the score test finds a difference"
    return f"A subgroup without a remark was tested: no covariate was found over which {what} within it."


def is_untestable(node: Node) -> bool:
    """Whether tests were tried in a node and none was possible."""
    return bool(node.tests) and all(test.p is None for test in node.tests.values())


def reason_words(words: Words, result: TreeResult, node: Node) -> str:
    """Why a node was not divided; empty where it was tested and nothing differs."""
    reason = node.reason
    if not reason or _nothing_differs(result, node):
        return ""
    if is_untestable(node):
        return _untested(words, result, node)
    if reason == NEVER_DISAGREE:
        return "the two models never disagree here, so that Δ is 0"
    if found := _SMALL.fullmatch(reason):
        least = 2 * int(found[1].replace(",", ""))
        return f"fewer than {fmt.count(least)} {population(words, result)}, which two parts need"
    if found := _DEPTH.fullmatch(reason):
        return f"no more than {plural(int(found[1]), 'split')} on a path were asked for"
    if found := _ONE_SIDED.fullmatch(reason):
        return f"no split leaves {found[1]} {population(words, result)} on both sides"
    if "min_difference" in reason:
        return f"the Δ of its two sides differ by less than {size_text(result, result.min_difference)}"
    return words.reason(reason)


def test_reason(words: Words, result: TreeResult, reason: str | None) -> str:
    """Why a covariate was not tested in a node; empty where it was."""
    if not reason:
        return ""
    if _TOO_FEW.fullmatch(reason):
        return "too few rows or disagreements to compare its parts"
    if found := _ONE_SIDED.fullmatch(reason):
        return f"no cut leaves {found[1]} {population(words, result)} on both sides"
    if found := _EMPTY.fullmatch(reason):
        return f"no {words.unit} of {named(found[1])} where {_outcome(words, found[2])}"
    return words.reason(reason.removeprefix("cannot be told: "))


def _outcome(words: Words, kind: str) -> str:
    """An outcome of the score test's model: "2.4 alone predicts “referred”"."""
    told = {"1": words.positive_prediction, "0": f"not {words.positive_prediction}"}
    return re.sub(r"predicts ([01])$", lambda found: f"predicts “{told[found[1]]}”", literal(kind))


def _untested(words: Words, result: TreeResult, node: Node) -> str:
    """Why no covariate could be tested, each reason once."""
    by_reason: dict[str, list[str]] = {}
    for covariate, test in node.tests.items():
        by_reason.setdefault(test_reason(words, result, test.reason) or "no reason was given", []).append(
            named(covariate)
        )
    if len(by_reason) == 1:
        (told,) = by_reason
        return told.replace("its parts", "the parts of any covariate").replace(
            "it has one value here", "every covariate has one value here"
        )
    return "; ".join(
        told.replace("its parts", f"the parts of {listed(names)}")
        if "its parts" in told
        else told.replace(
            "it has one value here", f"{listed(names)} {'has' if len(names) == 1 else 'have'} one value here"
        )
        if "one value here" in told
        else f"{told} ({listed(names)})"
        for told, names in by_reason.items()
    )


def _nothing_differs(result: TreeResult, leaf: Node) -> bool:
    known = [test.p_adjusted for test in leaf.tests.values() if test.p_adjusted is not None]
    return bool(known) and min(known) > result.alpha
