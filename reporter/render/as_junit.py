"""A Report's verdicts as JUnit XML, the test format of GitLab, Jenkins and most build servers.

One suite a rule, one case a group and model: a finding that diverges is a failure; one that cannot be decided, or that somebody
answers for, is skipped with the reason. A last suite holds the gates that no single finding decides. It only shows verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.sax.saxutils import escape, quoteattr

from reporter.render import format as written
from reporter.render.xml_characters import NOT_XML
from reporter.results import Comparison, Estimate, GateFailure, Report

FINDING_GATES = frozenset({"diverges"})
"""Gates whose failures are the failed cases of the rules already."""


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
    cases = [_rule_case(comparison, names.unique(comparison.finding)) for comparison in comparisons]
    lines = report.provenance.rule_lines
    place = f"{report.provenance.config_name}:{lines[rule]}" if rule < len(lines) and lines[rule] is not None else ""
    return _suite(title, cases, report.provenance.created, file=place)


def _gate_suite(report: Report, names: _Names) -> _Suite:
    others = [failure for failure in report.verdict.failures if failure.gate not in FINDING_GATES]
    cases = [_gate_case(failure, names) for failure in others]
    if not cases:
        name = names.unique("all other gates")
        cases = [(0, 0, f'<testcase classname="gate" name={_quoted(name)} time="0"/>')]
    return _suite("gates", cases, report.provenance.created)


_Case = tuple[int, int, str]
"""Failures, skipped, XML."""


def _rule_case(comparison: Comparison, name: str) -> _Case:
    classname = f"{comparison.metric}.{comparison.grouping}"
    start = f'<testcase classname={_quoted(classname)} name={_quoted(name)} time="0"'
    evidence = _evidence(comparison)
    if comparison.accepted:
        body = f"<skipped message={_quoted(f'accepted: {comparison.verdict}; {evidence}')}/>"
        return 0, 1, f"{start}>{body}</testcase>"
    if comparison.verdict == "diverges":
        kind = comparison.verdict if comparison.severity == "fail" else f"{comparison.verdict} ({comparison.severity})"
        body = f"<failure type={_quoted(kind)} message={_quoted(evidence)}>{escape(xml_text(evidence))}</failure>"
        return 1, 0, f"{start}>{body}</testcase>"
    if comparison.verdict == "insufficient evidence":
        body = f"<skipped message={_quoted(f'{comparison.verdict}; {evidence}')}/>"
        return 0, 1, f"{start}>{body}</testcase>"
    return 0, 0, f"{start}><system-out>{escape(xml_text(evidence))}</system-out></testcase>"


def _gate_case(failure: GateFailure, names: _Names) -> _Case:
    name = names.unique(f"{failure.gate}: {failure.finding}" if failure.finding else failure.gate)
    body = f"<failure type={_quoted(failure.gate)} message={_quoted(failure.sentence)}/>"
    return 1, 0, f'<testcase classname="gate" name={_quoted(name)} time="0">{body}</testcase>'


def _evidence(comparison: Comparison) -> str:
    group = f"{comparison.group}: {_shown(comparison.group_estimate)}"
    reference = f"{comparison.reference_group or comparison.reference}: {_shown(comparison.reference_estimate)}"
    gap = f"{comparison.comparison} {_shown(comparison.gap)}, limit {written.plain(comparison.limit)}"
    parts = [f"{comparison.metric} of {group}", reference, gap]
    if comparison.p_adjusted is not None:
        parts.append(f"adjusted {written.p_value(comparison.p_adjusted)}")
    if comparison.reason:
        parts.append(comparison.reason)
    return "; ".join(parts)


def _shown(estimate: Estimate) -> str:
    if estimate.value is None:
        return f"{written.UNDEFINED} ({estimate.reason})" if estimate.reason else written.UNDEFINED
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
