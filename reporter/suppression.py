"""Small cells: counts and a report in which no count from 1 to ``k`` - 1 is shown or follows from what is shown.

It happens once, on the counts, before any rendering. Groups with a small cell are pooled (``reporter/hiding.py`` says why that holds), each model
keeps a table of its own per grouping, and everything that cannot be made safe that way stays out: curves and single scores, Δ trees,
noise studies, agreement per group, rates of an older release. What the full counts decided is kept as facts: each comparison with its verdict (without
its numbers where they would tell of a hidden group), and the estimates of score metrics of groups that are shown.

Columns that follow from each other without being crossed in the config (a county and its state) are seen as unrelated: cross them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data.counts import Counts, prediction_tables
from reporter.errors import DataError, Problem
from reporter.hiding import hide_block, hide_groups, is_safe
from reporter.results import (
    Agreement,
    AgreementResult,
    AgreementSection,
    Comparison,
    Estimate,
    Grouping,
    Level,
    ModelResult,
    Releases,
    Report,
    VerdictChange,
)

Ints = NDArray[np.int64]

POOL = "(suppressed)"
FACTS = "suppressed"
KINDS = ((1,), (0,), (2,), (0, 1), (1, 2), (0, 2))
"""What one model can say of a row, and unions of it: predicted 1, predicted 0, no prediction."""


def suppress(counts: Counts, report: Report, k: int) -> Counts:
    """The counts that may be published, with what ``report`` (made of the full counts) decided as facts.

    Raises
    ------
    DataError
        The table over all rows has a small cell, so that no figure of that model can be published.
    """
    made = _Tables.of(counts)
    _refuse_small_totals(made, k)
    tables = {f"overall/{i}": made.frame(None, i, None) for i in range(made.n_models)}
    pairs = _shown_pairs(made, k)
    tables |= {f"overall/{i},{j}": made.pair_frame(i, j) for i, j in pairs}
    shown = _shown_groups(made, k)
    groupings = []
    for facts in counts.facts["groupings"]:
        name = facts["name"]
        levels, place = _pooled(made.levels(name), shown[name])
        tables[f"levels/{name}"] = levels
        tables |= {f"groups/{name}/{i}": made.frame(name, i, place) for i in range(made.n_models)}
        notes = [*_without_counts(facts["notes"]), *_pool_notes(made.levels(name), shown[name], k)]
        groupings.append({"name": name, "columns": facts["columns"], "notes": notes})
    whole = counts.facts
    return Counts(
        tables,
        {
            "version": whole["version"],
            "source": whole["source"],
            "sha256": whole["sha256"],
            "inputs": whole["inputs"],
            "key_digest": whole.get("key_digest"),
            "n": whole["n"],
            "n_filtered_out": None if 0 < whole["n_filtered_out"] < k else whole["n_filtered_out"],
            "n_labelled": whole["n_labelled"],
            "n_positive": whole["n_positive"],
            "models": [
                {"name": m["name"], "kind": m["kind"], "column": m["column"], "notes": _without_counts(m["notes"])}
                for m in whole["models"]
            ],
            "groupings": groupings,
            "notes": _without_counts(whole["notes"]),
            FACTS: _decided(report, shown, _shown_agreement(report, made, pairs, k), k),
        },
    )


def is_suppressed(counts: Counts) -> bool:
    """Whether these counts were made by :func:`suppress`."""
    return FACTS in counts.facts


def decided_comparisons(counts: Counts) -> tuple[Comparison, ...]:
    """The comparisons as the full counts decided them, without the numbers of hidden groups."""
    return tuple(_comparison(plain) for plain in counts.facts[FACTS]["comparisons"])


def with_facts(report: Report, counts: Counts) -> Report:
    """A report of suppressed counts, completed by what the full counts said of groups that are shown."""
    facts = counts.facts[FACTS]
    scores: dict[tuple[str, str | None, str | None], dict[str, Estimate]] = {}
    for one in facts["scores"]:
        key = (one["model"], one["grouping"], one["group"])
        scores.setdefault(key, {})[one["metric"]] = Estimate(**one["estimate"])
    models = tuple(
        replace(model, metrics={**model.metrics, **scores.get((model.name, None, None), {})}) for model in report.models
    )
    groupings = tuple(
        replace(
            grouping,
            results=tuple(
                replace(one, metrics={**one.metrics, **scores.get((one.model, grouping.name, one.group), {})})
                for one in grouping.results
            ),
        )
        for grouping in report.groupings
    )
    agreement = tuple(
        AgreementResult(**{**one, "agreement": Agreement(**one["agreement"])}) for one in facts["agreement"]
    )
    releases = facts["releases"]
    return replace(
        report,
        models=models,
        groupings=groupings,
        agreement_section=AgreementSection(results=agreement) if agreement else None,
        releases=None
        if releases is None
        else Releases(
            **{
                **releases,
                "verdicts": tuple(VerdictChange(**one) for one in releases["verdicts"]),
                "not_compared": tuple(releases["not_compared"]),
            }
        ),
        notes=(*report.notes, *facts["notes"]),
    )


# --- the full counts as arrays -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Tables:
    """The full counts as arrays ``n[group, label, prediction]``, with 2 for a missing label or prediction."""

    counts: Counts
    n_models: int
    inclusions: tuple[tuple[int, int, Ints], ...]

    @classmethod
    def of(cls, counts: Counts) -> _Tables:
        made = cls(counts, len(counts.facts["models"]), ())
        return replace(made, inclusions=tuple(made._inclusions()))

    def pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.n_models), 2)

    def levels(self, grouping: str) -> tuple[Level, ...]:
        from reporter.data.cells import levels

        return levels(self.counts, grouping)

    def columns(self, grouping: str) -> tuple[str, ...]:
        from reporter.data.cells import grouping_columns

        return grouping_columns(self.counts, grouping)

    def model(self, grouping: str | None, i: int) -> Ints:
        """``n[group, label, prediction]``."""
        return self._array(grouping, (i,))

    def pair(self, grouping: str | None, i: int, j: int) -> Ints:
        """``n[group, label, prediction of i, prediction of j]``."""
        return self._array(grouping, (i, j))

    def cells(self, grouping: str | None) -> Ints:
        """Everything that is published of a group, a row per group: each model's table, and what follows where one model's
        positives (or negatives, or missing ones) are all among another's: the difference is then a count, too."""
        parts = [self.model(grouping, i) for i in range(self.n_models)]
        flat = [part.reshape(len(part), -1) for part in parts]
        flat += [
            (self.pair(grouping, i, j) * between[None, None]).sum(axis=(2, 3)) for i, j, between in self.inclusions
        ]
        return np.concatenate(flat, axis=1)

    def frame(self, grouping: str | None, i: int, place: Ints | None) -> pd.DataFrame:
        """One model's table as it is published; ``place`` gives each group's new number."""
        n = self.model(grouping, i)
        if place is not None:
            pooled = np.zeros((int(place.max()) + 1 if len(place) else 0, 3, 3), np.int64)
            np.add.at(pooled, place, n)
            n = pooled
        level, label, prediction = np.nonzero(n)
        columns: dict[str, Any] = {} if grouping is None else {"level": level.astype(np.int32)}
        columns["label"] = _code(label)
        columns[f"m{i}"] = _code(prediction)
        return pd.DataFrame({**columns, "n": n[level, label, prediction]})

    def pair_frame(self, i: int, j: int) -> pd.DataFrame:
        n = self.pair(None, i, j)[0]
        label, first, second = np.nonzero(n)
        return pd.DataFrame(
            {"label": _code(label), f"m{i}": _code(first), f"m{j}": _code(second), "n": n[label, first, second]}
        )

    def _array(self, grouping: str | None, models: tuple[int, ...]) -> Ints:
        stem = "overall" if grouping is None else f"groups/{grouping}"
        suffix = next(s for s, members in prediction_tables(self.n_models) if set(models) <= set(members))
        table = self.counts.tables[stem + suffix]
        n_groups = 1 if grouping is None else len(self.counts.tables[f"levels/{grouping}"])
        group = np.zeros(len(table), np.int64) if grouping is None else table["level"].to_numpy().astype(np.int64)
        found = np.zeros((n_groups, 3, *(3 for _ in models)), np.int64)
        codes = (table[name].to_numpy().astype(np.int64) % 3 for name in ("label", *(f"m{i}" for i in models)))
        np.add.at(found, (group, *codes), table["n"].to_numpy().astype(np.int64))
        return found

    def _inclusions(self) -> Iterator[tuple[int, int, Ints]]:
        """Where the rows that one model says one thing of are all among those that another says something of."""
        for i, j in self.pairs():
            both = self.pair(None, i, j)[0].sum(axis=0)
            total = both.sum()
            for first in KINDS:
                for second in KINDS:
                    inside = np.zeros((3, 3), np.int64)
                    inside[np.ix_(first, second)] = 1
                    ours = np.zeros((3, 3), np.int64)
                    ours[list(first), :] = 1
                    theirs = np.zeros((3, 3), np.int64)
                    theirs[:, list(second)] = 1
                    n_ours, n_theirs = int((both * ours).sum()), int((both * theirs).sum())
                    if not 0 < n_ours < total or not 0 < n_theirs < total:
                        continue
                    n_both = int((both * inside).sum())
                    if n_both == n_ours:
                        yield i, j, theirs - inside
                    elif n_both == n_theirs:
                        yield i, j, ours - inside


