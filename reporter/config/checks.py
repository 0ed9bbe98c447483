"""What the keys of a config say of each other: names that must exist, pairs that exclude each other, files that must be there.

The table of metrics comes from ``reporter.stats.metrics``, imported here when a config is checked. Knows no line numbers and
opens no data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from reporter.config.environment import URL_PASSWORD
from reporter.config.explain import Finding, did_you_mean, quoted
from reporter.config.keypath import KeyPath, path_text
from reporter.config.parts import Parts, parts_of
from reporter.config.schema import AgreementItem, Config, Database, FlagRule, NoiseConfig, TreeConfig, grouping_name


def cross_check(config: Config | None, document: Any, shown: Any, base: Path) -> tuple[Config | None, list[Finding]]:
    """The config with metrics under their canonical names (without a label: only those that need none), and every finding.

    ``config`` is None where the schema refused the document; what is valid by itself is checked all the same. ``shown`` is
    the document with ``${NAME}`` unexpanded. Files are looked for relative to ``base``.
    """
    parts = parts_of(config, document)
    findings = [finding for check in _CHECKS for finding in check(parts)]
    findings += _files(parts, base)
    findings += _passwords(shown, ())
    if config is None or findings:
        return config, findings
    return _settled(config, parts), findings


def _settled(config: Config, parts: Parts) -> Config:
    from reporter.stats.metrics import metric

    metrics: Any = config.metrics
    rules: Sequence[FlagRule] = config.flags.rules
    if metrics != "all":
        metrics = tuple(dict.fromkeys(metric(name).name for name in metrics))
    if not parts.has_label:
        if metrics != "all":
            metrics = tuple(name for name in metrics if not _needs(name, "label"))
        rules = [rule for rule in rules if not _needs(rule.metric, "label")]
    canonical = tuple(rule.model_copy(update={"metric": metric(rule.metric).name}) for rule in rules)
    flags = config.flags.model_copy(update={"rules": canonical})
    return config.model_copy(update={"metrics": metrics, "flags": flags})


def _needs(name: str, what: str) -> bool:
    from reporter.stats.metrics import metric

    return what in metric(name).needs


def _known_metric(name: str) -> bool:
    from reporter.stats.metrics import ALIASES, METRICS

    return name in METRICS or name in ALIASES


def _unknown_metric(path: KeyPath, name: str) -> Finding:
    from reporter.stats.metrics import ALIASES, METRICS

    near = did_you_mean(name, [*METRICS, *ALIASES])
    return path, f"found {quoted(name)}, expected a metric", f"{near} `reporter metrics` lists them.".strip()


def _metrics(parts: Parts) -> Iterator[Finding]:
    named = [(path, name) for path, name in parts.metrics]
    named += [((*path, "metric"), rule.metric) for path, rule in parts.rules]
    scored = [model for _, model in parts.models if model.score is not None]
    for path, name in named:
        if not _known_metric(name):
            yield _unknown_metric(path, name)
        elif _needs(name, "label") and not parts.has_label:
            yield path, f"found {name}, which needs a label", "Set data.label, or leave this metric out."
        elif _needs(name, "score") and parts.models and not scored and len(parts.models) == len(parts.model_names):
            yield (
                path,
                f"found {name}, which needs scores, but every model has a prediction column",
                "Set models[].score.",
            )


def _rules(parts: Parts) -> Iterator[Finding]:
    from reporter.stats.metrics import metric

    names = [grouping_name(group) for _, group in parts.groups]
    for path, rule in parts.rules:
        if _known_metric(rule.metric) and metric(rule.metric).kind == "count":
            yield (
                (*path, "metric"),
                f"found {rule.metric}, a count, expected a rate or another mean",
                "Use referral_rate.",
            )
        for index, name in enumerate(rule.groups or ()):
            if name not in names and parts.every_group:
                yield (
                    (*path, "groups", index),
                    f"found {quoted(name)}, expected {_one_of(names, 'a grouping')}",
                    did_you_mean(name, names),
                )


def _names(parts: Parts) -> Iterator[Finding]:
    yield from _repeated(parts.model_names, "model")
    yield from _repeated([(path, grouping_name(group)) for path, group in parts.groups], "grouping")
    for path, group in parts.groups:
        columns = grouping_name(group).split(" x ")
        if len(set(columns)) < len(columns):
            yield path, f"found {grouping_name(group)}, expected different columns", ""


def _repeated(named: Sequence[tuple[KeyPath, str]], what: str) -> Iterator[Finding]:
    first: dict[str, KeyPath] = {}
    for path, name in named:
        if name in first:
            yield (
                path,
                f"found a second {what} {quoted(name)}, the first is {path_text(first[name])}",
                "Each needs a name of its own." if what == "model" else "Keep one of them.",
            )
        first.setdefault(name, path)


def _source(parts: Parts) -> Iterator[Finding]:
    data = parts.data
    if data is None:
        return
    if isinstance(data.source, Database):
        if data.source.url.partition("://")[0] in ("http", "https"):
            yield (
                ("data", "source", "url"),
                "found an http(s) address, expected a database's URL",
                "A file's address stands in data.source itself.",
            )
    elif data.source.partition("://")[0] in ("http", "https") and data.sha256 is None:
        yield (
            ("data", "source"),
            "found an http(s) address without data.sha256",
            "Set data.sha256, so that the data cannot change unseen.",
        )
    if data.label is None and data.positive is not None and all(model.score is not None for _, model in parts.models):
        yield (
            ("data", "positive"),
            "found positive without a label or a prediction column to apply it to",
            "Set data.label.",
        )


def _agreement(parts: Parts) -> Iterator[Finding]:
    agreement = parts.agreement
    if agreement is None:
        return
    models = [name for _, name in parts.model_names]
    raters = list(agreement.raters)
    for name in raters:
        if name in models:
            yield (
                ("agreement", "raters", name),
                f"found the rater {quoted(name)}, which is also a model's name",
                "Rename one.",
            )
    known = [*models, *raters]
    if agreement.pairs == "all":
        if len(known) < 2 and not agreement.items:
            yield (
                ("agreement",),
                "found fewer than two models and raters, expected two to compare",
                "Add raters, items or a model.",
            )
    else:
        for index, pair in enumerate(agreement.pairs):
            yield from _known(("agreement", "pairs", index), pair, known, "a model or rater")
            if pair[0] == pair[1]:
                yield ("agreement", "pairs", index), f"found {quoted(pair[0])} twice, expected two different names", ""
    yield from _items(agreement.items, raters)


def _items(items: Sequence[AgreementItem], raters: Sequence[str]) -> Iterator[Finding]:
    yield from _repeated([(("agreement", "items", i, "name"), item.name) for i, item in enumerate(items)], "item")
    for index, item in enumerate(items):
        named = list(item.__pydantic_extra__)
        path = ("agreement", "items", index)
        if len(named) < 2:
            yield (
                path,
                f"found {len(named)} rater{'s' * (len(named) != 1)}, expected at least two",
                "Each further key is a rater's name with a column.",
            )
        for name in named:
            if raters and name not in raters:
                yield (
                    (*path, name),
                    f"found the rater {quoted(name)}, expected {_one_of(raters, 'a rater')}",
                    did_you_mean(name, raters),
                )


def _trees(parts: Parts) -> Iterator[Finding]:
    models = [name for _, name in parts.model_names]
    scores = {model.name: model.score is not None for _, model in parts.models}
    for path, tree in parts.trees:
        key = "compare" if tree.compare is not None else "models"
        yield from _known((*path, key), tree.pair, models, "a model")
        if len(tree.pair) == 2 and tree.pair[0] == tree.pair[1]:
            yield (
                (*path, key),
                f"found {quoted(tree.pair[0])} twice, expected two different models",
                "One name alone gives the tree of its own disparity.",
            )
        if tree.rate in ("fpr", "fnr", "accuracy") and not parts.has_label:
            yield (*path, "rate"), f"found {tree.rate}, which needs a label", "Set data.label, or use referral."
        without = [name for name in tree.pair if scores.get(name) is False]
        if tree.rate == "score" and without:
            yield (
                (*path, "rate"),
                f"found score, but {', '.join(without)} has a prediction column only",
                "Set models[].score, or use referral.",
            )
        yield from _tree_columns(path, tree)


def _tree_columns(path: KeyPath, tree: TreeConfig) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, covariate in enumerate(tree.split_on):
        where = (*path, "split_on", index)
        column = covariate if isinstance(covariate, str) else covariate.column
        if column == tree.attribute:
            yield where, f"found {quoted(column)}, which is the attribute, expected another column", ""
        if column in seen:
            yield where, f"found {quoted(column)} a second time", "Keep one of them."
        seen.add(column)
        if not isinstance(covariate, str) and covariate.order is not None:
            if covariate.as_ not in (None, "ordered"):
                yield (*where, "order"), f"found order with as: {covariate.as_}", "Leave one of them out."
            if len(set(covariate.order)) < len(covariate.order):
                yield (*where, "order"), "found a level twice in order", "Keep one of them."
    levels = tree.levels or ()
    if len(set(levels)) < len(levels):
        yield (*path, "levels"), f"found {quoted(levels[0])} twice, expected two different levels", ""


def _noise(parts: Parts) -> Iterator[Finding]:
    models = [name for _, name in parts.model_names]
    for path, study in parts.noise:
        if study.predictor.fit is None:  # a fitted stand-in is a model of its own, with a name of its own
            yield from _known_one((*path, "model"), study.model, models, "a model")
        for column in study.perturb:
            if column not in study.inputs:
                yield (
                    (*path, "perturb", column),
                    f"found {quoted(column)}, expected one of inputs",
                    did_you_mean(column, study.inputs),
                )
        for index, tied in enumerate(study.one_hot):
            for inner, column in enumerate(tied):
                if column not in study.inputs:
                    yield (
                        (*path, "one_hot", index, inner),
                        f"found {quoted(column)}, expected one of inputs",
                        did_you_mean(column, study.inputs),
                    )
        for index, column in enumerate(study.scale):
            if column not in study.inputs:
                yield (
                    (*path, "scale", index),
                    f"found {quoted(column)}, expected one of inputs",
                    did_you_mean(column, study.inputs),
                )
        yield from _perturbations(path, study)
        if study.predictor.fit is not None and not parts.has_label:
            yield (*path, "predictor", "fit"), "found fit, which needs a label", "Set data.label."


def _perturbations(path: KeyPath, study: NoiseConfig) -> Iterator[Finding]:
    for column, change in study.perturb.items():
        where = (*path, "perturb", column)
        if isinstance(change, str):
            continue
        if change.sd is None and not change.replace:
            yield where, "found no sd, expected flip, replace or sd", ""
        if change.min is not None and change.max is not None and change.min > change.max:
            yield (*where, "min"), f"found min {change.min:g} above max {change.max:g}", ""


def _accepted(parts: Parts) -> Iterator[Finding]:
    from reporter.stats.metrics import METRICS

    yield from _repeated([((*path, "finding"), item.finding) for path, item in parts.accepted], "acceptance of")
    models = [name for _, name in parts.model_names]
    for path, item in parts.accepted:
        first, *rest = item.finding.split("/")
        where = (*path, "finding")
        if len(rest) < 3:
            yield (
                where,
                f"found {quoted(item.finding)}, expected metric/grouping/group/model",
                "The card and report.json show each finding's id.",
            )
        elif first in METRICS and models and not any(_ends_with_model(item.finding, name) for name in models):
            yield (
                where,
                f"found {quoted(item.finding)}, which names none of the models {', '.join(models)}",
                "The id is metric/grouping/group/model.",
            )


def _ends_with_model(finding: str, model: str) -> bool:
    return finding.endswith(f"/{model}") or f"/{model}/" in finding


def _contradictions(parts: Parts) -> Iterator[Finding]:
    document = parts.document
    profiles = document.get("profiles")
    if document.get("small_cells") is not None and isinstance(profiles, list) and "nyc_ll144" in profiles:
        yield (
            ("small_cells",),
            "found small_cells beside the profile nyc_ll144: one hides small counts, the other must list them",
            "Ask for one of the two.",
        )
    if document.get("sealed_archive") is not None and document.get("small_cells") is None:
        yield (
            ("sealed_archive",),
            "found sealed_archive without small_cells: archive then holds the full record already",
            "Leave it out, or set small_cells.",
        )
    if document.get("baseline") == "latest-approved" and document.get("archive") is None:
        yield ("baseline",), "found latest-approved without archive, where it is to be looked for", "Set archive."


_CHECKS: tuple[Callable[[Parts], Iterator[Finding]], ...] = (
    _metrics,
    _rules,
    _names,
    _source,
    _agreement,
    _trees,
    _noise,
    _accepted,
    _contradictions,
)


def _known(path: KeyPath, names: Sequence[str], known: Sequence[str], what: str) -> Iterator[Finding]:
    for index, name in enumerate(names):
        yield from _known_one((*path, index), name, known, what)


def _known_one(path: KeyPath, name: str, known: Sequence[str], what: str) -> Iterator[Finding]:
    if name not in known:
        yield path, f"found {quoted(name)}, expected {_one_of(known, what)}", did_you_mean(name, known)


def _one_of(known: Sequence[str], what: str) -> str:
    shown = [quoted(name) for name in list(dict.fromkeys(known))[:12]]
    return f"{what} ({', '.join(shown)}{', ...' if len(known) > 12 else ''})" if shown else f"{what}, but there is none"


def _files(parts: Parts, base: Path) -> Iterator[Finding]:
    output = parts.output
    for index, font in enumerate(output.fonts):
        if not (base / font).is_file():
            yield ("output", "fonts", index), f"found no font file {quoted(font)}", f"Paths are relative to {base}."
    if output.templates is not None and not (base / output.templates).is_dir():
        yield ("output", "templates"), f"found no folder {quoted(output.templates)}", f"Paths are relative to {base}."
    baseline = parts.document.get("baseline")
    if (
        isinstance(baseline, str)
        and baseline
        and baseline != "latest-approved"
        and "://" not in baseline
        and not (base / baseline).exists()
    ):
        yield ("baseline",), f"found no record or report {quoted(baseline)}", f"Paths are relative to {base}."
    for path, study in parts.noise:
        for key in ("onnx", "skops", "pickle"):
            file = getattr(study.predictor, key)
            if file is not None and "://" not in file and not (base / file).is_file():
                yield (*path, "predictor", key), f"found no file {quoted(file)}", f"Paths are relative to {base}."


def _passwords(shown: Any, path: KeyPath) -> Iterator[Finding]:
    """A password in a URL would be kept with the config in every record."""
    if isinstance(shown, dict):
        for key, value in shown.items():
            yield from _passwords(value, (*path, key))
    elif isinstance(shown, list):
        for index, value in enumerate(shown):
            yield from _passwords(value, (*path, index))
    elif isinstance(shown, str) and any("${" not in m["password"] for m in URL_PASSWORD.finditer(shown)):
        yield (
            path,
            "found a password written in a URL, expected ${NAME} in its place",
            "Put the password into an environment variable: the config is kept with every record.",
        )
