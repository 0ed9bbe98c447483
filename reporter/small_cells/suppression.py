"""Small cells: counts and a report in which no count from 1 to ``k`` - 1 is shown or follows from what is shown.

It happens once, on the counts, before any rendering. Groups with a small cell are pooled (``reporter/small_cells/hiding.py`` says why that holds), each model
keeps a table of its own per grouping, and everything that cannot be made safe that way stays out: curves and single scores, Δ trees,
noise studies, agreement per group, rates of an older release. What the full counts decided is kept as facts: each comparison with its verdict (without
its numbers where they would tell of a hidden group; combinations of columns that are hidden have one verdict together), and the
estimates of score metrics of groups that are shown, where the score is no grade of few values (``reporter/small_cells/scores.py``).

Two records of the same rows (with other groups, or another ``k``) are not held against each other: what one hides the other may show.
Columns that follow from each other without being crossed in the config (a county and its state) are seen as unrelated: cross them. What
all groupings that are crossed give away together is looked for at the end (``reporter/small_cells/overlaps.py``).
"""

from __future__ import annotations

from dataclasses import replace

from reporter.data.counts import Counts
from reporter.results import (
    Agreement,
    AgreementResult,
    AgreementSection,
    Comparison,
    Estimate,
    Releases,
    Report,
    VerdictChange,
)
from reporter.small_cells.facts import decided_facts, pool_notes, read_comparison, shown_agreement, without_counts
from reporter.small_cells.groups import pooled_levels, refuse_small_totals, shown_groups, shown_pairs
from reporter.small_cells.tables import FullTables

FACTS = "suppressed"

POOLED_SCORES = "scores of groups that are shown together are not kept"
FEW_SCORES_TELL = "hidden: it would tell how many rows have each of the few scores there are"


def suppress(counts: Counts, report: Report, k: int) -> Counts:
    """The counts that may be published, with what ``report`` (made of the full counts) decided as facts.

    Raises
    ------
    DataError
        The table over all rows has a small cell, so that no figure of that model can be published.
    """
    made = FullTables.of(counts)
    refuse_small_totals(made, k)
    tables = {f"overall/{i}": made.frame(None, i, None) for i in range(made.n_models)}
    pairs = shown_pairs(made, k)
    tables |= {f"overall/{i},{j}": made.pair_frame(i, j) for i, j in pairs}
    shown = shown_groups(made, k)
    groupings = []
    for facts in counts.facts["groupings"]:
        name = facts["name"]
        levels, place = pooled_levels(made.levels(name), shown[name])
        tables[f"levels/{name}"] = levels
        tables |= {f"groups/{name}/{i}": made.frame(name, i, place) for i in range(made.n_models)}
        notes = [*without_counts(facts["notes"]), *pool_notes(made.levels(name), shown[name], k)]
        groupings.append({"name": name, "columns": facts["columns"], "notes": notes})
    whole = counts.facts
    decided = decided_facts(report, made, shown, shown_agreement(report, made, pairs, k), k)
    said = [
        *whole["notes"],
        *(note for part in ("models", "groupings") for one in whole[part] for note in one["notes"]),
    ]
    if without_counts(said) != said:
        decided["notes"].append("Notes that hold numbers are left out too.")
    return Counts(
        tables,
        {
            "version": whole["version"],
            "source": whole["source"],
            "sha256": whole["sha256"],
            "inputs": whole["inputs"],
            "key_digest": whole.get("key_digest"),
            "n": whole["n"],
            "n_filtered_out": None if 0 < whole["n_filtered_out"] < k else whole["n_filtered_out"],
            "n_labelled": whole["n_labelled"],
            "n_positive": whole["n_positive"],
            "models": [
                {"name": m["name"], "kind": m["kind"], "column": m["column"], "notes": without_counts(m["notes"])}
                for m in whole["models"]
            ],
            "groupings": groupings,
            "notes": without_counts(whole["notes"]),
            FACTS: decided,
        },
    )


def is_suppressed(counts: Counts) -> bool:
    """Whether these counts were made by :func:`suppress`."""
    return FACTS in counts.facts


def decided_comparisons(counts: Counts) -> tuple[Comparison, ...]:
    """The comparisons as the full counts decided them, without the numbers of hidden groups."""
    return tuple(read_comparison(plain) for plain in counts.facts[FACTS]["comparisons"])


def with_facts(report: Report, counts: Counts) -> Report:
    """A report of suppressed counts, completed by what the full counts said of groups that are shown."""
    facts = counts.facts[FACTS]
    scores: dict[tuple[str, str | None, str | None], dict[str, Estimate]] = {}
    for one in facts["scores"]:
        key = (one["model"], one["grouping"], one["group"])
        scores.setdefault(key, {})[one["metric"]] = Estimate(**one["estimate"])
    scored = {model.name for model in report.models if model.kind == "score"}
    models = tuple(
        replace(
            model,
            metrics={
                **(_explained(model.metrics, FEW_SCORES_TELL) if model.name in scored else model.metrics),
                **scores.get((model.name, None, None), {}),
            },
        )
        for model in report.models
    )
    pools = {(grouping.name, level.name) for grouping in report.groupings for level in grouping.levels if level.pooled}
    groupings = tuple(
        replace(
            grouping,
            results=tuple(
                replace(
                    one,
                    metrics={
                        **(
                            _explained(
                                one.metrics,
                                POOLED_SCORES if (grouping.name, one.group) in pools else FEW_SCORES_TELL,
                            )
                            if one.model in scored
                            else one.metrics
                        ),
                        **scores.get((one.model, grouping.name, one.group), {}),
                    },
                )
                for one in grouping.results
            ),
        )
        for grouping in report.groupings
    )
    agreement = tuple(
        AgreementResult(**{**one, "agreement": Agreement(**one["agreement"])}) for one in facts["agreement"]
    )
    releases = facts["releases"]
    return replace(
        report,
        models=models,
        groupings=groupings,
        agreement_section=AgreementSection(results=agreement) if agreement else None,
        releases=None
        if releases is None
        else Releases(
            **{
                **releases,
                "verdicts": tuple(VerdictChange(**one) for one in releases["verdicts"]),
                "not_compared": tuple(releases["not_compared"]),
            }
        ),
        notes=(*report.notes, *facts["notes"]),
    )


def _explained(metrics: dict[str, Estimate], why: str) -> dict[str, Estimate]:
    """Metrics of scores that are not given, and why."""
    from reporter.stats.metrics import METRICS

    return {
        name: replace(one, reason=why) if one.value is None and "score" in METRICS[name].needs else one
        for name, one in metrics.items()
    }
