"""What must be known of a CSV file before an engine reads it: its encoding, separator and column names.

The engine is told all of it and guesses nothing, so that the same file is always read the same way. Every field is text.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from reporter.data.files import NotFoundProblem

SEPARATORS = (",", ";", "\t", "|")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PREVIEW = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvFile:
    """A CSV file in UTF-8 (``path`` may be a transcoded copy of ``name``), with what the engine needs to read it. ``columns`` are the names as
    written, "" where there is none."""

    path: Path
    name: str
    separator: str
    columns: tuple[str, ...]


def prepare_csv(path: Path, *, separator: str, encoding: str, workspace: Path) -> CsvFile:
    """The file as UTF-8 with its separator and column names; a file in another encoding is copied into ``workspace``.

    Raises
    ------
    NotFoundProblem
        An empty file, an unknown encoding, bytes that the encoding does not have.
    """
    with open_bytes(path) as file:
        start = file.read(4)
    if not start:
        raise NotFoundProblem(f"{path.name} is empty: it has not even a line of column names")
    real = next((name for mark, name in _MARKS if start.startswith(mark)), encoding)
    try:
        known = codecs.lookup(real).name
    except LookupError as error:
        raise NotFoundProblem(
            f"unknown encoding {encoding!r}", "Use utf-8, cp1252, latin-1 or utf-16", "data.csv.encoding"
        ) from error
    readable = path
    if known not in ("utf-8", "utf-8-sig", "ascii"):
        readable = _transcoded(path, real, workspace)
    head = _preview(readable, path.name)
    if not head.strip("\r\n"):
        raise NotFoundProblem(f"the first line of {path.name} is empty", "The first line must hold the column names")
    chosen = _separator(head) if separator == "auto" else separator
    columns = _columns(head, chosen)
    if not any(columns):
        raise NotFoundProblem(f"the first line of {path.name} is empty", "The first line must hold the column names")
    return CsvFile(readable, path.name, chosen, columns)


def open_bytes(path: Path) -> IO[Any]:
    """The file's bytes, unpacked when its name ends in .gz or .zst."""
    import pyarrow as pa

    codec = {".gz": "gzip", ".zst": "zstd"}.get(path.suffix.lower())
    file: IO[Any] = pa.input_stream(str(path), compression=codec) if codec else path.open("rb")
    return file


def duplicates(names: tuple[str, ...]) -> list[str]:
    """The names that occur more than once. Engines do not tell "Sex" from "sex", so neither does this.

    >>> duplicates(("sex", "age", "Sex"))
    ['sex']
    """
    return [name for name, n in Counter(name.lower() for name in names).items() if n > 1]


def _transcoded(path: Path, encoding: str, workspace: Path) -> Path:
    target = workspace / f"utf8-{len(list(workspace.iterdir()))}.csv"
    decoder = codecs.getincrementaldecoder(encoding)()
    with open_bytes(path) as source, target.open("wb") as sink:
        try:
            while block := source.read(1 << 22):
                sink.write(decoder.decode(block).encode())
            sink.write(decoder.decode(b"", True).encode())
        except UnicodeError as error:
            raise NotFoundProblem(
                f"{path.name} is not in the encoding {encoding}", "Set data.csv.encoding", "data.csv.encoding"
            ) from error
    return target


def _preview(path: Path, name: str) -> str:
    with open_bytes(path) as file:
        block = file.read(_PREVIEW)
    # A character may be cut in two at the end of the block: an incremental decoder keeps it back.
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    try:
        return decoder.decode(block)
    except UnicodeDecodeError as error:
        line = block[: error.start].count(b"\n") + 1
        raise NotFoundProblem(
            f"line {line} of {name} is not UTF-8", "Set data.csv.encoding, e.g. to cp1252", "data.csv.encoding"
        ) from error


def _columns(head: str, separator: str) -> tuple[str, ...]:
    """The names of the first line. Separators at its end that the next line does not have make no column."""
    rows = csv.reader(io.StringIO(head, newline=""), delimiter=separator)
    names = next(rows, [])
    second = next((row for row in rows if row), names)
    while len(names) > len(second) and names[-1] == "":
        names.pop()
    return tuple(names)


def _separator(head: str) -> str:
    """The separator that makes most columns of the first line, preferring one with which all first rows have as many."""

    def rank(candidate: str) -> tuple[bool, bool, int]:
        rows = csv.reader(io.StringIO(head, newline=""), delimiter=candidate)
        widths = [len(row) for _, row in zip(range(50), rows, strict=False) if row]
        if len(head) >= _PREVIEW // 4 and len(widths) > 1:
            widths.pop()
        return widths[0] > 1, len(set(widths)) == 1, widths[0]

    return max(SEPARATORS, key=rank)
