"""The page's script in a real Chromium: sorting, filtering, opening what a link leads to."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reporter.render.as_html import render_html
from reporter.render.document import Figure, make_document

pytestmark = pytest.mark.needs("chromium")


@pytest.fixture(scope="module")
def card(samples: ModuleType) -> str:
    """A card without drawings; its policy would forbid the test's own script and is left out."""
    whole = make_document(samples.report())
    sections = tuple(
        replace(one, blocks=tuple(b for b in one.blocks if not isinstance(b, Figure))) for one in whole.sections
    )
    return re.sub(
        r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", render_html(replace(whole, sections=sections))
    )


def ask(card: str, folder: Path, script: str, *, fragment: str = "") -> Any:
    """What ``script`` returns on the page."""
    program = next(found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name)))
    run = f"<script>const out = document.createElement('pre'); out.id = 'answer'; out.textContent = JSON.stringify((() => {{ {script} }})()); document.body.appendChild(out);</script></body>"
    path = folder / "card.html"
    path.write_text(card.replace("</body>", run), encoding="utf-8")
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=3000", "--dump-dom", path.as_uri() + fragment],
        capture_output=True, text=True, timeout=120, check=True, encoding="utf-8",
    )  # fmt: skip
    match = re.search(r'<pre id="answer">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert match, "the script did not finish"
    return json.loads(html.unescape(match[1]))


SORT = """
const table = document.querySelector("#group-3-model-1 table");
const heading = Array.from(table.tHead.rows[0].cells).find(cell => cell.textContent.startsWith("miss rate"));
const names = () => Array.from(table.tBodies[0].rows, row => row.cells[0].firstChild.textContent);
heading.querySelector("button").click();
const up = [names(), heading.getAttribute("aria-sort")];
heading.querySelector("button").click();
return [up, [names(), heading.getAttribute("aria-sort")]];
"""


def test_a_column_sorts_by_value_and_undefined_stays_last(card: str, tmp_path: Path) -> None:
    up, down = ask(card, tmp_path, SORT)
    assert up == [["Central", "North", "Harbour", "(other)", "(missing)"], "ascending"]
    assert down == [["Harbour", "North", "Central", "(other)", "(missing)"], "descending"]


FILTER = """
const block = document.getElementById("all-comparisons");
const field = block.querySelector("input[type=search]");
field.value = "> 75  MISS";
field.dispatchEvent(new Event("input"));
const shown = Array.from(block.querySelectorAll("tbody tr")).filter(row => !row.hidden);
return [shown.map(row => row.cells[0].firstChild.textContent), block.querySelector("[role=status]").textContent, field.getAttribute("aria-label")];
"""


def test_a_long_table_filters_by_all_words(card: str, tmp_path: Path) -> None:
    shown, status, label = ask(card, tmp_path, FILTER)
    assert shown == ["> 75", "> 75"]
    assert status == "2 of 60 rows"
    assert label == "Filter the rows of: Every comparison with its verdict"


def test_a_link_into_a_folded_part_opens_it(card: str, tmp_path: Path) -> None:
    opened = "return Array.from(document.querySelectorAll('details[open]'), one => one.id);"
    assert ask(card, tmp_path, opened) == []
    assert ask(card, tmp_path, opened, fragment="#all-comparisons") == ["comparisons"]


def test_everything_is_open_before_printing(card: str, tmp_path: Path) -> None:
    script = "window.dispatchEvent(new Event('beforeprint')); return document.querySelectorAll('details:not([open])').length;"
    assert ask(card, tmp_path, script) == 0


def test_what_scrolls_sideways_says_so_above_it_as_long_as_it_does(card: str, tmp_path: Path) -> None:
    script = """
    const one = document.querySelector("#group-1-model-1 .scroll");
    const told = () => [one.getAttribute("tabindex"), one.previousElementSibling ? one.previousElementSibling.textContent : null];
    const answers = [];
    for (const width of ["20rem", "200rem", "20rem"]) {
      one.parentElement.style.width = width;
      window.dispatchEvent(new Event("resize"));
      answers.push(told());
    }
    return answers;
    """
    scrolls, fits, again = ask(card, tmp_path, script)
    assert scrolls == ["0", "More to the right: scroll sideways \u2192"]
    assert fits == [None, None]
    assert again == scrolls
