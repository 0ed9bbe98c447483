"""The commands about records: verify, replay, sign, history, compare. ``cli.py`` adds them to the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from reporter.errors import ConfigError, Problem
from reporter.terminal import say

if TYPE_CHECKING:
    from reporter.archive.store import Archive
    from reporter.archive.verify import ArchiveVerification

RecordArgument = Annotated[str, typer.Argument(metavar="RECORD", help="A record's folder or URL.", show_default=False)]
Signers = Annotated[
    Path | None,
    typer.Option(
        "--allowed-signers",
        metavar="FILE",
        help="OpenSSH allowed-signers file: whose signatures count.",
        show_default=False,
    ),
]


def verify(
    record: Annotated[str, typer.Argument(metavar="RECORD", help="A record, or a whole archive.", show_default=False)],
    expect: Annotated[
        list[str] | None,
        typer.Option(
            "--expect",
            metavar="HASH",
            help="The hash that the run printed, or its first 12 digits. Repeatable for an archive.",
            show_default=False,
        ),
    ] = None,
    head: Annotated[
        Path | None,
        typer.Option(
            "--head", metavar="FILE", help="A copy of a signed head of the archive, kept elsewhere.", show_default=False
        ),
    ] = None,
    allowed_signers: Signers = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """Check a record, or every record of an archive. Exit code 1 when one is not valid."""
    found = _verified(record, expect or [], head, allowed_signers)
    if as_json:
        plain = [
            {"record": v.record.id, "model": v.record.model, "sha256": v.record.manifest, "state": v.state}
            | {"faults": list(v.faults), "anchors": list(v.anchors), "notes": list(v.notes)}
            for v in found.records
        ]
        whole = {"valid": found.valid, "faults": list(found.faults), "notes": list(found.notes), "records": plain}
        say(json.dumps(whole))
    else:
        for v in found.records:
            say(f"{v.state}: {v.record.model}/{v.record.id} sha256 {v.record.manifest}")
            for kind, lines in (("fault", v.faults), ("anchor", v.anchors), ("note", v.notes)):
                for line in lines:
                    say(f"  {kind}: {line}")
        for kind, lines in (("fault", found.faults), ("note", found.notes)):
            for line in lines:
                say(f"archive {kind}: {line}")
    if not found.valid:
        raise typer.Exit(1)


def _verified(record: str, expect: list[str], head: Path | None, allowed_signers: Path | None) -> ArchiveVerification:
    from reporter.archive.verify import ArchiveVerification, split_location, verify_archive, verify_record

    if split_location(_absolute(record)) is None:
        whole = _archive(record)
        found = verify_archive(whole, allowed_signers=allowed_signers, expect=expect, head=head)
        if not (found.records or found.faults):
            hint = "Give a record or the archive's folder."
            raise ConfigError(Problem(f"found no record in {_shown(record)!r}", hint=hint))
        return found
    if len(expect) > 1 or head is not None:
        raise ConfigError(
            Problem("one record has one hash, and a head is that of a whole archive", key="--expect, --head")
        )
    archive, model, name = _existing_record(record)
    one = verify_record(archive, model, name, expect=expect[0] if expect else None, allowed_signers=allowed_signers)
    return ArchiveVerification((one,), (), ())


def replay(record: RecordArgument) -> None:
    """Recompute a record's report from its counts and compare, byte for byte. Exit code 1 when they differ."""
    from reporter.archive.replay import replay_record
    from reporter.archive.verify import bag_faults_of

    archive, model, name = _existing_record(record)
    faults = bag_faults_of(archive, model, name)
    if faults:
        say("not valid: The record is not what was sealed, so nothing was recomputed.")
        for fault in faults:
            say(f"  fault: {fault}")
        raise typer.Exit(1)
    with archive.fetched(model, name) as folder:
        done = replay_record(folder)
    say(f"{'identical' if done.identical else 'different'}: {done.explanation()}")
    for line in done.carried:
        say(f"  carried over: {line}")
    for line in done.differences:
        say(f"  {line}")
    if not done.identical:
        raise typer.Exit(1)


