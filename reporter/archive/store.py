"""Where records live: a local folder or any fsspec URL. Writes whole records or nothing, and never overwrites.

Layout: ``<archive>/<model>/<record id>/`` is a BagIt bag, ``<archive>/<model>/<record id>.signoffs/`` the statements about it.
A record exists when its ``tagmanifest-sha256.txt`` does: on a file system the finished bag is renamed into place; in an object
store that file is put last, and only if it is not there yet. What a killed writer leaves behind is never listed.
"""

from __future__ import annotations

import inspect
import os
import re
import secrets
import shutil
import sys
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reporter.archive.address import Address
from reporter.archive.bag import SEAL, sha256, write_bag
from reporter.archive.local_files import (
    INCOMING,
    bytes_or_nothing,
    entries_below,
    flush,
    flush_folder,
    local_digests,
    plain_bytes,
    write_new,
)
from reporter.errors import ConfigError, DataError, MissingExtraError, OutputError, Problem

SIGNOFFS = ".signoffs"
RECORD_ID = re.compile(r"^\d{8}T\d{6}Z-[A-Za-z0-9._-]+-[0-9a-f]{12}$")


@dataclass(frozen=True)
class Archive:
    """An archive at ``address`` (a folder or URL); ``filesystem`` and ``root`` are fsspec's view of it."""

    address: Address
    filesystem: Any
    root: str
    local: bool

    @property
    def location(self) -> str:
        """The archive's address as it may be shown."""
        return self.address.shown

    def shown_path(self, *parts: str) -> str:
        """A path inside the archive as it may be shown; another command finds it there unless the address is masked."""
        return self.path(*parts) if self.local and not self.address.is_masked else self.address.inside(*parts)

    def models(self) -> list[str]:
        """The folders of models, sorted."""
        return [name for name in self.names() if not name.startswith((".", "_")) and self._is_folder(name)]

    def names(self, *parts: str) -> list[str]:
        """The names directly inside a folder, sorted; none when there is no such folder."""
        with _reading(self.address):
            if self.local:
                try:
                    return sorted(os.listdir(self.path(*parts)))
                except FileNotFoundError:
                    return []
            return sorted({name.split("/", 1)[0] for name in self.files(*parts)})

    def records(self, model: str) -> list[str]:
        """The ids of a model's finished records, oldest first."""
        if self.local:
            return [
                name
                for name in self.names(model)
                if RECORD_ID.match(name) and os.path.isfile(self.path(model, name, SEAL))
            ]
        sealed = (name.split("/") for name in self.files(model) if name.endswith(f"/{SEAL}"))
        return sorted(parts[0] for parts in sealed if len(parts) == 2 and RECORD_ID.match(parts[0]))

    def path(self, *parts: str) -> str:
        """A path inside the archive."""
        return "/".join((self.root, *parts))

    def read(self, *parts: str) -> bytes:
        """The bytes of one file."""
        with _reading(self.address):
            if self.local:
                return plain_bytes(self.path(*parts))
            content: bytes = self.filesystem.cat_file(self.path(*parts))
            return content

    def read_all(self, places: Sequence[tuple[str, ...]]) -> list[bytes]:
        """The bytes of many files; empty where there is no plain file. A store fetches them at once."""
        with _reading(self.address):
            if self.local:
                return [bytes_or_nothing(self.path(*parts)) for parts in places]
            paths = [self.path(*parts) for parts in places]
            found = self.filesystem.cat(paths, on_error="return") if paths else {}
            for content in found.values():
                if isinstance(content, Exception) and not isinstance(content, FileNotFoundError):
                    raise content
            return [content if isinstance(content := found.get(path), bytes) else b"" for path in paths]

    def exists(self, *parts: str) -> bool:
        """Whether this file or folder exists."""
        with _reading(self.address):
            self._fresh()
            return bool(self.filesystem.exists(self.path(*parts)))

    def files(self, *parts: str) -> list[str]:
        """All files below a folder, as sorted paths relative to it; on a file system also links, pipes and empty folders."""
        folder = self.path(*parts)
        with _reading(self.address):
            if self.local:
                return sorted(entries_below(folder, ""))
            self._fresh()
            found = self.filesystem.find(folder, withdirs=False)
        return sorted(name for name in (_below(str(path), folder) for path in found) if name)

    def is_link(self, *parts: str) -> bool:
        """Whether a folder of the archive is a link to another place."""
        return self.local and os.path.islink(self.path(*parts))

    def digests(self, model: str, record: str) -> dict[str, str]:
        """The SHA-256 of each file of a record, ``NOT_A_FILE`` for links, empty folders and the like."""
        with _reading(self.address):
            if self.local:
                return dict(local_digests(self.path(model, record), ""))
            names = self.files(model, record)
            contents = self.read_all([(model, record, name) for name in names])
            return {name: sha256(content) for name, content in zip(names, contents, strict=True)}

    def add_record(self, model: str, record: str, bag: Mapping[str, bytes]) -> bool:
        """Put the sealed bag at ``<model>/<record>``; False when that very record is already there."""
        with _writing(self.address):
            if self.local:
                return self._rename_into_place(model, record, bag)
            return self._upload(model, record, bag)

    def add_file(self, *parts: str, content: bytes) -> None:
        """Write a new file; OutputError when it exists."""
        with _writing(self.address):
            if self.local:
                write_new(Path(self.path(*parts)), content)
            else:
                self._put_new(self.path(*parts), content)

    @contextmanager
    def fetched(self, model: str, record: str) -> Iterator[Path]:
        """The record as a local folder: itself when local, else a temporary copy."""
        if self.local:
            yield Path(self.path(model, record))
            return
        import tempfile

        names = self.files(model, record)
        odd = [name for name in names if ".." in name.split("/") or name.startswith("/") or "\\" in name]
        if odd:
            raise DataError(Problem(f"the record {record} holds a file of the name {odd[0]!r}", key="archive"))
        with tempfile.TemporaryDirectory(prefix="reporter-record-") as folder:
            copy = Path(folder) / record
            contents = self.read_all([(model, record, name) for name in names])
            write_bag(copy, dict(zip(names, contents, strict=True)))
            yield copy

    def _is_folder(self, name: str) -> bool:
        return os.path.isdir(self.path(name)) if self.local else self.path(name) not in self._root_files()

    def _root_files(self) -> set[str]:
        return {self.path(name) for name in self.files() if "/" not in name}

    def _fresh(self) -> None:
        """A store's listings are cached, but others write too."""
        if not self.local:
            self.filesystem.invalidate_cache()

    def _rename_into_place(self, model: str, record: str, bag: Mapping[str, bytes]) -> bool:
        folder = Path(self.path(model))
        if (folder / record / SEAL).is_file():
            return False
        folder.mkdir(parents=True, exist_ok=True)
        incoming = folder / f"{INCOMING}{secrets.token_hex(8)}"
        try:
            write_bag(incoming, bag)
            flush(incoming)
            try:
                os.rename(incoming, folder / record)
            except OSError:
                if (folder / record / SEAL).is_file():
                    return False
                raise
            flush_folder(folder)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
        return True

    def _upload(self, model: str, record: str, bag: Mapping[str, bytes]) -> bool:
        """The seal goes last. A file that a killed writer of the very same record left is as good as a new one."""
        for name in (*(name for name in bag if name != SEAL), SEAL):
            try:
                self._put_new(self.path(model, record, name), bag[name])
            except FileExistsError:
                if self.filesystem.cat_file(self.path(model, record, name)) != bag[name]:
                    raise FileExistsError(f"{model}/{record}/{name}") from None
                if name == SEAL:
                    return False
        return True

    def _put_new(self, path: str, content: bytes) -> None:
        """Write a file that must not exist yet, by a conditional put where the store has one."""
        put = self.filesystem.pipe_file
        inner = getattr(self.filesystem, "_pipe_file", put)
        if "mode" in inspect.signature(inner).parameters:
            try:
                put(path, content, mode="create")
            except FileExistsError:
                raise
            except OSError:
                # Not every store that refuses says why.
                self._fresh()
                if self.filesystem.exists(path):
                    raise FileExistsError(path) from None
                raise
            return
        self._fresh()
        if self.filesystem.exists(path):
            raise FileExistsError(path)
        put(path, content)


