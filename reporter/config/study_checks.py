"""What agreement, trees and noise studies need of the rest of a config. Knows no line numbers and opens no data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from reporter.config.explain import did_you_mean, quoted
from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath, path_text
from reporter.config.parts import Parts
from reporter.config.references import names_at, one_of
from reporter.config.schema import AgreementItem, Levels, NoiseConfig, Perturbation, TreeConfig


def check_agreement(parts: Parts) -> Iterator[Finding]:
    """Two different raters for every pair and item, each pair once, and raters for the statistics of many."""
    path: KeyPath = ("agreement",)
    yield from _rater_pairs(parts)
    yield from _items(parts)
    agreement = parts.agreement
    if agreement is None:
        return
    models = names_at(parts.document, "models", "*", "name")
    if (
        agreement.pairs == "all"
        and parts.every_model
        and len(models) + len(agreement.raters) < 2
        and not agreement.items
    ):
        message = "found fewer than two models and raters, expected two to compare"
        yield Finding(path, message, "Add raters, items or a model.")
    for index, name in enumerate(agreement.statistics):
        if name in agreement.statistics[:index]:
            yield Finding((*path, "statistics", index), f"found {name} a second time", "Keep one of them.")
        if name in ("fleiss", "krippendorff") and not (agreement.raters or agreement.items):
            message = f"found {name}, which is of human raters, but there are neither raters nor items"
            yield Finding((*path, "statistics", index), message, "Name three raters or more, or leave it out.")
    for index, form in enumerate(agreement.icc_forms):
        if form in agreement.icc_forms[:index]:
            yield Finding((*path, "icc_forms", index), f"found {form} a second time", "Keep one of them.")


def _rater_pairs(parts: Parts) -> Iterator[Finding]:
    named: dict[KeyPath, list[str]] = {}
    for where, name in names_at(parts.document, "agreement", "pairs", "*", "*"):
        named.setdefault(where[:-1], []).append(name)
    first: dict[frozenset[str], KeyPath] = {}
    for where, pair in named.items():
        if len(pair) != 2:
            continue
        if pair[0] == pair[1]:
            yield Finding(where, f"found {quoted(pair[0])} twice, expected two different names")
        elif frozenset(pair) in first:
            again = f"found {' and '.join(map(quoted, pair))} a second time, after {path_text(first[frozenset(pair)])}"
            hint = "Keep one of them: the order of the names only turns the sign of the bias index."
            yield Finding(where, again, hint)
        first.setdefault(frozenset(pair), where)


def _items(parts: Parts) -> Iterator[Finding]:
    agreement = parts.document.get("agreement")
    items = agreement.get("items") if isinstance(agreement, Mapping) else None
    raters = agreement.get("raters") if isinstance(agreement, Mapping) else None
    known = [str(name) for name in raters] if isinstance(raters, Mapping) else []
    for index, item in enumerate(items if isinstance(items, list) else ()):
        if not isinstance(item, Mapping):
            continue  # the schema reports it
        where: KeyPath = ("agreement", "items", index)
        named = [str(key) for key in item if key not in AgreementItem.model_fields]
        if len(named) < 2:
            message = f"found {len(named)} rater{'' if len(named) == 1 else 's'}, expected at least two"
            yield Finding(where, message, "Each key beside name is a rater's name, with the item's column.")
        for name in named:
            if known and name not in known:
                message = f"found the rater {quoted(name)}, expected {one_of(known, 'a rater')}"
                yield Finding((*where, name), message, did_you_mean(name, known), at_key=True)


def check_trees(parts: Parts) -> Iterator[Finding]:
    """A label or scores where the rate needs them; columns, levels and models that differ; options that go together."""
    if not parts.trees:
        return
    from reporter.stats.delta_options import attribute_problem, combination_problems

    models = {model.name: model for model in parts.models.values()}
    for path, tree in parts.trees.items():
        if len(tree.pair) == 2 and tree.pair[0] == tree.pair[1]:
            key = "compare" if tree.compare is not None else "models"
            message = f"found {quoted(tree.pair[0])} twice, expected two different models"
            yield Finding((*path, key), message, "One name alone gives the tree of that model's own disparity.")
        if tree.rate in ("fpr", "fnr", "accuracy") and not parts.has_label:
            yield Finding(
                (*path, "rate"), f"found {tree.rate}, which needs a label", "Set data.label, or use referral."
            )
        compared = [models[name] for name in dict.fromkeys(tree.pair) if name in models]
        without = [model.name for model in compared if model.score is None]
        if tree.rate == "score" and without:
            message = f"found score, but {', '.join(without)} has only a prediction column"
            yield Finding((*path, "rate"), message, "Set its score, or use referral.")
        columns = [column for model in compared for column in (model.score, model.prediction) if column is not None]
        label = parts.data.label if parts.data is not None else None
        role = attribute_problem(tree.attribute, predictions=columns, label=label)
        combined = combination_problems(
            rate=tree.rate,
            test=tree.test,
            parameters=tree.parameters,
            contrast="spread" if tree.pairs == "spread" else "difference",
            n_models=len(tree.pair),
            kinds=[one.as_ for one in tree.split_on if not isinstance(one, str) and one.as_ is not None],
        )
        for problem in [*([role] if role else []), *combined]:
            yield Finding((*path, problem.key), problem.message, f"{problem.hint}." if problem.hint else "")
        yield from _level_pairs(path, tree)
        yield from _covariates(path, tree)


def _level_pairs(path: KeyPath, tree: TreeConfig) -> Iterator[Finding]:
    """Two different levels in each pair, and each two levels once: Δ of [b, a] is that of [a, b] with the other sign."""
    named: list[tuple[KeyPath, tuple[str, ...]]] = []
    if tree.levels is not None:
        named.append(((*path, "levels"), tree.levels))
    if isinstance(tree.pairs, tuple):
        named += [((*path, "pairs", index), pair) for index, pair in enumerate(tree.pairs)]
    first: dict[frozenset[str], KeyPath] = {}
    for where, pair in named:
        if pair[0] == pair[1]:
            yield Finding(where, f"found {quoted(pair[0])} twice, expected two different levels")
        elif frozenset(pair) in first:
            message = (
                f"found {' and '.join(map(quoted, pair))} a second time, after {path_text(first[frozenset(pair)])}"
            )
            yield Finding(where, message, "Keep one of them: the order of the levels only turns the sign.")
        first.setdefault(frozenset(pair), where)


def _covariates(path: KeyPath, tree: TreeConfig) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, covariate in enumerate(tree.split_on):
        where = (*path, "split_on", index)
        column = covariate if isinstance(covariate, str) else covariate.column
        if column == tree.attribute:
            message = f"found {quoted(column)}, which is the attribute, expected another column"
            yield Finding(where, message, "Within one of its levels there is no gap: Δ has nothing to compare.")
        if column in seen:
            yield Finding(where, f"found {quoted(column)} a second time", "Keep one of them.")
        seen.add(column)
        if isinstance(covariate, str) or covariate.order is None:
            continue
        if covariate.as_ not in (None, "ordered"):
            yield Finding((*where, "order"), f"found order beside as: {covariate.as_}", "Leave one of them out.")
        if len(set(covariate.order)) < len(covariate.order):
            yield Finding((*where, "order"), "found a level twice, expected each level once", "Keep one of them.")


def check_noise(parts: Parts) -> Iterator[Finding]:
    """Columns that are inputs, perturbations and levels that do something, a label where a stand-in is fitted."""
    earlier: list[tuple[KeyPath, Any]] = []
    for path, written in _studies(parts.document):
        yield from _inputs(path, written)
        same = next((other for other, study in earlier if study == written), None)
        if same is not None:
            yield Finding(path, f"found the same study as {path_text(same)}", "Keep one of them.")
        earlier.append((path, written))
    for path, study in parts.noise.items():
        for column, change in study.perturb.items():
            if not isinstance(change, str):
                yield from _change((*path, "perturb", column), change)
        yield from _one_hot(path, study)
        yield from _levels((*path, "levels"), study.levels)
        yield from _variants(path, study)
        if study.predictor.fit is not None and not parts.has_label:
            yield Finding((*path, "predictor", "fit"), "found fit, which needs a label", "Set data.label.")


def _studies(document: Mapping[str, Any]) -> list[tuple[KeyPath, Mapping[str, Any]]]:
    """The studies as written, also those that the schema refuses."""
    noise = document.get("noise")
    named: list[tuple[KeyPath, Any]] = [(("noise",), noise)]
    if isinstance(noise, list):
        named = [(("noise", index), study) for index, study in enumerate(noise)]
    return [(path, study) for path, study in named if isinstance(study, Mapping)]


def _inputs(path: KeyPath, written: Mapping[str, Any]) -> Iterator[Finding]:
    inputs = [name for _, name in names_at(written, "inputs", "*")]
    for where, name in names_at(written, "inputs", "*"):
        if name in inputs[: int(where[-1])]:
            yield Finding((*path, *where), f"found the input {quoted(name)} a second time", "Keep one of them.")
    if not inputs:
        return  # the schema reports it
    perturb = written.get("perturb")
    columns = perturb if isinstance(perturb, Mapping) else {}
    named: list[tuple[KeyPath, str]] = [(("perturb", column), str(column)) for column in columns]
    for where, name in [*named, *names_at(written, "one_hot", "*", "*"), *names_at(written, "scale", "*")]:
        if name not in inputs:
            yield Finding((*path, *where), f"found {quoted(name)}, expected one of inputs", did_you_mean(name, inputs))


def _change(where: KeyPath, change: Perturbation) -> Iterator[Finding]:
    if change.sd is None and not change.replace:
        yield Finding(where, "found no sd, expected flip, replace, or a mapping with sd")
    if change.replace:
        for key in ("sd", "min", "max"):
            if getattr(change, key) is not None:
                message = f"found replace beside {key}: one puts another observed category, the other adds a number"
                yield Finding((*where, "replace"), message, "Leave one of them out.")
                break
    if change.min is not None and change.max is not None and change.min > change.max:
        yield Finding((*where, "min"), f"found min {change.min:g} above max {change.max:g}")


def _one_hot(path: KeyPath, study: NoiseConfig) -> Iterator[Finding]:
    seen: set[str] = set()
    for index, columns in enumerate(study.one_hot):
        if len(columns) < 2:
            message = f"found {len(columns)} column{'' if len(columns) == 1 else 's'}, expected at least two"
            yield Finding((*path, "one_hot", index), message, "A set holds all columns that code one variable.")
        for inner, column in enumerate(columns):
            where = (*path, "one_hot", index, inner)
            if column in seen:
                yield Finding(where, f"found {quoted(column)} a second time", "A column belongs to one set.")
            seen.add(column)
            if study.perturb.get(column, "flip") != "flip":
                message = f"found {quoted(column)}, which perturb changes by itself"
                yield Finding(where, message, "Leave it out of one of them: the columns of a set change together.")


def _levels(where: KeyPath, levels: Levels | tuple[float, ...]) -> Iterator[Finding]:
    if isinstance(levels, tuple):
        for index, level in enumerate(levels):
            if round(level, 12) in [round(other, 12) for other in levels[:index]]:
                yield Finding((*where, index), f"found {level:g} a second time", "Keep one of them.")
        only_zero = not any(levels)
    else:
        if levels.step > levels.to - levels.from_ + 1e-12 and levels.from_ < levels.to:
            message = f"found the step {levels.step:g}, more than the way from {levels.from_:g} to {levels.to:g}"
            yield Finding((*where, "step"), message, "Take a smaller step.")
        only_zero = levels.to == 0
    if only_zero:
        yield Finding(where, "found no level above 0, expected one", "At level 0 nothing is perturbed.")


def _variants(path: KeyPath, study: NoiseConfig) -> Iterator[Finding]:
    changes = study.perturb.values()
    numeric = any(not isinstance(change, str) and change.sd is not None for change in changes)
    binary = bool(study.one_hot) or any(isinstance(change, str) or change.replace for change in changes)
    for index, variant in enumerate(study.variants):
        where = (*path, "variants", index)
        if variant in study.variants[:index]:
            yield Finding(where, f"found {variant} a second time", "Keep one of them.")
        if (variant == "numeric" and not numeric) or (variant == "binary" and not binary):
            kind = "a normal draw (sd)" if variant == "numeric" else "a flip, a replacement or a one-hot set"
            yield Finding(where, f"found {variant}, which needs an input with {kind}", "Leave it out.")
