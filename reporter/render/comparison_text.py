"""Two releases compared, for a terminal: what became of each finding, then each rate of each group, in aligned columns.

A view of ``Releases`` in the vocabulary of the new report; nothing is computed here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from reporter.render import format as fmt
from reporter.render.tables import gap_cell
from reporter.render.wording import Words, group_name, literal
from reporter.render.wording_findings import gap_interval, gap_text
from reporter.render.wording_releases import finding_parts, ratio_findings
from reporter.results import Comparison, RateChange, Releases, Report, VerdictChange

TOLD = ("newly diverges", "still diverges", "no longer diverges")
"""The others are counted: a release has many findings within their limit."""

NAME_WIDTH = 34


def comparison_text(releases: Releases, new: Report) -> str:
    """The comparison as lines of plain text."""
    return "\n".join(_lines(releases, new, Words.of(new))) + "\n"


def _lines(releases: Releases, report: Report, words: Words) -> Iterator[str]:
    yield f"{words.card_name}: {literal(releases.old)} -> {literal(releases.new)}"
    yield f"{'Paired' if releases.paired else 'Not paired'}: {releases.why_paired}."
    yield ""
    yield "Findings"
    found = {comparison.finding: comparison for comparison in report.comparisons}
    ratios = ratio_findings(report)
    for wanted in TOLD:
        for change in releases.verdicts:
            if change.change == wanted:
                gap = _gap(words, found.get(change.finding))
                yield f"  {wanted}: {literal(change.finding)}{gap}{_change(words, change, change.finding in ratios)}"
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


def _gap(words: Words, found: Comparison | None) -> str:
    """The new release's gap, or ratio, with its interval."""
    if found is None or found.gap.value is None:
        return ""
    interval = gap_interval(words, found)
    points = found.comparison == "difference" and words.term(found.metric).kind == "share"
    said = (
        f", {'ratio' if found.comparison == 'ratio' else 'gap'} {gap_text(words, found)}{' points' if points else ''}"
    )
    return (said + (f" ({interval})" if interval else "")).replace(fmt.NBSP, " ")


def _change(words: Words, change: VerdictChange, of_ratio: bool) -> str:
    """By how much the gap, or ratio, changed since the old release."""
    if change.gap_change is None or change.gap_change.value is None:
        return ""
    cell = gap_cell(words, finding_parts(change.finding)[0], change.gap_change, of_ratio=of_ratio)
    interval = f" ({cell.detail})" if change.gap_change.low is not None else ""
    return f", changed by {cell.text}{interval}".replace(fmt.NBSP, " ")
