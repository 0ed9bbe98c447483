"""Calibration per group: the logistic recalibration fit and the expected calibration error, from score tables or grids.

The fit is label ~ intercept + slope * logit(score); a calibrated model has intercept 0 and slope 1. A grid stands for its rows by
the mean score of each bin. Nothing here knows of metrics, references or reports.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from reporter.stats.cells import Floats, Ints, Objects, is_none, none_reasons
from reporter.stats.scores import ScoreGrid, ScoreTable

INSIDE = 1e-6
"""Scores of exactly 0 or 1 are moved this far inside for the fit, since their logit is infinite."""

BINS = 10
"""Number of equal bins of [0, 1] behind the expected calibration error."""

OUTSIDE = "scores lie outside [0, 1], so they are not probabilities"
NO_LABELLED_SCORE = "no row has both a label and a score"
ONE_CLASS = "all labels are the same, so no curve can be fitted"
SEPARATED = "the scores separate the labels without overlap, so the fit has no finite answer"
CONSTANT = "all scores are equal, so no curve can be fitted"
NOT_CONVERGED = "the fit did not converge"


@dataclass(frozen=True, slots=True, eq=False)
class CalibrationFits:
    """The fit of each of G groups: estimates, standard errors (NaN where undefined), rows used, reasons, binned error."""

    intercept: Floats
    intercept_se: Floats
    slope: Floats
    slope_se: Floats
    n: Ints
    reason: Objects
    error: Floats
    error_reason: Objects

    def take(self, index: ArrayLike) -> CalibrationFits:
        """The groups at these positions."""
        chosen = np.atleast_1d(np.asarray(index, dtype=np.int64))
        return CalibrationFits(*(getattr(self, name)[chosen] for name in self.__slots__))


def fit_calibration(table: ScoreTable | ScoreGrid, n_groups: int) -> CalibrationFits:
    """Intercept, slope and expected calibration error of groups 0 to ``n_groups - 1``, all fitted at once by Newton's method.

    Undefined, with a reason: scores outside [0, 1] anywhere in the table, no labelled row, one class, equal scores, scores that separate the labels.

    References
    ----------
    .. [1] D. R. Cox (1958), Two further applications of a model for binary regression, Biometrika 45, 562-565.

    Examples
    --------
    >>> table = ScoreTable([0] * 4, [0, 1, 0, 1], [0.2, 0.2, 0.8, 0.8], [80, 20, 20, 80])
    >>> fits = fit_calibration(table, 1)
    >>> round(float(fits.slope[0]), 6), abs(round(float(fits.intercept[0]), 6)), round(float(fits.error[0]), 6)
    (1.0, 0.0, 0.0)
    """
    keep = table.label >= 0
    group, label, n = table.group[keep], table.label[keep], table.n[keep]
    score = scores_of(table)[keep]
    rows = np.bincount(group, weights=n, minlength=n_groups).astype(np.int64)
    everything = scores_of(table) if isinstance(table, ScoreTable) else np.concatenate((table.low, table.high))
    outside = len(everything) > 0 and bool(everything.min() < 0 or everything.max() > 1)
    empty = np.full(n_groups, np.nan)
    error_reason = none_reasons(n_groups)
    error_reason[rows == 0] = NO_LABELLED_SCORE
    if outside:
        error_reason[:] = OUTSIDE
        return CalibrationFits(empty, empty, empty, empty, rows, error_reason, empty, error_reason)
    error = _expected_error(group, label, score, n, n_groups)
    reason = _unfit(group, label, score, n, n_groups)
    logit = special.logit(np.clip(score, INSIDE, 1.0 - INSIDE))
    fitted = is_none(reason)
    use = fitted[group]
    parameters, errors, converged = _newton(group[use], label[use], logit[use], n[use], n_groups)
    reason[fitted & ~converged] = NOT_CONVERGED
    good = fitted & converged
    parameters = np.where(np.abs(parameters) < 1e-12, 0.0, parameters)  # what is left of an exact 0
    parameters = np.where(good, parameters, np.nan)
    errors = np.where(good, errors, np.nan)
    return CalibrationFits(parameters[0], errors[0], parameters[1], errors[1], rows, reason, error, error_reason)


def bin_edges(bins: int, low: float = 0.0, high: float = 1.0) -> Floats:
    """The ends of equal bins: 0.0, 0.1, ..., 1.0 as these decimals are written."""
    return np.asarray([low + (high - low) * i / bins for i in range(bins + 1)], np.float64)


def bin_of(score: Floats, edges: Floats) -> Ints:
    """The bin ``[edges[i], edges[i+1])`` of each score; the last one includes its end."""
    place = np.searchsorted(edges, score, side="right") - 1
    return np.clip(place, 0, len(edges) - 2).astype(np.int64)


def scores_of(table: ScoreTable | ScoreGrid) -> Floats:
    """The score that stands for each row of a table: its own, or the mean of its bin."""
    if isinstance(table, ScoreTable):
        return table.score
    return np.clip(table.total / np.maximum(table.n, 1), table.low, table.high)


def _expected_error(group: Ints, label: Ints, score: Floats, n: Ints, n_groups: int) -> Floats:
    """Sum over bins of (rows in the bin / rows) * |mean score - observed rate| = sum of |sum of n * (score - label)| / rows."""
    place = group * BINS + bin_of(score, bin_edges(BINS))
    gaps = np.bincount(place, weights=n * (score - label), minlength=n_groups * BINS)
    rows = np.bincount(group, weights=n, minlength=n_groups)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(gaps).reshape(n_groups, BINS).sum(axis=1) / rows, np.float64)


def _unfit(group: Ints, label: Ints, score: Floats, n: Ints, n_groups: int) -> Objects:
    """Why no finite fit exists; by what the two classes' score ranges show."""
    lowest = np.full((2, n_groups), np.inf)
    highest = np.full((2, n_groups), -np.inf)
    np.minimum.at(lowest, (label, group), score)
    np.maximum.at(highest, (label, group), score)
    rows = np.zeros((2, n_groups))
    np.add.at(rows, (label, group), n)
    reason = none_reasons(n_groups)
    reason[~((lowest[1] < highest[0]) & (lowest[0] < highest[1]))] = SEPARATED
    reason[np.minimum(*lowest) == np.maximum(*highest)] = CONSTANT
    reason[(rows == 0).any(axis=0)] = ONE_CLASS
    reason[(rows == 0).all(axis=0)] = NO_LABELLED_SCORE
    return reason


