"""Findings in words: one group held against its reference, what the verdict rests on, and what would settle the rest.

The words of the verdicts are those of the method, "diverges", "within limit", "insufficient evidence", and say no more than it does.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from reporter.render import format as fmt
from reporter.render.metric_terms import joined
from reporter.render.wording import Words, counts, group_name, literal, plural, unbroken, whose
from reporter.results import Comparison, Estimate, Grouping


def finding_sentence(words: Words, grouping: Grouping, found: Comparison) -> str:
    """The finding in one sentence with both values, the gap, its interval and the counts.

    For example: "Referral model 2.4 misses 31.1 % of ill patients whose age is over 75 and 18.0 % of the others (13.1 points more, 95 %
    interval 6.5 to 19.9; 66 of 212 against 341 of 1,894)." Numbers have the digits that the tables show.
    """
    term = words.term(found.metric)
    ours = words.value(found.metric, found.group_estimate)
    theirs = words.value(found.metric, found.reference_estimate)
    model = words.model(found.model)
    bracket = _bracket(words, found)
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


def undecided_sentence(words: Words, grouping: Grouping, found: Comparison) -> str:
    """A finding without evidence in one sentence: what is not known, why, and what rows would settle.

    For example: "Insufficient evidence about the miss rate of Referral model 2.4 for patients whose site is North: too few patients (12,
    and 30 are needed) (25.0 % against 18.0 %; ...)."
    """
    about = f"the {words.term(found.metric).title} of {words.model(found.model)} for {words.units} {whose(grouping, found.group)}"
    settle = f"; {rows_needed_phrase(words, [found.rows_needed])}" if _settles([found]) else ""
    return (
        f"Insufficient evidence about {about}: {words.reason(found.reason)}{settle}{_values(words, grouping, found)}."
    )


def _values(words: Words, grouping: Grouping, found: Comparison) -> str:
    if found.group_estimate.value is None or found.reference_estimate.value is None:
        return ""
    ours, theirs = (words.value(found.metric, one) for one in (found.group_estimate, found.reference_estimate))
    return f" ({ours} against {theirs} of {_reference(words, grouping, found)})"


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


def excess(found: Comparison) -> float:
    """How many times its limit a gap is, on the side that the rule looks at: above 1 it is beyond it, 0 where it is undefined.

    A ratio counts by its logarithm, so that halving and doubling are as far.
    """
    gap = found.gap.value
    if gap is None:
        return 0.0
    if found.comparison == "ratio":
        if gap <= 0:
            return math.inf if found.side != "high" else 0.0
        signed, limit = math.log(gap), abs(math.log(found.limit))
    else:
        signed, limit = gap, found.limit
    size = {"low": -signed, "high": signed, "both": abs(signed)}[found.side]
    return size / limit if limit else math.inf if size > 0 else 0.0


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
    known = {"rest": unbroken("the rest"), "overall": "all"}
    return known.get(found.reference) or literal(found.reference_group or found.reference)


def rows_needed_phrase(words: Words, needed: Sequence[int | None]) -> str:
    """Roughly how many more rows would settle how many of the comparisons: "about 120 to 900 more patients of the group would settle each
    of 40; for the other 6 ...". None is a comparison that no number of rows of its group alone is known to settle."""
    known = [n for n in needed if n]
    others = len(needed) - len(known)
    if not known:
        whose_rows = "that group" if others == 1 else "these groups"
        return f"further {words.units} of {whose_rows} alone would not settle {'it' if others == 1 else 'them'}, or how many cannot be told"
    low, high = fmt.rough(min(known)), fmt.rough(max(known))
    unit = words.unit if high == 1 else words.units
    span = fmt.count(low) if low == high else f"{fmt.count(low)} to {fmt.count(high)}"
    which = (
        "it" if len(needed) == 1 else "each" if not others else "one" if len(known) == 1 else f"each of {len(known)}"
    )
    said = f"about {span} more {unit} of the group would settle {which}"
    if not others:
        return said
    rest = f"the other {fmt.count(others)}" if others > 1 else "the other one"
    return f"{said}; for {rest}, further {words.units} of that group alone would not do, or how many cannot be told"


