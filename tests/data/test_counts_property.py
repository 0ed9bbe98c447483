"""Whatever the rows are, the counts are those of a naive crosstab, in any order of rows and by either way of counting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporter.config.loader import load_config
from reporter.data import cells, scan
from reporter.data.counts import Counts, count
from reporter.data.source import open_source

_GROUP = st.sampled_from(["F", "M", "NA", "(missing)", "nan", "é", None])
_SITE = st.sampled_from([1, 2, 10, None])
_BIT = st.sampled_from([0, 1, None])
_SCORE = st.sampled_from([0.0, 0.25, 0.5, 0.50001, 1.0, -3.0, 7.5, None])
_ROWS = st.lists(st.tuples(_GROUP, _SITE, _BIT, _BIT, _SCORE), min_size=1, max_size=60)
_CONFIG: dict[str, Any] = {
    "data": {"source": "(frame)", "label": "y"},
    "models": [{"name": "p", "prediction": "d"}, {"name": "s", "score": "s", "threshold": 0.5, "rule": ">"}],
    "groups": ["sex", "site", ["sex", "site"]],
}


def _frame(rows: list[tuple[Any, ...]]) -> pd.DataFrame:
    frame = pd.DataFrame(rows, columns=["sex", "site", "y", "d", "s"])
    return frame.astype({"sex": object, "site": "float64", "y": "float64", "d": "float64", "s": "float64"})


def _count(frame: pd.DataFrame) -> Counts:
    loaded = load_config(_CONFIG, environ={})
    return count(open_source(loaded, data=frame), loaded)


def _same(first: Counts, second: Counts) -> None:
    assert first.facts == second.facts
    assert list(first.tables) == list(second.tables)
    for name, table in first.tables.items():
        pd.testing.assert_frame_equal(table, second.tables[name])


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ROWS)
def test_cells_equal_a_naive_crosstab(rows: list[tuple[Any, ...]]) -> None:
    frame = _frame(rows)
    counts = _count(frame)
    decided = {"p": frame["d"], "s": (frame["s"] > 0.5).astype(float).where(frame["s"].notna())}
    for grouping, columns in (("sex", ["sex"]), ("site", ["site"]), ("sex x site", ["sex", "site"])):
        levels = cells.levels(counts, grouping)
        assert sum(level.n for level in levels) == len(frame)
        assert len({level.name for level in levels}) == len(levels)
        for model, prediction in decided.items():
            found = cells.cells(counts, grouping, model).to_cells()
            for level, one in zip(levels, found, strict=True):
                inside = np.ones(len(frame), bool)
                for column, value in zip(columns, level.values, strict=True):
                    wanted = None if value is None else float(value) if column == "site" else value
                    inside &= (frame[column].isna() if wanted is None else frame[column] == wanted).to_numpy()
                y, d = frame["y"][inside], prediction[inside]
                assert one.n == level.n == inside.sum()
                assert one.tp == ((y == 1) & (d == 1)).sum()
                assert one.fp == ((y == 0) & (d == 1)).sum()
                assert one.tn == ((y == 0) & (d == 0)).sum()
                assert one.fn == ((y == 1) & (d == 0)).sum()
                assert one.unlabelled_positive == (y.isna() & (d == 1)).sum()
                assert one.unlabelled_negative == (y.isna() & (d == 0)).sum()
                assert one.labelled_without_prediction == (y.notna() & d.isna()).sum()
                assert one.unlabelled_without_prediction == (y.isna() & d.isna()).sum()


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ROWS, st.randoms(use_true_random=False))
def test_counts_do_not_depend_on_the_order_of_rows(rows: list[tuple[Any, ...]], random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    _same(_count(_frame(rows)), _count(_frame(shuffled)))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ROWS)
def test_one_query_per_grouping_gives_the_same_as_the_joint(rows: list[tuple[Any, ...]]) -> None:
    joint = _count(_frame(rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scan, "JOINT_CELLS", 0)
        _same(joint, _count(_frame(rows)))


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_ROWS)
def test_duplicating_every_row_doubles_every_count(rows: list[tuple[Any, ...]]) -> None:
    once, twice = _count(_frame(rows)), _count(_frame(rows + rows))
    for name, table in once.tables.items():
        np.testing.assert_array_equal(2 * table["n"].to_numpy(), twice.tables[name]["n"].to_numpy(), err_msg=name)
