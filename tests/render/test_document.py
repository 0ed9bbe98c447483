"""What a card says, and in which order: assertions on the Document."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType

import pytest

from reporter.render.as_json import report_from_json, report_to_json
from reporter.render.document import (
    Banner,
    Block,
    Details,
    Document,
    Figure,
    Heading,
    KeyValues,
    Paragraph,
    Placeholder,
    Prose,
    Section,
    Sentences,
    SignOff,
    Table,
    make_document,
)
from reporter.render.plots import CalibrationPlot, ForestPlot, TreeDiagram
from reporter.results import Report, Verdict


@pytest.fixture(scope="module")
def report(samples: ModuleType) -> Report:
    whole: Report = samples.report()
    return whole


@pytest.fixture(scope="module")
def document(report: Report) -> Document:
    return make_document(report)


def blocks(section: Section) -> Iterator[Block]:
    for block in section.blocks:
        yield block
        if isinstance(block, Details):
            yield from block.blocks


def section(document: Document, name: str) -> Section:
    return next(one for one in document.sections if one.id == name)


def tables(document: Document) -> Iterator[Table]:
    for one in document.sections:
        for block in blocks(one):
            if isinstance(block, Table):
                yield block
            if isinstance(block, Figure) and block.table is not None:
                yield block.table


def figures(document: Document) -> list[Figure]:
    return [block for one in document.sections for block in blocks(one) if isinstance(block, Figure)]


def table(document: Document, name: str) -> Table:
    return next(one for one in tables(document) if one.id == name)


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_chapters_come_in_the_order_of_the_card(document: Document) -> None:
    assert [one.id for one in document.sections] == [
        "verdict",
        "identity",
        "model",
        "data",
        "method",
        "overall",
        "groups",
        "why",
        "scores",
        "agreement",
        "noise",
        "trees",
        "releases",
        "accepted",
        "considerations",
        "monitoring",
        "change-log",
        "sign-off",
        "provenance",
    ]


def test_a_bare_report_has_only_the_chapters_that_it_fills(report: Report) -> None:
    bare = replace(
        report,
        groupings=(),
        comparisons=(),
        agreement_section=None,
        tree_results=(),
        noise_results=(),
        releases=None,
        model_pairs=(),
        verdict=Verdict("pass"),
    )
    document = make_document(bare)
    assert [one.id for one in document.sections] == [
        "verdict",
        "identity",
        "model",
        "data",
        "method",
        "overall",
        "considerations",
        "monitoring",
        "change-log",
        "sign-off",
        "provenance",
    ]
    banner = document.sections[0].blocks[0]
    assert isinstance(banner, Banner)
    assert banner.headline == "Referral model 2.4 is not stopped, but no groups were compared"
    assert banner.text.startswith("No rule compares groups")


def test_the_verdict_comes_first_with_each_flagged_group_in_a_sentence(document: Document) -> None:
    banner, heading, found, *_ = section(document, "verdict").blocks
    assert isinstance(banner, Banner)
    assert (banner.outcome, banner.headline) == ("fail", "Referral model 2.4 does not pass")
    assert banner.facts[0] == "11 of 60 comparisons diverge"
    assert isinstance(heading, Heading)
    assert isinstance(found, Sentences)
    first = found.items[0]
    assert plain(first.text) == (
        "Referral model 2.4 misses 31.1 % of ill patients whose age is over 75 and 18.7 % of the others "
        "(12.4 points more, 95 % interval 5.8 to 19.4; 66 of 212 against 136 of 726)."
    )
    assert (first.severity, first.label, first.anchor) == ("fail", "Diverges", "group-1")


def test_an_accepted_finding_stays_with_who_answers_for_it(document: Document) -> None:
    found = section(document, "verdict").blocks[2]
    assert isinstance(found, Sentences)
    (accepted,) = [item for item in found.items if item.label == "Diverges, accepted"]
    assert accepted.severity == "warn"
    assert "Accepted by Clinical safety board until 31 March 2027: Re-training is scheduled." in plain(accepted.detail)


def test_a_gate_that_no_group_shows_is_named(report: Report) -> None:
    from reporter.results import GateFailure

    failed = replace(
        report.verdict, failures=(GateFailure("unsigned_baseline", "", "The baseline must carry a signed approval."),)
    )
    heading, said = section(make_document(replace(report, verdict=failed)), "verdict").blocks[1:3]
    assert isinstance(heading, Heading)
    assert heading.text == "Why the gate fails"
    assert isinstance(said, Sentences)
    assert (said.items[0].label, said.items[0].text) == (
        "Gate: unsigned baseline",
        "The baseline must carry a signed approval.",
    )


def test_what_changed_and_what_is_not_known_stand_on_the_first_page(document: Document) -> None:
    verdict = section(document, "verdict")
    headings = [block.text for block in verdict.blocks if isinstance(block, Heading)]
    assert headings == ["Groups beyond a limit", "Since release 2.3", "What could not be decided"]
    changed, unknown = [block for block in verdict.blocks if isinstance(block, Sentences)][1:]
    assert plain(changed.items[0].text) == (
        "The miss rate of patients whose age is over 75 newly diverges (its gap changed by +6.0 points, 95 % interval +1.0 to +11.0). "
        "The group's own miss rate rose from 25.5 % to 31.1 %."
    )
    assert (
        plain(unknown.items[0].text)
        == "27 comparisons: the interval is too wide to tell; about 640 more patients of the group would settle each."
    )


def test_unwritten_prose_is_a_visible_placeholder_and_listed(document: Document) -> None:
    monitoring = section(document, "monitoring").blocks[0]
    assert monitoring == Placeholder("Not written. The key card.monitoring of the config fills this section.")
    notes = [block.text for block in section(document, "identity").blocks if isinstance(block, Paragraph)]
    assert notes == ["Nobody wrote these sections: training data and monitoring."]


def test_prose_is_safe_markup_with_its_source(document: Document) -> None:
    (warning,) = [
        block
        for block in section(document, "identity").blocks
        if isinstance(block, Prose) and "rule out" in block.source
    ]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in warning.html
    assert "<script>" not in warning.html


def test_a_number_travels_with_its_interval_and_counts(document: Document) -> None:
    old = next(row for row in table(document, "group-1-model-1").rows if row.cells[0].text == "> 75")
    assert old.flag == "fail"
    assert plain(old.cells[0].detail) == "diverges in miss rate, false alarm rate (warning)"
    miss = next(
        cell
        for column, cell in zip(table(document, "group-1-model-1").columns, old.cells, strict=True)
        if column.key == "fnr"
    )
    assert (plain(miss.text), plain(miss.detail)) == ("31.1 %", "25.3 to 37.7\n66 of 212")
    assert miss.sort == pytest.approx(66 / 212)


def test_an_undefined_value_says_why_and_sorts_last(document: Document) -> None:
    sites = table(document, "group-3-model-1")
    missing = next(row for row in sites.rows if row.cells[0].text == "(missing)")
    miss = next(cell for column, cell in zip(sites.columns, missing.cells, strict=True) if column.key == "fnr")
    assert (miss.text, miss.detail, miss.sort) == ("undefined", "no patient that is ill", None)


def test_no_undefined_cell_is_without_a_reason_or_a_neighbour_that_has_it(document: Document) -> None:
    for one in tables(document):
        for row in one.rows:
            undefined = [cell for cell in row.cells if cell.text == "undefined"]
            assert not undefined or any(cell.detail for cell in row.cells), (one.id, row)


def test_pooled_groups_name_what_they_pool(document: Document) -> None:
    sites = table(document, "composition")
    assert [row.cells[0].detail for row in sites.rows if row.cells[0].text == "(other)"] == ["pools Airport and Island"]


def test_every_comparison_is_in_one_table_with_its_verdict(document: Document, report: Report) -> None:
    every = table(document, "all-comparisons")
    assert every.total == len(report.comparisons)
    assert {row.cells[-1].text for row in every.rows} == {
        "diverges",
        "diverges, accepted",
        "within limit",
        "insufficient evidence",
    }
    assert every.pdf_limit is not None


def test_ids_are_unique_and_every_link_has_a_target(document: Document) -> None:
    ids = [one.id for one in document.sections]
    links = []
    for one in document.sections:
        for block in blocks(one):
            ids += [block.id] if isinstance(block, Heading | Table | Figure | Details) else []
            ids += [block.table.id] if isinstance(block, Figure) and block.table else []
            links += [item.anchor for item in block.items if item.anchor] if isinstance(block, Sentences) else []
    assert len(set(ids)) == len(ids)
    assert set(links) <= set(ids)


def test_rows_have_a_cell_for_every_column(document: Document) -> None:
    for one in tables(document):
        assert {len(row.cells) for row in one.rows} <= {len(one.columns)}, one.id
        assert len({column.key for column in one.columns}) == len(one.columns), one.id


def test_every_figure_has_a_full_sentence_and_its_numbers_somewhere(document: Document) -> None:
    drawn = figures(document)
    assert len(drawn) >= 10
    for figure in drawn:
        assert figure.title.endswith(".")
        assert len(figure.title) > 40
        assert figure.table is not None or "able" in figure.caption or isinstance(figure.spec, TreeDiagram)


def test_the_forest_plot_marks_the_flagged_group(document: Document) -> None:
    figure = next(one for one in figures(document) if one.id == "forest-factors-fnr")
    assert isinstance(figure.spec, ForestPlot)
    assert [row.label for row in figure.spec.rows if row.flagged] == ["(40, 65]", "> 75"]
    assert [row.label for row in figure.spec.rows if not row.points] == ["age", "sex", "site"]
    assert figure.spec.series == ("2.4", "2.3")


def test_calibration_curves_are_one_a_group(document: Document) -> None:
    figure = next(one for one in figures(document) if one.id == "calibration-1")
    assert isinstance(figure.spec, CalibrationPlot)
    assert [curve.label for curve in figure.spec.curves] == ["<= 40", "(40, 65]", "(65, 75]", "> 75"]


def test_the_tree_says_in_words_what_it_found(document: Document) -> None:
    trees = section(document, "trees")
    texts = [plain(block.text) for block in trees.blocks if isinstance(block, Paragraph)]
    assert texts[1] == (
        "Over all 1,600 healthy patients whose ethnicity is White or Black, the gap goes from +7.0 with 2.3 to +11.0 points with 2.4; "
        "Δ is +4.0 points (95 % interval +1.0 to +7.0). The overall Δ hides subgroups: the tree finds 3, with Δ from −4.9 to +12.3 points. "
        "In 1 of them Δ has the opposite sign."
    )
    assert "The intervals follow a search" in texts[2]
    (leaves,) = [block for block in trees.blocks if isinstance(block, Sentences)]
    assert plain(leaves.items[0].text) == (
        "Where sex = Male and age ≤ 45 (700 of the 1,600): the gap goes from +8.0 with 2.3 to +20.3 points with 2.4; "
        "Δ is +12.3 points (95 % interval +6.1 to +18.4)."
    )
    assert [item.label for item in leaves.items] == ["", "Opposite sign to overall", ""]


def test_an_opposite_sign_is_called_uncertain_where_the_interval_includes_zero(report: Report) -> None:
    from reporter.tree import Tree

    result = report.tree_results[0]
    women, men = result.tree.root.children
    root = replace(result.tree.root, children=(replace(women, high=0.02), men))
    trees = section(make_document(replace(report, tree_results=(replace(result, tree=Tree(root)),))), "trees")
    assert "In 1 of them Δ has the opposite sign, but its interval includes 0" in str(trees.blocks[2])
    (leaves,) = [block for block in trees.blocks if isinstance(block, Sentences)]
    assert [item.label for item in leaves.items] == ["", "Opposite sign to overall, uncertain", ""]


def test_a_tree_without_a_split_says_that_nothing_was_found_or_nothing_can_be_told(
    report: Report, samples: ModuleType
) -> None:
    from reporter.tree import NodeTest, Tree

    result = report.tree_results[0]
    root = replace(result.tree.root, children=(), split=None, reason="no test passed")
    found = section(make_document(replace(report, tree_results=(replace(result, tree=Tree(root)),))), "trees")
    assert "No subgroup was found in which Δ differs (no test passed); that is not proof that there is none." in str(
        found.blocks[2]
    )
    untestable = replace(
        root,
        tests={"sex": NodeTest(None, None, None, None, None, "too few disagreements")},
        reason="nothing could be tested",
    )
    found = section(make_document(replace(report, tree_results=(replace(result, tree=Tree(untestable)),))), "trees")
    assert "Whether it hides subgroups cannot be told (too few disagreements)." in str(found.blocks[2])


def test_rates_of_many_levels_share_a_column(report: Report) -> None:
    from reporter.tree import Rate, Tree

    result = report.tree_results[0]
    rates = {f"m{model}_a{level}": Rate(level / 10, 100 * level) for model in (1, 2) for level in (1, 2, 3)}
    root = replace(
        result.tree.root,
        children=(),
        split=None,
        rates=rates,
        base_rates={"a1": Rate(0.2, 9), "a2": Rate(None, 0), "a3": Rate(0.4, 9)},
    )
    spread = replace(result, contrast="spread", levels=("White", "Black", "Asian"), tree=Tree(root))
    one = table(make_document(replace(report, tree_results=(spread,))), "tree-1-table")
    assert [column.title for column in one.columns] == [
        "Subgroup",
        "n",
        "Δ",
        "2.3, lowest to highest",
        "2.4, lowest to highest",
        "base rate, lowest to highest",
    ]
    assert plain(one.rows[0].cells[3].text) == "10.0 % to 30.0 %"
    assert plain(one.rows[0].cells[5].detail) == "White 20.0 % (n = 9)\nBlack undefined (n = 0)\nAsian 40.0 % (n = 9)"


def test_more_measures_than_fit_a_page_are_tables_in_parts(report: Report) -> None:
    names = [f"measure_{place:02d}" for place in range(19)]
    groupings = tuple(
        replace(
            one,
            results=tuple(replace(r, metrics=dict.fromkeys(names, r.metrics["fnr"])) for r in one.results),
            curves=(),
        )
        for one in report.groupings[:1]
    )
    models = tuple(replace(model, metrics=dict.fromkeys(names, model.metrics["fnr"])) for model in report.models)
    wide = replace(
        report, groupings=groupings, models=models, comparisons=(), settings={**report.settings, "metrics": names}
    )
    document = make_document(wide)
    parts = [table(document, name) for name in ("group-1-model-1", "group-1-model-1-part-2", "group-1-model-1-part-3")]
    assert [len(part.columns) for part in parts] == [10, 10, 5]
    assert [part.caption.rsplit(", ", 1)[1] for part in parts] == ["part 1 of 3", "part 2 of 3", "part 3 of 3"]


def test_agreement_gaps_are_sentences_and_the_undefined_kappa_keeps_its_reason(document: Document) -> None:
    agreement = section(document, "agreement")
    said = next(block for block in agreement.blocks if isinstance(block, Sentences))
    assert plain(said.items[0].text) == (
        "Nurse and physician agree less by kappa for sex: Female than for the others (0.66 against 0.80; gap −0.14, 95 % interval −0.20 to −0.08)."
    )
    row = next(row for row in table(document, "agreement-1-table").rows if row.cells[0].text == "(missing)")
    assert (row.cells[3].text, row.cells[3].detail) == ("undefined", "both raters always give the same answer")


def test_a_report_read_back_from_json_gives_the_same_document(report: Report, document: Document) -> None:
    assert make_document(report_from_json(report_to_json(report))) == document


def test_the_signatures_have_a_line_each(document: Document) -> None:
    (sheet,) = [block for block in section(document, "sign-off").blocks if isinstance(block, SignOff)]
    assert sheet.fields == ("Name", "Role", "Decision and conditions", "Date", "Signature")
    assert len(sheet.rows) == 3


def test_provenance_names_hashes_seed_and_command(document: Document) -> None:
    facts = section(document, "provenance").blocks[0]
    assert isinstance(facts, KeyValues)
    values = {item.key: item.value for item in facts.items}
    assert values["Command"] == "reporter run clinic.yaml"
    assert values["Config, SHA-256"] == "ab" * 32
    assert values["Seed"] == "20261130"


def test_without_a_label_only_what_needs_none_is_said(report: Report) -> None:
    data = replace(report.data, label=None, n_labelled=0, n_positive=0)
    facts = next(
        block
        for block in section(make_document(replace(report, data=data)), "data").blocks
        if isinstance(block, KeyValues)
    )
    assert ("Label", "none; only the referral rate can be reported") in [(item.key, item.value) for item in facts.items]


def test_the_method_states_limits_adjustment_and_smallest_group(document: Document) -> None:
    rules = table(document, "rules")
    assert [[plain(cell.text) for cell in row.cells] for row in rules.rows] == [
        ["miss rate", "everyone else", "5 points", "all", "stops the release"],
        ["false alarm rate", "everyone else", "5 points", "all", "warns"],
    ]
    texts = " ".join(plain(block.text) for block in section(document, "method").blocks if isinstance(block, Paragraph))
    assert "P-values are adjusted by Holm's method" in texts
    assert "Groups under 30 patients get no other verdict than insufficient evidence." in texts


def test_the_headline_of_a_card_that_passes_counts_its_warnings(samples: ModuleType) -> None:
    report = samples.report()
    marked = tuple(replace(found, severity="warn") for found in report.comparisons)
    banner = section(
        make_document(replace(report, comparisons=marked, verdict=Verdict("pass", n_flagged=11))), "verdict"
    ).blocks[0]
    assert isinstance(banner, Banner)
    assert (banner.outcome, banner.headline) == ("pass", "Referral model 2.4 passes, with 11 warnings")


def test_how_many_diverge_is_said_with_which_model(report: Report, document: Document) -> None:
    found = [one for one in report.comparisons if one.verdict == "diverges" and one.grouping == "age"]
    n = {model: sum(one.model == model for one in found) for model in ("2.4", "2.3")}
    (said,) = [
        plain(block.text)
        for block in blocks(section(document, "groups"))
        if isinstance(block, Paragraph) and block.text.startswith("4 groups, ")
    ][:1]
    assert min(n.values()) > 0
    assert f"{len(found)} diverge ({n['2.4']} with Referral model 2.4 and {n['2.3']} with Referral model 2.3)," in said
    ours = replace(report, comparisons=tuple(one for one in report.comparisons if one.model == "2.4"))
    assert f" {n['2.4']} diverge (all with Referral model 2.4), " in plain(str(make_document(ours)))
