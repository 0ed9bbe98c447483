"""A Document as a PDF that archives (PDF/A-3a) and screen readers (PDF/UA-1) accept, with its data attached.

The pages are the same HTML as the card, set for print; WeasyPrint lays them out. Clock, fonts and attachments come in, and
nothing is fetched but the package's own files and the user's templates, so equal inputs give equal bytes.
"""

from __future__ import annotations

import datetime
import logging
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from reporter.errors import OutputError, Problem
from reporter.packaged import packaged_folder
from reporter.render.pdf_fonts import only_these_fonts
from reporter.render.pdf_standards import add_ua_identifier, name_kind

if TYPE_CHECKING:
    from reporter.render.document import Document

SVG_TITLE = "{http://www.w3.org/2000/svg}title"
PANGO = "Install Pango: apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0, or brew install pango"
MOST_NAMED = 20


def render_pdf(
    document: Document,
    report_json: str,
    config_text: str,
    *,
    fonts: Sequence[Path] = (),
    created: datetime.datetime | str,
    templates: Path | None = None,
) -> bytes:
    """The card as PDF bytes. ``report_json`` and ``config_text`` are attached as ``report.json`` and ``config.yaml``.

    ``created`` (aware, or ISO 8601 text) is the only date in the file; ``fonts`` are files for other scripts than DejaVu
    has; ``templates`` is searched before the packaged templates and CSS.

    Raises
    ------
    OutputError
        Pango is missing, a character has no glyph in the given fonts, or a figure has no alternative text. The message
        names the packages, the characters and the key ``output.fonts``, or the figure.
    """
    from reporter.render.as_html import render_html

    page = render_html(document, templates=templates, medium="pdf")
    return html_to_pdf(page, report_json, config_text, fonts=fonts, created=created, templates=templates)


@dataclass(frozen=True, slots=True)
class Attached:
    """A text that travels inside the PDF: its name there, what it is, its relationship to the pages and its media type."""

    text: str
    name: str
    description: str
    relationship: Literal["Data", "Source"]
    kind: str


def html_to_pdf(
    page: str,
    report_json: str,
    config_text: str,
    *,
    fonts: Sequence[Path] = (),
    created: datetime.datetime | str,
    templates: Path | None = None,
) -> bytes:
    """One HTML page as ``render_pdf`` makes it."""
    attached = (
        Attached(report_json, "report.json", "All results, as canonical JSON", "Data", "application/json"),
        Attached(config_text, "config.yaml", "The config of the run", "Source", "application/yaml"),
    )
    return page_to_pdf(page, attached, fonts=fonts, created=created, templates=templates)


def page_to_pdf(
    page: str,
    attached: Sequence[Attached],
    *,
    fonts: Sequence[Path] = (),
    created: datetime.datetime | str,
    templates: Path | None = None,
) -> bytes:
    """One HTML page with these texts inside; errors as ``render_pdf``."""
    day = _utc(created)
    with only_these_fonts(fonts), _problems_told():
        weasyprint = _weasyprint()
        fetcher = _fetcher(packaged_folder("templates"), *([] if templates is None else [templates]))
        html = weasyprint.HTML(string=page, base_url=packaged_folder("templates").as_uri() + "/", url_fetcher=fetcher)
        _check_figures(html.etree_element)
        laid_out = html.render(pdf_variant="pdf/a-3a")
        laid_out.metadata.created = laid_out.metadata.modified = day.isoformat(timespec="seconds")

        def attachment(one: Attached) -> Any:
            return weasyprint.Attachment(
                string=one.text,
                name=one.name,
                description=one.description,
                relationship=one.relationship,
                created=day,
                modified=day,
                url_fetcher=fetcher,
            )

        def finish(_: Any, pdf: Any) -> None:
            add_ua_identifier(pdf)
            for one in attached:
                name_kind(pdf, one.text, one.kind)

        content: bytes = laid_out.write_pdf(
            pdf_variant="pdf/a-3a",
            attachments=[attachment(one) for one in attached],
            finisher=finish,
        )
    return content


