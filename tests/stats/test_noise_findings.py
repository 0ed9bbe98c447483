"""The facts behind a noise study's sentences."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reporter.results import NoiseFindings, NoisePoint
from reporter.stats.noise_findings import noise_findings

LEVELS = (0.0, 0.1, 0.2, 0.3)


def curves(**by_statistic: dict[str, tuple[float | None, ...]]) -> list[NoisePoint]:
    return [
        NoisePoint(group, level, statistic, mean, None if mean is None else 0.001, 20)
        for statistic, groups in by_statistic.items()
        for group, means in groups.items()
        for level, mean in zip(LEVELS, means, strict=True)
    ]


PUBLISHED = curves(
    kappa={"0": (1.0, 0.80, 0.70, 0.60), "1": (1.0, 0.77, 0.66, 0.55)},
    pabak={"0": (1.0, 0.81, 0.71, 0.61), "1": (1.0, 0.86, 0.77, 0.68)},
    icc_a1={"0": (1.0, 0.90, 0.80, 0.70), "1": (1.0, 0.88, 0.77, 0.66)},
    prevalence_adjusted_kappa={"0": (1.0, 0.812, 0.713, 0.614), "1": (1.0, 0.861, 0.772, 0.683)},
    bias_adjusted_kappa={"0": (1.0, 0.798, 0.697, 0.596), "1": (1.0, 0.769, 0.658, 0.547)},
    mean_score={"0": (0.49, 0.49, 0.48, 0.47), "1": (0.36, 0.37, 0.38, 0.39)},
    referral_rate={"0": (0.47, 0.47, 0.46, 0.46), "1": (0.25, 0.26, 0.27, 0.28)},
)


def test_each_statistic_names_the_group_it_puts_at_a_disadvantage() -> None:
    found = {finding.statistic: finding for finding in noise_findings(PUBLISHED).statistics}
    assert {name: (one.lower, one.higher) for name, one in found.items()} == {
        "kappa": ("1", "0"),
        "pabak": ("0", "1"),
        "icc_a1": ("1", "0"),
    }
    kappa = found["kappa"]
    assert (kappa.levels, kappa.levels_lower, kappa.share, kappa.systematic) == (3, 3, 1.0, True)
    assert kappa.mean_gap == pytest.approx(0.04)
    assert (kappa.largest_gap, kappa.largest_at) == (pytest.approx(0.05), 0.3)


def test_statistics_that_disagree_in_sign_are_contradictions() -> None:
    assert noise_findings(PUBLISHED).contradictions == (("kappa", "pabak"), ("pabak", "icc_a1"))


def test_the_correction_is_split_and_the_part_that_differs_most_is_named() -> None:
    found = noise_findings(PUBLISHED)
    one = {group.group: group for group in found.groups}["1"]
    assert one.correction == pytest.approx(0.11)
    assert one.prevalence_part == pytest.approx(0.112, abs=1e-12)
    assert one.bias_part == pytest.approx(-0.002, abs=1e-12)
    assert (found.main_part, found.most_corrected) == ("prevalence", "1")
    assert (one.mean_score_first, one.mean_score_last) == (0.36, 0.39)
    assert (one.referral_rate_first, one.referral_rate_last) == (0.25, 0.28)


def test_a_gap_that_changes_sign_is_not_systematic() -> None:
    found = noise_findings(curves(kappa={"0": (1.0, 0.80, 0.70, 0.60), "1": (1.0, 0.79, 0.71, 0.595)})).statistics[0]
    assert (found.levels_lower, found.systematic) == (2, False)


def test_a_gap_within_its_monte_carlo_error_is_not_systematic() -> None:
    points = [
        NoisePoint(group, level, "kappa", mean, 0.02, 5)
        for group, means in {"0": (0.80, 0.70), "1": (0.79, 0.69)}.items()
        for level, mean in zip((0.1, 0.2), means, strict=True)
    ]
    found = noise_findings(points).statistics[0]
    assert (found.share, found.systematic) == (1.0, False)


def test_undefined_levels_do_not_count() -> None:
    found = noise_findings(curves(kappa={"0": (1.0, None, 0.70, 0.60), "1": (1.0, 0.7, 0.66, 0.55)})).statistics[0]
    assert found.levels == 2


def test_a_level_counts_only_where_every_repeat_is_defined() -> None:
    points = curves(
        kappa={"0": (1.0, 0.80, 0.70, 0.60), "1": (1.0, 0.10, 0.66, 0.55)},
        pabak={"0": (1.0, 0.81, 0.71, 0.61), "1": (1.0, 0.86, 0.77, 0.68)},
        prevalence_adjusted_kappa={"0": (1.0, 0.812, 0.713, 0.614), "1": (1.0, 0.2, 0.772, 0.683)},
        bias_adjusted_kappa={"0": (1.0, 0.798, 0.697, 0.596), "1": (1.0, 0.0, 0.658, 0.547)},
    )
    few = [
        replace(point, repeats=4) if (point.group, point.noise) == ("1", 0.1) and point.statistic != "pabak" else point
        for point in points
    ]
    found = noise_findings(few)
    kappa, pabak = found.statistics
    assert (kappa.levels, kappa.mean_gap) == (2, pytest.approx(0.045))
    assert pabak.levels == 3
    one = {group.group: group for group in found.groups}["1"]
    assert one.correction == pytest.approx((0.77 + 0.68 - 0.66 - 0.55) / 2)
    assert one.correction == pytest.approx((one.prevalence_part or 0) + (one.bias_part or 0))


def test_groups_are_compared_over_the_levels_that_both_have() -> None:
    """Of "c" only the highest level is known: too few to hold it against the others, whose means rest on all levels."""
    points = curves(
        pabak={"a": (1, 0.9, 0.8, 0.7), "b": (1, 0.8, 0.7, 0.6), "c": (1, None, None, 0.1), "d": (1, None, 0.9, 0.8)}
    )
    found = noise_findings(points).statistics[0]
    assert (found.lower, found.higher, found.levels, found.mean_gap) == ("b", "d", 2, pytest.approx(0.2))


def test_more_than_two_groups_compare_the_lowest_with_the_highest() -> None:
    points = curves(pabak={"a": (1, 0.9, 0.8, 0.7), "b": (1, 0.8, 0.7, 0.6), "c": (1, 0.95, 0.85, 0.75)})
    found = noise_findings(points).statistics[0]
    assert (found.lower, found.higher) == ("b", "c")


def test_one_group_or_no_noise_has_no_finding() -> None:
    assert noise_findings([]) == NoiseFindings()
    assert noise_findings(curves(kappa={"0": (1.0, 0.8, 0.7, 0.6)})).statistics == ()
    only_zero = [NoisePoint(group, 0.0, "kappa", 1.0, 0.0, 5) for group in ("0", "1")]
    assert noise_findings(only_zero).statistics == ()
