"""group_report, parity and parity_plot: the worked example, the R package's published figures, and hostile input."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import reporter
from reporter.errors import InputError


def test_group_report_gives_the_worked_example() -> None:
    found = reporter.group_report(["b", "a", "b", "a", "a"], [1, 0, 0, 1, 1], [1, 1, 0, 0, 1])
    assert found == [0.6, [["a", 0.3333, 0.6667, 1.0, 0.5], ["b", 1.0, 0.5, 0.0, 0.0]]]


def test_group_report_says_none_where_a_rate_does_not_exist() -> None:
    found = reporter.group_report(["x", "x", "y"], [0, 0, 1], [0, 1, 0])
    assert found == [0.3333, [["x", 0.5, 0.5, 0.5, None], ["y", 0.0, 0.0, None, 1.0]]]


def test_group_report_takes_arrays_series_booleans_and_whole_floats() -> None:
    expected = reporter.group_report(["a", "b"], [1, 0], [1, 1])
    assert reporter.group_report(np.array(["a", "b"]), np.array([True, False]), pd.Series([1.0, 1.0])) == expected


def test_group_report_keeps_rows_without_a_group() -> None:
    assert [row[0] for row in reporter.group_report(["z", None, "a"], [1, 0, 1], [1, 0, 1])[1]] == [
        "a",
        "z",
        "(missing)",
    ]


@pytest.mark.parametrize(
    ("groups", "labels", "predictions", "message"),
    [
        (["a"], [1, 0], [1], "1, 2 and 1 entries"),
        ([], [], [], "empty"),
        (["a", "b"], [1, 2], [1, 0], "labels must be 0 or 1, found 2"),
        (["a", "b"], [1, 0], [1, 0.5], "predictions must be 0 or 1, found 0.5"),
        (["a", "b"], [1, None], [1, 0], "labels must be 0 or 1, found None"),
        (["a", "b"], ["1", "0"], [1, 0], "labels must be 0 or 1, found '0'"),
        (["a", "b"], [1, float("nan")], [1, 0], "labels must be 0 or 1, found nan"),
        (["a", "b"], [1, [2]], [1, 0], "labels must be a plain list of 0 and 1"),
        (None, [1], [1], "groups must be a plain list with one entry per row, found None"),
        (["a"], 1, [1], "labels must be a plain list with one entry per row, found 1"),
        (["a"], "1", [1], "labels must be a plain list with one entry per row, found '1'"),
        (np.ones((1, 1)), [1], [1], "groups must be a plain list with one entry per row"),
        ([["a"]], [1], [1], r"groups must hold one value per row, found \['a'\]"),
    ],
)
def test_group_report_refuses(groups: Any, labels: Any, predictions: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        reporter.group_report(groups, labels, predictions)


# parity: the R package's figures ---------------------------------------------------------------------------------------

LABELS = {"compas": ("Two_yr_Recidivism", "yes"), "germancredit": ("BAD", "BAD")}

ZERO_FOR_UNDEFINED = "the package says 0 for a correlation whose denominator is 0"
INFINITE_RATIO = "the package divides by a base of 0"
OVER_UNDEFINED = "the package divides by the 0 that it puts for an undefined base"


def named_fault(metric: str, got: float, expected: float, base: float) -> str | None:
    """The R package's fault that explains why a defined figure of its own is undefined here."""
    if not math.isnan(got):
        return None
    if metric == "mcc" and expected == 0.0:
        return ZERO_FOR_UNDEFINED
    if math.isinf(expected):
        return INFINITE_RATIO if base == 0.0 else OVER_UNDEFINED
    return None


def r_number(value: object) -> float:
    words = {"NaN": math.nan, "NA": math.nan, "Inf": math.inf}
    return words[value] if isinstance(value, str) else float(value)  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "records", "faults"), [("compas", 972, 46), ("germancredit", 264, 0)])
