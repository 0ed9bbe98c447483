"""Which class and key of the schema a path of a config belongs to.

Knows the schema's classes and nothing of their meaning.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from reporter.config.keypath import KeyPath
from reporter.config.schema import Config


def keys_of(section: type[BaseModel]) -> dict[str, FieldInfo]:
    """Key as written in YAML -> its field.

    >>> from reporter.config.schema import Levels
    >>> list(keys_of(Levels))
    ['from', 'to', 'step']
    """
    return {field.alias or name: field for name, field in section.model_fields.items()}


def sections_in(annotation: Any) -> tuple[type[BaseModel], ...]:
    """The sections that a value of this type can hold, directly or in a list, a union or as values of a mapping."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return (annotation,)
    return tuple(dict.fromkeys(section for part in get_args(annotation) for section in sections_in(part)))


def section_at(path: KeyPath, document: Any) -> type[BaseModel] | None:
    """The section whose keys stand in the mapping at ``path`` of ``document``.

    >>> section_at(("models", 0), {"models": [{}]}).__name__
    'ModelConfig'
    """
    annotation: Any = Config
    value = document
    for step in path:
        annotation = _inner(annotation, step, value)
        value = _child(value, step)
        if annotation is None:
            return None
    return _choose(_direct(annotation), value)


def field_at(path: KeyPath, document: Any) -> FieldInfo | None:
    """The field that the last key of ``path`` is, None for an item of a list or an unknown key."""
    if not path or isinstance(path[-1], int):
        return None
    section = section_at(path[:-1], document)
    return None if section is None else keys_of(section).get(path[-1])


@cache
def homes_of_keys() -> dict[str, tuple[str, ...]]:
    """Key -> the paths where it is allowed, lists written as ``models[]``.

    >>> homes_of_keys()["threshold"]
    ('models[].threshold',)
    """
    homes: dict[str, list[str]] = {}
    for path, _, key, _ in walk():
        homes.setdefault(key, []).append(f"{path}.{key}" if path else key)
    return {key: tuple(dict.fromkeys(paths)) for key, paths in homes.items()}


def walk(section: type[BaseModel] = Config, path: str = "") -> Iterator[tuple[str, type[BaseModel], str, FieldInfo]]:
    """Every key of the schema, depth first: (path of its mapping, section, key, field)."""
    for key, field in keys_of(section).items():
        yield path, section, key, field
        for inner, suffix in _nested(field.annotation):
            yield from walk(inner, f"{path}.{key}{suffix}" if path else f"{key}{suffix}")


def _nested(annotation: Any, suffix: str = "") -> Iterator[tuple[type[BaseModel], str]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, suffix
        return
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin in (tuple, list):
        suffix += "[]"
    elif origin is dict:
        suffix += ".*"
    for part in parts:
        yield from _nested(part, suffix)


def _direct(annotation: Any) -> list[Any]:
    """The members of a union, without their annotations."""
    if isinstance(annotation, type):
        return [annotation]
    if hasattr(annotation, "__metadata__"):
        return _direct(get_args(annotation)[0])
    if get_origin(annotation) in (tuple, list, dict):
        return [annotation]
    return [member for part in get_args(annotation) for member in _direct(part)]


def _choose(members: list[Any], value: Any) -> type[BaseModel] | None:
    sections = [member for member in members if isinstance(member, type) and issubclass(member, BaseModel)]
    if len(sections) > 1 and isinstance(value, Mapping):
        wants_columns = "columns" in value and "column" not in value
        sections = [s for s in sections if ("columns" in s.model_fields) == wants_columns] or sections
    return sections[0] if sections else None


def _inner(annotation: Any, step: str | int, value: Any) -> Any:
    members = _direct(annotation)
    for member in members:
        origin, parts = get_origin(member), get_args(member)
        if isinstance(step, int) and origin in (tuple, list):
            return parts[0]
        if isinstance(step, str) and origin is dict:
            return parts[1]
    if isinstance(step, str):
        section = _choose(members, value)
        if section is not None and step in keys_of(section):
            return keys_of(section)[step].annotation
    return None


def _child(value: Any, step: str | int) -> Any:
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return None
