"""The second pass: does the open table fit the config? Every problem at once, each with its line in the config.

The pass that finds out is the one that counts: what it learnt (labels as 0 and 1, intervals, counts) is kept in the plan for ``counts.count``.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from reporter.config.schema import GroupColumn
from reporter.data import expressions
from reporter.data.csv_files import duplicates
from reporter.data.groupings import (
    Bins,
    GroupingSpec,
    grouping_specs,
    is_binned,
)
from reporter.data.intervals import find_bins
from reporter.data.levels import LevelMap, build_levels
from reporter.data.ratings import RatingPlan, plan_ratings
from reporter.data.scan import Scan
from reporter.data.scores import score_of
from reporter.data.source import Source, needed_columns
from reporter.data.tree_scans import TreeScan, scan_trees
from reporter.data.values import NO, Binary, read_binary
from reporter.errors import Problem

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig

Ints = NDArray[np.int64]

MOST_LEVELS = 100_000


@dataclass
class Plan:
    """What is known of a table after it was checked. With ``problems`` the rest is incomplete."""

    problems: list[Problem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    scan: Scan | None = None
    specs: tuple[GroupingSpec, ...] = ()
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    levels: dict[str, LevelMap] = field(default_factory=dict)
    bins: dict[str, Bins] = field(default_factory=dict)
    label: Ints | None = None
    models: list[Ints] = field(default_factory=list)
    numbers: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    score_codes: list[dict[int, int]] = field(default_factory=list)
    n: int = 0
    ratings: RatingPlan | None = None
    trees: list[TreeScan] = field(default_factory=list)


def plan(source: Source, loaded: LoadedConfig) -> Plan:
    """The checked plan of a run, made once for a source."""
    if "plan" not in source.memo:
        source.memo["plan"] = _make_plan(source, loaded)
    made: Plan = source.memo["plan"]
    return made


def _make_plan(source: Source, loaded: LoadedConfig) -> Plan:
    made = Plan(problems=list(source.problems))
    made.problems += _columns(source, loaded, made.notes)
    if made.problems:
        return made
    made.specs = grouping_specs(loaded.config)
    made.bins, interval_problems = _intervals(source, loaded, made.specs)
    made.problems += interval_problems
    columns: dict[str, Callable[[Any], Any]] = {}
    for spec in made.specs:
        made.names[spec.name] = tuple(_add_group(columns, source, loaded, column, made.bins) for column in spec.columns)
    _add_outcomes(columns, source, loaded)
    made.scan = Scan(source, columns, missing=frozenset(loaded.config.data.missing))
    made.n = int(made.scan.margin(()).n[0])
    if made.n == 0:
        made.problems.append(_no_rows(source, loaded))
        return made
    for i, model in enumerate(loaded.config.models):
        if model.score is not None:
            made.numbers[f"m{i}"] = score_of(model.score, loaded.config.data.missing, source.backend.name)
    _read_label(made, loaded)
    for i in range(len(loaded.config.models)):
        _read_model(made, source, loaded, i)
    for spec in made.specs:
        _read_levels(made, loaded, spec)
    made.ratings, rating_problems = plan_ratings(source, loaded, columns, made.scan.missing)
    made.problems += rating_problems
    made.trees, tree_problems = scan_trees(source, loaded, columns, made.scan.missing)
    made.problems += tree_problems
    if made.trees and not tree_problems:
        from reporter.data.tree_checks import plan_problems
        from reporter.data.tree_counts import described

        made.problems += plan_problems([described(one) for one in made.trees], loaded)
    made.problems += _unique_key(source, loaded)
    if not made.problems:
        made.problems += _references(made, loaded)
    return made


def _columns(source: Source, loaded: LoadedConfig, notes: list[str]) -> list[Problem]:
    """Columns that do not exist, exist twice or hold no single values."""
    found: list[Problem] = []
    twice = set(duplicates(source.columns))
    for column, key in needed_columns(loaded.config).items():
        if column not in source.columns:
            near = difflib.get_close_matches(column, source.columns, n=3)
            hint = f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else _all_columns(source)
            found.append(loaded.problem(key, f"the data have no column {column!r}", hint))
        elif column.lower() in twice:
            found += _twice(source, loaded, column, key, notes)
        elif source.table is not None and not expressions.is_plain(source.table, column):
            held = expressions.kind_in_words(source.table[column].type())
            message = f"column {column!r} holds {held}; expected text, numbers, booleans or dates"
            found.append(loaded.problem(key, message))
    return found


def _all_columns(source: Source) -> str:
    listed = ", ".join(source.columns[:12])
    return f"The columns are {listed}{', ...' if len(source.columns) > 12 else ''}"


def _twice(source: Source, loaded: LoadedConfig, column: str, key: str, notes: list[str]) -> list[Problem]:
    """Two columns of one name: an error, unless the file is pinned by its hash and the columns hold the same."""
    from reporter.data.tables import unique_names

    unique = unique_names(source.columns)
    same = [u for name, u in zip(source.columns, unique, strict=True) if name.lower() == column.lower()]
    exact = all(name == column for name in source.columns if name.lower() == column.lower())
    if exact and loaded.config.data.sha256 is not None:
        table = source.unfiltered
        first = table[same[0]]
        differing = [source.fetch_number((~first.identical_to(table[other])).sum().fill_null(0)) for other in same[1:]]
        if not any(differing):
            notes.append(f"The file has {len(same)} columns named {column}, which hold the same values.")
            return []
    message = f"the data have {len(same)} columns named {column!r}"
    if not exact:
        message += " (names that differ only in case are not told apart)"
    return [loaded.problem(key, message, "Rename or remove all but one")]


def _intervals(
    source: Source, loaded: LoadedConfig, specs: tuple[GroupingSpec, ...]
) -> tuple[dict[str, Bins], list[Problem]]:
    bins: dict[str, Bins] = {}
    problems: list[Problem] = []
    missing = loaded.config.data.missing
    for spec in specs:
        for key, column in zip(spec.keys, spec.columns, strict=True):
            name = _group_name(column)
            if not is_binned(column) or name in bins:
                continue
            kind = source.table[column.column].type()
            if not (kind.is_numeric() or kind.is_string() or kind.is_null()):
                message = f"column {column.column!r} has the type {kind}; intervals need numbers"
                problems.append(loaded.problem(key, message))
                continue
            result = find_bins(source, column, missing)
            if isinstance(result, str):
                problems.append(loaded.problem(key, result))
            else:
                bins[name] = result
    return bins, problems


def _group_name(column: GroupColumn) -> str:
    """The scan's name of a group column: equal columns with equal intervals are counted once."""
    if not is_binned(column):
        return f"group {column.column}"
    return f"group {column.column} {column.breaks} {column.width} {column.quantiles}"


