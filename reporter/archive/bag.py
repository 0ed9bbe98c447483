"""The layout of a record: a BagIt bag (RFC 8493) whose every byte is fixed, and what is wrong with one that is not so.

Stricter than BagIt asks: exactly these four tag files, one algorithm, sorted lines, nothing beside them. Files come in as names with
hashes, so that the same check serves a folder and an object store. Knows nothing of reports or archives.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

SEAL = "tagmanifest-sha256.txt"
MANIFEST = "manifest-sha256.txt"
INFO = "bag-info.txt"
DECLARATION = "bagit.txt"
TAG_FILES = (INFO, DECLARATION, MANIFEST)
PAYLOAD = "data"

DECLARED = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n"
NOT_A_FILE = "not a file"
"""Stands for the hash of a link, an empty folder or anything else that is no plain file."""


def seal_bag(payload: Mapping[str, bytes], info: Sequence[tuple[str, str]]) -> dict[str, bytes]:
    """All files of the bag that holds ``payload`` (names without ``data/``) and says ``info``; the seal is last.

    Examples
    --------
    >>> bag = seal_bag({"a.txt": b"a"}, [("Bagging-Date", "2026-01-01")])
    >>> list(bag), bag_faults({name: sha256(content) for name, content in bag.items()}, bag)
    (['data/a.txt', 'bag-info.txt', 'bagit.txt', 'manifest-sha256.txt', 'tagmanifest-sha256.txt'], [])
    """
    files = {f"{PAYLOAD}/{name}": payload[name] for name in sorted(payload)}
    lines = sorted([*info, ("Payload-Oxum", _oxum(len(content) for content in files.values()))])
    tags = {
        INFO: "".join(f"{key}: {' '.join(value.split())}\n" for key, value in lines).encode(),
        DECLARATION: DECLARED,
        MANIFEST: _manifest({name: sha256(content) for name, content in files.items()}),
    }
    return {**files, **tags, SEAL: _manifest({name: sha256(content) for name, content in tags.items()})}


def bag_faults(digests: Mapping[str, str], tags: Mapping[str, bytes]) -> list[str]:
    """What is wrong with a bag whose files have these SHA-256 and whose tag files these bytes. Empty: it is intact."""
    faults = [f"{name} is missing" for name in (*TAG_FILES, SEAL) if name not in digests]
    faults += [
        f"{name} does not belong to the record"
        for name in sorted(digests)
        if name not in (*TAG_FILES, SEAL) and not name.startswith(f"{PAYLOAD}/")
    ]
    inside = (name for name in sorted(digests) if name in TAG_FILES or name == SEAL or name.startswith(f"{PAYLOAD}/"))
    faults += [f"{name} is not a plain file" for name in inside if digests[name] == NOT_A_FILE]
    if faults:
        return faults
    faults += _compared({name: digests[name] for name in TAG_FILES}, tags[SEAL], SEAL)
    if tags[DECLARATION] != DECLARED:
        faults.append(f"{DECLARATION} is not that of a record")
    payload = {name: digest for name, digest in digests.items() if name.startswith(f"{PAYLOAD}/")}
    return faults + _compared(payload, tags[MANIFEST], MANIFEST)


def information(content: bytes) -> list[tuple[str, str]]:
    """The lines of a ``bag-info.txt`` as (key, value); lines of another form are left out.

    Examples
    --------
    >>> information(b"Reporter-Parent: a b\\nnonsense\\n")
    [('Reporter-Parent', 'a b')]
    """
    return re.findall(r"^([A-Za-z-]+): (.*)$", content.decode("utf-8", "replace"), re.MULTILINE)


def listed(manifest: bytes) -> dict[str, str] | None:
    """The names and hashes of a manifest, or None when it is not one as ``seal_bag`` writes it, byte for byte."""
    found = {
        name: digest
        for digest, name in re.findall(r"^([0-9a-f]{64})  (.+)$", manifest.decode("utf-8", "replace"), re.MULTILINE)
    }
    return found if _manifest(found) == manifest else None


def sha256(content: bytes) -> str:
    """The SHA-256 in hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def write_bag(folder: Path, bag: Mapping[str, bytes]) -> None:
    """Write the files of a bag below ``folder``."""
    for name, content in bag.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _manifest(digests: Mapping[str, str]) -> bytes:
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def _oxum(sizes: Iterator[int]) -> str:
    found = list(sizes)
    return f"{sum(found)}.{len(found)}"


def _compared(digests: Mapping[str, str], manifest: bytes, name: str) -> list[str]:
    wanted = listed(manifest)
    if wanted is None:
        return [f"{name} is not a manifest of a record"]
    return [
        *(f"{file} is missing" for file in sorted(wanted.keys() - digests.keys())),
        *(f"{file} was added" for file in sorted(digests.keys() - wanted.keys())),
        *(f"{file} was changed" for file in sorted(digests) if wanted.get(file, digests[file]) != digests[file]),
    ]
