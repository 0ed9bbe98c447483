"""Public fault kind: templates that are missing from the wheel. They are found in a checkout and inside an installed package."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from reporter.packaged import packaged_folder

FILES = ("card.html.j2", "blocks.html.j2", "card.md.j2", "card.css", "card.js", "print.css")
ROOT = Path(__file__).parents[2]


def test_the_templates_are_found_from_here() -> None:
    assert [name for name in FILES if not (packaged_folder("templates") / name).is_file()] == []


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="runs in a checkout: it builds the wheel")
def test_a_wheel_holds_them_and_renders_a_card_without_the_checkout(tmp_path: Path, samples: ModuleType) -> None:
    pytest.importorskip("hatchling", reason="pip install hatchling: it builds the wheel")
    build = "from hatchling.build import build_wheel; import sys; print(build_wheel(sys.argv[1]))"
    made = subprocess.run(
        [sys.executable, "-c", build, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    wheel = tmp_path / made.stdout.strip().splitlines()[-1]
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert [name for name in FILES if f"reporter/templates/{name}" not in names] == []
        archive.extractall(tmp_path / "installed")
    (tmp_path / "report.json").write_text(samples.report(noise_results=()).to_json(), encoding="utf-8")
    script = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import reporter, pathlib\n"
        "from reporter.render.as_json import report_from_json\n"
        "from reporter.render.document import make_document\n"
        "from reporter.render.as_html import render_html\n"
        "from reporter.packaged import packaged_folder\n"
        "print(packaged_folder('templates'))\n"
        "html = render_html(make_document(report_from_json(pathlib.Path(sys.argv[2]).read_text(encoding='utf-8'))))\n"
        "print('does not pass' in html and '<style>' in html)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "installed"), str(tmp_path / "report.json")],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    folder, rendered = done.stdout.split("\n")[:2]
    assert Path(folder) == tmp_path / "installed" / "reporter" / "templates"
    assert rendered == "True"
