"""A Report as a GitHub job summary (Markdown, verdict first) and as annotations on the lines of the config's rules.

Only shows verdicts. Group names are untrusted: nothing in them can start a workflow command or markup.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from reporter.render.notices import Notice, config_file, notices
from reporter.render.wording import Words
from reporter.render.wording_findings import undecided_sentences
from reporter.results import Report
from reporter.terminal import printable

SUMMARY_LIMIT = 900_000
"""Bytes. GitHub drops a summary of more than 1 MiB without a word."""
ANNOTATION_LIMIT = 9
"""Of each level; GitHub shows ten of a step and drops the rest without a word, so the tenth says how many more there are."""


def render_summary(report: Report) -> str:
    """The job summary: outcome, each flagged group, what could not be decided; cut below 1 MiB with the total stated."""
    words = Words.of(report)
    verdict = report.verdict
    outcome = "The gate failed" if verdict.outcome == "fail" else "The gate passed"
    head = [
        f"## {_markdown(f'{report.card.name} {report.card.version}')}: {outcome.lower()}",
        "",
        f"{verdict.n_flagged} diverging, {verdict.n_insufficient} with insufficient evidence, {verdict.n_within} within limit.",
        "",
    ]
    body = [_line_of(notice) for notice in notices(report)]
    tail = [f"- {_markdown(text)}" for text in undecided_sentences(words, report.comparisons, report.models[0].name)]
    if tail:
        tail = ["", "### What could not be decided", "", *tail]
    return _within(head, [*body, *tail])


def render_annotations(report: Report) -> str:
    """Workflow commands, one a line: at most nine errors and nine warnings, and one more of each that says how many more.

    Examples
    --------
    >>> command("error", "50% of a\\nb", file="a,b.yaml", line=3, title="x::y")
    '::error file=a%2Cb.yaml,line=3,title=x%3A%3Ay::50%25 of a%0Ab'
    """
    lines: list[str] = []
    file = config_file(report)
    said = [(n.level, command(n.level, n.message, file=file, line=n.line, title=_title(n))) for n in notices(report)]
    for level in ("error", "warning"):
        chosen = [line for its, line in said if its == level]
        lines += chosen[:ANNOTATION_LIMIT]
        if len(chosen) > ANNOTATION_LIMIT:
            more = len(chosen) - ANNOTATION_LIMIT
            lines.append(command(level, f"and {more} more of {len(chosen)}; the card lists all", title="reporter"))
    return "".join(f"{line}\n" for line in lines)


def command(level: str, message: str, *, file: str = "", line: int | None = None, title: str = "") -> str:
    """One workflow command with everything escaped that could end or start one."""
    properties = [("file", file), ("line", "" if line is None else str(line)), ("title", title)]
    written = ",".join(f"{key}={_property(value)}" for key, value in properties if value)
    return f"::{level} {written}::{_data(message)}" if written else f"::{level}::{_data(message)}"


def _line_of(notice: Notice) -> str:
    accepted = f" (accepted by {_markdown(notice.accepted)})" if notice.accepted else ""
    rule = f" {_markdown(_title(notice))}:" if notice.gate else ""
    finding = f" `{_code(notice.finding)}`" if notice.finding else ""
    return f"- **{notice.level}**{accepted}{rule} {_markdown(notice.text)}{finding}"


def _title(notice: Notice) -> str:
    return notice.rule.replace("_", " ") if notice.gate else notice.finding


def _within(head: Sequence[str], body: Iterable[str]) -> str:
    lines = list(head)
    size = sum(len(line.encode()) + 1 for line in lines)
    rest = list(body)
    for i, line in enumerate(rest):
        size += len(line.encode()) + 1
        if size > SUMMARY_LIMIT:
            lines.append(f"- and {len(rest) - i} more of {len(rest)} lines; the card has all")
            break
        lines.append(line)
    return "\n".join(lines).rstrip() + "\n"


def _markdown(text: str) -> str:
    """``text`` shown as it is: no markup, HTML, mention or line break of its own."""
    flat = printable(" ".join(text.split()))
    return re.sub(r"([\\`*_\[\]#!|~@:<>&$])", lambda m: f"&#{ord(m[1])};", flat)


def _code(text: str) -> str:
    return printable(" ".join(text.replace("`", "'").split()))


def _data(text: str) -> str:
    lines = "\n".join(printable(line) for line in text.replace("\r\n", "\n").split("\n"))
    return lines.replace("%", "%25").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
