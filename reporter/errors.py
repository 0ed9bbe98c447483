"""What can go wrong in a way that a user can mend, and the exit code of each kind.

A problem says where it is, what was found, what was expected and what to do. Errors carry all problems at once.
Bugs are not wrapped here: they stay tracebacks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend, shown as ``file:line:column key: message. hint``.

    Examples
    --------
    >>> print(Problem("found 'fnrr', expected a metric", path="a.yaml", line=3, column=5, key="metrics[0]",
    ...               hint="Did you mean 'fnr'?"))
    a.yaml:3:5 metrics[0]: found 'fnrr', expected a metric. Did you mean 'fnr'?
    """

    message: str
    hint: str = ""
    path: str = ""
    line: int | None = None
    column: int | None = None
    key: str = ""

    def __str__(self) -> str:
        place = ":".join(str(part) for part in (self.path or None, self.line, self.column) if part is not None)
        where = " ".join(part for part in (place, self.key) if part)
        text = f"{where}: {self.message}" if where else self.message
        return f"{text.rstrip('.')}. {self.hint}" if self.hint else text


class ReporterError(Exception):
    """The base of every error that a user can mend. ``exit_code`` is what the command ends with."""

    exit_code: ClassVar[int] = 5

    def __init__(self, *problems: Problem | str) -> None:
        self.problems: tuple[Problem, ...] = tuple(p if isinstance(p, Problem) else Problem(p) for p in problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def of(cls, problems: Iterable[Problem]) -> ReporterError:
        """The error that carries all of ``problems``."""
        return cls(*problems)


class ConfigError(ReporterError):
    """The command or the config is wrong."""

    exit_code = 2


class DataError(ReporterError):
    """The data does not fit the config."""

    exit_code = 3


class InputError(DataError, ValueError):
    """An argument of the Python API does not fit. Also a ValueError, as callers of a function expect."""


class OutputError(ReporterError):
    """An output could not be made; the others were written."""

    exit_code = 4


class MissingExtraError(ReporterError):
    """A feature needs a package that is not installed. The message names the extra."""

    exit_code = 2

    def __init__(self, *, feature: str, package: str, extra: str) -> None:
        super().__init__(
            Problem(
                f"{feature} needs the package {package}, which is not installed",
                hint=f"Install it with: pip install 'model-card-reporter[{extra}]'",
            )
        )
