"""A report's tables as DataFrames and in a notebook."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter import frames
from reporter.results import (
    Agreement,
    AgreementResult,
    AgreementSection,
    Card,
    DataSummary,
    Grouping,
    GroupResult,
    Icc,
    Level,
    NoisePoint,
    NoiseResult,
    Provenance,
    Report,
    Verdict,
)
from reporter.stats.cells import CellArrays
from reporter.stats.comparisons import Rule, compare
from reporter.stats.metrics import estimates


def report(names: tuple[str, ...] = ("f", "m"), **more: Any) -> Report:
    """A report of one model and one grouping, made by the statistics themselves."""
    count = len(names)
    cells = CellArrays(tp=[0] + [40] * (count - 1), fp=[30] * count, tn=[70] * count, fn=[0] + [60] * (count - 1))
    levels = tuple(Level(name, n, (name,)) for name, n in zip(names, cells.n.tolist(), strict=True))
    found = estimates(["fnr", "fpr"], cells)
    results = tuple(
        GroupResult("2.4", name, one, {metric: values[i] for metric, values in found.items()})
        for i, (name, one) in enumerate(zip(names, cells.to_cells(), strict=True))
    )
    comparisons = compare([Rule("fnr"), Rule("fpr", index=1)], model="2.4", grouping="sex", levels=levels, cells=cells)
    given: dict[str, Any] = {
        "provenance": Provenance(
            created="2026-11-30T00:00:00+00:00",
            reporter_version="0.1.0",
            python="3.11",
            packages={},
            command="",
            config_name="",
            config_sha256="",
            config={},
            config_text="",
            seed=0,
        ),
        "card": Card("Referral <model>", "2.4", "en", {}, {}),
        "data": DataSummary("data.csv", 300, 0, None, "ill", "1", 300, 100),
        "models": (),
        "model_pairs": (),
        "groupings": (Grouping("sex", ("sex",), levels, results),),
        "comparisons": comparisons,
        "verdict": Verdict("pass", n_flagged=0, n_insufficient=len(comparisons)),
        "confidence": 0.95,
    }
    return Report(**{**given, **more})


def test_groups_has_one_row_per_group_and_metric() -> None:
    table = report().groups
    assert list(table.columns) == [
        "model", "grouping", "group", "metric", "n", "numerator", "denominator", "value", "low", "high", "reason",
    ]  # fmt: skip
    assert table[["group", "metric"]].values.tolist() == [["f", "fnr"], ["f", "fpr"], ["m", "fnr"], ["m", "fpr"]]
    undefined, defined = table.iloc[0], table.iloc[2]
    assert np.isnan(undefined["value"])
    assert (undefined["n"], undefined["reason"]) == (0, "no row labelled 1")
    assert (defined["value"], defined["numerator"], defined["denominator"], defined["reason"]) == (
        0.6,
        60.0,
        100.0,
        None,
    )


def test_flags_has_one_row_per_comparison() -> None:
    table = report().flags
    assert list(table.columns) == [
        "finding", "model", "grouping", "group", "metric", "reference", "comparison", "limit", "gap", "low", "high", "p", "p_adjusted",
        "verdict", "clear", "reason",
    ]  # fmt: skip
    assert table["finding"].tolist() == ["fnr/sex/f/2.4", "fnr/sex/m/2.4", "fpr/sex/f/2.4", "fpr/sex/m/2.4"]
    first = table.iloc[0]
    assert (first["verdict"], first["clear"], first["reason"]) == ("insufficient evidence", False, "no row labelled 1")
    assert np.isnan(first["p"])
    assert table["clear"].dtype == bool


@pytest.mark.parametrize("name", ["groups", "flags", "agreement", "noise"])
def test_frames_of_an_empty_report_have_their_columns_and_dtypes(name: str) -> None:
    empty = report(groupings=(), comparisons=())
    table, full = getattr(empty, name), getattr(report(), name)
    assert len(table) == 0
    assert table.dtypes.to_dict() == full.dtypes.to_dict()


def test_agreement_has_one_row_per_pair_and_group() -> None:
    kappa = Agreement(4, 2, 1, 0, 1, 0.75, 0.5, 0.5, -0.2, 1.0, 0.5, -0.4, 0.9, 0.5, 0.25, 0.25, 0.5, 0.5)
    icc = Icc("A1", 0.4, -0.1, 0.8, 2.0, 3.0, 3.0, 0.2, 4, 2)
    section = AgreementSection(
        results=(
            AgreementResult("nurse", "physician", None, None, None, kappa, (icc,)),
            AgreementResult("nurse", "physician", "pain", "sex", "f", None, ()),
        )
    )
    table = report(agreement_section=section).agreement
    assert list(table.columns[:6]) == ["first", "second", "item", "grouping", "group", "n"]
    assert table.loc[0, ["kappa", "pabak", "icc_a1", "icc_a1_low", "icc_a1_high"]].tolist() == [
        0.5,
        0.5,
        0.4,
        -0.1,
        0.8,
    ]
    assert table.loc[1, ["item", "grouping", "group"]].tolist() == ["pain", "sex", "f"]
    assert np.isnan(table.loc[1, "kappa"])


def test_noise_has_one_row_per_point() -> None:
    study = NoiseResult(
        "2.4", "fit: logistic", "sex", ("f", "m"), (10, 20), ("age",), {"age": "flip"}, "all", 2, 0, 30, 30,
        (NoisePoint("f", 0.1, "kappa", 0.9, 0.01, 2), NoisePoint("m", 0.1, "kappa", None, None, 2)),
    )  # fmt: skip
    table = report(noise_results=(study,)).noise
    assert table[["model", "grouping", "group", "noise", "statistic", "repeats"]].values.tolist() == [
        ["2.4", "sex", "f", 0.1, "kappa", 2],
        ["2.4", "sex", "m", 0.1, "kappa", 2],
    ]
    assert np.isnan(table.loc[1, "mean"])


def test_a_notebook_shows_escaped_names_the_verdict_and_at_most_twenty_findings() -> None:
    names = ('</td><script>alert("1")</script>', *(f"g{i}" for i in range(30)))
    text = report(names)._repr_html_()
    assert "<script" not in text
    assert "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;" in text
    assert "Referral &lt;model&gt; 2.4" in text
    assert text.count("<tr>") == 21
    assert "42 more of 62 findings" in text
    assert "undefined" in text


def test_diverging_findings_come_first_in_a_notebook() -> None:
    cells = CellArrays(tp=[90, 50], fp=[10, 10], tn=[90, 90], fn=[10, 50])
    levels = [Level("f", 200, ("f",)), Level("m", 200, ("m",))]
    found = compare([Rule("fpr"), Rule("fnr", index=1)], model="2.4", grouping="sex", levels=levels, cells=cells)
    rows = report(comparisons=found)._repr_html_().split("<tr>")
    assert "diverges" in rows[2]
    assert "diverges" in rows[3]


def test_text_columns_are_objects_whatever_pandas_prefers() -> None:
    table = frames.groups_frame(report())
    assert {table[name].dtype for name in ("model", "group", "metric", "reason")} == {pd.Series([], dtype=object).dtype}
