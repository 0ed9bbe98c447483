"""Counts to Report: every result that follows from stored counts, the config and the provenance.

A pure function of things that a record keeps, so that ``replay`` is the same call with stored counts. Sees no rows, clock or file.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from reporter.assemble_agreement import agreement_section
from reporter.assemble_trees import tree_results
from reporter.baseline import compare_reports
from reporter.config.schema import CARD_SECTIONS, Config, FlagRule
from reporter.data import cells as views
from reporter.data.counts import Counts
from reporter.gate import decide
from reporter.results import (
    Card,
    Comparison,
    DataSummary,
    Grouping,
    GroupResult,
    ModelPair,
    ModelResult,
    NoiseResult,
    Profile,
    Provenance,
    Releases,
    Report,
    Verdict,
)
from reporter.small_cells.suppression import decided_comparisons, is_suppressed, with_facts
from reporter.stats.comparisons import Rule, compare
from reporter.stats.curves import curves
from reporter.stats.decomposition import decompose
from reporter.stats.metrics import METRICS, canonical_name, estimates
from reporter.stats.paired import paired_differences

MOST_CURVES = 200
"""Groups of a grouping whose curves of scores are kept; with thousands they would be most of the report and nobody reads them."""


@dataclass(frozen=True)
class Carried:
    """What counts cannot give: results that rest on predictions made during the run, and what is known of the baseline."""

    noise: tuple[NoiseResult, ...] = ()
    baseline: Report | None = None
    baseline_name: str = ""
    baseline_signed: bool | None = None


def assemble(counts: Counts, config: Config, provenance: Provenance, carried: Carried | None = None) -> Report:
    """The Report of these counts.

    ``carried`` holds what counts cannot give. Equal arguments give equal reports, whatever engine counted.
    """
    carried = carried or Carried()
    metrics = wanted_metrics(config)
    models = tuple(_model(counts, config, model.name, metrics) for model in config.models)
    groupings = tuple(_grouping(counts, config, name, metrics) for name in views.grouping_names(counts))
    without_small_cells = is_suppressed(counts)
    found = decided_comparisons(counts) if without_small_cells else tuple(_comparisons(counts, config))
    report = Report(
        provenance=provenance,
        card=_card(config),
        data=_data_summary(counts, config),
        models=models,
        model_pairs=_model_pairs(counts, config, metrics),
        groupings=groupings,
        comparisons=found,
        verdict=Verdict("pass"),
        confidence=config.confidence,
        settings=_settings(config, metrics, carried),
        agreement_section=None if without_small_cells else agreement_section(counts, config),
        noise_results=() if without_small_cells else carried.noise,
        tree_results=() if without_small_cells else tree_results(counts, config),
    )
    if without_small_cells:
        report = with_facts(report, counts)
    elif carried.baseline is not None:
        report = replace(report, releases=_releases(counts, report, carried))
    comparisons, verdict = decide(
        report.comparisons,
        fail_on=config.fail_on,
        accepted=[(a.finding, a.reason, a.approver, a.until) for a in config.accepted],
        today=datetime.datetime.fromisoformat(provenance.created).date(),
        releases=report.releases,
        baseline_signed=carried.baseline_signed,
    )
    report = replace(report, comparisons=comparisons, verdict=verdict)
    return replace(report, profiles=_profiles(counts, config, report))


def _profiles(counts: Counts, config: Config, report: Report) -> tuple[Profile, ...]:
    if not config.profiles:
        return ()
    from reporter.data.medians import above_median
    from reporter.profiles.build import build_profiles
    from reporter.profiles.selection import Columns

    audit = Columns(config.nyc_ll144.sex, config.nyc_ll144.race_ethnicity)
    above = {}
    if "nyc_ll144" in config.profiles:
        wanted = [
            grouping.name for grouping in report.groupings if set(grouping.columns) <= {audit.sex, audit.race_ethnicity}
        ]
        scored = [model.name for model in report.models if model.kind == "score"]
        above = {(model, name): above_median(counts, name, model) for model in scored for name in wanted}
    return build_profiles(report, config.profiles, columns=audit, above=above)


def wanted_metrics(config: Config) -> tuple[str, ...]:
    """The metrics of the config by their canonical names, then those that a rule compares; without a label only those that need none.

    A reader who is told that a group diverges can look its rate up beside those of the other groups.
    """
    names = list(METRICS) if config.metrics == "all" else [canonical_name(name) for name in config.metrics]
    if config.groups:
        names += [canonical_name(rule.metric) for rule in effective_rules(config)]
    if config.data.label is None:
        names = [name for name in names if not METRICS[name].needs_label]
    return tuple(dict.fromkeys(names))


def _model(counts: Counts, config: Config, name: str, metrics: Sequence[str]) -> ModelResult:
    model = next(m for m in config.models if m.name == name)
    cells = views.overall_cells(counts, name)
    table = views.score_table(counts, None, name)
    found = estimates(
        metrics, cells, confidence=config.confidence, scores=views.score_moments(counts, None, name), table=table
    )
    shown = None
    if table is not None and config.data.label is not None:
        (shown,) = curves(table, model=name, groups=(None,), confidence=config.confidence)
    return ModelResult(
        name=name,
        kind="prediction" if model.score is None else "score",
        column=model.score or model.prediction or "",
        threshold=None if model.score is None else model.cut,
        rule=None if model.score is None else model.rule,
        cells=cells.to_cells()[0],
        metrics={metric: values[0] for metric, values in found.items()},
        curves=shown,
        notes=views.model_notes(counts, name),
    )


def _grouping(counts: Counts, config: Config, name: str, metrics: Sequence[str]) -> Grouping:
    levels = views.levels(counts, name)
    results: list[GroupResult] = []
    shown: list[Any] = []
    parts: list[Any] = []
    largest = {level.name for level in sorted(levels, key=lambda level: -level.n)[:MOST_CURVES]}
    for model in config.models:
        cells = views.cells(counts, name, model.name)
        table = views.score_table(counts, name, model.name)
        found = estimates(
            metrics,
            cells,
            confidence=config.confidence,
            scores=views.score_moments(counts, name, model.name),
            table=table,
        )
        results += [
            GroupResult(model.name, level.name, one, {metric: values[i] for metric, values in found.items()})
            for i, (level, one) in enumerate(zip(levels, cells.to_cells(), strict=True))
        ]
        if table is not None and config.data.label is not None:
            shown += curves(
                table,
                model=model.name,
                groups=[level.name for level in levels],
                confidence=config.confidence,
                only=largest,
            )
        if config.data.label is not None:
            parts += decompose(model=model.name, levels=levels, cells=cells)
    return Grouping(
        name=name,
        columns=views.grouping_columns(counts, name),
        levels=levels,
        results=tuple(results),
        curves=tuple(shown),
        decompositions=tuple(parts),
        notes=(*views.grouping_notes(counts, name), *_curve_note(len(levels), bool(shown))),
    )


def _curve_note(n_levels: int, has_curves: bool) -> tuple[str, ...]:
    if not has_curves or n_levels <= MOST_CURVES:
        return ()
    return (f"curves of scores are kept for the {MOST_CURVES} largest of {n_levels} groups",)


def _comparisons(counts: Counts, config: Config) -> list[Comparison]:
    found: list[Comparison] = []
    for name in views.grouping_names(counts):
        rules = [
            _rule(index, rule, config)
            for index, rule in enumerate(effective_rules(config))
            if rule.groups is None or name in rule.groups
        ]
        for model in config.models:
            found += compare(
                rules,
                model=model.name,
                grouping=name,
                levels=views.levels(counts, name),
                cells=views.cells(counts, name, model.name),
                scores=views.score_moments(counts, name, model.name),
                rest_scores=views.rest_moments(counts, name, model.name),
                overall_scores=views.score_moments(counts, None, model.name),
                table=views.score_table(counts, name, model.name),
                alpha=config.flags.alpha,
                adjust=config.flags.adjust,
                min_group_size=config.flags.min_group_size,
                confidence=config.confidence,
            )
    return found


def effective_rules(config: Config) -> tuple[FlagRule, ...]:
    """The rules in force: without a label those that need none."""
    if config.data.label is not None:
        return config.flags.rules
    return tuple(rule for rule in config.flags.rules if not METRICS[canonical_name(rule.metric)].needs_label)


def _rule(index: int, rule: FlagRule, config: Config) -> Rule:
    return Rule(
        metric=canonical_name(rule.metric),
        reference=rule.reference,
        comparison="difference" if rule.ratio is None else "ratio",
        limit=rule.difference if rule.difference is not None else rule.ratio or 0.0,
        side=rule.side,
        severity=rule.severity,
        decide_by=config.flags.decide_by,
        index=index,
        name=rule.name,
    )


def _model_pairs(counts: Counts, config: Config, metrics: Sequence[str]) -> tuple[ModelPair, ...]:
    return tuple(
        paired_differences(
            metrics,
            first=first.name,
            second=second.name,
            joint=views.joint(counts, None, first.name, second.name),
            scores=views.joint_scores(counts, first.name, second.name),
            confidence=config.confidence,
        )
        for first, second in combinations(config.models, 2)
        if views.has_joint(counts, first.name, second.name)
    )


def _releases(counts: Counts, report: Report, carried: Carried) -> Releases:
    """Against the baseline: paired when the rows are the same and this run has the old release's predictions on them."""
    old = carried.baseline
    assert old is not None
    first, second = old.models[0].name, report.models[0].name
    if not _same_rows(old.data, report.data):
        why = "the rows are not known to be the same, so the two releases are compared as independent samples"
    elif first == second or first not in {model.name for model in report.models}:
        why = f"the rows are the same, but this run has no predictions of {first}, so the two releases are compared as independent samples"
    elif views.overall_cells(counts, first).to_cells()[0] != old.models[0].cells:
        why = f"the predictions of {first} are not those of the baseline, so the two releases are compared as independent samples"
    else:
        joints = {name: views.joint(counts, name, first, second) for name in (None, *views.grouping_names(counts))}
        why = "the same rows were scored by both releases, so the comparison is paired"
        return compare_reports(old, report, baseline=carried.baseline_name, joints=joints, why=why)
    return compare_reports(old, report, baseline=carried.baseline_name, why=why)


