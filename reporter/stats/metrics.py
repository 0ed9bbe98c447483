"""THE table of metrics: name, aliases, what it needs, which direction is better, and its function.

Adding a metric is one function, one row of METRICS and one reference test. A function turns a :class:`Sample` (counts and
score sums of G groups) into a :class:`Measure` (G values with what their intervals need). Comparisons are unknown here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from reporter.results import Estimate
from reporter.stats import calibration, intervals
from reporter.stats.calibration import CalibrationFits
from reporter.stats.cells import CellArrays, Floats, Ints, Objects, is_none, none_reasons
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


def estimates(
    names: Sequence[str],
    cells: CellArrays,
    *,
    confidence: float = 0.95,
    scores: ScoreMoments | None = None,
    table: ScoreTable | ScoreGrid | None = None,
) -> dict[str, tuple[Estimate, ...]]:
    """Every metric in ``names`` (canonical names or aliases) for every group: canonical name -> one Estimate per group.

    ``scores`` may be left out when ``table`` is an exact :class:`ScoreTable`; a model without scores has neither. All groups
    are computed together; rates, moments and fits do not depend on the order of rows or groups.

    Raises
    ------
    ValueError
        For an unknown name.

    Examples
    --------
    >>> cells = CellArrays(tp=[8], fp=[1], tn=[9], fn=[2])
    >>> tpr = estimates(["tpr"], cells)["tpr"][0]
    >>> tpr.value, tpr.numerator, tpr.denominator, tpr.method
    (0.8, 8, 10, 'Wilson')
    """
    metrics = [metric(name) for name in names]
    sample = Sample.of(cells, scores, table, fit=any(m.kind == "calibration" for m in metrics))
    return {m.name: to_estimates(m, m.measure(sample), confidence) for m in metrics}


def metric(name: str) -> Metric:
    """The metric of this name or alias.

    >>> metric("selection_rate").name
    'referral_rate'
    """
    try:
        return METRICS[ALIASES.get(name, name)]
    except KeyError:
        raise ValueError(f"unknown metric {name!r}, expected one of {', '.join(METRICS)}") from None


def canonical_name(name: str) -> str:
    """The name in METRICS of a name or alias; ValueError for any other.

    >>> canonical_name("sensitivity")
    'tpr'
    """
    return metric(name).name


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


# Rates: proportions of rows --------------------------------------------------------------------------------------------


def _rate(name: str, top: tuple[str, ...], bottom: tuple[str, ...], undefined: str, **more: Any) -> Metric:
    def measure(sample: Sample) -> Measure:
        cells = sample.cells
        numerator, denominator = _add(cells, top), _add(cells, bottom)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = numerator / denominator
        n = len(cells)
        return Measure(
            value,
            denominator,
            _reason(cells, {undefined: denominator == 0}, labels=undefined != NO_PREDICTION),
            np.full(n, np.nan),
            none_reasons(n),
            numerator,
            denominator,
        )

    def gradient(cells: CellArrays) -> tuple[Floats, Floats]:
        numerator, denominator = _add(cells, top), _add(cells, bottom)
        with np.errstate(divide="ignore", invalid="ignore"):
            value = numerator / denominator
            slopes = [((cell in top) - value * (cell in bottom)) / denominator for cell in CELLS]
        return value, np.stack(slopes)

    needs = "prediction" if undefined == NO_PREDICTION else "label"
    return Metric(
        name,
        "rate",
        needs,  # type: ignore[arg-type]
        method="Wilson",
        measure=measure,
        bounds=(0.0, 1.0),
        top=top,
        bottom=bottom,
        gradient=gradient,
        formula=f"{_bracketed(top)} / {_bracketed(bottom)}",
        undefined=undefined,
        **more,
    )


def _bracketed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"({' + '.join(names)})"


def _add(cells: CellArrays, names: tuple[str, ...]) -> Ints:
    total = getattr(cells, names[0])
    for name in names[1:]:
        total = total + getattr(cells, name)
    return total  # type: ignore[no-any-return]


def _reason(cells: CellArrays, specific: dict[str, NDArray[np.bool_]], *, labels: bool) -> Objects:
    """Why a value is undefined, the broadest true cause winning: no prediction, then no label, then the specific one."""
    reason = none_reasons(len(cells))
    for text, where in specific.items():
        reason[where] = [text if old is None else f"{old}, {text}" for old in reason[where]]
    undefined = ~is_none(reason)
    if labels:
        reason[undefined & (cells.n_labelled == 0)] = NO_LABELLED
    reason[undefined & (cells.n_predicted == 0)] = NO_PREDICTION
    return reason


# Smooth functions of the cells: delta method on the multinomial counts -------------------------------------------------


def _smooth(
    name: str,
    function: Callable[[CellArrays], tuple[Floats, Floats]],
    causes: Callable[[CellArrays], dict[str, NDArray[np.bool_]]],
    *,
    fraction: Callable[[CellArrays], tuple[Ints, Ints]] | None = None,
    **more: Any,
) -> Metric:
    """``function`` gives the value and its gradient by cell (of the log of the value on the log scale), ``causes`` where it is undefined."""
    log = more.get("scale") == "log"

    def measure(sample: Sample) -> Measure:
        cells = sample.cells
        value, slopes = function(cells)
        reason = _reason(cells, causes(cells), labels=True)
        defined = is_none(reason)
        value = np.where(defined, value, np.nan)
        se = delta_error(cells, slopes)
        no_interval = none_reasons(len(cells))
        no_interval[defined & (se == 0)] = NO_VARIANCE
        if log:
            no_interval[defined & (value == 0)] = "the ratio is 0, so its logarithm has no interval"
        se = np.where(is_none(no_interval) & defined, se, np.nan)
        counts: tuple[Any, Any] = fraction(cells) if fraction else (None, None)
        return Measure(value, cells.n_labelled, reason, se, no_interval, *counts)

    return Metric(name, "cells", "label", measure=measure, gradient=function, **more)


def delta_error(cells: CellArrays, slopes: Floats) -> Floats:
    """sqrt(sum over cells of count * slope^2): for functions that do not change when all counts double, the multinomial delta method."""
    counts = np.stack([getattr(cells, cell) for cell in CELLS])
    with np.errstate(invalid="ignore", over="ignore"):
        return np.asarray(np.sqrt(np.where(counts > 0, counts * slopes**2, 0.0).sum(axis=0)), np.float64)


def _floats(cells: CellArrays) -> tuple[Floats, Floats, Floats, Floats]:
    return tuple(array.astype(np.float64) for array in (cells.tp, cells.fp, cells.tn, cells.fn))  # type: ignore[return-value]


def _gradient(value: Floats, tp: Floats, fp: Floats, tn: Floats, fn: Floats) -> tuple[Floats, Floats]:
    zero = np.zeros(value.shape)
    return value, np.stack((tp, fp, tn, fn, zero, zero))


def _balanced_accuracy(cells: CellArrays) -> tuple[Floats, Floats]:
    """(tpr + tnr) / 2."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient(
            (tp / p + tn / n) / 2, fn / (2 * p * p), -tn / (2 * n * n), fp / (2 * n * n), -tp / (2 * p * p)
        )


