"""Everything about one pair of raters in the groups of a grouping."""

from __future__ import annotations

import numpy as np
import pytest

from reporter.stats.agreement import agreement_from_counts
from reporter.stats.icc import icc
from reporter.stats.pair_results import pair_results
from reporter.stats.rater_pairs import PairCounts, PairMoments
from reporter.stats.weighted_kappa import weighted_kappa


def test_each_group_has_the_statistics_of_its_own_counts() -> None:
    scores = [np.array([[1.0, 2], [2, 4], [3, 6]]), np.array([[1.0, 1], [4, 3], [2, 2], [5, 6]])]
    centred = [one - one.mean(axis=0) for one in scores]
    moments = PairMoments.of(
        [3, 4],
        *zip(*(one.mean(axis=0) for one in scores), strict=True),
        *([float((one[:, i] * one[:, j]).sum()) for one in centred] for i, j in ((0, 0), (1, 1), (0, 1))),
    )
    tables = [[[5, 1], [2, 9]], [[3, 0], [0, 3]]]
    found = pair_results(
        ["x", "y"],
        first="r",
        second="s",
        item="pain",
        grouping="sex",
        counts=PairCounts.of([9, 3], [1, 0], [2, 0], [5, 3]),
        moments=moments,
        tables=tables,
        icc_forms=("A1", "1k"),
    )
    for place, one in enumerate(found):
        assert (one.first, one.second, one.item, one.grouping, one.group) == ("r", "s", "pain", "sex", "xy"[place])
        assert [value.form for value in one.iccs] == ["A1", "1k"]
        assert one.iccs[0].value == pytest.approx(icc(scores[place]).value, abs=1e-12)
        assert one.weighted_kappa == weighted_kappa(tables[place])
    assert found[0].agreement == agreement_from_counts(9, 1, 2, 5)


def test_what_was_not_counted_is_absent_and_not_zero() -> None:
    (one,) = pair_results(
        [None], first="r", second="s", moments=PairMoments.of([0], [None], [None], [None], [None], [None])
    )
    assert one.agreement is None
    assert one.weighted_kappa is None
    assert (one.iccs[0].value, one.iccs[0].reason) == (None, "fewer than two subjects with every rating")
