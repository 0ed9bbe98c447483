"""What is said of a model's column: how many rows it leaves without a prediction, and of scores that are not probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporter.config.schema import ModelConfig
from reporter.data.expressions import NOT_FINITE, OUTSIDE
from reporter.data.values import NO

if TYPE_CHECKING:
    from reporter.data.checks import Plan


def model_facts(made: Plan, model: ModelConfig, index: int) -> dict[str, Any]:
    """The facts of one model, as JSON values, with ``notes`` in words."""
    assert made.scan is not None
    margin = made.scan.margin((f"model {index}",))
    bits = made.models[index][margin.codes[:, 0]]
    n_missing = int(margin.n[bits == NO].sum())
    tally = made.score_codes[index]
    n_not_finite = tally.get(NOT_FINITE, 0)
    n_outside = tally.get(OUTSIDE, 0) + tally.get(OUTSIDE + 1, 0)
    return {
        "name": model.name,
        "kind": "prediction" if model.score is None else "score",
        "column": model.score or model.prediction,
        "n_missing": n_missing,
        "n_not_finite": n_not_finite,
        "n_outside": n_outside,
        "notes": _notes(model.score or model.prediction or "", made.n, n_missing, n_not_finite, n_outside),
    }


def _notes(column: str, n: int, n_missing: int, n_not_finite: int, n_outside: int) -> list[str]:
    notes = []
    if n_missing == n:
        notes.append(f"Column {column} has no value in any row: nothing can be said of this model.")
    elif n_missing:
        notes.append(
            f"{_rows(n_missing)} no prediction (column {column} has no usable value there) and count for nothing of this model."
        )
    if n_not_finite:
        notes.append(
            f"{_rows(n_not_finite)} an infinite score or NaN in column {column}, which counts as no prediction."
        )
    if n_outside:
        notes.append(
            f"{_rows(n_outside)} a score outside [0, 1] in column {column}: such scores rank and decide, but are no "
            "probabilities, so that Brier score and calibration are undefined."
        )
    return notes


def _rows(n: int) -> str:
    return "1 row has" if n == 1 else f"{n:,} rows have"
