"""Verdicts: what diverges, what lies within the limit, what cannot be told, and the family of p-values behind them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

from reporter.results import Comparison, Level
from reporter.stats.cells import CellArrays
from reporter.stats.comparisons import Adjust, Rule, adjust_p, compare, finding_id
from reporter.stats.intervals import koopman, newcombe, rate_test
from reporter.stats.scores import ScoreTable, moments_from_table, rest_moments


def levels(cells: CellArrays, names: Sequence[str] = "abcdefgh") -> list[Level]:
    return [Level(names[i], n, (names[i],), missing=names[i] == "(missing)") for i, n in enumerate(cells.n.tolist())]


def held(
    rules: Rule | Sequence[Rule], cells: CellArrays, names: Sequence[str] = "abcdefgh", **more: Any
) -> list[Comparison]:
    chosen = [rules] if isinstance(rules, Rule) else list(rules)
    return list(compare(chosen, model="m", grouping="g", levels=levels(cells, names), cells=cells, **more))


def hits(*groups: tuple[int, int]) -> CellArrays:
    """Groups whose fnr is x / n: n rows labelled 1, x of them missed."""
    return CellArrays(
        tp=[n - x for x, n in groups], fp=[0] * len(groups), tn=[0] * len(groups), fn=[x for x, _ in groups]
    )


FNR = Rule("fnr", limit=0.05)


def test_a_large_gap_diverges_clearly_and_carries_its_evidence() -> None:
    a, *_ = held(FNR, hits((300, 1000), (100, 1000), (110, 1000)))
    assert (a.verdict, a.clear, a.reason, a.rows_needed) == ("diverges", True, None, None)
    assert a.finding == "fnr/g/a/m"
    assert a.gap.value == pytest.approx(300 / 1000 - 210 / 2000)
    low, high = newcombe(300, 1000, 210, 2000)
    assert (a.gap.low, a.gap.high, a.gap.method, a.gap.n) == (low[0], high[0], "Newcombe", 3000)
    assert (a.group_estimate.numerator, a.reference_estimate.numerator) == (300, 210)
    assert a.p == rate_test(300, 1000, 210, 2000)[0][0]
    assert a.reference_group is None


def test_a_gap_beyond_the_limit_that_is_not_clear() -> None:
    a, _ = held(FNR, hits((180, 1000), (120, 1000)))
    assert (a.verdict, a.clear) == ("diverges", False)
    assert a.gap.low < 0.05 < a.gap.value  # type: ignore[operator]


def test_a_gap_inside_the_limit_needs_the_interval_inside_too() -> None:
    many, few = held(FNR, hits((2000, 10000), (2050, 10000)))[0], held(FNR, hits((40, 200), (41, 200)))[0]
    assert (many.verdict, many.reason) == ("within limit", None)
    assert few.verdict == "insufficient evidence"
    assert few.reason == "the gap is inside the limit, but there are too few rows to rule out one beyond it"
    assert few.rows_needed is None  # the other group alone is too small for any number of rows here


def test_within_limit_is_decided_at_one_minus_two_alpha() -> None:
    x = (2000, 10000, 2380, 10000)
    inner, shown = newcombe(*x, 0.90), newcombe(*x, 0.95)
    limit = -(inner[0][0] + shown[0][0]) / 2  # the 90 % interval lies inside, the 95 % one does not
    cells = hits((2000, 10000), (2380, 10000))
    assert held(Rule("fnr", limit=limit), cells)[0].verdict == "within limit"
    assert held(Rule("fnr", limit=limit), cells, alpha=0.025)[0].verdict == "insufficient evidence"


def test_a_gap_beyond_the_limit_with_a_large_p_is_not_enough() -> None:
    a, _ = held(FNR, hits((12, 50), (8, 50)))
    assert a.verdict == "insufficient evidence"
    assert a.reason == "the gap is beyond the limit, but there are too few rows to rule out that there is none"


def test_roughly_so_many_more_rows_settle_it() -> None:
    cells = hits((14, 100), (2000, 10000))
    a = held(FNR, cells)[0]
    assert a.verdict == "insufficient evidence"
    assert a.rows_needed is not None
    factor = 1 + a.rows_needed / 100
    settled = held(FNR, hits((round(14 * factor * 1.1), round(100 * factor * 1.1)), (2000, 10000)))[0]
    short = held(FNR, hits((round(14 * factor * 0.7), round(100 * factor * 0.7)), (2000, 10000)))[0]
    assert settled.verdict == "diverges"
    assert short.verdict == "insufficient evidence"


@pytest.mark.parametrize("reference", ["rest", "overall"])
@pytest.mark.parametrize("adjust", ["holm", "bh", "none"])
def test_the_rows_that_would_settle_a_gap_are_those_with_which_the_test_is_at_its_level(
    reference: str, adjust: Adjust
) -> None:
    rng = np.random.default_rng(6)
    told = never = 0
    for _ in range(120):
        n = rng.integers(100, 800, 4) * [1, 1, 1, 20]
        x = rng.binomial(n, rng.uniform(0.28, 0.34, 4))
        rule = Rule("fnr", limit=0.01, reference=reference)
        found = held(rule, hits(*zip(x, n, strict=True)), adjust=adjust)
        family = [one.p for one in found]
        for k, one in enumerate(found):
            if one.reason is None or not one.reason.startswith("the gap is beyond the limit, but there are too few"):
                continue

            def settled(rows: int, k: int = k, x: Any = x, n: Any = n, family: Any = family) -> bool:
                factor = 1 + rows / n[k]
                x1, n1 = x[k] * factor, n[k] * factor
                x2, n2 = x.sum() - x[k], n.sum() - n[k]
                pooled = (x1 + x2) / (n1 + n2)
                z = (x1 / n1 - x2 / n2) / math.sqrt(pooled * (1 - pooled) * (1 / n1 + 1 / n2))
                p = math.erfc(abs(z) / math.sqrt(2))
                return adjust_p([p if i == k else other for i, other in enumerate(family)], adjust)[k] <= 0.05

            if one.rows_needed is None:
                never += 1
                assert not any(settled(10**power) for power in range(2, 9))
            else:
                told += 1
                assert settled(one.rows_needed + 1)
                assert one.rows_needed < 5 or not settled(one.rows_needed - 2)
    assert told > 10
    assert never >= 2


# Limits and sides ------------------------------------------------------------------------------------------------------


def test_a_gap_exactly_at_the_limit_is_not_beyond_it() -> None:
    cells = CellArrays(tp=[32, 40], fp=[0, 0], tn=[68, 60], fn=[0, 0])
    rule = Rule("referral_rate", reference="b", comparison="ratio", limit=0.8, decide_by="point")
    assert 32 / 100 / (40 / 100) < 0.8  # by rounding
    assert held(rule, cells)[0].verdict == "within limit"
    difference = Rule("referral_rate", reference="b", limit=0.06, decide_by="point")
    assert 17 / 100 - 11 / 100 > 0.06  # by rounding
    cells = CellArrays(tp=[17, 11], fp=[0, 0], tn=[83, 89], fn=[0, 0])
    assert held(difference, cells)[0].verdict == "within limit"


@pytest.mark.parametrize(
    ("side", "low_group", "high_group"),
    [("both", "diverges", "diverges"), ("low", "diverges", "within limit"), ("high", "within limit", "diverges")],
)
@pytest.mark.parametrize("comparison", ["difference", "ratio"])
def test_a_side_counts_gaps_in_one_direction_only(side: Any, low_group: str, high_group: str, comparison: Any) -> None:
    cells = CellArrays(tp=[2000, 5000, 9000], fp=[0, 0, 0], tn=[8000, 5000, 1000], fn=[0, 0, 0])
    limit = 0.8 if comparison == "ratio" else 0.05
    rule = Rule("referral_rate", reference="b", comparison=comparison, limit=limit, side=side)
    a, c = held(rule, cells)
    assert (a.verdict, c.verdict) == (low_group, high_group)


def test_a_ratio_limit_is_outside_r_to_its_inverse() -> None:
    cells = CellArrays(tp=[3900, 5000, 6300], fp=[0, 0, 0], tn=[6100, 5000, 3700], fn=[0, 0, 0])
    rule = Rule("referral_rate", reference="b", comparison="ratio", limit=0.8)
    low, high = held(rule, cells)
    assert (low.verdict, high.verdict) == ("diverges", "diverges")
    assert high.gap.value == pytest.approx(1.26)
    ends = koopman(6300, 10000, 5000, 10000)
    assert (high.gap.low, high.gap.high) == (ends[0][0], ends[1][0])


def test_decide_by_point_compares_the_bare_estimate() -> None:
    cells = CellArrays(tp=[18, 30], fp=[0, 0], tn=[32, 30], fn=[0, 0])
    rule = Rule("referral_rate", reference="best", comparison="ratio", limit=0.8, decide_by="point")
    (a,) = held(rule, cells)
    assert (a.group, a.reference_group, a.verdict) == ("a", "b", "diverges")
    assert a.gap.value == pytest.approx(0.72)
    assert (
        held(Rule("referral_rate", reference="best", comparison="ratio", limit=0.8), cells)[0].verdict
        == "insufficient evidence"
    )


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (Rule("fnrr"), "unknown metric 'fnrr'"),
        (Rule("fnr", comparison="ratio", limit=1.25), "between 0 and 1"),
        (Rule("fnr", limit=-0.1), "must not be negative"),
    ],
)
def test_a_rule_that_makes_no_sense_is_refused(rule: Rule, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        held(rule, hits((1, 50), (2, 50)))


# References ------------------------------------------------------------------------------------------------------------


def test_a_group_is_not_compared_with_itself() -> None:
    cells = hits((30, 100), (20, 200), (10, 50))
    assert [(one.group, one.reference_group) for one in held(Rule("fnr", reference="c"), cells)] == [
        ("a", "c"),
        ("b", "c"),
    ]
    assert [(one.group, one.reference_group) for one in held(Rule("fnr", reference="largest"), cells)] == [
        ("a", "b"),
        ("c", "b"),
    ]
    assert [(one.group, one.reference_group) for one in held(Rule("fnr", reference="best"), cells)] == [
        ("a", "b"),
        ("c", "b"),
    ]


def test_best_is_the_lowest_error_and_the_highest_hit_rate() -> None:
    cells = hits((30, 100), (20, 200), (40, 50))
    assert {one.reference_group for one in held(Rule("fnr", reference="best"), cells)} == {"b"}
    assert {one.reference_group for one in held(Rule("tpr", reference="best"), cells)} == {"b"}


def test_best_and_largest_pass_over_small_and_missing_groups_while_they_can() -> None:
    cells = hits((0, 3), (20, 100), (10, 900))
    names = ["a", "b", "(missing)"]
    assert {one.reference_group for one in held(Rule("fnr", reference="best"), cells, names)} == {"b"}
    assert {one.reference_group for one in held(Rule("fnr", reference="largest"), cells, names)} == {"b"}


def test_a_named_reference_of_another_grouping_gives_nothing() -> None:
    assert held(Rule("fnr", reference="White"), hits((1, 50), (2, 50))) == []


def test_no_defined_value_means_no_best() -> None:
    found = held(Rule("fnr", reference="best"), CellArrays([0, 0], [30, 30], [10, 10], [0, 0]))
    assert [(one.verdict, one.reason) for one in found] == [
        ("insufficient evidence", "no group has a value, so none is best")
    ] * 2


def test_a_metric_without_a_better_direction_has_no_best() -> None:
    found = held(Rule("base_rate", reference="best"), hits((30, 100), (40, 100)))
    reason = "neither high nor low values of this metric are better, so no group is best"
    assert [(one.verdict, one.reason, one.reference_group) for one in found] == [
        ("insufficient evidence", reason, None)
    ] * 2


def test_overall_contains_the_group() -> None:
    cells = hits((300, 1000), (100, 1000), (110, 1000))
    rest, overall = held(Rule("fnr"), cells)[0], held(Rule("fnr", reference="overall"), cells)[0]
    assert overall.reference_estimate.value == 510 / 3000
    assert overall.gap.value == pytest.approx(300 / 1000 - 510 / 3000)
    assert overall.gap.value == pytest.approx(2 / 3 * rest.gap.value)  # type: ignore[operator]
    assert overall.p == rest.p


# Edges -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reference", ["rest", "overall"])
def test_one_group_has_nothing_to_be_compared_with(reference: str) -> None:
    (a,) = held(Rule("fnr", reference=reference), hits((30, 100)))
    assert (a.verdict, a.reason, a.p, a.rows_needed) == (
        "insufficient evidence",
        "there is no other group to compare with",
        None,
        None,
    )


@pytest.mark.parametrize("reference", ["largest", "best", "a"])
def test_one_group_that_is_the_reference_gives_no_comparison(reference: str) -> None:
    assert held(Rule("fnr", reference=reference), hits((30, 100))) == []


def test_no_groups_give_no_comparisons() -> None:
    assert held([FNR, Rule("fnr", reference="best")], CellArrays([], [], [], [])) == []


def test_a_denominator_of_zero_is_insufficient_with_the_reason() -> None:
    cells = CellArrays(tp=[0, 50], fp=[20, 20], tn=[30, 30], fn=[0, 10])
    a, b = held(Rule("fnr"), cells)
    assert (a.verdict, a.reason, a.gap.value, a.p) == ("insufficient evidence", "no row labelled 1", None, None)
    assert (b.verdict, b.reason) == ("insufficient evidence", "in the reference: no row labelled 1")


def test_identical_groups_are_within_limit_once_they_are_large() -> None:
    found = held(FNR, hits(*[(2000, 10000)] * 4))
    assert {one.verdict for one in found} == {"within limit"}
    assert {(one.gap.value, one.p) for one in found} == {(0.0, 1.0)}


def test_a_small_group_is_never_enough_on_either_side() -> None:
    small, large = held(FNR, hits((29, 29), (100, 1000)))
    assert small.reason == "the group is smaller than the minimum of 30 rows"
    assert large.reason == "the reference is smaller than the minimum of 30 rows"
    assert small.p_adjusted == large.p_adjusted
    assert small.p_adjusted < 1e-6  # type: ignore[operator]
    assert small.rows_needed == 1
    assert held(FNR, hits((29, 29), (100, 1000)), min_group_size=10)[0].verdict == "diverges"


def test_a_count_cannot_be_tested_and_says_so() -> None:
    a, _ = held(Rule("predicted_positives", limit=5), hits((30, 100), (40, 100)))
    assert a.verdict == "insufficient evidence"
    assert a.reason == "the gap is beyond the limit, but it has no p-value: a count has no interval"


# The family of p-values ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "oracle"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_adjustment_is_statsmodels(method: Any, oracle: str) -> None:
    p = np.random.default_rng(3).random(25) ** 3
    assert adjust_p(p.tolist(), method) == pytest.approx(multipletests(p, method=oracle)[1].tolist())
    assert adjust_p(p.tolist(), "none") == p.tolist()
    assert adjust_p([], method) == []


def test_two_groups_are_one_comparison() -> None:
    a, b = held(FNR, hits((180, 1000), (120, 1000)))
    assert a.p == a.p_adjusted == b.p == b.p_adjusted
    assert a.gap.value == -b.gap.value  # type: ignore[operator]


def test_complements_and_repeated_questions_count_once() -> None:
    cells = hits((180, 1000), (120, 1000), (150, 1000))
    alone = held(FNR, cells)
    rules = [
        FNR,
        Rule("tpr", index=1),
        Rule("fnr", limit=0.1, index=2, name="wide"),
        Rule("fnr", reference="overall", index=3, name="overall"),
        Rule("fnr", comparison="ratio", limit=0.8, index=4, name="ratio"),
    ]
    together = held(rules, cells)
    for k in range(5):
        for one, expected in zip(together[3 * k : 3 * k + 3], alone, strict=True):
            assert (one.p, one.p_adjusted, one.rule) == (expected.p, expected.p_adjusted, k)


def test_holm_counts_every_distinct_comparison_of_the_grouping() -> None:
    cells = CellArrays(tp=[80, 70, 60], fp=[30, 20, 25], tn=[70, 80, 75], fn=[20, 30, 40])
    found = held([Rule("fnr"), Rule("fpr", index=1), Rule("fnr", reference="a", index=2, name="to a")], cells)
    p = [one.p for one in found]
    assert len(p) == 8
    assert [one.p_adjusted for one in found] == pytest.approx(multipletests(p, method="holm")[1].tolist())
    assert [one.p_adjusted for one in held([Rule("fnr")], cells, adjust="none")] == p[:3]


def test_undefined_comparisons_do_not_count() -> None:
    with_empty = CellArrays(tp=[80, 70, 60, 0], fp=[0, 0, 0, 40], tn=[0, 0, 0, 0], fn=[20, 30, 40, 0])
    without = with_empty.take([0, 1, 2])
    assert [one.p_adjusted for one in held(FNR, with_empty)[:3]] == [one.p_adjusted for one in held(FNR, without)]


# Scores ----------------------------------------------------------------------------------------------------------------


def scored() -> tuple[CellArrays, ScoreTable]:
    rng = np.random.default_rng(11)
    group = rng.choice(3, 3000, p=[0.5, 0.3, 0.2])
    label = rng.integers(0, 2, 3000)
    score = np.round(1 / (1 + np.exp(-rng.normal(np.where(group == 2, 0.2, 1.5) * (label - 0.5), 1.0))), 2)
    counts = np.zeros((3, 2, 2), int)
    np.add.at(counts, (group, label, (score >= 0.5).astype(int)), 1)
    cells = CellArrays(counts[:, 1, 1], counts[:, 0, 1], counts[:, 0, 0], counts[:, 1, 0])
    return cells, ScoreTable(group, label, score)


def test_gaps_of_scores_follow_from_the_table_or_from_counted_moments() -> None:
    cells, table = scored()
    rules = [Rule(name, limit=0.02, index=i) for i, name in enumerate(("auc", "brier", "mean_score"))]
    moments = {"scores": moments_from_table(table, 3), "rest_scores": rest_moments(table, 3)}
    assert held(rules, cells, table=table) == held(rules, cells, **moments)
    worst = held(rules[0], cells, table=table)[2]
    assert (worst.verdict, worst.gap.method) == ("diverges", "DeLong")
    alone = [moments_from_table(side, 1) for side in (table.only(2), table.without(2))]
    expected = alone[0].placements[0] / (2 * alone[0].n1[0] * alone[0].n0[0]) - alone[1].placements[0] / (
        2 * alone[1].n1[0] * alone[1].n0[0]
    )
    assert worst.gap.value == pytest.approx(expected)


def test_an_auc_held_against_all_rows_counts_the_group_on_both_sides() -> None:
    """Each row's influence on the group's AUC less that on the AUC of all rows, from all pairs."""
    cells, table = scored()
    group, label, score = (np.repeat(column, table.n) for column in (table.group, table.label, table.score))

    def influences(inside: np.ndarray) -> np.ndarray:
        ones, zeros = inside & (label == 1), inside & (label == 0)
        wins = (score[ones][:, None] > score[zeros]) + 0.5 * (score[ones][:, None] == score[zeros])
        found = np.zeros(len(score))
        for rows, placed in ((ones, wins.mean(axis=1)), (zeros, wins.mean(axis=0))):
            n = rows.sum()
            found[rows] = (placed - wins.mean()) / n * np.sqrt(n / (n - 1))
        return found

    everyone = influences(np.ones(len(score), bool))
    found = held(Rule("auc", reference="overall", limit=0.02), cells, table=table)
    for i, one in enumerate(found):
        se = np.sqrt(((influences(group == i) - everyone) ** 2).sum())
        assert (one.gap.high - one.gap.low) / 2 == pytest.approx(1.959963984540054 * se, rel=1e-9)  # type: ignore[operator]
        assert one.gap.value == pytest.approx(one.group_estimate.value - one.reference_estimate.value)  # type: ignore[operator]
    assert [one.p for one in found] == [one.p for one in held(Rule("auc"), cells, table=table)]
    assert found[2].verdict == "diverges"


def test_moments_of_the_rest_that_were_not_counted_are_said_to_be_missing() -> None:
    cells, table = scored()
    a = held(Rule("auc"), cells, scores=moments_from_table(table, 3))[0]
    assert (a.verdict, a.reason) == ("insufficient evidence", "in the reference: the table of scores was not counted")


@pytest.mark.parametrize("reference", ["rest", "overall", "b", "largest"])
def test_calibration_can_be_compared(reference: str) -> None:
    cells, table = scored()
    worst = held(Rule("calibration_slope", reference=reference, limit=0.3), cells, table=table)[-1]
    assert worst.group == "c"
    assert worst.p is not None
    assert worst.p < 1e-3
    assert worst.verdict == "diverges"


def test_a_model_without_scores_is_insufficient_not_an_error() -> None:
    a, _ = held(Rule("auc"), hits((30, 100), (40, 100)))
    assert (a.verdict, a.reason) == ("insufficient evidence", "this model has no score")


# Names -----------------------------------------------------------------------------------------------------------------


def test_findings_escape_what_separates_their_parts() -> None:
    assert (
        finding_id("fnr", "sex, race", "50%/x", "m/1", "four/fifths") == "fnr/sex, race/50%25%2Fx/m%2F1/four%2Ffifths"
    )


def test_aliases_give_findings_under_the_canonical_name() -> None:
    found = held(Rule("selection_rate", name="four fifths"), hits((30, 100), (40, 100)))
    assert found[0].finding == "referral_rate/g/a/m/four fifths"
    assert found[0].metric == "referral_rate"
