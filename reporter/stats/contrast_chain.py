"""The p-value of the largest standardised contrast over ordered cuts: exact for a Gauss-Markov chain, in logarithms."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]

_MOST_NODES = 128
_TAIL_NODES, _TAIL_WEIGHTS = np.polynomial.legendre.leggauss(40)


def log_p_largest(largest: float, times: Floats) -> float:
    """log P(max_j |T_j| > c) of a standard Gauss-Markov chain with information times ``times``.

    Parameters
    ----------
    largest: c >= 0, the largest absolute standardised contrast.
    times: ascending information times t_j in (0, 1) of the cuts, at least one.

    Notes
    -----
    Neighbours have the correlation rho_j = sqrt(t_j (1 - t_{j+1}) / (t_{j+1} (1 - t_j))). With h_1 = 1 and
    h_{j+1}(y) = integral over [-c, c] of h_j(x) N(x; rho_j y, 1 - rho_j^2) dx, the probability that no earlier contrast
    exceeds c given T_{j+1} = y,

        p = 2 Phi(-c) * sum_j E[h_j(Y) | Y > c],

    with Y standard normal. Every term lies in [0, 1], so the logarithm never underflows. The integrals are Gauss-Legendre
    sums on enough nodes for the narrowest density, up to a limit; a density too narrow for the nodes (a correlation
    near 1) is integrated exactly against h taken as linear between the nodes. The nodes are dense at c, where h
    changes fastest. Two cuts at the same time count once. The relative error of p was below 2e-5 in trials, and below
    3e-4 where a correlation is above 0.9999.

    Examples
    --------
    >>> round(math.exp(log_p_largest(1.959963984540054, np.array([0.5]))), 6)
    0.05
    >>> bool(log_p_largest(60.0, np.array([0.25, 0.5, 0.75])) < -1700)
    True
    """
    c = float(largest)
    tail = float(special.log_ndtr(-c))
    if c <= 0:
        return 0.0
    ratio = times / (1 - times)
    rho = np.sqrt(ratio[:-1] / ratio[1:])
    rho = rho[rho < 1 - 1e-12]
    if not len(rho):
        return min(0.0, math.log(2) + tail)
    spread = np.sqrt((1 - rho) * (1 + rho))
    # few distinct numbers of nodes: their weights are computed once
    n_nodes = min(_MOST_NODES, 32 * math.ceil((4 * c / spread.min() + 16) / 32))
    unit, unit_weights = _legendre(n_nodes)
    grid, weights = c * unit, c * unit_weights
    # h is even: it is kept at the positive nodes, and at quantiles of Y given Y > c
    half = n_nodes // 2
    share = (_TAIL_NODES + 1) / 2
    points = np.concatenate([grid[half:], -special.ndtri_exp(np.log(share) + tail)])
    total, h = 1.0, np.ones(n_nodes)
    for correlation, sd in zip(rho.tolist(), spread.tolist(), strict=True):
        u = (grid - correlation * points[:, None]) / sd
        density = np.exp(-0.5 * u * u) / math.sqrt(2 * math.pi)
        if n_nodes >= 4 * c / sd:
            following = density @ (h * weights) / sd
        else:
            following = _against_linear(h, grid, c, u, density, sd)
        following = np.clip(following, 0.0, 1.0)
        h = np.concatenate([following[half - 1 :: -1], following[:half]])
        total += float(_TAIL_WEIGHTS @ following[half:]) / 2
    return min(0.0, math.log(2) + tail + math.log(total))


@cache
def _legendre(n_nodes: int) -> tuple[Floats, Floats]:
    return np.polynomial.legendre.leggauss(n_nodes)


def _against_linear(h: Floats, grid: Floats, c: float, u: Floats, density: Floats, sd: float) -> Floats:
    """The integral over [-c, c] of the piecewise linear h against normal densities, ``u`` standardised nodes."""
    below = special.ndtr(u)
    mass = np.diff(below, axis=1)
    # the integral of (u - u_left) against the density: that of u is minus the change of the density
    first = -np.diff(density, axis=1) - u[:, :-1] * mass
    slope = np.diff(h) / np.diff(grid) * sd
    # beyond the last nodes h is taken as constant
    rim = (c - grid[-1]) / sd
    left = below[:, 0] - special.ndtr(u[:, 0] - rim)
    right = special.ndtr(u[:, -1] + rim) - below[:, -1]
    result: Floats = mass @ h[:-1] + first @ slope + (left + right) * h[-1]
    return result
