"""A Report's findings as a GitLab code quality report: each flagged finding stands in the merge request, on the line of its rule.

GitLab shows the verdicts themselves as tests from ``junit.xml``; this file is for what GitHub calls annotations. It only shows verdicts.
"""

from __future__ import annotations

import hashlib
import json

from reporter.render.notices import config_file, notices
from reporter.results import Report

SEVERITY = {"error": "critical", "warning": "minor"}


def render_gitlab(report: Report) -> str:
    """A JSON list with one entry a notice. The fingerprint is that of the finding's id, so that GitLab tells new findings from old.

    An accepted finding stays listed, as ``info``.
    """
    seen: dict[str, int] = {}
    entries = []
    for notice in notices(report):
        identity = f"{notice.rule}/{notice.finding}"
        seen[identity] = seen.get(identity, 0) + 1
        entries.append(
            {
                "description": notice.message,
                "check_name": notice.rule,
                "fingerprint": hashlib.sha256(f"{identity}#{seen[identity]}".encode()).hexdigest(),
                "severity": "info" if notice.accepted else SEVERITY[notice.level],
                "location": {"path": config_file(report), "lines": {"begin": notice.line or 1}},
            }
        )
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"
