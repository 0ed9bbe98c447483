"""Metrics of the cells: rates (a numerator and a denominator) and smooth functions (a value and its gradient by cell)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from reporter.stats.cells import CellArrays, Floats, Ints, Objects, is_none, none_reasons
from reporter.stats.measures import (
    CELLS,
    COUNT_ONLY,
    EVERYBODY_PREDICTED,
    NO_LABELLED,
    NO_NEGATIVE_LABEL,
    NO_POSITIVE_LABEL,
    NO_PREDICTION,
    NO_VARIANCE,
    NOBODY_PREDICTED,
    Measure,
    Metric,
    Sample,
)


def rate(name: str, top: tuple[str, ...], bottom: tuple[str, ...], undefined: str, **more: Any) -> Metric:
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


def smooth(
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


def balanced_accuracy(cells: CellArrays) -> tuple[Floats, Floats]:
    """(tpr + tnr) / 2."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient(
            (tp / p + tn / n) / 2, fn / (2 * p * p), -tn / (2 * n * n), fp / (2 * n * n), -tp / (2 * p * p)
        )


def f1(cells: CellArrays) -> tuple[Floats, Floats]:
    """2 tp / (2 tp + fp + fn)."""
    tp, fp, _, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        d = 2 * tp + fp + fn
        error = -2 * tp / (d * d)
        return _gradient(2 * tp / d, 2 * (fp + fn) / (d * d), error, 0 * tp, error)


def mcc(cells: CellArrays) -> tuple[Floats, Floats]:
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


def positive_likelihood_ratio(cells: CellArrays) -> tuple[Floats, Floats]:
    """tpr / fpr; the gradient is that of its logarithm."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient((tp / p) / (fp / n), 1 / tp - 1 / p, 1 / n - 1 / fp, 1 / n, -1 / p)


def negative_likelihood_ratio(cells: CellArrays) -> tuple[Floats, Floats]:
    """fnr / tnr; the gradient is that of its logarithm."""
    tp, fp, tn, fn = _floats(cells)
    with np.errstate(divide="ignore", invalid="ignore"):
        p, n = tp + fn, tn + fp
        return _gradient((fn / p) / (tn / n), -1 / p, 1 / n, 1 / n - 1 / tn, 1 / fn - 1 / p)


def missing_class(cells: CellArrays) -> dict[str, NDArray[np.bool_]]:
    return {NO_POSITIVE_LABEL: cells.tp + cells.fn == 0, NO_NEGATIVE_LABEL: cells.tn + cells.fp == 0}


def missing_margin(cells: CellArrays) -> dict[str, NDArray[np.bool_]]:
    return {
        **missing_class(cells),
        NOBODY_PREDICTED: cells.tp + cells.fp == 0,
        EVERYBODY_PREDICTED: cells.tn + cells.fn == 0,
    }


def predicted_positives(sample: Sample) -> Measure:
    """tp + fp, and unlabelled rows predicted 1: a count."""
    cells = sample.cells
    count = cells.tp + cells.fp + cells.unlabelled_positive
    n = len(cells)
    no_interval = np.full(n, COUNT_ONLY, object)
    return Measure(count.astype(np.float64), cells.n_predicted, none_reasons(n), np.full(n, np.nan), no_interval)
