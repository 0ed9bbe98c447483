"""The signed head of an archive: a list of all its records and statements, signed, so that one that vanished later is missed.

A head inside the archive can vanish too: a copy kept elsewhere (``verify --head``) is the stronger anchor.
"""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reporter.archive.bag import SEAL, sha256
from reporter.archive.chain import read_chain
from reporter.archive.signatures import signature_of, signer_of
from reporter.archive.signoff import folder_of
from reporter.archive.store import Archive
from reporter.errors import ConfigError, Problem

FOLDER = "_heads"
"""No model's folder: a model's name never starts with an underscore there."""


@dataclass(frozen=True)
class HeadCheck:
    """Faults of the heads (a listed record that is gone or changed, a bad signature), and which records a checked head
    vouches for: (model, record) -> the signer."""

    faults: tuple[str, ...]
    notes: tuple[str, ...]
    vouched: dict[tuple[str, str], str]


def sign_head(archive: Archive, *, key: Path, moment: datetime.datetime) -> str:
    """Sign the list of all records and statements as they are now; the head's path inside the archive.

    Raises ConfigError when there is no record, since such a head says nothing, and as ``Archive.add_file``.
    """
    records = {
        model: {r: link.reference.manifest for r, link in read_chain(archive, model).items()}
        for model in archive.models()
    }
    if not any(records.values()):
        raise ConfigError(Problem(f"found no record in {archive.location!r}", hint="Give the folder of an archive."))
    statements = {
        f"{model}/{folder_of(record)}/{name}": sha256(archive.read(model, folder_of(record), name))
        for model, found in records.items()
        for record in found
        for name in archive.files(model, folder_of(record))
        if name.endswith(".json")
    }
    head = {"schema": 1, "signed_at": moment.isoformat(), "records": records, "statements": statements}
    content = (json.dumps(head, indent=2, sort_keys=True) + "\n").encode()
    signature = signature_of(content, key=key)
    name = f"{moment:%Y%m%dT%H%M%SZ}-{sha256(content)[:12]}.json"
    archive.add_file(FOLDER, f"{name}.sig", content=signature)
    archive.add_file(FOLDER, name, content=content)
    return f"{FOLDER}/{name}"


def check_heads(archive: Archive, *, allowed_signers: Path | None, kept: Path | None = None) -> HeadCheck:
    """Hold the archive against its signed heads, and against ``kept``, a copy of one (its ``.sig`` beside it)."""
    names = archive.files(FOLDER) if archive.exists(FOLDER) else []
    found = {
        name: (archive.read(FOLDER, name), archive.read(FOLDER, f"{name}.sig") if f"{name}.sig" in names else b"")
        for name in names
        if name.endswith(".json")
    }
    if kept is not None:
        found[str(kept)] = _kept(kept)
    faults: list[str] = []
    notes: list[str] = []
    vouched: dict[tuple[str, str], str] = {}
    for name, (content, signature) in found.items():
        read = _read(content)
        if read is None:
            faults.append(f"the head {name} cannot be read")
            continue
        records, statements, signed_at = read
        signer: str | None = None
        if not signature:
            faults.append(f"the head {name} has no signature")
        elif allowed_signers is None:
            notes.append(f"the signature of the head {name} was not checked: name an allowed-signers file")
        else:
            signer, fault = signer_of(content, signature, signed_at=signed_at, allowed_signers=allowed_signers)
            faults += [f"the signature of the head {name}: {fault}"] if fault else []
        found_faults, present = _missing(archive, name, records, statements)
        faults += found_faults
        if signer is not None:
            vouched |= dict.fromkeys(present, signer)
    said = {name for json_name in found for name in (json_name, f"{json_name}.sig")}
    faults += [f"{FOLDER}/{name} does not belong to the heads" for name in names if name not in said]
    return HeadCheck(tuple(faults), tuple(notes), vouched)


_Listed = tuple[list[tuple[str, str, str]], list[tuple[str, str]], str]


def _read(content: bytes) -> _Listed | None:
    """The records, the statements and the time of a head; None when it is none. Its names are looked up in the archive before its
    signature says anything, so they must be plain names."""
    try:
        head: dict[str, Any] = json.loads(content)
        records = [(m, r, str(digest)) for m, listed in head["records"].items() for r, digest in listed.items()]
        statements = [(str(path), str(digest)) for path, digest in head["statements"].items()]
        signed_at = str(head["signed_at"])
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    names = [name for model, record, _ in records for name in (model, record)]
    paths = [path.split("/") for path, _ in statements]
    plain = all(map(_is_plain, names)) and all(len(parts) == 3 and all(map(_is_plain, parts)) for parts in paths)
    return (records, statements, signed_at) if plain else None


def _is_plain(name: str) -> bool:
    return name.isprintable() and name != "" and not name.startswith(".") and not {"/", "\\"} & set(name)


def _kept(path: Path) -> tuple[bytes, bytes]:
    try:
        return path.read_bytes(), path.with_name(f"{path.name}.sig").read_bytes()
    except OSError as error:
        raise ConfigError(
            Problem(
                f"cannot read {error.filename!r}: {error.strerror}",
                key="--head",
                hint="Give a head that reporter seal wrote, with its .sig beside it.",
            )
        ) from None


def _missing(
    archive: Archive, head: str, records: list[tuple[str, str, str]], statements: list[tuple[str, str]]
) -> tuple[list[str], list[tuple[str, str]]]:
    """What is gone or changed, and the records that are there as the head lists them."""
    faults, present = [], []
    seals = archive.read_all([(model, record, SEAL) for model, record, _ in records])
    for (model, record, digest), seal in zip(records, seals, strict=True):
        if not seal:
            faults.append(f"{model}/{record} is listed in the head {head} but is gone")
        elif sha256(seal) != digest:
            faults.append(f"{model}/{record} is not the record that the head {head} lists")
        else:
            present.append((model, record))
    contents = archive.read_all([(path,) for path, _ in statements])
    for (path, digest), content in zip(statements, contents, strict=True):
        if sha256(content) != digest:
            faults.append(f"{path} is listed in the head {head} but is {'changed' if content else 'gone'}")
    return faults, present
