"""Size and power of the tests of instability, by simulation: the default (wald) beside the published one (score).

    python tests/benchmarks/delta_tree_size_power.py [--draws 4000] [--jobs 2] [--seed 20261130]

Every draw is a random table of counts; the shipped tests run on it. ``rejects`` is the share of draws with p <= 0.05
among those where the test is possible, ``no test`` the share where it is not.

Where Δ differs, four shares are to be compared:

- ``wald`` and ``score`` at p <= 0.05;
- ``size`` of the score test in the nearest world with a constant Δ: same mix and disagreement, the means of z moved as
  little as makes the Δ of all levels equal. Where it is far from 0.05, the test's rejections are not evidence that Δ differs;
- ``fair`` power of the score test: at the largest cut-off of p with which it, too, rejects in at most 0.07 of the draws
  of every scenario of the same n and levels in which Δ is constant;
- ``bound``: the power that no test exceeds in large samples if it keeps 0.05 whatever eta- is. By the lemma of Neyman and Pearson,
  against the nearest world: Phi(sqrt(sum of (Δ_k - Δ_w)^2 / V_k) - 1.645), which only a one-sided test that is told the
  alternative reaches. For two levels wald is, in large samples, the most powerful unbiased test.

Ends with 1 if wald rejects a constant Δ in more than 0.07 plus two Monte-Carlo standard errors of the draws of any
scenario, or where both tests are possible and it has less power, beyond two standard errors, than the score test's fair one.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import special

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
LOG_ALPHA = math.log(ALPHA)
LIMIT = 0.07
SIZES = (300, 2_000, 20_000)
Z = np.array([1.0, -1.0, 0.0])
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Scenario:
    """What the levels look like. ``disagreement`` is the models' rate of disagreement eta+; ``step`` the difference of Δ
    between the lower and the upper half of the levels; ``balanced`` moves both attribute levels by half of it in opposite
    directions, else the second moves alone; ``nearest``: of all worlds with a constant Δ the one nearest to that."""

    name: str
    n: int
    n_levels: int
    numeric: bool = False
    correlated: bool = False
    disagreement: float = 0.3
    varying: str = ""
    step: float = 0.0
    balanced: bool = False
    nearest: bool = False

    @property
    def is_null(self) -> bool:
        """Whether Δ is the same in all levels."""
        return self.step == 0 or self.nearest

    @property
    def title(self) -> str:
        """The name as it is printed."""
        return f"nearest to: {self.name}" if self.nearest else self.name

    @property
    def kin(self) -> tuple[int, bool, int]:
        """Scenarios with the same levels and n."""
        return self.n_levels, self.numeric, self.n

    def probabilities(self) -> Floats:
        """Of (level, attribute level, z = 1, -1, 0); they add up to 1."""
        place = np.linspace(-1, 1, self.n_levels)
        # unordered levels: high and low ones alternate
        wave = place if self.numeric else place * np.where(np.arange(self.n_levels) % 2, 1, -1)
        if self.n_levels == 2:
            wave = place
        eta_plus = self.disagreement * (1 + 0.5 * wave * (self.varying == "eta+"))
        eta_minus = self.disagreement * {"eta-": 0.5, "eta- widely": 0.85}.get(self.varying, 0) * wave
        upper = (place > 0) if self.numeric else (wave > 0)
        delta = self.disagreement * 0.1 + self.step * (upper - 0.5)
        result = np.zeros((self.n_levels, 2, 3))
        for a in (0, 1):
            plus = eta_plus * (1 + 0.1 * a)
            minus = eta_minus + a * delta - self.balanced * self.step * (upper - 0.5) / 2
            result[:, a, 0], result[:, a, 1] = (plus + minus) / 2, (plus - minus) / 2
        result[..., 2] = 1 - result.sum(axis=-1)
        second = 0.5 + 0.3 * place * self.correlated
        share = np.stack([1 - second, second], axis=1) / self.n_levels
        if self.nearest:
            result = with_constant_delta(result, share)
        assert (result >= 0).all()
        return result * share[..., None]

    def bound(self) -> float:
        """The power that no test of size 0.05 for every eta- exceeds, in large samples."""
        joint = self.probabilities()
        share = joint.sum(axis=-1)
        deviation, variance = deviations(joint / share[..., None], share)
        distance = math.sqrt(self.n * (deviation**2 / variance.sum(axis=1)).sum())
        return float(special.ndtr(distance + special.ndtri(ALPHA)))


def deviations(chance: Floats, share: Floats) -> tuple[Floats, Floats]:
    """Per level Δ_k - Δ_w, and per level and attribute level the variance of the mean of z times n; ``chance`` of z, ``share`` of rows."""
    mean = chance @ Z
    variance = (chance @ Z**2 - mean**2) / share
    delta, weight = mean[:, 1] - mean[:, 0], 1 / variance.sum(axis=1)
    return delta - (weight * delta).sum() / weight.sum(), variance


def with_constant_delta(chance: Floats, share: Floats) -> Floats:
    """The nearest probabilities with Δ_w in every level: each mean of z moves in proportion to its variance."""
    deviation, variance = deviations(chance, share)
    move = deviation[:, None] * variance / variance.sum(axis=1, keepdims=True) * np.array([1, -1])
    moved: Floats = chance + move[..., None] * np.array([0.5, -0.5, 0])
    return moved


def scenarios() -> Iterator[Scenario]:
    """All of them: first those with a constant Δ."""
    kinds = [(2, False), (4, False), (16, False), (8, True), (16, True)]
    for (n_levels, numeric), n in itertools.product(kinds, SIZES):
        for name, varying in (("theta constant", ""), ("eta+ varies", "eta+"), ("eta- varies", "eta-")):
            for correlated in (False, True):
                yield Scenario(name, n, n_levels, numeric, correlated, varying=varying)
        for correlated in (False, True):
            yield Scenario("60% disagree, eta- varies", n, n_levels, numeric, correlated, 0.6, "eta- widely")
        for disagreement in (0.02, 0.01):
            for varying in ("", "eta-"):
                name = f"{disagreement:.0%} disagree" + (", eta- varies" if varying else "")
                yield Scenario(name, n, n_levels, numeric, bool(varying), disagreement, varying)
    different = []
    for (n_levels, numeric), n in itertools.product(kinds, SIZES):
        step = min(6 / math.sqrt(n), 0.25)
        different += [
            Scenario("Δ, balanced", n, n_levels, numeric, step=step, balanced=True),
            Scenario("Δ at a2", n, n_levels, numeric, step=step),
            Scenario("Δ and mix", n, n_levels, numeric, True, step=step, balanced=True),
            Scenario("Δ, eta- and mix", n, n_levels, numeric, True, varying="eta-", step=step),
        ]
    yield from (replace(scenario, nearest=True) for scenario in different)
    yield from different


@dataclass(frozen=True)
class Result:
    """Of one scenario's draws: the share that wald rejects of those it can test, and the score test's sorted log p-values."""

    wald: float
    draws: int
    n_testable: int
    score_log_p: Floats

    @property
    def untestable(self) -> float:
        """The share of draws in which wald is not possible."""
        return 1 - self.n_testable / self.draws

    @property
    def is_mostly_possible(self) -> bool:
        """Whether wald can test at least half of the draws."""
        return 2 * self.n_testable >= self.draws

    def score(self, log_cut: float) -> float:
        """The share of draws that the score test rejects."""
        found = self.score_log_p
        return float(np.searchsorted(found, log_cut, side="right") / len(found)) if len(found) else math.nan

    def fair_cut(self) -> float:
        """The largest log p with which the score test rejects at most ``LIMIT`` of the draws."""
        rejected = int(LIMIT * len(self.score_log_p))
        return float(self.score_log_p[rejected]) - 1e-12 if len(self.score_log_p) else 0.0


def simulate(scenario: Scenario, draws: int, seed: int) -> Result:
    """Run both tests on ``draws`` tables."""
    rng = np.random.default_rng(seed)
    chance = scenario.probabilities()
    tables = rng.multinomial(scenario.n, chance.ravel(), size=draws).reshape(draws, *chance.shape)
    wald = [wald_rejects(table, scenario.numeric) for table in tables]
    possible = [one for one in wald if one is not None]
    scored = [score_test(table, scenario.numeric).log_p for table in tables]
    return Result(
        wald=sum(possible) / len(possible) if possible else math.nan,
        draws=draws,
        n_testable=len(possible),
        score_log_p=np.sort([one for one in scored if one is not None]),
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


def score_test(table: NDArray[np.int64], numeric: bool) -> Test:
    """The published test."""
    scores = node_scores(table.sum(axis=0), "delta")
    return suplm_test(scores, table, min_size=50, trim=0.1) if numeric else levels_test(scores, table)


def rejects(test: Test) -> bool | None:
    """Whether p <= alpha."""
    return None if test.p is None else test.p <= ALPHA


def main() -> int:
    """Print the table; 1 if a size or a power is not as it should be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=4_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=20261130)
    options = parser.parse_args()
    begin = time.perf_counter()
    todo = list(scenarios())
    seeds = range(options.seed, options.seed + len(todo))
    print(HEAD)
    failures = 0
    nulls: dict[Scenario, Result] = {}
    with ProcessPoolExecutor(options.jobs) as pool:
        found = pool.map(simulate, todo, itertools.repeat(options.draws), seeds)
        for scenario, result in zip(todo, found, strict=True):
            if scenario.is_null:
                nulls[scenario] = result
                remark = too_large(result)
            else:
                remark = power(scenario, result, nulls)
            failures += remark.isupper()
            print(
                f"{scenario.title:27}{scenario.n_levels:>4} {'numeric' if scenario.numeric else 'categorical':12}"
                f"{'correlated' if scenario.correlated else 'independent':12}{scenario.n:>7} |"
                f"{result.wald:>8.3f}{result.untestable:>8.3f} |{result.score(LOG_ALPHA):>8.3f}{remark}",
                flush=True,
            )
    wald = [one.wald for one in nulls.values() if one.is_mostly_possible]
    score = [one.score(LOG_ALPHA) for one in nulls.values() if len(one.score_log_p)]
    for test, sizes in (("wald", wald), ("score", score)):
        print(f"{test}: rejection where Δ is constant {min(sizes):.3f} to {max(sizes):.3f} over {len(sizes)} scenarios")
    print(f"{len(todo)} scenarios, {options.draws} draws each, {time.perf_counter() - begin:.0f} s")
    return 1 if failures else 0


