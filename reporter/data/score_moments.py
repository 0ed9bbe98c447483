"""AUC, Brier score and mean score of a model with very many distinct scores: exact sums, and a grid for curves.

For each grouping, by level:

- ``moments/<model index>/<grouping>``: the sums of :class:`reporter.stats.scores.ScoreMoments`; ``moments/<model index>/`` those of all rows
- ``rest/<model index>/<grouping>``: those of everyone who is not in the level, where a rule compares a metric of scores
- ``grid/<model index>/<grouping>``: level, label, bin -> n, with the bin's ends and the total of its scores (``grid/<model index>/`` without groupings)

The engine sorts the scores once for all groupings; ranks are cumulative counts over its batches. All sums are of whole numbers, hence the same on every
engine. Bin i of the grid holds the distinct scores up to which (i, i + 1] thousandths of all rows have been counted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.placements import Everyone, LevelSums
from reporter.data.score_stream import sorted_scores

if TYPE_CHECKING:
    from reporter.data.checks import Plan
    from reporter.data.groupings import GroupingSpec
    from reporter.data.source import Source

Ints = NDArray[np.int64]

GRID_BINS = 1_000


def count_moments(
    tables: dict[str, pd.DataFrame], made: Plan, source: Source, index: int, score: Callable[[Any], Any], *, rest: bool
) -> None:
    """Add the moments and grids of one model to ``tables``; with ``rest`` those of everyone outside each level."""
    values = source.table.select(score=score(source.table))
    ends = source.fetch(
        values.agg(n_rows=values["score"].count(), low=values["score"].min(), high=values["score"].max())
    )
    n, low, high = (ends[name][0].as_py() for name in ("n_rows", "low", "high"))
    everyone = Everyone(n=n, n1=int(_labelled(made, index, None).sum()), low=low, high=high, n_bins=GRID_BINS)
    overall = LevelSums(everyone, _labelled(made, index, None), rest=False)
    sums = {spec.name: LevelSums(everyone, _labelled(made, index, spec), rest=rest) for spec in made.specs}
    for batch in sorted_scores(source, made, score):
        shared = everyone.take(batch.score, batch.label)
        overall.add(shared, np.zeros(len(batch), np.int64))
        for name, levels in batch.levels.items():
            sums[name].add(shared, levels)
    tables[f"moments/{index}/"] = overall.moments()
    if not made.specs:
        tables[f"grid/{index}/"] = overall.grid()
    for name, found in sums.items():
        tables[f"moments/{index}/{name}"] = found.moments()
        if rest:
            tables[f"rest/{index}/{name}"] = found.rest(tables[f"moments/{index}/"])
        tables[f"grid/{index}/{name}"] = found.grid()


def _labelled(made: Plan, index: int, spec: GroupingSpec | None) -> Ints:
    """How many rows of each level are labelled 1 and have a score of this model."""
    assert made.scan is not None
    if made.label is None:
        return np.zeros(1 if spec is None else len(made.levels[spec.name].levels), np.int64)
    names = () if spec is None else made.names[spec.name]
    margin = made.scan.margin((*names, "label", f"model {index}"))
    chosen = (made.label[margin.column("label")] == 1) & (made.models[index][margin.column(f"model {index}")] >= 0)
    if spec is None:
        return np.array([margin.n[chosen].sum()], np.int64)
    n = np.zeros(len(made.levels[spec.name].levels), np.int64)
    np.add.at(n, made.levels[spec.name].of(margin)[chosen], margin.n[chosen])
    return n
