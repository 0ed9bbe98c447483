"""What the chapter of agreement shows and explains, for what was asked and what could be computed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.chapter_agreement import agreement_section
from reporter.render.chapter_method import method_section
from reporter.render.document import Block, Details, Figure, Heading, Paragraph, Section, Table
from reporter.render.plots import ForestPlot
from reporter.render.wording import Words
from reporter.results import AgreementGap, AgreementResult, AgreementSection, Estimate, Icc, MultiRater, Report


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


@pytest.fixture
def report(samples: ModuleType) -> Report:
    found: Report = samples.report()
    return found


def chapter(report: Report, section: AgreementSection) -> Section:
    found = agreement_section(replace(report, agreement_section=section), Words.of(report))
    assert found is not None
    return found


def flat(blocks: tuple[Block, ...]) -> Iterator[Block]:
    for block in blocks:
        yield block
        if isinstance(block, Details):
            yield from flat(block.blocks)


def tables(section: Section) -> dict[str, Table]:
    return {block.id: block for block in flat(section.blocks) if isinstance(block, Table)}


def figures(section: Section) -> list[Figure]:
    return [block for block in section.blocks if isinstance(block, Figure)]


def texts(section: Section) -> str:
    return plain(" ".join(block.text for block in section.blocks if isinstance(block, Paragraph)))


def results(report: Report) -> tuple[AgreementResult, ...]:
    assert report.agreement_section is not None
    return report.agreement_section.results


def nothing(**changes: object) -> AgreementResult:
    return replace(AgreementResult("nurse", "physician", None, None, None, None), **changes)  # type: ignore[arg-type]


def test_the_signs_of_both_indices_are_said_with_the_names_of_the_pair(report: Report) -> None:
    note = tables(chapter(report, AgreementSection(results(report))))["agreement-1-table"].note
    assert "Bias index above 0: physician says yes more often than nurse; below 0: less often." in note
    assert "Prevalence index above 0: both say yes more often than both say no." in note


def test_only_what_is_shown_is_explained(report: Report) -> None:
    section = chapter(report, AgreementSection(results(report)[:1], statistics=("ac1",)))
    assert "Gwet's AC1 is agreement beyond chance as well" in texts(section)
    assert "PABAK" not in texts(section)
    assert "The ICC compares scores" in texts(section)


def test_ac1_has_one_name(report: Report) -> None:
    gap = AgreementGap(
        "sex",
        "Female",
        "ac1",
        "rest",
        Estimate(0.01, -0.1, 0.2),
        0.8,
        0.8,
        "within limit",
        first="nurse",
        second="physician",
    )
    shown = tables(chapter(report, AgreementSection(results(report), (gap,))))
    assert "Gwet's AC1" in [column.title for column in shown["agreement-1-table"].columns]
    assert shown["agreement-gaps-1"].rows[0].cells[2].text == "Gwet's AC1"


@pytest.mark.parametrize(("asked", "series"), [((), ("kappa", "PABAK")), (("kappa", "icc"), ("kappa",))])
def test_a_figure_draws_what_was_asked_for(report: Report, asked: tuple[str, ...], series: tuple[str, ...]) -> None:
    (figure,) = figures(chapter(report, AgreementSection(results(report), statistics=asked)))
    assert isinstance(figure.spec, ForestPlot)
    assert figure.spec.series == series
    assert ("PABAK" in figure.title) is ("PABAK" in series)


def test_without_kappa_and_pabak_nothing_is_drawn(report: Report) -> None:
    assert figures(chapter(report, AgreementSection(results(report), statistics=("ac1",)))) == []


def test_many_groups_are_drawn_in_parts_of_one_scale(report: Report) -> None:
    one = results(report)[1]
    many = tuple(
        replace(one, grouping=grouping, group=f"{grouping} {number}")
        for grouping in ("age", "site", "ward")
        for number in range(5)
    )
    first, second = figures(chapter(report, AgreementSection(many)))
    assert isinstance(first.spec, ForestPlot)
    assert isinstance(second.spec, ForestPlot)
    assert [sum(bool(row.points) for row in part.spec.rows) for part in (first, second)] == [10, 5]  # type: ignore[union-attr]
    assert first.spec.axis == second.spec.axis
    assert " by age and site" in first.title
    assert second.caption.endswith("The table above holds the numbers.")


def test_a_pair_without_anything_computed_says_why(report: Report) -> None:
    section = chapter(report, AgreementSection((nothing(),), statistics=("icc", "weighted_kappa")))
    assert "The ICC is not computed here: it needs a score or a number from both." in texts(section)
    assert "Weighted kappa is not computed here: it needs ratings in numbers from both." in texts(section)
    assert tables(section) == {}


def test_what_is_undefined_in_every_group_is_said_once_instead_of_in_a_column(report: Report) -> None:
    why = "2.3 has predictions only, no scores"
    icc = Icc("A1", None, None, None, None, None, None, None, 0, 2, why)
    words_only = Estimate(None, reason="the ratings are words, which have no order")
    rows = tuple(replace(one, iccs=(icc,), weighted_kappa=words_only) for one in results(report))
    section = chapter(report, AgreementSection(rows))
    assert f"ICC(A,1) is undefined here: {why}." in texts(section)
    assert "Weighted kappa is undefined here: the ratings are words, which have no order." in texts(section)
    titles = [column.title for column in tables(section)["agreement-1-table"].columns]
    assert not [title for title in titles if "ICC" in title or "weighted" in title]
    assert "The ICC compares" not in texts(section)


def test_answers_of_many_kinds_are_named_for_what_was_asked(report: Report) -> None:
    one = nothing(reason="the ratings have 3 values, not two")
    section = chapter(report, AgreementSection((one,), statistics=("ac1",)))
    assert "Gwet's AC1 needs answers of two kinds: the ratings have 3 values, not two." in texts(section)


def test_two_raters_are_too_few_for_what_needs_three(report: Report) -> None:
    section = chapter(report, AgreementSection((nothing(),), statistics=("fleiss", "krippendorff")))
    assert texts(section).endswith(
        "Fleiss' kappa and Krippendorff's alpha need three or more raters of the same thing: not computed."
    )
    assert not [block for block in section.blocks if isinstance(block, Heading)]


def test_two_raters_among_many_are_named_and_have_no_row(report: Report) -> None:
    few = Estimate(None, reason="only two raters, whom kappa compares")
    pair = MultiRater(("a", "b"), "pain", None, None, few, None)
    section = chapter(report, AgreementSection(results(report), multi=(pair,), statistics=("kappa", "fleiss")))
    assert texts(section).endswith(
        "Fleiss' kappa needs three or more raters of the same thing: not computed for a and b (pain)."
    )
    assert "many-raters-table" not in tables(section)


def test_statistics_of_three_raters_say_their_scale_and_what_they_rest_on(report: Report) -> None:
    many = MultiRater(
        ("a", "b", "c"),
        "pain",
        None,
        None,
        Estimate(0.3, 0.26, 0.34, 564, method="Fleiss, linearised variance"),
        Estimate(0.73, 0.7, 0.76, 600, method="Krippendorff, ordinal distances, linearised variance"),
    )
    section = chapter(report, AgreementSection(multi=(many,), statistics=("fleiss", "krippendorff")))
    (row,) = tables(section)["many-raters-table"].rows
    assert [plain(cell.detail).split("\n") for cell in row.cells[2:]] == [
        ["nominal", "0.26 to 0.34", "564 rated by all 3"],
        ["ordinal", "0.70 to 0.76", "600 rated twice or more"],
    ]
    assert "A nominal and an ordinal value are not comparable." in texts(section)


def test_weights_are_said_to_be_quadratic(report: Report) -> None:
    one = nothing(weighted_kappa=Estimate(0.6, 0.5, 0.7, 90))
    section = chapter(report, AgreementSection((one,), statistics=("weighted_kappa",)))
    assert "ordered (ordinal) ratings, with quadratic weights" in texts(section)


def test_forms_of_the_icc_are_told_apart(report: Report) -> None:
    iccs = tuple(Icc(form, 0.8, 0.7, 0.9, 9.0, 9.0, 9.0, 0.0, 10, 2) for form in ("A1", "C1"))
    assert "in forms C it does not" in texts(
        chapter(report, AgreementSection((nothing(iccs=iccs),), statistics=("icc",)))
    )


def gap(second: str, value: float, low: float, high: float, reason: str | None = None) -> AgreementGap:
    return AgreementGap(
        "age", "<= 40", "kappa", "rest", Estimate(value, low, high, 90), 0.4, 0.8, "insufficient evidence", reason,
        "2.4", second, None, 0.1,
    )  # fmt: skip


def test_every_pair_has_its_gaps_and_those_without_0_come_first(report: Report) -> None:
    gaps = (
        gap("2.2", 0.01, -0.1, 0.1),
        gap("2.3", 0.02, -0.1, 0.1),
        gap("2.3", -0.07, -0.13, -0.002),
    )
    shown = tables(chapter(report, AgreementSection(results(report), gaps)))
    assert shown["agreement-gaps-1"].caption.endswith(": 2.4 and 2.2")
    assert [plain(row.cells[3].text) for row in shown["agreement-gaps-2"].rows] == ["−0.07", "+0.02"]


def test_a_small_group_is_told_in_plain_words(report: Report) -> None:
    small = gap("2.3", 0.1, -0.1, 0.3, "fewer pairs of ratings than min_group_size in the group or in the rest")
    row = tables(chapter(report, AgreementSection(results(report), (small,))))["agreement-gaps-1"].rows[0]
    assert row.cells[5].detail == "fewer than 30 pairs of ratings in the group or in the rest"


def test_the_method_names_the_intervals_of_what_was_asked(report: Report) -> None:
    section = AgreementSection(results(report), statistics=("kappa", "pabak"))
    method = method_section(replace(report, agreement_section=section), Words.of(report))
    (told,) = (
        block.text for block in method.blocks if isinstance(block, Paragraph) and block.text.startswith("Agreement:")
    )
    assert "kappa has the interval of Fleiss, Cohen and Everitt" in told
    assert "the Wilson interval of the share of agreement" in told
    assert "ICC" not in told


def _of_groups(report: Report, factor: int, crossing: int) -> tuple[AgreementResult, ...]:
    """All rows, then groups of a crossing, then those of one factor; the crossing's are the larger ones."""
    (one, *_) = [r for r in results(report) if r.agreement is not None and r.group is not None]
    assert one.agreement is not None
    crossed = next(grouping for grouping in report.groupings if len(grouping.columns) > 1)
    large, small = replace(one.agreement, n=5000), replace(one.agreement, n=50)
    return (
        replace(one, grouping=None, group=None),
        *(replace(one, grouping=crossed.name, group=f"c{i}", agreement=large) for i in range(crossing)),
        *(replace(one, grouping="sex", group=f"s{i}", agreement=small) for i in range(factor)),
    )


