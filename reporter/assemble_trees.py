"""Counts to Δ trees: every tree of the config, grown from what was stored. Sees no rows, files or clock.

Equal counts and configs give equal trees: the random numbers of a tree come from the config's seed, the place of its entry and of its pair of levels.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from reporter.config.schema import Config
from reporter.data.counts import Counts
from reporter.data.tree_plans import TreePlan, tree_plans
from reporter.data.tree_views import tree_counter
from reporter.results import TreeResult
from reporter.stats.delta_counts import Counter
from reporter.stats.delta_rates import labels
from reporter.stats.delta_tree import grow
from reporter.tree import Tree

NEEDS_LABEL = ("fpr", "fnr", "accuracy")


def tree_results(counts: Counts, config: Config) -> tuple[TreeResult, ...]:
    """The trees in the order of the config, one for each pair of levels.

    Raises
    ------
    ConfigError
        A tree that cannot be grown over these levels and covariates, with its key.
    """
    if not config.trees:
        return ()
    counters = [tree_counter(counts, index) for index in range(len(config.trees))]
    return tuple(
        _grown(plan, counters[plan.index], counts.facts["trees"][plan.index])
        for plan in tree_plans(counts.facts, config)
    )


def _grown(plan: TreePlan, counter: Counter, facts: dict[str, Any]) -> TreeResult:
    grown = grow(counter, plan.spec, plan.rng())
    spec = plan.spec
    return TreeResult(
        name=plan.name,
        models=spec.models,
        attribute=plan.attribute,
        levels=spec.levels,
        rate=spec.rate,
        test=spec.test,
        parameters=spec.parameters,
        alpha=spec.alpha,
        adjust=spec.adjust,
        min_size=spec.min_size,
        max_depth=spec.max_depth,
        min_difference=spec.min_difference,
        honest=spec.honest,
        split_on=tuple(covariate.name for covariate in spec.covariates),
        tree=grown.tree,
        unpruned=grown.unpruned if _n_nodes(grown.unpruned) > _n_nodes(grown.tree) else None,
        notes=(*plan.notes, *_left_out(plan, counter, facts)),
        contrast=spec.contrast,
    )


def _n_nodes(tree: Tree) -> int:
    return sum(1 for _ in tree.nodes())


def _left_out(plan: TreePlan, counter: Counter, facts: dict[str, Any]) -> Iterator[str]:
    """The rows that this tree does not count: of other groups, without a prediction, without a label where the rate needs one."""
    spec = plan.spec
    table = counter.tables([()], spec.covariates[:1])[0]
    rows = labels(table, spec.rate).sum(axis=(0, 1))
    inside = sorted(code for group in spec.attribute_codes for code in group)
    unpredicted = facts["left_out"]["unpredicted"]
    outside = [code for code in range(len(rows)) if code not in inside]
    other = facts["left_out"]["other"] + sum(int(rows[code].sum()) + unpredicted[code] for code in outside)
    if other:
        levels = ", ".join(facts["labels"][code] for code in inside)
        yield f"{_rows(other, 'has', 'have')} another value of {plan.attribute} than {levels}, or none: left out."
    lacking = sum(unpredicted[code] for code in inside)
    if lacking:
        yield f"{_rows(lacking, 'lacks', 'lack')} a prediction of {' or '.join(spec.models)}: left out."
    unlabelled = int(rows[inside, 2].sum()) if spec.rate in NEEDS_LABEL else 0
    if unlabelled:
        yield f"{_rows(unlabelled, 'has', 'have')} no label: left out."


def _rows(n: int, one: str, several: str) -> str:
    return f"1 row {one}" if n == 1 else f"{n:,} rows {several}"
