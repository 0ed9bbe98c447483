"""A Document as one HTML page: self-contained, readable without JavaScript, in print, in the dark and by ear.

The page fetches nothing. A Content-Security-Policy names the hashes of its own style sheet and script, so nothing that was smuggled
into a name could run even if escaping failed. ``medium`` "pdf" is the same page as the PDF's input: no script, long tables cut.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from reporter.render import format as fmt
from reporter.render.document import Block, Cell, Column, Document, Figure, Prose, Row, Table
from reporter.render.templating import environment, fill, source

Medium = Literal["screen", "pdf"]

_LEADING_NUMBER = re.compile(r"[+\u2212]?\d")

WIDE_FROM = 10
"""Tables of at least this many columns are set smaller, so that they fit the page."""
FILTER_FROM = 12
"""Tables of at least this many rows get a field that filters them."""


def render_html(
    document: Document,
    *,
    templates: Path | None = None,
    medium: Medium = "screen",
    page: str = "card.html.j2",
    more: Mapping[str, object] | None = None,
) -> str:
    """The page. ``templates`` is searched before the packaged templates, style sheets and script. ``page`` is the template,
    which sees ``more`` values beside the document.

    Raises
    ------
    OutputError
        The user's template has a fault, or the folder does not exist.
    """
    env = environment(templates)
    screen = medium == "screen"
    sheets = ["card.css", "extra.css"] if screen else ["print.css", "extra.css"]
    style = _inline("\n".join(source(env, name) for name in sheets), "style")
    script = _inline(source(env, "card.js"), "script") if screen else ""
    return fill(
        env,
        page,
        **(more or {}),
        document=document,
        medium=medium,
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
        kind=block_kind,
        drawing=_drawing,
        prose=_prose,
        shown_rows=_shown_rows if not screen else _all_rows,
        left_out=_left_out if not screen else _nothing_left_out,
        sort_key=_sort_key,
        lined=_lined,
        is_wide=lambda table: len(table.columns) >= WIDE_FROM,
        has_filter=lambda table: screen and table.total >= FILTER_FROM,
    )


def _inline(text: str, element: str) -> str:
    """A text inside ``<style>`` or ``<script>``: it may not hold the end of its own element."""
    return re.sub(rf"</(?={element})", r"<\\/", text, flags=re.IGNORECASE).strip()


def _policy(style: str, script: str) -> str:
    """Only this style sheet and this script; no network, no frame, no form."""
    scripts = f"script-src '{_hash(script)}'; " if script else ""
    return (
        f"default-src 'none'; {scripts}style-src '{_hash(style)}'; img-src data:; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def block_kind(block: Block) -> str:
    """A block's class name; the macro of that name shows it."""
    return type(block).__name__


def _drawing(figure: Figure) -> Markup:
    from reporter.render.figures import draw

    return Markup(draw(figure.spec, f"{figure.id}-svg", figure.title))


def _prose(block: Prose) -> Markup:
    return Markup(block.html)


def _all_rows(table: Table) -> tuple[Row, ...]:
    return table.rows


def _nothing_left_out(_table: Table) -> str:
    return ""


FLAGS = ("fail", "warn", "unknown")
"""Rows so marked stand in the PDF before others."""


def _shown_rows(table: Table) -> tuple[Row, ...]:
    """The rows that the PDF shows: the flagged ones first, then the largest groups, else as given."""
    if table.pdf_limit is None or table.total <= table.pdf_limit:
        return table.rows
    if table.kept:
        return table.rows[: table.pdf_limit]
    order = FLAGS
    size = _size_column(table)

    def rank(row: Row) -> tuple[int, float]:
        n = None if size is None else row.cells[size].sort
        return order.index(row.flag) if row.flag in order else len(order), -n if isinstance(n, (int, float)) else 0

    return tuple(sorted(table.rows, key=rank)[: table.pdf_limit])


def _size_column(table: Table) -> int | None:
    """Where the table says how large a group is."""
    return next((place for place, column in enumerate(table.columns) if column.key == "n"), None)


def _left_out(table: Table) -> str:
    """What is said under a table that the PDF cuts."""
    if table.pdf_limit is None or table.total <= table.pdf_limit:
        return ""
    where = "card.html and in report.json, which is attached to this file"
    if table.pdf_limit == 0:
        return f"The {fmt.count(table.total)} rows are in {where}."
    flagged = any(row.flag in FLAGS for row in table.rows)
    rest = "the first ones" if _size_column(table) is None else "the largest"
    order = table.kept or (f"flagged ones first, then {rest}" if flagged else rest)
    return f"{fmt.count(table.pdf_limit)} of {fmt.count(table.total)} rows, {order}. All are in {where}."


def _lined(detail: str) -> Markup:
    """A cell's small lines, each on its own line in any style sheet."""
    return Markup("<br>").join(detail.split("\n"))


def _sort_key(cell: Cell, column: Column) -> str:
    """What the page's script sorts a cell by, where that is not the number that its text begins with; most cells need none."""
    if cell.sort is None or (column.kind == "number" and _LEADING_NUMBER.match(cell.text)):
        return ""
    return cell.sort if isinstance(cell.sort, str) else f"{cell.sort:.7g}"
