"""Findings in words: one group held against its reference, what the verdict rests on, and what would settle the rest.

The words of the verdicts are those of the method, "diverges", "within limit", "insufficient evidence", and say no more than it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.metric_terms import Term, joined
from reporter.render.wording import Words, counts, literal, plural, whose
from reporter.results import Comparison, Estimate, Grouping

REASON_TOO_WIDE = "too wide to tell"


def finding_sentence(words: Words, grouping: Grouping, found: Comparison) -> str:
    """The finding in one sentence with both values, the gap, its interval and the counts.

    For example: "Referral model 2.4 misses 31 % of ill patients whose age is over 75 and 18 % of the others (13 points more, 95 %
    interval 6 to 20; 66 of 212 against 341 of 1,894)."
    """
    term = words.term(found.metric)
    digits = _digits(term, found)
    ours = words.value(found.metric, found.group_estimate, digits)
    theirs = words.value(found.metric, found.reference_estimate, digits)
    model = words.model(found.model)
    bracket = _bracket(words, found, digits)
    group = whose(grouping, found.group)
    other = _reference(words, grouping, found)
    population = joined(term.population, group)
    if found.group_estimate.value is None and found.reference_estimate.value is None and found.verdict == "diverges":
        return f"The {term.title} of {model} for {words.units} {group} diverges from that of {other}; the numbers are hidden (small counts)."
    if term.verb:
        return f"{model} {term.verb} {ours} of {population} and {theirs} of {other} ({bracket})."
    if term.predicate:
        return f"With {model}, {ours} of {population} {term.predicate}, and {theirs} of {other} ({bracket})."
    return f"The {term.title} of {model} is {ours} for {words.units} {group} and {theirs} for {other} ({bracket})."


def verdict_sentence(words: Words, found: Comparison, *, alpha: float, adjust: str) -> str:
    """What the verdict rests on, exactly: which side of the limit the gap is on, and whether "no gap" is ruled out."""
    limit = limit_phrase(words, found)
    if found.verdict == "diverges":
        if found.decide_by == "point":
            return f"The estimate is beyond {limit} (decided by the bare estimate)."
        p = found.p_adjusted if found.p_adjusted is not None else found.p
        tested = "" if p is None else f" ({adjusted(adjust)}{fmt.p_value(p)})"
        whole = (
            f"the whole {words.level_name()} lies beyond the limit"
            if found.clear
            else (f"the {words.level_name()} reaches inside the limit")
        )
        return f"The estimated gap is beyond {limit} and “no gap” is ruled out{tested}; {whole}."
    if found.verdict == "within limit":
        if found.decide_by == "point":
            return f"Within limit: the estimate is not beyond {limit} (decided by the bare estimate)."
        return f"Within limit: a gap beyond {limit} is ruled out at the {fmt.percent(alpha)} level."
    return f"Insufficient evidence: {words.reason(found.reason)}."


def limit_phrase(words: Words, found: Comparison) -> str:
    """The rule's limit with its side: "the limit of 5 points", "the limit of 0.8 to 1.25 times"."""
    return f"the limit of {limit_text(words, found.metric, found.comparison, found.limit, found.side)}"


def limit_text(words: Words, metric: str, comparison: str, limit: float, side: str) -> str:
    """A limit: "5 points", "5 points more", "a ratio of 0.8 to 1.25"."""
    if comparison == "ratio":
        low, high = fmt.plain(limit), fmt.number(1 / limit, 2).rstrip("0").rstrip(".")
        return {"both": f"a ratio of {low} to {high}", "low": f"a ratio of {low}", "high": f"a ratio of {high}"}[side]
    size = fmt.points(limit) if words.term(metric).kind == "share" else fmt.plain(limit)
    return {"both": size, "low": f"{size} less", "high": f"{size} more"}[side]


def adjusted(adjust: str) -> str:
    """How a p-value was adjusted, as a prefix of it."""
    return {"holm": "Holm-adjusted ", "bh": "Benjamini-Hochberg-adjusted "}.get(adjust, "")


def gap_text(words: Words, found: Comparison, digits: int | None = None) -> str:
    """A gap for tables: signed points, a signed difference, or a ratio."""
    if found.gap.value is None:
        return fmt.UNDEFINED
    return signed_gap(words, found.metric, found.comparison, found.gap.value, digits)


def signed_gap(words: Words, metric: str, comparison: str, value: float, digits: int | None = None) -> str:
    """A difference with its sign, or a ratio."""
    if comparison == "ratio":
        return fmt.number(value, 2)
    if words.term(metric).kind == "share":
        return fmt.signed_points(value, 1 if digits is None else digits)
    return fmt.signed(words.written(metric, value, digits), value)


def signed_change(words: Words, metric: str, value: float, *, of_ratio: bool = False) -> str:
    """A difference with its sign, also where it is one of two ratios."""
    if of_ratio:
        return fmt.signed(fmt.number(value, 2), value)
    return signed_gap(words, metric, "difference", value)


def gap_interval(words: Words, found: Comparison) -> str:
    """The gap's interval for tables."""
    if found.gap.low is None or found.gap.high is None:
        return ""
    low, high = (signed_gap(words, found.metric, found.comparison, end) for end in (found.gap.low, found.gap.high))
    return f"{low} to {high}"