def _utc(created: datetime.datetime | str) -> datetime.datetime:
    moment = datetime.datetime.fromisoformat(created) if isinstance(created, str) else created
    if moment.tzinfo is None:
        raise ValueError(f"created needs a time zone: {created!r}")
    return moment.astimezone(datetime.UTC).replace(microsecond=0)


def _weasyprint() -> Any:
    """The library; loading it is what needs Pango."""
    import contextlib
    import io

    try:
        with contextlib.redirect_stdout(io.StringIO()):  # it prints advice of its own before it raises
            import weasyprint
    except OSError as error:
        raise OutputError(
            Problem(f"the PDF needs Pango, which could not be loaded ({error})", key="output.formats", hint=PANGO)
        ) from None
    return weasyprint


def _fetcher(*folders: Path) -> Any:
    """Opens files inside ``folders`` and data URLs; everything else is refused."""
    from weasyprint.urls import URLFetcher

    allowed = [folder.resolve() for folder in folders]

    class Fetcher(URLFetcher):  # type: ignore[misc]
        def fetch(self, url: str, headers: Any = None) -> Any:
            parts = urlsplit(url)
            if parts.scheme == "file":
                path = Path(url2pathname(unquote(parts.path))).resolve()
                if any(path.is_relative_to(folder) for folder in allowed):
                    return super().fetch(url, headers)
            elif parts.scheme == "data":
                return super().fetch(url, headers)
            raise ValueError(f"only files of the templates are used, not {url}")

    return Fetcher()


def _check_figures(root: Any) -> None:
    """WeasyPrint takes an inline drawing's alternative text from a direct title child, and is silent where it lacks."""
    bare = [
        svg.get("id") or f"number {number}"
        for number, svg in enumerate(root.iter("{http://www.w3.org/2000/svg}svg"), start=1)
        if svg.get("role") != "presentation" and svg.get("aria-hidden") != "true" and not svg.findtext(SVG_TITLE)
    ]
    if bare:
        raise OutputError(*(_no_alternative(f"the drawing {name}") for name in bare[:MOST_NAMED]))


@contextmanager
def _problems_told() -> Iterator[None]:
    """What WeasyPrint only logs becomes an error: a missing glyph, a missing alternative text, a file not found."""
    handler = _Collected()
    logger = logging.getLogger("weasyprint")
    logger.addHandler(handler)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)  # its colour profile is left for the interpreter to close
            yield
    finally:
        logger.removeHandler(handler)
    problems = [*_glyph_problems(handler.messages), *_file_problems(handler.messages)]
    if problems:
        raise OutputError(*problems[:MOST_NAMED])


class _Collected(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


def _glyph_problems(messages: Sequence[str]) -> Iterator[Problem]:
    codes = {
        int(code, 16) for text in messages if "glyph" in text for code in re.findall(r"U\+([0-9A-Fa-f]{4,6})", text)
    }
    if not codes:
        return
    shown = ", ".join(f"{chr(code)} (U+{code:04X})" for code in sorted(codes)[:MOST_NAMED])
    more = f" and {len(codes) - MOST_NAMED:,} more" if len(codes) > MOST_NAMED else ""
    yield Problem(
        f"the PDF was not made: no font has a glyph for {shown}{more}",
        key="output.fonts",
        hint="Add a font file that covers them, such as a Noto font of that script",
    )


def _file_problems(messages: Sequence[str]) -> Iterator[Problem]:
    for text in dict.fromkeys(messages):
        if match := re.search(r'Image "(.*)" has no required alt description', text):
            yield _no_alternative(f"the image {match[1]}")
        elif text.startswith(("Failed to load", "Failed to get", "Unsupported")):
            yield Problem(
                f"the PDF was not made: {text}",
                key="output.templates",
                hint="Only files of the templates folder are used",
            )


def _no_alternative(what: str) -> Problem:
    return Problem(
        f"the PDF was not made: {what} has no alternative text",
        key="output.templates",
        hint="Give an image an alt attribute, a drawing a title element as its direct child",
    )
