"""The PDF: accepted by veraPDF as PDF/A-3a and PDF/UA-1, words findable, data attached, bytes the same, faults named."""

from __future__ import annotations

import hashlib
import html
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import pytest

from reporter.errors import OutputError
from reporter.packaged import packaged_folder
from reporter.render.as_json import report_to_json
from reporter.render.document import Document, Figure, Paragraph, Section, make_document
from reporter.render.figures import draw
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow, TreeDiagram
from reporter.results import Report
from reporter.tree import Tree

pytestmark = pytest.mark.needs("pango")

CREATED = "2026-11-30T12:00:00+01:00"
VERA_SOURCE = Path(__file__).parents[1] / "verapdf" / "VeraCheck.java"
CJK = Path("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc")

Make = Callable[..., Report]
Check = Callable[[Path], str]


@pytest.fixture(scope="session")
def vera(tmp_path_factory: pytest.TempPathFactory) -> Check:
    """Run veraPDF for both flavours and return what it says."""
    path = os.environ["REPORTER_VERAPDF"]
    classes = tmp_path_factory.mktemp("verapdf")
    subprocess.run(["javac", "-cp", path, "-d", str(classes), str(VERA_SOURCE)], check=True, timeout=120)

    def check(pdf: Path) -> str:
        command = ["java", "-cp", f"{path}{os.pathsep}{classes}", "VeraCheck", str(pdf), "3a", "ua1"]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout

    return check


def _html_to_pdf(body: str, **options: object) -> bytes:
    from reporter.render.as_pdf import html_to_pdf

    page = f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Card</title></head><body>{body}</body></html>'
    values = {"created": CREATED, **options}
    return html_to_pdf(page, '{"a":1}\n', "schema: 1\n", **values)  # type: ignore[arg-type]


def _render(report: Report, **options: object) -> bytes:
    from reporter.render.as_pdf import render_pdf

    values = {"created": report.provenance.created, **options}
    return render_pdf(make_document(report), report_to_json(report), "schema: 1\n", **values)  # type: ignore[arg-type]


