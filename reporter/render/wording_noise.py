"""A noise study in sentences: which statistic is lower in which group, how often, by how much, and why.

Each statistic says what it says: none is called the true one, and a gap is called no more than what it was held against.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.document import Sentence
from reporter.render.wording import Words, capital, listed, literal, unbroken, value_phrase
from reporter.render.wording_agreement import statistic_name
from reporter.results import NoiseFinding, NoiseFindings, NoiseGroup

MOST_GROUPS = 4
"""With more groups than this only those that a finding names are spoken of."""

ADDS_UP = 1e-6
"""PABAK - kappa is exactly the sum of its parts; means over different repeats or noise levels are not, and are not told as such."""

MOST_PLACES = 6

SYSTEMATIC = (
    "A gap is called systematic when it has the same sign at nine noise levels in ten or more and its mean is more than twice its "
    "Monte-Carlo error."
)

SYSTEMATIC_COUNTED = (
    "A gap is called systematic when it has the same sign at nine noise levels in ten or more, its mean is more than twice its "
    "Monte-Carlo error, and chance in who belongs to which group would hardly make it (adjusted p of 0.05 or less). The error from the "
    "groups says how much a gap would move with other {units} in them."
)

NOT_COUNTED = "Chance in the groups is not counted"


def noise_sentences(words: Words, found: NoiseFindings, grouping: str) -> list[Sentence]:
    """The contradictions first, then each statistic, what explains them, and what the scores do."""
    said = [*_contradictions(words, found, grouping)]
    said += [_finding(one, grouping) for one in found.statistics]
    said += _judged(words, found.statistics)
    groups = _spoken_of(found)
    said += _parts(found, groups, grouping)
    scores = [text for group in groups if (text := _scores(words, group, grouping))]
    said += [Sentence(f"With growing noise, {'; '.join(scores)}.")] if scores else []
    return said


def where(group: str, grouping: str) -> str:
    """A group as a condition: "age is over 65"."""
    return f"{literal(grouping)} is {value_phrase(group)}"


def _contradictions(words: Words, found: NoiseFindings, grouping: str) -> list[Sentence]:
    """One warning for all statistics that point in opposite directions, with what explains them."""
    if not found.contradictions:
        return []
    names = {name for pair in found.contradictions for name in pair}
    involved = [finding for finding in found.statistics if finding.statistic in names]
    sides = []
    for lower in dict.fromkeys(finding.lower for finding in involved):
        same = [statistic_name(finding.statistic) for finding in involved if finding.lower == lower]
        sides.append(f"{listed(same)} {'is' if len(same) == 1 else 'are'} lower where {where(lower, grouping)}")
    why = [text for text in (_why_kappa(words, found, grouping), _why_icc(words, found)) if text]
    return [
        Sentence(
            f"{capital(', but '.join(sides))}. Which group seems to get the less reliable predictions depends on the statistic "
            "that is reported.",
            "warn",
            label="The statistics disagree",
        ),
        *(Sentence(text) for text in why),
    ]


def _why_kappa(words: Words, found: NoiseFindings, grouping: str) -> str:
    """What prevalence does to kappa, where kappa and PABAK point in opposite directions for that reason."""
    if ("kappa", "pabak") not in found.contradictions or found.main_part != "prevalence":
        return ""
    kappa = next(finding for finding in found.statistics if finding.statistic == "kappa")
    rates = {group.group: group.referral_rate_first for group in found.groups}
    low, high = rates.get(kappa.lower), rates.get(kappa.higher)
    if low is None or high is None or abs(low - 0.5) <= abs(high - 0.5) or (low < 0.5) != (low < high):
        return ""
    return (
        f"Kappa is lower where {where(kappa.lower, grouping)} because {'fewer' if low < high else 'more'} of these {words.units} are "
        f"{words.positive_prediction} ({fmt.percent(low, 1)} against {fmt.percent(high, 1)} without noise). PABAK, which leaves that "
        f"out, is higher there{_icc_too(found, kappa.lower)}."
    )


def _icc_too(found: NoiseFindings, lower: str) -> str:
    """What the scores say of the group with the lower kappa, where they say it steadily."""
    icc = next((one for one in found.statistics if one.statistic == "icc_a1" and one.systematic), None)
    if icc is None or lower not in (icc.lower, icc.higher):
        return ""
    name = f"{statistic_name('icc_a1')}, which looks at the scores,"
    return f", but {name} is lower there" if icc.lower == lower else f", and so is {name.removesuffix(',')}"


def _why_icc(words: Words, found: NoiseFindings) -> str:
    if ("pabak", "icc_a1") not in found.contradictions:
        return ""
    return (
        "PABAK counts how often the prediction itself changes, which it does seldom for scores far from the threshold; "
        f"{statistic_name('icc_a1')} holds the changes of the scores against how far the scores of a group's {words.units} lie apart."
    )


def _finding(finding: NoiseFinding, grouping: str) -> Sentence:
    name = capital(statistic_name(finding.statistic))
    lower, higher = where(finding.lower, grouping), value_phrase(finding.higher)
    levels = fmt.count(finding.levels)
    at = (
        f"at all {levels} noise levels"
        if finding.levels_lower == finding.levels
        else f"at {fmt.count(finding.levels_lower)} of {levels} noise levels ({fmt.percent(finding.share)})"
    )
    mean = f"by {fmt.coefficient(finding.mean_gap, 3)} on average{_errors(finding)}"
    start = f"{name} is lower where {lower} than where it is {higher} {at}, {mean}"
    if not finding.systematic:
        return Sentence(f"{start}.", "unknown", label="No systematic gap")
    return Sentence(
        f"{start}, and by {fmt.coefficient(finding.largest_gap, 3)} at most (at a noise level of {fmt.percent(finding.largest_at)}).",
        "info" if finding.p_adjusted is None else "warn",
        label=f"Lower {statistic_name(finding.statistic)}: {_named(finding.lower, grouping)}",
    )


def _errors(finding: NoiseFinding) -> str:
    """What a mean gap is held against, in brackets; empty where nothing is known."""
    parts = []
    if finding.mean_gap_error is not None:
        parts.append(f"Monte-Carlo error at most {fmt.coefficient(finding.mean_gap_error, 3)}")
    if finding.sampling_error is not None:
        parts.append(f"error from the groups {fmt.coefficient(finding.sampling_error, 3)}")
    if finding.p_adjusted is not None:
        parts.append(f"adjusted {unbroken(fmt.p_value(finding.p_adjusted))}")
    return f" ({', '.join(parts)})" if parts else ""


def _named(group: str, grouping: str) -> str:
    """A group by itself; a bare number gets its column."""
    name = value_phrase(group)
    return f"{literal(grouping)} {name}" if re.fullmatch(r"[\d.]+", name) else name


def _judged(words: Words, findings: Sequence[NoiseFinding]) -> list[Sentence]:
    """What the gaps were held against: the draws of the noise repeat, the people do not."""
    open_ones = [statistic_name(one.statistic) for one in findings if one.p_adjusted is None]
    said = []
    if len(open_ones) < len(findings):
        said.append(Sentence(SYSTEMATIC_COUNTED.replace("{units}", words.units), label="What a gap is held against"))
    if open_ones:
        gaps = "The gaps" if not said else f"The gaps in {listed(open_ones)}"
        said.append(
            Sentence(
                f"{gaps} are held against chance in the noise alone, not against chance in who belongs to which group: two groups of "
                f"these sizes put together by lot from the same {words.units} could differ steadily too. The smaller a gap and the "
                "groups, the less it says.",
                "unknown",
                label=NOT_COUNTED,
                detail="" if said else SYSTEMATIC,
            )
        )
    return said


def _spoken_of(found: NoiseFindings) -> list[NoiseGroup]:
    if len(found.groups) <= MOST_GROUPS:
        return list(found.groups)
    named = {name for finding in found.statistics for name in (finding.lower, finding.higher)}
    return [group for group in found.groups if group.group in named]


def _parts(found: NoiseFindings, groups: Sequence[NoiseGroup], grouping: str) -> list[Sentence]:
    """PABAK - kappa and its two parts in each group, and which of them differs between the groups."""
    if found.main_part is None:
        return []
    each = [text for group in groups if (text := _split(group, grouping))]
    whole = [group for group in groups if group.correction is not None]
    unsplit = [where(group.group, grouping) for group in whole if not _split(group, grouping)]
    said = []
    if each:
        main = "prevalence (how rare one of the two answers is)"
        if found.main_part == "bias":
            main = "bias (how unequally often the predictions with and without noise are positive)"
        text = f"PABAK minus kappa is on average {listed(each)}."
        said.append(Sentence(text if unsplit else f"{text} What differs most between the groups is {main}."))
    if unsplit:
        said.append(
            Sentence(
                f"Where {listed(unsplit, last='or')}, PABAK minus kappa cannot be split into its parts: their means do not rest on the "
                "same repeats, because kappa is undefined in some.",
                "unknown",
            )
        )
    return said


def _split(group: NoiseGroup, grouping: str) -> str:
    """PABAK - kappa with its parts, written with as many decimals as it takes for them to add up; empty where they do not."""
    whole, prevalence, bias = group.correction, group.prevalence_part, group.bias_part
    if whole is None or prevalence is None or bias is None or abs(whole - prevalence - bias) > ADDS_UP:
        return ""
    places, parts = 3, (prevalence, bias)
    while places < MOST_PLACES and abs(round(whole, places) - _sum(parts, places)) > 0.5 * 10**-places:
        places += 1
    sizes = [_size(value, places) for value in (_sum(parts, places), *parts)]
    return f"{sizes[0]} where {where(group.group, grouping)} ({sizes[1]} by prevalence, {sizes[2]} by bias)"


def _sum(parts: Sequence[float], places: int) -> float:
    return sum(round(part, places) for part in parts)


def _size(value: float, places: int) -> str:
    return "about 0" if abs(value) < 0.5 * 10**-places else fmt.signed(fmt.coefficient(value, places), value)


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
    return f"{' and '.join(parts)} where {where(group.group, grouping)}" if parts else ""
