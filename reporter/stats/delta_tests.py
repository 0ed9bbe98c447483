"""One covariate in one node of a Δ tree: its test, and the two sides it would cut the node into."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.stats import score_split, wald_split
from reporter.stats.delta_counts import Covariate, Side
from reporter.stats.delta_rates import Table, by_z, moments, sizes, varying
from reporter.stats.delta_spec import TreeSpec
from reporter.stats.delta_spread import spread_effects
from reporter.stats.instability import CONSTANT, Test
from reporter.stats.instability_permutation import permutation_test
from reporter.stats.instability_score import Scores, levels_test, node_scores, suplm_test, suplm_test_by_rows
from reporter.stats.instability_wald import (
    Effects,
    difference_effects,
    homogeneity_test,
    joined_bins,
    largest_contrast_test,
    quantile_bins,
)

Counts = NDArray[np.int64]
RowKinds = Callable[[Covariate], NDArray[np.int64]]


@dataclass(frozen=True, slots=True)
class Cut:
    """A node cut in two. ``left`` and ``right`` are the codes that occur; ``followed`` those that could not be tested
    and went with the larger side (they are part of it)."""

    left: tuple[int, ...]
    right: tuple[int, ...]
    followed: tuple[int, ...] = ()
    upto: int | None = None

    def sides(self, covariate: Covariate) -> tuple[Side, Side]:
        """Both sides, which together hold every code: one that does not occur here lies on the right (unordered) or
        where its place in the order is."""
        missing = covariate.n_levels in self.left
        if self.upto is not None:
            return (
                Side(covariate.name, missing, upto=self.upto),
                Side(covariate.name, not missing, above=self.upto),
            )
        rest = tuple(code for code in range(covariate.n_levels) if code not in set(self.left))
        inside = tuple(code for code in self.left if code < covariate.n_levels)
        return Side(covariate.name, missing, codes=inside), Side(covariate.name, not missing, codes=rest)


@dataclass(frozen=True, slots=True)
class CovariateTest:
    """A covariate's test, the codes left out of it, and the function that finds the cut (None: none is admissible)."""

    test: Test
    cut: Callable[[], Cut | None]
    left_out: tuple[int, ...] = ()


