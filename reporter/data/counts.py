"""The count tables of a run: what the engine was asked and everything a report follows from. No rows of people.

Tables, by name (codes are small integers; -1 is missing):

- ``overall``: label, m0, m1, ... (the prediction of each model) -> n
- ``levels/<grouping>``: the groups of a grouping in their order, with sizes
- ``groups/<grouping>``: level, label, m0, m1, ... -> n
- ``overall/<i>,<j>`` and ``groups/<grouping>/<i>,<j>`` instead of the last two where there are more than six models: one table for each two
- ``scores/<model>/<grouping>``, or ``moments/...``, ``rest/...`` and ``grid/...`` (see ``data/scores.py``)
- ``ratings/...`` (``data/ratings.py``) and ``trees/...`` (``data/cubes.py``)

``facts`` holds what is not a table, as JSON values. A saved folder has the same bytes for the same counts, whatever engine counted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.errors import DataError

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.checks import Plan
    from reporter.data.scan import Margin
    from reporter.data.source import Source

Ints = NDArray[np.int64]

JOINT_MODELS = 6
"""Up to so many models one table holds the combinations of all predictions; with more, one table holds those of two."""

FACTS = "facts.json"


@dataclass(frozen=True, eq=False)
class Counts:
    """Count tables and facts of one run."""

    tables: dict[str, pd.DataFrame]
    facts: dict[str, Any]

    def save(self, folder: Path) -> None:
        """Write the tables as Parquet files and the facts as ``facts.json`` into ``folder``, which is made if need be."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        folder.mkdir(parents=True, exist_ok=True)
        files = {}
        for i, name in enumerate(sorted(self.tables)):
            files[name] = f"table-{i:03d}.parquet"
            # Index and metadata of pandas name its version: they stay out, as equal counts are to give equal bytes.
            table = pa.Table.from_pandas(self.tables[name], preserve_index=False).replace_schema_metadata(None)
            pq.write_table(table, folder / files[name], compression="zstd", store_schema=False)
        text = json.dumps(
            {"facts": self.facts, "tables": files}, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False
        )
        (folder / FACTS).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Counts:
        """Read what :meth:`save` wrote.

        Raises
        ------
        DataError
            A file is missing or is not one that :meth:`save` writes.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            stored = json.loads((folder / FACTS).read_text(encoding="utf-8"))
            tables = {
                # A name that leads out of the folder is not one that save wrote.
                name: pq.ParquetFile(folder / Path(file).name).read().to_pandas()
                for name, file in stored["tables"].items()
            }
            return cls(tables, stored["facts"])
        except (OSError, ValueError, KeyError, AttributeError, TypeError, pa.ArrowException) as error:
            raise DataError(f"{folder} does not hold the counts of a run: {error}") from error


def count(source: Source, loaded: LoadedConfig, *, progress: Callable[[str], None] | None = None) -> Counts:
    """Count everything that a config needs, in the engine that holds the rows.

    ``progress`` is called with the name of each part before it is counted.

    Raises
    ------
    DataError
        The table does not fit the config (all problems, as ``check_source`` gives them).
    """
    from reporter.data.source import placed

    with placed(loaded):
        return _counted(source, loaded, progress or _silent)


def _counted(source: Source, loaded: LoadedConfig, told: Callable[[str], None]) -> Counts:
    from reporter.data.checks import plan

    told("groups and predictions")
    made = plan(source, loaded)
    if made.problems:
        raise DataError(*made.problems)
    tables: dict[str, pd.DataFrame] = {}
    _count_predictions(tables, made, loaded)
    facts = _facts(made, source, loaded)
    from reporter.data.scores import count_scores

    told("scores")
    count_scores(tables, facts, made, source, loaded)
    from reporter.data.ratings import count_ratings

    told("ratings")
    count_ratings(tables, facts, made, source, loaded)
    from reporter.data.tree_counts import count_trees

    count_trees(tables, facts, made, loaded, told=told)
    return Counts(tables, facts)


def prediction_tables(n_models: int) -> list[tuple[str, tuple[int, ...]]]:
    """The suffix and the models of each table of predictions: one for all of up to six models, else one for each two."""
    if n_models <= JOINT_MODELS:
        return [("", tuple(range(n_models)))]
    return [(f"/{i},{j}", (i, j)) for i, j in combinations(range(n_models), 2)]


def _count_predictions(tables: dict[str, pd.DataFrame], made: Plan, loaded: LoadedConfig) -> None:
    assert made.scan is not None
    outcome = () if made.label is None else ("label",)
    for suffix, members in prediction_tables(len(loaded.config.models)):
        names = (*outcome, *(f"model {i}" for i in members))
        tables[f"overall{suffix}"] = _table(made, made.scan.margin(names), None, members)
        for spec in made.specs:
            levels = made.levels[spec.name]
            margin = made.scan.margin((*made.names[spec.name], *names))
            tables[f"groups/{spec.name}{suffix}"] = _table(made, margin, levels.of(margin), members)
    for spec in made.specs:
        tables[f"levels/{spec.name}"] = _levels_table(made, spec.name)


def _table(made: Plan, margin: Margin, level: Ints | None, members: tuple[int, ...]) -> pd.DataFrame:
    columns: dict[str, Ints] = {} if level is None else {"level": level}
    columns["label"] = np.full(len(margin.n), -1) if made.label is None else made.label[margin.column("label")]
    for i in members:
        columns[f"m{i}"] = made.models[i][margin.column(f"model {i}")]
    return summed(columns, margin.n)


def summed(columns: Mapping[str, Ints], n: Ints, *, wide: bool = False) -> pd.DataFrame:
    """The distinct combinations in ascending order with the sum of their ``n``; codes are below 128 unless ``wide``."""
    from reporter.data.scan import add_up

    margin = add_up(tuple(columns), list(columns.values()), n)
    table = pd.DataFrame({name: margin.codes[:, i] for i, name in enumerate(columns)})
    kinds = {name: np.int32 if wide or name == "level" else np.int8 for name in columns}
    table = table.astype(kinds)
    table["n"] = margin.n
    return table


def _levels_table(made: Plan, name: str) -> pd.DataFrame:
    levels = made.levels[name].levels
    table = pd.DataFrame(
        {
            "level": np.arange(len(levels), dtype=np.int32),
            "name": pd.Series([level.name for level in levels], dtype=object),
            "n": np.array([level.n for level in levels], np.int64),
            "missing": np.array([level.missing for level in levels], bool),
            "pooled": pd.Series([json.dumps(level.pooled, ensure_ascii=False) for level in levels], dtype=object),
        }
    )
    for j in range(len(levels[0].values) if levels else 0):
        table[f"value{j}"] = pd.Series([level.values[j] for level in levels], dtype=object)
    return table


def _facts(made: Plan, source: Source, loaded: LoadedConfig) -> dict[str, Any]:
    from reporter.data.key_digest import key_digest
    from reporter.data.levels import pooled_notes
    from reporter.data.model_facts import model_facts

    config = loaded.config
    n_labelled, n_positive = _label_totals(made)
    return {
        "version": 1,
        "source": loaded.redact(source.public_name),
        "sha256": source.sha256,
        "inputs": [dict(one) for one in source.inputs],
        "n": made.n,
        "n_filtered_out": source.n_filtered_out,
        "n_labelled": n_labelled,
        "n_positive": n_positive,
        "models": [model_facts(made, config.models[i], i) for i in range(len(config.models))],
        "groupings": [
            {
                "name": spec.name,
                "columns": [column.column for column in spec.columns],
                "notes": [
                    *(
                        made.bins[name].note
                        for name in made.names[spec.name]
                        if name in made.bins and made.bins[name].note
                    ),
                    *pooled_notes(spec, made.levels[spec.name]),
                ],
            }
            for spec in made.specs
        ],
        "key_digest": key_digest(source, loaded),
        "notes": [*source.notes, *made.notes],
    }


def _label_totals(made: Plan) -> tuple[int, int]:
    if made.label is None or made.scan is None:
        return 0, 0
    margin = made.scan.margin(("label",))
    bits = made.label[margin.codes[:, 0]]
    return int(margin.n[bits >= 0].sum()), int(margin.n[bits == 1].sum())


def _silent(part: str) -> None:
    pass
