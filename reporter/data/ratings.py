"""How two or more raters rated the same rows: what agreement follows from.

A rater is a model (its prediction, and its score if it has one) or a column of human ratings, of the prediction itself (``agreement.raters``) or of an
item (``agreement.items``). Tables, per grouping (nothing behind the last slash: all rows, where there is no grouping):

- ``ratings/<k>/<grouping>``: level, r0, r1, ... (each rater's category, -1 missing) -> n for rated item k of ``facts["ratings"]``
- ``pairs/m<i>,r<j>/<grouping>``: level, first, second (0, 1, -1 missing) -> n for a model and a human rater
- ``score pairs/...`` or ``icc/...`` (``data/score_pairs.py``) for two models' scores, or a score and numeric ratings

Two models' predictions are in ``groups/<grouping>``. ``facts["ratings"]`` says of each item which raters it has, the categories in their order, how they
read as 0 and 1, and their numbers; ``facts["pairs"]`` lists every pair with the sides that ``data/agreement_views.py`` finds their tables by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from reporter.data.scan import Scan
from reporter.data.score_pairs import count_score_pairs
from reporter.data.scores import score_of
from reporter.data.values import NO, Binary, number_text, plain, read_binary

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.config.schema import Config
    from reporter.data.checks import Plan
    from reporter.data.groupings import GroupingSpec
    from reporter.data.source import Source
    from reporter.errors import Problem

MOST_CATEGORIES = 1_000


@dataclass(frozen=True)
class RatedItem:
    """One thing that human raters rated: ``raters`` (name, column, config key), and the config key of its own ``positive``."""

    name: str | None
    raters: tuple[tuple[str, str, str], ...]
    positive: str | bool | int | float | None = None
    positive_key: str = "agreement.positive"


@dataclass(frozen=True)
class Reading:
    """The ratings of one item. ``categories`` in their order; ``place[column][code]``: the category of a scan code, -1 missing."""

    item: RatedItem
    categories: tuple[str, ...]
    place: dict[str, np.ndarray[Any, np.dtype[np.int64]]]
    bits: tuple[int, ...] | None
    bits_reason: str | None
    numbers: tuple[float, ...] | None


@dataclass(frozen=True)
class RatingPlan:
    """All rated items, and the scan that counts them."""

    scan: Scan
    readings: tuple[Reading, ...]


def rated_items(config: Config) -> tuple[RatedItem, ...]:
    """The prediction as rated by human raters (name None), then the items of the config."""
    agreement = config.agreement
    if agreement is None:
        return ()
    found = []
    if agreement.raters:
        raters = tuple((name, column, f"agreement.raters.{name}") for name, column in agreement.raters.items())
        found.append(RatedItem(None, raters))
    for i, item in enumerate(agreement.items):
        columns = item.__pydantic_extra__ or {}
        raters = tuple((name, column, f"agreement.items[{i}].{name}") for name, column in columns.items())
        found.append(RatedItem(item.name, raters, item.positive, f"agreement.items[{i}].positive"))
    return tuple(found)


def plan_ratings(
    source: Source, loaded: LoadedConfig, columns: dict[str, Callable[[Any], Any]], missing: frozenset[str]
) -> tuple[RatingPlan | None, list[Problem]]:
    """Read the values of every rater's column. ``columns`` are those of the main scan (groups and models)."""
    items = rated_items(loaded.config)
    if not items:
        return None, []
    rated = dict.fromkeys(column for item in items for _, column, _ in item.raters)
    others = {name: column for name, column in columns.items() if name != "label"}
    scan = Scan(source, {**others, **{f"rating {name}": _column_of(name) for name in rated}}, missing=missing)
    readings: list[Reading] = []
    problems: list[Problem] = []
    for item in items:
        reading, found = _read(scan, item, loaded)
        problems += found
        if reading is not None:
            readings.append(reading)
    return RatingPlan(scan, tuple(readings)), problems


