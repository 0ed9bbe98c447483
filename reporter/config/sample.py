"""The first rows of a data file as text, to guess a config from. Reads a bounded part; knows nothing of what columns mean."""

from __future__ import annotations

import csv
import glob
import io
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

from reporter.errors import ConfigError, DataError, Problem

MAX_ROWS = 20_000
_SEPARATORS = (",", ";", "\t", "|")
_LINE_FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl"}
_ARROW_FORMATS = {".parquet": "parquet", ".pq": "parquet", ".arrow": "arrow", ".feather": "arrow", ".ipc": "arrow"}


@dataclass(frozen=True)
class Sample:
    """The first rows. ``columns`` has every value as text (None: null).

    ``repeated`` holds the names that stand twice (``differing``: with different values, or in different case).
    ``paths`` are the files, ``separator`` and ``encoding`` are those of a CSV. ``whole``: no row was left unread.
    """

    columns: dict[str, list[str | None]]
    repeated: tuple[str, ...]
    differing: frozenset[str]
    n_rows: int
    whole: bool
    paths: tuple[Path, ...] = ()
    separator: str = ","
    encoding: str = "utf-8"


def read_sample(source: str, *, max_rows: int = MAX_ROWS) -> Sample:
    """The first ``max_rows`` rows of a file (of a glob: of its first file). CSV unless the name says Parquet, Arrow or JSON lines.

    Raises ConfigError when there is no such file and DataError when it holds no table.
    """
    paths = sorted(glob.glob(source, recursive=True)) if glob.has_magic(source) else [source]
    if not paths or not Path(paths[0]).is_file():
        hint = "`reporter init` reads a file: CSV, Parquet, Arrow or JSON lines."
        raise ConfigError(Problem("found no such file", hint, path=source))
    path = Path(paths[0])
    sample = _read(path, source, max_rows)
    if not sample.n_rows:
        raise DataError(Problem("has column names but no rows, so that nothing can be guessed", path=source))
    return replace(sample, paths=tuple(map(Path, paths)))


def _read(path: Path, source: str, max_rows: int) -> Sample:
    kind = next((s.lower() for s in reversed(path.suffixes) if s.lower() not in (".gz", ".zst")), ".csv")
    try:
        if kind in _ARROW_FORMATS:
            return _arrow(path, _ARROW_FORMATS[kind], max_rows)
        if kind in _LINE_FORMATS:
            return _json_lines(path, max_rows)
        return _csv(path, max_rows)
    except _NotTextError as error:
        raise DataError(Problem(str(error), "Export the table as CSV or Parquet.", path=source)) from error
    except (OSError, ValueError, csv.Error) as error:
        shown = kind[1:] if kind in {**_ARROW_FORMATS, **_LINE_FORMATS} else "CSV"
        raise DataError(Problem(f"cannot be read as {shown}: {error}", path=source)) from error


class _NotTextError(ValueError):
    """The file is of another kind, which the message names."""


def _csv(path: Path, max_rows: int) -> Sample:
    encoding = _encoding(path)
    with _open(path) as raw, io.TextIOWrapper(raw, encoding=encoding, newline="") as text:
        first = text.readline()
        separator = max(_SEPARATORS, key=first.count)
        header = next(csv.reader([first], delimiter=separator), [])
        if not any(header):
            raise ValueError("the first line holds no column names")
        rows = list(islice(csv.reader(text, delimiter=separator), max_rows + 1))
    named = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    return _sample(header, rows, max_rows, separator=separator, encoding=named)


def _encoding(path: Path) -> str:
    """By the byte-order mark, else UTF-8 if the file's first megabytes are that, else cp1252 of spreadsheets."""
    with _open(path) as raw:
        start = raw.read(4 << 20)
    if not start:
        raise ValueError("the file is empty")
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    _check_is_text(start)
    try:
        # a character may be cut at the end of what was read
        start[: len(start) - 4 if len(start) == 4 << 20 else None].decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(start) - 8:
            if set(start) & _NO_CP1252:
                raise _NotTextError("found bytes that are no text") from error
            return "cp1252"
    return "utf-8-sig"


_NO_CP1252 = frozenset((0x81, 0x8D, 0x8F, 0x90, 0x9D))
_STARTS = (
    (b"PK\x03\x04", "an Excel workbook or another ZIP file"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
    (b"%PDF", "a PDF"),
    (b"PAR1", "a Parquet file under another name"),
)
_PAGES = (b"<!doctype html", b"<html", b"<?xml")


def _check_is_text(start: bytes) -> None:
    found = next((what for mark, what in _STARTS if start.startswith(mark)), "")
    if start.removeprefix(b"\xef\xbb\xbf").lstrip()[:20].lower().startswith(_PAGES):
        found = "a web page or XML"
    if not found and b"\0" in start:
        found = "bytes that are no text"
    if found:
        raise _NotTextError(f"found {found}, expected a table as text")


def _open(path: Path) -> IO[Any]:
    suffix = path.suffix.lower()
    if suffix in (".gz", ".zst"):
        import pyarrow as pa

        stream: IO[Any] = pa.input_stream(str(path), compression="gzip" if suffix == ".gz" else "zstd")
        return stream
    return path.open("rb")


def _json_lines(path: Path, max_rows: int) -> Sample:
    with _open(path) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig") as text:
        lines = islice((line for line in text if line.strip()), max_rows + 1)
        records = [json.loads(line) for line in lines]
    if not records or not all(isinstance(record, dict) for record in records):
        raise ValueError("expected one JSON object a line")
    header = list(dict.fromkeys(key for record in records for key in record))
    return _sample(header, [[record.get(key) for key in header] for record in records], max_rows)


def _arrow(path: Path, kind: str, max_rows: int) -> Sample:
    if kind == "parquet":
        import pyarrow.parquet as pq

        file = pq.ParquetFile(path)
        header, batches = file.schema_arrow.names, file.iter_batches(batch_size=max_rows + 1)
    else:
        import pyarrow as pa

        reader = pa.ipc.open_file(path)
        header = reader.schema.names
        batches = (reader.get_batch(index) for index in range(reader.num_record_batches))
    return _sample(header, islice(_rows(batches), max_rows + 1), max_rows)


def _rows(batches: Iterable[Any]) -> Iterator[Sequence[Any]]:
    for batch in batches:
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def _sample(
    header: Sequence[str],
    rows: Iterable[Sequence[Any]],
    max_rows: int,
    *,
    separator: str = ",",
    encoding: str = "utf-8",
) -> Sample:
    kept = list(rows)
    whole = len(kept) <= max_rows
    kept = [row for row in kept[:max_rows] if row]
    columns: dict[str, list[str | None]] = {}
    by_folded: dict[str, list[tuple[str, list[str | None]]]] = {}
    for index, name in enumerate(header):
        if name:
            values = [_text(row[index]) if index < len(row) else None for row in kept]
            columns.setdefault(name, values)
            by_folded.setdefault(name.lower(), []).append((name, values))
    twice = [same for same in by_folded.values() if len(same) > 1]
    return Sample(
        columns=columns,
        repeated=tuple(same[0][0] for same in twice),
        differing=frozenset(name for same in twice if any(one != same[0] for one in same) for name, _ in same),
        n_rows=len(kept),
        whole=whole,
        separator=separator,
        encoding=encoding,
    )


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)
