"""The way to a node of a Δ tree in words: its conditions as a sentence, and the answers on the two edges below a node.

Names of columns and levels are data. One that could be read as a part of the sentence is set in quotes, so that a list cannot be misread.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.wording import listed, literal
from reporter.results import MISSING
from reporter.tree import Condition, Node

_AMBIGUOUS = re.compile(r'[,;&{}"“”=<>≤≥]|^\s|\s$|^$|\s(?:and|or)\s|^missing$', re.IGNORECASE)
_ALL = "all rows"


def path_words(node: Node) -> str:
    """The way to a node: "sex = Male and 25 < age ≤ 45"; "all rows" for the root.

    A node of a report by an older version has no conditions, only the text that stands in the report.

    Examples
    --------
    >>> def at(*conditions: Condition) -> Node:
    ...     return Node(2, 9, None, None, None, {}, {}, conditions=conditions)
    >>> path_words(at(Condition("sex", ("Male",)), Condition("age", above=25.0, upto=1234567.5)))
    'sex = Male and 25 < age ≤ 1,234,567.5'
    >>> path_words(at(Condition("unit", ("R & D", "Sales", "Spa"), followed=("Spa",)), Condition("age", upto=45.0, missing=True)))
    'unit is one of “R & D” or Sales (and Spa, too few to test), and age ≤ 45 or missing'
    """
    if not node.conditions:
        return literal(node.path or _ALL)
    parts = [_sentence(condition) for condition in node.conditions]
    simple = all(_is_simple(condition) for condition in node.conditions)
    return (" and " if simple else ", and ").join(parts)


def edge_words(node: Node) -> tuple[str, str]:
    """The answers that lead from a node to its children, left and right: "≤ 45" and "> 45 or missing"."""
    split, (left, right) = node.split, node.children
    assert split is not None
    ours = [_of(child, split.covariate) for child in (left, right)]
    if ours[0] is None or ours[1] is None:
        if split.levels_left is not None:
            sides = (split.levels_left, split.levels_right or ())
            return _one_of(sides[0], split.followed), _one_of(sides[1], split.followed)
        end = fmt.plain(split.threshold if split.threshold is not None else 0.0)
        return f"≤ {end}", f"> {end}"
    if ours[0].levels is not None:
        return tuple(_one_of(side.levels or (), side.followed) for side in ours if side is not None)  # type: ignore[return-value]
    end = _end(ours[0].upto)
    return f"≤ {end}{_or_missing(ours[0])}", f"> {end}{_or_missing(ours[1])}"


def named(name: str) -> str:
    """A column's or level's name inside a sentence, in quotes where it could be taken for a part of it.

    Examples
    --------
    >>> named("25 - 45"), named("S, T"), named("a & sex = F"), named(" a"), named("now or never"), named("(missing)")
    ('25 - 45', '“S, T”', '“a & sex = F”', '“ a”', '“now or never”', 'missing')
    >>> named("a” or “b")
    '“a\\\\u201d or \\\\u201cb”'
    """
    if name == MISSING:
        return "missing"
    if not _AMBIGUOUS.search(name):
        return literal(name)
    inside = literal(name).replace("“", "\\u201c").replace("”", "\\u201d") if name else ""
    return f"“{inside}”"


def _of(node: Node, covariate: str) -> Condition | None:
    return next((one for one in node.conditions if one.covariate == covariate), None)


def _is_simple(condition: Condition) -> bool:
    return not condition.missing and (condition.levels is None or len(condition.levels) == 1)


def _sentence(condition: Condition) -> str:
    name = named(condition.covariate)
    if condition.levels is not None:
        values = _one_of(condition.levels, condition.followed)
        tested = [level for level in condition.levels if level not in condition.followed]
        if len(tested or condition.levels) > 1:
            return f"{name} is one of {values}"
        return f"{name} {'is' if MISSING in condition.levels else '='} {values}"
    above, upto = condition.above, condition.upto
    if upto is None:
        text = f"{name} > {_end(above)}"
    elif above is None:
        text = f"{name} ≤ {_end(upto)}"
    else:
        text = f"{_end(above)} < {name} ≤ {_end(upto)}"
    return text + _or_missing(condition)


def _or_missing(condition: Condition) -> str:
    return " or missing" if condition.missing else ""


def _one_of(levels: Sequence[str], followed: Sequence[str]) -> str:
    """The levels that were tested; those that only follow the larger side stand apart, since nothing was found for them."""
    thin = [level for level in levels if level in followed]
    tested = [level for level in levels if level not in followed]
    if not tested:
        tested, thin = thin, []
    text = listed([named(level) for level in tested], last="or")
    return f"{text} (and {listed([named(level) for level in thin])}, too few to test)" if thin else text


def _end(value: float | str | None) -> str:
    if value is None:
        return fmt.UNDEFINED
    return named(value) if isinstance(value, str) else fmt.plain(value)
