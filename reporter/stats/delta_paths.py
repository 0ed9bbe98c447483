"""The way to a node in words: one condition a covariate, however often it was split on."""

from __future__ import annotations

from dataclasses import dataclass

from reporter.results import MISSING
from reporter.stats.delta_counts import Covariate
from reporter.stats.delta_tests import Cut


@dataclass(frozen=True, slots=True)
class Condition:
    """What a path says of one covariate: the labels that remain, or the ends of an interval (labels or numbers)."""

    covariate: str
    labels: tuple[str, ...] | None = None
    above: str | None = None
    upto: str | None = None
    missing: bool = False

    def __str__(self) -> str:
        if self.labels is not None:
            if len(self.labels) == 1:
                return f"{self.covariate} = {self.labels[0]}"
            return f"{self.covariate} in {{{', '.join(self.labels)}}}"
        if self.above is not None and self.upto is not None:
            text = f"{self.above} < {self.covariate} <= {self.upto}"
        elif self.above is not None:
            text = f"{self.covariate} > {self.above}"
        else:
            text = f"{self.covariate} <= {self.upto}"
        return f"{text} or {MISSING}" if self.missing else text


def narrowed_path(
    conditions: tuple[Condition, ...], covariate: Covariate, cut: Cut, *, is_left: bool
) -> tuple[Condition, ...]:
    """The conditions with one side of a cut added; a covariate keeps its place."""
    known = next((one for one in conditions if one.covariate == covariate.name), None)
    codes = cut.left if is_left else cut.right
    if cut.upto is None:
        new = Condition(covariate.name, labels=tuple(covariate.label(code) for code in codes))
    else:
        end = covariate.label(cut.upto)
        missing = bool(cut.followed) and covariate.n_levels in codes
        above, upto = (known.above, known.upto) if known else (None, None)
        new = (
            Condition(covariate.name, above=above, upto=end, missing=missing)
            if is_left
            else Condition(covariate.name, above=end, upto=upto, missing=missing)
        )
    if known is None:
        return (*conditions, new)
    return tuple(new if one is known else one for one in conditions)


def path_text(conditions: tuple[Condition, ...]) -> str:
    """The path in words.

    Examples
    --------
    >>> path_text((Condition("sex", labels=("F",)), Condition("age", above="27", upto="40")))
    'sex = F & 27 < age <= 40'
    >>> path_text(())
    'all rows'
    """
    return " & ".join(str(one) for one in conditions) if conditions else "all rows"
