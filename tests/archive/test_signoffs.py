"""Statements about records: what is signed, whose signature counts and when, and that nothing is signed by mistake."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporter.archive.chain import RecordRef, read_link
from reporter.archive.signoff import SignoffCheck, Statement, check_signoffs
from reporter.archive.signoff_page import sign_record
from reporter.archive.store import Archive
from reporter.archive.verify import verify_archive, verify_record
from reporter.errors import ConfigError, DataError, OutputError

pytestmark = pytest.mark.needs("ssh-keygen")

SIGNED = datetime.datetime(2026, 2, 1, 12, 0, tzinfo=datetime.UTC)

Key = Callable[[str], Path]


@pytest.fixture
def no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page takes a second to lay out; where it is not the subject its attached statement stands for it."""

    def page(_: Archive, statement: Statement, *rest: object) -> bytes:
        return b"%PDF-1.7\nstream\n" + statement.to_bytes() + b"\nendstream"

    monkeypatch.setattr("reporter.archive.signoff_page._page", page)


def _sign(archive: Archive, made: RecordRef, key: Path, **changes: Any) -> list[Path]:
    values: dict[str, Any] = {
        "reviewer": "Clinical safety board",
        "role": "Clinical safety",
        "reason": "The group gaps are within our limits.",
        "decision": "approve",
        "moment": SIGNED,
        **changes,
    }
    return [Path(path) for path in sign_record(archive, made.model, made.id, key=key, **values)]


def _check(archive: Archive, made: RecordRef, allowed: Path | None) -> SignoffCheck:
    created = read_link(archive, made.model, made.id).created
    return check_signoffs(archive, made, created=created, allowed_signers=allowed)


