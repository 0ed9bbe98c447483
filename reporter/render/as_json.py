"""A Report as canonical JSON (RFC 8785) and back, by the declarations of ``reporter.results`` alone.

The text is strict (no NaN, no infinity), the same bytes for the same Report on every machine, and complete: reading it gives
an equal Report. It knows nothing of files, clocks, or what any number means.
"""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pydantic
import rfc8785

from reporter.errors import ConfigError, Problem
from reporter.render.report_checks import contradictions
from reporter.results import SCHEMA_VERSION, Estimate, Report

MOST_PROBLEMS = 20
SCHEMA_ID = f"urn:model-card-reporter:report:{SCHEMA_VERSION}"


def report_to_json(report: Report) -> str:
    """The report as canonical JSON, with a newline at its end.

    Keys are sorted and numbers written as RFC 8785 says, so equal reports give equal text. Undefined numbers are ``null``
    beside their reason.

    Raises
    ------
    ValueError
        A number is NaN, infinite or a whole number beyond 2**53, or a text holds half a surrogate pair: the message names
        its place (``groupings[0].results[3].metrics.fpr.value``).
    TypeError
        A value has no JSON form; the message names its place.
    """
    return canonical_json(report)


def report_from_json(text: str | bytes) -> Report:
    """The Report that ``report_to_json`` wrote. All problems are told at once, each with its place (at most 20,
    with the number of the others).

    Raises
    ------
    ConfigError
        The text is not JSON, has another ``schema_version``, lacks fields, has unknown ones or values of another kind, or its parts
        contradict each other.
    """
    document = _parse(text)
    if not isinstance(document, dict) or "schema_version" not in document:
        raise ConfigError(
            Problem("not a report: it has no schema_version", hint="Give a report.json that `reporter run` wrote")
        )
    version = document["schema_version"]
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise ConfigError(
            Problem(
                f"found version {json.dumps(version)}, expected {SCHEMA_VERSION}",
                key="schema_version",
                hint="Render it with the release of reporter that wrote it, or run the config again",
            )
        )
    try:
        report = _adapter().validate_json(text, strict=True)
    except pydantic.ValidationError as error:
        raise ConfigError(*_first([_problem(detail) for detail in error.errors(include_url=False)])) from None
    hint = "The file was changed, or a newer release of reporter wrote it"
    unknown = [Problem("unknown key", key=key, hint=hint) for key in _unknown_keys(document, report, "")]
    found = unknown or list(contradictions(report))
    if found:
        raise ConfigError(*_first(found))
    return _in_order(report)


def _in_order(report: Report) -> Report:
    """With each mapping of metrics in the order of the settings, as the run had them; canonical JSON sorts keys by letter."""
    names = report.settings.get("metrics")
    place = {name: i for i, name in enumerate(names)} if isinstance(names, list) else {}

    def ordered(metrics: dict[str, Estimate]) -> dict[str, Estimate]:
        return {name: metrics[name] for name in sorted(metrics, key=lambda name: place.get(name, len(place)))}

    return replace(
        report,
        models=tuple(replace(model, metrics=ordered(model.metrics)) for model in report.models),
        model_pairs=tuple(replace(pair, differences=ordered(pair.differences)) for pair in report.model_pairs),
        groupings=tuple(
            replace(grouping, results=tuple(replace(one, metrics=ordered(one.metrics)) for one in grouping.results))
            for grouping in report.groupings
        ),
    )


def read_report(path: Path) -> Report:
    """The Report in a file that ``report_to_json`` wrote; every problem names the file."""
    try:
        return report_from_json(path.read_bytes())
    except OSError as error:
        raise ConfigError(Problem(f"cannot be read: {error.strerror}", path=str(path))) from None
    except ConfigError as error:
        raise ConfigError(*(replace(problem, path=str(path)) for problem in error.problems)) from None


