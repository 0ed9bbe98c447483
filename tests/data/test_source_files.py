"""Files as they come from spreadsheets, pipelines and archives are read as what they say."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from reporter.config.loader import LoadedConfig, load_config
from reporter.data import cells
from reporter.data.counts import Counts, count
from reporter.data.source import check_source, open_source
from reporter.errors import DataError

ROWS = "sex,y,d\nF,1,1\nF,0,1\nM,1,0\nM,0,0\nM,1,1\n"
Count = Callable[..., Counts]
Configure = Callable[..., LoadedConfig]


def _names(counts: Counts, grouping: str) -> list[tuple[str, int]]:
    return [(level.name, level.n) for level in cells.levels(counts, grouping)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("plain.csv", ROWS.encode()),
        ("bom.csv", b"\xef\xbb\xbf" + ROWS.encode()),
        ("utf16.csv", ROWS.encode("utf-16")),
        ("windows.csv", ROWS.replace("\n", "\r\n").encode()),
        ("semicolons.csv", ROWS.replace(",", ";").encode()),
        ("tabs.tsv", ROWS.replace(",", "\t").encode()),
        ("pipes.txt", ROWS.replace(",", "|").encode()),
        ("quoted.csv", b'"sex","y","d"\n"F","1","1"\n"F","0","1"\n"M","1","0"\n"M","0","0"\n"M","1","1"\n'),
        ("packed.csv.gz", gzip.compress(ROWS.encode(), mtime=0)),
        ("no_end.csv", ROWS.rstrip("\n").encode()),
        ("with space é/données 1.csv", ROWS.encode()),
        ("[brackets] 50%.csv", ROWS.encode()),
    ],
)
def test_the_same_csv_in_other_clothes_gives_the_same_counts(
    tmp_path: Path, counted: Count, name: str, content: bytes
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    counts = counted(path, groups=["sex"])
    assert _names(counts, "sex") == [("F", 2), ("M", 3)]
    assert cells.cells(counts, "sex", "m").tp.tolist() == [1, 1]


def test_zstandard_is_unpacked(tmp_path: Path, counted: Count) -> None:
    with pa.CompressedOutputStream(str(tmp_path / "a.csv.zst"), "zstd") as file:
        file.write(ROWS.encode())
    assert _names(counted(tmp_path / "a.csv.zst", groups=["sex"]), "sex") == [("F", 2), ("M", 3)]


def test_cp1252_is_transcoded_when_the_config_says_so(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_bytes("city,y,d\nZürich,1,1\nGenève,0,0\n".encode("cp1252"))
    counts = counted(tmp_path / "a.csv", groups=["city"], data={"csv": {"encoding": "cp1252"}})
    assert _names(counts, "city") == [("Genève", 1), ("Zürich", 1)]


def test_bytes_that_are_not_utf8_name_their_line_and_the_key(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_bytes("city,y,d\nBern,1,1\nGenève,0,0\n".encode("cp1252"))
    with pytest.raises(DataError, match=r"line 3 of a\.csv is not UTF-8") as caught:
        counted(tmp_path / "a.csv", groups=["city"])
    assert "cp1252" in caught.value.problems[0].hint


def test_a_malformed_line_is_named_and_its_values_are_not_repeated(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text("sex,y,d\nF,1,1\nsecret,1\nM,0,0\n")
    with pytest.raises(DataError, match=r"line 3 of a\.csv has 2 fields, expected 3") as caught:
        counted(tmp_path / "a.csv", groups=["sex"])
    assert "secret" not in str(caught.value)


def test_an_open_quote_is_named(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text('sex,y,d\nF,1,1\n"F,1,1\nM,0,0\n')
    with pytest.raises(DataError, match="a quote that is never closed"):
        counted(tmp_path / "a.csv", groups=["sex"])


def test_line_breaks_and_separators_inside_quotes_belong_to_the_value(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text('site,y,d\n"A, B",1,1\n"A\nB",0,0\n"say ""hi""",0,0\n')
    assert [name for name, _ in _names(counted(tmp_path / "a.csv", groups=["site"]), "site")] == [
        "A\nB",
        "A, B",
        'say "hi"',
    ]


