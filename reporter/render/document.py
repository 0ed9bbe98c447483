"""What every format shows: a Document of sections and blocks, all words and numbers already written out.

A renderer (HTML, PDF, Markdown) walks these nouns and decides only how they look: it computes nothing, rounds nothing and
words nothing. All texts are plain text, to be escaped by the format; only ``Prose.html`` is markup, made by
``markdown_prose`` with raw HTML off. The nouns know nothing of a Report; ``make_document`` is the way from one to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from reporter.render.plots import Plot

if TYPE_CHECKING:
    from reporter.results import Report

Severity = Literal["fail", "warn", "unknown", "ok", "info"]
"""How a sentence or a row is marked: beyond a limit (fail, warn), cannot be told, within the limit, or no mark."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table. ``detail`` is smaller, with a line break between its lines (an interval, counts, a reason). ``sort`` is what a
    click on the column sorts by: a number, a text, or None (always last). ``mark`` sets a finding in bold."""

    text: str
    detail: str = ""
    sort: float | str | None = None
    mark: Severity | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """One column. Numbers are set flush right; ``note`` explains the heading in a few words."""

    key: str
    title: str
    kind: Literal["text", "number", "verdict"] = "text"
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One row; its first cell names it. ``flag`` marks it, in colour and (by its verdict cell) in words."""

    cells: tuple[Cell, ...]
    flag: Severity | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table with every row. ``pdf_limit`` is how many rows the PDF shows (None: all): flagged rows first, then in the
    given order, with ``total`` stated; or, where ``kept`` says in words which those are, the first ones."""

    id: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""
    pdf_limit: int | None = 60
    kept: str = ""

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing with its words. ``title`` is a full sentence that says what is to be seen, the alternative text;
    ``table`` holds the same data. ``figures.draw(spec, id, title)`` makes the SVG."""

    id: str
    title: str
    caption: str
    spec: Plot
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph. ``kind`` "lead" opens a section; "note" is smaller."""

    text: str
    kind: Literal["text", "lead", "note"] = "text"


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading inside a section; ``level`` 3 or 4 (the section's own is 2)."""

    id: str
    text: str
    level: Literal[3, 4] = 3


@dataclass(frozen=True, slots=True)
class Prose:
    """What the author wrote: ``html`` is safe markup, ``source`` the Markdown it was made from."""

    html: str
    source: str


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A section that nobody wrote, shown as such."""

    text: str


@dataclass(frozen=True, slots=True)
class Sentence:
    """One plain sentence. ``label`` is the verdict's word before it; ``anchor`` the id of the block with the evidence;
    ``detail`` a smaller line under it."""

    text: str
    severity: Severity = "info"
    label: str = ""
    anchor: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Sentences:
    """A list of sentences."""

    items: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Banner:
    """The verdict, first of all: ``outcome`` decides the colour, ``headline`` says it in words."""

    outcome: Literal["pass", "fail", "undecided"]
    headline: str
    text: str
    facts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class KeyValue:
    """A name with its value. ``code``: a hash, a command or a name from the config, set in a fixed-width face."""

    key: str
    value: str
    code: bool = False


@dataclass(frozen=True, slots=True)
class KeyValues:
    """A short list of facts."""

    items: tuple[KeyValue, ...]


@dataclass(frozen=True, slots=True)
class Details:
    """Blocks that a reader may skip: folded on screen, open in print and Markdown; in the PDF where ``in_pdf``, else named."""

    id: str
    summary: str
    blocks: tuple[Block, ...]
    in_pdf: bool = True


@dataclass(frozen=True, slots=True)
class SignOff:
    """Lines to be signed: ``fields`` are the headings, ``rows`` what is already filled in (empty texts are lines)."""

    intro: str
    fields: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


Block = Banner | Paragraph | Heading | Prose | Placeholder | Sentences | Table | Figure | KeyValues | Details | SignOff


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter of the card. Ids are unique over the whole document."""

    id: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A whole card. ``subtitle`` names release, data and day; ``language`` is the BCP 47 tag of the prose."""

    title: str
    subtitle: str
    language: str
    sections: tuple[Section, ...]


def make_document(report: Report) -> Document:
    """The Document of a Report: the chapters that have something to say, in the card's order.

    The chapters are imported here because they are built from the nouns above.
    """
    from reporter.render.chapters import all_chapters

    return all_chapters(report)