@pytest.mark.usefixtures("no_page")
def test_a_signed_approval_anchors_the_record(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    _sign(archive, made, key("board"))
    found = verify_record(archive, made.model, made.id, allowed_signers=signers("board"))
    assert found.state == "verified"
    assert found.anchors == ("'approve' signed by board@example.org",)


@pytest.mark.usefixtures("no_page")
def test_without_allowed_signers_nothing_is_taken_on_trust(archive: Archive, record: Any, key: Key) -> None:
    made = record(archive)
    _sign(archive, made, key("board"))
    found = verify_record(archive, made.model, made.id)
    assert found.state == "intact, not anchored"
    assert "was not checked" in found.notes[0]
    assert found.signed.state(SIGNED.date()) == "not checked"


@pytest.mark.usefixtures("no_page")
def test_a_foreign_key_is_found(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    _sign(archive, made, key("eve"))
    found = verify_record(archive, made.model, made.id, allowed_signers=signers("board"))
    assert found.state == "not valid"
    assert "its key is not among the allowed signers" in found.faults[0]
    assert found.anchors == ()


@pytest.mark.usefixtures("no_page")
@pytest.mark.parametrize(
    ("options", "valid"),
    [
        ('valid-before="20260115"', False),
        ('valid-after="20260301"', False),
        ('valid-after="20260115",valid-before="20260301"', True),
        ('namespaces="git"', False),
        ('namespaces="reporter-signoff"', True),
    ],
)
def test_a_key_counts_only_in_its_time_and_for_its_purpose(
    archive: Archive, record: Any, key: Key, signers: Any, options: str, valid: bool
) -> None:
    made = record(archive)
    _sign(archive, made, key("board"))
    found = verify_record(archive, made.model, made.id, allowed_signers=signers("board", options=options))
    assert found.state == ("verified" if valid else "not valid")


@pytest.mark.usefixtures("no_page")
def test_a_signature_for_another_purpose_does_not_count(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    paths = {path.name.split(".", 1)[1]: path for path in _sign(archive, made, key("board"))}
    other = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", str(key("board"))],
        input=paths["json"].read_bytes(),
        capture_output=True,
        check=True,
    )
    paths["json.sig"].write_bytes(other.stdout)
    assert verify_record(archive, made.model, made.id, allowed_signers=signers("board")).state == "not valid"


@pytest.mark.usefixtures("no_page")
def test_every_changed_byte_of_a_statement_is_found(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    statement = next(path for path in _sign(archive, made, key("board")) if path.suffix == ".json")
    allowed = signers("board")
    original = statement.read_bytes()
    for i in range(0, len(original), 9):
        statement.write_bytes(original[:i] + bytes([original[i] ^ 1]) + original[i + 1 :])
        assert _check(archive, made, allowed).faults, i
    statement.write_bytes(original)
    assert _check(archive, made, allowed).faults == ()


@pytest.mark.usefixtures("no_page")
@pytest.mark.parametrize("ending", [".json", ".json.sig", ".pdf.sig"])
def test_a_removed_part_of_a_signoff_is_found(
    archive: Archive, record: Any, key: Key, signers: Any, ending: str
) -> None:
    made = record(archive)
    paths = _sign(archive, made, key("board"))
    next(path for path in paths if path.name.endswith(ending) and not path.name.endswith(f"x{ending}")).unlink()
    assert verify_record(archive, made.model, made.id, allowed_signers=signers("board")).state == "not valid"


@pytest.mark.usefixtures("no_page")
def test_a_changed_page_is_found(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    page = next(path for path in _sign(archive, made, key("board"), decision="reject") if path.suffix == ".pdf")
    page.write_bytes(b"%PDF-1.7 approved")
    (fault,) = verify_record(archive, made.model, made.id, allowed_signers=signers("board")).faults
    assert fault.startswith(f"the signature of {page.name}: it does not fit")


@pytest.mark.usefixtures("no_page")
def test_a_statement_about_another_record_or_under_another_name_is_found(
    archive: Archive, record: Any, key: Key, signers: Any
) -> None:
    first, second = record(archive, "1.0"), record(archive, "1.1", day=10)
    paths = _sign(archive, first, key("board"))
    folder = Path(archive.path(second.model, f"{second.id}.signoffs"))
    folder.mkdir()
    for path in paths:
        (folder / path.name).write_bytes(path.read_bytes())
    (fault,) = verify_record(archive, second.model, second.id, allowed_signers=signers("board")).faults
    assert fault.endswith("is about another record")
    for path in paths:
        path.rename(path.with_name(path.name.replace("approve", "reject")))
    faults = verify_record(archive, first.model, first.id, allowed_signers=signers("board")).faults
    assert "was renamed" in faults[0]


@pytest.mark.usefixtures("no_page")
def test_a_statement_dated_before_its_record_is_found(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive, day=30)
    with pytest.raises(ConfigError, match="by the clock, but the record is of"):
        _sign(archive, made, key("board"), moment=SIGNED)
    early = Statement(made.model, made.id, made.manifest, "approve", "Board", "Safety", "Fine.", SIGNED.isoformat())
    signed = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "reporter-signoff", "-f", str(key("board"))],
        input=early.to_bytes(),
        capture_output=True,
        check=True,
    ).stdout
    folder = f"{made.id}.signoffs"
    archive.add_file(made.model, folder, f"{early.name}.json", content=early.to_bytes())
    archive.add_file(made.model, folder, f"{early.name}.json.sig", content=signed)
    (fault,) = _check(archive, made, signers("board")).faults
    assert fault.endswith("is dated before the record that it is about")


@pytest.mark.usefixtures("no_page")
def test_states_follow_decisions_and_dates(archive: Archive, record: Any, key: Key, signers: Any) -> None:
    made = record(archive)
    allowed = signers("board", "audit")
    assert _check(archive, made, allowed).state(SIGNED.date()) == "not signed"
    _sign(archive, made, key("board"), decision="approve with conditions", conditions=["Review"], until="2026-03-31")
    found = _check(archive, made, allowed)
    assert found.state(datetime.date(2026, 3, 31)) == "approved with conditions"
    assert found.state(datetime.date(2026, 4, 1)) == "expired"
    assert found.statements[0].statement.conditions == ("Review",)
    _sign(archive, made, key("audit"))
    assert _check(archive, made, allowed).state(datetime.date(2026, 4, 1)) == "approved"
    _sign(archive, made, key("audit"), decision="reject", moment=SIGNED + datetime.timedelta(days=1))
    assert _check(archive, made, allowed).state(datetime.date(2026, 3, 1)) == "rejected"
    assert verify_archive(archive, allowed_signers=allowed).valid


def test_all_that_is_wrong_with_a_statement_is_told_at_once(archive: Archive, record: Any, tmp_path: Path) -> None:
    made = record(archive)
    with pytest.raises(ConfigError) as caught:
        _sign(
            archive,
            made,
            tmp_path / "no-key",
            reviewer=" ",
            reason="",
            decision="agree",
            conditions=[""],
            until="31.3.2027",
        )
    told = [str(problem) for problem in caught.value.problems]
    assert told == [
        "--reviewer: found nothing, expected a text",
        "--reason: found nothing, expected a text",
        f"--key: found no file '{tmp_path / 'no-key'}'. Give an OpenSSH private key.",
        "--decision: found 'agree', expected one of: approve, approve with conditions, reject",
        "--condition: found an empty condition",
        "--until: found '31.3.2027', expected a date such as 2027-03-31",
    ]
    assert not archive.exists(made.model, f"{made.id}.signoffs")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"decision": "approve with conditions"}, "found none, but the approval is with conditions"),
        ({"conditions": ["Review"]}, "found conditions, but the decision is 'approve'"),
        ({"decision": "reject", "until": "2027-01-01"}, "a rejection has none"),
        ({"until": "2026-01-31"}, "found 2026-01-31, which has passed"),
        ({"until": "2026-02-30"}, "expected a date such as"),
    ],
)
def test_contradictions_of_a_statement_are_told(
    archive: Archive, record: Any, key: Key, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        _sign(archive, record(archive), key("board"), **changes)


def test_a_record_that_was_changed_cannot_be_signed(archive: Archive, record: Any, key: Key) -> None:
    made = record(archive)
    Path(archive.path(made.model, made.id, "data", "run.log")).write_text("other")
    with pytest.raises(DataError, match=r"data/run.log was changed. Nothing was signed"):
        _sign(archive, made, key("board"))
    assert not archive.exists(made.model, f"{made.id}.signoffs")


def test_a_file_that_is_no_key_is_refused_by_ssh_keygen(archive: Archive, record: Any, tmp_path: Path) -> None:
    made = record(archive)
    (tmp_path / "text").write_text("no key")
    (tmp_path / "text").chmod(0o600)
    with pytest.raises(OutputError, match="ssh-keygen did not sign"):
        _sign(archive, made, tmp_path / "text")
    assert not archive.exists(made.model, f"{made.id}.signoffs")


def test_without_ssh_keygen_signing_and_checking_say_so(
    archive: Archive, record: Any, key: Key, signers: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made, private, allowed = record(archive), key("board"), signers("board")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OutputError, match="ssh-keygen, which was not found"):
        _sign(archive, made, private)
    with pytest.raises(OutputError, match="ssh-keygen, which was not found"):
        verify_record(archive, made.model, made.id, allowed_signers=allowed)
    assert verify_record(archive, made.model, made.id).state == "intact, not anchored"


@pytest.mark.parametrize("content", [None, "", "# nobody\n", "board@example.org\n"])
def test_an_allowed_signers_file_that_names_nobody_is_told(
    archive: Archive, record: Any, tmp_path: Path, content: str | None
) -> None:
    made = record(archive)
    path = tmp_path / "allowed"
    if content is not None:
        path.write_text(content)
    with pytest.raises(ConfigError, match="--allowed-signers"):
        verify_record(archive, made.model, made.id, allowed_signers=path)


@pytest.mark.needs("pango", "poppler")
def test_the_page_shows_the_decision_and_carries_statement_and_signature(
    archive: Archive, record: Any, key: Key, signers: Any, tmp_path: Path
) -> None:
    made = record(archive, n_missed=14)
    paths = _sign(
        archive,
        made,
        key("board"),
        decision="approve with conditions",
        conditions=["Review in <March>", "Watch women"],
        until="2026-12-31",
        reason="No < other & way",
    )
    page = next(path for path in paths if path.suffix == ".pdf")
    subprocess.run(["pdfdetach", "-saveall", "-o", str(tmp_path), str(page)], check=True)
    text = subprocess.run(["pdftotext", str(page), "-"], capture_output=True, text=True, check=True).stdout
    words = re.sub(r"\s+", " ", text)
    for said in ("Approved with conditions", "Clinical safety board", "No < other & way", "Review in <March>", "31 December 2026", made.manifest, "fnr/sex/F/1.0", "ED25519 SHA256:"):  # fmt: skip
        assert said in words
    stored = {path.name.split(".", 1)[1]: path.read_bytes() for path in paths}
    assert (tmp_path / "statement.json").read_bytes() == stored["json"]
    assert (tmp_path / "statement.json.sig").read_bytes() == stored["json.sig"]
    assert verify_record(archive, made.model, made.id, allowed_signers=signers("board")).state == "verified"


@pytest.mark.needs("pango", "java", "verapdf")
def test_the_page_is_pdf_a_3a_and_pdf_ua_1(archive: Archive, record: Any, key: Key, tmp_path: Path) -> None:
    page = next(path for path in _sign(archive, record(archive), key("board")) if path.suffix == ".pdf")
    path = os.environ["REPORTER_VERAPDF"]
    source = Path(__file__).parents[1] / "verapdf" / "VeraCheck.java"
    subprocess.run(["javac", "-cp", path, "-d", str(tmp_path), str(source)], check=True, timeout=120)
    command = ["java", "-cp", f"{path}{os.pathsep}{tmp_path}", "VeraCheck", str(page), "3a", "ua1"]
    said = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False).stdout
    assert said.count("PASS") == 2, said


@pytest.mark.needs("pango")
def test_a_page_that_cannot_be_made_does_not_undo_the_statement(
    archive: Archive, record: Any, key: Key, signers: Any
) -> None:
    made = record(archive)
    with pytest.raises(OutputError, match=r"the statement was signed and kept .*without its page.*no font has a glyph"):
        _sign(archive, made, key("board"), reviewer="安娜")
    assert verify_record(archive, made.model, made.id, allowed_signers=signers("board")).state == "verified"