def test_what_counts_as_missing_is_configurable(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text("site,y,d\nNA,1,1\n?,0,0\n,1,0\n")
    by_default = counted(tmp_path / "a.csv", groups=["site"])
    assert _names(by_default, "site") == [("?", 1), ("NA", 1), ("(missing)", 1)]
    marked = counted(tmp_path / "a.csv", groups=["site"], data={"missing": ["", "?", "NA"]})
    assert _names(marked, "site") == [("(missing)", 3)]
    none = counted(tmp_path / "a.csv", groups=["site"], data={"missing": []})
    assert _names(none, "site") == [("", 1), ("?", 1), ("NA", 1)]


def test_markers_apply_to_labels_predictions_and_scores(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text("y,d,s\n1,NA,0.5\nNA,1,NA\n0,0,0.7\n")
    counts = counted(
        tmp_path / "a.csv",
        data={"missing": ["NA"]},
        models=[{"name": "m", "prediction": "d"}, {"name": "s", "score": "s"}],
    )
    assert counts.facts["n_labelled"] == 2
    assert [model["n_missing"] for model in counts.facts["models"]] == [1, 1]


@pytest.mark.parametrize("ending", ["parquet", "jsonl", "feather", "arrow", "csv"])
def test_every_format_gives_the_same_bytes(tmp_path: Path, counted: Count, ending: str) -> None:
    frame = pd.DataFrame({"sex": ["F", "M", None, "NA"], "y": [1, 0, 1, 0], "s": [0.5, 0.25, None, 0.75]})
    path = tmp_path / f"a.{ending}"
    if ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in json.loads(frame.to_json(orient="records"))))
    elif ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "feather":
        feather.write_feather(pa.Table.from_pandas(frame, preserve_index=False), path)
    else:
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, pa.Schema.from_pandas(frame)) as writer:
            writer.write_table(pa.Table.from_pandas(frame))
    keys = {"groups": ["sex"], "models": [{"name": "m", "score": "s"}]}
    expected, found = counted(frame, **keys), counted(path, **keys)
    for name in ("source", "sha256", "inputs"):
        del expected.facts[name], found.facts[name]
    expected.save(tmp_path / "expected")
    found.save(tmp_path / "found")
    for file in (tmp_path / "expected").iterdir():
        assert file.read_bytes() == (tmp_path / "found" / file.name).read_bytes(), file.name


def test_a_glob_is_one_table_with_a_hash_over_the_sorted_hashes(tmp_path: Path, counted: Count) -> None:
    for i, sex in enumerate("FM"):
        pq.write_table(pa.table({"sex": [sex] * 3, "y": [1, 0, 1], "d": [i, i, i]}), tmp_path / f"part-{i}.parquet")
    counts = counted(str(tmp_path / "part-*.parquet"), groups=["sex"])
    assert _names(counts, "sex") == [("F", 3), ("M", 3)]
    hashes = sorted(hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.glob("*.parquet"))
    assert counts.facts["sha256"] == hashlib.sha256("\n".join(hashes).encode()).hexdigest()
    assert sorted(one["sha256"] for one in counts.facts["inputs"]) == hashes