def _code(index: Ints) -> NDArray[np.int8]:
    return np.where(index == 2, -1, index).astype(np.int8)


# --- which groups are shown --------------------------------------------------------------------------------------------------


def _refuse_small_totals(made: _Tables, k: int) -> None:
    names = [model["name"] for model in made.counts.facts["models"]]
    problems = [
        Problem(
            f"model {names[i]}: a count over all rows lies between 1 and {k - 1}, so that nothing can be published of it",
            key="small_cells",
            hint="Leave the rows without a label or prediction out with data.where, use more rows, or leave the model out.",
        )
        for i in range(made.n_models)
        if not is_safe(made.model(None, i), k)
    ]
    if not problems and not is_safe(made.cells(None), k):
        problems = [
            Problem(
                f"two models differ in a count between 1 and {k - 1} of rows, which their totals would give away",
                key="small_cells",
                hint="Leave one of them out.",
            )
        ]
    if problems:
        raise DataError(*problems)


def _shown_groups(made: _Tables, k: int) -> dict[str, set[int]]:
    """The groups of each grouping (by their place) that are shown on their own."""
    names = [facts["name"] for facts in made.counts.facts["groupings"]]
    single = [name for name in names if len(made.columns(name)) == 1]
    shown: dict[str, set[int]] = {}
    alone: dict[str, str] = {}
    for name in single:
        levels = made.levels(name)
        hidden = hide_groups(made.cells(name), np.array([level.n for level in levels], np.int64), k)
        shown[name] = set(range(len(levels))) - set(hidden)
        alone.setdefault(made.columns(name)[0], name)
    crossed = [name for name in names if name not in shown]
    classes = _Classes(made, {column: (name, shown[name]) for column, name in alone.items()})
    for name in crossed:
        others = {column for other in crossed if other != name for column in made.columns(other)}
        # Rows must be able to trade the value of a column that no other crossing shows.
        kept = _crossing(made, classes, name, k, may_hide=not set(made.columns(name)) <= others)
        shown[name] = set() if kept is None else kept
    return shown


