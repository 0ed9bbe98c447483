"""Public fault kind: names that steer the reader's terminal, or write a line of their own into a pipeline's log."""

from __future__ import annotations

import html
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from reporter.progress import Progress
from reporter.terminal import printable

HOSTILE = ("\x1b[31mred\x07", "a\n::error::b", "\x9b2J", "x\u202etxt", "c\rd", "\u2028e", "\x7f")
CONFIG = """
card: {{name: m, vocabulary: {{units: "\\e[2Jrows\\n::error::hidden"}}}}
data: {{source: data.csv, label: y}}
models: [{{name: m, prediction: d}}]
groups: [{column}]
metrics: [accuracy]
flags: {{rules: [{{metric: accuracy, difference: 0.05}}]}}
output: {{formats: [json, github]}}
"""


def unsafe(text: str) -> list[str]:
    """Characters that a terminal obeys, the line feed apart; a no-break space is none."""
    return [c for c in text if c not in "\n\u00a0" and not c.isprintable()]


@pytest.mark.parametrize("name", HOSTILE)
def test_control_characters_become_visible(name: str) -> None:
    shown = printable(name)
    assert shown.isprintable()
    assert shown.encode("ascii").decode("unicode_escape") == name


@pytest.mark.parametrize("name", ["Größe", "漢字", "שלום", "👩‍⚕️", "می‌خواهم", "a b\u00a0c"])
def test_letters_of_every_script_stay_as_they_are(name: str) -> None:
    assert printable(name) == name


def test_progress_shows_no_control_character_of_the_data() -> None:
    stream = io.StringIO()
    with Progress(stream).step("Count") as step:
        step.detail = "".join(HOSTILE)
    assert unsafe(stream.getvalue()) == []
    assert stream.getvalue().count("\n") == 1


def run(folder: Path, *arguments: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "reporter", *arguments],
        cwd=folder, capture_output=True, check=False, env={**os.environ, "SOURCE_DATE_EPOCH": "0", **environ},
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f'"{name}",{i % 2},{(k == 0) * (i % 2)}' for k, name in enumerate(HOSTILE) for i in range(60)]
    (tmp_path / "data.csv").write_text("sex,y,d\n" + "\n".join(rows) + "\n", newline="")
    (tmp_path / "c.yaml").write_text(CONFIG.format(column="sex"))
    return tmp_path


def test_a_run_sends_no_control_character_to_the_terminal_nor_a_command_to_the_pipeline(folder: Path) -> None:
    hostile_folder = "out\x1b[31m\n::error::o"
    done = run(folder, "run", "c.yaml", "--out", hostile_folder)
    assert done.returncode in (0, 1)
    assert (folder / hostile_folder / "report.json").exists()
    for text in (done.stdout.decode(), done.stderr.decode()):
        assert unsafe(text) == []
        assert not [line for line in text.splitlines() if line.startswith("::")]
    assert "\\x1b[2Jrows\\n::error::hidden" in done.stderr.decode()
    for name in ("summary.md", "annotations.txt"):
        text = (folder / hostile_folder / name).read_text()
        assert "\\x1b[31mred\\x07" in html.unescape(text)
        assert unsafe(text) == []
        assert not [line for line in text.splitlines() if line.startswith("::error::")]


def test_a_problem_names_a_hostile_column_without_control_characters(folder: Path) -> None:
    (folder / "c.yaml").write_text(CONFIG.format(column='"\\e[31m\\n::error::sex"'))
    done = run(folder, "run", "c.yaml", "--quiet")
    assert done.returncode == 3
    assert unsafe(done.stderr.decode()) == []
    assert not [line for line in done.stderr.decode().splitlines() if line.startswith("::")]


def test_json_on_stdout_keeps_names_exact_in_ascii(folder: Path) -> None:
    done = run(folder, "run", "c.yaml", "--json", "--out", "ü\x1b")
    assert done.stdout.isascii()
    assert unsafe(done.stdout.decode()) == []
    assert json.loads(done.stdout)["files"]["json"] == ["ü\x1b/report.json"]


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_a_path_that_stdout_cannot_hold_does_not_fail_a_finished_run(folder: Path, encoding: str) -> None:
    out = os.fsdecode(b"\xff\xc3\xbc")
    done = run(folder, "run", "c.yaml", "--quiet", "--out", out, PYTHONIOENCODING=encoding)
    assert done.returncode in (0, 1), done.stderr.decode()
    assert (folder / out / "report.json").exists()
    assert b"\\udcff" in done.stdout