HEAD = f"{'scenario':27}{'K':>4} {'kind':12}{'mix':12}{'n':>7} |    wald no test |   score    size    fair   bound"


def too_large(result: Result) -> str:
    """A remark in capitals where wald rejects a constant Δ too often, else nothing."""
    limit = LIMIT + 2 * standard_error(LIMIT, result.n_testable)
    return f"  ABOVE {limit:.3f}" if result.n_testable and result.wald > limit else ""


def power(scenario: Scenario, result: Result, nulls: dict[Scenario, Result]) -> str:
    """Size, fair power and bound; with a remark in capitals where wald has less power than the score test's fair one."""
    size = nulls[replace(scenario, nearest=True)].score(LOG_ALPHA)
    cut = min(LOG_ALPHA, *(null.fair_cut() for other, null in nulls.items() if other.kin == scenario.kin))
    fair = result.score(cut)
    less = result.is_mostly_possible and result.wald < fair - 2 * standard_error(fair, result.draws)
    return f"{size:>8.3f}{fair:>8.3f}{scenario.bound():>8.3f}{'  LESS' if less else ''}"


def standard_error(share: float, draws: int) -> float:
    """Of a share of so many draws."""
    return math.sqrt(share * (1 - share) / max(draws, 1))


if __name__ == "__main__":
    sys.exit(main())
