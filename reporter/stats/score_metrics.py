"""Metrics of the scores: from the moments of a group's scores, and from the fits of its calibration."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from reporter.stats import calibration, intervals
from reporter.stats.cells import Floats, Ints, Objects, is_none, none_reasons
from reporter.stats.measures import (
    NO_CLOSED_FORM,
    NO_NEGATIVE_LABEL,
    NO_POSITIVE_LABEL,
    NO_SCORE,
    NO_VARIANCE,
    TOO_FEW_ROWS,
    Measure,
    Sample,
)


def auc(sample: Sample) -> Measure:
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


def brier(sample: Sample) -> Measure:
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


def mean_score(sample: Sample) -> Measure:
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


def calibration_part(part: str) -> Callable[[Sample], Measure]:
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
