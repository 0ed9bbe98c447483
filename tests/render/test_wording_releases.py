"""What changed since the last release, in sentences."""

from __future__ import annotations

from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.wording import Words
from reporter.render.wording_releases import change_sentence, finding_parts, release_highlights
from reporter.results import Estimate, RateChange, Releases, Report, VerdictChange


@pytest.fixture
def report(samples: ModuleType) -> Report:
    whole: Report = samples.report()
    return whole


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def said(report: Report, **changes: object) -> list[str]:
    assert report.releases is not None
    releases: Releases = replace(report.releases, **changes)  # type: ignore[arg-type]
    return [plain(item.text) for item in release_highlights(replace(report, releases=releases), Words.of(report))]


def test_new_findings_come_before_settled_ones(report: Report) -> None:
    changes = (
        VerdictChange("fnr/sex/Male/2.4", "diverges", "within limit", "no longer diverges"),
        VerdictChange("fnr/sex/Female/2.4", "within limit", "within limit", "still within limit"),
        VerdictChange("fnr/age/> 75/2.4", "within limit", "diverges", "newly diverges"),
    )
    assert said(report, verdicts=changes, rates=()) == [
        "The miss rate of patients whose age is over 75 newly diverges.",
        "The miss rate of patients whose sex is Male no longer diverges.",
    ]


def test_a_gap_that_is_a_ratio_changes_by_a_ratio(report: Report) -> None:
    one = replace(
        report.comparisons[0],
        finding="referral_rate/age/> 75/2.4",
        metric="referral_rate",
        comparison="ratio",
        limit=0.8,
    )
    change = VerdictChange(one.finding, "diverges", "diverges", "still diverges", Estimate(-0.04, -0.1, 0.02))
    (text,) = said(replace(report, comparisons=(one,)), verdicts=(change,), rates=())
    assert (
        text
        == "The referral rate of patients whose age is over 75 still diverges (its ratio changed by −0.04, 95 % interval −0.10 to +0.02)."
    )


def test_only_changes_beyond_chance_are_told(report: Report, samples: ModuleType) -> None:
    old, new = samples.rate(40, 200), samples.rate(60, 200)
    clear = RateChange("sex", "Male", "fnr", old, new, Estimate(0.1, 0.02, 0.18, 200), 0.01)
    chance = RateChange("sex", "Female", "fnr", old, new, Estimate(0.1, -0.02, 0.22, 200), 0.1)
    unwatched = RateChange("sex", "Male", "ppv", old, new, Estimate(0.1, 0.02, 0.18, 200), 0.01)
    assert said(report, verdicts=(), rates=(chance, clear, unwatched)) == [
        "The miss rate of patients whose sex is Male rose from 20.0 % to 30.0 % (10.0 points more, 95 % interval +2.0 to +18.0)."
    ]


def test_nothing_to_tell_is_said(report: Report) -> None:
    assert said(report, verdicts=(), rates=()) == [
        "No finding changed its verdict, and no rate that a rule looks at changed beyond chance."
    ]


def test_many_findings_are_counted(report: Report) -> None:
    many = tuple(VerdictChange(f"fnr/sex/g{place}/2.4", None, "diverges", "newly diverges") for place in range(20))
    texts = said(report, verdicts=many, rates=())
    assert len(texts) == 7
    assert texts[-1] == "And 14 more findings, in the chapter on releases."


def test_an_undefined_change_says_why(report: Report, samples: ModuleType) -> None:
    change = RateChange(
        None, None, "fnr", samples.rate(0, 0), samples.rate(1, 2), Estimate(None, reason="no row labelled 1"), None
    )
    assert (
        change_sentence(report, Words.of(report), change)
        == "The change of the miss rate of all patients is undefined: no patient that is ill."
    )


def test_a_findings_id_is_read_back() -> None:
    assert finding_parts("fnr/a%2Fb/50%25/m/rule") == ("fnr", "a/b", "50%", "m")


def rates(samples: ModuleType, old: int, new: int) -> tuple[RateChange, ...]:
    first, second = samples.rate(old, 500), samples.rate(new, 500)
    gap = Estimate((new - old) / 500, -0.2, 0.2, 500)
    return (RateChange("sex", "Male", "fnr", first, second, gap, 0.2),)


@pytest.mark.parametrize(
    ("new", "own"),
    [
        (
            36,
            "The group's own miss rate got better, it fell from 17.4 % to 7.2 %: what is new is the gap to the others.",
        ),
        (120, "The group's own miss rate rose from 17.4 % to 24.0 %."),
        (87, "The group's own miss rate stayed at 17.4 %: what is new is the gap to the others."),
    ],
)
def test_a_new_gap_says_what_the_groups_own_rate_did(report: Report, samples: ModuleType, new: int, own: str) -> None:
    change = VerdictChange("fnr/sex/Male/2.4", "within limit", "diverges", "newly diverges")
    told = f"The miss rate of patients whose sex is Male newly diverges. {own}"
    assert said(report, verdicts=(change,), rates=rates(samples, 87, new)) == [told]


def test_clear_changes_that_are_not_told_are_counted(report: Report, samples: ModuleType) -> None:
    old, new = samples.rate(40, 200), samples.rate(60, 200)
    clear = tuple(
        RateChange("sex", f"g{place}", "fnr", old, new, Estimate(0.1, 0.02, 0.18, 200), 0.01) for place in range(9)
    )
    texts = said(report, verdicts=(), rates=clear)
    assert len(texts) == 7
    assert texts[-1] == "And 3 more rates changed beyond chance, by less, in the chapter on releases."
