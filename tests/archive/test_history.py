"""The history of an archive as pages: what stands on them, that links lead somewhere, and that everybody can read them."""

from __future__ import annotations

import csv
import datetime
import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import unquote

import pytest

from reporter.archive.history import write_history
from reporter.archive.signoff_page import sign_record
from reporter.archive.store import Archive, open_archive
from reporter.errors import ConfigError

TODAY = datetime.date(2026, 7, 1)


@pytest.fixture
def signed(archive: Archive, record: Any, key: Any, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """Four releases: approved, approved until June, rejected, not signed; the third one diverges."""

    def page(_: Archive, statement: Any, *rest: object) -> bytes:
        return b"%PDF-1.7\nstream\n" + bytes(statement.to_bytes()) + b"\nendstream"

    monkeypatch.setattr("reporter.archive.signoff_page._page", page)
    accepted = {"finding": "fnr/sex/F/1.3", "reason": "Known", "approver": "Board", "until": "2026-06-15"}
    made = [record(archive, f"1.{i}", day=30 * i, n_missed=(2, 3, 14, 3)[i]) for i in range(3)]
    made.append(record(archive, "1.3", day=90, n_missed=14, accepted=[accepted]))

    def sign(i: int, decision: str, **more: Any) -> None:
        moment = datetime.datetime(2026, 1, 20, tzinfo=datetime.UTC) + datetime.timedelta(days=30 * i)
        sign_record(archive, made[i].model, made[i].id, key=key("board"), reviewer="Board <safety>", role="Safety", reason="Seen", decision=decision, moment=moment, **more)  # fmt: skip

    sign(0, "approve")
    sign(1, "approve with conditions", conditions=["Review"], until="2026-06-01")
    sign(2, "reject")
    return archive


@pytest.mark.needs("ssh-keygen")
def test_releases_stand_in_order_with_verdict_and_signoff(
    signed: Archive, signers: Any, tmp_path: Path, pages: ModuleType
) -> None:
    out = tmp_path / "site"
    files = write_history(signed, out, allowed_signers=signers("board"), today=TODAY)
    assert out / "index.html" in files
    page = (out / "Referral-model" / "index.html").read_text()
    rows = [
        _cells(row)
        for row in re.findall(r"<tr>(.*?)</tr>", page.split('id="releases"')[1].split("</table>")[0], re.S)[1:]
    ]
    lead = "The newest of 4 releases, 1.3, passed its gate; 1 finding diverges; sign-off: not signed."
    assert lead in page.replace("\xa0", " ")
    assert [row[0] for row in rows] == ["1.3", "1.2", "1.1", "1.0"]
    assert [row[2] for row in rows] == ["passed", "failed", "passed", "passed"]
    assert [row[3].split()[0] for row in rows] == ["1", "1", "0", "0"]
    assert "fnr/sex/F/1.2" in rows[1][3]
    assert "has run out" in rows[0][4]
    states = [row[5] for row in rows]
    assert states[0] == "not signed"
    assert states[1].startswith("rejected reject: Board <safety> (signed by board@example.org)")
    assert states[2].startswith("expired")
    assert states[3].startswith("approved approve: Board <safety>")
    assert rows[3][6].startswith("verified its successor")
    assert rows[0][6].startswith("intact, not anchored")


def test_without_allowed_signers_signoffs_are_not_checked(signed: Archive, tmp_path: Path) -> None:
    write_history(signed, tmp_path / "site", today=TODAY)
    page = (tmp_path / "site" / "Referral-model" / "index.html").read_text()
    assert page.count("not checked") >= 3
    assert "signed by" not in page


def test_rates_per_group_over_releases_have_intervals_and_counts(archive: Archive, record: Any, tmp_path: Path) -> None:
    for i in range(3):
        record(archive, f"1.{i}", day=i, n_missed=2 + 5 * i)
    write_history(archive, tmp_path / "site", today=TODAY)
    folder = tmp_path / "site" / "Referral-model"
    page = (folder / "01-sex.html").read_text()
    assert page.count("<svg") == 1
    table = page.split('id="rates-1-fnr"')[1].split("</table>")[0]
    rows = [_cells(row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)[1:]]
    assert [row[0].split()[0] for row in rows] == ["1.2", "1.1", "1.0"]
    assert rows[0][1].startswith("60.0\xa0%")
    assert "12 of 20" in rows[0][1].replace("\xa0", " ")
    with (folder / "rates.csv").open(newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["group"] == "F" and line["metric"] == "fnr"]
    assert [(line["release"], line["numerator"], line["denominator"]) for line in lines] == [
        ("1.0", "2", "20"),
        ("1.1", "7", "20"),
        ("1.2", "12", "20"),
    ]


def test_every_link_leads_to_a_file_and_nothing_is_fetched(archive: Archive, record: Any, tmp_path: Path) -> None:
    for i in range(2):
        record(archive, f"1.{i}", day=i)
    files = write_history(archive, tmp_path / "site", today=TODAY)
    hrefs = set()
    for page in [path for path in files if path.suffix == ".html"]:
        text = page.read_text()
        for href in re.findall(r'href="([^"#][^"]*)"', text):
            assert (page.parent / unquote(html.unescape(href))).is_file(), (page, href)
            hrefs.add(href)
        assert not re.search(r'(src|href)="(https?:)?//', text)
        assert not re.search(r'@import|url\((?!data:|[#"&])', text)
    assert any(href.endswith("data/card.html") for href in hrefs)


def test_a_changed_record_is_listed_as_such_and_its_numbers_are_not_shown(
    archive: Archive, record: Any, tmp_path: Path
) -> None:
    made = [record(archive, f"1.{i}", day=i) for i in range(3)]
    path = Path(archive.path(made[1].model, made[1].id, "data", "report.json"))
    path.write_bytes(path.read_bytes().replace(b'"value":0.1', b'"value":0.3'))
    write_history(archive, tmp_path / "site", today=TODAY)
    page = (tmp_path / "site" / "Referral-model" / "index.html").read_text()
    assert "data/report.json was changed" in page
    assert "1.1" not in (tmp_path / "site" / "Referral-model" / "rates.csv").read_text()
    assert "Something in this archive is not what was sealed." in (tmp_path / "site" / "index.html").read_text()


def test_a_fork_is_shown(archive: Archive, record: Any, evaluated: Any, tmp_path: Path) -> None:
    record(archive, "1.0")
    other = open_archive(shutil.copytree(archive.root, tmp_path / "other"))
    record(archive, "1.1", day=1)
    right = record(other, "1.2", day=1)
    shutil.copytree(other.path(right.model, right.id), archive.path(right.model, right.id))
    write_history(archive, tmp_path / "site", today=TODAY)
    assert "The history forked" in (tmp_path / "site" / "Referral-model" / "index.html").read_text()


def test_hostile_names_are_text(archive: Archive, record: Any, tmp_path: Path) -> None:
    name = '</script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
    record(archive, "1.0", name=name)
    files = write_history(archive, tmp_path / "site", today=TODAY)
    for page in [path for path in files if path.suffix == ".html"]:
        assert "<img src=x" not in page.read_text()
        assert "<script>alert" not in page.read_text()


def test_the_same_archive_gives_the_same_bytes(archive: Archive, record: Any, tmp_path: Path) -> None:
    record(archive)
    one, two = (write_history(archive, tmp_path / name, today=TODAY) for name in ("a", "b"))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]


