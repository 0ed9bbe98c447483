"""Everything that somebody may do to an archive, one after the other: each is found, and what vouches for a record is named."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import bagit
import pytest

from reporter.archive.bag import SEAL, TAG_FILES
from reporter.archive.chain import RecordRef
from reporter.archive.store import Archive, open_archive
from reporter.archive.verify import Verification, verify_archive, verify_record

EVERY = 97
"""In payload files every so many bytes one is changed; in tag files every one."""


@pytest.fixture
def chain(archive: Archive, record: Any) -> tuple[Archive, list[RecordRef]]:
    """An archive of three releases."""
    return archive, [record(archive, f"1.{i}", day=30 * i, n_missed=2 + i) for i in range(3)]


def _folder(archive: Archive, record: RecordRef) -> Path:
    return Path(archive.path(record.model, record.id))


def _checked(archive: Archive, record: RecordRef) -> Verification:
    return verify_record(archive, record.model, record.id)


def _changes(path: Path, step: int) -> Iterator[bytes]:
    content = path.read_bytes()
    for i in {*range(0, len(content), step), len(content) - 1}:
        for mask in (0x01, 0x20):
            yield content[:i] + bytes([content[i] ^ mask]) + content[i + 1 :]


def test_untouched_records_are_intact_and_the_last_one_has_no_anchor(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    found = verify_archive(archive)
    assert [v.state for v in found.records] == ["verified", "verified", "intact, not anchored"]
    assert found.records[0].anchors == (f"its successor {records[1].id}",)
    assert "nothing from outside vouches for this archive: no checked signature, no expected hash" in found.notes


def test_every_changed_byte_of_every_tag_file_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    for name in (*TAG_FILES, SEAL):
        path = _folder(archive, records[1]) / name
        original = path.read_bytes()
        missed = []
        for changed in _changes(path, 1 if len(original) < 600 else 11):
            path.write_bytes(changed)
            if _checked(archive, records[1]).state != "not valid":
                missed.append(changed)
        path.write_bytes(original)
        assert missed == [], name
    assert _checked(archive, records[1]).state == "verified"


def test_a_changed_byte_of_every_payload_file_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    folder = _folder(archive, records[1])
    for path in sorted(path for path in (folder / "data").rglob("*") if path.is_file()):
        original = path.read_bytes()
        for changed in _changes(path, max(EVERY, len(original) // 10)):
            path.write_bytes(changed)
            faults = _checked(archive, records[1]).faults
            assert faults == (f"{path.relative_to(folder).as_posix()} was changed",)
        path.write_bytes(original)


def test_every_removed_file_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    folder = _folder(archive, records[1])
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        content = path.read_bytes()
        path.unlink()
        found = verify_archive(archive)
        assert not found.valid, path
        said = next(v for v in found.records if v.record.id == records[1].id)
        assert f"{path.relative_to(folder).as_posix()} is missing" in said.faults
        path.write_bytes(content)
    assert verify_archive(archive).valid


def test_every_renamed_file_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    folder = _folder(archive, records[1])
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        for name in (f"{path.name}.old", path.name.upper()):
            if name == path.name:
                continue
            path.rename(path.with_name(name))
            assert not verify_archive(archive).valid, name
            path.with_name(name).rename(path)
    assert verify_archive(archive).valid


@pytest.mark.parametrize("name", ["extra.txt", "data/extra.txt", "data/counts/extra.parquet", ".hidden", "fetch.txt", "manifest-md5.txt", "empty/", "data/empty/"])  # fmt: skip
def test_an_added_file_or_folder_is_found(chain: tuple[Archive, list[RecordRef]], name: str) -> None:
    archive, records = chain
    place = _folder(archive, records[1]) / name
    if name.endswith("/"):
        place.mkdir()
    else:
        place.write_text("more")
    (fault,) = _checked(archive, records[1]).faults
    assert name.rstrip("/") in fault


@pytest.mark.parametrize("target", ["/etc/hostname", "../report.json"])
def test_a_link_in_place_of_a_file_is_found(chain: tuple[Archive, list[RecordRef]], target: str) -> None:
    archive, records = chain
    path = _folder(archive, records[1]) / "data" / "run.log"
    path.unlink()
    path.symlink_to(target)
    assert _checked(archive, records[1]).faults == ("data/run.log is not a plain file",)


def test_an_edit_followed_by_the_bag_tools_own_save_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    folder = _folder(archive, records[2])
    (folder / "data" / "run.log").write_text("nothing to see")
    bag = bagit.Bag(str(folder))
    bag.save(manifests=True)
    assert bagit.Bag(str(folder)).is_valid()
    assert _checked(archive, records[2]).state == "not valid"


def test_a_removed_tag_manifest_is_found_although_the_record_is_no_longer_listed(
    chain: tuple[Archive, list[RecordRef]],
) -> None:
    archive, records = chain
    (_folder(archive, records[2]) / SEAL).unlink()
    assert records[2].id not in archive.records(records[2].model)
    found = verify_archive(archive)
    assert [(v.record.id, v.faults) for v in found.records if v.faults] == [(records[2].id, (f"{SEAL} is missing",))]
    assert _checked(archive, records[2]).state == "not valid"


def test_a_record_under_anothers_name_is_found(chain: tuple[Archive, list[RecordRef]], tmp_path: Path) -> None:
    archive, records = chain
    shutil.rmtree(_folder(archive, records[2]))
    shutil.copytree(_folder(archive, records[1]), _folder(archive, records[2]))
    assert "its name and folder are not those that it was sealed with" in _checked(archive, records[2]).faults


def test_two_records_that_changed_places_are_found(chain: tuple[Archive, list[RecordRef]], tmp_path: Path) -> None:
    archive, records = chain
    one, two = _folder(archive, records[0]), _folder(archive, records[1])
    one.rename(tmp_path / "away")
    two.rename(one)
    (tmp_path / "away").rename(two)
    found = verify_archive(archive)
    assert {v.record.id for v in found.records if v.state == "not valid"} >= {records[0].id, records[1].id}


def test_a_renamed_record_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    folder = _folder(archive, records[2])
    folder.rename(folder.with_name(folder.name.replace("-1.2-", "-1.9-")))
    assert not verify_archive(archive).valid
    renamed = folder.with_name(folder.name.replace("-1.2-", "-1.9-"))
    renamed.rename(folder.with_name("old"))
    found = verify_archive(archive)
    assert found.faults == ("Referral-model/old is not the name of a record",)


def test_a_record_in_another_models_folder_is_found(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    Path(archive.path("Other")).mkdir()
    shutil.copytree(_folder(archive, records[0]), Path(archive.path("Other", records[0].id)))
    found = [v for v in verify_archive(archive).records if v.record.model == "Other"]
    assert [v.faults for v in found] == [("its name and folder are not those that it was sealed with",)]


@pytest.mark.parametrize("gone", [0, 1])
def test_a_gap_in_the_chain_is_found(chain: tuple[Archive, list[RecordRef]], gone: int) -> None:
    archive, records = chain
    shutil.rmtree(_folder(archive, records[gone]))
    faults = {v.record.id: v.faults for v in verify_archive(archive).records if v.faults}
    assert faults == {records[gone + 1].id: (f"its parent {records[gone].id} is missing: there is a gap in the chain",)}


def test_a_record_that_was_made_anew_is_found_by_its_successor(
    chain: tuple[Archive, list[RecordRef]], record: Any, tmp_path: Path
) -> None:
    archive, records = chain
    other = open_archive(tmp_path / "other")
    record(other, "1.0", day=0, n_missed=2)
    forged = record(other, "1.1", day=30, n_missed=0)
    shutil.rmtree(_folder(archive, records[1]))
    shutil.copytree(_folder(other, forged), _folder(archive, forged))
    found = verify_archive(archive)
    assert next(v for v in found.records if v.record == forged).state == "intact, not anchored"
    assert next(v for v in found.records if v.record.id == records[2].id).state == "not valid"


def test_a_forged_successor_without_a_sound_seal_vouches_for_nothing(
    chain: tuple[Archive, list[RecordRef]], tmp_path: Path
) -> None:
    archive, records = chain
    folder = _folder(archive, records[2])
    forged = folder.with_name("20260601T000000Z-9.9-0123456789ab")
    shutil.copytree(folder, forged)
    info = (forged / "bag-info.txt").read_text()
    (forged / "bag-info.txt").write_text(f"{info}Reporter-Parent: {records[2].id} {records[2].manifest}\n")
    assert _checked(archive, records[2]).state == "intact, not anchored"


def test_a_whole_archive_made_anew_is_found_by_a_kept_hash_alone(
    chain: tuple[Archive, list[RecordRef]], record: Any, tmp_path: Path
) -> None:
    _, records = chain
    other = open_archive(tmp_path / "other")
    for i in range(3):
        forged = record(other, f"1.{i}", day=30 * i, n_missed=0)
    assert verify_archive(other).valid
    assert verify_record(other, forged.model, forged.id).state == "intact, not anchored"
    kept = records[2].manifest
    assert verify_record(other, forged.model, forged.id, expect=kept).state == "not valid"
    assert verify_archive(other, expect=[kept]).faults == (
        f"no record has the expected hash {kept}: it was changed or removed",
    )


def test_a_kept_hash_makes_the_last_record_verified(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    last = records[2]
    for expect in (last.manifest, last.manifest[:12], last.manifest.upper()):
        assert verify_record(archive, last.model, last.id, expect=expect).state == "verified"
    assert verify_record(archive, last.model, last.id, expect=last.manifest[:11]).state == "not valid"
    assert [v.state for v in verify_archive(archive, expect=[last.manifest]).records] == ["verified"] * 3


def test_a_tail_that_was_cut_off_is_found_by_a_kept_hash(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    shutil.rmtree(_folder(archive, records[2]))
    found = verify_archive(archive)
    assert found.valid
    assert found.records[-1].state == "intact, not anchored"
    assert not verify_archive(archive, expect=[records[2].manifest]).valid


@pytest.mark.needs("ssh-keygen")
def test_a_tail_that_was_cut_off_is_found_by_its_statements_and_by_a_signed_head(
    chain: tuple[Archive, list[RecordRef]], key: Callable[[str], Path], signers: Callable[..., Path], tmp_path: Path
) -> None:
    import datetime

    from reporter.archive.heads import sign_head

    archive, records = chain
    moment = datetime.datetime(2026, 6, 1, tzinfo=datetime.UTC)
    head = Path(archive.path(sign_head(archive, key=key("board"), moment=moment)))
    kept = tmp_path / "kept" / head.name
    shutil.copytree(head.parent, kept.parent)
    anchored = verify_archive(archive, allowed_signers=signers("board"))
    assert [v.state for v in anchored.records] == ["verified"] * 3
    assert "the archive's head signed by board@example.org" in anchored.records[2].anchors
    shutil.rmtree(_folder(archive, records[2]))
    assert (
        f"Referral-model/{records[2].id} is listed in the head {head.name} but is gone"
        in verify_archive(archive).faults
    )
    shutil.rmtree(head.parent)
    assert verify_archive(archive).valid
    assert not verify_archive(archive, allowed_signers=signers("board"), head=kept).valid
    foreign = verify_archive(archive, allowed_signers=signers("eve"), head=kept)
    assert any("its key is not among the allowed signers" in fault for fault in foreign.faults)
    kept.write_bytes(kept.read_bytes().replace(b"2026", b"2027", 1))
    assert any("does not fit" in f for f in verify_archive(archive, allowed_signers=signers("board"), head=kept).faults)


def test_files_of_nobody_in_the_archive_are_named(chain: tuple[Archive, list[RecordRef]]) -> None:
    archive, records = chain
    Path(archive.path(records[0].model, "notes.txt")).write_text("hello")
    Path(archive.path(records[0].model, "20260101T000000Z-9.9-0123456789ab.signoffs")).mkdir()
    Path(archive.path("README")).write_text("hello")
    found = verify_archive(archive)
    assert found.faults == (
        "Referral-model/20260101T000000Z-9.9-0123456789ab.signoffs holds statements about a record that is gone",
        "Referral-model/notes.txt is not the name of a record",
    )
    assert any(note.startswith("README is neither") for note in found.notes)
