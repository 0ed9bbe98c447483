"""Make ``lending.csv``: the UCI Adult census rows with the scores of two random forests.

*Small* sees sex, age, workclass and years of education; *Full* also race and marital status. Every score is out of fold: the
forest that gives it was fitted on the other four fifths of the rows. Needs scikit-learn (``pip install
'model-card-reporter[examples]'``); about half a minute on two cores. Equal versions of scikit-learn give equal files.

    python configs/data/make_lending.py [FILE]

The census file comes from the folder that REPORTER_DATA names (or ``data/`` below it), else from its public address.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pandas as pd
import pooch
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_predict

ADULT = (
    "https://raw.githubusercontent.com/algofairness/fairness-comparison/"
    "80b34d25bb9b0387691c6cb8651f0e40edd262c8/fairness/data/raw/adult.csv"
)
ADULT_SHA256 = "c30ce1e55a965b04950321870db74c19f4aa437120a692f32e72f6a4fa31c418"

SEED = 20170701
SMALL = ["sex", "age", "workclass", "education_years"]
FULL = [*SMALL, "race", "marital_status"]
KEPT = ["id", "age", "workclass", "education", "education_years", "marital_status", "race", "sex", "income"]


def adult_file() -> Path:
    """The census file, its sha256 checked."""
    folder = os.environ.get("REPORTER_DATA")
    for candidate in (Path(folder, "adult.csv"), Path(folder, "data", "adult.csv")) if folder else ():
        if candidate.is_file():
            if pooch.file_hash(str(candidate)) != ADULT_SHA256:
                sys.exit(f"{candidate} is not the published file: its sha256 should be {ADULT_SHA256}")
            return candidate
    return Path(pooch.retrieve(ADULT, known_hash=f"sha256:{ADULT_SHA256}"))


def lending_table(adult: Path) -> pd.DataFrame:
    """The rows of the census file with ``score_small`` and ``score_full``, the estimated probability of an income over $50K."""
    rows = pd.read_csv(adult, dtype=str, keep_default_na=False).rename(
        columns={
            "education-num": "education_years",
            "marital-status": "marital_status",
            "income-per-year": "income",
        }
    )
    rows.insert(0, "id", range(1, len(rows) + 1))
    for column in ("age", "education_years"):
        rows[column] = rows[column].astype(int)
    table = rows[KEPT].copy()
    for name, inputs in (("score_small", SMALL), ("score_full", FULL)):
        table[name] = out_of_fold_scores(rows[inputs], rows["income"] == ">50K").round(6)
    return table


def out_of_fold_scores(inputs: pd.DataFrame, label: pd.Series) -> pd.Series:
    """The score of each row by a forest that did not see it; words become one 0/1 column a value."""
    forest = RandomForestClassifier(n_estimators=200, min_samples_leaf=5, random_state=SEED, n_jobs=-1)
    folds = StratifiedKFold(n_splits=5, shuffle=True, random_state=SEED)
    scores = cross_val_predict(forest, pd.get_dummies(inputs), label, cv=folds, method="predict_proba")
    return pd.Series(scores[:, 1], index=inputs.index)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("lending.csv")
    lending_table(adult_file()).to_csv(target, index=False, lineterminator="\n")
