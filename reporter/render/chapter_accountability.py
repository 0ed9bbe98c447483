"""Chapter 5: accepted findings, ethics, monitoring, what the author says has changed, and the lines to sign."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.chapter_identity import TITLES, written
from reporter.render.document import Block, Cell, Column, Heading, Paragraph, Row, Section, Severity, SignOff, Table
from reporter.render.wording import Words, literal
from reporter.results import Accepted, Report

STATES: dict[str, Severity] = {"in force": "warn", "expired": "fail", "unknown finding": "fail", "not needed": "info"}


def acceptance_section(report: Report, words: Words) -> Section | None:
    """Who accepts which finding, why, until when."""
    accepted = report.verdict.accepted
    if not accepted:
        return None
    columns = (
        Column("finding", "Finding"),
        Column("reason", "Why"),
        Column("approver", "Approved by"),
        Column("until", "Until"),
        Column("state", "State", "verdict"),
    )
    table = Table(
        "accepted-table",
        "Findings that somebody answers for",
        columns,
        tuple(_row(one) for one in accepted),
        pdf_limit=None,
    )
    said = "An accepted finding stays on the card and no longer stops the release, until its date."
    return Section("accepted", "Accepted findings", (Paragraph(said), table))


def _row(one: Accepted) -> Row:
    return Row(
        (
            Cell(literal(one.finding)),
            Cell(literal(one.reason)),
            Cell(literal(one.approver)),
            Cell(fmt.date(one.until), "", one.until),
            Cell(one.state),
        ),
        STATES.get(one.state),
    )


def prose_sections(report: Report, words: Words) -> tuple[Section, ...]:
    """Ethics with mitigations, monitoring, change log."""
    card = report.card
    ethics: tuple[Block, ...] = (
        written(card, "considerations", below=2),
        Heading("mitigations", TITLES["mitigations"]),
        written(card, "mitigations"),
    )
    return (
        Section("considerations", TITLES["considerations"], ethics),
        Section("monitoring", TITLES["monitoring"], (written(card, "monitoring", below=2),)),
        Section("change-log", TITLES["change_log"], (written(card, "change_log", below=2),)),
    )


def signoff_section(report: Report, words: Words) -> Section:
    """Lines for those who decide."""
    subject = words.model(report.models[0].name)
    intro = (
        f"By signing, a reviewer states a decision about {subject} on the evidence of this card: approved, approved on conditions, or "
        "not approved."
    )
    fields = ("Name", "Role", "Decision and conditions", "Date", "Signature")
    return Section("sign-off", "Sign-off", (SignOff(intro, fields, tuple(("",) * len(fields) for _ in range(3))),))
