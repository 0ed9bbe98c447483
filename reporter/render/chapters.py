"""The card's order: which chapters there are, and which of them a report fills."""

from __future__ import annotations

from reporter.render import format as fmt
from reporter.render.chapter_accountability import acceptance_section, prose_sections, signoff_section
from reporter.render.chapter_agreement import agreement_section
from reporter.render.chapter_groups import groups_section
from reporter.render.chapter_identity import data_section, identity_section, model_section
from reporter.render.chapter_method import method_section
from reporter.render.chapter_noise import noise_section
from reporter.render.chapter_overall import overall_section
from reporter.render.chapter_profiles import profiles_section
from reporter.render.chapter_provenance import provenance_section
from reporter.render.chapter_releases import releases_section
from reporter.render.chapter_scores import scores_section
from reporter.render.chapter_tree import tree_section
from reporter.render.chapter_verdict import verdict_section
from reporter.render.chapter_why import why_section
from reporter.render.document import Document
from reporter.render.wording import Words, card_title, literal
from reporter.results import Report


def all_chapters(report: Report) -> Document:
    """The whole Document; a chapter that has nothing to say is left out."""
    words = Words.of(report)
    sections = (
        verdict_section(report, words),
        identity_section(report, words),
        model_section(report, words),
        data_section(report, words),
        method_section(report, words),
        overall_section(report, words),
        groups_section(report, words),
        why_section(report, words),
        scores_section(report, words),
        agreement_section(report, words),
        noise_section(report, words),
        tree_section(report, words),
        releases_section(report, words),
        acceptance_section(report, words),
        *prose_sections(report, words),
        profiles_section(report, words),
        signoff_section(report, words),
        provenance_section(report, words),
    )
    day = fmt.date(report.provenance.created)
    return Document(
        title=card_title(report.card),
        subtitle=" · ".join(
            part
            for part in (literal(report.card.owner) if report.card.owner else "", words.count_units(report.data.n), day)
            if part
        ),
        language=report.card.language,
        sections=tuple(section for section in sections if section is not None),
    )
