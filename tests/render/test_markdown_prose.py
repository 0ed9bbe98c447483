"""An author's Markdown: what of it becomes markup, and what stays text."""

from __future__ import annotations

import pytest

from reporter.render.markdown_prose import prose_html


def test_marks_lists_and_tables_become_markup() -> None:
    html = prose_html("Not for *children*.\n\n- one\n- two\n\n| a | b |\n|---|:-:|\n| 1 | 2 |\n")
    assert "<em>children</em>" in html
    assert "<li>one</li>" in html
    assert "<td>1</td>" in html
    assert "style=" not in html


@pytest.mark.parametrize(
    "source",
    [
        "<script>alert(1)</script>",
        "a <b onclick=x()>b</b>",
        "<!-- x -->",
        "<style>p{}</style>",
        "<svg/onload=alert(1)>",
    ],
)
def test_raw_html_is_text(source: str) -> None:
    html = prose_html(source)
    assert "&lt;" in html
    assert html.count("<") == html.count("<p>") + html.count("</p>")


@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "file:///etc/passwd",
        "//evil.example",
        "&#106;avascript:alert(1)",
        "java\tscript:x",
    ],
)
def test_a_link_that_may_not_be_followed_is_none(target: str) -> None:
    assert "<a" not in prose_html(f"[here](<{target}>)")


@pytest.mark.parametrize("target", ["https://example.org/a?b=1", "mailto:models@example.org", "#method", "notes.html"])
def test_a_plain_link_is_one(target: str) -> None:
    assert f'<a href="{target}">here</a>' in prose_html(f"[here]({target})")


def test_a_picture_would_need_the_network_and_becomes_its_description() -> None:
    assert prose_html('![a "chart"](https://example.org/x.png)') == "<p>[a &quot;chart&quot;]</p>\n"


def test_headings_start_below_the_cards_own_and_never_jump() -> None:
    assert prose_html("# A\n\n### B\n\n# C\n") == "<h4>A</h4>\n<h5>B</h5>\n<h4>C</h4>\n"
    assert prose_html("### A\n\n# B\n", below=2) == "<h3>A</h3>\n<h3>B</h3>\n"
