"""The noise study: perturb the inputs, predict again, and see per group how well both predictions agree.

Knows numpy columns and a scorer; no frames, files or models. Two designs: :func:`run_noise`, one predictor on all rows, and
:func:`run_noise_folds`, the published design with a model fitted per fold. What is drawn depends on the seed, the repeat, the
fold, the group and the noise levels alone: not on batches, processes or an interruption.

Source: Räz, T. (2023). Reliability gaps between groups in COMPAS dataset. arXiv 2308.15419.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reporter.errors import InputError, Problem
from reporter.results import NoisePoint
from reporter.stats.cells import Floats, Ints
from reporter.stats.noise_curves import STATISTICS, curve_points, repeat_statistics
from reporter.stats.noise_spec import NoiseSpec
from reporter.stats.perturbation import Column, Perturber

TILE_ROWS = 131_072
"""Predicted rows (rows x levels) whose perturbations are drawn together; part of what a seed means."""

BATCH_ROWS = 131_072
"""About so many rows are predicted in one call."""

Progress = Callable[[int, int], None]
"""Called with the predicted rows so far and in all."""


Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterator[Any]]
"""Applies a function to each tuple of arguments and yields the results in their order: here, or in several processes."""


def in_this_process(function: Callable[..., Any], work: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """One after the other."""
    return (function(*arguments) for arguments in work)


class Scorer(Protocol):
    """Scores of rows, some of whose inputs have changed.

    ``rows`` are positions in the study's columns, ``changed`` holds the perturbed columns at these positions. Returns as many finite
    scores. A scorer that works in processes must be picklable.
    """

    def __call__(self, rows: NDArray[np.intp], changed: Mapping[str, Column]) -> Floats: ...


class Fitter(Protocol):
    """Fits a stand-in on the rows of a train part; ``start`` is the last fit, to start from."""

    def __call__(self, train: NDArray[np.intp], start: Scorer | None) -> Scorer: ...


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Which group each row belongs to: ``codes`` of shape (n,), positions in ``names``."""

    names: tuple[str, ...]
    codes: Ints

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each group."""
        return tuple(int(size) for size in np.bincount(self.codes, minlength=len(self.names)))


@dataclass(frozen=True, slots=True)
class NoiseRun:
    """What a study found. ``repeats`` are the finished ones; ``partial``: it was stopped before all were."""

    points: tuple[NoisePoint, ...]
    groups: tuple[str, ...]
    group_sizes: tuple[int, ...]
    spec: NoiseSpec
    repeats: int
    n: int
    partial: bool
    notes: tuple[str, ...] = ()


def run_noise(
    scorer: Scorer,
    columns: Mapping[str, Column],
    groups: Groups,
    spec: NoiseSpec,
    *,
    progress: Progress | None = None,
    spread: Spread = in_this_process,
) -> NoiseRun:
    """One predictor, applied to the original and to perturbed rows; its agreement with itself, per group and noise level.

    Parameters
    ----------
    scorer
        Scores of (perturbed) rows.
    columns
        The inputs that may be perturbed, arrays of length n (see :class:`Perturber`).
    groups
        Which group each row belongs to.
    spec
        What is perturbed, how strongly, how often.
    progress
        Called after each batch of predictions.
    spread
        Where the work is done; the result does not depend on it.

    Returns
    -------
    NoiseRun
        For each group, level and statistic the mean over the repeats and its Monte-Carlo error. Interrupted
        (Ctrl-C) after at least one finished repeat, it holds the finished ones and is ``partial``.

    Raises
    ------
    InputError
        The columns do not fit the spec. What the scorer raises passes through.

    Examples
    --------
    >>> from reporter.stats.noise_spec import noise_spec
    >>> columns = {"x": np.linspace(0, 1, 50)}
    >>> found = run_noise(lambda rows, changed: changed.get("x", columns["x"][rows]), columns,
    ...                   Groups(("all",), np.zeros(50, np.int64)),
    ...                   noise_spec({"x": {"sd": 0.2}}, levels=[0, 0.5], repeats=3))
    >>> found.points[0]
    NoisePoint(group='all', noise=0.0, statistic='kappa', mean=1.0, mc_error=0.0, repeats=3)
    """
    perturber = Perturber(columns, spec)
    every_row = np.arange(len(groups.codes), dtype=np.intp)
    part = _Part(scorer, perturber, spec, groups, every_row, fold=0)
    batches = list(_batches(part.tiles(range(spec.repeats)), len(spec.levels)))
    results = spread(_measured, [(part, batch) for batch in batches])
    totals = np.zeros((spec.repeats, len(spec.levels), len(groups.names), N_SUMS))
    all_rows = len(every_row) * len(spec.levels) * spec.repeats
    n_rows, interrupted = 0, False
    last_tile = {tile.repeat: (i, j) for i, batch in enumerate(batches) for j, tile in enumerate(batch)}
    finished = 0
    try:
        for position, (batch, sums) in enumerate(zip(batches, results, strict=True)):
            for index, (tile, found) in enumerate(zip(batch, sums, strict=True)):
                totals[tile.repeat][:, tile.groups] += found
                finished += last_tile[tile.repeat] == (position, index)
            n_rows += sum(len(tile.rows) for tile in batch) * len(spec.levels)
            if progress is not None:
                progress(n_rows, all_rows)
    except KeyboardInterrupt:
        if finished == 0:
            raise
        interrupted = True
    values = part.statistics(totals[:finished])
    return _run(values, groups, spec, partial=interrupted and finished < spec.repeats)


def run_noise_folds(
    fit: Fitter,
    columns: Mapping[str, Column],
    groups: Groups,
    spec: NoiseSpec,
    *,
    folds: int = 5,
    progress: Progress | None = None,
    spread: Spread = in_this_process,
) -> NoiseRun:
    """The published design: in each repeat the rows are split into folds, a model is fitted to the others' rows and applied to the
    original and perturbed rows of the fold; statistics per fold, then their mean over the folds.

    Folds are drawn anew for each repeat, so that the Monte-Carlo error covers the split. A statistic that is undefined in a fold
    is undefined in that repeat. Parameters, result and errors otherwise as in :func:`run_noise`.

    Raises
    ------
    InputError
        Fewer rows than folds.
    """
    n = len(groups.codes)
    if not 2 <= folds <= n:
        raise InputError(Problem(f"found {folds}, expected 2 to {n} (the number of rows)", key="folds"))
    perturber = Perturber(columns, spec)
    work = [(fit, perturber, spec, groups, folds, repeat) for repeat in range(spec.repeats)]
    shape = (len(spec.levels), len(groups.names), len(STATISTICS))
    values: list[Floats] = []
    interrupted = False
    try:
        for found in spread(_one_split, work):
            values.append(found)
            if progress is not None:
                progress(len(values) * n * len(spec.levels), spec.repeats * n * len(spec.levels))
    except KeyboardInterrupt:
        if not values:
            raise
        interrupted = True
    stacked = np.stack(values) if values else np.empty((0, *shape))
    return _run(stacked, groups, spec, partial=interrupted and len(values) < spec.repeats)


N_SUMS = 5
"""Predicted 1 again; predicted 1 both times; sums of the score's change d, of d^2 and of (r - mean r) d."""


