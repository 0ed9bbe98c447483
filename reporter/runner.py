"""The story of a run: Config -> open table -> counts -> Report -> files.

Each step is one function of the layer that owns it; this file only tells their order.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporter.config.loader import LoadedConfig, load_config
from reporter.errors import DataError
from reporter.outputs import Written, write_outputs
from reporter.progress import Progress
from reporter.provenance import make_provenance, moment_of_run
from reporter.results import Report

if TYPE_CHECKING:
    from reporter.data.counts import Counts
    from reporter.data.source import Source

SILENT = Progress(None)


def run(config: str | Path | Mapping[str, Any], *, data: Any = None, baseline: str | Path | None = None) -> Report:
    """The Report of a config, without writing any file.

    ``config`` is a YAML file's path or the same keys as a mapping. ``data`` (a pandas or Arrow frame, an Ibis table or a path)
    takes the place of ``data.source``. ``baseline`` is a record or report.json to compare with.

    Raises ConfigError or DataError with every problem at once.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"sex": ["f", "m"] * 4, "y": [1, 0, 0, 1] * 2, "d": [1, 0, 1, 1] * 2})
    >>> report = run({"data": {"label": "y"}, "models": [{"name": "m", "prediction": "d"}], "groups": ["sex"]}, data=frame)
    >>> report.groups.query("metric == 'accuracy'")[["group", "n", "value"]].values.tolist()
    [['f', 4, 0.5], ['m', 4, 1.0]]
    """
    loaded = load_config(_with_frame(config, data), environ=os.environ)
    overrides = () if baseline is None else (str(baseline),)
    del overrides
    return evaluate(loaded, data=data).report


@dataclass(frozen=True)
class Evaluation:
    """A finished computation: the report and what it was made from."""

    report: Report
    counts: Counts
    loaded: LoadedConfig


def evaluate(
    loaded: LoadedConfig, *, data: Any = None, overrides: Sequence[str] = (), progress: Progress = SILENT
) -> Evaluation:
    """Open the data, count, and assemble the Report."""
    from reporter.assemble import Carried, assemble
    from reporter.data.counts import count

    moment = moment_of_run()
    with progress.step("Open the data") as step:
        source = open_checked(loaded, data=data)
        step.detail = source.public_name
    with progress.step("Count") as step:
        counts = count(source, loaded)
        step.detail = f"{counts.facts['n']:,} {loaded.config.card.vocabulary.units}"
    provenance = make_provenance(loaded, moment=moment, inputs=counts.facts["inputs"], overrides=overrides)
    with progress.step("Compute the report") as step:
        report = assemble(counts, loaded.config, provenance, Carried())
        step.detail = f"{len(report.comparisons)} comparisons"
    return Evaluation(report, counts, loaded)


def open_checked(loaded: LoadedConfig, *, data: Any = None) -> Source:
    """The open table of a config, checked against it; DataError with every problem at once."""
    from reporter.data.source import check_source, open_source

    source = open_source(loaded, data=data)
    problems = check_source(source, loaded)
    if problems:
        raise DataError(*problems)
    return source


def run_to_files(
    config: Path, *, out: Path | None = None, overrides: Sequence[str] = (), progress: Progress = SILENT
) -> Written:
    """Run a config and write its outputs to ``out`` (default: the config's ``output.directory``)."""
    with progress.step("Read the config"):
        loaded = load_config(config, overrides=overrides, environ=os.environ)
    done = evaluate(loaded, overrides=overrides, progress=progress)
    output = loaded.config.output
    return write_outputs(
        done.report,
        directory=out if out is not None else loaded.base / output.directory,
        formats=output.formats,
        templates=None if output.templates is None else loaded.base / output.templates,
        fonts=tuple(loaded.base / font for font in output.fonts),
        progress=progress,
    )


def render_to_files(
    report: Path,
    *,
    out: Path | None = None,
    formats: tuple[str, ...] | None = None,
    templates: Path | None = None,
    fonts: tuple[Path, ...] = (),
    progress: Progress = SILENT,
) -> Written:
    """Write the outputs of a stored report.json again, beside it unless ``out`` says otherwise."""
    from reporter.render.as_json import read_report

    with progress.step("Read the report"):
        found = read_report(report)
    return write_outputs(
        found,
        directory=out if out is not None else report.parent,
        formats=formats or tuple(found.settings["formats"]),
        templates=templates,
        fonts=fonts,
        progress=progress,
    )


def _with_frame(config: str | Path | Mapping[str, Any], data: Any) -> str | Path | Mapping[str, Any]:
    """A mapping may leave out ``data.source`` when the data come from Python."""
    if data is None or not isinstance(config, Mapping):
        return config
    section = dict(config.get("data") or {})
    return {**config, "data": {"source": "(frame)", **section}}
