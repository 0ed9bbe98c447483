"""The question that a Δ tree answers: which rate, which levels, which test, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal

from reporter.errors import ConfigError, Problem
from reporter.stats.delta_counts import Covariate
from reporter.stats.delta_options import combination_problems, name_problems, value_problems
from reporter.stats.score_split import MAX_UNORDERED_LEVELS


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
        problems = [
            *value_problems({field.name: getattr(self, field.name) for field in fields(self)}),
            *name_problems(self.models, [covariate.name for covariate in self.covariates]),
            *_levels(self),
            *combination_problems(
                rate=self.rate,
                test=self.test,
                parameters=self.parameters,
                contrast=self.contrast,
                ties=self.ties,
                n_models=len(self.models),
                kinds={covariate.kind for covariate in self.covariates},
            ),
            *_searches(self),
        ]
        if problems:
            raise ConfigError(*problems)

    @property
    def attribute_codes(self) -> tuple[tuple[int, ...], ...]:
        """For each level the attribute codes of the counter."""
        return self.groups if self.groups is not None else tuple((code,) for code in range(len(self.levels)))


def _levels(spec: TreeSpec) -> list[Problem]:
    problems = []
    if len(set(spec.levels)) < len(spec.levels):
        problems.append(Problem(f"a level is named twice: {', '.join(spec.levels)}", key="levels"))
    if len(spec.levels) < 2 or (spec.contrast == "difference" and len(spec.levels) != 2):
        expected = "at least two" if spec.contrast == "spread" else "two"
        hint = "Use pairs for more than two levels" if len(spec.levels) > 2 else ""
        problems.append(Problem(f"found {len(spec.levels)} levels, expected {expected}", key="levels", hint=hint))
    return problems


def _searches(spec: TreeSpec) -> list[Problem]:
    """Covariates whose partitions are too many to search."""
    return [
        Problem(
            f"{covariate.name!r} has {covariate.n_levels} unordered levels; test: score searches all "
            f"partitions of at most {MAX_UNORDERED_LEVELS}",
            key="split_on",
            hint="Use test: wald, give the levels an order, or join some of them",
        )
        for covariate in spec.covariates
        if spec.test == "score" and covariate.kind == "categorical" and covariate.n_levels > MAX_UNORDERED_LEVELS
    ]
