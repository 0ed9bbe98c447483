"""Release against release: the change of each rate and each gap, and what became of each verdict.

Rows scored by both releases are paired; different rows are independent. Where releases come from is unknown here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from reporter.results import Comparison, Estimate, RateChange, VerdictChange
from reporter.stats.cells import CellArrays
from reporter.stats.gaps import independent_gaps
from reporter.stats.measures import Metric, Sample, optional, to_estimates
from reporter.stats.metrics import metric
from reporter.stats.paired import JointCells, JointScores, paired_gaps, same_rows
from reporter.stats.scores import ScoreMoments

NEWLY = "newly diverges"
NO_LONGER = "no longer diverges"
STILL_DIVERGES = "still diverges"
STILL_WITHIN = "still within limit"
CANNOT_TELL = "cannot tell"

NO_GAP = "the gap is undefined in one release"
RATIO_PAIRED = "there is no closed-form interval of the change of a ratio on the same rows"
OVERALL_PAIRED = "there is no closed-form interval of the change of a gap to the overall value on the same rows"
NO_INTERVALS = "a gap has no interval, so its change has none"


def rate_changes(
    names: Sequence[str],
    *,
    grouping: str | None,
    groups: Sequence[str | None],
    old: CellArrays,
    new: CellArrays,
    old_scores: ScoreMoments | None = None,
    new_scores: ScoreMoments | None = None,
    joint: JointCells | None = None,
    joint_scores: JointScores | None = None,
    confidence: float = 0.95,
) -> tuple[RateChange, ...]:
    """New minus old per metric and group, groups in the order given.

    ``joint`` (first = old, second = new, the same groups) makes it paired: the change, its interval and p-value rest on the rows that both
    releases scored. Without it the two releases are independent. Calibration metrics are undefined here: their fits need score tables.

    Examples
    --------
    >>> old, new = CellArrays([40], [5], [45], [10]), CellArrays([30], [5], [45], [20])
    >>> (one,) = rate_changes(["tpr"], grouping="sex", groups=["f"], old=old, new=new)
    >>> round(one.change.value, 3), round(one.change.low, 3), round(one.change.high, 3), round(one.p, 4)
    (-0.2, -0.364, -0.02, 0.0291)
    """
    if not len(groups) == len(old) == len(new):
        raise ValueError(f"{len(groups)} groups, cells of {len(old)} old and {len(new)} new")
    samples = [Sample.of(old, old_scores), Sample.of(new, new_scores)]
    found = []
    for name in names:
        asked = metric(name)
        before, after = (to_estimates(asked, asked.measure(sample), confidence) for sample in samples)
        if joint is None:
            gaps = independent_gaps(
                asked,
                samples[1],
                samples[0],
                comparison="difference",
                confidence=confidence,
                inner_confidence=confidence,
            )
        else:
            gaps = paired_gaps(asked, joint, joint_scores, confidence=confidence)
        rows = zip(groups, before, after, gaps.to_estimates(), optional(gaps.p), strict=True)
        found += [RateChange(grouping, group, asked.name, *row) for group, *row in rows]  # type: ignore[arg-type]
    return tuple(found)


def verdict_changes(
    old: Sequence[Comparison],
    new: Sequence[Comparison],
    *,
    joints: Mapping[str, tuple[Sequence[str], JointCells]] | None = None,
    confidence: float = 0.95,
) -> tuple[VerdictChange, ...]:
    """What became of each finding, in the order of ``new`` and then what only ``old`` has; with the change of its gap.

    Findings are matched by their id, so a model that was renamed between the releases is renamed by the caller. ``joints``: grouping ->
    (names of its groups, joint counts with first = old and second = new) where both releases scored the same rows.
    """
    before = {one.finding: one for one in old}
    now = {one.finding for one in new}
    found = []
    for one in new:
        past = before.get(one.finding)
        change = None
        if past is not None:
            change = _gap_change(past, one, (joints or {}).get(one.grouping), confidence)
        verdict = None if past is None else past.verdict
        found.append(VerdictChange(one.finding, verdict, one.verdict, became(verdict, one.verdict), change))
    gone = [one for one in old if one.finding not in now]
    return tuple(found) + tuple(VerdictChange(one.finding, one.verdict, None, CANNOT_TELL) for one in gone)


def gap_change(old: Estimate, new: Estimate) -> Estimate:
    """New gap minus old gap for independent rows, by the MOVER combination of their intervals.

    >>> found = gap_change(Estimate(0.10, 0.02, 0.18, n=400), Estimate(0.04, -0.02, 0.10, n=500))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3), found.n
    (-0.06, -0.16, 0.04, 900)
    """
    if old.value is None or new.value is None:
        return Estimate(None, reason=new.reason or old.reason or NO_GAP)
    return _difference(new, old)


def became(old: str | None, new: str | None) -> str:
    """What a finding's verdicts in two releases come to.

    >>> became("within limit", "diverges"), became("diverges", None)
    ('newly diverges', 'cannot tell')
    """
    if new == "diverges":
        return STILL_DIVERGES if old == "diverges" else NEWLY
    if new == "within limit" and old == "diverges":
        return NO_LONGER
    if new == old == "within limit":
        return STILL_WITHIN
    return CANNOT_TELL


def _gap_change(
    old: Comparison, new: Comparison, joint: tuple[Sequence[str], JointCells] | None, confidence: float
) -> Estimate:
    if old.gap.value is None or new.gap.value is None:
        return Estimate(None, reason=new.gap.reason or old.gap.reason or NO_GAP)
    if old.comparison != new.comparison or old.reference_group != new.reference_group:
        return Estimate(None, reason="the two releases hold the group against different references")
    if joint is None:
        return gap_change(old.gap, new.gap)
    value = new.gap.value - old.gap.value
    if new.comparison == "ratio":
        return Estimate(value, n=new.gap.n, reason=RATIO_PAIRED)
    names, cells = joint
    if new.group not in names or (new.reference_group is not None and new.reference_group not in names):
        return Estimate(value, n=new.gap.n, reason=NO_INTERVALS)
    asked = metric(new.metric)
    position = list(names).index(new.group)
    if new.reference_group is not None:
        other = cells.take(list(names).index(new.reference_group))
    else:
        other = cells.rest().take(position)
    own = _paired(asked, cells.take(position), confidence)
    reference = _paired(asked, other, confidence)
    if own.value is None or reference.value is None:
        return Estimate(value, n=new.gap.n, reason=own.reason or reference.reason)
    combined = _difference(own, reference)
    if new.reference != "overall":
        return combined
    if asked.kind != "rate" or not same_rows(asked):
        return Estimate(value, n=new.gap.n, reason=OVERALL_PAIRED)
    mine, others = (asked.measure(Sample(side.first())).n[0] for side in (cells.take(position), other))
    scale = float(others / (mine + others))
    return Estimate(
        scale * (combined.value or 0.0),
        None if combined.low is None else scale * combined.low,
        None if combined.high is None else scale * combined.high,
        combined.n,
        method=combined.method,
        reason=combined.reason,
    )


def _paired(asked: Metric, joint: JointCells, confidence: float) -> Estimate:
    return paired_gaps(asked, joint, confidence=confidence).to_estimates()[0]


def _difference(one: Estimate, two: Estimate) -> Estimate:
    """one - two for estimates from different rows, with the MOVER interval where both have one."""
    value, n = (one.value or 0.0) - (two.value or 0.0), one.n + two.n
    if None in (one.low, one.high, two.low, two.high):
        return Estimate(value, n=n, reason=NO_INTERVALS)
    a, b = np.asarray([one.value, one.low, one.high], float), np.asarray([two.value, two.low, two.high], float)
    low = value - float(np.hypot(a[0] - a[1], b[2] - b[0]))
    high = value + float(np.hypot(a[2] - a[0], b[0] - b[1]))
    return Estimate(value, low, high, n, method="MOVER")
