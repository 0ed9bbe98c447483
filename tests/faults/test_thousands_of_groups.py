"""Public fault kind: thousands of groups. HTML and Markdown have them all, the PDF's page the flagged and first with the total stated,
figures the flagged and largest; in bounded time and size."""

from __future__ import annotations

import time
from types import ModuleType

import pytest

from reporter.render.as_html import render_html
from reporter.render.as_markdown import render_markdown
from reporter.render.document import Details, Document, Figure, make_document
from reporter.render.plots import ForestPlot

GROUPS = 3000


@pytest.fixture(scope="module")
def document(samples: ModuleType) -> Document:
    return make_document(samples.many_groups(GROUPS))


def test_the_page_has_every_group_in_seconds(document: Document) -> None:
    start = time.process_time()
    html = render_html(document)
    assert time.process_time() - start < 20
    assert html.count(">group ") >= 2 * GROUPS
    assert len(html) < 12_000_000
    assert f"group {GROUPS - 1}" in html


def test_markdown_has_every_group(document: Document) -> None:
    assert f"| group {GROUPS - 1} |" in render_markdown(document)


def test_the_pdfs_page_is_bounded_and_states_the_total(document: Document) -> None:
    page = render_html(document, medium="pdf")
    assert page.count("<tr") < 500
    assert "of 3,000 rows, flagged ones first" in page.replace("\u00a0", " ")
    assert "group 0000" in page


def test_the_first_page_stays_short(document: Document) -> None:
    verdict = document.sections[0]
    words = " ".join(str(block) for block in verdict.blocks if not isinstance(block, Details))
    assert len(words) < 4000
    assert "2,999 comparisons" in words


def test_figures_are_capped_and_say_so(document: Document) -> None:
    forests = [
        block
        for one in document.sections
        for block in one.blocks
        if isinstance(block, Figure) and isinstance(block.spec, ForestPlot)
    ]
    assert forests
    for figure in forests:
        assert isinstance(figure.spec, ForestPlot)
        assert len(figure.spec.rows) <= 21
        assert figure.spec.total == GROUPS
        assert "the flagged and the largest 20 of 3,000 groups; the tables hold all." in figure.caption
        assert "group 0000" in [row.label for row in figure.spec.rows]
