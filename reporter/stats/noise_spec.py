"""What a noise study perturbs, how strongly and how often: a checked, frozen description.

Knows no data: whether the columns exist and fit is checked where the data is (``perturbation.py``).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from reporter.errors import InputError, Problem
from reporter.stats.delta_options import as_found

Kind = Literal["flip", "replace"]
Rule = Literal[">=", ">"]
Variant = Literal["all", "minima", "numeric", "binary"]

_LEVEL_KEYS = ("from", "to", "step")
MOST_LEVELS = 10_000

_GAUSSIAN_KEYS = ("sd", "round", "min", "max")


@dataclass(frozen=True, slots=True)
class Gaussian:
    """A normal draw with standard deviation ``sd`` (not variance) is added; with ``round`` the draw is rounded first.

    What is perturbed is clipped to [min, max] where given. ``floor`` clips to the smallest value of the column instead.
    """

    sd: float
    round: bool = False
    min: float | None = None
    max: float | None = None
    floor: bool = False


@dataclass(frozen=True, slots=True)
class NoiseSpec:
    """A noise study's design; make it with :func:`noise_spec`, which checks everything.

    ``perturb``: input -> :class:`Gaussian`, "flip" (the other of two values) or "replace" (another observed category).
    ``one_hot``: columns that code one variable; a perturbed row moves its 1 to another column of the set. ``levels``: the
    probabilities that a value is perturbed. ``by_group``: values are drawn within each group, so that a group's result does not
    depend on the other groups; otherwise over all rows in their order. ``exact_proportion``: exactly the level's share
    of values (rounded) is perturbed rather than each with that probability.
    """

    perturb: Mapping[str, Gaussian | Kind]
    levels: tuple[float, ...]
    repeats: int = 1
    one_hot: tuple[tuple[str, ...], ...] = ()
    threshold: float = 0.5
    rule: Rule = ">="
    by_group: bool = True
    exact_proportion: bool = False
    seed: int = 0
    variant: Variant = "all"

    def restricted(self, variant: Variant) -> NoiseSpec:
        """The same study with another choice of inputs.

        "all": as it is; "minima": no perturbed number falls below its column's smallest value (or its own ``min``); "numeric": only
        the inputs with normal draws; "binary": only the others, one-hot sets included.

        Examples
        --------
        >>> spec = noise_spec({"age": {"sd": 5}, "sex": "flip"}, levels=[0.1])
        >>> list(spec.restricted("numeric").perturb), list(spec.restricted("binary").perturb)
        (['age'], ['sex'])
        """
        chosen = dict(self.perturb)
        one_hot = self.one_hot
        if variant == "minima":
            chosen = {
                name: replace(how, floor=how.min is None) if isinstance(how, Gaussian) else how
                for name, how in chosen.items()
            }
        elif variant == "numeric":
            chosen = {name: how for name, how in chosen.items() if isinstance(how, Gaussian)}
            one_hot = ()
        elif variant == "binary":
            chosen = {name: how for name, how in chosen.items() if not isinstance(how, Gaussian)}
        if not chosen and not one_hot:
            kind = "normal draws" if variant == "numeric" else "flips or replacements"
            raise InputError(Problem(f"no input has {kind}, which the variant needs", key=f"variants: {variant}"))
        return replace(self, perturb=chosen, one_hot=one_hot, variant=variant)


def noise_spec(
    perturb: Mapping[str, Any],
    *,
    levels: Iterable[float] | Mapping[str, float],
    repeats: int = 1,
    one_hot: Iterable[Sequence[str]] = (),
    threshold: float = 0.5,
    rule: str = ">=",
    by_group: bool = True,
    exact_proportion: bool = False,
    seed: int = 0,
) -> NoiseSpec:
    """A :class:`NoiseSpec` from plain values, as in YAML.

    Parameters
    ----------
    perturb
        Input -> {"sd": 5, "round": True, "min": 18, "max": None}, "flip", "replace" or {"replace": True}.
    levels
        Probabilities in [0, 1], or {"from": 0, "to": 0.3, "step": 0.01} with both ends.

    Raises
    ------
    InputError
        With every problem at once.

    Examples
    --------
    >>> noise_spec({"age": {"sd": 5, "round": True}}, levels={"from": 0, "to": 0.3, "step": 0.1}).levels
    (0.0, 0.1, 0.2, 0.3)
    >>> noise_spec({"age": {"sd": -1}}, levels=[0, 1.5])
    Traceback (most recent call last):
        ...
    reporter.errors.InputError: perturb.age.sd: found -1, expected a number of 0 or more
    levels: found 1.5, expected probabilities from 0 to 1
    """
    problems: list[Problem] = []
    changes = {str(name): _change(str(name), how, problems) for name, how in perturb.items()}
    sets = tuple(tuple(str(column) for column in columns) for columns in one_hot)
    _check_sets(sets, changes, problems)
    if not changes and not sets:
        problems.append(Problem("nothing is perturbed", key="perturb", hint="Name at least one input."))
    chosen = _levels(levels, problems)
    if not _whole(repeats) or repeats < 1:
        problems.append(Problem(f"found {repeats!r}, expected a whole number of 1 or more", key="repeats"))
    if not _whole(seed) or seed < 0:
        problems.append(Problem(f"found {seed!r}, expected a whole number of 0 or more", key="seed"))
    if not _number(threshold):
        problems.append(Problem(f"found {threshold!r}, expected a number", key="threshold"))
    if rule not in (">=", ">"):
        problems.append(Problem(f"found {rule!r}, expected '>=' or '>'", key="rule"))
    if problems:
        raise InputError(*problems)
    return NoiseSpec(
        perturb={name: how for name, how in changes.items() if how is not None},
        levels=chosen,
        repeats=int(repeats),
        one_hot=sets,
        threshold=float(threshold),
        rule=">" if rule == ">" else ">=",
        by_group=by_group,
        exact_proportion=exact_proportion,
        seed=int(seed),
    )


def _change(name: str, how: Any, problems: list[Problem]) -> Gaussian | Kind | None:
    key = f"perturb.{name}"
    if isinstance(how, Gaussian):
        how = {"sd": how.sd, "round": how.round, "min": how.min, "max": how.max}
    if isinstance(how, str) and how in ("flip", "replace"):
        return "flip" if how == "flip" else "replace"
    if not isinstance(how, Mapping):
        problems.append(Problem(f"found {as_found(how)}, expected flip, replace or {{sd: ...}}", key=key))
        return None
    given = {str(k): v for k, v in how.items() if v is not None}
    known = len(problems)
    replaced = given.pop("replace", False)
    if not isinstance(replaced, bool):
        problems.append(Problem(f"found {as_found(replaced)}, expected true or false", key=f"{key}.replace"))
        return None
    if replaced:
        beside = [name for name in given if name != "round"]
        if not beside:
            return "replace"
        message = f"found replace beside {beside[0]}: one puts another observed category, the other adds a number"
        problems.append(Problem(message, key=f"{key}.replace"))
        return None
    for unknown in sorted(set(given) - set(_GAUSSIAN_KEYS)):
        problems.append(Problem(f"unknown key; expected {', '.join(_GAUSSIAN_KEYS)}", key=f"{key}.{unknown}"))
    sd: Any = given.get("sd")
    if not _number(sd) or sd < 0:
        problems.append(Problem(f"found {sd!r}, expected a number of 0 or more", key=f"{key}.sd"))
    for end in ("min", "max"):
        if end in given and not _number(given[end]):
            problems.append(Problem(f"found {given[end]!r}, expected a number", key=f"{key}.{end}"))
    if not isinstance(given.get("round", False), bool):
        problems.append(Problem(f"found {given['round']!r}, expected true or false", key=f"{key}.round"))
    if len(problems) == known and given.get("min", -math.inf) > given.get("max", math.inf):
        problems.append(Problem(f"min {given['min']} is above max {given['max']}", key=key))
    if len(problems) > known:
        return None
    return Gaussian(float(given["sd"]), given.get("round", False), given.get("min"), given.get("max"))


def _check_sets(
    sets: tuple[tuple[str, ...], ...], changes: Mapping[str, Gaussian | Kind | None], problems: list[Problem]
) -> None:
    seen: set[str] = set()
    for columns in sets:
        key = f"one_hot: [{', '.join(columns)}]"
        if len(columns) < 2:
            problems.append(Problem("a one-hot set needs two columns or more", key=key))
        for column in columns:
            if column in seen:
                problems.append(Problem(f"{column!r} is named twice", key=key))
            seen.add(column)
            if isinstance(changes.get(column), Gaussian) or changes.get(column) == "replace":
                problems.append(Problem(f"{column!r} cannot have a perturbation of its own but flip", key=key))


def _levels(levels: Iterable[float] | Mapping[str, float], problems: list[Problem]) -> tuple[float, ...]:
    if isinstance(levels, Mapping):
        for unknown in sorted(str(name) for name in levels if name not in _LEVEL_KEYS):
            problems.append(Problem(f"unknown key; expected {', '.join(_LEVEL_KEYS)}", key=f"levels.{unknown}"))
        ends = [levels.get(name) for name in _LEVEL_KEYS]
        start, stop, step = (float(end) if end is not None and _number(end) else math.nan for end in ends)
        if not (start <= stop and step > 0):
            problems.append(Problem(f"found {dict(levels)}, expected from <= to and step > 0", key="levels"))
            return ()
        if (stop - start) / step > MOST_LEVELS:
            problems.append(Problem(f"more than {MOST_LEVELS:,} noise levels", key="levels", hint="Take larger steps."))
            return ()
        # Decimal steps as written: 3 * 0.1 is 0.3, not 0.30000000000000004.
        found = [round(start + i * step, 12) for i in range(math.floor((stop - start) / step + 1e-9) + 1)]
    else:
        found = list(levels)
    bad = [level for level in found if not _number(level) or not 0 <= level <= 1]
    if bad:
        text = ", ".join(str(level) for level in bad[:5])
        problems.append(Problem(f"found {text}, expected probabilities from 0 to 1", key="levels"))
        return ()
    if not found:
        problems.append(Problem("no noise level", key="levels"))
    chosen = tuple(round(float(level), 12) for level in found)
    if len(set(chosen)) < len(chosen):
        problems.append(Problem("a noise level is named twice", key="levels"))
    return chosen


def _number(value: Any) -> bool:
    real = isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool)
    return real and math.isfinite(value)


def _whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
