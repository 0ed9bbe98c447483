"""matplotlib's SVG made fit for a page: presentation attributes only, ids of its own, the title that screen readers read.

WeasyPrint takes an inline drawing's alternative text from a direct ``title`` child, ignores style sheets inside it, and several
drawings in one page must not share ids. Knows XML, nothing of what is drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree
from xml.sax.saxutils import escape, quoteattr

from reporter.render.chart_text import clean

SVG = "{http://www.w3.org/2000/svg}"
XLINK = "{http://www.w3.org/1999/xlink}"
DROPPED = frozenset({f"{SVG}metadata", f"{SVG}style", f"{SVG}title"})
FONT_FAMILY = "DejaVu Sans, Verdana, sans-serif"
REFERENCE = re.compile(r"url\(#([^)]+)\)")
NOT_ROTATED = re.compile(r"^(translate\([^)]*\) )?rotate\(-?0(\.0+)?( [-\d.]+ [-\d.]+)?\)$")
LONG_NUMBER = re.compile(r"-?\d+\.\d{3,}")
DEFAULTS = {"stroke-linejoin": "round", "stroke-linecap": "butt", "font-family": FONT_FAMILY}
"""What is said once for all: matplotlib's style sheet, and the one font."""


def finished(svg: str, figure_id: str, title: str) -> str:
    """The drawing as one ``svg`` element for HTML and PDF, its ids prefixed with ``figure_id`` and its ``title`` first.

    Examples
    --------
    >>> print(finished('<svg xmlns="http://www.w3.org/2000/svg" width="9pt" height="9pt" viewBox="0 0 9 9">'
    ...                '<g id="a"><path style="fill: none; stroke: #000" d="M 0 0"/></g></svg>', "roc", "A < B."))
    <svg xmlns="http://www.w3.org/2000/svg" id="roc-drawing" role="img" width="9pt" height="9pt" viewBox="0 0 9 9">
    <title>A &lt; B.</title>
    <g stroke-linejoin="round" stroke-linecap="butt" font-family="DejaVu Sans, Verdana, sans-serif"><path fill="none" stroke="#000" d="M 0 0"/></g></svg>
    """
    root = ElementTree.fromstring(svg)
    used = set(_references(root))
    size = {name: root.attrib[name] for name in ("width", "height", "viewBox")}
    attributes = {"xmlns": SVG[1:-1], "id": f"{figure_id}-drawing", "role": "img", **size}
    inner = "".join(_element(child, f"{figure_id}-", used) for child in root)
    return "\n".join(
        [
            f"<svg{_written(attributes)}>",
            f"<title>{escape(clean(title))}</title>",
            f"<g{_written(DEFAULTS)}>{inner}</g></svg>",
        ]
    )


def _references(root: ElementTree.Element) -> Iterator[str]:
    for element in root.iter():
        for name, value in element.attrib.items():
            if name == f"{XLINK}href":
                yield value.removeprefix("#")
            yield from REFERENCE.findall(value)


def _element(element: ElementTree.Element, prefix: str, used: set[str]) -> str:
    if element.tag in DROPPED:
        return ""
    name = element.tag.removeprefix(SVG)
    attributes = _attributes(element, prefix, used)
    inner = "".join(_element(child, prefix, used) for child in element)
    if name == "text":
        inner = escape(element.text or "") + inner
    if name in ("g", "defs") and not attributes:
        return inner if name == "g" else f"<defs>{inner}</defs>" if inner else ""
    return f"<{name}{_written(attributes)}>{inner}</{name}>" if inner else f"<{name}{_written(attributes)}/>"


def _attributes(element: ElementTree.Element, prefix: str, used: set[str]) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for name, value in element.attrib.items():
        if name == "id":
            if value in used:
                attributes["id"] = prefix + value
        elif name == f"{XLINK}href":
            attributes["href"] = "#" + prefix + value.removeprefix("#")
        elif name == "style":
            attributes.update(_style(value, prefix))
        elif name == "d":
            attributes[name] = _short(" ".join(value.split()))
        elif name != "transform" or not NOT_ROTATED.match(value):
            attributes[name] = REFERENCE.sub(rf"url(#{prefix}\1)", _short(value))
    return attributes


def _short(value: str) -> str:
    """Numbers to a hundredth of a point, which no eye or printer tells from more."""
    return LONG_NUMBER.sub(lambda match: f"{round(float(match[0]), 2):g}", value)


def _style(style: str, prefix: str) -> Iterator[tuple[str, str]]:
    """``fill: none; font: bold 8px 'DejaVu Sans', sans-serif`` as attributes."""
    for declaration in style.split(";"):
        name, _, value = (part.strip() for part in declaration.partition(":"))
        if name == "font":
            *_, size = re.findall(r"[\d.]+px", value)
            yield "font-size", size.removesuffix("px")
            if "bold" in value or "700" in value.split():
                yield "font-weight", "bold"
        elif name == "font-size":
            yield name, value.removesuffix("px")
        elif name == "font-weight":
            yield name, "bold" if value in ("700", "bold") else value
        elif name and name != "font-family":
            yield name, REFERENCE.sub(rf"url(#{prefix}\1)", value)


def _written(attributes: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
