"""One attribute of a standard, where a card can answer it, and how a list of them is held against a report.

A place is a part of the report: ``section:KEY`` (the author's prose), ``card:KEY`` (owner, contact, ...) or ``result:KEY`` (something computed). An
attribute is answered when everything that it names is there. What no part of a card answers can be written by the author under
``card.attributes``, by the attribute's name.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from reporter.results import Profile, Report

PLACES = {
    "section:summary": "Summary",
    "section:intended_use": "Intended use",
    "section:users": "Users",
    "section:how_to_use": "How to use it",
    "section:out_of_scope": "Out of scope",
    "section:warnings": "Warnings",
    "section:model": "Model",
    "section:training_data": "Training data",
    "section:evaluation_data": "Evaluation data",
    "section:considerations": "Ethical considerations",
    "section:mitigations": "Mitigations",
    "section:monitoring": "Monitoring",
    "section:change_log": "Change log",
    "card:name": "Name",
    "card:version": "Release",
    "card:owner": "Owner",
    "card:contact": "Contact",
    "card:date": "Date of the evaluation",
    "result:output": "Model and output: column, threshold and rule",
    "result:overall": "Overall results",
    "result:groups": "Group results",
    "result:comparisons": "Group results: gaps and verdicts",
    "result:composition": "Evaluation data: groups and their sizes",
    "result:events": "Evaluation data: rows and events",
    "result:missing": "Evaluation data: missing labels and predictions",
    "result:method": "Method",
    "result:agreement": "Agreement",
    "result:noise": "Noise study",
    "result:trees": "Δ trees",
    "result:releases": "Release against release",
    "result:provenance": "Provenance",
}


@dataclass(frozen=True, slots=True)
class Attribute:
    """``name`` as the standard identifies it, ``title`` in other words, ``places`` that answer it together."""

    name: str
    title: str
    places: tuple[str, ...] = ()
    required: bool = True


@dataclass(frozen=True, slots=True)
class Standard:
    """A list of attributes with the source that it was read at."""

    name: str
    title: str
    source: str
    attributes: tuple[Attribute, ...]


def attribute_list(standard: Standard, report: Report) -> Profile:
    """Where the report answers each attribute of ``standard``, and which it does not answer."""
    there = _there(report)
    rows: list[dict[str, Any]] = []
    missing: list[str] = []
    for attribute in standard.attributes:
        written = report.card.attributes.get(attribute.name, "").strip()
        missing_places = [place for place in attribute.places if place not in there]
        if written:
            state, where = "written", written
        elif attribute.places and not missing_places:
            state = "written" if attribute.places[0].startswith(("section:", "card:")) else "computed"
            where = "; ".join(PLACES[place] for place in attribute.places)
        else:
            state = "missing" if attribute.required else "not given (optional)"
            where = ", ".join(f"nothing under {PLACES[place]}" for place in missing_places) or "no part of this card"
            if attribute.required:
                missing.append(f"{attribute.name} ({attribute.title})")
        rows.append({"attribute": attribute.name, "title": attribute.title, "where": where, "state": state})
    n_required = sum(attribute.required for attribute in standard.attributes)
    sentences = (
        f"The card speaks of {n_required - len(missing)} of the {n_required} attributes that {standard.title} asks for. Whether what it says is enough is for the reader to judge.",
        f"Attribute names after {standard.source}, in other words.",
    )
    return Profile(standard.name, standard.title, tuple(rows), tuple(missing), (), sentences)


def attribute_names(standards: Sequence[Standard]) -> tuple[str, ...]:
    """Every name that ``card.attributes`` may hold."""
    return tuple(dict.fromkeys(attribute.name for standard in standards for attribute in standard.attributes))


def _there(report: Report) -> set[str]:
    card = report.card
    found = {f"section:{key}" for key, text in card.sections.items() if text.strip()}
    found |= {f"card:{key}" for key in ("owner", "contact") if getattr(card, key).strip()}
    found |= {"card:date", "result:method", "result:provenance", "result:missing"}
    # The names that a config has when nobody gave one.
    found |= {"card:name"} if card.name != "Model" else set()
    found |= {"card:version"} if card.version != "unversioned" else set()
    parts = {
        "result:output": bool(report.models),
        "result:overall": any(e.value is not None for model in report.models for e in model.metrics.values()),
        "result:groups": any(grouping.results for grouping in report.groupings),
        "result:comparisons": bool(report.comparisons),
        "result:composition": bool(report.groupings),
        "result:events": report.data.n_labelled > 0,
        "result:agreement": report.agreement_section is not None,
        "result:noise": bool(report.noise_results),
        "result:trees": bool(report.tree_results),
        "result:releases": report.releases is not None,
    }
    return found | {key for key, is_there in parts.items() if is_there}
