"""Puts finished outputs on disk: each file appears whole or not at all, and when one cannot be made none is.

It knows bytes and names, nothing of what they hold.
"""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path, PurePosixPath

from reporter.errors import OutputError, Problem

PART_PREFIX = ".reporter-"
PART_SUFFIX = ".part"


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> tuple[Path, ...]:
    """Write every file under ``folder`` and return their paths in the given order.

    ``files`` maps a relative path with forward slashes (``tables/models.csv``) to its content; texts are written as UTF-8.
    All contents are first written and flushed under temporary names beside their places and only then renamed, so a reader, a
    full disk or a kill sees each file either as it was before or whole. Folders are made as needed.

    Raises
    ------
    OutputError
        The disk is full, permission is missing, or a folder stands in the way: no file was changed, and the message
        names the path and what to do.
    ValueError
        A name is absolute or leaves the folder.
    """
    places = [folder / _inside(name) for name in files]
    parts: list[Path] = []
    try:
        for place, content in zip(places, files.values(), strict=True):
            with _told(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                if place.is_dir():
                    raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(place))
                parts.append(_part(place))
                _fill(parts[-1], content.encode() if isinstance(content, str) else content)
        for place, part in zip(places, parts, strict=True):
            with _told(place):
                part.replace(place)
    finally:
        for part in parts:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    return tuple(places)


def write_file(place: Path, content: str | bytes) -> Path:
    """Write one file as ``write_files`` does and return its path."""
    return write_files(place.parent, {place.name: content})[0]


def _inside(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if not path.parts or path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise ValueError(f"{name!r} is not a relative path inside the output folder")
    return path


def _part(place: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=PART_PREFIX, suffix=PART_SUFFIX, dir=place.parent)
    os.close(handle)
    return Path(name)


def _fill(part: Path, content: bytes) -> None:
    with part.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    part.chmod(0o666 & ~_umask())


def _umask() -> int:
    """The process's mask: temporary files are made private, outputs are as any new file."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


@contextmanager
def _told(place: Path) -> Iterator[None]:
    """Turns the system's refusals into an error that names the path and the remedy."""
    try:
        yield
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        file = _in_the_way(place)
        if file is not None:
            message = f"is a file, so that {place.name} cannot be written inside it"
            raise OutputError(Problem(message, path=str(file), hint=_hint(errno.ENOTDIR))) from error
        raise OutputError(Problem(f"cannot be written: {found}", path=str(place), hint=_hint(error.errno))) from error


def _in_the_way(place: Path) -> Path | None:
    """The file that stands where a folder is needed."""
    with suppress(OSError):
        return next((folder for folder in reversed(place.parents) if folder.exists() and not folder.is_dir()), None)
    return None


def _hint(number: int | None) -> str:
    if number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return "Free some space or give another folder with --out"
    if number in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Give a folder that you may write to with --out"
    if number in (errno.ENOTDIR, errno.EEXIST, errno.EISDIR):
        return "Something else of that name stands in the way: move it or give another folder with --out"
    return "Give another folder with --out"
