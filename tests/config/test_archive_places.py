"""Two addresses of one place: full records must not come to lie where others read."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporter.config.archive_places import is_inside, overlap
from reporter.config.loader import load_config
from reporter.errors import ConfigError


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("a", "./a/", True),
        ("a", "b/../a", True),
        ("a", "A", True),
        ("a", "ab", False),
        ("a", "a/sealed", True),
        ("a/sealed", "a", True),
        ("a/open", "a/sealed", False),
        ("link", "a", True),
        ("link/sealed", "a", True),
        ("file://{base}/a", "a", True),
        ("local://{base}/a", "{base}/a", True),
        ("simplecache::file://{base}/a", "a", True),
        ("s3://b/x", "s3a://b/x/", True),
        ("s3://b", "S3://b/x", True),
        ("s3://b/x", "s3://b/X", False),
        ("s3://b/x", "s3://b/y", False),
        ("s3://b/x", "gs://b/x", False),
        ("memory://x", "memory:///x/", True),
        ("ftp://u:p@h/x", "ftp://v@H:21/x/", True),
        ("ftp://h/x", "ftp://h:2121/x", False),
        ("http://h/a%20b?sig=1", "https://h/a b?sig=2", True),
        ("az://c/x", "abfss://c@account.dfs.core.windows.net/x", True),
        ("abfs://c@one.dfs.core.windows.net/x", "abfs://c@two.dfs.core.windows.net/x", False),
        ("abfs://c/x", "abfs://d/x", False),
    ],
)
def test_two_addresses_are_one_place_however_they_are_written(
    tmp_path: Path, first: str, second: str, same: bool
) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "link").symlink_to("a")
    first, second = first.replace("{base}", str(tmp_path)), second.replace("{base}", str(tmp_path))
    assert overlap(first, second, tmp_path) is same
    assert overlap(second, first, tmp_path) is same


def test_a_place_is_inside_another_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "report").mkdir()
    (tmp_path / "elsewhere").symlink_to("report")
    assert is_inside("elsewhere/sealed", "report", tmp_path)
    assert not is_inside("report", "elsewhere/sealed", tmp_path)


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ("archive: cards\nsealed_archive: ./cards/\n", "found the same place as archive, or one inside the other"),
        ("archive: cards\nsealed_archive: cards/full\n", "found the same place as archive, or one inside the other"),
        ("archive: '${PLACE}'\nsealed_archive: cards/full\n", "found the same place as archive"),
        ("archive: cards\nsealed_archive: report/full\n", "found a place inside output.directory"),
        ("output: {directory: .}\nsealed_archive: full\n", "found a place inside output.directory"),
    ],
)
def test_a_config_with_full_records_in_a_shown_place_is_refused_at_its_line(
    tmp_path: Path, keys: str, said: str
) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(f"data: {{source: d.csv, label: y}}\nmodels: [{{name: m, prediction: d}}]\nsmall_cells: 5\n{keys}")
    (tmp_path / "d.csv").write_text("y,d\n1,1\n")
    with pytest.raises(ConfigError) as caught:
        load_config(path, environ={"PLACE": "cards"})
    (problem,) = caught.value.problems
    assert (problem.key, problem.line) == ("sealed_archive", 5)
    assert problem.message.startswith(said)
    assert "publish" in problem.hint


def test_full_records_beside_the_outputs_and_the_archive_are_fine(tmp_path: Path) -> None:
    keys = {"small_cells": 5, "archive": "cards", "sealed_archive": "full", "output": {"directory": "out"}}
    data = {"data": {"source": "(frame)", "label": "y"}, "models": [{"name": "m", "prediction": "d"}]}
    assert load_config({**data, **keys}, environ={}).config.sealed_archive == "full"
