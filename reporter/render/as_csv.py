"""A Report as plain tables for spreadsheets and notebooks: every group, every number in full, one file a grouping.

Texts that a spreadsheet would run as a formula are neutralised with a leading apostrophe; numbers are never touched. Names of
groupings reach file names only through ``safe_stem``. It knows nothing of files beyond their names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import fields

from reporter.render.csv_sections import agreement_table, curves_table, noise_table, releases_table, tree_table
from reporter.render.csv_text import ESTIMATE, Value, csv_table, estimate_cells, prefixed
from reporter.results import Cells, Comparison, Grouping, Report

CELLS = tuple(field.name for field in fields(Cells))
LONGEST_STEM = 120

STARTS = {
    "models.csv": "model,kind,column,threshold,",
    "comparisons.csv": "finding,rule,model,grouping,",
    "groups_*.csv": "model,grouping,group,group_n,",
    "pairs.csv": "first,second,n,both,",
    "curves.csv": "model,grouping,group,curve,",
    "agreement.csv": "raters,item,grouping,group,",
    "noise.csv": "study,model,variant,grouping,",
    "tree_*.csv": "tree,id,path,n,",
    "releases.csv": "old,new,grouping,group,",
}
"""How each table begins, by file name: what tells them from a user's own files in the same folder."""


def render_tables(report: Report) -> dict[str, str]:
    """File name -> CSV text (UTF-8, comma, a header line, lines ended by a line feed).

    ``models.csv``, ``comparisons.csv`` and one ``groups_<grouping>.csv`` a grouping are always there; ``pairs.csv``,
    ``curves.csv``, ``agreement.csv``, ``noise.csv``, ``tree_<number>.csv`` and ``releases.csv`` when the report has them.
    Undefined numbers are empty cells with their reason beside them.
    """
    tables = {
        "models.csv": _models(report),
        "comparisons.csv": _comparisons(report.comparisons),
    }
    for grouping in report.groupings:
        tables[_unused(f"groups_{safe_stem(grouping.name)}", tables)] = _groups(grouping)
    if report.model_pairs:
        tables["pairs.csv"] = _pairs(report)
    if any(grouping.curves for grouping in report.groupings) or any(model.curves for model in report.models):
        tables["curves.csv"] = curves_table(report)
    if report.agreement_section is not None:
        tables["agreement.csv"] = agreement_table(report)
    if report.noise_results:
        tables["noise.csv"] = noise_table(report)
    for number, result in enumerate(report.tree_results, start=1):
        tables[f"tree_{number}.csv"] = tree_table(result)
    if report.releases is not None:
        tables["releases.csv"] = releases_table(report)
    return tables


def safe_stem(name: str) -> str:
    """A file name's stem made of letters, digits, ``-`` and ``_``, at most 120 bytes, never empty.

    Examples
    --------
    >>> safe_stem("sex x ethnicity"), safe_stem("../../etc/passwd"), safe_stem("Größe"), safe_stem("??")
    ('sex_x_ethnicity', 'etc_passwd', 'Größe', 'unnamed')
    """
    kept = "".join(c if c.isalnum() or c in "-_" else " " for c in unicodedata.normalize("NFC", name))
    short = "_".join(kept.split()).encode(errors="ignore")[:LONGEST_STEM]
    return short.decode(errors="ignore") or "unnamed"


def _unused(stem: str, taken: Iterable[str]) -> str:
    """A file name that no earlier one equals, also where case is ignored."""
    used = {name.casefold() for name in taken}
    name, number = f"{stem}.csv", 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}_{number}.csv"
    return name


def _models(report: Report) -> str:
    header = ("model", "kind", "column", "threshold", "rule", *prefixed("cells", CELLS), "metric", *ESTIMATE)
    return csv_table(
        header,
        (
            (
                m.name,
                m.kind,
                m.column,
                m.threshold,
                m.rule,
                *(getattr(m.cells, c) for c in CELLS),
                metric,
                *estimate_cells(e),
            )
            for m in report.models
            for metric, e in m.metrics.items()
        ),
    )


def _groups(grouping: Grouping) -> str:
    header = ("model", "grouping", "group", "group_n", *prefixed("cells", CELLS), "metric", *ESTIMATE)
    sizes = {level.name: level.n for level in grouping.levels}
    return csv_table(
        header,
        (
            (
                *(r.model, grouping.name, r.group, sizes.get(r.group)),
                *(getattr(r.cells, c) for c in CELLS),
                metric,
                *estimate_cells(e),
            )
            for r in grouping.results
            for metric, e in r.metrics.items()
        ),
    )


def _comparisons(comparisons: Iterable[Comparison]) -> str:
    plain = [field.name for field in fields(Comparison)]
    estimates = ("group_estimate", "reference_estimate", "gap")
    header = [column for name in plain for column in (prefixed(name) if name in estimates else (name,))]

    def row(comparison: Comparison) -> list[Value]:
        values: list[Value] = []
        for name in plain:
            value = getattr(comparison, name)
            values += estimate_cells(value) if name in estimates else (value,)
        return values

    return csv_table(header, map(row, comparisons))


def _pairs(report: Report) -> str:
    header = ("first", "second", "n", "both", "first_only", "second_only", "neither", "statistic", *ESTIMATE)
    return csv_table(
        header,
        (
            (p.first, p.second, p.n, p.both, p.first_only, p.second_only, p.neither, statistic, *estimate_cells(e))
            for p in report.model_pairs
            for statistic, e in {"disagreement": p.disagreement, **p.differences}.items()
        ),
    )