def test_parity_reproduces_every_figure_of_the_r_package(
    name: str, records: int, faults: int, shared_data: Path, shared_golden: Path
) -> None:
    """Strict cut-offs, as the package has them. ``faults`` counts the figures that it has and should not have."""
    frame = pd.read_csv(shared_data / f"{name}_fairness.csv")
    label, positive = LABELS[name]
    cases = json.loads((shared_golden / "parity" / f"{name}.json").read_text())
    assert len(cases) == records
    seen: Counter[str] = Counter()
    for case in cases:
        groups: list[str] = case["groups"]
        asked = {
            "label": label, "positive": positive, "group": case["group"], "score": case["score"], "prediction": case["prediction"],
            "threshold": case["threshold"] or 0.5, "rule": ">", "breaks": case["breaks"],
        }  # fmt: skip
        base = case["base"]
        if case["breaks"] is None:
            order = list(range(len(groups)))
        else:  # the package's labels are rounded: by position, ascending
            order = sorted(range(len(groups)), key=lambda i: low_end(groups[i]))
            ours = reporter.parity(frame, case["metric"], **asked)["group"]
            base = ours[[groups[i] for i in order].index(base)]
        table = reporter.parity(frame, case["metric"], base=base, **asked)
        if case["breaks"] is None:
            table = table.set_index("group").loc[groups].reset_index()
        assert table["n"].tolist() == [case["n"][i] for i in order], case["id"]
        of_base = table.set_index("group").loc[base, "value"]
        for column, golden in (("value", "value"), ("ratio", "ratio_to_base")):
            for got, i in zip(table[column], order, strict=True):
                expected = r_number(case[golden][i])
                if math.isnan(got) and math.isnan(expected):
                    continue
                fault = named_fault(case["metric"], got, expected, of_base)
                if fault is None:
                    assert got == pytest.approx(expected, rel=1e-12, abs=1e-12), (case["id"], groups[i], column)
                else:
                    seen[fault] += 1
    assert sum(seen.values()) == faults, seen


def low_end(interval: str) -> float:
    return float(interval[1:].split(",")[0])


@pytest.mark.parametrize(
    ("score", "threshold", "expected"),
    [
        ("priors_count", 2, (0.6366, 0.6680, 0.6233, 0.7061, 0.5570, 0.4166)),
        ("decile_score", 5, (0.6561, 0.7027, 0.6552, 0.7457, 0.5535, 0.3938)),
    ],
)
def test_the_published_motivating_table_on_its_data(
    score: str, threshold: float, expected: tuple[float, ...], shared_data: Path
) -> None:
    frame = pd.read_csv(shared_data / "compas-scores-two-years.csv")
    chosen = frame[frame["race"].isin(["African-American", "Caucasian"])].assign(all="all rows")
    assert len(chosen) == 6150
    found = [
        reporter.parity(chosen, name, label="two_year_recid", group="all", score=score, threshold=threshold, rule=">")[
            "value"
        ][0]
        for name in ("accuracy", "auc", "ppv", "tnr", "tpr", "referral_rate")
    ]
    assert [round(value, 4) for value in found] == list(expected)


# parity: what it takes and what it refuses -----------------------------------------------------------------------------

FRAME = pd.DataFrame(
    {
        "site": ["b", "a", "b", "a", "a", "a"],
        "ill": [1, 0, 0, 1, 1, 0],
        "risk": [0.9, 0.5, 0.2, 0.4, 0.6, 0.1],
        "sent": [1, 1, 0, 0, 1, 0],
        "age": [30.0, 40.0, 41.0, 65.0, 66.0, np.nan],
    }
)


def test_the_table_has_the_columns_of_the_interface_and_the_largest_group_as_base() -> None:
    table = reporter.parity(FRAME, "tpr", label="ill", group="site", score="risk")
    assert list(table.columns) == ["group", "n", "value", "low", "high", "ratio", "reason"]
    assert table["group"].tolist() == ["a", "b"]
    assert table["n"].tolist() == [4, 2]
    assert table["value"].tolist() == [0.5, 1.0]
    assert table["ratio"].tolist() == [1.0, 2.0]
    assert (table["low"] < table["value"]).all()
    assert table["reason"].tolist() == [None, None]


def test_at_the_threshold_the_default_rule_predicts_one_and_the_strict_one_does_not() -> None:
    def referred(rule: str) -> list[float]:
        return reporter.parity(FRAME, "referral_rate", label="ill", group="site", score="risk", rule=rule)[
            "value"
        ].tolist()  # type: ignore[arg-type]

    assert referred(">=") == [0.5, 0.5]
    assert referred(">") == [0.25, 0.5]


