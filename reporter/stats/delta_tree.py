"""Growing a Δ tree: where do the disparities of two models differ?

Growing works on count tables alone (see ``delta_counts``), breadth first, so that a tree of depth d over c covariates
asks its counter d times for c tables. It knows neither rows, files nor drawing, and its randomness is the ``rng``.

Why ``wald`` is the default: shares of 4,000 draws with p <= 0.05, from ``tests/benchmarks/delta_tree_size_power.py``
(30 % disagreement unless stated, n = 2,000; the attribute's mix is the same in all levels, or "mixed" from 20 to 80 %):

=================================================  =====  =====  =====  =====
Δ is the same in all levels (0.05 is right)        wald   score
=================================================  =====  =====  =====  =====
2 levels, all rates the same                       0.058  0.055
2 levels, eta- varies                              0.051  0.964
2 levels, eta- varies, mixed                       0.056  0.741
16 levels, eta- varies, mixed                      0.054  0.708
16 numeric bins, eta- varies, mixed                0.055  0.568
2 levels, 2 % disagree (no test in 2 % of draws)   0.045  0.046
2 levels, 1 % disagree (no test in 78 %)           0.054  0.054
-------------------------------------------------  -----  -----  -----  -----
Δ differs                                          wald   score  fair   bound
-------------------------------------------------  -----  -----  -----  -----
2 levels, the mean of z the same                   0.764  0.714  0.000  0.850
2 levels, the mean of z the same, mixed            0.574  0.323  0.000  0.690
16 numeric bins, the mean of z the same            0.589  0.417  0.000  0.850
2 levels, eta- the same                            0.758  0.914  0.000  0.851
16 numeric bins, eta- the same                     0.599  0.710  0.000  0.851
2 levels, eta- varies, mixed                       0.621  1.000  0.000  0.729
=================================================  =====  =====  =====  =====

Over the 193 scenarios with a constant Δ and mostly possible tests (n 300 to 20,000, 2 to 16 levels) wald rejects 0.023 to
0.059, score 0.000 to 1.000. So score has power as a test of Δ only where eta- is known to be the same everywhere, which no data tell
beforehand: ``fair`` is its power at a cut-off with which it, too, rejects a constant Δ in at most 0.07 of the draws of
every scenario of the same n and levels. ``bound`` is what no test exceeds in large samples that keeps 0.05 for every eta-, not even one that is
told the alternative and its direction; where score lies above it, the surplus is rejections for the level of z, not for Δ.
For two levels wald is, in large samples, the most powerful unbiased test. In no scenario has it less power than the fair score test.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from reporter.stats.delta_counts import Counter, Covariate, Cube, Region, Side, narrowed
from reporter.stats.delta_draft import Draft, frozen, pruned, size_of, totals
from reporter.stats.delta_node import node_figures
from reporter.stats.delta_paths import narrowed_path
from reporter.stats.delta_rates import Table, by_z, grouped, moments, outcomes, sizes
from reporter.stats.delta_spec import TreeSpec
from reporter.stats.delta_tests import CovariateTest, Cut, NodeTests, RowKinds
from reporter.stats.instability import Test, adjusted_log_p
from reporter.tree import NEVER_DISAGREE, NodeTest, Split, Tree


@dataclass(frozen=True, slots=True)
class Grown:
    """The tree after pruning, and before."""

    tree: Tree
    unpruned: Tree


def grow(counter: Counter, spec: TreeSpec, rng: np.random.Generator) -> Grown:
    """Grow, prune and estimate a Δ tree.

    In each node every covariate is tested, the p-values are adjusted for the number of covariates that could be tested,
    and the most significant covariate that admits a split (at least ``min_size`` rows on both sides) divides the node;
    score mode looks at the most significant one only, as published. Then siblings whose Δ differ by less than
    ``min_difference`` are joined, from the leaves up. With ``honest`` all this happens on one random half of the rows
    and every figure comes from the other half.

    Examples
    --------
    >>> sex = Covariate("sex", "categorical", ("F", "M"))
    >>> counts = {(0, 0): (45, 5), (0, 1): (45, 5), (1, 0): (45, 5), (1, 1): (20, 30)}
    >>> cells = [(code, group, second, n) for (code, group), pair in counts.items() for second, n in enumerate(pair)]
    >>> code, group, second, n = zip(*cells)
    >>> cube = Cube.of([sex], [[c] for c in code], group, [2] * 8, [0] * 8, second, n, n_groups=2)
    >>> spec = TreeSpec(levels=("a", "b"), models=("old", "new"), covariates=(sex,), min_size=20)
    >>> [(node.path, round(node.delta, 6)) for node in grow(cube, spec, np.random.default_rng(0)).tree.nodes()]
    [('all rows', 0.25), ('sex = F', 0.0), ('sex = M', 0.5)]
    """
    growing: Counter = counter
    estimating: Counter | None = None
    if spec.honest:
        growing, estimating = counter.halves(rng)
    root, n_dropped = _root(growing, spec)
    level = [root] if root.reason is None else []
    depth = 0
    while level:
        tables = growing.tables([draft.region for draft in level], spec.covariates)
        tables = [grouped(table, spec.attribute_codes, axis=2) for table in tables]
        following: list[Draft] = []
        for place, draft in enumerate(level):
            own = [table[place] for table in tables]
            following.extend(_divided(draft, own, spec, rng, _row_kinds(growing, draft, spec)))
        depth += 1
        for draft in following:
            draft.reason = _stop(draft, spec, depth)
        level = [draft for draft in following if draft.reason is None]
    unpruned = frozen(root, spec, estimating, n_dropped)
    if not pruned(root, spec):
        return Grown(unpruned, unpruned)
    return Grown(frozen(root, spec, estimating, n_dropped), unpruned)


def covariate_test(counter: Counter, spec: TreeSpec, rng: np.random.Generator) -> Test:
    """The test of the first covariate in all rows, without growing."""
    root, _ = _root(counter, spec)
    if root.figures.reason:
        return Test.impossible(root.figures.reason)
    table = grouped(counter.tables([root.region], spec.covariates[:1])[0], spec.attribute_codes, axis=2)[0]
    tests = NodeTests(outcomes(root.table, spec.rate), spec, rng, _row_kinds(counter, root, spec))
    return tests.of(spec.covariates[0], outcomes(table, spec.rate)).test


def _root(counter: Counter, spec: TreeSpec) -> tuple[Draft, int]:
    """The root, and the number of rows that score mode leaves out because a covariate is missing."""
    first = spec.covariates[0]
    region: Region = ()
    n_dropped = 0
    if spec.test == "score":
        region = tuple(
            Side(c.name, missing=False, codes=tuple(range(c.n_levels)) if c.kind == "categorical" else None)
            for c in spec.covariates
        )
    table = totals(counter, [region], first, spec)[0]
    if spec.test == "score":
        n_dropped = int(size_of(totals(counter, [()], first, spec)[0], spec) - size_of(table, spec))
    root = Draft(region, table, node_figures(table, spec))
    root.reason = _stop(root, spec, 0)
    return root, n_dropped


def _stop(draft: Draft, spec: TreeSpec, depth: int) -> str | None:
    """Why the node is a leaf before any test, or None."""
    figures = draft.figures
    if figures.reason:
        return figures.reason
    constant = _constant(outcomes(draft.table, spec.rate), spec)
    if constant:
        return constant
    if figures.n < 2 * spec.min_size:
        return f"{figures.n} rows are fewer than twice min_size = {spec.min_size}"
    if spec.max_depth is not None and depth >= spec.max_depth:
        return f"max_depth = {spec.max_depth} is reached"
    return None


def _constant(outcome: Table, spec: TreeSpec) -> str | None:
    """What is the same on every row of each attribute level, so that there is nothing to test."""
    z, zz = moments(outcome, spec.rate)
    n = sizes(outcome, spec.rate)
    # sums of scores have rounding errors
    if (zz / n - (z / n) ** 2 > 1e-12 * zz / n).any():
        return None
    what = "score" if spec.rate == "score" else "prediction"
    if len(spec.models) == 1:
        return f"the {what} is the same for every row of an attribute level"
    if not zz.any():
        return NEVER_DISAGREE
    return f"the two models' {what}s differ by the same amount on every row of an attribute level"


def _row_kinds(counter: Counter, draft: Draft, spec: TreeSpec) -> RowKinds | None:
    """For ties in the order of rows: the kinds of the node's rows, sorted by a covariate."""
    if spec.ties != "rows":
        return None
    if not isinstance(counter, Cube):
        raise TypeError("ties='rows' needs a Cube built with row_order=True")
    cube: Cube = counter
    level_of = np.full(cube.n_groups, -1)
    for level, codes in enumerate(spec.attribute_codes):
        level_of[list(codes)] = level
    one = np.zeros((len(cube.n), cube.n_groups, 2, 1 if cube.second is None else 2, 3), dtype=np.int64)
    second = 0 if cube.second is None else cube.second
    one[np.arange(len(cube.n)), cube.group, cube.first, second, cube.label] = 1
    events = by_z(outcomes(one, spec.rate)).sum(axis=1)
    kind = np.where(events.any(axis=1), level_of[cube.group] * events.shape[1] + events.argmax(axis=1), -1)
    kind[level_of[cube.group] < 0] = -1

    def kinds(covariate: Covariate) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        _, cells = cube.sequence(draft.region, covariate)
        found = kind[cells]
        return found[found >= 0]

    return kinds


