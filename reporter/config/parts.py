"""The parts of a config that are valid by themselves, so that they are checked even where another part is wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from reporter.config.keypath import KeyPath
from reporter.config.schema import (
    Acceptance,
    AgreementConfig,
    DataConfig,
    ModelConfig,
    NoiseConfig,
    OutputConfig,
    TreeConfig,
)

Section = TypeVar("Section", bound=BaseModel)


@dataclass(frozen=True)
class Parts:
    """What could be read of ``document``, each with its path. ``every_model``: no model is wrong."""

    document: Mapping[str, Any]
    data: DataConfig | None
    models: dict[KeyPath, ModelConfig]
    every_model: bool
    agreement: AgreementConfig | None
    trees: dict[KeyPath, TreeConfig]
    noise: dict[KeyPath, NoiseConfig]
    accepted: dict[KeyPath, Acceptance]
    output: OutputConfig | None

    @property
    def has_label(self) -> bool:
        """Whether a label is named; a data section that cannot be read is given the benefit of the doubt."""
        return self.data is None or self.data.label is not None


def parts_of(document: Mapping[str, Any]) -> Parts:
    """The valid parts of a document.

    >>> sorted(parts_of({"models": [{"name": "a", "score": "s"}, {"name": "b"}]}).models)
    [('models', 0)]
    """
    models = _several(ModelConfig, document, "models")
    written = document.get("models")
    return Parts(
        document=document,
        data=_one(DataConfig, document.get("data")),
        models=models,
        every_model=isinstance(written, list) and len(models) == len(written),
        agreement=_one(AgreementConfig, document.get("agreement")),
        trees=_several(TreeConfig, document, "trees"),
        noise=_several(NoiseConfig, document, "noise"),
        accepted=_several(Acceptance, document, "accepted"),
        output=_one(OutputConfig, document.get("output")),
    )


def _several(kind: type[Section], document: Mapping[str, Any], key: str) -> dict[KeyPath, Section]:
    written = document.get(key)
    entries: list[tuple[KeyPath, Any]] = [((key,), written)]
    if isinstance(written, list):
        entries = [((key, index), entry) for index, entry in enumerate(written)]
    read = {path: _one(kind, entry) for path, entry in entries}
    return {path: section for path, section in read.items() if section is not None}


def _one(kind: type[Section], written: Any) -> Section | None:
    if not isinstance(written, Mapping):
        return None
    try:
        return kind.model_validate(written)
    except ValidationError:
        return None  # the schema reports it