def test_every_kind_of_table_gives_the_same_answer(tmp_path: Path) -> None:
    import ibis

    FRAME.to_csv(tmp_path / "rows.csv", index=False)
    FRAME.to_parquet(tmp_path / "rows.parquet")
    expected = reporter.parity(FRAME, "auc", label="ill", group="site", score="risk")
    arrow = pa.Table.from_pandas(FRAME)
    for data in (arrow, ibis.memtable(arrow), tmp_path / "rows.csv", str(tmp_path / "rows.parquet")):
        pd.testing.assert_frame_equal(reporter.parity(data, "auc", label="ill", group="site", score="risk"), expected)


def test_columns_may_be_given_as_vectors() -> None:
    by_name = reporter.parity(FRAME, "accuracy", label="ill", group="site", prediction="sent")
    by_value = reporter.parity(
        FRAME,
        "accuracy",
        label=FRAME["ill"].to_numpy(),
        group=FRAME["site"].tolist(),
        prediction=FRAME["sent"].astype(str),
    )
    pd.testing.assert_frame_equal(by_name, by_value)


def test_words_count_as_one_where_positive_says_so() -> None:
    words = FRAME.assign(ill=FRAME["ill"].map({1: ">50K", 0: "<=50K"}))
    expected = reporter.parity(FRAME, "tpr", label="ill", group="site", prediction="sent")
    pd.testing.assert_frame_equal(
        reporter.parity(words, "tpr", label="ill", group="site", prediction="sent", positive=">50K"), expected
    )
    both = words.assign(sent=FRAME["sent"].map({1: ">50K", 0: "<=50K"}))
    pd.testing.assert_frame_equal(
        reporter.parity(both, "tpr", label="ill", group="site", prediction="sent", positive=">50K"), expected
    )
    with pytest.raises(ValueError, match=r"<=50K.*>50K"):
        reporter.parity(words, "tpr", label="ill", group="site", prediction="sent")


@pytest.mark.parametrize("dtype", ["int", "str", "category", "float"])
def test_the_dtype_of_the_groups_changes_nothing(dtype: str) -> None:
    groups = pd.Series([10, 2, 10, 2, 2, 2])
    table = reporter.parity(FRAME, "accuracy", label="ill", group=groups.astype(dtype), prediction="sent")
    assert table["group"].tolist() == ["10", "2"]
    assert table["n"].tolist() == [2, 4]


def test_rows_without_a_group_are_a_group_and_those_without_a_label_are_counted() -> None:
    frame = FRAME.assign(site=["b", None, "b", "a", "a", "NA"], ill=[1, 0, 0, 1, np.nan, 0])
    table = reporter.parity(frame, "accuracy", label="ill", group="site", prediction="sent").set_index("group")
    assert table.index.tolist() == ["NA", "a", "b", "(missing)"]
    assert table["n"].tolist() == [1, 2, 2, 1]
    assert table.loc["a", "value"] == 0.0
    referred = reporter.parity(frame, "referral_rate", label="ill", group="site", prediction="sent").set_index("group")
    assert referred.loc["a", "value"] == 0.5


def test_breaks_are_right_closed_with_open_ends_and_no_row_is_lost() -> None:
    table = reporter.parity(FRAME, "referral_rate", label="ill", group="age", prediction="sent", breaks=[40, 65])
    assert table["group"].tolist() == ["<= 40", "(40, 65]", "> 65", "(missing)"]
    assert table["n"].tolist() == [2, 2, 1, 1]
    beyond = reporter.parity(FRAME, "referral_rate", label="ill", group="age", prediction="sent", breaks=[0, 40, 100])
    assert beyond["group"].tolist() == ["(0, 40]", "(40, 100]", "(missing)"]
    widths = reporter.parity(FRAME, "referral_rate", label="ill", group="age", prediction="sent", breaks=2)
    assert widths["group"].tolist() == ["<= 48", "> 48", "(missing)"]


