"""Speed of the noise study, and the published claims at 100 repeats.

    REPORTER_DATA=... python tests/benchmarks/noise_speed.py

Prints CPU seconds and ratios, and ends with 1 if a bound is missed: the full published sweep (31 levels x 3 sds x 5 folds) at 100
repeats within 25 CPU seconds; one repeat at least 300 times less CPU than the published implementation, which took about
1,000 CPU seconds; a 200-tree random forest at most 1.3 times the CPU of its bare predict calls on as many rows.
"""

from __future__ import annotations

import csv
import math
import os
import sys
import time
from pathlib import Path

import pandas as pd

import reporter
from reporter.api.noise import NoiseStudy

PUBLISHED_CPU_SECONDS = 1000.0
NUMERIC = ["age", "juv_fel_count", "juv_misd_count", "juv_other_count", "priors_count"]
BINARY = ["sex", "c_charge_degree_F", "c_charge_degree_M"]
REFERENCE = Path(__file__).parents[1] / "reference" / "agreement" / "monte_carlo_reference.csv"


def sweep(data: pd.DataFrame, repeats: int) -> dict[int, NoiseStudy]:
    """The published study for sd 1, 5 and 10."""
    inputs = [name for name in data if name != "two_year_recid"]
    return {
        sd: reporter.noise_study_cv(
            data,
            "two_year_recid",
            inputs,
            "race",
            perturb={name: {"sd": sd, "round": True} for name in NUMERIC} | dict.fromkeys(BINARY, "flip"),
            levels={"from": 0, "to": 0.3, "step": 0.01},
            repeats=repeats,
            seed=1,
        )
        for sd in (1, 5, 10)
    }


def claims(studies: dict[int, NoiseStudy]) -> dict[str, bool]:
    """The four published claims, over the 30 levels above 0."""
    found = {sd: {f.statistic: f for f in study.findings.statistics} for sd, study in studies.items()}
    parts = {sd: study.findings for sd, study in studies.items()}
    return {
        "PABAK is lower in group 0 at every level": all(
            (f["pabak"].lower, f["pabak"].levels_lower) == ("0", 30) for f in found.values()
        ),
        "ICC(A,1) is lower in group 1 at every level": all(
            (f["icc_a1"].lower, f["icc_a1"].levels_lower) == ("1", 30) for f in found.values()
        ),
        "kappa has no systematic gap at sd 1, and is lower in group 1 at every level at sd 5 and 10": (
            not found[1]["kappa"].systematic
            and all((found[sd]["kappa"].lower, found[sd]["kappa"].levels_lower) == ("1", 30) for sd in (5, 10))
        ),
        "the prevalence part explains PABAK - kappa, mostly in group 1": all(
            (f.main_part, f.most_corrected) == ("prevalence", "1") for f in parts.values()
        ),
    }


def largest_deviation(studies: dict[int, NoiseStudy]) -> float:
    """The largest distance of a point from the independent reference, in Monte-Carlo errors of both."""
    points = {(sd, p.noise, p.group, p.statistic): p for sd, study in studies.items() for p in study.points}
    largest = 0.0
    with REFERENCE.open() as file:
        for row in csv.DictReader(file):
            point = points[int(row["noise_sd"]), float(row["noise_p"]), row["group"], row["statistic"]]
            error = math.hypot(point.mc_error, float(row["mc_sd_single_run"]) / math.sqrt(int(row["reps"])))
            if error > 1e-12:
                largest = max(largest, abs(point.mean - float(row["mc_mean"])) / error)
    return largest


def forest_ratio(data: pd.DataFrame) -> tuple[float, float]:
    """CPU seconds of a study with a 200-tree random forest, and of its bare predict calls on as many rows."""
    from sklearn.ensemble import RandomForestClassifier

    inputs = data.drop(columns="two_year_recid")
    forest = RandomForestClassifier(200, random_state=0, n_jobs=1).fit(inputs, data["two_year_recid"])
    levels, repeats = [0, 0.1, 0.2, 0.3], 5
    start = time.process_time()
    reporter.noise_study(
        lambda frame: forest.predict_proba(frame)[:, 1],
        inputs,
        "race",
        perturb={name: {"sd": 5, "round": True} for name in NUMERIC} | dict.fromkeys(BINARY, "flip"),
        levels=levels,
        repeats=repeats,
    )
    study = time.process_time() - start
    rows = pd.concat([inputs] * (len(levels) * repeats), ignore_index=True)
    start = time.process_time()
    forest.predict_proba(rows)
    return study, time.process_time() - start


def main() -> int:
    """Run everything; 1 if a bound is missed."""
    data = pd.read_csv(Path(os.environ["REPORTER_DATA"]) / "data" / "compas_friedler.csv")
    start = time.process_time()
    sweep(data, 1)
    one = time.process_time() - start
    start = time.process_time()
    studies = sweep(data, 100)
    hundred = time.process_time() - start
    study, bare = forest_ratio(data)
    deviation = largest_deviation(studies)
    print(f"one repeat           {one:7.2f} CPU s   {PUBLISHED_CPU_SECONDS / one:5.0f} times less than published")
    print(f"100 repeats          {hundred:7.2f} CPU s   bound 25")
    print(f"random forest        {study:7.2f} CPU s   {study / bare:5.2f} times its predict calls, bound 1.3")
    print(f"largest deviation    {deviation:7.2f} Monte-Carlo errors, bound 4")
    held = claims(studies)
    for claim, holds in held.items():
        print(f"{'holds' if holds else 'FAILS'}  {claim}")
    met = PUBLISHED_CPU_SECONDS / one >= 300 and hundred <= 25 and study / bare <= 1.3 and deviation <= 4
    return 0 if met and all(held.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