def undecided_sentences(words: Words, comparisons: Sequence[Comparison], own: str | None = None) -> list[str]:
    """What could not be decided, grouped by reason and counted, with roughly how many more rows are needed."""
    return [f"{said} {detail}".strip() for said, detail in undecided_by_reason(words, comparisons, own)]


def undecided_by_reason(
    words: Words, comparisons: Sequence[Comparison], own: str | None = None
) -> list[tuple[str, str]]:
    """The same as pairs: what is said, and which measures it is about. ``own`` is the model that the card is for."""
    reasons: dict[str, list[Comparison]] = {}
    for found in comparisons:
        if found.verdict == "insufficient evidence":
            reasons.setdefault(found.reason or "no reason was given", []).append(found)
    said = []
    for reason, group in sorted(reasons.items(), key=lambda item: -len(item[1])):
        settle = f"; {rows_needed_phrase(words, [found.rows_needed for found in group])}" if _settles(group) else ""
        measures = Counter(words.term(found.metric).title for found in group)
        which = ", ".join(f"{title} {fmt.count(n)}" for title, n in measures.most_common())
        detail = f"By measure: {which}.{_largest_beyond(words, group, own)}"
        said.append((f"{plural(len(group), 'comparison')}: {words.reason(reason)}{settle}.", detail))
    return said


def _settles(comparisons: Sequence[Comparison]) -> bool:
    """Whether rows can settle it at all: an undefined gap has its own reason."""
    return any(found.rows_needed or found.gap.value is not None for found in comparisons)


def _largest_beyond(words: Words, comparisons: Sequence[Comparison], own: str | None) -> str:
    """The comparison furthest beyond its limit, of the card's own model if one is: named although it may be chance."""
    beyond = [found for found in comparisons if excess(found) > 1.0]
    if not beyond:
        return ""
    found = max(beyond, key=lambda one: (one.model == own, excess(one)))
    gap = gap_text(words, found)
    unit = f"{fmt.NBSP}points" if found.comparison == "difference" and words.term(found.metric).kind == "share" else ""
    where = f"{literal(found.grouping)} {group_name(found.group)}, {words.model(found.model)}"
    return f" Furthest beyond its limit: {words.term(found.metric).title} of {where}, {gap}{unit}."


def _reference(words: Words, grouping: Grouping, found: Comparison) -> str:
    if found.reference == "rest":
        return "the others"
    if found.reference == "overall":
        return f"all {words.units}"
    return f"those {whose(grouping, found.reference_group or found.reference)}"


def _bracket(words: Words, found: Comparison) -> str:
    parts = [", ".join(part for part in (_gap(words, found), _gap_interval(words, found)) if part)]
    ours, theirs = counts(found.group_estimate), counts(found.reference_estimate)
    if ours and theirs:
        parts.append(f"{ours} against {theirs}")
    else:
        parts.append(f"n = {_n(found.group_estimate)} and {_n(found.reference_estimate)}")
    return "; ".join(parts)


def _n(estimate: Estimate) -> str:
    return fmt.count(estimate.n)


def _gap(words: Words, found: Comparison) -> str:
    gap = found.gap.value
    if gap is None:
        return ""
    if found.comparison == "ratio":
        return f"ratio {fmt.number(gap, 2)}"
    size = _size(words, found.metric, gap)
    if gap == 0:
        return "no difference"
    if words.term(found.metric).kind == "share":
        return f"{size} {'more' if gap > 0 else 'less'}"
    return f"{size} {'higher' if gap > 0 else 'lower'}"


def _gap_interval(words: Words, found: Comparison) -> str:
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
        return f"{name} {_bare(words, found.metric, near)} to {_bare(words, found.metric, far)}"
    sides = (less, more) if (gap or 0) >= 0 else (more, less)
    return f"{name} {_bare(words, found.metric, near)} {sides[0]} to {_bare(words, found.metric, far)} {sides[1]}"


def _size(words: Words, metric: str, gap: float) -> str:
    return fmt.points(gap, 1) if words.term(metric).kind == "share" else words.written(metric, abs(gap))


def _bare(words: Words, metric: str, value: float) -> str:
    if words.term(metric).kind == "share":
        return fmt.percent_number(abs(value), 1)
    return words.written(metric, abs(value))
