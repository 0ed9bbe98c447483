"""Tables for growing a Δ tree without a cube: one query per covariate and level of the tree, with the node as a grouping key.

The rows hold values or, where ``tree_codes`` has replaced them, codes.
What is asked is kept, so that the same tree grows again from the record (``tree_views``).
"""

from __future__ import annotations

import functools
import json
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from reporter.data import expressions, fixed_point
from reporter.data.tree_regions import Question, classes, questions
from reporter.data.tree_scans import CovariateColumn, TreeScan
from reporter.stats.delta_counts import MOMENTS, N_LABELS, Covariate, Region, Side

if TYPE_CHECKING:
    from reporter.data.checks import Plan

SUMS = MOMENTS[2:]
MOST_TOGETHER = 5_000
LAST_BIT = 62
"""The highest code that is still a bit of a signed whole number of an engine."""


class EngineCounter:
    """A ``stats.delta_counts.Counter`` that asks the engine. ``recorded``: request -> sparse table, of its halves too; ``part`` names the half."""

    def __init__(
        self, scan: TreeScan, made: Plan, recorded: dict[str, pd.DataFrame] | None = None, part: str = ""
    ) -> None:
        self.scan, self.made, self.source = scan, made, scan.scan.source
        self.recorded: dict[str, pd.DataFrame] = {} if recorded is None else recorded
        self.part = part
        self._powers: tuple[int, ...] | None = None

    def tables(self, regions: Sequence[Region], covariates: Sequence[Covariate]) -> list[NDArray[Any]]:
        """See ``Counter.tables``. Covariates with few levels are counted together and then added up, which saves passes."""
        columns = {one.covariate.name: one for one in self.scan.covariates}
        keys = {c.name: request_key(regions, c, self.part) for c in covariates}
        missing = [c for c in covariates if keys[c.name] not in self.recorded]
        for together in _batches([columns[c.name] for c in missing]):
            answer = self._scored(regions, together) if self.scan.scored else self._counted(regions, together)
            for column, table in zip(together, answer, strict=True):
                self.recorded[keys[column.covariate.name]] = table
        n_groups, second = len(self.scan.labels), len(self.scan.models) == 2
        return [
            dense(
                self.recorded[keys[covariate.name]],
                len(regions),
                covariate,
                n_groups,
                scored=self.scan.scored,
                second=second,
            )
            for covariate in covariates
        ]

    def halves(self, rng: np.random.Generator) -> tuple[EngineCounter, EngineCounter]:
        """Drawn in the engine; the answers are recorded under the names of the halves. Needs a kept table of the rows."""
        from reporter.data.tree_halves import drawn_halves

        seed, names = half_names(rng)
        parts = drawn_halves(self.scan, seed)
        first, second = (EngineCounter(p, self.made, self.recorded, name) for p, name in zip(parts, names, strict=True))
        return first, second

    def left_out(self) -> dict[str, Any]:
        """The rows that no tree counts."""
        from reporter.data.tree_counts import outcome_columns, rows_left_out

        names = ("attribute", *(f"model {i}" for i in self.scan.models))
        if self.scan.scored:
            return self._left_out_scored()
        margin = self.scan.scan.margin(names if self.made.label is None else (*names, "label"))
        group = self.scan.group_codes()[margin.column("attribute")]
        outcomes = outcome_columns(self.scan, self.made, {name: margin.column(name) for name in margin.names})
        predicted = np.logical_and.reduce([~np.isnan(outcomes[name]) for name in outcomes if name != "label"])
        return rows_left_out(self.scan, group, predicted, margin.n)

    def _left_out_scored(self) -> dict[str, Any]:
        from reporter.data.tree_counts import rows_left_out

        table = self._named((), ())
        scored = functools.reduce(operator.and_, [table[f"model {i}"].notnull() for i in self.scan.models])
        known_to_both = table.mutate(scored=scored)
        answer = self.source.fetch(known_to_both.group_by(["attribute", "scored"]).agg(n_rows=known_to_both.count()))
        attribute = self.scan.scan.encode("attribute", answer["attribute"])
        group = self.scan.group_codes()[attribute]
        known = answer["scored"].to_numpy(zero_copy_only=False).astype(bool)
        return rows_left_out(self.scan, group, known, answer["n_rows"].to_numpy())

    def _named(self, regions: Sequence[Region], covariates: Sequence[CovariateColumn]) -> Any:
        table = self.source.table
        names = ["attribute", *(["label"] if self.made.label is not None else [])]
        names += [f"model {i}" for i in self.scan.models]
        columns = self.scan.scan.columns_of(table, names)
        if covariates:
            columns["region"] = self._region(table, regions)
            columns |= self.scan.scan.columns_of(table, [column.scan_name for column in covariates])
        return table.select(**columns)

    def _counted(self, regions: Sequence[Region], covariates: Sequence[CovariateColumn]) -> list[pd.DataFrame]:
        from reporter.data.tree_counts import outcome_columns

        named = self._named(regions, covariates)
        keys = list(named.columns)
        answer = self._in_regions(self.source.fetch(named.group_by(keys).agg(n_rows=named.count())), regions)
        codes = {name: self.scan.scan.encode(name, answer[name]) for name in keys if name != "region"}
        outcomes = outcome_columns(self.scan, self.made, codes)
        frame = self._keys(answer, covariates, codes, outcomes["label"])
        predicted = np.ones(len(frame), bool)
        for name in ("first", "second"):
            if name in outcomes:
                predicted &= ~np.isnan(outcomes[name])
                frame[name] = np.where(np.isnan(outcomes[name]), -1, outcomes[name]).astype(np.int8)
        frame["n"] = answer["n_rows"].to_numpy().astype(np.int64)
        frame = frame[predicted & (frame["group"] >= 0).to_numpy()]
        outcome_names = [name for name in ("first", "second") if name in outcomes]
        return [_of_one(frame, column, outcome_names, ["n"]) for column in covariates]

    def _keys(
        self, answer: Any, covariates: Sequence[CovariateColumn], codes: dict[str, Any], label: Any
    ) -> pd.DataFrame:
        keys = {
            "region": answer["region"].to_numpy().astype(np.int32),
            "group": self.scan.group_codes()[codes["attribute"]].astype(np.int32),
            "label": label.astype(np.int8),
        }
        for column in covariates:
            place = codes[column.scan_name]
            keys[column.scan_name] = self.scan.covariate_codes(column)[place].astype(np.int32)
        return pd.DataFrame(keys)

    def _scored(self, regions: Sequence[Region], covariates: Sequence[CovariateColumn]) -> list[pd.DataFrame]:
        """Sums of scores, exact in whole numbers and then rounded once."""
        named = self._named(regions, covariates)
        first = f"model {self.scan.models[0]}"
        last = f"model {self.scan.models[-1]}"
        named = named.filter(named[first].notnull() & named[last].notnull())
        z = named[last] - named[first] if first != last else named[first]
        keys = [name for name in named.columns if not name.startswith("model ")]
        powers = self._bounds(named, first, last)
        terms: dict[str, Any] = {"nonzero": (z != 0).ifelse(1, 0)}
        for name, term, power in zip(SUMS, (z, z * z, named[first], named[last]), powers, strict=True):
            terms[f"{name}_hi"], terms[f"{name}_lo"] = fixed_point.parts(term, power)
        cut = named.select(*keys, **terms)
        summed = cut.group_by(keys).agg(n_rows=cut.count(), **{name: cut[name].sum() for name in terms})
        answer = self._in_regions(self.source.fetch(summed), regions)
        codes = {name: self.scan.scan.encode(name, answer[name]) for name in keys if name != "region"}
        label = np.full(answer.num_rows, 2, np.int64)
        if self.made.label is not None:
            from reporter.data.tree_counts import label_codes

            label = label_codes(self.scan, self.made)[codes["label"]]
        frame = self._keys(answer, covariates, codes, label)
        sums = [name for name in answer.column_names if name not in keys]
        for name in sums:
            frame[name] = pd.Series([int(value) for value in answer[name].to_pylist()], dtype=object)
        frame = frame[frame["group"] >= 0]
        return [_rounded(_of_one(frame, column, [], sums), powers) for column in covariates]

    def _bounds(self, named: Any, first: str, last: str) -> tuple[int, ...]:
        """For each of ``SUMS`` the power of two that bounds its terms, over all rows of the tree."""
        if self._powers is None:
            ends = self.source.fetch(named.agg(a=named[first].abs().max(), b=named[last].abs().max())).to_pylist()[0]
            a, b = ends["a"] or 0.0, ends["b"] or 0.0
            self._powers = tuple(fixed_point.exponent(bound) for bound in (a + b, (a + b) ** 2, a, b))
        return self._powers

    def _region(self, table: Any, regions: Sequence[Region]) -> Any:
        import ibis

        if list(regions) == [()]:
            return ibis.literal(0, "int32")
        covariates = [column.covariate for column in self.scan.covariates]
        found = classes(regions, covariates)
        if found is None:
            return self._answer(table, questions(regions, covariates))
        key = ibis.literal(0, "int32")
        for sides, step in zip(found.sides, found.steps, strict=True):
            branches = [(self._inside(table, side), ibis.literal(k * step, "int32")) for k, side in enumerate(sides)]
            key = key + ibis.cases(*branches, else_=ibis.literal(len(sides) * step, "int32"))
        return key

    def _in_regions(self, answer: Any, regions: Sequence[Region]) -> Any:
        """With the regions' numbers, without the rows of none: left out here, since a filter would make an engine decide on them twice."""
        import pyarrow as pa
        import pyarrow.compute as pc

        answer = answer.filter(pc.is_valid(answer["region"]))
        found = classes(regions, [column.covariate for column in self.scan.covariates])
        if list(regions) == [()] or found is None:
            return answer
        number = found.region[answer["region"].to_numpy()]
        place = answer.column_names.index("region")
        return answer.set_column(place, "region", pa.array(number)).filter(pa.array(number >= 0))

    def _answer(self, table: Any, asked: int | Question) -> Any:
        import ibis

        if isinstance(asked, int):
            return ibis.literal(asked, "int32")
        branches = [
            (
                functools.reduce(operator.and_, [self._inside(table, side) for side in sides]),
                self._answer(table, answer),
            )
            for sides, answer in zip(asked.sides, asked.answers, strict=True)
            if sides
        ]
        rest = ibis.null("int32") if asked.sides[-1] else self._answer(table, asked.answers[-1])
        return ibis.cases(*branches, else_=rest) if branches else rest

    def _inside(self, table: Any, side: Side) -> Any:
        """Whether a row lies on a side of the splits on one covariate."""
        column = next(one for one in self.scan.covariates if one.covariate.name == side.covariate)
        value = self.scan.scan.columns[column.scan_name](table)
        n_levels = column.covariate.n_levels
        allowed = np.flatnonzero(side.allows(n_levels)[:n_levels]).tolist()
        missing = self._missing(table, column, value)
        if column.coded:
            known = _among(value, allowed)
        elif column.covariate.kind == "numeric":
            number = expressions.number(
                table, column.column, sorted(self.scan.scan.missing), sql_name=self.source.backend.name
            )
            values = column.covariate.values
            known = number.between(values[allowed[0]], values[allowed[-1]]) if allowed else number != number
        else:
            known = expressions.is_one_of(value, [column.covariate.levels[code] for code in allowed])
        # A missing value is none of the levels and between no numbers: known is false or null there, which no case takes for a yes.
        return known | missing if side.missing else known

    def _missing(self, table: Any, column: CovariateColumn, value: Any) -> Any:
        missing = value.isnull()
        if not column.coded and value.type().is_string() and self.scan.scan.missing:
            missing = missing | value.isin(sorted(self.scan.scan.missing))
        if not column.coded and value.type().is_floating() and self.source.backend.name != "sqlite":
            missing = missing | value.isnan()
        return missing


