"""The page: self-contained, well-formed, escaped, restyled by the user's folder, cut for the PDF."""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reporter.errors import OutputError
from reporter.packaged import packaged_folder
from reporter.render.as_html import render_html
from reporter.render.document import Document, Figure, make_document


@pytest.fixture(scope="module")
def document(samples: ModuleType) -> Document:
    return make_document(samples.report())


@pytest.fixture(scope="module")
def html(document: Document) -> str:
    return render_html(document)


@pytest.fixture(scope="module")
def page(html: str, pages: ModuleType) -> Any:
    return pages.read(html)


@pytest.fixture(scope="module")
def verdict_only(document: Document) -> Document:
    return replace(document, sections=document.sections[:1])


@pytest.fixture(scope="module")
def undrawn(document: Document) -> Document:
    """The card without its drawings, which cost most of a rendering."""
    return replace(
        document,
        sections=tuple(
            replace(one, blocks=tuple(block for block in one.blocks if not isinstance(block, Figure)))
            for one in document.sections
            if one.id != "scores"
        ),
    )


@pytest.fixture(scope="module")
def printed(undrawn: Document, pages: ModuleType) -> Any:
    return pages.read(render_html(undrawn, medium="pdf"))


def test_equal_documents_give_equal_pages(undrawn: Document) -> None:
    assert render_html(undrawn) == render_html(undrawn)


def test_the_page_fetches_nothing(page: Any) -> None:
    for element in page.elements:
        for name in ("src", "srcset", "action", "data", "poster", "xlink:href"):
            assert not element.attributes.get(name, "").startswith(("http", "//", "file", "/")), element
        if "href" in element.attributes:
            assert element.attributes["href"].startswith(("#", "mailto:", "https://", "http://"))
    assert not page.all("link")
    assert "url(" not in page.all("style")[0].text
    assert "@import" not in page.all("style")[0].text


