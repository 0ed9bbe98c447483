"""The commands about records: what they print, for people and for machines, and how they end."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest


def _run(folder: Path, *arguments: object, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "reporter", *map(str, arguments)],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive ``a`` of two releases, made by the command line."""
    folder = tmp_path_factory.mktemp("records")
    rows = "".join(f"{sex},1,{int(i > 4)},{int(i > 2)}\n{sex},0,0,{int(i > 17)}\n" for sex in "FM" for i in range(20))
    (folder / "data.csv").write_text(f"sex,ill,old,new\n{rows}")
    for day, (version, column) in enumerate([("1.0", "old"), ("1.1", "new")]):
        (folder / f"{version}.yaml").write_text(
            f"""\
card: {{name: Referral, version: "{version}"}}
data: {{source: data.csv, label: ill}}
models: [{{name: "{version}", prediction: {column}}}]
groups: [sex]
metrics: [accuracy, fnr]
"""
        )
        done = _run(
            folder, "run", f"{version}.yaml", "--format", "json", "--out", "out", "--archive", "a", "--json",
            SOURCE_DATE_EPOCH=str(1768467600 + 86400 * day),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (folder / f"{version}.json").write_text(done.stdout)
    return folder


def _record(place: Path, version: str) -> tuple[str, str]:
    said = json.loads((place / f"{version}.json").read_text())["record"]
    return said["path"], said["sha256"]


def test_verify_takes_the_hash_that_the_run_printed(place: Path) -> None:
    path, digest = _record(place, "1.1")
    done = _run(place, "verify", path, "--expect", digest)
    assert done.returncode == 0
    assert done.stdout.startswith(f"verified: Referral/{Path(path).name} sha256 {digest}\n")
    assert "anchor: the expected hash" in done.stdout
    wrong = _run(place, "verify", path, "--expect", "0" * 64)
    assert wrong.returncode == 1
    assert "expected 0000" in wrong.stdout


def test_verify_of_an_archive_says_what_vouches_for_it(place: Path) -> None:
    done = _run(place, "verify", "a", "--json")
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert said["valid"] is True
    assert [record["state"] for record in said["records"]] == ["verified", "intact, not anchored"]
    assert said["notes"] == ["nothing from outside vouches for this archive: no checked signature, no expected hash"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify", "nowhere"], "found no record in 'nowhere'"),
        (["verify", "a/Referral/20260101T000000Z-1.0-0123456789ab"], "found no record"),
        (["replay", "a"], "'a' is not a record"),
        (["history", "nowhere"], "found no record"),
        (["compare", "a", "a"], "expected a record, a report.json"),
        (["verify", "a", "--allowed-signers", "nobody"], "cannot read the allowed signers 'nobody'"),
        (["verify", "a", "--head", "none.json"], "cannot read 'none.json'"),
        (["verify", "a/Referral"], "'a/Referral' is no archive: it is the folder of one model. Give the archive, "),
        (["history", "a/Referral"], "'a/Referral' is no archive: it is the folder of one model. Give the archive, "),
        (["seal", "a/Referral", "--key", "k"], "'a/Referral' is no archive: it is the folder of one model"),
        (["seal", "nowhere", "--key", "k"], "found no record in "),
        (["seal", ".", "--key", "k"], "found no record in "),
    ],
)
def test_what_is_not_there_is_told_with_exit_code_2(place: Path, arguments: list[str], message: str) -> None:
    done = _run(place, *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_what_belongs_to_a_record_is_no_archive(place: Path) -> None:
    path, _ = _record(place, "1.0")
    for inner, what in (
        (f"{path}/data", "it lies inside a record"),
        (f"{path}/data/counts/", "it lies inside a record"),
        (f"{path}.signoffs", "it holds the statements about a record"),
    ):
        done = _run(place, "verify", inner)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"{inner!r} is no archive: {what}. Give the record: {path}\n"
    assert not list(place.glob("**/_heads"))


def test_a_record_in_the_place_of_a_model_does_not_hide_what_an_archive_holds(place: Path, tmp_path: Path) -> None:
    shutil.copytree(place / "a", tmp_path / "a")
    (tmp_path / "a" / "20260101T000000Z-1.0-0123456789ab").mkdir()
    done = _run(tmp_path, "verify", "a", "--json")
    assert [record["record"] for record in json.loads(done.stdout)["records"]] != []


def test_replay_compare_and_history_work_on_what_the_run_left(place: Path, tmp_path: Path) -> None:
    old, new = _record(place, "1.0")[0], _record(place, "1.1")[0]
    assert _run(place, "replay", new).stdout.startswith("identical: ")
    compared = _run(place, "compare", old, new)
    assert compared.returncode == 0
    assert compared.stdout.startswith("Referral: 1.0 -> 1.1\n")
    plain = json.loads(_run(place, "compare", old, f"{new}/data/report.json", "--json").stdout)
    assert (plain["old"], plain["new"], plain["paired"]) == ("1.0", "1.1", False)
    site = tmp_path / "site"
    written = _run(place, "history", "a", "--out", site).stdout.splitlines()
    assert str(site / "index.html") in written
    assert all(Path(path).is_file() for path in written)


@pytest.mark.needs("ssh-keygen")
def test_seal_signs_the_list_of_records(place: Path, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    (tmp_path / "allowed").write_text("board@example.org " + Path(f"{key}.pub").read_text())
    done = _run(place, "seal", "a", "--key", key)
    assert done.returncode == 0, done.stderr
    head = place / "a" / done.stdout.strip()
    assert json.loads(head.read_text())["records"]["Referral"]
    verified = _run(place, "verify", "a", "--allowed-signers", tmp_path / "allowed")
    assert verified.stdout.count("the archive's head signed by board@example.org") == 2
    for path in (head, head.with_name(f"{head.name}.sig")):
        path.unlink()
