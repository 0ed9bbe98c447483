"""The release that a run is compared with: where it is found, and what changed since.

Works on two Reports alone, so that ``reporter compare`` needs neither config nor data; a run that has both releases' predictions on the
same rows passes their joint counts, which makes the comparison paired.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from reporter.errors import ConfigError, DataError, Problem
from reporter.results import (
    SCHEMA_VERSION,
    Comparison,
    Grouping,
    GroupResult,
    ModelResult,
    RateChange,
    Releases,
    Report,
)
from reporter.stats.cells import CellArrays
from reporter.stats.comparisons import finding_id
from reporter.stats.metrics import METRICS
from reporter.stats.paired import JointCells
from reporter.stats.releases import gap_change, rate_changes, verdict_changes

if TYPE_CHECKING:
    from reporter.archive.address import Address
    from reporter.archive.signoff import SignoffCheck
    from reporter.archive.store import Archive

LATEST = "latest-approved"


@dataclass(frozen=True)
class Baseline:
    """A release to compare with. ``signed``: a checked approval that still holds lies beside it (False for a bare report.json)."""

    report: Report
    name: str
    content: bytes
    signed: bool = False


def read_baseline(
    location: str,
    *,
    base: Path | None = None,
    archive: str | Archive | None = None,
    model: str = "",
    allowed_signers: Path | None = None,
    today: datetime.date | None = None,
) -> Baseline:
    """The baseline at ``location``: a record's folder or URL, a report.json, or ``latest-approved`` of ``archive``.

    Paths are relative to ``base``. ``latest-approved`` is the newest record of ``model`` whose approval, checked against ``allowed_signers``, still
    holds on ``today``. A record must be intact. ConfigError when there is none, when it is no report or one of another model; DataError when
    it cannot be read or was changed. Where the baseline's format is another version, what both versions know is compared.
    """
    if location == LATEST:
        return _latest_approved(archive, base, model, allowed_signers, today)
    place = location if "://" in location else str((base or Path()) / location)
    path = place.partition("?")[0] if "://" in place else place
    found = _from_file(place, path) if path.endswith(".json") else _from_record(place, allowed_signers, today)
    if model and found.report.card.name != model:
        raise ConfigError(
            Problem(
                f"the baseline {found.name} is of the model {found.report.card.name!r}, this run is of {model!r}",
                key="baseline",
                hint="Name a release of the same model. A model that was renamed: set card.name back, or leave the baseline out.",
            )
        )
    return found


def compare_reports(
    old: Report,
    new: Report,
    *,
    baseline: str = "",
    joints: Mapping[str | None, JointCells] | None = None,
    why: str = "the two releases are compared as independent samples",
) -> Releases:
    """What changed from the first model of ``old`` to the first model of ``new``, where groups and metrics overlap.

    ``joints``: grouping (None: all rows) -> joint counts of both releases on the same rows, groups in the order of ``new``'s levels.
    """
    metrics = [name for name in new.models[0].metrics if name in old.models[0].metrics]
    missed = [f"metric {name}" for name in _only_one(old.models[0].metrics, new.models[0].metrics)]
    rates: list[RateChange] = _overall_changes(old, new, metrics, (joints or {}).get(None))
    known = {grouping.name: grouping for grouping in old.groupings}
    missed += [f"grouping {name}" for name in _only_one(known, {g.name: g for g in new.groupings})]
    paired_groups: dict[str, tuple[Sequence[str], JointCells]] = {}
    for grouping in new.groupings:
        if grouping.name not in known:
            continue
        joint = (joints or {}).get(grouping.name)
        names = [level.name for level in grouping.levels]
        if joint is not None:
            paired_groups[grouping.name] = (names, joint)
        rates += _group_changes(old, new, known[grouping.name], grouping, metrics, joint)
        before = [level.name for level in known[grouping.name].levels]
        missed += [f"group {name} of {grouping.name}" for name in _only_one(before, names)]
    for report in (old, new):
        if report.schema_version != SCHEMA_VERSION:
            missed += [f"{note} (format version {report.schema_version})" for note in report.notes]
    return Releases(
        old=old.card.version,
        new=new.card.version,
        baseline=baseline,
        paired=joints is not None,
        why_paired=why,
        rates=tuple(rates),
        verdicts=verdict_changes(
            _of_first_model(old, new.models[0].name),
            [c for c in new.comparisons if c.model == new.models[0].name],
            joints=paired_groups or None,
            confidence=new.confidence,
        ),
        not_compared=tuple(missed),
    )


def _overall_changes(old: Report, new: Report, metrics: Sequence[str], joint: JointCells | None) -> list[RateChange]:
    return _changes(metrics, None, {None: (old.models[0], new.models[0])}, joint, new.confidence)


def _group_changes(
    old: Report, new: Report, before: Grouping, after: Grouping, metrics: Sequence[str], joint: JointCells | None
) -> list[RateChange]:
    was = {result.group: result for result in before.results if result.model == old.models[0].name}
    now = {result.group: result for result in after.results if result.model == new.models[0].name}
    positions = [i for i, level in enumerate(after.levels) if level.name in was]
    pairs: dict[str | None, _Pair] = {(name := after.levels[i].name): (was[name], now[name]) for i in positions}
    return _changes(
        metrics, after.name, pairs, None if joint is None else JointCells(joint.counts[positions]), new.confidence
    )


_Pair = tuple[ModelResult | GroupResult, ModelResult | GroupResult]


def _changes(
    metrics: Sequence[str],
    grouping: str | None,
    pairs: Mapping[str | None, _Pair],
    joint: JointCells | None,
    confidence: float,
) -> list[RateChange]:
    if not pairs:
        return []
    found = list(
        rate_changes(
            [name for name in metrics if not METRICS[name].needs_score],
            grouping=grouping,
            groups=list(pairs),
            old=CellArrays.from_cells(old.cells for old, _ in pairs.values()),
            new=CellArrays.from_cells(new.cells for _, new in pairs.values()),
            joint=joint,
            confidence=confidence,
        )
    )
    # A stored report keeps no sums of scores: their metrics are compared by their intervals.
    for name in (name for name in metrics if METRICS[name].needs_score):
        for group, (old, new) in pairs.items():
            before, after = old.metrics[name], new.metrics[name]
            found.append(RateChange(grouping, group, name, before, after, gap_change(before, after), None))
    return found


def _of_first_model(old: Report, name: str) -> list[Comparison]:
    """The old release's findings under the new model's name: a finding's id ends with the model, which a release may rename."""
    ours = old.models[0].name
    renamed = []
    for c in old.comparisons:
        if c.model == ours:
            rule = c.finding.removeprefix(finding_id(c.metric, c.grouping, c.group, ours))
            finding = finding_id(c.metric, c.grouping, c.group, name) + rule
            renamed.append(replace(c, model=name, finding=finding))
    return renamed


