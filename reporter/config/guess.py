"""A first config guessed from a file's columns: which is the label, the score, the prediction, the groups.

Guesses by names and values of the first rows. What cannot be guessed is marked FILL IN; nothing is guessed silently.
``guess_text.py`` writes it down.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from reporter.config.guess_text import write_guess
from reporter.config.sample import Sample, read_sample


def guess_config(source: str) -> str:
    """The text of a first config for the table in the file ``source``, with comments.

    It loads as it is, unless the table has no column that looks like scores or predictions: then that place holds FILL IN.

    Raises ConfigError when there is no such file and DataError when it holds no table.
    """
    return write_guess(source, guess_roles(read_sample(source)))


@dataclass(frozen=True)
class Column:
    """A column of the sample: how often each value occurs, without missing ones."""

    name: str
    counts: Counter[str]
    missing: int
    numeric: bool

    @property
    def words(self) -> frozenset[str]:
        """The words in the name, in lower case.

        >>> sorted(Column("Two_yr_Recidivism", Counter(), 0, False).words)
        ['recidivism', 'two', 'yr']
        """
        return frozenset(word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+", self.name))

    @property
    def values(self) -> list[str]:
        """The distinct values, the most frequent first."""
        return [value for value, _ in self.counts.most_common()]

    def quantiles(self, n: int) -> list[float]:
        """The inner n-quantiles of a numeric column, each once."""
        numbers = sorted(float(value) for value, count in self.counts.items() for _ in range(count))
        picked = [numbers[len(numbers) * k // n] for k in range(1, n)]
        return sorted({number for number in picked if numbers[0] <= number < numbers[-1]})


@dataclass(frozen=True)
class Model:
    """A column of scores with a threshold, or (threshold None) of predictions with their own ``positive`` where they need one.

    ``sure`` is False where a reader has to decide.
    """

    column: str
    threshold: float | None
    sure: bool
    positive: str | None = None


@dataclass(frozen=True)
class Group:
    """A group column, numeric ones with cut points."""

    column: str
    breaks: tuple[float, ...] = ()


@dataclass(frozen=True)
class Doubt:
    """A mark that stands for a missing number in column ``numbers``, and for that or a value in ``words``."""

    mark: str
    numbers: str
    words: str


@dataclass(frozen=True)
class Roles:
    """What the columns seem to be. ``positive``: the label's value that counts as 1, None where it is 0/1 or true/false.
    ``reversed_scores``: the first model's scores are lower where the label is 1."""

    sample: Sample
    sha256: str | None
    missing: tuple[str, ...]
    key: str | None
    label: str | None
    label_values: tuple[str, ...] = ()
    positive: str | None = None
    positive_sure: bool = True
    other_labels: tuple[str, ...] = ()
    models: tuple[Model, ...] = ()
    reversed_scores: bool = False
    groups: tuple[Group, ...] = ()
    other_groups: tuple[str, ...] = field(default=())
    doubtful: tuple[Doubt, ...] = ()


def guess_roles(sample: Sample) -> Roles:
    """The roles of the columns of a sample."""
    missing, doubtful = _missing_markers(sample)
    usable = {name: values for name, values in sample.columns.items() if name not in sample.differing}
    columns = [_column(name, values, missing, [one.mark for one in doubtful]) for name, values in usable.items()]
    labels = sorted((c for c in columns if _is_label(c)), key=_label_rank)
    label = labels[0] if labels else None
    scores = [_by_score(c) for c in columns if c is not label and _is_score(c)]
    decisions = [_by_decision(c, label) for c in columns if c is not label and _is_prediction(c)]
    models = (*sorted(scores, key=lambda model: not model.sure), *decisions)
    taken = {model.column for model in models} | {c.name for c in labels}
    groups, others = _groups([c for c in columns if c.name not in taken])
    positive, sure = _positive(label) if label else (None, True)
    used = {*taken, *(group.column for group in groups)}
    return Roles(
        sample=sample,
        sha256=_sha256(sample) if used & set(sample.repeated) else None,
        missing=missing,
        doubtful=doubtful,
        key=next((c.name for c in columns if _is_key(c, sample)), None),
        label=label.name if label else None,
        label_values=tuple(label.values) if label else (),
        positive=positive,
        positive_sure=sure,
        other_labels=tuple(c.name for c in labels[1:]),
        models=models,
        reversed_scores=_reversed(sample, label.name, positive, models[0]) if label and models else False,
        groups=groups,
        other_groups=others,
    )


