"""The story of a run: Config -> open table -> counts -> Report -> files.

Each step is one function of the layer that owns it; this file only tells their order.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporter.config.loader import LoadedConfig, load_config
from reporter.earlier_outputs import no_earlier_outputs
from reporter.errors import ConfigError, DataError, MissingExtraError, OutputError, Problem
from reporter.outputs import MAKERS, Written, write_outputs
from reporter.progress import Progress
from reporter.provenance import make_provenance, moment_of_run
from reporter.recording import check_archives, leave_records, open_configured
from reporter.results import Report

if TYPE_CHECKING:
    from reporter.baseline import Baseline
    from reporter.config.schema import MlflowConfig
    from reporter.data.counts import Counts
    from reporter.data.noise_studies import NoiseStudies
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
    if not (baseline is None or isinstance(baseline, str | os.PathLike)):
        from reporter.stats.delta_options import as_found

        message = f"found {as_found(baseline)}, expected the path of a record or of a report.json"
        raise ConfigError(Problem(message, key="baseline"))
    moment_of_run()  # libraries that are imported later stumble over a bad SOURCE_DATE_EPOCH
    loaded = load_config(_with_frame(config, data), environ=os.environ)
    place = None if baseline is None else str(Path(baseline).absolute() if Path(baseline).exists() else baseline)
    return evaluate(loaded, data=data, places=Places(baseline=place)).report


@dataclass(frozen=True)
class Places:
    """Where a command was told to read and write, instead of what the config says. Not part of what is recorded."""

    out: Path | None = None
    baseline: str | None = None
    archive: str | None = None
    formats: tuple[str, ...] | None = None


AS_CONFIGURED = Places()


@dataclass(frozen=True)
class Evaluation:
    """A finished computation: the report and what it was made from. ``interrupted``: a noise study was stopped and is partial.
    ``sealed``: with ``small_cells`` the full evaluation, of which nothing may be shown."""

    report: Report
    counts: Counts
    loaded: LoadedConfig
    baseline: bytes | None
    interrupted: bool = False
    sealed: Evaluation | None = None


def evaluate(
    loaded: LoadedConfig,
    *,
    data: Any = None,
    places: Places = AS_CONFIGURED,
    overrides: Sequence[str] = (),
    progress: Progress = SILENT,
) -> Evaluation:
    """Open the data, count, and assemble the Report."""
    from reporter.assemble import Carried, assemble
    from reporter.data.counts import count

    moment = moment_of_run()
    baseline = configured_baseline(loaded, places, moment.date())
    with progress.step("Open the data") as step:
        source = open_checked(loaded, data=data)
        step.detail = loaded.redact(source.public_name)
    with progress.step("Count") as step:
        counts = count(source, loaded)
        step.detail = f"{counts.facts['n']:,} {loaded.config.card.vocabulary.units}"
    noise = _noise(source, loaded, progress)
    inputs = [*counts.facts["inputs"], *noise.inputs]
    provenance = make_provenance(loaded, moment=moment, inputs=inputs, overrides=overrides)
    carried = Carried(noise=noise.results)
    if baseline is not None:
        carried = replace(
            carried, baseline=baseline.report, baseline_name=baseline.name, baseline_signed=baseline.signed
        )
    with progress.step("Compute the report") as step:
        report = assemble(counts, loaded.config, provenance, carried)
        # Where small cells are hidden, the number of all comparisons would tell how many combinations are empty.
        if loaded.config.small_cells is None:
            step.detail = f"{len(report.comparisons):,} comparison{'' if len(report.comparisons) == 1 else 's'}"
    done = Evaluation(report, counts, loaded, baseline.content if baseline else None, noise.interrupted)
    return (
        done if loaded.config.small_cells is None else _without_small_cells(done, loaded.config.small_cells, progress)
    )


def _without_small_cells(full: Evaluation, k: int, progress: Progress) -> Evaluation:
    """What may be shown of an evaluation; the baseline may hold small counts, so that it is not kept either."""
    from reporter.assemble import Carried, assemble
    from reporter.small_cells.suppression import suppress

    with progress.step("Suppress small cells"):
        counts = suppress(full.counts, full.report, k)
        signed = full.report.settings["baseline_signed"]
        report = assemble(counts, full.loaded.config, full.report.provenance, Carried(baseline_signed=signed))
    return replace(full, report=report, counts=counts, baseline=None, sealed=full)


def _noise(source: Source, loaded: LoadedConfig, progress: Progress) -> NoiseStudies:
    from reporter.data.noise_studies import NoiseStudies, run_noise_studies

    if not loaded.config.noise_studies:
        return NoiseStudies()
    with progress.step("Noise studies") as step:
        done = run_noise_studies(source, loaded, progress=step.advance)
        results = "1 result" if len(done.results) == 1 else f"{len(done.results)} results"
        step.detail = f"{results}{', stopped: the last one is partial' if done.interrupted else ''}"
    return done


def open_checked(loaded: LoadedConfig, *, data: Any = None) -> Source:
    """The open table of a config, checked against it; DataError with every problem at once."""
    from reporter.data.source import check_source, open_source

    source = open_source(loaded, data=data)
    problems = check_source(source, loaded)
    if not problems and loaded.config.noise_studies:
        from reporter.data.noise_studies import check_noise_studies

        problems = check_noise_studies(source, loaded)
    if problems:
        raise DataError(*problems)
    return source


def run_to_files(
    config: Path, *, places: Places = AS_CONFIGURED, overrides: Sequence[str] = (), progress: Progress = SILENT
) -> Written:
    """Run a config, write its outputs (default: to the config's ``output.directory``), and leave a record in the archive if there is one."""
    loaded = _read_config(config, places, overrides, progress)
    output = loaded.config.output
    directory = places.out if places.out is not None else loaded.base / output.directory
    formats = places.formats or output.formats
    with no_earlier_outputs(directory, formats, keep=_baseline_file(loaded, places)) as earlier:
        check_archives(loaded, places)
        done = evaluate(loaded, places=places, overrides=overrides, progress=progress)
        written = write_outputs(
            done.report,
            directory=directory,
            formats=formats,
            templates=None if output.templates is None else loaded.base / output.templates,
            fonts=tuple(loaded.base / font for font in output.fonts),
            progress=progress,
        )
    written = replace(written, notes=tuple(filter(None, [earlier.note()])))
    if done.interrupted:
        # What was stopped half-way is not what the config asked for: it leaves no record.
        return replace(written, interrupted=True)
    written = leave_records(written, done, places, progress)
    return written if output.mlflow is None else _logged(written, output.mlflow, loaded, progress)


def _read_config(config: Path, places: Places, overrides: Sequence[str], progress: Progress) -> LoadedConfig:
    """A config that cannot be read says neither where its outputs are nor what its baseline is: perhaps the report.json there."""
    with progress.step("Read the config"):
        if places.out is None:
            return load_config(config, overrides=overrides, environ=os.environ)
        with no_earlier_outputs(places.out, places.formats or (), keep=[places.out / "report.json"]):
            return load_config(config, overrides=overrides, environ=os.environ)


def _baseline_file(loaded: LoadedConfig, places: Places) -> list[Path]:
    """The next run compares with it again."""
    location = places.baseline or loaded.config.baseline
    return [] if location is None or "://" in location else [loaded.base / location]


def _logged(written: Written, mlflow: MlflowConfig, loaded: LoadedConfig, progress: Progress) -> Written:
    from reporter.registry import log_to_mlflow

    with progress.step("Log to MLflow") as step:
        try:
            uri = mlflow.tracking_uri
            step.detail = log_to_mlflow(written, tracking_uri=uri, experiment=mlflow.experiment, base=loaded.base)
        except (OutputError, MissingExtraError) as error:
            problems = (replace(problem, message=loaded.redact(problem.message)) for problem in error.problems)
            return replace(written, problems=(*written.problems, *problems))
    return written


def configured_baseline(loaded: LoadedConfig, places: Places, today: datetime.date) -> Baseline | None:
    """The release that a config, or ``places``, names to compare with."""
    location = places.baseline or loaded.config.baseline
    if location is None:
        return None
    from reporter.baseline import LATEST, read_baseline

    config = loaded.config
    try:
        return read_baseline(
            location,
            base=loaded.base,
            archive=open_configured("archive", loaded, places) if location == LATEST else None,
            model=config.card.name,
            allowed_signers=None if config.allowed_signers is None else loaded.base / config.allowed_signers,
            today=today,
        )
    except (ConfigError, DataError) as error:
        raise type(error)(*(_at(loaded, problem, "baseline") for problem in error.problems)) from None


def _at(loaded: LoadedConfig, problem: Problem, key: str) -> Problem:
    """The problem at its key's place in the config, unless it already has a place of its own."""
    return problem if problem.path else loaded.problem(problem.key or key, problem.message, problem.hint)


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
        formats = formats or _stored_formats(found, report)
    return write_outputs(
        found,
        directory=out if out is not None else report.parent,
        formats=formats,
        templates=templates,
        fonts=fonts,
        progress=progress,
    )


def _stored_formats(found: Report, path: Path) -> tuple[str, ...]:
    """Those that the run made, where it knew only formats that are known here."""
    names = tuple(found.settings.get("formats", ()))
    hint, key = "Give --format.", "settings.formats"
    unknown = [name for name in names if name not in MAKERS]
    if unknown:
        message = f"found {unknown[0]!r}, expected one of {', '.join(MAKERS)}"
        raise ConfigError(Problem(message, hint, path=str(path), key=key))
    if not names:
        raise ConfigError(Problem("the report names no format", hint, path=str(path), key=key))
    return names


def _with_frame(config: str | Path | Mapping[str, Any], data: Any) -> str | Path | Mapping[str, Any]:
    """A mapping may leave out ``data.source`` when the data come from Python."""
    if data is None or not isinstance(config, Mapping):
        return config
    section = dict(config.get("data") or {})
    return {**config, "data": {"source": "(frame)", **section}}
