"""YAML bytes to nodes with line and column, and what is wrong with the text in plain words.

PyYAML scans and parses; values are not interpreted here. An anchor is known once its value is complete, so nothing can contain
itself. Tags, second documents and keys that are lists are refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from reporter.errors import Problem

MAX_BYTES = 1 << 20
MAX_DEPTH = 40

Place = tuple[int, int]


class Fault(Exception):  # noqa: N818 - it becomes a problem, never an error that a user sees
    """The text cannot be read any further."""

    def __init__(self, message: str, hint: str, place: Place | None) -> None:
        super().__init__(message)
        self.message, self.hint, self.place = message, hint, place

    def problem(self, name: str) -> Problem:
        line, column = self.place or (None, None)
        return Problem(self.message, self.hint, path=name, line=line, column=column)


@dataclass(frozen=True, slots=True)
class Scalar:
    """One value. ``plain``: written without quotes, so that it can be more than text."""

    text: str
    plain: bool
    place: Place


@dataclass(frozen=True, slots=True)
class ListNode:
    """A list."""

    items: list[Node]
    place: Place


@dataclass(frozen=True, slots=True)
class MappingNode:
    """A mapping, with its keys as often as they were written."""

    items: list[tuple[Scalar, Node]]
    place: Place


Node = Scalar | ListNode | MappingNode


def compose(data: bytes) -> Node | None:
    """The root of the one document in ``data``, None when it holds nothing.

    Raises :class:`Fault` for what is not UTF-8, not YAML, or uses more of YAML than a config needs.

    >>> compose(b"alpha: 0.05").items[0][1]
    Scalar(text='0.05', plain=True, place=(1, 8))
    """
    text = _decode(data)
    try:
        return _Composer(yaml.parse(text, Loader=yaml.SafeLoader)).document()
    except yaml.reader.ReaderError as error:
        before = text[: error.position]
        place = (before.count("\n") + 1, error.position - before.rfind("\n"))
        raise Fault(f"found the control character U+{ord(text[error.position]):04X}", "Remove it.", place) from None
    except yaml.MarkedYAMLError as error:
        message = error.problem or ""
        # what is not closed is to be mended where it begins
        unclosed = "end of stream" in message or "expected ','" in message
        mark = (unclosed and error.context_mark) or error.problem_mark or error.context_mark
        raise Fault(*_in_words(message), _place(mark) if mark else None) from None


def _decode(data: bytes) -> str:
    if len(data) > MAX_BYTES:
        raise Fault(
            f"found a file of {len(data):,} bytes, expected a config of at most {MAX_BYTES:,}",
            "Is this the data file?",
            None,
        )
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise Fault("found UTF-16, expected UTF-8", "Save the file as UTF-8.", (1, 1))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        line_start = before.rfind("\n") + 1
        raise Fault(
            f"found the byte 0x{data[error.start]:02X}, which is not UTF-8",
            "Save the file as UTF-8.",
            (before.count("\n") + 1, len(before) - line_start + 1),
        ) from None


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
        "found ': ' inside a text",
        'Quote the text (key: "a: b"). Or is the line indented too far?',
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
        self._anchors: dict[str, Node] = {}
        self._open: set[str] = set()

    def document(self) -> Node | None:
        next(self._events)  # the stream starts
        first = next(self._events)
        if isinstance(first, yaml.StreamEndEvent):
            return None
        root = self._node(next(self._events), 0)
        next(self._events)  # the document ends
        after = next(self._events)
        if isinstance(after, yaml.DocumentStartEvent):
            raise Fault("found a second document (---)", "A config is one document.", _place(after.start_mark))
        return root

    def _node(self, event: Any, depth: int) -> Node:
        place = _place(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor in self._open:
                raise Fault(f"found *{event.anchor} inside &{event.anchor}: it would contain itself", "", place)
            if event.anchor not in self._anchors:
                raise Fault(
                    f"found *{event.anchor}, but no &{event.anchor} above it",
                    'A text that begins with * needs quotes: "*".',
                    place,
                )
            return self._anchors[event.anchor]
        if event.tag is not None and event.tag != "!":
            raise Fault(f"found the tag {event.tag}, expected none", "Remove it; quote what is to stay text.", place)
        if depth > MAX_DEPTH:
            raise Fault(f"found values nested more than {MAX_DEPTH} deep", "", place)
        anchor = event.anchor
        if anchor is not None:
            self._open.add(anchor)
        node = self._content(event, place, depth)
        if anchor is not None:
            self._open.discard(anchor)
            self._anchors[anchor] = node
        return node

    def _content(self, event: Any, place: Place, depth: int) -> Node:
        if isinstance(event, yaml.ScalarEvent):
            return Scalar(event.value, event.style is None and event.tag is None, place)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(inner, depth + 1))
            return ListNode(items, place)
        pairs: list[tuple[Scalar, Node]] = []
        while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
            key = self._node(inner, depth + 1)
            if not isinstance(key, Scalar):
                raise Fault(
                    "found a list or mapping as a key, expected text", "Quote texts that hold { } or [ ].", key.place
                )
            pairs.append((key, self._node(next(self._events), depth + 1)))
        return MappingNode(pairs, place)
