"""Public fault kinds: a group ``<$25k``, 1,000 groups in one chart, words lost from charts, 3,000 groups in a PDF."""

from __future__ import annotations

import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from reporter.render.document import Cell, Column, Document, Figure, Row, Section, Table
from reporter.render.figures import draw
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow

AXIS = Axis("miss rate", "percent")


def _row(name: str, flagged: bool = False) -> ForestRow:
    return ForestRow(name, (ForestPoint(0, 0.3, 0.2, 0.4, "30 % (20 to 40)"),), flagged)


def _peak() -> float:
    """The most memory that this process has used, in MiB."""
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used / 2**20 if sys.platform == "darwin" else used / 2**10


def _words(svg: str) -> list[str]:
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


def test_a_dollar_sign_is_a_dollar_sign() -> None:
    words = _words(draw(ForestPlot(AXIS, ("m",), (_row("<$25k"), _row("$25k to $50k"))), "f", "T."))
    assert "&lt;$25k" in words
    assert "$25k to $50k" in words


def test_a_thousand_groups_are_capped_in_bounded_time_and_the_total_is_said() -> None:
    rows = tuple(_row(f"g{i}", flagged=i == 700) for i in range(1000))
    start = time.process_time()
    svg = draw(ForestPlot(AXIS, ("m",), rows), "f", "T.")
    assert time.process_time() - start < 5
    assert "Drawn: 40 of 1,000 groups." in _words(svg)
    assert "▶ g700" in _words(svg)
    assert len(svg) < 100_000


@pytest.mark.needs("pango", "poppler")
def test_three_thousand_groups_keep_the_pdf_small_with_the_flagged_first_and_the_total_stated(tmp_path: Path) -> None:
    from reporter.render.as_pdf import render_pdf

    rows = tuple(
        Row((Cell(f"group {i}"), Cell("30 %", "20 to 40", 0.3)), "fail" if i == 2999 else None) for i in range(3000)
    )
    table = Table("t", "All groups", (Column("g", "Group"), Column("r", "Rate", "number")), rows)
    forest = ForestPlot(AXIS, ("m",), tuple(_row(f"group {i}", flagged=i == 2999) for i in range(3000)))
    figure = Figure("f", "The miss rate is 30 % everywhere.", "c", forest)
    document = Document("Card", "s", "en", (Section("a", "A", (table, figure)),))
    before = _peak()
    start = time.process_time()
    (tmp_path / "a.pdf").write_bytes(render_pdf(document, "{}", "a: 1", created="2026-11-30T12:00:00Z"))
    assert time.process_time() - start < 20
    assert _peak() - before < 500
    command = ["pdftotext", "-enc", "UTF-8", str(tmp_path / "a.pdf"), "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout
    assert "of 3,000 rows" in text
    assert "Drawn: 40 of 3,000 groups." in text
    assert text.index("group 2999") < text.index("group 0")
    assert text.count("\f") <= 6


def test_rows_that_the_pdf_keeps_are_the_flagged_then_the_largest() -> None:
    from reporter.render.as_html import render_html

    columns = (Column("group", "Group"), Column("n", "Rows", "number"))
    rows = tuple(Row((Cell(f"g{i}"), Cell(str(i), sort=i)), "fail" if i == 3 else None) for i in range(100))
    document = Document("Card", "s", "en", (Section("a", "A", (Table("t", "Groups", columns, rows, pdf_limit=3),)),))
    page = render_html(document, medium="pdf")
    assert re.findall(r"<th scope=\"row\"[^>]*>([^<]*)", page) == ["g3", "g99", "g98"]
    assert "3 of 100 rows, flagged ones first, then the largest." in page