def _sha256(sample: Sample) -> str | None:
    """The file's hash: with it, columns that stand twice with the same values may be used."""
    if len(sample.paths) != 1:
        return None
    with sample.paths[0].open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


_UNKNOWN = ("?", "NA", "N/A", "n/a", "NULL", "null", "NaN", "nan", "None", "-", ".", "unknown", "Unknown")


def _missing_markers(sample: Sample) -> tuple[tuple[str, ...], tuple[Doubt, ...]]:
    """The empty text, "?" wherever it stands, and other marks that stand only where all else is numbers.

    What counts as missing does so in every column, and "NA" among words may be Namibia: a mark that stands in both kinds is doubtful.
    """
    among_numbers: dict[str, str] = {}
    among_words: dict[str, str] = {}
    for name, values in sample.columns.items():
        distinct = {value.strip() for value in values if value}
        rest = distinct - set(_UNKNOWN)
        if rest:
            kind = among_numbers if all(map(_is_number, rest)) else among_words
            for mark in distinct & set(_UNKNOWN):
                kind.setdefault(mark, name)
    sure = [mark for mark in _UNKNOWN if mark == "?" or mark not in among_words]
    found = {*among_numbers, *({"?"} & set(among_words))}
    doubts = (mark for mark in _UNKNOWN if mark in among_numbers and mark not in sure)
    return (
        ("", *(mark for mark in sure if mark in found)),
        tuple(Doubt(mark, among_numbers[mark], among_words[mark]) for mark in doubts),
    )


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text)) and "_" not in text
    except ValueError:
        return False


def _column(name: str, values: list[str | None], missing: tuple[str, ...], doubtful: Sequence[str]) -> Column:
    present = [value for value in values if value is not None and value.strip() not in missing]
    numbers = [value for value in present if value.strip() not in doubtful]
    if all(map(_is_number, numbers)):
        present = numbers
    counts = Counter(present)
    numeric = bool(counts) and all(map(_is_number, counts))
    if numeric and any(re.match(r"-?0\d", value) for value in counts):
        numeric = False  # codes with leading zeros
    return Column(name, counts, len(values) - len(present), numeric)


_LABEL_WORDS = (
    *("label", "target", "outcome", "truth", "actual", "recid", "recidivism", "reoffended", "default", "defaulted"),
    *(
        "bad",
        "ill",
        "disease",
        "diagnosis",
        "died",
        "death",
        "mortality",
        "readmitted",
        "readmission",
        "fraud",
        "churn",
    ),
    *("income", "hired", "repaid", "class", "y", "event", "response", "graduated", "passed", "approved", "loan"),
)
_PREDICTION_WORDS = (
    "predicted",
    "prediction",
    "pred",
    "yhat",
    "decision",
    "referred",
    "flagged",
    "classified",
    "recommended",
)
_SCORE_WORDS = ("score", "scores", "probability", "prob", "proba", "risk", "logit", "propensity", "rating", "scored")
_TRUE = (
    "1",
    "yes",
    "true",
    "y",
    "t",
    "positive",
    "pos",
    "bad",
    "default",
    "ill",
    "sick",
    "died",
    "recid",
    "fail",
    "failed",
)


def _is_label(column: Column) -> bool:
    return len(column.counts) == 2 and bool(column.words & set(_LABEL_WORDS)) and not _is_prediction(column)


