"""The card as Markdown: the same words, and names that stay text."""

from __future__ import annotations

from dataclasses import replace
from html import unescape
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from reporter.render.as_markdown import render_markdown
from reporter.render.document import (
    Cell,
    Column,
    Document,
    KeyValue,
    KeyValues,
    Paragraph,
    Prose,
    Row,
    Section,
    Table,
    make_document,
)

TEXTS = st.text(st.sampled_from("ab1 .)-+#=*_`[]()!<>&|~\\\"'$:/@\u00e9"), min_size=1, max_size=12).filter(
    lambda text: text == text.strip()
)


def of(*blocks: object) -> Document:
    return Document("Card", "today", "en", (Section("s", "Section", blocks),))  # type: ignore[arg-type]


def read(markdown: str) -> str:
    return MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)


@pytest.fixture(scope="module")
def markdown(samples: ModuleType) -> str:
    return render_markdown(make_document(samples.report()))


def test_the_verdict_comes_first(markdown: str) -> None:
    lines = [line for line in markdown.splitlines() if line]
    assert lines[0] == "# Referral model 2.4"
    assert lines[2] == "## Verdict"
    assert lines[3] == "**Referral model 2.4 does not pass**"
    assert "misses 31.1\u00a0% of ill patients whose age is over 75" in markdown


def test_every_row_of_every_table_is_there(markdown: str) -> None:
    assert "(missing)" in markdown
    assert read(markdown).count("<table>") == markdown.count("| ---") - sum(
        line.count("| ---") - 1 for line in markdown.splitlines() if line.startswith("| ---")
    )


def test_it_ends_with_one_line_break_and_has_no_trailing_blanks(markdown: str) -> None:
    assert markdown.endswith("|\n")
    assert not [line for line in markdown.splitlines() if line.endswith(" ")]


@given(TEXTS)
def test_any_text_reads_as_itself_in_a_paragraph(text: str) -> None:
    html = read(render_markdown(of(Paragraph(text))))
    assert unescape(html.split("</h2>\n")[1]) == f"<p>{text}</p>\n"


@given(TEXTS)
def test_any_text_reads_as_itself_in_a_cell(text: str) -> None:
    table = Table("t", "Caption", (Column("a", "A"), Column("b", "B", "number")), (Row((Cell(text), Cell("1"))),))
    html = read(render_markdown(of(table)))
    assert f"<td>{text}</td>" in unescape(html)
    assert html.count("<td") == 2


@given(TEXTS)
def test_any_text_reads_as_itself_in_code(text: str) -> None:
    html = read(render_markdown(of(KeyValues((KeyValue("Command", text, code=True),)))))
    assert f"<code>{text}</code>" in unescape(html)


def test_prose_keeps_its_markdown_below_the_cards_headings_without_raw_html() -> None:
    prose = Prose("", "# Head\n\n*Note* <b>x</b> `<i>` <https://example.org>\n\n```\n# <code>\n```")
    assert "#### Head\n\n*Note* &lt;b>x&lt;/b> `<i>` <https://example.org>\n\n```\n# <code>\n```" in render_markdown(
        of(prose)
    )


def test_the_users_template_comes_first(tmp_path: Path) -> None:
    (tmp_path / "card.md.j2").write_text("{{ document.title | md }}", encoding="utf-8")
    assert render_markdown(replace(of(), title="a_b"), templates=tmp_path) == "a\\_b\n"
