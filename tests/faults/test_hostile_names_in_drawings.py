"""Public fault kind: hostile group names, in SVG and PDF. Shown as the text they are, never as markup."""

from __future__ import annotations

import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from reporter.render.document import Document, Figure, Paragraph, Section
from reporter.render.figures import draw
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow

HOSTILE = ("</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "]]>&lt;&#x41;", "{{7*7}}")
SVG = "{http://www.w3.org/2000/svg}"


def _spec(*names: str) -> ForestPlot:
    rows = tuple(ForestRow(name, (ForestPoint(0, 0.3, 0.2, 0.4, name),)) for name in names)
    return ForestPlot(Axis(names[0], "percent"), (names[-1], "other"), rows)


def test_hostile_names_are_text_in_a_drawing() -> None:
    svg = draw(_spec(*HOSTILE), "f", HOSTILE[0])
    root = ElementTree.fromstring(svg)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "g", "path", "text", "defs", "use", "clipPath", "rect", "polyline",
    }  # fmt: skip
    assert not [name for element in root.iter() for name in element.attrib if name.startswith("on")]
    words = " ".join(text.text or "" for text in root.iter(f"{SVG}text"))
    for name in HOSTILE:
        assert name in words
    assert root[0].text == HOSTILE[0]


@pytest.mark.needs("pango", "poppler")
def test_hostile_names_are_text_in_the_pdf(tmp_path: Path) -> None:
    from reporter.render.as_pdf import render_pdf

    figure = Figure("f", HOSTILE[1], HOSTILE[2], _spec(*HOSTILE))
    document = Document(HOSTILE[0], HOSTILE[1], "en", (Section("a", HOSTILE[2], (Paragraph(HOSTILE[3]), figure)),))
    (tmp_path / "a.pdf").write_bytes(render_pdf(document, "{}", "a: 1", created="2026-11-30T12:00:00Z"))
    command = ["pdftotext", "-enc", "UTF-8", str(tmp_path / "a.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    for name in HOSTILE:
        assert name in text
