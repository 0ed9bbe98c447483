"""A URL's file in the folder that REPORTER_DATA names is found by its name, else by its content."""

from __future__ import annotations

import hashlib
from pathlib import Path

from reporter.data.files import find_files

URL = "https://example.org/data/cases.csv"


def test_a_file_of_another_name_with_the_right_content_is_used(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "other.csv").write_bytes(b"a\n1\n")
    (tmp_path / "data" / "first.csv").write_bytes(b"a\n2\n")
    digest = hashlib.sha256(b"a\n1\n").hexdigest()
    found = find_files(URL, base=tmp_path, sha256=digest, environ={"REPORTER_DATA": str(tmp_path)})
    assert [path.name for path in found.paths] == ["other.csv"]
    assert found.sha256 == digest
