"""``run`` from Python: arguments that cannot be what they should are named, not left to a library's error."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

import reporter
from reporter.errors import ConfigError

CONFIG = {"data": {"label": "y"}, "models": [{"name": "m", "prediction": "d"}]}
FRAME = pd.DataFrame({"y": [1, 0], "d": [1, 1]})


@pytest.mark.parametrize(("config", "found"), [(None, "None"), ([], r"\[\]"), (3, "3"), (b"a.yaml", "a bytes")])
def test_a_config_that_is_neither_a_path_nor_a_mapping_is_refused(config: Any, found: str) -> None:
    with pytest.raises(ConfigError, match=f"^config: found {found}, expected a YAML file's path or a mapping"):
        reporter.run(config, data=FRAME)


@pytest.mark.parametrize("baseline", [3, {}, b"report.json"])
def test_a_baseline_that_is_no_path_is_refused(baseline: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"^baseline: found (3|a dict|a bytes), expected the path of a record or of a"
    ):
        reporter.run(CONFIG, data=FRAME, baseline=baseline)


def test_text_of_a_config_that_is_not_unicode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^models\[0\]\.name: found '\\udc80', which is not Unicode"):
        reporter.run({**CONFIG, "models": [{"name": "\udc80", "prediction": "d"}]}, data=FRAME)
    with pytest.raises(ConfigError, match=r"found '\\udc80', which is not Unicode"):
        reporter.run({**CONFIG, "\udc80": 1}, data=FRAME)
