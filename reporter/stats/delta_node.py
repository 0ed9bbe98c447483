"""The figures of a node: Δ with its interval, the rates it is made of, and the base rates."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from reporter.stats.delta_rates import Table, event_rates, labels, moments, outcomes, sizes
from reporter.stats.delta_spec import TreeSpec
from reporter.stats.delta_spread import spread
from reporter.tree import Rate


@dataclass(frozen=True, slots=True)
class Figures:
    """A node's figures. ``reason`` says why Δ is undefined."""

    n: int
    delta: float | None
    low: float | None
    high: float | None
    rates: dict[str, Rate]
    base_rates: dict[str, Rate]
    reason: str | None = None


def node_figures(table: Table, spec: TreeSpec) -> Figures:
    """The figures from a node's table (levels of the attribute, ...) over all covariates.

    Δ = mean(z | a2) - mean(z | a1), with the normal interval Δ ± q sqrt(sum over a of var(z | a) / n_a): the two models
    are paired on their rows, the two attribute levels independent. Where z never varies at an attribute level its
    variance is not taken as 0: one row is added in each of two directions, p = 1 / (n + 2) each. Undefined where an
    attribute level has no row in the rate's condition.
    """
    outcome = outcomes(table, spec.rate)
    n = sizes(outcome, spec.rate)
    rates = {}
    values = event_rates(outcome, spec.rate)
    for model in range(len(spec.models)):
        for level in range(len(spec.levels)):
            size = int(n[level])
            rates[f"m{model + 1}_a{level + 1}"] = Rate(float(values[level, model]) if size else None, size)
    by_label = labels(table, spec.rate)
    base_rates = {}
    for level in range(len(spec.levels)):
        labelled = int(by_label[level, :2].sum())
        base_rates[f"a{level + 1}"] = Rate(int(by_label[level, 1]) / labelled if labelled else None, labelled)
    total = int(n.sum())
    empty = [spec.levels[level] for level in np.flatnonzero(n == 0)]
    if empty:
        reason = f"Δ is undefined: no row of {' and '.join(empty)}"
        return Figures(total, None, None, None, rates, base_rates, reason)
    if spec.contrast == "spread":
        found = spread(outcome)
        assert found is not None  # no group is empty
        delta, variance = found
    else:
        z, zz = moments(outcome, spec.rate)
        mean = z / n
        spread_of_z = np.maximum(zz / n - mean**2, 0)
        spread_of_z = np.where(spread_of_z > 0, spread_of_z, 2 / (n + 2))
        delta, variance = float(mean[1] - mean[0]), float((spread_of_z / n).sum())
    margin = float(special.ndtri((1 + spec.confidence) / 2)) * math.sqrt(variance)
    return Figures(total, delta, delta - margin, delta + margin, rates, base_rates)