def _f1(cells: CellArrays) -> tuple[Floats, Floats]:
    """2 tp / (2 tp + fp + fn)."""
    tp, fp, _, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = 2 * tp + fp + fn
        error = -2 * tp / (d * d)
        return _gradient(2 * tp / d, 2 * (fp + fn) / (d * d), error, 0 * tp, error)


def _mcc(cells: CellArrays) -> tuple[Floats, Floats]:
    """(tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn)), in float64."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        a, b, c, e = tp + fp, tp + fn, tn + fp, tn + fn
        root = np.sqrt(a * b * c * e)
        value = (tp * tn - fp * fn) / root
        return _gradient(
            value,
            tn / root - value / 2 * (1 / a + 1 / b),
            -fn / root - value / 2 * (1 / a + 1 / c),
            tp / root - value / 2 * (1 / c + 1 / e),
            -fp / root - value / 2 * (1 / b + 1 / e),
        )


def _positive_likelihood_ratio(cells: CellArrays) -> tuple[Floats, Floats]:
    """tpr / fpr; the gradient is that of its logarithm."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient((tp / p) / (fp / n), 1 / tp - 1 / p, 1 / n - 1 / fp, 1 / n, -1 / p)


def _negative_likelihood_ratio(cells: CellArrays) -> tuple[Floats, Floats]:
    """fnr / tnr; the gradient is that of its logarithm."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient((fn / p) / (tn / n), -1 / p, 1 / n, 1 / n - 1 / tn, 1 / fn - 1 / p)


def _missing_class(cells: CellArrays) -> dict[str, NDArray[np.bool_]]:
    return {NO_POSITIVE_LABEL: cells.tp + cells.fn == 0, NO_NEGATIVE_LABEL: cells.tn + cells.fp == 0}


def _missing_margin(cells: CellArrays) -> dict[str, NDArray[np.bool_]]:
    return {
        **_missing_class(cells),
        NOBODY_PREDICTED: cells.tp + cells.fp == 0,
        EVERYBODY_PREDICTED: cells.tn + cells.fn == 0,
    }


# Counts and scores -----------------------------------------------------------------------------------------------------


def _predicted_positives(sample: Sample) -> Measure:
    """tp + fp, and unlabelled rows predicted 1: a count."""
    cells = sample.cells
    count = cells.tp + cells.fp + cells.unlabelled_positive
    n = len(cells)
    no_interval = np.full(n, COUNT_ONLY, object)
    return Measure(count.astype(np.float64), cells.n_predicted, none_reasons(n), np.full(n, np.nan), no_interval)


def _auc(sample: Sample) -> Measure:
    """The share of pairs (one row labelled 1, one labelled 0) in which the first has the higher score, ties counted half."""
    m = sample.scores
    if m is None:
        return _nothing(sample, sample.no_scores)
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs = m.n1.astype(np.float64) * m.n0
        value = m.placements.astype(np.float64) / (2.0 * pairs)
    variance = intervals.delong_variance(m.n1, m.n0, m.placements, m.squares1, m.squares0)
    reason = _score_reason(m.n1 + m.n0, calibration.NO_LABELLED_SCORE, m.n)
    for text, empty in ((NO_POSITIVE_LABEL, m.n1 == 0), (NO_NEGATIVE_LABEL, m.n0 == 0)):
        reason[empty & (m.n1 + m.n0 > 0)] = text
    return _with_error(value, m.n1 + m.n0, reason, variance)


def _brier(sample: Sample) -> Measure:
    """The mean of (score - label)^2."""
    m = sample.scores
    if m is None:
        return _nothing(sample, sample.no_scores)
    n = m.n1 + m.n0
    reason = _score_reason(n, calibration.NO_LABELLED_SCORE, m.n)
    if not sample.probabilities:
        reason[:] = calibration.OUTSIDE
    value, variance = _mean(m.error2, m.error4, n)
    return _with_error(value, n, reason, variance)


def _mean_score(sample: Sample) -> Measure:
    """The mean of the scores, labelled or not."""
    m = sample.scores
    if m is None:
        return _nothing(sample, sample.no_scores)
    value, variance = _mean(m.total, m.total2, m.n)
    return _with_error(value, m.n, _score_reason(m.n, NO_SCORE, m.n), variance)


def _mean(first: Floats, second: Floats, n: Ints) -> tuple[Floats, Floats]:
    """Mean, and variance of the mean, from sums of values and of squares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = first / n
        spread = second / n - mean**2
        spread = np.where(spread <= 1e-14 * mean**2, 0.0, spread)  # what rounding leaves of equal values
        return mean, np.where(n > 1, spread / (n - 1.0), np.nan)


