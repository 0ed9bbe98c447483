"""The arguments of ``delta_tree`` and ``instability_test``: each of the right kind, and together a question. No data is read.

Every problem is told at once, with the argument's name, what was found and what was expected. The rules for options are those
of :mod:`reporter.stats.delta_options`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from reporter.api.arguments import A_TABLE, may_be_a_table
from reporter.errors import ConfigError, Problem
from reporter.stats.delta_options import (
    as_found,
    attribute_problem,
    combination_problems,
    name_problems,
    value_problems,
)


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns of the data play which part."""

    attribute: str
    models: tuple[str, ...]
    label: str | None
    split_on: tuple[str, ...]

    @property
    def all(self) -> tuple[str, ...]:
        """Every column that is needed, once."""
        label = () if self.label is None else (self.label,)
        return tuple(dict.fromkeys((self.attribute, *self.models, *label, *self.split_on)))


@dataclass(frozen=True, slots=True)
class Arguments:
    """Checked arguments: lists as tuples, numbers as Python's own. ``options`` are those of a ``TreeSpec``."""

    columns: Columns
    levels: tuple[Any, Any] | None
    ordered: dict[str, tuple[Any, ...]]
    numeric: tuple[str, ...]
    seed: int
    options: dict[str, Any]


def tree_arguments(
    data: Any,
    *,
    attribute: Any,
    levels: Any,
    models: Any,
    label: Any,
    split_on: Any,
    ordered: Any,
    numeric: Any,
    seed: Any,
    options: Mapping[str, Any],
) -> Arguments:
    """The arguments of ``delta_tree``, or a ``ConfigError`` with everything that is wrong with them."""
    problems: list[Problem] = []
    if not may_be_a_table(data):
        problems.append(Problem(f"found {as_found(data)}, expected {A_TABLE}", key="data"))
    names = {"attribute": attribute} if label is None else {"attribute": attribute, "label": label}
    for key, name in names.items():
        if not isinstance(name, str):
            problems.append(Problem(f"found {as_found(name)}, expected a column's name", key=key))
    compared = _columns("models", models, problems)
    covariates = _columns("split_on", split_on, problems)
    numbers = _columns("numeric", sorted(numeric, key=str) if isinstance(numeric, Set) else numeric, problems)
    orders = _orders(ordered, problems)
    pair = _pair(levels, problems)
    problems += value_problems({**options, "seed": seed})
    if compared is not None and covariates is not None:
        problems += name_problems(compared, covariates)
    problems += combination_problems(
        rate=options["rate"],
        test=options["test"],
        parameters=options["parameters"],
        ties=options["ties"],
        n_models=len(compared or (1, 2)),
        kinds=["numeric"] if numbers else [],
    )
    problems += _roles(attribute, compared or (), label, covariates or ())
    if isinstance(options["rate"], str) and options["rate"] in ("fpr", "fnr", "accuracy") and label is None:
        message = f"{options['rate']} needs the true labels"
        problems.append(Problem(message, key="label", hint="Name their column: label=..."))
    if covariates is not None:
        problems += _kinds(covariates, orders or {}, numbers or ())
    if problems or compared is None or covariates is None or numbers is None or orders is None:
        raise ConfigError(*problems)
    columns = Columns(attribute, compared, label, covariates)
    return Arguments(columns, pair, orders, numbers, int(seed), _plain(options))


@dataclass(frozen=True, slots=True)
class InstabilityArguments:
    """Checked arguments of ``instability_test``."""

    levels: tuple[Any, Any] | None
    seed: int
    options: dict[str, Any]


def instability_arguments(*, levels: Any, kind: Any, seed: Any, options: Mapping[str, Any]) -> InstabilityArguments:
    """The arguments of ``instability_test`` beside its vectors, or a ``ConfigError`` with everything that is wrong with them."""
    problems: list[Problem] = []
    pair = _pair(levels, problems)
    if not (isinstance(kind, str) and kind in ("categorical", "ordered", "numeric")):
        problems.append(Problem(f"found {as_found(kind)}, expected categorical, ordered or numeric", key="kind"))
    problems += value_problems({**options, "seed": seed})
    problems += combination_problems(
        rate="referral",
        test=options["test"],
        parameters=options["parameters"],
        ties=options["ties"],
        n_models=2,
    )
    if problems:
        raise ConfigError(*problems)
    return InstabilityArguments(pair, int(seed), _plain(options))