def count_ratings(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], made: Plan, source: Source, loaded: LoadedConfig
) -> None:
    """Add the tables of all raters and pairs, with ``facts["ratings"]`` and ``facts["pairs"]``."""
    plan = made.ratings
    facts["ratings"], facts["pairs"] = [], []
    if plan is not None:
        for k, reading in enumerate(plan.readings):
            facts["ratings"].append(_item_facts(reading))
            for spec in made.specs or (None,):
                tables[f"ratings/{k}/{'' if spec is None else spec.name}"] = _ratings(made, plan.scan, reading, spec)
            names = [name for name, _, _ in reading.item.raters]
            for i, j in combinations(range(len(names)), 2):
                asked = _asked(loaded.config, names[i], names[j], reading.item.name)
                if asked is not None:
                    bits = reading.bits is not None
                    facts["pairs"].append(
                        _pair(asked, names[i], names[j], reading.item.name, f"r{i}", f"r{j}", k, bits=bits)
                    )
    _count_model_pairs(tables, facts, made, source, loaded)
    _count_mixed_pairs(tables, facts, made, source, loaded)


def _column_of(column: str) -> Callable[[Any], Any]:
    return lambda table: table[column]


def _read(scan: Scan, item: RatedItem, loaded: LoadedConfig) -> tuple[Reading | None, list[Problem]]:
    raw: dict[str, int] = {}
    for _, column, key in item.raters:
        margin = scan.margin((f"rating {column}",))
        texts = scan.texts[f"rating {column}"]
        if len(margin.n) > MOST_CATEGORIES:
            message = (
                f"column {column!r} has {len(margin.n):,} different ratings; at most {MOST_CATEGORIES:,} can be counted"
            )
            return None, [loaded.problem(key, message, "Round the ratings, or compare them as scores of models")]
        for code, n in zip(margin.codes[:, 0].tolist(), margin.n.tolist(), strict=True):
            text = texts[code]
            if text is not None:
                raw[text] = raw.get(text, 0) + n
    spelled = _spelled(raw)
    present: dict[str, int] = {}
    for text, n in raw.items():
        present[spelled[text]] = present.get(spelled[text], 0) + n
    by_number = {text: _number(text) for text in present}
    numeric = all(number is not None for number in by_number.values())
    ordered = sorted(present, key=lambda text: ((by_number[text] or 0.0) if numeric else 0.0, text))
    place = {text: i for i, text in enumerate(ordered)}
    binary, found = _bits(item, loaded, ordered, [present[text] for text in ordered], numeric=numeric)
    if found is not None:
        return None, [found]
    codes = {
        column: np.array(
            [
                NO if text is None or text not in spelled else place[spelled[text]]
                for text in scan.texts[f"rating {column}"]
            ],
            np.int64,
        )
        for _, column, _ in item.raters
    }
    values = tuple(by_number[text] or 0.0 for text in ordered) if numeric and ordered else None
    return Reading(item, tuple(ordered), codes, binary.bits, _not_binary(binary, ordered), values), []


def _spelled(texts: Iterable[str]) -> dict[str, str]:
    """One spelling of equal ratings, over all raters of an item: "1.0" and "1" are one category, "01" is a text.

    Truth values beside nothing but 0 and 1 are 0 and 1.

    >>> _spelled(["1.0", "2", "-0.0", "01"])
    {'1.0': '1', '2': '2', '-0.0': '0', '01': '01'}
    >>> _spelled(["TRUE", "0", "false"])
    {'TRUE': '1', '0': '0', 'false': '0'}
    """
    spelled = {text: plain(text) for text in texts}
    if set(spelled.values()) <= {"0", "1", *_TRUTHS}:
        return {text: _TRUTHS.get(short, short) for text, short in spelled.items()}
    return spelled


_TRUTHS = {"true": "1", "false": "0"}


def _number(text: str) -> float | None:
    """The number that a spelled rating is; a code such as "01" is none.

    >>> _number("2.5"), _number("01"), _number("inf"), _number("mild")
    (2.5, None, None, None)
    """
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) and number_text(value) == text else None


