"""A mistake at a key, and its place in the file: what checks return, and how it becomes a problem to show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from reporter.config.keypath import KeyPath, path_text
from reporter.errors import Problem

SET = "--set"


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong at ``path``. ``at_key``: the key itself is wrong, not its value."""

    path: KeyPath
    message: str
    hint: str = ""
    at_key: bool = False


@dataclass(frozen=True)
class Where:
    """The places of a document: of values, and of keys (line and column from 1), and the paths that ``--set`` changed.

    Examples
    --------
    >>> where = Where("a.yaml", {"models": (3, 1), "models[0]": (4, 5)})
    >>> print(where.problem(Finding(("models", 0, "name"), "this key is required, and missing")))
    a.yaml:4:5 models[0].name: this key is required, and missing
    """

    name: str
    values: Mapping[str, tuple[int, int]]
    keys: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    changed: frozenset[KeyPath] = frozenset()

    def problem(self, finding: Finding) -> Problem:
        """The finding at its place, or at that of the nearest key around it; what ``--set`` changed has no line."""
        path, key = finding.path, path_text(finding.path)
        if any(path[: len(changed)] == changed or self._was_made(path, changed) for changed in self.changed):
            return Problem(finding.message, finding.hint, path=SET, key=key)
        line, column = self._place(finding) or (None, None)
        return Problem(finding.message, finding.hint, path=self.name, line=line, column=column, key=key)

    def _was_made(self, path: KeyPath, changed: KeyPath) -> bool:
        """Whether ``--set`` made this key on the way to one inside it: it is nowhere in the file."""
        return bool(path) and changed[: len(path)] == path and path_text(path) not in self.values

    def _place(self, finding: Finding) -> tuple[int, int] | None:
        if finding.at_key and (place := self.keys.get(path_text(finding.path))):
            return place
        for length in range(len(finding.path), -1, -1):
            if place := self.values.get(path_text(finding.path[:length])):
                return place
        return None
