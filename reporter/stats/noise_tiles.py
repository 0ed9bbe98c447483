"""The pieces of a noise study: rows whose perturbations are drawn together, predicted together, and summed up per group.

Knows numpy columns and a scorer. A piece (tile) is defined by the rows, the levels and the constants below, never by what is convenient to
predict in one call, so that a seed means the same draws however the work is divided.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from reporter.stats.cells import Floats, Ints
from reporter.stats.noise_blocks import Blocks, BlockSums
from reporter.stats.noise_curves import repeat_statistics
from reporter.stats.noise_spec import NoiseSpec
from reporter.stats.perturbation import Column, Perturber

TILE_ROWS = 131_072
"""Predicted rows (rows x levels) whose perturbations are drawn together; part of what a seed means."""

BATCH_ROWS = 131_072
"""About so many rows are predicted in one call."""


class Scorer(Protocol):
    """Scores of rows, some of whose inputs have changed.

    ``rows`` are positions in the study's columns, ``changed`` holds the perturbed columns at these positions. Returns as many finite
    scores. A scorer that works in processes must be picklable.
    """

    def __call__(self, rows: NDArray[np.intp], changed: Mapping[str, Column]) -> Floats: ...


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Which group each row belongs to: ``codes`` of shape (n,), positions in ``names``."""

    names: tuple[str, ...]
    codes: Ints

    @property
    def sizes(self) -> tuple[int, ...]:
        """Rows of each group."""
        return tuple(int(size) for size in np.bincount(self.codes, minlength=len(self.names)))


@dataclass(frozen=True, slots=True, eq=False)
class Tile:
    """Rows of one repeat whose perturbations are drawn together, at all levels, and the groups that occur among them."""

    repeat: int
    rows: NDArray[np.intp]
    groups: NDArray[np.intp]
    key: tuple[int, ...]
    quota: Ints | None


@dataclass(frozen=True, slots=True, eq=False)
class TileSums:
    """The sums of a tile: ``by_group`` (levels, the tile's groups, N_SUMS), and ``by_block`` the same for ``blocks`` of these groups."""

    by_group: Floats
    blocks: Ints
    by_block: Floats


class Part:
    """Rows that one scorer predicts, with what is known of their original scores (arrays over all of the study's rows).

    ``blocks``: the block of its group that each of the study's rows belongs to.
    """

    def __init__(
        self,
        scorer: Scorer,
        perturber: Perturber,
        spec: NoiseSpec,
        groups: Groups,
        blocks: Blocks,
        rows: NDArray[np.intp],
        fold: int,
    ) -> None:
        self.scorer, self.perturber, self.spec, self.groups, self.blocks = scorer, perturber, spec, groups, blocks
        self.rows, self.fold = rows, fold
        self.codes = groups.codes[rows]
        scores = original_scores(scorer, rows)
        self.means = _group_means(scores, self.codes, len(groups.names))
        self.original = np.full(len(groups.codes), np.nan)
        self.original[rows] = scores
        self.centred = self.original - self.means[groups.codes]
        self.predicted = self._predicts_one(self.original)

    def tiles(self, repeats: Iterable[int]) -> Iterator[Tile]:
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
                    yield Tile(repeat, chunk, present.astype(np.intp), key, quotas[number] if quotas else None)

    def measure(self, tiles: Sequence[Tile]) -> list[TileSums]:
        """The sums of each tile; all tiles are predicted in one call."""
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

    def no_sums(self) -> BlockSums:
        """The sums of the original scores by block, without any perturbed ones."""
        sums = BlockSums.empty(len(self.spec.levels), self.blocks.n)
        at, centred = self.blocks.of_row[self.rows], self.centred[self.rows]
        for place, values in enumerate((None, self.predicted[self.rows], centred, centred**2)):
            sums.originals[:, place] = np.bincount(at, weights=values, minlength=self.blocks.n)
        return sums

    def _sums(self, tile: Tile, scores: Floats) -> TileSums:
        # Rows block by block, and so group by group.
        at = self.blocks.of_row[tile.rows]
        order = np.argsort(at, kind="stable")
        rows, scores = tile.rows[order], scores.reshape(len(self.spec.levels), -1)[:, order]
        blocks, starts = np.unique(at[order], return_index=True)
        change = scores - self.original[rows]
        again = self._predicts_one(scores)
        parts = (again, again & self.predicted[rows], change, change * change, change * self.centred[rows])
        by_block = np.stack([np.add.reduceat(part, starts, axis=1, dtype=np.float64) for part in parts], axis=2)
        first = np.searchsorted(blocks, self.blocks.starts[tile.groups])
        return TileSums(np.add.reduceat(by_block, first, axis=1), blocks, by_block)

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


def original_scores(scorer: Scorer, rows: NDArray[np.intp]) -> Floats:
    batches = [scorer(rows[start : start + BATCH_ROWS], {}) for start in range(0, len(rows), BATCH_ROWS)]
    return np.concatenate(batches) if batches else np.empty(0)


def batches(tiles: Iterable[Tile], n_levels: int) -> Iterator[list[Tile]]:
    """Tiles in a row that are predicted together; a tile is never cut."""
    batch: list[Tile] = []
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
