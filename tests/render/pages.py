"""A page as tests read it: every element with its attributes, its text as a reader sees it, and where it leads."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

VOID = {"meta", "link", "br", "hr", "img", "input", "path", "use"}


@dataclass
class Element:
    """One element. ``text`` is all text inside it."""

    tag: str
    attributes: dict[str, str]
    text: str = ""
    children: list[Element] = field(default_factory=list)


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[Element] = []
        self.elements: list[Element] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        assert len(element.attributes) == len(attrs), f"an attribute twice: {attrs}"
        if self.open:
            self.open[-1].children.append(element)
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        assert self.open, f"</{tag}> closes nothing"
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        for element in self.open:
            element.text += data


@dataclass
class Page:
    """A well-formed page."""

    elements: list[Element]

    def all(self, tag: str) -> list[Element]:
        """Every element of that name."""
        return [element for element in self.elements if element.tag == tag]

    def by_id(self, name: str) -> Element:
        """The element of that id."""
        (found,) = [element for element in self.elements if element.attributes.get("id") == name]
        return found

    @property
    def ids(self) -> list[str]:
        """Every id, in order."""
        return [element.attributes["id"] for element in self.elements if "id" in element.attributes]

    @property
    def text(self) -> str:
        """What stands on the page, scripts and styles left out."""
        (body,) = self.all("body")
        hidden = "".join(element.text for element in self.all("script"))
        return body.text.replace(hidden, "") if hidden else body.text


def read(html: str) -> Page:
    """Read a page; elements that do not close in order are an error."""
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert not parser.open, f"not closed: {[element.tag for element in parser.open]}"
    return Page(parser.elements)
