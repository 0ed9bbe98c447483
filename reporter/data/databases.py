"""A table or a query of a database, through Ibis's own backends. A DuckDB file is opened read-only.

No message and no name that leaves this module holds a user's name or password.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from reporter.config.schema import Database
from reporter.data.files import NotFoundProblem, public_url
from reporter.errors import MissingExtraError

if TYPE_CHECKING:
    from reporter.data.tables import Opened

SHORTEST_WORD = 4
"""A shorter secret is not looked for inside words."""

_DRIVERS = {"postgres": "psycopg", "postgresql": "psycopg"}


def open_database(database: Database, *, base: Path) -> Opened:
    """Open a database's table or query. Paths of embedded databases are relative to ``base``.

    Raises
    ------
    NotFoundProblem
        An unknown kind of database, no such file, table or column, a server that cannot be reached.
    MissingExtraError
        The driver is not installed.
    """
    from reporter.data.source import quiet_ibis
    from reporter.data.tables import Opened

    scheme = urlsplit(database.url).scheme.lower()
    backend = _connect(database.url, scheme, base)
    try:
        with quiet_ibis():
            table = _table(backend, database)
    except NotFoundProblem:
        backend.disconnect()
        raise
    except Exception as error:  # each driver has its own errors; all say that this table or query cannot be read
        what = f"table {database.table!r}" if database.table is not None else "the query"
        key = "data.source.table" if database.table is not None else "data.source.sql"
        problem = NotFoundProblem(
            f"{what} of {public_database_url(database)} cannot be read: {_reason(error, database.url)}",
            _tables_hint(backend, database),
            key,
        )
        backend.disconnect()
        raise problem from error
    return Opened(table, backend, tuple(table.columns))


def public_database_url(database: Database) -> str:
    """The database's URL without secrets, and the table's name.

    >>> public_database_url(Database(url="postgres://reader:secret@db.example.org:5432/clinic", table="scores"))
    'postgres://db.example.org:5432/clinic scores'
    """
    parts = urlsplit(database.url)
    shown = public_url(database.url) if parts.netloc else f"{parts.scheme}://{parts.path}"
    return f"{shown} {database.table}" if database.table is not None else f"{shown} (query)"


def _connect(url: str, scheme: str, base: Path) -> Any:
    if scheme == "duckdb":
        return _duckdb(url, base)
    if scheme == "sqlite":
        return _sqlite(url, base)
    if scheme in _DRIVERS:
        return _server(url, scheme)
    raise NotFoundProblem(
        f"databases of the kind {scheme or url!r} are not known", "Use duckdb, sqlite or postgres", "data.source.url"
    )


def _file(url: str, base: Path) -> Path:
    """``sqlite:///a.db`` is relative to the config, ``sqlite:////a.db`` absolute."""
    path = base / unquote(url.split("://", 1)[1].removeprefix("/").split("?", 1)[0])
    if not path.is_file():
        raise NotFoundProblem(f"there is no file {path}", key="data.source.url")
    return path


def _duckdb(url: str, base: Path) -> Any:
    import duckdb
    import ibis

    path = _file(url, base)
    settings = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    try:
        return ibis.duckdb.connect(str(path), read_only=True, **settings)
    except duckdb.Error as error:
        raise NotFoundProblem(
            f"{path.name} cannot be opened: {str(error).splitlines()[0]}", key="data.source.url"
        ) from error


def _sqlite(url: str, base: Path) -> Any:
    import sqlite3

    path = _file(url, base)
    _need("sqlite", "regex")
    import ibis

    backend = ibis.sqlite.connect(str(path))
    try:
        backend.list_tables()
    except sqlite3.DatabaseError as error:
        backend.disconnect()
        raise NotFoundProblem(f"{path.name} is not an SQLite database: {error}", key="data.source.url") from error
    return backend


def _server(url: str, scheme: str) -> Any:
    _need("postgres", _DRIVERS[scheme])
    import ibis
    import psycopg

    try:
        return ibis.connect(url.replace("postgresql://", "postgres://", 1))
    except (psycopg.Error, OSError, ValueError) as error:
        raise NotFoundProblem(
            f"the database {public_url(url)} cannot be reached: {_reason(error, url)}",
            "Check the address, the user and that the server is running",
            "data.source.url",
        ) from error


def _need(extra: str, package: str) -> None:
    import importlib.util

    if importlib.util.find_spec(package) is None:
        raise MissingExtraError(feature=f"Reading a {extra} database", package=package, extra=extra)


def _table(backend: Any, database: Database) -> Any:
    if database.table is not None:
        if database.table in _tables(backend):
            return backend.table(database.table)
        schema, _, name = database.table.rpartition(".")
        return backend.table(name, database=schema) if schema else backend.table(database.table)
    query = (database.sql or "").strip().rstrip(";")
    if backend.name == "duckdb":
        backend.raw_sql(f'CREATE TEMP VIEW "data_source_sql" AS {query}')
        return backend.table("data_source_sql")
    if backend.name == "postgres":
        return backend.sql(query, schema=_postgres_schema(backend, query))
    return backend.sql(query)


def _postgres_schema(backend: Any, query: str) -> Any:
    """The columns of a query, asked without the temporary view that Ibis would create."""
    import ibis
    from ibis.backends.sql.datatypes import PostgresType

    with backend.con.cursor() as cursor:
        cursor.execute(f"SELECT * FROM ({query}) AS data_source_sql LIMIT 0")
        known = backend.con.adapters.types
        names = {column.name: known.get(column.type_code) for column in cursor.description}
        backend.con.rollback()
    return ibis.schema(
        {name: PostgresType.from_string("text" if kind is None else kind.name) for name, kind in names.items()}
    )


def _tables(backend: Any) -> list[str]:
    if backend.name != "duckdb":
        return list(backend.list_tables())
    query = "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1"
    return [name for (name,) in backend.raw_sql(query).fetchall()]


def _tables_hint(backend: Any, database: Database) -> str:
    import difflib

    if database.table is None:
        return ""
    try:
        names = _tables(backend)
    except Exception:  # a hint is not worth a second error
        return ""
    near = difflib.get_close_matches(database.table, names, n=3)
    if near:
        return f"Did you mean {' or '.join(repr(name) for name in near)}?"
    return f"Its tables are {', '.join(sorted(names)[:12])}" if names else "It has no tables"


def _reason(error: BaseException, url: str) -> str:
    """The first line of a driver's message, without the URL's user, password and query."""
    parts = urlsplit(url)
    lines = str(error).strip().splitlines()
    text = lines[0] if lines else type(error).__name__
    for secret in (url, parts.query, parts.password):
        if secret and len(secret) >= SHORTEST_WORD:
            text = text.replace(secret, "***").replace(unquote(secret), "***")
    for secret in (parts.query, parts.password, parts.username):
        # A name or a short password stands inside ordinary words too: it is a secret where it is quoted or a part of a URL.
        for form in {secret, unquote(secret)} if secret else ():
            text = re.sub(rf"(?<=['\"`]){re.escape(form)}(?=['\"`])|(?<=[/:?]){re.escape(form)}(?=[:@])", "***", text)
    return text