def test_files_of_a_glob_with_other_columns_are_refused(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a1.csv").write_text(ROWS)
    (tmp_path / "a2.csv").write_text(ROWS.replace("sex", "gender"))
    with pytest.raises(DataError, match=r"a2\.csv has other columns than a1\.csv"):
        counted(str(tmp_path / "a*.csv"), groups=["sex"])


def test_a_missing_file_names_the_nearest_and_the_line(tmp_path: Path) -> None:
    (tmp_path / "clinic.csv").write_text(ROWS)
    config = tmp_path / "c.yaml"
    config.write_text("data:\n  source: clinik.csv\n  label: y\nmodels:\n  - {name: m, prediction: d}\n")
    loaded = load_config(config, environ={})
    with pytest.raises(DataError, match=r"c\.yaml:2:\d+ data\.source: there is no file clinik\.csv.*clinic\.csv"):
        open_source(loaded)


@pytest.mark.parametrize("ending", ["xlsx", "XLS", "ods"])
def test_a_workbook_is_to_be_exported(tmp_path: Path, configured: Configure, ending: str) -> None:
    (tmp_path / f"a.{ending}").write_bytes(b"PK\x03\x04")
    with pytest.raises(
        DataError, match=f"a.{ending} is a workbook, which is not read. Export the table as CSV or Parq"
    ):
        open_source(configured(str(tmp_path / f"a.{ending}")))


def test_paths_are_relative_to_the_config(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(ROWS)
    config = tmp_path / "c.yaml"
    config.write_text("data: {source: a.csv, label: y}\nmodels: [{name: m, prediction: d}]\ngroups: [sex]\n")
    loaded = load_config(config, environ={})
    counts = count(open_source(loaded), loaded)
    assert counts.facts["source"] == "a.csv"


def test_another_sha256_is_an_error_with_both(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text(ROWS)
    right = hashlib.sha256(ROWS.encode()).hexdigest()
    assert counted(tmp_path / "a.csv", data={"sha256": right}).facts["sha256"] == right
    with pytest.raises(DataError, match=f"is {right}, expected {'0' * 64}"):
        counted(tmp_path / "a.csv", data={"sha256": "0" * 64})


@pytest.mark.parametrize("folder", ["", "data"])
def test_a_url_is_looked_for_in_reporter_data_and_its_hash_is_checked(
    tmp_path: Path, counted: Count, monkeypatch: pytest.MonkeyPatch, folder: str
) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "a b.csv").write_text(ROWS)
    monkeypatch.setenv("REPORTER_DATA", str(tmp_path))
    url = "https://example.org/x/a%20b.csv?token=hush"
    counts = counted(url, groups=["sex"], data={"sha256": hashlib.sha256(ROWS.encode()).hexdigest()})
    assert _names(counts, "sex") == [("F", 2), ("M", 3)]
    assert counts.facts["source"] == "https://example.org/x/a%20b.csv"
    with pytest.raises(DataError, match="SHA-256") as caught:
        counted(url, groups=["sex"], data={"sha256": "0" * 64})
    assert "hush" not in str(caught.value)


def test_a_filter_sees_numbers_as_numbers_and_quoted_values_as_text(tmp_path: Path, counted: Count) -> None:
    (tmp_path / "a.csv").write_text("zip,age,y,d\n01,9,1,1\n1,10,0,1\n02,100,1,0\n")
    older = counted(tmp_path / "a.csv", groups=["zip"], data={"where": "age > 9"})
    assert _names(older, "zip") == [("1", 1), ("02", 1)]
    assert (older.facts["n"], older.facts["n_filtered_out"]) == (2, 1)
    zipped = counted(tmp_path / "a.csv", groups=["zip"], data={"where": "zip in ('01', '02')"})
    assert _names(zipped, "zip") == [("01", 1), ("02", 1)]


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("aeg > 9", "there is no column 'aeg'"),
        ("age >", "is not an SQL expression"),
        ("age > 0; drop table x", "is not"),
        ("age > 1000", "the filter leaves none of 3 rows"),
    ],
)
def test_a_wrong_filter_is_said_with_its_key(
    tmp_path: Path, problems: Callable[..., list[object]], where: str, message: str
) -> None:
    (tmp_path / "a.csv").write_text("age,y,d\n9,1,1\n10,0,1\n100,1,0\n")
    found = problems(tmp_path / "a.csv", data={"where": where})
    assert len(found) == 1
    assert message in str(found[0])
    assert "data.where" in str(found[0])


def test_temporary_copies_are_removed(tmp_path: Path, configured: Configure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    (tmp_path / "t").mkdir()
    (tmp_path / "a.csv").write_text(ROWS)
    loaded = configured(str(tmp_path / "a.csv"))
    source = open_source(loaded)
    assert check_source(source, loaded) == []
    assert list((tmp_path / "t").iterdir())
    del source
    import gc

    gc.collect()
    assert not list((tmp_path / "t").iterdir())
