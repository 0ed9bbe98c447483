"""A year of the clinic's referral model, played with the command line: releases, gates, sign-offs, an acceptance that lapses, tampering.

    2.0  passes, is approved
    2.1  passes, is approved with conditions
    2.2  misses older patients: the gate stops it, it is rejected
    2.3  the same harm, accepted until autumn: passes, is approved; after autumn the same config fails
    2.4  is mended: passes without the acceptance

``REPORTER_YEAR=DIR`` keeps archive and history there.
"""

from __future__ import annotations

import datetime
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from reporter.archive.replay import replay_record
from reporter.packaged import packaged_folder

pytestmark = pytest.mark.needs("ssh-keygen", "pango")

FINDING = "fnr/age/> 75"


@dataclass(frozen=True)
class Release:
    """One release: its version, its day, the age over which ill patients have too low a pulse, and the seed of its patients."""

    version: str
    day: str
    old: int
    seed: int


RELEASES = (
    Release("2.0", "2026-01-20", 200, 2421),
    Release("2.1", "2026-03-24", 200, 77),
    Release("2.2", "2026-05-19", 75, 2421),
    Release("2.3", "2026-07-14", 75, 2421),
    Release("2.4", "2026-11-17", 200, 91),
)


@pytest.fixture(scope="module")
def make_clinic() -> ModuleType:
    """The generator of the clinic's patients."""
    import importlib.util

    spec = importlib.util.spec_from_file_location(
        "make_clinic_of_a_year", packaged_folder("configs") / "data" / "make_clinic.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def config(tmp_path: Path, make_clinic: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """The config of a release, with its patients beside it."""

    def make(release: Release, *, baseline: bool = True, accepted_until: str = "") -> Path:
        monkeypatch.setattr(make_clinic, "SEED", release.seed)
        monkeypatch.setattr(make_clinic, "OLD", release.old)
        folder = tmp_path / "clinic" / release.version
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "clinic.csv").write_text(make_clinic.clinic_csv())
        path = folder / "clinic.yaml"
        extra = (
            "archive: ../../archive\nbaseline: latest-approved\nallowed_signers: ../../signers-board-audit0\n"
            if baseline
            else ""
        )
        if accepted_until:
            extra += (
                f"accepted:\n  - {{finding: '{FINDING}/{release.version}', reason: 'Re-training is scheduled; patients over 75 "
                f"are called after 30 days.', approver: Clinical safety board, until: {accepted_until}}}\n"
            )
        gates = "[diverges, worse_than_baseline, unsigned_baseline]" if baseline else "[diverges]"
        path.write_text(
            f"""\
card:
  name: Referral model
  version: "{release.version}"
  vocabulary: {{positive_prediction: referred, positive_label: ill, negative_label: healthy, unit: patient, units: patients}}
data: {{source: clinic.csv, where: visit_year = 2026, key: patient_id, label: ill}}
models: [{{name: "{release.version}", score: risk_24, threshold: 0.35}}]
groups: [{{column: age, breaks: [40, 65, 75]}}, sex, ethnicity]
metrics: [accuracy, referral_rate, fpr, fnr]
flags:
  min_group_size: 30
  rules:
    - {{metric: fnr, reference: rest, difference: 0.05, side: high, severity: fail}}
fail_on: {gates}
{extra}"""
        )
        return path

    return make


def _epoch(day: str) -> str:
    return str(int(datetime.datetime.fromisoformat(f"{day}T09:00:00+00:00").timestamp()))


def test_a_year_of_releases(config: Any, reporter: Any, key: Any, signers: Any, tmp_path: Path) -> None:
    allowed = signers("board", "audit")
    place = tmp_path / "archive"
    records: dict[str, Path] = {}

    def run(release: Release, *, day: str = "", archived: bool = True, **options: Any) -> dict[str, Any]:
        path = config(release, **options)
        target = ["--archive", place] if archived else ["--archive", tmp_path / "trial"]
        if not archived:
            shutil.copytree(place, tmp_path / "trial", dirs_exist_ok=True)
        formats = "json,html" if release.version == "2.4" else "json"
        done = reporter(
            "run", path, *target, "--format", formats, "--json", SOURCE_DATE_EPOCH=_epoch(day or release.day)
        )
        assert done.returncode in (0, 1), done.stderr
        said: dict[str, Any] = json.loads(done.stdout)
        assert said["exit_code"] == done.returncode
        if archived:
            records[release.version] = Path(said["record"]["path"])
        return said

    def sign(version: str, who: str, day: str, decision: str, *more: str) -> None:
        done = reporter(
            "sign", records[version], "--key", key(who), "--reviewer", {"board": "Clinical safety board", "audit": "Audit office"}[who],
            "--role", "Clinical safety board", "--reason", f"Release {version} was discussed on {day}.", "--decision", decision, *more,
            SOURCE_DATE_EPOCH=_epoch(day),
        )  # fmt: skip
        assert done.returncode == 0, done.stderr

    one, two, three, four, five = RELEASES
    assert run(one, baseline=False)["exit_code"] == 0
    sign("2.0", "board", "2026-01-27", "approve")

    assert run(two)["exit_code"] == 0
    sign(
        "2.1",
        "audit",
        "2026-03-31",
        "approve with conditions",
        "--condition",
        "Review the rates of patients over 75 in May",
    )

    worse = run(three)
    assert worse["exit_code"] == 1
    assert worse["findings"] == [f"{FINDING}/2.2"]
    assert {failure["gate"] for failure in worse["failures"]} == {"diverges", "worse_than_baseline"}
    sign("2.2", "board", "2026-05-26", "reject")

    assert run(four, accepted_until="2026-10-31")["exit_code"] == 0
    sign("2.3", "board", "2026-07-21", "approve", "--until", "2026-10-31")
    lapsed = run(four, day="2026-11-03", archived=False, accepted_until="2026-10-31")
    assert lapsed["exit_code"] == 1
    assert "acceptance expired" in {failure["gate"] for failure in lapsed["failures"]}
    assert f"{FINDING}/2.3" in lapsed["findings"]

    last = run(five)
    assert last["exit_code"] == 0
    report = json.loads((records["2.4"] / "data" / "report.json").read_text())
    # 2.3's approval has run out and 2.2 was rejected, so 2.1 is the release to beat.
    assert report["releases"]["old"] == "2.1"
    assert report["releases"]["paired"] is False

    verified = reporter("verify", place, "--allowed-signers", allowed, "--expect", last["record"]["sha256"])
    assert verified.returncode == 0, verified.stdout
    assert verified.stdout.count("verified: ") == 5
    assert reporter("replay", records["2.4"]).stdout.startswith("identical")
    for version, path in records.items():
        assert replay_record(path).differences == (), version

    compared = reporter("compare", records["2.1"], records["2.2"])
    assert f"newly diverges: {FINDING}/2.2" in compared.stdout

    site = tmp_path / "history"
    done = reporter(
        "history", place, "--out", site, "--allowed-signers", allowed, SOURCE_DATE_EPOCH=_epoch("2026-11-30")
    )
    assert done.returncode == 0, done.stderr
    page = (site / "Referral-model" / "index.html").read_text()
    for said in ("approved", "approved with conditions", "rejected", "expired", "not signed", "(has run out)"):
        assert said in page

    # Somebody makes the rejected release look better, and mends the hashes that lie beside it.
    forged = tmp_path / "forged"
    shutil.copytree(place, forged)
    report_path = forged / records["2.2"].relative_to(place) / "data" / "report.json"
    report_path.write_bytes(report_path.read_bytes().replace(b'"outcome":"fail"', b'"outcome":"pass"'))
    import bagit

    bagit.Bag(str(report_path.parents[1])).save(manifests=True)
    found = reporter("verify", forged, "--allowed-signers", allowed)
    assert found.returncode == 1
    lines = found.stdout.splitlines()
    broken = [i for i, line in enumerate(lines) if line.startswith("not valid: ")]
    assert records["2.2"].name in lines[broken[0]]
    assert any("is about another record" in line for line in lines)
    assert any("is not the one it was sealed after" in line for line in lines)

    if kept := os.environ.get("REPORTER_YEAR"):
        shutil.copytree(place, Path(kept) / "archive", dirs_exist_ok=True)
        shutil.copytree(site, Path(kept) / "history", dirs_exist_ok=True)
