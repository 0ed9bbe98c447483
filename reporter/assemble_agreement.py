"""Counts to the agreement part of a report: pairs of models and raters, the gaps between groups, and items with many raters.

Like ``assemble.py`` a pure function of stored counts and the config: no rows, no clock, no words.
"""

from __future__ import annotations

from collections.abc import Iterator

from reporter.config.schema import AgreementConfig, Config
from reporter.data import agreement_views as views
from reporter.data.cells import grouping_names, levels
from reporter.data.counts import Counts
from reporter.results import AgreementGap, AgreementResult, AgreementSection, Estimate, MultiRater
from reporter.stats.agreement_gaps import agreement_gaps
from reporter.stats.multirater import fleiss_kappa, krippendorff_alpha
from reporter.stats.pair_results import pair_results

OF_BITS = ("kappa", "pabak", "ac1")
"""What four counts give; the ICC needs scores, weighted kappa ordered ratings."""

MANY = 3
"""From so many raters on Fleiss' kappa and Krippendorff's alpha say more than the pairs."""


def agreement_section(counts: Counts, config: Config) -> AgreementSection | None:
    """Everything about agreement that the config asks for; None without ``agreement``."""
    asked = config.agreement
    if asked is None:
        return None
    results: list[AgreementResult] = []
    gaps: list[AgreementGap] = []
    for place, pair in enumerate(views.rater_pairs(counts)):
        for grouping in (None, *grouping_names(counts)):
            results += _pair(counts, config, asked, place, pair, grouping)
            if grouping is not None:
                gaps += _gaps(counts, config, asked, place, pair, grouping)
    return AgreementSection(
        results=tuple(results),
        gaps=tuple(gaps),
        multi=tuple(_many(counts, config, asked)),
        statistics=asked.statistics,
    )


def _groups(counts: Counts, grouping: str | None) -> list[str | None]:
    return [None] if grouping is None else [level.name for level in levels(counts, grouping)]


def _pair(
    counts: Counts,
    config: Config,
    asked: AgreementConfig,
    place: int,
    pair: views.RaterPair,
    grouping: str | None,
) -> tuple[AgreementResult, ...]:
    binary = any(name in asked.statistics for name in OF_BITS)
    return pair_results(
        _groups(counts, grouping),
        first=pair.first,
        second=pair.second,
        item=pair.item,
        grouping=grouping,
        counts=views.pair_counts(counts, grouping, place) if binary else None,
        moments=views.pair_moments(counts, grouping, place) if "icc" in asked.statistics else None,
        tables=views.pair_tables(counts, grouping, place) if "weighted_kappa" in asked.statistics else None,
        icc_forms=asked.icc_forms,
        confidence=config.confidence,
        reason=pair.reason if binary else None,
        moments_reason=pair.score_reason if "icc" in asked.statistics else None,
        tables_reason=pair.order_reason if "weighted_kappa" in asked.statistics else None,
    )


def _gaps(
    counts: Counts, config: Config, asked: AgreementConfig, place: int, pair: views.RaterPair, grouping: str
) -> tuple[AgreementGap, ...]:
    statistics = [name for name in (*OF_BITS, "icc", "weighted_kappa") if name in asked.statistics]
    return agreement_gaps(
        [level.name for level in levels(counts, grouping)],
        grouping=grouping,
        counts=views.pair_counts(counts, grouping, place),
        moments=views.pair_moments(counts, grouping, place) if "icc" in statistics else None,
        tables=views.pair_tables(counts, grouping, place) if "weighted_kappa" in statistics else None,
        statistics=statistics,
        icc_form=asked.icc_forms[0] if asked.icc_forms else "A1",
        limit=asked.limit,
        alpha=config.flags.alpha,
        adjust=config.flags.adjust,
        min_group_size=config.flags.min_group_size,
        confidence=config.confidence,
        first=pair.first,
        second=pair.second,
        item=pair.item,
    )


def _many(counts: Counts, config: Config, asked: AgreementConfig) -> Iterator[MultiRater]:
    fleiss, alpha = "fleiss" in asked.statistics, "krippendorff" in asked.statistics
    if not (fleiss or alpha):
        return
    for place, rated in enumerate(views.rated_by_many(counts)):
        for grouping in (None, *grouping_names(counts)):
            patterns = views.rating_patterns(counts, grouping, place)
            for group, units in zip(_groups(counts, grouping), patterns, strict=True):
                yield MultiRater(
                    raters=rated.raters,
                    item=rated.item,
                    grouping=grouping,
                    group=group,
                    fleiss_kappa=_fleiss(rated, units, config) if fleiss else None,
                    krippendorff_alpha=_alpha(rated, units, config) if alpha else None,
                )


def _fleiss(rated: views.RatedByMany, units: views.Patterns, config: Config) -> Estimate:
    if len(rated.raters) < MANY:
        return Estimate(None, reason=_too_few(rated))
    return fleiss_kappa(units.chosen, units.times, confidence=config.confidence)


def _alpha(rated: views.RatedByMany, units: views.Patterns, config: Config) -> Estimate:
    if len(rated.raters) < MANY:
        return Estimate(None, reason=_too_few(rated))
    # Numbers have an order; two categories are as far apart in every scale.
    ordered = rated.numbers is not None and len(rated.categories) > 2
    return krippendorff_alpha(
        units.chosen, units.times, scale="ordinal" if ordered else "nominal", confidence=config.confidence
    )


def _too_few(rated: views.RatedByMany) -> str:
    return "only one rater" if len(rated.raters) == 1 else "only two raters, whom kappa compares"
