"""The columns of a Δ tree as small whole numbers, which an engine groups far faster than text and wide numbers. DuckDB only.

A column's distinct values are known; a left join gives each row the code of its value, null where the value is missing. What is counted
stays the same to the last row: this knows nothing of regions, tests or records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from reporter.data.scan import Scan
from reporter.data.source import engine_errors, quiet_ibis
from reporter.data.tables import quoted
from reporter.data.tree_scans import TreeScan
from reporter.data.values import text_of

FEWEST_ROWS = 500_000
"""Fewer rows are counted as they are: there is little to save."""
MOST_BYTES = 2**30
"""A table of codes that would be larger is not kept; DuckDB writes what exceeds its own limit of memory to its temporary folder."""


def coded(tree: TreeScan, n_rows: int) -> TreeScan:
    """The tree over rows whose covariates and attribute are codes: a query, nothing is kept. The tree itself where that does not pay.

    Codes of covariates are those of ``stats``; those of other columns stand for values, as ``Scan.dictionaries`` says.
    """
    if tree.scan.source.backend.name != "duckdb" or n_rows < FEWEST_ROWS:
        return tree
    return _over_codes(tree, tree.distinct)


@contextmanager
def kept(tree: TreeScan, n_rows: int) -> Iterator[TreeScan]:
    """The tree over a temporary table in which label and predictions are codes too, dropped at the end.

    A row takes 1 or 2 bytes a column (8 a score): 10 million rows of 12 columns about 150 MB. The tree itself where that does not pay or the
    table would have more than ``MOST_BYTES``.
    """
    source = tree.scan.source
    if source.backend.name != "duckdb" or n_rows < FEWEST_ROWS:
        yield tree
        return
    import ibis
    import pyarrow.compute as pc

    outcomes = ["label", *(f"model {i}" for i in tree.models if not tree.scored)]
    outcomes = [name for name in outcomes if name in tree.scan.columns]
    seen = source.fetch(tree.scan.counted(tuple(outcomes))) if outcomes else {}
    values = {name: pc.unique(seen[name]) for name in outcomes}
    light = _over_codes(tree, {**tree.distinct, **values})
    rows = light.scan.source.table
    if n_rows * sum(getattr(kind, "nbytes", 16) for kind in rows.schema().types) > MOST_BYTES:
        yield tree
        return
    name = ibis.util.gen_name("tree_codes")
    with engine_errors(source.public_name), quiet_ibis():
        table = source.backend.create_table(name, rows, temp=True)
    try:
        yield replace(light, scan=scan_over(light.scan, table), kept_as=name)
    finally:
        for kept_table in (name, halves_table(name)):
            # Not every pair of versions of Ibis and sqlglot writes the table's name into this statement.
            source.backend.raw_sql(f"DROP TABLE IF EXISTS {quoted(kept_table)}")


def halves_table(kept_as: str) -> str:
    """The name of the table that ``tree_halves`` makes of a kept one."""
    return f"{kept_as}_halves"


def scan_over(scan: Scan, table: Any) -> Scan:
    """The scan over the same rows, or some of them, in another table: there are known to be too many combinations for a joint."""
    return _scan_of(scan, table, scan.dictionaries, has_joint=False)


def _over_codes(tree: TreeScan, distinct: Mapping[str, Any]) -> TreeScan:
    """``distinct``: column -> its distinct values, an Arrow column. Columns without, or of dates, stay as they are."""
    import ibis
    import pyarrow as pa

    scan = tree.scan
    rows = scan.source.table
    rows = joined = rows.select(**scan.columns_of(rows, list(scan.columns)))
    chosen = {name: rows[name] for name in scan.columns}
    # In the new rows a column goes by its name in the scan.
    covariates = {one.scan_name: replace(one, column=one.scan_name) for one in tree.covariates}
    dictionaries: dict[str, Any] = {}
    for number, (name, column) in enumerate(distinct.items()):
        values = _known(column, scan.missing)
        if len(values) and not _is_simple(values.type):
            continue
        if name in covariates:
            places = scan.encode(name, values)
            codes = tree.covariate_codes(covariates[name])[places]
            covariates[name] = replace(covariates[name], coded=True)
        else:
            codes = np.arange(len(values))
            dictionaries[name] = values
        if not len(values):
            chosen[name] = ibis.null("int8")
            continue
        small = codes.astype(np.min_scalar_type(-1 - codes.max()))
        pairs = ibis.memtable(pa.table({f"value {number}": values, f"code {number}": small}))
        joined = joined.left_join(pairs, [(name, f"value {number}")])
        chosen[name] = pairs[f"code {number}"]
    view = joined.select(**chosen)
    return replace(tree, scan=_scan_of(scan, view, dictionaries), covariates=tuple(covariates.values()))


def _is_simple(kind: Any) -> bool:
    """Whether a value is the same in an answer and in the rows: dates and identifiers may not be."""
    import pyarrow.types as kinds

    tests = (
        kinds.is_string,
        kinds.is_large_string,
        kinds.is_integer,
        kinds.is_floating,
        kinds.is_decimal,
        kinds.is_boolean,
    )
    return any(test(kind) for test in tests)


def _scan_of(scan: Scan, table: Any, dictionaries: Mapping[str, Any], *, has_joint: bool = True) -> Scan:
    source = replace(scan.source, table=table, memo={"n": scan.source.n})
    columns = {name: (lambda rows, name=name: rows[name]) for name in scan.columns}
    return scan.over(source, columns, dictionaries, has_joint=has_joint)


def _known(column: Any, missing: frozenset[str]) -> Any:
    """The distinct values without the missing ones, sorted, as one Arrow array of no categories."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    # Single precision would be read as another number by its list of doubles.
    values = array.to_numpy(zero_copy_only=False) if pa.types.is_float32(array.type) else array.to_pylist()
    return array.filter(pa.array([text_of(value, missing) is not None for value in values], pa.bool_())).sort()
