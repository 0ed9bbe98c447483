"""Δ subgroup trees and their tests from Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
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
        ordered categorical is ordered, a number column numeric, everything else categorical. A compared model's own column may
        be one of them (where in the old model's scores do the gaps change?), the attribute may not.
    test: ``wald`` tests whether Δ differs over a covariate's levels. ``score`` is the published statistic (``parameters``:
        ``delta`` or ``all`` four), kept for comparison. ``permutation`` is for small nodes.
    max_depth: the most splits on a path. ``min_difference``: siblings whose Δ differ by less are joined again.
    honest: split on a random half of the rows, estimate on the other. ``seed`` draws the halves and the permutations.
    ties: ``rows`` takes tied values of a numeric covariate in the order of rows (``test="score"`` only).

    Raises
    ------
    ConfigError: an argument is wrong or does not fit the others. DataError: the data does not fit the arguments. Both list
        every problem that was found.

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
    import numpy as np

    from reporter.api.tree_arguments import tree_arguments
    from reporter.api.tree_data import tree_data
    from reporter.stats.delta_spec import TreeSpec
    from reporter.stats.delta_tree import grow

    # wrong arguments are told before any data is read
    given = tree_arguments(
        data,
        attribute=attribute,
        levels=levels,
        models=models,
        label=label,
        split_on=split_on,
        ordered=ordered,
        numeric=numeric,
        seed=seed,
        options={
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
        },
    )
    found = tree_data(
        data,
        given.columns,
        levels=given.levels,
        positive=positive,
        ordered=given.ordered,
        numeric=given.numeric,
        scored=rate == "score",
        keep_order=ties == "rows",
    )
    spec = TreeSpec(levels=found.levels, models=given.columns.models, covariates=found.covariates, **given.options)
    tree = grow(found.cube, spec, np.random.default_rng(given.seed)).tree
    notes = found.notes
    unlabelled = int(found.cube.n[found.cube.label == 2].sum())
    if unlabelled and rate in ("fpr", "fnr", "accuracy"):
        notes = (*notes, f"{unlabelled} rows without a label are left out")
    return replace(tree, notes=(*notes, *tree.notes))


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
    covariate, attribute, m1, m2: vectors of equal length (lists, arrays, Series, iterators); ``attribute`` has two values, ``m1`` and ``m2`` are 0 or 1.
    levels: (a1, a2), by default the two values, sorted.
    kind: ``ordered`` takes the order of a pandas ordered categorical, else that of the sorted values.
    min_size: for ``ordered`` and ``numeric``, the rows on both sides of a cut. ``trim``: for ``test="score"`` of a numeric
        covariate, the share of rows on both sides.
    ties: ``rows`` looks at cuts inside tied values too, in the order of rows (``test="score"`` only).
    seed: for ``test="permutation"``.

    A missing covariate value is a level of its own for ``categorical`` in the Wald test; else those rows are left out.

    Raises
    ------
    ConfigError: an argument is wrong. DataError: values that do not fit. InputError (a ValueError): unequal lengths, no rows,
        missing values, something that is no vector.

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

    from reporter.api.tree_arguments import Columns, instability_arguments
    from reporter.api.tree_data import tree_data
    from reporter.api.tree_vectors import as_categories, order_of, vectors_frame
    from reporter.stats.delta_spec import TreeSpec
    from reporter.stats.delta_tree import covariate_test

    given = instability_arguments(
        levels=levels,
        kind=kind,
        seed=seed,
        options={"test": test, "parameters": parameters, "min_size": min_size, "trim": trim, "ties": ties},
    )
    frame = vectors_frame(covariate, attribute, m1, m2)
    values = frame["covariate"]
    if kind == "categorical":
        frame["covariate"] = as_categories(values)
    found = tree_data(
        frame,
        Columns("attribute", ("m1", "m2"), None, ("covariate",)),
        levels=given.levels,
        positive=1,
        ordered={"covariate": order_of(values)} if kind == "ordered" else {},
        numeric=["covariate"] if kind == "numeric" else [],
        scored=False,
        keep_order=ties == "rows",
    )
    spec = TreeSpec(levels=found.levels, models=("m1", "m2"), covariates=found.covariates, **given.options)
    return covariate_test(found.cube, spec, np.random.default_rng(given.seed))
