"""The noise study in Python: how reliable are a model's predictions, per group, when its inputs are rated with noise?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.api.arguments import vector
from reporter.data.noise_frames import FrameScorer, columns_of, groups_of, require_inputs
from reporter.data.processes import processes
from reporter.errors import InputError, Problem
from reporter.results import NoiseFindings, NoisePoint
from reporter.stats.delta_options import as_found, is_whole
from reporter.stats.noise import NoiseRun, Progress, run_noise, run_noise_folds
from reporter.stats.noise_findings import noise_findings
from reporter.stats.noise_spec import Gaussian, NoiseSpec, noise_spec
from reporter.stats.noise_tiles import Groups
from reporter.stats.stand_in import LogisticStandIn


@dataclass(frozen=True)
class NoiseStudy:
    """The result of a noise study.

    ``curves`` has one row for each group, noise level and statistic: the mean over the repeats and its Monte-Carlo standard
    error (NaN with fewer than two repeats, or where the statistic is undefined); ``repeats`` are those in which it is defined.
    ``findings`` say which statistic puts which group at a disadvantage, beyond chance in the noise and in who belongs to the groups.
    ``partial``: the study was interrupted, ``repeats`` are the finished ones. ``notes`` say
    what was undefined.
    """

    curves: pd.DataFrame
    findings: NoiseFindings
    points: tuple[NoisePoint, ...]
    groups: dict[Any, int]
    repeats: int
    n: int
    partial: bool
    notes: tuple[str, ...]

    def _repr_html_(self) -> str:
        html: str = self.curves.to_html(index=False)
        return html


def noise_study(
    predict: Callable[[pd.DataFrame], Any],
    inputs: pd.DataFrame,
    groups: Any,
    *,
    perturb: Mapping[str, Any],
    levels: Iterable[float] | Mapping[str, float],
    repeats: int = 1,
    one_hot: Iterable[Sequence[str]] = (),
    threshold: float = 0.5,
    by_group: bool = True,
    seed: int = 0,
    rule: str = ">=",
    exact_proportion: bool = False,
    progress: Progress | None = None,
    n_jobs: int = 1,
) -> NoiseStudy:
    """Perturb the inputs, predict again, and compare both predictions per group and noise level.

    Parameters
    ----------
    predict
        Takes a DataFrame with the columns of ``inputs`` and returns one score a row.
    inputs
        The model's inputs, n rows.
    groups
        Each row's group: a vector of length n, or the name of a column of ``inputs``.
    perturb
        Input -> ``{"sd": 5, "round": True, "min": 18, "max": None}`` (a normal draw with that standard deviation is added,
        rounded, and the result clipped), ``"flip"`` (the other of two values) or ``"replace"`` (another observed category).
    levels
        Probabilities that a value is perturbed, or ``{"from": 0, "to": 0.3, "step": 0.01}``.
    repeats
        Draws per level.
    one_hot
        Sets of columns that code one variable: a perturbed row moves its 1 to another column of the set.
    threshold, rule
        Scores >= (or >) the threshold predict 1.
    by_group
        Draw within each group, so that no group's result depends on another; else over all rows.
    seed
        Decides every draw; the result depends neither on batches nor on ``n_jobs``.
    exact_proportion
        Perturb exactly the level's share of values instead of each with that probability.
    progress
        Called with the rows predicted so far and in all.
    n_jobs
        Processes, through joblib and its backends.

    Returns
    -------
    NoiseStudy
        Statistics: kappa, pabak, prevalence_adjusted_kappa, bias_adjusted_kappa, icc_a1, bias_index, prevalence_index, and the
        mean_score and referral_rate of the perturbed rows.

    Raises
    ------
    InputError (a ValueError)
        The arguments or columns do not fit: every problem at once.
    DataError
        The predictor raises, or returns something other than n finite scores; an example row's index is named.

    Examples
    --------
    >>> inputs = pd.DataFrame({"x": [0.1, 0.4, 0.6, 0.9] * 25})
    >>> study = noise_study(lambda frame: frame["x"], inputs, ["a", "b"] * 50,
    ...                     perturb={"x": {"sd": 0.3}}, levels=[0, 0.2], repeats=5)
    >>> print(study.curves.head(2).to_string(index=False))
    group  noise statistic  mean  mc_error  repeats
        a    0.0     kappa   1.0       0.0        5
        a    0.0     pabak   1.0       0.0        5
    """
    problems: list[Problem] = []
    if not callable(predict):
        problems.append(_odd("predict", predict, "a function of a DataFrame"))
    spec = _spec(
        perturb,
        problems,
        levels=levels,
        repeats=repeats,
        one_hot=one_hot,
        threshold=threshold,
        rule=rule,
        by_group=by_group,
        exact_proportion=exact_proportion,
        seed=seed,
        progress=progress,
        n_jobs=n_jobs,
    )
    frame = _frame(inputs, "inputs")
    _check_columns(frame)
    coded, labels = _groups(groups, frame)
    run = run_noise(
        FrameScorer(predict, frame), columns_of(frame), coded, spec, progress=progress, spread=processes(n_jobs)
    )
    return _study(run, labels)


def noise_study_cv(
    data: pd.DataFrame,
    label: Any,
    inputs: Sequence[str],
    groups: Any,
    *,
    perturb: Mapping[str, Any],
    levels: Iterable[float] | Mapping[str, float],
    folds: int = 5,
    scale: Sequence[str] | None = None,
    repeats: int = 1,
    one_hot: Iterable[Sequence[str]] = (),
    threshold: float = 0.5,
    by_group: bool = True,
    seed: int = 0,
    rule: str = ">=",
    exact_proportion: bool = False,
    progress: Progress | None = None,
    n_jobs: int = 1,
) -> NoiseStudy:
    """The published design: a logistic stand-in is fitted in each of the folds and applied to the fold's original and perturbed rows.

    Statistics are computed per fold and group and averaged over the folds; one that is undefined in a fold is undefined in that repeat,
    which ``repeats`` of the curves and ``notes`` tell. Folds are drawn anew for each repeat. The model is a logistic regression with an
    L2 penalty (C = 1), solved to convergence.

    Parameters
    ----------
    data
        All rows.
    label
        A column's name or a vector: 0 and 1.
    inputs
        The model's inputs, columns of numbers without a missing value.
    groups
        A column's name or a vector.
    folds
        How many.
    scale
        Inputs that are standardised on the train part; default: those with normal draws.

    The other parameters, the result and the errors are those of :func:`noise_study`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> data = pd.DataFrame({"x": rng.normal(size=200), "g": ["a", "b"] * 100})
    >>> data["y"] = (data["x"] + rng.normal(size=200) > 0).astype(int)
    >>> study = noise_study_cv(data, "y", ["x"], "g", perturb={"x": {"sd": 1}}, levels=[0, 0.3], repeats=2)
    >>> study.repeats, study.curves["statistic"].nunique()
    (2, 9)
    """
    problems = [] if is_whole(folds) else [_odd("folds", folds, "a whole number, at least 2")]
    for key, names in (("inputs", inputs), ("scale", () if scale is None else scale)):
        if not _is_list(names):
            problems.append(_odd(key, names, "a list of columns"))
    spec = _spec(
        perturb,
        problems,
        levels=levels,
        repeats=repeats,
        one_hot=one_hot,
        threshold=threshold,
        rule=rule,
        by_group=by_group,
        exact_proportion=exact_proportion,
        seed=seed,
        progress=progress,
        n_jobs=n_jobs,
    )
    frame = _frame(data, "data")
    inputs = list(inputs)
    require_inputs(frame, [str(name) for name in inputs])
    coded, labels = _groups(groups, frame)
    columns = columns_of(frame[inputs])
    if scale is None:
        scale = [name for name, how in spec.perturb.items() if isinstance(how, Gaussian)]
    fit = LogisticStandIn(columns, _label(label, frame), scale=scale)
    run = run_noise_folds(fit, columns, coded, spec, folds=folds, progress=progress, spread=processes(n_jobs))
    return _study(run, labels)


def _spec(
    perturb: Any,
    problems: list[Problem],
    *,
    levels: Any,
    one_hot: Any,
    by_group: Any,
    exact_proportion: Any,
    progress: Any,
    n_jobs: Any,
    **options: Any,
) -> NoiseSpec:
    """The spec of these arguments, or everything that is wrong with them, ``problems`` first."""
    shapes = []
    if not isinstance(perturb, Mapping):
        shapes.append(_odd("perturb", perturb, "a mapping from an input to its change"))
    if not isinstance(levels, Mapping) and not _is_list(levels):
        shapes.append(_odd("levels", levels, "a list of probabilities, or a mapping with from, to and step"))
    sets = list(one_hot) if _is_list(one_hot) else None
    if sets is None or not all(_is_list(columns) for columns in sets):
        shapes.append(_odd("one_hot", one_hot, "a list of lists of columns"))
    for key, value in (("by_group", by_group), ("exact_proportion", exact_proportion)):
        if not isinstance(value, bool | np.bool_):
            problems.append(_odd(key, value, "True or False"))
    if progress is not None and not callable(progress):
        problems.append(_odd("progress", progress, "a function of two numbers"))
    if not is_whole(n_jobs) or n_jobs == 0:
        problems.append(_odd("n_jobs", n_jobs, "a whole number other than 0"))
    problems += shapes
    if shapes or sets is None:
        raise InputError(*problems)
    try:
        spec = noise_spec(
            perturb,
            levels=levels,
            one_hot=sets,
            by_group=bool(by_group),
            exact_proportion=bool(exact_proportion),
            **options,
        )
    except InputError as error:
        raise InputError(*problems, *error.problems) from None
    if problems:
        raise InputError(*problems)
    return spec


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)


def _odd(key: str, found: Any, expected: str) -> Problem:
    return Problem(f"found {as_found(found)}, expected {expected}", key=key)


def _frame(data: Any, name: str) -> pd.DataFrame:
    if isinstance(data, pd.DataFrame):
        return data
    try:
        if data is None:
            raise TypeError
        return pd.DataFrame(data.to_pandas() if hasattr(data, "to_pandas") else data)
    except (TypeError, ValueError):
        raise InputError(_odd(name, data, "a DataFrame")) from None


def _vector(values: Any, frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    if isinstance(values, str):
        if values not in frame.columns:
            raise InputError(Problem(f"the data has no column {values!r}", key=name))
        values = frame[values]
    if isinstance(values, pd.Series) and len(values) == len(frame) and not values.index.equals(frame.index):
        raise InputError(Problem("the row sets differ", key=name, hint="Align it on the rows first."))
    read = vector(name, values)
    if len(read) != len(frame):
        raise InputError(Problem(f"{len(read)} values for {len(frame)} rows", key=name))
    return read


def _check_columns(frame: pd.DataFrame) -> None:
    """All columns are inputs, so that each needs a name of its own."""
    names = [str(name) for name in frame.columns]
    problems = [
        Problem(f"found {names.count(name)} columns {name!r}, expected a different name for each", key="inputs")
        for name in dict.fromkeys(names)
        if names.count(name) > 1
    ]
    if problems:
        raise InputError(*problems)


def _label(values: Any, frame: pd.DataFrame) -> NDArray[np.float64]:
    """0.0, 1.0, or NaN for a missing label."""
    series = _vector(values, frame, "label")
    numbers = pd.to_numeric(series.astype(object), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    words = series[np.isnan(numbers) & series.notna().to_numpy()]
    if len(words):
        raise InputError(Problem(f"found {as_found(words.iloc[0])}, expected labels 0 and 1", key="label"))
    return numbers


def _groups(values: Any, frame: pd.DataFrame) -> tuple[Groups, tuple[Any, ...]]:
    if not len(frame):
        raise InputError(Problem("there are no rows", key="inputs"))
    return groups_of(_vector(values, frame, "groups"))


def _study(run: NoiseRun, labels: tuple[Any, ...]) -> NoiseStudy:
    given = dict(zip(run.groups, labels, strict=True))
    rows = [(given[p.group], p.noise, p.statistic, p.mean, p.mc_error, p.repeats) for p in run.points]
    curves = pd.DataFrame(rows, columns=["group", "noise", "statistic", "mean", "mc_error", "repeats"])
    curves = curves.astype({"mean": np.float64, "mc_error": np.float64})
    return NoiseStudy(
        curves=curves,
        findings=noise_findings(run.points, run.replicates),
        points=run.points,
        groups=dict(zip(labels, run.group_sizes, strict=True)),
        repeats=run.repeats,
        n=run.n,
        partial=run.partial,
        notes=run.notes,
    )
