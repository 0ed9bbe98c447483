"""The pages of a history as Documents and rows with links: what stands where, in words. Writes nothing and reads nothing."""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from reporter.archive.history_facts import ALL_ROWS, OVERALL, Facts, Release
from reporter.render import format as fmt
from reporter.render.csv_text import neutralised
from reporter.render.document import Block, Cell, Column, Figure, Paragraph, Row, Section, Severity, Table
from reporter.render.plots import Axis, Curve, CurvesPlot, Panel
from reporter.render.tables import metric_column, value_cell
from reporter.render.wording import Words, capital, group_name, listed, literal, plural

SHOWN = 30
"""So many of the newest releases stand in charts and in tables of rates; ``rates.csv`` has all."""
NAMED_ON_AXIS = 8
MOST_NAMED = 3


@dataclass(frozen=True)
class Entry:
    """One cell of a table of links: ``href`` is relative, empty where there is nothing to open."""

    text: str
    href: str = ""
    detail: str = ""
    severity: Severity | None = None


@dataclass(frozen=True)
class Listing:
    """A table whose cells may be links; the first cell of a row names it."""

    id: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    note: str = ""
    lead: str = ""


def release_listing(releases: Sequence[Release], hrefs: Sequence[str], day: datetime.date) -> Listing:
    """Every release, the newest first, with the address of its card (empty: none can be opened)."""
    pairs = list(zip(releases, hrefs, strict=True))
    return Listing(
        "releases",
        "Releases, the newest first",
        ("Release", "Day", "Gate", "Flagged", "Accepted findings", "Sign-off", "Record"),
        tuple(_release_row(release, href, day) for release, href in reversed(pairs)),
        "Sign-offs are judged as of "
        + fmt.date(day.isoformat())
        + ". Record: whether it is what was sealed, and what vouches for it.",
        summary(releases, day),
    )


def rate_sections(releases: Sequence[Release]) -> list[tuple[str, Section]]:
    """A section per grouping, all rows first: one figure with a panel per metric, and a table per metric with all groups."""
    known = [release for release in releases if release.facts is not None]
    if not known:
        return []
    shown = known[-SHOWN:]
    newest = _facts(known[-1])
    words = _words(newest)
    names = list(dict.fromkeys(grouping for release in reversed(shown) for grouping, _, _ in _facts(release).rates))
    found = []
    for number, name in enumerate([OVERALL, *(name for name in names if name != OVERALL)]):
        title = capital(ALL_ROWS) if name == OVERALL else f"By {literal(name)}"
        blocks = tuple(_rate_blocks(words, name, f"rates-{number}", shown, len(known)))
        found.append((name, Section(f"section-{number}", title, blocks)))
    return found


