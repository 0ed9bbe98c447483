"""All agreement statistics of one pair of raters in the groups of one grouping, from what an engine counted.

Knows counts, sums and group names; a rater is a name that is carried along.
"""

from __future__ import annotations

from collections.abc import Sequence

from numpy.typing import ArrayLike

from reporter.results import Agreement, AgreementResult, Estimate, Icc
from reporter.stats.agreement import agreements_from_counts
from reporter.stats.icc import undefined_icc
from reporter.stats.rater_pairs import PairCounts, PairMoments
from reporter.stats.weighted_kappa import Weights, weighted_kappa


def pair_results(
    groups: Sequence[str | None],
    *,
    first: str,
    second: str,
    item: str | None = None,
    grouping: str | None = None,
    counts: PairCounts | None = None,
    moments: PairMoments | None = None,
    tables: Sequence[ArrayLike] | None = None,
    icc_forms: Sequence[str] = ("A1",),
    weights: Weights = "quadratic",
    confidence: float = 0.95,
    reason: str | None = None,
    moments_reason: str | None = None,
    tables_reason: str | None = None,
) -> tuple[AgreementResult, ...]:
    """One :class:`AgreementResult` a group; what was not counted is None (or no ICC).

    Parameters
    ----------
    groups
        The G groups' names; ``[None]`` with ``grouping=None`` for all rows.
    counts
        The four counts of binary ratings, for kappa and its relatives.
    moments
        The centred sums of scores, for the ICC in each of ``icc_forms``.
    tables
        G square tables of ordered categories (first rater's in rows), for weighted kappa.
    reason
        Why there are no ``counts``, where they were wanted.
    moments_reason, tables_reason
        The same for ``moments`` and ``tables``: each ICC and weighted kappa is then undefined, with this reason.

    Examples
    --------
    >>> found = pair_results(["x", "y"], first="nurse", second="physician", grouping="sex",
    ...                      counts=PairCounts.of([20, 3], [5, 0], [10, 1], [15, 4]))
    >>> [(one.group, one.agreement.n, one.agreement.kappa) for one in found]
    [('x', 50, 0.4), ('y', 8, 0.75)]
    """
    binary: Sequence[Agreement | None] = [None] * len(groups)
    if counts is not None:
        binary = agreements_from_counts(counts.a, counts.b, counts.c, counts.d, confidence=confidence)
    found = []
    for place, group in enumerate(groups):
        iccs: tuple[Icc, ...] = ()
        if moments is not None:
            iccs = tuple(moments.icc(place, form, confidence) for form in icc_forms)
        elif moments_reason is not None:
            iccs = tuple(undefined_icc(form, moments_reason) for form in icc_forms)
        ordered = None
        if tables is not None:
            ordered = weighted_kappa(tables[place], weights=weights, confidence=confidence)
        elif tables_reason is not None:
            ordered = Estimate(None, reason=tables_reason)
        found.append(
            AgreementResult(
                first,
                second,
                item,
                grouping,
                group,
                binary[place],
                iccs,
                ordered,
                None if counts is not None else reason,
            )
        )
    return tuple(found)
