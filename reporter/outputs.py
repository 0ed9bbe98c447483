"""Report to files: every format is made on its own, so that one that fails does not take the others with it.

Which files a format makes stands in one table. Files appear whole or not at all; a format that could not be made leaves no
file of an earlier run behind either, since that would look like this run's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reporter.errors import OutputError, Problem
from reporter.progress import Progress
from reporter.results import Report
from reporter.terminal import readable

if TYPE_CHECKING:
    from reporter.archive.chain import RecordRef

EXIT_GATE_FAILED = 1
EXIT_INTERRUPTED = 130


@dataclass(frozen=True)
class Written:
    """What a command made: the report, its files by format, what went wrong, and notes that change nothing.

    ``record_path`` is as it may be shown. ``sealed_record``: with ``small_cells`` the full record, in the archive for those who may see it.
    """

    report: Report
    files: dict[str, list[Path]] = field(default_factory=dict)
    contents: dict[str, bytes] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    record: RecordRef | None = None
    record_path: str = ""
    sealed_record: RecordRef | None = None
    sealed_path: str = ""
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def exit_code(self) -> int:
        """130 when the run was interrupted, 4 when an output could not be made, 1 when the gate failed, else 0."""
        if self.interrupted:
            return EXIT_INTERRUPTED
        if self.problems:
            return OutputError.exit_code
        return EXIT_GATE_FAILED if self.report.verdict.outcome == "fail" else 0

    def lines(self) -> list[str]:
        """What is printed: the verdict, then a path per file (one folder for all tables), then where the records are."""
        verdict = self.report.verdict
        warnings = sum(1 for c in self.report.comparisons if c.verdict == "diverges" and c.severity == "warn")
        warned = f" ({warnings} warning{'' if warnings == 1 else 's'})" if warnings else ""
        said = f"{verdict.outcome}: {verdict.n_flagged} diverging{warned}, {verdict.n_insufficient} with insufficient evidence, {verdict.n_within} within limit"
        lines = [said, *(str(path) for name, paths in self.files.items() for path in _shown(name, paths))]
        for record, path, prefix in (
            (self.record, self.record_path, ""),
            (self.sealed_record, self.sealed_path, "sealed: "),
        ):
            if record is not None:
                lines += [f"{prefix}{path}", f"{prefix}sha256 {record.manifest}"]
        return lines

    def to_plain(self) -> dict[str, Any]:
        """The same for machines."""
        verdict = self.report.verdict
        return {
            "outcome": verdict.outcome,
            "exit_code": self.exit_code,
            "n_flagged": verdict.n_flagged,
            "n_insufficient": verdict.n_insufficient,
            "n_within": verdict.n_within,
            "findings": [c.finding for c in self.report.comparisons if c.verdict == "diverges"],
            "failures": [{"gate": f.gate, "finding": f.finding} for f in verdict.failures],
            "files": {name: [readable(str(path)) for path in paths] for name, paths in self.files.items()},
            "record": _plain_record(self.record, self.record_path),
            "sealed_record": _plain_record(self.sealed_record, self.sealed_path),
            "notes": [readable(note) for note in self.notes],
            "problems": [readable(str(problem)) for problem in self.problems],
        }


@dataclass(frozen=True)
class Request:
    """What a format's maker gets to see."""

    report: Report
    templates: Path | None
    fonts: tuple[Path, ...]


def write_outputs(
    report: Report,
    *,
    directory: Path,
    formats: Sequence[str],
    templates: Path | None,
    fonts: tuple[Path, ...],
    progress: Progress,
) -> Written:
    """Make each format and write its files into ``directory``; what fails is collected, not raised."""
    from reporter.render.write import write_files

    request = Request(report, templates, fonts)
    files: dict[str, list[Path]] = {}
    contents: dict[str, bytes] = {}
    problems: list[Problem] = []
    for name in formats:
        with progress.step(f"Write {name}"):
            try:
                made = MAKERS[name](request)
                files[name] = list(write_files(directory, made))
                contents |= made
            except OutputError as error:
                problems += error.problems
            _remove_stale(directory, name, keep=files.get(name, []))
    return Written(report, files, contents, tuple(problems))


def files_of_format(directory: Path, name: str) -> Iterator[Path]:
    """The files in a folder that this format has made, this run's or an older one's. A user's own tables are none."""
    for pattern in OWNED[name]:
        yield from (path for path in directory.glob(pattern) if not path.is_dir())
    if name == "csv":
        from reporter.render.as_csv import STARTS

        for pattern, start in STARTS.items():
            yield from (path for path in sorted((directory / "tables").glob(pattern)) if _begins(path, start.encode()))


