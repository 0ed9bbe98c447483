"""The rows of a noise study: a bounded, seeded sample of a table, with only the columns that the study needs.

Which rows are drawn depends on the seed and each row's ``data.key`` alone, so not on the order of rows nor on the engine; without a key on
its position. The table is read once, in batches; at most the sample and a batch are held. Values keep their types; a column of text of
which every value is a number (a CSV has no other columns) becomes numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.config.schema import GroupColumn, NoiseConfig
from reporter.data.checks import Plan, plan
from reporter.data.groupings import GroupingSpec
from reporter.data.levels import LevelMap, build_levels
from reporter.data.scan import Margin, Scan
from reporter.data.values import plain, text_of

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.source import Source

BATCH_ROWS = 1 << 17

Hashes = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class NoiseRows:
    """Sampled rows: the study's ``inputs``, each row's group (an ordered categorical) and label (0, 1 or NaN; None without a label).

    In the order of their hashes by key, else of their position, which also is their index. ``sampled_from`` rows there were.
    """

    inputs: pd.DataFrame
    groups: pd.Series
    label: NDArray[np.float64] | None
    sampled_from: int


def noise_rows(source: Source, loaded: LoadedConfig, study: NoiseConfig) -> NoiseRows:
    """The rows that a study works on: all of them, or ``study.sample`` of them where there are more."""
    made = plan(source, loaded)
    table, key, label = source.table, loaded.config.data.key, loaded.config.data.label
    scan, names, levels = _grouping(source, made, study.group)
    columns = {f"input {i}": table[name] for i, name in enumerate(study.inputs)}
    columns |= {f"group {i}": scan.columns[name](table) for i, name in enumerate(names)}
    columns |= {} if label is None else {"label": table[label]}
    columns |= {} if key is None else {"key": table[key]}
    drawn = _smallest(source, table.select(**columns), study.sample or source.n, seed=loaded.config.seed, by_key=key)
    missing = frozenset(loaded.config.data.missing)
    index = pd.Index(drawn.position, name="row")
    inputs = {name: _values(drawn.rows[f"input {i}"], missing) for i, name in enumerate(study.inputs)}
    codes = [scan.encode(name, drawn.rows[f"group {i}"]) for i, name in enumerate(names)]
    level = levels.of(Margin(names, np.stack(codes, axis=1), np.ones(len(index), np.int64)))
    shown = pd.Index([one.name for one in levels.levels])
    return NoiseRows(
        inputs=pd.DataFrame(inputs, index=index),
        groups=pd.Series(pd.Categorical.from_codes(level, categories=shown, ordered=True), index=index),
        label=None if label is None else _labels(made, drawn.rows["label"]),
        sampled_from=source.n,
    )


@dataclass(frozen=True, eq=False)
class _Drawn:
    rows: Any
    position: NDArray[np.int64]


def _grouping(source: Source, made: Plan, column: str) -> tuple[Scan, tuple[str, ...], LevelMap]:
    """The grouping of this name, with its intervals and pooling; else the column by its values."""
    if column in made.levels:
        assert made.scan is not None
        return made.scan, made.names[column], made.levels[column]
    name = f"group {column}"
    missing = frozenset() if made.scan is None else made.scan.missing
    scan = Scan(source, {name: lambda table: table[column]}, missing=missing)
    spec = GroupingSpec(column, (GroupColumn(column=column),), ("",))
    return scan, (name,), build_levels(spec, scan.margin((name,)), texts=scan.texts, bins={})


def _smallest(source: Source, expression: Any, size: int, *, seed: int, by_key: str | None) -> _Drawn:
    """The ``size`` rows with the smallest hashes."""
    import pyarrow as pa

    held: list[tuple[Any, Hashes, NDArray[np.int64]]] = []
    highest = np.iinfo(np.uint64).max
    for batch, start in _numbered(source.batches(expression, BATCH_ROWS)):
        position = np.arange(start, start + batch.num_rows, dtype=np.int64)
        hashes = _hashes(batch.column("key") if by_key is not None else position, seed)
        low = hashes <= highest
        held.append((pa.table(batch.filter(pa.array(low))), hashes[low], position[low]))
        if sum(len(one[1]) for one in held) > 2 * size:
            held = [_cut(held, size)]
            highest = held[0][1].max(initial=0)
    if not held:
        empty = pa.table(expression.schema().to_pyarrow().empty_table())
        return _Drawn(empty, np.zeros(0, np.int64))
    rows, hashes, position = _cut(held, size)
    order = np.lexsort((position, hashes)) if by_key is not None else np.argsort(position)
    return _Drawn(rows.take(pa.array(order)), position[order])


def _numbered(batches: Iterator[Any]) -> Iterator[tuple[Any, int]]:
    import pyarrow as pa

    start = 0
    for batch in batches:
        # An engine may hand out larger batches than asked for.
        yield pa.Table.from_batches([batch]), start
        start += batch.num_rows


def _cut(held: list[tuple[Any, Hashes, NDArray[np.int64]]], size: int) -> tuple[Any, Hashes, NDArray[np.int64]]:
    import pyarrow as pa

    rows = pa.concat_tables([one[0] for one in held], promote_options="permissive")
    hashes = np.concatenate([one[1] for one in held])
    position = np.concatenate([one[2] for one in held])
    if len(hashes) > size:
        chosen = np.sort(np.lexsort((position, hashes))[:size])
        rows, hashes, position = rows.take(pa.array(chosen)), hashes[chosen], position[chosen]
    return rows.combine_chunks(), hashes, position


def _hashes(values: Any, seed: int) -> Hashes:
    """A 64-bit hash of each key (by its one spelling) or position, with the seed."""
    if isinstance(values, np.ndarray):
        codes = values.astype(np.uint64)
    else:
        texts = np.array([text_of(value) or "" for value in values.to_pylist()], dtype=object)
        codes = pd.util.hash_array(texts, categorize=False)
    start = _mixed(np.array([seed % 2**64], dtype=np.uint64))
    return _mixed(codes ^ start)


def _mixed(codes: Hashes) -> Hashes:
    """Steele, Lea and Flood's SplitMix64: every bit of the argument changes half the bits of the result."""
    with np.errstate(over="ignore"):
        z = codes + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)), dtype=np.uint64)


