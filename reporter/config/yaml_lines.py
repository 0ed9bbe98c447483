"""YAML text to plain values and the line and column of each, with every fault of the text as a problem.

PyYAML parses; this file decides what a plain scalar means, because YAML 1.1 turns ``NO`` into false and ``0123`` into 83. Here
only ``true``, ``false``, ``null`` and decimal numbers are more than text. Aliases and merge keys work within stated bounds; tags
are refused. Knows nothing of the config's keys.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import yaml

from reporter.config.keypath import KeyPath, path_text
from reporter.config.values import MAX_INTEGER, WrittenFloat, WrittenInt
from reporter.errors import Problem

MAX_BYTES = 1 << 20
MAX_DEPTH = 40
MAX_VALUES = 100_000

Place = tuple[int, int]


@dataclass(frozen=True)
class YamlDocument:
    """What a YAML text says. ``places`` holds the (line, column) of scalars and of the keys of mappings and lists, ``keys``
    those of every key; both count from 1. ``written`` is a plain scalar's text. ``value`` is None when nothing could be read."""

    value: Any = None
    places: dict[KeyPath, Place] = field(default_factory=dict)
    keys: dict[KeyPath, Place] = field(default_factory=dict)
    written: dict[KeyPath, str] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)


def read_yaml(data: bytes, name: str) -> YamlDocument:
    """The document in ``data``; ``name`` stands before the line in problems.

    Examples
    --------
    >>> document = read_yaml(b"reference: NO\\nalpha: 1e-2\\npositive: 0123\\n", "a.yaml")
    >>> document.value
    {'reference': 'NO', 'alpha': 0.01, 'positive': '0123'}
    >>> document.places["alpha",]
    (2, 8)
    """
    document = YamlDocument()
    try:
        root = _compose(_decode(data))
        value = _Builder(document, name).build(root, ()) if root is not None else None
    except _FaultError as fault:
        document.problems.append(fault.problem(name))
        return document
    return YamlDocument(value, document.places, document.keys, document.written, document.problems)


def plain_value(text: str) -> Any:
    """What a scalar without quotes means.

    >>> [plain_value(text) for text in ("true", "NO", "0123", "1e-2", "1_000", "0x1F", "~", "2027-03-31")]
    [True, 'NO', '0123', 0.01, '1_000', '0x1F', None, '2027-03-31']
    """
    if text in _WORDS:
        return _WORDS[text]
    if len(text) <= _MAX_DIGITS:
        if _INTEGER.fullmatch(text):
            return WrittenInt.read(text) if abs(int(text)) <= MAX_INTEGER else text
        if _DECIMAL.fullmatch(text):
            number = WrittenFloat.read(text)
            return number if abs(number) != float("inf") else text
    return text


_WORDS: dict[str, Any] = {
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
}
_MAX_DIGITS = 400
_INTEGER = re.compile(r"[-+]?(0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?")


