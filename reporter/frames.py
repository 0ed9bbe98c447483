"""A report's tables as pandas DataFrames, and the short table that a notebook shows. The only place below the API that knows pandas.

Undefined numbers are NaN and missing texts None in every frame; text columns have the dtype object in every pandas version.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from reporter.results import Agreement

if TYPE_CHECKING:
    import pandas as pd

    from reporter.results import Comparison, Report

MOST_SHOWN = 20
"""A notebook shows at most this many findings and says how many there are."""

GROUPS = ("model", "grouping", "group", "metric", "n", "numerator", "denominator", "value", "low", "high", "reason")
FLAGS = (
    "finding", "model", "grouping", "group", "metric", "reference", "comparison", "limit", "gap", "low", "high", "p", "p_adjusted",
    "verdict", "clear", "reason",
)  # fmt: skip
NOISE = ("model", "grouping", "variant", "group", "noise", "statistic", "mean", "mc_error", "repeats")
RATERS = ("first", "second", "item", "grouping", "group")
ICC_FORMS = ("1", "A1", "C1", "1k", "Ak", "Ck")

_TEXT = frozenset(
    {
        "model",
        "grouping",
        "group",
        "metric",
        "reason",
        "finding",
        "reference",
        "comparison",
        "verdict",
        "variant",
        "statistic",
        *RATERS,
    }
)
_WHOLE = frozenset({"n", "repeats"})


def groups_frame(report: Report) -> pd.DataFrame:
    """One row per model, grouping, group and metric, in the order of the report."""
    rows = (
        (
            result.model, grouping.name, result.group, metric, one.n, one.numerator, one.denominator, one.value, one.low,
            one.high, one.reason,
        )
        for grouping in report.groupings
        for result in grouping.results
        for metric, one in result.metrics.items()
    )  # fmt: skip
    return _frame(GROUPS, rows)


def flags_frame(report: Report) -> pd.DataFrame:
    """One row per comparison. ``gap``, ``low`` and ``high`` are a ratio where ``comparison`` says so."""
    rows = (
        (
            one.finding, one.model, one.grouping, one.group, one.metric, one.reference, one.comparison, one.limit,
            one.gap.value, one.gap.low, one.gap.high, one.p, one.p_adjusted, one.verdict, one.clear, one.reason or one.gap.reason,
        )
        for one in report.comparisons
    )  # fmt: skip
    return _frame(FLAGS, rows)


def agreement_frame(report: Report) -> pd.DataFrame:
    """One row per pair of raters, item and group (grouping and group None: all rows), with the ICC forms that were computed."""
    section = report.agreement_section
    results = () if section is None else section.results
    statistics = tuple(field.name for field in fields(Agreement) if field.name != "reason")
    present = {icc.form for result in results for icc in result.iccs}
    forms = [form for form in ICC_FORMS if form in present]
    weighted = ("weighted_kappa",) if any(result.weighted_kappa for result in results) else ()
    iccs = tuple(f"icc_{form.lower()}{end}" for form in forms for end in ("", "_low", "_high"))
    rows = []
    for result in results:
        binary = result.agreement
        by_form = {icc.form: icc for icc in result.iccs}
        found = [by_form.get(form) for form in forms]
        rows.append(
            (
                *(getattr(result, name) for name in RATERS),
                *(None if binary is None else getattr(binary, name) for name in statistics),
                *(None if icc is None else end for icc in found for end in _ends(icc)),
                *([None if result.weighted_kappa is None else result.weighted_kappa.value] if weighted else []),
                None if binary is None else binary.reason,
            )
        )
    return _frame((*RATERS, *statistics, *iccs, *weighted, "reason"), rows, whole=frozenset())


def _ends(icc: Any) -> tuple[Any, Any, Any]:
    return (None, None, None) if icc is None else (icc.value, icc.low, icc.high)


def noise_frame(report: Report) -> pd.DataFrame:
    """One row per noise study, group, noise level and statistic."""
    rows = (
        (
            study.model, study.grouping, study.variant, point.group, point.noise, point.statistic, point.mean, point.mc_error,
            point.repeats,
        )
        for study in report.noise_results
        for point in study.points
    )  # fmt: skip
    return _frame(NOISE, rows)


def notebook_html(report: Report) -> str:
    """The verdict and the findings that matter, as one escaped HTML fragment without scripts or links."""
    order = {"diverges": 0, "insufficient evidence": 1, "within limit": 2}
    findings = sorted(report.comparisons, key=lambda one: order[one.verdict])
    verdict = report.verdict
    heading = " ".join(part for part in (report.card.name, report.card.version) if part)
    counts = f"{verdict.n_flagged} diverging, {verdict.n_insufficient} with insufficient evidence, {verdict.n_within} within limit"
    head = (
        "model",
        "grouping",
        "group",
        "metric",
        "group value",
        "reference",
        "reference value",
        "gap",
        "interval",
        "verdict",
    )
    rows = [_cells(one) for one in findings[:MOST_SHOWN]]
    more = len(findings) - len(rows)
    lines = [
        "<div>",
        f"<p><strong>{html.escape(heading)}</strong>: {verdict.outcome}. {counts}.</p>",
        "<table>",
        "<thead><tr>" + "".join(f'<th scope="col">{name}</th>' for name in head) + "</tr></thead>",
        "<tbody>",
        *("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows),
        "</tbody>",
        "</table>",
        *([f"<p>{more} more of {len(findings)} findings are in <code>flags</code>.</p>"] if more else []),
        "</div>",
    ]
    return "\n".join(lines)


def _cells(one: Comparison) -> tuple[str, ...]:
    return (
        one.model,
        one.grouping,
        one.group,
        one.metric,
        _number(one.group_estimate.value),
        one.reference_group or one.reference,
        _number(one.reference_estimate.value),
        _number(one.gap.value),
        "" if one.gap.low is None else f"{_number(one.gap.low)} to {_number(one.gap.high)}",
        one.verdict,
    )


def _number(value: float | None) -> str:
    from reporter.render.format import number

    return "undefined" if value is None else number(value)


def _frame(columns: Sequence[str], rows: Iterable[tuple[Any, ...]], whole: frozenset[str] = _WHOLE) -> pd.DataFrame:
    import pandas as pd

    lists = [list(column) for column in zip(*rows, strict=True)] or [[] for _ in columns]
    return pd.DataFrame(
        {name: pd.Series(values, dtype=_dtype(name, whole)) for name, values in zip(columns, lists, strict=True)}
    )


def _dtype(name: str, whole: frozenset[str]) -> Any:
    if name in _TEXT:
        return "object"
    if name == "clear":
        return "bool"
    return "int64" if name in whole else "float64"
