"""An author's Markdown as safe HTML: raw HTML is shown as text, links go only where a link may go, images are left as links.

Headings are moved below the card's own, so that the outline stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SAFE_SCHEMES = ("http", "https", "mailto", "")


def prose_html(source: str, *, below: int = 3) -> str:
    """The HTML of an author's text whose own headings start one level under ``below``.

    Examples
    --------
    >>> prose_html("Not for *children*. <b>x</b>")
    '<p>Not for <em>children</em>. &lt;b&gt;x&lt;/b&gt;</p>\\n'
    >>> prose_html("[x](javascript:alert(1))")
    '<p>[x](javascript:alert(1))</p>\\n'
    """
    return str(_parser().render(source, {"below": below}))


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "typographer": False}).enable(["table", "strikethrough"])
    parser.validateLink = _is_safe_link  # type: ignore[method-assign]
    parser.core.ruler.push("below_the_card", _below_the_card)
    parser.add_render_rule("image", _image_as_text)
    return parser


def _is_safe_link(url: str) -> bool:
    url = url.strip()
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return False
    # A colon before the first slash without a scheme is an attempt at one.
    disguised = not scheme and ":" in url.split("/")[0]
    return scheme in SAFE_SCHEMES and not url.startswith("//") and not disguised


def _below_the_card(state: Any) -> None:
    """Headings become h3 to h6 without a jump; alignment of table cells is left to the style sheet."""
    previous = below = state.env["below"]
    used = sorted({token.tag for token in state.tokens if token.type == "heading_open"})
    for token in state.tokens:
        if token.type == "heading_open":
            previous = min(below + 1 + used.index(token.tag), previous + 1, 6)
        if token.type in ("heading_open", "heading_close"):
            token.tag = f"h{previous}"
        token.attrs.pop("style", None)


def _image_as_text(_renderer: Any, tokens: Sequence[Token], index: int, _options: Any, _env: Any) -> str:
    """A picture would need the network: its description is shown instead."""
    from markdown_it.common.utils import escapeHtml

    return f"[{escapeHtml(tokens[index].content)}]"
