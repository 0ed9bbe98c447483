"""``--set key=value``: change one key of a config that was read.

Knows the shape of a document and nothing of the keys' meaning.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from reporter.config.findings import SET
from reporter.config.keypath import KeyPath, path_text, read_path
from reporter.config.yaml_lines import read_yaml
from reporter.errors import Problem


def apply_overrides(
    document: Any, overrides: Sequence[str]
) -> tuple[Any, dict[KeyPath, dict[KeyPath, str]], list[Problem]]:
    """The document with every ``key=value`` applied, in order.

    Returns it with, for each path that was set, the written text of the plain scalars in its value, and with the problems.

    Examples
    --------
    >>> apply_overrides({"models": [{"threshold": 0.5}]}, ["models[0].threshold=0.3"])[0]
    {'models': [{'threshold': 0.3}]}
    >>> print(apply_overrides({"models": []}, ["models[2].threshold=0.3"])[2][0])
    --set models[2]: found no entry 2, models has 0. Entries count from 0.
    """
    result = copy.deepcopy(document)
    applied: dict[KeyPath, dict[KeyPath, str]] = {}
    problems: list[Problem] = []
    for override in overrides:
        key, equals, text = override.partition("=")
        path = read_path(key.strip())
        if not equals or not path:
            problems.append(
                Problem(f"found {override.split('=')[0]!r}, expected key=value, e.g. flags.alpha=0.01", path=SET)
            )
            continue
        value = read_yaml(text.encode("utf-8", errors="replace"), SET)
        if value.problems:
            first = value.problems[0]
            problems.append(Problem(first.message, first.hint, path=SET, key=path_text(path)))
            continue
        trouble = _put(result, path, value.value)
        if trouble:
            problems.append(trouble)
        else:
            applied[path] = {(*path, *inner): written for inner, written in value.written.items()}
    return result, applied, problems


def _put(document: Any, path: KeyPath, value: Any) -> Problem | None:
    here = document
    for depth, step in enumerate(path):
        before = path_text(path[:depth]) or "the config"
        last = depth == len(path) - 1
        if isinstance(step, int):
            if not isinstance(here, list):
                return _problem(path[: depth + 1], f"found no list in {before}", "Set the whole key.")
            if step >= len(here):
                return _problem(
                    path[: depth + 1], f"found no entry {step}, {before} has {len(here)}", "Entries count from 0."
                )
            if last:
                here[step] = value
        else:
            if not isinstance(here, dict):
                return _problem(path[: depth + 1], f"found no mapping in {before}", "Set the whole key.")
            if last:
                here[step] = value
            elif here.get(step) is None:
                here[step] = {}
        here = here[step]
    return None


def _problem(path: KeyPath, message: str, hint: str) -> Problem:
    return Problem(message, hint, path=SET, key=path_text(path))
