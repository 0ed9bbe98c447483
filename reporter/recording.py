"""The records that a run leaves: where they go is checked before anything is computed, and they are written when all is done.

What came from the environment, and passwords, are in no message and in no path that is shown.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from reporter.config.archive_places import APART, sealed_faults
from reporter.config.loader import LoadedConfig
from reporter.errors import ConfigError, DataError, OutputError, Problem
from reporter.outputs import Written
from reporter.progress import Progress
from reporter.provenance import moment_of_run

if TYPE_CHECKING:
    from reporter.archive.store import Archive
    from reporter.runner import Evaluation, Places

OPTION = "--archive"


def check_archives(loaded: LoadedConfig, places: Places) -> None:
    """Refuse, before hours of counting, full records where others read and an archive that nothing installed can open.

    A store that cannot be reached now is tried again at the end: the outputs are worth having without it.
    """
    # The loader held sealed_archive against the config's own places; the command line may name others.
    given = {OPTION: places.archive, "--out": None if places.out is None else str(places.out.absolute())}
    named = {option: place for option, place in given.items() if place is not None}
    sealed = loaded.config.sealed_archive
    faults = [] if sealed is None else list(sealed_faults(sealed, named, loaded.base))
    if faults:
        raise ConfigError(*(loaded.problem("sealed_archive", fault, APART) for fault in faults))
    for key in ("archive", "sealed_archive"):
        try:
            open_configured(key, loaded, places)
        except DataError:
            continue
        except ConfigError as error:
            raise ConfigError(*_placed(error.problems, key, loaded, places)) from None


def leave_records(written: Written, done: Evaluation, places: Places, progress: Progress) -> Written:
    """Leave the record that may be shown in ``archive``, and the full one, with ``small_cells``, in ``sealed_archive`` and nowhere else."""
    written = _leave("archive", written, done, places, progress)
    if done.sealed is None:
        return written
    sealed = _leave("sealed_archive", Written(done.sealed.report), done.sealed, places, progress)
    return replace(
        written,
        problems=(*written.problems, *sealed.problems),
        notes=(*written.notes, *sealed.notes),
        sealed_record=sealed.record,
        sealed_path=sealed.record_path,
    )


def open_configured(key: str, loaded: LoadedConfig, places: Places) -> Archive | None:
    """The archive that a key of the config, or the command line, names; None when there is none. Raises as ``open_archive``."""
    from reporter.archive.store import open_archive

    if _is_option(key, places):
        return open_archive(str(places.archive), base=loaded.base)
    location = getattr(loaded.config, key)
    return None if location is None else open_archive(location, base=loaded.base, written=loaded.public[key])


def _leave(key: str, written: Written, done: Evaluation, places: Places, progress: Progress) -> Written:
    from reporter.archive.record import archive_record

    loaded = done.loaded
    if not _is_option(key, places) and getattr(loaded.config, key) is None:
        return written
    with progress.step("Archive" if key == "archive" else "Archive the full record") as step:
        try:
            archive = open_configured(key, loaded, places)
            assert archive is not None
            record, is_new = archive_record(
                archive,
                done.report,
                counts=done.counts,
                files=written.contents,
                log=_log(done),
                now=moment_of_run(),
                baseline=done.baseline,
                # Whoever sees the hash could try out which small counts give it.
                salt=secrets.token_hex(32) if key == "sealed_archive" else "",
            )
        except (OutputError, DataError) as error:
            return replace(written, problems=(*written.problems, *_placed(error.problems, key, loaded, places)))
        step.detail = record.id if is_new else f"{record.id} is there already"
    path = archive.shown_path(record.model, record.id)
    note = (
        f"{key}: the path of the record is shown without secrets; what stands for them has to be filled in to open it"
    )
    notes = (*written.notes, note) if archive.address.is_masked else written.notes
    return replace(written, record=record, record_path=path, notes=notes)


def _is_option(key: str, places: Places) -> bool:
    return key == "archive" and places.archive is not None


def _placed(problems: tuple[Problem, ...], key: str, loaded: LoadedConfig, places: Places) -> Iterator[Problem]:
    for problem in problems:
        if _is_option(key, places):
            yield replace(problem, key=OPTION, message=loaded.redact(problem.message))
        else:
            yield loaded.problem(key, problem.message, problem.hint)


def _log(done: Evaluation) -> str:
    """What the run did, without times: equal runs have equal logs."""
    facts, verdict = done.counts.facts, done.report.verdict
    n_out = "a hidden number" if facts["n_filtered_out"] is None else facts["n_filtered_out"]
    lines = [
        f"command: {done.report.provenance.command}",
        f"data: {facts['source']}, {facts['n']} rows counted, {n_out} filtered out",
        *(f"note: {note}" for note in facts["notes"]),
        f"count tables: {len(done.counts.tables)}",
        f"comparisons: {len(done.report.comparisons)}",
        f"verdict: {verdict.outcome}",
    ]
    return "\n".join(lines) + "\n"
