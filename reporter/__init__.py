"""Group reports, agreement and Δ subgroup trees of a model's predictions, rendered as model cards with verdicts.

Importing this package loads nothing heavy: each public name is imported when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from reporter.api.agreement import agreement as agreement
    from reporter.api.agreement import agreement_from_counts as agreement_from_counts
    from reporter.api.agreement import icc as icc
    from reporter.api.agreement import icc_from_mean_squares as icc_from_mean_squares
    from reporter.api.groups import group_report as group_report
    from reporter.api.groups import parity as parity
    from reporter.api.groups import parity_plot as parity_plot
    from reporter.api.noise import noise_study as noise_study
    from reporter.api.noise import noise_study_cv as noise_study_cv
    from reporter.api.trees import delta_tree as delta_tree
    from reporter.api.trees import instability_test as instability_test
    from reporter.runner import run as run

_HOME = {
    "group_report": "reporter.api.groups",
    "parity": "reporter.api.groups",
    "parity_plot": "reporter.api.groups",
    "run": "reporter.runner",
    "agreement": "reporter.api.agreement",
    "agreement_from_counts": "reporter.api.agreement",
    "icc": "reporter.api.agreement",
    "icc_from_mean_squares": "reporter.api.agreement",
    "instability_test": "reporter.api.trees",
    "delta_tree": "reporter.api.trees",
    "noise_study": "reporter.api.noise",
    "noise_study_cv": "reporter.api.noise",
}

__all__ = sorted([*_HOME, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(importlib.import_module(_HOME[name]), name)
    raise AttributeError(f"module 'reporter' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
