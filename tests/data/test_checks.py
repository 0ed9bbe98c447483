"""The second pass finds every problem of a table at once, and says how to mend each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from reporter.config.loader import load_config
from reporter.data.counts import Counts
from reporter.data.source import check_source, open_source
from reporter.errors import Problem

Check = Callable[..., list[Problem]]


def test_all_problems_come_at_once_with_line_and_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,sex,age,y,d,s\n1,F,30,yes,1,0.5\n1,M,x,no,2,high\n2,M,40,yes,0,0.1\n")
    config = tmp_path / "c.yaml"
    config.write_text(
        "data:\n"
        "  source: a.csv\n"
        "  key: id\n"
        "  label: y\n"
        "models:\n"
        "  - {name: m, prediction: d}\n"
        "  - {name: s, score: s}\n"
        "groups:\n"
        "  - {column: age, breaks: [40]}\n"
    )
    loaded = load_config(config, environ={})
    found = [str(problem).removeprefix(str(tmp_path) + "/") for problem in check_source(open_source(loaded), loaded)]
    assert sorted(found) == [
        "c.yaml:3:8 data.key: column 'id' does not name each row once: 1 value occurs again, e.g. '1'",
        "c.yaml:4:10 data.label: column 'y' holds the words 'no' and 'yes', and nothing says which one counts as 1. "
        "Set data.positive, e.g. positive: 'yes'",
        "c.yaml:6:27 models[0].prediction: column 'd': 1 row has a value that is neither 0 nor 1: '2'. "
        "Use a column with two values, or filter the rows with data.where",
        "c.yaml:7:22 models[1].score: column 's': 1 row holds no number, e.g. 'high'. "
        "If it stands for a missing value, add it to data.missing",
        "c.yaml:9:14 groups[0].column: column 'age': 1 row holds no number, e.g. 'x'; intervals need numbers",
    ]


def test_missing_columns_name_the_nearest(tmp_path: Path, problems: Check) -> None:
    (tmp_path / "a.csv").write_text("gender,label,pred\nF,1,1\n")
    found = problems(tmp_path / "a.csv", groups=["gendre", "race"], data={"label": "labl"})
    assert [(problem.key, problem.hint) for problem in found] == [
        ("data.label", "Did you mean 'label'?"),
        ("models[0].prediction", "The columns are gender, label, pred"),
        ("groups[0]", "Did you mean 'gender'?"),
        ("groups[1]", "The columns are gender, label, pred"),
    ]


@pytest.mark.parametrize(
    ("labels", "positive", "message"),
    [
        (["<=50K", ">50K"], None, "the words '<=50K' and '>50K'"),
        (["<=50K", ">50K"], ">60K", "has '<=50K' (1 rows) and '>50K' (1 rows), not '>60K'"),
        (["yes"], None, "holds only 'yes'"),
        (["a", "b", "c"], "a", "has 3 values"),
        (["a", "b", "c"], None, "has 3 values"),
        ([2, 3], None, "the values '2' and '3'"),
        ([0, 1, 0.5, 0.5], None, "2 rows have a value that is neither 0 nor 1: '0.5'"),
        ([0.5, 0.25, 0.5], None, "3 rows have a value that is neither 0 nor 1"),
        ([1, 2], None, "1 row has a value that is neither 0 nor 1: '2'"),
        (["0", "1", "yes"], None, "neither 0 nor 1: 'yes'"),
    ],
)
def test_labels_that_are_not_two_known_values(problems: Check, labels: list[Any], positive: Any, message: str) -> None:
    (found,) = problems(pd.DataFrame({"y": labels, "d": 1}), data={"positive": positive})
    assert message in found.message


@pytest.mark.parametrize(
    ("labels", "positive", "n_positive"),
    [
        (["<=50K", ">50K", ">50K"], ">50K", 2),
        ([1, 2, 2], 2, 2),
        ([0, 1, 1], 0, 1),
        (["no", "yes", None], "yes", 1),
        (["GOOD", "BAD", "BAD"], "BAD", 2),
        ([True, False, True], True, 2),
        (["True", "False", "True"], 1, 2),
        (["01", "1", "01"], "01", 2),
    ],
)
def test_the_positive_value_is_found_in_any_type(
    counted: Callable[..., Counts], labels: list[Any], positive: Any, n_positive: int
) -> None:
    frame = pd.DataFrame({"y": pd.Series(labels, dtype=object), "d": 1})
    assert counted(frame, data={"positive": positive}).facts["n_positive"] == n_positive


def test_predictions_in_words_use_the_label_s_positive_value_and_0_1_need_none(
    counted: Callable[..., Counts],
) -> None:
    frame = pd.DataFrame({"y": ["ill", "well"], "words": ["ill", "ill"], "bits": [1, 0], "own": ["refer", "wait"]})
    counts = counted(
        frame,
        data={"positive": "ill"},
        models=[
            {"name": "a", "prediction": "words"},
            {"name": "b", "prediction": "bits"},
            {"name": "c", "prediction": "own", "positive": "refer"},
        ],
    )
    table = counts.tables["overall"]
    assert table[["label", "m0", "m1", "m2", "n"]].to_numpy().tolist() == [[0, 1, 0, 0, 1], [1, 1, 1, 1, 1]]


def test_a_positive_value_that_no_row_has_is_said(counted: Callable[..., Counts]) -> None:
    counts = counted(pd.DataFrame({"y": ["well", "well"], "d": [1, 0]}), data={"positive": "ill"})
    assert counts.facts["n_positive"] == 0
    assert counts.facts["notes"] == ["No row of column 'y' has the value 'ill'; all 2 have 'well'."]


@pytest.mark.parametrize("header", ["y,d\n", "y,d", "\ufeffy,d\r\n"])
def test_a_file_with_only_a_header_has_no_rows(tmp_path: Path, problems: Check, header: str) -> None:
    (tmp_path / "a.csv").write_text(header)
    (found,) = problems(tmp_path / "a.csv")
    assert "has no rows" in found.message


def test_a_reference_group_that_does_not_exist_is_named_with_the_nearest(problems: Check) -> None:
    frame = pd.DataFrame({"sex": ["Female", "Male"], "y": [1, 0], "d": [1, 1]})
    rules = [{"metric": "fnr", "difference": 0.1, "reference": "Femal"}]
    (found,) = problems(frame, groups=["sex"], flags={"rules": rules})
    assert (found.key, found.hint) == ("flags.rules[0].reference", "Did you mean 'Female'?")


def test_an_identifier_as_a_group_is_refused(problems: Check) -> None:
    frame = pd.DataFrame({"id": range(100_001), "y": 1, "d": 1})
    (found,) = problems(frame, groups=["id"])
    assert "100,001 different values" in found.message


def test_a_key_must_be_present_in_each_row(problems: Check) -> None:
    found = problems(pd.DataFrame({"id": ["a", None, None], "y": 1, "d": 1}), data={"key": "id"})
    assert [problem.message for problem in found] == ["column 'id': 2 rows have no value"]


def test_a_comma_as_the_decimal_point_is_recognised(tmp_path: Path, problems: Check) -> None:
    (tmp_path / "a.csv").write_text("y;s\n1;0,5\n0;0,25\n")
    (found,) = problems(tmp_path / "a.csv", models=[{"name": "m", "score": "s"}])
    assert found.hint == "Use a point, not a comma"


def test_columns_that_differ_only_in_case_are_not_told_apart(tmp_path: Path, problems: Check) -> None:
    (tmp_path / "a.csv").write_text("sex,Sex,y,d\nF,F,1,1\n")
    (found,) = problems(tmp_path / "a.csv", groups=["sex"])
    assert "differ only in case" in found.message
