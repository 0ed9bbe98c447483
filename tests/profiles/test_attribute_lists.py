"""Attribute lists of standards: complete, each with a place that exists, and honest about what is missing."""

from __future__ import annotations

import re

import pandas as pd
import pytest

import reporter
from reporter.errors import ConfigError
from reporter.profiles.attributes import PLACES, Standard
from reporter.profiles.build import STANDARDS
from reporter.render.as_markdown import render_markdown
from reporter.render.document import make_document
from reporter.results import Profile


def run(profiles: list[str], **card: object) -> reporter.results.Report:  # type: ignore[name-defined]
    frame = pd.DataFrame({"sex": ["f", "m"] * 40, "y": [1, 0, 0, 1] * 20, "d": [1, 0, 1, 1] * 20})
    config = {
        "card": card,
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": ["sex"],
        "profiles": profiles,
    }
    return reporter.run(config, data=frame)


def rows(profile: Profile) -> dict[str, dict[str, str]]:
    return {row["attribute"]: row for row in profile.attributes}


@pytest.mark.parametrize(
    ("name", "n", "n_required"), [("chai", 41, 32), ("hti1", 31, 31), ("tripod_ai", 52, 52), ("eu_annex_iv", 23, 23)]
)
def test_a_list_has_every_attribute_once(name: str, n: int, n_required: int) -> None:
    attributes = STANDARDS[name].attributes
    assert len({a.name for a in attributes}) == len(attributes) == n
    assert sum(a.required for a in attributes) == n_required


@pytest.mark.parametrize("standard", STANDARDS.values(), ids=lambda one: one.name)
def test_every_place_is_one_of_the_card(standard: Standard) -> None:
    assert {place for a in standard.attributes for place in a.places} <= set(PLACES)


def test_tripod_ai_has_27_items() -> None:
    assert {int(re.match(r"\d+", a.name)[0]) for a in STANDARDS["tripod_ai"].attributes} == set(range(1, 28))  # type: ignore[index]


def test_what_is_written_is_answered_where_it_stands() -> None:
    (profile,) = run(["chai"], name="Triage", summary="Refers.", owner="A hospital").profiles
    found = rows(profile)
    assert (found["ModelName"]["state"], found["ModelName"]["where"]) == ("written", "Name")
    assert (found["Summary"]["state"], found["Summary"]["where"]) == ("written", "Summary")
    assert found["FairnessEquity"]["state"] == "computed"
    assert found["FundingSource"]["state"] == "missing"
    assert found["Security"]["state"] == "not given (optional)"


def test_default_names_answer_nothing() -> None:
    (profile,) = run(["chai"]).profiles
    assert rows(profile)["ModelName"]["state"] == "missing"
    assert rows(profile)["ReleaseVersion"]["state"] == "missing"


def test_every_required_attribute_is_answered_or_listed_as_missing() -> None:
    for profile in run(list(STANDARDS), name="Triage", warnings="w").profiles:
        states = [row["state"] for row in profile.attributes]
        assert len(profile.missing) == states.count("missing") > 0
        assert set(states) <= {"written", "computed", "missing", "not given (optional)"}


def test_an_attribute_without_a_part_of_its_own_can_be_written() -> None:
    (profile,) = run(["chai"], attributes={"FundingSource": "The hospital."}).profiles
    assert rows(profile)["FundingSource"] == {
        "attribute": "FundingSource",
        "title": "who paid for it",
        "where": "The hospital.",
        "state": "written",
    }


def test_an_attribute_that_no_profile_has_is_refused() -> None:
    with pytest.raises(
        ConfigError, match=r"found 'FundingSauce', which no profile asks for\. Did you mean 'FundingSource'"
    ):
        run(["chai"], attributes={"FundingSauce": "x"})


def test_the_card_prints_the_missing_list() -> None:
    text = render_markdown(make_document(run(["chai", "hti1"], name="Triage")))
    assert "CHAI Applied Model Card 0.2" in text
    assert re.search(r"Missing: .*FundingSource \(who paid for it\)", text)