def _among(code: Any, allowed: Sequence[int]) -> Any:
    """Whether a code is one of these: a range is compared, a set is a number's bits; for a list an engine would build a table and join it."""
    import ibis

    if not allowed:
        return code.isnull() & code.notnull()
    if allowed[-1] - allowed[0] == len(allowed) - 1:
        return code.between(allowed[0], allowed[-1])
    if allowed[-1] > LAST_BIT:
        return code.isin(allowed)
    bits = ibis.literal(sum(1 << k for k in allowed), "int64")
    return ((bits >> code.cast("int64")) & 1) == 1


def _batches(columns: Sequence[CovariateColumn]) -> list[list[CovariateColumn]]:
    """Covariates in batches whose levels have at most 5,000 combinations, or of one."""
    found: list[list[CovariateColumn]] = []
    size = 0
    for column in sorted(columns, key=lambda one: one.covariate.n_levels):
        n_codes = column.covariate.n_levels + 1
        if found and size * n_codes <= MOST_TOGETHER:
            found[-1].append(column)
            size *= n_codes
        else:
            found.append([column])
            size = n_codes
    return found


def _of_one(frame: pd.DataFrame, column: CovariateColumn, outcomes: Sequence[str], sums: Sequence[str]) -> pd.DataFrame:
    """The table of one covariate of several that were counted together."""
    keys = ["region", column.scan_name, "group", "label", *outcomes]
    table = frame.groupby(keys, sort=True)[list(sums)].sum().reset_index()
    return table.rename(columns={column.scan_name: "code"})


