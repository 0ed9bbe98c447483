"""CSV tables: whole, exact, one a grouping, with names that lead nowhere else."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import PurePath
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.render.as_csv import STARTS, render_tables, safe_stem
from reporter.render.csv_text import neutralised
from reporter.results import (
    Agreement,
    AgreementResult,
    AgreementSection,
    CalibrationBin,
    Curves,
    DensityBin,
    Estimate,
    NoisePoint,
    NoiseResult,
    RateChange,
    Releases,
    Report,
    RocPoint,
    TreeResult,
)
from reporter.tree import Node, Rate, Split, Tree

Make = Callable[..., Report]


def _rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_table_begins_as_the_list_of_them_says(samples: ModuleType) -> None:
    tables = render_tables(samples.report())
    found = {}
    for name, text in tables.items():
        (pattern,) = [pattern for pattern in STARTS if fnmatch(name, pattern)]
        assert text.startswith(STARTS[pattern])
        found[pattern] = name
    assert set(found) == set(STARTS)


def test_there_is_one_table_a_grouping_with_a_line_per_model_group_and_metric(make_report: Make) -> None:
    tables = render_tables(make_report(groups=("North", "South")))
    assert list(tables) == ["models.csv", "comparisons.csv", "groups_ward.csv"]
    rows = _rows(tables["groups_ward.csv"])
    assert [(row["group"], row["metric"]) for row in rows] == [
        *(("North", metric) for metric in ("fnr", "fpr", "ppv")),
        *(("South", metric) for metric in ("fnr", "fpr", "ppv")),
    ]
    assert (rows[0]["value"], rows[0]["numerator"], rows[0]["denominator"]) == (repr(10 / 30), "10", "30")
    assert (rows[0]["group_n"], rows[0]["cells_tp"], rows[0]["cells_fn"]) == ("100", "20", "10")


def test_an_undefined_number_is_empty_with_its_reason(make_report: Make) -> None:
    row = _rows(render_tables(make_report())["models.csv"])[2]
    assert (row["metric"], row["value"], row["n"], row["reason"]) == ("ppv", "", "0", "nobody is ill")


def test_comparisons_have_the_finding_its_evidence_and_its_verdict(make_report: Make) -> None:
    row = _rows(render_tables(make_report())["comparisons.csv"])[0]
    assert (row["finding"], row["verdict"], row["gap_value"]) == ("fnr/ward/North/2.4", "diverges", "0.1313")
    assert (row["group_estimate_numerator"], row["group_estimate_denominator"]) == ("66", "212")


def test_groupings_whose_names_differ_only_in_signs_or_case_keep_files_of_their_own(make_report: Make) -> None:
    report = make_report()
    first = report.groupings[0]
    named = tuple(replace(first, name=name) for name in ("age/sex", "age sex", "AGE sex"))
    tables = render_tables(replace(report, groupings=named))
    assert list(tables)[2:] == ["groups_age_sex.csv", "groups_age_sex_2.csv", "groups_AGE_sex_3.csv"]
    assert [_rows(tables[name])[0]["grouping"] for name in list(tables)[2:]] == ["age/sex", "age sex", "AGE sex"]


@given(st.text() | st.text("𝐀中é", min_size=60))
def test_no_name_leaves_the_folder(name: str) -> None:
    path = PurePath(f"groups_{safe_stem(name)}.csv")
    assert path.name == str(path)
    assert not set("/\\:\0\n") & set(str(path))
    assert len(path.name.encode()) <= 131


@pytest.mark.parametrize("text", ["=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1", " =1", "-", "--5", "=-5", "＝1"])
def test_formulas_are_neutralised(text: str) -> None:
    assert neutralised(text) == f"'{text}"


@pytest.mark.parametrize("value", ["-5", "-0.25", "+3", "a=b", "", "40 to 65", "<=50K", -5, -0.25, None])
def test_numbers_and_plain_texts_are_untouched(value: str | float | None) -> None:
    assert neutralised(value) == value


def test_optional_parts_have_tables_when_they_are_there(make_report: Make) -> None:
    estimate = Estimate(0.5, 0.4, 0.6, 100)
    curves = Curves(
        "2.4",
        "North",
        3,
        roc=(RocPoint(None, 0.0, 0.0), RocPoint(0.5, 0.25, 0.75)),
        calibration=(CalibrationBin(0.0, 0.5, 3, 0.25, estimate),),
        density=(DensityBin(0.0, 1.0, 3),),
    )
    agreement = Agreement(4, 1, 1, 1, 1, 0.5, 0.5, 0.0, -1.0, 1.0, 0.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    leaves = tuple(Node(i, 60, 0.1, 0.0, 0.2, {"m1_a1": Rate(0.5, 30)}, {}, path=f"sex = {i}") for i in (2, 3))
    root = Node(
        1,
        120,
        -0.1,
        -0.2,
        0.0,
        {"m1_a1": Rate(0.25, 60)},
        {},
        split=Split("sex", ("2",), ("3", "4"), followed=("4",)),
        children=leaves,
    )
    tree = TreeResult("T", ("a", "b"), "race", ("x", "y"), "fpr", "wald", "delta", 0.05, "none", 50, None, 0.0, False, ("sex",), Tree(root))  # fmt: skip
    noise = NoiseResult(
        "2.4", "logistic", "sex", ("f",), (10,), ("age",), {}, "all", 5, 1, 10, 10, (NoisePoint("f", 0.1, "kappa", 0.5, 0.01, 5),)
    )  # fmt: skip
    report = make_report()
    report = replace(
        report,
        groupings=(replace(report.groupings[0], curves=(curves,)),),
        agreement_section=AgreementSection(results=(AgreementResult("a", "b", None, None, None, agreement),)),
        tree_results=(tree,),
        noise_results=(noise,),
        releases=Releases("1", "2", "old.json", False, "no key", (RateChange(None, None, "fpr", estimate, estimate, estimate, 0.5),)),
    )  # fmt: skip
    tables = render_tables(report)
    assert list(tables)[3:] == ["curves.csv", "agreement.csv", "noise.csv", "tree_1.csv", "releases.csv"]
    assert [row["curve"] for row in _rows(tables["curves.csv"])] == ["roc", "roc", "calibration", "density"]
    kappa = next(row for row in _rows(tables["agreement.csv"]) if row["statistic"] == "kappa")
    assert (kappa["value"], kappa["low"], kappa["high"], kappa["n"]) == ("0", "-1", "1", "4")
    assert [row["id"] for row in _rows(tables["tree_1.csv"])] == ["1", "2", "3"]
    assert (_rows(tables["tree_1.csv"])[0]["left"], _rows(tables["tree_1.csv"])[0]["followed"]) == ("2", "4")
    assert _rows(tables["noise.csv"])[0]["mc_error"] == "0.01"
    assert _rows(tables["releases.csv"])[0]["change_value"] == "0.5"