def _shown_pairs(made: _Tables, k: int) -> list[tuple[int, int]]:
    """The pairs of models whose joint table is shown: only those with the first model, so that the tables hang together like a star.
    Then a reader can tell of a combination of several models only that it is at most the smallest of these cells."""
    if made.n_models > 2 and made.inclusions:
        return []
    return [(i, j) for i, j in made.pairs() if i == 0 and is_safe(made.pair(None, i, j), k)]


def _shown_agreement(report: Report, made: _Tables, pairs: list[tuple[int, int]], k: int) -> list[AgreementResult]:
    """Agreement over all rows, where every row has both ratings, each of the four counts is large, and no circle of pairs arises."""
    section = report.agreement_section
    names = [model["name"] for model in made.counts.facts["models"]]
    joined = {frozenset((names[i], names[j])) for i, j in pairs}
    component: dict[str, str] = dict.fromkeys(names, "models")
    shown = []
    for one in () if section is None or made.inclusions else section.results:
        found = one.agreement
        if one.grouping is not None or one.item is not None or found is None or found.n != report.data.n:
            continue
        if min(found.a, found.b, found.c, found.d) < k:
            continue
        if frozenset((one.first, one.second)) not in joined:
            first, second = (component.setdefault(rater, rater) for rater in (one.first, one.second))
            if first == second:
                continue
            component = {rater: second if place == first else place for rater, place in component.items()}
        shown.append(replace(one, iccs=(), weighted_kappa=None))
    return shown


