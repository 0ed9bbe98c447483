"""What the schema refuses, in words: what was found, what was expected, what to do.

Values are described as they were written, with ``${NAME}`` unexpanded. Knows pydantic's error types and nothing of files.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ValidationError

from reporter.config.environment import redact
from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath
from reporter.config.schema_walk import field_at, homes_of_keys, keys_of, section_at
from reporter.config.values import WrittenFloat, WrittenInt


def findings_of(error: ValidationError, shown: Any, written: Mapping[KeyPath, str]) -> list[Finding]:
    """One finding for each mistake. ``shown`` is the document with ``${NAME}`` unexpanded, ``written`` the text of plain scalars.

    Examples
    --------
    >>> from reporter.config.schema import Levels
    >>> document = {"step": "no"}
    >>> try:
    ...     Levels.model_validate(document)
    ... except ValidationError as error:
    ...     findings_of(error, document, {})[0].message
    "found the text 'no', expected a number"
    """
    findings: list[Finding] = []
    for details in error.errors(include_url=False):
        path = tuple(step for step in details["loc"] if not (isinstance(step, str) and step.startswith("shape:")))
        is_key = bool(path) and path[-1] == "[key]"
        if is_key:
            path = path[:-1]
        finding = _explain(details["type"], dict(details.get("ctx", {})), details["msg"], path, shown, written, is_key)
        if finding is not None and finding not in findings:
            findings.append(finding)
    return findings


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A hint that names the nearest of ``known``, or nothing.

    >>> did_you_mean("fnrr", ["fpr", "fnr"])
    "Did you mean 'fnr'?"
    """
    known = list(known)
    folded = {option.casefold(): option for option in reversed(known)}
    near = difflib.get_close_matches(name.casefold(), folded, n=1, cutoff=0.6)
    return f"Did you mean {folded[near[0]]!r}?" if near else ""


def describe(value: Any, written: str | None = None) -> str:
    """A value in words, shortened, without passwords.

    >>> describe("0123"), describe(True, "True"), describe(None), describe([1, 2])
    ("the text '0123'", 'True (a truth value)', 'nothing', 'a list')
    """
    if value is None:
        return "nothing" if not written else f"{written} (nothing)"
    if isinstance(value, bool):
        return f"{written or str(value).lower()} (a truth value)"
    if isinstance(value, WrittenInt | WrittenFloat):
        return f"the number {value.written}"
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, str):
        return f"the text {quoted(value)}" if value else "an empty text"
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list"


def quoted(text: str) -> str:
    """A text in quotes, shortened to 60 characters, without passwords."""
    text = redact(text, {})
    return repr(text if len(text) <= 60 else f"{text[:57]}...")


def value_at(path: KeyPath, document: Any) -> Any:
    """The value at ``path``, None where there is none."""
    for step in path:
        inside = isinstance(document, Mapping) or (isinstance(document, list | tuple) and isinstance(step, int))
        if not inside:
            return None
        try:
            document = document[step]
        except (KeyError, IndexError):
            return None
    return document


def _explain(
    kind: str,
    context: dict[str, Any],
    text: str,
    path: KeyPath,
    shown: Any,
    written: Mapping[KeyPath, str],
    is_key: bool,
) -> Finding | None:
    value = value_at(path, shown)
    found = "an empty name" if is_key else describe(value, written.get(path))
    if kind == "missing":
        field = field_at(path, shown)
        return Finding(path, "this key is required, and missing", _first_sentence(field.description if field else None))
    if kind == "extra_forbidden":
        return Finding(path, "unknown key", _about_unknown_key(path, shown), at_key=True)
    if kind == "value_error":
        message, _, hint = str(context["error"]).partition("; ")
        return Finding(path, message, _sentence(hint))
    if kind == "literal_error":
        options = re.findall(r"'([^']*)'|(\d+)", str(context["expected"]))
        names = [first or second for first, second in options]
        expected = names[0] if len(names) == 1 else f"one of {', '.join(names)}"
        hint = did_you_mean(value, names) if isinstance(value, str) else ""
        return Finding(path, f"found {found}, expected {expected}", hint)
    expected = _EXPECTED[kind].format(**context) if kind in _EXPECTED else ""
    if kind == "shape":
        expected = text
    if kind == "string_pattern_mismatch":
        expected = _pattern(context["pattern"])
    if kind in ("too_short", "too_long") and isinstance(value, list | dict):
        if context.get("min_length", 0) <= len(value) <= context.get("max_length", len(value)):
            return None  # the entries are enough, but wrong, and each is reported itself
        found = f"{len(value)} entries" if len(value) != 1 else "1 entry"
    if not expected:
        return Finding(path, f"found {found}: {text[:1].lower()}{text[1:]}", "")
    return Finding(path, f"found {found}, expected {expected}", _hint(kind, value, written.get(path)))


