"""THE table of metrics: name, aliases, what it needs, which direction is better, and its function.

Adding a metric is one function, one row of METRICS and one reference test. A function turns a ``Sample`` (counts and score sums of G groups)
into a ``Measure`` (G values with what their intervals need); see :mod:`reporter.stats.measures`. Comparisons are unknown here.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from reporter.results import Estimate
from reporter.stats import calibration, cell_metrics, score_metrics
from reporter.stats.cell_metrics import rate, smooth
from reporter.stats.cells import CellArrays
from reporter.stats.measures import (
    EVERYBODY_PREDICTED,
    NO_LABELLED,
    NO_NEGATIVE_LABEL,
    NO_POSITIVE_LABEL,
    NO_PREDICTION,
    NO_SCORE,
    NOBODY_PREDICTED,
    Metric,
    Sample,
    to_estimates,
)
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable


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


_LABELLED = ("tp", "fp", "tn", "fn")
_SHARE = (0.0, 1.0)
_NO_FIT = "scores outside [0, 1], one class, equal scores, or scores that separate the labels without overlap"

_ROWS: tuple[Metric, ...] = (
    rate("accuracy", ("tp", "tn"), _LABELLED, NO_LABELLED, better="high"),
    smooth(
        "balanced_accuracy", cell_metrics.balanced_accuracy, cell_metrics.missing_class,
        better="high", method="delta method", bounds=_SHARE, formula="(tpr + tnr) / 2", undefined=f"{NO_POSITIVE_LABEL}, or {NO_NEGATIVE_LABEL}",
    ),
    rate(
        "referral_rate", ("tp", "fp", "unlabelled_positive"), (*_LABELLED, "unlabelled_positive", "unlabelled_negative"),
        NO_PREDICTION, better="high", aliases=("selection_rate", "acceptance_rate"),
    ),
    rate("base_rate", ("tp", "fn"), _LABELLED, NO_LABELLED, better=None, aliases=("prevalence",)),
    rate("tpr", ("tp",), ("tp", "fn"), NO_POSITIVE_LABEL, better="high", complement="fnr", aliases=("sensitivity", "recall")),
    rate("fnr", ("fn",), ("tp", "fn"), NO_POSITIVE_LABEL, better="low", complement="tpr"),
    rate("tnr", ("tn",), ("tn", "fp"), NO_NEGATIVE_LABEL, better="high", complement="fpr", aliases=("specificity",)),
    rate("fpr", ("fp",), ("tn", "fp"), NO_NEGATIVE_LABEL, better="low", complement="tnr"),
    rate("ppv", ("tp",), ("tp", "fp"), NOBODY_PREDICTED, better="high", complement="fdr", aliases=("precision",)),
    rate("fdr", ("fp",), ("tp", "fp"), NOBODY_PREDICTED, better="low", complement="ppv"),
    rate("npv", ("tn",), ("tn", "fn"), EVERYBODY_PREDICTED, better="high", complement="for"),
    rate("for", ("fn",), ("tn", "fn"), EVERYBODY_PREDICTED, better="low", complement="npv"),
    smooth(
        "f1", cell_metrics.f1, lambda c: {f"{NO_POSITIVE_LABEL} and {NOBODY_PREDICTED}": c.tp + c.fp + c.fn == 0},
        fraction=lambda c: (2 * c.tp, 2 * c.tp + c.fp + c.fn),
        better="high", method="delta method", bounds=_SHARE, formula="2 tp / (2 tp + fp + fn)", undefined=f"{NO_POSITIVE_LABEL} and {NOBODY_PREDICTED}",
    ),
    smooth(
        "mcc", cell_metrics.mcc, cell_metrics.missing_margin, better="high", method="delta method", bounds=(-1.0, 1.0),
        formula="(tp tn - fp fn) / sqrt((tp + fp)(tp + fn)(tn + fp)(tn + fn))",
        undefined=f"one class is missing, {NOBODY_PREDICTED}, or {EVERYBODY_PREDICTED}",
    ),
    Metric(
        "predicted_positives", "count", "prediction", None, "", cell_metrics.predicted_positives, bounds=(0.0, np.inf), formula="tp + fp", undefined="never"
    ),
    smooth(
        "positive_likelihood_ratio", cell_metrics.positive_likelihood_ratio,
        lambda c: {**cell_metrics.missing_class(c), "nobody labelled 0 was predicted 1": (c.fp == 0) & (c.tn > 0)},
        better="high", method="delta method on the logarithm", scale="log", bounds=(0.0, np.inf), formula="tpr / fpr", undefined="one class is missing, or fpr is 0",
    ),
    smooth(
        "negative_likelihood_ratio", cell_metrics.negative_likelihood_ratio,
        lambda c: {**cell_metrics.missing_class(c), "nobody labelled 0 was predicted 0": (c.tn == 0) & (c.fp > 0)},
        better="low", method="delta method on the logarithm", scale="log", bounds=(0.0, np.inf), formula="fnr / tnr", undefined="one class is missing, or tnr is 0",
    ),
    Metric("auc", "score", "label and score", "high", "DeLong", score_metrics.auc, bounds=_SHARE, formula="U / (n1 n0), ties count one half", undefined=f"{NO_POSITIVE_LABEL}, or {NO_NEGATIVE_LABEL}"),
    Metric("brier", "score", "label and score", "low", "normal", score_metrics.brier, bounds=_SHARE, formula="mean of (score - label)^2", undefined="no labelled row has a score, or scores outside [0, 1]"),
    Metric("mean_score", "score", "score", None, "normal", score_metrics.mean_score, formula="mean of the scores", undefined=NO_SCORE),
    Metric(
        "calibration_intercept", "calibration", "label and score", None, "logistic fit", score_metrics.calibration_part("intercept"),
        formula="a of label ~ a + b logit(score)", undefined=_NO_FIT,
    ),
    Metric(
        "calibration_slope", "calibration", "label and score", None, "logistic fit", score_metrics.calibration_part("slope"),
        formula="b of label ~ a + b logit(score)", undefined=_NO_FIT,
    ),
    Metric(
        "expected_calibration_error", "calibration", "label and score", "low", "", score_metrics.calibration_part("error"), bounds=_SHARE,
        formula=f"mean over {calibration.BINS} equal bins of [0, 1], by rows, of |mean score - observed rate|",
        undefined="no labelled row has a score, or scores outside [0, 1]",
    ),
)  # fmt: skip

METRICS: dict[str, Metric] = {row.name: row for row in _ROWS}
"""Every metric by its canonical name, in the order of a report."""

ALIASES: dict[str, str] = {alias: row.name for row in _ROWS for alias in row.aliases}
"""Other accepted names."""
