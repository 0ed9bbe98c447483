"""The row filter ``where``: an SQL expression over the columns, applied by the engine that holds the rows.

In files of text the columns that hold numbers, dates or booleans are compared as such, except with a quoted literal: ``zip = '01234'``
compares text.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from reporter.data.files import NotFoundProblem

if TYPE_CHECKING:
    from reporter.data.tables import Opened

_numbers = itertools.count(1)


def filtered(opened: Opened, where: str) -> Any:
    """The rows for which ``where`` is true.

    Raises
    ------
    NotFoundProblem
        ``where`` is not one SQL expression or no condition, names a column that does not exist or compares what cannot be compared.
    """
    backend = opened.backend
    condition = _parsed(where, backend.dialect.__name__.lower() if hasattr(backend, "dialect") else "")
    _check_columns(condition, opened)
    _check_kind(condition, opened, where)
    condition = _with_types(condition, opened.number_types).sql(dialect=backend.dialect)
    if backend.name == "duckdb":
        return _duckdb_view(opened, condition, where)
    # The columns are the table's own: given them, Ibis need not ask the database, which it would do by creating a view.
    query = f'SELECT * FROM ({backend.compile(opened.table)}) AS "evaluated" WHERE ({condition})'
    return backend.sql(query, schema=opened.table.schema())


def mentioned_columns(where: str) -> set[str]:
    """The columns that an expression names; none when it cannot be read (which ``filtered`` reports)."""
    from sqlglot import exp

    try:
        return {column.name for column in _parsed(where, "duckdb").find_all(exp.Column)}
    except NotFoundProblem:
        return set()


def _parsed(where: str, dialect: str) -> Any:
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        statements = sqlglot.parse(f"SELECT * FROM evaluated WHERE ({where}\n)", read=dialect or None)
    except SqlglotError as error:
        raise NotFoundProblem(f"{where!r} is not an SQL expression: {_reason(error)}", key="data.where") from error
    statement = statements[0] if len(statements) == 1 else None
    found = statement.args.get("where") if statement is not None else None
    clauses = {key for key, value in (statement.args if statement is not None else {}).items() if value}
    if found is None or not clauses <= {"kind", "expressions", "from", "from_", "where"}:
        raise NotFoundProblem(f"{where!r} is not one SQL expression", _EXAMPLE, "data.where")
    return found.this.copy()


_EXAMPLE = "Write a condition, e.g. year = 2026"


def _reason(error: Any) -> str:
    """What the parser says, without its own names and its positions in a longer text."""
    first = next(iter(getattr(error, "errors", None) or [{}]))
    if not first:
        return "is a quotation mark not closed?"
    if "Required keyword" in first["description"]:
        return "a value is missing"
    # The expression is followed by a line of its own.
    return "it breaks off at its end" if first["line"] > 1 else f"it cannot be read from {first['highlight']!r} on"


def _check_columns(condition: Any, opened: Opened) -> None:
    import difflib

    from sqlglot import exp

    known = {name.lower(): name for name in opened.columns}
    for column in condition.find_all(exp.Column):
        if column.find_ancestor(exp.Subquery, exp.Select) is None and column.name.lower() not in known:
            near = difflib.get_close_matches(column.name, opened.columns, n=3)
            raise NotFoundProblem(
                f"there is no column {column.name!r}",
                f"Did you mean {' or '.join(repr(name) for name in near)}?" if near else "",
                "data.where",
            )


def _check_kind(condition: Any, opened: Opened, where: str) -> None:
    """Refuse a single value, which some engines take for a condition."""
    from sqlglot import exp

    value = condition.unnest()
    if isinstance(value, exp.Literal):
        raise NotFoundProblem(f"{where!r} is {'text' if value.is_string else 'a number'}", _EXAMPLE, "data.where")
    if not isinstance(value, exp.Column) or opened.backend.name == "duckdb":
        return
    kinds = {name.lower(): kind for name, kind in opened.table.schema().items()}
    kind = kinds.get(value.name.lower())
    if kind is not None and (kind.is_string() or kind.is_floating() or kind.is_decimal()):
        raise NotFoundProblem(f"{where!r} is {'text' if kind.is_string() else 'a number'}", _EXAMPLE, "data.where")


def _with_types(condition: Any, types: dict[str, str]) -> Any:
    from sqlglot import exp

    if not types:
        return condition
    known = {name.lower(): kind for name, kind in types.items()}

    def typed(node: Any) -> Any:
        if not isinstance(node, exp.Column) or node.name.lower() not in known or _beside_text(node):
            return node
        return exp.cast(node.copy(), known[node.name.lower()], dialect="duckdb")

    return condition.copy().transform(typed)


def _beside_text(column: Any) -> bool:
    """Whether a column is compared with a quoted literal."""
    from sqlglot import exp

    others = [node for node in column.parent.iter_expressions() if node is not column] if column.parent else []
    return any(isinstance(node, exp.Literal) and node.is_string for node in others)


def _duckdb_view(opened: Opened, condition: str, where: str) -> Any:
    import duckdb

    name = f"evaluated_{next(_numbers)}"
    backend = opened.backend
    inner = _relation(opened)
    try:
        ((_, kind, *_),) = backend.raw_sql(f"DESCRIBE SELECT ({condition}) AS found FROM {inner}").fetchall()
        if kind != "BOOLEAN":
            raise NotFoundProblem(f"{where!r} {_KINDS.get(kind.split('(')[0], _OTHER)}", _EXAMPLE, "data.where")
        backend.raw_sql(f'CREATE TEMP VIEW "{name}" AS SELECT * FROM {inner} WHERE ({condition})')
    except duckdb.Error as error:
        raise NotFoundProblem(f"the filter cannot be used: {str(error).splitlines()[0]}", key="data.where") from error
    return backend.table(name)


_OTHER = "is no condition"
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
_KINDS = {**dict.fromkeys(_NUMBERS, "is a number"), "VARCHAR": "is text"}


def _relation(opened: Opened) -> str:
    import ibis

    # In-memory tables of an Ibis expression are known to the engine only after this.
    if hasattr(opened.backend, "_register_in_memory_tables"):
        opened.backend._register_in_memory_tables(opened.table)
    return f"({ibis.to_sql(opened.table, dialect='duckdb')}) AS rows"