def _crossing(made: _Tables, classes: _Classes, name: str, k: int, *, may_hide: bool) -> set[int] | None:
    """The combinations that are shown; None when the crossing can only be left out."""
    levels, columns = made.levels(name), made.columns(name)
    if any(level.pooled for level in levels) or len(set(columns)) < len(columns):
        return None
    placed = [classes.place(column, [level.values[a] for level in levels]) for a, column in enumerate(columns)]
    known = [one for one in placed if one is not None]
    if len(known) < len(placed):
        return None
    cells = made.cells(name)
    merged = [set(one.merged) for one in known]
    if not any(merged) and is_safe(cells, k):
        return set(range(len(levels)))
    if len(columns) != 2 or not may_hide:
        return None
    rows, down = known
    table = np.zeros((rows.n, down.n, cells.shape[1]), np.int64)
    np.add.at(table, (rows.index, down.index), cells)
    found = hide_block(table, k, merged_rows=merged[0], merged_columns=merged[1])
    if found is None:
        return None
    block = {(r, c) for r in found[0] for c in found[1]}
    return {i for i in range(len(levels)) if (int(rows.index[i]), int(down.index[i])) not in block}


@dataclass(frozen=True)
class _Placed:
    """Values by the class in which their column shows them; ``merged`` classes hold several values."""

    index: Ints
    n: int
    merged: tuple[int, ...]


class _Classes:
    """How each column's values are shown where the column is shown alone: by themselves, or pooled with others."""

    def __init__(self, made: _Tables, alone: dict[str, tuple[str, set[int]]]) -> None:
        self._classes: dict[str, dict[str | None, str]] = {}
        self._rest: dict[str, str | None] = {}
        for column, (name, shown) in alone.items():
            levels = made.levels(name)
            self._classes[column] = {
                level.values[0]: (f"value {i}" if i in shown else POOL)
                for i, level in enumerate(levels)
                if not level.pooled
            }
            pools = [f"value {i}" if i in shown else POOL for i, level in enumerate(levels) if level.pooled]
            self._rest[column] = pools[0] if pools else None

    def place(self, column: str, values: list[str | None]) -> _Placed | None:
        """None when a value is not one that the column shows elsewhere: it is divided in two ways."""
        known = self._classes.setdefault(column, {value: f"value {value!r}" for value in values})
        rest = self._rest.setdefault(column, None)
        names: list[str] = []
        for value in values:
            name = known.get(value, rest)
            if name is None:
                return None
            names.append(name)
        order = {name: i for i, name in enumerate(dict.fromkeys(names))}
        merged = tuple(i for name, i in order.items() if name in (POOL, rest))
        return _Placed(np.array([order[name] for name in names], np.int64), len(order), merged)


def _pooled(levels: tuple[Level, ...], shown: set[int]) -> tuple[pd.DataFrame, Ints]:
    """The table of groups as it is published, and each group's new place."""
    hidden = [i for i in range(len(levels)) if i not in shown]
    kept = [levels[i] for i in sorted(shown)]
    place = np.full(len(levels), len(kept), np.int64)
    for new, i in enumerate(sorted(shown)):
        place[i] = new
    if hidden:
        width = len(levels[0].values)
        name = POOL
        while name in {level.name for level in levels}:
            name += "*"
        alone = width == 1
        names = tuple(part for i in hidden for part in (levels[i].pooled or (levels[i].name,))) if alone else ()
        kept.append(Level(name, sum(levels[i].n for i in hidden), (None,) * width, pooled=names or (POOL,)))
    table = pd.DataFrame(
        {
            "level": np.arange(len(kept), dtype=np.int32),
            "name": pd.Series([level.name for level in kept], dtype=object),
            "n": np.array([level.n for level in kept], np.int64),
            "missing": np.array([level.missing for level in kept], bool),
            "pooled": pd.Series([json.dumps(level.pooled, ensure_ascii=False) for level in kept], dtype=object),
        }
    )
    for j in range(len(kept[0].values) if kept else 0):
        table[f"value{j}"] = pd.Series([level.values[j] for level in kept], dtype=object)
    return table, place


# --- what is said, and what was decided --------------------------------------------------------------------------------------


def _pool_notes(levels: tuple[Level, ...], shown: set[int], k: int) -> list[str]:
    if len(shown) == len(levels):
        return []
    why = f"so that no count from 1 to {k - 1} can be found"
    if not shown:
        return [f"No group is shown on its own, {why}."]
    if len(levels[0].values) == 1:
        names = ", ".join(levels[i].name for i in range(len(levels)) if i not in shown)
        return [f"Shown together as {POOL}, {why}: {names}."]
    return [f"Some combinations are shown together as {POOL}, {why}."]