def _only_one(first: Iterable[str], second: Iterable[str]) -> list[str]:
    return sorted({*first} ^ {*second})


def _from_file(place: str, path: str) -> Baseline:
    import fsspec

    from reporter.archive.address import Address
    from reporter.archive.reading import report_of_any_version
    from reporter.archive.store import failures

    address = Address.of(place)
    try:
        with fsspec.open(place, "rb") as file:
            content: bytes = file.read()
    except (ValueError, ImportError) as error:
        raise _unread(address, error) from None
    except failures() as error:
        raise _unread(address, error) from None
    return Baseline(report_of_any_version(content, path=address.shown), path.rsplit("/", 1)[-1], content)


def _unread(address: Address, error: Exception) -> ConfigError:
    reason = address.hide(str(getattr(error, "strerror", None) or error))
    return ConfigError(Problem(f"cannot read the baseline {address.shown}: {reason}", key="baseline"))


def _from_record(place: str, allowed_signers: Path | None, today: datetime.date | None) -> Baseline:
    from reporter.archive.address import Address
    from reporter.archive.store import open_archive
    from reporter.archive.verify import split_location

    parts = split_location(place if "://" in place else str(Path(place).absolute()))
    if parts is None:
        shown = Address.of(place).shown
        raise ConfigError(Problem(f"found {shown!r}, expected a record, a report.json, or {LATEST}", key="baseline"))
    root, model, record = parts
    archive = open_archive(root)
    if not archive.exists(model, record):
        raise ConfigError(Problem(f"found no record {Address.of(place).shown!r}", key="baseline"))
    return _stored(archive, model, record, _signoffs(archive, model, record, allowed_signers), today)


def _latest_approved(
    location: str | Archive | None,
    base: Path | None,
    model: str,
    allowed_signers: Path | None,
    today: datetime.date | None,
) -> Baseline:
    from reporter.archive.chain import read_chain
    from reporter.archive.signatures import check_allowed_signers
    from reporter.archive.store import open_archive, slug

    if location is None:
        raise ConfigError(Problem(f"{LATEST} needs an archive", key="baseline", hint="Set archive or give --archive."))
    if allowed_signers is None:
        raise ConfigError(
            Problem(
                f"{LATEST} needs to know whose approvals count",
                key="baseline",
                hint="Set allowed_signers to an OpenSSH allowed-signers file.",
            )
        )
    check_allowed_signers(allowed_signers)
    archive = open_archive(location, base=base) if isinstance(location, str) else location
    folder = slug(model)
    for record in reversed(read_chain(archive, folder)):
        signed = _signoffs(archive, folder, record, allowed_signers)
        if _approved(signed, today):
            return _stored(archive, folder, record, signed, today)
    raise ConfigError(
        Problem(
            f"the archive holds no approved record of {model}",
            key="baseline",
            hint="Sign one with reporter sign, or name a baseline.",
        )
    )


def _signoffs(archive: Archive, model: str, record: str, allowed_signers: Path | None) -> SignoffCheck:
    from reporter.archive.chain import read_link
    from reporter.archive.signoff import check_signoffs

    link = read_link(archive, model, record)
    return check_signoffs(archive, link.reference, created=link.created, allowed_signers=allowed_signers)


def _approved(signed: SignoffCheck, today: datetime.date | None) -> bool:
    """A rejection of which only the signature is left counts too: whoever removed the statement would have the approval."""
    day = today or datetime.datetime.now(datetime.UTC).date()
    return not signed.faults and signed.state(day) in ("approved", "approved with conditions")


def _stored(archive: Archive, model: str, record: str, signed: SignoffCheck, today: datetime.date | None) -> Baseline:
    """An approval is worth nothing beside a report that was changed since, so the record is checked first."""
    from reporter.archive.reading import report_of_any_version
    from reporter.archive.verify import bag_faults_of

    faults = bag_faults_of(archive, model, record)
    if faults:
        raise DataError(
            *(
                Problem(f"the baseline {record} is not what was sealed: {fault}", key="baseline")
                for fault in faults[:10]
            )
        )
    content = archive.read(model, record, "data", "report.json")
    return Baseline(report_of_any_version(content, path=record), record, content, _approved(signed, today))
