"""Agreement in sentences: where kappa and PABAK order two groups differently, and whether prevalence or bias does it.

No value is called good or poor: the sentences say what the corrections did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporter.render import format as fmt
from reporter.render.document import Sentence
from reporter.render.wording import Words, capital, group_name, listed, literal
from reporter.results import Agreement, AgreementResult, Estimate, Icc

STATISTICS = {
    "kappa": "kappa",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
    "fleiss": "Fleiss' kappa",
    "krippendorff": "Krippendorff's alpha",
    "weighted_kappa": "weighted kappa",
    "prevalence_adjusted_kappa": "prevalence-adjusted kappa",
    "bias_adjusted_kappa": "bias-adjusted kappa",
}


def statistic_name(name: str) -> str:
    """A statistic as the card names it.

    Examples
    --------
    >>> statistic_name("pabak"), statistic_name("icc_a1"), statistic_name("referral_rate")
    ('PABAK', 'ICC(A,1)', 'referral rate')
    """
    if name.lower().startswith("icc"):
        return icc_name(name[4:].upper() or "A1")
    return STATISTICS.get(name, name.replace("_", " "))


def icc_name(form: str) -> str:
    """A form of the intraclass correlation as in McGraw and Wong.

    Examples
    --------
    >>> icc_name("A1"), icc_name("Ck"), icc_name("1")
    ('ICC(A,1)', 'ICC(C,k)', 'ICC(1)')
    """
    form = form.replace("K", "k")
    return f"ICC({form[0]},{form[1:]})" if form[0] in "AC" and len(form) > 1 else f"ICC({form})"


EXPLAINED = {
    "kappa": "Kappa is agreement beyond what chance would give, 1 at most. It falls where one answer is rare (prevalence) and rises "
    "where the two say yes unequally often (bias), however often they agree. Adjusted kappas take one of the two out.",
    "pabak": "PABAK leaves out both how rare an answer is (prevalence) and how unequally often the two give it (bias): it is twice the "
    "share of agreement, minus 1.",
    "ac1": "Gwet's AC1 is agreement beyond chance as well, but counts less as chance where one answer is rare, so that it does not fall "
    "there as kappa does.",
    "weighted_kappa": "Weighted kappa is kappa for ordered (ordinal) ratings, with quadratic weights: a disagreement counts by the square "
    "of how many steps lie between the two.",
    "icc": "The ICC compares scores: it is the share of their spread that lies between the {units} rather than between the two who "
    "score, 1 where both give the same scores.",
    "fleiss": "Fleiss' kappa, for three or more raters, is nominal: any two different ratings count as equally far apart. It uses only "
    "what all have rated.",
    "krippendorff": "Krippendorff's alpha uses everything with two ratings or more; where it is ordinal, two ratings count as further "
    "apart the more ratings lie between them. A nominal and an ordinal value are not comparable.",
}

FORMS = (
    "In forms A a difference that is the same for all counts as disagreement, in forms C it does not; forms with k are those of the "
    "mean of both."
)


def explanation(words: Words, shown: Sequence[str], forms: Sequence[str]) -> str:
    """What each statistic that is shown means, in a sentence or two; ``forms`` of the ICC where there are several."""
    parts = [text.replace("{units}", words.units) for name, text in EXPLAINED.items() if name in shown]
    return " ".join([*parts, FORMS] if len(forms) > 1 else parts)


def signs(first: str, second: str) -> str:
    """What the signs of the two indices mean for a pair: BI = (only the second says yes - only the first)/n, PI = (both yes - both no)/n."""
    one, two = literal(first), literal(second)
    return (
        f"Prevalence index above 0: both say yes more often than both say no. Bias index above 0: {two} says yes more often than {one}; "
        "below 0: less often."
    )


NEEDED = {
    "icc": "it needs a score or a number from both",
    "weighted_kappa": "it needs ratings in numbers from both",
}


def not_computed(words: Words, results: Sequence[AgreementResult], asked: Sequence[str]) -> list[str]:
    """Why statistics that were asked for are missing for a pair, a sentence each."""
    said = []
    bits = [name for name in ("kappa", "pabak", "ac1") if name in asked] or ["kappa", "pabak"]
    names = listed([statistic_name(name) for name in bits])
    for reason in dict.fromkeys(one.reason for one in results if one.reason):
        verb = "needs" if len(bits) == 1 else "need"
        said.append(f"{capital(names)} {verb} answers of two kinds: {words.reason(reason)}.")
    forms = list(dict.fromkeys(icc.form for one in results for icc in one.iccs))
    lost = {form: why for form in forms if (why := nowhere(of_form(results, form)))}
    for cause in dict.fromkeys(lost.values()):
        same = [icc_name(form) for form in forms if lost.get(form) == cause]
        said.append(f"{listed(same)} {'is' if len(same) == 1 else 'are'} undefined here: {words.reason(cause)}.")
    if "icc" in asked and not forms:
        said.append(f"The ICC is not computed here: {NEEDED['icc']}.")
    weighted = [one.weighted_kappa for one in results if one.weighted_kappa is not None]
    if (undefined := nowhere(weighted)) is not None:
        said.append(f"Weighted kappa is undefined here: {words.reason(undefined)}.")
    if "weighted_kappa" in asked and not weighted:
        said.append(f"Weighted kappa is not computed here: {NEEDED['weighted_kappa']}.")
    return said


def of_form(results: Iterable[AgreementResult], form: str) -> list[Icc]:
    """The correlations of one form."""
    return [icc for one in results for icc in one.iccs if icc.form == form]


def nowhere(found: Sequence[Estimate | Icc]) -> str | None:
    """The one reason why none of them has a value; None where one has, or where reasons differ."""
    reasons = {one.reason for one in found}
    return reasons.pop() if len(reasons) == 1 and all(one.value is None for one in found) else None


def gap_reason(words: Words, reason: str | None, smallest: int) -> str:
    """Why a gap has no clear verdict; a name of the config is replaced by what it says."""
    told = (reason or "").replace(
        "fewer pairs of ratings than min_group_size", f"fewer than {smallest} pairs of ratings"
    )
    return words.note(told.replace("min_group_size", fmt.count(smallest)))


def corrections(words: Words, results: Sequence[AgreementResult], smallest: int) -> list[Sentence]:
    """One sentence a grouping and pair: the groups with the lowest and the highest kappa, and what PABAK says of the two.

    Groups of fewer than ``smallest`` pairs of ratings are left out, and two kappas whose intervals overlap are no news.
    """
    said = []
    for key in dict.fromkeys((one.first, one.second, one.item, one.grouping) for one in results if one.grouping):
        first, second, item, grouping = key
        groups = list(_known(results, key, smallest))
        if len(groups) < 2:
            continue
        low = min(groups, key=lambda group: group[1].kappa or 0.0)
        high = max(groups, key=lambda group: group[1].kappa or 0.0)
        if _apart(low[1].kappa, low[1].kappa_high, high[1].kappa, high[1].kappa_low):
            pair = f"{literal(first)} and {literal(second)}" + (f" about {literal(item)}" if item else "")
            said.append(_sentence(words, pair, literal(grouping or ""), low, high, is_item=item is not None))
    return said


def _known(
    results: Iterable[AgreementResult], key: tuple[str, str, str | None, str | None], smallest: int
) -> Iterator[tuple[str, Agreement]]:
    for one in results:
        found = one.agreement
        if (one.first, one.second, one.item, one.grouping) != key or one.group is None or found is None:
            continue
        if found.kappa is not None and found.pabak is not None and found.n >= smallest:
            yield group_name(one.group), found


def _sentence(
    words: Words, pair: str, grouping: str, low: tuple[str, Agreement], high: tuple[str, Agreement], *, is_item: bool
) -> Sentence:
    (low_name, one), (high_name, other) = low, high
    start = (
        f"{capital(pair)}, by {grouping}: kappa is lowest for {low_name} ({fmt.coefficient(one.kappa or 0.0)}) and highest for "
        f"{high_name} ({fmt.coefficient(other.kappa or 0.0)})"
    )
    pabak = f"{fmt.coefficient(one.pabak or 0.0)} against {fmt.coefficient(other.pabak or 0.0)}"
    if (one.pabak or 0.0) <= (other.pabak or 0.0):
        return Sentence(f"{start}. By PABAK, which leaves prevalence and bias out, the order stays: {pabak}.")
    because = f"{start}, because {_cause(words, low_name, high_name, one, other, is_item=is_item)}. By PABAK, which leaves that out, "
    if not _apart(other.pabak, other.pabak_high, one.pabak, one.pabak_low):
        return Sentence(f"{because}the two can no longer be told apart: {pabak}.")
    return Sentence(
        f"{because}the order is the other way round: {pabak}.",
        "warn",
        label="Kappa and PABAK disagree",
    )


def _apart(low: float | None, low_end: float | None, high: float | None, high_end: float | None) -> bool:
    """Whether the lower value's interval ends before the higher one's begins; without intervals the values decide."""
    if low is None or high is None:
        return False
    return (low if low_end is None else low_end) < (high if high_end is None else high_end)


def _cause(words: Words, low_name: str, high_name: str, one: Agreement, other: Agreement, *, is_item: bool) -> str:
    """Which part of PABAK - kappa differs more between the two groups."""
    prevalence = abs(_part(one, "prevalence") - _part(other, "prevalence"))
    bias = abs(_part(one, "bias") - _part(other, "bias"))
    if bias > prevalence:
        return f"in {high_name} the two say yes less equally often than in {low_name}, which raises kappa (bias)"
    if is_item or one.prevalence_index is None:
        return f"one of the two answers is rarer in {low_name} (prevalence)"
    fewer = "fewer" if one.prevalence_index < 0 else "fewer of them are not"
    state = words.positive_prediction
    return f"{fewer} of them are {state} (prevalence)" if fewer == "fewer" else f"{fewer} {state} (prevalence)"


def _part(agreement: Agreement, which: str) -> float:
    adjusted = agreement.prevalence_adjusted_kappa if which == "prevalence" else agreement.bias_adjusted_kappa
    return 0.0 if adjusted is None or agreement.kappa is None else adjusted - agreement.kappa
