"""Is a record what it was when it was sealed, and what vouches for that?

Integrity needs only the record. But whoever can rewrite a whole record can also rewrite its hashes, so "verified" needs an anchor outside it:
a signature, a successor that names its hash, a signed list of all records, or a hash that was kept elsewhere. Without one the answer is
"intact, not anchored".
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from reporter.archive.bag import INFO, NOT_A_FILE, SEAL, TAG_FILES, bag_faults, sha256
from reporter.archive.chain import Chain, RecordRef, forks, make_link, read_chain, successors
from reporter.archive.heads import FOLDER, check_heads
from reporter.archive.local_files import INCOMING
from reporter.archive.signatures import check_allowed_signers
from reporter.archive.signoff import NO_SIGNOFFS, SignoffCheck, check_signoffs, folder_of
from reporter.archive.store import RECORD_ID, SIGNOFFS, Archive

SHORTEST_EXPECTED = 12
NOTHING_OUTSIDE = "only records of this archive vouch for it, which whoever can write there can make anew"


@dataclass(frozen=True)
class Verification:
    """What was found of one record: faults (none: intact), anchors, and notes such as signatures that could not be checked."""

    record: RecordRef
    faults: tuple[str, ...]
    anchors: tuple[str, ...]
    notes: tuple[str, ...] = ()
    signed: SignoffCheck = NO_SIGNOFFS

    @property
    def state(self) -> str:
        """ "not valid", "verified" or "intact, not anchored"."""
        if self.faults:
            return "not valid"
        return "verified" if self.anchors else "intact, not anchored"


@dataclass(frozen=True)
class ArchiveVerification:
    """What was found of a whole archive: its records, and what concerns no single one of them."""

    records: tuple[Verification, ...]
    faults: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def valid(self) -> bool:
        """Whether nothing is wrong with any record nor with the archive."""
        return not self.faults and all(v.state != "not valid" for v in self.records)


def verify_record(
    archive: Archive,
    model: str,
    record: str,
    *,
    expect: str | None = None,
    allowed_signers: Path | None = None,
) -> Verification:
    """Check one record: its bag, its name, its place in the chain, its signatures, and ``expect`` (a kept hash or its beginning).

    Raises ConfigError when the allowed-signers file cannot be used, OutputError without ssh-keygen, DataError when the archive cannot be read.
    """
    if allowed_signers is not None:
        check_allowed_signers(allowed_signers)
    chain = read_chain(archive, model)
    names = [folder_of(record)] if archive.exists(model, folder_of(record)) else []
    found = _verified(archive, model, record, chain, successors(chain), names, allowed_signers)
    found = found if expect is None else _expected(found, expect)
    alone = found.anchors and not _from_outside(found.anchors)
    return replace(found, notes=(*found.notes, NOTHING_OUTSIDE)) if alone else found


def verify_archive(
    archive: Archive, *, allowed_signers: Path | None = None, expect: Sequence[str] = (), head: Path | None = None
) -> ArchiveVerification:
    """Check every record of every model, oldest first, what lies beside them, and the signed heads.

    Each hash of ``expect`` must be that of a record; ``head`` is a kept copy of a signed head. Raises as :func:`verify_record`.
    """
    if allowed_signers is not None:
        check_allowed_signers(allowed_signers)
    heads = check_heads(archive, allowed_signers=allowed_signers, kept=head)
    faults, notes = list(heads.faults), list(heads.notes)
    found: list[Verification] = []
    models = archive.models()
    chains: dict[str, Chain] = {}
    notes += [
        f"{name} is neither a model's folder nor of use here"
        for name in archive.names()
        if name not in (*models, FOLDER)
    ]
    for model in models:
        names = archive.names(model)
        chain = chains[model] = read_chain(archive, model)
        after = successors(chain)
        more_faults, more_notes = _beside(archive, model, names, chain)
        faults += more_faults
        notes += [*more_notes, *(f"{model}: {fork}" for fork in forks(chain))]
        for record in (*chain, *_without_seal(archive, names, chain)):
            checked = _verified(archive, model, record, chain, after, names, allowed_signers)
            signer = heads.vouched.get((model, record))
            anchors = (*checked.anchors, f"the archive's head signed by {signer}") if signer else checked.anchors
            found.append(replace(checked, anchors=anchors))
    for wanted in expect:
        hits = [i for i, one in enumerate(found) if _fits(one.record.manifest, wanted)]
        if not hits:
            faults.append(f"no record has the expected hash {wanted}: it was changed or removed")
        for i in hits:
            found[i] = _expected(found[i], wanted)
    if found and not any(_from_outside(v.anchors) for v in found):
        notes.append("nothing from outside vouches for this archive: no checked signature, no expected hash")
    else:
        notes += _unwitnessed(chains, found)
    return ArchiveVerification(tuple(found), tuple(faults), tuple(notes))


def _unwitnessed(chains: Mapping[str, Chain], found: Sequence[Verification]) -> list[str]:
    """Records that only a successor vouches for, where no witness from outside stands behind the successor either."""
    wanted = {(v.record.model, v.record.id) for v in found if _from_outside(v.anchors) and not v.faults}
    parents = {
        (model, record): [(model, parent) for parent, _ in link.parents]
        for model, chain in chains.items()
        for record, link in chain.items()
    }
    waiting = list(wanted)
    while waiting:
        new = [parent for parent in parents.get(waiting.pop(), ()) if parent not in wanted]
        wanted.update(new)
        waiting += new
    return [
        f"{v.record.model}/{v.record.id}: {NOTHING_OUTSIDE}"
        for v in found
        if v.state == "verified" and (v.record.model, v.record.id) not in wanted
    ]


def bag_faults_of(archive: Archive, model: str, record: str) -> list[str]:
    """What is wrong with the record's bag alone."""
    return _bag(archive, model, record)[0]


