"""Whatever a config holds, loading it ends with a config or with problems that have a place, never with a traceback."""

from __future__ import annotations

import copy
import string
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reporter.config.keypath import path_text, read_path
from reporter.config.loader import LoadedConfig, config_from_public, load_config
from reporter.config.yaml_lines import plain_value, read_yaml
from reporter.errors import ConfigError

CONFIGS = Path(__file__).parent.parent.parent / "configs"
EXAMPLES = sorted(CONFIGS.glob("*.yaml"))
ANNOTATED: Any = read_yaml((CONFIGS / "annotated.yaml").read_bytes(), "annotated.yaml").value

TEXTS = st.sampled_from(
    ["", "all", "a", "2.4", "fnr", "${X}", "${", "s3://a:b@c", "FILL IN", "\x00", "é", "fnr/sex/F/2.4"]
) | st.text(max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | TEXTS
KEYS = st.sampled_from(
    ["name", "score", "column", "columns", "metric", "model", "predictor", "fit", "url", "pairs"]
) | st.text(max_size=4)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3), max_leaves=6
)


def paths_in(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [inner for key, child in items for inner in [(*path, key), *paths_in(child, (*path, key))]]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.tuples(st.sampled_from(paths_in(ANNOTATED)), VALUES), min_size=1, max_size=3))
def test_any_value_anywhere_gives_a_config_or_problems(changes: list[tuple[tuple[str | int, ...], Any]]) -> None:
    document = copy.deepcopy(ANNOTATED)
    for path, value in changes:
        here = document
        try:
            for step in path[:-1]:
                here = here[step]
            here[path[-1]] = value
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change removed this place
    outcome = _outcome(document)
    if isinstance(outcome, ConfigError):
        assert outcome.problems
        assert "swordfish" not in str(outcome)
    else:
        assert config_from_public(outcome.public).card == outcome.config.card


def _outcome(document: Any) -> LoadedConfig | ConfigError:
    try:
        return load_config(document, environ={"X": "swordfish"})
    except ConfigError as error:
        return error


@settings(max_examples=200, deadline=None)
@given(
    data=st.binary(max_size=60) | st.text(alphabet=string.printable + "&*!|>%@`é\u2028", max_size=60).map(str.encode)
)
def test_any_bytes_give_a_value_or_problems(data: bytes) -> None:
    document = read_yaml(data, "x.yaml")
    assert document.value is None or not document.problems or all(problem.line for problem in document.problems)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_a_config_is_the_same_after_storing_its_public_form(path: Path) -> None:
    loaded = load_config(path, environ={"REPORTER_DATA": "${REPORTER_DATA}"})
    assert config_from_public(loaded.public) == loaded.config


@given(st.lists(st.integers(0, 99) | st.text(min_size=1, max_size=6), min_size=1, max_size=4).map(tuple))
def test_a_path_reads_back_as_it_was_written(path: tuple[str | int, ...]) -> None:
    assert read_path(path_text(path)) == path


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53) + 1, 2**53 - 1))
def test_numbers_read_back_as_they_were_written(number: float) -> None:
    assert plain_value(repr(number)) == number
