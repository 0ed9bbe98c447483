"""A noise study as a config asks for it: its predictor or stand-in, its variants, and the results for the report.

Knows the study's config and a bounded frame of rows; not where the rows come from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd

from reporter.data.noise_frames import FrameScorer, columns_of, groups_of, require_inputs
from reporter.data.predictors import load_predictor
from reporter.data.processes import processes
from reporter.errors import DataError, Problem
from reporter.results import NoiseResult
from reporter.stats.noise import NoiseRun, Progress, run_noise, run_noise_folds
from reporter.stats.noise_findings import noise_findings
from reporter.stats.noise_spec import Gaussian, NoiseSpec, noise_spec
from reporter.stats.noise_tiles import Groups
from reporter.stats.perturbation import Perturber
from reporter.stats.stand_in import LogisticStandIn

if TYPE_CHECKING:
    from reporter.config.schema import NoiseConfig

PREDICTORS = ("onnx", "skops", "mlflow", "callable", "http", "pickle")


def noise_results(
    study: NoiseConfig,
    rows: pd.DataFrame,
    *,
    groups: Any,
    label: Any = None,
    threshold: float = 0.5,
    rule: Literal[">=", ">"] = ">=",
    seed: int = 0,
    folder: Path | str = ".",
    sampled_from: int | None = None,
    grouping: str | None = None,
    progress: Progress | None = None,
) -> tuple[NoiseResult, ...]:
    """One :class:`NoiseResult` for each variant of a study.

    Parameters
    ----------
    study
        The ``noise`` part of a config.
    rows
        The (sampled) rows; its columns include the study's inputs.
    groups
        Each row's group: a vector of names, None for missing.
    label
        Each row's label, 0 or 1; needed for ``fit: logistic``, where rows without one are left out, which is noted.
    threshold, rule
        Of the model.
    seed
        Of the run.
    folder
        What relative paths of predictors start from.
    sampled_from
        How many rows the data has; default: as many as ``rows``.
    grouping
        The grouping's name; default: the study's group column.
    progress
        Called with the rows predicted so far and in all, over all variants.

    Returns
    -------
    tuple of NoiseResult
        Interrupted (Ctrl-C) after at least one finished repeat, the last one is ``partial`` and its notes name what is missing.

    Raises
    ------
    DataError
        The predictor or the rows do not fit.
    """
    require_inputs(rows, study.inputs)
    rows, groups, label, notes = _labelled(study, rows, groups, label)
    inputs = rows[list(study.inputs)]
    coded, _ = groups_of(groups)
    columns = columns_of(inputs)
    base = _spec(study, threshold=threshold, rule=rule, seed=seed)
    spread = processes(study.processes)
    description, run = _runner(study, inputs, columns, coded, label, base, Path(folder))
    specs = [base.restricted(variant) for variant in study.variants]
    found: list[NoiseResult] = []
    for position, spec in enumerate(specs):
        try:
            one = run(spec, _part_of(progress, position, len(specs)), spread)
        except KeyboardInterrupt:
            if not found:
                raise
            found[-1] = _stopped(found[-1], study.variants[position:])
            break
        result = _result(one, study, description, sampled_from or len(rows), grouping or study.group, seed)
        result = replace(result, notes=(*notes, *result.notes))
        found.append(result)
        if one.partial:
            found[-1] = _stopped(result, study.variants[position + 1 :])
            break
    return tuple(found)


def study_problems(study: NoiseConfig, rows: pd.DataFrame, *, groups: Any, label: Any = None) -> list[Problem]:
    """What of a study does not fit its rows: everything that can be told without the predictor. Parameters as above."""
    try:
        require_inputs(rows, study.inputs)
        rows, groups, label, _ = _labelled(study, rows, groups, label)
        columns = columns_of(rows[list(study.inputs)])
        spec = _spec(study)
    except DataError as error:
        return list(error.problems)
    problems: list[Problem] = []
    checks: list[Callable[[], Any]] = [lambda: groups_of(groups), lambda: Perturber(columns, spec)]
    if study.predictor.fit is not None:
        checks.append(lambda: LogisticStandIn(columns, label.to_numpy(), scale=_scaled(study, spec)))
        if study.folds > len(rows):
            problems.append(Problem(f"found {study.folds} folds for {len(rows)} rows with a label", key="folds"))
    for check in checks:
        try:
            check()
        except DataError as error:
            problems += error.problems
    return problems


def _labelled(
    study: NoiseConfig, rows: pd.DataFrame, groups: Any, label: Any
) -> tuple[pd.DataFrame, Any, Any, tuple[str, ...]]:
    """The rows that the study works on: a stand-in is fitted to those with a label."""
    groups = pd.Series(groups).reset_index(drop=True)
    if study.predictor.fit is None:
        return rows, groups, label, ()
    label = pd.Series([None] * len(rows) if label is None else label).reset_index(drop=True)
    known = label.notna().to_numpy()
    if known.all():
        return rows, groups, label, ()
    return rows[known], groups[known], label[known], (f"{int((~known).sum())} rows without a label are left out",)


def _spec(study: NoiseConfig, *, threshold: float = 0.5, rule: Literal[">=", ">"] = ">=", seed: int = 0) -> NoiseSpec:
    return noise_spec(
        _plain(study),
        levels=_levels(study),
        repeats=study.repeats,
        one_hot=study.one_hot,
        threshold=threshold,
        rule=rule,
        by_group=study.draws == "per_group",
        exact_proportion=study.exact_proportion,
        seed=seed,
    )


def _scaled(study: NoiseConfig, spec: NoiseSpec) -> list[str]:
    return list(study.scale) or [name for name, how in spec.perturb.items() if isinstance(how, Gaussian)]


def _runner(
    study: NoiseConfig,
    inputs: pd.DataFrame,
    columns: dict[str, Any],
    groups: Groups,
    label: Any,
    base: NoiseSpec,
    folder: Path,
) -> tuple[str, Any]:
    """What predicts, in words, and the function that runs the study of one variant."""
    if study.predictor.fit is not None:
        fit = LogisticStandIn(columns, label.to_numpy(), scale=_scaled(study, base))
        description = f"logistic stand-in, fitted in {study.folds} folds"
        return description, lambda spec, progress, spread: run_noise_folds(
            fit, columns, groups, spec, folds=study.folds, progress=progress, spread=spread
        )
    kind = next(kind for kind in PREDICTORS if getattr(study.predictor, kind) is not None)
    predictor = load_predictor(
        kind,
        getattr(study.predictor, kind),
        inputs=study.inputs,
        folder=folder,
        allow_pickle=study.predictor.allow_pickle,
        trusted=study.predictor.trusted,
    )
    scorer = FrameScorer(predictor, inputs)
    return predictor.description, lambda spec, progress, spread: run_noise(
        scorer, columns, groups, spec, progress=progress, spread=spread
    )


def _plain(study: NoiseConfig) -> dict[str, Any]:
    """The perturbations as in YAML."""
    return {
        name: how if isinstance(how, str) else how.model_dump(exclude_none=True, exclude_defaults=True) | _sd(how.sd)
        for name, how in study.perturb.items()
    }


def _sd(sd: float | None) -> dict[str, float]:
    return {} if sd is None else {"sd": sd}


def _levels(study: NoiseConfig) -> Sequence[float] | dict[str, float]:
    if isinstance(study.levels, tuple):
        return study.levels
    return {"from": study.levels.from_, "to": study.levels.to, "step": study.levels.step}


def _result(
    run: NoiseRun, study: NoiseConfig, predictor: str, sampled_from: int, grouping: str, seed: int
) -> NoiseResult:
    return NoiseResult(
        model=study.model,
        predictor=predictor,
        grouping=grouping,
        groups=run.groups,
        group_sizes=run.group_sizes,
        inputs=tuple(study.inputs),
        perturb={name: how for name, how in _plain(study).items() if name in run.spec.perturb},
        variant=run.spec.variant,
        repeats=run.repeats,
        seed=seed,
        n=run.n,
        sampled_from=sampled_from,
        points=run.points,
        partial=run.partial,
        notes=run.notes,
        findings=noise_findings(run.points, run.replicates),
        one_hot=run.spec.one_hot,
    )


def _stopped(result: NoiseResult, missing: Sequence[str]) -> NoiseResult:
    note = (f"stopped before the variants {', '.join(missing)}",) if missing else ()
    return replace(result, partial=True, notes=(*result.notes, *note))


def _part_of(progress: Progress | None, position: int, parts: int) -> Progress | None:
    """The progress of one variant as a part of that of all."""
    if progress is None:
        return None
    return lambda done, every: progress(position * every + done, parts * every)
