"""Why referral rates differ: the gap split into prevalence, hit rate and false alarms."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.results import Decomposition, Level
from reporter.stats.cells import CellArrays


def decompose(
    *, model: str, levels: Sequence[Level], cells: CellArrays, reference: str = "rest"
) -> tuple[Decomposition, ...]:
    """One decomposition per group against ``reference`` ("rest", "overall", "largest" or a group's name)."""
    raise NotImplementedError