def _add_group(
    columns: dict[str, Callable[[Any], Any]],
    source: Source,
    loaded: LoadedConfig,
    column: GroupColumn,
    bins: Mapping[str, Bins],
) -> str:
    name = _group_name(column)
    missing = loaded.config.data.missing
    if name in bins:
        found, sql_name = bins[name], source.backend.name
        floating = source.table[column.column].type().is_floating()

        def interval(table: Any) -> Any:
            value = expressions.number(table, column.column, missing, sql_name=sql_name)
            return expressions.interval_code(value, found, has_nan=floating and sql_name != "sqlite")

        columns[name] = interval
    else:
        columns[name] = lambda table: table[column.column]
    return name


def _add_outcomes(columns: dict[str, Callable[[Any], Any]], source: Source, loaded: LoadedConfig) -> None:
    data = loaded.config.data
    if data.label is not None:
        label = data.label
        columns["label"] = lambda table: table[label]
    for i, model in enumerate(loaded.config.models):
        if model.prediction is not None:
            columns[f"model {i}"] = _column_of(model.prediction)
        else:
            columns[f"model {i}"] = _score_of(
                model.score or "", model.cut, model.rule, data.missing, source.backend.name
            )


def _column_of(column: str) -> Callable[[Any], Any]:
    return lambda table: table[column]


def _score_of(column: str, cut: float, rule: Any, missing: tuple[str, ...], sql_name: str) -> Callable[[Any], Any]:
    return lambda table: expressions.score_code(table, column, missing, cut=cut, rule=rule, sql_name=sql_name)


def _no_rows(source: Source, loaded: LoadedConfig) -> Problem:
    if source.filtered and source.n_filtered_out > 0:
        return loaded.problem("data.where", f"the filter leaves none of {source.n_filtered_out:,} rows")
    return loaded.problem("data.source", f"{source.public_name} has no rows", "It has only column names")


def _value_counts(made: Plan, name: str) -> tuple[list[str | None], list[int]]:
    assert made.scan is not None
    margin = made.scan.margin((name,))
    n = np.zeros(len(made.scan.texts[name]), np.int64)
    np.add.at(n, margin.codes[:, 0], margin.n)
    return made.scan.texts[name], n.tolist()


def _read_label(made: Plan, loaded: LoadedConfig) -> None:
    data = loaded.config.data
    if data.label is None:
        return
    values, counts = _value_counts(made, "label")
    reading = read_binary(values, counts, positive=data.positive, what=f"column {data.label!r}")
    made.label = _taken(made, loaded, reading, values, key="data.label", positive_key="data.positive")


def _taken(
    made: Plan, loaded: LoadedConfig, reading: Binary, values: list[str | None], *, key: str, positive_key: str
) -> Ints:
    if reading.bits is None:
        hint = reading.hint
        if reading.needs_positive:
            words = sorted(value for value in values if value is not None)
            hint = f"Set {positive_key}, e.g. {positive_key.rsplit('.', 1)[-1]}: {words[-1]!r}" if words else hint
        given = positive_key in loaded.positions
        made.problems.append(loaded.problem(positive_key if given else key, reading.message, hint))
        return np.full(len(values), NO, np.int64)
    if reading.note:
        made.notes.append(reading.note)
    return np.array(reading.bits, np.int64)