def test_the_pdf_has_the_single_factors_where_there_are_too_many_groups(report: Report) -> None:
    section = chapter(report, AgreementSection(_of_groups(report, factor=3, crossing=20)))
    table = tables(section)["agreement-1-table"]
    assert (table.total, table.pdf_limit, table.kept) == (24, 4, "all patients together and the single factors")
    assert [row.cells[0].text for row in table.rows[:4]] == ["all patients", "s0", "s1", "s2"]
    drawn = [figure for figure in figures(section) if figure.id.startswith("agreement-1")]
    assert "The 3 groups of single factors of 23 groups are drawn." in drawn[-1].caption


def test_the_pdf_has_the_largest_groups_where_a_single_factor_has_too_many(report: Report) -> None:
    section = chapter(report, AgreementSection(_of_groups(report, factor=30, crossing=0)))
    table = tables(section)["agreement-1-table"]
    assert (table.total, table.pdf_limit, table.kept) == (31, 18, "")


def test_gaps_that_tell_something_stand_before_those_within_the_limit(report: Report) -> None:
    def gap(group: str, low: float, high: float, verdict: str) -> AgreementGap:
        found = Estimate((low + high) / 2, low, high, 100)
        return AgreementGap("sex", group, "kappa", "rest", found, 0.2, 0.5, verdict, first="a", second="b")  # type: ignore[arg-type]

    gaps = (
        gap("within", -0.05, 0.05, "within limit"),
        gap("unknown", -0.3, 0.2, "insufficient evidence"),
        gap("apart", -0.3, -0.01, "insufficient evidence"),
        gap("diverging", -0.4, -0.2, "diverges"),
    )
    table = tables(chapter(report, AgreementSection(results(report), gaps)))["agreement-gaps-1"]
    assert [row.cells[0].text for row in table.rows] == ["diverging", "apart", "unknown", "within"]
    assert (table.kept, table.note) == (
        "the first ones",
        "Gaps whose interval leaves out 0 stand first, then those for which the evidence is insufficient.",
    )
