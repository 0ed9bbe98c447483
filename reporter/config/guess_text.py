"""The roles that columns seem to have, written as a commented config."""

from __future__ import annotations

import json
import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from reporter.config.values import UNFILLED
from reporter.config.yaml_lines import plain_value

if TYPE_CHECKING:
    from reporter.config.guess import Group, Model, Roles


def write_guess(source: str, roles: Roles) -> str:
    """The config's text. Paths in a config are relative to its file; ``source`` is written as given."""
    sample = roles.sample
    rows = f"{sample.n_rows:,} rows" if sample.whole else f"the first {sample.n_rows:,} rows"
    lines = [
        f"# A first config for {yaml_text(source)}, guessed from {rows}. Check every line; lines marked {UNFILLED} need you.",
        "# Then: reporter check FILE --data, reporter run FILE. Every key: configs/annotated.yaml.",
        "schema: 1",
        "",
        "card:",
        f"  name: Model  # {UNFILLED}: the model's name",
        f'  version: "1"  # {UNFILLED}: the release that the card is for',
        f"  # intended_use: ...  # {UNFILLED}: what the model is for; the card lists what nobody wrote",
        "  # vocabulary: {positive_prediction: referred, positive_label: ill, negative_label: healthy, unit: patient, units: patients}",
        "",
        *_data(source, roles),
        "",
        *_models(roles),
        "",
        *_groups(roles),
        "",
        *_metrics(roles),
        *_flags(roles),
    ]
    return "\n".join(lines) + "\n"


def yaml_text(text: str) -> str:
    """A text as a YAML scalar that reads back as the same text.

    >>> yaml_text("income-per-year"), yaml_text(">50K"), yaml_text("NO"), yaml_text("2.4")
    ('income-per-year', '">50K"', '"NO"', '"2.4"')
    """
    words = {"yes", "no", "on", "off", "y", "n", "true", "false", "null"}
    safe = re.fullmatch(r"[^\W\d]([\w ./()+-]*[\w.()+-])?", text) and plain_value(text) == text
    text = text.replace("${", "$${")
    return text if safe and text.casefold() not in words else json.dumps(text, ensure_ascii=False)


def _data(source: str, roles: Roles) -> list[str]:
    sample = roles.sample
    relative = "" if PurePath(source).is_absolute() or "://" in source else "  # relative to this file"
    lines = ["data:", f"  source: {yaml_text(source)}{relative}"]
    if roles.sha256:
        lines.append(f"  sha256: {roles.sha256}  # pins the file, because columns that stand twice are used")
    csv = [f"separator: {json.dumps(sample.separator)}"] if sample.separator != "," else []
    if sample.encoding not in ("utf-8", "utf-16"):
        csv.append(f"encoding: {sample.encoding}")
    if csv:
        lines.append(f"  csv: {{{', '.join(csv)}}}")
    if roles.missing != ("",):
        markers = ", ".join(json.dumps(marker) for marker in roles.missing)
        lines.append(f"  missing: [{markers}]  # what counts as missing, in every column")
    for doubt in roles.doubtful:
        mark, numbers, words = map(_shown, (doubt.mark, doubt.numbers, doubt.words))
        lines.append(
            f"  # {UNFILLED}: {mark} stands among the numbers of {numbers} and among the words of {words}, where it may be a value;"
            " if it is missing in both, list it under missing"
        )
    if sample.repeated:
        lines.append(f"  # these columns stand twice in the file: {', '.join(map(_shown, sample.repeated))}")
    if roles.key:
        lines.append(f"  key: {yaml_text(roles.key)}  # names each row once")
    return [*lines, *_label(roles)]


def _label(roles: Roles) -> list[str]:
    if roles.label is None:
        return [
            f"  # label: ...  # {UNFILLED}: no column looks like an outcome; without one only referral rates are reported"
        ]
    values = " or ".join(_shown(value) for value in roles.label_values)
    lines = [f"  label: {yaml_text(roles.label)}  # what is true: {values}"]
    if roles.positive is not None:
        mark = "" if roles.positive_sure else f"{UNFILLED}: "
        lines.append(f"  positive: {yaml_text(roles.positive)}  # {mark}the value that counts as 1")
    if roles.other_labels:
        lines.append(f"  # other columns that could be the label: {', '.join(map(_shown, roles.other_labels))}")
    return lines


def _models(roles: Roles) -> list[str]:
    if not roles.models:
        return [
            f"# {UNFILLED}: no column looks like scores or predictions. Name one (score: with its threshold, or prediction:).",
            "models:",
            "  - name: Model",
            f"    score: {UNFILLED}",
            "    threshold: 0.5  # scores from here on predict 1",
        ]
    first, *others = roles.models
    lines = ["models:", f"  - {_model(first)}{_doubt(first)}"]
    if roles.reversed_scores and roles.positive is not None:
        shown = _shown(roles.positive)
        lines.append(
            f"  # {UNFILLED}: these scores are lower where the label is {shown}; do they score the other value?"
        )
    return [*lines, *(f"  # - {_model(other)}{_doubt(other)}" for other in others)]


def _model(model: Model) -> str:
    name = yaml_text(model.column)
    if model.threshold is not None:
        return f"{{name: {name}, score: {name}, threshold: {model.threshold:g}}}"
    positive = f", positive: {yaml_text(model.positive)}" if model.positive is not None else ""
    return f"{{name: {name}, prediction: {name}{positive}}}"


def _doubt(model: Model) -> str:
    if model.sure:
        return "" if model.threshold is None else f"  # {UNFILLED}: the threshold in use; this is a guess"
    what = (
        "the value that counts as 1"
        if model.threshold is None
        else "the threshold in use; this is the middle of the scores"
    )
    return f"  # {UNFILLED}: {what}"


def _groups(roles: Roles) -> list[str]:
    if not roles.groups:
        lines = [f"# groups: [...]  # {UNFILLED}: no column has the name of an attribute that people differ by"]
    else:
        lines = ["groups:", *(f"  - {_group(group)}" for group in roles.groups)]
        words = [group.column for group in roles.groups if not group.breaks]
        if len(words) >= 2:
            crossed = ", ".join(map(yaml_text, words[:2]))
            lines.append(f"  # - [{crossed}]  # both at once")
    if roles.other_groups:
        lines.append(f"  # other columns with few values: {', '.join(map(_shown, roles.other_groups))}")
    return lines


def _group(group: Group) -> str:
    name = yaml_text(group.column)
    if not group.breaks:
        return name
    return f"{{column: {name}, breaks: [{', '.join(f'{cut:g}' for cut in group.breaks)}]}}  # quarters of the rows"


def _metrics(roles: Roles) -> list[str]:
    if roles.label is None or not roles.models:
        return []
    scored = roles.models[0].threshold is not None
    return [f"metrics: [accuracy, referral_rate, base_rate, fpr, fnr, ppv{', auc' if scored else ''}]", ""]


def _flags(roles: Roles) -> list[str]:
    if roles.label is None:
        return [
            "flags:",
            "  rules:  # what counts as too much",
            "    - {metric: referral_rate, reference: rest, ratio: 0.8, severity: warn}",
        ]
    return [
        "flags:",
        "  rules:  # what counts as too much: a gap to everyone else of 5 points, a ratio outside 0.8 to 1.25",
        "    - {metric: fnr, reference: rest, difference: 0.05}",
        "    - {metric: fpr, reference: rest, difference: 0.05}",
        "    - {metric: referral_rate, reference: rest, ratio: 0.8, severity: warn}",
    ]


def _shown(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