def rates_csv(releases: Sequence[Release]) -> str:
    """Each rate of each group of each release that can be read. Names are made safe for spreadsheets, each once: there are many rows."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    numbers = ("value", "low", "high", "n", "numerator", "denominator", "reason")
    table.writerow(("record", "release", "created", "grouping", "group", "metric", *numbers))
    safe = lru_cache(maxsize=None)(neutralised)
    for release in releases:
        if release.facts is not None:
            created = release.link.created.isoformat() if release.link.created else ""
            head = (release.link.reference.id, safe(release.version), created)
            table.writerows(
                (*head, safe(grouping), safe(group), metric, *map(found.get, numbers))
                for (grouping, group, metric), found in release.facts.rates.items()
            )
    return out.getvalue()


def summary(releases: Sequence[Release], day: datetime.date) -> str:
    """The newest release in one sentence."""
    last = releases[-1]
    state = last.verification.signed.state(day)
    if last.facts is None:
        return f"The newest release, {literal(last.version)}, cannot be read: its record is {last.verification.state}."
    gate = "passed its gate" if last.facts.outcome == "pass" else "did not pass its gate"
    flagged = plural(last.facts.n_flagged, "finding diverges", "findings diverge")
    return (
        f"The newest of {plural(len(releases), 'release')}, {literal(last.version)}, {gate}; "
        f"{flagged}; sign-off: {state}."
    )


def _release_row(release: Release, href: str, day: datetime.date) -> tuple[Entry, ...]:
    facts, verification = release.facts, release.verification
    if facts is None:
        middle = (Entry("unknown", severity="unknown"), Entry("unknown"), Entry("unknown"))
    else:
        passed = facts.outcome == "pass"
        middle = (
            Entry("passed" if passed else "failed", severity="ok" if passed else "fail"),
            Entry(fmt.count(facts.n_flagged), detail=_named(facts.flagged)),
            _accepted(facts, day),
        )
    return (
        Entry(literal(release.version), href),
        Entry(fmt.date(release.day.isoformat()) if release.day else "unknown"),
        *middle,
        _signoff(release, day),
        Entry(
            verification.state,
            detail="; ".join((*verification.faults, *(_anchor(text) for text in verification.anchors)))
            or release.link.reference.manifest[:12],
            severity="fail" if verification.faults else "ok" if verification.anchors else "unknown",
        ),
    )


def _anchor(text: str) -> str:
    """A successor by the hash at the end of its id: the rest of it stands in its own line of the table."""
    return re.sub(r"^its successor \S+-([0-9a-f]{12})$", r"its successor \1", text)


def _accepted(facts: Facts, day: datetime.date) -> Entry:
    if not facts.accepted:
        return Entry("none")
    said = [
        f"{literal(finding)} until {fmt.date(until)}" + (" (has run out)" if until < day.isoformat() else "")
        for finding, _, until in facts.accepted
    ]
    lapsed = any(until < day.isoformat() for _, _, until in facts.accepted)
    return Entry(str(len(said)), detail=_cut(said), severity="warn" if lapsed else None)


def _signoff(release: Release, day: datetime.date) -> Entry:
    signed = release.verification.signed
    state = signed.state(day)
    marks: dict[str, Severity] = {
        "approved": "ok",
        "approved with conditions": "ok",
        "rejected": "fail",
        "expired": "warn",
    }
    said = []
    for one in signed.statements:
        until = f", until {fmt.date(one.statement.until)}" if one.statement.until else ""
        worth = f"signed by {one.signer}" if one.signer else one.fault or "signature not checked"
        said.append(f"{one.statement.decision}: {literal(one.statement.reviewer)}{until} ({worth})")
    return Entry(state, detail=_cut(said), severity=marks.get(state, "unknown"))


def _named(findings: Sequence[str]) -> str:
    return _cut([literal(finding) for finding in findings])


def _cut(texts: Sequence[str]) -> str:
    more = len(texts) - MOST_NAMED
    return "; ".join([*texts[:MOST_NAMED], *([f"and {fmt.count(more)} more"] if more > 0 else [])])


def _rate_blocks(words: Words, grouping: str, place: str, shown: Sequence[Release], total: int) -> Iterator[Block]:
    groups = list(
        dict.fromkeys(group for r in reversed(shown) for name, group, _ in _facts(r).rates if name == grouping)
    )
    metrics = list(dict.fromkeys(metric for r in reversed(shown) for metric in _facts(r).metrics))
    about = "all rows" if grouping == OVERALL else f"each group of {literal(grouping)}"
    panels = tuple(p for metric in metrics if (p := _panel(words, grouping, groups, metric, shown)) is not None)
    left = f" The newest {SHOWN} of {fmt.count(total)} releases; rates.csv has all." if total > len(shown) else ""
    if panels:
        titles = listed([panel.title for panel in panels])
        yield Figure(
            place,
            f"{capital(titles)} of {about} over {plural(len(shown), 'release')}.",
            f"Bands are {fmt.percent(words.confidence)} intervals. Different releases were often evaluated on different rows.{left}",
            CurvesPlot(Axis(_axis_label(shown), "count"), panels),
        )
    if grouping == OVERALL:
        yield _overall_table(words, metrics, f"{place}-table", shown, left.strip())
    else:
        for metric in metrics:
            yield _rate_table(words, grouping, groups, metric, f"{place}-{metric}", shown, left.strip())
    if not metrics:
        yield Paragraph("No release reports a rate here.", "note")


def _axis_label(shown: Sequence[Release]) -> str:
    if len(shown) <= NAMED_ON_AXIS:
        return "release: " + ", ".join(f"{r.number} = {literal(r.version)}" for r in shown)
    first, last = shown[0], shown[-1]
    return f"release: {first.number} = {literal(first.version)} to {last.number} = {literal(last.version)}"


def _panel(words: Words, grouping: str, groups: Sequence[str], metric: str, shown: Sequence[Release]) -> Panel | None:
    curves = []
    for group in groups:
        points = [(r.number, e) for r in shown if (e := _facts(r).rate((grouping, group, metric))).value is not None]
        if points:
            curves.append(
                Curve(
                    _group(grouping, group),
                    tuple(float(number) for number, _ in points),
                    tuple(e.value for _, e in points if e.value is not None),
                    tuple(e.low for _, e in points),
                    tuple(e.high for _, e in points),
                )
            )
    if not curves:
        return None
    term = words.term(metric)
    return Panel(term.title, Axis(term.title, "percent" if term.kind == "share" else "number"), tuple(curves))


def _overall_table(words: Words, metrics: Sequence[str], place: str, shown: Sequence[Release], note: str) -> Table:
    columns = (Column("release", "Release"), *(metric_column(words, metric, explained=True) for metric in metrics))
    rows = tuple(_rate_row(words, r, [(OVERALL, ALL_ROWS, metric) for metric in metrics]) for r in reversed(shown))
    return Table(place, "Rates over all rows", columns, rows, note)


def _rate_table(
    words: Words, grouping: str, groups: Sequence[str], metric: str, place: str, shown: Sequence[Release], note: str
) -> Table:
    term = words.term(metric)
    columns = (
        Column("release", "Release"),
        *(Column(f"group-{i}", _group(grouping, group), "number") for i, group in enumerate(groups)),
    )
    rows = tuple(_rate_row(words, r, [(grouping, group, metric) for group in groups]) for r in reversed(shown))
    meaning = f" ({term.meaning})" if term.meaning and term.meaning != term.title else ""
    return Table(place, f"{capital(term.title)}{meaning}", columns, rows, note)


def _rate_row(words: Words, release: Release, rates: Sequence[tuple[str, str, str]]) -> Row:
    day = f": {fmt.date(release.day.isoformat())}" if release.day else ""
    facts = _facts(release)
    return Row(
        (
            Cell(literal(release.version), f"{release.number}{day}", float(release.number)),
            *(value_cell(words, rate[2], facts.rate(rate)) for rate in rates),
        )
    )


def _group(grouping: str, group: str) -> str:
    return capital(ALL_ROWS) if grouping == OVERALL else group_name(group)


def _facts(release: Release) -> Facts:
    assert release.facts is not None
    return release.facts


def _words(facts: Facts) -> Words:
    chosen = facts.vocabulary
    return Words(
        card_name=literal(facts.name),
        version=literal(facts.version),
        positive_prediction=literal(chosen.get("positive_prediction", "predicted positive")),
        positive_label=literal(chosen.get("positive_label", "positive")),
        negative_label=literal(chosen.get("negative_label", "negative")),
        unit=literal(chosen.get("unit", "row")),
        units=literal(chosen.get("units", "rows")),
        referral_rate=literal(chosen.get("referral_rate", "referral rate")),
        confidence=facts.confidence,
    )
