"""A Report's verdicts as JUnit XML, the test format of GitLab, Jenkins and most build servers.

One suite a rule, one case a group and model: a finding that stops the release is a failure. One that diverges and stops nothing, that
cannot be decided, or that somebody answers for, is skipped with the reason: build servers show skipped cases with their message, and
neither fail for them nor count them as passed. A last suite holds the gates that no single finding decides. It only shows verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

from reporter.render import format as written
from reporter.render.notices import config_file, is_stopped_by, other_failures, stopping
from reporter.render.wording import Words
from reporter.render.xml_characters import NOT_XML
from reporter.results import Comparison, Estimate, GateFailure, Report


def render_junit(report: Report) -> str:
    """The whole file as text. Case names are finding ids, unique within the file.

    Examples
    --------
    >>> xml_text("a\\x00b")
    'a\\\\x00b'
    """
    names = _Names()
    suites = [_rule_suite(report, rule, comparisons, names) for rule, comparisons in _by_rule(report.comparisons)]
    suites.append(_gate_suite(report, names))
    totals = [
        sum(column) for column in zip(*((tests, failed, skipped) for tests, failed, skipped, _ in suites), strict=True)
    ]
    title = f"{report.card.name} {report.card.version}".strip()
    head = f'<testsuites name={_quoted(title)} {_counts(totals)} time="0">'
    return "\n".join(
        ['<?xml version="1.0" encoding="UTF-8"?>', head, *(suite[3] for suite in suites), "</testsuites>", ""]
    )


def xml_text(text: str) -> str:
    """The text with each character that XML cannot hold written as an escape such as ``\\x00``."""
    return NOT_XML.sub(lambda match: match[0].encode("unicode_escape", "surrogatepass").decode(), text)


_Suite = tuple[int, int, int, str]
"""Tests, failures, skipped, XML."""


class _Names:
    """Gives each case a name of its own, also where two findings share an id."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def unique(self, name: str) -> str:
        plain = xml_text(name)
        candidate, number = plain, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{plain} ({number})"
        self._taken.add(candidate)
        return candidate


def _by_rule(comparisons: Iterable[Comparison]) -> list[tuple[int, list[Comparison]]]:
    rules: dict[int, list[Comparison]] = {}
    for comparison in comparisons:
        rules.setdefault(comparison.rule, []).append(comparison)
    return sorted(rules.items())


def _rule_suite(report: Report, rule: int, comparisons: Sequence[Comparison], names: _Names) -> _Suite:
    first = comparisons[0]
    title = (
        f"rule {rule + 1}: {first.metric}, {first.comparison} to {first.reference}, limit {written.plain(first.limit)}"
    )
    stops, words = stopping(report), Words.of(report)
    cases = [_rule_case(words, one, names.unique(one.finding), stops) for one in comparisons]
    lines = report.provenance.rule_lines
    place = f"{config_file(report)}:{lines[rule]}" if rule < len(lines) and lines[rule] is not None else ""
    return _suite(title, cases, report.provenance.created, file=place)


def _gate_suite(report: Report, names: _Names) -> _Suite:
    cases = [_gate_case(failure, names) for failure in other_failures(report)]
    if not cases:
        name = names.unique("all other gates")
        cases = [(0, 0, f'<testcase classname="gate" name={_quoted(name)} time="0"/>')]
    return _suite("gates", cases, report.provenance.created)


_Case = tuple[int, int, str]
"""Failures, skipped, XML."""


def _rule_case(words: Words, comparison: Comparison, name: str, stops: Mapping[str, tuple[GateFailure, ...]]) -> _Case:
    classname = f"{comparison.metric}.{comparison.grouping}"
    start = f'<testcase classname={_quoted(classname)} name={_quoted(name)} time="0"'
    evidence = _evidence(words, comparison)
    if is_stopped_by(comparison, stops):
        gates = stops[comparison.finding]
        kind = ", ".join(failure.gate.replace("_", " ") for failure in gates)
        evidence += "".join(f"; {f.sentence.rstrip('.')}" for f in gates if f.gate == "worse_than_baseline")
        body = f"<failure type={_quoted(kind)} message={_quoted(evidence)}>{escape(xml_text(evidence))}</failure>"
        return 1, 0, f"{start}>{body}</testcase>"
    if comparison.verdict == "within limit":
        return 0, 0, f"{start}><system-out>{escape(xml_text(evidence))}</system-out></testcase>"
    body = f"<skipped message={_quoted(f'{_standing(comparison)}; {evidence}')}/>"
    return 0, 1, f"{start}>{body}</testcase>"


def _standing(comparison: Comparison) -> str:
    """Why something that is not within its limit does not stop the release."""
    if comparison.accepted:
        return f"accepted: {comparison.verdict}"
    if comparison.verdict == "insufficient evidence":
        return comparison.verdict
    why = "a warning" if comparison.severity == "warn" else "no gate asks for it"
    return f"{comparison.verdict}, stops nothing ({why})"


def _gate_case(failure: GateFailure, names: _Names) -> _Case:
    name = names.unique(f"{failure.gate}: {failure.finding}" if failure.finding else failure.gate)
    body = f"<failure type={_quoted(failure.gate)} message={_quoted(failure.sentence)}/>"
    return 1, 0, f'<testcase classname="gate" name={_quoted(name)} time="0">{body}</testcase>'


def _evidence(words: Words, comparison: Comparison) -> str:
    group = f"{comparison.group}: {_shown(words, comparison.group_estimate)}"
    reference = f"{comparison.reference_group or comparison.reference}: {_shown(words, comparison.reference_estimate)}"
    gap = f"{comparison.comparison} {_shown(words, comparison.gap)}, limit {written.plain(comparison.limit)}"
    parts = [f"{comparison.metric} of {group}", reference, gap]
    if comparison.p_adjusted is not None:
        parts.append(f"adjusted {written.p_value(comparison.p_adjusted)}")
    if comparison.reason:
        parts.append(words.reason(comparison.reason))
    return "; ".join(parts)


def _shown(words: Words, estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{written.UNDEFINED} ({words.reason(estimate.reason)})" if estimate.reason else written.UNDEFINED
    text = written.number(estimate.value, 4)
    if estimate.low is not None and estimate.high is not None:
        text += f" [{written.number(estimate.low, 4)}, {written.number(estimate.high, 4)}]"
    if estimate.numerator is not None and estimate.denominator is not None:
        return f"{text} ({written.count(estimate.numerator)} of {written.count(estimate.denominator)})"
    return f"{text} (n = {written.count(estimate.n)})"


def _suite(title: str, cases: Sequence[_Case], created: str, file: str = "") -> _Suite:
    totals = [len(cases), sum(case[0] for case in cases), sum(case[1] for case in cases)]
    where = f" file={_quoted(file)}" if file else ""
    head = f'<testsuite name={_quoted(title)} {_counts(totals)} timestamp={_quoted(created)} time="0"{where}>'
    return totals[0], totals[1], totals[2], "\n".join([head, *(case[2] for case in cases), "</testsuite>"])


def _counts(totals: Sequence[int]) -> str:
    return f'tests="{totals[0]}" failures="{totals[1]}" errors="0" skipped="{totals[2]}"'


def _quoted(text: str) -> str:
    return quoteattr(xml_text(text), {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"})
