"""The p-value of the largest Lagrange multiplier statistic over all cuts in the middle of the data (sup LM)."""

from __future__ import annotations

import math

from reporter.stats.instability import log_chi2_sf


def log_p_suplm(statistic: float, n_parameters: int, ratio: float) -> float:
    """The natural logarithm of the asymptotic p-value of a sup LM statistic.

    Parameters
    ----------
    statistic: the largest LM statistic over the cuts, >= 0.
    n_parameters: how many parameters are tested: 1 or 4 (the rows of the published table that the tree needs).
    ratio: to * (n - from) / (from * (n - to)) where cuts run from row ``from`` to row ``to`` of n; at least 1.

    Notes
    -----
    Hansen's response surface [1]_: for a trimmed share tau, p = P(chi2(df) > b0 + b1 * statistic), tabulated for
    tau = 0.49, 0.47, ..., 0.01 and interpolated linearly between them; tau = 0.5 is a single known cut.

    References
    ----------
    .. [1] B. E. Hansen (1997), Approximate asymptotic p values for structural-change tests, Journal of Business and
       Economic Statistics 15, 60-67, table of the sup statistic.

    Examples
    --------
    >>> round(math.exp(log_p_suplm(8.85, 1, 81.0)), 2)
    0.05
    """
    table = _TABLE.get(n_parameters)
    if table is None:
        raise ValueError(f"the published table is kept for 1 and 4 parameters, not for {n_parameters}")
    single = log_chi2_sf(statistic, n_parameters)
    tau = 1 / (1 + math.sqrt(ratio))
    tails = [log_chi2_sf(max(0.0, b0 + b1 * statistic), df) for b0, b1, df in table]
    if tau >= 0.5:
        return single
    if tau <= 0.01:
        return tails[-1]
    if tau >= 0.49:
        return _mixed(tails[0], (0.5 - tau) * 100, single)
    place = (0.51 - tau) * 50
    row = int(place)
    return _mixed(tails[row - 1], row + 1 - place, tails[row])


def _mixed(first: float, share: float, second: float) -> float:
    """log(share * exp(first) + (1 - share) * exp(second))."""
    if share >= 1:
        return first
    if share <= 0:
        return second
    low, high = sorted((first + math.log(share), second + math.log1p(-share)))
    return high + math.log1p(math.exp(low - high))


# (b0, b1, df) for tau = 0.49, 0.47, ..., 0.01
_TABLE = {
    1: (
        (-0.0648467, 0.99671156, 1.2573241),
        (-0.15305667, 0.96757645, 1.43651315),
        (-0.23071675, 0.95825013, 1.56531261),
        (-0.29247661, 0.95715782, 1.68851898),
        (-0.35706588, 0.95237505, 1.77889686),
        (-0.40514715, 0.96055795, 1.89761322),
        (-0.45248386, 0.95810999, 1.98370422),
        (-0.50458517, 0.96149538, 2.07086519),
        (-0.55009159, 0.96684273, 2.17244338),
        (-0.60241623, 0.96518399, 2.23509053),
        (-0.64308746, 0.97354902, 2.33722161),
        (-0.68833676, 0.97829106, 2.42776524),
        (-0.73136161, 0.9820687, 2.50833918),
        (-0.78078198, 0.99475319, 2.6209551),
        (-0.82894221, 1.00023473, 2.70286643),
        (-0.88430133, 1.00162529, 2.77835798),
        (-0.9499265, 1.00384268, 2.84325795),
        (-0.98828874, 1.01604712, 2.96752918),
        (-1.04892713, 1.02570939, 3.08442682),
        (-1.11527783, 1.03526033, 3.19770394),
        (-1.14992644, 1.06643436, 3.44739573),
        (-1.24010871, 1.06929468, 3.54993605),
        (-1.38522113, 1.06808543, 3.61667211),
        (-1.48296473, 1.1283969, 4.07202473),
        (-1.78738608, 1.17220925, 4.4726701),
    ),
    4: (
        (-0.40798205, 0.90528031, 3.93318971),
        (-0.58214849, 0.91505724, 4.41094611),
        (-0.67464799, 0.9364688, 4.85980413),
        (-0.85920669, 0.93433918, 5.01958587),
        (-0.99797889, 0.9411933, 5.22477986),
        (-1.10019761, 0.95132377, 5.46557096),
        (-1.24048639, 0.96334287, 5.6723934),
        (-1.44519417, 0.96603109, 5.73132847),
        (-1.43104108, 1.00890357, 6.29613628),
        (-1.52887344, 1.02148881, 6.51227891),
        (-1.66695722, 1.02616925, 6.63448592),
        (-1.79016819, 1.03765517, 6.82686641),
        (-1.91159633, 1.04392701, 6.95318158),
        (-1.93474222, 1.071198, 7.36997641),
        (-1.94039709, 1.10122554, 7.82328663),
        (-2.14388035, 1.09891616, 7.83079173),
        (-2.34856811, 1.10457466, 7.89044965),
        (-2.52186324, 1.10727065, 7.95561422),
        (-2.81381108, 1.10513873, 7.90116455),
        (-3.02543477, 1.12012324, 8.08624226),
        (-3.3338615, 1.12405358, 8.08884313),
        (-3.70012182, 1.12268437, 8.00223819),
        (-4.08017759, 1.14201041, 8.18314656),
        (-4.47426188, 1.17607899, 8.60611855),
        (-5.32601074, 1.21390643, 8.90496643),
    ),
}
