"""Agreement counts of models and human raters equal what a naive loop over rows counts."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import reporter
from reporter.data import agreement_views as views
from reporter.data import score_pairs
from reporter.data.counts import Counts
from reporter.errors import DataError, Problem
from reporter.stats.icc import icc

Count = Callable[..., Counts]


def _frame(n: int = 400) -> pd.DataFrame:
    rng = np.random.default_rng(7)
    base = rng.random(n)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["F", "M", None], n, p=[0.5, 0.4, 0.1]),
            "y": rng.choice(["refer", "wait"], n),
            "s1": np.round(base, 2),
            "s2": np.round(np.clip(base + rng.normal(0, 0.2, n), 0, 1), 2),
            "nurse": rng.choice(["refer", "wait", None], n, p=[0.3, 0.6, 0.1]),
            "doctor": rng.choice(["refer", "wait"], n),
            "third": rng.choice(["refer", "wait"], n),
            "pain_n": rng.choice([0.0, 1.0, 2.0, 3.0, np.nan], n),
            "pain_d": rng.choice([0, 1, 2, 3], n),
        }
    )
    frame.loc[:5, "s1"] = np.nan
    return frame


KEYS: dict[str, Any] = {
    "data": {"positive": "refer"},
    "models": [{"name": "new", "score": "s1"}, {"name": "old", "score": "s2", "threshold": 0.4}],
    "groups": ["sex"],
    "metrics": ["referral_rate"],
    "flags": {"rules": [{"metric": "referral_rate", "ratio": 0.8}]},
    "agreement": {
        "raters": {"nurse": "nurse", "doctor": "doctor", "third": "third"},
        "items": [{"name": "pain", "nurse": "pain_n", "doctor": "pain_d"}],
        "statistics": ["kappa", "icc", "fleiss"],
    },
}


def _bits(frame: pd.DataFrame) -> dict[str, pd.Series]:
    words = {"refer": 1.0, "wait": 0.0}
    return {
        "new": (frame["s1"] >= 0.5).astype(float).where(frame["s1"].notna()),
        "old": (frame["s2"] >= 0.4).astype(float),
        **{name: frame[name].map(words).astype(float) for name in ("nurse", "doctor", "third")},
    }


def test_every_pair_has_its_four_counts_per_group(counted: Count) -> None:
    frame = _frame()
    counts = counted(frame, **KEYS)
    bits = _bits(frame)
    pairs = views.rater_pairs(counts)
    assert {(pair.first, pair.second) for pair in pairs if pair.item is None} == {
        ("new", "old"),
        ("nurse", "doctor"),
        ("nurse", "third"),
        ("doctor", "third"),
        *((model, rater) for model in ("new", "old") for rater in ("nurse", "doctor", "third")),
    }
    for place, pair in enumerate(pairs):
        if pair.item is not None:
            continue
        first, second = bits[pair.first], bits[pair.second]
        for grouping, masks in (
            (None, [np.ones(len(frame), bool)]),
            ("sex", [frame["sex"] == "F", frame["sex"] == "M", frame["sex"].isna()]),
        ):
            found = views.pair_counts(counts, grouping, place)
            assert found is not None
            for group, mask in enumerate(masks):
                r, s = first[mask], second[mask]
                expected = [((r == i) & (s == j)).sum() for i, j in ((1, 1), (0, 1), (1, 0), (0, 0))]
                assert [found.a[group], found.b[group], found.c[group], found.d[group]] == expected


@pytest.mark.parametrize("most", [200_000, 10], ids=["exact", "moments"])
def test_scores_of_two_models_give_the_icc_of_the_rows(
    counted: Count, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr(score_pairs, "MOST_SCORES", most)
    frame = _frame()
    frame[["s1", "s2"]] += 1e8
    counts = counted(frame, **KEYS)
    place = next(i for i, pair in enumerate(views.rater_pairs(counts)) if pair.second == "old")
    expected = icc(frame[["s1", "s2"]].to_numpy())
    moments = views.pair_moments(counts, None, place)
    assert moments is not None
    assert moments.icc(0, "A1", 0.95).value == pytest.approx(expected.value, rel=1e-8)
    grouped = views.pair_moments(counts, "sex", place)
    assert grouped is not None
    women = icc(frame.loc[frame["sex"] == "F", ["s1", "s2"]].to_numpy())
    assert grouped.icc(0, "A1", 0.95).value == pytest.approx(women.value, rel=1e-8)
    assert grouped.icc(0, "A1", 0.95).n == women.n


def test_items_with_numbers_have_ordered_tables_and_moments(counted: Count) -> None:
    frame = _frame()
    counts = counted(frame, **KEYS)
    place = next(i for i, pair in enumerate(views.rater_pairs(counts)) if pair.item == "pain")
    assert views.pair_counts(counts, "sex", place) is None
    assert views.rater_pairs(counts)[place].reason == "the ratings have 4 values, not two"
    tables = views.pair_tables(counts, None, place)
    assert tables is not None
    np.testing.assert_array_equal(tables[0], pd.crosstab(frame["pain_n"], frame["pain_d"]).to_numpy())
    moments = views.pair_moments(counts, None, place)
    assert moments is not None
    expected = icc(frame[["pain_n", "pain_d"]].to_numpy())
    assert moments.icc(0, "A1", 0.95).value == pytest.approx(expected.value, rel=1e-12)


def test_three_raters_are_counted_by_how_many_chose_what(counted: Count) -> None:
    frame = _frame()
    counts = counted(frame, **KEYS)
    item = views.rated_by_many(counts)[0]
    assert (item.raters, item.categories) == (("nurse", "doctor", "third"), ("refer", "wait"))
    patterns = views.rating_patterns(counts, "sex", 0)
    women = frame[frame["sex"] == "F"][["nurse", "doctor", "third"]]
    refer, wait = (women == "refer").sum(axis=1), (women == "wait").sum(axis=1)
    expected = pd.crosstab(refer, wait)
    for (chosen_refer, chosen_wait), times in zip(patterns[0].chosen.tolist(), patterns[0].times.tolist(), strict=True):
        assert expected.loc[chosen_refer, chosen_wait] == times
    assert sum(int(one.times.sum()) for one in patterns) == len(frame)


def test_a_rating_in_words_without_a_positive_value_names_both_and_the_key(
    problems: Callable[..., list[Problem]],
) -> None:
    keys = {**KEYS, "data": {}}
    (found, *_) = problems(_frame().assign(y=1), **keys)
    assert "'refer' and 'wait'" in found.message
    assert found.key == "agreement.raters.nurse"
    assert found.hint == "Set agreement.positive to the rating that counts as 1, e.g. positive: 'wait'"


def test_raters_may_have_words_where_the_label_has_none(counted: Count, problems: Callable[..., list[Problem]]) -> None:
    frame = _frame().assign(y=1, d=0)
    keys = {**KEYS, "data": {}, "agreement": {**KEYS["agreement"], "positive": "refer"}}
    assert problems(frame, **keys) == []
    found = views.pair_counts(counted(frame, **keys), None, 0)
    assert found is not None
    nurse, doctor = frame["nurse"], frame["doctor"]
    expected = [((nurse == r) & (doctor == s)).sum() for r, s in (("refer", "refer"), ("wait", "refer"))]
    assert [found.a[0], found.b[0]] == expected


def test_an_item_may_have_words_of_its_own(counted: Count, problems: Callable[..., list[Problem]]) -> None:
    rng = np.random.default_rng(0)
    frame = _frame()
    frame["pain_n"], frame["pain_d"] = (rng.choice(["none", "some"], len(frame)) for _ in range(2))
    (found,) = problems(frame, **KEYS)
    assert (found.key, found.hint) == (
        "agreement.items[0].nurse",
        "Set agreement.items[0].positive to the rating that counts as 1, e.g. positive: 'some'",
    )
    item = {"name": "pain", "positive": "some", "nurse": "pain_n", "doctor": "pain_d"}
    keys = {**KEYS, "agreement": {**KEYS["agreement"], "items": [item]}}
    counts = counted(frame, **keys)
    place = next(i for i, pair in enumerate(views.rater_pairs(counts)) if pair.item == "pain")
    cells = views.pair_counts(counts, None, place)
    assert cells is not None
    assert cells.a[0] == ((frame["pain_n"] == "some") & (frame["pain_d"] == "some")).sum()
    wrong = {**keys, "agreement": {**keys["agreement"], "items": [{**item, "positive": "much"}]}}
    (found,) = problems(frame, **wrong)
    assert found.key == "agreement.items[0].positive"
    assert "not 'much'" in found.message


def test_a_single_word_is_no_0_because_the_labels_1_is_a_number(problems: Callable[..., list[Problem]]) -> None:
    frame = _frame().assign(y=1, nurse="yes", doctor="yes", third="yes")
    (found,) = problems(frame, **{**KEYS, "data": {"positive": 1}})
    assert "only 'yes'" in found.message


def _written(values: list[int | None], how: str) -> Any:
    """The same ratings in another type or spelling."""
    floats = [None if value is None else float(value) for value in values]
    return {
        "integers": pd.array(values, dtype="Int64"),
        "floats": np.array([np.nan if value is None else value for value in floats]),
        "short text": np.array([None if value is None else str(value) for value in values], dtype=object),
        "long text": np.array([None if value is None else f"{value:.1f}" for value in floats], dtype=object),
        "objects": np.array(values, dtype=object),
        "signed": np.array([np.nan if value is None else value or -0.0 for value in floats]),
    }[how]


KINDS = ("integers", "floats", "short text", "long text", "objects", "signed")


@settings(max_examples=12, deadline=None)
@given(
    ratings=st.lists(
        st.tuples(*(st.one_of(st.none(), st.integers(0, 3)) for _ in range(3))), min_size=4, max_size=25
    ).filter(lambda rows: all(any(row[i] is not None for row in rows) for i in range(3))),
    kinds=st.tuples(*(st.sampled_from(KINDS) for _ in range(3))),
    from_file=st.booleans(),
)
def test_equal_ratings_are_one_category_in_every_type_and_from_every_source(
    ratings: list[tuple[int | None, ...]], kinds: tuple[str, ...], from_file: bool
) -> None:
    def results(kinds: tuple[str, ...], folder: str | None) -> dict[str, Any]:
        columns = {name: _written([row[i] for row in ratings], kinds[i]) for i, name in enumerate("uvw")}
        frame = pd.DataFrame({"y": [0, 1] * len(ratings), "s": 0.3}).head(len(ratings)).assign(**columns)
        asked = {
            "items": [{"name": "pain", "u": "u", "v": "v", "w": "w"}],
            "statistics": ["kappa", "icc", "weighted_kappa", "fleiss", "krippendorff"],
        }
        config = {"data": {"label": "y"}, "models": [{"name": "m", "score": "s"}], "agreement": asked}
        if folder is None:
            report = reporter.run(config, data=frame)
        else:
            frame.to_csv(Path(folder) / "rows.csv", index=False)
            report = reporter.run({**config, "data": {"label": "y", "source": f"{folder}/rows.csv"}})
        section: dict[str, Any] = json.loads(report.to_json())["agreement_section"]
        return section

    with tempfile.TemporaryDirectory() as folder:
        assert results(kinds, folder if from_file else None) == results(("integers",) * 3, None)


def test_truth_values_beside_0_and_1_are_0_and_1_and_codes_stay_texts(counted: Count) -> None:
    frame = _frame().assign(pain_n=lambda rows: rows["pain_d"] % 2 == 1, pain_d=lambda rows: rows["pain_d"] // 2)
    item = next(one for one in views.rated_by_many(counted(frame, **KEYS)) if one.item == "pain")
    assert (item.categories, item.numbers) == (("0", "1"), (0.0, 1.0))
    codes = frame.assign(pain_n=np.resize(["01", "02"], len(frame)), pain_d=1.0)
    item = next(one for one in views.rated_by_many(counted(codes, **KEYS)) if one.item == "pain")
    assert (item.categories, item.numbers) == (("01", "02", "1"), None)


def test_a_pair_with_a_missing_rating_counts_as_if_the_row_were_absent(counted: Count) -> None:
    frame = _frame()
    complete = frame[frame["nurse"].notna()]
    place = next(
        i for i, p in enumerate(views.rater_pairs(counted(frame, **KEYS))) if (p.first, p.second) == ("nurse", "doctor")
    )
    whole = views.pair_counts(counted(frame, **KEYS), None, place)
    part = views.pair_counts(counted(complete, **KEYS), None, place)
    assert whole is not None
    assert part is not None
    assert (whole.a, whole.b, whole.c, whole.d) == (part.a, part.b, part.c, part.d)


def test_a_rater_column_of_identifiers_is_refused(counted: Count) -> None:
    frame = _frame(1500)
    frame["nurse"] = [f"id{i}" for i in range(len(frame))]
    with pytest.raises(DataError, match="1,500 different ratings"):
        counted(frame, **KEYS)