def _bits(
    item: RatedItem, loaded: LoadedConfig, ordered: list[str], n: list[int], *, numeric: bool
) -> tuple[Binary, Problem | None]:
    """How the ratings read as 0 and 1. The item's own ``positive`` must be one of its ratings; those of ``agreement`` and ``data`` are
    for whatever has them, and ratings that are 0 and 1 need none."""
    what = f"column{'' if len(item.raters) == 1 else 's'} {', '.join(repr(column) for _, column, _ in item.raters)}"
    if item.positive is not None:
        binary = read_binary(ordered, n, positive=item.positive, what=what)
        if binary.bits is None:
            return binary, loaded.problem(item.positive_key, binary.message, binary.hint)
        return binary, None
    inherited = [loaded.config.data.positive]
    if loaded.config.agreement is not None:
        inherited.insert(0, loaded.config.agreement.positive)
    for rank, positive in enumerate(inherited):
        if positive is None:
            continue
        binary = read_binary(ordered, n, positive=positive, what=what)
        # A single word that is not the label's 1 may be a 0 only where the label has words too.
        words = rank == 0 or not (_is_bit(str(positive)) or _is_bit(ordered[0]))
        if binary.bits is not None and (not binary.note or words):
            return binary, None
    binary = read_binary(ordered, n, positive=None, what=what)
    if binary.bits is None and len(ordered) <= 2 and not numeric:
        hint = f"Set {item.positive_key} to the rating that counts as 1, e.g. positive: {ordered[-1]!r}"
        return binary, loaded.problem(item.raters[0][2], binary.message, hint)
    return binary, None


def _is_bit(text: str) -> bool:
    return plain(text) in ("0", "1", *_TRUTHS)


def _not_binary(binary: Binary, ordered: list[str]) -> str | None:
    if binary.bits is not None:
        return None
    if len(ordered) > 2:
        return f"the ratings have {len(ordered):,} values, not two"
    return f"the ratings are {' and '.join(ordered)}, and no positive value names one of them"


def _item_facts(reading: Reading) -> dict[str, Any]:
    return {
        "item": reading.item.name,
        "raters": [name for name, _, _ in reading.item.raters],
        "columns": [column for _, column, _ in reading.item.raters],
        "categories": list(reading.categories),
        "bits": None if reading.bits is None else list(reading.bits),
        "bits_reason": reading.bits_reason,
        "numbers": None if reading.numbers is None else list(reading.numbers),
    }


def _pair(
    asked: tuple[str, str],
    one: str,
    other: str,
    item: str | None,
    a: str,
    b: str,
    ratings: int | None,
    *,
    bits: bool,
    scores: bool = False,
) -> dict[str, Any]:
    """A pair as the config asks for it: ``sides`` follow the names."""
    sides = {one: a, other: b}
    return {
        "first": asked[0],
        "second": asked[1],
        "item": item,
        "sides": [sides[name] for name in asked],
        "ratings": ratings,
        "binary": bits,
        "scores": scores,
    }


def _ratings(made: Plan, scan: Scan, reading: Reading, spec: GroupingSpec | None) -> pd.DataFrame:
    from reporter.data.counts import summed

    names = () if spec is None else made.names[spec.name]
    columns = [column for _, column, _ in reading.item.raters]
    margin = scan.margin((*names, *dict.fromkeys(f"rating {column}" for column in columns)))
    level = np.zeros(len(margin.n), np.int64) if spec is None else _level_of(made, scan, spec, margin)
    codes = {f"r{i}": reading.place[c][margin.column(f"rating {c}")] for i, c in enumerate(columns)}
    return summed({"level": level, **codes}, margin.n, wide=True)


def _level_of(made: Plan, scan: Scan, spec: GroupingSpec, margin: Any) -> Any:
    """Levels of another scan's codes: its texts are looked up in the main scan."""
    from reporter.data.scan import Margin

    assert made.scan is not None
    names = made.names[spec.name]
    codes = []
    for name in names:
        known = {text: code for code, text in enumerate(made.scan.texts[name])}
        lookup = np.array([known[text] for text in scan.texts[name]], np.int64)
        codes.append(lookup[margin.column(name)])
    return made.levels[spec.name].of(Margin(names, np.stack(codes, axis=1), margin.n))


