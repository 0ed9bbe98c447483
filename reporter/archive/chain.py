"""What the tag files of records say: when, which release, after which records. Read without opening any report.

A tag file counts only where the record's seal covers it and the seal fits the record's name; else the record says nothing here and
``verify`` says what is wrong with it.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from reporter.archive.bag import INFO, SEAL, information, listed, sha256
from reporter.archive.store import RECORD_ID, Archive

PARENT = "Reporter-Parent"
CREATED = "Reporter-Created"
IDENTIFIER = "External-Identifier"


@dataclass(frozen=True)
class RecordRef:
    """A record in an archive: the model's folder, the record's id and the SHA-256 of its tag manifest."""

    model: str
    id: str
    manifest: str


@dataclass(frozen=True)
class Link:
    """A record with what it was sealed with. ``sound``: its name, seal and ``bag-info.txt`` fit each other."""

    reference: RecordRef
    created: datetime.datetime | None
    release: str
    parents: tuple[tuple[str, str], ...]
    sound: bool


Chain = Mapping[str, Link]


def read_chain(archive: Archive, model: str) -> dict[str, Link]:
    """Every record of a model with its link, parents before children as far as that is so, else oldest first."""
    records = archive.records(model)
    return _in_order({link.reference.id: link for link in _links(archive, model, records)})


def read_link(archive: Archive, model: str, record: str) -> Link:
    """The link of one record."""
    return _links(archive, model, [record])[0]


def make_link(model: str, record: str, seal: bytes, info: bytes) -> Link:
    """What these tag files say of the record of this name."""
    manifest = sha256(seal)
    said = information(info)
    values = dict(said)
    folder, _, release = values.get(IDENTIFIER, "").partition(" ")
    created = _moment(values.get(CREATED, ""))
    parents = tuple(
        (a, b) for key, value in said if key == PARENT for a, _, b in [value.partition(" ")] if RECORD_ID.match(a)
    )
    sound = (
        created is not None
        and record == record_id(created, release, manifest)
        and folder == model
        and (listed(seal) or {}).get(INFO) == sha256(info)
        and len(parents) == sum(key == PARENT for key, _ in said)
    )
    return Link(RecordRef(model, record, manifest), created, release, parents if sound else (), sound)


def record_id(created: datetime.datetime, release: str, manifest: str) -> str:
    """The id of a record of a release (a slug) whose tag manifest has this SHA-256."""
    return f"{created.astimezone(datetime.UTC):%Y%m%dT%H%M%SZ}-{release}-{manifest[:12]}"


def heads(chain: Chain) -> list[RecordRef]:
    """The records that no other names as its parent, in order. More than one: the history forked."""
    named = {parent for link in chain.values() for parent in link.parents}
    return [link.reference for link in chain.values() if (link.reference.id, link.reference.manifest) not in named]


def successors(chain: Chain) -> dict[str, list[str]]:
    """Of each record those that name it, by its full hash, as their parent."""
    found: dict[str, list[str]] = {record: [] for record in chain}
    for record, link in chain.items():
        for parent, manifest in link.parents:
            if parent in chain and chain[parent].reference.manifest == manifest:
                found[parent].append(record)
    return found


def forks(chain: Chain) -> list[str]:
    """Where the history is not one line, in words: records with several successors, several first records."""
    after = successors(chain)
    said = [f"the history forks after {one}: {', '.join(others)}" for one, others in after.items() if len(others) > 1]
    first = [record for record, link in chain.items() if link.sound and not link.parents]
    if len(first) > 1:
        said.append(f"the history has {len(first)} first records: {', '.join(first)}")
    return said


def _links(archive: Archive, model: str, records: Sequence[str]) -> list[Link]:
    contents = archive.read_all([(model, record, name) for record in records for name in (SEAL, INFO)])
    return [make_link(model, r, contents[2 * i], contents[2 * i + 1]) for i, r in enumerate(records)]


def _moment(text: str) -> datetime.datetime | None:
    if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00", text):
        return None
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _in_order(chain: dict[str, Link]) -> dict[str, Link]:
    """Parents first: a run that started earlier but ended later follows the one that was there when it was sealed."""
    placed: dict[str, Link] = {}
    waiting = list(chain)
    while waiting:
        left = []
        for record in waiting:
            if all(parent in placed or parent not in chain for parent, _ in chain[record].parents):
                placed[record] = chain[record]
            else:
                left.append(record)
        if len(left) == len(waiting):
            return placed | {record: chain[record] for record in left}
        waiting = left
    return placed
