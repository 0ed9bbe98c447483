"""Perturbed copies of inputs: which values change at a noise level, and into what.

Knows numpy columns and a random generator that comes in; no models, no groups, no statistics. Missing values (NaN, None)
stay missing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reporter.errors import InputError, Problem
from reporter.stats.cells import Floats, Ints
from reporter.stats.noise_spec import Gaussian, NoiseSpec

Column = NDArray[Any]


class Perturber:
    """Draws perturbed copies of rows, for all noise levels at once.

    Parameters
    ----------
    columns
        The inputs, arrays of equal length n. Numbers as numeric arrays; categories as object arrays with None for missing.
    spec
        What is perturbed. One *choice* is made for each perturbed column and for each one-hot set.

    Raises
    ------
    InputError
        Every misfit at once: a column that is missing, text where numbers are needed, a flip of a column that
        does not have two values, one-hot columns with a row that is not one-hot.

    Examples
    --------
    >>> from reporter.stats.noise_spec import noise_spec
    >>> columns = {"age": np.array([20, 30, 40]), "sex": np.array([0, 1, 1])}
    >>> perturber = Perturber(columns, noise_spec({"sex": "flip"}, levels=[0.0, 1.0]))
    >>> drawn = perturber.draw(np.random.default_rng(0), np.arange(3))
    >>> drawn["sex"].reshape(2, 3).tolist()
    [[0, 1, 1], [1, 0, 0]]
    """

    def __init__(self, columns: Mapping[str, Column], spec: NoiseSpec) -> None:
        problems: list[Problem] = []
        tied = {column for columns_ in spec.one_hot for column in columns_}
        self.levels: Floats = np.array(spec.levels, dtype=np.float64)
        self._choices: list[_Choice] = []
        for name, how in spec.perturb.items():
            if name in tied:
                continue
            key = f"perturb.{name}"
            if name not in columns:
                problems.append(_not_an_input(name, key, columns))
            elif isinstance(how, Gaussian):
                self._add(_gaussian(name, columns[name], how, key), problems)
            else:
                self._add(_category(name, columns[name], how == "flip", key), problems)
        for one_hot in spec.one_hot:
            key = f"one_hot: [{', '.join(one_hot)}]"
            absent = [name for name in one_hot if name not in columns]
            if absent:
                problems.extend(_not_an_input(name, key, columns) for name in absent)
            else:
                self._add(_one_hot(one_hot, columns, key), problems)
        if problems:
            raise InputError(*problems)

    @property
    def n_choices(self) -> int:
        """How many values of a row may be perturbed, a one-hot set counted once."""
        return len(self._choices)

    def draw(self, rng: np.random.Generator, rows: NDArray[np.intp], quota: Ints | None = None) -> dict[str, Column]:
        """Perturbed columns of ``rows`` at every level: arrays of length L * len(rows), level by level.

        ``quota``, of shape (L, choices): exactly so many values are perturbed, instead of each with the level's probability.
        """
        drawn: dict[str, Column] = {}
        for position, choice in enumerate(self._choices):
            if quota is None:
                hit = np.flatnonzero(rng.random((len(self.levels), len(rows))) < self.levels[:, None])
            else:
                hit = _exactly(rng, quota[:, position], len(rows))
            drawn.update(choice.apply(rng, rows, len(self.levels), hit))
        return drawn

    def _add(self, choice: _Choice | Problem, problems: list[Problem]) -> None:
        if isinstance(choice, Problem):
            problems.append(choice)
        else:
            self._choices.append(choice)


class _Choice(Protocol):
    def apply(
        self, rng: np.random.Generator, rows: NDArray[np.intp], n_levels: int, hit: NDArray[np.intp]
    ) -> dict[str, Column]: ...


@dataclass(frozen=True, slots=True, eq=False)
class _GaussianChoice:
    name: str
    values: Column
    how: Gaussian
    low: float | None

    def apply(
        self, rng: np.random.Generator, rows: NDArray[np.intp], n_levels: int, hit: NDArray[np.intp]
    ) -> dict[str, Column]:
        noise = rng.standard_normal(len(hit))
        noise *= self.how.sd
        if self.how.round:
            np.rint(noise, out=noise)
        copy = _copies(self.values, rows, n_levels)
        changed = copy[hit] + noise
        if self.low is not None or self.how.max is not None:
            # NaN passes through clip, so that missing stays missing.
            changed = np.clip(changed, self.low, self.how.max)
        copy[hit] = changed
        return {self.name: copy}


@dataclass(frozen=True, slots=True, eq=False)
class _CategoryChoice:
    """Values as codes 0 ... K-1 of ``values``, -1 for missing."""

    name: str
    original: Column
    values: Column
    codes: Ints

    def apply(
        self, rng: np.random.Generator, rows: NDArray[np.intp], n_levels: int, hit: NDArray[np.intp]
    ) -> dict[str, Column]:
        codes = self.codes[rows[hit % len(rows)]]
        others = _another(rng, codes, len(self.values))
        copy = _copies(self.original, rows, n_levels)
        there = codes >= 0
        copy[hit[there]] = self.values[others[there]]
        return {self.name: copy}


@dataclass(frozen=True, slots=True, eq=False)
class _OneHotChoice:
    """``codes``: which of the columns holds the 1, -1 for a row with missing values."""

    originals: dict[str, Column]
    codes: Ints

    def apply(
        self, rng: np.random.Generator, rows: NDArray[np.intp], n_levels: int, hit: NDArray[np.intp]
    ) -> dict[str, Column]:
        codes = self.codes[rows[hit % len(rows)]]
        others = _another(rng, codes, len(self.originals))
        there = codes >= 0
        drawn = {}
        for position, (name, original) in enumerate(self.originals.items()):
            copy = _copies(original, rows, n_levels)
            copy[hit[there]] = (others[there] == position).astype(original.dtype)
            drawn[name] = copy
        return drawn


def _copies(values: Column, rows: NDArray[np.intp], n_levels: int) -> Column:
    chosen = values[rows]
    copy = np.empty((n_levels, len(rows)), dtype=values.dtype)
    copy[:] = chosen
    return copy.reshape(-1)


def _another(rng: np.random.Generator, codes: Ints, k: int) -> Ints:
    """Another code of 0 ... k-1 than each one's own, all others equally likely."""
    if k == 2:
        return 1 - codes
    return (codes + rng.integers(1, k, size=len(codes))) % k


