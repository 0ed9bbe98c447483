"""A record's figures follow from its counts alone, byte for byte, and what does not is named."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from reporter.archive.chain import RecordRef
from reporter.archive.replay import replay_record
from reporter.archive.store import Archive
from reporter.errors import DataError


def _copy(archive: Archive, made: RecordRef, tmp_path: Path) -> Path:
    return Path(shutil.copytree(archive.path(made.model, made.id), tmp_path / "copy"))


def _edit(folder: Path, edit: Any) -> None:
    from reporter.render.as_json import canonical_json

    path = folder / "data" / "report.json"
    document = json.loads(path.read_bytes())
    edit(document)
    path.write_text(canonical_json(document))


def test_a_record_replays_byte_for_byte(archive: Archive, record: Any) -> None:
    made = record(archive, n_missed=12)
    done = replay_record(Path(archive.path(made.model, made.id)))
    assert done.identical
    assert done.differences == ()
    assert "follows from the stored counts, byte for byte" in done.explanation()
    assert done.carried == ("provenance (clock, versions, hashes and git state of the run)",)


def test_a_figure_that_does_not_follow_from_the_counts_is_named_by_its_place(
    archive: Archive, record: Any, tmp_path: Path
) -> None:
    folder = _copy(archive, record(archive, n_missed=12), tmp_path)
    _edit(folder, lambda d: d["groupings"][0]["results"][0]["metrics"]["fnr"].update(value=0.1))
    done = replay_record(folder)
    assert not done.identical
    assert done.differences == ("$.groupings[0].results[0].metrics.fnr.value: stored 0.1, recomputed 0.6",)
    assert done.explanation() == "The stored report does not follow from the stored counts."


def test_a_verdict_that_was_talked_up_is_found(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive, n_missed=14), tmp_path)
    _edit(folder, lambda d: d["verdict"].update(outcome="pass", failures=[], n_flagged=0))
    done = replay_record(folder)
    assert [line.split(":")[0] for line in done.differences] == [
        "$.verdict.failures",
        "$.verdict.n_flagged",
        "$.verdict.outcome",
    ]


def test_other_counts_are_found(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive, "1.0", n_missed=12), tmp_path)
    _exchange_counts(folder, archive, record(archive, "1.0", day=1, n_missed=3))
    assert not replay_record(folder).identical


def test_counts_of_another_model_are_told(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive, "1.0"), tmp_path)
    _exchange_counts(folder, archive, record(archive, "1.1", day=1))
    with pytest.raises(DataError, match=r"the counts are of the models 1.1, the report is of 1.0"):
        replay_record(folder)


def _exchange_counts(folder: Path, archive: Archive, other: RecordRef) -> None:
    shutil.rmtree(folder / "data" / "counts")
    shutil.copytree(Path(archive.path(other.model, other.id)) / "data" / "counts", folder / "data" / "counts")


@pytest.mark.parametrize("name", ["config.yaml", "config.json"])
def test_a_config_that_is_not_the_reports_is_found(archive: Archive, record: Any, tmp_path: Path, name: str) -> None:
    folder = _copy(archive, record(archive), tmp_path)
    (folder / "data" / name).write_text("{}")
    (difference,) = replay_record(folder).differences
    assert difference.startswith(name)


def test_a_report_in_another_form_is_not_the_same_bytes(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive), tmp_path)
    path = folder / "data" / "report.json"
    path.write_text(json.dumps(json.loads(path.read_bytes()), indent=1))
    assert replay_record(folder).differences == ("the text is not in canonical form",)


def test_another_versions_differences_are_explained(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive), tmp_path)

    def older(document: dict[str, Any]) -> None:
        document["provenance"]["reporter_version"] = "0.0.1"
        document["comparisons"][0]["p"] = 0.5

    _edit(folder, older)
    done = replay_record(folder)
    assert not done.identical
    assert done.stored_version == "0.0.1"
    assert "made by reporter 0.0.1" in done.explanation()
    assert "replay with reporter 0.0.1 to tell" in done.explanation()


def test_a_record_of_an_older_version_still_replays_where_nothing_changed(
    archive: Archive, record: Any, tmp_path: Path
) -> None:
    folder = _copy(archive, record(archive), tmp_path)
    _edit(folder, lambda d: d["provenance"].update(reporter_version="0.0.1"))
    assert replay_record(folder).identical


def test_without_counts_there_is_nothing_to_replay(archive: Archive, record: Any, tmp_path: Path) -> None:
    folder = _copy(archive, record(archive), tmp_path)
    shutil.rmtree(folder / "data" / "counts")
    with pytest.raises(DataError, match="the record holds no counts"):
        replay_record(folder)


def test_the_command_refuses_a_record_that_is_not_what_was_sealed(archive: Archive, record: Any, reporter: Any) -> None:
    made = record(archive)
    place = Path(archive.path(made.model, made.id))
    assert reporter("replay", place).returncode == 0
    (place / "data" / "run.log").write_text("other")
    done = reporter("replay", place)
    assert done.returncode == 1
    assert "data/run.log was changed" in done.stdout
