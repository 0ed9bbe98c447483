"""`reporter init`: the guessed config loads, and names the columns that a reader of the file would name."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from reporter.config.guess import guess_config
from reporter.config.loader import LoadedConfig, load_config
from reporter.config.schema import GroupColumn, grouping_name
from reporter.errors import ConfigError, DataError

LABEL, SCORE = "two_year_recid", "priors_count"


def load(folder: Path, text: str) -> LoadedConfig:
    path = folder / "first.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, environ={})


def guess(folder: Path, content: str | bytes, name: str = "p.csv") -> LoadedConfig:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return load(folder, guess_config(str(path)))


@pytest.mark.parametrize(
    ("file", "label", "positive", "models", "groups", "filled"),
    [
        ("adult.csv", "income-per-year", ">50K", ["education-num"], ["sex", "race", "age"], "education-num"),
        ("compas-scores-two-years.csv", "two_year_recid", None, ["decile_score"], ["sex", "race", "age"], None),
        (
            "compas_fairness.csv",
            "Two_yr_Recidivism",
            "yes",
            ["probability"],
            ["Female", "ethnicity", "Age_Above_FourtyFive"],
            None,
        ),
        ("compas_friedler.csv", "two_year_recid", None, ["priors_count"], ["sex", "race", "age"], "priors_count"),
        ("germancredit_fairness.csv", "BAD", "BAD", ["probability"], ["Female", "Age", "Foreign"], None),
    ],
)
def test_public_data_sets(
    shared_data: Path,
    tmp_path: Path,
    file: str,
    label: str,
    positive: str | None,
    models: list[str],
    groups: list[str],
    filled: str | None,
) -> None:
    text = guess_config(str(shared_data / file))
    assert ("score: FILL IN" in text) == (filled is not None)
    config = load(tmp_path, text.replace("score: FILL IN", f"score: {filled}")).config
    assert (config.data.label, config.data.positive) == (label, positive)
    assert [model.score for model in config.models] == models
    assert [grouping_name(group) for group in config.groups] == groups


@pytest.mark.parametrize(
    ("file", "score"),
    [
        ("adult.csv", "education-num"),
        ("compas-scores-two-years.csv", ""),
        ("compas_fairness.csv", ""),
        ("compas_friedler.csv", "priors_count"),
        ("germancredit_fairness.csv", ""),
    ],
)
def test_the_first_config_of_public_data_runs(shared_data: Path, tmp_path: Path, file: str, score: str) -> None:
    from reporter.runner import run

    path = tmp_path / "first.yaml"
    path.write_text(
        guess_config(str(shared_data / file)).replace("score: FILL IN", f"score: {score}"), encoding="utf-8"
    )
    groups = run(path).groups
    assert set(groups["grouping"]) == {grouping_name(group) for group in load_config(path, environ={}).config.groups}
    assert groups.loc[groups["metric"] == "fnr", "value"].notna().any()


def test_a_place_that_cannot_be_guessed_is_marked_and_refused_until_filled(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        guess(tmp_path, "sex,label\nF,0\nM,1\n")
    (problem,) = caught.value.problems
    assert (problem.key, problem.message[:13]) == ("models[0].score", "found FILL IN")


def test_a_reader_sees_which_lines_need_them(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("sex,label,decile_score\nF,0,3\nM,1,9\nM,1,7\n")
    marked = [line.strip() for line in guess_config(str(path)).splitlines() if "FILL IN" in line and "#" in line]
    assert any(
        line.startswith("- {name: decile_score, score: decile_score, threshold: 7}  # FILL IN: the threshold")
        for line in marked
    )


def test_a_guessed_threshold_is_marked_and_only_a_relative_path_is_called_one(tmp_path: Path) -> None:
    (tmp_path / "p.csv").write_text("sex,label,risk\nF,0,0.3\nM,1,0.9\nM,1,0.7\n")
    text = guess_config(str(tmp_path / "p.csv"))
    assert "threshold: 0.5}  # FILL IN: the threshold in use; this is a guess" in text
    assert "relative to this file" not in text


def test_separator_encoding_and_markers_of_missing_values_are_found(tmp_path: Path) -> None:
    rows = "geschlecht;sex;outcome;score;amount\n" + "männlich;M;yes;0,5;NA\nweiblich;F;no;0,4;3\n" * 20
    path = tmp_path / "p.csv"
    path.write_bytes(
        rows.replace(";0,5;", ";0.5;").replace(";0,4;", ";0.4;").replace(";0.5;", ";0.7;", 1).encode("cp1252")
    )
    data = load(tmp_path, guess_config(str(path))).config.data
    assert (data.csv.separator, data.csv.encoding, data.missing) == (";", "cp1252", ("", "NA"))


def test_na_among_words_is_a_value_and_not_missing(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "country,label,predicted\nNA,0,1\nZA,1,0\nNA,1,1\n")
    assert loaded.config.data.missing == ("",)
    assert loaded.config.groups == ("country",)


def test_codes_with_leading_zeros_are_words(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "site,label,predicted\n" + "01,0,1\n02,1,0\n1,1,1\n" * 9)
    assert loaded.config.groups == ("site",)


def test_numbers_become_quarters(tmp_path: Path) -> None:
    rows = "".join(f"{age},{age % 2},{age / 100}\n" for age in range(20, 80))
    (group,) = guess(tmp_path, "age,label,risk\n" + rows).config.groups
    assert isinstance(group, GroupColumn)
    assert group.breaks == [35.0, 50.0, 65.0]


def test_without_an_outcome_the_config_is_label_free(tmp_path: Path) -> None:
    config = guess(tmp_path, "sex,predicted\nF,0\nM,1\n").config
    assert config.data.label is None
    assert config.metrics == ("referral_rate",)
    assert config.models[0].prediction == "predicted"


def test_scores_that_run_against_the_label_are_pointed_out(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("sex,default,score\n" + "F,yes,0.1\nM,no,0.9\nF,no,0.8\n" * 5)
    assert 'FILL IN: these scores are lower where the label is "yes"' in guess_config(str(path))


def test_predictions_in_other_words_than_the_label_get_their_own_positive(tmp_path: Path) -> None:
    config = guess(tmp_path, "sex,label,decision\nF,0,low\nM,1,high\nM,1,high\n").config
    assert (config.data.positive, config.models[0].positive) == (None, "low")
    config = guess(tmp_path, "sex,bad,decision\nF,no,no\nM,yes,yes\nM,no,no\n").config
    assert (config.data.positive, config.models[0].positive) == ("yes", None)


def test_codes_that_do_not_say_which_is_positive_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("sex,bad,predicted\nF,1,0\nM,2,1\n")
    text = guess_config(str(path))
    assert '  positive: "2"  # FILL IN: the value that counts as 1' in text
    assert load(tmp_path, text).config.data.positive == "2"


@pytest.mark.parametrize("name", ["odd name.csv", "a${b}.csv", 'quo"te.csv', "#hash.csv", "NO"])
def test_odd_file_and_column_names_survive(tmp_path: Path, name: str) -> None:
    header = '"sex: or\n gender","label","predicted ${x}"\n'
    loaded = guess(tmp_path, header.replace("\n gender", " gender") + "F,0,1\nM,1,0\n", name)
    assert loaded.config.data.source == str(tmp_path / name)
    assert loaded.config.groups == ("sex: or gender",)
    assert loaded.config.models[0].prediction == "predicted ${x}"


def test_other_formats_are_read(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"sex": ["F", "M", None], "label": [0, 1, 1], "risk": [0.1, 0.2, 0.7]})
    pq.write_table(table, tmp_path / "p.parquet")
    with pa.ipc.new_file(str(tmp_path / "p.arrow"), table.schema) as writer:
        writer.write_table(table)
    (tmp_path / "p.jsonl").write_text(
        '{"sex": "F", "label": 0, "risk": 0.1}\n\n{"sex": "M", "label": 1, "risk": 0.7}\n'
    )
    with gzip.open(tmp_path / "p.csv.gz", "wt") as file:
        file.write("sex,label,risk\nF,0,0.1\nM,1,0.7\n")
    (tmp_path / "utf16.csv").write_bytes("sex,label,risk\nF,0,0.1\nM,1,0.7\n".encode("utf-16"))
    for name in ("p.parquet", "p.arrow", "p.jsonl", "p.csv.gz", "utf16.csv", "p.p*"):
        config = load(tmp_path, guess_config(str(tmp_path / name))).config
        assert (config.data.label, config.models[0].score, config.groups) == ("label", "risk", ("sex",))


def test_a_column_that_stands_twice_is_used_only_where_both_hold_the_same(tmp_path: Path) -> None:
    rows = "sex,label,risk,risk,score,score\n" + "F,0,0.1,0.1,1,2\nM,1,0.9,0.9,3,3\n"
    loaded = guess(tmp_path, rows)
    assert [model.score for model in loaded.config.models] == ["risk"]
    assert loaded.config.data.sha256 == hashlib.sha256(rows.encode()).hexdigest()
    assert '# these columns stand twice in the file: "risk", "score"' in loaded.text.decode()


def test_only_a_bounded_part_is_read(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("id,sex,label,risk\n" + "".join(f"{i},F,{i % 2},0.{i}\n" for i in range(20_500)))
    text = guess_config(str(path))
    assert "guessed from the first 20,000 rows" in text
    assert "  key:" not in text


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", b"", "the file is empty"),
        ("p.parquet", b"PAR1", "cannot be read as parquet"),
        ("p.jsonl", b"[1]\n", "expected one JSON object a line"),
        ("p.csv", b"\n1\n", "holds no column names"),
        ("p.csv", b"sex,label\n", "has column names but no rows"),
        ("p.html", b"<!DOCTYPE html>\n<html><title>a,b</title>\n", "found a web page or XML.*as CSV or Parquet"),
        ("p.csv", b"\xef\xbb\xbf \n<HTML>\n", "found a web page or XML"),
        ("p.xlsx", b"PK\x03\x04\x9d\x00", "found an Excel workbook.* Export the table as CSV or Parquet"),
        ("p.xls", b"\xd0\xcf\x11\xe0\x9d", "found an old Excel workbook"),
        ("p.bin", b"a,b\n\x00\x01\n", "found bytes that are no text"),
        ("p.bin", b"a,b\n\x9d\x81,1\nsome more,2\n", "found bytes that are no text"),
    ],
)
def test_what_holds_no_table_is_an_error_of_the_data(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        guess_config(str(tmp_path / name))


def test_a_missing_file_is_an_error_of_usage(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="found no such file"):
        guess_config(str(tmp_path / "none.csv"))


def test_na_among_numbers_is_missing(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "country,label,risk\nZA,1,0.9\nZM,0,NA\nZA,0,0.1\n")
    assert loaded.config.data.missing == ("", "NA")
    assert [model.score for model in loaded.config.models] == ["risk"]


def test_na_among_numbers_and_among_words_is_left_to_the_reader(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "country,label,risk\nZA,1,0.9\nNA,0,NA\nNA,0,0.1\n")
    assert loaded.config.data.missing == ("",)
    assert [model.score for model in loaded.config.models] == ["risk"]
    assert loaded.config.groups == ("country",)
    text = loaded.text.decode()
    assert (
        '  # FILL IN: "NA" stands among the numbers of "risk" and among the words of "country", where it may be a value;'
        " if it is missing in both, list it under missing\n"
    ) in text


def test_a_question_mark_is_missing_also_among_words(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "country,label,risk\nZA,1,0.9\n?,0,0.2\nZA,0,0.1\n")
    assert loaded.config.data.missing == ("", "?")


def test_the_comment_on_rules_says_both_ends_of_the_ratio(tmp_path: Path) -> None:
    loaded = guess(tmp_path, "sex,label,risk\nF,1,0.9\nM,0,0.2\n")
    assert "a ratio outside 0.8 to 1.25" in loaded.text.decode()
    assert {rule.side for rule in loaded.config.flags.rules} == {"both"}
