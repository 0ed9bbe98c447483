"""What a regulator's reader looks for: each profile's attributes, where they are answered, and which are missing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Heading, Paragraph, Row, Section, Sentence, Sentences, Table
from reporter.render.wording import Words, listed, literal
from reporter.results import Profile, Report

KEY_ORDER = (
    "attribute",
    "title",
    "grouping",
    "category",
    "group",
    "model",
    "where",
    "section",
    "answer",
    "state",
    "n",
    "selected",
    "above_the_median",
    "rate",
    "ratio",
    "impact_ratio",
    "low",
    "high",
    "below_0.8",
    "note",
)
"""Which columns come first; records read back from JSON have lost their order."""


def profiles_section(report: Report, words: Words) -> Section | None:
    """A part per profile."""
    if not report.profiles:
        return None
    blocks: list[Block] = []
    for place, profile in enumerate(report.profiles, 1):
        blocks += _profile(profile, place)
    return Section("profiles", "Regulatory profiles", tuple(blocks))


def _profile(profile: Profile, place: int) -> list[Block]:
    blocks: list[Block] = [Heading(f"profile-{place}", literal(profile.title or profile.name))]
    if profile.sentences:
        blocks.append(Sentences(tuple(Sentence(literal(text)) for text in profile.sentences)))
    if profile.attributes:
        blocks.append(_records(profile.attributes, f"profile-{place}-attributes", "Where each attribute is answered"))
    for index, table in enumerate(profile.tables, 1):
        rows = [row for row in table.get("rows", ()) if isinstance(row, Mapping)]
        caption = literal(str(table.get("title") or table.get("caption") or profile.title))
        if rows:
            blocks.append(_records(rows, f"profile-{place}-table-{index}", caption))
    if profile.missing:
        blocks.append(Paragraph(f"Missing: {listed([literal(name) for name in profile.missing])}.", "note"))
    return blocks


def _records(records: Sequence[Mapping[str, Any]], table_id: str, caption: str) -> Table:
    """Plain records as a table: their keys are the columns."""
    found = {key for record in records for key in record}
    keys = [key for key in KEY_ORDER if key in found] + sorted(found - set(KEY_ORDER))
    numeric = {key for key in keys if all(_is_number(record.get(key)) or record.get(key) is None for record in records)}
    columns = tuple(Column(key, literal(key.replace("_", " ")), "number" if key in numeric else "text") for key in keys)
    rows = tuple(Row(tuple(_cell(record.get(key)) for key in keys)) for record in records)
    return Table(table_id, caption, columns, rows)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _cell(value: Any) -> Cell:
    if value is None:
        return Cell("not given")
    if isinstance(value, bool):
        return Cell("yes" if value else "no")
    if isinstance(value, int | float):
        return Cell(fmt.count(value) if float(value).is_integer() else fmt.number(value, 3), "", float(value))
    if isinstance(value, list | tuple):
        return Cell(listed([literal(str(item)) for item in value]))
    return Cell(literal(str(value)) if str(value) else "")
