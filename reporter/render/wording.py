"""The card's words: models, groups and metrics in the configured vocabulary, and numbers with their intervals.

Plain language for readers who do not know the method. Sentences about one subject (findings, trees, agreement, releases) live in
the ``wording_*`` modules beside this one and are built from these words. Knows nothing of documents and formats.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from reporter.render import format as fmt
from reporter.render.metric_terms import Term, terms
from reporter.results import Card, Estimate, Grouping, Level, Report

NBSP = fmt.NBSP


@dataclass(frozen=True)
class Words:
    """The vocabulary of one report, with the phrases built from it."""

    card_name: str
    version: str
    positive_prediction: str
    positive_label: str
    negative_label: str
    unit: str
    units: str
    referral_rate: str
    confidence: float

    @classmethod
    def of(cls, report: Report) -> Words:
        """The words of a report."""
        chosen = report.card.vocabulary
        return cls(
            card_name=literal(report.card.name),
            version=literal(report.card.version),
            positive_prediction=literal(chosen.get("positive_prediction", "predicted positive")),
            positive_label=literal(chosen.get("positive_label", "positive")),
            negative_label=literal(chosen.get("negative_label", "negative")),
            unit=literal(chosen.get("unit", "row")),
            units=literal(chosen.get("units", "rows")),
            referral_rate=literal(chosen.get("referral_rate", "referral rate")),
            confidence=report.confidence,
        )

    def model(self, name: str) -> str:
        """A model as the subject of a sentence: "Referral model 2.4" where its name is a bare release, else its name."""
        name = literal(name)
        bare = name == self.version or re.fullmatch(r"v?\d[\w.+-]*", name)
        return f"{self.card_name} {name}" if bare else name

    def count_units(self, n: float) -> str:
        """A number of rows with their noun: "1 patient", "212 patients"."""
        return f"{fmt.count(n)}{NBSP}{self.unit if n == 1 else self.units}"

    def term(self, metric: str) -> Term:
        """A metric's words."""
        known = terms(
            self.positive_prediction, self.positive_label, self.negative_label, self.units, self.referral_rate
        )
        return known.get(metric) or Term(metric.replace("_", " "), metric.replace("_", " "), "number")

    def level_name(self) -> str:
        """The confidence level as an adjective: "95 % interval"."""
        return f"{fmt.percent(self.confidence)} interval"

    def value(self, metric: str, estimate: Estimate, digits: int | None = None) -> str:
        """An estimate's value in its metric's unit; "undefined" where it has none."""
        if estimate.value is None:
            return fmt.UNDEFINED
        return self.written(metric, estimate.value, digits)

    def written(self, metric: str, value: float, digits: int | None = None) -> str:
        """A value in its metric's unit."""
        kind = self.term(metric).kind
        if kind == "share":
            return fmt.percent(value, 1 if digits is None else digits)
        if kind == "count":
            return fmt.count(value)
        if kind == "coefficient":
            return fmt.coefficient(value, 3 if digits is None else digits)
        return fmt.number(value, 3 if digits is None else digits)

    def interval(self, metric: str, estimate: Estimate, digits: int | None = None) -> str:
        """An estimate's interval without its unit ("14.1 to 21.3"); empty where it has none."""
        if estimate.low is None or estimate.high is None:
            return ""
        if self.term(metric).kind == "share":
            shown = 1 if digits is None else digits
            return f"{fmt.percent_number(estimate.low, shown)} to {fmt.percent_number(estimate.high, shown)}"
        return f"{self.written(metric, estimate.low, digits)} to {self.written(metric, estimate.high, digits)}"

    def reason(self, text: str | None) -> str:
        """A reason or note of the statistics in this vocabulary: "no row labelled 1" becomes "no patient that is ill"."""
        if not text:
            return "no reason was given"
        told = literal(text)
        for pattern, word in (
            (r"\bis labelled 1\b", f"is {self.positive_label}"),
            (r"\bis labelled 0\b", f"is {self.negative_label}"),
            (r"\blabelled 1\b", f"that is {self.positive_label}"),
            (r"\blabelled 0\b", f"that is {self.negative_label}"),
            (r"\bpredicted 1\b", self.positive_prediction),
            (r"\bpredicted 0\b", f"not {self.positive_prediction}"),
            (r"\bmin_group_size\b", "the smallest group that is judged"),
            (r"\brows\b", self.units),
            (r"\brow\b", self.unit),
        ):
            told = re.sub(pattern, lambda _, word=word: word, told)  # type: ignore[misc]
        return told

    def note(self, text: str | None) -> str:
        """The same where saying nothing is right when there is nothing to say."""
        return self.reason(text) if text else ""

    def evidence(self, metric: str, estimate: Estimate) -> str:
        """The small lines under a value: interval and counts, or the reason why it is undefined."""
        if estimate.value is None:
            return self.reason(estimate.reason)
        parts = [unbroken(self.interval(metric, estimate)), unbroken(counts(estimate))]
        if not parts[0] and estimate.reason:
            parts[0] = self.reason(estimate.reason)
        return "\n".join(part for part in parts if part)


