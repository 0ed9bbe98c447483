"""The tables of a Δ tree: its leaves with their rates, and the test of each covariate in each node."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.document import Cell, Column, Row, Severity, Table
from reporter.render.tables import count_cell
from reporter.render.wording import Words, capital, literal, unbroken
from reporter.render.wording_tree_paths import named, path_words
from reporter.render.wording_tree_reasons import end_note, leaf_end, test_reason
from reporter.render.wording_tree_terms import (
    group_names,
    interval,
    is_spread,
    rate_text,
    rate_title,
    whole,
    with_unit,
)
from reporter.render.wording_trees import sign_mark
from reporter.results import TreeResult
from reporter.tree import Node, Rate

SHOWN_FROM = 0.01
"""A smaller statistic is nothing, whatever its digits."""


def leaf_table(words: Words, result: TreeResult, root: Node, leaves: list[Node], table_id: str) -> Table:
    """The overall row and one row a leaf: n, Δ, each rate and base rate with its denominator."""
    columns = [
        Column("path", "Subgroup"),
        Column("n", "n", "number"),
        Column("delta", "Δ", "number", f"with its {words.level_name()}"),
    ]
    columns += _rate_columns(result, leaves)
    rows = [Row(_cells(words, result, root, "overall", whole(words, result), leaves))]
    title = f"{capital(rate_title(words, result))} and Δ"
    if len(leaves) == 1:
        return Table(table_id, f"{title}: overall", tuple(columns), tuple(rows))
    rows += [
        Row(
            _cells(words, result, leaf, path_words(leaf), _remark(words, result, root, leaf), leaves), _flag(root, leaf)
        )
        for leaf in leaves
    ]
    largest = f"the largest {'change' if len(result.models) > 1 else 'spread' if is_spread(result) else 'gap'} first"
    caption = f"{title}: overall and in each subgroup, {largest}"
    return Table(table_id, caption, tuple(columns), tuple(rows), note=end_note(result, leaves))


def _rate_columns(result: TreeResult, leaves: list[Node]) -> list[Column]:
    levels = group_names(result)
    models = [literal(name) for name in result.models]
    if is_spread(result):
        columns = [Column(f"m{place}", f"{name}, lowest to highest", "number") for place, name in enumerate(models, 1)]
        return [*columns, *([Column("base", "base rate, lowest to highest", "number")] if _has_base(leaves) else [])]
    columns = [
        Column(f"m{model}_a{level}", f"{name}, {levels[level - 1]}", "number")
        for model, name in enumerate(models, 1)
        for level in range(1, len(levels) + 1)
    ]
    if _has_base(leaves):
        columns += [Column(f"base-a{level}", f"base rate, {name}", "number") for level, name in enumerate(levels, 1)]
    return columns


def _has_base(leaves: list[Node]) -> bool:
    return any(leaf.base_rates for leaf in leaves)


def _flag(root: Node, leaf: Node) -> Severity | None:
    return "warn" if sign_mark(root, leaf)[1] == "warn" else None


def _remark(words: Words, result: TreeResult, root: Node, leaf: Node) -> str:
    """What stands under a leaf: its sign against the overall one, and why it was not divided."""
    return "\n".join(part for part in (sign_mark(root, leaf)[0].lower(), leaf_end(words, result, leaf)) if part)


def _cells(
    words: Words, result: TreeResult, node: Node, name: str, remark: str, leaves: list[Node]
) -> tuple[Cell, ...]:
    cells = [Cell(name, remark), count_cell(node.n)]
    cells.append(Cell(with_unit(result, node.delta), unbroken(interval(result, node)), node.delta))
    places = range(1, len(result.levels) + 1)
    per_model = [
        [node.rates.get(f"m{model}_a{level}") for level in places] for model in range(1, len(result.models) + 1)
    ]
    base = [[node.base_rates.get(f"a{level}") for level in places]] if _has_base(leaves) else []
    if is_spread(result):
        cells += [_range_cell(result, rates) for rates in per_model]
        cells += [_range_cell(result, rates, base=True) for rates in base]
    else:
        cells += [_rate_cell(result, rate) for rates in per_model for rate in rates]
        cells += [_rate_cell(result, rate, base=True) for rates in base for rate in rates]
    return tuple(cells)


def _written(result: TreeResult, rate: Rate, *, base: bool) -> str:
    if base:
        return fmt.UNDEFINED if rate.rate is None else fmt.percent(rate.rate, 1)
    return rate_text(result, rate)


def _rate_cell(result: TreeResult, rate: Rate | None, *, base: bool = False) -> Cell:
    if rate is None:
        return Cell("none")
    return Cell(_written(result, rate, base=base), unbroken(f"n = {fmt.count(rate.n)}"), rate.rate)


def _range_cell(result: TreeResult, rates: list[Rate | None], *, base: bool = False) -> Cell:
    """The rates of many levels in one cell: the range, and each level's rate under it."""
    known = [(rate, level) for rate, level in zip(rates, group_names(result), strict=True) if rate is not None]
    values = sorted((rate for rate, _ in known if rate.rate is not None), key=lambda rate: rate.rate or 0.0)
    if not values:
        return Cell(fmt.UNDEFINED, "no level has a rate")
    ends = f"{_written(result, values[0], base=base)} to {_written(result, values[-1], base=base)}"
    lines = [f"{level} {_written(result, rate, base=base)} (n = {fmt.count(rate.n)})" for rate, level in known]
    spread = (values[-1].rate or 0.0) - (values[0].rate or 0.0)
    return Cell(unbroken(ends), "\n".join(lines), spread)


def _statistic(value: float | None) -> Cell:
    if value is None:
        return Cell("none")
    return Cell(fmt.number(value, 2) if value == 0 or value >= SHOWN_FROM else f"<{fmt.NBSP}{SHOWN_FROM}", "", value)


def test_table(words: Words, result: TreeResult, table_id: str) -> Table:
    """One row a node and covariate, in the order of the config."""
    columns = (
        Column("node", "Node"),
        Column("covariate", "Covariate"),
        Column("statistic", "Statistic", "number"),
        Column("df", "df", "number"),
        Column("p", "p", "number"),
        Column("adjusted", "p, adjusted", "number"),
        Column("reason", "Note"),
    )
    rows = []
    for node in result.tree.nodes():
        for covariate, test in sorted(node.tests.items(), key=lambda item: _place(result, item[0])):
            note = test_reason(words, result, test.reason)
            if test.left_out:
                note = (
                    f"{note}; " * bool(note)
                    + f"too thin to take part: {', '.join(named(name) for name in test.left_out)}"
                )
            chosen = node.split is not None and node.split.covariate == covariate
            rows.append(
                Row(
                    (
                        Cell(f"{node.id}: {path_words(node)}", "", node.id),
                        Cell(literal(covariate), "split here" if chosen else ""),
                        _statistic(test.statistic),
                        Cell("" if test.df is None else fmt.plain(test.df), "", test.df),
                        Cell("none" if test.p is None else fmt.p_number(test.p), "", test.p),
                        Cell("none" if test.p_adjusted is None else fmt.p_number(test.p_adjusted), "", test.p_adjusted),
                        Cell(note),
                    )
                )
            )
    what = "Δ differs" if result.test == "wald" else "Δ or the disagreement of the models differs"
    return Table(
        table_id, f"Tests of whether {what} over a covariate, node by node", columns, tuple(rows), pdf_limit=30
    )


def _place(result: TreeResult, covariate: str) -> tuple[int, str]:
    known = result.split_on
    return (known.index(covariate) if covariate in known else len(known), covariate)
