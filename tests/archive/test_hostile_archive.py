"""Somebody who may write to the archive: swapped pages, links, devices, odd heads and statements. Each is named, and nothing hangs."""

from __future__ import annotations

import datetime
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporter.archive.chain import RecordRef
from reporter.archive.history import write_history
from reporter.archive.signatures import signature_of
from reporter.archive.signoff import Statement, page_attaches, read_statement
from reporter.archive.signoff_page import sign_record
from reporter.archive.store import Archive, open_archive
from reporter.archive.verify import Verification, verify_archive, verify_record

SIGNED = datetime.datetime(2026, 4, 1, tzinfo=datetime.UTC)
NOTHING_OUTSIDE = "only records of this archive vouch for it, which whoever can write there can make anew"


@pytest.fixture
def chain(archive: Archive, record: Any) -> tuple[Archive, list[RecordRef]]:
    """An archive of two releases."""
    return archive, [record(archive, f"1.{i}", day=30 * i, n_missed=2 + i) for i in range(2)]


@pytest.fixture
def small_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page that is only its attached statement."""

    def page(_: Archive, statement: Statement, *rest: object) -> bytes:
        return b"%PDF-1.7\nstream\n" + statement.to_bytes() + b"\nendstream"

    monkeypatch.setattr("reporter.archive.signoff_page._page", page)


def _sign(archive: Archive, made: RecordRef, key: Path, decision: str = "approve") -> Path:
    """Sign, and return the path of the page."""
    paths = sign_record(
        archive,
        made.model,
        made.id,
        key=key,
        reviewer="Board",
        role="Safety",
        reason="Fine.",
        decision=decision,
        moment=SIGNED,
    )
    return Path(next(path for path in paths if path.endswith(".pdf")))


def _checked(archive: Archive, made: RecordRef, signers: Path | None = None) -> Verification:
    return verify_record(archive, made.model, made.id, allowed_signers=signers)


@pytest.mark.needs("ssh-keygen", "pango")
def test_the_page_of_another_statement_by_the_same_reviewer_is_found(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], signers: Any
) -> None:
    archive, (first, second) = chain
    approved = _sign(archive, first, key("board"))
    rejected = _sign(archive, second, key("board"), "reject")
    allowed = signers("board")
    assert _checked(archive, second, allowed).state == "verified"
    for ending in ("", ".sig"):
        shutil.copy(f"{approved}{ending}", f"{rejected}{ending}")
    (fault,) = _checked(archive, second, allowed).faults
    assert fault == f"the page {rejected.name} does not hold the statement beside it: it is that of another"


@pytest.mark.usefixtures("small_page")
@pytest.mark.needs("ssh-keygen")
def test_a_page_that_was_removed_is_found_by_its_signature(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], signers: Any
) -> None:
    archive, (first, _) = chain
    page = _sign(archive, first, key("board"))
    page.unlink()
    assert _checked(archive, first, signers("board")).faults == (f"the page {page.name} is gone",)


@pytest.mark.parametrize("packed", [True, False])
def test_an_attached_statement_is_found_in_a_pdf(packed: bool) -> None:
    import zlib

    inner = zlib.compress(b"{statement}") if packed else b"{statement}"
    page = b"%PDF-1.7\n1 0 obj\nstream\n" + zlib.compress(b"x" * 10_000_000) + b"\nendstream\nstream\r\n" + inner
    page += b"\nendstream\n"
    assert page_attaches(page, b"{statement}")
    assert not page_attaches(page, b"{statemenu}")
    assert not page_attaches(page, b"{statement}}")


@pytest.mark.usefixtures("small_page")
@pytest.mark.needs("ssh-keygen")
@pytest.mark.parametrize(
    ("lines", "signer"),
    [
        (["!eve@example.org,*@example.org {key}"], "*@example.org"),
        (["board@example.org,deputy@example.org {key}"], "board@example.org"),
        (["* {key}"], "*"),
    ],
)
def test_a_signer_is_named_as_the_line_that_lets_the_key_sign_says(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], tmp_path: Path, lines: list[str], signer: str
) -> None:
    archive, (first, _) = chain
    _sign(archive, first, key("board"))
    public = " ".join(Path(f"{key('board')}.pub").read_text().split()[:2])
    allowed = tmp_path / "allowed"
    allowed.write_text("".join(f"{line.format(key=public)}\n" for line in lines))
    found = _checked(archive, first, allowed)
    assert found.faults == ()
    assert f"'approve' signed by {signer}" in found.anchors


@pytest.mark.usefixtures("small_page")
@pytest.mark.needs("ssh-keygen")
def test_a_folder_that_is_a_link_is_found(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], tmp_path: Path
) -> None:
    archive, (_, last) = chain
    _sign(archive, last, key("board"))
    for place, fault in (
        ((last.model, last.id), f"{last.id} is a link: what it leads to can be another record tomorrow"),
        ((last.model, f"{last.id}.signoffs"), f"{last.id}.signoffs is a link"),
        ((last.model,), f"{last.model} is a link"),
    ):
        folder = Path(archive.path(*place))
        shutil.move(folder, tmp_path / "elsewhere")
        folder.symlink_to(tmp_path / "elsewhere")
        found = verify_archive(archive)
        assert not found.valid, place
        assert any(said.startswith(fault) for said in (*found.faults, *(f for v in found.records for f in v.faults)))
        assert _checked(archive, last).state == "not valid"
        folder.unlink()
        shutil.move(tmp_path / "elsewhere", folder)
    assert verify_archive(archive).valid


@pytest.mark.parametrize("name", ["bag-info.txt", "tagmanifest-sha256.txt", "data/report.json"])
@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_a_pipe_or_device_in_place_of_a_file_is_found_and_not_read(
    chain: tuple[Archive, list[RecordRef]], name: str, kind: str
) -> None:
    archive, (_, last) = chain
    path = Path(archive.path(last.model, last.id, name))
    path.unlink()
    if kind == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to("/dev/zero")
    assert _checked(archive, last).state == "not valid"
    assert not verify_archive(archive).valid


@pytest.mark.parametrize("kind", ["pipe", "device", "folder"])
def test_a_signoff_that_is_no_file_is_found(chain: tuple[Archive, list[RecordRef]], kind: str) -> None:
    archive, (_, last) = chain
    folder = Path(archive.path(last.model, f"{last.id}.signoffs"))
    folder.mkdir()
    place = folder / "20260401T000000Z-approve-0123456789ab.json"
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    else:
        place.mkdir()
    assert _checked(archive, last).state == "not valid"


@pytest.mark.parametrize(
    "content",
    [
        "[" * 100_000,
        '{"records": {"a": {"b\\u0000": "c"}}, "statements": {}, "signed_at": "2026-01-01"}',
        '{"records": {"\\ud800": {"b": "c"}}, "statements": {}, "signed_at": "2026-01-01"}',
        '{"records": {}, "statements": {"x\\u0000": ""}, "signed_at": 5}',
        '{"records": {}, "statements": {"../../../../../../../../dev/zero": "aa"}, "signed_at": "2026-01-01"}',
        '{"records": {"..": {"20260115T090000Z-1.0-0123456789ab": "c"}}, "statements": {}, "signed_at": "2026-01-01"}',
    ],
)
def test_an_odd_head_is_a_fault_and_leads_nowhere(chain: tuple[Archive, list[RecordRef]], content: str) -> None:
    archive, _ = chain
    Path(archive.path("_heads")).mkdir()
    Path(archive.path("_heads", "x.json")).write_text(content)
    assert "the head x.json cannot be read" in verify_archive(archive).faults


@pytest.mark.needs("ssh-keygen")
def test_a_head_does_not_vouch_for_a_record_of_another_hash(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], signers: Any
) -> None:
    archive, (_, last) = chain
    head = {
        "schema": 1, "signed_at": SIGNED.isoformat(), "statements": {},
        "records": {last.model: {last.id: f"{last.manifest[:12]}{'0' * 52}"}},
    }  # fmt: skip
    content = json.dumps(head).encode()
    archive.add_file("_heads", "x.json", content=content)
    archive.add_file("_heads", "x.json.sig", content=signature_of(content, key=key("board")))
    found = verify_archive(archive, allowed_signers=signers("board"))
    assert found.records[-1].anchors == ()
    assert not found.valid


GOOD = Statement("m", "r", "0" * 64, "approve", "Board", "Safety", "Fine.", SIGNED.isoformat())


@pytest.mark.parametrize(
    "change",
    [
        {"until": 5},
        {"until": "soon"},
        {"until": "2026-02-30"},
        {"reviewer": None},
        {"conditions": [1]},
        {"conditions": "ab"},
        {"schema": "1"},
        {"signed_at": 5},
    ],
)
def test_a_statement_of_odd_values_cannot_be_read(change: dict[str, Any]) -> None:
    plain = json.loads(GOOD.to_bytes())
    assert read_statement(GOOD.to_bytes()) == GOOD
    assert read_statement((json.dumps(plain | change, indent=2, sort_keys=True) + "\n").encode()) is None


def test_a_deep_statement_cannot_be_read() -> None:
    assert read_statement(b"[" * 100_000) is None


def test_a_successor_alone_is_told_to_be_no_witness_from_outside(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, (first, last) = chain
    assert NOTHING_OUTSIDE in _checked(archive, first).notes
    assert NOTHING_OUTSIDE not in _checked(archive, last).notes
    assert NOTHING_OUTSIDE not in verify_record(archive, first.model, first.id, expect=first.manifest).notes


def test_records_that_were_added_after_the_last_witness_are_named(
    chain: tuple[Archive, list[RecordRef]], record: Any
) -> None:
    archive, (first, second) = chain
    third = record(archive, "1.2", day=60, n_missed=4)
    found = verify_archive(archive, expect=[first.manifest])
    assert [v.state for v in found.records] == ["verified", "verified", "intact, not anchored"]
    assert f"{second.model}/{second.id}: {NOTHING_OUTSIDE}" in found.notes
    assert not any(NOTHING_OUTSIDE in note for note in verify_archive(archive, expect=[third.manifest]).notes)


def test_a_history_shows_hostile_names_as_text(archive: Archive, record: Any, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>\" onload='x' {{ 7*7 }} [a](javascript:alert(1))"
    record(archive, hostile[:60], name=hostile)
    write_history(archive, tmp_path / "site")
    pages = [path.read_text("utf-8") for path in (tmp_path / "site").rglob("*.html")]
    assert len(pages) >= 3
    for page in pages:
        assert "<script>alert" not in page
        assert "onload='x'" not in page.replace("&#39;", "'") or "onload=&#39;x&#39;" in page
        assert 'href="javascript' not in page
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_two_processes_that_archive_at_once_lose_nothing(archive: Archive, evaluated: Any, tmp_path: Path) -> None:
    """Each record is there whole, and the fork is seen."""
    script = (
        "import sys, pickle, datetime, time\n"
        "from reporter.archive.record import archive_record\n"
        "from reporter.archive.store import open_archive\n"
        "report, counts, at = pickle.load(open(sys.argv[1], 'rb'))\n"
        "while time.time() < float(sys.argv[3]): pass\n"
        "now = datetime.datetime(2026, 12, 1, tzinfo=datetime.UTC)\n"
        "print(archive_record(open_archive(sys.argv[2]), report, counts=counts, files={}, log='', now=now)[0].id)\n"
    )
    import pickle
    import sys
    import time

    jobs = []
    for i in range(2):
        done = evaluated(f"2.{i}", day=i, n_missed=2 + i)
        path = tmp_path / f"job-{i}"
        path.write_bytes(pickle.dumps((done.report, done.counts, i)))
        jobs.append(path)
    start = time.time() + 2
    running = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(job), archive.root, str(start)], stdout=subprocess.PIPE, text=True
        )
        for job in jobs
    ]
    ids = {process.communicate(timeout=60)[0].strip() for process in running}
    found = verify_archive(open_archive(archive.root))
    assert found.valid
    assert {v.record.id for v in found.records} == ids
    assert len(ids) == 2
