"""The command line: parses arguments, shows progress and problems, ends with the right exit code.

stdout carries only paths and results, stderr the progress and the problems. Every command's work is done elsewhere and imported
when it is called, so that ``reporter --help`` stays fast.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from reporter import __version__
from reporter.cli_records import add_commands
from reporter.errors import ConfigError, DataError, Problem, ReporterError
from reporter.terminal import complain, say

# What a wrong command line raises. Its class is click's own, which typer carries inside itself under a private name.
USAGE_FAULT: Any = next(base for base in typer.BadParameter.__mro__ if base.__name__ == "ClickException")

EXIT_USAGE = 2
EXIT_UNEXPECTED = 5
EXIT_INTERRUPTED = 130
MOST_FAILURES = 10

app = typer.Typer(
    name="reporter",
    help="Group reports, agreement and Δ subgroup trees as model cards with verdicts.",
    epilog="Exit codes: 0 fine; 1 a gate failed; 2 usage or config; 3 data; 4 an output could not be made; 5 unexpected; 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

ConfigPath = Annotated[Path, typer.Argument(metavar="CONFIG", help="The YAML config.", show_default=False)]
Overrides = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change one key, e.g. models[0].threshold=0.3. Repeatable.",
        show_default=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="The folder of the outputs.", show_default=False)
]
Formats = Annotated[
    str | None,
    typer.Option(
        "--format", metavar="LIST", help="Formats, separated by commas: html,pdf,json,...", show_default=False
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON object on stdout instead of lines.")]


@app.callback(invoke_without_command=True)
def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Show the version and end.")] = False,
) -> None:
    if version:
        typer.echo(f"reporter {__version__}")
        raise typer.Exit
    if "SOURCE_DATE_EPOCH" in os.environ:
        # Refused here, because libraries that are imported later stumble over a bad one.
        from reporter.provenance import moment_of_run

        moment_of_run()
    if context.invoked_subcommand is None:
        raise typer.BadParameter("name a command; see reporter --help")


@app.command()
def run(
    config: ConfigPath,
    out: Out = None,
    archive: Annotated[
        str | None,
        typer.Option("--archive", metavar="URL", help="A folder or URL where a record is left.", show_default=False),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="RECORD",
            help="The release to compare with: a record, a report.json, or latest-approved.",
            show_default=False,
        ),
    ] = None,
    overrides: Overrides = None,
    formats: Formats = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Compute the report and write the card. Exit code 1 when a gate fails."""
    from reporter.runner import Places, run_to_files

    places = Places(
        out=out,
        baseline=None if baseline is None else _absolute_if_exists(baseline),
        archive=None if archive is None else _absolute(archive),
        formats=_formats(formats),
    )
    result = run_to_files(config, places=places, overrides=overrides or [], progress=_progress(quiet or as_json))
    _finish(result, as_json)


@app.command()
def check(
    configs: Annotated[list[Path], typer.Argument(metavar="CONFIG...", help="The YAML configs.", show_default=False)],
    data: Annotated[bool, typer.Option("--data", help="Open the data too and check the config against it.")] = False,
    overrides: Overrides = None,
) -> None:
    """Show every problem of one or more configs at once, without running them."""
    from reporter.config.loader import load_config

    faults: list[ReporterError] = []
    for config in configs:
        found: list[ReporterError] = []
        try:
            loaded = load_config(config, overrides=overrides or [], environ=os.environ)
        except ReporterError as error:
            faults.append(error)
            continue
        for step in _steps(data):
            try:
                for warning in step(loaded):
                    complain(warning)
            except ReporterError as error:
                found.append(error)
        faults += found
        if not found:
            say(f"{config}: no problems found")
    if len(faults) == 1:
        raise faults[0]
    if faults:
        kind = ConfigError if any(fault.exit_code == EXIT_USAGE for fault in faults) else DataError
        raise kind.of(problem for fault in faults for problem in fault.problems)


def _steps(data: bool) -> list[Callable[[Any], Iterable[Problem]]]:
    """What is checked of a config that was read; each gives warnings."""
    from reporter.checking import check_baseline
    from reporter.runner import open_checked

    def open_data(loaded: Any) -> Iterable[Problem]:
        open_checked(loaded)
        return ()

    return [check_baseline, open_data] if data else [check_baseline]


@app.command()
def init(
    data: Annotated[str, typer.Argument(metavar="DATA", help="A data file.", show_default=False)],
) -> None:
    """Print a first config guessed from a file's columns, with comments."""
    from reporter.config.guess import guess_config

    typer.echo(guess_config(data), nl=False)


