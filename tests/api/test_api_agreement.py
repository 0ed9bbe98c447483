"""Agreement in the Python API: vectors, counts and scores, and what they refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import reporter
from reporter.errors import DataError, InputError


def test_vectors_give_what_their_counts_give() -> None:
    first, second = [1] * 30 + [0] * 20, [1] * 20 + [0] * 10 + [1] * 5 + [0] * 15
    assert reporter.agreement(first, second) == reporter.agreement_from_counts(20, 5, 10, 15)


@pytest.mark.parametrize(
    "vector",
    [
        [1, 0, 1, None],
        [1.0, 0.0, 1.0, float("nan")],
        [True, False, True, None],
        ["1", "0", "1", None],
        np.array([1, 0, 1, np.nan]),
        pd.Series([1, 0, 1, pd.NA], dtype="Int64"),
        pd.Series(["1", "0", "1", None], dtype="category"),
    ],
    ids=["list", "floats", "booleans", "words", "array", "nullable", "category"],
)
def test_every_kind_of_vector_gives_the_same(vector: object) -> None:
    assert reporter.agreement(vector, [1, 1, 0, 0]) == reporter.agreement_from_counts(1, 1, 1, 0)


def test_a_pair_with_a_missing_rating_is_left_out_as_if_the_row_were_absent() -> None:
    found = reporter.agreement([1, 0, None, 1, 0], [1, 0, 1, None, 1])
    assert found == reporter.agreement([1, 0, 0], [1, 0, 1])
    assert found.n == 3


def test_empty_vectors_are_undefined_with_a_reason() -> None:
    found = reporter.agreement([], [])
    assert (found.n, found.kappa, found.reason) == (0, None, "no pair of ratings")


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ([1, 0], [1, 0, 1], "first has 2 ratings and second 3"),
        ([1, 0, 2], [1, 0, 1], "first has 1 ratings other than 0 and 1, such as 2"),
        ([1, 0, 1], ["yes", "no", "no"], "second has 3 ratings other than 0 and 1, such as 'no', 'yes'"),
        ([[1, 0]], [1, 0], "first: found rows that hold several values"),
        ([[1, 0], [1]], [1, 0], "first: found rows that hold several values"),
        (np.ones((2, 2)), [1, 0], "first: found 2 dimensions, expected a vector"),
        (None, [1], "first: found None, expected a vector"),
        (5, [1], "first: found 5, expected a vector"),
        ("10", [1, 0], "first: found '10', expected a vector"),
        ({1: 1}, [1], "first: found a dict, expected a vector"),
        ([1j], [1], "first: found complex numbers"),
        ([pd.Timestamp(0)], [1], "first has 1 ratings other than 0 and 1"),
        (pd.Series([1, 0], index=["p", "q"]), pd.Series([1, 0], index=["p", "r"]), "different row sets"),
        (pd.Series([1, 0], index=["p", "q"]), pd.Series([1, 0], index=["q", "p"]), "different row sets or row orders"),
    ],
)
def test_bad_ratings_are_refused(first: object, second: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        reporter.agreement(first, second)
    assert isinstance(error.value, ValueError)
    assert isinstance(error.value, DataError)


@pytest.mark.parametrize("confidence", [None, "a", 0, 2, True, float("nan")])
def test_a_confidence_outside_0_to_1_is_refused(confidence: Any) -> None:
    scores = [[1, 2], [2, 3], [4, 5]]
    for ask in (
        lambda: reporter.agreement([1, 0], [1, 1], confidence=confidence),
        lambda: reporter.agreement_from_counts(3, 1, 1, 3, confidence=confidence),
        lambda: reporter.icc(scores, confidence=confidence),
        lambda: reporter.icc_from_mean_squares(3.0, 1.0, 1.0, 3, 2, confidence=confidence),
    ):
        with pytest.raises(InputError, match=r"confidence: found .*, expected a number between 0 and 1"):
            ask()


@pytest.mark.parametrize("count", [None, "a", 1.5, -1, float("nan"), float("inf"), 10**400, True])
def test_what_is_no_count_is_named(count: Any) -> None:
    with pytest.raises(InputError, match=r"^b must hold whole numbers that are not negative, found "):
        reporter.agreement_from_counts(1, count, 1, 1)


def test_iterators_are_vectors_too() -> None:
    assert reporter.agreement(iter([1, 0, 1]), (x for x in [1, 1, 1])) == reporter.agreement([1, 0, 1], [1, 1, 1])


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (None, "scores: found None, expected n x k numbers"),
        (5, "scores: found 5, expected n x k numbers"),
        ("abc", "scores: found 'abc', expected n x k numbers"),
        (np.ones((2, 2, 2)), "scores: found an? ndarray, expected n x k numbers"),
        ([[1, 2], [3]], "scores: the subjects have different numbers of scores"),
        ([[1, 2j], [3, 4]], "scores: found complex numbers"),
        ([[1, "a"], [3, 4]], "scores: found 'a', expected n x k numbers"),
    ],
)
def test_icc_refuses_what_is_no_table_of_numbers(scores: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reporter.icc(scores)


def test_every_mean_square_and_size_that_is_none_is_told() -> None:
    squares: Any = reporter.icc_from_mean_squares
    with pytest.raises(InputError) as caught:
        squares(None, "a", float("nan"), 1.5, True)
    assert [problem.key for problem in caught.value.problems] == ["n", "k", "msb", "msj", "mse"]


def test_bad_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="c must hold whole numbers"):
        reporter.agreement_from_counts(1, 2, -3, 4)
    with pytest.raises(InputError):
        reporter.agreement_from_counts("many", 2, 3, 4)  # type: ignore[arg-type]


@pytest.mark.parametrize("form", ["1", "A1", "C1", "1k", "Ak", "Ck"])
def test_icc_takes_arrays_lists_and_frames(form: str) -> None:
    scores = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    from_squares = reporter.icc_from_mean_squares(
        11.241666666666667, 32.486111111111114, 1.0194444444444444, 6, 4, form
    )
    for given in (scores, np.array(scores), pd.DataFrame(scores), pd.DataFrame(scores, dtype="Int64")):
        assert reporter.icc(given, form).value == pytest.approx(from_squares.value, abs=1e-12)


def test_icc_leaves_out_subjects_with_a_missing_score() -> None:
    expected = reporter.icc([[1, 2], [3, 5], [4, 4]])
    for missing in (None, float("nan"), pd.NA, pd.NaT):
        assert reporter.icc([[1, 2], [2, missing], [3, 5], [4, 4]]) == expected


@pytest.mark.parametrize("unit", [1e-300, 1e-160, 1e200, 1e305])
@pytest.mark.parametrize("form", ["1", "A1", "C1", "1k", "Ak", "Ck"])
def test_the_unit_of_the_scores_does_not_change_their_correlation(unit: float, form: str) -> None:
    scores = np.array([[9.0, 2, 5], [6, 1, 3], [8, 4, 6], [7, 1, 2]])
    expected, found = reporter.icc(scores, form), reporter.icc(scores * unit, form)
    for name in ("value", "low", "high", "F", "p"):
        assert getattr(found, name) == pytest.approx(getattr(expected, name), rel=1e-9)


def test_extreme_mean_squares_are_those_of_another_unit() -> None:
    expected = reporter.icc_from_mean_squares(4, 2, 1, 5, 3)
    for unit in (1e308 / 4, 1e-305):
        found = reporter.icc_from_mean_squares(4 * unit, 2 * unit, unit, 5, 3)
        assert (found.value, found.low) == (pytest.approx(expected.value), pytest.approx(expected.low))


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02"]), "b": [1, 2]}), "found dates"),
        (pd.DataFrame({"a": pd.to_timedelta([1, 2]), "b": [1, 2]}), "found durations"),
        ([[1, "mild"], [2, 3]], "found 'mild', expected n x k numbers"),
    ],
    ids=["dates", "durations", "words"],
)
def test_scores_that_are_no_numbers_are_named(scores: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        reporter.icc(scores)


@pytest.mark.parametrize("scores", [[["a", "b"], ["c", "d"]], [[1, float("inf")], [2, 3]]])
def test_icc_refuses_what_are_no_finite_numbers(scores: object) -> None:
    with pytest.raises(InputError):
        reporter.icc(scores)


def test_icc_refuses_an_unknown_form_and_bad_mean_squares() -> None:
    with pytest.raises(InputError, match="'2' is unknown"):
        reporter.icc([[1, 2], [3, 4]], "2")
    with pytest.raises(InputError, match="finite and not negative"):
        reporter.icc_from_mean_squares(-1, 1, 1, 5, 2)
