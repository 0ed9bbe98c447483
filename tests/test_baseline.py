"""Which release a run is compared with, what is refused as one, and what is compared where two releases are not alike."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reporter.archive.record import archive_record
from reporter.archive.signoff import Statement
from reporter.archive.store import open_archive
from reporter.baseline import compare_reports, read_baseline
from reporter.config.loader import load_config
from reporter.errors import ConfigError, DataError
from reporter.render.comparison_text import comparison_text
from reporter.results import Report
from reporter.runner import Evaluation, Places, evaluate

ROWS = [("F", 1, i >= 3) for i in range(20)] + [("M", 1, i >= 2) for i in range(20)] + [("F", 0, i < 4) for i in range(20)] + [("M", 0, i < 4) for i in range(20)]  # fmt: skip


def _frame() -> pd.DataFrame:
    frame = pd.DataFrame(ROWS, columns=["sex", "ill", "old"]).astype({"old": int})
    frame["new"] = [d if i % 7 else 1 - d for i, d in enumerate(frame["old"])]
    frame["site"] = ["N", "S"] * 40
    frame["id"] = range(80)
    return frame


def _evaluated(
    version: str, prediction: str, data: Any = None, places: Places | None = None, **keys: Any
) -> Evaluation:
    config = {
        "card": {"name": "Referral", "version": version},
        "data": {"source": "(frame)", "label": "ill", "key": "id"},
        "models": [{"name": version, "prediction": prediction}],
        "groups": ["sex"],
        "metrics": ["accuracy", "fnr", "fpr"],
        "flags": {"min_group_size": 5, "rules": [{"metric": "fnr", "reference": "rest", "difference": 0.05}]},
        **keys,
    }
    loaded = load_config(config, environ=os.environ)
    frame = _frame() if data is None else data
    return evaluate(loaded, data=frame, **({} if places is None else {"places": places}))


@pytest.fixture
def old() -> Report:
    return _evaluated("1.0", "old").report


def _saved(report: Report, folder: Path, edit: Any = None) -> str:
    path = folder / "old.json"
    document = json.loads(report.to_json())
    if edit is not None:
        edit(document)
    path.write_text(json.dumps(document))
    return str(path)


def _run(path: str, **keys: Any) -> Report:
    return _evaluated("1.1", "new", places=Places(baseline=path), **keys).report


def test_a_report_file_is_a_baseline(old: Report, tmp_path: Path) -> None:
    releases = _run(_saved(old, tmp_path)).releases
    assert releases is not None
    assert (releases.old, releases.new, releases.baseline) == ("1.0", "1.1", "old.json")
    assert releases.not_compared == ()
    rate = next(r for r in releases.rates if r.group == "F" and r.metric == "fnr")
    assert rate.old.numerator == 3
    assert rate.change.value == pytest.approx(rate.new.value - rate.old.value)
    assert rate.change.low < rate.change.value < rate.change.high


def test_rows_that_are_the_same_by_their_key_are_paired(old: Report, tmp_path: Path) -> None:
    both = [{"name": "1.1", "prediction": "new"}, {"name": "1.0", "prediction": "old"}]
    paired = _run(_saved(old, tmp_path), models=both).releases
    alone = _run(_saved(old, tmp_path)).releases
    assert paired is not None
    assert alone is not None
    assert paired.paired
    assert not alone.paired
    assert "this run has no predictions of 1.0" in alone.why_paired
    for one, two in zip(paired.rates, alone.rates, strict=True):
        assert one.change.value == pytest.approx(two.change.value)
    widths = [
        sum(r.change.high - r.change.low for r in found.rates if r.change.low is not None) for found in (paired, alone)
    ]
    assert widths[0] < widths[1]


def test_other_rows_are_not_paired_whatever_their_order(old: Report, tmp_path: Path) -> None:
    both = [{"name": "1.1", "prediction": "new"}, {"name": "1.0", "prediction": "old"}]
    places = Places(baseline=_saved(old, tmp_path))
    shuffled = _frame().sample(frac=1, random_state=1)
    assert _evaluated("1.1", "new", data=shuffled, places=places, models=both).report.releases.paired  # type: ignore[union-attr]
    others = _frame().assign(id=lambda frame: frame["id"] + 1)
    assert not _evaluated("1.1", "new", data=others, places=places, models=both).report.releases.paired  # type: ignore[union-attr]


def test_other_metrics_and_groups_are_compared_where_they_overlap_and_the_rest_is_listed(
    old: Report, tmp_path: Path
) -> None:
    data = _frame().assign(sex=lambda frame: frame["sex"].replace({"F": "X"}))
    releases = _evaluated(
        "1.1",
        "new",
        data=data,
        places=Places(baseline=_saved(old, tmp_path)),
        metrics=["accuracy", "fnr", "ppv"],
        groups=["sex", "site"],
    ).report.releases
    assert releases is not None
    assert releases.not_compared == (
        "metric fpr",
        "metric ppv",
        "grouping site",
        "group F of sex",
        "group X of sex",
    )
    assert {(r.grouping, r.group) for r in releases.rates} == {(None, None), ("sex", "M")}
    assert {r.metric for r in releases.rates} == {"accuracy", "fnr"}


def test_another_format_version_is_compared_where_both_know_it(old: Report, tmp_path: Path) -> None:
    def newer(document: dict[str, Any]) -> None:
        document["schema_version"] = 7
        document["energy"] = {"kwh": 3}
        document["models"][0]["licence"] = "MIT"
        document["groupings"][0]["results"] = "moved"

    releases = _run(_saved(old, tmp_path, newer)).releases
    assert releases is not None
    assert {r.group for r in releases.rates} == {None}
    assert {"energy (format version 7)", "models.licence (format version 7)", "groupings[0] (format version 7)"} <= set(
        releases.not_compared
    )
    assert "grouping sex" in releases.not_compared


def test_a_version_without_anything_to_compare_is_told(old: Report, tmp_path: Path) -> None:
    path = _saved(old, tmp_path, lambda d: d.update(schema_version=7, models="moved"))
    with pytest.raises(ConfigError, match="found schema_version 7, of which nothing can be compared with version 1"):
        _run(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"schema_version": 1', "not JSON"),
        ("{}", "not a report"),
        ('{"schema_version": 1, "card": NaN}', "NaN"),
        ("[]", "not a report"),
        ("", "not JSON"),
    ],
)
def test_a_corrupted_report_is_told_with_its_file(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "old.json"
    path.write_text(content)
    with pytest.raises(ConfigError, match=message) as caught:
        _run(str(path))
    assert caught.value.problems[0].path == str(path)


def test_a_record_of_another_model_is_refused(old: Report, tmp_path: Path) -> None:
    path = _saved(old, tmp_path, lambda d: d["card"].update(name="Other"))
    with pytest.raises(ConfigError, match="is of the model 'Other', this run is of 'Referral'"):
        _run(path)


def test_what_is_no_baseline_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"expected a record, a report.json, or latest-approved"):
        read_baseline(str(tmp_path))
    with pytest.raises(ConfigError, match="cannot read the baseline"):
        read_baseline(str(tmp_path / "none.json"))
    with pytest.raises(ConfigError, match="found no record"):
        read_baseline(str(tmp_path / "m" / "20260101T000000Z-1.0-0123456789ab"))


def _archived(tmp_path: Path, version: str, prediction: str, monkeypatch: pytest.MonkeyPatch, day: int) -> Any:
    moment = datetime.datetime(2026, 1, day, tzinfo=datetime.UTC)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(moment.timestamp())))
    done = _evaluated(version, prediction)
    archive = open_archive(tmp_path / "archive")
    return archive, archive_record(archive, done.report, counts=done.counts, files={}, log="", now=moment)[0]


def _approve(archive: Any, made: Any, key: Path, decision: str = "approve", until: str = "") -> None:
    said = Statement(made.model, made.id, made.manifest, decision, "Board", "Safety", "Fine", "2026-02-01T00:00:00+00:00", until=until)  # type: ignore[arg-type]  # fmt: skip
    signature = subprocess.run(
        ["ssh-keygen", "-Y", "sign", "-n", "reporter-signoff", "-f", str(key)],
        input=said.to_bytes(),
        capture_output=True,
        check=True,
    ).stdout
    archive.add_file(made.model, f"{made.id}.signoffs", f"{said.name}.json", content=said.to_bytes())
    archive.add_file(made.model, f"{made.id}.signoffs", f"{said.name}.json.sig", content=signature)


@pytest.fixture
def key(tmp_path: Path) -> Path:
    path = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(path)], check=True)
    (tmp_path / "allowed").write_text("board@example.org " + Path(f"{path}.pub").read_text())
    return path


@pytest.mark.needs("ssh-keygen")
def test_latest_approved_is_the_newest_record_whose_approval_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Path
) -> None:
    archive, first = _archived(tmp_path, "1.0", "old", monkeypatch, 1)
    _, second = _archived(tmp_path, "1.1", "new", monkeypatch, 2)
    _, third = _archived(tmp_path, "1.2", "new", monkeypatch, 3)
    wanted: dict[str, Any] = {
        "archive": str(tmp_path / "archive"),
        "model": "Referral",
        "allowed_signers": tmp_path / "allowed",
    }
    with pytest.raises(ConfigError, match="holds no approved record of Referral"):
        read_baseline("latest-approved", **wanted)
    _approve(archive, first, key)
    _approve(archive, second, key, until="2026-03-31")
    _approve(archive, third, key)
    _approve(archive, third, key, "reject")
    march, april = datetime.date(2026, 3, 31), datetime.date(2026, 4, 1)
    found = read_baseline("latest-approved", today=march, **wanted)
    assert (found.name, found.signed, found.report.card.version) == (second.id, True, "1.1")
    assert read_baseline("latest-approved", today=april, **wanted).name == first.id
    place = archive.path(second.model, second.id)
    assert read_baseline(place, allowed_signers=tmp_path / "allowed", today=march).signed
    assert not read_baseline(place, allowed_signers=tmp_path / "allowed", today=april).signed
    assert not read_baseline(place).signed


@pytest.mark.needs("ssh-keygen")
def test_a_rejection_that_was_removed_does_not_leave_an_approved_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Path
) -> None:
    archive, made = _archived(tmp_path, "1.0", "old", monkeypatch, 1)
    _approve(archive, made, key)
    _approve(archive, made, key, "reject")
    next(Path(archive.path(made.model, f"{made.id}.signoffs")).glob("*reject*.json")).unlink()
    with pytest.raises(ConfigError, match="holds no approved record of Referral"):
        read_baseline("latest-approved", archive=archive.root, model="Referral", allowed_signers=tmp_path / "allowed")
    place = archive.path(made.model, made.id)
    assert read_baseline(place, allowed_signers=tmp_path / "allowed").signed is False


@pytest.mark.needs("ssh-keygen")
def test_an_approved_record_that_was_changed_since_is_no_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: Path
) -> None:
    archive, made = _archived(tmp_path, "1.0", "old", monkeypatch, 1)
    _approve(archive, made, key)
    path = Path(archive.path(made.model, made.id, "data", "report.json"))
    path.write_bytes(path.read_bytes().replace(b'"numerator":3', b'"numerator":9'))
    for location in ("latest-approved", archive.path(made.model, made.id)):
        with pytest.raises(DataError, match=r"is not what was sealed: data/report.json was changed"):
            read_baseline(location, archive=archive.root, model="Referral", allowed_signers=tmp_path / "allowed")


def test_latest_approved_needs_an_archive_and_signers(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="needs an archive"):
        read_baseline("latest-approved")
    with pytest.raises(ConfigError, match="whose approvals count"):
        read_baseline("latest-approved", archive=str(tmp_path))
    with pytest.raises(ConfigError, match="cannot read the allowed signers"):
        read_baseline("latest-approved", archive=str(tmp_path), allowed_signers=tmp_path / "none")


def test_the_comparison_reads_well_on_a_terminal(old: Report) -> None:
    new = _evaluated("1.1", "new").report
    lines = comparison_text(compare_reports(old, new), new).splitlines()
    assert lines[0] == "Referral: 1.0 -> 1.1"
    assert lines[1] == "Not paired: the two releases are compared as independent samples."
    (heading,) = [line for line in lines if line.startswith("Rates")]
    assert heading.split() == ["Rates", "1.0", "1.1", "change"]
    women = lines[lines.index("  miss rate by sex") + 1]
    assert women.split()[:5] == ["F", "15.0", "%", "20.0", "%"]
    assert "points (" in women
    start = lines.index("  all rows") + 1
    assert len({line.index("%") for line in lines[start : start + 3]}) == 1
