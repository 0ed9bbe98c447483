"""What keeps the trees of a config from being grown, at its place in the config and before anything large is counted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from reporter.data.tree_plans import tree_plans
from reporter.errors import ConfigError, Problem

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig


def plan_problems(described: Sequence[dict[str, Any]], loaded: LoadedConfig) -> list[Problem]:
    """The options, levels and covariates of every tree, held against each other; ``described`` are the facts of the trees."""
    try:
        tree_plans({"trees": described}, loaded.config)
    except ConfigError as error:
        return [loaded.problem(one.key or "trees", one.message, one.hint) for one in error.problems]
    return []


def no_halves(loaded: LoadedConfig, index: int) -> Problem:
    """An honest tree over more cells than are kept."""
    return loaded.problem(
        f"trees[{index}].honest",
        "halves are drawn from the cells of all covariates, of which these have too many for this data source",
        "Use honest: false, fewer covariates, or ordered levels instead of numbers",
    )
