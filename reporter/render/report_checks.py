"""What the parts of a stored report say of each other: whether every name that one part uses is there in another.

A file of the right form can still have been changed by hand; what is shown of it would be made up, or fail far from its cause.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator

from reporter.errors import Problem
from reporter.results import Estimate, Report
from reporter.stats.metrics import METRICS

HINT = "The file was changed since `reporter run` wrote it"


def contradictions(report: Report) -> Iterator[Problem]:
    """Every place of ``report`` that names what is not there, or holds a moment that is none."""
    yield from _moment(report.provenance.created)
    if not report.models:
        yield _problem("models", "found no model, expected at least one")
    yield from _settings(report)
    yield from _metrics(report)
    yield from _groupings(report)
    yield from _findings(report)
    yield from _studies(report)


def _problem(place: str, message: str) -> Problem:
    return Problem(message, key=place, hint=HINT)


def _moment(created: str) -> Iterator[Problem]:
    try:
        known = datetime.datetime.fromisoformat(created).tzinfo is not None
    except ValueError:
        known = False
    if not known:
        yield _problem("provenance.created", f"found {created!r}, expected a moment such as 2026-01-15T09:00:00+00:00")


def _settings(report: Report) -> Iterator[Problem]:
    formats = report.settings.get("formats", [])
    if not isinstance(formats, list) or not all(isinstance(name, str) for name in formats):
        yield _problem("settings.formats", "found something else, expected a list of formats")


def _metrics(report: Report) -> Iterator[Problem]:
    places: list[tuple[str, Iterable[str]]] = [(f"models[{i}].metrics", m.metrics) for i, m in enumerate(report.models)]
    places += [(f"model_pairs[{i}].differences", pair.differences) for i, pair in enumerate(report.model_pairs)]
    places += [
        (f"groupings[{i}].results[{j}].metrics", result.metrics)
        for i, grouping in enumerate(report.groupings)
        for j, result in enumerate(grouping.results)
    ]
    for place, names in places:
        for name in names:
            if name not in METRICS:
                yield _problem(f"{place}.{name}", "found no such metric")


def _groupings(report: Report) -> Iterator[Problem]:
    models = {model.name for model in report.models}
    asked: dict[str, Estimate] = report.models[0].metrics if report.models else {}
    for i, grouping in enumerate(report.groupings):
        levels = {level.name for level in grouping.levels}
        seen = {(result.model, result.group): result for result in grouping.results}
        for j, result in enumerate(grouping.results):
            place = f"groupings[{i}].results[{j}]"
            yield from _known(f"{place}.model", result.model, models, "model")
            yield from _known(f"{place}.group", result.group, levels, "group")
            for name in asked:
                if name not in result.metrics:
                    yield _problem(f"{place}.metrics", f"found no {name}, which models[0] has")
        for model in models:
            for level in levels:
                if (model, level) not in seen:
                    yield _problem(f"groupings[{i}].results", f"found none of {model!r} in the group {level!r}")
        for j, curves in enumerate(grouping.curves):
            yield from _known(f"groupings[{i}].curves[{j}].model", curves.model, models, "model")
            yield from _known(f"groupings[{i}].curves[{j}].group", curves.group, levels, "group")
        for j, part in enumerate(grouping.decompositions):
            for key, name, known, kind in (
                ("model", part.model, models, "model"),
                ("group", part.group, levels, "group"),
            ):
                yield from _known(f"groupings[{i}].decompositions[{j}].{key}", name, known, kind)


def _findings(report: Report) -> Iterator[Problem]:
    models = {model.name for model in report.models}
    # A group that a finding is of need not be among the levels: where small cells are hidden, those may be pooled.
    groups = {grouping.name for grouping in report.groupings}
    for i, comparison in enumerate(report.comparisons):
        place = f"comparisons[{i}]"
        yield from _known(f"{place}.model", comparison.model, models, "model")
        yield from _known(f"{place}.metric", comparison.metric, METRICS, "metric")
        yield from _known(f"{place}.grouping", comparison.grouping, groups, "grouping")
    for i, pair in enumerate(report.model_pairs):
        yield from _known(f"model_pairs[{i}].first", pair.first, models, "model")
        yield from _known(f"model_pairs[{i}].second", pair.second, models, "model")
    if report.releases is not None:
        for i, change in enumerate(report.releases.rates):
            yield from _known(f"releases.rates[{i}].metric", change.metric, METRICS, "metric")
            if change.grouping is not None:
                yield from _known(f"releases.rates[{i}].grouping", change.grouping, groups, "grouping")


def _studies(report: Report) -> Iterator[Problem]:
    groups = {grouping.name for grouping in report.groupings}
    section = report.agreement_section
    if section is not None:
        used = [(f"results[{i}]", result.grouping) for i, result in enumerate(section.results)]
        used += [(f"gaps[{i}]", gap.grouping) for i, gap in enumerate(section.gaps)]
        used += [(f"multi[{i}]", several.grouping) for i, several in enumerate(section.multi)]
        for place, grouping in used:
            yield from _known(f"agreement_section.{place}.grouping", grouping, groups, "grouping")
    for i, study in enumerate(report.noise_results):
        if len(study.group_sizes) != len(study.groups):
            yield _problem(
                f"noise_results[{i}].group_sizes", f"found {len(study.group_sizes)} sizes of {len(study.groups)} groups"
            )
        for j, point in enumerate(study.points):
            yield from _known(f"noise_results[{i}].points[{j}].group", point.group, study.groups, "group")


def _known(place: str, name: str | None, known: Iterable[str], kind: str) -> Iterator[Problem]:
    if name is not None and name not in known:
        yield _problem(place, f"found {name!r}, which is no {kind} of this report")
