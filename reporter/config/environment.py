"""``${NAME}`` in text values is read from the environment, and kept out of whatever is shown or stored.

Knows nothing of files or of what the keys mean, except which keys a report prints anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath

_REFERENCE = re.compile(r"(?P<escape>\$\$\{)|\$\{(?P<name>[A-Za-z_][A-Za-z0-9_]*)\}|(?P<other>\$\{)")


@dataclass(frozen=True)
class Expanded:
    """``value`` with the environment's values; ``shown`` is the same with ``${NAME}`` in their place. ``used`` names the
    variables of each path that read one; ``findings`` are the problems."""

    value: Any
    shown: Any
    used: dict[KeyPath, dict[str, str]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)


def expand(value: Any, environ: Mapping[str, str]) -> Expanded:
    """Replace ``${NAME}`` in every text of ``value``; ``$${`` stands for a literal ``${``.

    Examples
    --------
    >>> result = expand({"url": "pg://${USER}@h", "note": "$${x}"}, {"USER": "reader"})
    >>> result.value, result.shown
    ({'url': 'pg://reader@h', 'note': '${x}'}, {'url': 'pg://${USER}@h', 'note': '${x}'})
    """
    used: dict[KeyPath, dict[str, str]] = {}
    findings: list[Finding] = []

    def text(raw: str, path: KeyPath) -> tuple[str, str]:
        if "${" not in raw:
            return raw, raw

        def read(match: re.Match[str]) -> str:
            if match["escape"]:
                return "${"
            name = match["name"]
            if name is None:
                findings.append(
                    Finding(
                        path, "found '${' without a variable's name, expected ${NAME}", "Write $${ for a literal ${."
                    )
                )
                return "${"
            if name not in environ:
                findings.append(
                    Finding(path, f"the environment variable {name} is not set", f"Set {name}, or write the value.")
                )
                return match[0]
            used.setdefault(path, {})[name] = environ[name]
            return environ[name]

        expanded = _REFERENCE.sub(read, raw)
        shown = _REFERENCE.sub(lambda match: "${" if match["escape"] else match[0], raw)
        return expanded, shown

    full, shown = _both(value, (), text)
    return Expanded(full, shown, used, findings)


def _both(value: Any, path: KeyPath, text: Callable[[str, KeyPath], tuple[str, str]]) -> tuple[Any, Any]:
    if isinstance(value, str):
        return text(value, path)
    if isinstance(value, dict):
        pairs = {key: _both(inner, (*path, key), text) for key, inner in value.items()}
        return {k: pair[0] for k, pair in pairs.items()}, {k: pair[1] for k, pair in pairs.items()}
    if isinstance(value, list):
        both = [_both(inner, (*path, index), text) for index, inner in enumerate(value)]
        return [pair[0] for pair in both], [pair[1] for pair in both]
    return value, value


_ADDRESSES = frozenset(("baseline", "archive", "sealed_archive", "allowed_signers", "output"))


def is_printed(path: KeyPath) -> bool:
    """Whether a report prints this key's value. Then a record must hold it to be replayed; an address may hold a password.

    >>> is_printed(("card", "version")), is_printed(("data", "source", "url")), is_printed(("noise", "predictor", "http"))
    (True, False, False)
    """
    return not (path[:1] and path[0] in _ADDRESSES) and path[:2] != ("data", "source") and "predictor" not in path


def redact(text: str, secrets: Mapping[str, str]) -> str:
    """``text`` with the values of ``secrets`` (variable -> value) replaced by ``${NAME}`` and passwords and queries of URLs by ``***``.

    >>> redact("cannot open pg://reader:hunter2@h", {"PW": "hunter2"})
    'cannot open pg://reader:${PW}@h'
    >>> redact("cannot open pg://reader:hunter2@h", {})
    'cannot open pg://reader:***@h'
    >>> redact("cannot read https://h/report.json?sig=abc: forbidden", {})
    'cannot read https://h/report.json?***: forbidden'
    """
    from urllib.parse import quote, unquote

    for name, value in sorted(secrets.items(), key=lambda pair: -len(pair[1])):
        if len(value) < 2:
            continue  # one character gives nothing away and stands in every word
        for form in {value, unquote(value), quote(value, safe="")}:
            # a short value is replaced only where it stands alone, or it would eat other words
            pattern = re.escape(form) if len(form) >= 4 else rf"(?<!\w){re.escape(form)}(?!\w)"
            text = re.sub(pattern, lambda _: f"${{{name}}}", text)  # noqa: B023 - called before the next turn
    text = URL_PASSWORD.sub(lambda match: f"{match['before']}***@" if "${" not in match["password"] else match[0], text)
    return _URL_QUERY.sub(
        lambda match: match[0] if _ONLY_NAMES.fullmatch(match["query"]) else f"{match['before']}***", text
    )


URL_PASSWORD = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^/@:\s]*:)(?P<password>[^/\s]+)@")
# A query can hold a signature or a token. What ends the sentence around the URL is not a part of it.
_URL_QUERY = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^\s?'\"]*\?)(?P<query>[^\s'\"]*[^\s'\":.,;)])")
_ONLY_NAMES = re.compile(r"\*\*\*|(?:(?:[\w.-]+=)?\$\{\w+\}&?)+")
