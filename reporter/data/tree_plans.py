"""Which Δ trees a config asks for, over what was counted: one or several for each entry of ``trees``. No engine and no rows.

The run that counts and the assembly of a report (or its replay) grow the same trees: equal specs, equal random numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from reporter.config.schema import Config, TreeConfig
from reporter.errors import ConfigError, Problem
from reporter.stats.delta_counts import Covariate
from reporter.stats.delta_pairs import Pairing, pairings
from reporter.stats.delta_spec import TreeSpec


@dataclass(frozen=True, slots=True)
class TreePlan:
    """One tree: entry ``index`` of the config's trees, its title, what to grow and what must be said of it."""

    index: int
    number: int
    name: str
    attribute: str
    spec: TreeSpec
    notes: tuple[str, ...]
    seed: int

    def rng(self) -> np.random.Generator:
        """The random numbers of this tree, the same at each call."""
        return np.random.default_rng([self.seed, self.index, self.number])


def tree_plans(facts: Mapping[str, Any], config: Config) -> tuple[TreePlan, ...]:
    """Every tree of the config, in order; ``facts`` are those of the counts.

    Raises
    ------
    ConfigError
        A combination that cannot be grown, with the key of the tree.
    """
    found: list[TreePlan] = []
    problems: list[Problem] = []
    for index, (tree, counted) in enumerate(zip(config.trees, facts["trees"], strict=True)):
        try:
            found += _plans(index, tree, counted, config)
        except ConfigError as error:
            problems += [
                Problem(one.message, hint=one.hint, key=f"trees[{index}].{one.key}" if one.key else f"trees[{index}]")
                for one in error.problems
            ]
    if problems:
        raise ConfigError(*problems)
    return tuple(found)


def covariates_of(counted: Mapping[str, Any]) -> tuple[Covariate, ...]:
    """The covariates of one entry of ``facts["trees"]``."""
    return tuple(
        Covariate(one["name"], one["kind"], levels=tuple(one["levels"]), values=tuple(one["values"]))
        for one in counted["covariates"]
    )


def _plans(index: int, tree: TreeConfig, counted: Mapping[str, Any], config: Config) -> list[TreePlan]:
    wanted = pairings(tuple(counted["labels"]), tree.pairs)
    return [
        TreePlan(
            index=index,
            number=number,
            name=_name(tree, pairing, len(wanted)),
            attribute=tree.attribute,
            spec=_spec(tree, pairing, covariates_of(counted), config),
            notes=tuple(counted["notes"]),
            seed=config.seed,
        )
        for number, pairing in enumerate(wanted)
    ]


def _name(tree: TreeConfig, pairing: Pairing, n_trees: int) -> str:
    title = tree.name or f"{tree.rate}, {tree.attribute}"
    return title if n_trees == 1 and tree.name else f"{title}: {', '.join(pairing.levels)}"


def _spec(tree: TreeConfig, pairing: Pairing, covariates: tuple[Covariate, ...], config: Config) -> TreeSpec:
    return TreeSpec(
        levels=pairing.levels,
        groups=pairing.groups,
        contrast=pairing.contrast,
        models=tree.pair,
        covariates=covariates,
        rate=tree.rate,
        test=tree.test,
        parameters=tree.parameters,
        alpha=tree.alpha,
        adjust=tree.adjust,
        min_size=tree.min_size,
        max_depth=tree.max_depth,
        min_difference=tree.min_difference,
        honest=tree.honest,
        confidence=config.confidence,
    )
