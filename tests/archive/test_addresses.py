"""Secrets in an archive's address reach no message, no log and no result; an archive that cannot be reached costs no output."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from reporter.archive.address import Address
from reporter.cli import _guarded

SECRET = "hunter2-7f3a"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], str]:
    """A config with these last lines; its path."""
    monkeypatch.setenv("TOKEN", SECRET)
    monkeypatch.setenv("NO", "7q")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1768467600")
    rows = "".join(f"{sex},{i % 2},{i % 3 % 2}\n" for sex in "fm" for i in range(60))
    (tmp_path / "d.csv").write_text(f"sex,y,d\n{rows}")

    def make(lines: str) -> str:
        path = tmp_path / "c.yaml"
        path.write_text(
            "data: {source: d.csv, label: y}\nmodels: [{name: m, prediction: d}]\ngroups: [sex]\n"
            f"output: {{formats: [json]}}\n{lines}\n"
        )
        return str(path)

    return make


Said = tuple[int, str, str]


def _run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Said:
    code = _guarded(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(
    ("archive", "code", "said"),
    [
        ("http://u:${TOKEN}@127.0.0.1:9/x", 4, "cannot write to|cannot read"),
        ("http://127.0.0.1:9/x?sig=${TOKEN}", 4, "cannot write to|cannot read"),
        ("ftp://u:${TOKEN}@127.0.0.1:9/x", 4, "cannot read the archive .*: Connection refused"),
        ("nosuch://u:${TOKEN}@h/x", 2, "Protocol not known: nosuch"),
        ("/proc/${TOKEN}/x", 4, "cannot write to"),
        ("/proc/p${NO}x/x", 4, "cannot write to"),
    ],
)
def test_an_archive_that_fails_is_told_as_the_config_writes_it(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: str, code: int, said: str
) -> None:
    found, out, err = _run(capsys, "run", config(f'archive: "{archive}"'), "--out", str(tmp_path / "o"), "--json")
    assert found == code, err
    assert SECRET not in out + err
    assert "7q" not in err.replace(str(tmp_path), "")
    assert archive in err
    assert "c.yaml:5:10 archive: " in err
    assert re.search(said, err)
    assert "Traceback" not in err
    assert (tmp_path / "o" / "report.json").is_file() is (code == 4)


@pytest.mark.parametrize("archive", ["{folder}/${TOKEN}/cards", "memory://a/${TOKEN}/cards", "cards-${TOKEN}"])
def test_the_path_of_a_record_is_shown_without_what_the_environment_gave(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path, archive: str
) -> None:
    path = config(f'archive: "{archive.replace("{folder}", str(tmp_path))}"')
    code, out, err = _run(capsys, "run", path, "--json")
    assert code == 0, err
    assert SECRET not in out + err
    assert "${TOKEN}" in json.loads(out)["record"]["path"]
    assert "archive: the path of the record is shown without secrets" in err
    code, out, err = _run(capsys, "run", path, "-q")
    assert code == 0
    assert SECRET not in out + err
    record = next(line for line in out.splitlines() if "${TOKEN}" in line)
    if "memory" not in archive:
        assert Path(record.replace("${TOKEN}", SECRET), "bagit.txt").is_file()


def test_an_address_of_the_command_line_is_told_without_password_and_query(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for address in (f"http://u:{SECRET}@127.0.0.1:9/x", f"http://127.0.0.1:9/x?sig={SECRET}", f"nosuch://u:{SECRET}@h"):
        for arguments in (
            ["run", config(""), "--archive", address],
            ["verify", address],
            ["history", address, "--out", str(tmp_path / "h")],
            ["run", config(""), "--baseline", f"{address}/report.json"],
        ):
            code, out, err = _run(capsys, *arguments)
            assert code in (2, 3, 4)
            assert SECRET not in out + err
            assert "***" in err


def test_a_baseline_with_a_query_is_a_report_by_its_path(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = _run(capsys, "run", config(""), "--baseline", f"http://127.0.0.1:9/report.json?sig={SECRET}")
    assert code == 2
    assert "cannot read the baseline http://127.0.0.1:9/report.json?***: " in err
    assert "expected a record" not in err


@pytest.mark.parametrize("command", [["verify"], ["history"], ["replay"], ["seal", "--key", "none"]])
def test_a_server_that_is_not_there_is_told_in_one_line(capsys: pytest.CaptureFixture[str], command: list[str]) -> None:
    address = "ftp://127.0.0.1:9/x" + ("/m/20260101T000000Z-1.0-0123456789ab" if command == ["replay"] else "")
    code, out, err = _run(capsys, *command, address)
    assert (code, out) == (3, "")
    assert err == "archive: cannot read the archive ftp://127.0.0.1:9/x: Connection refused\n"


def test_full_records_that_cannot_be_kept_are_told_under_their_key_and_kept_ones_by_path_and_hash(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = str(tmp_path / "o")
    code, _, err = _run(capsys, "run", config("small_cells: 3\nsealed_archive: /proc/no"), "-q", "--out", out)
    assert code == 4
    assert "c.yaml:6:17 sealed_archive: cannot write to the archive /proc/no: " in err

    path = config("small_cells: 3\nsealed_archive: full\narchive: cards")
    code, said, err = _run(capsys, "run", path, "--json", "--out", out)
    assert code == 0, err
    records = json.loads(said)
    for key in ("record", "sealed_record"):
        found = records[key]
        code, said, _ = _run(capsys, "verify", found["path"], "--expect", found["sha256"])
        assert (code, said.startswith("verified: ")) == (0, True)
    code, said, _ = _run(capsys, "run", path, "-q", "--out", out)
    assert said.splitlines()[-4:] == [
        records["record"]["path"],
        f"sha256 {records['record']['sha256']}",
        f"sealed: {records['sealed_record']['path']}",
        f"sealed: sha256 {records['sealed_record']['sha256']}",
    ]


def test_the_hash_of_a_full_record_does_not_follow_from_its_counts(
    config: Callable[[str], str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    found = []
    for name in ("one", "two"):
        path = config(f"small_cells: 3\nsealed_archive: {name}\narchive: {name}-shown")
        code, said, err = _run(capsys, "run", path, "--json", "--out", str(tmp_path / "o"))
        assert code == 0, err
        found.append(json.loads(said)["sealed_record"])
    manifests = [Path(one["path"], "manifest-sha256.txt").read_text().splitlines() for one in found]
    counts = [[line for line in lines if "data/counts/" in line] for lines in manifests]
    assert counts[0] == counts[1] != []
    assert found[0]["sha256"] != found[1]["sha256"]


def test_what_another_library_says_is_shown_without_parts_of_the_address() -> None:
    address = Address.of("s3://b-abc/x-1/cards", "s3://b-${B}/x-${N}/cards")
    assert address.hide("no bucket b-abc in s3://b-abc/x-1/cards, at x-1") == (
        "no bucket b-${B} in s3://b-${B}/x-${N}/cards, at x-${N}"
    )
    assert Address.of("cards").hide("cards: gone") == "cards: gone"
