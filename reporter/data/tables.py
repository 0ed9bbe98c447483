"""Files and frames as Ibis tables of an embedded DuckDB.

CSV and JSON lines are read once, into a temporary Parquet file of the columns that the config uses; Parquet and Arrow are used where they
are. DuckDB never downloads an extension.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reporter.config.schema import DataConfig
from reporter.data.csv_files import CsvFile, open_bytes, prepare_csv
from reporter.data.files import NotFoundProblem
from reporter.data.python_frames import arrow_table
from reporter.errors import InputError, Problem


@dataclass(frozen=True, slots=True)
class Opened:
    """An open table. ``columns`` as they stand in the data (one without a name by the name that ``fill_names`` gives it); a repeated name's
    later columns are in ``table`` as "name (2)" and so on.

    ``number_types``: for files of text, the type of each column that holds only numbers, dates or booleans at the file's start: ``where`` compares
    them as such. ``owned``: the connection was opened here, and is closed with the source. ``notes``: what was done to open it, in words.
    ``time_zones``: of columns of moments, whose zone the engine does not keep.
    """

    table: Any
    backend: Any
    columns: tuple[str, ...]
    number_types: dict[str, str] = field(default_factory=dict)
    owned: bool = True
    notes: tuple[str, ...] = ()
    time_zones: dict[str, str] = field(default_factory=dict)


def open_files(kind: str, paths: Sequence[Path], declared: DataConfig, workspace: Path, needed: set[str]) -> Opened:
    """Local files of one format as one table. ``workspace`` is a folder for temporary files."""
    connection = connect(workspace)
    if kind == "parquet":
        return _parquet(connection, paths)
    if kind == "arrow":
        return open_frame(_arrow_files(paths), connection=connection)
    used = needed if declared.where is None else needed | _mentioned(declared.where)
    if kind == "jsonl":
        return _json(connection, paths, workspace, None if declared.where is not None and not used - needed else used)
    return _csv(connection, paths, declared, workspace, used)


def open_frame(data: Any, *, connection: Any = None) -> Opened:
    """A pandas, Arrow or polars frame (anything with the Arrow C stream interface), or an Ibis table.

    Raises
    ------
    InputError
        For anything else, a table without columns, and text that is not Unicode.
    """
    import ibis
    import pyarrow as pa

    if isinstance(data, ibis.Table):
        return _ibis(data)
    table = data if isinstance(data, pa.Table) else arrow_table(data)
    written = tuple(table.column_names)
    if not written:
        raise InputError(Problem("found a table without columns", key="data"))
    connection = connection or connect(None)
    names = fill_names(written)
    table = table.rename_columns(list(unique_names(names)))
    zones = {field.name: field.type.tz for field in table.schema if pa.types.is_timestamp(field.type) and field.type.tz}
    connection.con.register("frame", _readable(table))
    return Opened(connection.table("frame"), connection, names, notes=unnamed_notes(written, names), time_zones=zones)


def connect(workspace: Path | None) -> Any:
    """An embedded DuckDB that spills into ``workspace`` and neither installs nor loads extensions by itself."""
    import ibis

    settings: dict[str, Any] = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    if workspace is not None:
        settings["temp_directory"] = str(workspace / "spill")
    return ibis.duckdb.connect(**settings)


def unique_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names with repetitions (also in another case, which DuckDB does not tell apart) numbered.

    >>> unique_names(["sex", "age", "Sex"])
    ('sex', 'age', 'Sex (2)')
    """
    taken = {name.lower() for name in names}
    seen: set[str] = set()
    result: list[str] = []
    for name in names:
        unique, number = name, 2
        while unique.lower() in seen or (unique is not name and unique.lower() in taken):
            unique, number = f"{name} ({number})", number + 1
        seen.add(unique.lower())
        result.append(unique)
    return tuple(result)