def open_archive(location: str | Path, *, base: Path | None = None, written: str | None = None) -> Archive:
    """The archive at a folder (relative to ``base``) or an fsspec URL. It need not exist yet.

    ``written`` is the text of the config that ``location`` was read from, if that has ``${NAME}``: it is what messages show.
    Raises MissingExtraError or ConfigError when no installed package opens such a URL, DataError when its server cannot be reached.
    """
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    text = str(location)
    if "://" not in text:
        folder, shown = (Path(one) if base is None else base / one for one in (text, written or text))
        return Archive(Address.of(str(folder), str(shown)), LocalFileSystem(), str(folder.absolute()), True)
    address = Address.of(text, written)
    protocol = text.split("://", 1)[0]
    try:
        # Some file systems connect as soon as they are made.
        with _reading(address):
            filesystem, root = fsspec.core.url_to_fs(text)
    except ImportError as error:
        if protocol in ("s3", "s3a"):
            raise MissingExtraError(feature=f"An archive at {protocol}://", package="s3fs", extra="s3") from None
        raise _not_opened(address, error) from None
    except (ValueError, TypeError) as error:
        raise _not_opened(address, error) from None
    return Archive(address, filesystem, str(root).rstrip("/"), isinstance(filesystem, LocalFileSystem))


def _not_opened(address: Address, error: Exception) -> ConfigError:
    return ConfigError(Problem(f"cannot open the archive {address.shown}: {address.hide(str(error))}", key="archive"))


