"""Open the rows that a config names, wherever they are. Nothing is counted or loaded here.

``open_source`` gives an Ibis table with the row filter applied; ``check_source`` holds it against the config, so that every problem is known
before anything is computed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import warnings
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporter.config.schema import Config, Database
from reporter.data.files import Found, NotFoundProblem, file_format, find_files, is_url, public_url
from reporter.errors import DataError, Problem, ReporterError

if TYPE_CHECKING:
    import ibis

    from reporter.config.loader import LoadedConfig


@dataclass(frozen=True, eq=False)
class Source:
    """An open table of rows.

    ``table`` has ``where`` applied, ``unfiltered`` has not. ``columns`` are the names as they stand in the data, repetitions included. ``text`` are
    the columns of text, where ``data.missing`` applies. ``public_name`` and ``inputs`` hold no secrets. ``time_zones``: of columns of moments
    that are to be named in another zone than UTC.
    """

    table: ibis.Table
    unfiltered: ibis.Table
    backend: Any
    public_name: str
    columns: tuple[str, ...]
    sha256: str | None = None
    inputs: tuple[dict[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    filtered: bool = False
    problems: tuple[Problem, ...] = ()
    time_zones: Mapping[str, str] = field(default_factory=dict)
    memo: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def n_filtered_out(self) -> int:
        """The rows that ``where`` left out."""
        if not self.filtered:
            return 0
        if "n_filtered_out" not in self.memo:
            self.memo["n_filtered_out"] = self.fetch_number(self.unfiltered.count()) - self.n
        return int(self.memo["n_filtered_out"])

    @property
    def n(self) -> int:
        """The rows that are evaluated."""
        if "n" not in self.memo:
            self.memo["n"] = self.fetch_number(self.table.count())
        return int(self.memo["n"])

    def fetch_number(self, expression: Any) -> int:
        """A single whole number, computed by the engine."""
        return int(self.fetch(expression.name("n").as_table())["n"][0].as_py())

    def fetch(self, expression: Any) -> Any:
        """A small result, computed by the engine, as an Arrow table."""
        with engine_errors(self.public_name, filtered=self.filtered), quiet_ibis():
            return self.backend.to_pyarrow(expression)

    def batches(self, expression: Any, rows: int) -> Iterator[Any]:
        """A large result, batch by batch, as Arrow record batches of at most so many rows."""
        with engine_errors(self.public_name, filtered=self.filtered), quiet_ibis():
            if self.backend.name != "duckdb":
                yield from self.backend.to_pyarrow_batches(expression, chunk_size=rows)
                return
            relation = self.backend.con.sql(self.backend.compile(expression))
            # DuckDB 1.4 gave the reader a new name; 2.0 dropped the old one.
            reader = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader
            yield from reader(rows)


def open_source(loaded: LoadedConfig, *, data: Any = None) -> Source:
    """Open what ``data.source`` names, or ``data``: a pandas or Arrow frame, an Ibis table, or a path.

    Raises
    ------
    DataError
        It cannot be found, fetched, read or reached, or is not the file of ``data.sha256``.
    MissingExtraError
        The database's driver is not installed.
    """
    with placed(loaded):
        try:
            return _open(loaded, data)
        except NotFoundProblem as problem:
            raise DataError(Problem(problem.message, problem.hint, key=problem.key)) from problem


def check_source(source: Source, loaded: LoadedConfig) -> list[Problem]:
    """What of the config the open table does not fit: every problem at once, each with its line."""
    from reporter.data.checks import plan

    with placed(loaded):
        return list(plan(source, loaded).problems)


def needed_columns(config: Config) -> dict[str, str]:
    """The columns that a config uses, each with the key that names it first (``where`` may use others)."""
    from reporter.data.groupings import group_columns

    found: dict[str, str] = {}

    def need(column: str | None, key: str) -> None:
        if column is not None:
            found.setdefault(column, key)

    need(config.data.label, "data.label")
    need(config.data.key, "data.key")
    for i, model in enumerate(config.models):
        need(model.score, f"models[{i}].score")
        need(model.prediction, f"models[{i}].prediction")
    for key, column in group_columns(config):
        need(column.column, key)
    if config.agreement is not None:
        for rater, name in config.agreement.raters.items():
            need(name, f"agreement.raters.{rater}")
        for i, item in enumerate(config.agreement.items):
            for rater, name in (item.__pydantic_extra__ or {}).items():
                need(name, f"agreement.items[{i}].{rater}")
    for i, tree in enumerate(config.trees):
        need(tree.attribute, f"trees[{i}].attribute")
        for j, covariate in enumerate(tree.split_on):
            need(covariate if isinstance(covariate, str) else covariate.column, f"trees[{i}].split_on[{j}]")
    for i, study in enumerate(config.noise_studies):
        at = f"noise[{i}]" if isinstance(config.noise, tuple) else "noise"
        for j, name in enumerate(study.inputs):
            need(name, f"{at}.inputs[{j}]")
        need(study.group, f"{at}.group")
    return found


@contextmanager
def placed(loaded: LoadedConfig) -> Iterator[None]:
    """Give what is wrong with the data its place in the config: that of its key, or where that is not written of ``data.source``."""
    try:
        yield
    except DataError as error:
        problems = [_placed(loaded, p) if p.key.startswith("data.") and not p.path else p for p in error.problems]
        raise type(error)(*problems) from error.__cause__


def _placed(loaded: LoadedConfig, problem: Problem) -> Problem:
    found = loaded.problem(problem.key, problem.message, problem.hint)
    if problem.key in loaded.positions:
        return found
    source = loaded.problem("data.source", "")
    return replace(found, path=source.path, line=source.line, column=source.column)


@contextmanager
def engine_errors(name: str, *, filtered: bool = False) -> Iterator[None]:
    """Turn what an engine says of the data (a malformed line, a value that is no number) into a DataError.

    ``filtered``: ``where`` is part of the question. Only it converts values in a way that can fail.
    """
    import duckdb

    data_errors = (
        duckdb.InvalidInputException,
        duckdb.ConversionException,
        duckdb.IOException,
        duckdb.OutOfMemoryException,
        duckdb.SerializationException,
        duckdb.OutOfRangeException,
    )
    try:
        yield
    except data_errors as error:
        from reporter.data.engine_messages import explain

        if filtered and isinstance(error, duckdb.ConversionException):
            reason = str(error).splitlines()[0]
            raise DataError(Problem(f"the filter cannot be used: {reason}", key="data.where")) from error
        message, hint = explain(str(error), name)
        raise DataError(Problem(message, hint=hint, key="data.source")) from error


@contextmanager
def quiet_ibis() -> Iterator[None]:
    """Ibis asks pandas for an option that pandas 3 has deprecated: nothing that a user could mend."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*infer_string.*")
        yield