def _newton(
    group: Ints, label: Ints, logit: Floats, n: Ints, n_groups: int
) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """Maximum likelihood of all groups together: parameters (2, G), standard errors (2, G), convergence (G,)."""
    y, weight = label.astype(np.float64), n.astype(np.float64)
    present = np.bincount(group, minlength=n_groups) > 0
    a, b = np.zeros(n_groups), np.ones(n_groups)

    def sums(values: Floats) -> Floats:
        return np.asarray(np.bincount(group, weights=values, minlength=n_groups), np.float64)

    def loss(a: Floats, b: Floats) -> Floats:
        eta = a[group] + b[group] * logit
        return sums(weight * (np.logaddexp(0.0, eta) - y * eta))

    def information(a: Floats, b: Floats) -> tuple[Floats, ...]:
        fitted = special.expit(a[group] + b[group] * logit)
        spread = weight * fitted * (1.0 - fitted)
        gap = weight * (y - fitted)
        return sums(gap), sums(gap * logit), sums(spread), sums(spread * logit), sums(spread * logit**2)

    current = loss(a, b)
    converged = np.zeros(n_groups, bool)
    for _ in range(100):
        ga, gb, haa, hab, hbb = information(a, b)
        with np.errstate(divide="ignore", invalid="ignore"):
            determinant = haa * hbb - hab * hab
            da = (hbb * ga - hab * gb) / determinant
            db = (haa * gb - hab * ga) / determinant
        # A group that has converged stays where it is, so that its numbers do not depend on the other groups.
        moving = present & ~converged
        da, db = (np.where(np.isfinite(step) & moving, step, 0.0) for step in (da, db))
        scale = np.ones(n_groups)
        for _ in range(40):  # halve until the likelihood does not fall
            trial = loss(a + scale * da, b + scale * db)
            worse = trial > current + 1e-12 * np.abs(current)
            if not worse.any():
                break
            scale = np.where(worse, scale / 2.0, scale)
        a, b, current = a + scale * da, b + scale * db, trial
        converged = converged | (np.abs(da) <= 1e-10 * (1.0 + np.abs(a))) & (np.abs(db) <= 1e-10 * (1.0 + np.abs(b)))
        if converged[present].all():
            break
    _, _, haa, hab, hbb = information(a, b)
    with np.errstate(divide="ignore", invalid="ignore"):
        determinant = haa * hbb - hab * hab
        errors = np.sqrt(np.stack((hbb, haa)) / determinant)
    usable = converged & np.isfinite(errors).all(axis=0)
    return np.stack((a, b)), errors, usable