def level_text(value: Any) -> str:
    """A value as a label: 1.0 is "1", whatever the type of its column.

    Examples
    --------
    >>> level_text(np.float64(1)), level_text("1.0")
    ('1', '1.0')
    """
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    """With numbers and truth values of numpy as Python's own."""
    return {key: value.item() if isinstance(value, np.generic) else value for key, value in options.items()}


def _columns(key: str, names: Any, problems: list[Problem]) -> tuple[str, ...] | None:
    """Names of columns in their order, None where they cannot be read."""
    if isinstance(names, str):
        problems.append(
            Problem(f"found the string {names!r}, expected a list of columns", key=key, hint=f"Write [{names!r}]")
        )
        return None
    if isinstance(names, bytes | Mapping | Set) or not isinstance(names, Iterable):
        problems.append(Problem(f"found {as_found(names)}, expected a list of columns", key=key))
        return None
    read = tuple(names)
    odd = [(place, name) for place, name in enumerate(read) if not isinstance(name, str)]
    problems += [
        Problem(f"found {as_found(name)}, expected a column's name", key=f"{key}[{place}]") for place, name in odd
    ]
    return None if odd else read


def _orders(ordered: Any, problems: list[Problem]) -> dict[str, tuple[Any, ...]] | None:
    if ordered is None:
        return {}
    if not isinstance(ordered, Mapping):
        hint = "For example {'stage': ['I', 'II', 'III']}"
        message = f"found {as_found(ordered)}, expected a mapping from a covariate to its levels in order"
        problems.append(Problem(message, key="ordered", hint=hint))
        return None
    orders = {}
    for name, levels in ordered.items():
        key = f"ordered[{name!r}]"
        if isinstance(levels, str | bytes | Mapping | Set) or not isinstance(levels, Iterable):
            problems.append(Problem(f"found {as_found(levels)}, expected its levels in order, a list", key=key))
            continue
        orders[name] = tuple(levels)
    return orders


def _pair(levels: Any, problems: list[Problem]) -> tuple[Any, Any] | None:
    if levels is None:
        return None
    unfit = isinstance(levels, str | bytes | Mapping | Set) or not isinstance(levels, Iterable)
    pair = () if unfit else tuple(levels)
    if len(pair) != 2:
        problems.append(Problem(f"found {as_found(levels)}, expected two levels (a1, a2)", key="levels"))
        return None
    if level_text(pair[0]) == level_text(pair[1]):
        problems.append(Problem(f"found {pair[0]!r} twice, expected two different levels", key="levels"))
    return pair


def _roles(attribute: Any, models: tuple[str, ...], label: Any, covariates: tuple[str, ...]) -> Iterator[Problem]:
    if not isinstance(attribute, str):
        return
    problem = attribute_problem(attribute, predictions=models, label=label if isinstance(label, str) else None)
    if problem is not None:
        yield problem
    if attribute in covariates:
        message = f"{attribute!r} is the attribute itself: within one of its levels Δ has nothing to compare"
        yield Problem(message, key="split_on", hint="Leave it out")


def _kinds(
    covariates: tuple[str, ...], ordered: Mapping[str, tuple[Any, ...]], numeric: tuple[str, ...]
) -> Iterator[Problem]:
    for key, names in (("ordered", ordered), ("numeric", numeric)):
        for name in dict.fromkeys(names):
            if name not in covariates:
                yield Problem(f"{name!r} is not in split_on", key=key)
    for name in dict.fromkeys(numeric):
        if name in ordered:
            yield Problem(f"{name!r} is named in ordered too", key="numeric")
