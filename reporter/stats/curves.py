"""What scores look like: ROC points, calibration bins and densities per group, from an exact table or a grid.

A grid's ROC points are exact at its bin ends; its calibration and density place all rows of a bin at the bin's mean score.
"""

from __future__ import annotations

from collections.abc import Container, Sequence

import numpy as np

from reporter.results import CalibrationBin, Curves, DensityBin, Estimate, RocPoint
from reporter.stats import intervals
from reporter.stats.calibration import NO_LABELLED_SCORE, OUTSIDE, bin_edges, bin_of, scores_of
from reporter.stats.cells import Floats, Ints
from reporter.stats.measures import NO_NEGATIVE_LABEL, NO_POSITIVE_LABEL, NO_SCORE
from reporter.stats.scores import ScoreGrid, ScoreTable


def curves(
    table: ScoreTable | ScoreGrid,
    *,
    model: str,
    groups: Sequence[str | None],
    confidence: float = 0.95,
    roc_points: int = 200,
    calibration_bins: int = 10,
    density_bins: int = 40,
    only: Container[str | None] | None = None,
) -> tuple[Curves, ...]:
    """One Curves per group position (of the groups in ``only``, if given); for all rows pass ``table.pooled()`` with ``groups=(None,)``.

    ROC: one point per distinct score from nobody (threshold None) down, exact while there are at most ``roc_points``; beyond that the corners of
    the convex hull and points evenly spread over the thresholds, so that no achievable best trade-off is lost. Calibration: equal bins
    of [0, 1] without the empty ones, Wilson intervals; none when any score lies outside. Density: equal bins of [0, 1], or
    of the whole table's range when scores lie outside; unlabelled rows count.

    What is empty is said in ``reason``.

    Examples
    --------
    >>> table = ScoreTable([0, 0, 0], [1, 0, 1], [0.9, 0.5, 0.5])
    >>> (one,) = curves(table, model="m", groups=["a"])
    >>> [(point.threshold, point.fpr, point.tpr) for point in one.roc]
    [(None, 0.0, 0.0), (0.9, 0.0, 0.5), (0.5, 1.0, 1.0)]
    >>> [(b.low, b.n, b.observed.value) for b in one.calibration]
    [(0.5, 2, 0.5), (0.9, 1, 1.0)]
    """
    if len(table) and int(table.group.max()) >= len(groups):
        raise ValueError(f"the table has a group {int(table.group.max())}, expected at most {len(groups) - 1}")
    low, high = _range(table)
    inside = not len(table) or (low >= 0.0 and high <= 1.0)
    if inside:
        low, high = 0.0, 1.0
    elif low == high:
        low, high = low - 0.5, high + 0.5
    density_edges, calibration_edges = bin_edges(density_bins, low, high), bin_edges(calibration_bins)
    edges = np.searchsorted(table.group, np.arange(len(groups) + 1)).tolist()
    score = scores_of(table)
    found = []
    for i, name in enumerate(groups):
        if only is not None and name not in only:
            continue
        rows = slice(edges[i], edges[i + 1])
        label, n, s = table.label[rows], table.n[rows], score[rows]
        cut = s if isinstance(table, ScoreTable) else table.low[rows]
        found.append(
            _one(
                model, name, label, n, s, cut,
                inside=inside, confidence=confidence, roc_points=roc_points,
                density_edges=density_edges, calibration_edges=calibration_edges,
            )
        )  # fmt: skip
    return tuple(found)


def _range(table: ScoreTable | ScoreGrid) -> tuple[float, float]:
    if not len(table):
        return 0.0, 1.0
    if isinstance(table, ScoreTable):
        return float(table.score.min()), float(table.score.max())
    return float(table.low.min()), float(table.high.max())


