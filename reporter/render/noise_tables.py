"""The numbers of a noise study: the table behind each figure, what a mean rests on, and the facts of the study.

Knows points and how they are written, no findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reporter.render import format as fmt
from reporter.render.document import Cell, Column, KeyValue, Row, Table
from reporter.render.wording import Words, group_name, listed, literal, plural
from reporter.render.wording_agreement import statistic_name
from reporter.render.wording_noise import where
from reporter.results import NoisePoint, NoiseResult

BAND = 1.96
"""Standard errors on either side of a mean, the same in figures and tables."""


def noise_table(words: Words, study: NoiseResult, names: Sequence[str], figure_id: str, what: str) -> Table:
    """A row a noise level, a column a statistic and group: mean, Monte-Carlo error, and the repeats where some are undefined."""
    present = [name for name in names if any(p.statistic == name for p in study.points)]
    by_key = {(p.noise, p.group, p.statistic): p for p in study.points}
    columns = [Column("noise", "Noise level")]
    columns += [
        Column(f"{name}-{index}", f"{noise_title(words, name)}, {group_name(group)}", "number")
        for name in present
        for index, group in enumerate(study.groups)
    ]
    rows = []
    for level in sorted({p.noise for p in study.points}):
        cells = [Cell(fmt.percent(level), "", level)]
        cells += [_cell(study, by_key.get((level, group, name))) for name in present for group in study.groups]
        rows.append(Row(tuple(cells)))
    return Table(
        f"{figure_id}-data",
        what.rstrip(","),
        tuple(columns),
        tuple(rows),
        note="± is the Monte-Carlo error of the mean, 1.96 standard errors as in the bands: how much it would move with other random draws.",
        pdf_limit=0,
    )


def _cell(study: NoiseResult, point: NoisePoint | None) -> Cell:
    if point is None or point.mean is None:
        return Cell(fmt.UNDEFINED)
    few = _few(study, point)
    return Cell(_number(point), "\n".join(part for part in (_error(point), few) if part), point.mean)


def _number(point: NoisePoint) -> str:
    mean = point.mean or 0.0
    return fmt.percent(mean, 1) if point.statistic == "referral_rate" else fmt.coefficient(mean, 3)


def _error(point: NoisePoint) -> str:
    """The error in the unit of the mean: points of a percentage, else as a number."""
    error = band(point)
    if error is None:
        return ""
    if error == 0:
        return f"±{fmt.NBSP}0"
    if point.statistic == "referral_rate":
        return f"±{fmt.NBSP}{fmt.points(error, 2)}"
    return f"±{fmt.NBSP}{fmt.number(error, 4)}"


def _few(study: NoiseResult, point: NoisePoint) -> str:
    """How many repeats a mean rests on, where it is not all of them."""
    if point.repeats >= study.repeats:
        return ""
    return f"{fmt.count(point.repeats)} of {fmt.count(study.repeats)} repeats".replace(" ", fmt.NBSP)


def band(point: NoisePoint) -> float | None:
    """Half the width of a mean's band; None without a Monte-Carlo error."""
    return None if point.mc_error is None else BAND * point.mc_error


def noise_title(words: Words, name: str) -> str:
    """A statistic of a noise study as columns and panels name it."""
    return words.referral_rate if name == "referral_rate" else statistic_name(name)


def written_point(study: NoiseResult, point: NoisePoint) -> str:
    """A mean in a sentence, with its repeats where they are not all."""
    if point.mean is None:
        return fmt.UNDEFINED
    few = _few(study, point)
    return f"{_number(point)} ({few})" if few else _number(point)


def undefined_note(study: NoiseResult) -> str:
    """One note on all means that rest on fewer repeats than the study has; empty where there are none."""
    alike: dict[tuple[str, int, int], list[str]] = {}
    for group in study.groups:
        for name in dict.fromkeys(p.statistic for p in study.points):
            short = [p for p in study.points if (p.group, p.statistic) == (group, name) and p.repeats < study.repeats]
            if short:
                never = sum(p.repeats == 0 for p in short)
                alike.setdefault((group, never, len(short) - never), []).append(statistic_name(name))
    if not alike:
        return ""
    each = [
        f"where {where(group, study.grouping)}, {listed(names)} {_how_often(never, some)}"
        for (group, never, some), names in alike.items()
    ]
    return (
        f"Undefined values do not count: {'; '.join(each)}. A mean then rests on the other repeats, whose number stands beside it in the "
        "table, and no sentence above uses it. Kappa is undefined where all predictions of a group are the same, ICC(A,1) where all its scores are."
    )


def _how_often(never: int, some: int) -> str:
    parts = [f"in all repeats at {plural(never, 'noise level')}"] if never else []
    parts += [f"in some repeats at {plural(some, 'noise level')}"] if some else []
    return listed(parts)


def perturbed_inputs(study: NoiseResult) -> str:
    """Which inputs are perturbed and which are not."""
    moved = {*study.perturb, *(name for names in study.one_hot for name in names)}
    still = [literal(name) for name in study.inputs if name not in moved]
    changed = listed([literal(name) for name in study.inputs if name in moved])
    return f"Perturbed: {changed}. {f'Left as they are: {listed(still)}.' if still else 'No input is left as it is.'}"


def study_facts(words: Words, study: NoiseResult) -> tuple[KeyValue, ...]:
    """What was studied: predictor, cases, groups, how inputs are perturbed, repeats."""
    drawn = words.count_units(study.n)
    if study.n < study.sampled_from:
        drawn += f", a seeded sample of {fmt.count(study.sampled_from)}"
    groups = listed(
        [f"{group_name(name)} ({fmt.count(n)})" for name, n in zip(study.groups, study.group_sizes, strict=True)]
    )
    return (
        KeyValue("Predictor", literal(study.predictor), code=True),
        KeyValue("Cases", drawn),
        KeyValue("Groups", groups),
        KeyValue("Perturbed", "; ".join(_changes(study))),
        KeyValue("Repeats", f"{fmt.count(study.repeats)}, seed {study.seed}"),
    )


def _changes(study: NoiseResult) -> list[str]:
    """What is done to which inputs; inputs that are treated alike stand together."""
    alike: dict[str, list[str]] = {}
    for name, how in study.perturb.items():
        alike.setdefault(_how(how), []).append(literal(name))
    changes = [f"{', '.join(names)}: {how}" for how, names in alike.items()]
    return changes + [
        f"{', '.join(literal(name) for name in names)}: tied, the 1 moves to another of them" for names in study.one_hot
    ]


def _how(how: Any) -> str:
    if how == "flip":
        return "flipped to the other of two values"
    if how == "replace":
        return "replaced by another observed category"
    if not isinstance(how, Mapping):
        return literal(str(how))
    words = []
    if how.get("sd") is not None:
        words.append(f"normal noise, standard deviation {fmt.plain(how['sd'])}")
    if how.get("replace"):
        words.append("replaced by another observed category")
    if how.get("round"):
        words.append("rounded")
    if how.get("min") is not None:
        words.append(f"at least {fmt.plain(how['min'])}")
    if how.get("max") is not None:
        words.append(f"at most {fmt.plain(how['max'])}")
    return ", ".join(words)
