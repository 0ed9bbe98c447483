"""Three views of the groups of one grouping: each group, everyone else, all rows; each made only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from reporter.stats.calibration import CalibrationFits, fit_calibration
from reporter.stats.cells import CellArrays, Floats
from reporter.stats.measures import NO_COUNTED_TABLE, NO_SCORE_COLUMN, Metric, Sample
from reporter.stats.placements import CrossTable, contained_variances
from reporter.stats.scores import (
    ScoreGrid,
    ScoreMoments,
    ScoreTable,
    moments_from_table,
    rest_moments,
)

MOST_REFITTED = 5_000_000
"""Table rows that may be repeated to fit everyone outside each group; beyond it those fits are not made, which is said."""

TOO_MANY_FITS = "there are too many groups and scores to fit everyone else for each"


@dataclass(frozen=True, eq=False)
class Groups:
    """Counts, moments and tables of one model in one grouping, as given; see ``comparisons.compare``."""

    cells: CellArrays
    scores: ScoreMoments | None = None
    rest_scores: ScoreMoments | None = None
    overall_scores: ScoreMoments | None = None
    table: ScoreTable | ScoreGrid | None = None

    def sample(self, metric: Metric) -> Sample:
        """Each group."""
        base = self._base
        return replace(base, fits=self._fits) if metric.kind == "calibration" else base

    def rest(self, metric: Metric) -> Sample:
        """For each group everyone who is not in it."""
        base = self._rest
        if metric.kind != "calibration" or self.table is None:
            return base
        fits = self._rest_fits
        return replace(base, fits=fits, no_fits=TOO_MANY_FITS if fits is None else base.no_fits)

    def overall(self, metric: Metric) -> Sample:
        """All rows, as one group."""
        base = self._overall
        return replace(base, fits=self._overall_fits) if metric.kind == "calibration" else base

    @cached_property
    def contained_auc_variances(self) -> tuple[Floats, Floats] | None:
        """See :func:`reporter.stats.placements.contained_variances`; None without an exact table."""
        table = self.table
        if not isinstance(table, ScoreTable):
            return None
        cross = CrossTable.of(table.group, table.label, table.score, table.n, len(self.cells))
        return contained_variances(cross, len(self.cells))

    @property
    def _scored(self) -> bool:
        return self.scores is not None or self.table is not None

    @cached_property
    def _base(self) -> Sample:
        return Sample.of(self.cells, self.scores, self.table)

    @cached_property
    def _rest(self) -> Sample:
        scores = self.rest_scores
        if scores is None and len(self.cells) == 2 and self._base.scores is not None:
            scores = self._base.scores.take([1, 0])
        if scores is None and isinstance(self.table, ScoreTable):
            scores = rest_moments(self.table, len(self.cells))
        return self._of(self.cells.rest(), scores)

    @cached_property
    def _overall(self) -> Sample:
        scores = self.overall_scores
        if scores is None and isinstance(self.table, ScoreTable):
            scores = moments_from_table(self.table.pooled(), 1)
        return self._of(self.cells.sum(), scores)

    def _of(self, cells: CellArrays, scores: ScoreMoments | None) -> Sample:
        """With the whole model's answer to whether its scores are probabilities."""
        why = NO_COUNTED_TABLE if self._scored else NO_SCORE_COLUMN
        return Sample(cells, scores, None, self._base.probabilities, no_scores=why, no_fits=why)

    @cached_property
    def _fits(self) -> CalibrationFits | None:
        return None if self.table is None else fit_calibration(self.table, len(self.cells))

    @cached_property
    def _overall_fits(self) -> CalibrationFits | None:
        return None if self.table is None else fit_calibration(self.table.pooled(), 1)

    @cached_property
    def _rest_fits(self) -> CalibrationFits | None:
        table, n_groups = self.table, len(self.cells)
        if table is None or n_groups * len(table) > MOST_REFITTED:
            return None
        keep = np.concatenate([np.flatnonzero(table.group != i) for i in range(n_groups)] or [np.zeros(0, int)])
        outside = np.repeat(np.arange(n_groups), [int((table.group != i).sum()) for i in range(n_groups)])
        if isinstance(table, ScoreTable):
            rest: ScoreTable | ScoreGrid = ScoreTable(outside, table.label[keep], table.score[keep], table.n[keep])
        else:
            rest = ScoreGrid(
                outside, table.label[keep], table.low[keep], table.high[keep], table.n[keep], table.total[keep]
            )
        return fit_calibration(rest, n_groups)
