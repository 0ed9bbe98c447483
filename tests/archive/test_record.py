"""What a record holds, that it is the same bytes wherever it is made, and that an archive loses and overwrites nothing."""

from __future__ import annotations

import datetime
import errno
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bagit
import pytest

from reporter.archive import store
from reporter.archive.chain import heads, read_chain, read_link
from reporter.archive.record import archive_record
from reporter.archive.store import Archive, open_archive
from reporter.archive.verify import verify_archive, verify_record
from reporter.errors import OutputError

DAY = datetime.datetime(2026, 1, 15, 9, 0, tzinfo=datetime.UTC)


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _add(archive: Archive, done: Any, now: datetime.datetime = DAY) -> Any:
    return archive_record(archive, done.report, counts=done.counts, files={}, log="log\n", now=now)


def test_a_record_holds_report_counts_config_environment_and_log(archive: Archive, record: Any) -> None:
    made = record(archive)
    names = archive.files(made.model, made.id)
    counts = [name for name in names if name.startswith("data/counts/")]
    assert "data/counts/facts.json" in counts
    assert len(counts) > 2
    assert [name for name in names if name not in counts] == [
        "bag-info.txt",
        "bagit.txt",
        "data/card.html",
        "data/config.json",
        "data/config.yaml",
        "data/environment.json",
        "data/report.json",
        "data/run.log",
        "manifest-sha256.txt",
        "tagmanifest-sha256.txt",
    ]
    assert made.model == "Referral-model"
    assert made.id == f"20260115T090000Z-1.0-{made.manifest[:12]}"


def test_a_record_is_a_valid_bag_to_the_library_of_congress_tool(archive: Archive, record: Any) -> None:
    made = record(archive)
    bag = bagit.Bag(archive.path(made.model, made.id))
    assert bag.validate(processes=1)
    assert bag.info["Bagging-Date"] == "2026-01-15"
    assert bag.info["Reporter-Created"] == "2026-01-15T09:00:00+00:00"


def test_the_same_run_in_another_process_place_and_locale_gives_the_same_bytes(
    tmp_path: Path, release: Callable[..., Path], reporter: Any
) -> None:
    config = release()
    worlds = [
        {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1", "OMP_NUM_THREADS": "1"},
        {
            "TZ": "Asia/Tokyo",
            "LC_ALL": "C.UTF-8",
            "PYTHONHASHSEED": "77",
            "OMP_NUM_THREADS": "4",
            "LANG": "de_DE.UTF-8",
        },
    ]
    found = []
    for i, world in enumerate(worlds):
        archive = tmp_path / f"archive-{i}"
        place = (tmp_path, tmp_path / "release-1.0")[i]
        path = config if i == 0 else Path("config.yaml")
        formats = "json,html,markdown,junit,csv"
        done = reporter(
            "run", path, "--archive", archive, "--format", formats, cwd=place, SOURCE_DATE_EPOCH="1768467600", **world
        )
        assert done.returncode == 0, done.stderr
        found.append(_contents(archive))
    assert found[0] == found[1]
    assert any(name.endswith("card.html") for name in found[0])


def test_the_first_record_has_no_parent_and_the_next_names_its_hash(archive: Archive, record: Any) -> None:
    first = record(archive, "1.0")
    second = record(archive, "1.1", day=30)
    assert read_link(archive, first.model, first.id).parents == ()
    assert read_link(archive, second.model, second.id).parents == ((first.id, first.manifest),)
    assert heads(read_chain(archive, first.model)) == [second]


def test_archiving_the_same_run_twice_keeps_one_record(archive: Archive, evaluated: Any) -> None:
    done = evaluated()
    (first, new), (again, new_again) = _add(archive, done), _add(archive, done)
    assert (new, new_again) == (True, False)
    assert first == again
    assert archive.records("Referral-model") == [first.id]


def test_writers_at_once_lose_nothing_and_a_fork_stays_visible(archive: Archive, evaluated: Any) -> None:
    runs = [evaluated(f"1.{i}", n_missed=i) for i in range(8)]
    start = threading.Barrier(len(runs))
    failures: list[Exception] = []

    def write(done: Any) -> None:
        start.wait()
        try:
            _add(archive, done)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=write, args=(done,)) for done in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    found = verify_archive(archive)
    assert len(found.records) == 8
    assert found.valid
    chain = read_chain(archive, "Referral-model")
    ends = heads(chain)
    if len(ends) > 1:
        assert any("fork" in note or "first records" in note for note in found.notes)
    last, _ = _add(archive, evaluated("2.0", day=1), DAY + datetime.timedelta(days=1))
    assert {parent for parent, _ in read_link(archive, last.model, last.id).parents} == {end.id for end in ends}


def test_a_fork_is_named_and_both_records_are_valid(archive: Archive, evaluated: Any, tmp_path: Path) -> None:
    _add(archive, evaluated("1.0"))
    other = open_archive(shutil.copytree(archive.root, tmp_path / "other"))
    later = DAY + datetime.timedelta(days=1)
    left, _ = _add(archive, evaluated("1.1", day=1), later)
    right, _ = _add(other, evaluated("1.2", day=1), later)
    shutil.copytree(other.path(right.model, right.id), archive.path(right.model, right.id))
    found = verify_archive(archive)
    assert found.valid
    (fork,) = [note for note in found.notes if "the history forks" in note]
    assert left.id in fork
    assert right.id in fork


