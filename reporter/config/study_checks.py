"""What agreement, trees and noise studies need of the rest of a config. Knows no line numbers and opens no data."""

from __future__ import annotations

from collections.abc import Iterator

from reporter.config.explain import did_you_mean, quoted
from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath, path_text
from reporter.config.parts import Parts
from reporter.config.references import names_at, one_of
from reporter.config.schema import NoiseConfig, TreeConfig


def check_agreement(parts: Parts) -> Iterator[Finding]:
    """Two different raters for every pair and item."""
    agreement = parts.agreement
    if agreement is None:
        return
    path: KeyPath = ("agreement",)
    models = names_at(parts.document, "models", "*", "name")
    if agreement.pairs == "all":
        if parts.every_model and len(models) + len(agreement.raters) < 2 and not agreement.items:
            message = "found fewer than two models and raters, expected two to compare"
            yield Finding(path, message, "Add raters, items or a model.")
    else:
        for index, pair in enumerate(agreement.pairs):
            if pair[0] == pair[1]:
                yield Finding((*path, "pairs", index), f"found {quoted(pair[0])} twice, expected two different names")
    for index, item in enumerate(agreement.items):
        where = (*path, "items", index)
        named = list(item.__pydantic_extra__)
        if len(named) < 2:
            message = f"found {len(named)} rater{'' if len(named) == 1 else 's'}, expected at least two"
            yield Finding(where, message, "Each key beside name is a rater's name, with the item's column.")
        for name in named:
            if agreement.raters and name not in agreement.raters:
                raters = list(agreement.raters)
                message = f"found the rater {quoted(name)}, expected {one_of(raters, 'a rater')}"
                yield Finding((*where, name), message, did_you_mean(name, raters), at_key=True)


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
    """Columns that are inputs, perturbations that do something, a label where a stand-in is fitted."""
    for path, study in parts.noise.items():
        for where, column in _named_inputs(path, study):
            if column not in study.inputs:
                message = f"found {quoted(column)}, expected one of inputs"
                yield Finding(where, message, did_you_mean(column, study.inputs))
        for column, change in study.perturb.items():
            if isinstance(change, str):
                continue
            where = (*path, "perturb", column)
            if change.sd is None and not change.replace:
                yield Finding(where, "found no sd, expected flip, replace, or a mapping with sd")
            if change.min is not None and change.max is not None and change.min > change.max:
                yield Finding((*where, "min"), f"found min {change.min:g} above max {change.max:g}")
        if study.predictor.fit is not None and not parts.has_label:
            yield Finding((*path, "predictor", "fit"), "found fit, which needs a label", "Set data.label.")


def _named_inputs(path: KeyPath, study: NoiseConfig) -> Iterator[tuple[KeyPath, str]]:
    for column in study.perturb:
        yield (*path, "perturb", column), column
    for index, tied in enumerate(study.one_hot):
        for inner, column in enumerate(tied):
            yield (*path, "one_hot", index, inner), column
    for index, column in enumerate(study.scale):
        yield (*path, "scale", index), column
