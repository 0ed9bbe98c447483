"""The tables of a report's optional parts as CSV: curves, agreement, noise, trees, releases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields

from reporter.render.csv_text import Value, csv_table, estimate_cells, prefixed
from reporter.results import Estimate, NoisePoint, Report, TreeResult


def curves_table(report: Report) -> str:
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
    return csv_table(header, rows)


def agreement_table(report: Report) -> str:
    """Every statistic of every pair and group on a line of its own, then the gaps, then the statistics of many raters."""
    section = report.agreement_section
    assert section is not None
    header = ("raters", "item", "grouping", "group", "statistic", "value", "low", "high", "n", "p", "verdict", "reason")
    rows: list[Sequence[Value]] = []
    for result in section.results:
        start = (f"{result.first}; {result.second}", result.item, result.grouping, result.group)
        if result.agreement is None and result.reason is not None:
            rows.append((*start, "kappa", None, None, None, None, None, None, result.reason))
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
                f"{gap.first}; {gap.second}" if gap.first else None,
                gap.item,
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
    return csv_table(header, rows)


def noise_table(report: Report) -> str:
    names = tuple(field.name for field in fields(NoisePoint))
    return csv_table(
        ("study", "model", "variant", "grouping", *names),
        (
            (number, study.model, study.variant, study.grouping, *(getattr(point, name) for name in names))
            for number, study in enumerate(report.noise_results, start=1)
            for point in study.points
        ),
    )


def tree_table(result: TreeResult) -> str:
    """The nodes of a tree, depth first; a leaf has no split. ``followed``: levels that could not be tested and went with the larger side."""
    rates = sorted({name for node in result.tree.nodes() for name in node.rates})
    bases = sorted({name for node in result.tree.nodes() for name in node.base_rates})
    columns = [column for name in rates for column in (f"{name}_rate", f"{name}_n")]
    columns += [column for name in bases for column in (f"base_rate_{name}", f"base_n_{name}")]
    header = ("tree", "id", "path", "n", "delta", "low", "high", *columns, "split_on", "left", "followed", "reason")
    rows: list[Sequence[Value]] = []
    for node in result.tree.nodes():
        values: list[Value] = []
        for rate in (*(node.rates.get(name) for name in rates), *(node.base_rates.get(name) for name in bases)):
            values += (None, None) if rate is None else (rate.rate, rate.n)
        left: Value = None
        if node.split is not None:
            left = "; ".join(node.split.levels_left) if node.split.levels_left is not None else node.split.threshold
        covariate = None if node.split is None else node.split.covariate
        followed = None if node.split is None else "; ".join(node.split.followed) or None
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
                followed,
                node.reason,
            )
        )
    return csv_table(header, rows)


def releases_table(report: Report) -> str:
    releases = report.releases
    assert releases is not None
    header = (
        "old",
        "new",
        "grouping",
        "group",
        "metric",
        *prefixed("old"),
        *prefixed("new"),
        *prefixed("change"),
        "p",
    )
    return csv_table(
        header,
        (
            (
                releases.old,
                releases.new,
                r.grouping,
                r.group,
                r.metric,
                *estimate_cells(r.old),
                *estimate_cells(r.new),
                *estimate_cells(r.change),
                r.p,
            )
            for r in releases.rates
        ),
    )