def _exactly(rng: np.random.Generator, quota: Ints, n_rows: int) -> NDArray[np.intp]:
    """Flat positions of ``quota[level]`` rows a level, drawn without replacement."""
    chosen = [
        level * n_rows + np.sort(rng.choice(n_rows, size=int(n_hit), replace=False, shuffle=False))
        for level, n_hit in enumerate(quota)
    ]
    return np.concatenate(chosen).astype(np.intp)


def _gaussian(name: str, values: Column, how: Gaussian, key: str) -> _Choice | Problem:
    if values.dtype.kind not in "iuf":
        return Problem(f"{name!r} is not a column of numbers", key=key, hint="Use flip or replace.")
    if np.isinf(values).any() if values.dtype.kind == "f" else False:
        return Problem(f"{name!r} holds infinite values", key=key)
    whole = (
        values.dtype.kind in "iu" and how.round and all(end is None or end == int(end) for end in (how.min, how.max))
    )
    known = values[~np.isnan(values)] if values.dtype.kind == "f" else values
    # Sixteen standard deviations are further than a normal draw ever goes.
    with np.errstate(over="ignore"):
        reach = 16 * np.float64(how.sd) + np.abs(known.astype(np.float64)).max(initial=0.0)
    if reach > (2**53 if whole else np.finfo(np.float64).max):
        return Problem(f"found {how.sd:g}, with which {name!r} leaves the range of numbers", key=f"{key}.sd")
    # Whole numbers stay whole when the draws are; otherwise the column becomes floats at every level.
    kept = values.astype(np.int64) if whole else values.astype(np.float64)
    low = how.min
    if how.floor and low is None and not np.isnan(values.astype(np.float64)).all():
        low = float(np.nanmin(values))
    return _GaussianChoice(name, kept, how, low)


def _category(name: str, values: Column, flip: bool, key: str) -> _Choice | Problem:
    levels, codes = coded(values)
    if flip and len(levels) == 1 and values.dtype.kind in "iufb" and levels[0] in (0, 1):
        # A constant 0/1 column still has an other value.
        other = np.array([0, 1], dtype=values.dtype)
        return _CategoryChoice(name, values, other, np.where(codes < 0, -1, int(levels[0])).astype(np.int64))
    if flip and len(levels) != 2:
        hint = "Use replace." if len(levels) > 2 else ""
        return Problem(f"{name!r} has {len(levels)} distinct values, a flip needs 2", key=key, hint=hint)
    if len(levels) < 2:
        return Problem(f"{name!r} has {len(levels)} distinct values, a replacement needs 2 or more", key=key)
    return _CategoryChoice(name, values, levels, codes)


def _one_hot(names: tuple[str, ...], columns: Mapping[str, Column], key: str) -> _Choice | Problem:
    originals = {name: columns[name] for name in names}
    wrong = [name for name, values in originals.items() if values.dtype.kind not in "iufb"]
    if wrong:
        return Problem(f"{', '.join(wrong)}: expected columns of 0 and 1", key=key)
    table = np.stack([values.astype(np.float64) for values in originals.values()], axis=1)
    complete = ~np.isnan(table).any(axis=1)
    bad = complete & ~(np.isin(table, (0.0, 1.0)).all(axis=1) & (table.sum(axis=1) == 1))
    if bad.any():
        first = int(np.flatnonzero(bad)[0])
        text = f"{int(bad.sum())} rows do not hold exactly one 1, for example row {first} (counted from 0)"
        return Problem(text, key=key)
    return _OneHotChoice(originals, np.where(complete, table.argmax(axis=1), -1).astype(np.int64))


def coded(values: Column) -> tuple[Column, Ints]:
    """The distinct values in a fixed order, and each row's position among them (-1: missing)."""
    if values.dtype.kind == "O":
        missing = np.array([value is None or value != value for value in values], dtype=bool)
        # By type and text: mixed kinds have no order of their own.
        distinct = sorted(set(values[~missing].tolist()), key=lambda value: (type(value).__name__, str(value)))
        place = {value: position for position, value in enumerate(distinct)}
        codes = np.array([-1 if gone else place[value] for gone, value in zip(missing, values, strict=True)], np.int64)
        levels = np.empty(len(distinct), dtype=object)
        levels[:] = distinct
        return levels, codes
    missing = np.isnan(values) if values.dtype.kind == "f" else np.zeros(len(values), dtype=bool)
    levels = np.unique(values[~missing])
    codes = np.searchsorted(levels, values).astype(np.int64)
    return levels, np.where(missing, -1, codes)


def _not_an_input(name: str, key: str, columns: Mapping[str, Column]) -> Problem:
    return Problem(f"{name!r} is not among the inputs ({', '.join(columns)})", key=key)