def fill_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names, with one for each column that has none, by its position from 0 as in pandas.

    >>> fill_names(["", "sex", "ill", ""])
    ('Unnamed: 0', 'sex', 'ill', 'Unnamed: 3')
    """
    taken = {name.lower() for name in names}
    result: list[str] = []
    for position, name in enumerate(names):
        filled, number = name or f"Unnamed: {position}", 2
        while not name and filled.lower() in taken:
            filled, number = f"Unnamed: {position} ({number})", number + 1
        taken.add(filled.lower())
        result.append(filled)
    return tuple(result)


def unnamed_notes(written: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    """A sentence on each column without a name.

    >>> unnamed_notes(["", "sex"], ["Unnamed: 0", "sex"])
    ("Column 1 of the data has no name; it is called 'Unnamed: 0'.",)
    """
    pairs = enumerate(zip(written, names, strict=True), start=1)
    return tuple(
        f"Column {position} of the data has no name; it is called {name!r}."
        for position, (was, name) in pairs
        if was == ""
    )


def quoted(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _list(paths: Sequence[Path]) -> str:
    # DuckDB takes every path as a pattern; a bracket makes a character class of one.
    return "[" + ", ".join(literal(_escaped(str(path))) for path in paths) + "]"


def _escaped(path: str) -> str:
    return "".join(f"[{char}]" if char in "*?[" else char for char in path)


def _view(connection: Any, relation: str, name: str = "file") -> Opened:
    from reporter.data.source import engine_errors

    with engine_errors("the file"):
        connection.raw_sql(f"CREATE TEMP VIEW {quoted(name)} AS SELECT * FROM {relation}")
        table = connection.table(name)
    return Opened(table, connection, tuple(table.columns))


def _parquet(connection: Any, paths: Sequence[Path]) -> Opened:
    import pyarrow as pa
    import pyarrow.parquet as pq

    relation = f"read_parquet({_list(paths)})"
    opened = _view(connection, relation)
    try:
        written = tuple(pq.read_schema(paths[0]).names)
    except (OSError, pa.ArrowException):
        return opened  # the engine could read it
    if written == opened.columns or len(written) != len(opened.columns):
        return opened
    # The engine gives names of its own to columns without one and to repeated ones.
    names = fill_names(written)
    aliases = ", ".join(map(quoted, unique_names(names)))
    renamed = _view(connection, f"{relation} AS rows({aliases})", "renamed")
    return Opened(renamed.table, connection, names, notes=unnamed_notes(written, names))


def _csv(connection: Any, paths: Sequence[Path], declared: DataConfig, workspace: Path, used: set[str]) -> Opened:
    files = [
        prepare_csv(path, separator=declared.csv.separator, encoding=declared.csv.encoding, workspace=workspace)
        for path in paths
    ]
    first = files[0]
    for other in files[1:]:
        if other.columns != first.columns:
            raise NotFoundProblem(f"{other.name} has other columns than {first.name}")
    columns = fill_names(first.columns)
    names = unique_names(columns)
    keep = [
        unique
        for name, unique in zip(columns, names, strict=True)
        if name.lower() in {column.lower() for column in used}
    ] or [names[0]]
    relation = _read_csv(files, names)
    # A CSV cannot tell an empty text from a missing one; it is missing only if the config says so.
    chosen = ", ".join(
        quoted(name) if "" in declared.missing else f"coalesce({quoted(name)}, '') AS {quoted(name)}" for name in keep
    )
    types = {} if declared.where is None else _number_types(connection, relation, keep)
    opened = _copied(connection, f"SELECT {chosen} FROM {relation}", workspace, first.name)
    return Opened(opened.table, connection, columns, types, notes=unnamed_notes(first.columns, columns))


def _read_csv(files: Sequence[CsvFile], names: Sequence[str]) -> str:
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in names)
    compression = {".gz": "gzip", ".zst": "zstd"}.get(files[0].path.suffix.lower(), "none")
    return (
        f"read_csv({_list([file.path for file in files])}, auto_detect = false, header = true, "
        f"delim = {literal(files[0].separator)}, quote = '\"', escape = '\"', nullstr = '', "
        f"compression = {literal(compression)}, max_line_size = 33554432, columns = {{{columns}}})"
    )


def _number_types(connection: Any, relation: str, names: Sequence[str]) -> dict[str, str]:
    """The type of each column whose first rows all read as it: BIGINT, DOUBLE, BOOLEAN, DATE or TIMESTAMP."""
    from reporter.data.source import engine_errors

    kinds = ("BIGINT", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")
    tests = ", ".join(
        f"count({quoted(name)}) > 0 AND count(try_cast({quoted(name)} AS {kind})) = count({quoted(name)})"
        for name in names
        for kind in kinds
    )
    with engine_errors("the file"):
        cursor = connection.raw_sql(f"SELECT {tests} FROM (SELECT * FROM {relation} LIMIT 20000)")
        flags = iter(cursor.fetchone())
    found: dict[str, str] = {}
    for name in names:
        for kind in kinds:
            if next(flags):
                found.setdefault(name, kind)
    return found


def _json(connection: Any, paths: Sequence[Path], workspace: Path, used: set[str] | None) -> Opened:
    # Without the threshold, objects with many keys of one type are read as a single map.
    options = "format = 'newline_delimited', union_by_name = true, map_inference_threshold = -1"
    relation = f"read_json({_list(paths)}, {options})"
    from reporter.data.source import engine_errors

    with engine_errors(paths[0].name):
        described = connection.raw_sql(f"DESCRIBE SELECT * FROM {relation}").fetchall()
    columns = tuple(str(row[0]) for row in described)
    if columns == ("json",) and _has_unnamed_key(paths[0]):
        raise NotFoundProblem(f"the objects of {paths[0].name} have a key without a name", "Give it a name")
    keep = [name for name in columns if used is None or name in used] or [*columns[:1]]
    chosen = ", ".join(quoted(name) for name in keep)
    opened = _copied(connection, f"SELECT {chosen} FROM {relation}", workspace, paths[0].name)
    return Opened(opened.table, connection, columns)


def _has_unnamed_key(path: Path) -> bool:
    """Whether the first object has the key "", which makes the engine read whole objects as one value."""
    with open_bytes(path) as file:
        first = file.read(1 << 20).decode("utf-8-sig", errors="replace").lstrip()
    try:
        found, _ = json.JSONDecoder().raw_decode(first)
    except ValueError:
        return False
    return isinstance(found, dict) and "" in found


def _copied(connection: Any, query: str, workspace: Path, name: str) -> Opened:
    from reporter.data.source import engine_errors

    target = workspace / "rows.parquet"
    with engine_errors(name):
        connection.raw_sql(f"COPY ({query}) TO {literal(str(target))} (FORMAT parquet)")
    return _view(connection, f"read_parquet({_list([target])})")


def _mentioned(where: str) -> set[str]:
    from reporter.data.row_filter import mentioned_columns

    return mentioned_columns(where)


def _arrow_files(paths: Sequence[Path]) -> Any:
    import pyarrow as pa
    from pyarrow import feather

    tables = []
    for path in paths:
        try:
            tables.append(feather.read_table(path, memory_map=True))
        except pa.ArrowInvalid:
            try:
                with pa.memory_map(str(path)) as file:
                    tables.append(pa.ipc.open_stream(file).read_all())
            except pa.ArrowInvalid as error:
                raise NotFoundProblem(f"{path.name} is not an Arrow or Feather file") from error
    return pa.concat_tables(tables, promote_options="permissive") if len(tables) > 1 else tables[0]


def _ibis(data: Any) -> Opened:
    backend = data.get_backend()
    if "" in data.columns and backend.name == "duckdb":
        raise NotFoundProblem("the Ibis table has a column without a name", "Rename it")
    return Opened(data, backend, tuple(data.columns), owned=False)


def _readable(table: Any) -> Any:
    """Categories of text stay as they are; DuckDB has no categories of anything else, nor numbers of half precision."""
    import pyarrow as pa

    for position, declared in enumerate(table.schema):
        if pa.types.is_dictionary(declared.type) and not pa.types.is_string(declared.type.value_type):
            column = table.column(position).cast(declared.type.value_type)
            table = table.set_column(position, declared.name, column)
        elif pa.types.is_null(declared.type):
            table = table.set_column(position, declared.name, table.column(position).cast(pa.string()))
        elif pa.types.is_float16(declared.type):
            # There are 65,536 of them at most; each is read by its shortest decimal.
            codes = table.column(position).combine_chunks().dictionary_encode()
            values = [float(str(value)) for value in codes.dictionary.to_numpy(zero_copy_only=False)]
            table = table.set_column(position, declared.name, pa.array(values, pa.float64()).take(codes.indices))
    return table
