"""Why referral rates differ: the gap split into prevalence, hit rate and false alarms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reporter.results import Decomposition, Level
from reporter.stats.cells import CellArrays, is_none
from reporter.stats.gaps import joined_reasons
from reporter.stats.measures import Measure, Sample, optional
from reporter.stats.metrics import METRICS

NO_OTHER_GROUP = "there is no other group to compare with"


def decompose(
    *, model: str, levels: Sequence[Level], cells: CellArrays, reference: str = "rest"
) -> tuple[Decomposition, ...]:
    """One decomposition per group against ``reference`` ("rest", "overall", "largest" or a group's name).

    With base rate b, hit rate t and false alarm rate f the referral rate of labelled rows is b*t + (1-b)*f. Replacing the
    reference's three numbers by the group's in each of the 6 orders and averaging (Shapley) gives, with d a difference and m a mean of the two sides,

        prevalence = d(b) * (m(t) - m(f)),  hit rate = d(t) * m(b),  false alarms = d(f) * (1 - m(b)),

    which add up to the gap. Only labelled rows count. A side with one class has no decomposition, with that reason. A group is not
    held against itself; a named reference that is not among ``levels`` gives nothing.

    References
    ----------
    .. [1] L. S. Shapley (1953), A value for n-person games, Contributions to the Theory of Games II, 307-317.

    Examples
    --------
    >>> levels = [Level("f", 100, ("f",)), Level("m", 100, ("m",))]
    >>> cells = CellArrays(tp=[40, 16], fp=[5, 8], tn=[45, 72], fn=[10, 4])
    >>> one = decompose(model="m1", levels=levels, cells=cells)[0]
    >>> [round(part, 4) for part in (one.gap, one.prevalence, one.hit_rate, one.false_alarms)]
    [0.21, 0.21, 0.0, 0.0]
    """
    labelled = CellArrays(cells.tp, cells.fp, cells.tn, cells.fn)
    chosen, others = _sides(reference, levels, labelled)
    if others is None:
        return ()
    sides = [[METRICS[name].measure(Sample(side)) for name in _PARTS] for side in (labelled.take(chosen), others)]
    (b1, t1, f1, r1), (b0, t0, f0, r0) = sides
    base, hits, alarms = ((one.value + two.value) / 2.0 for one, two in ((b1, b0), (t1, t0), (f1, f0)))
    parts = (
        (b1.value - b0.value) * (hits - alarms),
        (t1.value - t0.value) * base,
        (f1.value - f0.value) * (1.0 - base),
    )
    reasons = joined_reasons(_first_reason(b1, t1, f1), _first_reason(b0, t0, f0))
    reasons[others.n == 0] = NO_OTHER_GROUP
    defined = is_none(reasons)
    columns = [optional(r1.value - r0.value), *(optional(np.where(defined, part, np.nan)) for part in parts)]
    name = reference if reference in ("rest", "overall") else _named(reference, levels).name
    names = [levels[i].name for i in chosen.tolist()]
    rows = zip(names, *columns, labelled.take(chosen).n.tolist(), reasons.tolist(), strict=True)
    return tuple(
        Decomposition(model, group, name, gap, prevalence, hit_rate, false_alarms, n, reason)
        for group, gap, prevalence, hit_rate, false_alarms, n, reason in rows
    )


_PARTS = ("base_rate", "tpr", "fpr", "referral_rate")


def _sides(
    reference: str, levels: Sequence[Level], labelled: CellArrays
) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], CellArrays | None]:
    """Positions of the groups, and the reference's labelled counts for each."""
    everyone = np.arange(len(levels), dtype=np.int64)
    if reference == "rest":
        return everyone, labelled.rest()
    if reference == "overall":
        return everyone, labelled.sum().take(np.zeros(len(levels), np.int64))
    if reference != "largest" and all(level.name != reference for level in levels):
        return everyone, None
    position = levels.index(_named(reference, levels))
    others = everyone[everyone != position]
    return others, labelled.take(np.full(len(others), position))


def _named(reference: str, levels: Sequence[Level]) -> Level:
    if reference == "largest":
        known = [level for level in levels if not level.missing] or list(levels)
        return max(known, key=lambda level: level.n)
    return next(level for level in levels if level.name == reference)


def _first_reason(*measures: Measure) -> np.ndarray[tuple[int], np.dtype[np.object_]]:
    reason = measures[0].reason
    for measure in measures[1:]:
        reason = np.where(reason.astype(bool), reason, measure.reason)
    return reason
