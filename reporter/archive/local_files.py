"""Plain files of an archive on a file system: read without following links, listed with all that is no file, written whole or not at all.

Knows nothing of records.
"""

from __future__ import annotations

import errno
import hashlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path

from reporter.archive.bag import NOT_A_FILE

INCOMING = ".incoming-"
"""How the name of what is being written begins."""


def bytes_or_nothing(path: str) -> bytes:
    """A plain file's bytes; empty where there is none."""
    try:
        return plain_bytes(path)
    except (FileNotFoundError, NotADirectoryError, _NotPlainError):
        return b""


class _NotPlainError(OSError):
    """What stands there is a link, a folder, a pipe or a device."""


def plain_bytes(path: str) -> bytes:
    """A plain file's bytes: a pipe would never end, and a link leads out of the archive."""
    plain = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    if not stat.S_ISREG(os.lstat(path).st_mode):
        raise _NotPlainError(errno.EINVAL, "not a plain file", path)
    descriptor = os.open(path, os.O_RDONLY | plain)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _NotPlainError(errno.EINVAL, "not a plain file", path)
        return file.read()


def entries_below(folder: str, prefix: str) -> Iterator[str]:
    """The names of all that lies below a folder, files or not, each behind ``prefix``; an empty folder is named itself."""
    try:
        with os.scandir(folder) as found:
            entries = list(found)
    except (FileNotFoundError, NotADirectoryError):
        return
    if prefix and not entries:
        yield prefix.rstrip("/")
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            yield from entries_below(entry.path, f"{prefix}{entry.name}/")
        else:
            yield f"{prefix}{entry.name}"


def local_digests(folder: str, prefix: str) -> Iterator[tuple[str, str]]:
    """The same names with the SHA-256 of each plain file, and ``NOT_A_FILE`` for all else."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    if prefix and not entries:
        yield prefix.rstrip("/"), NOT_A_FILE
    for entry in entries:
        name = f"{prefix}{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from local_digests(entry.path, f"{name}/")
        elif entry.is_file(follow_symlinks=False):
            with open(entry.path, "rb", buffering=0) as file:
                yield name, hashlib.file_digest(file, "sha256").hexdigest()
        else:
            yield name, NOT_A_FILE


def write_new(target: Path, content: bytes) -> None:
    """The whole file under its name, or nothing; never over another."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f"{INCOMING}{secrets.token_hex(8)}")
    try:
        temporary.write_bytes(content)
        _flush_file(temporary)
        os.link(temporary, target)
        flush_folder(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def flush(folder: Path) -> None:
    """Bring everything to disk before the rename makes the record visible, so that a power cut cannot show an empty one."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            _flush_file(path)
        else:
            flush_folder(path)
    flush_folder(folder)


def _flush_file(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def flush_folder(path: Path) -> None:
    """Bring the names in a folder to disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
