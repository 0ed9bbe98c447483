"""axe-core on the card in a real Chromium: no violation of WCAG 2.2 AA nor of its best practices, in light and dark.

axe-core comes from npm; the environment variable REPORTER_AXE names its axe.min.js. What axe cannot judge (contrast inside
drawings, duplicate ids) is tested in test_as_html.py.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reporter.render.as_html import render_html
from reporter.render.document import make_document

RUN = """
document.querySelectorAll("details").forEach(one => { one.open = true; });
axe.run(document, {resultTypes: ["violations", "incomplete"]}).then(found => {
  const result = document.createElement("pre");
  result.id = "axe-result";
  const brief = list => list.map(rule => [rule.id, rule.nodes.map(node => node.html.slice(0, 200))]);
  result.textContent = JSON.stringify({violations: brief(found.violations), incomplete: brief(found.incomplete), passes: found.passes.length});
  document.body.appendChild(result);
});
"""

pytestmark = pytest.mark.needs("chromium", "axe")


@pytest.fixture(scope="module")
def card(samples: ModuleType) -> str:
    return render_html(make_document(samples.report()))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(card: str, scheme: str, tmp_path: Path) -> None:
    found = audit(card if scheme == "light" else card.replace("(prefers-color-scheme: dark)", "all"), tmp_path)
    assert found["violations"] == []
    assert found["passes"] > 20
    undecided = [node for _, nodes in found["incomplete"] for node in nodes]
    assert [node for node in undecided if not node.startswith(("<text", "<tspan"))] == []


def test_the_page_is_whole_without_javascript(card: str, tmp_path: Path, pages: ModuleType) -> None:
    dom = browse(re.sub(r"<script>.*?</script>", "", card, flags=re.DOTALL), tmp_path)
    assert "misses 31.1\u00a0% of ill patients" in pages.read(dom.removeprefix("<!DOCTYPE html>\n")).text
    assert '<button type="button" class="sort">' not in dom


def test_the_policy_lets_the_pages_own_script_run(card: str, tmp_path: Path) -> None:
    dom = browse(card, tmp_path)
    assert '<button type="button" class="sort">' in dom
    assert 'placeholder="Filter rows"' in dom


def test_a_script_that_is_not_the_pages_own_does_not_run(card: str, tmp_path: Path) -> None:
    dom = browse(card.replace("</body>", "<script>document.title = 'taken over'</script></body>"), tmp_path)
    assert "taken over</title>" not in dom


def audit(page: str, folder: Path) -> dict[str, Any]:
    """What axe finds. The policy of the page would forbid the injected script: it is left out of the copy."""
    axe = Path(os.environ["REPORTER_AXE"]).read_text(encoding="utf-8").replace("</script", "<\\/script")
    copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    dom = browse(copy.replace("</body>", f"<script>{axe}</script><script>{RUN}</script></body>"), folder)
    match = re.search(r'<pre id="axe-result">(.*?)</pre>', dom, flags=re.DOTALL)
    assert match, "axe did not finish"
    result: dict[str, Any] = json.loads(html.unescape(match[1]))
    return result


def browse(page: str, folder: Path) -> str:
    """The page's DOM after its scripts ran."""
    program = next(found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name)))
    path = folder / "card.html"
    path.write_text(page, encoding="utf-8")
    done = subprocess.run(
        [program, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1280,900", f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=120, check=True, encoding="utf-8",
    )  # fmt: skip
    return done.stdout
