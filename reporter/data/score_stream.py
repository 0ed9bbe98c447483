"""The labelled scores of one model in ascending order, batch by batch: the engine sorts, nothing is kept.

Each batch holds whole ties, so that whoever adds up may finish with a score at the end of its batch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reporter.data import expressions
from reporter.data.scan import Margin

if TYPE_CHECKING:
    from reporter.data.checks import Plan
    from reporter.data.source import Source

Ints = NDArray[np.int64]

BATCH_ROWS = 1 << 20
MOST_CODED = 200
"""A column of more values than this is sent as it is, with fewer as small numbers that sort faster."""


@dataclass(frozen=True)
class Batch:
    """Rows in ascending order of ``score``. ``label``: 1, 0 or -1; ``levels``: grouping -> the level of each row."""

    score: NDArray[np.float64]
    label: NDArray[np.int8]
    levels: dict[str, Ints]

    def __len__(self) -> int:
        return len(self.score)


def sorted_scores(source: Source, made: Plan, score: Callable[[Any], Any]) -> Iterator[Batch]:
    """Every row with a score."""
    assert made.scan is not None
    table = source.table
    names = list(dict.fromkeys(name for spec in made.specs for name in made.names[spec.name]))
    coded = {name: _coded(made, name) for name in names}
    columns = {name: (expression or made.scan.columns[name])(table) for name, expression in coded.items()}
    chosen = table.select(score=score(table), label=_label(made, table), **columns)
    ordered = chosen.filter(chosen["score"].notnull()).order_by("score")
    held: list[Any] = []
    for batch in source.batches(ordered, BATCH_ROWS):
        scores = batch.column("score").to_numpy(zero_copy_only=False)
        if not len(scores):
            continue
        # The last score may go on in the next batch.
        cut = int(np.searchsorted(scores, scores[-1], side="left"))
        if cut:
            yield _batch(made, [*held, batch.slice(0, cut)], coded)
            held = []
        held.append(batch.slice(cut))
    if held:
        yield _batch(made, held, coded)


def _batch(made: Plan, pieces: list[Any], coded: dict[str, Any]) -> Batch:
    import pyarrow as pa

    assert made.scan is not None
    table = pa.Table.from_batches(pieces)
    codes = {
        name: made.scan.encode(name, table[name]) if expression is None else table[name].to_numpy().astype(np.int64)
        for name, expression in coded.items()
    }
    levels = {}
    for spec in made.specs:
        names = made.names[spec.name]
        stacked = np.stack([codes[name] for name in names], axis=1)
        levels[spec.name] = made.levels[spec.name].of(Margin(names, stacked, np.ones(len(stacked), np.int64)))
    return Batch(table["score"].to_numpy(), table["label"].to_numpy().astype(np.int8), levels)


def _coded(made: Plan, name: str) -> Callable[[Any], Any] | None:
    """The scan codes of a column as an expression, None for a column with many values."""
    assert made.scan is not None
    texts, column = made.scan.texts[name], made.scan.columns[name]
    if len(texts) > MOST_CODED:
        return None

    def code(table: Any) -> Any:
        import ibis

        value = column(table)
        branches = [
            (expressions.is_one_of(value, [text]), ibis.literal(i, "int32"))
            for i, text in enumerate(texts)
            if text is not None
        ]
        unknown = texts.index(None) if None in texts else -1
        return (
            ibis.cases(*branches, else_=ibis.literal(unknown, "int32")) if branches else ibis.literal(unknown, "int32")
        )

    return code


def _label(made: Plan, table: Any) -> Any:
    """The label as 1, 0 or -1."""
    import ibis

    unknown = ibis.literal(-1, "int8")
    if made.label is None or made.scan is None:
        return unknown
    value = made.scan.columns["label"](table)
    spelled: dict[int, list[str]] = {1: [], 0: []}
    for text, bit in zip(made.scan.texts["label"], made.label.tolist(), strict=True):
        if bit >= 0 and text is not None:
            spelled[bit].append(text)
    branches = [
        (expressions.is_one_of(value, texts), ibis.literal(bit, "int8")) for bit, texts in spelled.items() if texts
    ]
    return ibis.cases(*branches, else_=unknown) if branches else unknown
