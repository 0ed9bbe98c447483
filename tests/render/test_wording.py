"""Sentences for readers who do not know the method, in the configured vocabulary."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.metric_terms import terms
from reporter.render.wording import Words, by_grouping, condition, find_level, literal, whose
from reporter.render.wording_findings import (
    excess,
    finding_sentence,
    undecided_by_reason,
    undecided_sentences,
    verdict_sentence,
)
from reporter.results import Card, Comparison, Estimate, Grouping, Level, Report

AGE = Grouping("age", ("age",), (Level("> 75", 512, ("> 75",)), Level("<= 75", 4076, ("<= 75",))))
SEX = Grouping(
    "sex",
    ("sex",),
    (Level("Female", 10, ("Female",)), Level("Male", 10, ("Male",)), Level("(missing)", 1, (None,), missing=True)),
)
CROSSED = Grouping(
    "sex x age",
    ("sex", "age"),
    (Level("Female, > 75", 10, ("Female", "> 75")), Level("(missing), > 75", 10, (None, "> 75"))),
)


def share(numerator: int, denominator: int) -> Estimate:
    return Estimate(numerator / denominator, 0.0, 1.0, denominator, numerator, denominator, "wilson")


def found(**changes: object) -> Comparison:
    values: dict[str, object] = {
        "finding": "fnr/age/> 75/2.4",
        "rule": 0,
        "model": "2.4",
        "grouping": "age",
        "group": "> 75",
        "metric": "fnr",
        "reference": "rest",
        "reference_group": None,
        "comparison": "difference",
        "limit": 0.05,
        "side": "both",
        "severity": "fail",
        "decide_by": "interval",
        "group_estimate": share(66, 212),
        "reference_estimate": share(341, 1894),
        "gap": Estimate(66 / 212 - 341 / 1894, 0.0647, 0.1991, 2106),
        "p": 0.0001,
        "p_adjusted": 0.002,
        "verdict": "diverges",
    }
    return Comparison(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def words(samples: ModuleType) -> Words:
    return Words.of(samples.report())


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_a_flagged_group_is_one_plain_sentence_with_counts_and_interval(words: Words) -> None:
    assert plain(finding_sentence(words, AGE, found())) == (
        "Referral model 2.4 misses 31.1 % of ill patients whose age is over 75 and 18.0 % of the others "
        "(13.1 points more, 95 % interval 6.5 to 19.9; 66 of 212 against 341 of 1,894)."
    )


def test_a_gap_below_the_reference_is_less(words: Words) -> None:
    one = found(group_estimate=share(38, 212), reference_estimate=share(587, 1894), gap=Estimate(-0.13, -0.19, -0.06))
    assert "(13.0 points less, 95 % interval 6.0 to 19.0; 38 of 212" in plain(finding_sentence(words, AGE, one))


def test_an_interval_over_zero_names_both_directions(words: Words) -> None:
    up = found(gap=Estimate(0.1313, -0.01, 0.2))
    down = found(group_estimate=share(38, 212), reference_estimate=share(587, 1894), gap=Estimate(-0.13, -0.19, 0.02))
    assert "13.1 points more, 95 % interval 1.0 less to 20.0 more;" in plain(finding_sentence(words, AGE, up))
    assert "13.0 points less, 95 % interval 2.0 more to 19.0 less;" in plain(finding_sentence(words, AGE, down))


def test_a_ratio_is_a_ratio(words: Words) -> None:
    one = found(
        metric="referral_rate",
        comparison="ratio",
        limit=0.8,
        group_estimate=share(24, 100),
        reference_estimate=share(310, 1000),
        gap=Estimate(0.774, 0.67, 0.87),
    )
    assert plain(finding_sentence(words, AGE, one)) == (
        "With Referral model 2.4, 24.0 % of patients whose age is over 75 are referred, and 31.0 % of the others "
        "(ratio 0.77, 95 % interval 0.67 to 0.87; 24 of 100 against 310 of 1,000)."
    )


def test_a_measure_that_is_no_share_keeps_its_unit_and_sizes(words: Words) -> None:
    one = found(
        metric="auc",
        group_estimate=Estimate(0.71, n=212),
        reference_estimate=Estimate(0.8, n=1894),
        gap=Estimate(-0.09, -0.15, -0.03),
    )
    assert plain(finding_sentence(words, AGE, one)) == (
        "The AUC of Referral model 2.4 is 0.710 for patients whose age is over 75 and 0.800 for the others "
        "(0.090 lower, 95 % interval 0.030 to 0.150; n = 212 and 1,894)."
    )


def test_the_reference_is_named(words: Words) -> None:
    assert " of all patients (" in plain(finding_sentence(words, AGE, found(reference="overall")))
    named = found(reference="largest", reference_group="<= 75")
    assert " of those whose age is at most 75 (" in plain(finding_sentence(words, AGE, named))


def test_the_verdict_says_what_it_rests_on_and_no_more(words: Words) -> None:
    clear = verdict_sentence(words, found(clear=True), alpha=0.05, adjust="holm")
    assert plain(clear) == (
        "The estimated gap is beyond the limit of 5 points and “no gap” is ruled out (Holm-adjusted p = 0.002); "
        "the whole 95 % interval lies beyond the limit."
    )
    assert "the 95 % interval reaches inside the limit." in plain(
        verdict_sentence(words, found(), alpha=0.05, adjust="holm")
    )
    point = verdict_sentence(words, found(decide_by="point"), alpha=0.05, adjust="holm")
    assert plain(point) == "The estimate is beyond the limit of 5 points (decided by the bare estimate)."
    within = verdict_sentence(words, found(verdict="within limit"), alpha=0.05, adjust="holm")
    assert plain(within) == "Within limit: a gap beyond the limit of 5 points is ruled out at the 5 % level."


@pytest.mark.parametrize(
    ("side", "comparison", "limit", "said"),
    [
        ("high", "difference", 0.05, "the limit of 5 points more"),
        ("low", "difference", 0.05, "the limit of 5 points less"),
        ("both", "ratio", 0.8, "the limit of a ratio of 0.8 to 1.25"),
        ("low", "ratio", 0.8, "the limit of a ratio of 0.8 and"),
        ("high", "ratio", 0.8, "the limit of a ratio of 1.25 and"),
    ],
)
def test_a_limit_has_its_side(words: Words, side: str, comparison: str, limit: float, said: str) -> None:
    one = found(side=side, comparison=comparison, limit=limit)
    assert said in plain(verdict_sentence(words, one, alpha=0.05, adjust="holm"))


def test_groups_are_clauses() -> None:
    assert whose(AGE, "> 75") == "whose age is over 75"
    assert whose(SEX, "(missing)") == "whose sex is missing"
    assert whose(CROSSED, "Female, > 75") == "whose sex is Female and age is over 75"
    assert condition(CROSSED, "(missing), > 75") == "sex is missing and age is over 75"
    assert find_level(SEX, "absent") is None


def test_a_pooled_group_says_that_it_is_one() -> None:
    pooled = Grouping("site", ("site",), (Level("(other)", 9, ("(other)",), pooled=("Island",)),))
    assert whose(pooled, "(other)") == "whose site is one of the small groups pooled as (other)"
    hidden = Grouping("site", ("site",), (Level("(suppressed)", 9, (None,), pooled=("Island",)),))
    assert whose(hidden, "(suppressed)") == "whose site is one of the small groups pooled as (suppressed)"


def test_what_could_not_be_decided_is_grouped_and_counted(words: Words) -> None:
    wide = [found(verdict="insufficient evidence", reason="too wide to tell", rows_needed=n) for n in (123, 900)]
    undefined = Estimate(None, reason="no row labelled 0")
    small = found(verdict="insufficient evidence", reason="fewer than 30 rows", metric="fpr", gap=undefined)
    assert [plain(text) for text in undecided_sentences(words, [small, *wide, found()])] == [
        "2 comparisons: too wide to tell; about 130 to 900 more patients of the group would settle each. "
        "By measure: miss rate 2. Furthest beyond its limit: miss rate of age > 75, Referral model 2.4, +13.1 points.",
        "1 comparison: fewer than 30 patients. By measure: false alarm rate 1.",
    ]


@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("no row labelled 0", "no patient that is healthy"),
        ("nobody was predicted 1", "nobody was referred"),
        ("the group is smaller than the minimum of 30 rows", "the group is smaller than the minimum of 30 patients"),
        ("the arrow", "the arrow"),
        (None, "no reason was given"),
    ],
)
def test_reasons_use_the_vocabulary(words: Words, reason: str | None, said: str) -> None:
    assert words.reason(reason) == said


def test_a_bare_release_is_named_with_its_model(words: Words) -> None:
    assert words.model("2.4") == "Referral model 2.4"
    assert words.model("v2.3-rc1") == "Referral model v2.3-rc1"
    assert words.model("COMPAS") == "COMPAS"


def test_every_metric_reads_well_in_words_that_follow_the_noun() -> None:
    known = terms("rated high risk", "arrested again", "not arrested again", "defendants", "share rated high risk")
    assert known["fpr"].meaning == "share rated high risk among defendants that are not arrested again"
    assert known["fnr"].population == "defendants that are arrested again"
    assert known["ppv"].meaning == "share arrested again among defendants that are rated high risk"


def test_the_vocabulary_replaces_every_default_word(samples: ModuleType) -> None:
    base: Report = samples.report()
    bank = {
        "positive_prediction": "approved",
        "positive_label": "solvent",
        "negative_label": "insolvent",
        "unit": "applicant",
        "units": "applicants",
        "referral_rate": "approval rate",
    }
    card = replace(base.card, vocabulary=bank)
    bank_words = Words.of(replace(base, card=card))
    sentence = plain(finding_sentence(bank_words, AGE, found(metric="fpr")))
    assert sentence.startswith(
        "With Referral model 2.4, 31.1 % of insolvent applicants whose age is over 75 are wrongly approved, and 18.0 %"
    )
    assert bank_words.term("referral_rate").title == "approval rate"


def test_without_a_vocabulary_rows_are_rows() -> None:
    card = Card("Model", "1", "en", {}, {})
    assert card.vocabulary == {}
    empty = Words("Model", "1", "predicted positive", "positive", "negative", "row", "rows", "referral rate", 0.95)
    assert plain(finding_sentence(empty, AGE, found(model="m"))).startswith(
        "m misses 31.1 % of positive rows whose age is over 75"
    )


@pytest.mark.parametrize(
    ("name", "shown"),
    [("a\nb", "a\\nb"), ("\u202eevil", "\\u202eevil"), ("", '""'), ("東京", "東京"), ("a\x00b", "a\\x00b")],
)
def test_names_show_every_character(name: str, shown: str) -> None:
    assert literal(name) == shown


def undecided(*needed: int | None) -> list[Comparison]:
    inside = Estimate(0.01, -0.09, 0.11, 2106)
    return [found(verdict="insufficient evidence", reason="too wide", rows_needed=n, gap=inside) for n in needed]


@pytest.mark.parametrize(
    ("needed", "said"),
    [
        ((3464,), "about 3,500 more patients of the group would settle it."),
        ((8, 12_000), "about 8 to 12,000 more patients of the group would settle each."),
        (
            (2411, None, None),
            "about 2,500 more patients of the group would settle one; for the other 2, further patients of that group alone "
            "would not do, or how many cannot be told.",
        ),
        (
            (8, 70, None),
            "about 8 to 70 more patients of the group would settle each of 2; for the other one, further patients of that group "
            "alone would not do, or how many cannot be told.",
        ),
        ((None, None), "further patients of these groups alone would not settle them, or how many cannot be told."),
    ],
)
def test_rows_that_would_settle_it_are_told_for_as_many_comparisons_as_they_would(
    words: Words, needed: tuple[int | None, ...], said: str
) -> None:
    ((text, _),) = undecided_by_reason(words, undecided(*needed))
    assert text.endswith(f"too wide; {said}")


def test_how_far_a_gap_is_beyond_its_limit_looks_at_the_rules_side() -> None:
    gap = Estimate(-0.1, -0.2, 0.0, 100)
    assert excess(found(gap=gap)) == pytest.approx(2.0)
    assert excess(found(gap=gap, side="high")) < 0
    halved = found(gap=Estimate(0.64, 0.5, 0.8, 100), comparison="ratio", limit=0.8)
    assert excess(halved) == pytest.approx(2.0)
    assert excess(found(gap=Estimate(None, reason="no row"))) == 0.0


def test_a_column_that_is_called_what_a_value_is_called_is_told_apart_from_it() -> None:
    female = Grouping("Female", ("Female",), (Level("Female", 3, ("Female",)), Level("Male", 7, ("Male",))))
    assert whose(female, "Male") == "whose column Female is “Male”"
    assert by_grouping(female) == "By column Female"
    assert (whose(SEX, "Male"), by_grouping(SEX)) == ("whose sex is Male", "By sex")
