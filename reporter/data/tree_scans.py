"""What a Δ tree's columns hold: covariates with their levels, the attribute's levels, and the scan that counts their combinations.

A numeric covariate keeps its values while it has at most 1,000; beyond that it is read in quantile bins, which is said.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reporter.config.schema import TreeConfig, TreeCovariate
from reporter.data import expressions
from reporter.data.groupings import Bins
from reporter.data.intervals import quantile_cuts
from reporter.data.scan import Scan
from reporter.data.values import NO
from reporter.stats.delta_counts import Covariate

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.source import Source
    from reporter.errors import Problem

Ints = NDArray[np.int64]

MOST_VALUES = 1_000
MOST_ATTRIBUTE = 4
BINS = 128
CUBE_CELLS = 3_000_000
PREFIX_ROWS = 300_000


@dataclass(frozen=True)
class CovariateColumn:
    """A covariate as it is counted: ``scan_name`` in the scan. ``coded``: the scan's values are the covariate's codes, null for missing."""

    covariate: Covariate
    scan_name: str
    column: str
    bins: Bins | None = None
    coded: bool = False


@dataclass(frozen=True)
class TreeScan:
    """One entry of the config's trees over the table. ``distinct``: column of the scan -> its distinct values as Arrow, where they are known.
    ``kept_as``: the temporary table that holds the rows, where there is one."""

    tree: TreeConfig
    scan: Scan
    labels: tuple[str, ...]
    covariates: tuple[CovariateColumn, ...]
    models: tuple[int, ...]
    scored: bool
    notes: tuple[str, ...] = field(default=())
    distinct: dict[str, Any] = field(default_factory=dict)
    kept_as: str | None = None

    def covariate_codes(self, covariate: CovariateColumn) -> Ints:
        """Scan code -> covariate code, the missing one last."""
        texts = self.scan.texts[covariate.scan_name]
        last = covariate.covariate.n_levels
        if covariate.coded:
            return np.array([last if text is None else int(text) for text in texts], np.int64)
        if covariate.covariate.kind == "numeric":
            place = {value: code for code, value in enumerate(covariate.covariate.values)}
            return np.array([last if text is None else place[float(text) + 0.0] for text in texts], np.int64)
        levels = {level: code for code, level in enumerate(covariate.covariate.levels)}
        return np.array([last if text is None else levels[text] for text in texts], np.int64)

    def group_codes(self) -> Ints:
        """Scan code -> attribute code, -1 for another level or none."""
        place = {label: code for code, label in enumerate(self.labels)}
        return np.array(
            [NO if text is None else place.get(text, NO) for text in self.scan.texts["attribute"]], np.int64
        )


def scan_trees(
    source: Source, loaded: LoadedConfig, outcomes: dict[str, Callable[[Any], Any]], missing: frozenset[str]
) -> tuple[list[TreeScan], list[Problem]]:
    """The scan of each tree, and what does not fit. ``outcomes`` are the main scan's label and models."""
    scans: list[TreeScan] = []
    problems: list[Problem] = []
    for index in range(len(loaded.config.trees)):
        found = _scan_tree(source, loaded, index, outcomes, missing)
        if isinstance(found, TreeScan):
            scans.append(found)
        else:
            problems += found
    return scans, problems


def _scan_tree(
    source: Source,
    loaded: LoadedConfig,
    index: int,
    outcomes: dict[str, Callable[[Any], Any]],
    missing: frozenset[str],
) -> TreeScan | list[Problem]:
    tree = loaded.config.trees[index]
    models = tuple(next(i for i, m in enumerate(loaded.config.models) if m.name == name) for name in tree.pair)
    scored = tree.rate == "score"
    columns: dict[str, Callable[[Any], Any]] = {"attribute": _column(tree.attribute)}
    if "label" in outcomes:
        columns["label"] = outcomes["label"]
    for i in models:
        columns[f"model {i}"] = _score(loaded, i, source.backend.name) if scored else outcomes[f"model {i}"]
    problems: list[Problem] = []
    covariates: list[CovariateColumn] = []
    notes: list[str] = []
    distinct: dict[str, Any] = {}
    for j, named in enumerate(tree.split_on):
        asked = TreeCovariate(column=named) if isinstance(named, str) else named
        read = _read_covariate(source, loaded, asked, f"trees[{index}].split_on[{j}]", j, missing, notes, distinct)
        if isinstance(read, CovariateColumn):
            covariates.append(read)
            columns[read.scan_name] = _covariate_expression(read, loaded, source.backend.name)
        else:
            problems += read
    # Labels and predictions have few values: at most 3 of one and 7 codes of the other, were there no mistake in them.
    bound = math.prod(one.covariate.n_levels + 1 for one in covariates) * MOST_ATTRIBUTE * 3 * 7 ** len(models)
    # An honest tree is worth the try whatever the first rows say: halves are drawn from its cells.
    sure = tree.honest or (not scored and bound <= CUBE_CELLS)
    scan = Scan(source, columns, missing=missing, most_cells=CUBE_CELLS, prefix_rows=PREFIX_ROWS, sure=sure)
    labels, found = _labels(scan, tree, loaded, index, distinct)
    problems += found
    if problems:
        return problems
    if not scored:
        # Known levels tell what the first rows would only suggest; an outcome has two values, and missing ones are few.
        levels = [one.covariate.n_levels for one in covariates]
        scan.expected_cells = math.prod((*levels, len(labels), *(2 for _ in range(len(models) + 1))))
    return TreeScan(tree, scan, labels, tuple(covariates), models, scored, tuple(notes), distinct)


