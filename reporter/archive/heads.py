"""The signed head of an archive: a list of all its records, signed, so that a record that vanished from the end is missed."""

from __future__ import annotations

import datetime
import hashlib
import json
from pathlib import Path

from reporter.archive.record import record_reference
from reporter.archive.signatures import signature_of, signer_of
from reporter.archive.store import SEAL, Archive

FOLDER = "_heads"
"""No model's folder: a model's name never starts with an underscore there."""


def sign_head(archive: Archive, *, key: Path, moment: datetime.datetime) -> str:
    """Sign the list of all records as they are now; the head's path inside the archive."""
    records = {
        model: {record: record_reference(archive, model, record).manifest for record in archive.records(model)}
        for model in archive.models()
    }
    head = {"schema": 1, "signed_at": moment.isoformat(), "records": records}
    content = (json.dumps(head, indent=2, sort_keys=True) + "\n").encode()
    signature = signature_of(content, key=key)
    name = f"{moment:%Y%m%dT%H%M%SZ}-{hashlib.sha256(content).hexdigest()[:12]}.json"
    archive.add_file(FOLDER, name, content=content)
    archive.add_file(FOLDER, f"{name}.sig", content=signature)
    return f"{FOLDER}/{name}"


def check_heads(archive: Archive, *, allowed_signers: Path | None) -> tuple[list[str], dict[tuple[str, str], str]]:
    """Faults of the signed heads (a listed record that is gone or changed, a bad signature), and which records a
    checked head vouches for: (model, record) -> the signer."""
    names = archive.files(FOLDER) if archive.exists(FOLDER) else []
    faults: list[str] = []
    vouched: dict[tuple[str, str], str] = {}
    for name in (name for name in names if name.endswith(".json")):
        content = archive.read(FOLDER, name)
        try:
            head = json.loads(content)
            listed = [(m, r, digest) for m, records in head["records"].items() for r, digest in records.items()]
            signed_at = str(head["signed_at"])
        except (ValueError, KeyError, TypeError, AttributeError):
            faults.append(f"the head {name} cannot be read")
            continue
        signer: str | None = None
        if f"{name}.sig" not in names:
            faults.append(f"the head {name} has no signature")
        elif allowed_signers is not None:
            signature = archive.read(FOLDER, f"{name}.sig")
            signer, fault = signer_of(content, signature, signed_at=signed_at, allowed_signers=allowed_signers)
            if fault:
                faults.append(f"the signature of the head {name}: {fault}")
        for model, record, digest in listed:
            if not archive.exists(model, record, SEAL):
                faults.append(f"{model}/{record} is listed in the head {name} but is gone")
            elif record_reference(archive, model, record).manifest != digest:
                faults.append(f"{model}/{record} is not the record that the head {name} lists")
            elif signer is not None:
                vouched[model, record] = signer
    return faults, vouched
