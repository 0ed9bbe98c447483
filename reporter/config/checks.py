"""What the keys of a config say of each other: what needs a label or scores, what contradicts, which files must be there.

Every valid part is checked, also beside parts that the schema refused. Knows no line numbers and opens no data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reporter.config.archive_places import APART, sealed_faults
from reporter.config.environment import URL_PASSWORD
from reporter.config.explain import quoted
from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath
from reporter.config.parts import Parts, parts_of
from reporter.config.references import check_references, is_metric, named_metrics, names_at
from reporter.config.schema import Config, Database, OutputConfig
from reporter.config.study_checks import check_agreement, check_noise, check_trees
from reporter.config.values import UNFILLED


def cross_check(document: Mapping[str, Any], shown: Any, base: Path) -> list[Finding]:
    """Every finding. ``shown`` is the document with ``${NAME}`` unexpanded; files are looked for relative to ``base``."""
    parts = parts_of(document)
    findings = [finding for check in _CHECKS for finding in check(parts)]
    return [*findings, *check_references(document), *_files(parts, base), *_sealed(document, base), *_texts(shown)]


def settle(config: Config) -> Config:
    """The checked config with metrics under their canonical names and, without a label, only those that need none."""
    from reporter.stats.metrics import metric

    metrics: Any = config.metrics
    rules = config.flags.rules
    has_label = config.data.label is not None
    if metrics != "all":
        names = dict.fromkeys(metric(name).name for name in metrics)
        metrics = tuple(name for name in names if has_label or not _needs(name, "label"))
    kept = [rule for rule in rules if has_label or not _needs(rule.metric, "label")]
    canonical = tuple(rule.model_copy(update={"metric": metric(rule.metric).name}) for rule in kept)
    flags = config.flags.model_copy(update={"rules": canonical})
    return config.model_copy(update={"metrics": metrics, "flags": flags})


def _needs(name: str, what: str) -> bool:
    from reporter.stats.metrics import metric

    return what in metric(name).needs


def _metrics(parts: Parts) -> Iterator[Finding]:
    no_scores = parts.every_model and all(model.score is None for model in parts.models.values())
    for path, name in named_metrics(parts.document):
        if not is_metric(name):
            continue
        if _needs(name, "label") and not parts.has_label:
            yield Finding(path, f"found {name}, which needs a label", "Set data.label, or leave this metric out.")
        elif _needs(name, "score") and no_scores:
            message = f"found {name}, which needs scores, but every model has a prediction column"
            yield Finding(path, message, "Set score for a model, or leave this metric out.")


def _rules(parts: Parts) -> Iterator[Finding]:
    from reporter.stats.metrics import metric

    for path, name in names_at(parts.document, "flags", "rules", "*", "metric"):
        if is_metric(name) and metric(name).kind == "count":
            message = f"found {name}, a count, expected a metric that does not grow with a group's size"
            yield Finding(path, message, "Use referral_rate.")


def _source(parts: Parts) -> Iterator[Finding]:
    data = parts.data
    if data is None:
        return
    if isinstance(data.source, Database):
        if _is_http(data.source.url):
            message = "found an http(s) address, expected a database's URL"
            yield Finding(("data", "source", "url"), message, "The address of a file is written as data.source itself.")
    elif _is_http(data.source) and data.sha256 is None:
        message = "found an http(s) address without data.sha256"
        yield Finding(("data", "source"), message, "Set data.sha256, so that the data cannot change unseen.")
    scores_only = parts.every_model and all(model.score is not None for model in parts.models.values())
    if data.positive is not None and data.label is None and scores_only:
        message = "found positive, but neither a label nor a prediction column that it could apply to"
        yield Finding(("data", "positive"), message, "Set data.label, or leave it out.")


def _is_http(address: str) -> bool:
    return address.partition("://")[0].casefold() in ("http", "https")


def _accepted(parts: Parts) -> Iterator[Finding]:
    from reporter.stats.comparisons import finding_part

    models = [name for _, name in names_at(parts.document, "models", "*", "name")]
    for path, item in parts.accepted.items():
        steps = item.finding.split("/")
        if len(steps) < 4 or not all(steps[:1] + steps[-1:]):
            message = f"found {quoted(item.finding)}, expected metric/grouping/group/model"
            yield Finding((*path, "finding"), message, "The card and report.json show the id of each finding.")
        elif (
            is_metric(steps[0])
            and models
            and not any(f"/{finding_part(name)}/" in f"{item.finding}/" for name in models)
        ):
            message = f"found {quoted(item.finding)}, which names none of the models {', '.join(models)}"
            yield Finding((*path, "finding"), message, "An id is metric/grouping/group/model.")


def _contradictions(parts: Parts) -> Iterator[Finding]:
    document = parts.document
    profiles = document.get("profiles")
    small_cells = document.get("small_cells")
    if small_cells is not None and isinstance(profiles, list) and "nyc_ll144" in profiles:
        message = "found small_cells beside the profile nyc_ll144: one hides small counts, the other must list them"
        yield Finding(("small_cells",), message, "Ask for one of the two.")
    if document.get("sealed_archive") is not None and small_cells is None:
        message = "found sealed_archive without small_cells: archive then holds the full record already"
        yield Finding(("sealed_archive",), message, "Leave it out, or set small_cells.")


def _sealed(document: Mapping[str, Any], base: Path) -> Iterator[Finding]:
    sealed, archive, output = (document.get(key) for key in ("sealed_archive", "archive", "output"))
    given = output if isinstance(output, Mapping) else {}
    directory = given.get("directory", OutputConfig.model_fields["directory"].default)
    if isinstance(sealed, str):
        places = {
            key: place
            for key, place in (("archive", archive), ("output.directory", directory))
            if isinstance(place, str)
        }
        for message in sealed_faults(sealed, places, base):
            yield Finding(("sealed_archive",), message, APART)


def _profiles(parts: Parts) -> Iterator[Finding]:
    """Attributes that no profile has, and a bias audit without its columns."""
    card = parts.document.get("card")
    given = card.get("attributes") if isinstance(card, Mapping) else None
    if isinstance(given, Mapping) and given:
        yield from _attributes(given)
    profiles = parts.document.get("profiles")
    if not isinstance(profiles, list) or "nyc_ll144" not in profiles:
        return
    audit = parts.document.get("nyc_ll144")
    audit = audit if isinstance(audit, Mapping) else {}
    groups = parts.document.get("groups")
    columns = [g.get("column") if isinstance(g, Mapping) else g for g in groups] if isinstance(groups, list) else []
    for key, default in (("sex", "sex"), ("race_ethnicity", "ethnicity")):
        column = audit.get(key, default)
        if column not in columns:
            path: KeyPath = ("nyc_ll144", key) if key in audit else ("profiles",)
            message = f"found the profile nyc_ll144, but no group column {quoted(str(column))}"
            yield Finding(path, message, f"Name it as nyc_ll144.{key} and list it under groups.")


def _attributes(given: Mapping[Any, Any]) -> Iterator[Finding]:
    from reporter.profiles.attributes import attribute_names
    from reporter.profiles.build import STANDARDS

    known = attribute_names(list(STANDARDS.values()))
    for name in given:
        if isinstance(name, str) and name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"Did you mean {quoted(near[0])}?" if near else "Attributes are named as the profile lists them."
            yield Finding(("card", "attributes", name), f"found {quoted(name)}, which no profile asks for", hint)


_CHECKS: tuple[Callable[[Parts], Iterator[Finding]], ...] = (
    _metrics,
    _rules,
    _source,
    check_agreement,
    check_trees,
    check_noise,
    _accepted,
    _contradictions,
    _profiles,
)


def _files(parts: Parts, base: Path) -> Iterator[Finding]:
    hint = "Paths are relative to the config file."
    if parts.output is not None:
        for index, font in enumerate(parts.output.fonts):
            if not (base / font).is_file():
                yield Finding(("output", "fonts", index), f"found no font file {quoted(font)}", hint)
        templates = parts.output.templates
        if templates is not None and not (base / templates).is_dir():
            yield Finding(("output", "templates"), f"found no folder {quoted(templates)}", hint)
    signers = parts.document.get("allowed_signers")
    if isinstance(signers, str) and signers and not (base / signers).is_file():
        yield Finding(("allowed_signers",), f"found no file {quoted(signers)}", hint)
    baseline = parts.document.get("baseline")
    local = isinstance(baseline, str) and baseline not in ("", "latest-approved") and "://" not in baseline
    if local and not (base / str(baseline)).exists():
        yield Finding(("baseline",), f"found no record or report {quoted(str(baseline))}", hint)
    for path, study in parts.noise.items():
        for key in ("onnx", "skops", "pickle"):
            file = getattr(study.predictor, key)
            if file is not None and "://" not in file and not (base / file).is_file():
                yield Finding((*path, "predictor", key), f"found no file {quoted(file)}", hint)


def _texts(shown: Any) -> Iterator[Finding]:
    """Places that `reporter init` left open, and passwords in URLs, which would be kept with the config in every record."""
    for path, text in _every_text(shown, ()):
        if text == UNFILLED:
            message = f"found {UNFILLED}, the mark that `reporter init` leaves where it cannot guess"
            yield Finding(path, message, "Write a value.")
        elif any("${" not in match["password"] for match in URL_PASSWORD.finditer(text)):
            message = "found a password written in a URL, expected ${NAME} in its place"
            hint = "Put the password into an environment variable: the config is kept with every record."
            yield Finding(path, message, hint)


def _every_text(value: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _every_text(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _every_text(inner, (*path, index))
