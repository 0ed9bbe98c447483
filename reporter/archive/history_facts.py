"""What a history shows of each record: the few facts of its report.json that last over releases, read without the Report's classes.

A report of another version of the format, or one that was changed, is still a line of the history: then only what is known stands there.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from reporter.archive.chain import Link
from reporter.archive.verify import Verification
from reporter.results import Estimate

OVERALL = ""
"""Stands for all rows where a grouping's name would stand."""

ALL_ROWS = "all rows"

Rate = tuple[str, str, str]
"""Grouping, group, metric."""


ESTIMATE = {field.name for field in fields(Estimate)}


@dataclass(frozen=True)
class Facts:
    """One release: ``rates`` maps (grouping, group, metric) to the stored estimate for the release's own model."""

    version: str
    name: str
    outcome: str
    n: int
    n_flagged: int
    n_insufficient: int
    flagged: tuple[str, ...]
    accepted: tuple[tuple[str, str, str], ...]
    vocabulary: Mapping[str, str]
    confidence: float
    rates: Mapping[Rate, Mapping[str, Any]]
    metrics: tuple[str, ...]

    def rate(self, rate: Rate) -> Estimate:
        """One rate; a release that does not report it says so."""
        found = self.rates.get(rate)
        return Estimate(None, reason="the release does not report it") if found is None else Estimate(**found)


@dataclass(frozen=True)
class Release:
    """A record in the history: ``facts`` is None where its report cannot be read or is not what was sealed."""

    number: int
    link: Link
    verification: Verification
    facts: Facts | None
    has_card: bool

    @property
    def version(self) -> str:
        """The release's name."""
        return self.facts.version if self.facts else self.link.release or "unknown"

    @property
    def day(self) -> datetime.date | None:
        """The day of the run."""
        return self.link.created.date() if self.link.created else None


def read_facts(content: bytes) -> Facts | None:
    """The facts of a report.json, or None when it does not hold them."""
    from pydantic_core import from_json

    try:
        return _facts(from_json(content))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError):
        return None


def _facts(report: dict[str, Any]) -> Facts:
    card, verdict, model = report["card"], report["verdict"], report["models"][0]
    rates = {(OVERALL, ALL_ROWS, metric): found for metric, found in model["metrics"].items()}
    for grouping in report["groupings"]:
        for result in grouping["results"]:
            if result["model"] == model["name"]:
                for metric, found in result["metrics"].items():
                    rates[str(grouping["name"]), str(result["group"]), metric] = found
    for found in rates.values():
        if not ESTIMATE.issuperset(found):
            raise ValueError("an estimate of another format")
    wanted = report["settings"].get("metrics", [])
    return Facts(
        version=str(card["version"]),
        name=str(card["name"]),
        outcome=str(verdict["outcome"]),
        n=int(report["data"]["n"]),
        n_flagged=int(verdict["n_flagged"]),
        n_insufficient=int(verdict["n_insufficient"]),
        flagged=tuple(str(c["finding"]) for c in report["comparisons"] if c["verdict"] == "diverges"),
        accepted=tuple((str(a["finding"]), str(a["state"]), str(a["until"])) for a in verdict["accepted"]),
        vocabulary={str(key): str(value) for key, value in card["vocabulary"].items()},
        confidence=float(report["confidence"]),
        rates=rates,
        metrics=tuple(name for name in wanted if name in model["metrics"]) or tuple(model["metrics"]),
    )
