"""Where records live: a local folder or any fsspec URL. Writes whole records or nothing, and never overwrites.

Layout: ``<archive>/<model>/<record id>/`` is a BagIt bag, ``<archive>/<model>/<record id>.signoffs/`` the statements about it.
A record exists when its ``tagmanifest-sha256.txt`` does: on a file system the finished bag is renamed into place; in an object
store that file is put last, and only if it is not there yet. What a killed writer leaves behind is never listed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reporter.errors import MissingExtraError, OutputError, Problem

SEAL = "tagmanifest-sha256.txt"
INCOMING = ".incoming-"
RECORD_ID = re.compile(r"^\d{8}T\d{6}Z-[A-Za-z0-9._-]+-[0-9a-f]{12}$")


@dataclass(frozen=True)
class Archive:
    """An archive at ``location`` (a folder or URL); ``filesystem`` and ``root`` are fsspec's view of it."""

    location: str
    filesystem: Any
    root: str
    local: bool

    def models(self) -> list[str]:
        """The folders of models, sorted."""
        return sorted(name for name in self._names(self.root) if not name.startswith((".", "_")))

    def records(self, model: str) -> list[str]:
        """The ids of a model's finished records, oldest first."""
        folder = f"{self.root}/{model}"
        return sorted(
            name
            for name in self._names(folder)
            if RECORD_ID.match(name) and self.filesystem.exists(f"{folder}/{name}/{SEAL}")
        )

    def path(self, *parts: str) -> str:
        """A path inside the archive."""
        return "/".join((self.root, *parts))

    def read(self, *parts: str) -> bytes:
        """The bytes of one file."""
        content: bytes = self.filesystem.cat_file(self.path(*parts))
        return content

    def exists(self, *parts: str) -> bool:
        """Whether this file or folder exists."""
        return bool(self.filesystem.exists(self.path(*parts)))

    def files(self, *parts: str) -> list[str]:
        """All files below a folder, as sorted paths relative to it."""
        folder = self.path(*parts)
        found = self.filesystem.find(folder, withdirs=False)
        return sorted(_below(str(name), folder) for name in found)

    def add_record(self, model: str, record: str, bag: Path) -> bool:
        """Put the finished bag at ``<model>/<record>``; False when that very record is already there."""
        if self.exists(model, record, SEAL):
            return False
        with _said(self.location):
            if self.local:
                return self._rename_into_place(model, record, bag)
            return self._upload(model, record, bag)

    def add_file(self, *parts: str, content: bytes) -> None:
        """Write a new file; OutputError when it exists."""
        with _said(self.location):
            if self.local:
                target = Path(self.path(*parts))
                target.parent.mkdir(parents=True, exist_ok=True)
                temporary = target.with_name(f"{INCOMING}{secrets.token_hex(8)}")
                try:
                    temporary.write_bytes(content)
                    os.link(temporary, target)
                finally:
                    temporary.unlink(missing_ok=True)
            else:
                self._put_new(self.path(*parts), content)

    @contextmanager
    def fetched(self, model: str, record: str) -> Iterator[Path]:
        """The record as a local folder: itself when local, else a temporary copy."""
        if self.local:
            yield Path(self.path(model, record))
            return
        import tempfile

        with tempfile.TemporaryDirectory(prefix="reporter-record-") as folder:
            copy = Path(folder) / record
            for name in self.files(model, record):
                target = copy / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(self.read(model, record, name))
            yield copy

    def _names(self, folder: str) -> list[str]:
        try:
            entries = self.filesystem.ls(folder, detail=False, refresh=True)
        except FileNotFoundError:
            return []
        except TypeError:
            entries = self.filesystem.ls(folder, detail=False)
        return [str(entry).rstrip("/").rsplit("/", 1)[-1] for entry in entries]

    def _rename_into_place(self, model: str, record: str, bag: Path) -> bool:
        folder = Path(self.path(model))
        folder.mkdir(parents=True, exist_ok=True)
        incoming = folder / f"{INCOMING}{secrets.token_hex(8)}"
        try:
            shutil.copytree(bag, incoming)
            _flush(incoming)
            try:
                os.rename(incoming, folder / record)
            except OSError:
                if (folder / record / SEAL).is_file():
                    return False
                raise
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
        return True

    def _upload(self, model: str, record: str, bag: Path) -> bool:
        names = sorted(path.relative_to(bag).as_posix() for path in bag.rglob("*") if path.is_file())
        for name in [name for name in names if name != SEAL]:
            self.filesystem.pipe_file(self.path(model, record, name), (bag / name).read_bytes())
        try:
            self._put_new(self.path(model, record, SEAL), (bag / SEAL).read_bytes())
        except FileExistsError:
            return False
        return True

    def _put_new(self, path: str, content: bytes) -> None:
        """Write a file that must not exist yet, by a conditional put where the store has one."""
        try:
            self.filesystem.pipe_file(path, content, mode="create")
        except TypeError:
            if self.filesystem.exists(path):
                raise FileExistsError(path) from None
            self.filesystem.pipe_file(path, content)


def open_archive(location: str | Path, *, base: Path | None = None) -> Archive:
    """The archive at a folder (relative to ``base``) or an fsspec URL. It need not exist yet."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    text = str(location)
    if "://" not in text:
        folder = Path(text) if base is None else base / text
        return Archive(str(folder), LocalFileSystem(), str(folder.absolute()), True)
    protocol = text.split("://", 1)[0]
    try:
        filesystem, root = fsspec.core.url_to_fs(text)
    except ImportError as error:
        extra = {"s3": "s3", "s3a": "s3"}.get(protocol, protocol)
        raise MissingExtraError(
            feature=f"An archive at {protocol}://", package=str(error.name or protocol), extra=extra
        ) from None
    except ValueError as error:
        raise OutputError(Problem(f"cannot open the archive: {error}", key="archive")) from None
    return Archive(text, filesystem, str(root).rstrip("/"), isinstance(filesystem, LocalFileSystem))


def slug(text: str) -> str:
    """``text`` as a folder name: ASCII letters, digits, dot, dash, underscore; never empty, never hidden.

    Examples
    --------
    >>> slug("Referral model / v2"), slug("../x"), slug("…")
    ('Referral-model-v2', 'x', 'model')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9._]+", "-", plain).strip("-._")[:80] or "model"


def _below(name: str, folder: str) -> str:
    marker = folder.strip("/") + "/"
    plain = name.lstrip("/")
    return plain[len(marker) :] if plain.startswith(marker) else plain


def _flush(folder: Path) -> None:
    """Bring every file to disk before the rename makes the record visible, so that a power cut cannot show an empty one."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


@contextmanager
def _said(location: str) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise OutputError(
            Problem(f"refused to overwrite {error.filename or error}", key="archive", hint="A record is never changed.")
        ) from None
    except OSError as error:
        raise OutputError(
            Problem(
                f"cannot write to the archive {location}: {error.strerror or error}",
                key="archive",
                hint="Nothing was added to it. Mend the cause and run again.",
            )
        ) from None