def _asked(config: Config, one: str, other: str, item: str | None) -> tuple[str, str] | None:
    """The two in the order of ``agreement.pairs``, which decides the sign of the bias index; None if they are not asked for."""
    pairs = () if config.agreement is None or config.agreement.pairs == "all" else config.agreement.pairs
    if any(tuple(pair) == (other, one) for pair in pairs):
        return other, one
    wanted = not pairs or item is not None or any(tuple(pair) == (one, other) for pair in pairs)
    return (one, other) if wanted else None


def _count_model_pairs(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], made: Plan, source: Source, loaded: LoadedConfig
) -> None:
    config = loaded.config
    for i, j in combinations(range(len(config.models)), 2):
        first, second = config.models[i], config.models[j]
        scored = first.score is not None and second.score is not None
        if scored and facts["models"][i]["n_missing"] < made.n and facts["models"][j]["n_missing"] < made.n:
            numbers = [
                score_of(model.score or "", config.data.missing, source.backend.name) for model in (first, second)
            ]
            few = facts["models"][i]["exact_scores"] and facts["models"][j]["exact_scores"]
            count_score_pairs(tables, made, source, (f"m{i}", f"m{j}"), (numbers[0], numbers[1]), few=few)
        asked = None if config.agreement is None else _asked(config, first.name, second.name, None)
        if asked is not None:
            facts["pairs"].append(
                _pair(asked, first.name, second.name, None, f"m{i}", f"m{j}", None, bits=True, scores=scored)
            )


def _count_mixed_pairs(
    tables: dict[str, pd.DataFrame], facts: dict[str, Any], made: Plan, source: Source, loaded: LoadedConfig
) -> None:
    """Each model with each human rater of the prediction."""
    plan, config = made.ratings, loaded.config
    reading = next((one for one in plan.readings if one.item.name is None), None) if plan is not None else None
    if plan is None or reading is None:
        return
    for i, model in enumerate(config.models):
        for j, (rater, column, _) in enumerate(reading.item.raters):
            asked = _asked(config, model.name, rater, None)
            if asked is None:
                continue
            scored = model.score is not None and reading.numbers is not None and reading.bits is None
            if scored:
                numbers = (
                    score_of(model.score or "", config.data.missing, source.backend.name),
                    score_of(column, config.data.missing, source.backend.name),
                )
                few = facts["models"][i]["exact_scores"]
                count_score_pairs(tables, made, source, (f"m{i}", f"r{j}"), numbers, few=few)
            bits = reading.bits is not None
            facts["pairs"].append(
                _pair(asked, model.name, rater, None, f"m{i}", f"r{j}", None, bits=bits, scores=scored)
            )
            if reading.bits is None:
                continue
            for spec in made.specs or (None,):
                behind = "" if spec is None else spec.name
                tables[f"pairs/m{i},r{j}/{behind}"] = _mixed(made, plan.scan, reading, i, column, spec)


def _mixed(
    made: Plan, scan: Scan, reading: Reading, index: int, column: str, spec: GroupingSpec | None
) -> pd.DataFrame:
    from reporter.data.counts import summed

    assert made.scan is not None
    assert reading.bits is not None
    names = () if spec is None else made.names[spec.name]
    margin = scan.margin((*names, f"model {index}", f"rating {column}"))
    known = {text: code for code, text in enumerate(made.scan.texts[f"model {index}"])}
    lookup = np.array([made.models[index][known[text]] for text in scan.texts[f"model {index}"]], np.int64)
    category = reading.place[column][margin.column(f"rating {column}")]
    bits = np.array([*reading.bits, NO], np.int64)[category]
    level = np.zeros(len(margin.n), np.int64) if spec is None else _level_of(made, scan, spec, margin)
    return summed({"level": level, "first": lookup[margin.column(f"model {index}")], "second": bits}, margin.n)