def _divided(
    draft: Draft, tables: list[Table], spec: TreeSpec, rng: np.random.Generator, row_kinds: RowKinds | None
) -> tuple[Draft, ...]:
    """Test a node and split it: its children, or none with the reason in the draft."""
    tests = NodeTests(outcomes(draft.table, spec.rate), spec, rng, row_kinds)
    tested = [
        tests.of(covariate, outcomes(table, spec.rate))
        for covariate, table in zip(spec.covariates, tables, strict=True)
    ]
    testable = [i for i, one in enumerate(tested) if one.test.log_p is not None]
    log_p = {i: adjusted_log_p(_log_p(tested[i]), len(testable), spec.adjust) for i in testable}
    for i, covariate in enumerate(spec.covariates):
        draft.tests[covariate.name] = _node_test(covariate, tested[i], log_p.get(i))
    if not testable:
        reasons = {one.test.reason for one in tested}
        said = reasons.pop() if len(reasons) == 1 else "see the tests"
        draft.reason = f"no covariate can be tested here: {said}"
        return ()
    # sorted() keeps the order of the covariates where p-values are equal
    ranked = sorted(testable, key=lambda i: (log_p[i], tested[i].test.log_p))
    significant = [i for i in ranked if log_p[i] <= math.log(spec.alpha)]
    if not significant:
        draft.reason = f"no covariate differs at alpha = {spec.alpha:g}"
        return ()
    for i in significant[:1] if spec.test == "score" else significant:
        cut = tested[i].cut()
        if cut is not None:
            return _split(draft, spec, spec.covariates[i], cut, tables[i])
    draft.reason = f"no split leaves min_size = {spec.min_size} rows on both sides"
    return ()


