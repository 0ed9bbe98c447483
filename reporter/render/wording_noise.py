"""A noise study in sentences: which statistic puts which group at a disadvantage, how often, by how much, and why."""

from __future__ import annotations

import re

from reporter.render import format as fmt
from reporter.render.document import Sentence
from reporter.render.wording import Words, capital, group_name, listed, literal
from reporter.render.wording_agreement import statistic_name
from reporter.results import NoiseFinding, NoiseFindings, NoiseGroup


def noise_sentences(words: Words, found: NoiseFindings, grouping: str) -> list[Sentence]:
    """The contradictions first, then each statistic, what explains them, and what the scores do."""
    said = [_contradiction(one, two, found, grouping) for one, two in found.contradictions]
    said += [_finding(one, grouping) for one in found.statistics]
    part = _part(found, grouping)
    said += [part] if part else []
    scores = [text for group in found.groups if (text := _scores(words, group, grouping))]
    said += [Sentence(f"With growing noise, {'; '.join(scores)}.")] if scores else []
    return said


def _name(group: str, grouping: str) -> str:
    """A group as a sentence needs it: a bare number gets its column."""
    name = group_name(group)
    return f"{literal(grouping)} {name}" if re.fullmatch(r"[\d.]+", name) else name


def _contradiction(one: str, two: str, found: NoiseFindings, grouping: str) -> Sentence:
    by_name = {finding.statistic: finding for finding in found.statistics}
    lower = listed(
        [f"{statistic_name(name)} is lower for {_name(by_name[name].lower, grouping)}" for name in (one, two)]
    )
    return Sentence(
        f"{capital(lower)}. Which group gets the less reliable predictions depends on the statistic.",
        "warn",
        label="The statistics disagree",
    )


def _finding(finding: NoiseFinding, grouping: str) -> Sentence:
    name = statistic_name(finding.statistic)
    lower, higher = _name(finding.lower, grouping), _name(finding.higher, grouping)
    at = f"at {fmt.count(finding.levels_lower)} of {fmt.count(finding.levels)} noise levels"
    mean = fmt.coefficient(finding.mean_gap, 3)
    if not finding.systematic:
        return Sentence(
            f"{capital(name)} shows no systematic gap: it is lower for {lower} than for {higher} {at}, by {mean} on average, which may be chance.",
            "unknown",
            label="No systematic gap",
        )
    return Sentence(
        f"{capital(name)} is lower for {lower} than for {higher} {at} ({fmt.percent(finding.share)}), by {mean} on average and "
        f"{fmt.coefficient(finding.largest_gap, 3)} at most (at a noise level of {fmt.percent(finding.largest_at)}).",
        "warn",
        label=f"{capital(lower)} at a disadvantage",
    )


def _part(found: NoiseFindings, grouping: str) -> Sentence | None:
    if found.main_part is None or found.most_corrected is None:
        return None
    group = next((one for one in found.groups if one.group == found.most_corrected), None)
    value = None if group is None else (group.prevalence_part if found.main_part == "prevalence" else group.bias_part)
    size = "" if value is None else f" ({fmt.signed(fmt.coefficient(value, 3), value)} on average)"
    why = (
        "one of the two predictions is rare there (prevalence)"
        if found.main_part == "prevalence"
        else "the two predictions of a case are not equally often positive there (bias)"
    )
    return Sentence(f"PABAK and kappa part most in {_name(found.most_corrected, grouping)}{size}, because {why}.")


def _scores(words: Words, group: NoiseGroup, grouping: str) -> str:
    """How mean score and referral rate move from the lowest to the highest noise level."""
    parts = []
    if group.mean_score_first is not None and group.mean_score_last is not None:
        parts.append(
            f"the mean score goes from {fmt.number(group.mean_score_first)} to {fmt.number(group.mean_score_last)}"
        )
    if group.referral_rate_first is not None and group.referral_rate_last is not None:
        first, last = fmt.percent(group.referral_rate_first, 1), fmt.percent(group.referral_rate_last, 1)
        parts.append(f"the {words.referral_rate} from {first} to {last}")
    return f"for {_name(group.group, grouping)} {' and '.join(parts)}" if parts else ""
