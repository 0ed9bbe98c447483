"""The terms of a Δ tree: its rate, its groups, its rows, and Δ with unit and interval as every text and figure writes them."""

from __future__ import annotations

import math

from reporter.render import format as fmt
from reporter.render.metric_terms import joined
from reporter.render.wording import Words, listed, literal
from reporter.render.wording_tree_paths import named
from reporter.results import REST, TreeResult
from reporter.tree import Node, Rate

SQUARED_POINTS = f"{fmt.NBSP}squared points"


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


def is_spread(result: TreeResult) -> bool:
    """Whether Δ is of the variance over many groups instead of the difference of two."""
    return result.contrast == "spread"


def group_names(result: TreeResult) -> tuple[str, ...]:
    """The groups as tables and figures name them."""
    return tuple("all others" if level == REST else literal(level) for level in result.levels)


def group_phrases(result: TreeResult) -> tuple[str, ...]:
    """The groups inside a sentence."""
    return tuple("all others" if level == REST else named(level) for level in result.levels)


def population(words: Words, result: TreeResult) -> str:
    """The rows in the rate's condition: "healthy patients"."""
    return words.term(result.rate).population if result.rate in ("fpr", "fnr") else words.units


def whole(words: Words, result: TreeResult) -> str:
    """All rows of a tree: "healthy patients whose ethnicity is White or Black"."""
    if REST in result.levels:
        return population(words, result)
    whose = f"whose {named(result.attribute)} is {listed(group_phrases(result), last='or')}"
    return joined(population(words, result), whose)


def change_phrase(words: Words, result: TreeResult, node: Node) -> str:
    """What happens to the gap from one model to the other, and Δ with its interval."""
    told = delta_phrase(words, result, node)
    models = [literal(name) for name in result.models]
    rates = [_rates(result, node, place) for place in range(1, len(models) + 1)]
    known = [[one for one in row if one is not None] for row in rates]
    if any(len(row) < len(result.levels) for row in known):
        return told
    if is_spread(result):
        sizes = [_deviation(result, row) for row in known]
        if len(models) < 2:
            return f"the standard deviation of the groups' rates is {sizes[0]}; {told}"
        return f"the standard deviation of the groups' rates goes from {sizes[0]} with {models[0]} to {sizes[1]} with {models[1]}; {told}"
    if len(models) < 2:
        return told
    first, second = (high - low for low, high in known)
    return f"the gap goes from {delta_text(result, first)} with {models[0]} to {with_unit(result, second)} with {models[1]}; {told}"


def delta_phrase(words: Words, result: TreeResult, node: Node) -> str:
    """Δ with its interval: "Δ is +12.3 points (95 % interval +6.1 to +18.4)"."""
    if node.delta is None:
        return "Δ is undefined"
    ends = interval(result, node)
    return f"Δ is {with_unit(result, node.delta)}" + (f" ({words.level_name()} {ends})" if ends else "")


def delta_text(result: TreeResult, value: float) -> str:
    """Δ with its sign: points; the score's own unit; or squared points where it is a difference of variances."""
    return _signed(result, value, _least(result))


def interval(result: TreeResult, node: Node) -> str:
    """The interval of a node's Δ, both ends with the same digits; empty where it has none."""
    if node.low is None or node.high is None:
        return ""
    digits = max(_decimals(_signed(result, end, _least(result))) for end in (node.low, node.high))
    return f"{_signed(result, node.low, digits)} to {_signed(result, node.high, digits)}"


def with_unit(result: TreeResult, value: float | None) -> str:
    """Δ with its sign and its unit; "undefined" where there is none."""
    return fmt.UNDEFINED if value is None else f"{delta_text(result, value)}{unit(result)}"


def size_text(result: TreeResult, value: float) -> str:
    """The size of a difference of two Δ, with its unit, without a sign."""
    if result.rate == "score":
        return fmt.plain(value)
    return fmt.number(value * 10_000, 1) + SQUARED_POINTS if is_spread(result) else fmt.points(value, 1)


def unit(result: TreeResult) -> str:
    """The unit after a Δ; a score has none."""
    if result.rate == "score":
        return ""
    return SQUARED_POINTS if is_spread(result) else f"{fmt.NBSP}points"


def rate_text(result: TreeResult, rate: Rate) -> str:
    """One rate of a node."""
    if rate.rate is None:
        return fmt.UNDEFINED
    return fmt.number(rate.rate, 3) if result.rate == "score" else fmt.percent(rate.rate, 1)


def _least(result: TreeResult) -> int:
    return 4 if result.rate == "score" else 1


def _signed(result: TreeResult, value: float, digits: int) -> str:
    if result.rate == "score":
        return fmt.signed(fmt.number(value, digits), value)
    if is_spread(result):
        return fmt.signed(fmt.number(value * 10_000, digits), value)
    return fmt.signed_points(value, digits)


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


def _rates(result: TreeResult, node: Node, model: int) -> list[float | None]:
    found = (node.rates.get(f"m{model}_a{level}") for level in range(1, len(result.levels) + 1))
    return [None if rate is None else rate.rate for rate in found]


def _deviation(result: TreeResult, rates: list[float]) -> str:
    mean = sum(rates) / len(rates)
    value = math.sqrt(sum((rate - mean) ** 2 for rate in rates) / len(rates))
    return fmt.number(value, 4) if result.rate == "score" else fmt.points(value, 1)
