"""From sums over rows to the points of a noise curve: statistics of each repeat, then their mean and Monte-Carlo error.

Knows arrays only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from reporter.results import NoisePoint
from reporter.stats.agreement import agreement_arrays
from reporter.stats.cells import Floats
from reporter.stats.icc import icc_a1_of_pairs

STATISTICS = (
    "kappa",
    "pabak",
    "prevalence_adjusted_kappa",
    "bias_adjusted_kappa",
    "icc_a1",
    "bias_index",
    "prevalence_index",
    "mean_score",
    "referral_rate",
)
"""In this order in every array and table. mean_score and referral_rate are those of the perturbed rows."""


N_SUMS = 5
"""Predicted 1 again; predicted 1 both times; sums of the score's change d, of d^2 and of (r - mean r) d."""


def repeat_statistics(n: ArrayLike, n_one: ArrayLike, mean_r: ArrayLike, s_rr: ArrayLike, totals: Floats) -> Floats:
    """All statistics of each repeat, level and group, NaN where undefined; shape (repeats, levels, groups, statistics).

    Parameters
    ----------
    n, n_one, mean_r, s_rr
        Of the original scores per group, shape (groups,): rows, rows predicted 1, mean, centred sum of squares.
    totals
        (repeats, levels, groups, 5): rows predicted 1 again, predicted 1 both times, and the sums of the score's change d, of
        d^2 and of (r - mean r) d.
    """
    size, n_one, mean, s_rr = (np.asarray(value, dtype=np.float64) for value in (n, n_one, mean_r, s_rr))
    again, both, sum_d, sum_dd, sum_rd = np.moveaxis(totals, -1, 0)
    a, b, c = both, again - both, n_one - both
    found = agreement_arrays(a, b, c, size - a - b - c)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_d = sum_d / size
        s_dd = np.maximum(sum_dd - size * mean_d**2, 0.0)
        # The mean of both scores is r + d/2.
        icc = icc_a1_of_pairs(size, mean_d, s_rr + sum_rd + s_dd / 4, s_dd)
        columns = {
            "kappa": found.kappa,
            "pabak": found.pabak,
            "prevalence_adjusted_kappa": found.prevalence_adjusted_kappa,
            "bias_adjusted_kappa": found.bias_adjusted_kappa,
            "icc_a1": np.where(size >= 2, icc, np.nan),
            "bias_index": found.bias_index,
            "prevalence_index": found.prevalence_index,
            "mean_score": np.where(size > 0, mean + mean_d, np.nan),
            "referral_rate": again / size,
        }
    return np.stack([columns[name] for name in STATISTICS], axis=-1)


def curve_points(
    values: Floats, groups: Sequence[str], levels: Sequence[float], *, folds: int | None = None
) -> tuple[tuple[NoisePoint, ...], tuple[str, ...]]:
    """The mean over repeats of each group, level and statistic with its Monte-Carlo error (sd/sqrt(repeats)), and notes.

    A repeat in which a statistic is undefined (with ``folds``: in one of them) does not count for it: ``repeats`` of the point says how
    many did, and a note how many did not. No error with fewer than two repeats.
    """
    defined = np.isfinite(values)
    count = defined.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        # About the first defined value, so that equal values have an error of exactly 0.
        base = np.take_along_axis(values, defined.argmax(axis=0)[None], axis=0) if len(values) else values
        shifted = np.where(defined, values - base, 0.0)
        offset = shifted.sum(axis=0) / count
        mean = (base[0] if len(values) else np.nan) + offset
        spread = (np.where(defined, shifted - offset, 0.0) ** 2).sum(axis=0)
        error = np.sqrt(spread / (count - 1) / count)
    points = []
    for g, group in enumerate(groups):
        for level, noise in enumerate(levels):
            for s, statistic in enumerate(STATISTICS):
                k = int(count[level, g, s])
                points.append(
                    NoisePoint(
                        group=group,
                        noise=noise,
                        statistic=statistic,
                        mean=float(mean[level, g, s]) if k else None,
                        mc_error=float(error[level, g, s]) if k > 1 else None,
                        repeats=k,
                    )
                )
    return tuple(points), tuple(_notes(len(values), count, groups, folds))


def _notes(repeats: int, count: Floats, groups: Sequence[str], folds: int | None) -> list[str]:
    """One note for all statistics of a group that are undefined in the same repeats."""
    notes = []
    for g, group in enumerate(groups):
        together: dict[tuple[int, ...], list[str]] = {}
        for s, statistic in enumerate(STATISTICS):
            missing = tuple((repeats - count[:, g, s]).astype(int).tolist())
            if any(missing):
                together.setdefault(missing, []).append(statistic)
        for missing, statistics in together.items():
            often = [number for number in missing if number]
            at = "1 noise level" if len(often) == 1 else f"{len(often)} noise levels"
            where = "" if folds is None else f" (in one of their {folds} folds or more)"
            most = f"{often[0]}" if min(often) == max(often) else f"{min(often)} to {max(often)}"
            many = "every repeat" if min(often) == repeats else f"{most} of {repeats} repeats"
            rest = "" if min(often) == repeats else "; means are of the other repeats, and no finding uses these levels"
            notes.append(f"{', '.join(statistics)} of {group}: undefined in {many}{where} at {at}{rest}")
    return notes