def test_a_site_inside_the_archive_and_an_empty_archive_are_refused(
    archive: Archive, record: Any, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match="found no record"):
        write_history(archive, tmp_path / "site")
    record(archive)
    with pytest.raises(ConfigError, match="inside the archive"):
        write_history(archive, Path(archive.root) / "site")


@pytest.mark.needs("chromium", "axe", "ssh-keygen")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_on_any_page(signed: Archive, signers: Any, tmp_path: Path, scheme: str) -> None:
    files = write_history(signed, tmp_path / "site", allowed_signers=signers("board"), today=TODAY)
    for page in [path for path in files if path.suffix == ".html"]:
        text = page.read_text()
        found = _audit(text if scheme == "light" else text.replace("(prefers-color-scheme: dark)", "all"), tmp_path)
        assert found == [], page.name


def _cells(row: str) -> list[str]:
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", row, re.S)
    return [
        html.unescape(" ".join(re.sub(r"<[^>]+>", " ", cell).split(" "))).strip().replace("  ", " ") for cell in cells
    ]


def _audit(page: str, folder: Path) -> list[Any]:
    program = next(found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name)))
    axe = Path(os.environ["REPORTER_AXE"]).read_text(encoding="utf-8").replace("</script", "<\\/script")
    run = """document.querySelectorAll("details").forEach(one => { one.open = true; });
    axe.run(document).then(found => { const p = document.createElement("pre"); p.id = "axe-result";
    p.textContent = JSON.stringify(found.violations.map(v => [v.id, v.nodes.map(n => n.html)])); document.body.appendChild(p); });"""
    copy = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    path = folder / "audited.html"
    path.write_text(copy.replace("</body>", f"<script>{axe}</script><script>{run}</script></body>"), encoding="utf-8")
    command = [program, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=20000", "--dump-dom", path.as_uri()]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True, encoding="utf-8")
    match = re.search(r'<pre id="axe-result">(.*?)</pre>', done.stdout, flags=re.DOTALL)
    assert match, "axe did not finish"
    violations: list[Any] = json.loads(html.unescape(match[1]))
    return violations
