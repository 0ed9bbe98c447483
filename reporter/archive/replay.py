"""Recompute a record's report.json from the counts it holds, and hold it against the stored one byte for byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporter import __version__
from reporter.errors import DataError, Problem
from reporter.results import Report

if TYPE_CHECKING:
    from reporter.data.counts import Counts


@dataclass(frozen=True)
class Replay:
    """What a replay found. ``carried`` names the parts that no count can give and that were taken over as stored."""

    identical: bool
    differences: tuple[str, ...]
    carried: tuple[str, ...]
    stored_version: str
    this_version: str

    def explanation(self) -> str:
        """In one sentence, what the outcome means."""
        if self.identical:
            return "The stored report follows from the stored counts, byte for byte."
        if self.stored_version != self.this_version:
            return (
                f"The record was made by reporter {self.stored_version}, this is {self.this_version}: "
                "the differences below are either changes between the versions (see the CHANGELOG) or changes of the record; "
                f"replay with reporter {self.stored_version} to tell."
            )
        return "The stored report does not follow from the stored counts."


def replay_record(folder: Path) -> Replay:
    """Replay the record in ``folder`` (a bag). DataError when a part that is needed is missing or cannot be read."""
    from reporter.archive.reading import report_of_any_version
    from reporter.assemble import Carried, assemble
    from reporter.config.loader import config_from_public
    from reporter.data.counts import Counts
    from reporter.render.as_json import read_report, report_to_json

    payload = folder / "data"
    stored_path = payload / "report.json"
    stored = read_report(stored_path)
    counts_folder = payload / "counts"
    if not counts_folder.is_dir():
        raise DataError(
            Problem("the record holds no counts", path=str(folder), hint="Was it made by reporter run --archive?")
        )
    baseline_path = payload / "baseline.json"
    carried = Carried(
        noise=stored.noise_results,
        baseline=report_of_any_version(baseline_path.read_bytes()) if baseline_path.is_file() else None,
        baseline_name=stored.releases.baseline if stored.releases else "",
        baseline_signed=stored.settings.get("baseline_signed"),
    )
    config = config_from_public(stored.provenance.config)
    counts = Counts.load(counts_folder)
    _check_belongs(counts, stored)
    made = assemble(counts, config, stored.provenance, carried)
    text = report_to_json(made)
    same = text.encode() == stored_path.read_bytes()
    differences = [*_config_differences(payload, stored), *([] if same else _differences(stored, made))]
    return Replay(
        identical=not differences,
        differences=tuple(differences),
        carried=tuple(_carried(stored)),
        stored_version=stored.provenance.reporter_version,
        this_version=__version__,
    )


def _check_belongs(counts: Counts, stored: Report) -> None:
    """Counts of another run are told as such, before anything is asked of them."""
    counted = [str(model.get("name")) for model in counts.facts.get("models", []) if isinstance(model, dict)]
    reported = [model.name for model in stored.models]
    missing = [name for name in ("n", "source", "sha256", "notes", "groupings") if name not in counts.facts]
    if counted != reported or missing:
        found = f"without {', '.join(missing)}" if missing else f"of the models {', '.join(counted) or '(none)'}"
        raise DataError(Problem(f"the counts are {found}, the report is of {', '.join(reported)}"))


def _carried(stored: Report) -> Iterator[str]:
    yield "provenance (clock, versions, hashes and git state of the run)"
    if stored.noise_results:
        yield "noise curves (they rest on predictions, not on counts)"
    if stored.releases is not None:
        yield "the baseline's report, and whether an approval of it was found"


def _config_differences(payload: Path, stored: Report) -> Iterator[str]:
    """The config's files are for people: what is recomputed rests on the config inside report.json."""
    import hashlib
    import json

    path = payload / "config.yaml"
    content = path.read_bytes() if path.is_file() else b""
    if hashlib.sha256(content).hexdigest() != stored.provenance.config_sha256:
        yield "config.yaml is not the file whose hash the report holds"
    resolved = payload / "config.json"
    try:
        found = json.loads(resolved.read_bytes())
    except (OSError, ValueError):
        found = None
    if found != stored.provenance.config:
        yield "config.json is not the config that the report was made with"


def _differences(stored: Report, made: Report, limit: int = 50) -> list[str]:
    """Where two reports differ, as JSON paths with both values."""
    import json

    from reporter.render.as_json import report_to_json

    found: list[str] = []
    _walk(json.loads(report_to_json(stored)), json.loads(report_to_json(made)), "$", found)
    more = len(found) - limit
    return [*found[:limit], f"and {more} more"] if more > 0 else found or ["the text is not in canonical form"]


def _walk(stored: Any, made: Any, path: str, found: list[str]) -> None:
    if isinstance(stored, dict) and isinstance(made, dict):
        for key in sorted({*stored, *made}):
            _walk(stored.get(key, "(absent)"), made.get(key, "(absent)"), f"{path}.{key}", found)
    elif isinstance(stored, list) and isinstance(made, list):
        if len(stored) != len(made):
            found.append(f"{path}: stored {len(stored)} entries, recomputed {len(made)}")
        for i, (one, other) in enumerate(zip(stored, made, strict=False)):
            _walk(one, other, f"{path}[{i}]", found)
    elif stored != made:
        found.append(f"{path}: stored {stored!r}, recomputed {made!r}")