def _same_rows(old: DataSummary, new: DataSummary) -> bool:
    """By the key column where both have one, else by the hash of the input."""
    if old.key_digest is not None and new.key_digest is not None:
        return old.key_digest == new.key_digest
    return old.sha256 is not None and old.sha256 == new.sha256 and old.where == new.where


def _card(config: Config) -> Card:
    written = {key: getattr(config.card, key).strip() for key in CARD_SECTIONS}
    return Card(
        name=config.card.name,
        version=config.card.version,
        language=config.card.language,
        vocabulary=config.card.vocabulary.model_dump(),
        sections={key: text for key, text in written.items() if text},
        owner=config.card.owner,
        contact=config.card.contact,
        missing=tuple(key for key, text in written.items() if not text),
        attributes=dict(config.card.attributes),
    )


def _data_summary(counts: Counts, config: Config) -> DataSummary:
    facts = counts.facts
    return DataSummary(
        source=facts["source"],
        n=facts["n"],
        n_filtered_out=facts["n_filtered_out"],
        where=config.data.where,
        label=config.data.label,
        positive=None if config.data.positive is None else str(config.data.positive),
        n_labelled=facts["n_labelled"],
        n_positive=facts["n_positive"],
        sha256=facts["sha256"],
        notes=tuple(facts["notes"]),
        key_digest=facts.get("key_digest"),
    )


def _settings(config: Config, metrics: Sequence[str], carried: Carried) -> dict[str, Any]:
    return {
        "baseline_signed": carried.baseline_signed,
        "formats": list(config.output.formats),
        "metrics": list(metrics),
        "alpha": config.flags.alpha,
        "adjust": config.flags.adjust,
        "min_group_size": config.flags.min_group_size,
        "decide_by": config.flags.decide_by,
        "fail_on": list(config.fail_on),
        "small_cells": config.small_cells,
    }
