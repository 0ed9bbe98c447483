"""The noise study's engine: what a seed decides, what it may not depend on, and what it reports."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import reporter.stats.noise_tiles as tiles
from reporter.data.processes import processes
from reporter.errors import InputError
from reporter.results import NoisePoint
from reporter.stats.agreement import agreement_from_counts
from reporter.stats.icc import icc
from reporter.stats.noise import NoiseRun, run_noise, run_noise_folds
from reporter.stats.noise_curves import STATISTICS
from reporter.stats.noise_findings import noise_findings
from reporter.stats.noise_spec import NoiseSpec, noise_spec
from reporter.stats.noise_tiles import Groups
from reporter.stats.stand_in import LogisticStandIn

RNG = np.random.default_rng(12)
N = 300
COLUMNS = {"x": RNG.normal(size=N), "k": RNG.integers(0, 9, size=N), "b": RNG.integers(0, 2, size=N)}
GROUPS = Groups(("x", "y", "z"), np.sort(RNG.integers(0, 3, size=N)))
DESIGN: dict[str, Any] = {"x": {"sd": 1}, "k": {"sd": 2, "round": True, "min": 0}, "b": "flip"}


class Linear:
    """Scores in (0, 1) of three columns; remembers its calls."""

    def __init__(self) -> None:
        self.calls: list[int] = []

    def __call__(self, rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        self.calls.append(len(rows))
        x, k, b = (changed.get(name, COLUMNS[name][rows]) for name in ("x", "k", "b"))
        return 1 / (1 + np.exp(-(x + 0.3 * (k - 4) + b - 0.5)))


def spec_of(**changes: Any) -> NoiseSpec:
    return noise_spec(changes.pop("perturb", DESIGN), **({"levels": [0, 0.1, 0.4], "repeats": 6, "seed": 3} | changes))


def found_at(run: NoiseRun, group: str, level: float, statistic: str) -> NoisePoint:
    (point,) = (p for p in run.points if (p.group, p.noise, p.statistic) == (group, level, statistic))
    return point


def test_statistics_are_those_of_the_two_predictions() -> None:
    kept: list[tuple[np.ndarray, np.ndarray]] = []

    class Kept(Linear):
        def __call__(self, rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
            scores = super().__call__(rows, changed)
            kept.append((rows, scores))
            return scores

    run = run_noise(Kept(), COLUMNS, GROUPS, spec_of(levels=[0.3], repeats=1))
    original, (rows, perturbed) = kept[0][1], kept[1]
    for code, group in enumerate(GROUPS.names):
        inside = GROUPS.codes[rows] == code
        r, s = original[rows[inside]], perturbed[inside]
        one, again = r >= 0.5, s >= 0.5
        counts = (np.sum(one & again), np.sum(~one & again), np.sum(one & ~again), np.sum(~one & ~again))
        expected = agreement_from_counts(*(int(count) for count in counts))
        assert found_at(run, group, 0.3, "kappa").mean == pytest.approx(expected.kappa, abs=1e-12)
        assert found_at(run, group, 0.3, "pabak").mean == pytest.approx(expected.pabak, abs=1e-12)
        assert found_at(run, group, 0.3, "bias_index").mean == pytest.approx(expected.bias_index, abs=1e-12)
        assert found_at(run, group, 0.3, "prevalence_index").mean == pytest.approx(expected.prevalence_index, abs=1e-12)
        assert found_at(run, group, 0.3, "icc_a1").mean == pytest.approx(icc(np.column_stack([r, s])).value, abs=1e-12)
        assert found_at(run, group, 0.3, "mean_score").mean == pytest.approx(s.mean(), abs=1e-12)
        assert found_at(run, group, 0.3, "referral_rate").mean == pytest.approx(again.mean(), abs=1e-12)


def test_without_noise_agreement_is_perfect_without_error() -> None:
    run = run_noise(Linear(), COLUMNS, GROUPS, spec_of())
    for group in GROUPS.names:
        for statistic in ("kappa", "pabak", "icc_a1"):
            assert found_at(run, group, 0.0, statistic) == NoisePoint(group, 0.0, statistic, 1.0, 0.0, 6)


def test_every_group_level_and_statistic_has_a_point_in_order() -> None:
    run = run_noise(Linear(), COLUMNS, GROUPS, spec_of())
    assert [(p.group, p.noise, p.statistic) for p in run.points] == [
        (group, level, statistic) for group in GROUPS.names for level in (0.0, 0.1, 0.4) for statistic in STATISTICS
    ]


def test_the_monte_carlo_error_is_that_of_the_mean() -> None:
    means = [
        found_at(run_noise(Linear(), COLUMNS, GROUPS, spec_of(seed=seed, repeats=10)), "x", 0.4, "kappa")
        for seed in range(40)
    ]
    spread = np.std([point.mean for point in means], ddof=1)
    assert np.mean([point.mc_error for point in means]) == pytest.approx(spread, rel=0.35)


def test_one_repeat_has_no_error() -> None:
    assert found_at(run_noise(Linear(), COLUMNS, GROUPS, spec_of(repeats=1)), "x", 0.4, "kappa").mc_error is None


@pytest.mark.parametrize("design", [{}, {"by_group": False}, {"exact_proportion": True}])
def test_batches_change_nothing(design: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = Linear(), Linear()
    expected = run_noise(few, COLUMNS, GROUPS, spec_of(**design))
    monkeypatch.setattr(tiles, "BATCH_ROWS", 500)
    assert run_noise(many, COLUMNS, GROUPS, spec_of(**design)).points == expected.points
    assert len(many.calls) > len(few.calls) == 2


@pytest.mark.parametrize("design", [{}, {"by_group": False}, {"exact_proportion": True}])
def test_workers_change_nothing(design: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    joblib = pytest.importorskip("joblib")
    monkeypatch.setattr(tiles, "BATCH_ROWS", 500)
    spec = spec_of(**design)
    fit = LogisticStandIn(COLUMNS, COLUMNS["b"], scale=["x"])
    scorer = fit(np.arange(N), None)
    with joblib.parallel_config(backend="threading"):
        assert run_noise(scorer, COLUMNS, GROUPS, spec, spread=processes(2)) == run_noise(scorer, COLUMNS, GROUPS, spec)
        assert run_noise_folds(fit, COLUMNS, GROUPS, spec, spread=processes(2)) == run_noise_folds(
            fit, COLUMNS, GROUPS, spec
        )


def test_processes_change_nothing() -> None:
    pytest.importorskip("joblib")
    fit = LogisticStandIn(COLUMNS, COLUMNS["b"], scale=["x"])
    spec = spec_of(repeats=2)
    assert run_noise_folds(fit, COLUMNS, GROUPS, spec, spread=processes(2)) == run_noise_folds(
        fit, COLUMNS, GROUPS, spec
    )


def test_a_large_group_is_drawn_in_pieces_with_its_exact_share(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "TILE_ROWS", 90)
    seen = []

    def count(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        values = changed.get("b")
        if values is not None:
            seen.append((len(rows), int(values.sum())))
        return np.linspace(0, 1, len(rows))

    columns = {"b": np.zeros(N, int)}
    run_noise(
        count, columns, Groups(("all",), np.zeros(N, np.int64)), spec_of(perturb={"b": "flip"}, exact_proportion=True)
    )
    (call,) = seen
    assert call == (6 * 3 * N, 6 * (0 + 30 + 120))


def test_drawn_within_groups_a_group_does_not_depend_on_the_others() -> None:
    keep = GROUPS.codes == 0
    columns = {name: values[keep] for name, values in COLUMNS.items()}

    def alone(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        x, k, b = (changed.get(name, columns[name][rows]) for name in ("x", "k", "b"))
        return 1 / (1 + np.exp(-(x + 0.3 * (k - 4) + b - 0.5)))

    one = run_noise(alone, columns, Groups(("x",), GROUPS.codes[keep]), spec_of())
    every = run_noise(Linear(), COLUMNS, GROUPS, spec_of())
    assert one.points == tuple(point for point in every.points if point.group == "x")


def test_common_draws_perturb_the_same_rows_whatever_the_groups() -> None:
    whole = Groups(("all",), np.zeros(N, np.int64))
    spec = spec_of(by_group=False, levels=[0.3], repeats=4)
    split, together = run_noise(Linear(), COLUMNS, GROUPS, spec), run_noise(Linear(), COLUMNS, whole, spec)
    weighted = sum(
        size * (found_at(split, group, 0.3, "mean_score").mean or 0)
        for group, size in zip(GROUPS.names, GROUPS.sizes, strict=True)
    )
    assert weighted / N == pytest.approx(found_at(together, "all", 0.3, "mean_score").mean, abs=1e-12)


def test_another_seed_gives_other_draws() -> None:
    assert (
        run_noise(Linear(), COLUMNS, GROUPS, spec_of(seed=1)).points
        != run_noise(Linear(), COLUMNS, GROUPS, spec_of(seed=2)).points
    )


def test_a_constant_prediction_leaves_kappa_undefined_and_says_so() -> None:
    def constant(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        return np.full(len(rows), 0.1)

    run = run_noise(constant, COLUMNS, GROUPS, spec_of())
    assert found_at(run, "x", 0.1, "kappa") == NoisePoint("x", 0.1, "kappa", None, None, 0)
    assert found_at(run, "x", 0.1, "icc_a1").mean is None
    assert found_at(run, "x", 0.1, "pabak").mean == 1
    together = "kappa, prevalence_adjusted_kappa, bias_adjusted_kappa, icc_a1"
    assert f"{together} of x: undefined in every repeat at 3 noise levels" in run.notes


def test_a_note_says_in_how_many_repeats_a_statistic_is_undefined() -> None:
    columns = {"x": np.linspace(-3, -0.3, 60)}

    def seldom(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        return 1 / (1 + np.exp(-changed.get("x", columns["x"][rows])))

    spec = noise_spec({"x": {"sd": 2}}, levels=[0.02, 0.05], repeats=50)
    run = run_noise(seldom, columns, Groups(("x", "y"), np.arange(60) % 2), spec)
    points = [found_at(run, "x", level, "kappa").repeats for level in spec.levels]
    assert all(0 < repeats < 50 for repeats in points)
    assert found_at(run, "x", 0.02, "pabak").repeats == 50
    low, high = sorted(50 - repeats for repeats in points)
    assert run.notes[0] == (
        f"kappa, prevalence_adjusted_kappa, bias_adjusted_kappa of x: undefined in {low} to {high} of 50 repeats at 2 noise levels; "
        "means are of the other repeats, and no finding uses these levels"
    )
    found = noise_findings(run.points, run.replicates)
    assert "kappa" not in [one.statistic for one in found.statistics]
    assert all((one.correction, one.prevalence_part, one.bias_part) == (None, None, None) for one in found.groups)


def test_one_undefined_fold_leaves_the_repeat_out_and_the_note_says_so() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=200)
    label = (x + rng.normal(size=200) > 0).astype(int)
    groups = Groups(("big", "small"), (np.arange(200) >= 180).astype(np.int64))
    spec = noise_spec({"x": {"sd": 1}}, levels=[0.2], repeats=10)
    run = run_noise_folds(LogisticStandIn({"x": x}, label, scale=["x"]), {"x": x}, groups, spec)
    kappa = found_at(run, "small", 0.2, "kappa").repeats
    assert kappa < 10
    assert any(f"undefined in {10 - kappa} of 10 repeats (in one of their 5 folds or more)" in one for one in run.notes)


def test_an_empty_group_is_undefined_everywhere() -> None:
    run = run_noise(Linear(), COLUMNS, Groups(("x", "y", "z", "none"), GROUPS.codes), spec_of())
    assert run.group_sizes[3] == 0
    assert all(point.mean is None for point in run.points if point.group == "none")


def test_progress_counts_predicted_rows_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "BATCH_ROWS", 2000)
    seen: list[tuple[int, int]] = []
    run_noise(Linear(), COLUMNS, GROUPS, spec_of(), progress=lambda done, all_: seen.append((done, all_)))
    assert seen[-1] == (6 * 3 * N, 6 * 3 * N)
    assert [done for done, _ in seen] == sorted({done for done, _ in seen})
    assert len(seen) >= 2


def test_an_interrupted_run_reports_the_finished_repeats_as_partial(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tiles, "BATCH_ROWS", 3 * N)

    class Stopped(Linear):
        def __call__(self, rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
            if len(self.calls) == 4:
                raise KeyboardInterrupt
            return super().__call__(rows, changed)

    run = run_noise(Stopped(), COLUMNS, GROUPS, spec_of())
    assert (run.partial, run.repeats) == (True, 3)
    assert run.notes[0] == "stopped after 3 of 6 repeats"
    assert run.points == run_noise(Linear(), COLUMNS, GROUPS, spec_of(repeats=3)).points


def test_an_interruption_before_any_repeat_passes_through() -> None:
    def stop(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        if changed:
            raise KeyboardInterrupt
        return np.zeros(len(rows))

    with pytest.raises(KeyboardInterrupt):
        run_noise(stop, COLUMNS, GROUPS, spec_of())


def test_an_interrupted_run_over_folds_is_partial() -> None:
    fit = LogisticStandIn(COLUMNS, COLUMNS["b"], scale=["x"])

    def stop(done: int, every: int) -> None:
        if done == every // 3:
            raise KeyboardInterrupt

    run = run_noise_folds(fit, COLUMNS, GROUPS, spec_of(), progress=stop)
    assert (run.partial, run.repeats) == (True, 2)


def test_folds_must_fit_the_rows() -> None:
    fit = LogisticStandIn(COLUMNS, COLUMNS["b"])
    with pytest.raises(InputError, match="folds: found 301, expected 2 to 300"):
        run_noise_folds(fit, COLUMNS, GROUPS, spec_of(), folds=301)


def test_each_repeat_splits_the_rows_into_new_folds_that_cover_them() -> None:
    seen: list[np.ndarray] = []
    fit = LogisticStandIn(COLUMNS, COLUMNS["b"])

    def spy(train: np.ndarray, start: object) -> Any:
        seen.append(np.setdiff1d(np.arange(N), train))
        return fit(train, start)

    run_noise_folds(spy, COLUMNS, GROUPS, spec_of(repeats=2), folds=3)
    assert np.array_equal(np.sort(np.concatenate(seen[:3])), np.arange(N))
    assert np.array_equal(np.sort(np.concatenate(seen[3:])), np.arange(N))
    assert not np.array_equal(seen[0], seen[3])


def test_repeating_every_row_keeps_the_curves_up_to_monte_carlo_error() -> None:
    twice = np.tile(np.arange(N), 2)
    columns = {name: values[twice] for name, values in COLUMNS.items()}

    def scorer(rows: np.ndarray, changed: Mapping[str, np.ndarray]) -> np.ndarray:
        x, k, b = (changed.get(name, columns[name][rows]) for name in ("x", "k", "b"))
        return 1 / (1 + np.exp(-(x + 0.3 * (k - 4) + b - 0.5)))

    one = run_noise(Linear(), COLUMNS, GROUPS, spec_of(repeats=40))
    two = run_noise(scorer, columns, Groups(GROUPS.names, GROUPS.codes[twice]), spec_of(repeats=40))
    for here, there in zip(one.points, two.points, strict=True):
        error = math.hypot(here.mc_error or 0, there.mc_error or 0)
        # The means of a statistic of n and of 2n rows differ by its bias of order 1/n.
        assert (here.mean or 0) == pytest.approx(there.mean or 0, abs=4.5 * error + 0.01)