class _FaultError(Exception):
    """The text cannot be read any further."""

    def __init__(self, message: str, hint: str, place: Place | None) -> None:
        super().__init__(message)
        self.message, self.hint, self.place = message, hint, place

    def problem(self, name: str) -> Problem:
        line, column = self.place or (None, None)
        return Problem(self.message, self.hint, path=name, line=line, column=column)


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise _FaultError(
            f"found a file of {len(data):,} bytes, expected a config of at most {MAX_BYTES:,}",
            "Is this the data file?",
            None,
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise _FaultError("found UTF-16, expected UTF-8", "Save the file as UTF-8.", (1, 1))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line_start = before.rfind("\n") + 1
        raise _FaultError(
            f"found the byte 0x{data[error.start]:02X}, which is not UTF-8",
            "Save the file as UTF-8.",
            (before.count("\n") + 1, len(before) - line_start + 1),
        ) from None


@dataclass(frozen=True, slots=True)
class _Scalar:
    value: Any
    written: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class _List:
    items: list[_Node]
    place: Place


@dataclass(frozen=True, slots=True)
class _Mapping:
    items: list[tuple[_Scalar, _Node]]
    place: Place


_Node = _Scalar | _List | _Mapping


def _compose(text: str) -> _Node | None:
    try:
        return _Composer(yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = (before.count("\n") + 1, error.position - before.rfind("\n"))
        raise _FaultError(
            f"found the control character U+{ord(text[error.position]):04X}", "Remove it.", place
        ) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        message = error.problem or "not valid YAML"
        raise _FaultError(*_in_words(message), _place(mark) if mark else None) from None
    except RecursionError:  # pragma: no cover - the depth is bounded below the interpreter's limit
        raise _FaultError("found values nested too deeply", "", None) from None


def _in_words(message: str) -> tuple[str, str]:
    for words, said, hint in _SYNTAX:
        if words in message:
            return said, hint
    return f"not valid YAML: {message}", ""


# PyYAML's words -> ours; the first that matches counts
_SYNTAX = (
    ("'\\t' that cannot start", "found a tab, expected spaces", "YAML is indented with spaces only."),
    (
        "'@' that cannot start",
        "found a text that begins with @",
        "Quote it.",
    ),
    ("'`' that cannot start", "found a text that begins with `", "Quote it."),
    ("'%' that cannot start", "found a text that begins with %", "Quote it."),
    (
        "mapping values are not allowed here",
        "found a second ': ' in one line",
        'Quote the text (key: "a: b"), or begin a new line.',
    ),
    ("could not find expected ':'", "found a line without ': ', expected key: value", "Is the indentation right?"),
    (
        "found unexpected end of stream",
        "found the end of the file inside quotes",
        "Close the quotation mark.",
    ),
    ("found undefined alias", "found an alias (*name) of an anchor (&name) that is not above it", ""),
    ("expected <block end>", "found a line that is indented differently from its neighbours", "Align it with them."),
    (
        "expected ',' or '}'",
        "found a mapping in { } that is not closed, or lacks a comma",
        "Separate entries with commas; quote texts that hold { } [ ] or commas.",
    ),
    (
        "expected ',' or ']'",
        "found a list in [ ] that is not closed, or lacks a comma",
        "Separate entries with commas; quote texts that hold { } [ ] or commas.",
    ),
)


def _place(mark: Any) -> Place:
    return mark.line + 1, mark.column + 1


class _Composer:
    """Events to nodes. An anchor is known once its value is complete, so nothing can contain itself."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._anchors: dict[str, _Node] = {}
        self._open: set[str] = set()

    def document(self) -> _Node | None:
        next(self._events)  # the stream starts
        first = next(self._events)
        if isinstance(first, yaml.StreamEndEvent):
            return None
        root = self._node(next(self._events), 0)
        next(self._events)  # the document ends
        after = next(self._events)
        if isinstance(after, yaml.DocumentStartEvent):
            raise _FaultError("found a second document (---)", "A config is one document.", _place(after.start_mark))
        return root

    def _node(self, event: Any, depth: int) -> _Node:
        place = _place(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor in self._open:
                raise _FaultError(f"found *{event.anchor} inside &{event.anchor}: it would contain itself", "", place)
            if event.anchor not in self._anchors:
                raise _FaultError(
                    f"found *{event.anchor}, but no &{event.anchor} above it",
                    'A text that begins with * needs quotes: "*".',
                    place,
                )
            return self._anchors[event.anchor]
        if event.tag is not None and event.tag != "!":
            raise _FaultError(
                f"found the tag {event.tag}, expected none", "Remove it; quote what is to stay text.", place
            )
        if depth > MAX_DEPTH:
            raise _FaultError(f"found values nested more than {MAX_DEPTH} deep", "", place)
        anchor = event.anchor
        if anchor is not None:
            self._open.add(anchor)
        node = self._content(event, place, depth)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = node
        return node

    def _content(self, event: Any, place: Place, depth: int) -> _Node:
        if isinstance(event, yaml.ScalarEvent):
            if event.style is None and event.tag is None:
                return _Scalar(plain_value(event.value), event.value, place)
            return _Scalar(event.value, None, place)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[_Node] = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(inner, depth + 1))
            return _List(items, place)
        pairs: list[tuple[_Scalar, _Node]] = []
        while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
            key = self._node(inner, depth + 1)
            if not isinstance(key, _Scalar):
                raise _FaultError(
                    "found a list or mapping as a key, expected text", "Quote texts that hold { } or [ ].", key.place
                )
            pairs.append((key, self._node(next(self._events), depth + 1)))
        return _Mapping(pairs, place)


class _Builder:
    """Nodes to values. Values behind aliases are copied, within MAX_VALUES, so that each has a path of its own."""

    def __init__(self, document: YamlDocument, name: str) -> None:
        self._document, self._name = document, name
        self._n_values = 0

    def build(self, node: _Node, path: KeyPath, key_place: Place | None = None) -> Any:
        self._count(1, len(path), node.place)
        if isinstance(node, _Scalar):
            self._document.places[path] = node.place
            if node.written is not None:
                self._document.written[path] = node.written
            return node.value
        self._document.places[path] = key_place or node.place
        if isinstance(node, _List):
            return [self.build(item, (*path, index)) for index, item in enumerate(node.items)]
        result: dict[str, Any] = {}
        for key, key_node, inner in self._own_and_merged(node, path):
            self._document.keys[(*path, key)] = key_node.place
            result[key] = self.build(inner, (*path, key), key_node.place)
        return result

    def _count(self, n: int, depth: int, place: Place) -> None:
        self._n_values += n
        if self._n_values > MAX_VALUES:
            raise _FaultError(f"found more than {MAX_VALUES:,} values, counting those that aliases repeat", "", place)
        if depth > MAX_DEPTH:
            raise _FaultError(
                f"found values nested more than {MAX_DEPTH} deep, counting those behind aliases", "", place
            )

    def _own_and_merged(self, node: _Mapping, path: KeyPath, depth: int = 0) -> list[tuple[str, _Scalar, _Node]]:
        self._count(0, depth, node.place)
        own: dict[str, tuple[_Scalar, _Node]] = {}
        merged: dict[str, tuple[_Scalar, _Node]] = {}
        for key_node, inner in node.items:
            key = key_node.written if key_node.written is not None else str(key_node.value)
            if key == "<<" and key_node.written is not None:
                for source in self._merge_sources(key_node, inner):
                    for name, scalar, value in self._own_and_merged(source, path, depth + 1):
                        merged.setdefault(name, (scalar, value))
            elif key in own:
                self._duplicate(key, own[key][0].place, key_node.place, path)
            else:
                own[key] = (key_node, inner)
        return [(key, *pair) for key, pair in (merged | own).items()]

    def _merge_sources(self, key: _Scalar, inner: _Node) -> list[_Mapping]:
        sources = inner.items if isinstance(inner, _List) else [inner]
        mappings = [source for source in sources if isinstance(source, _Mapping)]
        if len(mappings) != len(sources):
            raise _FaultError("found something other than a mapping to merge (<<)", "", key.place)
        self._count(sum(len(mapping.items) + 1 for mapping in mappings), 0, key.place)
        return mappings

    def _duplicate(self, key: str, first: Place, second: Place, path: KeyPath) -> None:
        self._document.problems.append(
            Problem(
                f"found this key on line {first[0]} and again on line {second[0]}, expected it once",
                "Keep one of them.",
                path=self._name,
                line=second[0],
                column=second[1],
                key=path_text((*path, key)),
            )
        )
