"""The spread of a rate over many attribute levels: how much more it varies over them under the second model."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reporter.stats.instability_wald import PSEUDO_ROWS, Effects

Counts = NDArray[np.int64]
Floats = NDArray[np.float64]


def spread(counts: Counts) -> tuple[float, float] | None:
    """Δ = Var_g(rate under m2) - Var_g(rate under m1) and its variance by the delta method.

    ``counts``: joint counts of the event under m1 and m2, shape (groups, 2, 2); with one model (groups, 2, 1) and Δ is
    its own variance. The variance over groups is unweighted with the divisor "number of groups", as of a list of rates.
    None where a group has no row.

    Examples
    --------
    >>> counts = np.array([[[40, 10], [10, 40]], [[50, 20], [10, 20]], [[20, 10], [20, 50]]])
    >>> round(spread(counts)[0], 6)
    -0.02
    """
    n = counts.sum(axis=(1, 2))
    if (n == 0).any():
        return None
    rates, covariance = _moments(counts / n[:, None, None])
    covariance = covariance / n[:, None, None]
    value, variance, _ = _quadratic(rates[None], covariance[None])
    return float(value[0]), float(variance[0])


def spread_effects(counts: Counts, varying: Floats) -> Effects:
    """The effects of levels for the spread; ``counts`` has shape (levels, groups, 2, 2) or (levels, groups, 2, 1).

    The plug-in spread of a small level is too large by the noise of its rates, so the noise's share is taken off here
    (exact for the expectation); the variance keeps the second-order term of the delta method, without which it would
    vanish where all groups have the same rate. A level's weight is the harmonic 1 / sum_g (1 / n_g).
    """
    n = counts.sum(axis=(2, 3))
    size = np.maximum(n, 1)
    pooled = counts.sum(axis=0)
    share = pooled / np.maximum(pooled.sum(axis=(1, 2), keepdims=True), 1)
    everyone = (n > 0).all(axis=1)
    rates, _ = _moments(counts / size[:, :, None, None])
    shrunk = (counts + PSEUDO_ROWS * share) / (n + PSEUDO_ROWS)[:, :, None, None]
    _, covariance = _moments(shrunk)
    divisor = np.maximum(n - 1, 1)[:, :, None, None]
    value, variance, noise = _quadratic(rates, covariance / divisor)
    variances = pooled_variances(share)
    return Effects(
        rows=n.sum(axis=1),
        groups=n,
        delta=np.where(everyone, value - noise, 0.0),
        variance=variance,
        weight=np.where(everyone, 1 / (1 / size).sum(axis=1), 0.0),
        pooled=variances / size,
        rate=varying,
    )


def pooled_variances(share: Floats) -> Floats:
    """Per group the variance of m2's event minus m1's (with one model: of its event); ``share`` (groups, 2, 1 or 2)."""
    if share.shape[-1] == 1:
        result: Floats = share[:, 1, 0] * share[:, 0, 0]
        return result
    up, down = share[:, 0, 1], share[:, 1, 0]
    return np.asarray(up + down - (up - down) ** 2)


def _moments(share: Floats) -> tuple[Floats, Floats]:
    """The rates (..., models) and the covariance of one row's events (..., models, models)."""
    first = share[..., 1, :].sum(axis=-1)
    if share.shape[-1] == 1:
        return first[..., None], (first * (1 - first))[..., None, None]
    second = share[..., :, 1].sum(axis=-1)
    cross = share[..., 1, 1] - first * second
    rows = [
        np.stack([first * (1 - first), cross], axis=-1),
        np.stack([cross, second * (1 - second)], axis=-1),
    ]
    return np.stack([first, second], axis=-1), np.stack(rows, axis=-2)


def _quadratic(rates: Floats, covariance: Floats) -> tuple[Floats, Floats, Floats]:
    """The spread, its variance and the expectation of its noise.

    ``rates`` (levels, groups, models), ``covariance`` (levels, groups, models, models). The spread is the form r' M r
    with M = sign_model * (I - 1/G) / G; for normal r its noise is tr(M S) and its variance 4 r' M S M r + 2 tr(M S M S).
    """
    n_groups, n_models = rates.shape[1:]
    centring = (np.eye(n_groups) - 1 / n_groups) / n_groups
    sign = np.array([1.0]) if n_models == 1 else np.array([-1.0, 1.0])
    half = sign * np.einsum("gh,lhm->lgm", centring, rates)
    value = (rates * half).sum(axis=(1, 2))
    noise = np.einsum("g,m,lgmm->l", np.diag(centring), sign, covariance)
    # (M S)_{gm,hk} = centring_gh sign_m S_h,mk
    trace = np.einsum("gh,m,lhmk,hg,k,lgkm->l", centring, sign, covariance, centring, sign, covariance)
    variance = 4 * np.einsum("lgm,lgmk,lgk->l", half, covariance, half) + 2 * trace
    return value, variance, noise
