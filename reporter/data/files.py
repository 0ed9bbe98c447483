"""Find the files that a source names: paths, globs and URLs, with their hashes. Knows no engine and opens no table.

A URL's file is looked for in the folder of the environment variable ``REPORTER_DATA`` (and its ``data`` subfolder) first, by its name, then by its
SHA-256 under any name; wherever it comes from, its SHA-256 must be the config's.
"""

from __future__ import annotations

import glob
import hashlib
import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit, urlunsplit

FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSED = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class Found:
    """The files of a source. ``sha256``: of the one file, or of the sorted hashes (in hex, joined by newlines) of several."""

    paths: tuple[Path, ...]
    sha256: str
    inputs: tuple[dict[str, Any], ...]


class NotFoundProblem(Exception):  # noqa: N818 - carries a message and a hint to whoever knows the config's lines
    """The source cannot be had."""

    def __init__(self, message: str, hint: str = "", key: str = "data.source") -> None:
        super().__init__(message)
        self.message, self.hint, self.key = message, hint, key


def find_files(source: str, *, base: Path, sha256: str | None, environ: Mapping[str, str]) -> Found:
    """The files that ``source`` names, relative to ``base``.

    Raises
    ------
    NotFoundProblem
        No such file or nothing matches the glob, an unknown scheme, a URL without sha256, a failed download, another hash.
    """
    paths = _fetch(source, sha256, environ) if is_url(source) else _local(source, base)
    hashes = [hash_file(path) for path in paths]
    total = hashes[0] if len(hashes) == 1 else hashlib.sha256("\n".join(sorted(hashes)).encode()).hexdigest()
    if sha256 is not None and total != sha256:
        raise NotFoundProblem(
            f"the SHA-256 of {public_url(source) if is_url(source) else source} is {total}, expected {sha256}",
            "Use the file the config was written for, or correct sha256",
            "data.sha256",
        )
    inputs = tuple(
        {"name": path.name, "sha256": digest, "bytes": path.stat().st_size}
        for path, digest in zip(paths, hashes, strict=True)
    )
    return Found(tuple(paths), total, inputs)


def file_format(path: Path, declared: str) -> str:
    """csv, parquet, jsonl or arrow: as declared, or by the name (a .gz or .zst at its end is ignored)."""
    if declared != "auto":
        return declared
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in COMPRESSED:
        suffixes.pop()
    if suffixes and suffixes[-1] in FORMATS:
        return FORMATS[suffixes[-1]]
    if suffixes and suffixes[-1] in (".xlsx", ".xls", ".ods"):
        raise NotFoundProblem(f"{path.name} is a workbook, which is not read", "Export the table as CSV or Parquet")
    raise NotFoundProblem(
        f"the name {path.name} does not tell its format",
        "Set data.format to csv, parquet, jsonl or arrow",
        "data.format",
    )


def is_url(source: str) -> bool:
    """Whether a source has a scheme; a Windows drive letter is none."""
    return "://" in source


def public_url(url: str) -> str:
    """A URL without user, password, query and fragment: those may hold secrets.

    >>> public_url("https://reader:secret@example.org/a/b.csv?token=1")
    'https://example.org/a/b.csv'
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        port = ""
    return urlunsplit((parts.scheme, host + port, parts.path, "", ""))


def hash_file(path: Path) -> str:
    """The SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _local(source: str, base: Path) -> list[Path]:
    path = base / source
    if path.is_file():
        return [path]
    if path.is_dir():
        raise NotFoundProblem(f"{source} is a folder", f"Name a file, or a glob such as {source.rstrip('/')}/*.parquet")
    if not glob.has_magic(source):
        near = _nearest(path)
        raise NotFoundProblem(f"there is no file {source} in {base.resolve()}", f"Did you mean {near}?" if near else "")
    # Only the source's own characters are a pattern: the config's folder may have brackets in its name.
    found = sorted(base / name for name in glob.glob(source, root_dir=base, recursive=True))
    files = [path for path in found if path.is_file()]
    if not files:
        raise NotFoundProblem(f"no file matches {source} in {base.resolve()}")
    return files


def _nearest(path: Path) -> str | None:
    import difflib

    if not path.parent.is_dir():
        return None
    close = difflib.get_close_matches(path.name, [p.name for p in path.parent.iterdir() if p.is_file()], n=1)
    return close[0] if close else None


def _fetch(url: str, sha256: str | None, environ: Mapping[str, str]) -> list[Path]:
    if urlsplit(url).scheme not in ("http", "https"):
        raise NotFoundProblem(
            f"{urlsplit(url).scheme}:// is not understood here",
            "Give a path, an http(s) URL with sha256, or a database as {url: ..., table: ...}",
        )
    if sha256 is None:
        raise NotFoundProblem("a URL needs data.sha256, so that the same bytes are used each time", key="data.sha256")
    name = unquote(Path(urlsplit(url).path).name) or "download"
    folder = environ.get("REPORTER_DATA")
    for place in _places(folder):
        if (place / name).is_file():
            return [place / name]
    for place in _places(folder):
        for path in sorted(place.glob(f"*{Path(name).suffix}")):
            if path.is_file() and hash_file(path) == sha256:
                return [path]
    return [_download(url, name, sha256)]


def _places(folder: str | None) -> Sequence[Path]:
    return (Path(folder), Path(folder) / "data") if folder else ()


def _download(url: str, name: str, sha256: str) -> Path:
    import pooch

    pooch.get_logger().setLevel(logging.ERROR)
    try:
        # ValueError: the bytes are not those of the hash. OSError: requests' errors are of this kind.
        return Path(
            pooch.retrieve(
                url,
                known_hash=f"sha256:{sha256}",
                fname=f"{sha256[:16]}-{os.path.basename(name)}",
                path=pooch.os_cache("model-card-reporter"),
                progressbar=False,
            )
        )
    except ValueError as error:
        raise NotFoundProblem(
            f"the file at {public_url(url)} has another SHA-256 than {sha256}",
            "Use the file the config was written for, or correct sha256",
            "data.sha256",
        ) from error
    except OSError as error:
        raise NotFoundProblem(
            f"{public_url(url)} could not be fetched ({type(error).__name__})",
            f"Check the network, or put {name} into the folder that REPORTER_DATA names",
        ) from error
