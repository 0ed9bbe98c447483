"""The generated pages are current, and every key is documented and shown in use."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pydantic
import pytest
import yaml

from reporter.config.docs import config_page, config_schema, config_schema_text
from reporter.config.loader import load_config
from reporter.config.schema_walk import walk
from reporter.errors import ConfigError

CONFIGS = Path(__file__).parent.parent.parent / "configs"
EXAMPLES = sorted(CONFIGS.glob("*.yaml"))
REMEDY = "run: python -m reporter.config.docs configs"


def test_the_page_of_keys_is_current() -> None:
    assert (CONFIGS / "README.md").read_text("utf-8") == config_page(CONFIGS), REMEDY


def test_the_json_schema_is_current() -> None:
    committed = json.loads((CONFIGS / "reporter.schema.json").read_text("utf-8"))
    if tuple(map(int, pydantic.VERSION.split(".")[:2])) < (2, 12):
        pytest.skip(f"pydantic {pydantic.VERSION} words the same schema differently")
    assert committed == json.loads(config_schema_text()), REMEDY


def test_every_key_says_what_it_means() -> None:
    unexplained = [f"{path}.{key}" for path, _, key, field in walk() if not field.description]
    assert unexplained == []


def test_every_key_stands_in_the_annotated_config_with_a_comment() -> None:
    text = (CONFIGS / "annotated.yaml").read_text("utf-8")
    missing = [f"{path}.{key}" for path, _, key, _ in walk() if not re.search(rf"(?<![\w-]){re.escape(key)}:", text)]
    assert missing == []


def test_the_annotated_config_sets_every_key_that_can_stand_with_the_others(tmp_path: Path) -> None:
    loaded = load_config(CONFIGS / "annotated.yaml", environ={})
    positions = {re.sub(r"\[\d+\]", "[]", key) for key in loaded.positions}
    unset = {f"{path}.{key}" if path else key for path, _, key, _ in walk() if ".*" not in path} - positions
    alternatives = {"data.source.url", "data.source.table", "data.source.sql", "agreement.items[].name"}
    alternatives |= {"agreement.items[].positive"}
    alternatives |= {
        "groups[].columns[].column",
        *(f"groups[].columns[].{k}" for k in ("breaks", "width", "quantiles", "at_least", "labels")),
    }
    alternatives |= {
        "groups[][].column",
        *(f"groups[][].{k}" for k in ("breaks", "width", "quantiles", "at_least", "labels")),
    }
    alternatives |= {f"noise.predictor.{k}" for k in ("onnx", "skops", "mlflow", "callable", "http", "pickle")}
    assert {key for key in unset if not key.startswith("noise[]")} <= alternatives


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_every_config_of_the_project_loads_and_fits_the_json_schema(path: Path) -> None:
    load_config(path, environ={"REPORTER_DATA": "/data"})
    errors = list(jsonschema.Draft202012Validator(config_schema()).iter_errors(_as_editors_read(path)))
    assert errors == []


@pytest.mark.parametrize(
    "change", [{"colour": 1}, {"flags": {"alpha": 2}}, {"models": []}, {"metrics": "fnr"}, {"groups": [{"colum": "a"}]}]
)
def test_the_json_schema_refuses_what_the_loader_refuses(change: dict[str, Any]) -> None:
    config = {"data": {"source": "p.csv", "label": "y"}, "models": [{"name": "a", "score": "s"}], **change}
    assert not jsonschema.Draft202012Validator(config_schema()).is_valid(config)
    with pytest.raises(ConfigError):
        load_config(config, environ={})


class _Loader(yaml.SafeLoader):
    """YAML 1.2 as editors read it: a date is text."""


_Loader.yaml_implicit_resolvers = {
    letter: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith("timestamp")]
    for letter, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _as_editors_read(path: Path) -> Any:
    return yaml.load(path.read_text("utf-8"), Loader=_Loader)
