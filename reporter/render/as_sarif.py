"""A Report's findings in SARIF 2.1.0, the format of code scanning. Opt-in, since a finding about groups is no flaw of a program.

It only shows verdicts. Accepted findings are there with a suppression, as the format has it.
"""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

from reporter.render.notices import Notice, config_file, notices
from reporter.render.wording import Words
from reporter.results import Report

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

GATES = {
    "insufficient_evidence": "The evidence is enough to judge each group",
    "worse_than_baseline": "No group newly diverges since the baseline",
    "unsigned_baseline": "The baseline carries a signed approval",
    "acceptance expired": "No acceptance has expired",
    "acceptance unknown finding": "Each acceptance names a finding of this run",
}
"""What holds where a gate passes; rules of other names are metrics."""


def render_sarif(report: Report) -> str:
    """The log as JSON: one run, a rule per metric or gate, a result per notice with a stable fingerprint."""
    found, words = notices(report), Words.of(report)
    names = list(dict.fromkeys(notice.rule for notice in found))
    rules = [{"id": name, "shortDescription": {"text": _rule_text(words, name)}} for name in names]
    run = {
        "tool": {"driver": {"name": "reporter", "version": report.provenance.reporter_version, "rules": rules}},
        "results": [_result(report, notice, names.index(notice.rule)) for notice in found],
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False) + "\n"


def _rule_text(words: Words, name: str) -> str:
    return GATES.get(name) or f"Groups are treated alike: {words.term(name).title}"


def _result(report: Report, notice: Notice, index: int) -> dict[str, Any]:
    region = {} if notice.line is None else {"region": {"startLine": notice.line}}
    place = {"artifactLocation": {"uri": quote(config_file(report))}, **region}
    result: dict[str, Any] = {
        "ruleId": notice.rule,
        "ruleIndex": index,
        "level": notice.level,
        "message": {"text": notice.message},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"reporterFinding/v1": f"{notice.rule}/{notice.finding}"},
    }
    if notice.accepted:
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": notice.accepted}]
    return result
