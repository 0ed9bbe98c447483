"""A Δ tree that is being grown: its drafts of nodes, how they are pruned, and how they become the tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from reporter.stats.delta_counts import Counter, Covariate, Region
from reporter.stats.delta_node import Figures, node_figures
from reporter.stats.delta_paths import path_text
from reporter.stats.delta_rates import Table, grouped, outcomes, sizes
from reporter.stats.delta_spec import TreeSpec
from reporter.tree import Condition, Node, NodeTest, Split, Tree


@dataclass(slots=True)
class Draft:
    """A node that is being grown; ``table`` is its count table over all covariates."""

    region: Region
    table: Table
    figures: Figures
    conditions: tuple[Condition, ...] = ()
    tests: dict[str, NodeTest] = field(default_factory=dict)
    split: Split | None = None
    reason: str | None = None
    children: tuple[Draft, ...] = ()


def pruned(draft: Draft, spec: TreeSpec) -> bool:
    """Join siblings with nearly the same Δ, from the leaves up; True if any were joined."""
    if not draft.children:
        return False
    joined = [pruned(child, spec) for child in draft.children]
    left, right = draft.children
    if left.children or right.children or left.figures.delta is None or right.figures.delta is None:
        return any(joined)
    if abs(left.figures.delta - right.figures.delta) >= spec.min_difference:
        return any(joined)
    draft.children, draft.split = (), None
    draft.reason = f"its two sides' Δ differ by less than min_difference = {spec.min_difference:g}"
    return True


def frozen(root: Draft, spec: TreeSpec, estimating: Counter | None, n_dropped: int) -> Tree:
    """The tree as data; with ``estimating`` all figures come from that half."""
    notes: list[str] = []
    tables: dict[int, Table] = {}
    if estimating is not None:
        leaves = _leaves(root)
        found = totals(estimating, [leaf.region for leaf in leaves], spec.covariates[0], spec)
        tables = {id(leaf): table for leaf, table in zip(leaves, found, strict=True)}
        n_estimating = sum(size_of(table, spec) for table in tables.values())
        notes.append(
            f"Splits were found on a random half ({root.figures.n:,} rows); all figures come from the other half "
            f"({n_estimating:,} rows)."
        )
    number = iter(range(1, 1 << 62))

    def freeze(draft: Draft) -> tuple[Node, Table]:
        own = next(number)
        children = [freeze(child) for child in draft.children]
        table, figures, reason = draft.table, draft.figures, draft.reason
        if estimating is not None:
            table = children[0][1] + children[1][1] if children else tables[id(draft)]
            figures = node_figures(table, spec)
            reason = reason if figures.reason is None else figures.reason
        node = Node(
            id=own,
            n=figures.n,
            delta=figures.delta,
            low=figures.low,
            high=figures.high,
            rates=figures.rates,
            base_rates=figures.base_rates,
            tests=draft.tests,
            split=draft.split,
            reason=reason,
            children=tuple(child for child, _ in children),
            path=path_text(draft.conditions),
            conditions=draft.conditions,
        )
        return node, table

    return Tree(root=freeze(root)[0], n_dropped=n_dropped, notes=tuple(notes))


def _leaves(draft: Draft) -> list[Draft]:
    if not draft.children:
        return [draft]
    return [leaf for child in draft.children for leaf in _leaves(child)]


def totals(counter: Counter, regions: Sequence[Region], covariate: Covariate, spec: TreeSpec) -> Table:
    """The tables of regions over all levels of a covariate, with the attribute's codes joined to levels."""
    table = counter.tables(regions, [covariate])[0].sum(axis=1)
    return grouped(table, spec.attribute_codes, axis=1)


def size_of(table: Table, spec: TreeSpec) -> int:
    """The rows in the rate's condition."""
    return int(sizes(outcomes(table, spec.rate), spec.rate).sum())