class NodeTests:
    """The tests of a node. ``outcome`` is its table of outcomes (attribute levels, ...) over all covariates;
    ``row_kinds`` gives the rows sorted by a covariate where ties are taken in the order of rows."""

    def __init__(
        self, outcome: Table, spec: TreeSpec, rng: np.random.Generator, row_kinds: RowKinds | None = None
    ) -> None:
        self._spec = spec
        self._rng = rng
        self._row_kinds = row_kinds
        self._scores: Scores | None = None
        if spec.test == "score":
            levels = (spec.levels[0], spec.levels[1])
            self._scores = node_scores(by_z(outcome), spec.parameters, levels, _kinds(spec))

    def of(self, covariate: Covariate, outcome: Table) -> CovariateTest:
        """The test of a covariate; ``outcome`` has the shape (codes with the missing one last, attribute levels, ...)."""
        if self._scores is not None:
            return self._score(self._scores, covariate, by_z(outcome[:-1]))
        tested = outcome if covariate.kind == "categorical" else outcome[:-1]
        codes = np.arange(len(tested))
        if covariate.kind == "numeric":
            rows = sizes(tested, self._spec.rate).sum(axis=1)
            bins = quantile_bins(rows)
            binned = np.zeros((int(bins.max(initial=0)) + 1, *tested.shape[1:]), dtype=tested.dtype)
            np.add.at(binned, bins, tested)
            # the threshold is the largest value of a bin that occurs
            codes = np.array([np.flatnonzero((bins == b) & (rows > 0))[-1:].sum() for b in range(len(binned))])
            tested = binned
        missing = int(sizes(outcome[-1], self._spec.rate).sum())
        return self._wald(covariate, tested, codes, missing)

    def _wald(self, covariate: Covariate, outcome: Table, codes: Counts, missing: int) -> CovariateTest:
        """``codes`` are the covariate's codes of the levels; ``missing`` the rows without a value that are not one."""
        spec, ordered = self._spec, covariate.kind != "categorical"
        effects = self._effects(outcome)
        thin_rule = spec.test == "wald"
        bins = joined_bins(effects, ordered=ordered, thin_rule=thin_rule)
        if not thin_rule:
            one_model = outcome.shape[-1] == 1
            test = permutation_test(
                by_z(outcome),
                np.array([1.0, 0.0] if one_model else [1.0, -1.0, 0.0]),
                ordered=ordered,
                min_size=spec.min_size,
                permutations=spec.permutations,
                rng=self._rng,
            )
        elif ordered:
            test = largest_contrast_test(effects, bins, spec.min_size)
        else:
            test = homogeneity_test(effects, bins)

        def cut_ordered() -> Cut | None:
            n_left = wald_split.best_cut(bins, spec.min_size)
            if n_left is None:
                return None
            last = int(codes[bins.members[n_left - 1][-1]])
            in_left = bins.rows[:n_left].sum() > bins.rows[n_left:].sum()
            extra = (covariate.n_levels,) if missing else ()
            left = tuple(range(last + 1))
            right = tuple(range(last + 1, covariate.n_levels))
            # missing values follow the larger side, also where none occurs here
            if in_left:
                return Cut((*left, covariate.n_levels), right, extra, last)
            return Cut(left, (*right, *extra), extra, last)

        def cut_unordered() -> Cut | None:
            chosen = wald_split.best_partition(bins, spec.min_size)
            if chosen is None:
                return None
            # the right side has more rows: what was left out follows it
            left = [level for row in np.flatnonzero(chosen) for level in bins.members[row]]
            right = [level for row in np.flatnonzero(~chosen) for level in bins.members[row]]
            return Cut(tuple(sorted(left)), tuple(sorted([*right, *bins.left_out])), bins.left_out)

        left_out = bins.left_out if not ordered and test.p is not None and thin_rule else ()
        return CovariateTest(test, cut_ordered if ordered else cut_unordered, left_out)

    def _effects(self, outcome: Table) -> Effects:
        rate = self._spec.rate
        # of the rows that take part: those without a value of an ordered or numeric covariate do not
        share = varying(outcome.sum(axis=0), rate)
        if self._spec.contrast == "spread":
            return spread_effects(outcome, share)
        z, zz = moments(outcome, rate)
        return difference_effects(sizes(outcome, rate), z, zz, share)

    def _score(self, scores: Scores, covariate: Covariate, events: Counts) -> CovariateTest:
        spec = self._spec
        if covariate.kind != "numeric":
            test = levels_test(scores, events)
        elif (events.sum(axis=(1, 2)) > 0).sum() < 2:
            test = Test.impossible(scores.reason or CONSTANT)
        elif self._row_kinds is not None:
            test = suplm_test_by_rows(scores, self._row_kinds(covariate), min_size=spec.min_size, trim=spec.trim)
        else:
            test = suplm_test(scores, events, min_size=spec.min_size, trim=spec.trim)

        def cut() -> Cut | None:
            if covariate.kind == "categorical":
                chosen = score_split.best_partition(events, spec.min_size)
                if chosen is None:
                    return None
                occurs = events.sum(axis=(1, 2)) > 0
                return Cut(tuple(np.flatnonzero(chosen).tolist()), tuple(np.flatnonzero(occurs & ~chosen).tolist()))
            last = score_split.best_ordered_cut(events, spec.min_size)
            if last is None:
                return None
            return Cut(tuple(range(last + 1)), tuple(range(last + 1, covariate.n_levels)), upto=last)

        return CovariateTest(test, cut)


def _kinds(spec: TreeSpec) -> tuple[str, ...]:
    """What the kinds of rows of ``by_z`` are called."""
    event, other = {"fnr": ("predicts 0", "predicts 1"), "accuracy": ("is right", "is wrong")}.get(
        spec.rate, ("predicts 1", "predicts 0")
    )
    first, second = spec.models[0], spec.models[-1]
    if len(spec.models) == 1:
        return f"{first} {event}", f"{first} {other}"
    return f"{second} alone {event}", f"{first} alone {event}", f"{first} and {second} agree"
