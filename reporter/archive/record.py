"""Report and files -> a sealed record: a BagIt bag that names its parents and holds all that is needed to recompute it.

A record's id is its time, its release and the first 12 hex digits of the SHA-256 of its ``tagmanifest-sha256.txt``, which covers every
byte in it, the parents' hashes in ``bag-info.txt`` included. Nothing here depends on how long anything took.
"""

from __future__ import annotations

import datetime
import hashlib
import json
import logging
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from reporter.archive.store import SEAL, Archive, slug
from reporter.results import Report

if TYPE_CHECKING:
    from reporter.data.counts import Counts

PARENT = "Reporter-Parent"
PAYLOAD = "data"


@dataclass(frozen=True)
class RecordRef:
    """A record in an archive: the model's folder, the record's id and the SHA-256 of its tag manifest."""

    model: str
    id: str
    manifest: str


def archive_record(
    archive: Archive,
    report: Report,
    *,
    counts: Counts,
    files: Mapping[str, bytes],
    log: str,
    baseline: bytes | None = None,
) -> tuple[RecordRef, bool]:
    """Seal a record and put it into the archive: the record, and whether it is new.

    ``files`` are the outputs by name (``report.json``, ``card.html``, ...). ``log`` is what the run said, without times. ``baseline`` is the
    report.json that the run was compared with. The same record twice is one record: the second call returns it with False.
    """
    model = slug(report.card.name)
    with tempfile.TemporaryDirectory(prefix="reporter-record-") as temporary:
        folder = Path(temporary) / "bag"
        folder.mkdir()
        for name, content in _payload(report, files, log, baseline).items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        counts.save(folder / "counts")
        known = _same_payload(archive, model, report, folder)
        if known is not None:
            return known, False
        reference = _seal(folder, report, model, heads(archive, model))
        return reference, archive.add_record(model, reference.id, folder)


def heads(archive: Archive, model: str) -> list[RecordRef]:
    """The records of a model that no other record names as its parent. More than one: the history forked."""
    found = {record: record_reference(archive, model, record) for record in archive.records(model)}
    named = {parent for record in found for parent, _ in parents(archive.read(model, record, "bag-info.txt").decode())}
    return [reference for record, reference in found.items() if record not in named]


def record_reference(archive: Archive, model: str, record: str) -> RecordRef:
    """The reference of a stored record, hashed from its tag manifest."""
    return RecordRef(model, record, hashlib.sha256(archive.read(model, record, SEAL)).hexdigest())


def parents(bag_info: str) -> list[tuple[str, str]]:
    """The parents that a ``bag-info.txt`` names, as (id, SHA-256 of the tag manifest).

    Examples
    --------
    >>> parents("Reporter-Parent: 20260101T000000Z-1.0-0123456789ab " + "0" * 64)[0][0]
    '20260101T000000Z-1.0-0123456789ab'
    """
    return [(a, b) for a, b in re.findall(rf"^{PARENT}: (\S+) ([0-9a-f]{{64}})$", bag_info, re.MULTILINE)]


def record_id(report: Report, manifest: str) -> str:
    """The id of a record of ``report`` whose tag manifest has this SHA-256."""
    moment = datetime.datetime.fromisoformat(report.provenance.created).astimezone(datetime.UTC)
    return f"{moment:%Y%m%dT%H%M%SZ}-{slug(report.card.version)}-{manifest[:12]}"


def _payload(report: Report, files: Mapping[str, bytes], log: str, baseline: bytes | None) -> dict[str, bytes]:
    provenance = report.provenance
    environment = {"python": provenance.python, "packages": provenance.packages, "inputs": list(provenance.inputs)}
    payload = {name: content for name, content in files.items() if not name.startswith("tables/")}
    payload["report.json"] = report.to_json().encode()
    payload["config.yaml"] = provenance.config_text.encode()
    payload["config.json"] = _json(provenance.config)
    payload["environment.json"] = _json(environment)
    payload["run.log"] = log.encode()
    if baseline is not None:
        payload["baseline.json"] = baseline
    return payload


def _json(value: object) -> bytes:
    return (json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n").encode()


def _same_payload(archive: Archive, model: str, report: Report, folder: Path) -> RecordRef | None:
    """The head of the archive whose payload is this very one: running a release twice does not lengthen the history."""
    wanted = {
        f"{PAYLOAD}/{path.relative_to(folder).as_posix()}": hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }
    for reference in heads(archive, model):
        manifest = archive.read(model, reference.id, "manifest-sha256.txt").decode()
        lines = (line.split("  ", 1) for line in manifest.splitlines() if "  " in line)
        if {name: digest for digest, name in lines} == wanted:
            return reference
    return None


def _seal(folder: Path, report: Report, model: str, after: list[RecordRef]) -> RecordRef:
    """Turn the folder into a bag in place and name it."""
    import bagit

    logging.getLogger("bagit").setLevel(logging.ERROR)
    created = datetime.datetime.fromisoformat(report.provenance.created)
    info: dict[str, str | list[str]] = {
        "Bagging-Date": created.date().isoformat(),
        "Bag-Software-Agent": f"reporter {report.provenance.reporter_version}",
        "External-Identifier": f"{model} {slug(report.card.version)}",
    }
    if after:
        info[PARENT] = [f"{reference.id} {reference.manifest}" for reference in sorted(after, key=lambda r: r.id)]
    bagit.make_bag(str(folder), bag_info=info, processes=1, checksums=["sha256"])
    manifest = hashlib.sha256((folder / SEAL).read_bytes()).hexdigest()
    return RecordRef(model, record_id(report, manifest), manifest)