def reference_name(found: Comparison) -> str:
    """The reference in a table."""
    known = {"rest": "the rest", "overall": "all"}
    return known.get(found.reference) or literal(found.reference_group or found.reference)


def rows_needed_phrase(words: Words, needed: Sequence[int]) -> str:
    """Roughly how many more rows would settle it: "about 120 more patients", "about 120 to 900 more patients of each group"."""
    low, high = min(needed), max(needed)
    if low == high:
        return f"about {fmt.count(_rough(low))} more {words.unit if low == 1 else words.units} of the group would settle it"
    span = f"about {fmt.count(_rough(low))} to {fmt.count(_rough(high))} more {words.units}"
    return f"{span} of the group would settle each"


def undecided_sentences(words: Words, comparisons: Sequence[Comparison]) -> list[str]:
    """What could not be decided, grouped by reason and counted, with roughly how many more rows are needed."""
    return [f"{said} {detail}".strip() for said, detail in undecided_by_reason(words, comparisons)]


def undecided_by_reason(words: Words, comparisons: Sequence[Comparison]) -> list[tuple[str, str]]:
    """The same as pairs: what is said, and which measures it is about."""
    reasons: dict[str, list[Comparison]] = {}
    for found in comparisons:
        if found.verdict == "insufficient evidence":
            reasons.setdefault(found.reason or "no reason was given", []).append(found)
    said = []
    for reason, group in sorted(reasons.items(), key=lambda item: -len(item[1])):
        needed = [found.rows_needed for found in group if found.rows_needed]
        settle = f"; {rows_needed_phrase(words, needed)}" if needed else ""
        measures = Counter(words.term(found.metric).title for found in group)
        which = ", ".join(f"{title} {fmt.count(n)}" for title, n in measures.most_common())
        said.append((f"{plural(len(group), 'comparison')}: {words.reason(reason)}{settle}.", f"By measure: {which}."))
    return said


def _rough(n: int) -> int:
    """Two leading digits are all that such a guess is worth."""
    step = int(10 ** max(len(str(n)) - 2, 0))
    return math.ceil(n / step) * step


def _digits(term: Term, found: Comparison) -> int | None:
    ours, theirs, gap = found.group_estimate.value, found.reference_estimate.value, found.gap.value
    if term.kind != "share" or ours is None or theirs is None:
        return None
    return fmt.percent_digits(ours, theirs, gap=gap if found.comparison == "difference" else None)


def _reference(words: Words, grouping: Grouping, found: Comparison) -> str:
    if found.reference == "rest":
        return "the others"
    if found.reference == "overall":
        return f"all {words.units}"
    return f"those {whose(grouping, found.reference_group or found.reference)}"


def _bracket(words: Words, found: Comparison, digits: int | None) -> str:
    parts = [", ".join(part for part in (_gap(words, found, digits), _gap_interval(words, found, digits)) if part)]
    ours, theirs = counts(found.group_estimate), counts(found.reference_estimate)
    if ours and theirs:
        parts.append(f"{ours} against {theirs}")
    else:
        parts.append(f"n = {_n(found.group_estimate)} and {_n(found.reference_estimate)}")
    return "; ".join(parts)


def _n(estimate: Estimate) -> str:
    return fmt.count(estimate.n)


def _gap(words: Words, found: Comparison, digits: int | None) -> str:
    gap = found.gap.value
    if gap is None:
        return ""
    if found.comparison == "ratio":
        return f"ratio {fmt.number(gap, 2)}"
    size = _size(words, found.metric, gap, digits)
    if gap == 0:
        return "no difference"
    if words.term(found.metric).kind == "share":
        return f"{size} {'more' if gap > 0 else 'less'}"
    return f"{size} {'higher' if gap > 0 else 'lower'}"


def _gap_interval(words: Words, found: Comparison, digits: int | None) -> str:
    low, high, gap = found.gap.low, found.gap.high, found.gap.value
    if low is None or high is None:
        return ""
    name = words.level_name()
    if found.comparison == "ratio":
        return f"{name} {fmt.number(low, 2)} to {fmt.number(high, 2)}"
    share = words.term(found.metric).kind == "share"
    more, less = ("more", "less") if share else ("higher", "lower")
    near, far = (low, high) if (gap or 0) >= 0 else (-high, -low)
    if near >= 0:
        return f"{name} {_bare(words, found.metric, near, digits)} to {_bare(words, found.metric, far, digits)}"
    sides = (less, more) if (gap or 0) >= 0 else (more, less)
    return f"{name} {_bare(words, found.metric, near, digits)} {sides[0]} to {_bare(words, found.metric, far, digits)} {sides[1]}"


def _size(words: Words, metric: str, gap: float, digits: int | None) -> str:
    return (
        fmt.points(gap, digits or 0) if words.term(metric).kind == "share" else words.written(metric, abs(gap), digits)
    )


def _bare(words: Words, metric: str, value: float, digits: int | None) -> str:
    if words.term(metric).kind == "share":
        return fmt.percent_number(abs(value), digits or 0)
    return words.written(metric, abs(value), digits)
