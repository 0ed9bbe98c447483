"""Agreement in sentences: where kappa and PABAK order two groups differently, and whether prevalence or bias does it.

No value is called good or poor: the sentences say what the corrections did.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from reporter.render import format as fmt
from reporter.render.document import Sentence
from reporter.render.wording import Words, capital, group_name, literal
from reporter.results import Agreement, AgreementResult

STATISTICS = {
    "kappa": "kappa",
    "pabak": "PABAK",
    "ac1": "Gwet's AC1",
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
        return Sentence(f"{start}. Corrected for prevalence and bias (PABAK) the order stays: {pabak}.")
    because = f"{start}, because {_cause(words, low_name, high_name, one, other, is_item=is_item)}. Corrected for that (PABAK), "
    if not _apart(other.pabak, other.pabak_high, one.pabak, one.pabak_low):
        return Sentence(f"{because}the two can no longer be told apart: {pabak}.")
    return Sentence(
        f"{because}{low_name} is the group with the more reliable answers: {pabak}.",
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