def _one(
    model: str,
    name: str | None,
    label: Ints,
    n: Ints,
    score: Floats,
    cut: Floats,
    *,
    inside: bool,
    confidence: float,
    roc_points: int,
    density_edges: Floats,
    calibration_edges: Floats,
) -> Curves:
    total = int(n.sum())
    if not total:
        return Curves(model, name, 0, reason=NO_SCORE)
    ones, zeros = int(n[label == 1].sum()), int(n[label == 0].sum())
    reasons = []
    roc: tuple[RocPoint, ...] = ()
    calibration: tuple[CalibrationBin, ...] = ()
    if ones + zeros == 0:
        reasons.append(NO_LABELLED_SCORE)
    else:
        if ones and zeros:
            roc = _roc(label, n, cut, roc_points)
        else:
            reasons.append(f"no ROC curve: {NO_NEGATIVE_LABEL if ones else NO_POSITIVE_LABEL}")
        if inside:
            calibration = _calibration(label, n, score, calibration_edges, confidence)
        else:
            reasons.append(f"no calibration: {OUTSIDE}")
    counts = np.bincount(bin_of(score, density_edges), weights=n, minlength=len(density_edges) - 1)
    ends = density_edges.tolist()
    density = tuple(map(DensityBin, ends[:-1], ends[1:], counts.astype(np.int64).tolist()))
    return Curves(model, name, total, roc, calibration, density, "; ".join(reasons) or None)


def _roc(label: Ints, n: Ints, cut: Floats, most: int) -> tuple[RocPoint, ...]:
    """Points from nobody to everybody; ``cut`` is ascending."""
    thresholds, place = np.unique(cut, return_inverse=True)
    counts = np.zeros((2, len(thresholds)), np.int64)
    known = label >= 0
    np.add.at(counts, (label[known], place[known]), n[known])
    used = counts.sum(axis=0) > 0
    above = np.cumsum(counts[:, used][:, ::-1], axis=1)
    cuts = thresholds[used][::-1]
    x = np.concatenate(([0], above[0]))
    y = np.concatenate(([0], above[1]))
    keep = np.arange(len(x))
    if len(x) > most:
        even = np.linspace(0, len(x) - 1, most).round().astype(np.int64)
        keep = np.union1d(even, _hull(x, y))
    fpr, tpr = (x[keep] / x[-1]).tolist(), (y[keep] / y[-1]).tolist()
    shown = [None if i == 0 else float(cuts[i - 1]) for i in keep.tolist()]
    return tuple(map(RocPoint, shown, fpr, tpr))


def _hull(x: Ints, y: Ints) -> Ints:
    """Positions of the upper convex hull's corners of a rising curve, in whole numbers."""
    corners: list[int] = []
    xs, ys = x.tolist(), y.tolist()
    for i, (px, py) in enumerate(zip(xs, ys, strict=True)):
        while len(corners) > 1:
            a, b = corners[-2], corners[-1]
            if (xs[b] - xs[a]) * (py - ys[a]) < (ys[b] - ys[a]) * (px - xs[a]):
                break
            corners.pop()
        corners.append(i)
    return np.asarray(corners, np.int64)


def _calibration(label: Ints, n: Ints, score: Floats, edges: Floats, confidence: float) -> tuple[CalibrationBin, ...]:
    known = label >= 0
    label, n, score = label[known], n[known], score[known]
    place = bin_of(score, edges)
    size = len(edges) - 1
    rows = np.bincount(place, weights=n, minlength=size).astype(np.int64)
    hits = np.bincount(place, weights=n * label, minlength=size).astype(np.int64)
    sums = np.bincount(place, weights=n * score, minlength=size)
    low, high = intervals.wilson(hits, rows, confidence)
    return tuple(
        CalibrationBin(
            low=float(edges[i]),
            high=float(edges[i + 1]),
            n=int(rows[i]),
            mean_score=float(sums[i] / rows[i]),
            observed=Estimate(
                float(hits[i] / rows[i]), float(low[i]), float(high[i]), int(rows[i]), int(hits[i]), int(rows[i]), "Wilson"
            ),
        )
        for i in np.flatnonzero(rows).tolist()
    )  # fmt: skip
