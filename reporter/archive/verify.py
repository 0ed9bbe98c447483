"""Is a record what it was when it was sealed, and what vouches for that?

Integrity needs only the record. But whoever can rewrite a whole record can also rewrite its hashes, so "verified" needs an anchor outside it:
a signature, a successor that names its hash, or a hash that was kept elsewhere. Without one the answer is "intact, not anchored".
"""

from __future__ import annotations

import hashlib
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reporter.archive.heads import check_heads
from reporter.archive.record import RecordRef, parents, record_id
from reporter.archive.signoff import check_signoffs
from reporter.archive.store import RECORD_ID, SEAL, Archive
from reporter.errors import ReporterError

TAG_FILES = ("bag-info.txt", "bagit.txt", "manifest-sha256.txt")


@dataclass(frozen=True)
class Verification:
    """What was found of one record: faults (none: intact), anchors, and notes such as signatures that could not be checked."""

    record: RecordRef
    faults: tuple[str, ...]
    anchors: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def state(self) -> str:
        """ "not valid", "verified" or "intact, not anchored"."""
        if self.faults:
            return "not valid"
        return "verified" if self.anchors else "intact, not anchored"


Chain = Mapping[str, Sequence[tuple[str, str]]]


def verify_record(
    archive: Archive,
    model: str,
    record: str,
    *,
    expect: str | None = None,
    allowed_signers: Path | None = None,
    chain: Chain | None = None,
) -> Verification:
    """Check one record: its bag, its name, its place in the chain, its signatures, and ``expect`` (a kept hash or its beginning)."""
    faults: list[str] = []
    anchors: list[str] = []
    with archive.fetched(model, record) as folder:
        faults += _bag_faults(folder)
        seal = folder / SEAL
        manifest = hashlib.sha256(seal.read_bytes()).hexdigest() if seal.is_file() else ""
        faults += _name_faults(folder, record, manifest)
        bag_info = folder / "bag-info.txt"
        named = parents(bag_info.read_text("utf-8", "replace")) if bag_info.is_file() else []
    reference = RecordRef(model, record, manifest)
    faults += _parent_faults(archive, model, named)
    anchors += _successors(chain if chain is not None else read_chain(archive, model), reference)
    if expect is not None:
        if len(expect) >= 12 and manifest.startswith(expect.lower()):
            anchors.append(f"the expected hash {expect}")
        else:
            faults.append(f"the hash is {manifest or '(none)'}, expected {expect}")
    signed = check_signoffs(archive, reference, allowed_signers=allowed_signers)
    return Verification(reference, (*faults, *signed.faults), (*anchors, *signed.anchors), signed.notes)


def verify_archive(archive: Archive, *, allowed_signers: Path | None = None) -> tuple[list[Verification], list[str]]:
    """Check every record of every model, oldest first, and the signed heads: the records, and faults of the archive as a whole."""
    faults, vouched = check_heads(archive, allowed_signers=allowed_signers)
    found = []
    for model in archive.models():
        chain = read_chain(archive, model)
        for record in chain:
            checked = verify_record(archive, model, record, allowed_signers=allowed_signers, chain=chain)
            signer = vouched.get((model, record))
            anchors = (*checked.anchors, f"the archive's head signed by {signer}") if signer else checked.anchors
            found.append(replace(checked, anchors=anchors))
    return found, faults


def read_chain(archive: Archive, model: str) -> Chain:
    """Each record of a model with the parents that it names."""
    return {
        record: parents(archive.read(model, record, "bag-info.txt").decode("utf-8", "replace"))
        if archive.exists(model, record, "bag-info.txt")
        else []
        for record in archive.records(model)
    }


def _bag_faults(folder: Path) -> list[str]:
    """What BagIt itself does not look at (a removed tag manifest, an extra root file, other manifests), then all that it does."""
    import bagit

    logging.getLogger("bagit").setLevel(logging.CRITICAL)
    faults = [f"{name} is missing" for name in (*TAG_FILES, SEAL) if not (folder / name).is_file()]
    allowed = {*TAG_FILES, SEAL, "data"}
    faults += [
        f"{path.name} does not belong to the record" for path in sorted(folder.iterdir()) if path.name not in allowed
    ]
    faults += [f"{path.relative_to(folder)} is a link" for path in sorted(folder.rglob("*")) if path.is_symlink()]
    if faults:
        return faults
    listed = [line.split(None, 1)[-1] for line in (folder / SEAL).read_text("utf-8", "replace").splitlines()]
    if sorted(listed) != sorted(TAG_FILES):
        faults.append(f"{SEAL} lists {', '.join(sorted(listed))}, expected {', '.join(TAG_FILES)}")
    try:
        bagit.Bag(str(folder)).validate(processes=1)
    except bagit.BagValidationError as error:
        faults += [str(detail) for detail in error.details] or [str(error)]
    except (bagit.BagError, OSError, UnicodeError, ValueError) as error:
        faults.append(f"cannot be read as a bag: {error}")
    return faults


def _name_faults(folder: Path, record: str, manifest: str) -> list[str]:
    from reporter.render.as_json import read_report

    if not RECORD_ID.match(record) or not manifest:
        return [f"{record} is not the name of a record"]
    try:
        wanted = record_id(read_report(folder / "data" / "report.json"), manifest)
    except (ReporterError, OSError, ValueError) as error:
        return [f"report.json cannot be read: {error}"]
    return [] if record == wanted else [f"the record is named {record}, but its content is that of {wanted}"]


def _parent_faults(archive: Archive, model: str, named: Sequence[tuple[str, str]]) -> list[str]:
    faults = []
    for parent, digest in named:
        if not archive.exists(model, parent, SEAL):
            faults.append(f"its parent {parent} is missing: there is a gap in the chain")
        elif hashlib.sha256(archive.read(model, parent, SEAL)).hexdigest() != digest:
            faults.append(f"its parent {parent} is not the one it was sealed after")
    return faults


def _successors(chain: Chain, reference: RecordRef) -> list[str]:
    named = (reference.id, reference.manifest)
    return [f"its successor {other}" for other, parents_of in chain.items() if named in parents_of]


def split_location(location: str) -> tuple[str, str, str] | None:
    """(archive, model, record) of a path or URL that ends like a record, else None.

    Examples
    --------
    >>> split_location("/a/referral/20260101T000000Z-1.0-0123456789ab")
    ('/a', 'referral', '20260101T000000Z-1.0-0123456789ab')
    """
    found = re.match(r"^(.*?)/?([^/]+)/([^/]+)/?$", location)
    if found is None or not RECORD_ID.match(found.group(3)):
        return None
    return found.group(1) or "/", found.group(2), found.group(3)
