"""Each group held against a reference: gaps, p-values adjusted over the distinct comparisons, and the three verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from reporter.results import Comparison, Level
from reporter.stats.cells import CellArrays
from reporter.stats.scores import ScoreGrid, ScoreMoments, ScoreTable

Adjust = Literal["holm", "bh", "none"]


@dataclass(frozen=True, slots=True)
class Rule:
    """What must not differ by more than what. ``index`` is the rule's place in the config, ``name`` its optional name.

    ``reference`` is "rest", "overall", "largest", "best" or the name of a group. ``limit``: for a difference in the metric's
    unit, for a ratio r a number in (0, 1): beyond means outside r to 1/r.
    """

    metric: str
    reference: str = "rest"
    comparison: Literal["difference", "ratio"] = "difference"
    limit: float = 0.05
    side: Literal["both", "low", "high"] = "both"
    severity: Literal["fail", "warn"] = "fail"
    decide_by: Literal["interval", "point"] = "interval"
    index: int = 0
    name: str | None = None


def compare(
    rules: Sequence[Rule],
    *,
    model: str,
    grouping: str,
    levels: Sequence[Level],
    cells: CellArrays,
    scores: ScoreMoments | None = None,
    rest_scores: ScoreMoments | None = None,
    table: ScoreTable | ScoreGrid | None = None,
    alpha: float = 0.05,
    adjust: Adjust = "holm",
    min_group_size: int = 30,
    confidence: float = 0.95,
) -> tuple[Comparison, ...]:
    """All comparisons of one model in one grouping, rule by rule, groups in the order of ``levels``.

    ``cells`` and ``scores`` are aligned with ``levels``. ``rest_scores`` (for each group the moments of everyone else) and ``scores``
    follow from ``table`` when it is an exact ScoreTable; an engine that counted moments itself passes both.
    """
    raise NotImplementedError


def finding_id(metric: str, grouping: str, group: str, model: str, rule: str | None = None) -> str:
    """``metric/grouping/group/model[/rule]``, with "%" and "/" inside a part written as %25 and %2F.

    >>> finding_id("fnr", "sex", "a/b", "2.4")
    'fnr/sex/a%2Fb/2.4'
    """
    parts = [metric, grouping, group, model, *([rule] if rule else [])]
    return "/".join(part.replace("%", "%25").replace("/", "%2F") for part in parts)
