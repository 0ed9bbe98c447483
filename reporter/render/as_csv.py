"""A Report as plain tables for spreadsheets and notebooks: every group, every number in full, one file a grouping.

Texts that a spreadsheet would run as a formula are neutralised with a leading apostrophe; numbers are never touched. Names of
groupings reach file names only through ``safe_stem``. It knows nothing of files beyond their names.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import fields

from reporter.results import Cells, Comparison, Estimate, Grouping, NoisePoint, Report, TreeResult

Value = str | int | float | bool | None

ESTIMATE = ("value", "low", "high", "n", "numerator", "denominator", "method", "reason")
CELLS = tuple(field.name for field in fields(Cells))
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
LONGEST_STEM = 80


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
        tables["curves.csv"] = _curves(report)
    if report.agreement_section is not None:
        tables["agreement.csv"] = _agreement(report)
    if report.noise_results:
        tables["noise.csv"] = _noise(report)
    for number, result in enumerate(report.tree_results, start=1):
        tables[f"tree_{number}.csv"] = _tree(result)
    if report.releases is not None:
        tables["releases.csv"] = _releases(report)
    return tables


def safe_stem(name: str) -> str:
    """A file name's stem made of letters, digits, ``-`` and ``_``, at most 80 characters, never empty.

    Examples
    --------
    >>> safe_stem("sex x ethnicity"), safe_stem("../../etc/passwd"), safe_stem("Größe"), safe_stem("??")
    ('sex_x_ethnicity', 'etc_passwd', 'Größe', 'unnamed')
    """
    kept = "".join(c if c.isalnum() or c in "-_" else " " for c in unicodedata.normalize("NFC", name))
    return "_".join(kept.split())[:LONGEST_STEM] or "unnamed"


def neutralised(value: Value) -> Value:
    """The value, with an apostrophe before a text that a spreadsheet would take for a formula.

    Examples
    --------
    >>> neutralised("=HYPERLINK(1)"), neutralised("-5"), neutralised("- 5 years"), neutralised(-0.25)
    ("'=HYPERLINK(1)", '-5', "'- 5 years", -0.25)
    """
    if not isinstance(value, str) or (
        not value.startswith(FORMULA_STARTS) and not value.lstrip().startswith(FORMULA_STARTS)
    ):
        return value
    return value if _is_number(value) else f"'{value}"


def _is_number(text: str) -> bool:
    """Whether the text is a plain decimal number, as a group of numbers may be named."""
    return text.lstrip("+-").replace(".", "", 1).isdecimal() and len(text) - len(text.lstrip("+-")) <= 1


def _table(header: Sequence[str], rows: Iterable[Sequence[Value]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(header)
    writer.writerows([neutralised(value) for value in row] for row in rows)
    return text.getvalue()


def _unused(stem: str, taken: Iterable[str]) -> str:
    """A file name that no earlier one equals, also where case is ignored."""
    used = {name.casefold() for name in taken}
    name, number = f"{stem}.csv", 1
    while name.casefold() in used:
        number += 1
        name = f"{stem}_{number}.csv"
    return name


def _estimate(estimate: Estimate | None) -> tuple[Value, ...]:
    return tuple(None if estimate is None else getattr(estimate, name) for name in ESTIMATE)


def _prefixed(prefix: str, names: Iterable[str] = ESTIMATE) -> tuple[str, ...]:
    return tuple(f"{prefix}_{name}" for name in names)


def _models(report: Report) -> str:
    header = ("model", "kind", "column", "threshold", "rule", *_prefixed("cells", CELLS), "metric", *ESTIMATE)
    return _table(
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
                *_estimate(e),
            )
            for m in report.models
            for metric, e in m.metrics.items()
        ),
    )


def _groups(grouping: Grouping) -> str:
    header = ("model", "grouping", "group", "group_n", *_prefixed("cells", CELLS), "metric", *ESTIMATE)
    sizes = {level.name: level.n for level in grouping.levels}
    return _table(
        header,
        (
            (
                *(r.model, grouping.name, r.group, sizes.get(r.group)),
                *(getattr(r.cells, c) for c in CELLS),
                metric,
                *_estimate(e),
            )
            for r in grouping.results
            for metric, e in r.metrics.items()
        ),
    )


def _comparisons(comparisons: Iterable[Comparison]) -> str:
    plain = [field.name for field in fields(Comparison)]
    estimates = ("group_estimate", "reference_estimate", "gap")
    header = [column for name in plain for column in (_prefixed(name) if name in estimates else (name,))]

    def row(comparison: Comparison) -> list[Value]:
        values: list[Value] = []
        for name in plain:
            value = getattr(comparison, name)
            values += _estimate(value) if name in estimates else (value,)
        return values

    return _table(header, map(row, comparisons))


def _pairs(report: Report) -> str:
    header = ("first", "second", "n", "both", "first_only", "second_only", "neither", "statistic", *ESTIMATE)
    return _table(
        header,
        (
            (p.first, p.second, p.n, p.both, p.first_only, p.second_only, p.neither, statistic, *_estimate(e))
            for p in report.model_pairs
            for statistic, e in {"disagreement": p.disagreement, **p.differences}.items()
        ),
    )


def _curves(report: Report) -> str:
    """ROC points, calibration bins and score histograms under each other, told apart by ``curve``."""
    header = ("model", "grouping", "group", "curve", "low", "high", "n", "x", "y", "y_low", "y_high", "reason")
    everyone = [("", model.curves) for model in report.models if model.curves is not None]
    grouped = [(grouping.name, curves) for grouping in report.groupings for curves in grouping.curves]
    rows: list[Sequence[Value]] = []
    for grouping, c in (*everyone, *grouped):
        start = (c.model, grouping, c.group)
        if c.reason is not None:
            rows.append((*start, None, None, None, c.n, None, None, None, None, c.reason))
        rows += ((*start, "roc", p.threshold, None, None, p.fpr, p.tpr, None, None, None) for p in c.roc)
        rows += (
            (
                *start,
                "calibration",
                b.low,
                b.high,
                b.n,
                b.mean_score,
                b.observed.value,
                b.observed.low,
                b.observed.high,
                b.observed.reason,
            )
            for b in c.calibration
        )
        rows += ((*start, "density", d.low, d.high, d.n, None, None, None, None, None) for d in c.density)
    return _table(header, rows)


def _agreement(report: Report) -> str:
    """Every statistic of every pair and group on a line of its own, then the gaps, then the statistics of many raters."""
    section = report.agreement_section
    assert section is not None
    header = ("raters", "item", "grouping", "group", "statistic", "value", "low", "high", "n", "p", "verdict", "reason")
    rows: list[Sequence[Value]] = []
    for result in section.results:
        start = (f"{result.first}; {result.second}", result.item, result.grouping, result.group)
        if result.agreement is not None:
            a = result.agreement
            intervals = {"kappa": (a.kappa_low, a.kappa_high), "pabak": (a.pabak_low, a.pabak_high)}
            for field in fields(a):
                if field.name in ("n", "reason") or field.name.endswith(("_low", "_high")):
                    continue
                value = getattr(a, field.name)
                reason = a.reason if value is None else None
                rows.append(
                    (*start, field.name, value, *intervals.get(field.name, (None, None)), a.n, None, None, reason)
                )
        rows += (
            (*start, f"icc_{icc.form}", icc.value, icc.low, icc.high, icc.n, icc.p, None, icc.reason)
            for icc in result.iccs
        )
        if (w := result.weighted_kappa) is not None:
            rows.append((*start, "weighted_kappa", w.value, w.low, w.high, w.n, None, None, w.reason))
    for gap in section.gaps:
        g = gap.gap
        rows.append(
            (
                None,
                None,
                gap.grouping,
                gap.group,
                f"gap of {gap.statistic} to {gap.reference}",
                g.value,
                g.low,
                g.high,
                g.n,
                gap.p_adjusted,
                gap.verdict,
                gap.reason or g.reason,
            )
        )
    for many in section.multi:
        for statistic in ("fleiss_kappa", "krippendorff_alpha"):
            e: Estimate | None = getattr(many, statistic)
            if e is None:
                continue
            rows.append(
                (
                    "; ".join(many.raters),
                    many.item,
                    many.grouping,
                    many.group,
                    statistic,
                    e.value,
                    e.low,
                    e.high,
                    e.n,
                    None,
                    None,
                    e.reason,
                )
            )
    return _table(header, rows)


def _noise(report: Report) -> str:
    names = tuple(field.name for field in fields(NoisePoint))
    return _table(
        ("study", "model", "variant", "grouping", *names),
        (
            (number, study.model, study.variant, study.grouping, *(getattr(point, name) for name in names))
            for number, study in enumerate(report.noise_results, start=1)
            for point in study.points
        ),
    )


def _tree(result: TreeResult) -> str:
    """The nodes of a tree, depth first; a leaf has no split."""
    rates = sorted({name for node in result.tree.nodes() for name in node.rates})
    bases = sorted({name for node in result.tree.nodes() for name in node.base_rates})
    columns = [column for name in rates for column in (f"{name}_rate", f"{name}_n")]
    columns += [column for name in bases for column in (f"base_rate_{name}", f"base_n_{name}")]
    header = ("tree", "id", "path", "n", "delta", "low", "high", *columns, "split_on", "left", "reason")
    rows: list[Sequence[Value]] = []
    for node in result.tree.nodes():
        values: list[Value] = []
        for rate in (*(node.rates.get(name) for name in rates), *(node.base_rates.get(name) for name in bases)):
            values += (None, None) if rate is None else (rate.rate, rate.n)
        left: Value = None
        if node.split is not None:
            left = "; ".join(node.split.levels_left) if node.split.levels_left is not None else node.split.threshold
        covariate = None if node.split is None else node.split.covariate
        rows.append(
            (
                result.name,
                node.id,
                node.path,
                node.n,
                node.delta,
                node.low,
                node.high,
                *values,
                covariate,
                left,
                node.reason,
            )
        )
    return _table(header, rows)


def _releases(report: Report) -> str:
    releases = report.releases
    assert releases is not None
    header = (
        "old",
        "new",
        "grouping",
        "group",
        "metric",
        *_prefixed("old"),
        *_prefixed("new"),
        *_prefixed("change"),
        "p",
    )
    return _table(
        header,
        (
            (
                releases.old,
                releases.new,
                r.grouping,
                r.group,
                r.metric,
                *_estimate(r.old),
                *_estimate(r.new),
                *_estimate(r.change),
                r.p,
            )
            for r in releases.rates
        ),
    )
