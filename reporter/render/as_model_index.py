"""The card's model as Hugging Face's ``model-index``: overall results, for the front matter of a model's README.

The format has no groups and no intervals, so that the flagged findings are not in it: it stands beside a card, not for one.
"""

from __future__ import annotations

import re
from typing import Any

from reporter.results import Report

METRIC_IDS = {
    "auc": "roc_auc",
    "ppv": "precision",
    "tpr": "recall",
    "f1": "f1",
    "accuracy": "accuracy",
    "mcc": "matthews_correlation",
}
"""The hub's names of metrics that it knows; others keep theirs."""


def render_model_index(report: Report) -> str:
    """The front matter as YAML; undefined metrics are named in a comment.

    Examples
    --------
    >>> dataset_id("data/clinic visits.csv")
    'clinic-visits-csv'
    """
    import yaml

    model = report.models[0]
    metrics: list[dict[str, Any]] = [
        {"type": METRIC_IDS.get(name, name), "value": estimate.value, "name": name}
        for name, estimate in model.metrics.items()
        if estimate.value is not None
    ]
    result = {
        "task": {"type": "tabular-classification", "name": "Binary classification"},
        "dataset": {"type": dataset_id(report.data.source), "name": report.data.source},
        "metrics": metrics,
    }
    index = {"model-index": [{"name": f"{report.card.name} {report.card.version}", "results": [result]}]}
    undefined = [name for name, estimate in model.metrics.items() if estimate.value is None]
    head = f"# undefined: {', '.join(undefined)}\n" if undefined else ""
    return head + yaml.safe_dump(index, sort_keys=False, allow_unicode=True, width=120)


def dataset_id(source: str) -> str:
    """The last part of a source's name as an identifier."""
    return re.sub(r"[^A-Za-z0-9]+", "-", source.rsplit("/", 1)[-1]).strip("-") or "data"
