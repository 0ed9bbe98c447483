"""Statements about a record (approve, approve with conditions, reject), signed with ``ssh-keygen`` and kept beside the bag.

A statement names the SHA-256 of the record's tag manifest, so it holds for that record's every byte and for no other record. Whose key
counts is decided by an allowed-signers file that the checker brings along: an archive cannot vouch for itself.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from reporter.archive.record import RecordRef
from reporter.archive.signatures import signature_of, signer_of
from reporter.archive.store import Archive

Decision = Literal["approve", "approve with conditions", "reject"]
DECISIONS: tuple[Decision, ...] = ("approve", "approve with conditions", "reject")


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
        return (
            approves
            and self.signer is not None
            and (not self.statement.until or self.statement.until >= day.isoformat())
        )


@dataclass(frozen=True)
class SignoffCheck:
    """What the statements of one record add to its verification."""

    statements: tuple[CheckedStatement, ...]
    faults: tuple[str, ...]
    anchors: tuple[str, ...]
    notes: tuple[str, ...]


def sign(archive: Archive, statement: Statement, *, key: Path) -> str:
    """Sign a statement with an OpenSSH private key and keep both beside the record; the statement's file name.

    Raises OutputError when there is no ssh-keygen or it refuses the key, and when that very statement is already there.
    """
    content = statement.to_bytes()
    stamp = re.sub(r"[^0-9TZ]", "", statement.signed_at.replace("+00:00", "Z"))
    name = f"{stamp}-{statement.decision.replace(' ', '-')}-{hashlib.sha256(content).hexdigest()[:12]}.json"
    signature = signature_of(content, key=key)
    folder = f"{statement.record}.signoffs"
    archive.add_file(statement.model, folder, name, content=content)
    archive.add_file(statement.model, folder, f"{name}.sig", content=signature)
    return name


def check_signoffs(archive: Archive, reference: RecordRef, *, allowed_signers: Path | None) -> SignoffCheck:
    """Read and check every statement beside a record."""
    folder = f"{reference.id}.signoffs"
    names = archive.files(reference.model, folder) if archive.exists(reference.model, folder) else []
    checked: list[CheckedStatement] = []
    faults: list[str] = []
    notes: list[str] = []
    for name in [name for name in names if name.endswith(".json")]:
        content = archive.read(reference.model, folder, name)
        statement = _statement(content)
        if statement is None:
            faults.append(f"the statement {name} cannot be read")
            continue
        if statement.manifest_sha256 != reference.manifest or statement.record != reference.id:
            faults.append(f"the statement {name} is about another record")
            continue
        if f"{name}.sig" not in names:
            faults.append(f"the statement {name} has no signature")
            continue
        if allowed_signers is None:
            notes.append(f"the signature of {name} was not checked: name an allowed-signers file")
            checked.append(CheckedStatement(name, statement, None))
            continue
        signature = archive.read(reference.model, folder, f"{name}.sig")
        signer, fault = signer_of(content, signature, signed_at=statement.signed_at, allowed_signers=allowed_signers)
        checked.append(CheckedStatement(name, statement, signer, fault))
        if fault:
            faults.append(f"the signature of {name}: {fault}")
    known = {name for c in checked for name in (c.name, f"{c.name}.sig", f"{c.name.removesuffix('.json')}.pdf")}
    faults += [f"{name} does not belong to the sign-offs" for name in names if not faults and name not in known]
    anchors = tuple(f"{c.statement.decision!r} signed by {c.signer}" for c in checked if c.signer)
    return SignoffCheck(tuple(checked), tuple(faults), anchors, tuple(notes))


def _statement(content: bytes) -> Statement | None:
    try:
        raw = json.loads(content)
        statement = Statement(**{**raw, "conditions": tuple(raw.get("conditions", ()))})
    except (ValueError, TypeError, AttributeError):
        return None
    return statement if statement.decision in DECISIONS and statement.to_bytes() == content else None