@app.command()
def render(
    report: Annotated[Path, typer.Argument(metavar="REPORT", help="A report.json.", show_default=False)],
    out: Out = None,
    formats: Formats = None,
    templates: Annotated[
        Path | None,
        typer.Option(
            "--templates", metavar="DIR", help="A folder searched before the packaged templates.", show_default=False
        ),
    ] = None,
    font: Annotated[
        list[Path] | None,
        typer.Option("--font", metavar="FILE", help="An extra font file for the PDF. Repeatable.", show_default=False),
    ] = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Make the card again from a report.json, without computing."""
    from reporter.runner import render_to_files

    _finish(
        render_to_files(
            report,
            out=out,
            formats=_formats(formats),
            templates=templates,
            fonts=tuple(font or ()),
            progress=_progress(quiet or as_json),
        ),
        as_json,
    )


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder of the outputs.")] = Path("report"),
    formats: Formats = None,
    quiet: Quiet = False,
    as_json: AsJson = False,
) -> None:
    """Run the embedded clinic example. Its gate fails on purpose: the example holds a harm to find."""
    from reporter.packaged import packaged_folder
    from reporter.runner import Places, run_to_files

    config = packaged_folder("configs") / "clinic.yaml"
    places = Places(out=out, formats=_formats(formats))
    _finish(run_to_files(config, places=places, progress=_progress(quiet or as_json)), as_json)


@app.command()
def metrics() -> None:
    """List the metrics: name, aliases, formula, and when each is undefined."""
    from reporter.stats.metrics import METRICS

    for metric in METRICS.values():
        aliases = f" (also {', '.join(metric.aliases)})" if metric.aliases else ""
        typer.echo(
            f"{metric.name}{aliases}\n    {metric.formula}; needs {metric.needs}; interval: {metric.method or 'none'}"
            f"\n    undefined: {metric.undefined}"
        )


@app.command()
def schema(
    report: Annotated[
        bool, typer.Option("--report", help="The schema of report.json instead of the config's.")
    ] = False,
) -> None:
    """Print the JSON Schema of a config (for editors), or of report.json."""
    if report:
        from reporter.render.as_json import report_schema

        found = report_schema()
    else:
        from reporter.config.docs import config_schema

        found = config_schema()
    typer.echo(json.dumps(found, indent=2, ensure_ascii=False))


add_commands(app)


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    sys.exit(_guarded(sys.argv[1:]))


def _guarded(arguments: list[str]) -> int:
    try:
        code = app(arguments, prog_name="reporter", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except typer.Abort:
        return EXIT_INTERRUPTED
    except KeyboardInterrupt as error:
        complain("interrupted")
        _show_notes(error)
        return EXIT_INTERRUPTED
    except USAGE_FAULT as error:
        error.show(sys.stderr)
        return EXIT_USAGE
    except ReporterError as error:
        _show(error.problems)
        _show_notes(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of stdout went away (head, less): not a fault. Keep the interpreter from flushing into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return _unexpected(error)


def _unexpected(error: Exception) -> int:
    import tempfile
    import traceback

    text = traceback.format_exc()
    handle, name = tempfile.mkstemp(prefix="reporter-error-", suffix=".log")
    with open(handle, "w", encoding="utf-8") as log:
        log.write(f"reporter {__version__}, Python {sys.version}\n{text}")
    # An engine's message goes on for several lines: its first says what is wrong.
    said = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
    complain(f"An unexpected error: {type(error).__name__}{f': {said}' if said else ''}")
    complain(f"The traceback is in {name}")
    _show_notes(error)
    return EXIT_UNEXPECTED


def _show(problems: tuple[Problem, ...]) -> None:
    for problem in problems:
        complain(problem)


def _show_notes(error: BaseException) -> None:
    """What became of the outputs of an earlier run."""
    for note in getattr(error, "__notes__", ()):
        complain(note)


def _finish(result: Any, as_json: bool) -> None:
    """Print what was made and leave with the result's exit code."""
    _show(result.problems)
    for note in result.notes:
        complain(note)
    if as_json:
        say(json.dumps(result.to_plain()))
    else:
        for line in result.lines():
            say(line)
        _show_failures(result.report.verdict.failures)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _show_failures(failures: tuple[Any, ...]) -> None:
    """What stops the release, by name: the log of a pipeline is read before any card is opened."""
    for failure in failures[:MOST_FAILURES]:
        complain(f"{failure.gate}: {failure.finding or failure.sentence}")
    if len(failures) > MOST_FAILURES:
        complain(f"and {len(failures) - MOST_FAILURES} more, in the card and in report.json")


def _formats(text: str | None) -> tuple[str, ...] | None:
    if text is None:
        return None
    from reporter.outputs import MAKERS

    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    problems = [
        Problem(f"found {name!r}, expected one of {', '.join(MAKERS)}", key="--format")
        for name in names
        if name not in MAKERS
    ]
    if problems or not names:
        raise ConfigError(*(problems or [Problem("names no format", key="--format")]))
    return names


def _progress(quiet: bool) -> Any:
    from reporter.progress import Progress

    return Progress.on_stderr(quiet=quiet)


def _absolute(location: str) -> str:
    return location if "://" in location else str(Path(location).absolute())


def _absolute_if_exists(location: str) -> str:
    """A path given on the command line is relative to where the command runs, not to the config."""
    if "://" in location or location == "latest-approved":
        return location
    if not Path(location).exists():
        raise ConfigError(
            Problem(
                f"found no file or folder {location!r}",
                key="--baseline",
                hint="Give a record, a report.json, or latest-approved.",
            )
        )
    return str(Path(location).absolute())
