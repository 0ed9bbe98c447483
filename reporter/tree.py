"""A Δ tree as data: nodes with their rates, tests and splits, without rows and without knowing how it was grown or is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate in a node with its denominator ``n`` (rows of that attribute level in the rate's condition)."""

    rate: float | None
    n: int


@dataclass(frozen=True, slots=True)
class NodeTest:
    """The test of one covariate in one node. ``reason`` says why it could not be tested."""

    statistic: float | None
    df: float | None
    p: float | None
    log_p: float | None
    p_adjusted: float | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """How a node was divided: ``levels_left`` (categories) or ``threshold`` (left is <=); ``followed`` names levels that were too thin to test and follow the larger child."""

    covariate: str
    levels_left: tuple[str, ...] | None = None
    levels_right: tuple[str, ...] | None = None
    threshold: float | None = None
    followed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One node; ``reason`` says why it was not split further. Children are empty or (left, right)."""

    id: int
    n: int
    delta: float | None
    low: float | None
    high: float | None
    rates: dict[str, Rate]
    base_rates: dict[str, Rate]
    tests: dict[str, NodeTest] = field(default_factory=dict)
    split: Split | None = None
    reason: str | None = None
    children: tuple[Node, ...] = ()
    path: str = ""


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of nodes. ``n_dropped`` rows were left out because a covariate was missing (score mode); nothing is dropped silently."""

    root: Node
    n_dropped: int = 0
    notes: tuple[str, ...] = ()

    def nodes(self) -> Iterator[Node]:
        """All nodes, depth first."""
        stack = [self.root]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def leaves(self) -> pd.DataFrame:
        """One row per leaf: id, path, n, delta, low, high, the four rates and the base rates."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """The tree as nested dictionaries of plain values."""
        raise NotImplementedError
