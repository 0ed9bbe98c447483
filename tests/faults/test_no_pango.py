"""Public fault kind: a machine without Pango. Other formats are made; the PDF error names what to install."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import cffi
def refuse(self, name, flags=0):
    raise OSError(f"cannot load library {name!r}")
cffi.FFI.dlopen = refuse
from reporter.errors import OutputError
from reporter.render.as_pdf import render_pdf
from reporter.render.as_html import render_html
from reporter.render.document import Document, Paragraph, Section
card = Document("Card", "today", "en", (Section("a", "A", (Paragraph("Hello."),)),))
assert "Hello." in render_html(card)
try:
    render_pdf(card, "{}", "a: 1", created="2026-11-30T12:00:00Z")
except OutputError as error:
    print(error.exit_code, error)
"""


def test_without_pango_html_is_made_and_the_pdf_error_names_the_packages() -> None:
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120, check=False)
    assert done.stdout.startswith("4 output.formats: the PDF needs Pango, which could not be loaded"), done.stderr
    for package in ("libpango-1.0-0", "libpangoft2-1.0-0", "libharfbuzz-subset0", "brew install pango"):
        assert package in done.stdout
    assert "Traceback" not in done.stderr