def _words(pdf: bytes, folder: Path) -> str:
    (folder / "card.pdf").write_bytes(pdf)
    command = ["pdftotext", "-enc", "UTF-8", str(folder / "card.pdf"), "-"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    return done.stdout.replace("\xa0", " ")


def _passes(said: str) -> None:
    lines = [line for line in said.splitlines() if "\t" in line]
    assert [line.split("\t")[2] for line in lines] == ["PASS", "PASS"], said


@pytest.mark.needs("java", "verapdf")
def test_a_card_is_pdf_a_3a_and_pdf_ua_1(make_report: Make, vera: Check, tmp_path: Path) -> None:
    report = make_report(groups=("North", "South & <East>", "(missing)"))
    (tmp_path / "card.pdf").write_bytes(_render(report))
    _passes(vera(tmp_path / "card.pdf"))


@pytest.mark.needs("java", "verapdf", "poppler")
def test_a_card_with_every_chapter_and_kind_of_chart_passes_and_its_labels_are_found(
    samples: ModuleType, vera: Check, tmp_path: Path
) -> None:
    report = samples.report()
    pdf = _render(report)
    text = "".join(_words(pdf, tmp_path).split())
    _passes(vera(tmp_path / "card.pdf"))
    document = make_document(report)
    figures = [block for section in document.sections for block in section.blocks if isinstance(block, Figure)]
    assert {type(figure.spec).__name__ for figure in figures} >= {"ForestPlot", "RocPlot", "DensityPlot", "TreeDiagram"}
    for figure in figures:
        for label in re.findall(r"<text [^>]*>([^<]+)</text>", draw(figure.spec, "f", "T.")):
            assert "".join(html.unescape(label).split()) in text, (figure.id, label)


def _tall(samples: ModuleType) -> Report:
    """A report with one tree that is too tall for a page: its own tree, hung into itself."""
    report: Report = samples.report()
    (result,) = report.tree_results
    root = result.tree.root
    for number in range(9):
        women, men = root.children
        root = replace(root, id=number + 100, children=(women, replace(men, children=(men.children[0], root))))
    return replace(report, tree_results=(replace(result, tree=Tree(root)),))


@pytest.mark.needs("java", "verapdf")
def test_a_tree_over_several_pages_passes(samples: ModuleType, vera: Check, tmp_path: Path) -> None:
    document = make_document(_tall(samples))
    spec = next(
        block.spec
        for section in document.sections
        for block in section.blocks
        if isinstance(block, Figure) and isinstance(block.spec, TreeDiagram)
    )
    assert draw(spec, "f", "T.").count("<svg ") > 3
    (tmp_path / "card.pdf").write_bytes(_render(_tall(samples)))
    _passes(vera(tmp_path / "card.pdf"))


@pytest.mark.needs("poppler")
def test_the_running_head_names_the_chapter_at_the_top_of_the_page(tmp_path: Path) -> None:
    sheet = (packaged_folder("templates") / "print.css").read_text(encoding="utf-8")
    lines = "<p>line</p>" * 60
    page = f"<style>{sheet}</style><h1>Card</h1><h2>First</h2>{lines}<h2>Second</h2>{lines}"
    third = '<div style="break-before: page"><h2>Third</h2><p>end</p></div>'
    (tmp_path / "card.pdf").write_bytes(_html_to_pdf(page + third))
    command = ["pdftotext", "-layout", str(tmp_path / "card.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    heads = [one.strip().splitlines()[0].split() for one in text.split("\f") if one.strip()]
    assert [words[-1] for words in heads[1:]] == ["First", "Second", "Third"]


@pytest.mark.needs("java", "verapdf")
@pytest.mark.skipif(not CJK.is_file(), reason="needs a Chinese font: apt-get install fonts-noto-cjk")
def test_a_chinese_group_passes_with_a_font_given(make_report: Make, vera: Check, tmp_path: Path) -> None:
    pdf = _render(make_report(groups=("中文组", "North")), fonts=[CJK])
    (tmp_path / "card.pdf").write_bytes(pdf)
    _passes(vera(tmp_path / "card.pdf"))
    assert "中文组" in _words(pdf, tmp_path)


def test_a_chinese_group_without_a_font_is_an_error_that_names_the_characters_and_the_key(make_report: Make) -> None:
    with pytest.raises(OutputError) as caught:
        _render(make_report(groups=("中文组", "North")))
    assert caught.value.exit_code == 4
    (problem,) = caught.value.problems
    assert problem.key == "output.fonts"
    assert "中 (U+4E2D), 文 (U+6587), 组 (U+7EC4)" in problem.message
    assert "Add a font file" in problem.hint


@pytest.mark.needs("poppler")
def test_every_word_of_a_chart_is_found_in_the_text(tmp_path: Path) -> None:
    rows = tuple(
        ForestRow(label, (ForestPoint(0, 0.3, 0.2, 0.4, f"{label} words"),)) for label in ("North", "<$25k", "Größe λ")
    )
    spec = ForestPlot(Axis("miss rate of the ill", "percent"), ("2.4",), rows, ((0.25, "everybody"),))
    figure = Figure("forest", "The miss rate is 30 % everywhere.", "A caption.", spec)
    document = Document("Card", "A subtitle", "en", (Section("one", "Results", (Paragraph("Hello."), figure)),))
    from reporter.render.as_pdf import render_pdf

    text = _words(render_pdf(document, "{}\n", "a: 1\n", created=CREATED), tmp_path)
    for word in (
        "North",
        "North words",
        "<$25k",
        "Größe λ words",
        "miss rate of the ill",
        "everybody",
        "30 %",
        "A caption.",
    ):
        assert word in text, word


@pytest.mark.needs("poppler")
def test_pages_are_numbered_and_carry_the_title(make_report: Make, tmp_path: Path) -> None:
    text = _words(_render(make_report()), tmp_path)
    pages = text.split("\f")[:-1]
    assert len(pages) > 1
    for number, page in enumerate(pages, start=1):
        assert f"{number}/{len(pages)}" in page.replace(" ", "")
    assert "Referral model 2.4" in pages[-1]


@pytest.mark.needs("poppler")
def test_report_and_config_are_attached_byte_for_byte(make_report: Make, tmp_path: Path) -> None:
    report = make_report()
    (tmp_path / "card.pdf").write_bytes(_render(report))
    subprocess.run(["pdfdetach", "-saveall", "-o", str(tmp_path), str(tmp_path / "card.pdf")], check=True, timeout=60)
    assert (tmp_path / "report.json").read_text(encoding="utf-8") == report_to_json(report)
    assert json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))["schema_version"] == 1
    assert (tmp_path / "config.yaml").read_text(encoding="utf-8") == "schema: 1\n"


@pytest.mark.needs("poppler")
def test_the_only_date_is_the_one_passed_in(tmp_path: Path) -> None:
    (tmp_path / "card.pdf").write_bytes(_html_to_pdf("<p>Hello.</p>"))
    command = ["pdfinfo", "-isodates", str(tmp_path / "card.pdf")]
    said = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "TZ": "UTC"}).stdout
    dates = [line.split()[1] for line in said.splitlines() if line.startswith(("CreationDate", "ModDate"))]
    assert [date[:19] for date in dates] == ["2026-11-30T11:00:00"] * 2


