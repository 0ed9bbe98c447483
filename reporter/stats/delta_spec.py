"""The question that a Δ tree answers: which rate, which levels, which test, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from reporter.errors import ConfigError, Problem
from reporter.stats.delta_counts import Covariate
from reporter.stats.score_split import MAX_UNORDERED_LEVELS

RateName = Literal["referral", "fpr", "fnr", "accuracy", "score"]
RATES: tuple[RateName, ...] = ("referral", "fpr", "fnr", "accuracy", "score")

_REFUSED = {
    **dict.fromkeys(
        ("ppv", "fdr", "npv", "for"),
        "it conditions on the prediction, so the two models have no common rows",
    ),
    "tpr": "it is 1 - fnr: use fnr, whose Δ has the opposite sign",
    "tnr": "it is 1 - fpr: use fpr, whose Δ has the opposite sign",
}


@dataclass(frozen=True, slots=True)
class TreeSpec:
    """What to grow.

    ``levels``: the attribute's labels (a1, a2), or all of them with ``contrast="spread"``. ``groups``: for each level
    the attribute codes of the counter that make it up (default: code i is level i); codes in none of them are left
    out. ``models``: one or two names. ``covariates``: what may be split on, in the order that breaks ties.
    ``trim`` is the share of rows at each end without a cut in the score test of a numeric covariate; ``max_depth``
    counts splits on a path. Every invalid value is a ``ConfigError`` that lists all problems.

    Examples
    --------
    >>> spec = TreeSpec(levels=("men", "women"), models=("old", "new"), rate="fpr",
    ...                 covariates=(Covariate("site", "categorical", ("A", "B")),))
    >>> spec.test, spec.min_size
    ('wald', 50)
    """

    levels: tuple[str, ...]
    models: tuple[str, ...]
    covariates: tuple[Covariate, ...]
    rate: str = "referral"
    groups: tuple[tuple[int, ...], ...] | None = None
    contrast: Literal["difference", "spread"] = "difference"
    test: str = "wald"
    parameters: str = "delta"
    alpha: float = 0.05
    adjust: str = "bonferroni"
    min_size: int = 50
    max_depth: int | None = None
    min_difference: float = 0.0
    honest: bool = False
    ties: str = "groups"
    trim: float = 0.1
    confidence: float = 0.95
    permutations: int = 9999

    def __post_init__(self) -> None:
        problems = [*_choices(self), *_numbers(self), *_combinations(self)]
        if problems:
            raise ConfigError(*problems)

    @property
    def attribute_codes(self) -> tuple[tuple[int, ...], ...]:
        """For each level the attribute codes of the counter."""
        return self.groups if self.groups is not None else tuple((code,) for code in range(len(self.levels)))


def _choices(spec: TreeSpec) -> list[Problem]:
    problems = []
    if spec.rate not in RATES:
        reason = _REFUSED.get(spec.rate, "it is not a mean over rows that both models share")
        problems.append(
            Problem(
                f"{spec.rate!r} cannot be the rate of a Δ tree: {reason}",
                key="rate",
                hint=f"Use one of {', '.join(RATES)}",
            )
        )
    allowed = {
        "test": ("wald", "score", "permutation"),
        "parameters": ("delta", "all"),
        "adjust": ("bonferroni", "none"),
        "ties": ("groups", "rows"),
        "contrast": ("difference", "spread"),
    }
    for key, values in allowed.items():
        found = getattr(spec, key)
        if found not in values:
            problems.append(Problem(f"found {found!r}, expected one of {', '.join(values)}", key=key))
    return problems


def _numbers(spec: TreeSpec) -> list[Problem]:
    checks = {
        "alpha": (0 < spec.alpha < 1, "a number between 0 and 1"),
        "min_size": (spec.min_size >= 1, "a number of rows, at least 1"),
        "max_depth": (spec.max_depth is None or spec.max_depth >= 0, "a number of splits, at least 0, or null"),
        "min_difference": (spec.min_difference >= 0, "a number, at least 0"),
        "trim": (0 < spec.trim < 0.5, "a share between 0 and 0.5"),
        "confidence": (0 < spec.confidence < 1, "a number between 0 and 1"),
        "permutations": (spec.permutations >= 99, "at least 99"),
    }
    return [
        Problem(f"found {getattr(spec, key)!r}, expected {expected}", key=key)
        for key, (fine, expected) in checks.items()
        if not fine
    ]


def _combinations(spec: TreeSpec) -> list[Problem]:
    problems = []

    def add(key: str, message: str, hint: str = "") -> None:
        problems.append(Problem(message, key=key, hint=hint))

    if len(spec.models) not in (1, 2):
        add("models", f"found {len(spec.models)} models, expected one or two")
    elif len(set(spec.models)) < len(spec.models):
        add("models", f"{spec.models[0]!r} is named twice: Δ would be 0 everywhere", "Name two models, or one")
    if len(set(spec.levels)) < len(spec.levels):
        add("levels", f"a level is named twice: {', '.join(spec.levels)}")
    if len(spec.levels) < 2 or (spec.contrast == "difference" and len(spec.levels) != 2):
        add(
            "levels",
            f"found {len(spec.levels)} levels, expected " + ("at least two" if spec.contrast == "spread" else "two"),
            "Use pairs for more than two levels" if len(spec.levels) > 2 else "",
        )
    if not spec.covariates:
        add("split_on", "there is no covariate to split on")
    names = [covariate.name for covariate in spec.covariates]
    for name in sorted({name for name in names if names.count(name) > 1}):
        add("split_on", f"the covariate {name!r} is named twice")
    if spec.contrast == "spread" and (spec.test != "wald" or spec.rate == "score"):
        add("pairs", "spread needs 0/1 predictions and test: wald")
    if spec.rate == "score" and spec.test != "wald":
        add("test", f"{spec.test} needs 0/1 predictions; differences of scores have test: wald only")
    if spec.ties == "rows" and spec.test != "score":
        add("ties", "the order of rows matters to test: score only", "Leave ties at groups")
    if spec.test == "score":
        if spec.parameters == "all" and len(spec.models) == 1 and any(c.kind == "numeric" for c in spec.covariates):
            add(
                "parameters",
                "no published table covers the two parameters of one model and a numeric covariate",
                "Use parameters: delta, or declare the covariate ordered",
            )
        for covariate in spec.covariates:
            if covariate.kind == "categorical" and covariate.n_levels > MAX_UNORDERED_LEVELS:
                add(
                    "split_on",
                    f"{covariate.name!r} has {covariate.n_levels} unordered levels; test: score searches all "
                    f"partitions of at most {MAX_UNORDERED_LEVELS}",
                    "Use test: wald, give the levels an order, or join some of them",
                )
    elif spec.parameters == "all":
        add("parameters", "all parameters can be tested by test: score only")
    return problems