def slug(text: str) -> str:
    """``text`` as a folder name: ASCII letters, digits, dot, dash, underscore; never empty, never hidden.

    Letters that ASCII lacks and the tail of a long text are stood for by a hash, so that two such names stay two.

    Examples
    --------
    >>> slug("Referral model / v2"), slug("../x"), slug("Modèle"), slug("…")
    ('Referral-model-v2', 'x', 'Modele-e61bbb83', 'model-b4935894')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    short = re.sub(r"[^A-Za-z0-9._]+", "-", plain).strip("-._")
    if text.isascii() and short and len(short) <= 80:
        return short
    return f"{short[:70].rstrip('-._') or 'model'}-{sha256(text.encode())[:8]}"


def _below(name: str, folder: str) -> str:
    marker = folder.strip("/") + "/"
    plain = name.lstrip("/")
    return plain[len(marker) :] if plain.startswith(marker) else ""


_FAILURES = {
    "aiohttp": ("ClientError",),
    "azure.core.exceptions": ("AzureError",),
    "botocore.exceptions": ("BotoCoreError", "ClientError"),
    "ftplib": ("Error",),
    "gcsfs.retry": ("HttpError",),
    "google.auth.exceptions": ("GoogleAuthError",),
    "paramiko.ssh_exception": ("SSHException",),
    "smbprotocol.exceptions": ("SMBException",),
}


def failures() -> tuple[type[Exception], ...]:
    """What a store that cannot be reached, or that refuses, raises; its library is imported only when one is used."""
    found: list[type[Exception]] = [OSError, EOFError, NotImplementedError]
    for module, names in _FAILURES.items():
        if module in sys.modules:
            found += [getattr(sys.modules[module], name) for name in names]
    return tuple(found)


@contextmanager
def _reading(address: Address) -> Iterator[None]:
    try:
        yield
    except failures() as error:
        reason = address.hide(_reason(error))
        raise DataError(Problem(f"cannot read the archive {address.shown}: {reason}", key="archive")) from None


@contextmanager
def _writing(address: Address) -> Iterator[None]:
    try:
        yield
    except FileExistsError as error:
        raise OutputError(
            Problem(
                f"refused to overwrite {address.hide(str(error.filename or error))}",
                key="archive",
                hint="A record is never changed.",
            )
        ) from None
    except failures() as error:
        raise OutputError(
            Problem(
                f"cannot write to the archive {address.shown}: {address.hide(_reason(error))}",
                key="archive",
                hint="Nothing was added to it. Mend the cause and run again.",
            )
        ) from None


def _reason(error: Exception) -> str:
    """The system's own words, without the path."""
    if isinstance(error, NotImplementedError):
        return "what opens such a URL cannot do that"
    return str(getattr(error, "strerror", None) or error) or type(error).__name__
