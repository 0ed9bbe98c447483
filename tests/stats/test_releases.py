"""What changed from one release to the next: rates, gaps and verdicts, paired and independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from reporter.results import Comparison, Level
from reporter.stats.cells import CellArrays
from reporter.stats.comparisons import Rule, compare
from reporter.stats.intervals import newcombe, rate_test
from reporter.stats.metrics import metric
from reporter.stats.paired import JointCells, paired_gaps
from reporter.stats.releases import rate_changes, verdict_changes


def findings(cells: CellArrays, **rule: Any) -> tuple[Comparison, ...]:
    levels = [Level("ab"[i] if len(cells) == 2 else "abc"[i], n, ("x",)) for i, n in enumerate(cells.n.tolist())]
    return compare([Rule("fnr", **rule)], model="m", grouping="g", levels=levels, cells=cells)


def missed(*groups: tuple[int, int]) -> CellArrays:
    zeros = [0] * len(groups)
    return CellArrays(tp=[n - x for x, n in groups], fp=zeros, tn=zeros, fn=[x for x, _ in groups])


def random_joint(seed: int, groups: int = 3) -> JointCells:
    return JointCells(np.random.default_rng(seed).integers(5, 200, (groups, 3, 2, 2)))


def test_independent_changes_are_new_minus_old_with_newcombe() -> None:
    found = rate_changes(
        ["fnr"], grouping="g", groups=["a", "b"], old=missed((30, 100), (20, 100)), new=missed((20, 120), (25, 90))
    )
    first = found[0]
    assert [(one.group, one.metric, one.grouping) for one in found] == [("a", "fnr", "g"), ("b", "fnr", "g")]
    assert (first.old.value, first.new.value) == (0.3, 20 / 120)
    low, high = newcombe(20, 120, 30, 100)
    assert (first.change.value, first.change.low, first.change.high) == (20 / 120 - 0.3, low[0], high[0])
    assert first.p == rate_test(20, 120, 30, 100)[0][0]


def test_paired_changes_rest_on_the_joint_rows() -> None:
    joint = random_joint(1)
    found = rate_changes(
        ["tpr", "ppv"], grouping="g", groups=["a", "b", "c"], old=joint.first(), new=joint.second(), joint=joint
    )
    expected = [one for name in ("tpr", "ppv") for one in paired_gaps(metric(name), joint).to_estimates()]
    assert [one.change for one in found] == expected
    independent = rate_changes(["tpr"], grouping="g", groups=["a", "b", "c"], old=joint.first(), new=joint.second())
    assert found[0].change.value == pytest.approx(independent[0].change.value)


def test_an_undefined_rate_has_an_undefined_change() -> None:
    (one,) = rate_changes(["fnr"], grouping=None, groups=[None], old=missed((0, 0)), new=missed((3, 10)))
    assert (one.change.value, one.p) == (None, None)
    assert one.change.reason == "in the reference: no row has a prediction"


@pytest.mark.parametrize(
    ("old", "new", "change"),
    [
        ((100, 300), (100, 300), "still diverges"),
        ((200, 203), (100, 300), "newly diverges"),
        ((100, 300), (200, 203), "no longer diverges"),
        ((200, 203), (200, 202), "still within limit"),
        ((100, 300), (1, 2), "cannot tell"),
    ],
)
def test_what_became_of_a_verdict(old: tuple[int, int], new: tuple[int, int], change: str) -> None:
    def release(pair: tuple[int, int]) -> tuple[Comparison, ...]:
        size = 20 if max(pair) < 10 else 1000
        return findings(missed((pair[0], size), (pair[1], size)), limit=0.06)

    found = verdict_changes(release(old), release(new))
    assert [one.change for one in found] == [change] * 2
    assert found[0].finding == "fnr/g/a/m"


def test_findings_of_one_release_only_are_kept() -> None:
    two, three = findings(missed((100, 1000), (300, 1000))), findings(missed((100, 1000), (300, 1000), (100, 1000)))
    grown, shrunk = verdict_changes(two, three), verdict_changes(three, two)
    assert (grown[2].finding, grown[2].old, grown[2].change, grown[2].gap_change) == (
        "fnr/g/c/m",
        None,
        "newly diverges",
        None,
    )
    assert (shrunk[2].finding, shrunk[2].new, shrunk[2].change) == ("fnr/g/c/m", None, "cannot tell")


def test_the_change_of_a_gap_between_independent_releases_combines_both_intervals() -> None:
    old, new = findings(missed((100, 1000), (300, 1000))), findings(missed((150, 1000), (200, 1000)))
    change = verdict_changes(old, new)[0].gap_change
    assert change is not None
    a, b = new[0].gap, old[0].gap
    assert change.value == pytest.approx(0.15)
    assert change.low == pytest.approx(0.15 - np.hypot(a.value - a.low, b.high - b.value))  # type: ignore[operator]
    assert change.high == pytest.approx(0.15 + np.hypot(a.high - a.value, b.value - b.low))  # type: ignore[operator]


@pytest.mark.parametrize("reference", ["rest", "overall", "b"])
def test_the_change_of_a_gap_on_the_same_rows_is_the_difference_of_paired_changes(reference: str) -> None:
    joint = random_joint(2)
    old, new = (findings(side, reference=reference) for side in (joint.first(), joint.second()))
    paired = verdict_changes(old, new, joints={"g": (["a", "b", "c"], joint)})[0].gap_change
    independent = verdict_changes(old, new)[0].gap_change
    assert paired is not None
    assert independent is not None
    assert paired.value == pytest.approx(new[0].gap.value - old[0].gap.value)  # type: ignore[operator]
    assert paired.low < paired.value < paired.high  # type: ignore[operator]
    if reference == "b":
        own, other = (paired_gaps(metric("fnr"), joint.take(i)).to_estimates()[0] for i in (0, 1))
        assert paired.low == pytest.approx(paired.value - np.hypot(own.value - own.low, other.high - other.value))  # type: ignore[operator]


def test_agreeing_releases_on_the_same_rows_change_less_than_independent_ones() -> None:
    counts = np.zeros((2, 3, 2, 2), int)
    counts[:, 1] = [[300, 5], [8, 700]]
    joint = JointCells(counts)
    old, new = findings(joint.first()), findings(joint.second())
    paired = verdict_changes(old, new, joints={"g": (["a", "b"], joint)})[0].gap_change
    independent = verdict_changes(old, new)[0].gap_change
    assert paired.high - paired.low < 0.4 * (independent.high - independent.low)  # type: ignore[union-attr, operator]


def test_a_ratio_on_the_same_rows_has_a_change_without_an_interval_and_says_so() -> None:
    joint = random_joint(3)
    old, new = (findings(side, comparison="ratio", limit=0.8) for side in (joint.first(), joint.second()))
    change = verdict_changes(old, new, joints={"g": (["a", "b", "c"], joint)})[0].gap_change
    assert change is not None
    assert change.value == pytest.approx(new[0].gap.value - old[0].gap.value)  # type: ignore[operator]
    assert (change.low, change.reason) == (
        None,
        "there is no closed-form interval of the change of a ratio on the same rows",
    )


def test_gaps_to_different_references_are_not_subtracted() -> None:
    old = findings(missed((100, 1000), (300, 1200), (200, 1000)), reference="largest")
    new = findings(missed((100, 1000), (300, 1000), (200, 1200)), reference="largest")
    change = {one.finding: one for one in verdict_changes(old, new)}["fnr/g/a/m"].gap_change
    assert change is not None
    assert (change.value, change.reason) == (None, "the two releases hold the group against different references")
