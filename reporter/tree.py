"""A Δ tree as data: nodes with their rates, tests and splits, without rows and without knowing how it was grown or is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

NEVER_DISAGREE = "the two models never disagree here: Δ is 0"
"""The ``reason`` of a node without any disagreement."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A rate in a node with its denominator ``n`` (rows of that attribute level in the rate's condition)."""

    rate: float | None
    n: int


@dataclass(frozen=True, slots=True)
class NodeTest:
    """The test of one covariate in one node. ``reason`` says why it could not be tested; ``left_out`` names levels that
    were too thin to take part in it."""

    statistic: float | None
    df: float | None
    p: float | None
    log_p: float | None
    p_adjusted: float | None
    reason: str | None = None
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Split:
    """How a node was divided: ``levels_left`` and ``levels_right`` (categories that occur in the node; ordered: all up to the cut, and all
    above) or ``threshold`` (left is <=); ``followed`` names levels (or missing values) that could not be tested and follow the larger child."""

    covariate: str
    levels_left: tuple[str, ...] | None = None
    levels_right: tuple[str, ...] | None = None
    threshold: float | None = None
    followed: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """``covariate`` with ``threshold``, or with ``levels_left`` and ``levels_right``; ``followed`` if any."""
        result: dict[str, Any] = {"covariate": self.covariate}
        if self.levels_left is None:
            result["threshold"] = self.threshold
        else:
            result["levels_left"] = list(self.levels_left)
            result["levels_right"] = list(self.levels_right or ())
        if self.followed:
            result["followed"] = list(self.followed)
        return result


@dataclass(frozen=True, slots=True)
class Condition:
    """What the way to a node says of one covariate: the ``levels`` that remain (categories), or ``above`` < value <= ``upto``.

    The ends are numbers, or labels of levels that have an order; None where the interval is open. ``missing``: rows without a
    value belong to the interval too. ``followed`` are those of the levels that could not be tested and only follow the larger side,
    ``occurring`` the labels in an interval of ordered levels that occur in the node.
    """

    covariate: str
    levels: tuple[str, ...] | None = None
    above: float | str | None = None
    upto: float | str | None = None
    missing: bool = False
    followed: tuple[str, ...] = ()
    occurring: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Node:
    """One node; ``reason`` says why it was not split further. Children are empty or (left, right).

    ``n`` counts rows in the rate's condition. ``rates`` has the keys ``m1_a1``, ``m1_a2``, ``m2_a1``, ``m2_a2`` (model,
    attribute level), ``base_rates`` ``a1`` and ``a2``; ``delta`` lies in ``[low, high]``. ``conditions`` lead to the node, one a
    covariate; ``path`` is their text.
    """

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
    conditions: tuple[Condition, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """The node and all below it as plain values."""
        return {
            "id": self.id,
            "n": self.n,
            "delta": self.delta,
            "low": self.low,
            "high": self.high,
            "rates": {name: {"rate": rate.rate, "n": rate.n} for name, rate in self.rates.items()},
            "base_rates": {name: {"rate": rate.rate, "n": rate.n} for name, rate in self.base_rates.items()},
            "tests": {name: _test_dict(test) for name, test in self.tests.items()},
            "split": self.split.to_dict() if self.split else None,
            "reason": self.reason,
            "children": [child.to_dict() for child in self.children],
        }


def _test_dict(test: NodeTest) -> dict[str, Any]:
    result: dict[str, Any] = {
        "statistic": test.statistic,
        "df": test.df,
        "p": test.p,
        "log_p": test.log_p,
        "p_adjusted": test.p_adjusted,
        "reason": test.reason,
    }
    return {**result, "left_out": list(test.left_out)} if test.left_out else result


@dataclass(frozen=True, slots=True)
class Tree:
    """A tree of nodes. ``n_dropped`` rows were left out because a covariate was missing (score mode); nothing is dropped
    silently.

    Examples
    --------
    >>> rates = {name: Rate(0.5, 10) for name in ("m1_a1", "m1_a2", "m2_a1", "m2_a2")}
    >>> tree = Tree(Node(1, 20, 0.0, -0.1, 0.1, rates, {"a1": Rate(None, 0), "a2": Rate(None, 0)}, reason="20 rows"))
    >>> tree.leaves()[["id", "n", "delta", "m2_a1"]].values.tolist()
    [[1.0, 20.0, 0.0, 0.5]]
    >>> tree.to_dict()["children"]
    []
    """

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
        """One row per leaf, depth first: id, path, n, delta, low, high, the rates and the base rates (NaN: undefined)."""
        import pandas as pd

        figures = ["delta", "low", "high", *self.root.rates, *(f"base_rate_{name}" for name in self.root.base_rates)]
        rows = [
            {
                "id": node.id,
                "path": node.path,
                "n": node.n,
                "delta": node.delta,
                "low": node.low,
                "high": node.high,
                **{name: rate.rate for name, rate in node.rates.items()},
                **{f"base_rate_{name}": rate.rate for name, rate in node.base_rates.items()},
            }
            for node in self.nodes()
            if not node.children
        ]
        return pd.DataFrame(rows).astype(dict.fromkeys(figures, float))

    def to_dict(self) -> dict[str, Any]:
        """The root and all below it as nested dictionaries of plain values: ``id`` (1, then depth first), ``n``, ``delta``,
        ``low``, ``high``, ``rates``, ``base_rates``, ``tests``, ``split``, ``reason``, ``children``."""
        return self.root.to_dict()