def half_names(rng: np.random.Generator) -> tuple[int, tuple[str, str]]:
    """The seed that halves are drawn with, and their names in the record."""
    seed = int(rng.integers(2**53))
    return seed, (f"half 1, seed {seed}", f"half 2, seed {seed}")


def request_key(regions: Sequence[Region], covariate: Covariate, part: str = "") -> str:
    """A request as text, the same for equal requests; ``part`` is the half of the rows it is for.

    >>> request_key([()], Covariate("age", "numeric"))
    '["age",[[]]]'
    """
    sides = [[[s.covariate, s.missing, s.codes, s.above, s.upto] for s in region] for region in regions]
    return json.dumps([covariate.name, sides, *([part] if part else [])], ensure_ascii=False, separators=(",", ":"))


def dense(
    table: pd.DataFrame, n_regions: int, covariate: Covariate, n_groups: int, *, scored: bool, second: bool
) -> NDArray[Any]:
    """A sparse answer as the array that growing asked for."""
    at = [table[name].to_numpy().astype(np.int64) for name in ("region", "code", "group")]
    label = table["label"].to_numpy().astype(np.int64)
    shape = (n_regions, covariate.n_levels + 1, n_groups)
    if scored:
        sums = np.zeros((*shape, N_LABELS, len(MOMENTS)))
        sums[(*at, label)] = table[list(MOMENTS)].to_numpy(dtype=np.float64)
        return sums
    counts = np.zeros((*shape, 2, 2 if second else 1, N_LABELS), np.int64)
    first = table["first"].to_numpy().astype(np.int64)
    other = table["second"].to_numpy().astype(np.int64) if second else np.zeros(len(table), np.int64)
    np.add.at(counts, (*at, first, other, label), table["n"].to_numpy())
    return counts


def _rounded(grouped: pd.DataFrame, powers: tuple[int, ...]) -> pd.DataFrame:
    result = grouped[["region", "code", "group", "label"]].copy()
    result["n"] = grouped["n_rows"].astype(np.int64)
    result["nonzero"] = grouped["nonzero"].astype(np.int64)
    for name, power in zip(SUMS, powers, strict=True):
        result[name] = [
            fixed_point.total(int(high), int(low), power)
            for high, low in zip(grouped[f"{name}_hi"], grouped[f"{name}_lo"], strict=True)
        ]
    return result
