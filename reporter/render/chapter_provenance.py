"""The last chapter: what the run was, so that anyone can check or repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reporter.render.document import Block, Cell, Column, Details, KeyValue, KeyValues, Row, Section, Table
from reporter.render.wording import Words, literal
from reporter.results import Report


def provenance_section(report: Report, words: Words) -> Section:
    """Hashes, versions, seed, command, and the config's exact text."""
    run = report.provenance
    facts = [
        KeyValue("Made", literal(run.created), code=True),
        KeyValue("Command", literal(run.command), code=True),
        KeyValue("Config", literal(run.config_name), code=True),
        KeyValue("Config, SHA-256", run.config_sha256, code=True),
        KeyValue("Seed", str(run.seed), code=True),
        KeyValue("reporter", run.reporter_version, code=True),
        KeyValue("Python", run.python, code=True),
    ]
    if report.data.sha256:
        facts.append(KeyValue("Data, SHA-256", report.data.sha256, code=True))
    facts += [KeyValue(f"Input {place}", _entries(entry), code=True) for place, entry in enumerate(run.inputs, 1)]
    if run.git:
        facts.append(KeyValue("git", _entries(run.git), code=True))
    facts += [KeyValue(f"Font {literal(name)}", digest, code=True) for name, digest in sorted(run.fonts.items())]
    blocks: list[Block] = [KeyValues(tuple(facts))]
    if run.packages:
        rows = tuple(
            Row((Cell(literal(name)), Cell(literal(version)))) for name, version in sorted(run.packages.items())
        )
        columns = (Column("package", "Package"), Column("version", "Version"))
        blocks.append(
            Details(
                "packages",
                "Versions of the packages",
                (Table("packages-table", "Packages", columns, rows),),
                in_pdf=False,
            )
        )
    return Section("provenance", "Provenance", tuple(blocks))


def _entries(entry: Mapping[str, Any]) -> str:
    return "; ".join(f"{literal(key)}: {_value(value)}" for key, value in sorted(entry.items()))


def _value(value: Any) -> str:
    return ("yes" if value else "no") if isinstance(value, bool) else literal(str(value))
