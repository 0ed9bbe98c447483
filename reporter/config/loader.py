"""YAML text to Config, or every problem at once with its file, line and column.

The steps: text to values with positions, ``--set``, the environment, the schema, and what keys say of each other. Opens no
data: what the data have to say comes in a second pass, which uses :meth:`LoadedConfig.problem`.
"""

from __future__ import annotations

import datetime
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reporter.config.checks import cross_check, settle
from reporter.config.environment import Expanded, expand, is_printed, redact
from reporter.config.explain import findings_of
from reporter.config.findings import Finding, Where
from reporter.config.keypath import KeyPath, path_text, read_path
from reporter.config.overrides import apply_overrides
from reporter.config.schema import Config
from reporter.config.yaml_lines import YamlDocument, read_yaml
from reporter.config.yaml_nodes import MAX_DEPTH, Place
from reporter.errors import ConfigError, Problem


@dataclass(frozen=True)
class LoadedConfig:
    """A config that was accepted, with what is needed to speak about it.

    ``public`` is the whole config as plain JSON values: defaults and ``--set`` included, ``${NAME}`` unexpanded wherever a
    report does not print the value anyway (under card, models, groups and the like the record holds what the card shows).
    ``text`` is the file's exact bytes, for a mapping its JSON. Paths in the config are relative to ``base``.
    ``positions`` holds (line, column), from 1, of each value by its key's path, e.g. ``flags.rules[0].metric``.
    """

    config: Config = field(repr=False)
    public: dict[str, Any]
    path: Path | None
    text: bytes = field(repr=False)
    positions: Mapping[str, Place] = field(repr=False)
    base: Path
    secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    set_keys: frozenset[KeyPath] = field(default_factory=frozenset, repr=False)

    def problem(self, key: str, message: str, hint: str = "") -> Problem:
        """A problem of ``key``, at its position or at that of the nearest key around it. Secrets are replaced by ``${NAME}``."""
        where = Where(str(self.path) if self.path else "", self.positions, changed=self.set_keys)
        return where.problem(Finding(read_path(key) or (), self.redact(message), self.redact(hint)))

    def redact(self, text: str) -> str:
        """``text`` without the values that came from the environment and without passwords of URLs."""
        return redact(text, self.secrets)


def load_config(
    source: str | os.PathLike[str] | Mapping[str, Any], *, overrides: Sequence[str] = (), environ: Mapping[str, str]
) -> LoadedConfig:
    """Read and check a config.

    ``source`` is a YAML file, or the same keys as a mapping (paths are then relative to the working directory).
    ``overrides`` are ``key=value`` texts, values in YAML. ``environ`` answers ``${NAME}``.

    Raises
    ------
    ConfigError
        with every problem of the text, the schema and the cross-references.

    Examples
    --------
    >>> loaded = load_config(
    ...     {"data": {"source": "p.csv", "label": "ill"}, "models": [{"name": "2.4", "score": "risk"}]},
    ...     overrides=["models[0].threshold=0.3"], environ={})
    >>> loaded.config.models[0].threshold
    0.3
    """
    if isinstance(source, Mapping):
        path, name, base = None, "", Path.cwd()
        document, text = _from_mapping(source)
    elif not isinstance(source, str | os.PathLike):
        from reporter.stats.delta_options import as_found

        message = f"found {as_found(source)}, expected a YAML file's path or a mapping with at least data and models"
        raise ConfigError(Problem(message, key="config"))
    else:
        path = Path(source)
        name, base = str(path), path.resolve().parent
        text = _read(path)
        document = read_yaml(text, name)
    _refuse_if_unreadable(document, name)
    value, set_texts, problems = apply_overrides(document.value, overrides)
    written = {
        **_without(document.written, set_texts),
        **{k: v for texts in set_texts.values() for k, v in texts.items()},
    }
    expanded = expand(value, environ)
    where = Where(name, _texts(document.places), _texts(document.keys), frozenset(set_texts))
    config, findings = _validate(expanded, written)
    findings += [*expanded.findings, *cross_check(expanded.value, expanded.shown, base)]
    if path is None:
        # What could not be read as plain values stands as nothing in the document: that is one problem, not two.
        unread = {problem.key for problem in document.problems}
        findings = [finding for finding in findings if path_text(finding.path) not in unread]
    every = [*document.problems, *problems, *(where.problem(finding) for finding in findings)]
    if every or config is None:
        secrets = {k: v for used in expanded.used.values() for k, v in used.items()}
        raise ConfigError.of(_ordered([_redacted(problem, secrets) for problem in every]))
    config = settle(config)
    return LoadedConfig(
        config=config,
        public=_public(config, expanded),
        path=path,
        text=text,
        positions=where.values,
        base=base,
        secrets=_secrets(expanded),
        set_keys=frozenset(set_texts),
    )


