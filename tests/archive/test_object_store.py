"""An archive in an S3-compatible store: a real server on loopback, real conditional puts."""

from __future__ import annotations

import datetime
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from reporter.archive.bag import SEAL
from reporter.archive.chain import heads, read_chain, read_link
from reporter.archive.record import archive_record
from reporter.archive.store import Archive, open_archive
from reporter.archive.verify import verify_archive, verify_record
from reporter.errors import DataError, OutputError

pytestmark = [
    pytest.mark.needs("moto", "s3fs"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

DAY = datetime.datetime(2026, 1, 15, 9, 0, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of the store."""
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    running = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def store(server: str, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Archive:
    """An empty archive in a bucket of its own."""
    import s3fs

    values = {"AWS_ENDPOINT_URL": server, "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}  # fmt: skip
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    archive = open_archive(f"s3://bucket-{abs(hash(request.node.name)) % 10**8}/models")
    archive.filesystem.mkdir(archive.root.split("/")[0])
    return archive


def _add(archive: Archive, done: Any, day: float = 0) -> Any:
    now = DAY + datetime.timedelta(days=day)
    return archive_record(archive, done.report, counts=done.counts, files={}, log="log\n", now=now)


def test_releases_are_chained_verified_and_listed(store: Archive, evaluated: Any) -> None:
    first, _ = _add(store, evaluated("1.0"))
    second, new = _add(store, evaluated("1.1", day=1), 1)
    assert new
    assert read_link(store, second.model, second.id).parents == ((first.id, first.manifest),)
    found = verify_archive(store)
    assert [(v.record, v.state) for v in found.records] == [(first, "verified"), (second, "intact, not anchored")]
    assert store.models() == ["Referral-model"]
    assert _add(store, evaluated("1.1", day=1), 1) == (second, False)


def test_a_put_over_an_existing_file_is_refused_by_the_store_itself(store: Archive) -> None:
    store.add_file("m", "r.signoffs", "a.json", content=b"one")
    with pytest.raises(OutputError, match="refused to overwrite"):
        store.add_file("m", "r.signoffs", "a.json", content=b"two")
    assert store.read("m", "r.signoffs", "a.json") == b"one"


def test_of_writers_of_one_file_at_once_exactly_one_wins(store: Archive) -> None:
    start = threading.Barrier(6)
    outcomes: list[str] = []

    def write(number: int) -> None:
        start.wait()
        try:
            store.add_file("m", "race.json", content=str(number).encode())
            outcomes.append(str(number))
        except OutputError:
            outcomes.append("refused")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (winner,) = [outcome for outcome in outcomes if outcome != "refused"]
    assert store.read("m", "race.json").decode() == winner


def test_writers_at_once_lose_nothing(store: Archive, evaluated: Any) -> None:
    runs = [evaluated(f"1.{i}", n_missed=i) for i in range(4)]
    threads = [threading.Thread(target=_add, args=(store, done)) for done in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = verify_archive(store)
    assert found.valid
    assert len(found.records) == 4
    ends = {reference.id for reference in heads(read_chain(store, "Referral-model"))}
    last, _ = _add(store, evaluated("2.0", day=1), 1)
    assert {parent for parent, _ in read_link(store, last.model, last.id).parents} == ends


def test_an_upload_that_was_cut_off_is_no_record_and_can_be_repeated(
    store: Archive, evaluated: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = evaluated("1.0")
    put = Archive._put_new

    def cut(self: Archive, path: str, content: bytes) -> None:
        if path.endswith(SEAL):
            raise OSError(5, "the connection was lost")
        put(self, path, content)

    monkeypatch.setattr(Archive, "_put_new", cut)
    with pytest.raises(OutputError, match="the connection was lost"):
        _add(store, done)
    assert store.records("Referral-model") == []
    found = verify_archive(store)
    assert found.records == ()
    assert "has no seal" in found.notes[0]
    monkeypatch.setattr(Archive, "_put_new", put)
    made, new = _add(store, done)
    assert new
    assert verify_record(store, made.model, made.id).faults == ()


@pytest.mark.parametrize("name", ["data/report.json", "bag-info.txt", SEAL])
def test_a_changed_object_is_found(store: Archive, evaluated: Any, name: str) -> None:
    made, _ = _add(store, evaluated("1.0"))
    content = store.read(made.model, made.id, name)
    store.filesystem.pipe_file(store.path(made.model, made.id, name), content[:-2] + b"x" + content[-1:])
    assert verify_record(store, made.model, made.id).state == "not valid"


def test_a_name_that_leads_out_of_the_record_is_refused(store: Archive, evaluated: Any) -> None:
    made, _ = _add(store, evaluated("1.0"))
    store.filesystem.pipe_file(store.path(made.model, made.id, "data/../../evil"), b"x")
    with pytest.raises(DataError, match="evil"), store.fetched(made.model, made.id):
        pass
    assert verify_record(store, made.model, made.id).state == "not valid"


def test_the_command_archives_verifies_replays_and_signs(
    store: Archive, reporter: Any, release: Any, tmp_path: Any, key: Any, signers: Any
) -> None:
    made = reporter("run", release("1.0"), "--archive", store.location)
    assert made.returncode == 0, made.stderr
    (place,) = [line for line in made.stdout.splitlines() if "Referral-model/" in line]
    record = f"s3://{place.removeprefix('s3://')}"
    verified = reporter("verify", record)
    assert (verified.returncode, verified.stdout.split(":")[0]) == (0, "intact, not anchored")
    replayed = reporter("replay", record)
    assert (replayed.returncode, replayed.stdout.split(":")[0]) == (0, "identical"), replayed.stderr
    compared = reporter("compare", record, record)
    assert compared.returncode == 0, compared.stderr
    signed = reporter("sign", record, "--key", key("board"), "--reviewer", "Board", "--role", "Safety", "--reason", "Fine", "--decision", "approve")  # fmt: skip
    assert signed.returncode == 0, signed.stderr
    anchored = reporter("verify", record, "--allowed-signers", signers("board"))
    assert (anchored.returncode, anchored.stdout.split(":")[0]) == (0, "verified")


def test_a_store_that_cannot_be_reached_is_told(reporter: Any, release: Any, store: Archive) -> None:
    done = reporter("run", release("1.0"), "--archive", store.location, AWS_ENDPOINT_URL="http://127.0.0.1:9", AWS_MAX_ATTEMPTS="1")  # fmt: skip
    assert done.returncode == 4
    assert "the archive s3://" in done.stderr
    assert "Traceback" not in done.stderr
