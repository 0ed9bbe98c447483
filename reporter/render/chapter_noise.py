"""Chapter 4: how reliable predictions stay when the inputs are rated with noise, as curves per group."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import (
    Block,
    Figure,
    Heading,
    KeyValues,
    Paragraph,
    Section,
    Sentence,
    Sentences,
)
from reporter.render.noise_tables import (
    band,
    noise_table,
    noise_title,
    perturbed_inputs,
    study_facts,
    undefined_note,
    written_point,
)
from reporter.render.plots import Axis, Curve, CurvesPlot, Panel
from reporter.render.wording import Words, group_name, listed, literal, plural
from reporter.render.wording_noise import noise_sentences
from reporter.results import NoiseResult, Report

AGREEMENT = ("kappa", "pabak", "icc_a1", "mean_score", "referral_rate")
PARTS = ("prevalence_adjusted_kappa", "bias_adjusted_kappa", "prevalence_index", "bias_index")

INTRODUCTION = (
    "Each value of the perturbed inputs, which are named under a study, is taken down anew as if by another person, with a chance that "
    "is called the noise level; the model predicts again, and both predictions of the same case are compared. Rounding and limits can "
    "leave a value as it was, so that fewer values differ than the noise level says. A group whose curve lies lower gets predictions that "
    "are less reliable by that statistic. These curves rest on new predictions: they cannot be recomputed from stored counts."
)

EXPLANATION = (
    "Kappa and PABAK ask whether the prediction stays the same: kappa beyond what chance would give, so that it falls where one answer "
    "is rare (prevalence); PABAK is twice the share that stays the same, minus 1. ICC(A,1) asks how far the score itself stays the same. "
    "Without noise each is 1 where it is defined; kappa is not where all predictions of a group are the same. The prevalence index is "
    "above 0 where more are {state} both times than neither time, below 0 where fewer are; the bias index is above 0 where more are "
    "{state} with noise than without, below 0 where fewer are. The Monte-Carlo error says how much a mean would move with other "
    "random draws: one standard error in sentences, 1.96 of them in bands and after ±."
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
        Paragraph(INTRODUCTION),
        Paragraph(EXPLANATION.format(state=words.positive_prediction), "note"),
    ]
    for place, study in enumerate(report.noise_results, 1):
        blocks += _study(report, words, study, place)
    return Section("noise", "Reliability under noise", tuple(blocks))


def _study(report: Report, words: Words, study: NoiseResult, place: int) -> list[Block]:
    variant = VARIANTS.get(study.variant, literal(study.variant))
    title = f"{words.model(study.model)} by {literal(study.grouping)}, {variant}"
    blocks: list[Block] = [Heading(f"noise-{place}", title), Paragraph(perturbed_inputs(study), "note")]
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
    undefined = undefined_note(study)
    blocks += [Paragraph(undefined, "note")] if undefined else []
    blocks.append(KeyValues(study_facts(words, study)))
    blocks += [Paragraph(literal(note), "note") for note in study.notes if not _told_by_points(study, note)]
    return blocks


def _told_by_points(study: NoiseResult, note: str) -> bool:
    """Notes on undefined values, by statistics and group, are told once for all from the points."""
    first = note.split(" of ")[0].split(",")[0]
    return "undefined in" in note and any(point.statistic == first for point in study.points)


def _figure(words: Words, study: NoiseResult, place: int, key: str, names: Sequence[str], what: str) -> Figure | None:
    panels = []
    for name in names:
        curves = [curve for group in study.groups if (curve := _curve(study, group, name))]
        if curves:
            panels.append(Panel(noise_title(words, name), _axis(words, name), tuple(curves)))
    if not panels:
        return None
    figure_id = f"noise-{place}-{key}"
    caption = f"{what} over the noise level, by {literal(study.grouping)}. Bands are the Monte-Carlo error of {plural(study.repeats, 'repeat')} (± 1.96 standard errors of the mean)."
    if study.repeats < 2:
        caption = f"{what} over the noise level, by {literal(study.grouping)}, one run each."
    return Figure(
        figure_id,
        _sentence(words, study, names),
        caption,
        CurvesPlot(
            Axis("noise level: chance that a value of a perturbed input is taken down anew", "percent"), tuple(panels)
        ),
        noise_table(words, study, names, figure_id, what),
    )


def _axis(words: Words, name: str) -> Axis:
    return Axis(noise_title(words, name), "percent" if name == "referral_rate" else "number")


def _curve(study: NoiseResult, group: str, statistic: str) -> Curve | None:
    points = [p for p in study.points if p.group == group and p.statistic == statistic and p.mean is not None]
    if not points:
        return None
    errors = [band(point) for point in points]
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
            values = listed([f"{written_point(study, p)} for {group_name(p.group)}" for p in ends])
            said.append(f"{noise_title(words, name)} is {values}")
    return f"At a noise level of {fmt.percent(highest)}, {'; '.join(said)}."
