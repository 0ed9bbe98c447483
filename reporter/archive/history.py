"""A static site over an archive: per model its releases in order, their verdicts, sign-offs, rates per group, and the chain's state.

Pages fetch nothing and need no JavaScript. A record that is not what was sealed is listed with what is wrong, and its numbers are not shown.
"""

from __future__ import annotations

import datetime
import gc
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from reporter.archive.bag import PAYLOAD
from reporter.archive.chain import read_chain
from reporter.archive.history_facts import Release, read_facts
from reporter.archive.history_pages import Entry, Listing, rate_sections, rates_csv, release_listing
from reporter.archive.store import Archive, slug
from reporter.archive.verify import ArchiveVerification, verify_archive
from reporter.errors import ConfigError, Problem
from reporter.render import format as fmt
from reporter.render.document import Block, Document, Paragraph, Section, Sentence, Sentences
from reporter.render.wording import literal, plural

SITE = "index.html"


def write_history(
    archive: Archive, out: Path, *, allowed_signers: Path | None = None, today: datetime.date | None = None
) -> list[Path]:
    """Write the site into ``out`` and return its files: ``index.html``, and a folder per model.

    Without ``allowed_signers`` sign-offs are shown as not checked. ``today`` is the day on which sign-offs are judged (default: the run's clock).
    Raises ConfigError when the archive holds no record or ``out`` is a place of the archive, OutputError when a page cannot be written, and as
    ``verify_archive``.
    """
    from reporter.provenance import moment_of_run
    from reporter.render.write import write_files

    if archive.local and (
        out.resolve() == Path(archive.root).resolve() or Path(archive.root).resolve() in out.resolve().parents
    ):
        raise ConfigError(
            Problem(
                f"{str(out)!r} is inside the archive, where only records belong",
                key="--out",
                hint="Give another folder.",
            )
        )
    day = today or moment_of_run().date()
    found = verify_archive(archive, allowed_signers=allowed_signers)
    models = list(dict.fromkeys(v.record.model for v in found.records))
    if not models:
        raise ConfigError(Problem(f"found no record in {archive.location!r}", hint="Give the folder of an archive."))
    files: dict[str, str] = {}
    rows = []
    with _collector_paused():
        for model in models:
            releases = _releases(archive, model, found)
            files |= _model_pages(archive, model, releases, found, out, day)
            name = next((r.facts.name for r in reversed(releases) if r.facts is not None), model)
            rows.append((model, name, releases))
    files[SITE] = _archive_page(archive, rows, found, day)
    return list(write_files(out, files))


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Hundreds of reports are millions of containers without a cycle: looking through them for one takes a quarter of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _releases(archive: Archive, model: str, found: ArchiveVerification) -> list[Release]:
    chain = read_chain(archive, model)
    verified = {v.record.id: v for v in found.records if v.record.model == model}
    releases = []
    for number, (record, link) in enumerate(chain.items(), start=1):
        verification = verified[record]
        intact = not verification.faults or verification.faults == verification.signed.faults
        facts = read_facts(archive.read(model, record, PAYLOAD, "report.json")) if intact else None
        has_card = intact and archive.local and archive.exists(model, record, PAYLOAD, "card.html")
        releases.append(Release(number, link, verification, facts, has_card))
    return releases


def _model_pages(
    archive: Archive, model: str, releases: Sequence[Release], found: ArchiveVerification, out: Path, day: datetime.date
) -> dict[str, str]:
    """The model's own page with its releases and overall rates, a page per grouping, and all rates as CSV."""
    folder = slug(model)
    name = next((literal(r.facts.name) for r in reversed(releases) if r.facts is not None), model)
    sections = rate_sections(releases)
    taken = [f"{i:02d}-{slug(grouping)}.html" for i, (grouping, _) in enumerate(sections[1:], start=1)]
    links = [(section.title, page) for (_, section), page in zip(sections[1:], taken, strict=True)]
    subtitle = f"History of {plural(len(releases), 'release')}, as of {fmt.date(day.isoformat())}"
    hrefs = [_card_link(archive, model, release, out / folder) for release in releases]
    chain = Section("chain", "The chain of records", _chain(model, releases, found))
    overall = [section for _, section in sections[:1]]
    crumbs = [("All models", f"../{SITE}")]
    files = {
        f"{folder}/{SITE}": _page(
            Document(name, subtitle, "en", (*overall, chain)),
            crumbs=crumbs,
            listing=release_listing(releases, hrefs, day) if releases else None,
            links=[*links, ("Every rate as CSV", "rates.csv")],
        ),
        f"{folder}/rates.csv": rates_csv(releases),
    }
    for (_, section), page in zip(sections[1:], taken, strict=True):
        others = [link for link in links if link[1] != page]
        document = Document(f"{name}: {section.title[0].lower()}{section.title[1:]}", subtitle, "en", (section,))
        files[f"{folder}/{page}"] = _page(document, crumbs=[*crumbs, (name, SITE)], listing=None, links=others)
    return files


