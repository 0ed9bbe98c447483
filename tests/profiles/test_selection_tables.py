"""The bias audit of Local Law 144 and the four-fifths rule, on numbers small enough to check by hand."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import reporter
from reporter.errors import ConfigError
from reporter.results import Profile

COUNTS = {  # (sex, race): (selected, not selected)
    ("M", "A"): (40, 60),
    ("M", "B"): (10, 40),
    ("F", "A"): (30, 70),
    ("F", "B"): (5, 45),
    ("F", "C"): (2, 3),
    (None, "A"): (4, 6),
}


def people() -> pd.DataFrame:
    rows = [(s, r, d) for (s, r), (yes, no) in COUNTS.items() for d in [1] * yes + [0] * no]
    frame = pd.DataFrame(rows, columns=["sex", "race", "d"])
    frame["score"] = frame["d"] * 0.5 + [i / (4 * len(frame)) for i in range(len(frame))]
    return frame


def audit(**changes: Any) -> Profile:
    config = {
        "data": {},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["sex", "race", ["sex", "race"]],
        "metrics": ["referral_rate"],
        "profiles": ["nyc_ll144"],
        "nyc_ll144": {"race_ethnicity": "race"},
        **changes,
    }
    (profile,) = reporter.run(config, data=people()).profiles
    return profile


def table(profile: Profile, title: str) -> dict[str, dict[str, Any]]:
    (found,) = [one for one in profile.tables if one["title"] == title]
    return {row["group"]: row for row in found["rows"]}


def test_number_selected_rate_and_ratio_to_the_most_selected() -> None:
    rows = table(audit(), "Selection rates of m by sex")
    assert rows["M"] == {"group": "M", "n": 150, "selected": 50, "rate": 1 / 3, "impact_ratio": 1.0, "note": ""}
    assert (rows["F"]["n"], rows["F"]["selected"]) == (155, 37)
    assert rows["F"]["impact_ratio"] == pytest.approx(37 / 155 * 3)


def test_rows_of_unknown_category_are_counted_apart() -> None:
    profile = audit()
    assert "(missing)" not in table(profile, "Selection rates of m by sex")
    assert "Unknown sex: 10 of 315 rows, which are in no rate." in profile.sentences
    assert "Unknown sex and race or ethnicity: 10 of 315 rows, which are in no rate." in profile.sentences
    assert "Unknown race or ethnicity: 0 of 315 rows, which are in no rate." in profile.sentences


def test_numbers_unknown_rows_and_rows_without_an_output_add_up_to_all_rows() -> None:
    frame = people().astype({"score": "float64"})
    frame.loc[[0, 1, 150, len(frame) - 1], "score"] = None  # the last one is of unknown sex
    config = {
        "data": {},
        "models": [{"name": "s", "score": "score", "threshold": 0.5}],
        "groups": ["sex", "race", ["sex", "race"]],
        "metrics": ["referral_rate"],
        "profiles": ["nyc_ll144"],
        "nyc_ll144": {"race_ethnicity": "race"},
    }
    (profile,) = reporter.run(config, data=frame).profiles
    assert "Of known sex, 3 rows have no output of s and are in none of its rates either." in profile.sentences
    for one in profile.tables:
        if " by sex" in one["title"] and "race" not in one["title"]:
            assert sum(row["n"] for row in one["rows"]) + 10 + 3 == len(frame) == 315
    assert not [said for said in audit().sentences if "no output" in said]


def test_a_category_under_two_percent_is_listed_without_a_ratio() -> None:
    row = table(audit(), "Selection rates of m by race or ethnicity")["C"]
    assert (row["n"], row["selected"], row["rate"], row["impact_ratio"]) == (5, 2, 0.4, None)
    assert row["note"] == "under 2 % of the rows: no ratio"


def test_a_category_under_two_percent_is_not_the_most_selected() -> None:
    rows = table(audit(), "Selection rates of m by sex and race or ethnicity")
    assert rows["F, C"]["rate"] == 0.4 == rows["M, A"]["rate"]
    assert rows["M, A"]["impact_ratio"] == 1.0
    assert rows["F, B"]["impact_ratio"] == pytest.approx(0.25)


def test_scores_are_held_against_the_median_of_the_full_sample() -> None:
    profile = audit(models=[{"name": "s", "score": "score", "threshold": 0.5}])
    frame = people()
    median = frame["score"].median()
    (title,) = [one["title"] for one in profile.tables if one["title"].startswith("Scoring rates of s by sex (")]
    rows = table(profile, title)
    for sex in ("F", "M"):
        part = frame[frame["sex"] == sex]
        assert rows[sex]["above_the_median"] == int((part["score"] > median).sum())
        assert rows[sex]["rate"] == pytest.approx((part["score"] > median).mean())


def test_a_table_that_is_not_asked_for_is_listed_as_missing() -> None:
    profile = audit(groups=["sex", "race"])
    assert profile.missing == ("the table by sex and race or ethnicity: add sex x race to the groups",)


def test_an_audit_without_its_columns_is_refused() -> None:
    with pytest.raises(ConfigError, match="found the profile nyc_ll144, but no group column 'ethnicity'"):
        audit(nyc_ll144={})


def test_it_cannot_stand_beside_small_cells() -> None:
    with pytest.raises(ConfigError, match="found small_cells beside the profile nyc_ll144"):
        audit(small_cells=11)


def test_four_fifths_gives_ratio_interval_and_n_as_evidence() -> None:
    profile = audit(profiles=["four_fifths"])
    rows = table(profile, "Selection ratios of m by sex")
    assert rows["F"]["ratio"] == pytest.approx((37 / 155) / (50 / 150))
    assert rows["F"]["low"] < rows["F"]["ratio"] < rows["F"]["high"]
    assert (rows["F"]["n"], rows["F"]["below_0.8"]) == (155, "yes")
    assert rows["M"]["ratio"] == 1.0
    assert "evidence of adverse impact and not a finding of law" in profile.sentences[0]


def test_rows_of_unknown_group_are_listed_but_nobody_is_held_against_them() -> None:
    """The 10 rows of unknown sex have the highest rate of all."""
    profile = audit(profiles=["four_fifths"])
    row = table(profile, "Selection ratios of m by sex")["(missing)"]
    assert (row["n"], row["rate"], row["ratio"], row["below_0.8"]) == (10, 0.4, None, "unknown group")
    crossed = table(profile, "Selection ratios of m by sex x race")
    assert crossed["(missing), A"]["ratio"] is None
    assert crossed["M, A"]["ratio"] == pytest.approx(1.0)


def test_nobody_selected_has_no_ratio() -> None:
    frame = people().assign(d=0)
    config = {
        "data": {},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["sex", "race"],
        "metrics": ["referral_rate"],
    }
    report = reporter.run(
        {**config, "profiles": ["four_fifths", "nyc_ll144"], "nyc_ll144": {"race_ethnicity": "race"}}, data=frame
    )
    four, nyc = report.profiles
    assert {row["ratio"] for one in four.tables for row in one["rows"]} == {None}
    assert {row["note"] for one in nyc.tables for row in one["rows"] if row["n"] > 10} == {
        "nobody was selected: no ratio"
    }