def test_two_processes_at_once_both_leave_their_record(tmp_path: Path, release: Callable[..., Path]) -> None:
    configs = [release("1.0"), release("1.1", n_missed=3)]
    command = [sys.executable, "-m", "reporter", "run", "--archive", str(tmp_path / "a"), "--quiet"]
    running = [subprocess.Popen([*command, str(config)], stdout=subprocess.DEVNULL) for config in configs]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    found = verify_archive(open_archive(tmp_path / "a"))
    assert found.valid
    assert len(found.records) == 2


def test_a_clock_behind_the_last_record_is_refused_and_nothing_is_added(
    archive: Archive, evaluated: Any, tmp_path: Path
) -> None:
    _add(archive, evaluated("1.0", day=10), DAY + datetime.timedelta(days=10))
    before = _contents(Path(archive.root))
    with pytest.raises(
        OutputError, match="it is 2026-01-15T09:00:00\\+00:00 by the clock, but the archive's last record"
    ):
        _add(archive, evaluated("1.1", day=0), DAY)
    assert _contents(Path(archive.root)) == before


def test_a_run_that_began_before_another_ended_is_kept(archive: Archive, evaluated: Any) -> None:
    slow = evaluated("1.1", day=0)
    _add(archive, evaluated("1.0", day=1), DAY + datetime.timedelta(days=1))
    late, new = _add(archive, slow, DAY + datetime.timedelta(days=1, hours=1))
    assert new
    found = verify_archive(archive)
    assert found.valid
    assert [v.record.id for v in found.records][-1] == late.id
    assert "although its run began before" in found.records[-1].notes[0]


def test_the_command_says_so_when_the_clock_is_behind(
    reporter: Any, release: Callable[..., Path], tmp_path: Path
) -> None:
    first = reporter("run", release("1.0"), "--archive", "a", SOURCE_DATE_EPOCH="1768467600")
    assert first.returncode == 0, first.stderr
    before = _contents(tmp_path / "a")
    second = reporter("run", release("1.1"), "--archive", "a", SOURCE_DATE_EPOCH="1700000000")
    assert second.returncode == 4
    assert "SOURCE_DATE_EPOCH" in second.stderr
    assert "Nothing was added" in second.stderr
    assert _contents(tmp_path / "a") == before


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_full_disk_leaves_no_record_and_says_so(tmp_path: Path, evaluated: Any) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("this machine does not let a test mount a file system")
    try:
        archive = open_archive(place / "archive")
        with pytest.raises(OutputError, match="No space left on device"):
            archive_record(
                archive,
                evaluated().report,
                counts=evaluated().counts,
                files={"card.html": b"x" * 100_000},
                log="",
                now=DAY,
            )
        assert archive.records("Referral-model") == []
        assert archive.names("Referral-model") == []
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_read_only_archive_is_told_and_untouched(tmp_path: Path, evaluated: Any) -> None:
    place = tmp_path / "fixed"
    place.mkdir()
    archive = open_archive(place)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(place)], check=False)
    if mounted.returncode:
        pytest.skip("this machine does not let a test mount a file system")
    try:
        _add(archive, evaluated("1.0"))
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        before = _contents(place)
        with pytest.raises(OutputError, match=r"cannot write to the archive .*: Read-only file system"):
            _add(archive, evaluated("1.1", day=1), DAY + datetime.timedelta(days=1))
        assert _contents(place) == before
        assert verify_archive(archive).valid
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("name", ["data/report.json", "tagmanifest-sha256.txt", "bag-info.txt"])
def test_a_write_that_fails_leaves_nothing(
    archive: Archive, evaluated: Any, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    real = Path.write_bytes

    def write_bytes(self: Path, content: bytes) -> int:
        if store.INCOMING in str(self) and str(self).endswith(name):
            real(self, content[:10])
            raise OSError(errno.EIO, "Input/output error")
        return real(self, content)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    with pytest.raises(OutputError, match="Input/output error"):
        _add(archive, evaluated())
    assert archive.names("Referral-model") == []


def test_a_record_is_never_overwritten(archive: Archive, record: Any) -> None:
    made = record(archive)
    before = _contents(Path(archive.root))
    bag = {"data/report.json": b"other", "tagmanifest-sha256.txt": b"other"}
    assert archive.add_record(made.model, made.id, bag) is False
    with pytest.raises(OutputError, match="refused to overwrite"):
        archive.add_file(made.model, made.id, "bagit.txt", content=b"other")
    assert _contents(Path(archive.root)) == before


def test_what_a_killed_writer_left_is_no_record_and_no_fault(archive: Archive, record: Any) -> None:
    made = record(archive)
    left = Path(archive.path(made.model, ".incoming-0123"))
    left.mkdir()
    (left / "bagit.txt").write_text("x")
    found = verify_archive(archive)
    assert [v.record for v in found.records] == [made]
    assert found.valid
    assert any("cut off" in note for note in found.notes)


def test_models_have_chains_of_their_own(archive: Archive, record: Any) -> None:
    one = record(archive, "1.0", name="Referral model")
    two = record(archive, "1.0", name="Modèle de référence")
    assert two.model.startswith("Modele-de-reference-")
    assert read_link(archive, two.model, two.id).parents == ()
    assert archive.models() == sorted([one.model, two.model])
    assert verify_record(archive, one.model, one.id).state == "intact, not anchored"


@pytest.mark.parametrize("url", ["nosuch://bucket/models", "gs://bucket/models"])
def test_a_store_that_nothing_installed_can_open_is_told_before_the_run(
    reporter: Any, release: Callable[..., Path], tmp_path: Path, url: str
) -> None:
    done = reporter("run", release("1.0"), "--archive", url, "--out", "out")
    assert done.returncode == 2
    assert f"cannot open the archive {url}" in done.stderr
    assert not (tmp_path / "out").exists()
