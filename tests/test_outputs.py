"""Writing a report's outputs: what fails does not take the rest with it, and nothing of an earlier run passes for this one."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

CONFIG = """
data: {source: data.csv, label: y}
groups: [sex]
models: [{name: m, prediction: d}]
flags: {rules: [{metric: accuracy, difference: 0.05}]}
output: {formats: [json, csv, junit]}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [f"{sex},{i % 2},{i % 2 if sex == 'f' else 0}" for sex in "fm" for i in range(100)]
    (tmp_path / "data.csv").write_text("sex,y,d\n" + "\n".join(rows) + "\n")
    (tmp_path / "c.yaml").write_text(CONFIG)
    return tmp_path


def run(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "0", **options.pop("env", {})}  # type: ignore[dict-item]
    return subprocess.run(
        [sys.executable, "-m", "reporter", *arguments],
        cwd=folder, text=True, stderr=subprocess.PIPE, check=False, env=environ, **{"stdout": subprocess.PIPE, **options},  # type: ignore[call-overload]
    )  # fmt: skip


def test_stdout_has_the_verdict_and_paths_and_stderr_the_steps(folder: Path) -> None:
    done = run(folder, "run", "c.yaml", "--out", "o")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "fail: 2 diverging, 0 with insufficient evidence, 0 within limit",
        "o/report.json",
        "o/tables",
        "o/junit.xml",
    ]
    assert [line.split(" (")[0] for line in done.stderr.splitlines()][:2] == [
        "✓ Read the config",
        "✓ Open the data: data.csv",
    ]


def test_what_stops_the_release_is_named_after_the_paths_and_warnings_are_counted_apart(folder: Path) -> None:
    done = run(folder, "run", "c.yaml", "-q", "--format", "json", "--out", "o")
    assert done.stderr.splitlines() == ["diverges: accuracy/sex/f/m", "diverges: accuracy/sex/m/m"]
    done = run(folder, "run", "c.yaml", "-q", "--format", "json", "--out", "o", "--set", "flags.rules[0].severity=warn")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == (
        "pass: 2 diverging (2 warnings), 0 with insufficient evidence, 0 within limit"
    )


def test_tables_of_an_earlier_run_go_and_a_users_own_stay(folder: Path) -> None:
    tables = folder / "tables"
    tables.mkdir()
    mine = {"patients.csv": "id,age\n1,40\n", "groups_mine.csv": "a,b\n", "tree_height.csv": "", "pairs.csv": "x\n"}
    for name, text in mine.items():
        (tables / name).write_text(text)
    (folder / "c.yaml").write_text(CONFIG.replace("[sex]", "[sex, d]"))
    assert run(folder, "run", "c.yaml", "-q", "--out", ".").returncode == 1
    assert (tables / "groups_d.csv").exists()
    (folder / "c.yaml").write_text(CONFIG)
    assert run(folder, "run", "c.yaml", "-q", "--out", ".").returncode == 1
    assert sorted(path.name for path in tables.iterdir()) == sorted(
        ["comparisons.csv", "groups_sex.csv", "models.csv", *mine]
    )
    assert {name: (tables / name).read_text() for name in mine} == mine


def test_a_format_that_cannot_be_made_leaves_the_others_and_no_older_file(folder: Path) -> None:
    assert run(folder, "run", "c.yaml", "-q", "--out", "o").returncode == 1
    (folder / "o" / "report.json").unlink()
    (folder / "o" / "report.json").mkdir()
    done = run(folder, "run", "c.yaml", "-q", "--out", "o")
    assert done.returncode == 4
    assert "o/report.json: cannot be written" in done.stderr
    assert "o/junit.xml" in done.stdout.splitlines()
    assert "o/report.json" not in done.stdout.splitlines()
    assert not list((folder / "o").glob(".reporter-*"))


def test_a_reader_of_stdout_that_went_away_does_not_change_the_exit_code(folder: Path) -> None:
    (folder / "c.yaml").write_text(CONFIG.replace("difference: 0.05", "difference: 0.99"))
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = run(folder, "run", "c.yaml", "-q", "--out", "o", stdout=writer)
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")
    assert (folder / "o" / "report.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full, a disk that is always full")
def test_a_full_disk_under_stdout_is_an_output_that_could_not_be_made(folder: Path) -> None:
    with Path("/dev/full").open("w") as full:
        done = run(folder, "run", "c.yaml", "-q", "--out", "o", stdout=full)
    assert done.returncode == 4
    assert done.stderr == "standard output cannot be written: no space left on device\n"
    assert (folder / "o" / "report.json").exists()


@pytest.mark.parametrize("epoch", ["abc", "", "1e9", "99999999999999999"])
@pytest.mark.parametrize("command", ["run", "check"])
def test_a_bad_source_date_epoch_is_said(folder: Path, command: str, epoch: str) -> None:
    done = run(folder, command, "c.yaml", env={"SOURCE_DATE_EPOCH": epoch})
    assert done.returncode == 2
    assert done.stderr == f"SOURCE_DATE_EPOCH: found {epoch!r}, expected a number of seconds since 1970\n"


def test_a_run_that_is_interrupted_ends_with_130_and_leaves_nothing_half_written(folder: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "reporter", "run", "c.yaml", "--format", "html,pdf,json", "--out", "o"],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        # A test run in a shell's background inherits an ignored SIGINT, and the child with it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "Compute the report" in line:
            process.send_signal(signal.SIGINT)
            break
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert out == ""
    assert "Traceback" not in err
    written = sorted((folder / "o").glob("**/*")) if (folder / "o").exists() else []
    assert not [path for path in written if path.name.startswith(".")]
    assert all(path.read_bytes().rstrip().endswith((b"</html>", b"%%EOF", b"}")) for path in written)


