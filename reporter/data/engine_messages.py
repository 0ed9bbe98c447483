"""What an engine's error says, as one sentence for a user: which line, what is wrong, what to do. Values of rows are not repeated."""

from __future__ import annotations

import re

_LINE = re.compile(r"CSV Error on Line: (\d+)")
_COLUMNS = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
_JSON_LINE = re.compile(r"in line (\d+): (.*?)[.\n]")


def explain(error: str, name: str) -> tuple[str, str]:
    """A message and a hint for DuckDB's error about the file ``name``.

    >>> explain("CSV Error on Line: 3\\nOriginal Line: 02,M\\nExpected Number of Columns: 3 Found: 2", "a.csv")
    ('line 3 of a.csv has 2 fields, expected 3', 'Mend the line, or quote fields that hold the separator')
    """
    line = _LINE.search(error)
    if line is None:
        inside = _JSON_LINE.search(error) if "JSON" in error else None
        if inside is not None:
            return f"line {inside[1]} of {name} is not JSON: {inside[2]}", "Each line must hold one JSON object"
        return f"{name} cannot be read: {_first_line(error)}", ""
    place = f"line {line[1]} of {name}"
    columns = _COLUMNS.search(error)
    if columns is not None:
        return f"{place} has {columns[2]} fields, expected {columns[1]}", (
            "Mend the line, or quote fields that hold the separator"
        )
    if "unicode" in error or "utf-8" in error:
        return f"{place} is not UTF-8", "Set data.csv.encoding, e.g. to cp1252"
    if "unterminated quote" in error:
        return f"{place} opens a quote that is never closed", "Close it, or double each quote inside a field"
    if "Maximum line size" in error:
        return f"{place} is longer than 32 MiB", "A quote may be open: close it"
    return f"{place} cannot be read: {_first_line(error.split('Original Line', 1)[0].split(line[0], 1)[-1])}", ""


def _first_line(text: str) -> str:
    lines = [part.strip() for part in text.splitlines() if part.strip()]
    return lines[0] if lines else "no reason given"
