"""The logistic stand-in of the published noise study: standardised inputs, an L2 penalty, fitted per fold.

Knows numpy columns only. As a linear model it needs no copy of unchanged inputs: a perturbed row's score follows from what changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

from reporter.errors import InputError, Problem
from reporter.stats.cells import Floats
from reporter.stats.logistic import Logistic, fit_logistic
from reporter.stats.perturbation import Column


class LogisticStandIn:
    """Fits :func:`fit_logistic` on the train rows of a fold; a ``Fitter`` of :func:`run_noise_folds`.

    Parameters
    ----------
    columns
        The model's inputs: numbers without a missing value, arrays of length n.
    label
        n labels, 0 or 1.
    scale
        Inputs that are standardised by mean and standard deviation of the train rows.
    c
        Inverse strength of the penalty.

    Raises
    ------
    InputError
        Inputs that are no numbers or have missing values, labels that are not 0 and 1, a scaled column that is
        no input.

    Examples
    --------
    >>> fit = LogisticStandIn({"x": np.array([0.0, 1.0, 2.0, 3.0])}, [0, 0, 1, 1], scale=["x"])
    >>> fit(np.arange(4), None)(np.array([1, 1]), {"x": np.array([1.0, 2.0])}).round(3).tolist()
    [0.396, 0.604]
    """

    def __init__(
        self, columns: Mapping[str, Column], label: ArrayLike, *, scale: Sequence[str] = (), c: float = 1.0
    ) -> None:
        labels = np.asarray(label, dtype=np.float64)
        problems = [
            Problem(
                f"{name!r} is not a column of numbers without missing values, which the stand-in needs", key="inputs"
            )
            for name, values in columns.items()
            if values.dtype.kind not in "iufb" or not np.isfinite(values.astype(np.float64)).all()
        ]
        problems += [Problem(f"{name!r} is not among the inputs", key="scale") for name in scale if name not in columns]
        if not np.isin(labels, (0.0, 1.0)).all() or len(np.unique(labels)) < 2:
            problems.append(Problem("the labels must be 0 and 1, none missing, and both must occur", key="label"))
        if problems:
            raise InputError(*problems)
        self._names = tuple(columns)
        self._x = np.column_stack([values.astype(np.float64) for values in columns.values()])
        self._labels = labels
        self._scaled = np.array([name in set(scale) for name in columns])
        self._c = c

    def __call__(self, train: NDArray[np.intp], start: object) -> LinearScorer:
        """The model of these rows. ``start``: the last one, to start from."""
        x, labels = self._x[train], self._labels[train]
        if labels.min() == labels.max():
            raise InputError(Problem("a fold's train part has one class only", hint="Use fewer folds or more rows."))
        centre = np.where(self._scaled, x.mean(axis=0), 0.0)
        spread = np.where(self._scaled, x.std(axis=0), 1.0)
        spread[spread == 0] = 1.0
        last = start.fit if isinstance(start, LinearScorer) else None
        fit = fit_logistic((x - centre) / spread, labels, c=self._c, start=last)
        return LinearScorer(fit, self._names, self._x, centre, spread)


class LinearScorer:
    """Scores of (perturbed) rows by a logistic model of standardised inputs."""

    def __init__(self, fit: Logistic, names: tuple[str, ...], x: Floats, centre: Floats, spread: Floats) -> None:
        self.fit = fit
        self._slope = dict(zip(names, (fit.coefficients / spread).tolist(), strict=True))
        self._column = dict(zip(names, x.T, strict=True))
        self._z = fit.intercept + ((x - centre) / spread) @ fit.coefficients

    def __call__(self, rows: NDArray[np.intp], changed: Mapping[str, Column]) -> Floats:
        z = self._z[rows]
        for name, values in changed.items():
            # Exactly 0 where nothing changed, so that an unperturbed row keeps its score to the last digit.
            z += self._slope[name] * (values - self._column[name][rows])
        return np.asarray(expit(z, out=z))
