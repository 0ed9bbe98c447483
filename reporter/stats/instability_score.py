"""The published score test of instability, from counts: kept for comparison; it is not a test of Δ alone.

Its rejection rate where Δ is constant is far above alpha when other parameters vary over the covariate (see the
simulation quoted in ``delta_tree``). The default test is in ``instability_wald``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reporter.stats.instability import CONSTANT, Test, log_chi2_sf
from reporter.stats.suplm import log_p_suplm

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Scores:
    """The decorrelated scores of a node: ``values`` of shape (2 attribute levels, events, tested parameters)."""

    values: Floats
    n: int
    reason: str | None = None

    @property
    def n_parameters(self) -> int:
        """How many parameters are tested."""
        return int(self.values.shape[-1])


def node_scores(
    events: Counts,
    parameters: str,
    levels: tuple[str, str] = ("a1", "a2"),
    kinds: tuple[str, ...] = ("m2 alone predicts 1", "m1 alone predicts 1", "the models agree"),
) -> Scores:
    """The scores of each kind of row in a node.

    Parameters
    ----------
    events: counts of shape (2, events): per attribute level the rows with (z = 1, z = -1, z = 0), or with
        (prediction 1, prediction 0) for one model.
    parameters: ``delta`` tests Δ alone, ``all`` every parameter.
    levels, kinds: what the attribute levels and the events are called in a reason.

    Notes
    -----
    With A = 0, 1 the multinomial has P(z = 1) = (eta+ + eta- + A (delta + Δ)) / 2, P(z = -1) = (eta+ - eta- +
    A (delta - Δ)) / 2 [1]_; the scores are multiplied by the symmetric inverse square root of the information, the
    mean outer product. Undefined, with a reason, where an event has no row at one of the attribute levels: its
    probability is estimated by 0 and 0/0 := 0 would make spurious splits. One model: P(d = 1) = eta + A Δ.

    References
    ----------
    .. [1] A. Chouldechova and M. G'Sell (2017), Fairer and more accurate, but for whom? Appendix A.

    Examples
    --------
    >>> scores = node_scores(np.array([[55, 64, 291], [116, 61, 213]]), "delta")
    >>> bool(np.isclose((np.array([[55, 64, 291], [116, 61, 213]])[..., None] * scores.values).sum(), 0, atol=1e-9))
    True
    """
    n = int(events.sum())
    for level, kind in np.argwhere(events == 0):
        reason = f"an empty cell: no row of level {levels[level]} where {kinds[kind]}"
        return Scores(np.zeros((*events.shape, 0)), n, reason)
    share = events / events.sum(axis=1, keepdims=True)
    a = np.array([0.0, 1.0])
    one = np.ones(2)
    if events.shape[1] == 3:
        up, down, same = (1 / share).T
        zero = np.zeros(2)
        raw = np.stack(
            [
                (up / 2)[:, None] * np.column_stack([one, one, a, a]),
                (down / 2)[:, None] * np.column_stack([one, -one, a, -a]),
                -same[:, None] * np.column_stack([one, zero, a, zero]),
            ],
            axis=1,
        )
    else:
        yes, no = (1 / share).T
        raw = np.stack([yes[:, None] * np.column_stack([one, a]), -no[:, None] * np.column_stack([one, a])], axis=1)
    information = np.einsum("ge,gep,geq->pq", events / n, raw, raw)
    eigenvalues, vectors = np.linalg.eigh(information)
    whitened = raw @ (vectors / np.sqrt(eigenvalues)) @ vectors.T
    return Scores(whitened if parameters == "all" else whitened[..., -1:], n)


def levels_test(scores: Scores, events: Counts) -> Test:
    """The chi-square test over levels: the sum over levels of |S_k|^2 / n_k, df = (levels - 1) * parameters.

    ``events`` has shape (levels, 2, events). Levels without a row do not count.
    """
    if scores.reason:
        return Test.impossible(scores.reason)
    sizes = events.sum(axis=(1, 2))
    present = sizes > 0
    if present.sum() < 2:
        return Test.impossible(CONSTANT)
    sums = np.einsum("lge,gep->lp", events[present], scores.values)
    statistic = float((sums**2 / sizes[present][:, None]).sum())
    df = scores.n_parameters * (int(present.sum()) - 1)
    return Test.of(statistic, df, log_chi2_sf(statistic, df))


def suplm_test(scores: Scores, events: Counts, *, min_size: int, trim: float) -> Test:
    """The sup LM test over the cuts between distinct values that leave at least max(ceil(trim n), min_size) rows.

    ``events`` has shape (values ascending, 2, events).
    """
    if scores.reason:
        return Test.impossible(scores.reason)
    steps = np.einsum("lge,gep->lp", events, scores.values)
    sizes = events.sum(axis=(1, 2))
    return _suplm(scores, np.cumsum(steps, axis=0)[:-1], np.cumsum(sizes)[:-1], min_size=min_size, trim=trim)


def suplm_test_by_rows(scores: Scores, kinds: NDArray[np.int64], *, min_size: int, trim: float) -> Test:
    """The sup LM test over all rows, inside ties too: ``kinds`` has for each row, sorted by the covariate, the
    attribute's code times the number of events plus the event. It depends on the order of rows."""
    if scores.reason:
        return Test.impossible(scores.reason)
    steps = scores.values.reshape(-1, scores.n_parameters)[kinds]
    n = len(kinds)
    return _suplm(scores, np.cumsum(steps, axis=0)[:-1], np.arange(1, n), min_size=min_size, trim=trim)


def _suplm(scores: Scores, process: Floats, ends: Counts, *, min_size: int, trim: float) -> Test:
    n = scores.n
    first = max(math.ceil(n * trim), min_size)
    last = n - first
    if first >= last:
        return Test.impossible(f"{n} rows are too few: cuts must leave {first} rows on both sides")
    inside = (ends >= first) & (ends <= last)
    if not inside.any():
        return Test.impossible(f"no cut between distinct values leaves {first} rows on both sides")
    share = ends[inside] / n
    statistic = float(((process[inside] ** 2).sum(axis=1) / n / (share * (1 - share))).max())
    ratio = last * (n - first) / (first * (n - last))
    return Test.of(statistic, scores.n_parameters, log_p_suplm(statistic, scores.n_parameters, ratio))