def _calibration(part: str) -> Callable[[Sample], Measure]:
    def measure(sample: Sample) -> Measure:
        fits = sample.fits
        if fits is None:
            return _nothing(sample, sample.no_fits)
        n = len(sample)
        if part == "error":
            no_interval = np.full(n, NO_CLOSED_FORM, object)
            return Measure(fits.error, fits.n, fits.error_reason, np.full(n, np.nan), no_interval)
        return Measure(getattr(fits, part), fits.n, fits.reason, getattr(fits, f"{part}_se"), none_reasons(n))

    return measure


def _nothing(sample: Sample, text: str) -> Measure:
    n = len(sample)
    reason = np.full(n, text, object)
    return Measure(np.full(n, np.nan), np.zeros(n, np.int64), reason, np.full(n, np.nan), none_reasons(n))


def _score_reason(n: Ints, text: str, scored: Ints) -> Objects:
    reason = none_reasons(len(n))
    reason[n == 0] = text
    reason[scored == 0] = NO_SCORE
    return reason


def _with_error(value: Floats, n: Ints, reason: Objects, variance: Floats) -> Measure:
    defined = is_none(reason)
    no_interval = none_reasons(len(n))
    no_interval[defined & np.isnan(variance)] = TOO_FEW_ROWS
    no_interval[defined & (variance == 0)] = NO_VARIANCE
    se = np.where(defined & (variance > 0), np.sqrt(np.where(variance > 0, variance, 0.0)), np.nan)
    return Measure(np.where(defined, value, np.nan), n, reason, se, no_interval)


_LABELLED = ("tp", "fp", "tn", "fn")
_SHARE = (0.0, 1.0)
_NO_FIT = "scores outside [0, 1], one class, equal scores, or scores that separate the labels without overlap"