def _label_rank(column: Column) -> tuple[int, int]:
    """Outcomes over a stated time before others ("two_year_recid" before "is_recid"), then by the order of the words."""
    timed = bool(column.words & {"year", "years", "yr", "month", "months", "days", "day"})
    return (0 if timed else 1, min(_LABEL_WORDS.index(word) for word in column.words if word in _LABEL_WORDS))


def _is_prediction(column: Column) -> bool:
    return len(column.counts) == 2 and bool(column.words & set(_PREDICTION_WORDS))


def _is_score(column: Column) -> bool:
    named = column.words & {*_SCORE_WORDS, *_PREDICTION_WORDS}
    decided = set(column.counts) <= {"0", "1"}
    return column.numeric and not decided and bool(named) and not column.words & {"date", "id"}


def _is_key(column: Column, sample: Sample) -> bool:
    unique = column.missing == 0 and len(column.counts) == sample.n_rows > 0
    return sample.whole and unique and bool(column.words & {"id", "key", "uuid", "identifier"})


def _positive(column: Column) -> tuple[str | None, bool]:
    values = [value.strip().casefold() for value in column.values]
    if set(values) in ({"0", "1"}, {"false", "true"}):
        return None, True
    if column.numeric:  # 1 and 2, or -1 and 1: the codes do not say which is which
        return max(column.values, key=float), False
    for value in column.values:
        if value.strip().casefold() in _TRUE or value.strip().startswith(">"):
            return value, True
    return column.values[-1], False


def _reversed(sample: Sample, label: str, positive: str | None, model: Model) -> bool:
    """Whether scores are lower, on average, where the label is 1."""
    if model.threshold is None:
        return False
    sums = {True: [0.0, 0], False: [0.0, 0]}
    for value, score in zip(sample.columns[label], sample.columns[model.column], strict=True):
        if value and score and _is_number(score):
            is_one = value == positive if positive is not None else value.casefold() in ("1", "true")
            sums[is_one][0] += float(score)
            sums[is_one][1] += 1
    (ones, n_ones), (zeros, n_zeros) = sums[True], sums[False]
    return bool(n_ones and n_zeros) and ones / n_ones < zeros / n_zeros


def _by_decision(column: Column, label: Column | None) -> Model:
    same_words = label is not None and set(column.counts) <= set(label.counts)
    positive, sure = (None, True) if same_words else _positive(column)
    return Model(column.name, None, sure, positive)


def _by_score(column: Column) -> Model:
    numbers = [float(value) for value in column.counts]
    if min(numbers) >= 0 and max(numbers) <= 1:
        return Model(column.name, 0.5, True)
    middle = column.quantiles(2)
    return Model(column.name, middle[0] if middle else min(numbers), False)


_ATTRIBUTES = (
    frozenset(("sex", "gender", "female", "male")),
    frozenset(("race", "ethnicity", "ethnic")),
    frozenset(("age",)),
    frozenset(("religion",)),
    frozenset(("disability", "disabled")),
    frozenset(("nationality", "foreign", "citizenship", "country", "origin")),
    frozenset(("language",)),
    frozenset(("insurance", "payer")),
    frozenset(("site", "hospital", "clinic", "ward", "region", "state")),
)
_MAX_LEVELS = 30


def _groups(columns: list[Column]) -> tuple[tuple[Group, ...], tuple[str, ...]]:
    """One column for each known attribute, the one with the plainest name; the names of others that could be groups."""
    chosen: list[Column] = []
    usable = [
        column
        for column in columns
        if len(column.counts) >= 2 and (column.numeric or len(column.counts) <= _MAX_LEVELS)
    ]
    for attribute in _ATTRIBUTES:
        named = [column for column in usable if column.words & attribute and column not in chosen]
        if named:
            chosen.append(min(named, key=lambda column: len(column.words)))
    few = [c.name for c in usable if c not in chosen and len(c.counts) <= 12]
    return tuple(map(_group, chosen)), tuple(few)


def _group(column: Column) -> Group:
    if column.numeric and len(column.counts) > 12:
        return Group(column.name, tuple(column.quantiles(4)))
    return Group(column.name)