def _archive_page(
    archive: Archive, rows: Sequence[tuple[str, str, Sequence[Release]]], found: ArchiveVerification, day: datetime.date
) -> str:
    listing = Listing(
        "models",
        "Models of this archive",
        ("Model", "Releases", "Newest release", "Gate", "Sign-off", "Records that are not valid"),
        tuple(_model_row(found, model, name, releases, day) for model, name, releases in rows),
    )
    blocks = _sentences(found.faults, "fail", "Fault") + _sentences(found.notes, "info", "Note")
    state = "Every record is what was sealed." if found.valid else "Something in this archive is not what was sealed."
    section = Section("state", "The state of the archive", (Paragraph(state, "lead"), *blocks))
    document = Document("Model history", f"As of {fmt.date(day.isoformat())}", "en", (section,))
    return _page(document, crumbs=[], listing=listing, links=[])


def _model_row(
    found: ArchiveVerification, model: str, name: str, releases: Sequence[Release], day: datetime.date
) -> tuple[Entry, ...]:
    broken = sum(v.state == "not valid" for v in found.records if v.record.model == model)
    newest = releases[-1] if releases else None
    facts = newest.facts if newest else None
    gate = {"pass": "passed", "fail": "failed"}.get(facts.outcome, "unknown") if facts else "unknown"
    return (
        Entry(literal(name), f"{slug(model)}/{SITE}"),
        Entry(fmt.count(len(releases))),
        Entry(literal(newest.version) if newest else "none"),
        Entry(gate, severity={"passed": "ok", "failed": "fail"}.get(gate, "unknown")),  # type: ignore[arg-type]
        Entry(newest.verification.signed.state(day) if newest else "unknown"),
        Entry(fmt.count(broken), severity="fail" if broken else "ok"),
    )


def _chain(model: str, releases: Sequence[Release], found: ArchiveVerification) -> tuple[Block, ...]:
    mine = f"{model}"
    about = [note for note in found.notes if note.startswith((f"{mine}:", f"{mine}/"))]
    wrong = [fault for fault in found.faults if fault.startswith((f"{mine}:", f"{mine}/"))]
    listed = {release.link.reference.id for release in releases}
    wrong += [
        f"{v.record.id}: {'; '.join(v.faults)}"
        for v in found.records
        if v.record.model == model and (v.faults or v.record.id not in listed)
    ]
    forked = any("forks after" in note or "first records" in note for note in about)
    lead = "The history forked: two runs were archived at once. Both records are kept." if forked else (
        "Each record names the one before it by its hash."
    )  # fmt: skip
    return (Paragraph(lead), *_sentences(wrong, "fail", "Fault"), *_sentences(about, "info", "Note"))


def _sentences(texts: Sequence[str], severity: str, label: str) -> tuple[Block, ...]:
    if not texts:
        return ()
    return (Sentences(tuple(Sentence(literal(text), severity, label) for text in texts)),)  # type: ignore[arg-type]


def _card_link(archive: Archive, model: str, release: Release, page_folder: Path) -> str:
    """Where the card lies as seen from the page, for an archive that a browser can reach by a path."""
    if not release.has_card:
        return ""
    from urllib.parse import quote

    card = Path(archive.path(model, release.link.reference.id, PAYLOAD, "card.html"))
    return quote(Path(os.path.relpath(card.resolve(), page_folder.resolve())).as_posix())


def _page(
    document: Document,
    *,
    crumbs: Sequence[tuple[str, str]],
    listing: Listing | None,
    links: Sequence[tuple[str, str]],
) -> str:
    from reporter.render.as_html import render_html

    more = {"crumbs": crumbs, "listing": listing, "links": links}
    return render_html(document, page="history.html.j2", more=more)