_NUMBER_BOUNDS = {
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "less_than": "a number below {lt:g}",
    "less_than_equal": "a number of at most {le:g}",
}
_EXPECTED = {
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "string_unicode": "a text of whole characters, not half of a pair of surrogates",
    "float_type": "a number",
    "finite_number": "a finite number",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "dict_type": "a mapping (key: value)",
    "model_type": "a mapping (key: value)",
    "model_attributes_type": "a mapping (key: value)",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "date_from_datetime_parsing": "a day of the calendar",
    **_NUMBER_BOUNDS,
}


def _pattern(pattern: str) -> str:
    if "[0-9a-f]{64}" in pattern:
        return "a SHA-256: 64 digits from 0-9 and a-f"
    if "auto" in pattern:
        return "auto or one character"
    return "a language tag such as en or pt-BR"


def _hint(kind: str, value: Any, written: str | None) -> str:
    if value is None and written:
        return f'If it is text, quote it: "{written}".'
    if value is None and kind not in ("string_too_short", "value_error"):
        return "Write a value, or leave it out."
    if isinstance(value, str) and "${" in value and kind != "string_too_short":
        return "The environment gives text only; set this key by --set instead."
    if kind == "shape" and isinstance(value, str) and _DAY.fullmatch(value):
        return "There is no such day."
    if kind in ("string_type", "shape") and isinstance(value, bool):
        return f'If it is text, quote it: "{written or str(value).lower()}".'
    if kind in ("bool_type",) and isinstance(value, str):
        return "Write true or false, without quotes." if value.casefold() in _TRUTHS else ""
    if kind in ("float_type", "int_type") and isinstance(value, str):
        return _about_number(value, written)
    if kind in ("tuple_type", "list_type") and isinstance(value, str | int | float):
        return f"Put it in brackets: [{written if written is not None else value}]."
    return ""


_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_TRUTHS = frozenset(("yes", "no", "on", "off", "y", "n", "true", "false"))


def _about_number(text: str, written: str | None) -> str:
    if re.fullmatch(r"[-+]?(\d+|\d*\.\d+)([eE][-+]?\d+)?", text):
        if re.match(r"[-+]?0\d", text):
            return "Remove the leading zero."
        return "The number is too large." if written == text else "Write it without quotes."
    if re.fullmatch(r"[-+]?\d+,\d+", text):
        return f"Write a decimal point: {text.replace(',', '.')}."
    if match := re.fullmatch(r"(\d+(?:\.\d+)?) ?%", text):
        return f"Write a proportion: {float(match[1]) / 100:g}."
    if re.fullmatch(r"\d[\d_]*", text):
        return f"Write it without underscores: {text.replace('_', '')}."
    return ""


def _about_unknown_key(path: KeyPath, shown: Any) -> str:
    section = section_at(path[:-1], shown)
    key = str(path[-1])
    allowed = list(keys_of(section)) if section is not None else []
    near = did_you_mean(key, allowed)
    if key.isdigit():
        near = "Is this a decimal comma? Write a point."
    elif not near:
        elsewhere = difflib.get_close_matches(key, homes_of_keys(), n=1, cutoff=0.8)
        homes = homes_of_keys()[elsewhere[0]] if elsewhere else ()
        if len(path) > 1 and homes == (key,):
            near = f"{key} stands at the top level of a config, beside data and models."
        else:
            near = f"Did you mean {' or '.join(homes)}?" if 0 < len(homes) <= 3 else ""
    return f"{near} Allowed here: {', '.join(allowed)}.".strip()


def _first_sentence(text: str | None) -> str:
    if not text:
        return ""
    return text.split(". ")[0].rstrip(".") + "."


def _sentence(text: str) -> str:
    if not text:
        return ""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}{'' if text.endswith('?') else '.'}"