@pytest.mark.parametrize("delay", [0.0, 0.05])
def test_a_run_that_is_killed_leaves_each_file_old_or_whole(folder: Path, delay: float) -> None:
    out = folder / "o"
    assert run(folder, "run", "c.yaml", "-q", "--format", "json,html", "--out", "o").returncode == 1
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    process = subprocess.Popen(
        [sys.executable, "-m", "reporter", "run", "c.yaml", "--format", "json,html", "--out", "o"],
        cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": "1"},
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "Write json" in line:
            time.sleep(delay)
            process.kill()
            break
    process.communicate(timeout=120)
    after = {path.name: path.read_bytes() for path in out.iterdir() if not path.name.startswith(".")}
    assert sorted(after) == sorted(before)
    assert after["report.json"] != before["report.json"]
    assert after["report.json"].endswith(b"}\n")
    assert after["card.html"].rstrip().endswith(b"</html>")


def test_a_run_that_fails_takes_away_what_it_would_have_replaced_and_names_the_rest(folder: Path) -> None:
    out = folder / "o"
    assert run(folder, "run", "c.yaml", "-q", "--out", "o", "--format", "json,csv,html,github").returncode == 1
    (out / "mine.txt").write_text("mine")
    (out / "tables" / "mine.csv").write_text("a,b\n")
    (folder / "c.yaml").write_text(CONFIG.replace("label: y", "label: z"))
    done = run(folder, "run", "c.yaml", "-q", "--out", "o")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.splitlines()[-2:] == [
        "removed, since this run did not get to write them anew: o/report.json, o/tables",
        "in the folder, but not of this run: o/card.html, o/summary.md, o/annotations.txt",
    ]
    left = sorted(str(path.relative_to(out)) for path in out.rglob("*") if path.is_file())
    assert left == ["annotations.txt", "card.html", "mine.txt", "summary.md", "tables/mine.csv"]


def test_a_config_that_cannot_be_read_leaves_no_output_for_a_pipeline_to_publish(folder: Path) -> None:
    out = folder / "o"
    formats = ["--format", "json,junit"]
    assert run(folder, "run", "c.yaml", "-q", "--out", "o", *formats).returncode == 1
    (folder / "c.yaml").write_text("data: [")
    done = run(folder, "run", "c.yaml", "-q", "--out", "o")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1] == "in the folder, but not of this run: o/report.json, o/junit.xml"
    done = run(folder, "run", "c.yaml", "-q", "--out", "o", *formats)
    assert done.returncode == 2
    # It can be the baseline, which such a config does not tell.
    assert [path.name for path in out.iterdir()] == ["report.json"]
    assert "removed, since this run did not get to write them anew: o/junit.xml" in done.stderr


def test_a_run_that_fails_leaves_its_baseline(folder: Path) -> None:
    formats = ["--format", "json,junit"]
    assert run(folder, "run", "c.yaml", "-q", "--out", "o", *formats).returncode == 1
    (folder / "c.yaml").write_text(CONFIG.replace("label: y", "label: z"))
    done = run(folder, "run", "c.yaml", "-q", "--out", "o", "--baseline", "o/report.json", *formats)
    assert done.returncode == 3
    assert [path.name for path in (folder / "o").iterdir()] == ["report.json"]
    (folder / "c.yaml").write_text(CONFIG)
    assert run(folder, "run", "c.yaml", "-q", "--out", "o", "--baseline", "o/report.json", *formats).returncode == 1


def test_files_of_formats_that_a_run_did_not_make_are_named(folder: Path) -> None:
    assert run(folder, "run", "c.yaml", "-q", "--out", "o", "--format", "json,html").returncode == 1
    done = run(folder, "run", "c.yaml", "-q", "--out", "o", "--format", "json,csv", "--json")
    assert json.loads(done.stdout)["notes"] == ["in the folder, but not of this run: o/card.html"]
    assert done.stderr == "in the folder, but not of this run: o/card.html\n"
    assert (folder / "o" / "card.html").exists()
    again = run(folder, "run", "c.yaml", "-q", "--out", "o", "--format", "json,csv,html", "--json")
    assert (json.loads(again.stdout)["notes"], again.stderr) == ([], "")


def test_stdout_names_each_file_but_the_tables_by_their_folder(folder: Path) -> None:
    done = run(folder, "run", "c.yaml", "-q", "--out", "o", "--format", "github,csv")
    assert done.stdout.splitlines()[1:] == ["o/summary.md", "o/annotations.txt", "o/tables"]


def test_a_path_is_printed_as_it_is_also_where_the_locale_knows_no_letter_of_it(folder: Path) -> None:
    environ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": ""}
    for options, read in (([], str), (["--json"], lambda out: json.loads(out)["files"]["json"][0])):
        done = subprocess.run(
            [sys.executable, "-m", "reporter", "run", "c.yaml", "-q", "--out", "tü", "--format", "json", *options],
            cwd=folder, capture_output=True, check=False, env={**os.environ, **environ},
        )  # fmt: skip
        assert done.returncode == 1, done.stderr
        assert "tü/report.json" in read(done.stdout.decode("utf-8"))
    assert (folder / "tü" / "report.json").is_file()
