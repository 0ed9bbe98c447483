"""Selection rates against the most selected group: the tables of New York City's Local Law 144 and of the four-fifths rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from reporter.results import Grouping, Level, Profile, Report
from reporter.stats.intervals import koopman

LEAST_SHARE = 0.02
"""A category of fewer rows may be left out of the ratios of Local Law 144, but is listed."""
FOUR_FIFTHS = 0.8


@dataclass(frozen=True, slots=True)
class AboveMedian:
    """How many rows of each group have a score above the median of all rows (with a score). ``reason`` says why that is not known."""

    median: float | None
    above: Mapping[str, int]
    n: Mapping[str, int]
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Columns:
    """Which group columns hold the sex and the race or ethnicity."""

    sex: str
    race_ethnicity: str


def nyc_ll144(report: Report, columns: Columns, above: Mapping[tuple[str, str], AboveMedian]) -> Profile:
    """The bias audit's tables: sex, race or ethnicity, and both; number, selected (or scored above the median), rate, impact ratio.

    ``above[model, grouping]`` holds what the scores say. Rows of unknown category, and rows without an output,
    are counted apart, so that with the numbers of a table they add up to all rows.
    """
    tables: list[dict[str, Any]] = []
    missing: list[str] = []
    sentences = [
        "The impact ratio is a category's rate over that of the most selected category among those of at least 2 % of the rows.",
    ]
    wanted = {
        "sex": (columns.sex,),
        "race or ethnicity": (columns.race_ethnicity,),
        "sex and race or ethnicity": (columns.sex, columns.race_ethnicity),
    }
    for what, names in wanted.items():
        grouping = _grouping(report, names)
        if grouping is None:
            missing.append(f"the table by {what}: add {' x '.join(names)} to the groups")
            continue
        unknown = [level for level in grouping.levels if _is_unknown(level)]
        n_unknown = sum(level.n for level in unknown)
        sentences.append(f"Unknown {what}: {n_unknown:,} of {report.data.n:,} rows, which are in no rate.")
        sentences += _without_output(report, grouping, what)
        for model in report.models:
            counted = {
                r.group: (r.cells.tp + r.cells.fp + r.cells.unlabelled_positive, r.cells.n_predicted)
                for r in grouping.results
                if r.model == model.name
            }
            tables.append(_audit_table(f"Selection rates of {model.name} by {what}", grouping, counted))
            scored = above.get((model.name, grouping.name))
            if scored is None:
                continue
            if scored.reason is not None:
                missing.append(f"scoring rates of {model.name} by {what}: {scored.reason}")
                continue
            counted = {group: (scored.above[group], scored.n[group]) for group in scored.n}
            title = f"Scoring rates of {model.name} by {what} (above the median of all scores, {scored.median:g})"
            tables.append(_audit_table(title, grouping, counted, "above_the_median"))
    left_out = [row["group"] for table in tables for row in table["rows"] if row["note"].startswith("under 2 %")]
    if left_out:
        sentences.append("Categories under 2 % of the rows are listed with their number and rate, without a ratio.")
    sentences.append(
        "6 RCNY 5-300 to 5-303 also ask who audited, when, and where the data come from; that is for the auditor to add."
    )
    return Profile(
        "nyc_ll144", "New York City Local Law 144: bias audit", (), tuple(missing), tuple(tables), tuple(sentences)
    )


def four_fifths(report: Report) -> Profile:
    """Each group's selection rate over that of the most selected group, with its interval."""
    tables = []
    below: list[str] = []
    for grouping in report.groupings:
        for model in report.models:
            rows = _ratio_rows(grouping, model.name, report.confidence)
            if rows:
                tables.append({"title": f"Selection ratios of {model.name} by {grouping.name}", "rows": rows})
            below += [f"{row['group']} ({grouping.name}, {model.name})" for row in rows if row["below_0.8"] == "yes"]
    said = f"{len(below)} of the ratios are below 0.8" if below else "No ratio is below 0.8"
    return Profile(
        "four_fifths",
        "Four-fifths rule",
        (),
        () if tables else ("selection ratios: there are no groups",),
        tuple(tables),
        (
            f"{said}. A ratio below 0.8 is evidence of adverse impact and not a finding of law; one above it is no proof of its absence.",
            "The most selected group is chosen from the data, which makes the ratios look a little worse than they are; small groups are left to the reader by their n and interval.",
        ),
    )


