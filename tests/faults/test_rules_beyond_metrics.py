"""Public fault kind: a report compares groups by a measure that it does not show, and calls it undefined."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from reporter.cli import _guarded

CONFIG = """
data: {{source: data.csv, label: y}}
groups: [g]
models: [{{name: m, score: s, threshold: 0.5}}]
metrics: [{metrics}]
{rules}
fail_on: []
"""


def rows() -> str:
    told = ["g,y,s"]
    told += [f"{g},{i % 2},{(i * 7 % 10) / 10}" for g in ("a", "b", "c") for i in range(40 if g == "a" else 60)]
    return "\n".join(told) + "\n"


@pytest.mark.parametrize(
    ("metrics", "rules", "shown"),
    [
        ("ppv", "", ["ppv", "fnr", "fpr", "referral_rate"]),
        ("accuracy, fnr, fpr, auc", "", ["accuracy", "fnr", "fpr", "auc", "referral_rate"]),
        ("fnr", "flags: {rules: [{metric: auc, difference: 0.05}, {metric: fnr, difference: 0.05}]}", ["fnr", "auc"]),
    ],
)
def test_a_measure_that_a_rule_compares_is_shown_with_the_others(
    tmp_path: Path, metrics: str, rules: str, shown: list[str]
) -> None:
    (tmp_path / "data.csv").write_text(rows(), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(CONFIG.format(metrics=metrics, rules=rules), encoding="utf-8")
    out = tmp_path / "o"
    assert _guarded(["run", str(tmp_path / "c.yaml"), "-q", "--out", str(out), "--format", "json,html"]) == 0
    report = json.loads((out / "report.json").read_text())
    assert report["settings"]["metrics"] == shown
    assert all(set(one["metrics"]) == set(shown) for one in report["groupings"][0]["results"])
    page = re.sub(r"<[^>]+>", " ", (out / "card.html").read_text())
    assert "is undefined in every group" not in page
