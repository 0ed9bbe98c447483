"""Random halves of the rows of a tree whose cells are too many for a cube: drawn in the table of codes that ``tree_codes`` keeps. DuckDB only.

Rows that are equal in every column of the tree are interchangeable, so the halves are drawn over the sorted rows: they do not depend on the
order in which rows are stored or read.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from reporter.data.source import engine_errors, quiet_ibis
from reporter.data.tables import quoted
from reporter.data.tree_codes import halves_table, scan_over
from reporter.data.tree_scans import TreeScan

FIRST = "first half"


def drawn_halves(tree: TreeScan, seed: int) -> tuple[TreeScan, TreeScan]:
    """Half of the rows (rounded down) without replacement, and the rest. Earlier halves of the tree are gone."""
    assert tree.kept_as is not None
    import pyarrow as pa

    source, table = tree.scan.source, halves_table(tree.kept_as)
    in_first = np.zeros(source.n, bool)
    in_first[: source.n // 2] = True
    np.random.default_rng(seed).shuffle(in_first)
    drawn = f"{tree.kept_as}_drawn"
    connection = source.backend.con
    with engine_errors(source.public_name), quiet_ibis():
        connection.register(drawn, pa.table({FIRST: in_first}))
        try:
            connection.execute(
                f"CREATE OR REPLACE TEMP TABLE {quoted(table)} AS SELECT * "
                f"FROM (SELECT * FROM {quoted(tree.kept_as)} ORDER BY ALL) POSITIONAL JOIN {quoted(drawn)}"
            )
        finally:
            connection.unregister(drawn)
        rows = source.backend.table(table)
    first, second = (scan_over(tree.scan, part) for part in (rows.filter(rows[FIRST]), rows.filter(~rows[FIRST])))
    return replace(tree, scan=first), replace(tree, scan=second)
