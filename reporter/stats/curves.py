"""What scores look like: ROC points, calibration bins and densities per group, from an exact table or a grid."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.results import Curves
from reporter.stats.scores import ScoreGrid, ScoreTable


def curves(
    table: ScoreTable | ScoreGrid,
    *,
    model: str,
    groups: Sequence[str | None],
    confidence: float = 0.95,
    roc_points: int = 200,
    calibration_bins: int = 10,
    density_bins: int = 40,
) -> tuple[Curves, ...]:
    """One Curves per group position; for all rows pass ``table.pooled()`` with ``groups=(None,)``."""
    raise NotImplementedError
