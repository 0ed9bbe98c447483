"""Shared ways to count: from a frame, a file or a database, with a config as a mapping."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporter.config.loader import LoadedConfig, load_config
from reporter.data.counts import Counts, count
from reporter.data.source import check_source, open_source
from reporter.errors import Problem


def as_config(source: Any, **keys: Any) -> LoadedConfig:
    """A config with one model ``m`` whose predictions are in column ``d``, label ``y``, unless ``keys`` say otherwise."""
    data = {"source": source, "label": "y", **keys.pop("data", {})}
    data = {key: value for key, value in data.items() if value is not None}
    keys.setdefault("models", [{"name": "m", "prediction": "d"}])
    return load_config({"data": data, **keys}, environ={})


@pytest.fixture
def configured() -> Callable[..., LoadedConfig]:
    """``as_config``."""
    return as_config


@pytest.fixture
def counted() -> Callable[..., Counts]:
    """Count a frame, or what a path or database mapping names."""

    def run(rows: Any, /, **keys: Any) -> Counts:
        from_python = not isinstance(rows, (str, Path, dict))
        loaded = as_config("(frame)" if from_python else str(rows) if isinstance(rows, Path) else rows, **keys)
        return count(open_source(loaded, data=rows if from_python else None), loaded)

    return run


@pytest.fixture
def problems() -> Callable[..., list[Problem]]:
    """The problems that ``check_source`` finds."""

    def run(rows: Any, /, **keys: Any) -> list[Problem]:
        from_python = not isinstance(rows, (str, Path, dict))
        loaded = as_config("(frame)" if from_python else str(rows) if isinstance(rows, Path) else rows, **keys)
        return check_source(open_source(loaded, data=rows if from_python else None), loaded)

    return run