def _grouping(report: Report, names: Sequence[str]) -> Grouping | None:
    return next((g for g in report.groupings if sorted(g.columns) == sorted(names)), None)


def _is_unknown(level: Level) -> bool:
    return not level.pooled and (level.missing or any(value is None for value in level.values))


def _without_output(report: Report, grouping: Grouping, what: str) -> list[str]:
    """Per model how many rows are in no rate although their category is known."""
    known = {level.name for level in grouping.levels if not _is_unknown(level)}
    said = []
    for model in report.models:
        cells = [r.cells for r in grouping.results if r.model == model.name and r.group in known]
        n = sum(one.n - one.n_predicted for one in cells)
        if n:
            count = f"{n:,} row has" if n == 1 else f"{n:,} rows have"
            said.append(
                f"Of known {what}, {count} no output of {model.name} and {'is' if n == 1 else 'are'} in none of its rates either."
            )
    return said


def _audit_table(
    title: str, grouping: Grouping, counted: Mapping[str, tuple[int, int]], what: str = "selected"
) -> dict[str, Any]:
    known = [level for level in grouping.levels if not _is_unknown(level)]
    total = sum(counted[level.name][1] for level in known)
    rates: dict[str, float] = {}
    for level in known:
        selected, n = counted[level.name]
        if n and not level.pooled and n >= LEAST_SHARE * total:
            rates[level.name] = selected / n
    most = max(rates.values(), default=0.0)
    rows = []
    for level in known:
        selected, n = counted[level.name]
        note = ""
        if level.pooled:
            note = "several categories pooled: no ratio"
        elif not n:
            note = "no row with an output"
        elif level.name not in rates:
            note = "under 2 % of the rows: no ratio"
        elif not most:
            note = "nobody was selected: no ratio"
        ratio = rates[level.name] / most if level.name in rates and most else None
        rows.append(
            {
                "group": level.name,
                "n": n,
                what: selected,
                "rate": selected / n if n else None,
                "impact_ratio": ratio,
                "note": note,
            }
        )
    return {"title": title, "rows": rows}


def _ratio_rows(grouping: Grouping, model: str, confidence: float) -> list[dict[str, Any]]:
    counted = [
        (r.group, r.cells.tp + r.cells.fp + r.cells.unlabelled_positive, r.cells.n_predicted)
        for r in grouping.results
        if r.model == model
    ]
    # Rows of whom it is not known what group they are of are no group that others can be held against.
    unknown = {level.name for level in grouping.levels if _is_unknown(level)}
    able = [(x / n, n, group, x) for group, x, n in counted if n and group not in unknown]
    if not able:
        return []
    best_rate, best_n, best_group, best_x = max(able, key=lambda one: (one[0], one[1]))
    rows: list[dict[str, Any]] = []
    for group, x, n in counted:
        row: dict[str, Any] = {"group": group, "n": n, "selected": x, "rate": x / n if n else None}
        ratio = None if not n or not best_rate or group in unknown else (x / n) / best_rate
        low = high = None
        if ratio is not None and group != best_group:
            ends = koopman(np.array([x]), np.array([n]), np.array([best_x]), np.array([best_n]), confidence)
            low, high = (float(end[0]) if np.isfinite(end[0]) else None for end in ends)
        answer = (
            "unknown group"
            if group in unknown
            else "not defined"
            if ratio is None
            else "yes"
            if ratio < FOUR_FIFTHS
            else "no"
        )
        rows.append({**row, "ratio": ratio, "low": low, "high": high, "below_0.8": answer})
    return rows