def _column(name: str) -> Callable[[Any], Any]:
    return lambda table: table[name]


def _score(loaded: LoadedConfig, index: int, engine: str) -> Callable[[Any], Any]:
    from reporter.data.scores import score_of

    return score_of(loaded.config.models[index].score or "", loaded.config.data.missing, engine)


def _covariate_expression(covariate: CovariateColumn, loaded: LoadedConfig, engine: str) -> Callable[[Any], Any]:
    bins = covariate.bins
    if bins is None:
        return _column(covariate.column)

    def code(table: Any) -> Any:
        floating = table[covariate.column].type().is_floating()
        value = expressions.number(table, covariate.column, loaded.config.data.missing, sql_name=engine)
        return expressions.interval_code(value, bins, has_nan=floating and engine != "sqlite")

    return code


def _read_covariate(
    source: Source,
    loaded: LoadedConfig,
    asked: TreeCovariate,
    key: str,
    number: int,
    missing: frozenset[str],
    notes: list[str],
    distinct: dict[str, Any],
) -> CovariateColumn | list[Problem]:
    name = asked.column
    scan_name = f"covariate {number}"
    few = _values(source, name, missing, scan_name, distinct)
    if asked.order is not None:
        unknown = sorted({text for text in few or () if text is not None} - set(asked.order)) if few is not None else []
        if few is None or unknown:
            listed = ", ".join(repr(text) for text in unknown[:8]) or f"more than {MOST_VALUES:,} values"
            message = f"column {name!r} has values without a place in its order: {listed}"
            return [loaded.problem(f"{key}.order", message, "Name every level, in order")]
        return CovariateColumn(Covariate(name, "ordered", levels=asked.order), scan_name, name)
    numbers = None if few is None else _numbers(few)
    numeric_type = source.table[name].type().is_numeric()
    if asked.as_ == "categorical" or (asked.as_ is None and few is not None and numbers is None):
        if few is None:
            message = f"column {name!r} has more than {MOST_VALUES:,} values, too many for categories"
            return [loaded.problem(key, message, "Read it as numeric, or choose another column")]
        levels = tuple(sorted((text for text in few if text is not None), key=_order(few)))
        return CovariateColumn(Covariate(name, "categorical", levels=levels), scan_name, name)
    if few is not None:
        if numbers is None:
            odd = next(text for text in sorted(t for t in few if t is not None) if _number(text) is None)
            if asked.as_ == "ordered":
                message = f"column {name!r} holds {odd!r}: words have no order of their own"
                return [loaded.problem(key, message, "List all levels in their order: order: [...]")]
            return [loaded.problem(key, f"column {name!r} holds {odd!r}, which is no finite number")]
        if asked.as_ == "ordered":
            levels = tuple(sorted((text for text in few if text is not None), key=_order(few)))
            return CovariateColumn(Covariate(name, "ordered", levels=levels), scan_name, name)
        return CovariateColumn(Covariate(name, "numeric", values=numbers), scan_name, name)
    if not numeric_type and not _all_numbers(source, loaded, name):
        message = f"column {name!r} has more than {MOST_VALUES:,} values that are not all numbers"
        return [loaded.problem(key, message, "Choose another column: an identifier divides nothing")]
    value = expressions.number(source.table, name, loaded.config.data.missing, sql_name=source.backend.name)
    table = source.table.select(value=value)
    table = table.filter(expressions.finite(table["value"]))
    bins = Bins.of_breaks(shortened(quantile_cuts(source, table, source.fetch_number(table.count()), BINS)))
    top = source.fetch(table.agg(top=table["value"].max()))["top"][0].as_py()
    values = tuple(sorted({*bins.cuts, max(float(top), bins.cuts[-1])}))
    notes.append(
        f"{name} has more than {MOST_VALUES:,} values and is split only between {len(bins.labels)} quantile bins."
    )
    return CovariateColumn(Covariate(name, "numeric", values=values), scan_name, name, bins, coded=True)