def _begins(path: Path, start: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(start)) == start
    except OSError:
        return False


def _remove_stale(directory: Path, name: str, *, keep: Sequence[Path]) -> None:
    """Files of this format that an earlier run left would look like this run's."""
    for path in set(files_of_format(directory, name)) - set(keep):
        with suppress(OSError):
            path.unlink()


def _html(request: Request) -> dict[str, bytes]:
    from reporter.render.as_html import render_html
    from reporter.render.document import make_document

    return {"card.html": render_html(make_document(request.report), templates=request.templates).encode()}


def _pdf(request: Request) -> dict[str, bytes]:
    from reporter.render.as_json import report_to_json
    from reporter.render.as_pdf import render_pdf
    from reporter.render.document import make_document

    pdf = render_pdf(
        make_document(request.report),
        report_json=report_to_json(request.report),
        config_text=request.report.provenance.config_text,
        fonts=request.fonts,
        created=request.report.provenance.created,
        templates=request.templates,
    )
    return {"card.pdf": pdf}


def _markdown(request: Request) -> dict[str, bytes]:
    from reporter.render.as_markdown import render_markdown
    from reporter.render.document import make_document

    return {"card.md": render_markdown(make_document(request.report), templates=request.templates).encode()}


def _json(request: Request) -> dict[str, bytes]:
    return {"report.json": request.report.to_json().encode()}


def _csv(request: Request) -> dict[str, bytes]:
    from reporter.render.as_csv import render_tables

    return {f"tables/{name}": text.encode() for name, text in render_tables(request.report).items()}


def _junit(request: Request) -> dict[str, bytes]:
    from reporter.render.as_junit import render_junit

    return {"junit.xml": render_junit(request.report).encode()}


def _github(request: Request) -> dict[str, bytes]:
    from reporter.render.as_github import render_annotations, render_summary

    return {
        "summary.md": render_summary(request.report).encode(),
        "annotations.txt": render_annotations(request.report).encode(),
    }


def _gitlab(request: Request) -> dict[str, bytes]:
    from reporter.render.as_gitlab import render_gitlab

    return {"gl-code-quality-report.json": render_gitlab(request.report).encode()}


def _sarif(request: Request) -> dict[str, bytes]:
    from reporter.render.as_sarif import render_sarif

    return {"findings.sarif": render_sarif(request.report).encode()}


def _cyclonedx(request: Request) -> dict[str, bytes]:
    from reporter.render.as_cyclonedx import render_cyclonedx

    return {"card.cdx.json": render_cyclonedx(request.report).encode()}


def _model_index(request: Request) -> dict[str, bytes]:
    from reporter.render.as_model_index import render_model_index

    return {"model-index.yaml": render_model_index(request.report).encode()}


def _chai_xml(request: Request) -> dict[str, bytes]:
    from reporter.render.as_chai_xml import render_chai_xml

    return {"card.chai.xml": render_chai_xml(request.report).encode()}


MAKERS: dict[str, Callable[[Request], dict[str, bytes]]] = {
    "json": _json,
    "html": _html,
    "pdf": _pdf,
    "markdown": _markdown,
    "csv": _csv,
    "junit": _junit,
    "github": _github,
    "gitlab": _gitlab,
    "sarif": _sarif,
    "cyclonedx": _cyclonedx,
    "model_index": _model_index,
    "chai_xml": _chai_xml,
}

# The tables of csv are told by how they begin.
OWNED: dict[str, tuple[str, ...]] = {
    "json": ("report.json",),
    "html": ("card.html",),
    "pdf": ("card.pdf",),
    "markdown": ("card.md",),
    "csv": (),
    "junit": ("junit.xml",),
    "github": ("summary.md", "annotations.txt"),
    "gitlab": ("gl-code-quality-report.json",),
    "sarif": ("findings.sarif",),
    "cyclonedx": ("card.cdx.json",),
    "model_index": ("model-index.yaml",),
    "chai_xml": ("card.chai.xml",),
}


def _shown(name: str, paths: list[Path]) -> list[Path]:
    """The tables, as many as there are groupings, by their folder."""
    return [paths[0].parent] if name == "csv" and paths else paths


def _plain_record(record: RecordRef | None, path: str) -> dict[str, str] | None:
    return None if record is None else {"path": readable(path), "sha256": record.manifest}
