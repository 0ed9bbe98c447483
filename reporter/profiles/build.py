"""The profiles that a config asks for, in its order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reporter.profiles.attributes import Standard, attribute_list
from reporter.profiles.chai import CHAI
from reporter.profiles.eu_annex_iv import EU_ANNEX_IV
from reporter.profiles.hti1 import HTI1
from reporter.profiles.selection import AboveMedian, Columns, four_fifths, nyc_ll144
from reporter.profiles.tripod_ai import TRIPOD_AI
from reporter.results import Profile, Report

STANDARDS: dict[str, Standard] = {one.name: one for one in (CHAI, HTI1, TRIPOD_AI, EU_ANNEX_IV)}


def build_profiles(
    report: Report,
    names: Sequence[str],
    *,
    columns: Columns,
    above: Mapping[tuple[str, str], AboveMedian],
) -> tuple[Profile, ...]:
    """Each profile of ``names`` over ``report``. ``columns`` and ``above`` are for ``nyc_ll144``."""
    made = []
    for name in dict.fromkeys(names):
        if name == "nyc_ll144":
            made.append(nyc_ll144(report, columns, above))
        elif name == "four_fifths":
            made.append(four_fifths(report))
        else:
            made.append(attribute_list(STANDARDS[name], report))
    return tuple(made)
