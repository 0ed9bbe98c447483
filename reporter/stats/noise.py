"""The noise study: perturb the inputs, predict again, and see per group how well both predictions agree.

Knows numpy columns and a scorer; no frames, files or models. Two designs: :func:`run_noise`, one predictor on all rows, and
:func:`run_noise_folds`, the published design with a model fitted per fold. What is drawn depends on the seed, the repeat, the
fold, the group and the noise levels alone: not on batches, processes or an interruption.

Source: Räz, T. (2023). Reliability gaps between groups in COMPAS dataset.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from reporter.errors import InputError, Problem
from reporter.results import NoisePoint
from reporter.stats.cells import Floats
from reporter.stats.noise_blocks import Blocks, BlockSums, Replicates
from reporter.stats.noise_curves import N_SUMS, STATISTICS, curve_points
from reporter.stats.noise_spec import NoiseSpec
from reporter.stats.noise_tiles import Groups, Part, Scorer, Tile, TileSums, batches
from reporter.stats.perturbation import Column, Perturber

Progress = Callable[[int, int], None]
"""Called with the predicted rows so far and in all."""


Spread = Callable[[Callable[..., Any], Sequence[tuple[Any, ...]]], Iterator[Any]]
"""Applies a function to each tuple of arguments and yields the results in their order: here, or in several processes."""


def in_this_process(function: Callable[..., Any], work: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
    """One after the other."""
    return (function(*arguments) for arguments in work)


class Fitter(Protocol):
    """Fits a stand-in on the rows of a train part; ``start`` is the last fit, to start from."""

    def __call__(self, train: NDArray[np.intp], start: Scorer | None) -> Scorer: ...


@dataclass(frozen=True, slots=True)
class NoiseRun:
    """What a study found. ``repeats`` are the finished ones; ``partial``: it was stopped before all were.

    ``replicates`` tell how far chance in who belongs to the groups moves the statistics.
    """

    points: tuple[NoisePoint, ...]
    groups: tuple[str, ...]
    group_sizes: tuple[int, ...]
    spec: NoiseSpec
    repeats: int
    n: int
    partial: bool
    notes: tuple[str, ...] = ()
    replicates: Replicates | None = field(default=None, compare=False, repr=False)


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
    blocks = Blocks.drawn(groups.codes, len(groups.names), spec.seed)
    part = Part(scorer, perturber, spec, groups, blocks, every_row, fold=0)
    together = list(batches(part.tiles(range(spec.repeats)), len(spec.levels)))
    results = spread(_measured, [(part, batch) for batch in together])
    totals = np.zeros((spec.repeats, len(spec.levels), len(groups.names), N_SUMS))
    all_rows = len(every_row) * len(spec.levels) * spec.repeats
    finished_sums, open_sums = BlockSums.empty(len(spec.levels), blocks.n), part.no_sums()
    n_rows, interrupted = 0, False
    last_tile = {tile.repeat: (i, j) for i, batch in enumerate(together) for j, tile in enumerate(batch)}
    finished = 0
    try:
        for position, (batch, sums) in enumerate(zip(together, results, strict=True)):
            for index, (tile, found) in enumerate(zip(batch, sums, strict=True)):
                totals[tile.repeat][:, tile.groups] += found.by_group
                open_sums.totals[:, found.blocks] += found.by_block
                if last_tile[tile.repeat] == (position, index):
                    finished += 1
                    finished_sums.add(open_sums)
                    open_sums.totals[:] = 0
            n_rows += sum(len(tile.rows) for tile in batch) * len(spec.levels)
            if progress is not None:
                progress(n_rows, all_rows)
    except KeyboardInterrupt:
        if finished == 0:
            raise
        interrupted = True
    values = part.statistics(totals[:finished])
    return _run(values, finished_sums, blocks, groups, spec, partial=interrupted and finished < spec.repeats)


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

    Folds are drawn anew for each repeat, so that the Monte-Carlo error covers the split. The mean over the folds is of all folds or of
    none: a statistic that is undefined in one fold is undefined in that repeat. Parameters, result and errors otherwise as in :func:`run_noise`.

    Raises
    ------
    InputError
        Fewer rows than folds.
    """
    n = len(groups.codes)
    if not 2 <= folds <= n:
        raise InputError(Problem(f"found {folds}, expected 2 to {n} (the number of rows)", key="folds"))
    perturber = Perturber(columns, spec)
    blocks = Blocks.drawn(groups.codes, len(groups.names), spec.seed)
    work = [(fit, perturber, spec, groups, blocks, folds, repeat) for repeat in range(spec.repeats)]
    shape = (len(spec.levels), len(groups.names), len(STATISTICS))
    values: list[Floats] = []
    sums = BlockSums.empty(len(spec.levels), blocks.n)
    interrupted = False
    try:
        for found, by_block in spread(_one_split, work):
            values.append(found)
            sums.add(by_block)
            if progress is not None:
                progress(len(values) * n * len(spec.levels), spec.repeats * n * len(spec.levels))
    except KeyboardInterrupt:
        if not values:
            raise
        interrupted = True
    stacked = np.stack(values) if values else np.empty((0, *shape))
    return _run(stacked, sums, blocks, groups, spec, partial=interrupted and len(values) < spec.repeats, folds=folds)


def _measured(part: Part, tiles: list[Tile]) -> list[TileSums]:
    return part.measure(tiles)


def _one_split(
    fit: Fitter, perturber: Perturber, spec: NoiseSpec, groups: Groups, blocks: Blocks, folds: int, repeat: int
) -> tuple[Floats, BlockSums]:
    """(levels, groups, statistics): the mean over the folds of one split; and the sums over the folds by block."""
    n = len(groups.codes)
    seeds = np.random.SeedSequence(spec.seed, spawn_key=(0, repeat))
    order = np.random.default_rng(seeds).permutation(n)
    found, by_block = [], BlockSums.empty(len(spec.levels), blocks.n)
    scorer: Scorer | None = None
    for fold, test in enumerate(np.array_split(order, folds)):
        test = np.sort(test).astype(np.intp)
        in_train = np.ones(n, dtype=bool)
        in_train[test] = False
        scorer = fit(np.flatnonzero(in_train), scorer)
        part = Part(scorer, perturber, spec, groups, blocks, test, fold)
        by_block.add(part.no_sums())
        totals = np.zeros((1, len(spec.levels), len(groups.names), N_SUMS))
        for batch in batches(part.tiles([repeat]), len(spec.levels)):
            for tile, sums in zip(batch, part.measure(batch), strict=True):
                totals[0][:, tile.groups] += sums.by_group
                by_block.totals[:, sums.blocks] += sums.by_block
        found.append(part.statistics(totals)[0])
    mean: Floats = np.mean(found, axis=0)
    return mean, by_block


def _run(
    values: Floats,
    sums: BlockSums,
    blocks: Blocks,
    groups: Groups,
    spec: NoiseSpec,
    *,
    partial: bool,
    folds: int | None = None,
) -> NoiseRun:
    points, notes = curve_points(values, groups.names, spec.levels, folds=folds)
    if partial:
        notes = (f"stopped after {len(values)} of {spec.repeats} repeats", *notes)
    replicates = Replicates(sums, blocks, groups.names, spec.levels)
    return NoiseRun(
        points, groups.names, groups.sizes, spec, len(values), len(groups.codes), partial, notes, replicates
    )
