"""Public fault kind: names that are markup. They show as the text they are, in text, attribute, script and Markdown."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

from reporter.render.as_html import render_html
from reporter.render.as_markdown import render_markdown
from reporter.render.document import Document, Figure, make_document

HOSTILE = (
    "</script><script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "<!--",
    "</style><style>*{}</style>",
    "{{ 7*7 }}{% raw %}",
    "' onmouseover='alert(1)",
    "[x](javascript:alert(1))",
    "a|b`c`*d*",
    "&lt;b&gt;",
)


@pytest.fixture(scope="module")
def document(samples: ModuleType) -> Document:
    """A card whose groups, column, models and vocabulary are hostile, without its drawings, which have a test of their own."""
    counts = ((30, 20, 200, 40), (30, 20, 200, 40))
    table = dict.fromkeys(HOSTILE, counts)
    base = samples.report()
    name = HOSTILE[0]
    comparisons = tuple(
        replace(samples.comparison("fnr", name, table, group, 0), verdict="diverges", reason=HOSTILE[1])
        for group in HOSTILE
    )
    card = replace(
        base.card,
        name=HOSTILE[0],
        version=HOSTILE[1],
        owner=HOSTILE[3],
        vocabulary={**base.card.vocabulary, "units": HOSTILE[1]},
    )
    report = samples.report(
        card=card, groupings=(samples.grouping(name, (name,), table),), comparisons=comparisons,
        data=replace(base.data, source=HOSTILE[0], where=HOSTILE[1]), notes=HOSTILE,
    )  # fmt: skip
    whole = make_document(report)
    return replace(
        whole,
        sections=tuple(
            replace(one, blocks=tuple(b for b in one.blocks if not isinstance(b, Figure))) for one in whole.sections
        ),
    )


def test_names_are_text_on_the_page(document: Document, pages: ModuleType) -> None:
    page = pages.read(render_html(document))
    rows = [element.text for element in page.all("th") if element.attributes.get("scope") == "row"]
    for name in HOSTILE:
        assert name in page.text
        assert any(text.startswith(name) for text in rows)
    assert len(page.all("script")) == 1
    assert len(page.all("style")) == 1
    assert not page.all("img")
    assert not [name for element in page.elements for name in element.attributes if name.startswith("on")]
    assert page.all("title")[0].text == f"{HOSTILE[0]}, {HOSTILE[1]}: model card"


def test_names_in_attributes_stay_in_them(document: Document, pages: ModuleType) -> None:
    page = pages.read(render_html(document))
    (meta,) = [element for element in page.all("meta") if element.attributes.get("name") == "description"]
    assert HOSTILE[1] in meta.attributes["content"]
    filters = [
        element.attributes["data-filter"] for element in page.all("table") if "data-filter" in element.attributes
    ]
    assert all(name.strip() for name in filters)


def test_no_data_is_in_the_script(document: Document, pages: ModuleType, samples: ModuleType) -> None:
    (script,) = pages.read(render_html(document)).all("script")
    (plain,) = pages.read(render_html(make_document(samples.report(tree_results=(), noise_results=())))).all("script")
    assert script.text == plain.text


def test_names_are_text_in_markdown(document: Document) -> None:
    html = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(render_markdown(document))
    assert "<script" not in html
    assert "<img" not in html
    assert 'javascript:alert(1)"' not in html
    for name in HOSTILE:
        assert f"<td>{name}" in unescape(html)
