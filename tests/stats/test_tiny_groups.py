"""Every metric against every reference on groups of a few rows: finite or None with a reason, without warnings."""

from __future__ import annotations

import math

import numpy as np
import pytest

from reporter.results import Estimate, Level
from reporter.stats.cells import CellArrays
from reporter.stats.comparisons import Rule, compare
from reporter.stats.metrics import METRICS
from reporter.stats.paired import JointCells, JointScores, paired_differences
from reporter.stats.releases import rate_changes, verdict_changes
from reporter.stats.scores import ScoreGrid, ScoreTable, moments_from_table


def check(estimate: Estimate) -> None:
    ends = (estimate.value, estimate.low, estimate.high)
    assert all(end is None or math.isfinite(end) for end in ends), estimate
    assert (estimate.value is not None and estimate.low is not None) or estimate.reason, estimate


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("reference", ["rest", "overall", "a", "largest", "best"])
def test_every_comparison_is_finite_or_says_why_not(seed: int, reference: str) -> None:
    rng = np.random.default_rng(seed)
    groups, n = int(rng.integers(1, 5)), int(rng.integers(0, 14))
    group, label, score = rng.integers(0, groups, n), rng.integers(-1, 2, n), rng.integers(0, 5, n) / 4
    counts = np.zeros((groups, 3, 2), int)
    np.add.at(counts, (group, label, (score >= 0.5).astype(int)), 1)
    cells = CellArrays(
        tp=counts[:, 1, 1], fp=counts[:, 0, 1], tn=counts[:, 0, 0], fn=counts[:, 1, 0],
        unlabelled_positive=counts[:, 2, 1], unlabelled_negative=counts[:, 2, 0],
    )  # fmt: skip
    exact = ScoreTable(group, label, score)
    grid = ScoreGrid(group, label, score, np.minimum(score + 0.25, 1.0), np.ones(n, int), score)
    levels = [Level("abcd"[i], size, ("abcd"[i],)) for i, size in enumerate(cells.n.tolist())]
    rules = [
        Rule(name, reference=reference, comparison=comparison, limit=0.2)  # type: ignore[arg-type]
        for name in METRICS
        for comparison in ("difference", "ratio")
    ]
    found = compare(
        rules, model="m", grouping="g", levels=levels, cells=cells, min_group_size=seed % 3,
        table=grid if seed % 2 else exact, scores=moments_from_table(exact, groups) if seed % 2 else None,
    )  # fmt: skip
    for one in found:
        for estimate in (one.gap, one.group_estimate, one.reference_estimate):
            check(estimate)
        assert (one.verdict == "insufficient evidence") == (one.reason is not None), one
        assert one.verdict != "diverges" or one.p_adjusted <= 0.05  # type: ignore[operator]


@pytest.mark.parametrize("seed", range(6))
def test_every_change_between_two_models_is_finite_or_says_why_not(seed: int) -> None:
    rng = np.random.default_rng(seed)
    groups, n = int(rng.integers(1, 4)), int(rng.integers(0, 12))
    joint = JointCells(rng.integers(0, 3, (groups, 3, 2, 2)))
    scores = JointScores(
        rng.integers(0, groups, n),
        rng.integers(-1, 2, n),
        rng.integers(0, 5, n) / 4,
        rng.integers(0, 5, n) / 4,
        np.ones(n, int),
    )
    pair = paired_differences(list(METRICS), first="a", second="b", joint=joint, scores=scores)
    for estimate in (pair.disagreement, *pair.differences.values()):
        check(estimate)
    names = list("abc")[:groups]
    for together in (joint, None):
        changes = rate_changes(
            list(METRICS), grouping="g", groups=names, old=joint.first(), new=joint.second(), joint=together,
            joint_scores=None if together is None else scores,
        )  # fmt: skip
        for change in changes:
            check(change.change)
    rules = [Rule("fnr", reference="overall"), Rule("f1", index=1), Rule("ppv", comparison="ratio", limit=0.8, index=2)]
    old, new = (
        compare(
            rules, model="m", grouping="g", cells=side, levels=[Level(name, int(m), (name,)) for name, m in zip(names, side.n, strict=True)]
        )
        for side in (joint.first(), joint.second())
    )  # fmt: skip
    for known in (None, {"g": (names, joint)}):
        for verdict in verdict_changes(old, new, joints=known):
            if verdict.gap_change is not None:
                check(verdict.gap_change)
