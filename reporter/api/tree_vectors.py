"""The vectors of ``instability_test`` as a frame: one row each, or what keeps them from being rows."""

from __future__ import annotations

from typing import Any

import pandas as pd

from reporter.api.arguments import vector
from reporter.errors import InputError, Problem


def vectors_frame(covariate: Any, attribute: Any, m1: Any, m2: Any) -> pd.DataFrame:
    """The columns covariate, attribute, m1 and m2; ``InputError`` with every problem."""
    problems: list[Problem] = []
    columns: dict[str, pd.Series[Any]] = {}
    for name, values in (("covariate", covariate), ("attribute", attribute), ("m1", m1), ("m2", m2)):
        try:
            columns[name] = vector(name, values)
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(*problems)
    lengths = {name: len(column) for name, column in columns.items()}
    if len(set(lengths.values())) != 1:
        listed = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"the vectors have different lengths: {listed}")
    if not lengths["m1"]:
        raise InputError("the vectors are empty")
    for name in ("attribute", "m1", "m2"):
        lacking = int(columns[name].isna().sum())
        if lacking:
            hint = "Leave these rows out of all vectors"
            values = "value" if lacking == 1 else "values"
            problems.append(Problem(f"found {lacking} missing {values}, expected none", key=name, hint=hint))
    if problems:
        raise InputError(*problems)
    return pd.DataFrame(columns)


def as_categories(values: pd.Series[Any]) -> pd.Series[Any]:
    """The values as texts, the missing ones as None: numbers can be categories."""
    known = values.notna()
    texts = values.astype(object).where(known, None)
    if known.any():
        texts[known] = values[known].astype(str)
    return texts


def order_of(values: pd.Series[Any]) -> list[Any]:
    """The levels of an ordered covariate: those of a pandas ordered categorical, else the sorted values."""
    if isinstance(values.dtype, pd.CategoricalDtype):
        return list(values.cat.categories)
    try:
        return sorted(values.dropna().unique())
    except TypeError:
        kinds = " and ".join(sorted({type(value).__name__ for value in values.dropna().unique()}))
        message = f"found values of different kinds ({kinds}), which have no order"
        hint = "Use a pandas ordered categorical, which names the order"
        raise InputError(Problem(message, key="covariate", hint=hint)) from None
