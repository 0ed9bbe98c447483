"""Bands that overlap, and crossings with combinations that cannot be: what follows from everything that is published together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

import reporter
from reporter.errors import DataError
from reporter.small_cells import overlaps

K = 11
CELLS = {"tn": (0, 0), "tp": (1, 1), "fp": (0, 1), "fn": (1, 0)}


def people(sizes: Mapping[Any, tuple[int, ...]]) -> pd.DataFrame:
    """Of each combination of the columns a, b (and c) so many: tn, tp, fp, fn."""
    rows = [
        (*values, y, d)
        for values, counts in sizes.items()
        for (y, d), n in zip(CELLS.values(), counts, strict=True)
        for _ in range(n)
    ]
    return pd.DataFrame(rows, columns=[*"abc"[: len(rows[0]) - 2], "y", "d"])


def published(frame: pd.DataFrame, groups: list[Any], k: int = K) -> reporter.Report:
    config = {
        "data": {"label": "y"},
        "models": [{"name": "m", "prediction": "d"}],
        "groups": groups,
        "metrics": ["fnr"],
        "small_cells": k,
    }
    return reporter.run(config, data=frame)


def pinned_down(report: reporter.Report, frame: pd.DataFrame, columns: str, k: int = K) -> Iterator[str]:
    """Every set of combinations whose count of one outcome is from 1 to k - 1 and has one whole number that agrees with the report,
    for a reader who knows which combinations are empty. Tried are all sets, by whole-number programming."""
    parts = sorted(set(map(tuple, frame[list(columns)].to_numpy().tolist())))
    found_in = frame[list(columns)].apply(tuple, axis=1)
    for outcome, (y, d) in CELLS.items():
        ours = found_in[(frame["y"] == y) & (frame["d"] == d)]
        true = np.array([int((ours == part).sum()) for part in parts])
        rows, known = [np.ones(len(parts))], [getattr(report.models[0].cells, outcome)]
        for grouping in report.groupings:
            at = [columns.index(column) for column in grouping.columns]
            for level, result in zip(grouping.levels, grouping.results, strict=True):
                assert result.group == level.name
                if not level.pooled:
                    rows.append(np.array([tuple(part[i] for i in at) == level.values for part in parts], float))
                    known.append(getattr(result.cells, outcome))
        system = np.array(rows)
        assert (system @ true == known).all()
        # Only sets of combinations that are themselves small can be small.
        small = np.flatnonzero(true < k)
        for chosen in itertools.chain.from_iterable(itertools.combinations(small, r) for r in range(1, 5)):
            row = np.zeros(len(parts))
            row[list(chosen)] = 1
            if not 0 < row @ true < k:
                continue
            least, most = (
                sign
                * milp(
                    sign * row,
                    constraints=LinearConstraint(system, known, known),
                    integrality=np.ones(len(parts)),
                    bounds=Bounds(0, np.inf),
                ).fun
                for sign in (1, -1)
            )
            if round(least) == round(most):
                yield f"{outcome} of {[parts[i] for i in chosen]} is {round(least)}"


def shown_names(report: reporter.Report) -> dict[str, list[str]]:
    return {
        grouping.name: [level.name for level in grouping.levels if not level.pooled] for grouping in report.groupings
    }


UNION = {
    ("to 40", "to 20"): (40, 60, 50, 30),
    ("to 40", "21 to 45"): (80, 90, 70, 40),
    ("41 to 80", "21 to 45"): (30, 30, 30, 7),
    ("41 to 80", "over 45"): (200, 150, 90, 60),
    ("over 80", "over 45"): (50, 50, 50, 50),
}
"""To 45 (two groups of b) without to 40 (one of a): 7 false negatives of 41 to 45."""

DIFFERENCE = {
    ("to 30", "to 65"): (40, 60, 50, 30),
    ("31 to 75", "to 65"): (80, 90, 70, 40),
    ("31 to 75", "over 65"): (30, 30, 30, 17),
    ("76 to 77", "over 65"): (8, 7, 4, 0),
    ("over 77", "over 65"): (50, 50, 50, 50),
    ("unclear", "to 65"): (6, 9, 8, 3),
}
"""Over 65, without those of them who are 31 to 75 and without over 77: the 76 to 77."""


@pytest.mark.parametrize("sizes", [UNION, DIFFERENCE], ids=["union of groups", "difference across groupings"])
def test_overlapping_bands_that_are_crossed_leave_no_small_rest(sizes: dict[tuple[str, ...], tuple[int, ...]]) -> None:
    frame = people(sizes)
    report = published(frame, ["a", "b", ["a", "b"]])
    assert list(pinned_down(report, frame, "ab")) == []
    shown = shown_names(report)
    assert len(shown["a"]) + len(shown["b"]) >= 4


def test_overlapping_bands_without_a_small_rest_are_all_shown() -> None:
    report = published(people(UNION | {("41 to 80", "21 to 45"): (30, 30, 30, 17)}), ["a", "b", ["a", "b"]])
    assert {name: len(groups) for name, groups in shown_names(report).items()} == {"a": 3, "b": 3, "a x b": 5}


def test_who_knows_that_a_combination_is_empty_finds_no_other() -> None:
    sizes = {("F", "B"): 40, ("F", "C"): 60, ("M", "A"): 50, ("M", "B"): 5, ("M", "C"): 70}
    frame = people({part: (n, n, n, n) for part, n in sizes.items()})
    report = published(frame, ["a", "b", ["a", "b"]])
    assert list(pinned_down(report, frame, "ab")) == []
    assert shown_names(report) == {"a": ["F", "M"], "b": ["A", "B", "C"], "a x b": []}


def bands(seed: int) -> pd.DataFrame:
    """One number cut in two ways, with cuts that are close to each other."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(300, 1500))
    age = rng.integers(18, 95, n)
    first = np.sort(rng.choice(np.arange(25, 90), rng.integers(2, 4), replace=False))
    second = np.unique(np.clip(first + rng.integers(-2, 3, len(first)), 20, 92))
    frame = pd.DataFrame(
        {
            "a": [f"a{i}" for i in np.searchsorted(first, age)],
            "b": [f"b{i}" for i in np.searchsorted(second, age)],
            "y": (rng.random(n) < 0.4).astype(int),
        }
    )
    frame["d"] = np.where(rng.random(n) < 0.75, frame["y"], 1 - frame["y"])
    return frame


