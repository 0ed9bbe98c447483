"""Size and power of the tests of instability, by simulation: the default (wald) beside the published one (score).

    python tests/benchmarks/delta_tree_size_power.py [--draws 4000] [--jobs 2] [--seed 20261130]

Every draw is a random table of counts; the shipped tests run on it. ``rejects`` is the share of draws with p <= 0.05
among those where the test is possible, ``no test`` the share where it is not. Ends with 1 if wald rejects a true
hypothesis (Δ is constant) in more than 0.07 plus two Monte-Carlo standard errors of the draws of any scenario.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.stats.instability import Test
from reporter.stats.instability_score import levels_test, node_scores, suplm_test
from reporter.stats.instability_wald import (
    Bins,
    difference_effects,
    homogeneity_test,
    joined_bins,
    largest_contrast_test,
    ordered_contrasts,
)

ALPHA = 0.05
LIMIT = 0.07
SIZES = (300, 2_000, 20_000)
Z = np.array([1.0, -1.0, 0.0])


@dataclass(frozen=True)
class Scenario:
    """What the levels look like. ``disagreement`` is the models' rate of disagreement eta+; ``step`` the difference of Δ
    between the lower and the upper half of the levels; ``balanced`` moves both attribute levels by half of it in opposite
    directions, else the second moves alone."""

    name: str
    n: int
    n_levels: int
    numeric: bool = False
    correlated: bool = False
    disagreement: float = 0.3
    varying: str = ""
    step: float = 0.0
    balanced: bool = False

    def probabilities(self) -> NDArray[np.float64]:
        """Of (level, attribute level, z = 1, -1, 0); they add up to 1."""
        place = np.linspace(-1, 1, self.n_levels)
        # unordered levels: high and low ones alternate
        wave = place if self.numeric else place * np.where(np.arange(self.n_levels) % 2, 1, -1)
        if self.n_levels == 2:
            wave = place
        eta_plus = self.disagreement * (1 + 0.5 * wave * (self.varying == "eta+"))
        eta_minus = self.disagreement * 0.5 * wave * (self.varying == "eta-")
        upper = (place > 0) if self.numeric else (wave > 0)
        delta = self.disagreement * 0.1 + self.step * (upper - 0.5)
        result = np.zeros((self.n_levels, 2, 3))
        for a in (0, 1):
            plus = eta_plus * (1 + 0.1 * a)
            minus = eta_minus + a * delta - self.balanced * self.step * (upper - 0.5) / 2
            result[:, a, 0], result[:, a, 1] = (plus + minus) / 2, (plus - minus) / 2
        result[..., 2] = 1 - result.sum(axis=-1)
        assert (result >= 0).all()
        second = 0.5 + 0.3 * place * self.correlated
        return result * np.stack([1 - second, second], axis=1)[..., None] / self.n_levels


def scenarios() -> Iterator[Scenario]:
    """All of them: first those with a constant Δ."""
    kinds = [(2, False), (4, False), (16, False), (8, True), (16, True)]
    for (n_levels, numeric), n in itertools.product(kinds, SIZES):
        for name, varying in (("theta constant", ""), ("eta+ varies", "eta+"), ("eta- varies", "eta-")):
            for correlated in (False, True):
                yield Scenario(name, n, n_levels, numeric, correlated, varying=varying)
        for disagreement in (0.02, 0.01):
            for varying in ("", "eta-"):
                name = f"{disagreement:.0%} disagree" + (", eta- varies" if varying else "")
                yield Scenario(name, n, n_levels, numeric, bool(varying), disagreement, varying)
    for (n_levels, numeric), n in itertools.product(kinds, SIZES):
        step = min(6 / math.sqrt(n), 0.25)
        yield Scenario("Δ differs, balanced", n, n_levels, numeric, step=step, balanced=True)
        yield Scenario("Δ differs at a2", n, n_levels, numeric, step=step)
        yield Scenario("Δ differs, mix too", n, n_levels, numeric, True, step=step, balanced=True)
        yield Scenario("Δ, eta- and mix", n, n_levels, numeric, True, varying="eta-", step=step)


@dataclass(frozen=True)
class Result:
    """Shares of draws."""

    wald: float
    untestable: float
    score: float
    score_untestable: float
    n_testable: int


def simulate(scenario: Scenario, draws: int, seed: int) -> Result:
    """Run both tests on ``draws`` tables."""
    rng = np.random.default_rng(seed)
    chance = scenario.probabilities()
    tables = rng.multinomial(scenario.n, chance.ravel(), size=draws).reshape(draws, *chance.shape)
    wald = [wald_rejects(table, scenario.numeric) for table in tables]
    score = [score_rejects(table, scenario.numeric) for table in tables]
    possible = [one for one in wald if one is not None]
    scored = [one for one in score if one is not None]
    return Result(
        wald=sum(possible) / len(possible) if possible else math.nan,
        untestable=1 - len(possible) / draws,
        score=sum(scored) / len(scored) if scored else math.nan,
        score_untestable=1 - len(scored) / draws,
        n_testable=len(possible),
    )


def wald_rejects(table: NDArray[np.int64], numeric: bool) -> bool | None:
    """None where the test is not possible."""
    n = table.sum(axis=-1)
    totals = table.sum(axis=0)
    varying = (totals.sum(axis=-1) - totals.max(axis=-1)) / np.maximum(totals.sum(axis=-1), 1)
    effects = difference_effects(n, table @ Z, table @ Z**2, varying)
    bins = joined_bins(effects, ordered=numeric)
    if not numeric:
        return rejects(homogeneity_test(effects, bins))
    sure = decided(bins)
    return rejects(largest_contrast_test(effects, bins, 50)) if sure is None else sure


def decided(bins: Bins, min_size: int = 50) -> bool | None:
    """Whether the largest contrast is so large or small that bounds of its p-value decide; None if they do not."""
    if len(bins.members) < 2:
        return None
    rows = np.cumsum(bins.rows)[:-1]
    admissible = (rows >= min_size) & (bins.rows.sum() - rows >= min_size)
    if not admissible.any():
        return None
    largest = np.abs(ordered_contrasts(bins.delta, bins.variance)[0][admissible]).max()
    one_cut = math.erfc(largest / math.sqrt(2))
    if one_cut > ALPHA:
        return False
    return True if one_cut * admissible.sum() <= ALPHA else None


def score_rejects(table: NDArray[np.int64], numeric: bool) -> bool | None:
    """None where the test is not possible."""
    scores = node_scores(table.sum(axis=0), "delta")
    if numeric:
        return rejects(suplm_test(scores, table, min_size=50, trim=0.1))
    return rejects(levels_test(scores, table))


def rejects(test: Test) -> bool | None:
    """Whether p <= alpha."""
    return None if test.p is None else test.p <= ALPHA


def main() -> int:
    """Print the table; 1 if a size is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    begin = time.perf_counter()
    todo = list(scenarios())
    seeds = range(options.seed, options.seed + len(todo))
    failures = 0
    worst: dict[str, list[float]] = {"wald": [], "score": []}
    print(f"{'scenario':26}{'K':>4} {'kind':12}{'mix':12}{'n':>7} | wald rejects, no test | score rejects, no test")
    with ProcessPoolExecutor(options.jobs) as pool:
        found = pool.map(simulate, todo, itertools.repeat(options.draws), seeds)
        for scenario, result in zip(todo, found, strict=True):
            limit = LIMIT + 2 * math.sqrt(LIMIT * (1 - LIMIT) / max(result.n_testable, 1))
            null = scenario.step == 0
            bad = null and result.n_testable > 0 and result.wald > limit
            failures += bad
            if null:
                worst["wald"] += [result.wald] if result.n_testable >= options.draws / 2 else []
                worst["score"] += [] if math.isnan(result.score) else [result.score]
            print(
                f"{scenario.name:26}{scenario.n_levels:>4} {'numeric' if scenario.numeric else 'categorical':12}"
                f"{'correlated' if scenario.correlated else 'independent':12}{scenario.n:>7} |"
                f"{result.wald:>13.3f}{result.untestable:>9.3f} |{result.score:>14.3f}{result.score_untestable:>9.3f}"
                f"{'  ABOVE ' + format(limit, '.3f') if bad else ''}",
                flush=True,
            )
    for test, sizes in worst.items():
        print(f"{test}: rejection where Δ is constant {min(sizes):.3f} to {max(sizes):.3f} over {len(sizes)} scenarios")
    print(f"{len(todo)} scenarios, {options.draws} draws each, {time.perf_counter() - begin:.0f} s")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
