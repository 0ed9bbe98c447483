"""Chapter 4: how reliable predictions stay when the inputs are rated with noise, as curves per group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reporter.render import format as fmt
from reporter.render.document import (
    Block,
    Cell,
    Column,
    Figure,
    Heading,
    KeyValue,
    KeyValues,
    Paragraph,
    Row,
    Section,
    Sentence,
    Sentences,
    Table,
)
from reporter.render.plots import Axis, Curve, CurvesPlot, Panel
from reporter.render.wording import Words, group_name, listed, literal, plural
from reporter.render.wording_agreement import statistic_name
from reporter.render.wording_noise import noise_sentences
from reporter.results import NoisePoint, NoiseResult, Report

AGREEMENT = ("kappa", "pabak", "icc_a1", "mean_score", "referral_rate")
PARTS = ("prevalence_adjusted_kappa", "bias_adjusted_kappa", "prevalence_index", "bias_index")

EXPLANATION = (
    "Kappa and PABAK ask whether the prediction stays the same: kappa beyond what chance would give, so that it falls where one answer "
    "is rare (prevalence); PABAK is twice the share that stays the same, minus 1. ICC(A,1) asks how far the score itself stays the same. "
    "All three are 1 without noise."
)

VARIANTS = {
    "all": "all named inputs perturbed",
    "minima": "with minima",
    "numeric": "numeric inputs only",
    "binary": "binary inputs only",
}


def noise_section(report: Report, words: Words) -> Section | None:
    """A part per study and variant."""
    if not report.noise_results:
        return None
    blocks: list[Block] = [
        Paragraph(
            "Each input value is changed with a probability, the noise level, as if another person had rated it; the model predicts again, "
            "and both predictions of the same case are compared. A group whose curve lies lower gets less reliable predictions. "
            "These curves rest on new predictions: they cannot be recomputed from stored counts."
        ),
        Paragraph(EXPLANATION, "note"),
    ]
    for place, study in enumerate(report.noise_results, 1):
        blocks += _study(report, words, study, place)
    return Section("noise", "Reliability under noise", tuple(blocks))


def _study(report: Report, words: Words, study: NoiseResult, place: int) -> list[Block]:
    variant = VARIANTS.get(study.variant, literal(study.variant))
    title = f"{words.model(study.model)} by {literal(study.grouping)}, {variant}"
    blocks: list[Block] = [Heading(f"noise-{place}", title)]
    if study.partial:
        blocks.append(
            Paragraph(
                f"This study was stopped before its end: it rests on the {plural(study.repeats, 'repeat')} that "
                f"{'was' if study.repeats == 1 else 'were'} finished.",
                "note",
            )
        )
    said = noise_sentences(words, study.findings, study.grouping) if study.findings is not None else []
    said += [Sentence(literal(text)) for text in study.sentences]
    blocks += [Sentences(tuple(said))] if said else []
    for key, names, what in (
        (
            "agreement",
            AGREEMENT,
            f"Agreement of the predictions with and without noise, and the mean score and {words.referral_rate} with noise,",
        ),
        ("parts", PARTS, "Kappa with the effect of prevalence or of bias taken out, and the indices of both,"),
    ):
        figure = _figure(words, study, place, key, names, what)
        blocks += [figure] if figure else []
    blocks.append(KeyValues(_facts(words, study)))
    blocks += [Paragraph(literal(note), "note") for note in study.notes]
    return blocks


def _figure(words: Words, study: NoiseResult, place: int, key: str, names: Sequence[str], what: str) -> Figure | None:
    panels = []
    for name in names:
        curves = [curve for group in study.groups if (curve := _curve(study, group, name))]
        if curves:
            panels.append(Panel(_panel_title(words, name), _axis(words, name), tuple(curves)))
    if not panels:
        return None
    figure_id = f"noise-{place}-{key}"
    caption = f"{what} over the noise level, by {literal(study.grouping)}. Bands are the Monte-Carlo error of {study.repeats} repeats (± 1.96 standard errors)."
    if study.repeats < 2:
        caption = f"{what} over the noise level, by {literal(study.grouping)}, one run each."
    return Figure(
        figure_id,
        _sentence(words, study, names),
        caption,
        CurvesPlot(Axis("noise level: share of values that are changed", "percent"), tuple(panels)),
        _table(words, study, names, figure_id, what),
    )


def _panel_title(words: Words, name: str) -> str:
    return words.referral_rate if name == "referral_rate" else statistic_name(name)


def _axis(words: Words, name: str) -> Axis:
    return Axis(_panel_title(words, name), "percent" if name == "referral_rate" else "number")


def _curve(study: NoiseResult, group: str, statistic: str) -> Curve | None:
    points = [p for p in study.points if p.group == group and p.statistic == statistic and p.mean is not None]
    if not points:
        return None
    errors = [1.96 * p.mc_error if p.mc_error is not None else None for p in points]
    means = [p.mean or 0.0 for p in points]
    banded = any(error is not None for error in errors)
    return Curve(
        group_name(group),
        tuple(p.noise for p in points),
        tuple(means),
        tuple(None if error is None else mean - error for mean, error in zip(means, errors, strict=True))
        if banded
        else (),
        tuple(None if error is None else mean + error for mean, error in zip(means, errors, strict=True))
        if banded
        else (),
    )


def _sentence(words: Words, study: NoiseResult, names: Sequence[str]) -> str:
    """The values at the highest noise level, statistic by statistic."""
    said = []
    highest = max((p.noise for p in study.points), default=0.0)
    for name in names:
        ends = [p for p in study.points if p.statistic == name and p.noise == highest and p.mean is not None]
        if ends:
            values = listed([f"{_written(p)} for {group_name(p.group)}" for p in ends])
            said.append(f"{_panel_title(words, name)} is {values}")
    return f"At a noise level of {fmt.percent(highest)}, {'; '.join(said)}."


def _written(point: NoisePoint) -> str:
    if point.mean is None:
        return fmt.UNDEFINED
    return fmt.percent(point.mean, 1) if point.statistic == "referral_rate" else fmt.coefficient(point.mean, 3)


def _table(words: Words, study: NoiseResult, names: Sequence[str], figure_id: str, what: str) -> Table:
    present = [name for name in names if any(p.statistic == name for p in study.points)]
    by_key = {(p.noise, p.group, p.statistic): p for p in study.points}
    columns = [Column("noise", "Noise level")]
    columns += [
        Column(f"{name}-{index}", f"{_panel_title(words, name)}, {group_name(group)}", "number")
        for name in present
        for index, group in enumerate(study.groups)
    ]
    rows = []
    for level in sorted({p.noise for p in study.points}):
        cells = [Cell(fmt.percent(level), "", level)]
        for name in present:
            for group in study.groups:
                point = by_key.get((level, group, name))
                if point is None or point.mean is None:
                    cells.append(Cell(fmt.UNDEFINED))
                else:
                    error = "" if point.mc_error is None else f"± {fmt.number(point.mc_error, 4)}"
                    cells.append(Cell(_written(point), error, point.mean))
        rows.append(Row(tuple(cells)))
    return Table(
        f"{figure_id}-data",
        what.rstrip(","),
        tuple(columns),
        tuple(rows),
        note="± is the Monte-Carlo standard error of the mean.",
        pdf_limit=0,
    )


def _facts(words: Words, study: NoiseResult) -> tuple[KeyValue, ...]:
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
