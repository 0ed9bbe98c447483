"""Names that must exist: metrics, groupings, models and raters that one key names and another declares.

Works on the document as written, so that a name is checked even where its neighbours are wrong. The table of metrics comes
from ``reporter.stats.metrics``, imported when a config is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reporter.config.explain import did_you_mean, quoted
from reporter.config.findings import Finding
from reporter.config.keypath import KeyPath, path_text
from reporter.config.schema import Group, grouping_name
from reporter.config.values import as_written

Named = list[tuple[KeyPath, str]]


def check_references(document: Mapping[str, Any]) -> Iterator[Finding]:
    """Every name that does not exist, and every declaration that is made twice."""
    models, raters = names_at(document, "models", "*", "name"), _raters(document)
    groupings = _groupings(document)
    names = [name for _, name in groupings]
    yield from _repeated(models, "model", "Each needs a name of its own.")
    yield from _repeated(groupings, "grouping", "Keep one of them.")
    yield from _repeated(names_at(document, "agreement", "items", "*", "name"), "item", "Keep one of them.")
    yield from _repeated(names_at(document, "accepted", "*", "finding"), "entry for", "Keep one of them.")
    yield from _unknown_metrics(document)
    if len(groupings) == _length(document.get("groups")):
        yield from _unknown(names_at(document, "flags", "rules", "*", "groups", "*"), names, "a grouping")
    if len(models) == _length(document.get("models")):
        known = [name for _, name in models]
        for key in ("compare", "models"):
            yield from _unknown(names_at(document, "trees", "*", key, "*"), known, "a model")
        yield from _unknown(_noise_models(document), known, "a model")
        yield from _unknown(
            names_at(document, "agreement", "pairs", "*", "*"),
            [*known, *(name for _, name in raters)],
            "a model or rater",
        )
        for path, name in raters:
            if name in known:
                yield Finding(
                    path, f"found the rater {quoted(name)}, which is also a model's name", "Rename one of them."
                )


def names_at(document: Any, *pattern: str) -> Named:
    """The texts at ``pattern``, where ``*`` stands for every entry of a list.

    >>> names_at({"models": [{"name": "a"}, {"nme": "b"}]}, "models", "*", "name")
    [(('models', 0, 'name'), 'a')]
    """
    found: list[tuple[KeyPath, Any]] = [((), document)]
    for step in pattern:
        if step == "*":
            found = [((*p, i), item) for p, value in found if isinstance(value, list) for i, item in enumerate(value)]
        else:
            found = [((*p, step), value[step]) for p, value in found if isinstance(value, Mapping) and step in value]
    texts = ((path, as_written(value)) for path, value in found)
    return [(path, text) for path, text in texts if isinstance(text, str) and text]


def is_metric(name: str) -> bool:
    """Whether this is the name or alias of a metric."""
    from reporter.stats.metrics import ALIASES, METRICS

    return name in METRICS or name in ALIASES


def named_metrics(document: Mapping[str, Any]) -> Named:
    """Every metric that the document names: those to report and those of rules."""
    return [*names_at(document, "metrics", "*"), *names_at(document, "flags", "rules", "*", "metric")]


def one_of(known: Sequence[str], what: str) -> str:
    """What was expected, with at most twelve of the known names.

    >>> one_of(["a", "b"], "a model")
    "a model ('a', 'b')"
    """
    distinct = list(dict.fromkeys(known))
    shown = [quoted(name) for name in distinct[:12]]
    more = ", ..." if len(distinct) > len(shown) else ""
    return f"{what} ({', '.join(shown)}{more})" if shown else f"{what}, but there is none"


def _length(written: Any) -> int:
    """How many entries a list has; -1 for what the schema refuses as no list."""
    return 0 if written is None else len(written) if isinstance(written, list) else -1


def _raters(document: Mapping[str, Any]) -> Named:
    agreement = document.get("agreement")
    raters = agreement.get("raters") if isinstance(agreement, Mapping) else None
    return [(("agreement", "raters", name), name) for name in raters] if isinstance(raters, Mapping) else []


def _groupings(document: Mapping[str, Any]) -> Named:
    """The names of the groupings that are valid by themselves."""
    groups = document.get("groups")
    adapter: TypeAdapter[Any] = TypeAdapter(Group)
    named: Named = []
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        try:
            named.append((("groups", index), grouping_name(adapter.validate_python(group))))
        except ValidationError:
            continue  # the schema reports it
    return named


def _noise_models(document: Mapping[str, Any]) -> Named:
    """A fitted stand-in is a model of its own, with a name of its own; every other study names one of the models."""
    noise = document.get("noise")
    studies = (
        [(("noise", i), study) for i, study in enumerate(noise)] if isinstance(noise, list) else [(("noise",), noise)]
    )
    named: Named = []
    for path, study in studies:
        predictor = study.get("predictor") if isinstance(study, Mapping) else None
        if isinstance(predictor, Mapping) and "fit" not in predictor:
            named += [((*path, *inner), name) for inner, name in names_at(study, "model")]
    return named


def _repeated(named: Named, what: str, hint: str) -> Iterator[Finding]:
    first: dict[str, KeyPath] = {}
    for path, name in named:
        if name in first:
            message = f"found a second {what} {quoted(name)}, the first is {path_text(first[name])}"
            yield Finding(path, message, hint)
        first.setdefault(name, path)


def _unknown(named: Named, known: Sequence[str], what: str) -> Iterator[Finding]:
    for path, name in named:
        if name not in known:
            yield Finding(path, f"found {quoted(name)}, expected {one_of(known, what)}", did_you_mean(name, known))


def _unknown_metrics(document: Mapping[str, Any]) -> Iterator[Finding]:
    from reporter.stats.metrics import ALIASES, METRICS

    for path, name in named_metrics(document):
        if not is_metric(name):
            hint = f"{did_you_mean(name, [*METRICS, *ALIASES])} `reporter metrics` lists them.".strip()
            yield Finding(path, f"found {quoted(name)}, expected a metric", hint)