def _verified(
    archive: Archive,
    model: str,
    record: str,
    chain: Chain,
    after: Mapping[str, Sequence[str]],
    names: Sequence[str],
    allowed_signers: Path | None,
) -> Verification:
    faults, tags = _bag(archive, model, record)
    seal = tags.get(SEAL, b"")
    link = make_link(model, record, seal, tags.get(INFO, b""))
    reference = link.reference if seal else RecordRef(model, record, "")
    if not link.sound and not faults:
        faults.append("its name and folder are not those that it was sealed with")
    faults += _parent_faults(link.parents, chain)
    signed = NO_SIGNOFFS
    if folder_of(record) in names:
        signed = check_signoffs(archive, reference, created=link.created, allowed_signers=allowed_signers)
    anchors = [f"its successor {other}" for other in after.get(record, ())]
    notes = [*signed.notes, *_clock_notes(link.parents, chain, record)]
    return Verification(reference, (*faults, *signed.faults), (*anchors, *signed.anchors), tuple(notes), signed)


def _bag(archive: Archive, model: str, record: str) -> tuple[list[str], dict[str, bytes]]:
    linked = [name for name, place in ((model, (model,)), (record, (model, record))) if archive.is_link(*place)]
    digests = archive.digests(model, record)
    present = [name for name in (*TAG_FILES, SEAL) if digests.get(name, NOT_A_FILE) != NOT_A_FILE]
    tags = dict(zip(present, archive.read_all([(model, record, name) for name in present]), strict=True))
    faults = [f"{name} is a link: what it leads to can be another record tomorrow" for name in linked]
    faults += bag_faults(digests, tags)
    # Read twice, once to hash and once to parse: a file that changed in between is a fault too.
    faults += [f"{name} changes while it is read" for name in present if sha256(tags[name]) != digests[name]]
    return faults, tags


def _parent_faults(parents: Sequence[tuple[str, str]], chain: Chain) -> list[str]:
    faults = []
    for parent, digest in parents:
        if parent not in chain:
            faults.append(f"its parent {parent} is missing: there is a gap in the chain")
        elif chain[parent].reference.manifest != digest:
            faults.append(f"its parent {parent} is not the one it was sealed after")
    return faults


def _clock_notes(parents: Sequence[tuple[str, str]], chain: Chain, record: str) -> list[str]:
    mine = chain[record].created if record in chain else None
    dates = [(parent, chain[parent].created) for parent, _ in parents if parent in chain]
    return [
        f"it was sealed after {parent}, although its run began before that one's"
        for parent, date in dates
        if mine is not None and date is not None and mine < date
    ]


def _without_seal(archive: Archive, names: Sequence[str], chain: Chain) -> list[str]:
    """On a file system a record appears whole, so one without its seal was tampered with."""
    return [name for name in names if archive.local and RECORD_ID.match(name) and name not in chain]


def _beside(archive: Archive, model: str, names: Sequence[str], chain: Chain) -> tuple[list[str], list[str]]:
    """Faults and notes about what lies among the records of a model and is none."""
    faults: list[str] = []
    notes: list[str] = []
    for name in names:
        if name.startswith(INCOMING):
            notes.append(f"{model}/{name} was left by a run that was cut off; it may be removed")
        elif name.endswith(SIGNOFFS):
            if name.removesuffix(SIGNOFFS) not in chain:
                faults.append(f"{model}/{name} holds statements about a record that is gone")
        elif not RECORD_ID.match(name):
            faults.append(f"{model}/{name} is not the name of a record")
        elif name not in chain and not archive.local:
            notes.append(f"{model}/{name} has no seal: its upload was cut off, or {SEAL} was removed")
    return faults, notes


def _expected(found: Verification, expect: str) -> Verification:
    if _fits(found.record.manifest, expect):
        return replace(found, anchors=(*found.anchors, f"the expected hash {expect}"))
    if len(expect) < SHORTEST_EXPECTED:
        fault = f"the expected hash {expect!r} is too short: give at least {SHORTEST_EXPECTED} digits"
    else:
        fault = f"the hash is {found.record.manifest or '(none)'}, expected {expect}"
    return replace(found, faults=(*found.faults, fault))


def _fits(manifest: str, expect: str) -> bool:
    return len(expect) >= SHORTEST_EXPECTED and manifest.startswith(expect.lower())


def _from_outside(anchors: Sequence[str]) -> bool:
    return any(not anchor.startswith("its successor ") for anchor in anchors)


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


def mistaken_for_archive(archive: Archive) -> tuple[str, str] | None:
    """What a location without records is instead, and which path to give: a model's folder, or something of one record."""
    steps = archive.shown_path().rstrip("/").split("/")
    for i, step in enumerate(steps):
        if RECORD_ID.match(step.removesuffix(SIGNOFFS)) and i > 1:
            record = "/".join((*steps[:i], step.removesuffix(SIGNOFFS)))
            what = "it holds the statements about a record" if step.endswith(SIGNOFFS) else "it lies inside a record"
            return (what, f"Give the record: {record}") if not _has_records(archive) else None
    records = [name for name in archive.names() if RECORD_ID.match(name)]
    if not records or _has_records(archive):
        return None
    return (
        "it is the folder of one model",
        f"Give the archive, {'/'.join(steps[:-1])}, or a record, such as {'/'.join((*steps, records[-1]))}",
    )


def _has_records(archive: Archive) -> bool:
    return any(archive.records(model) for model in archive.models())