def test_an_undefined_base_leaves_ratios_undefined_with_the_reason() -> None:
    frame = FRAME.assign(sent=[0, 1, 0, 0, 1, 0])
    table = reporter.parity(frame, "referral_rate", label="ill", group="site", prediction="sent", base="b")
    assert np.isnan(table["ratio"]).all()
    assert table["reason"].tolist() == ["no ratio, because the value of the base group 'b' is 0"] * 2
    undefined = reporter.parity(frame, "ppv", label="ill", group="site", prediction="sent", base="b")
    assert undefined["reason"].tolist() == [
        "no ratio, because the value of the base group 'b' is undefined",
        "nobody was predicted 1",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"metric": "fnrr"}, "unknown metric 'fnrr'"),
        ({"label": "sick"}, "no column 'sick'; the columns are site, ill, risk, sent, age"),
        ({"base": "c"}, "base is 'c', expected one of 'a', 'b'"),
        ({"score": "risk"}, "give either score or prediction"),
        ({"prediction": None}, "give either score or prediction"),
        ({"rule": "<"}, "rule is '<'"),
        ({"label": [1, 0]}, "label has 2 entries, the data 6 rows"),
        ({"prediction": "risk"}, "prediction column 'risk'"),
        ({"breaks": [1, 2]}, "group: 6 rows hold no number, for instance 'b'"),
        ({"group": "age", "breaks": [2, 1]}, "expected increasing finite numbers"),
        ({"group": "age", "breaks": 1}, "expected at least 2 intervals"),
        ({"prediction": None, "score": [np.inf] + [0.5] * 5}, "score: 1 rows have an infinite value"),
        ({"threshold": None}, "threshold: found None, expected a number"),
        ({"threshold": "0.5"}, "threshold: found '0.5', expected a number"),
        ({"threshold": float("nan")}, "threshold: found nan, expected a number"),
        ({"confidence": None}, "confidence: found None, expected a number between 0 and 1"),
        ({"breaks": "4"}, "breaks is '4', expected a list of increasing numbers or a number of intervals"),
        ({"breaks": 1.5}, r"breaks is 1\.5, expected"),
        ({"breaks": ["a"]}, r"breaks is \['a'\], expected"),
        ({"breaks": {0.5}}, "breaks is {0.5}, expected"),
        ({"rule": [">"]}, r"rule is \['>'\]"),
        ({"metric": ["tpr"]}, r"metric: found \['tpr'\], expected the name of a metric"),
        ({"label": None}, "label: found None, expected a column's name or a vector"),
        ({"label": 5}, "label: found 5, expected a vector"),
        ({"group": [["b"]] * 6}, "group: found rows that hold several values"),
        ({"group": FRAME[["site"]]}, "group: found 2 dimensions, expected a vector"),
        ({"prediction": None, "score": [1j] * 6}, "score: found complex numbers"),
        ({"prediction": None, "score": ["high"] + ["0.5"] * 5}, "score: 1 rows hold no number, for instance 'high'"),
    ],
)
def test_parity_refuses(change: dict[str, object], message: str) -> None:
    asked = {"metric": "tpr", "label": "ill", "group": "site", "prediction": "sent", **change}
    with pytest.raises(ValueError, match=message):
        reporter.parity(FRAME, asked.pop("metric"), **asked)  # type: ignore[arg-type]


def test_everything_that_parity_is_given_wrongly_is_told_at_once() -> None:
    ask: Any = reporter.parity
    with pytest.raises(InputError) as caught:
        ask(None, 5, label=None, group=None, threshold="a", rule=1, breaks="x", confidence=2)
    assert len(caught.value.problems) == 9
    with pytest.raises(InputError) as caught:
        ask(FRAME, "tpr", label=[1], group=[[1]] * 6, prediction=5)
    assert [str(problem).partition(" ")[0] for problem in caught.value.problems] == ["label", "group:", "prediction:"]


@pytest.mark.parametrize("data", [None, [1, 2], 5, np.zeros((2, 2)), FRAME["ill"]])
def test_what_is_no_table_is_refused_by_parity(data: Any) -> None:
    with pytest.raises(ValueError, match=r"data: found .*expected a pandas or Arrow frame"):
        reporter.parity(data, "tpr", label="ill", group="site", prediction="sent")


def test_a_mapping_of_columns_is_a_table_and_a_missing_file_is_named(tmp_path: Path) -> None:
    expected = reporter.parity(FRAME, "tpr", label="ill", group="site", prediction="sent")
    columns = FRAME.to_dict("list")
    found = reporter.parity(columns, "tpr", label="ill", group="site", prediction="sent")
    pd.testing.assert_frame_equal(found, expected)
    with pytest.raises(ValueError, match=r"none\.csv: the file does not exist"):
        reporter.parity(tmp_path / "none.csv", "tpr", label="ill", group="site", prediction="sent")
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(ValueError, match=r"bad\.parquet: the file cannot be read"):
        reporter.parity(tmp_path / "bad.parquet", "tpr", label="ill", group="site", prediction="sent")