def shortened(cuts: Sequence[float]) -> list[float]:
    """Cut points with as few digits as tell them apart, at least 6: they stand in sentences, and rows are divided by what is written.

    >>> shortened([1.23456789, 1.23456999, 2.0])
    [1.234568, 1.23457, 2.0]
    """
    rounded = ([float(f"{cut:.{digits}g}") for cut in cuts] for digits in range(6, 18))
    return next(some for some in rounded if len(set(some)) == len(set(cuts)))


def _values(
    source: Source, name: str, missing: frozenset[str], scan_name: str, distinct: dict[str, Any]
) -> list[str | None] | None:
    """The distinct values of a column as text (as they are in ``distinct``), None when there are more than 1,000."""
    scan = Scan(source, {"value": _column(name)}, missing=missing)
    answer = source.fetch(scan.counted(("value",)).limit(MOST_VALUES + 2))
    if answer.num_rows > MOST_VALUES + 1:
        return None
    scan.encode("value", answer["value"])
    distinct[scan_name] = answer["value"]
    return scan.texts["value"]


def _numbers(texts: Sequence[str | None]) -> tuple[float, ...] | None:
    """The distinct numbers in ascending order, None unless every value is one; codes with leading zeros are none."""
    values = [_number(text) for text in texts if text is not None]
    if not all(value is not None for value in values):
        return None
    return tuple(sorted({value + 0.0 for value in values if value is not None}))


def _number(text: str) -> float | None:
    from reporter.data.values import plain

    digits = text.lstrip("+-")
    if len(digits) > 1 and digits[0] == "0" and digits.isdigit():
        return None
    try:
        value = float(plain(text))
    except ValueError:
        return None
    return value if np.isfinite(value) else None


def _order(texts: Sequence[str | None]) -> Callable[[str], tuple[float, str]]:
    numeric = _numbers(texts) is not None
    return lambda text: ((_number(text) or 0.0) if numeric else 0.0, text)


def _all_numbers(source: Source, loaded: LoadedConfig, name: str) -> bool:
    if not expressions.is_text(source.table, name):
        return False
    missing = loaded.config.data.missing
    table = source.table
    value = expressions.number(table, name, missing, sql_name=source.backend.name)
    odd = table.filter(value.isnull() & expressions.known(table, name, missing).notnull())
    return source.fetch_number(odd.count()) == 0


def _labels(
    scan: Scan, tree: TreeConfig, loaded: LoadedConfig, index: int, distinct: dict[str, Any]
) -> tuple[tuple[str, ...], list[Problem]]:
    answer = scan.source.fetch(scan.counted(("attribute",)).limit(MOST_VALUES + 2))
    if answer.num_rows > MOST_VALUES + 1:
        message = f"column {tree.attribute!r} has more than {MOST_VALUES:,} values, too many for an attribute"
        return (), [loaded.problem(f"trees[{index}].attribute", message)]
    scan.encode("attribute", answer["attribute"])
    distinct["attribute"] = answer["attribute"]
    present = sorted(text for text in scan.texts["attribute"] if text is not None)
    named = tree.levels or _named_in_pairs(tree)
    key = "levels" if tree.levels is not None else "pairs"
    unknown = [level for level in named if level not in present]
    if unknown:
        import difflib

        near = difflib.get_close_matches(unknown[0], present, n=3)
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else f"Its levels are {', '.join(present[:12])}"
        message = f"column {tree.attribute!r} has no level {unknown[0]!r}"
        return (), [loaded.problem(f"trees[{index}].{key}", message, hint)]
    if tree.levels is not None:
        return tree.levels, []
    if len(present) < 2 or (len(present) > 2 and tree.pairs is None):
        counted = "1 level" if len(present) == 1 else f"{len(present):,} levels"
        listed = f": {', '.join(present[:8])}" if present else ""
        message = f"column {tree.attribute!r} has {counted}{listed}; expected two"
        hint = (
            "Name two of them in levels, or use pairs: all, one_vs_rest, spread or a list of pairs"
            if len(present) > 2
            else "Choose another column: with fewer than two levels there is no gap"
        )
        return (), [loaded.problem(f"trees[{index}].attribute", message, hint)]
    return tuple(present), []


def _named_in_pairs(tree: TreeConfig) -> tuple[str, ...]:
    if not isinstance(tree.pairs, tuple):
        return ()
    return tuple(dict.fromkeys(level for pair in tree.pairs for level in pair))
