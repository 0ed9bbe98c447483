"""Words in charts: what XML can hold, how wide it is in DejaVu Sans, how it is wrapped or cut to a width, and tick labels.

Knows one font's metrics and ``format``; draws nothing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from typing import Any

from reporter.render import format as written
from reporter.render.plots import Axis
from reporter.render.xml_characters import NOT_XML

ELLIPSIS = "…"
WIDE = 1.0
OTHER = 0.65
"""Widths in em of characters that the font lacks: full-width ones, and the rest."""


def clean(text: str) -> str:
    """The text on one line, with characters that XML cannot hold replaced by U+FFFD.

    Examples
    --------
    >>> clean("a\\x00b\\nc")
    'a\ufffdb c'
    """
    return NOT_XML.sub("\ufffd", text).replace("\r", " ").replace("\n", " ").replace("\t", " ")


def width(text: str, size: float, bold: bool = False) -> float:
    """The width of the text in points.

    Examples
    --------
    >>> round(width("Black", 10), 1), round(width("Black", 10, bold=True), 1), width("中", 10)
    (27.1, 30.4, 10.0)
    """
    return sum(_advance(character, bold) for character in text) * size


def fit(text: str, room: float, size: float, lines: int = 2, bold: bool = False) -> tuple[str, ...]:
    """The text in at most so many lines of ``room`` points; what does not fit ends in an ellipsis.

    Examples
    --------
    >>> fit("Some college, no degree", 60, 8)
    ('Some college,', 'no degree')
    >>> fit("Donaudampfschifffahrtsgesellschaft", 60, 8, lines=1)
    ('Donaudampf…',)
    """
    words = clean(text).split(" ")
    done: list[str] = []
    current = ""
    for index, word in enumerate(words):
        longer = f"{current} {word}" if current else word
        if width(longer, size, bold) <= room:
            current = longer
        elif len(done) == lines - 1:
            return (*done, _cut(" ".join([longer, *words[index + 1 :]]), room, size, bold))
        elif not current or width(word, size, bold) > room:
            # a word wider than a line is broken, so that no letter of a long name is lost while lines are left
            head = _fitting(longer, room, size, bold)
            done.append(head)
            rest = [longer[len(head) :].lstrip(), *words[index + 1 :]]
            return (*done, *fit(" ".join(rest), room, size, lines - len(done), bold))
        else:
            done.append(current)
            current = word
    return (*done, current)


def tick_text(axis: Axis, value: float, step: float) -> str:
    """How the axis writes a tick, with just the digits that tell it from a tick ``step`` away.

    Examples
    --------
    >>> tick_text(Axis("rate", "percent"), 0.2, 0.1), tick_text(Axis("rate", "percent"), 0.025, 0.005)
    ('20\\xa0%', '2.5\\xa0%')
    >>> tick_text(Axis("gap", "points"), -0.05, 0.05), tick_text(Axis("score"), 0.5, 0.25)
    ('−5', '0.50')
    """
    value = 0.0 if abs(value) < step * 1e-6 else value
    if axis.kind == "percent":
        return written.percent(value, _digits(step * 100))
    if axis.kind == "points":
        return written.signed_points(value, _digits(step * 100))
    if axis.kind == "count":
        return written.count(value)
    return written.number(value, _digits(step))


def capped_note(shown: int, total: int) -> str:
    """What a figure says when it draws fewer groups than there are; empty when it draws all.

    Examples
    --------
    >>> capped_note(40, 1000), capped_note(3, 3)
    ('Drawn: 40 of 1,000 groups.', '')
    """
    return "" if shown >= total else f"Drawn: {written.count(shown)} of {written.count(total)} groups."


def _digits(step: float) -> int:
    for digits in range(6):
        if abs(round(step, digits) - step) < 1e-9:
            return digits
    return 6


def _fitting(text: str, room: float, size: float, bold: bool) -> str:
    """The longest beginning that fits, at least one character."""
    used = 0.0
    for index, character in enumerate(text):
        used += _advance(character, bold) * size
        if used > room and index:
            return text[:index]
    return text


def _cut(text: str, room: float, size: float, bold: bool) -> str:
    kept = _fitting(text, room - width(ELLIPSIS, size, bold), size, bold)
    return kept if kept == text else kept.rstrip() + ELLIPSIS


@cache
def _advance(character: str, bold: bool) -> float:
    font = _font(bold)
    if font.get_char_index(ord(character)):
        from matplotlib.ft2font import LoadFlags

        return float(font.load_char(ord(character), flags=LoadFlags.NO_HINTING).linearHoriAdvance) / 65536 / _SIZE
    if unicodedata.combining(character):
        return 0.0
    return WIDE if unicodedata.east_asian_width(character) in "WF" else OTHER


_SIZE = 100


@cache
def _font(bold: bool) -> Any:
    from matplotlib.ft2font import FT2Font

    from reporter.render.pdf_fonts import packaged_fonts

    font = FT2Font(str(packaged_fonts()[1 if bold else 0]))
    font.set_size(_SIZE, 72)
    return font


def widest(texts: Sequence[str], size: float, bold: bool = False) -> float:
    """The width of the widest of the texts, 0 when there are none."""
    return max((width(text, size, bold) for text in texts), default=0.0)
