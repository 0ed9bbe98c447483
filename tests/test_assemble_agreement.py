"""Agreement through a whole run: from rows over counts to the report, its frames and its JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.assemble import assemble
from reporter.config.loader import config_from_public, load_config
from reporter.data.counts import Counts
from reporter.results import AgreementResult, Report
from reporter.runner import evaluate


def patients(n: int = 400) -> pd.DataFrame:
    """Ratings of one underlying illness, with more noise in group m."""
    rng = np.random.default_rng(3)
    sex = np.where(np.arange(n) % 2 == 0, "f", "m")
    pain = rng.normal(size=n)

    def rated(spread: float) -> Any:
        return pain + rng.normal(size=n) * np.where(sex == "m", 3 * spread, spread)

    return pd.DataFrame(
        {
            "sex": sex,
            "ill": (pain > 0.5).astype(int),
            "new": 1 / (1 + np.exp(-rated(0.3))),
            "old": 1 / (1 + np.exp(-rated(0.3))),
            "nurse": (rated(0.3) > 0.4).astype(int),
            "physician": (rated(0.3) > 0.5).astype(int),
            "student": (rated(0.5) > 0.5).astype(int),
            "pain_n": np.clip(np.round(rated(0.3) + 3), 0, 6).astype(int),
            "pain_p": np.clip(np.round(rated(0.3) + 3), 0, 6).astype(int),
        }
    )


def config(**agreement: Any) -> dict[str, Any]:
    return {
        "data": {"label": "ill"},
        "models": [{"name": "2.4", "score": "new"}, {"name": "2.3", "score": "old"}],
        "groups": ["sex"],
        "agreement": agreement,
    }


def results(report: Report, first: str, second: str) -> dict[str | None, AgreementResult]:
    section = report.agreement_section
    assert section is not None
    return {one.group: one for one in section.results if (one.first, one.second) == (first, second)}


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return patients()


def test_two_models_agree_per_group_as_their_vectors_do(rows: pd.DataFrame) -> None:
    report = reporter.run(config(), data=rows)
    found = results(report, "2.4", "2.3")
    assert list(found) == [None, "f", "m"]
    for group, one in found.items():
        part = rows if group is None else rows[rows["sex"] == group]
        assert one.agreement == reporter.agreement(part["new"] >= 0.5, part["old"] >= 0.5)
        expected = reporter.icc(part[["new", "old"]])
        assert one.iccs[0].value == pytest.approx(expected.value, abs=1e-12)
        assert one.iccs[0].low == pytest.approx(expected.low, abs=1e-9)


def test_a_model_is_held_against_each_rater_and_raters_against_each_other(rows: pd.DataFrame) -> None:
    report = reporter.run(config(raters={"nurse": "nurse", "physician": "physician"}), data=rows)
    section = report.agreement_section
    assert section is not None
    pairs = list(dict.fromkeys((one.first, one.second) for one in section.results))
    assert sorted(pairs) == [
        ("2.3", "nurse"),
        ("2.3", "physician"),
        ("2.4", "2.3"),
        ("2.4", "nurse"),
        ("2.4", "physician"),
        ("nurse", "physician"),
    ]
    men = rows[rows["sex"] == "m"]
    mixed = results(report, "2.4", "nurse")["m"].agreement
    assert mixed == reporter.agreement(men["new"] >= 0.5, men["nurse"])
    assert results(report, "nurse", "physician")["m"].agreement == reporter.agreement(men["nurse"], men["physician"])


def test_only_the_named_pairs_and_statistics_are_computed(rows: pd.DataFrame) -> None:
    asked = config(raters={"nurse": "nurse", "physician": "physician"}, pairs=[["nurse", "2.4"]], statistics=["icc"])
    section = reporter.run(asked, data=rows).agreement_section
    assert section is not None
    assert {(one.first, one.second) for one in section.results} == {("nurse", "2.4")}
    assert all(one.agreement is None and one.reason is None for one in section.results)


def test_a_group_with_noisier_ratings_diverges(rows: pd.DataFrame) -> None:
    section = reporter.run(config(), data=rows).agreement_section
    assert section is not None
    gap = next(one for one in section.gaps if one.statistic == "kappa" and one.group == "m")
    assert gap.verdict == "diverges"
    assert gap.gap.value == pytest.approx((gap.group_value or 0) - (gap.reference_value or 0))
    assert gap.gap.value is not None
    assert gap.gap.value < -0.1
    assert {one.statistic for one in section.gaps} == {"kappa", "pabak", "ac1", "icc_a1"}


def test_ordered_items_have_weighted_kappa_correlations_and_a_gap(rows: pd.DataFrame) -> None:
    asked = config(
        items=[{"name": "pain", "nurse": "pain_n", "physician": "pain_p"}],
        pairs=[["2.4", "2.3"]],
        statistics=["kappa", "weighted_kappa", "icc"],
        icc_forms=["1", "A1", "C1", "1k", "Ak", "Ck"],
    )
    section = reporter.run(asked, data=rows).agreement_section
    assert section is not None
    items = {one.group: one for one in section.results if one.item == "pain"}
    assert list(items) == [None, "f", "m"]
    women, men = items["f"], items["m"]
    assert women.agreement is None
    assert women.reason == "the ratings have 7 values, not two"
    assert [icc.form for icc in women.iccs] == ["1", "A1", "C1", "1k", "Ak", "Ck"]
    for icc in women.iccs:
        part = rows.loc[rows["sex"] == "f", ["pain_n", "pain_p"]]
        assert icc.value == pytest.approx(reporter.icc(part, icc.form).value, abs=1e-12)
    assert women.weighted_kappa is not None
    assert men.weighted_kappa is not None
    gap = next(one for one in section.gaps if one.statistic == "weighted_kappa" and one.group == "m")
    assert gap.gap.value == pytest.approx((men.weighted_kappa.value or 0) - (women.weighted_kappa.value or 0))
    assert gap.gap.low is not None
    assert gap.verdict == "diverges"


def test_three_raters_have_fleiss_and_krippendorff_with_missing_ratings(rows: pd.DataFrame) -> None:
    holed = rows.assign(student=rows["student"].where(rows.index % 3 > 0))
    raters = {"nurse": "nurse", "physician": "physician", "student": "student"}
    asked = config(raters=raters, pairs=[["nurse", "physician"]], statistics=["kappa", "fleiss", "krippendorff"])
    section = reporter.run(asked, data=holed).agreement_section
    assert section is not None
    assert [one.group for one in section.multi] == [None, "f", "m"]
    overall = section.multi[0]
    assert overall.raters == ("nurse", "physician", "student")
    assert overall.fleiss_kappa is not None
    assert overall.krippendorff_alpha is not None
    assert overall.fleiss_kappa.n == int(holed["student"].notna().sum())
    assert overall.krippendorff_alpha.n == len(holed)
    # Agreement is a property of how often the three said 1, whoever said it.
    complete = holed.dropna()
    ones = complete[["nurse", "physician", "student"]].sum(axis=1)
    within = (ones * (ones - 1) + (3 - ones) * (2 - ones)) / 6
    p = ones.sum() / (3 * len(ones))
    expected = p**2 + (1 - p) ** 2
    assert overall.fleiss_kappa.value == pytest.approx((within.mean() - expected) / (1 - expected), abs=1e-12)


def test_what_is_asked_and_cannot_be_computed_says_why(rows: pd.DataFrame) -> None:
    asked = {
        **config(
            raters={"nurse": "nurse", "physician": "physician"},
            items=[{"name": "mood", "nurse": "one", "physician": "two"}],
            statistics=["icc", "weighted_kappa", "fleiss", "krippendorff"],
        ),
        "models": [{"name": "2.4", "score": "new"}, {"name": "2.3", "prediction": "student"}],
    }
    words = rows.assign(one=np.resize(["good", "fair", "bad"], len(rows)), two="good")
    section = reporter.run(asked, data=words).agreement_section
    assert section is not None
    overall = {(one.first, one.second, one.item): one for one in section.results if one.group is None}
    models, mood = overall["2.4", "2.3", None], overall["nurse", "physician", "mood"]
    assert models.iccs[0].reason == "2.3 has predictions only, no scores"
    assert models.weighted_kappa is not None
    expected = reporter.agreement(words["new"] >= 0.5, words["student"])
    assert models.weighted_kappa.value == pytest.approx(expected.kappa, abs=1e-12)
    assert mood.iccs[0].reason == "the ratings are words, not numbers"
    assert mood.weighted_kappa is not None
    assert mood.weighted_kappa.reason == "the ratings are words, which have no order"
    assert overall["2.4", "nurse", None].iccs[0].reason == "the ratings of nurse are no scores"
    for many in section.multi:
        for found in (many.fleiss_kappa, many.krippendorff_alpha):
            assert found is not None
            assert (found.value, found.reason) == (None, "only two raters, whom kappa compares")


@pytest.mark.parametrize("pairs", [[["2.3", "2.4"], ["physician", "nurse"], ["nurse", "2.3"]]], ids=["turned"])
def test_the_first_of_a_pair_is_the_first_rater(rows: pd.DataFrame, pairs: list[list[str]]) -> None:
    raters = {"nurse": "nurse", "physician": "physician"}
    items = [{"name": "pain", "nurse": "pain_n", "physician": "pain_p"}]
    report = reporter.run(config(raters=raters, pairs=pairs, items=items), data=rows)
    vectors = {
        "2.4": (rows["new"] >= 0.5).astype(int),
        "2.3": (rows["old"] >= 0.5).astype(int),
        "nurse": rows["nurse"],
        "physician": rows["physician"],
    }
    section = report.agreement_section
    assert section is not None
    named = {(one.first, one.second) for one in section.results if one.item is None}
    assert named == {tuple(pair) for pair in pairs}
    for first, second in pairs:
        for group, one in results(report, first, second).items():
            if one.item is not None:
                continue
            part = slice(None) if group is None else rows["sex"] == group
            assert one.agreement == reporter.agreement(vectors[first][part], vectors[second][part])
    assert {(one.first, one.second) for one in section.results if one.item == "pain"} == {("physician", "nurse")}


@pytest.mark.needs("krippendorff")
def test_krippendorff_of_a_run_is_that_of_the_library(rows: pd.DataFrame) -> None:
    import krippendorff

    holed = rows.assign(student=rows["student"].where(rows.index % 3 > 0))
    raters = {"nurse": "nurse", "physician": "physician", "student": "student"}
    section = reporter.run(config(raters=raters, statistics=["krippendorff"]), data=holed).agreement_section
    assert section is not None
    found = next(one for one in section.multi if one.group == "m").krippendorff_alpha
    assert found is not None
    ratings = holed.loc[holed["sex"] == "m", list(raters)].to_numpy(dtype=float).T
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement="nominal")
    assert found.value == pytest.approx(expected, abs=1e-12)


def test_ratings_in_words_that_are_neither_two_nor_numbers_say_why_there_is_no_kappa(rows: pd.DataFrame) -> None:
    colours = rows.assign(one=np.resize(["red", "green", "blue"], len(rows)), two="red")
    asked = config(items=[{"name": "colour", "nurse": "one", "physician": "two"}], pairs=[["2.4", "2.3"]])
    section = reporter.run(asked, data=colours).agreement_section
    assert section is not None
    item = next(one for one in section.results if one.item == "colour")
    assert item.agreement is None
    assert item.reason == "the ratings have 3 values, not two"
    assert [(one.value, one.reason) for one in item.iccs] == [(None, "the ratings are words, not numbers")]


def test_numbers_other_than_0_and_1_say_why_there_is_no_kappa_and_have_a_correlation(rows: pd.DataFrame) -> None:
    grades = rows.assign(one=rows["nurse"] + 1, two=rows["physician"] + 1)
    asked = config(items=[{"name": "grade", "nurse": "one", "physician": "two"}], pairs=[["2.4", "2.3"]])
    section = reporter.run(asked, data=grades).agreement_section
    assert section is not None
    item = next(one for one in section.results if one.item == "grade")
    assert item.reason == "the ratings are 1 and 2, and no positive value names one of them"
    assert item.iccs[0].value == pytest.approx(reporter.icc(grades[["one", "two"]]).value, abs=1e-12)


def test_the_frame_has_a_line_for_each_pair_and_group(rows: pd.DataFrame) -> None:
    frame = reporter.run(config(raters={"nurse": "nurse"}), data=rows).agreement
    assert len(frame) == 9
    row = frame[(frame["second"] == "nurse") & (frame["first"] == "2.4") & (frame["group"] == "f")].iloc[0]
    assert row["n"] == 200
    assert row["a"] + row["b"] + row["c"] + row["d"] == 200
    assert np.isfinite(frame["kappa"]).all()


def test_without_groups_there_is_agreement_over_all_rows_and_no_gap(rows: pd.DataFrame) -> None:
    asked = {**config(raters={"nurse": "nurse"}), "groups": []}
    section = reporter.run(asked, data=rows).agreement_section
    assert section is not None
    assert {one.group for one in section.results} == {None}
    assert section.gaps == ()


def test_stored_counts_give_the_same_bytes(rows: pd.DataFrame, tmp_path: Path) -> None:
    asked = config(
        raters={"nurse": "nurse", "physician": "physician", "student": "student"},
        items=[{"name": "pain", "nurse": "pain_n", "physician": "pain_p"}],
        statistics=["kappa", "pabak", "ac1", "icc", "weighted_kappa", "fleiss", "krippendorff"],
    )
    asked["data"]["source"] = "(frame)"
    done = evaluate(load_config(asked, environ={}), data=rows)
    done.counts.save(tmp_path)
    provenance = done.report.provenance
    again = assemble(Counts.load(tmp_path), config_from_public(provenance.config), provenance)
    assert again.to_json() == done.report.to_json()


def faulty(first: list[Any], second: list[Any]) -> Report:
    """A run with two raters; the model and its label do not matter."""
    frame = pd.DataFrame({"y": [0, 1] * (len(first) // 2), "d": 1, "r": first, "s": second})
    asked = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "agreement": {"raters": {"r": "r", "s": "s"}, "pairs": [["r", "s"]]},
    }
    return reporter.run(asked, data=frame)


@pytest.mark.parametrize(
    ("first", "second", "kappa", "pabak"),
    [
        pytest.param([1] * 40, [1] * 40, None, 1.0, id="both raters always say 1"),
        pytest.param([0, 1] * 20, [1] * 40, 0.0, 0.0, id="one rater always says 1"),
        pytest.param([1] * 98 + [0, 1], [1] * 98 + [1, 0], -1 / 99, 0.96, id="high prevalence"),
        pytest.param([0, 1] * 20, [1, 0] * 20, -1.0, -1.0, id="always the opposite"),
    ],
)
def test_degenerate_raters_are_undefined_with_a_reason_and_strict_json(
    first: list[int], second: list[int], kappa: float | None, pabak: float
) -> None:
    report = faulty(first, second)
    found = results(report, "r", "s")[None].agreement
    assert found is not None
    assert found.kappa == (None if kappa is None else pytest.approx(kappa, abs=1e-12))
    assert found.pabak == pytest.approx(pabak, abs=1e-12)
    assert (found.reason is not None) == (found.kappa is None or found.kappa_low is None)
    parsed = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(f"{name} in the JSON"))
    assert parsed["agreement_section"]["results"][0]["agreement"]["kappa"] == found.kappa


def test_a_pair_with_a_missing_rating_is_left_out() -> None:
    found = results(faulty([1, 0, None, 1, 0, 1], [1, 0, 1, None, 0, 0]), "r", "s")[None].agreement
    assert found is not None
    assert (found.n, found.a, found.b, found.c, found.d) == (4, 1, 0, 1, 2)


def test_no_pair_of_ratings_is_undefined_with_a_reason() -> None:
    found = results(faulty([1, 0, None, None], [None, None, 1, 0]), "r", "s")[None].agreement
    assert found is not None
    assert (found.n, found.kappa, found.pabak) == (0, None, None)
    assert found.reason


@pytest.mark.parametrize(
    ("second", "value"),
    [
        pytest.param([0.25] * 8, None, id="all scores equal"),
        pytest.param([0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9], 1.0, id="identical scores"),
        pytest.param([0.9, 0.8, 0.7, 0.6, 0.4, 0.3, 0.2, 0.1], -1.0, id="strong disagreement"),
    ],
)
def test_extreme_correlations_are_not_clipped(second: list[float], value: float | None) -> None:
    first = second if value is None else [0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9]
    frame = pd.DataFrame({"y": [0, 1] * 4, "one": first, "two": second})
    asked = {
        "data": {"label": "y"},
        "models": [{"name": "a", "score": "one"}, {"name": "b", "score": "two"}],
        "agreement": {"statistics": ["icc"], "icc_forms": ["C1"]},
    }
    (icc,) = results(reporter.run(asked, data=frame), "a", "b")[None].iccs
    if value is None:
        assert icc.value is None
        assert icc.reason
    else:
        assert icc.value == pytest.approx(value, abs=1e-12)
