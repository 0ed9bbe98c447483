"""YAML text to plain values and the line and column of each, with every fault of the text as a problem.

PyYAML parses; this file decides what a plain scalar means, because YAML 1.1 turns ``NO`` into false and ``0123`` into 83. Here
only ``true``, ``false``, ``null`` and decimal numbers are more than text. Aliases and merge keys work within stated bounds; tags
are refused. Knows nothing of the config's keys.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from reporter.config.keypath import KeyPath, path_text
from reporter.config.values import MAX_INTEGER, WrittenFloat, WrittenInt
from reporter.config.yaml_nodes import MAX_DEPTH, Fault, ListNode, MappingNode, Node, Place, Scalar, compose
from reporter.errors import Problem

MAX_VALUES = 100_000


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
        root = compose(data)
        value = _Builder(document, name).build(root, ()) if root is not None else None
    except Fault as fault:
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


class _Builder:
    """Nodes to values. Values behind aliases are copied, within MAX_VALUES, so that each has a path of its own."""

    def __init__(self, document: YamlDocument, name: str) -> None:
        self._document, self._name = document, name
        self._n_values = 0

    def build(self, node: Node, path: KeyPath, key_place: Place | None = None) -> Any:
        self._count(1, len(path), node.place)
        if isinstance(node, Scalar):
            self._document.places[path] = node.place
            if not node.plain:
                return node.text
            self._document.written[path] = node.text
            return plain_value(node.text)
        self._document.places[path] = key_place or node.place
        if isinstance(node, ListNode):
            return [self.build(item, (*path, index)) for index, item in enumerate(node.items)]
        result: dict[str, Any] = {}
        for key, key_node, inner in self._own_and_merged(node, path):
            self._document.keys[(*path, key)] = key_node.place
            result[key] = self.build(inner, (*path, key), key_node.place)
        return result

    def _count(self, n: int, depth: int, place: Place) -> None:
        self._n_values += n
        if self._n_values > MAX_VALUES:
            raise Fault(f"found more than {MAX_VALUES:,} values, counting those that aliases repeat", "", place)
        if depth > MAX_DEPTH:
            raise Fault(f"found values nested more than {MAX_DEPTH} deep, counting those behind aliases", "", place)

    def _own_and_merged(self, node: MappingNode, path: KeyPath, depth: int = 0) -> list[tuple[str, Scalar, Node]]:
        self._count(0, depth, node.place)
        own: dict[str, tuple[Scalar, Node]] = {}
        merged: dict[str, tuple[Scalar, Node]] = {}
        for key_node, inner in node.items:
            key = key_node.text
            if key == "<<" and key_node.plain:
                for source in self._merge_sources(key_node, inner):
                    for name, scalar, value in self._own_and_merged(source, path, depth + 1):
                        merged.setdefault(name, (scalar, value))
            elif key in own:
                self._duplicate(key, own[key][0].place, key_node.place, path)
            else:
                own[key] = (key_node, inner)
        return [(key, *pair) for key, pair in (merged | own).items()]

    def _merge_sources(self, key: Scalar, inner: Node) -> list[MappingNode]:
        sources = inner.items if isinstance(inner, ListNode) else [inner]
        mappings = [source for source in sources if isinstance(source, MappingNode)]
        if len(mappings) != len(sources):
            raise Fault("found something other than a mapping to merge (<<)", "", key.place)
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
