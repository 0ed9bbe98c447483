"""Release against release: the change of each rate and each gap, and what became of each verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporter.results import Comparison, Estimate, RateChange, VerdictChange
from reporter.stats.cells import CellArrays
from reporter.stats.paired import JointCells, JointScores
from reporter.stats.scores import ScoreMoments


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
    """New minus old per metric and group. ``joint`` (first = old, second = new) makes it paired, else independent."""
    raise NotImplementedError


def verdict_changes(
    old: Sequence[Comparison],
    new: Sequence[Comparison],
    *,
    joints: Mapping[str, tuple[Sequence[str], JointCells]] | None = None,
    confidence: float = 0.95,
) -> tuple[VerdictChange, ...]:
    """What became of each finding of either release, with the change of its gap.

    ``joints``: grouping -> (names of its groups, joint counts) where both releases were scored on the same rows.
    """
    raise NotImplementedError


def gap_change(old: Estimate, new: Estimate) -> Estimate:
    """New gap minus old gap for independent rows, by the MOVER combination of their intervals."""
    raise NotImplementedError
