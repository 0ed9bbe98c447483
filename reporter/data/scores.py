"""How many rows of each group and label have each score: what AUC, calibration and score densities follow from.

For each model with scores and each grouping (``scores/<model>/`` is that of all rows where there is no grouping):

- ``scores/<model index>/<grouping>``: level, label, score -> n, while the model has at most 200,000 distinct scores;
- beyond that ``moments/...``, ``rest/...`` and ``grid/...`` (``data/score_moments.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data import expressions
from reporter.data.scan import Margin

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.checks import Plan
    from reporter.data.source import Source

Ints = NDArray[np.int64]

MOST_SCORES = 200_000


def count_scores(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], made: Plan, source: Source, loaded: LoadedConfig
) -> None:
    """Add the score tables of every model to ``tables``, and to ``facts["models"]`` how many distinct scores it has."""
    for index, model in enumerate(loaded.config.models):
        if model.score is None:
            continue
        score = made.numbers[f"m{index}"]
        exact = not too_many(source, score)
        facts["models"][index]["exact_scores"] = exact
        if exact:
            _count_exact(tables, made, source, index, score)
        else:
            from reporter.data.score_moments import count_moments

            count_moments(tables, made, source, index, score, rest=_compares_scores(loaded))


def _compares_scores(loaded: LoadedConfig) -> bool:
    """Whether a rule holds a metric of scores against other groups."""
    from reporter.stats.metrics import METRICS, canonical_name

    return any(METRICS[canonical_name(rule.metric)].needs_score for rule in loaded.config.flags.rules)


def score_of(column: str, missing: tuple[str, ...], sql_name: str) -> Callable[[Any], Any]:
    """The finite scores of a column as float64, null elsewhere."""

    def score(table: Any) -> Any:
        import ibis

        value = expressions.number(table, column, missing, sql_name=sql_name)
        # Adding 0.0 makes -0.0 equal to 0.0 on every engine.
        return ibis.ifelse(expressions.finite(value), value + 0.0, ibis.null("float64"))

    return score


def too_many(source: Source, score: Callable[[Any], Any]) -> bool:
    """Whether a model has more than 200,000 distinct scores, exactly; an estimate settles it where it is far away."""
    if source.n <= MOST_SCORES:
        return False
    values = source.table.select(score=score(source.table))
    estimate = source.fetch_number(values["score"].approx_nunique())
    if not MOST_SCORES / 2 <= estimate <= MOST_SCORES * 2:
        return estimate > MOST_SCORES
    return source.fetch_number(values["score"].nunique()) > MOST_SCORES


def _count_exact(
    tables: dict[str, pd.DataFrame], made: Plan, source: Source, index: int, score: Callable[[Any], Any]
) -> None:
    assert made.scan is not None
    outcome = () if made.label is None else ("label",)
    for spec in made.specs or (None,):
        names = (*(() if spec is None else made.names[spec.name]), *outcome)
        margin, (scores,) = number_margin(source, made, names, {f"m{index}": score})
        level = np.zeros(len(margin.n), np.int64) if spec is None else made.levels[spec.name].of(margin)
        tables[f"scores/{index}/{'' if spec is None else spec.name}"] = _score_table(made, margin, level, scores)


def number_margin(
    source: Source, made: Plan, names: tuple[str, ...], numbers: Mapping[str, Callable[[Any], Any]]
) -> tuple[Margin, list[NDArray[np.float64]]]:
    """Counts over scan columns and numbers (by their sides), rows that lack one left out; not yet added up.

    A small table is read once, with all groups and scores, which answers every such question.
    """
    assert made.scan is not None
    shared = _shared(source, made)
    if shared is not None and set(numbers) <= set(shared.numbers):
        values = [shared.numbers[side] for side in numbers]
        keep = np.logical_and.reduce([~np.isnan(value) for value in values])
        codes = [shared.margin.column(name)[keep] for name in names]
        stacked = np.stack(codes, axis=1) if codes else np.zeros((int(keep.sum()), 0), np.int64)
        return Margin(names, stacked, shared.margin.n[keep]), [value[keep] for value in values]
    found = _cells(source, made, names, numbers, complete=True)
    return found.margin, list(found.numbers.values())


@dataclass(frozen=True)
class _Cells:
    """Counts by scan columns and numbers (NaN where missing)."""

    margin: Margin
    numbers: dict[str, NDArray[np.float64]]


def _shared(source: Source, made: Plan) -> _Cells | None:
    if source.n > MOST_SCORES:
        return None
    if "shared scores" not in source.memo:
        names = [*dict.fromkeys(name for spec in made.specs for name in made.names[spec.name])]
        names += [] if made.label is None else ["label"]
        source.memo["shared scores"] = _cells(source, made, tuple(names), made.numbers, complete=False)
    found: _Cells = source.memo["shared scores"]
    return found


def _cells(
    source: Source,
    made: Plan,
    names: tuple[str, ...],
    numbers: Mapping[str, Callable[[Any], Any]],
    *,
    complete: bool,
) -> _Cells:
    assert made.scan is not None
    table = source.table
    keys = [f"number {side}" for side in numbers]
    values = {key: number(table) for key, number in zip(keys, numbers.values(), strict=True)}
    named = table.select(**made.scan.columns_of(table, names), **values)
    if complete:
        for key in keys:
            named = named.filter(named[key].notnull())
    answer = source.fetch(named.group_by([*names, *keys]).agg(n_rows=named.count()))
    n = answer["n_rows"].to_numpy().astype(np.int64)
    codes = [made.scan.encode(name, answer[name]) for name in names]
    stacked = np.stack(codes, axis=1) if codes else np.zeros((len(n), 0), np.int64)
    found = {
        side: np.asarray(answer[key].to_numpy(zero_copy_only=False), np.float64)
        for side, key in zip(numbers, keys, strict=True)
    }
    return _Cells(Margin(names, stacked, n), found)


def _score_table(made: Plan, margin: Margin, level: Ints, scores: NDArray[np.float64]) -> pd.DataFrame:
    label = np.full(len(margin.n), -1) if made.label is None else made.label[margin.column("label")]
    order = np.lexsort((label, scores, level))
    level, label, scores, n = level[order], label[order], scores[order] + 0.0, margin.n[order]
    if len(n):
        new = np.concatenate(
            ([True], (level[1:] != level[:-1]) | (label[1:] != label[:-1]) | (scores[1:] != scores[:-1]))
        )
        first = np.flatnonzero(new)
        level, label, scores, n = level[first], label[first], scores[first], np.add.reduceat(n, first)
    return pd.DataFrame(
        {"level": level.astype(np.int32), "label": label.astype(np.int8), "score": scores, "n": n.astype(np.int64)}
    )
