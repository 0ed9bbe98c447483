"""Every metric in plain words, in the vocabulary of the field: its title, what it is a share of, and how its sentence goes.

Names are those of the metrics table; a metric that is not listed is shown by its bare name, as a number.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal


@dataclass(frozen=True, slots=True)
class Term:
    """One metric's words.

    ``title`` heads columns; ``meaning`` says what it is. ``kind``: "share" (percent), "coefficient" (its extremes mean something),
    "number" or "count". A sentence about a share has either a ``verb`` ("misses" 31 % of ``population``) or a ``predicate`` (31 %
    of ``population`` "are wrongly referred").
    """

    title: str
    meaning: str
    kind: Literal["share", "coefficient", "number", "count"]
    population: str = ""
    verb: str = ""
    predicate: str = ""


def those(units: str, word: str) -> str:
    """Rows of one kind: one word goes before the noun, several words follow it.

    Examples
    --------
    >>> those("patients", "ill"), those("defendants", "arrested again")
    ('ill patients', 'defendants that are arrested again')
    """
    return f"{units} that are {word}" if " " in word.strip() else f"{word} {units}"


@lru_cache(maxsize=8)
def terms(referred: str, ill: str, healthy: str, units: str, referral_rate: str) -> dict[str, Term]:
    """Metric name -> its words."""
    sick, well = those(units, ill), those(units, healthy)
    marked, unmarked = those(units, referred), f"{units} that are not {referred}"

    def share(title: str, of: str, state: str, *, predicate: str = "", verb: str = "") -> Term:
        among = f"all {units}" if of == units else of
        return Term(title, f"share {state} among {among}", "share", of, verb, predicate or f"are {state}")

    return {
        "accuracy": share("accuracy", units, "judged correctly", verb="judges correctly"),
        "balanced_accuracy": Term("balanced accuracy", "mean of sensitivity and specificity", "share"),
        "referral_rate": share(referral_rate, units, referred),
        "base_rate": share("base rate", units, ill),
        "tpr": share("sensitivity", sick, referred, verb="finds"),
        "fnr": share("miss rate", sick, f"not {referred}", verb="misses"),
        "tnr": share("specificity", well, f"not {referred}"),
        "fpr": share("false alarm rate", well, referred, predicate=f"are wrongly {referred}"),
        "ppv": share("positive predictive value", marked, ill),
        "fdr": share("false discovery rate", marked, healthy),
        "npv": share("negative predictive value", unmarked, healthy),
        "for": share("false omission rate", unmarked, ill),
        "f1": Term("F1", "harmonic mean of sensitivity and positive predictive value", "coefficient"),
        "mcc": Term("MCC", "correlation of prediction and label (Matthews), from −1 to 1", "coefficient"),
        "predicted_positives": Term(f"number {referred}", f"number of {marked}", "count"),
        "positive_likelihood_ratio": Term(
            "positive likelihood ratio", "sensitivity divided by the false alarm rate", "number"
        ),
        "negative_likelihood_ratio": Term(
            "negative likelihood ratio", "miss rate divided by the specificity", "number"
        ),
        "auc": Term(
            "AUC",
            f"how well scores tell {ill} from {healthy} (0.5: not at all, 1: always)",
            "coefficient",
        ),
        "brier": Term("Brier score", "mean squared distance of score and label", "coefficient"),
        "mean_score": Term("mean score", "mean of the scores", "number"),
        "calibration_intercept": Term(
            "calibration intercept", "0 when scores are right on average (log-odds)", "number"
        ),
        "calibration_slope": Term("calibration slope", "1 when scores are neither too extreme nor too timid", "number"),
        "expected_calibration_error": Term(
            "expected calibration error", "mean distance of score and observed share over bins", "coefficient"
        ),
    }


def joined(population: str, clause: str) -> str:
    """A population with one more relative clause.

    Examples
    --------
    >>> joined("ill patients", "whose sex is F"), joined("defendants that are arrested again", "whose sex is F")
    ('ill patients whose sex is F', 'defendants that are arrested again and whose sex is F')
    """
    return f"{population} and {clause}" if " that are " in population else f"{population} {clause}"
