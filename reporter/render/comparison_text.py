"""Two releases compared, for a terminal: what became of each finding, then each rate of each group, in aligned columns.

A view of ``Releases`` in the vocabulary of the new report; nothing is computed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reporter.render import format as fmt
from reporter.render.tables import gap_cell
from reporter.render.wording import Words, group_name, literal
from reporter.results import Estimate, RateChange, Releases, Report

TOLD = ("newly diverges", "still diverges", "no longer diverges")
"""The others are counted: a release has many findings within their limit."""

NAME_WIDTH = 34


def comparison_text(releases: Releases, new: Report) -> str:
    """The comparison as lines of plain text."""
    return "\n".join(_lines(releases, Words.of(new))) + "\n"


def _lines(releases: Releases, words: Words) -> Iterator[str]:
    yield f"{words.card_name}: {literal(releases.old)} -> {literal(releases.new)}"
    yield f"{'Paired' if releases.paired else 'Not paired'}: {releases.why_paired}."
    yield ""
    yield "Findings"
    for wanted in TOLD:
        for change in releases.verdicts:
            if change.change == wanted:
                gap = "" if change.gap_change is None else _gap(words, change.finding.split("/")[0], change.gap_change)
                yield f"  {wanted}: {literal(change.finding)}{gap}"
    others = Counter(change.change for change in releases.verdicts if change.change not in TOLD)
    yield "  " + (", ".join(f"{name}: {fmt.count(n)}" for name, n in sorted(others.items())) or "no others")
    yield ""
    yield f"{'Rates':{NAME_WIDTH}}  {literal(releases.old):>10}  {literal(releases.new):>10}  change"
    subject = ""
    for rate in releases.rates:
        title = words.term(rate.metric).title
        about = "all rows" if rate.group is None else f"{title} by {literal(rate.grouping or '')}"
        if about != subject:
            subject = about
            yield f"  {about}"
        yield _rate(words, rate, title if rate.group is None else group_name(rate.group))
    if releases.not_compared:
        yield ""
        yield "Not compared, since only one of the two releases has it"
        yield from (f"  {literal(name)}" for name in releases.not_compared)


def _rate(words: Words, rate: RateChange, name: str) -> str:
    columns: Sequence[str] = [words.value(rate.metric, estimate) for estimate in (rate.old, rate.new)]
    cell = gap_cell(words, rate.metric, rate.change)
    change = f"{cell.text} ({cell.detail})" if cell.detail else cell.text
    return f"    {name:{NAME_WIDTH - 4}}  {columns[0]:>10}  {columns[1]:>10}  {change}".replace(fmt.NBSP, " ")


def _gap(words: Words, metric: str, change: Estimate) -> str:
    if change.value is None:
        return ""
    cell = gap_cell(words, metric, change)
    detail = f" ({cell.detail})" if change.low is not None else ""
    return f", gap {cell.text}{detail}".replace(fmt.NBSP, " ")
