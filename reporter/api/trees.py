"""Δ subgroup trees and their tests from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from reporter.errors import ConfigError, Problem

if TYPE_CHECKING:
    from reporter.stats.delta_spec import TreeSpec
    from reporter.stats.instability import Test
    from reporter.tree import Tree


def delta_tree(
    data: Any,
    *,
    attribute: str,
    levels: Sequence[Any] | None = None,
    models: Sequence[str],
    rate: Literal["referral", "fpr", "fnr", "accuracy", "score"] = "referral",
    label: str | None = None,
    positive: Any = 1,
    split_on: Sequence[str],
    ordered: Mapping[str, Sequence[Any]] | None = None,
    numeric: Sequence[str] = (),
    test: Literal["wald", "score", "permutation"] = "wald",
    parameters: Literal["delta", "all"] = "delta",
    alpha: float = 0.05,
    adjust: Literal["bonferroni", "none"] = "bonferroni",
    min_size: int = 50,
    max_depth: int | None = None,
    min_difference: float = 0.0,
    honest: bool = False,
    ties: Literal["groups", "rows"] = "groups",
    seed: int = 0,
) -> Tree:
    """The tree of subgroups in which the disparities of two models differ.

    Δ = (rate of m2 at a2 - at a1) - (rate of m1 at a2 - at a1). With one model, Δ is that model's own disparity.

    Parameters
    ----------
    data: a pandas or Arrow frame, an Ibis table, or a path to a CSV, Parquet or JSON file.
    attribute, levels: the column whose two levels (a1, a2) are held against each other; by default its two values, sorted.
    models: one or two columns of 0/1 predictions (of scores for ``rate="score"``).
    rate: ``referral`` (predicted 1), ``fpr``, ``fnr``, ``accuracy`` or ``score`` (mean score). Node sizes and ``min_size``
        count rows in the rate's condition.
    label, positive: the column of true labels and its value that counts as 1; needed for fpr, fnr and accuracy.
    split_on, ordered, numeric: the covariates; the order of levels of ordered ones; those to read as numbers. A pandas
        ordered categorical is ordered, a number column numeric, everything else categorical.
    test: ``wald`` tests whether Δ differs over a covariate's levels. ``score`` is the published statistic (``parameters``:
        ``delta`` or ``all`` four), kept for comparison. ``permutation`` is for small nodes.
    max_depth: the most splits on a path. ``min_difference``: siblings whose Δ differ by less are joined again.
    honest: split on a random half of the rows, estimate on the other. ``seed`` draws the halves and the permutations.
    ties: ``rows`` takes tied values of a numeric covariate in the order of rows (``test="score"`` only).

    Raises
    ------
    ConfigError: an argument is wrong or does not fit the others. DataError: the data does not fit the arguments.

    Examples
    --------
    >>> import pandas as pd
    >>> rows = [("F", "a", 45, 5), ("F", "b", 45, 5), ("M", "a", 45, 5), ("M", "b", 20, 30)]
    >>> data = pd.DataFrame([(sex, race, 0, new) for sex, race, no, yes in rows for new in [0] * no + [1] * yes],
    ...                     columns=["sex", "race", "old", "new"])
    >>> tree = delta_tree(data, attribute="race", models=("old", "new"), split_on=["sex"], min_size=20)
    >>> tree.leaves()[["path", "n", "delta"]].values.tolist()
    [['sex = F', 100, 0.0], ['sex = M', 100, 0.5]]
    """
    _check(attribute, levels, models, rate, label, split_on, ordered or {}, numeric)
    import numpy as np

    from reporter.api.tree_data import Columns, tree_data
    from reporter.stats.delta_counts import Covariate
    from reporter.stats.delta_spec import TreeSpec
    from reporter.stats.delta_tree import grow

    columns = Columns(attribute, tuple(models), label, tuple(split_on))
    options: dict[str, Any] = {
        "models": columns.models,
        "rate": rate,
        "test": test,
        "parameters": parameters,
        "alpha": alpha,
        "adjust": adjust,
        "min_size": min_size,
        "max_depth": max_depth,
        "min_difference": min_difference,
        "honest": honest,
        "ties": ties,
    }
    # wrong arguments are told before any data is read
    TreeSpec(levels=("a1", "a2"), covariates=tuple(Covariate(name, "ordered") for name in split_on), **options)
    found = tree_data(
        data,
        columns,
        levels=levels,
        positive=positive,
        ordered=ordered or {},
        numeric=numeric,
        scored=rate == "score",
        keep_order=ties == "rows",
    )
    spec: TreeSpec = TreeSpec(levels=found.levels, covariates=found.covariates, **options)
    tree = grow(found.cube, spec, np.random.default_rng(seed)).tree
    notes = found.notes
    unlabelled = int(found.cube.n[found.cube.label == 2].sum())
    if unlabelled and rate in ("fpr", "fnr", "accuracy"):
        notes = (*notes, f"{unlabelled} rows without a label are left out")
    return replace(tree, notes=(*notes, *tree.notes))


def _check(
    attribute: str,
    levels: Sequence[Any] | None,
    models: Sequence[str],
    rate: str,
    label: str | None,
    split_on: Sequence[str],
    ordered: Mapping[str, Sequence[Any]],
    numeric: Sequence[str],
) -> None:
    problems = []
    for key, value in (("models", models), ("split_on", split_on), ("numeric", numeric)):
        if isinstance(value, str):
            problems.append(Problem(f"found the string {value!r}, expected a list of columns", key=key))
    if levels is not None and (isinstance(levels, str) or len(levels) != 2):
        problems.append(Problem(f"found {levels!r}, expected two levels (a1, a2)", key="levels"))
    elif levels is not None and str(levels[0]) == str(levels[1]):
        problems.append(Problem(f"found {levels[0]!r} twice, expected two different levels", key="levels"))
    if attribute in split_on:
        problems.append(
            Problem(
                f"{attribute!r} is the attribute itself: within one of its levels Δ has nothing to compare",
                key="split_on",
                hint="Leave it out",
            )
        )
    if rate in ("fpr", "fnr", "accuracy") and label is None:
        problems.append(Problem(f"{rate} needs the true labels", key="label", hint="Name their column: label=..."))
    for key, names in (("ordered", ordered), ("numeric", numeric)):
        for name in names:
            if name not in split_on:
                problems.append(Problem(f"{name!r} is not in split_on", key=key))
    for name in numeric:
        if name in ordered:
            problems.append(Problem(f"{name!r} is named in ordered too", key="numeric"))
    if problems:
        raise ConfigError(*problems)


def instability_test(
    covariate: Any,
    attribute: Any,
    m1: Any,
    m2: Any,
    *,
    levels: Sequence[Any] | None = None,
    test: Literal["wald", "score", "permutation"] = "wald",
    parameters: Literal["delta", "all"] = "delta",
    kind: Literal["categorical", "ordered", "numeric"] = "categorical",
    min_size: int = 50,
    trim: float = 0.1,
    ties: Literal["groups", "rows"] = "groups",
    seed: int = 0,
) -> Test:
    """Does Δ = mean(m2 - m1 | a2) - mean(m2 - m1 | a1) differ over the levels of a covariate?

    Parameters
    ----------
    covariate, attribute, m1, m2: vectors of equal length; ``attribute`` has two values, ``m1`` and ``m2`` are 0 or 1.
    levels: (a1, a2), by default the two values, sorted.
    kind: ``ordered`` takes the order of a pandas ordered categorical, else that of the sorted values.
    min_size: for ``ordered`` and ``numeric``, the rows on both sides of a cut. ``trim``: for ``test="score"`` of a numeric
        covariate, the share of rows on both sides.
    ties: ``rows`` looks at cuts inside tied values too, in the order of rows (``test="score"`` only).
    seed: for ``test="permutation"``.

    A missing covariate value is a level of its own for ``categorical`` in the Wald test; else those rows are left out.

    Raises
    ------
    ConfigError: an argument is wrong. DataError: values that do not fit. ValueError: unequal lengths, no rows.

    Examples
    --------
    >>> covariate = ["F"] * 100 + ["M"] * 100
    >>> attribute = (["a"] * 50 + ["b"] * 50) * 2
    >>> m2 = [0] * 45 + [1] * 5 + [0] * 45 + [1] * 5 + [0] * 45 + [1] * 5 + [0] * 20 + [1] * 30
    >>> result = instability_test(covariate, attribute, [0] * 200, m2)
    >>> result.df, bool(result.p < 0.001)
    (1.0, True)
    """
    import numpy as np
    import pandas as pd

    from reporter.api.tree_data import Columns, tree_data
    from reporter.stats.delta_spec import TreeSpec
    from reporter.stats.delta_tree import covariate_test

    if kind not in ("categorical", "ordered", "numeric"):
        raise ConfigError(Problem(f"found {kind!r}, expected categorical, ordered or numeric", key="kind"))
    vectors = {"covariate": covariate, "attribute": attribute, "m1": m1, "m2": m2}
    lengths = {name: len(vector) for name, vector in vectors.items()}
    if len(set(lengths.values())) != 1:
        raise ValueError(
            "the vectors have different lengths: " + ", ".join(f"{name} {size}" for name, size in lengths.items())
        )
    if not lengths["m1"]:
        raise ValueError("the vectors are empty")
    frame = pd.DataFrame({name: pd.Series(vector).reset_index(drop=True) for name, vector in vectors.items()})
    for name in ("attribute", "m1", "m2"):
        if frame[name].isna().any():
            raise ValueError(
                f"{name} has {int(frame[name].isna().sum())} missing values: leave these rows out of all vectors"
            )
    values = frame["covariate"]
    if kind == "categorical":
        known = values.notna()
        frame["covariate"] = values.astype(object).where(known, None)
        if known.any():
            frame.loc[known, "covariate"] = values[known].astype(str)
    order = None
    if kind == "ordered":
        categories = values.cat.categories if isinstance(values.dtype, pd.CategoricalDtype) else None
        order = list(categories) if categories is not None else sorted(values.dropna().unique())
    found = tree_data(
        frame,
        Columns("attribute", ("m1", "m2"), None, ("covariate",)),
        levels=levels,
        positive=1,
        ordered={"covariate": order} if order is not None else {},
        numeric=["covariate"] if kind == "numeric" else [],
        scored=False,
        keep_order=ties == "rows",
    )
    spec = TreeSpec(
        levels=found.levels,
        models=("m1", "m2"),
        covariates=found.covariates,
        test=test,
        parameters=parameters,
        min_size=min_size,
        trim=trim,
        ties=ties,
    )
    return covariate_test(found.cube, spec, np.random.default_rng(seed))