def _open(loaded: LoadedConfig, data: Any) -> Source:
    from reporter.data import tables

    declared = loaded.config.data
    if data is not None and not isinstance(data, (str, os.PathLike)):
        opened = tables.open_frame(data)
        source = _source(loaded, opened, name="data given from Python")
        if opened.owned:
            weakref.finalize(source, _close, opened.backend, None)
        return source
    if data is not None:
        return _from_files(loaded, os.fspath(data), base=Path.cwd())
    if isinstance(declared.source, Database):
        from reporter.data.databases import open_database, public_database_url

        opened = open_database(declared.source, base=loaded.base)
        source = _source(loaded, opened, name=public_database_url(declared.source))
        weakref.finalize(source, _close, opened.backend, None)
        return source
    return _from_files(loaded, declared.source, base=loaded.base)


def _from_files(loaded: LoadedConfig, named: str, *, base: Path) -> Source:
    from reporter.data import tables

    declared = loaded.config.data
    found = find_files(named, base=base, sha256=declared.sha256, environ=os.environ)
    formats = {file_format(path, declared.format) for path in found.paths}
    if len(formats) > 1:
        raise NotFoundProblem(f"{named} matches files of several formats: {', '.join(sorted(formats))}")
    workspace = Path(tempfile.mkdtemp(prefix="reporter-"))
    try:
        opened = tables.open_files(formats.pop(), found.paths, declared, workspace, set(needed_columns(loaded.config)))
    except BaseException:
        shutil.rmtree(workspace, ignore_errors=True)
        raise
    source = _source(loaded, opened, name=public_url(named) if is_url(named) else named, found=found)
    weakref.finalize(source, _close, opened.backend, workspace)
    return source


def _close(backend: Any, workspace: Path | None) -> None:
    backend.disconnect()
    if workspace is not None:
        shutil.rmtree(workspace, ignore_errors=True)


def _source(loaded: LoadedConfig, opened: Any, *, name: str, found: Found | None = None) -> Source:
    from reporter.data.row_filter import filtered

    where = loaded.config.data.where
    table, problem = opened.table, None
    if where is not None and opened.table is not None:
        try:
            table = filtered(opened, where)
        except ReporterError:
            raise
        except NotFoundProblem as error:
            problem = loaded.problem(error.key, error.message, error.hint)
    return Source(
        table=table,
        unfiltered=opened.table,
        backend=opened.backend,
        public_name=name,
        columns=opened.columns,
        sha256=None if found is None else found.sha256,
        inputs=() if found is None else found.inputs,
        notes=opened.notes,
        time_zones=opened.time_zones,
        filtered=where is not None,
        problems=() if problem is None else (problem,),
    )