def report_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that every ``report.json`` of this version fulfils.

    Examples
    --------
    >>> report_schema()["properties"]["schema_version"]
    {'const': 1}
    """
    schema = _adapter().json_schema(mode="serialization", ref_template="#/$defs/{model}")
    for definition in (schema, *schema["$defs"].values()):
        if "properties" in definition:  # every field is always written, so none is optional
            definition["required"] = list(definition["properties"])
            definition["additionalProperties"] = False
            for field in definition["properties"].values():
                field.pop("default", None)
    schema["properties"]["schema_version"] = {"const": SCHEMA_VERSION}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        "title": "Report",
        **{key: value for key, value in schema.items() if key != "title"},
    }


def canonical_json(value: object) -> str:
    """Dataclasses, mappings, sequences and numbers as one line of canonical JSON and a newline; errors as ``report_to_json``.

    Examples
    --------
    >>> canonical_json({"b": 1.0, "a": [None, 1e-7]})
    '{"a":[null,1e-7],"b":1}\\n'
    """
    return rfc8785.dumps(_plain(value, "")).decode() + "\n"


def _parse(text: str | bytes) -> Any:
    def refuse(name: str) -> None:
        raise ConfigError(Problem(f"not strict JSON: it holds {name}"))

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise ConfigError(
            Problem(f"not JSON: {error.msg}", line=error.lineno, column=error.colno, hint="The file may be cut short")
        ) from None
    except RecursionError:
        raise ConfigError(Problem("not a report: its values are nested too deep")) from None
    except UnicodeDecodeError as error:
        raise ConfigError(Problem(f"not JSON: it is not UTF-8 text ({error.reason})")) from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) < len(pairs):
        names = [name for name, _ in pairs]
        raise ConfigError(
            Problem("not strict JSON: a key occurs twice", key=next(n for n in names if names.count(n) > 1))
        )
    return document


@cache
def _adapter() -> pydantic.TypeAdapter[Report]:
    return pydantic.TypeAdapter(Report)


def _plain(value: Any, place: str) -> Any:
    """Plain JSON values; numbers of other libraries become Python's own."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _text(value, place)
    if isinstance(value, numbers.Integral):
        if abs(whole := int(value)) > 2**53 - 1:
            raise ValueError(f"{place}: {whole} is too large for a JSON number")
        return whole
    if isinstance(value, numbers.Real):
        if not math.isfinite(number := float(value)):
            raise ValueError(f"{place}: {number} has no JSON form; undefined numbers are None with a reason")
        return number
    if isinstance(value, Mapping):
        return {_text(_key(name, place), place): _plain(item, f"{place}.{name}") for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = (field.name for field in dataclasses.fields(value))
        return {name: _plain(getattr(value, name), f"{place}.{name}" if place else name) for name in names}
    raise TypeError(f"{place or 'value'}: {type(value).__name__} has no JSON form")


def _text(text: str, place: str) -> str:
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise ValueError(f"{place}: {text!r} is not Unicode text (half a surrogate pair)")
    return text


def _key(name: object, place: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{place}: the key {name!r} is not text")
    return name


def _first(problems: list[Problem]) -> list[Problem]:
    more = len(problems) - MOST_PROBLEMS
    return problems if more <= 0 else [*problems[:MOST_PROBLEMS], Problem(f"and {more:,} more")]


def _problem(detail: Any) -> Problem:
    place = ""
    for part in detail["loc"]:
        place += f"[{part}]" if isinstance(part, int) else f".{part}" if place else str(part)
    return Problem(detail["msg"], key=place)


def _unknown_keys(document: Any, value: Any, place: str) -> Iterator[str]:
    """The keys of ``document`` that reading left behind: a report with other content must not pass for this one."""
    if dataclasses.is_dataclass(value):
        names = {field.name for field in dataclasses.fields(value)}
        for name, item in document.items():
            inner = f"{place}.{name}" if place else name
            if name in names:
                yield from _unknown_keys(item, getattr(value, name), inner)
            else:
                yield inner
    elif isinstance(value, Mapping):
        for name, item in document.items():
            yield from _unknown_keys(item, value[name], f"{place}.{name}")
    elif isinstance(value, (list, tuple)):
        for i, (item, inner_value) in enumerate(zip(document, value, strict=True)):
            yield from _unknown_keys(item, inner_value, f"{place}[{i}]")