def test_numbers_of_numpy_are_numbers_for_parity() -> None:
    asked = {"label": "ill", "group": "age", "score": "risk"}
    expected = reporter.parity(FRAME, "tpr", **asked, breaks=2, threshold=0.4)  # type: ignore[arg-type]
    found = reporter.parity(FRAME, "tpr", **asked, breaks=np.int64(2), threshold=np.float64(0.4))  # type: ignore[arg-type]
    pd.testing.assert_frame_equal(found, expected)


def test_two_columns_of_one_name_are_refused() -> None:
    twice = pd.concat([FRAME, FRAME[["site"]]], axis=1)
    with pytest.raises(ValueError, match="2 columns are called 'site'"):
        reporter.parity(twice, "tpr", label="ill", group="site", prediction="sent")


# parity_plot -----------------------------------------------------------------------------------------------------------


def drawn(figure: object) -> list[str]:
    from matplotlib.text import Text

    figure.draw_without_rendering()  # type: ignore[attr-defined]
    return [text.get_text() for text in figure.findobj(Text)]  # type: ignore[attr-defined]


def test_a_plot_shows_group_names_as_they_are_written() -> None:
    frame = FRAME.assign(site=["<$25k$", "a_b^c", "<$25k$", "a_b^c", "a_b^c", "a_b^c"])
    figure = reporter.parity_plot(reporter.parity(frame, "tpr", label="ill", group="site", prediction="sent"))
    assert {"<$25k$", "a_b^c"} <= set(drawn(figure))
    assert not any(tick.label1.get_parse_math() for tick in figure.axes[0].yaxis.get_major_ticks())


def test_a_plot_says_why_a_value_is_undefined() -> None:
    table = reporter.parity(
        FRAME.assign(ill=[1, 0, 1, 0, 0, 0]), "tpr", label="ill", group="site", prediction="sent", base="b"
    )
    assert "undefined: no row labelled 1" in drawn(reporter.parity_plot(table))


def test_a_plot_of_a_thousand_groups_shows_the_largest_and_says_so() -> None:
    names = [f"g{i:04}" for i in range(1000)] + ["g0500"]
    table = reporter.parity(
        pd.DataFrame({"g": names, "y": [1] * 1001, "d": [1] * 1001}), "tpr", label="y", group="g", prediction="d"
    )
    figure = reporter.parity_plot(table)
    assert figure.axes[0].get_title() == "The 40 largest of 1000 groups"
    assert "g0500" in drawn(figure)
    assert len(figure.axes[0].get_yticks()) == 40


def test_a_group_that_is_called_missing_is_not_the_missing_group() -> None:
    _, rows = reporter.group_report(["(missing)", None, "a", "(other)"], [1, 1, 1, 1], [1, 0, 1, 1])
    assert [row[0] for row in rows] == ['"(missing)"', '"(other)"', "a", "(missing)"]
    table = reporter.parity(
        pd.DataFrame({"g": ["(missing)", None], "y": [1, 1], "d": [1, 0]}), "tpr", label="y", group="g", prediction="d"
    )
    assert table[["group", "value"]].values.tolist() == [['"(missing)"', 1.0], ["(missing)", 0.0]]


def test_group_names_are_plain_texts() -> None:
    _, rows = reporter.group_report(np.array(["a", "b)"]), [1, 0], [1, 0])
    assert [type(row[0]) for row in rows] == [str, str]


def test_a_plot_refuses_another_table() -> None:
    with pytest.raises(ValueError, match="the table has no column n, value, low, high, reason; expected a table of"):
        reporter.parity_plot(pd.DataFrame({"group": ["a"]}))


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA, pd.NaT])
def test_group_report_takes_every_kind_of_missing_group(missing: Any) -> None:
    expected = reporter.group_report(["a", None], [1, 0], [1, 0])
    assert reporter.group_report(["a", missing], [1, 0], [1, 0]) == expected
    assert reporter.group_report(pd.Series(["a", missing], dtype=object), [1, 0], [1, 0]) == expected


def test_group_report_refuses_a_missing_label_of_any_kind() -> None:
    with pytest.raises(InputError, match="labels must be 0 or 1, found <NA>"):
        reporter.group_report(["a", "b"], [1, pd.NA], [1, 0])
