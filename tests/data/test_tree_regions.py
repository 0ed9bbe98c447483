"""Regions decided by questions or by classes are the regions themselves, row by row."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reporter.data.tree_regions import Question, classes, questions
from reporter.stats.delta_counts import Covariate, Region, Side, narrowed

COVARIATES = (
    Covariate("sex", "categorical", ("F", "M")),
    Covariate("site", "categorical", ("a", "b", "c", "d")),
    Covariate("stage", "ordered", ("I", "II", "III")),
    Covariate("age", "numeric", values=(1.0, 2.0, 3.0, 4.0, 5.0)),
)
ROWS = list(itertools.product(*(range(covariate.n_levels + 1) for covariate in COVARIATES)))
PLACE = {covariate.name: j for j, covariate in enumerate(COVARIATES)}


def grown(rng: np.random.Generator, depth: int) -> list[Region]:
    """The regions of one level of a random tree; some branches have stopped."""
    level: list[Region] = [()]
    for _ in range(depth):
        following: list[Region] = []
        for region in level:
            covariate = COVARIATES[rng.integers(len(COVARIATES))]
            is_left = bool(rng.integers(2))
            if covariate.kind == "categorical":
                left = rng.random(covariate.n_levels) < 0.5
                sides = [
                    Side(covariate.name, missing, codes=tuple(np.flatnonzero(mask).tolist()))
                    for mask, missing in ((left, is_left), (~left, not is_left))
                ]
            else:
                cut = int(rng.integers(covariate.n_levels - 1))
                sides = [Side(covariate.name, is_left, upto=cut), Side(covariate.name, not is_left, above=cut)]
            following += [narrowed(region, side) for side in sides if rng.random() < 0.9]
        level = following or level
    return level


def inside(row: tuple[int, ...], sides: tuple[Side, ...]) -> bool:
    return all(side.allows(COVARIATES[PLACE[side.covariate]].n_levels)[row[PLACE[side.covariate]]] for side in sides)


def directly(row: tuple[int, ...], regions: list[Region]) -> int:
    return next((number for number, region in enumerate(regions) if inside(row, region)), -1)


def asked(row: tuple[int, ...], question: int | Question) -> int:
    while isinstance(question, Question):
        found = [answer for sides, answer in zip(question.sides, question.answers, strict=True) if inside(row, sides)]
        if not found:
            return -1
        question = found[0]
    return question


@pytest.mark.parametrize("seed", range(12))
def test_questions_and_classes_lead_to_the_region_of_every_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    regions = grown(rng, depth=int(rng.integers(1, 5)))
    question = questions(regions, COVARIATES)
    by_class = classes(regions, COVARIATES)
    for row in ROWS:
        expected = directly(row, regions)
        assert asked(row, question) == expected
        if by_class is not None:
            key = 0
            for sides, step in zip(by_class.sides, by_class.steps, strict=True):
                key += step * next((k for k, side in enumerate(sides) if inside(row, (side,))), len(sides))
            assert by_class.region[key] == expected


def test_classes_are_not_used_where_they_are_many_more_than_regions() -> None:
    one = tuple(Side(c.name, True, upto=0) for c in COVARIATES[2:])
    regions = [(*one, Side("sex", False, codes=(0,)), Side("site", False, codes=(0,)))]
    assert classes(regions, COVARIATES) is None
    assert classes([(Side("sex", False, codes=(0,)),), (Side("sex", True, codes=(1,)),)], COVARIATES) is not None


def test_what_a_question_already_tells_is_not_asked_again() -> None:
    women, men = Side("sex", False, codes=(0,)), Side("sex", True, codes=(1,))
    old = Side("age", True, above=2)
    found = questions([(women,), (men, old)], COVARIATES)
    assert isinstance(found, Question)
    assert found.sides == ((women,), ())
    assert found.answers[0] == 0
    assert found.answers[1] == Question(((old,),), (1,))
