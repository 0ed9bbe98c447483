"""Faults that users of comparable tools reported about reading and counting data: each the smallest input and the right answer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from reporter.config.loader import load_config
from reporter.data import cells
from reporter.data.counts import Counts, count
from reporter.data.source import check_source, open_source
from reporter.errors import DataError, Problem


def _config(source: Any, **keys: Any) -> Any:
    data = {"source": source, "label": "y", **keys.pop("data", {})}
    return load_config({"data": data, "models": [{"name": "m", "prediction": "d"}], **keys}, environ={})


def _count(frame: pd.DataFrame, **keys: Any) -> Counts:
    loaded = _config("(frame)", **keys)
    return count(open_source(loaded, data=frame), loaded)


def _count_file(path: Path, **keys: Any) -> Counts:
    loaded = _config(str(path), **keys)
    return count(open_source(loaded), loaded)


def _problems(frame: pd.DataFrame, **keys: Any) -> list[Problem]:
    loaded = _config("(frame)", **keys)
    return check_source(open_source(loaded, data=frame), loaded)


def _sizes(counts: Counts, grouping: str) -> dict[str, int]:
    return {level.name: level.n for level in cells.levels(counts, grouping)}


def test_a_missing_group_is_a_group_and_the_sizes_add_up() -> None:
    frame = pd.DataFrame({"g": ["a", "a", "a", "a", "b", "b", None], "y": 1, "d": 1})
    assert _sizes(_count(frame, groups=["g"]), "g") == {"a": 4, "b": 2, "(missing)": 1}


def test_a_missing_value_in_an_intersection_is_a_combination() -> None:
    frame = pd.DataFrame({"a": ["x", None, "x", None], "b": ["u", "u", None, None], "y": 1, "d": 1})
    assert _sizes(_count(frame, groups=[["a", "b"]]), "a x b") == {
        "x, u": 1,
        "x, (missing)": 1,
        "(missing), u": 1,
        "(missing), (missing)": 1,
    }


def test_results_do_not_depend_on_the_dtype_of_groups(tmp_path: Path) -> None:
    found = []
    for i, groups in enumerate(([1, 2, 2], pd.Categorical([1, 2, 2]), ["1", "2", "2"], [1.0, 2.0, 2.0])):
        _count(pd.DataFrame({"g": groups, "y": [1, 0, 1], "d": 1}), groups=["g"]).save(tmp_path / str(i))
        found.append([path.read_bytes() for path in sorted((tmp_path / str(i)).iterdir())])
    assert all(one == found[0] for one in found)


def test_leading_zeros_of_group_codes_are_kept(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("code,y,d\n01,1,1\n02,0,1\n1,1,0\n")
    assert _sizes(_count_file(tmp_path / "a.csv", groups=["code"]), "code") == {"01": 1, "1": 1, "02": 1}


def test_na_is_a_country(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("country,y,d\nNA,1,1\nZA,0,1\nNA,1,0\n")
    assert _sizes(_count_file(tmp_path / "a.csv", groups=["country"]), "country") == {"NA": 2, "ZA": 1}
    marked = _count_file(tmp_path / "a.csv", groups=["country"], data={"missing": ["", "NA"]})
    assert _sizes(marked, "country") == {"ZA": 1, "(missing)": 2}


def test_a_byte_order_mark_is_no_part_of_the_first_column(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfsex,y,d\nF,1,1\nM,0,0\n")
    assert _sizes(_count_file(tmp_path / "a.csv", groups=["sex"]), "sex") == {"F": 1, "M": 1}


def test_two_columns_of_one_name_are_an_error_before_anything_is_counted(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("sex,sex,y,d\nF,F,1,1\nM,M,0,0\n")
    with pytest.raises(DataError, match="2 columns named 'sex'") as caught:
        _count_file(tmp_path / "a.csv", groups=["sex"])
    assert caught.value.exit_code == 3


def test_labels_in_words_need_a_positive_value_and_the_error_names_both_and_the_key() -> None:
    (found,) = _problems(pd.DataFrame({"y": ["<=50K", ">50K"], "d": [1, 0]}))
    assert "'<=50K'" in str(found)
    assert "'>50K'" in str(found)
    assert "data.positive" in str(found)


def test_strings_and_integers_of_one_kind_are_normalised_once() -> None:
    counts = _count(pd.DataFrame({"y": ["0", "1", "1"], "d": [0, 1, 0]}))
    assert (
        cells.overall_cells(counts, "m").to_cells()
        == cells.overall_cells(_count(pd.DataFrame({"y": [0, 1, 1], "d": ["0", "1", "0"]})), "m").to_cells()
    )


def test_floats_are_labels_but_a_half_is_not() -> None:
    counts = _count(pd.DataFrame({"y": [1.0, 0.0], "d": [1, 1]}))
    assert counts.facts["n_positive"] == 1
    (found,) = _problems(pd.DataFrame({"y": [1.0, 0.0, 0.5, 0.5], "d": 1}))
    assert "2 rows have a value that is neither 0 nor 1: '0.5'" in found.message


def test_a_model_column_of_nulls_leaves_the_others_alone() -> None:
    frame = pd.DataFrame({"g": ["a", "b"], "y": [1, 0], "d": [1, 0], "s": [np.nan, np.nan]})
    counts = _count(frame, groups=["g"], models=[{"name": "empty", "score": "s"}, {"name": "m", "prediction": "d"}])
    assert cells.cells(counts, "g", "empty").n_predicted.tolist() == [0, 0]
    assert cells.cells(counts, "g", "m").n_predicted.tolist() == [1, 1]
    assert counts.facts["models"][0]["n_missing"] == 2
    assert "no value in any row" in cells.model_notes(counts, "empty")[0]
    table = cells.score_table(counts, "g", "empty")
    assert table is not None
    assert len(table) == 0


def test_paths_with_spaces_unicode_and_brackets_are_that_file_only(tmp_path: Path) -> None:
    folder = tmp_path / "été [1] & co"
    folder.mkdir()
    (folder / "prédictions 1.csv").write_text("y,d\n1,1\n")
    (folder / "prédictions 2.csv").write_text("y,d\n1,1\n0,0\n")
    assert _count_file(folder / "prédictions 1.csv").facts["n"] == 1
    config = folder / "c.yaml"
    config.write_text('data: {source: "prédictions *.csv", label: y}\nmodels: [{name: m, prediction: d}]\n')
    loaded = load_config(config, environ={})
    assert count(open_source(loaded), loaded).facts["n"] == 3


def test_scores_that_are_infinite_nan_or_outside_0_1_are_counted_and_said() -> None:
    frame = pd.DataFrame({"y": [1, 0, 1, 0, 1], "s": [0.5, np.inf, -np.inf, np.nan, 7.0]})
    counts = _count(frame, models=[{"name": "m", "score": "s"}])
    facts = counts.facts["models"][0]
    assert (facts["n_missing"], facts["n_not_finite"], facts["n_outside"]) == (3, 2, 1)
    notes = " ".join(cells.model_notes(counts, "m"))
    assert "2 rows have an infinite score" in notes
    assert "1 row has a score outside [0, 1]" in notes
    table = cells.score_table(counts, None, "m")
    assert table is not None
    assert cells.overall_cells(counts, "m").n_predicted.tolist() == [2]


@pytest.mark.parametrize("label", [0, 1])
def test_one_class_is_counted(label: int) -> None:
    counts = _count(pd.DataFrame({"g": ["a", "a"], "y": [label, label], "d": [0, 1]}), groups=["g"])
    assert cells.cells(counts, "g", "m").n_labelled.tolist() == [2]
    assert counts.facts["n_positive"] == 2 * label


def test_one_group_is_counted() -> None:
    assert _sizes(_count(pd.DataFrame({"g": ["a"] * 3, "y": 1, "d": 1}), groups=["g"]), "g") == {"a": 3}


def test_ten_thousand_groups_are_counted() -> None:
    n = 40_000
    frame = pd.DataFrame({"g": np.arange(n) % 10_000, "h": np.arange(n) % 7, "y": np.arange(n) % 2, "d": 1})
    counts = _count(frame, groups=["g", ["g", "h"]])
    assert len(cells.levels(counts, "g")) == 10_000
    assert cells.cells(counts, "g", "m").n.tolist() == [4] * 10_000
    assert int(cells.cells(counts, "g x h", "m").n.sum()) == n
    assert [level.name for level in cells.levels(counts, "g")[:3]] == ["0", "1", "2"]


def test_a_group_column_of_nulls_is_one_missing_group() -> None:
    frame = pd.DataFrame({"g": [None, None], "y": [1, 0], "d": 1})
    assert _sizes(_count(frame, groups=["g"]), "g") == {"(missing)": 2}


def test_a_file_without_a_byte_is_an_error_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"")
    with pytest.raises(DataError, match=r"a\.csv is empty"):
        _count_file(tmp_path / "a.csv")