_ROWS: tuple[Metric, ...] = (
    _rate("accuracy", ("tp", "tn"), _LABELLED, NO_LABELLED, better="high"),
    _smooth(
        "balanced_accuracy", _balanced_accuracy, _missing_class,
        better="high", method="delta method", bounds=_SHARE, formula="(tpr + tnr) / 2", undefined=f"{NO_POSITIVE_LABEL}, or {NO_NEGATIVE_LABEL}",
    ),
    _rate(
        "referral_rate", ("tp", "fp", "unlabelled_positive"), (*_LABELLED, "unlabelled_positive", "unlabelled_negative"),
        NO_PREDICTION, better="high", aliases=("selection_rate", "acceptance_rate"),
    ),
    _rate("base_rate", ("tp", "fn"), _LABELLED, NO_LABELLED, better=None, aliases=("prevalence",)),
    _rate("tpr", ("tp",), ("tp", "fn"), NO_POSITIVE_LABEL, better="high", complement="fnr", aliases=("sensitivity", "recall")),
    _rate("fnr", ("fn",), ("tp", "fn"), NO_POSITIVE_LABEL, better="low", complement="tpr"),
    _rate("tnr", ("tn",), ("tn", "fp"), NO_NEGATIVE_LABEL, better="high", complement="fpr", aliases=("specificity",)),
    _rate("fpr", ("fp",), ("tn", "fp"), NO_NEGATIVE_LABEL, better="low", complement="tnr"),
    _rate("ppv", ("tp",), ("tp", "fp"), NOBODY_PREDICTED, better="high", complement="fdr", aliases=("precision",)),
    _rate("fdr", ("fp",), ("tp", "fp"), NOBODY_PREDICTED, better="low", complement="ppv"),
    _rate("npv", ("tn",), ("tn", "fn"), EVERYBODY_PREDICTED, better="high", complement="for"),
    _rate("for", ("fn",), ("tn", "fn"), EVERYBODY_PREDICTED, better="low", complement="npv"),
    _smooth(
        "f1", _f1, lambda c: {f"{NO_POSITIVE_LABEL} and {NOBODY_PREDICTED}": c.tp + c.fp + c.fn == 0},
        fraction=lambda c: (2 * c.tp, 2 * c.tp + c.fp + c.fn),
        better="high", method="delta method", bounds=_SHARE, formula="2 tp / (2 tp + fp + fn)", undefined=f"{NO_POSITIVE_LABEL} and {NOBODY_PREDICTED}",
    ),
    _smooth(
        "mcc", _mcc, _missing_margin, better="high", method="delta method", bounds=(-1.0, 1.0),
        formula="(tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
        undefined=f"one class is missing, {NOBODY_PREDICTED}, or {EVERYBODY_PREDICTED}",
    ),
    Metric(
        "predicted_positives", "count", "prediction", None, "", _predicted_positives, bounds=(0.0, np.inf), formula="tp + fp", undefined="never"
    ),
    _smooth(
        "positive_likelihood_ratio", _positive_likelihood_ratio,
        lambda c: {**_missing_class(c), "nobody labelled 0 was predicted 1": (c.fp == 0) & (c.tn > 0)},
        better="high", method="delta method on the logarithm", scale="log", bounds=(0.0, np.inf), formula="tpr / fpr", undefined="one class is missing, or fpr is 0",
    ),
    _smooth(
        "negative_likelihood_ratio", _negative_likelihood_ratio,
        lambda c: {**_missing_class(c), "nobody labelled 0 was predicted 0": (c.tn == 0) & (c.fp > 0)},
        better="low", method="delta method on the logarithm", scale="log", bounds=(0.0, np.inf), formula="fnr / tnr", undefined="one class is missing, or tnr is 0",
    ),
    Metric("auc", "score", "label and score", "high", "DeLong", _auc, bounds=_SHARE, formula="U / (n1 n0), ties count one half", undefined=f"{NO_POSITIVE_LABEL}, or {NO_NEGATIVE_LABEL}"),
    Metric("brier", "score", "label and score", "low", "normal", _brier, bounds=_SHARE, formula="mean of (score - label)^2", undefined="no labelled row has a score, or scores outside [0, 1]"),
    Metric("mean_score", "score", "score", None, "normal", _mean_score, formula="mean of the scores", undefined=NO_SCORE),
    Metric(
        "calibration_intercept", "calibration", "label and score", None, "logistic fit", _calibration("intercept"),
        formula="a of label ~ a + b logit(score)", undefined=_NO_FIT,
    ),
    Metric(
        "calibration_slope", "calibration", "label and score", None, "logistic fit", _calibration("slope"),
        formula="b of label ~ a + b logit(score)", undefined=_NO_FIT,
    ),
    Metric(
        "expected_calibration_error", "calibration", "label and score", "low", "", _calibration("error"), bounds=_SHARE,
        formula=f"mean over {calibration.BINS} equal bins of [0, 1], by rows, of |mean score - observed rate|",
        undefined="no labelled row has a score, or scores outside [0, 1]",
    ),
)  # fmt: skip

METRICS: dict[str, Metric] = {row.name: row for row in _ROWS}
"""Every metric by its canonical name, in the order of a report."""

ALIASES: dict[str, str] = {alias: row.name for row in _ROWS for alias in row.aliases}
"""Other accepted names."""
