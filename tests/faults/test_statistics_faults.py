"""Public faults of comparable tools that are pure statistics, each as its smallest input and the right answer."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.results import Cells, Estimate
from reporter.stats.cells import CellArrays
from reporter.stats.metrics import METRICS, estimates
from reporter.stats.scores import ScoreTable


def of_rows(labels: list[int], predictions: list[int], scores: list[float] | None = None) -> dict[str, Estimate]:
    """All metrics of one group."""
    y, d = np.array(labels), np.array(predictions)
    cells = CellArrays(
        tp=[((y == 1) & (d == 1)).sum()], fp=[((y == 0) & (d == 1)).sum()],
        tn=[((y == 0) & (d == 0)).sum()], fn=[((y == 1) & (d == 0)).sum()],
    )  # fmt: skip
    table = None if scores is None else ScoreTable(np.zeros(len(y), int), y, scores)
    return {name: found[0] for name, found in estimates(list(METRICS), cells, table=table).items()}


def undefined(found: Estimate, reason: str) -> bool:
    return (found.value, found.low, found.high, found.reason) == (None, None, None, reason)


def test_missing_group_dropped() -> None:
    frame = pd.DataFrame({"g": ["a"] * 4 + ["b"] * 2 + [None], "y": [1, 0] * 3 + [1], "d": [1] * 7})
    table = reporter.parity(frame, "accuracy", label="y", group="g", prediction="d")
    assert dict(zip(table["group"], table["n"], strict=True)) == {"a": 4, "b": 2, "(missing)": 1}
    assert table["n"].sum() == 7


def test_missing_is_not_the_word_nan() -> None:
    frame = pd.DataFrame({"g": ["nan", None, "NA"], "y": [1, 0, 1], "d": [1, 0, 0]})
    table = reporter.parity(frame, "accuracy", label="y", group="g", prediction="d")
    assert table["group"].tolist() == ["NA", "nan", "(missing)"]


def test_single_class_group() -> None:
    found = of_rows([0, 0], [0, 0], [0.2, 0.4])
    assert (found["fpr"].value, found["fpr"].numerator, found["fpr"].denominator) == (0.0, 0, 2)
    for name in ("tpr", "fnr", "auc"):
        assert undefined(found[name], "no row labelled 1"), name
    assert (found["tpr"].n, found["tpr"].numerator, found["tpr"].denominator) == (0, 0, 0)
    assert CellArrays([0], [0], [2], [0]).to_cells() == [Cells(tp=0, fp=0, tn=2, fn=0)]


def test_no_negatives() -> None:
    found = of_rows([1, 1, 1], [1, 0, 1])
    assert undefined(found["fpr"], "no row labelled 0")
    assert undefined(found["tnr"], "no row labelled 0")


def test_nobody_referred() -> None:
    found = of_rows([1, 0, 1, 0], [0, 0, 0, 0])
    assert undefined(found["ppv"], "nobody was predicted 1")
    assert found["referral_rate"].value == 0.0
    frame = pd.DataFrame({"g": ["a", "a", "b", "b"], "y": [1, 0, 1, 0], "d": [0, 0, 1, 0]})
    table = reporter.parity(frame, "referral_rate", label="y", group="g", prediction="d", base="a")
    assert table["ratio"].isna().all()
    assert table["reason"].notna().all()


@pytest.mark.parametrize(("label", "reason"), [(1, "no row labelled 0"), (0, "no row labelled 1")])
def test_auc_with_one_class(label: int, reason: str) -> None:
    found = of_rows([label] * 3, [1, 0, 1], [0.9, 0.2, 0.7])
    assert undefined(found["auc"], reason)


def test_labels_that_are_words() -> None:
    frame = pd.DataFrame({"g": list("aabb"), "y": ["<=50K", ">50K", "<=50K", ">50K"], "d": [0, 1, 1, 1]})
    with pytest.raises(ValueError, match=r"holds the words '<=50K' and '>50K', and nothing says which one counts as 1"):
        reporter.parity(frame, "tpr", label="y", group="g", prediction="d")
    table = reporter.parity(frame, "tpr", label="y", group="g", prediction="d", positive=">50K")
    assert table["value"].tolist() == [1.0, 1.0]


def test_mixed_kinds() -> None:
    whole = pd.DataFrame({"g": list("aabb"), "y": [0, 1, 0, 1], "d": [0, 1, 1, 0]})
    mixed = whole.assign(y=["0", "1", "0", "1"], d=[False, True, True, False])
    for name in ("tpr", "fpr", "accuracy"):
        pd.testing.assert_frame_equal(
            reporter.parity(mixed, name, label="y", group="g", prediction="d"),
            reporter.parity(whole, name, label="y", group="g", prediction="d"),
        )


def test_floats_as_labels() -> None:
    whole = pd.DataFrame({"g": list("aabb"), "y": [0, 1, 0, 1], "d": [0, 1, 1, 0]})
    pd.testing.assert_frame_equal(
        reporter.parity(whole.assign(y=whole["y"].astype(float)), "tpr", label="y", group="g", prediction="d"),
        reporter.parity(whole, "tpr", label="y", group="g", prediction="d"),
    )
    with pytest.raises(ValueError, match=r"1 row has a value that is neither 0 nor 1: '0\.5'"):
        reporter.parity(whole.assign(y=[0.0, 1.0, 0.5, 1.0]), "tpr", label="y", group="g", prediction="d")


def test_model_column_all_null() -> None:
    frame = pd.DataFrame({"g": list("ab"), "y": [1, 0], "risk": [np.nan, np.nan]})
    table = reporter.parity(frame, "tpr", label="y", group="g", score="risk")
    assert table["value"].isna().all()
    assert set(table["reason"]) == {"no row has a prediction"}
    assert set(reporter.parity(frame, "auc", label="y", group="g", score="risk")["reason"]) == {"no row has a score"}


def test_group_codes_are_not_numbers() -> None:
    frame = pd.DataFrame({"g": ["01", "1", "02"], "y": [1, 0, 1], "d": [1, 0, 0]})
    assert reporter.parity(frame, "accuracy", label="y", group="g", prediction="d")["group"].tolist() == [
        "01",
        "02",
        "1",
    ]


def test_group_codes_keep_their_zeros_in_a_file(tmp_path: object) -> None:
    path = f"{tmp_path}/codes.csv"
    pd.DataFrame({"g": ["01", "1", "02"], "y": [1, 0, 1], "d": [1, 0, 0]}).to_csv(path, index=False)
    assert reporter.parity(path, "accuracy", label="y", group="g", prediction="d")["group"].tolist() == [
        "01",
        "02",
        "1",
    ]