def test_a_date_without_time_zone_is_a_bug() -> None:
    with pytest.raises(ValueError, match="needs a time zone"):
        _html_to_pdf("<p>Hello.</p>", created="2026-11-30T12:00:00")


def test_two_processes_make_the_same_bytes_whatever_fonts_the_machine_has(tmp_path: Path) -> None:
    """The second process sees a machine without any system font."""
    nothing = tmp_path / "fonts.conf"
    nothing.write_text("<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'><fontconfig/>", encoding="utf-8")
    code = (
        "import sys; from reporter.render.as_pdf import render_pdf\n"
        "from reporter.render.document import *; from reporter.render.plots import *\n"
        "rows = tuple(ForestRow(g, (ForestPoint(0, 0.3, 0.2, 0.4, '30 %'),)) for g in 'ab')\n"
        "spec = ForestPlot(Axis('rate', 'percent'), ('2.4',), rows)\n"
        "d = Document('Card', 's', 'en', (Section('a', 'A', (Paragraph('Δ code'), Figure('f', 'T.', 'c', spec))),))\n"
        f"sys.stdout.buffer.write(render_pdf(d, '{{}}', 'a: 1', created='{CREATED}'))\n"
    )
    digests = []
    for number, extra in enumerate(({}, {"FONTCONFIG_FILE": str(nothing)})):
        environment = {**os.environ, "PYTHONHASHSEED": str(number + 1), **extra}
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-c", code], capture_output=True, check=True, env=environment, timeout=120
        )
        assert done.stdout.startswith(b"%PDF")
        digests.append(hashlib.sha256(done.stdout).hexdigest())
    assert digests[0] == digests[1]


def test_an_image_without_alternative_text_is_named() -> None:
    image = "data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='9'%20height='9'/%3E"
    with pytest.raises(
        OutputError, match=r"output\.templates: the PDF was not made: the image data:.* has no alternative"
    ):
        _html_to_pdf(f'<p><img src="{image}"></p>')


def test_a_drawing_without_a_title_of_its_own_is_named() -> None:
    with pytest.raises(OutputError, match="the drawing roc has no alternative text"):
        _html_to_pdf('<svg xmlns="http://www.w3.org/2000/svg" id="roc"><g><title>inside</title></g></svg>')


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/x.png", "file:///etc/hostname", "https://example.org/x.png"])
def test_nothing_is_fetched_but_files_of_the_templates(url: str) -> None:
    with pytest.raises(OutputError, match="only files of the templates are used"):
        _html_to_pdf(f'<img src="{url}" alt="x">')


def test_a_users_template_folder_may_hold_pictures(tmp_path: Path) -> None:
    logo = tmp_path / "logo.svg"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>')
    body = f'<img src="{logo.as_uri()}" alt="The logo">'
    assert _html_to_pdf(body, templates=tmp_path).startswith(b"%PDF")
    with pytest.raises(OutputError, match="only files of the templates are used"):
        _html_to_pdf(body)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("missing.ttf", None, "cannot be read: no such file"),
        ("broken.otf", b"not a font", "holds no font"),
        ("font.woff2", b"wOF2", "is not a font file"),
    ],
)
def test_a_bad_font_is_named_with_its_key(tmp_path: Path, name: str, content: bytes | None, message: str) -> None:
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(OutputError, match=rf"^output\.fonts: .*{name} {message}"):
        _html_to_pdf("<p>Hello.</p>", fonts=[tmp_path / name])


def test_the_environment_is_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("FONTCONFIG_FILE", raising=False)
    _html_to_pdf("<p>Hello.</p>")
    assert "FONTCONFIG_FILE" not in os.environ