@dataclass(frozen=True, slots=True, eq=False)
class _Tile:
    """Rows of one repeat whose perturbations are drawn together, at all levels, and the groups that occur among them."""

    repeat: int
    rows: NDArray[np.intp]
    groups: NDArray[np.intp]
    key: tuple[int, ...]
    quota: Ints | None


class _Part:
    """Rows that one scorer predicts, with what is known of their original scores (arrays over all of the study's rows)."""

    def __init__(
        self, scorer: Scorer, perturber: Perturber, spec: NoiseSpec, groups: Groups, rows: NDArray[np.intp], fold: int
    ) -> None:
        self.scorer, self.perturber, self.spec, self.groups = scorer, perturber, spec, groups
        self.rows, self.fold = rows, fold
        self.codes = groups.codes[rows]
        scores = _original(scorer, rows)
        self.means = _group_means(scores, self.codes, len(groups.names))
        self.original = np.full(len(groups.codes), np.nan)
        self.original[rows] = scores
        self.centred = self.original - self.means[groups.codes]
        self.predicted = self._predicts_one(self.original)

    def tiles(self, repeats: Iterable[int]) -> Iterator[_Tile]:
        """All tiles in their order: by repeat, group (if groups are drawn apart), rows."""
        size = max(1, TILE_ROWS // len(self.spec.levels))
        n_groups = len(self.groups.names)
        draws = [self.rows[self.codes == code] for code in range(n_groups)] if self.spec.by_group else [self.rows]
        for repeat in repeats:
            for draw, rows in enumerate(draws):
                chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
                quotas = self._quotas(repeat, draw, [len(chunk) for chunk in chunks])
                for number, chunk in enumerate(chunks):
                    present = np.array([draw]) if self.spec.by_group else np.unique(self.groups.codes[chunk])
                    key = (1, repeat, self.fold, draw, number)
                    yield _Tile(repeat, chunk, present.astype(np.intp), key, quotas[number] if quotas else None)

    def measure(self, tiles: Sequence[_Tile]) -> list[Floats]:
        """The sums of each tile, arrays of shape (levels, the tile's groups, N_SUMS); all tiles are predicted in one call."""
        n_levels = len(self.spec.levels)
        drawn = [self.perturber.draw(self._rng(tile.key), tile.rows, tile.quota) for tile in tiles]
        rows = np.concatenate([np.tile(tile.rows, n_levels) for tile in tiles])
        changed = drawn[0] if len(drawn) == 1 else {name: np.concatenate([d[name] for d in drawn]) for name in drawn[0]}
        del drawn
        scores = self.scorer(rows, changed)
        ends = np.cumsum([len(tile.rows) * n_levels for tile in tiles])[:-1]
        return [self._sums(tile, part) for tile, part in zip(tiles, np.split(scores, ends), strict=True)]

    def statistics(self, totals: Floats) -> Floats:
        """(repeats, levels, groups, statistics) from summed sums."""
        n_groups = len(self.groups.names)
        n = np.bincount(self.codes, minlength=n_groups)
        n_one = np.bincount(self.codes, weights=self.predicted[self.rows], minlength=n_groups)
        s_rr = np.bincount(self.codes, weights=self.centred[self.rows] ** 2, minlength=n_groups)
        return repeat_statistics(n, n_one, self.means, s_rr, totals)

    def _sums(self, tile: _Tile, scores: Floats) -> Floats:
        rows, scores = tile.rows, scores.reshape(len(self.spec.levels), -1)
        starts = np.zeros(1, dtype=np.intp)
        if len(tile.groups) > 1:
            codes = self.groups.codes[rows]
            order = np.argsort(codes, kind="stable")
            rows, scores = rows[order], scores[:, order]
            starts = np.searchsorted(codes[order], tile.groups)
        change = scores - self.original[rows]
        again = self._predicts_one(scores)
        parts = (again, again & self.predicted[rows], change, change * change, change * self.centred[rows])
        return np.stack([np.add.reduceat(part, starts, axis=1, dtype=np.float64) for part in parts], axis=2)

    def _predicts_one(self, scores: Floats) -> NDArray[np.bool_]:
        one: NDArray[np.bool_]
        one = scores >= self.spec.threshold if self.spec.rule == ">=" else scores > self.spec.threshold
        return one

    def _quotas(self, repeat: int, draw: int, sizes: Sequence[int]) -> list[Ints] | None:
        """For each chunk (levels, choices): how many values to perturb, so that the whole draw has its exact share."""
        if not self.spec.exact_proportion or not sizes:
            return None
        rng = self._rng((2, repeat, self.fold, draw))
        n_hit = np.rint(np.array(self.spec.levels) * sum(sizes)).astype(np.int64)
        shared = [
            rng.multivariate_hypergeometric(list(sizes), int(n), size=self.perturber.n_choices, method="marginals")
            for n in n_hit
        ]
        return list(np.moveaxis(np.stack(shared), 2, 0))

    def _rng(self, key: tuple[int, ...]) -> np.random.Generator:
        return np.random.default_rng(np.random.SeedSequence(self.spec.seed, spawn_key=key))


def _group_means(scores: Floats, codes: Ints, n_groups: int) -> Floats:
    """Each group's mean; of equal scores exactly that score, so that their centred squares are exactly 0."""
    means = np.zeros(n_groups)
    for code in range(n_groups):
        inside = scores[codes == code]
        if len(inside):
            means[code] = inside[0] + (inside - inside[0]).mean()
    return means


def _original(scorer: Scorer, rows: NDArray[np.intp]) -> Floats:
    batches = [scorer(rows[start : start + BATCH_ROWS], {}) for start in range(0, len(rows), BATCH_ROWS)]
    return np.concatenate(batches) if batches else np.empty(0)


def _batches(tiles: Iterable[_Tile], n_levels: int) -> Iterator[list[_Tile]]:
    """Tiles in a row that are predicted together; a tile is never cut."""
    batch: list[_Tile] = []
    n_rows = 0
    for tile in tiles:
        n_predicted = len(tile.rows) * n_levels
        if batch and n_rows + n_predicted > BATCH_ROWS:
            yield batch
            batch, n_rows = [], 0
        batch.append(tile)
        n_rows += n_predicted
    if batch:
        yield batch


def _measured(part: _Part, tiles: list[_Tile]) -> list[Floats]:
    return part.measure(tiles)


def _one_split(fit: Fitter, perturber: Perturber, spec: NoiseSpec, groups: Groups, folds: int, repeat: int) -> Floats:
    """(levels, groups, statistics): the mean over the folds of one split."""
    n = len(groups.codes)
    seeds = np.random.SeedSequence(spec.seed, spawn_key=(0, repeat))
    order = np.random.default_rng(seeds).permutation(n)
    found = []
    scorer: Scorer | None = None
    for fold, test in enumerate(np.array_split(order, folds)):
        test = np.sort(test).astype(np.intp)
        in_train = np.ones(n, dtype=bool)
        in_train[test] = False
        scorer = fit(np.flatnonzero(in_train), scorer)
        part = _Part(scorer, perturber, spec, groups, test, fold)
        totals = np.zeros((1, len(spec.levels), len(groups.names), N_SUMS))
        for batch in _batches(part.tiles([repeat]), len(spec.levels)):
            for tile, sums in zip(batch, part.measure(batch), strict=True):
                totals[0][:, tile.groups] += sums
        found.append(part.statistics(totals)[0])
    mean: Floats = np.mean(found, axis=0)
    return mean


def _run(values: Floats, groups: Groups, spec: NoiseSpec, *, partial: bool) -> NoiseRun:
    points, notes = curve_points(values, groups.names, spec.levels)
    if partial:
        notes = (f"stopped after {len(values)} of {spec.repeats} repeats", *notes)
    return NoiseRun(points, groups.names, groups.sizes, spec, len(values), len(groups.codes), partial, notes)
