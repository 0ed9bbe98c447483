"""Kappa and PABAK of a pair in each group as forest plots, in drawings small enough to share a page with a table.

Knows results that are already computed; only what was asked for is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from reporter.render import format as fmt
from reporter.render.agreement_tables import PDF_ROWS, is_asked, single_factors
from reporter.render.document import Figure
from reporter.render.plots import Axis, ForestPlot, ForestPoint, ForestRow
from reporter.render.wording import Words, capital, group_name, listed, literal
from reporter.render.wording_agreement import statistic_name
from reporter.results import Agreement, AgreementResult

DRAWN = ("kappa", "pabak")
"""What has an interval in every group."""

MOST_GROUPS = PDF_ROWS - 1
"""As many groups are drawn as the PDF's table has beside the row of all, and the same ones: the single factors, else the largest."""

MARGIN = 0.04

TOGETHER = 10
"""About so many groups stand in one drawing: a drawing cannot be broken over two pages."""


def agreement_figures(
    words: Words,
    results: Sequence[AgreementResult],
    place: int,
    asked: Sequence[str] = (),
    crossed: Collection[str] = (),
) -> list[Figure]:
    """The drawings of one pair, none with fewer than two groups or where neither kappa nor PABAK was asked for."""
    names = [name for name in DRAWN if is_asked(name, asked)]
    known = [(one, one.agreement) for one in results if one.group is not None and one.agreement is not None]
    known = [(one, found) for one, found in known if found.pabak is not None]
    if len(known) < 2 or not names:
        return []
    single = bool(single_factors(results, crossed))
    if single:
        shown = [(one, found) for one, found in known if one.grouping not in crossed]
    else:
        smallest = sorted((found.n for _, found in known), reverse=True)[:MOST_GROUPS][-1]
        shown = [(one, found) for one, found in known if found.n >= smallest][:MOST_GROUPS]
    if len(shown) < 2:
        return []
    parts = _parts(shown)
    pair = f"{literal(results[0].first)} and {literal(results[0].second)}"
    about = f" about {literal(results[0].item)}" if results[0].item else ""
    statistics = listed([statistic_name(name) for name in names])
    axis = _axis(names, shown)
    figures = []
    for number, part in enumerate(parts, 1):
        by = listed([literal(name) for name in dict.fromkeys(one.grouping or "" for one, _ in part)])
        caption = f"{capital(statistics)} by {by}, with {words.level_name()}s."
        if number == len(parts):
            caption += " The table above holds the numbers."
            if len(shown) < len(known):
                which, total = ("groups of single factors" if single else "largest"), fmt.count(len(known))
                caption += f" The {fmt.count(len(shown))} {which} of {total} groups are drawn."
        title = f"{capital(statistics)} of {pair}{about} by {by}; {_lowest(names[-1], part)}."
        figures.append(
            Figure(
                f"agreement-{place}-figure" + (f"-{number}" if number > 1 else ""),
                title,
                caption,
                ForestPlot(axis, tuple(statistic_name(name) for name in names), tuple(_rows(names, part))),
            )
        )
    return figures


def _parts(
    shown: Sequence[tuple[AgreementResult, Agreement]],
) -> list[list[tuple[AgreementResult, Agreement]]]:
    """The groups in drawings; a grouping goes on to the next one where it does not fit."""
    parts: list[list[tuple[AgreementResult, Agreement]]] = [[]]
    for grouping in dict.fromkeys(one.grouping for one, _ in shown):
        together = [pair for pair in shown if pair[0].grouping == grouping]
        if parts[-1] and len(parts[-1]) + len(together) > TOGETHER:
            parts.append([])
        parts[-1] += together
    return parts


def _axis(names: Sequence[str], shown: Sequence[tuple[AgreementResult, Agreement]]) -> Axis:
    """One scale for all drawings of a pair, with room beyond the outermost ends."""
    ends = [
        value
        for _, found in shown
        for name in names
        for value in (getattr(found, name), getattr(found, f"{name}_low"), getattr(found, f"{name}_high"))
        if value is not None
    ]
    room = MARGIN * (max(ends) - min(ends))
    return Axis("agreement (1 at most)", "number", min(ends) - room, max(ends) + room)


def _rows(names: Sequence[str], part: Sequence[tuple[AgreementResult, Agreement]]) -> list[ForestRow]:
    rows: list[ForestRow] = []
    heading = None
    for one, found in part:
        if one.grouping != heading:
            heading = one.grouping
            rows.append(ForestRow(literal(heading or ""), ()))
        rows.append(
            ForestRow(
                group_name(one.group or ""),
                tuple(_point(series, name, found) for series, name in enumerate(names)),
            )
        )
    return rows


def _point(series: int, name: str, found: Agreement) -> ForestPoint:
    value = getattr(found, name)
    return ForestPoint(
        series,
        value,
        getattr(found, f"{name}_low"),
        getattr(found, f"{name}_high"),
        fmt.UNDEFINED if value is None else fmt.coefficient(value),
    )


def _lowest(name: str, part: Sequence[tuple[AgreementResult, Agreement]]) -> str:
    known = [(value, one) for one, found in part if (value := getattr(found, name)) is not None]
    if not known:
        return f"{statistic_name(name)} is undefined in every group"
    value, one = min(known, key=lambda pair: pair[0])
    group = f"{literal(one.grouping or '')}: {group_name(one.group or '')}"
    return f"{statistic_name(name)} is lowest for {group}, {fmt.coefficient(value)}"
