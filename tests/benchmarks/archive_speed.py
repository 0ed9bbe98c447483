"""Speed of ``reporter verify`` and ``reporter history`` on an archive of 500 records of the clinic example.

    python tests/benchmarks/archive_speed.py [RECORDS]

``history`` is to take at most 10 CPU seconds. ``verify`` is bound by hashing: at most twice the CPU time of ``sha256sum`` on the same
bytes, plus half a second to start. Every tenth record carries a signed approval in the second measurement of each.
"""

from __future__ import annotations

import datetime
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from reporter.archive.bag import SEAL, seal_bag, sha256
from reporter.archive.chain import CREATED, IDENTIFIER, PARENT, RecordRef, record_id
from reporter.archive.record import archive_record
from reporter.archive.signatures import signature_of
from reporter.archive.signoff import Statement, folder_of
from reporter.archive.store import Archive, open_archive
from reporter.config.loader import load_config
from reporter.packaged import packaged_folder
from reporter.runner import evaluate

START = datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC)


def main(n: int) -> int:
    """Measure, print, and say by the exit code whether a ratio was missed."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        archive = open_archive(folder / "archive")
        _fill(archive, n)
        files = [str(path) for path in Path(archive.root).rglob("*") if path.is_file()]
        size = sum(os.path.getsize(path) for path in files)
        print(f"{n} records, {len(files)} files, {size / 1e6:.0f} MB")
        _run(["verify", archive.root])  # once for the page cache
        hashing = min(_seconds(["xargs", "-0", "sha256sum"], "\0".join(files)) for _ in range(3))
        verify = min(_run(["verify", archive.root]) for _ in range(3))
        history = _run(["history", archive.root, "--out", str(folder / "site")])
        allowed = _sign(archive, folder)
        signed = _run(["history", archive.root, "--out", str(folder / "site"), "--allowed-signers", str(allowed)])
    bound = 2 * hashing + 0.5
    print(f"sha256sum {hashing:.2f} CPU s; verify {verify:.2f} CPU s, at most {bound:.2f}")
    print(f"history {history:.2f} CPU s, with {n // 10} signatures {signed:.2f}, at most 10")
    return int(verify > bound or history > 10 or signed > 10)


def _fill(archive: Archive, n: int) -> None:
    """One evaluation; each record has its own day and release, and names the one before it."""
    os.environ["SOURCE_DATE_EPOCH"] = str(int(START.timestamp()))
    done = evaluate(load_config(packaged_folder("configs") / "clinic.yaml", environ=os.environ))
    parent, _ = archive_record(archive, done.report, counts=done.counts, files={}, log="", now=START)
    with archive.fetched(parent.model, parent.id) as folder:
        data = folder / "data"
        payload = {path.relative_to(data).as_posix(): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    report = payload["report.json"]
    for i in range(1, n):
        moment = START + datetime.timedelta(days=i)
        payload["report.json"] = report.replace(START.isoformat().encode(), moment.isoformat().encode())
        info = [
            (CREATED, moment.isoformat()),
            (IDENTIFIER, f"{parent.model} 2.4"),
            (PARENT, f"{parent.id} {parent.manifest}"),
        ]
        bag = seal_bag(payload, info)
        manifest = sha256(bag[SEAL])
        parent = RecordRef(parent.model, record_id(moment, "2.4", manifest), manifest)
        archive.add_record(parent.model, parent.id, bag)


def _sign(archive: Archive, folder: Path) -> Path:
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    allowed = folder / "allowed"
    allowed.write_text("board@example.org " + Path(f"{key}.pub").read_text())
    from reporter.archive.chain import read_chain

    for link in list(read_chain(archive, "Referral-model").values())[::10]:
        made = link.reference
        said = Statement(
            made.model, made.id, made.manifest, "approve", "Board", "Safety", "Fine", link.created.isoformat()
        )  # type: ignore[union-attr]
        archive.add_file(made.model, folder_of(made.id), f"{said.name}.json.sig", content=signature_of(said.to_bytes(), key=key))  # fmt: skip
        archive.add_file(made.model, folder_of(made.id), f"{said.name}.json", content=said.to_bytes())
    return allowed


def _run(arguments: list[str]) -> float:
    return _seconds([sys.executable, "-m", "reporter", *arguments])


def _seconds(command: list[str], stdin: str = "") -> float:
    """CPU seconds of a command and what it started."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, input=stdin, text=True, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 500))