@pytest.mark.parametrize("seed", range(25))
def test_no_set_of_overlapping_bands_has_a_small_count_that_can_be_found(seed: int) -> None:
    frame = bands(seed)
    try:
        report = published(frame, ["a", "b", ["a", "b"]])
    except DataError as error:
        assert "over all rows" in str(error)  # noqa: PT017
        return
    assert list(pinned_down(report, frame, "ab")) == []


def sparse(seed: int) -> pd.DataFrame:
    """Three columns; half of their combinations are empty."""
    rng = np.random.default_rng(seed)
    parts = list(itertools.product(("a0", "a1", "a2"), ("b0", "b1", "b2"), ("c0", "c1")))
    kept = [parts[i] for i in rng.permutation(len(parts))[:9]]
    counts = {part: tuple(rng.choice([0, 3, 8, 15, 40, 90], 4).tolist()) for part in kept}
    counts[kept[0]] = (60, 60, 60, 60)
    return people(counts)


@pytest.mark.parametrize("groups", [["a", "b", "c", ["a", "b", "c"]], ["a", ["a", "b"], ["a", "b", "c"]]], ids=range(2))
@pytest.mark.parametrize("seed", range(8))
def test_no_set_of_combinations_of_three_columns_has_a_small_count_that_can_be_found(
    seed: int, groups: list[Any]
) -> None:
    frame = sparse(seed)
    report = published(frame, groups)
    assert list(pinned_down(report, frame, "abc")) == []


def test_hundreds_of_groups_that_are_safe_are_all_shown() -> None:
    """400 bands of a within 20 of b, which are cut elsewhere; every count is large."""
    sizes = {(f"a{i // 2:03}", f"b{(i + 1) // 40:02}"): (20, 30, 15, 12) for i in range(800)}
    report = published(people(sizes), ["a", "b", ["a", "b"]])
    assert [len(groups) for groups in shown_names(report).values()] == [400, 21, 420]


def test_crossings_with_more_combinations_than_can_be_checked_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overlaps, "MOST_PARTS", 15)
    parts = itertools.product(("a0", "a1"), ("b0", "b1"), ("c0", "c1", "c2", "c3"))
    frame = people(dict.fromkeys(parts, (20, 20, 20, 20)))
    with pytest.raises(DataError, match="the crossings a x b, b x c share columns and have more than 15 combinations"):
        published(frame, [["a", "b"], ["b", "c"]])


def test_a_crossing_that_pools_what_its_column_alone_names_is_not_shown() -> None:
    sizes = {
        ("a0", "b0"): 100,
        ("a0", "b1"): 100,
        ("a0", "b2"): 40,
        ("a1", "b0"): 90,
        ("a1", "b1"): 90,
        ("a1", "b2"): 30,
        ("a1", "b3"): 12,
    }
    frame = people({part: (n, n, n, n) for part, n in sizes.items()})
    groups = ["a", {"column": "b", "at_least": 100}, ["a", {"column": "b", "at_least": 300}]]
    assert shown_names(published(frame, groups))["a x b"] == []
    assert len(shown_names(published(frame, groups[:2]))["b"]) >= 2


@pytest.mark.parametrize("seed", range(4))
def test_a_column_that_pools_small_groups_alone_and_names_them_in_a_crossing_gives_nothing_away(seed: int) -> None:
    frame = sparse(seed)
    report = published(frame, ["a", {"column": "b", "at_least": 400}, ["a", "b"], ["a", "b", "c"]])
    assert list(pinned_down(report, frame, "abc")) == []
