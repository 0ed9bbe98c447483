"""Report and files -> a sealed record that names its parents and holds all that is needed to recompute it.

A record's id is its time, its release and the first 12 hex digits of the SHA-256 of its ``tagmanifest-sha256.txt``, which covers every
byte in it, the parents' hashes in ``bag-info.txt`` included. Nothing here depends on how long anything took.
"""

from __future__ import annotations

import datetime
import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from reporter.archive.bag import MANIFEST, PAYLOAD, SEAL, listed, seal_bag, sha256
from reporter.archive.chain import CREATED, IDENTIFIER, PARENT, Chain, RecordRef, heads, read_chain, record_id
from reporter.archive.store import Archive, slug
from reporter.errors import DataError, OutputError, Problem
from reporter.results import Report

if TYPE_CHECKING:
    from reporter.data.counts import Counts

SALT = "Reporter-Salt"


def archive_record(
    archive: Archive,
    report: Report,
    *,
    counts: Counts,
    files: Mapping[str, bytes],
    log: str,
    now: datetime.datetime,
    baseline: bytes | None = None,
    salt: str = "",
) -> tuple[RecordRef, bool]:
    """Seal a record and put it into the archive: the record, and whether it is new.

    ``files`` are the outputs by name (``report.json``, ``card.html``, ...). ``log`` is what the run said, without times. ``baseline`` is the
    report.json that the run was compared with. ``salt``, kept in the record, makes its hash tell nothing of what is in it to those who
    cannot read it. The same record twice is one record: the second call returns it with False.

    Raises
    ------
    OutputError
        The archive cannot be read or written, or ``now`` lies before its last record of this model: nothing was added.
    """
    model = slug(report.card.name)
    payload = {**_payload(report, files, log, baseline), **_saved(counts)}
    try:
        chain = read_chain(archive, model)
        latest = heads(chain)
        known = _same_payload(archive, latest, payload)
        if known is not None:
            return known, False
        _check_clock(chain, now)
    except DataError as error:
        raise OutputError(*error.problems) from None
    created = datetime.datetime.fromisoformat(report.provenance.created).astimezone(datetime.UTC)
    info = [
        (CREATED, created.isoformat()),
        ("Bagging-Date", created.date().isoformat()),
        ("Bag-Software-Agent", f"reporter {report.provenance.reporter_version}"),
        (IDENTIFIER, f"{model} {slug(report.card.version)}"),
        *((PARENT, f"{reference.id} {reference.manifest}") for reference in latest),
        *([(SALT, salt)] if salt else []),
    ]
    bag = seal_bag(payload, info)
    manifest = sha256(bag[SEAL])
    reference = RecordRef(model, record_id(created, slug(report.card.version), manifest), manifest)
    return reference, archive.add_record(model, reference.id, bag)


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


def _saved(counts: Counts) -> dict[str, bytes]:
    try:
        with tempfile.TemporaryDirectory(prefix="reporter-counts-") as temporary:
            folder = Path(temporary)
            counts.save(folder)
            return {f"counts/{path.name}": path.read_bytes() for path in sorted(folder.iterdir())}
    except OSError as error:
        raise OutputError(
            Problem(f"cannot write the counts to a temporary folder: {error.strerror or error}", key="archive")
        ) from None


def _same_payload(archive: Archive, latest: list[RecordRef], payload: Mapping[str, bytes]) -> RecordRef | None:
    """The last record whose payload is this very one: running a release twice does not lengthen the history."""
    wanted = {f"{PAYLOAD}/{name}": sha256(content) for name, content in payload.items()}
    manifests = archive.read_all([(reference.model, reference.id, MANIFEST) for reference in latest])
    for reference, manifest in zip(latest, manifests, strict=True):
        if listed(manifest) == wanted:
            return reference
    return None


def _check_clock(chain: Chain, now: datetime.datetime) -> None:
    """A clock that runs behind the archive would put a record before those it follows."""
    dated = [(link.created, link.reference.id) for link in chain.values() if link.created is not None]
    if dated and max(dated)[0] > now:
        created, record = max(dated)
        raise OutputError(
            Problem(
                f"it is {now.isoformat()} by the clock, but the archive's last record {record} is of {created.isoformat()}",
                key="archive",
                hint="Nothing was added. Set the clock right (or SOURCE_DATE_EPOCH, if it is set) and run again.",
            )
        )
