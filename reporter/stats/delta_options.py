"""What the options of a Δ tree may be, each by itself and together: everything that can be said before any data is read.

The question (:class:`~reporter.stats.delta_spec.TreeSpec`), the Python API and the check of a config share these rules.
Knows neither levels nor covariates beyond the kinds that are asked for.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np

from reporter.errors import Problem

RateName = Literal["referral", "fpr", "fnr", "accuracy", "score"]
RATES: tuple[RateName, ...] = ("referral", "fpr", "fnr", "accuracy", "score")

_CHOICES: dict[str, tuple[str, ...]] = {
    "test": ("wald", "score", "permutation"),
    "parameters": ("delta", "all"),
    "adjust": ("bonferroni", "none"),
    "ties": ("groups", "rows"),
    "contrast": ("difference", "spread"),
}
_OPPOSITE = {"tpr": "fnr", "sensitivity": "fnr", "tnr": "fpr", "specificity": "fpr"}
_REFERRAL = ("referral_rate", "selection_rate", "acceptance_rate")


def value_problems(options: Mapping[str, Any]) -> list[Problem]:
    """Each option by itself: the choices among words and the bounds of numbers; the key of a problem is the option's name.

    Numbers may be those of numpy. A truth value is no number, and a number with a fraction no number of rows.

    Examples
    --------
    >>> for problem in value_problems({"rate": "tpr", "min_size": 1.5, "alpha": 0.1}):
    ...     print(problem)
    rate: found 'tpr', expected one of referral, fpr, fnr, accuracy, score. Use fnr, whose Δ has the opposite sign
    min_size: found 1.5, expected a whole number of rows, at least 1
    """
    problems = []
    for key, found in options.items():
        if key == "rate":
            problem = rate_problem(found)
            problems += [problem] if problem else []
        elif key in _CHOICES:
            if not (isinstance(found, str) and found in _CHOICES[key]):
                problems.append(
                    Problem(f"found {as_found(found)}, expected one of {', '.join(_CHOICES[key])}", key=key)
                )
        elif key in _BOUNDS:
            fine, expected = _BOUNDS[key]
            if not fine(found):
                problems.append(Problem(f"found {as_found(found)}, expected {expected}", key=key))
    return problems


def rate_problem(rate: Any) -> Problem | None:
    """Why this cannot be the rate of a Δ tree, None where it can.

    Examples
    --------
    >>> print(rate_problem("ppv"))
    rate: found 'ppv', expected one of referral, fpr, fnr, accuracy, score: it conditions on the prediction, so the two models have no common rows
    """
    if not isinstance(rate, str):
        return Problem(f"found {as_found(rate)}, expected one of {', '.join(RATES)}", key="rate")
    if rate in RATES:
        return None
    reason = hint = ""
    if rate in ("ppv", "npv", "fdr", "for"):
        reason = ": it conditions on the prediction, so the two models have no common rows"
    elif rate in _OPPOSITE:
        hint = f"Use {_OPPOSITE[rate]}, whose Δ has the opposite sign"
    elif rate in _REFERRAL:
        hint = "Use referral"
    elif near := difflib.get_close_matches(rate, RATES, n=1):
        hint = f"Did you mean {near[0]!r}?"
    else:
        reason = ": it is not a mean over rows that both models share"
    return Problem(f"found {rate!r}, expected one of {', '.join(RATES)}{reason}", key="rate", hint=hint)


def name_problems(models: Sequence[str], covariates: Sequence[str]) -> list[Problem]:
    """One or two different models, and covariates that are named once."""
    problems = []
    if len(models) not in (1, 2):
        problems.append(Problem(f"found {len(models)} models, expected one or two", key="models"))
    elif len(set(models)) < len(models):
        message = f"{models[0]!r} is named twice: Δ would be 0 everywhere"
        problems.append(Problem(message, key="models", hint="Name two models, or one"))
    if not covariates:
        problems.append(Problem("there is no covariate to split on", key="split_on"))
    problems += [
        Problem(f"the covariate {name!r} is named twice", key="split_on", hint="Keep one of them")
        for name in dict.fromkeys(covariates)
        if covariates.count(name) > 1
    ]
    return problems


def attribute_problem(attribute: str, *, predictions: Collection[str], label: str | None) -> Problem | None:
    """Why this column cannot be the attribute; ``predictions`` are the columns of the compared models."""
    if attribute in predictions:
        message = (
            f"{attribute!r} holds what a compared model says: a disparity lies between groups, not between answers"
        )
    elif attribute == label:
        message = f"{attribute!r} is the label: a disparity lies between groups, not between outcomes"
    else:
        return None
    return Problem(message, key="attribute", hint="Name the column of the groups")


def combination_problems(
    *,
    rate: Any,
    test: Any,
    parameters: Any,
    contrast: Any = "difference",
    ties: Any = "groups",
    n_models: int,
    kinds: Collection[str] = (),
) -> list[Problem]:
    """Options that contradict each other. ``kinds``: those of the covariates, as far as they are known.

    Examples
    --------
    >>> for problem in combination_problems(rate="fpr", test="wald", parameters="all", n_models=2):
    ...     print(problem)
    parameters: all parameters can be tested by test: score only
    """
    problems = []
    if contrast == "spread" and (test != "wald" or rate == "score"):
        problems.append(Problem("spread needs 0/1 predictions and test: wald", key="pairs"))
    if rate == "score" and test in ("score", "permutation"):
        message = f"{test} needs 0/1 predictions; differences of scores have test: wald only"
        problems.append(Problem(message, key="test"))
    if ties == "rows" and test != "score":
        message = "the order of rows matters to test: score only"
        problems.append(Problem(message, key="ties", hint="Leave ties at groups"))
    if parameters == "all" and test != "score":
        problems.append(Problem("all parameters can be tested by test: score only", key="parameters"))
    if parameters == "all" and test == "score" and n_models == 1 and "numeric" in kinds:
        message = "no published table covers the two parameters of one model and a numeric covariate"
        hint = "Use parameters: delta, or declare the covariate ordered"
        problems.append(Problem(message, key="parameters", hint=hint))
    return problems


def is_whole(value: Any) -> bool:
    """A whole number of Python or numpy; a truth value is none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """A finite number of Python or numpy; a truth value is none."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    return isinstance(value, Integral) or math.isfinite(value)


_BOUNDS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "alpha": (lambda v: is_number(v) and 0 < v < 1, "a number between 0 and 1"),
    "min_size": (lambda v: is_whole(v) and v >= 1, "a whole number of rows, at least 1"),
    "max_depth": (lambda v: v is None or (is_whole(v) and v >= 0), "a whole number of splits, at least 0, or None"),
    "min_difference": (lambda v: is_number(v) and v >= 0, "a number, at least 0"),
    "honest": (lambda v: isinstance(v, bool | np.bool_), "True or False"),
    "trim": (lambda v: is_number(v) and 0 < v < 0.5, "a share between 0 and 0.5"),
    "confidence": (lambda v: is_number(v) and 0 < v < 1, "a number between 0 and 1"),
    "permutations": (lambda v: is_whole(v) and v >= 99, "a whole number, at least 99"),
    "seed": (lambda v: is_whole(v) and v >= 0, "a whole number, at least 0"),
}


def as_found(value: Any) -> str:
    """A value as it is written in Python, numpy's numbers without their type; of what is long only the kind.

    Examples
    --------
    >>> as_found(np.float64(0.5)), as_found("yes"), as_found(list(range(100)))
    ('0.5', "'yes'", 'a list')
    """
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or isinstance(plain, str | bool | Real | complex | list | tuple | set | frozenset):
        written = repr(plain)
        if len(written) <= 60:
            return written
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
