"""Two releases on a terminal: what is a gap, what is its change, and what is a ratio."""

from __future__ import annotations

from collections.abc import Callable

from reporter.render.comparison_text import comparison_text
from reporter.results import Comparison, Estimate, Releases, Report, VerdictChange

Make = Callable[..., Report]
MakeComparison = Callable[..., Comparison]


def _told(make_report: Make, found: Comparison, change: Estimate | None, became: str = "newly diverges") -> str:
    verdict = VerdictChange(found.finding, "within limit", found.verdict, became, change)
    releases = Releases("2.3", "2.4", "2.3", True, "the same rows", verdicts=(verdict,))
    text = comparison_text(releases, make_report(comparisons=(found,)))
    (line,) = [line for line in text.splitlines() if found.finding in line]
    return line


def test_the_gap_and_its_change_are_two_numbers(make_report: Make, comparison: MakeComparison) -> None:
    line = _told(make_report, comparison("North", "2.4"), Estimate(0.09, 0.02, 0.16, 100))
    assert line == (
        "  newly diverges: fnr/ward/North/2.4, gap +13.1 points (+6.7 to +19.8), changed by +9.0 points (+2.0 to +16.0)"
    )


def test_a_ratio_and_its_change_are_no_points(make_report: Make, comparison: MakeComparison) -> None:
    gap = Estimate(0.37, 0.29, 0.46, 2106)
    found = comparison("North", "2.4", comparison="ratio", limit=0.8, gap=gap)
    line = _told(make_report, found, Estimate(-0.62, -0.76, -0.49, 100))
    assert line == (
        "  newly diverges: fnr/ward/North/2.4, ratio 0.37 (0.29 to 0.46), changed by −0.62 (−0.76 to −0.49)"
    )


def test_a_gap_whose_change_is_unknown_is_told_alone(make_report: Make, comparison: MakeComparison) -> None:
    line = _told(make_report, comparison("North", "2.4"), Estimate(None, reason="no label"), "still diverges")
    assert line == "  still diverges: fnr/ward/North/2.4, gap +13.1 points (+6.7 to +19.8)"
