"""What an earlier run left in the folder of the outputs: it must not pass for this run's, whichever way this run ends.

A pipeline publishes the folder also when a run failed. So a run that ends before its outputs are written takes away the older files that
it would have replaced; files of other formats stay and are named.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from reporter.outputs import OWNED, files_of_format

_Stamp = tuple[int, int, int]


@dataclass(frozen=True)
class EarlierOutputs:
    """The files with the names of outputs that a folder held when the run began, by format. A file that is written anew is another one."""

    found: dict[Path, tuple[str, _Stamp]]

    @classmethod
    def of(cls, directory: Path) -> EarlierOutputs:
        """What is there now."""
        stamps = ((path, name, _stamp(path)) for name in OWNED for path in files_of_format(directory, name))
        return cls({path: (name, stamp) for path, name, stamp in stamps if stamp is not None})

    def left(self) -> list[Path]:
        """Those that still stand as they were, in the order of the formats."""
        return [path for path, (_, stamp) in self.found.items() if _stamp(path) == stamp]

    def note(self) -> str:
        """Their names in one line; empty when there are none."""
        return _line("in the folder, but not of this run", self.left())

    def remove(self, formats: Iterable[str], *, keep: Sequence[Path]) -> str:
        """Remove those of these formats that still stand, but not ``keep``; their names in one line, empty when there were none."""
        names, kept = set(formats), {path.resolve() for path in keep}
        gone = []
        for path in self.left():
            if self.found[path][0] in names and path.resolve() not in kept:
                with suppress(OSError):
                    path.unlink()
                    gone.append(path)
        return _line("removed, since this run did not get to write them anew", gone)


@contextmanager
def no_earlier_outputs(directory: Path, formats: Sequence[str], *, keep: Sequence[Path]) -> Iterator[EarlierOutputs]:
    """What is raised inside takes the older files of ``formats`` away, all but ``keep``, and tells it, and what else is there, in its notes."""
    earlier = EarlierOutputs.of(directory)
    try:
        yield earlier
    except BaseException as error:
        for note in (earlier.remove(formats, keep=keep), earlier.note()):
            if note:
                error.add_note(note)
        raise


def _stamp(path: Path) -> _Stamp | None:
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size


def _line(what: str, paths: Sequence[Path]) -> str:
    shown = dict.fromkeys(path.parent if path.parent.name == "tables" else path for path in paths)
    return f"{what}: {', '.join(map(str, shown))}" if shown else ""
