"""Outputs appear whole or not at all, and what stands in the way is named."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import pytest

from reporter.errors import OutputError
from reporter.render import write
from reporter.render.write import write_file, write_files


def _all_files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def _run(code: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", textwrap.dedent(code), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, **options)  # type: ignore[call-overload, no-any-return]


def test_files_and_their_folders_appear_with_their_content(tmp_path: Path) -> None:
    out = tmp_path / "out put" / "é"
    paths = write_files(out, {"report.json": "{}\n", "tables/größe.csv": "a\n", "card.pdf": b"%PDF\xff"})
    assert paths == (out / "report.json", out / "tables/größe.csv", out / "card.pdf")
    assert _all_files(out) == {"card.pdf": b"%PDF\xff", "report.json": b"{}\n", "tables/größe.csv": b"a\n"}


def test_outputs_replace_older_ones_and_have_the_rights_of_new_files(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old, and longer")
    write_file(tmp_path / "a.txt", "new")
    (tmp_path / "plain").write_text("x")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert (tmp_path / "a.txt").stat().st_mode == (tmp_path / "plain").stat().st_mode


@pytest.mark.parametrize("name", ["../a", "/a", "a/../../b", "", "..\\a", "a\0b"])
def test_a_name_that_leaves_the_folder_is_a_bug_that_writes_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a relative path inside the output folder"):
        write_files(tmp_path, {"good": "x", name: "y"})
    assert _all_files(tmp_path) == {}


def test_a_folder_in_the_way_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "report.json").write_text("old")
    (tmp_path / "card.html").mkdir()
    with pytest.raises(OutputError, match=r"card\.html: cannot be written: is a directory\. Something else") as caught:
        write_files(tmp_path, {"report.json": "new", "card.html": "<p>"})
    assert caught.value.exit_code == 4
    assert _all_files(tmp_path) == {"report.json": b"old"}


@pytest.mark.parametrize("name", ["report.json", "tables/models.csv"])
def test_the_file_itself_is_named_and_not_what_was_to_be_inside_it(tmp_path: Path, name: str) -> None:
    (tmp_path / "card").write_text("mine")
    with pytest.raises(OutputError) as told:
        write_files(tmp_path / "card", {name: "{}"})
    (problem,) = told.value.problems
    assert problem.path == str(tmp_path / "card")
    assert problem.message == f"is a file, so that {name.split('/')[-1]} cannot be written inside it"
    assert (tmp_path / "card").read_text() == "mine"


def test_a_full_disk_leaves_every_file_as_it_was(tmp_path: Path) -> None:
    """The real refusal of the system: the process may not make files above 4 KiB."""
    pytest.importorskip("resource", reason="limits of a process are POSIX only")
    (tmp_path / "card.html").write_text("old")
    done = _run(
        """
        import resource, signal, sys
        from pathlib import Path
        from reporter.errors import OutputError
        from reporter.render.write import write_files
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_files(Path(sys.argv[1]), {"a.json": "small", "card.html": "x" * 100_000})
        except OutputError as error:
            print(error)
        """,
        str(tmp_path),
    )
    assert "card.html: cannot be written: file too large. Free some space" in done.stdout, done.stderr
    assert _all_files(tmp_path) == {"card.html": b"old"}


def test_no_space_left_is_told_with_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(number: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(write.os, "fsync", full)
    with pytest.raises(OutputError, match=r"a: cannot be written: no space left on device\. Free some space or give"):
        write_files(tmp_path, {"a": "x"})
    assert _all_files(tmp_path) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_missing_permission_is_told_with_what_to_do() -> None:
    """Root may write everywhere, so the process first becomes nobody where it is root."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o555)
        done = _run(
            """
            import os, sys
            from pathlib import Path
            from reporter.errors import OutputError
            from reporter.render.write import write_files
            if os.getuid() == 0:
                os.setuid(65534)
            try:
                write_files(Path(sys.argv[1]), {"a": "x"})
            except OutputError as error:
                print(error)
            """,
            folder,
        )
        assert f"{folder}/a: cannot be written: permission denied. Give a folder" in done.stdout, done.stderr
        assert _all_files(Path(folder)) == {}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_kill_while_writing_leaves_no_half_file(tmp_path: Path) -> None:
    (tmp_path / "card.html").write_text("old")
    done = _run(
        """
        import os, signal, sys
        from pathlib import Path
        from reporter.render import write
        fsync = write.os.fsync
        def killed(number):
            if os.fstat(number).st_size > 10:
                os.kill(os.getpid(), signal.SIGKILL)
            fsync(number)
        write.os.fsync = killed
        write.write_files(Path(sys.argv[1]), {"a.json": "{}", "card.html": "x" * 1000})
        """,
        str(tmp_path),
    )
    assert done.returncode == -signal.SIGKILL
    visible = {name: text for name, text in _all_files(tmp_path).items() if not name.startswith(write.PART_PREFIX)}
    assert visible == {"card.html": b"old"}


def test_an_interrupt_cleans_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(number: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(write.os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_files(tmp_path, {"a": "x"})
    assert list(tmp_path.iterdir()) == []
