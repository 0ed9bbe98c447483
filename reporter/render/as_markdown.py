"""A Document as Markdown (GitHub's flavour): the same words and tables, no drawings.

Names are data: every character that Markdown or HTML could read as markup is escaped, so a hostile group name stays text.
"""

from __future__ import annotations

import re
from pathlib import Path

from markupsafe import Markup

from reporter.render.as_html import block_kind
from reporter.render.document import Document, Prose
from reporter.render.templating import environment, fill

_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")
_LINE_START = re.compile(r"^(\d+(?=[.)](?:\s|$))|(?=[-+=]+(?:\s|$)|#{1,6}(?:\s|$)))")
_CODE_SPAN = re.compile(r"(`+[^`]+`+)")


def render_markdown(document: Document, *, templates: Path | None = None) -> str:
    """The card as one Markdown text that ends with a line break. ``templates`` is searched before the packaged templates.

    Raises
    ------
    OutputError
        The user's template has a fault, or the folder does not exist.
    """
    env = environment(templates)
    env.filters["md"] = _escaped
    env.filters["cell"] = _cell
    env.filters["code"] = _code
    env.filters["hashes"] = lambda level: "#" * level
    text = fill(env, "card.md.j2", document=document, kind=block_kind, prose=_prose)
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _escaped(text: str) -> Markup:
    """One line of text without markup.

    Examples
    --------
    >>> print(_escaped("<b>a_b</b> | 1. [x](y)"))
    &lt;b&gt;a\\_b&lt;/b&gt; \\| 1. \\[x\\](y)
    >>> print(_escaped("- no list"), _escaped("1. no list"))
    \\- no list 1\\. no list
    """
    line = " ".join(text.split("\n")).strip()
    line = _SPECIAL.sub(r"\\\1", line)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return Markup(_LINE_START.sub(r"\1\\", line))


def _cell(text: str) -> Markup:
    """A cell of a table: its lines are joined, a pipe cannot end it."""
    return _escaped(" · ".join(part for part in text.split("\n") if part))


def _code(text: str) -> Markup:
    """A code span that holds any text, backticks too.

    Examples
    --------
    >>> print(_code("a`b"), _code("reporter run"))
    `` a`b `` `reporter run`
    """
    line = " ".join(text.split("\n"))
    runs = [len(run) for run in re.findall(r"`+", line)]
    fence = "`" * (max(runs, default=0) + 1)
    return Markup(f"{fence} {line} {fence}" if runs else f"`{line}`")


def _prose(block: Prose) -> Markup:
    """The author's own Markdown, with its raw HTML made text, its pictures links and its headings under the card's."""
    lines = []
    fenced = False
    for line in block.source.splitlines():
        fenced ^= line.lstrip().startswith(("```", "~~~"))
        if not fenced:
            line = re.sub(r"^(#{1,6})(?=\s)", lambda found: "#" * min(len(found[1]) + 3, 6), line)
            line = "".join(
                part if part.startswith("`") else re.sub(r"<(?!https?://|mailto:)", "&lt;", part.replace("![", "["))
                for part in _CODE_SPAN.split(line)
            )
        lines.append(line)
    return Markup("\n".join(lines))