def card_title(card: Card) -> str:
    """What the card is about: its name and release."""
    name, version = literal(card.name), literal(card.version)
    if version in ("unversioned", '""'):
        return name
    return f"{name}, {version}" if " " in version else f"{name} {version}"


def unbroken(text: str) -> str:
    """The text on one line, whatever the width."""
    return text.replace(" ", NBSP)


def counts(estimate: Estimate) -> str:
    """The counts behind a share ("66 of 212"); empty where it is none."""
    if estimate.numerator is None or estimate.denominator is None:
        return ""
    if not float(estimate.numerator).is_integer() or not float(estimate.denominator).is_integer():
        return ""
    return f"{fmt.count(estimate.numerator)} of {fmt.count(estimate.denominator)}"


def literal(text: str) -> str:
    """A name from data or config as visible text: characters that show nothing or turn the line around are written out.

    Examples
    --------
    >>> literal("a\\tb"), literal("Ærø"), literal("x\\u202ey"), literal("")
    ('a\\\\tb', 'Ærø', 'x\\\\u202ey', '""')
    """
    if not text:
        return '""'
    if text.isprintable():
        return text
    return "".join(
        char
        if char.isprintable() or unicodedata.category(char) == "Zs" or (char == "\u200d")
        else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def group_name(level: Level | str) -> str:
    """A group's name as tables and figures show it."""
    return literal(level if isinstance(level, str) else level.name)


def whose(grouping: Grouping, group: str) -> str:
    """A group as a clause: "whose age is over 75", "whose sex is Female and ethnicity is Black"."""
    return f"whose {condition(grouping, group)}"


def condition(grouping: Grouping, group: str) -> str:
    """A group as a condition: "age is over 75", "sex is Female and ethnicity is missing"."""
    level = find_level(grouping, group)
    if level is None or len(level.values) != len(grouping.columns):
        return f"{literal(grouping.name)} is {value_phrase(group)}"
    if level.pooled or group == "(other)":
        return f"{literal(grouping.name)} is one of the small groups pooled as {literal(level.name)}"
    parts = zip(grouping.columns, level.values, strict=True)
    return " and ".join(_is(grouping, place, column, value) for place, (column, value) in enumerate(parts))


def by_grouping(grouping: Grouping) -> str:
    """What the rows are divided by: "By age"; "By column Female" where a group has the column's own name."""
    if len(grouping.columns) == 1 and _named_as_a_value(grouping, 0):
        return f"By column {literal(grouping.name)}"
    return f"By {literal(grouping.name)}"


def _is(grouping: Grouping, place: int, column: str, value: str | None) -> str:
    if _named_as_a_value(grouping, place):
        said = "missing" if value is None or value == "(missing)" else f"“{literal(value)}”"
        return f"column {literal(column)} is {said}"
    return f"{literal(column)} is {value_phrase(value)}"


def _named_as_a_value(grouping: Grouping, place: int) -> bool:
    """Whether a column is called what one of its own values is, so that "whose Female is Female" would be said."""
    name = grouping.columns[place].casefold()
    return any(
        len(level.values) > place and (level.values[place] or "").casefold() == name for level in grouping.levels
    )


def find_level(grouping: Grouping, group: str) -> Level | None:
    """The level of that name."""
    return next((level for level in grouping.levels if level.name == group), None)


_NUMBER = r"[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?"
_AT_MOST = re.compile(rf"<= ?({_NUMBER})")
_OVER = re.compile(rf"> ?({_NUMBER})")
_BETWEEN = re.compile(rf"\(({_NUMBER}), ({_NUMBER})\]")
_FROM_TO = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")


def value_phrase(value: str | None) -> str:
    """A group column's value in words; intervals are spelled out.

    Examples
    --------
    >>> value_phrase("> 75"), value_phrase("(40, 65]"), value_phrase("<= 40"), value_phrase(None), value_phrase("Black")
    ('over 75', 'over 40 and at most 65', 'at most 40', 'missing', 'Black')
    """
    if value is None or value == "(missing)":
        return "missing"
    if found := _AT_MOST.fullmatch(value):
        return f"at most {found[1]}"
    if found := _OVER.fullmatch(value):
        return f"over {found[1]}"
    if found := _BETWEEN.fullmatch(value):
        return f"over {found[1]} and at most {found[2]}"
    if found := _FROM_TO.fullmatch(value):
        return f"from {found[1]} to {found[2]}"
    return literal(value)


def listed(items: Sequence[str], *, last: str = "and") -> str:
    """Words in a row.

    Examples
    --------
    >>> listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"]), listed([])
    ('a', 'a and b', 'a, b and c', '')
    """
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} {last} {items[-1]}"


def plural(n: int, one: str, many: str | None = None) -> str:
    """A count with its noun.

    Examples
    --------
    >>> plural(1, "group"), plural(1200, "group"), plural(0, "analysis", "analyses")
    ('1 group', '1,200 groups', '0 analyses')
    """
    return f"{fmt.count(n)} {one if n == 1 else many or one + 's'}"


def capital(text: str) -> str:
    """The text with a capital first letter.

    Examples
    --------
    >>> capital("no label"), capital("Δ is"), capital("")
    ('No label', 'Δ is', '')
    """
    return text[:1].upper() + text[1:]
