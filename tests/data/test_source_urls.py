"""Files by URL: fetched once, kept, and always those of the hash. The server is on this machine."""

from __future__ import annotations

import functools
import gc
import hashlib
import http.server
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from reporter.data.counts import Counts
from reporter.errors import ConfigError, DataError

# The downloader leaves the answer to a failed request to the garbage collector, which warns of its open socket.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning", "ignore::ResourceWarning")

ROWS = b"y,d\n1,1\n0,1\n"
SHA = hashlib.sha256(ROWS).hexdigest()
Count = Callable[..., Counts]


class _Quiet(http.server.SimpleHTTPRequestHandler):
    requests = 0

    def log_message(self, format: str, *args: object) -> None:
        _Quiet.requests += 1


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "served"
    folder.mkdir()
    (folder / "a.csv").write_bytes(ROWS)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("pooch.os_cache", lambda name: tmp_path / "cache" / name)
    monkeypatch.delenv("REPORTER_DATA", raising=False)
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    _Quiet.requests = 0
    handler = functools.partial(_Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()
    gc.collect()


def test_a_file_is_fetched_once_and_then_kept(server: str, counted: Count) -> None:
    for _ in range(2):
        counts = counted(f"{server}/a.csv", data={"sha256": SHA})
        assert (counts.facts["n"], counts.facts["sha256"]) == (2, SHA)
    assert _Quiet.requests == 1


def test_other_bytes_than_those_of_the_hash_are_refused(server: str, counted: Count) -> None:
    with pytest.raises(DataError, match="another SHA-256") as caught:
        counted(f"{server}/a.csv", data={"sha256": "0" * 64})
    assert caught.value.problems[0].key == "data.sha256"


def test_a_file_that_is_not_there_says_how_to_go_on(server: str, counted: Count) -> None:
    with pytest.raises(DataError, match="could not be fetched") as caught:
        counted(f"{server}/nowhere.csv", data={"sha256": SHA})
    assert "REPORTER_DATA" in caught.value.problems[0].hint


def test_a_url_needs_a_hash(counted: Count) -> None:
    with pytest.raises((ConfigError, DataError), match="sha256"):
        counted("http://127.0.0.1:9/a.csv")