def config_from_public(public: Mapping[str, Any]) -> Config:
    """The config of a stored ``public``; what came from the environment stays as ``${NAME}``.

    Raises :class:`~reporter.errors.ConfigError` when ``public`` is not one that :func:`load_config` made.
    """
    try:
        return Config.model_validate(dict(public))
    except ValidationError as error:
        where = Where("", {})
        problems = [where.problem(finding) for finding in findings_of(error, public, {})]
        raise ConfigError.of(problems) from None


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise ConfigError(
            Problem("found no such file", "`reporter init DATA` writes a first config.", path=str(path))
        ) from None
    except OSError as error:
        raise ConfigError(Problem(f"cannot be read: {error.strerror}", path=str(path))) from None


def _from_mapping(source: Mapping[str, Any]) -> tuple[YamlDocument, bytes]:
    problems: list[Problem] = []
    value = _plain(source, (), problems)
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) if not problems else ""
    return YamlDocument(value, problems=problems), text.encode() + b"\n"


def _plain(value: Any, path: KeyPath, problems: list[Problem]) -> Any:
    """A Python value as plain JSON values."""
    if len(path) > MAX_DEPTH:
        problems.append(Problem(f"found values nested more than {MAX_DEPTH} deep", key=path_text(path[:3])))
        return None
    if isinstance(value, Mapping):
        names = {key: str(key) for key in value}
        for name in names.values():
            _plain(name, (*path, ascii(name)), problems)
        return {names[key]: _plain(inner, (*path, names[key]), problems) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner, (*path, index), problems) for index, inner in enumerate(value)]
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, datetime.date):
        return value.isoformat()
    if value.__class__.__module__ == "numpy" and hasattr(value, "tolist"):
        return _plain(value.tolist(), path, problems)
    if isinstance(value, float) and (value != value or abs(value) == float("inf")):
        problems.append(Problem(f"found the number {value}, expected a finite number", key=path_text(path)))
        return None
    if isinstance(value, str) and any("\ud800" <= character <= "\udfff" for character in value):
        message = f"found {value!a}, which is not Unicode (half of a pair of surrogates)"
        problems.append(Problem(message, key=path_text(path)))
        return None
    if value is None or isinstance(value, str | bool | int | float):
        return value
    problems.append(
        Problem(
            f"found a {type(value).__name__}, expected text, a number, true, false, a list or a mapping",
            key=path_text(path),
        )
    )
    return None


def _refuse_if_unreadable(document: YamlDocument, name: str) -> None:
    if isinstance(document.value, dict):
        return
    if document.problems:
        raise ConfigError.of(document.problems)
    if document.value is None:
        found, hint = "found an empty file", "`reporter init DATA` writes a first config."
    else:
        found = "found a list" if isinstance(document.value, list) else "found one value"
        hint = "Begin with data: and models:."
    line, column = document.places.get((), (1, 1))
    problem = Problem(
        f"{found}, expected a mapping with at least data and models", hint, path=name, line=line, column=column
    )
    raise ConfigError(problem)


def _without(written: Mapping[KeyPath, str], replaced: Mapping[KeyPath, Any]) -> dict[KeyPath, str]:
    return {path: text for path, text in written.items() if not any(path[: len(r)] == r for r in replaced)}


def _validate(expanded: Expanded, written: Mapping[KeyPath, str]) -> tuple[Config | None, list[Finding]]:
    try:
        return Config.model_validate(expanded.value), []
    except ValidationError as error:
        # a variable that is not set is one problem, not two
        unset = {finding.path for finding in expanded.findings}
        return None, [f for f in findings_of(error, expanded.shown, written) if f.path not in unset]


def _public(config: Config, expanded: Expanded) -> dict[str, Any]:
    public: dict[str, Any] = config.model_dump(mode="json", by_alias=True)
    for path in expanded.used:
        if not is_printed(path):
            here: Any = public
            shown: Any = expanded.shown
            for step in path[:-1]:
                here, shown = here[step], shown[step]
            here[path[-1]] = shown[path[-1]]
    return public


def _secrets(expanded: Expanded) -> dict[str, str]:
    return {name: value for path, used in expanded.used.items() if not is_printed(path) for name, value in used.items()}


def _redacted(problem: Problem, secrets: Mapping[str, str]) -> Problem:
    return Problem(
        redact(problem.message, secrets),
        redact(problem.hint, secrets),
        path=problem.path,
        line=problem.line,
        column=problem.column,
        key=problem.key,
    )


def _ordered(problems: list[Problem]) -> list[Problem]:
    """In the order of the file; what has no line comes last."""
    unique = list(dict.fromkeys(problems))
    return sorted(unique, key=lambda p: (p.line is None, p.line or 0, p.column or 0))


def _texts(places: Mapping[KeyPath, Place]) -> dict[str, Place]:
    return {path_text(path): place for path, place in places.items()}
