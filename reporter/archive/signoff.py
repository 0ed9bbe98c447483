"""Statements about a record (approve, approve with conditions, reject), signed with ``ssh-keygen`` and kept beside the bag.

A statement names the SHA-256 of the record's tag manifest, so it holds for that record's every byte and for no other record. Whose key
counts is decided by an allowed-signers file that the checker brings along: an archive cannot vouch for itself.
"""

from __future__ import annotations

import datetime
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from reporter.archive.bag import sha256
from reporter.archive.chain import RecordRef
from reporter.archive.signatures import signer_of
from reporter.archive.store import SIGNOFFS, Archive

Decision = Literal["approve", "approve with conditions", "reject"]
DECISIONS: tuple[Decision, ...] = ("approve", "approve with conditions", "reject")

State = Literal["approved", "approved with conditions", "rejected", "expired", "not signed", "not checked"]


@dataclass(frozen=True)
class Statement:
    """What a reviewer says of one record. ``until`` is the last day on which an approval holds (ISO date, or empty)."""

    model: str
    record: str
    manifest_sha256: str
    decision: Decision
    reviewer: str
    role: str
    reason: str
    signed_at: str
    conditions: tuple[str, ...] = ()
    until: str = ""
    schema: int = 1

    def to_bytes(self) -> bytes:
        """The bytes that are signed."""
        return (json.dumps(asdict(self), indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()

    @property
    def name(self) -> str:
        """The file name of the statement, without its ending: time, decision and the beginning of its hash."""
        stamp = re.sub(r"[^0-9TZ]", "", self.signed_at.replace("+00:00", "Z"))
        return f"{stamp}-{self.decision.replace(' ', '-')}-{sha256(self.to_bytes())[:12]}"


@dataclass(frozen=True)
class CheckedStatement:
    """A stored statement with what its signature is worth: ``signer`` is the principal whose key made it, None when it was not checked or is bad."""

    name: str
    statement: Statement
    signer: str | None
    fault: str = ""

    def holds_on(self, day: datetime.date) -> bool:
        """Whether it is a checked approval that has not run out."""
        approves = self.statement.decision != "reject"
        return approves and self.signer is not None and not self.expired_on(day)

    def expired_on(self, day: datetime.date) -> bool:
        """Whether its last day has passed."""
        return bool(self.statement.until) and self.statement.until < day.isoformat()


@dataclass(frozen=True)
class SignoffCheck:
    """What the statements of one record add to its verification."""

    statements: tuple[CheckedStatement, ...]
    faults: tuple[str, ...]
    anchors: tuple[str, ...]
    notes: tuple[str, ...]

    def state(self, day: datetime.date) -> State:
        """Where the record stands on a day: one rejection outweighs approvals, whatever was signed first."""
        if not self.statements:
            return "not checked" if self.faults else "not signed"
        checked = [c for c in self.statements if c.signer is not None]
        if any(c.statement.decision == "reject" for c in checked):
            return "rejected"
        holding = [c for c in checked if c.holds_on(day)]
        if any(c.statement.decision == "approve" for c in holding):
            return "approved"
        if holding:
            return "approved with conditions"
        return "expired" if checked else "not checked"


NO_SIGNOFFS = SignoffCheck((), (), (), ())


def folder_of(record: str) -> str:
    """The folder of a record's statements, beside the record."""
    return f"{record}{SIGNOFFS}"


def check_signoffs(
    archive: Archive, reference: RecordRef, *, created: datetime.datetime | None, allowed_signers: Path | None
) -> SignoffCheck:
    """Read and check every statement beside a record that was made at ``created``."""
    folder = folder_of(reference.id)
    if archive.is_link(reference.model, folder):
        return SignoffCheck((), (f"{folder} is a link: what it leads to can be other statements tomorrow",), (), ())
    names = archive.files(reference.model, folder) if archive.local or archive.exists(reference.model, folder) else []
    checked: list[CheckedStatement] = []
    faults: list[str] = []
    notes: list[str] = []
    for name in [name for name in names if name.endswith(".json")]:
        (content,) = archive.read_all([(reference.model, folder, name)])
        statement = read_statement(content)
        fault = _misfit(statement, name, reference, created)
        if statement is None or fault:
            faults.append(f"the statement {name} {fault}")
        elif f"{name}.sig" not in names:
            faults.append(f"the statement {name} has no signature")
        elif allowed_signers is None:
            notes.append(f"the signature of {name} was not checked: name an allowed-signers file")
            checked.append(CheckedStatement(name, statement, None))
        else:
            (signature,) = archive.read_all([(reference.model, folder, f"{name}.sig")])
            signer, fault = signer_of(
                content, signature, signed_at=statement.signed_at, allowed_signers=allowed_signers
            )
            checked.append(CheckedStatement(name, statement, signer, fault))
            if fault:
                faults.append(f"the signature of {name}: {fault}")
            faults += _page_faults(archive, reference.model, folder, names, checked[-1], allowed_signers)
    faults += _left_over(names)
    anchors = tuple(f"{c.statement.decision!r} signed by {c.signer}" for c in checked if c.signer)
    return SignoffCheck(tuple(checked), tuple(faults), anchors, tuple(notes))


def read_statement(content: bytes) -> Statement | None:
    """The statement of these bytes; None when they are not exactly one as it is written."""
    try:
        raw = json.loads(content)
        statement = Statement(**{**raw, "conditions": tuple(raw.get("conditions", ()))})
        same = statement.to_bytes() == content
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    return statement if same and statement.decision in DECISIONS and _is_typed(raw) else None


def _is_typed(raw: dict[str, object]) -> bool:
    """Texts are texts, and the last day is a day: nobody has checked a signature yet."""
    conditions, until = raw.get("conditions"), raw.get("until")
    texts = [value for key, value in raw.items() if key not in ("conditions", "schema")]
    if not isinstance(conditions, list) or not all(isinstance(text, str) for text in (*texts, *conditions)):
        return False
    try:
        return type(raw.get("schema")) is int and (until == "" or bool(datetime.date.fromisoformat(str(until))))
    except ValueError:
        return False


def _page_faults(
    archive: Archive, model: str, folder: str, names: Sequence[str], checked: CheckedStatement, allowed_signers: Path
) -> list[str]:
    """The page shows what was signed, so it is signed too, by the same key."""
    page = f"{checked.statement.name}.pdf"
    if page not in names:
        return [f"the page {page} is gone"] if f"{page}.sig" in names else []
    if f"{page}.sig" not in names:
        return [f"the page {page} has no signature"]
    content, signature = archive.read_all([(model, folder, page), (model, folder, f"{page}.sig")])
    signer, fault = signer_of(
        content, signature, signed_at=checked.statement.signed_at, allowed_signers=allowed_signers
    )
    if fault:
        return [f"the signature of {page}: {fault}"]
    if not page_attaches(content, checked.statement.to_bytes()):
        return [f"the page {page} does not hold the statement beside it: it is that of another"]
    return [] if signer == checked.signer else [f"the page {page} is signed by {signer}, not by {checked.signer}"]


def page_attaches(page: bytes, content: bytes) -> bool:
    """Whether a PDF holds exactly these bytes as one of its streams, packed or not: the same reviewer signed other pages too."""
    for found in re.finditer(rb"stream\r?\n(.*?)\r?\n?endstream", page, re.DOTALL):
        if found[1] == content or found[1] + b"\n" == content:
            return True
        try:
            if zlib.decompressobj().decompress(found[1], len(content) + 1) == content:
                return True
        except zlib.error:
            continue
    return False


def _misfit(statement: Statement | None, name: str, reference: RecordRef, created: datetime.datetime | None) -> str:
    if statement is None:
        return "cannot be read"
    if (statement.model, statement.record, statement.manifest_sha256) != (
        reference.model,
        reference.id,
        reference.manifest,
    ):
        return "is about another record"
    if name != f"{statement.name}.json":
        return f"was renamed: it was {statement.name}.json"
    try:
        early = created is not None and datetime.datetime.fromisoformat(statement.signed_at) < created
    except (ValueError, TypeError):
        return f"is dated {statement.signed_at!r}, which is not a time"
    return "is dated before the record that it is about" if early else ""


def _left_over(names: Sequence[str]) -> list[str]:
    """Files beside the statements that none of them explains."""
    stems = {name.removesuffix(".json") for name in names if name.endswith(".json")}
    said = []
    for name in names:
        stem = name.removesuffix(".sig").removesuffix(".json").removesuffix(".pdf")
        if name in (f"{stem}.json.sig", f"{stem}.pdf", f"{stem}.pdf.sig"):
            if stem not in stems:
                said.append(f"{name} has no statement: it was removed, or signing was cut off")
        elif not name.endswith(".json"):
            said.append(f"{name} does not belong to the sign-offs")
    return said