def _labels(made: Plan, column: Any) -> NDArray[np.float64]:
    assert made.scan is not None
    assert made.label is not None
    bits = made.label[made.scan.encode("label", column)]
    return np.where(bits < 0, np.nan, bits.astype(np.float64))


def _values(column: Any, missing: frozenset[str]) -> Any:
    """An input as a predictor expects it: numbers as numbers, everything else as text or booleans."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64()).to_numpy()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind):
        return column.to_pandas().to_numpy()
    texts = [text_of(value, missing) for value in column.to_pylist()]
    return _numbers(texts) if pa.types.is_string(kind) or pa.types.is_large_string(kind) else _objects(texts)


def _numbers(texts: list[str | None]) -> Any:
    """Numbers if every distinct text is one (a code with leading zeros is none); whole ones as integers."""
    values: dict[str | None, float] = {None: np.nan}
    for text in set(texts) - {None}:
        assert text is not None
        try:
            values[text] = float(plain(text))
        except ValueError:
            return _objects(texts)
        if plain(text) == text and text.strip().lstrip("+-")[:1] == "0" and text.strip().lstrip("+-")[1:2].isdigit():
            return _objects(texts)
    numbers = np.array([values[text] for text in texts], dtype=np.float64)
    whole = np.isfinite(numbers).all() and (numbers == np.floor(numbers)).all() and (np.abs(numbers) < 2**53).all()
    return numbers.astype(np.int64) if whole and len(numbers) else numbers


def _objects(texts: list[str | None]) -> NDArray[Any]:
    return np.array(texts, dtype=object)
