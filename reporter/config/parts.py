"""The parts of a config that are valid by themselves, so that cross-references are checked even where another part is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import TypeAdapter, ValidationError

from reporter.config.keypath import KeyPath
from reporter.config.schema import (
    Acceptance,
    AgreementConfig,
    Config,
    DataConfig,
    FlagRule,
    Group,
    ModelConfig,
    NoiseConfig,
    OutputConfig,
    TreeConfig,
)


@dataclass(frozen=True)
class Parts:
    """What could be read, each with its path. ``document`` is the whole of what was written, names expanded."""

    document: Mapping[str, Any]
    data: DataConfig | None
    models: tuple[tuple[KeyPath, ModelConfig], ...]
    model_names: tuple[tuple[KeyPath, str], ...]
    groups: tuple[tuple[KeyPath, Group], ...]
    every_group: bool
    metrics: tuple[tuple[KeyPath, str], ...]
    rules: tuple[tuple[KeyPath, FlagRule], ...]
    agreement: AgreementConfig | None
    trees: tuple[tuple[KeyPath, TreeConfig], ...]
    noise: tuple[tuple[KeyPath, NoiseConfig], ...]
    accepted: tuple[tuple[KeyPath, Acceptance], ...]
    output: OutputConfig

    @property
    def has_label(self) -> bool:
        """Whether a label is named; a data section that cannot be read is given the benefit of the doubt."""
        return self.data is None or self.data.label is not None


def parts_of(config: Config | None, document: Mapping[str, Any]) -> Parts:
    """The parts of an accepted config, or of ``document`` where the schema refused some."""
    groups = _items(document, "groups", Group, config)
    given = document.get("groups")
    return Parts(
        document=document,
        data=config.data if config else _read(DataConfig, document.get("data")),
        models=_items(document, "models", ModelConfig, config),
        model_names=tuple(_model_names(document)),
        groups=groups,
        every_group=given is None or (isinstance(given, list) and len(given) == len(groups)),
        metrics=_items(document, "metrics", str, config),
        rules=_rules(document, config),
        agreement=config.agreement if config else _read(AgreementConfig, document.get("agreement")),
        trees=_items(document, "trees", TreeConfig, config),
        noise=_noise(document, config),
        accepted=_items(document, "accepted", Acceptance, config),
        output=config.output if config else (_read(OutputConfig, document.get("output")) or OutputConfig()),
    )


def _items(document: Mapping[str, Any], key: str, kind: Any, config: Config | None) -> tuple[tuple[KeyPath, Any], ...]:
    written = document.get(key)
    if config is not None:
        items = getattr(config, key)
        return () if isinstance(items, str) or written is None else tuple(((key, i), x) for i, x in enumerate(items))
    if not isinstance(written, list):
        return ()
    read = (((key, index), _read(kind, item)) for index, item in enumerate(written))
    return tuple((path, item) for path, item in read if item is not None)


def _rules(document: Mapping[str, Any], config: Config | None) -> tuple[tuple[KeyPath, FlagRule], ...]:
    """The rules that somebody wrote."""
    flags = document.get("flags")
    if not isinstance(flags, Mapping) or flags.get("rules") is None:
        return ()
    rules = _items(flags, "rules", FlagRule, None)
    if config is not None:
        rules = tuple((("rules", index), rule) for index, rule in enumerate(config.flags.rules))
    return tuple((("flags", *path), rule) for path, rule in rules)


def _noise(document: Mapping[str, Any], config: Config | None) -> tuple[tuple[KeyPath, NoiseConfig], ...]:
    written = document.get("noise")
    if isinstance(written, list):
        return _items(document, "noise", NoiseConfig, config)
    study = config.noise if config is not None else _read(NoiseConfig, written)
    return ((("noise",), study),) if isinstance(study, NoiseConfig) else ()


def _model_names(document: Mapping[str, Any]) -> Iterator[tuple[KeyPath, str]]:
    """Names of models, also of those that are wrong otherwise, so that nobody is told twice."""
    models = document.get("models")
    for index, model in enumerate(models if isinstance(models, list) else ()):
        name = _read(str, model.get("name")) if isinstance(model, Mapping) else None
        if name:
            yield ("models", index, "name"), name


def _read(kind: Any, value: Any) -> Any:
    if value is None:
        return None
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError:
        return None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    from reporter.config.values import Name

    return TypeAdapter(Name if kind is str else kind)
