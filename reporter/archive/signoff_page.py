"""Signing a record: the statement, its signature, and a page for people that carries both inside.

What is signed is the statement; the page only shows it, with the verdict that the reviewer had before them.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from reporter.archive.chain import RecordRef, read_link
from reporter.archive.signatures import fingerprint_of, signature_of
from reporter.archive.signoff import DECISIONS, Decision, Statement, folder_of
from reporter.archive.store import Archive
from reporter.archive.verify import bag_faults_of
from reporter.errors import ConfigError, DataError, OutputError, Problem
from reporter.render import format as fmt
from reporter.render.document import (
    Banner,
    Cell,
    Column,
    Document,
    KeyValue,
    KeyValues,
    Paragraph,
    Row,
    Section,
    Table,
)
from reporter.render.wording import literal
from reporter.results import Report

CONDITIONAL = "approve with conditions"
HEADLINES = {
    "approve": "Approved",
    CONDITIONAL: "Approved with conditions",
    "reject": "Rejected",
}
MOST_FINDINGS = 40


def sign_record(
    archive: Archive,
    model: str,
    record: str,
    *,
    key: Path,
    reviewer: str,
    role: str,
    reason: str,
    decision: str,
    conditions: Sequence[str] = (),
    until: str | None = None,
    moment: datetime.datetime | None = None,
    fonts: Sequence[Path] = (),
) -> list[str]:
    """Sign a statement about an intact record with an OpenSSH private key; the paths of what was added beside the record:
    the sign-off page, the statement and a signature of each.

    ``until`` is the last day (ISO date) on which an approval holds, ``moment`` the time of signing (default: the run's clock), ``fonts``
    extra font files for the page.

    Raises
    ------
    ConfigError
        Something of the statement is missing or wrong: all problems at once.
    DataError
        The record is not what was sealed.
    OutputError
        There is no ssh-keygen, it refuses the key, or the archive cannot be written; or the page could not be made, and then the
        statement is signed and kept all the same.
    """
    from reporter.provenance import moment_of_run

    now = moment or moment_of_run()
    wanted = decision.strip().lower().replace("-", " ").replace("_", " ")
    problems = _problems(key, reviewer, role, reason, wanted, conditions, until, now.date())
    if problems:
        raise ConfigError(*problems)
    link = read_link(archive, model, record)
    faults = [*bag_faults_of(archive, model, record), *([] if link.sound else ["it was renamed or moved"])]
    if faults:
        raise DataError(
            *(Problem(f"the record is not what was sealed: {fault}", hint="Nothing was signed") for fault in faults)
        )
    if link.created is not None and now < link.created:
        raise ConfigError(
            Problem(
                f"it is {now.isoformat()} by the clock, but the record is of {link.created.isoformat()}",
                hint="Set the clock right (or SOURCE_DATE_EPOCH, if it is set)",
            )
        )
    statement = Statement(
        model=model,
        record=record,
        manifest_sha256=link.reference.manifest,
        decision=cast(Decision, wanted),
        reviewer=reviewer.strip(),
        role=role.strip(),
        reason=reason.strip(),
        signed_at=now.astimezone(datetime.UTC).isoformat(timespec="seconds"),
        conditions=tuple(condition.strip() for condition in conditions),
        until=until or "",
    )
    return _kept(archive, statement, link.reference, key, fonts)


def signoff_document(statement: Statement, report: Report, *, fingerprint: str) -> Document:
    """The sign-off page of a statement about the record of ``report``."""
    card, verdict = report.card, report.verdict
    said = f"{statement.reviewer}, {statement.role}: {statement.reason}"
    facts = [f"Conditions: {len(statement.conditions)}"] if statement.conditions else []
    facts += [f"Holds until {fmt.date(statement.until)}"] if statement.until else []
    outcome = "fail" if statement.decision == "reject" else "pass"
    decision: list[Banner | KeyValues | Table] = [
        Banner(outcome, HEADLINES[statement.decision], literal(said), tuple(facts)),  # type: ignore[arg-type]
        KeyValues(
            (
                KeyValue("Reviewer", literal(statement.reviewer)),
                KeyValue("Role", literal(statement.role)),
                KeyValue("Signed at", statement.signed_at, code=True),
                KeyValue("Key", fingerprint, code=True),
            )
        ),
    ]
    if statement.conditions:
        decision.append(_conditions(statement.conditions))
    what = KeyValues(
        (
            KeyValue("Record", f"{statement.model}/{statement.record}", code=True),
            KeyValue("SHA-256", statement.manifest_sha256, code=True),
            KeyValue("Gate", f"{verdict.outcome}: {fmt.count(verdict.n_flagged)} diverging, "
                     f"{fmt.count(verdict.n_insufficient)} with insufficient evidence, {fmt.count(verdict.n_within)} within limit"),
        )
    )  # fmt: skip
    check = (
        "The statement and its signature are attached to this file as statement.json and statement.json.sig; beside the record lie "
        "the same bytes, and a signature of this page. The statement names the SHA-256 of the record's tag manifest, which covers "
        "every byte of the record. To check all of it: reporter verify RECORD, with --allowed-signers FILE."
    )
    return Document(
        title=f"Sign-off: {literal(card.name)} {literal(card.version)}",
        subtitle=f"{HEADLINES[statement.decision]} on {fmt.date(statement.signed_at[:10])} by {literal(statement.reviewer)}",
        language="en",
        sections=(
            Section("decision", "Decision", tuple(decision)),
            Section("record", "What was decided about", (what, *_findings(report))),
            Section("check", "How to check it", (Paragraph(check),)),
        ),
    )


def _problems(
    key: Path,
    reviewer: str,
    role: str,
    reason: str,
    decision: str,
    conditions: Sequence[str],
    until: str | None,
    today: datetime.date,
) -> list[Problem]:
    found = [
        Problem("found nothing, expected a text", key=name)
        for name, text in (("--reviewer", reviewer), ("--role", role), ("--reason", reason))
        if not text.strip()
    ]
    if not key.is_file():
        found.append(Problem(f"found no file {str(key)!r}", key="--key", hint="Give an OpenSSH private key."))
    if decision not in DECISIONS:
        found.append(Problem(f"found {decision!r}, expected one of: {', '.join(DECISIONS)}", key="--decision"))
    if decision == CONDITIONAL and not conditions:
        found.append(Problem("found none, but the approval is with conditions", key="--condition", hint="Name them."))
    if decision in DECISIONS and decision != CONDITIONAL and conditions:
        hint = f"Decide {CONDITIONAL!r}, or leave them out."
        found.append(Problem(f"found conditions, but the decision is {decision!r}", key="--condition", hint=hint))
    if any(not condition.strip() for condition in conditions):
        found.append(Problem("found an empty condition", key="--condition"))
    return found + _date_problems(until, decision, today)


def _date_problems(until: str | None, decision: str, today: datetime.date) -> list[Problem]:
    if until is None:
        return []
    if decision == "reject":
        return [Problem("found a last day, but a rejection has none", key="--until", hint="Leave it out.")]
    try:
        day = datetime.date.fromisoformat(until) if re.fullmatch(r"\d{4}-\d\d-\d\d", until) else None
    except ValueError:
        day = None
    if day is None:
        return [Problem(f"found {until!r}, expected a date such as 2027-03-31", key="--until")]
    return [Problem(f"found {until}, which has passed", key="--until")] if day < today else []


def _kept(archive: Archive, statement: Statement, reference: RecordRef, key: Path, fonts: Sequence[Path]) -> list[str]:
    """Store the signatures, the page and last the statement, whose presence is what makes a sign-off."""
    folder = folder_of(reference.id)
    signature = signature_of(statement.to_bytes(), key=key)
    files = {f"{statement.name}.json.sig": signature}
    failed: OutputError | None = None
    page: bytes | None = None
    try:
        page = _page(archive, statement, reference, signature, fonts)
    except OutputError as error:
        failed = error
    if page is not None:
        files[f"{statement.name}.pdf.sig"] = signature_of(page, key=key)
        files[f"{statement.name}.pdf"] = page
    files[f"{statement.name}.json"] = statement.to_bytes()
    for name, content in files.items():
        archive.add_file(reference.model, folder, name, content=content)
    if failed is not None:
        kept = archive.shown_path(reference.model, folder, f"{statement.name}.json")
        raise OutputError(
            *(replace(p, message=f"the statement was signed and kept ({kept}), but without its page: {p.message}")
              for p in failed.problems)
        )  # fmt: skip
    return [archive.shown_path(reference.model, folder, name) for name in files]


def _page(
    archive: Archive, statement: Statement, reference: RecordRef, signature: bytes, fonts: Sequence[Path]
) -> bytes:
    from reporter.archive.reading import report_of_any_version
    from reporter.render.as_html import render_html
    from reporter.render.as_pdf import Attached, page_to_pdf

    content = archive.read(reference.model, reference.id, "data", "report.json")
    report = report_of_any_version(content, path=reference.id)
    document = signoff_document(statement, report, fingerprint=fingerprint_of(statement.to_bytes(), signature))
    attached = (
        Attached(statement.to_bytes().decode(), "statement.json", "The signed statement", "Source", "application/json"),
        Attached(signature.decode("ascii"), "statement.json.sig", "Its OpenSSH signature", "Data", "text/plain"),
    )
    page = render_html(document, medium="pdf", page="signoff.html.j2")
    return page_to_pdf(page, attached, created=statement.signed_at, fonts=fonts)


def _conditions(conditions: Sequence[str]) -> Table:
    rows = tuple(Row((Cell(str(i)), Cell(literal(text)))) for i, text in enumerate(conditions, start=1))
    columns = (Column("number", "No."), Column("condition", "Condition"))
    return Table("conditions", "Conditions of the approval", columns, rows, pdf_limit=None)


def _findings(report: Report) -> tuple[Table | Paragraph, ...]:
    """What diverges, which a reviewer answers for by an approval."""
    diverging = [c for c in report.comparisons if c.verdict == "diverges"]
    if not diverging:
        return (Paragraph("No finding diverges."),)
    columns = (
        Column("finding", "Finding"),
        Column("severity", "Severity"),
        Column("accepted", "Accepted in the config"),
    )
    rows = tuple(
        Row((Cell(literal(c.finding)), Cell(c.severity), Cell("yes" if c.accepted else "no"))) for c in diverging
    )
    note = f"The first {MOST_FINDINGS} of {len(rows)}; all are in the record." if len(rows) > MOST_FINDINGS else ""
    return (Table("findings", "Findings that diverge", columns, rows[:MOST_FINDINGS], note=note, pdf_limit=None),)
