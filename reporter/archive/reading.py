"""Reads a stored report for comparison even when another version of the format wrote it: what both versions know, the rest named.

Only what two releases are compared by is read from a foreign version: card, data, models, groups and findings.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any

import pydantic

from reporter.errors import ConfigError, Problem
from reporter.render.as_json import report_from_json
from reporter.results import (
    SCHEMA_VERSION,
    Card,
    Comparison,
    DataSummary,
    Grouping,
    ModelResult,
    Provenance,
    Report,
    Verdict,
)

NOT_COMPARED = {"curves", "decompositions"}


def report_of_any_version(content: bytes, *, path: str = "") -> Report:
    """The Report of ``content``. Of another ``schema_version`` only what can be compared; its ``notes`` name what was left out.

    Raises
    ------
    ConfigError
        The text is not a report, or is one of this version and not whole, or holds nothing that can be compared.
    """
    try:
        return report_from_json(content)
    except ConfigError as error:
        document = _foreign(content)
        if document is None:
            raise ConfigError(*(replace(problem, path=problem.path or path) for problem in error.problems)) from None
    return _comparable(document, path)


def _foreign(content: bytes) -> dict[str, Any] | None:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(document, dict):
        return None
    version = document.get("schema_version")
    return document if type(version) is int and version != SCHEMA_VERSION else None


def _comparable(document: dict[str, Any], path: str) -> Report:
    version = document["schema_version"]
    left_out: list[str] = []
    cards = _read(Card, [document.get("card")], "card", left_out)
    models = _read(ModelResult, document.get("models"), "models", left_out)
    if not cards or not models:
        raise ConfigError(
            Problem(
                f"found schema_version {version}, of which nothing can be compared with version {SCHEMA_VERSION}",
                path=path,
                hint="Make the report again with this release of reporter",
            )
        )
    data = _read(DataSummary, [document.get("data")], "data", left_out)
    groupings = _read(Grouping, document.get("groupings"), "groupings", left_out)
    comparisons = _read(Comparison, document.get("comparisons"), "comparisons", left_out)
    confidence = document.get("confidence")
    return Report(
        provenance=Provenance("", "", "", {}, "", "", "", {}, "", 0),
        card=cards[0],
        data=data[0] if data else DataSummary("", 0, 0, None, None, None, 0, 0),
        models=tuple(models),
        model_pairs=(),
        groupings=tuple(groupings),
        comparisons=tuple(comparisons),
        verdict=Verdict("pass"),
        confidence=confidence if isinstance(confidence, float) else 0.95,
        notes=tuple(dict.fromkeys([*left_out, *_unknown(document, Report)])),
        schema_version=version,
    )


def _read(kind: type, found: Any, place: str, left_out: list[str]) -> list[Any]:
    """Each entry that this version can read; the others and keys that it does not know are named in ``left_out``."""
    adapter: pydantic.TypeAdapter[Any] = pydantic.TypeAdapter(kind)
    made = []
    for i, entry in enumerate(found if isinstance(found, list) else []):
        if not isinstance(entry, dict):
            left_out.append(f"{place}[{i}]")
            continue
        left_out += [f"{place}.{key}" for key in _unknown(entry, kind)]
        plain = {key: value for key, value in entry.items() if key not in NOT_COMPARED}
        try:
            made.append(adapter.validate_json(json.dumps(plain), strict=True))
        except pydantic.ValidationError:
            left_out.append(f"{place}[{i}]")
    return made


def _unknown(document: dict[str, Any], kind: type) -> Iterator[str]:
    names = {field.name for field in fields(kind)}
    return (key for key in document if key not in names)