def _log_p(tested: CovariateTest) -> float:
    assert tested.test.log_p is not None
    return tested.test.log_p


def _node_test(covariate: Covariate, tested: CovariateTest, log_p_adjusted: float | None) -> NodeTest:
    test = tested.test
    return NodeTest(
        statistic=test.statistic,
        df=test.df,
        p=test.p,
        log_p=test.log_p,
        p_adjusted=None if log_p_adjusted is None else math.exp(log_p_adjusted),
        reason=test.reason,
        left_out=tuple(covariate.label(code) for code in tested.left_out),
    )


def _split(draft: Draft, spec: TreeSpec, covariate: Covariate, cut: Cut, table: Table) -> tuple[Draft, ...]:
    occurs = np.flatnonzero(sizes(outcomes(table, spec.rate), spec.rate).sum(axis=1))
    labels_left, labels_right = (
        tuple(covariate.label(code) for code in codes if code < covariate.n_levels or cut.upto is None)
        for codes in (cut.left, cut.right)
    )
    numeric = covariate.kind == "numeric"
    draft.split = Split(
        covariate=covariate.name,
        levels_left=None if numeric else labels_left,
        levels_right=None if numeric else labels_right,
        threshold=covariate.values[cut.upto] if numeric and cut.upto is not None else None,
        followed=tuple(covariate.label(code) for code in cut.followed),
    )
    children = []
    for is_left, side in zip((True, False), cut.sides(covariate), strict=True):
        inside = table[side.allows(covariate.n_levels)].sum(axis=0)
        children.append(
            Draft(
                region=narrowed(draft.region, side),
                table=inside,
                figures=node_figures(inside, spec),
                conditions=narrowed_path(draft.conditions, covariate, cut, occurs.tolist(), is_left=is_left),
            )
        )
    draft.children = (children[0], children[1])
    return draft.children