def _without_counts(notes: Iterable[str]) -> list[str]:
    """The notes that hold no number, which could be a count."""
    return [note for note in notes if not re.search(r"\d", note)]


def _decided(report: Report, shown: dict[str, set[int]], agreement: list[AgreementResult], k: int) -> dict[str, Any]:
    open_groups = {
        grouping.name: {level.name for i, level in enumerate(grouping.levels) if i in shown[grouping.name]}
        for grouping in report.groupings
    }
    return {
        "below": k,
        "comparisons": [asdict(_published(c, open_groups[c.grouping], report)) for c in report.comparisons],
        "scores": list(_score_estimates(report.models, report.groupings, open_groups)),
        "agreement": [asdict(one) for one in agreement],
        "releases": _verdict_changes(report.releases),
        "notes": _left_out(report, agreement, shown, k),
    }


def hidden_reason(k: int) -> str:
    """Why a number is not given.

    >>> hidden_reason(11)
    'hidden: a count from 1 to 10 could be found from it'
    """
    return f"hidden: a count from 1 to {k - 1} could be found from it"


def _published(found: Comparison, shown: set[str], report: Report) -> Comparison:
    """The comparison with its verdict, and with its numbers where they tell of no hidden group."""
    k = int(report.settings["small_cells"])
    grouping = next(one for one in report.groupings if one.name == found.grouping)
    if found.group in shown and (found.reference_group is None or found.reference_group in shown):
        # An adjusted p-value can be that of another group of the family, times a whole number.
        whole = len(shown) == len(grouping.levels)
        return found if whole else replace(found, p_adjusted=None)
    nothing = Estimate(None, reason=hidden_reason(k))
    undecided = found.verdict == "insufficient evidence"
    return replace(
        found,
        group_estimate=nothing,
        reference_estimate=nothing,
        gap=nothing,
        p=None,
        p_adjusted=None,
        rows_needed=None,
        reason=hidden_reason(k) if undecided else None,
    )


def _comparison(plain: dict[str, Any]) -> Comparison:
    estimates = {key: Estimate(**plain[key]) for key in ("group_estimate", "reference_estimate", "gap")}
    return Comparison(**{**plain, **estimates})


def _score_estimates(
    models: Iterable[ModelResult], groupings: Iterable[Grouping], shown: dict[str, set[str]]
) -> Iterator[dict[str, Any]]:
    """Score metrics, which the published tables do not give: of all rows, and of groups that are shown."""
    from reporter.stats.metrics import METRICS

    def plain(
        model: str, grouping: str | None, group: str | None, metrics: dict[str, Estimate]
    ) -> Iterator[dict[str, Any]]:
        for name, estimate in metrics.items():
            if "score" in METRICS[name].needs:
                yield {
                    "model": model,
                    "grouping": grouping,
                    "group": group,
                    "metric": name,
                    "estimate": asdict(estimate),
                }

    for model in models:
        yield from plain(model.name, None, None, model.metrics)
    for grouping in groupings:
        for result in grouping.results:
            if result.group in shown[grouping.name]:
                yield from plain(result.model, grouping.name, result.group, result.metrics)


def _verdict_changes(releases: Releases | None) -> dict[str, Any] | None:
    if releases is None:
        return None
    told = "the rates of the two releases: their change would tell of small counts"
    return asdict(
        replace(
            releases,
            rates=(),
            verdicts=tuple(replace(one, gap_change=None) for one in releases.verdicts),
            not_compared=(*_without_counts(releases.not_compared), told),
        )
    )


def _left_out(report: Report, agreement: list[AgreementResult], shown: dict[str, set[int]], k: int) -> list[str]:
    """What the card does not show, so that no small count can be found."""
    parts = []
    if any(grouping.curves for grouping in report.groupings) or any(model.curves for model in report.models):
        parts.append("curves of scores")
    if report.tree_results:
        parts.append("Δ trees")
    if report.noise_results:
        parts.append("noise studies")
    if report.agreement_section is not None:
        parts.append("agreement per group" if agreement else "agreement")
    parts += [f"single groups of {name}" for name, groups in shown.items() if not groups]
    if not parts:
        return []
    return [f"Left out, so that no count from 1 to {k - 1} can be found: {', '.join(parts)}."]
