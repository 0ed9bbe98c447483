"""What a metric is and what it yields: samples of groups in, values with what their intervals need out.

The nouns of :mod:`reporter.stats.metrics`, which holds the table itself, and the reasons why a value or an interval is undefined.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.results import Estimate
from reporter.stats import calibration, intervals
from reporter.stats.calibration import CalibrationFits
from reporter.stats.cells import CellArrays, Floats, Ints, Objects
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable, moments_from_table

NO_PREDICTION = "no row has a prediction"
NO_LABELLED = "no row has both a label and a prediction"
NO_POSITIVE_LABEL = "no row labelled 1"
NO_NEGATIVE_LABEL = "no row labelled 0"
NOBODY_PREDICTED = "nobody was predicted 1"
EVERYBODY_PREDICTED = "everybody was predicted 1"
NO_SCORE_COLUMN = "this model has no score"
NO_SCORE = "no row has a score"
NO_COUNTED_TABLE = "the table of scores was not counted"
NO_VARIANCE = "the variance formula gives exactly 0 here, so there is no interval"
TOO_FEW_ROWS = "fewer than two rows of a class, so there is no interval"
COUNT_ONLY = "a count has no interval"
NO_CLOSED_FORM = "there is no closed-form interval"

CELLS = ("tp", "fp", "tn", "fn", "unlabelled_positive", "unlabelled_negative")
"""The cells that metrics are made of, in the order of gradients."""


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """What is known of G groups for one model.

    ``probabilities``: no score of the model lies outside [0, 1]. ``no_scores`` and ``no_fits`` say why ``scores`` or ``fits`` is absent.
    """

    cells: CellArrays
    scores: ScoreMoments | None = None
    fits: CalibrationFits | None = None
    probabilities: bool = True
    no_scores: str = NO_SCORE_COLUMN
    no_fits: str = NO_SCORE_COLUMN

    def __len__(self) -> int:
        return len(self.cells)

    def take(self, index: ArrayLike) -> Sample:
        """The groups at these positions."""
        return Sample(
            self.cells.take(index),
            None if self.scores is None else self.scores.take(index),
            None if self.fits is None else self.fits.take(index),
            self.probabilities,
            self.no_scores,
            self.no_fits,
        )

    @classmethod
    def of(
        cls,
        cells: CellArrays,
        scores: ScoreMoments | None = None,
        table: ScoreTable | ScoreGrid | None = None,
        *,
        fit: bool = False,
    ) -> Sample:
        """The sample of these counts; moments and (when ``fit``) calibration follow from ``table`` where it is given."""
        if scores is None and isinstance(table, ScoreTable):
            scores = moments_from_table(table, len(cells))
        if scores is not None and len(scores) != len(cells):
            raise ValueError(f"scores of {len(scores)} groups, cells of {len(cells)}")
        fits = calibration.fit_calibration(table, len(cells)) if fit and table is not None else None
        inside = scores is None or not bool(np.any(scores.low < 0) or np.any(scores.high > 1))
        return cls(cells, scores, fits, inside, no_fits=NO_SCORE_COLUMN if scores is None else NO_COUNTED_TABLE)


@dataclass(frozen=True, slots=True, eq=False)
class Measure:
    """One metric of G groups: values (NaN: undefined, with ``reason``) and what intervals and gaps are made from.

    ``se`` is the standard error on ``scale`` ("identity", or "log" of the value); NaN with ``no_interval`` saying why. For a rate,
    ``numerator`` / ``denominator`` are its counts and ``se`` is not used.
    """

    value: Floats
    n: Ints
    reason: Objects
    se: Floats
    no_interval: Objects
    numerator: NDArray[Any] | None = None
    denominator: NDArray[Any] | None = None


@dataclass(frozen=True, slots=True)
class Metric:
    """One row of the table.

    ``kind``: "rate" (a proportion of rows), "cells" (a smooth function of the cells), "count", "score" (from score sums),
    "calibration". ``better``: which value the reference ``best`` looks for (None: neither). ``complement``: the metric that is 1 minus this one.
    ``bounds``: the range of possible values, which intervals do not leave. ``top`` and ``bottom``: the cells of a rate's
    numerator and denominator. ``undefined``: when there is no value. ``gradient``: for kind "cells", value and derivative by cell.
    """

    name: str
    kind: Literal["rate", "cells", "count", "score", "calibration"]
    needs: Literal["prediction", "label", "score", "label and score"]
    better: Literal["high", "low"] | None
    method: str
    measure: Callable[[Sample], Measure]
    aliases: tuple[str, ...] = ()
    complement: str | None = None
    bounds: tuple[float, float] = (-np.inf, np.inf)
    scale: Literal["identity", "log"] = "identity"
    top: tuple[str, ...] = ()
    bottom: tuple[str, ...] = ()
    gradient: Callable[[CellArrays], tuple[Floats, Floats]] | None = None
    formula: str = ""
    undefined: str = ""

    @property
    def family(self) -> str:
        """The name that a metric shares with its complement: their gaps are one question."""
        return min(self.name, self.complement or self.name)

    @property
    def needs_label(self) -> bool:
        """Whether rows without a label are useless for it."""
        return "label" in self.needs

    @property
    def needs_score(self) -> bool:
        """Whether a model with predictions only cannot have it."""
        return "score" in self.needs


def limits(m: Metric, measure: Measure, confidence: float) -> tuple[Floats, Floats]:
    """The interval of each value of a measure, NaN where there is none."""
    if m.kind == "rate":
        return intervals.wilson(*counts_of(measure), confidence)
    if m.scale == "log":
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high = intervals.normal(np.log(measure.value), measure.se, confidence)
            low, high = np.exp(low), np.exp(high)
    else:
        low, high = intervals.normal(measure.value, measure.se, confidence)
    return np.maximum(low, m.bounds[0]), np.minimum(high, m.bounds[1])


def counts_of(measure: Measure) -> tuple[Ints, Ints]:
    """Numerator and denominator of a rate."""
    if measure.numerator is None or measure.denominator is None:
        raise TypeError("the measure is not a rate")
    return measure.numerator, measure.denominator


def to_estimates(m: Metric, measure: Measure, confidence: float) -> tuple[Estimate, ...]:
    """The measure as Estimates, with None for what is undefined."""
    low, high = limits(m, measure, confidence)
    counts = [
        [None] * len(measure.n) if array is None else array.tolist()
        for array in (measure.numerator, measure.denominator)
    ]
    lows = optional(low)
    methods = ["" if one is None else m.method for one in lows]
    reasons = measure.no_interval.copy()
    undefined = np.isnan(measure.value)
    reasons[undefined] = measure.reason[undefined]
    return tuple(
        map(
            Estimate,
            optional(measure.value),
            lows,
            optional(high),
            measure.n.tolist(),
            *counts,
            methods,
            reasons.tolist(),
        )
    )


def optional(values: Floats) -> list[float | None]:
    """NaN as None."""
    return [None if value != value else value for value in values.tolist()]
