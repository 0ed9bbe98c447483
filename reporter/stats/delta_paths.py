"""The way to a node: one condition a covariate, however often it was split on."""

from __future__ import annotations

from collections.abc import Sequence

from reporter.results import MISSING
from reporter.stats.delta_counts import Covariate
from reporter.stats.delta_tests import Cut
from reporter.tree import Condition


def narrowed_path(
    conditions: tuple[Condition, ...], covariate: Covariate, cut: Cut, occurs: Sequence[int], *, is_left: bool
) -> tuple[Condition, ...]:
    """The conditions with one side of a cut added; a covariate keeps its place. ``occurs``: the codes that occur in the node."""
    known = next((one for one in conditions if one.covariate == covariate.name), None)
    codes = cut.left if is_left else cut.right
    if cut.upto is None:
        labels, followed = (
            tuple(covariate.label(code) for code in some)
            for some in (codes, [code for code in cut.followed if code in codes])
        )
        new = Condition(covariate.name, levels=labels, followed=followed)
    else:
        end = covariate.end(cut.upto)
        missing = bool(cut.followed) and covariate.n_levels in codes
        above, upto = (known.above, known.upto) if known else (None, None)
        inside = (
            []
            if covariate.kind == "numeric"
            else [code for code in occurs if code in codes and code < covariate.n_levels]
        )
        new = Condition(
            covariate.name,
            above=above if is_left else end,
            upto=end if is_left else upto,
            missing=missing,
            occurring=tuple(covariate.label(code) for code in inside),
        )
    if known is None:
        return (*conditions, new)
    return tuple(new if one is known else one for one in conditions)


def path_text(conditions: tuple[Condition, ...]) -> str:
    """The path in words.

    Examples
    --------
    >>> path_text((Condition("sex", levels=("F",)), Condition("age", above=27.0, upto=40.0)))
    'sex = F & 27 < age <= 40'
    >>> path_text(())
    'all rows'
    """
    return " & ".join(_text(one) for one in conditions) if conditions else "all rows"


def _text(condition: Condition) -> str:
    name, levels = condition.covariate, condition.levels
    if levels is not None:
        return f"{name} = {levels[0]}" if len(levels) == 1 else f"{name} in {{{', '.join(levels)}}}"
    if condition.above is None:
        text = f"{name} <= {_end(condition.upto)}"
    elif condition.upto is None:
        text = f"{name} > {_end(condition.above)}"
    else:
        text = f"{_end(condition.above)} < {name} <= {_end(condition.upto)}"
    return f"{text} or {MISSING}" if condition.missing else text


def _end(value: float | str | None) -> str:
    """A number with all its digits; a label as it is."""
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)