def sign(
    record: RecordArgument,
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="Your OpenSSH private key.", show_default=False)],
    reviewer: Annotated[str, typer.Option("--reviewer", help="Your name.", show_default=False)],
    role: Annotated[str, typer.Option("--role", help="In which role you sign.", show_default=False)],
    reason: Annotated[str, typer.Option("--reason", help="Why.", show_default=False)],
    decision: Annotated[
        str, typer.Option("--decision", help="approve, 'approve with conditions', or reject.", show_default=False)
    ],
    condition: Annotated[
        list[str] | None, typer.Option("--condition", help="A condition. Repeatable.", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="The last day on which it holds.", show_default=False)
    ] = None,
) -> None:
    """Sign a statement about a record, and keep it with its sign-off page beside the record."""
    from reporter.archive.signoff_page import sign_record

    archive, model, name = _existing_record(record)
    for path in sign_record(
        archive,
        model,
        name,
        key=key,
        reviewer=reviewer,
        role=role,
        reason=reason,
        decision=decision,
        conditions=tuple(condition or ()),
        until=until,
    ):
        say(path)


def seal(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="An archive's folder or URL.", show_default=False)],
    key: Annotated[Path, typer.Option("--key", metavar="FILE", help="Your OpenSSH private key.", show_default=False)],
) -> None:
    """Sign the list of an archive's records, so that one that vanishes later is missed."""
    from reporter.archive.heads import sign_head
    from reporter.provenance import moment_of_run

    say(sign_head(_archive(archive), key=key, moment=moment_of_run()))


def history(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="An archive's folder or URL.", show_default=False)],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the site.")] = Path("history"),
    allowed_signers: Signers = None,
) -> None:
    """Write a static site over all records: verdicts, rates per group over releases, sign-offs."""
    from reporter.archive.history import write_history

    for path in write_history(_archive(archive), out, allowed_signers=allowed_signers):
        say(str(path))


def compare(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A record or report.json.", show_default=False)],
    new: Annotated[str, typer.Argument(metavar="NEW", help="A record or report.json.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """What changed between two releases: each rate, each gap, each verdict."""
    from reporter.baseline import compare_reports, read_baseline

    before, after = read_baseline(old).report, read_baseline(new).report
    releases = compare_reports(before, after)
    if as_json:
        from reporter.render.as_json import canonical_json

        typer.echo(canonical_json(releases), nl=False)
        return
    from reporter.render.comparison_text import comparison_text

    if before.card.name != after.card.name:
        typer.echo(f"Note: these are two models, {before.card.name!r} and {after.card.name!r}.", err=True)
    typer.echo(comparison_text(releases, after), nl=False)


def add_commands(app: typer.Typer) -> None:
    """Add these commands to the command line."""
    for command in (compare, verify, replay, sign, seal, history):
        app.command()(command)


def _archive(location: str) -> Archive:
    """The archive at a location; a model's folder, or one that belongs to a record, is told from an archive with nothing in it."""
    from reporter.archive.store import open_archive
    from reporter.archive.verify import mistaken_for_archive

    archive = open_archive(_absolute(location))
    mistake = mistaken_for_archive(archive)
    if mistake:
        raise ConfigError(Problem(f"{_shown(location)!r} is no archive: {mistake[0]}", hint=mistake[1]))
    return archive


def _existing_record(location: str) -> tuple[Archive, str, str]:
    from reporter.archive.store import open_archive
    from reporter.archive.verify import split_location

    parts = split_location(_absolute(location))
    if parts is None:
        raise ConfigError(
            Problem(
                f"{_shown(location)!r} is not a record",
                hint="Give the path of a record: ARCHIVE/MODEL/TIME-RELEASE-HASH.",
            )
        )
    root, model, name = parts
    archive = open_archive(root)
    if not archive.exists(model, name):
        raise ConfigError(Problem(f"found no record {_shown(location)!r}"))
    return archive, model, name


def _absolute(location: str) -> str:
    return location if "://" in location else str(Path(location).absolute())


def _shown(location: str) -> str:
    from reporter.archive.address import Address

    return Address.of(location).shown
