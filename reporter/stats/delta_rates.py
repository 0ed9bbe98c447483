"""From the count tables of a Δ tree to the outcomes of its rate: who is in the rate's condition, what is an event."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from reporter.stats.delta_counts import MOMENTS

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]
Table = NDArray[Any]


def grouped(table: Table, groups: tuple[tuple[int, ...], ...], axis: int) -> Table:
    """The table with its attribute codes joined to the compared levels."""
    return np.stack([table.take(codes, axis=axis).sum(axis=axis) for codes in groups], axis=axis)


def outcomes(table: Table, rate: str) -> Table:
    """What the rate counts, without the axis of labels.

    For a table (..., 2, models, 3) of joint predictions and labels: joint counts (..., 2, models) of the *event* under
    m1 and m2 among the rows in the rate's condition. referral: predicted 1, all rows. fpr: predicted 1, rows labelled
    0. fnr: predicted 0, rows labelled 1. accuracy: prediction equals label, labelled rows. For ``score`` the moments
    (..., 6) of all rows.

    Examples
    --------
    >>> table = np.arange(12).reshape(2, 2, 3)
    >>> outcomes(table, "fpr").tolist()
    [[0, 3], [6, 9]]
    >>> outcomes(table, "fnr").tolist()
    [[10, 7], [4, 1]]
    """
    if rate == "score":
        return np.asarray(table.sum(axis=-2))
    if rate == "referral":
        return np.asarray(table.sum(axis=-1))
    if rate == "fpr":
        return table[..., 0]
    exchanged = table[..., ::-1, :, :] if table.shape[-2] == 1 else table[..., ::-1, ::-1, :]
    if rate == "fnr":
        return exchanged[..., 1]
    # accuracy: predicted 1 among the labelled 1, predicted 0 among the labelled 0
    return table[..., 1] + exchanged[..., 0]


def labels(table: Table, rate: str) -> Counts:
    """All rows by label: (..., 3), whatever the rate's condition."""
    counts = table[..., MOMENTS.index("n")] if rate == "score" else table.sum(axis=(-3, -2))
    return np.rint(counts).astype(np.int64)


def sizes(outcome: Table, rate: str) -> Counts:
    """The number of rows in the rate's condition: (...)."""
    counts = outcome[..., MOMENTS.index("n")] if rate == "score" else outcome.sum(axis=(-2, -1))
    return np.rint(counts).astype(np.int64)


def moments(outcome: Table, rate: str) -> tuple[Floats, Floats]:
    """Sum of z and sum of z squared: (...)."""
    if rate == "score":
        return outcome[..., MOMENTS.index("z")], outcome[..., MOMENTS.index("zz")]
    if outcome.shape[-1] == 1:
        events = outcome[..., 1, 0].astype(float)
        return events, events
    up, down = outcome[..., 0, 1].astype(float), outcome[..., 1, 0].astype(float)
    return up - down, up + down


def by_z(outcome: Table) -> Counts:
    """Counts by the value of z: (..., 3) for z = 1, -1, 0; with one model (..., 2) for z = 1, 0."""
    if outcome.shape[-1] == 1:
        return outcome[..., ::-1, 0]
    same = outcome[..., 0, 0] + outcome[..., 1, 1]
    return np.stack([outcome[..., 0, 1], outcome[..., 1, 0], same], axis=-1)


def varying(outcome: Table, rate: str) -> Floats:
    """The share of rows whose z is not the commonest value of z in the group: (groups,) from (groups, ...). Where the two
    models mostly agree this is their rate of disagreement. For scores the share of rows with z other than 0."""
    n = np.maximum(sizes(outcome, rate), 1)
    if rate == "score":
        return np.asarray(outcome[..., MOMENTS.index("nonzero")] / n)
    counts = by_z(outcome)
    return np.asarray((counts.sum(axis=-1) - counts.max(axis=-1)) / n)


def event_rates(outcome: Table, rate: str) -> Floats:
    """The rate (or mean score) of each model: (..., models); rows without any row are 0."""
    n = np.maximum(sizes(outcome, rate), 1)[..., None]
    if rate == "score":
        return np.asarray(outcome[..., [MOMENTS.index("s1"), MOMENTS.index("s2")]] / n)
    first = outcome[..., 1, :].sum(axis=-1)
    if outcome.shape[-1] == 1:
        return np.asarray(first[..., None] / n)
    return np.asarray(np.stack([first, outcome[..., :, 1].sum(axis=-1)], axis=-1) / n)
