"""Chance in who belongs to a group: blocks of rows, and what leaving them out tells."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from reporter.stats.noise import NoiseRun, run_noise, run_noise_folds
from reporter.stats.noise_blocks import N_BLOCKS, Blocks
from reporter.stats.noise_findings import noise_findings
from reporter.stats.noise_spec import noise_spec
from reporter.stats.noise_tiles import Groups, Scorer
from reporter.stats.stand_in import LogisticStandIn

LEVELS = [0, 0.1, 0.3]


def scorer_of(x: np.ndarray) -> Scorer:
    def scorer(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.asarray(1 / (1 + np.exp(-changed.get("x", x[rows]))))

    return scorer


def study(x: np.ndarray, codes: np.ndarray, **changes: Any) -> NoiseRun:
    names = tuple("abcdefgh"[: codes.max() + 1])
    spec = noise_spec({"x": {"sd": 1}}, **({"levels": LEVELS, "repeats": 8} | changes))
    return run_noise(scorer_of(x), {"x": x}, Groups(names, codes), spec)


def error(run: NoiseRun, group: str, statistic: str) -> float:
    assert run.replicates is not None
    found = run.replicates.error(group, statistic, (0.1, 0.3))
    assert found is not None
    return found


def test_blocks_lie_within_groups_and_are_of_equal_size() -> None:
    codes = np.array([1] * 130 + [0] * 7 + [2] * 0 + [3] * 50)
    blocks = Blocks.drawn(codes, 4, seed=1)
    assert blocks.starts.tolist() == [0, 7, 57, 57, 107]
    for group in (0, 1, 3):
        inside = blocks.of_row[codes == group]
        counts = np.bincount(inside - blocks.starts[group])
        assert len(counts) == min(N_BLOCKS, (codes == group).sum())
        assert counts.max() - counts.min() <= 1
    assert not np.array_equal(blocks.of_row, Blocks.drawn(codes, 4, seed=2).of_row)


def test_the_error_of_a_share_is_that_of_its_rows() -> None:
    """At level 0 every row stays as it is, so that the referral rate is a plain share."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    run = study(x, np.zeros(50, np.int64), repeats=1)
    assert run.replicates is not None
    share = float((x >= 0).mean())
    expected = math.sqrt(share * (1 - share) / 49)
    assert run.replicates.error("a", "referral_rate", (0.0,)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("statistic", ["kappa", "pabak", "icc_a1"])
def test_the_error_is_how_far_the_statistic_moves_over_fresh_rows(statistic: str) -> None:
    rng = np.random.default_rng(3)
    values, errors = [], []
    for _ in range(60):
        run = study(rng.normal(size=300), np.zeros(300, np.int64), repeats=6, seed=int(rng.integers(2**31)))
        means = [point.mean for point in run.points if point.statistic == statistic and point.noise > 0]
        values.append(sum(mean or 0.0 for mean in means) / len(means))
        errors.append(error(run, "a", statistic))
    # 60 draws know a standard deviation to 9 %.
    assert np.std(values, ddof=1) == pytest.approx(math.sqrt(np.mean(np.square(errors))), rel=0.28)


def test_a_group_put_together_by_lot_is_seldom_called_systematic() -> None:
    rng = np.random.default_rng(5)
    x = rng.normal(size=600)
    called = noise_alone = 0
    for seed in range(40):
        codes = rng.permutation(np.repeat([0, 1], [150, 450]))
        run = study(x, codes, repeats=25, seed=seed)
        called += any(one.systematic for one in noise_findings(run.points, run.replicates).statistics)
        noise_alone += any(one.systematic for one in noise_findings(run.points).statistics)
    assert called <= 5
    assert noise_alone >= 12


def test_groups_that_differ_are_called_systematic() -> None:
    rng = np.random.default_rng(6)
    x = np.concatenate([rng.normal(0, 0.5, 400), rng.normal(0, 3, 400)])
    run = study(x, np.repeat([0, 1], 400), repeats=10)
    found = {one.statistic: one for one in noise_findings(run.points, run.replicates).statistics}
    for one in found.values():
        assert (one.lower, one.systematic) == ("a", True)
        assert one.p_adjusted is not None
        assert one.p_adjusted < 0.001
        assert one.sampling_error is not None
        assert one.sampling_error > 0


def test_of_one_row_nothing_is_known_and_nothing_called() -> None:
    run = study(np.array([0.1, *np.linspace(-2, 2, 40)]), np.array([0] + [1] * 40))
    assert run.replicates is not None
    assert run.replicates.error("a", "pabak", (0.1, 0.3)) is None
    for one in noise_findings(run.points, run.replicates).statistics:
        assert (one.sampling_error, one.p_adjusted, one.systematic) == (None, None, False)


def test_an_offset_of_the_scores_does_not_move_the_error_of_the_icc() -> None:
    rng = np.random.default_rng(7)
    x = rng.normal(size=200)
    spec = noise_spec({"x": {"sd": 1}}, levels=LEVELS, repeats=4, threshold=0)
    errors = []
    for offset in (0.0, 1e6):

        def scorer(rows: np.ndarray, changed: Mapping[str, np.ndarray], offset: float = offset) -> np.ndarray:
            return changed.get("x", x[rows]) + offset

        run = run_noise(scorer, {"x": x}, Groups(("a",), np.zeros(200, np.int64)), spec)
        errors.append(error(run, "a", "icc_a1"))
    assert errors[0] == pytest.approx(errors[1], rel=1e-6)


def test_the_published_design_has_errors_of_the_same_size() -> None:
    rng = np.random.default_rng(8)
    x = rng.normal(size=400)
    label = (x + rng.normal(size=400) > 0).astype(int)
    spec = noise_spec({"x": {"sd": 1}}, levels=LEVELS, repeats=6)
    groups = Groups(("a",), np.zeros(400, np.int64))
    run = run_noise_folds(LogisticStandIn({"x": x}, label, scale=["x"]), {"x": x}, groups, spec)
    alone = study(x, groups.codes)
    for statistic in ("kappa", "pabak", "icc_a1"):
        assert error(run, "a", statistic) == pytest.approx(error(alone, "a", statistic), rel=0.5)


def test_an_interrupted_study_goes_by_its_finished_repeats(monkeypatch: pytest.MonkeyPatch) -> None:
    import reporter.stats.noise_tiles as tiles

    monkeypatch.setattr(tiles, "BATCH_ROWS", 3 * 50)
    x = np.random.default_rng(9).normal(size=100)
    codes = np.repeat([0, 1], 50)
    plain, calls = scorer_of(x), 0

    def stopped(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        nonlocal calls
        calls += 1
        if calls == 7:
            raise KeyboardInterrupt
        return plain(rows, changed)

    spec = noise_spec({"x": {"sd": 1}}, levels=LEVELS, repeats=6)
    run = run_noise(stopped, {"x": x}, Groups(("a", "b"), codes), spec)
    assert run.partial
    whole = study(x, codes, repeats=run.repeats)
    for group in ("a", "b"):
        assert error(run, group, "pabak") == error(whole, group, "pabak")