def test_only_the_pages_own_style_and_script_may_run(page: Any) -> None:
    (policy,) = [
        meta.attributes["content"]
        for meta in page.all("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    (script,) = page.all("script")
    (style,) = page.all("style")
    for text in (script.text, style.text):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_nothing_on_the_page_needs_an_inline_style_or_handler(page: Any) -> None:
    for element in page.elements:
        assert "style" not in element.attributes, element
        assert not [name for name in element.attributes if name.startswith("on")], element


def test_an_ordinary_card_is_under_a_megabyte(html: str) -> None:
    assert len(html.encode()) < 1_000_000


def test_ids_are_unique_and_links_lead_somewhere(page: Any) -> None:
    known = set(page.ids)
    assert len(known) == len(page.ids)
    links = [element.attributes.get("href", "") for element in page.all("a")]
    assert {link[1:] for link in links if link.startswith("#")} <= known
    for element in page.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set(element.attributes.get(name, "").split()) <= known


def test_headings_go_down_one_step_at_a_time(page: Any) -> None:
    levels = [int(element.tag[1]) for element in page.elements if re.fullmatch(r"h[1-6]", element.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(below - above <= 1 for above, below in itertools.pairwise(levels))


def test_tables_name_their_rows_and_columns(page: Any) -> None:
    for table in page.all("table"):
        if table.attributes.get("class") == "sign-off":
            continue
        assert [child.tag for child in table.children] == ["caption", "thead", "tbody"]
        for row in table.children[2].children:
            assert row.children[0].tag == "th"
            assert row.children[0].attributes["scope"] == "row"
        assert {cell.attributes["scope"] for cell in table.children[1].children[0].children} == {"col"}


def test_every_drawing_carries_its_sentence(page: Any, document: Document) -> None:
    drawings = page.all("svg")
    assert len(drawings) >= 10
    for svg in drawings:
        assert svg.attributes["role"] == "img"
        assert svg.children[0].tag == "title"
        assert svg.children[0].text.endswith(".")


def test_the_page_says_its_language_and_the_proses(undrawn: Document, pages: ModuleType) -> None:
    german = pages.read(render_html(replace(undrawn, language="de-AT")))
    assert german.all("html")[0].attributes["lang"] == "en"
    prose = [element for element in german.all("div") if element.attributes.get("class") == "prose"]
    assert prose
    assert {element.attributes["lang"] for element in prose} == {"de-AT"}


def test_a_cell_carries_a_key_only_where_its_text_does_not_sort(page: Any) -> None:
    keys = {
        element.text.split("\n")[0]: element.attributes["data-sort"]
        for element in page.elements
        if "data-sort" in element.attributes
    }
    assert float(keys["<\u00a00.001"]) < 0.001
    assert keys["31\u00a0March\u00a02027"] == "2027-03-31"
    assert not [text for text in keys if text.startswith("31.1\u00a0%")]


def test_long_tables_get_a_filter_and_short_ones_do_not(page: Any) -> None:
    named = {table.attributes["data-filter"] for table in page.all("table") if "data-filter" in table.attributes}
    assert "Every comparison with its verdict" in named
    assert not any("by sex:" in name for name in named)


def test_the_pdfs_page_has_no_script_and_no_folded_part(printed: Any) -> None:
    assert not printed.all("script")
    assert not printed.all("details")
    assert not printed.all("nav")


def test_the_pdfs_page_cuts_long_tables_after_the_flagged_rows_and_says_so(printed: Any) -> None:
    block = printed.by_id("all-comparisons")
    (scroll, note, *_) = block.children
    rows = scroll.children[0].children[2].children
    assert len(rows) == 10, "every comparison of the model that is signed for that is beyond its limit"
    assert all("2.4" in row.text for row in rows)
    assert ["diverges" in row.text for row in rows] == [True] * 9 + [False]
    assert note.text.replace("\u00a0", " ") == (
        "10 of 60 rows, those of Referral model 2.4 before others, diverging ones first, then those beyond their limit without the "
        "evidence, the largest gap first. "
        "All are in card.html and in report.json, which is attached to this file."
    )


def test_the_users_template_and_style_come_first(document: Document, tmp_path: Path) -> None:
    (tmp_path / "card.html.j2").write_text(
        "<p>{{ document.title }} & {{ '<b>' }}</p><style>{{ style }}</style>", encoding="utf-8"
    )
    (tmp_path / "card.css").write_text("p { color: teal }", encoding="utf-8")
    (tmp_path / "extra.css").write_text("b { color: navy }", encoding="utf-8")
    page = render_html(document, templates=tmp_path)
    assert page.startswith("<p>Referral model 2.4 & &lt;b&gt;</p>")
    assert page.endswith("<style>p { color: teal }\nb { color: navy }</style>")


def test_a_template_of_the_users_may_use_the_packaged_blocks(verdict_only: Document, tmp_path: Path) -> None:
    (tmp_path / "card.html.j2").write_text(
        '{% import "blocks.html.j2" as blocks with context %}{% for block in document.sections[0].blocks %}{{ blocks.show(block) }}{% endfor %}',
        encoding="utf-8",
    )
    assert "Referral model 2.4 does not pass" in render_html(verdict_only, templates=tmp_path)


def test_an_unknown_name_in_a_template_is_an_error_with_its_file(verdict_only: Document, tmp_path: Path) -> None:
    (tmp_path / "card.html.j2").write_text("{{ document.titel }}", encoding="utf-8")
    with pytest.raises(OutputError, match="titel") as caught:
        render_html(verdict_only, templates=tmp_path)
    assert caught.value.exit_code == 4
    assert caught.value.problems[0].key == "output.templates"


def test_a_broken_template_is_an_error_with_its_line(verdict_only: Document, tmp_path: Path) -> None:
    (tmp_path / "card.html.j2").write_text("fine\n{% if %}", encoding="utf-8")
    with pytest.raises(OutputError) as caught:
        render_html(verdict_only, templates=tmp_path)
    assert caught.value.problems[0].line == 2
    assert caught.value.problems[0].path.endswith("card.html.j2")


def test_a_missing_templates_folder_is_an_error(verdict_only: Document, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="found no folder"):
        render_html(verdict_only, templates=tmp_path / "absent")


def test_templates_hold_no_arithmetic() -> None:
    for path in packaged_folder("templates").rglob("*.j2"):
        inside = re.findall(r"\{[{%]-?(.*?)-?[%}]\}", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for code in inside:
            bare = re.sub(r"'[^']*'|\"[^\"]*\"", "", code)
            assert not re.search(r"[-+/*%<>]|\bround\b|\bformat\b", bare), (path.name, code)


def _luminance(colour: str) -> float:
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one: str, other: str) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", [0, 1, 2])
def test_every_pair_of_text_and_ground_has_contrast_in_light_dark_and_print(scheme: int) -> None:
    css = (packaged_folder("templates") / "card.css").read_text(encoding="utf-8")
    light, dark, printed = (
        dict(re.findall(r"--([\w-]+):\s*(#[0-9a-f]{6})", part))
        for part in re.findall(r":root\s*\{(.*?)\}", css, re.DOTALL)
    )
    colours = (light, {**light, **dark}, {**light, **printed})[scheme]
    grounds = [colours[name] for name in ("paper", "raised")]
    for text in ("ink", "quiet", "accent", "fail", "warn", "unknown", "ok"):
        for ground in [*grounds, *(colours[f"{mark}-wash"] for mark in ("fail", "warn", "unknown", "ok"))]:
            assert _contrast(colours[text], ground) >= 4.5, (scheme, text, ground)


def test_words_in_drawings_have_contrast_on_white(page: Any) -> None:
    """An automatic audit of a page cannot judge the contrast of text inside drawings."""
    fills = {
        element.attributes["fill"]
        for svg_text in page.all("text")
        for element in (svg_text,)
        if "fill" in element.attributes
    }
    assert fills
    dark = {fill for fill in fills if fill not in ("#ffffff", "white", "none")}
    for fill in dark:
        assert re.fullmatch(r"#[0-9a-f]{6}", fill), fill
        assert _contrast(fill, "#ececec") >= 4.5, fill


def test_the_example_page_of_the_documentation_works(undrawn: Document, tmp_path: Path, pages: ModuleType) -> None:
    text = (packaged_folder("templates") / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```jinja\n(.*?)```", text, flags=re.DOTALL)
    (tmp_path / "card.html.j2").write_text(example, encoding="utf-8")
    page = pages.read(render_html(undrawn, templates=tmp_path))
    assert page.all("footer")[0].text == "For internal use."
    assert "does not pass" in page.text


def test_the_documentation_names_every_name_and_file_that_templates_have(undrawn: Document) -> None:
    folder = packaged_folder("templates")
    text = (folder / "README.md").read_text(encoding="utf-8")
    used = {
        name
        for path in ("card.html.j2", "blocks.html.j2")
        for name in _names((folder / path).read_text(encoding="utf-8"))
    }
    assert used
    assert [name for name in sorted(used) if f"`{name}" not in text] == []
    cards = [path.name for path in folder.iterdir() if path.name.startswith(("card", "blocks", "print"))]
    assert [name for name in cards if f"`{name}`" not in text] == []


def _names(source: str) -> set[str]:
    """What a template takes from outside."""
    from jinja2 import Environment, meta

    return set(meta.find_undeclared_variables(Environment().parse(source)))
