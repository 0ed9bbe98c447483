"""Public fault kind: a group name that a spreadsheet would run. Neutralised text; negative numbers untouched."""

from __future__ import annotations

import csv
import io

from reporter.render.as_csv import render_tables
from reporter.results import (
    Card,
    Cells,
    DataSummary,
    Estimate,
    Grouping,
    GroupResult,
    Level,
    Provenance,
    Report,
    Verdict,
)

FORMULA = '=HYPERLINK("http://evil.example","click")'


def test_a_formula_in_a_group_name_is_text_in_every_cell_and_numbers_stay_numbers() -> None:
    mcc = Estimate(-0.25, -0.5, 0.01, 40, method="delta")
    cells = Cells(1, 2, 3, 4)
    grouping = Grouping(
        name="@team",
        columns=("team",),
        levels=(Level(FORMULA, 10, (FORMULA,)), Level("-5", 10, ("-5",))),
        results=(GroupResult("+m", FORMULA, cells, {"mcc": mcc}), GroupResult("+m", "-5", cells, {"mcc": mcc})),
    )
    provenance = Provenance("2026-11-30T12:00:00Z", "0", "3", {}, "run", "a.yaml", "0", {}, "", 0)
    data = DataSummary("a.csv", 20, 0, None, "y", "1", 20, 10)
    report = Report(provenance, Card("c", "1", "en", {}, {}), data, (), (), (grouping,), (), Verdict("pass"), 0.95)

    tables = render_tables(report)
    assert "groups_team.csv" in tables
    rows = list(csv.DictReader(io.StringIO(tables["groups_team.csv"])))
    assert [row["group"] for row in rows] == [f"'{FORMULA}", "-5"]
    assert {row["model"] for row in rows} == {"'+m"}
    assert {row["grouping"] for row in rows} == {"'@team"}
    assert {(row["value"], row["low"]) for row in rows} == {("-0.25", "-0.5")}