def _read_model(made: Plan, source: Source, loaded: LoadedConfig, index: int) -> None:
    model = loaded.config.models[index]
    values, counts = _value_counts(made, f"model {index}")
    if model.prediction is not None:
        positive = model.positive
        if positive is None and loaded.config.data.positive is not None:
            positive = _inherited(values, loaded.config.data.positive)
        reading = read_binary(values, counts, positive=positive, what=f"column {model.prediction!r}")
        made.models.append(
            _taken(
                made,
                loaded,
                reading,
                values,
                key=f"models[{index}].prediction",
                positive_key=f"models[{index}].positive" if model.positive is not None else "data.positive",
            )
        )
        made.score_codes.append({})
        return
    codes = [NO if value is None else int(value) for value in values]
    tally = {code: n for code, n in zip(codes, counts, strict=True) if n}
    made.models.append(
        np.array(
            [
                NO if code in (expressions.NOT_FINITE, expressions.NOT_A_NUMBER) else code % 4 if code != NO else NO
                for code in codes
            ],
            np.int64,
        )
    )
    made.score_codes.append(tally)
    bad = tally.get(expressions.NOT_A_NUMBER, 0)
    if bad:
        made.problems.append(_not_numbers(source, loaded, model.score or "", f"models[{index}].score", bad))


def _inherited(values: list[str | None], positive: str | bool | int | float) -> str | bool | int | float | None:
    """``data.positive`` for predictions: it names words; predictions that are 0/1 stay so when the label is in words."""
    none = read_binary(values, [1] * len(values), positive=None, what="")
    if none.bits is None:
        return positive
    return positive if read_binary(values, [1] * len(values), positive=positive, what="").bits is not None else None


def _not_numbers(source: Source, loaded: LoadedConfig, column: str, key: str, n: int) -> Problem:
    missing = loaded.config.data.missing
    table = source.table
    value = expressions.number(table, column, missing, sql_name=source.backend.name)
    odd = table.filter(value.isnull() & expressions.known(table, column, missing).notnull())
    example = source.fetch(odd.agg(example=odd[column].min()))["example"][0].as_py()
    rows = "1 row holds" if n == 1 else f"{n:,} rows hold"
    hint = "Use a point, not a comma" if "," in example else "If it stands for a missing value, add it to data.missing"
    return loaded.problem(key, f"column {column!r}: {rows} no number, e.g. {example!r}", hint)


def _read_levels(made: Plan, loaded: LoadedConfig, spec: GroupingSpec) -> None:
    assert made.scan is not None
    names = made.names[spec.name]
    if any(is_binned(c) and _group_name(c) not in made.bins for c in spec.columns):
        return
    for key, column, name in zip(spec.keys, spec.columns, names, strict=True):
        many = len(made.scan.margin((name,)).n)
        if many > MOST_LEVELS:
            message = f"column {column.column!r} has {many:,} different values; at most {MOST_LEVELS:,} can be groups"
            hint = "Divide numbers with breaks, width or quantiles; an identifier makes no groups"
            made.problems.append(loaded.problem(key, message, hint))
            return
    margin = made.scan.margin(names)
    made.levels[spec.name] = build_levels(spec, margin, texts=made.scan.texts, bins=made.bins)


def _unique_key(source: Source, loaded: LoadedConfig) -> list[Problem]:
    key = loaded.config.data.key
    if key is None:
        return []
    table = source.table
    value = expressions.known(table, key, loaded.config.data.missing)
    counted = table.group_by(key=value).agg(n_rows=table.count())
    again = counted.filter(counted["key"].isnull() | (counted["n_rows"] > 1))
    summed = source.fetch(
        again.agg(
            repeated=again["key"].count(),
            example=again["key"].min(),
            missing=again["n_rows"].sum(where=again["key"].isnull()),
        )
    )
    repeated, missing = summed["repeated"][0].as_py(), summed["missing"][0].as_py() or 0
    problems = []
    if repeated:
        example = summed["example"][0].as_py()
        values = "1 value occurs" if repeated == 1 else f"{repeated:,} values occur"
        problems.append(
            loaded.problem(
                "data.key", f"column {key!r} does not name each row once: {values} again, e.g. {str(example)!r}"
            )
        )
    if missing:
        rows = "1 row has" if missing == 1 else f"{missing:,} rows have"
        problems.append(loaded.problem("data.key", f"column {key!r}: {rows} no value"))
    return problems


def _references(made: Plan, loaded: LoadedConfig) -> list[Problem]:
    """Rules that name a reference group which no grouping of theirs has."""
    found = []
    for i, rule in enumerate(loaded.config.flags.rules):
        if rule.reference in ("rest", "overall", "largest", "best"):
            continue
        names = [
            level.name
            for name, levels in made.levels.items()
            if rule.groups is None or name in rule.groups
            for level in levels.levels
        ]
        if rule.reference not in names:
            near = difflib.get_close_matches(rule.reference, names, n=3)
            hint = (
                f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else f"The groups are {_few(names)}"
            )
            found.append(loaded.problem(f"flags.rules[{i}].reference", f"there is no group {rule.reference!r}", hint))
    return found


def _few(names: list[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "")
