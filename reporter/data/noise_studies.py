"""The noise studies of a config, run one after the other: their rows, their progress, and their errors at the config's lines.

Interrupted (Ctrl-C), what is finished is kept. Knows the config and the open table; the report and its words are made elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from reporter.config.keypath import KeyPath, path_text
from reporter.config.schema import NoiseConfig
from reporter.data.files import hash_file
from reporter.data.noise_results import noise_results, study_problems
from reporter.data.noise_rows import NoiseRows, noise_rows
from reporter.data.predictor_http import shown_address
from reporter.errors import MissingExtraError, Problem, ReporterError
from reporter.results import NoiseResult
from reporter.stats.noise import Progress

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.source import Source

FILES = ("onnx", "skops", "pickle")
"""The kinds of predictors that are one file."""


@dataclass(frozen=True)
class NoiseStudies:
    """What all studies found. ``interrupted``: somebody stopped them; the last result says what is missing.

    ``inputs`` are the predictors' files, with their hashes.
    """

    results: tuple[NoiseResult, ...] = ()
    interrupted: bool = False
    inputs: tuple[dict[str, Any], ...] = ()


def run_noise_studies(source: Source, loaded: LoadedConfig, *, progress: Progress | None = None) -> NoiseStudies:
    """Every study of the config, in its order. ``progress`` is called with what is done and all there is to do.

    Raises
    ------
    ReporterError
        Of the kind that the study raised, each problem at the key of the config that it is about.
    KeyboardInterrupt
        Stopped before anything was finished.
    """
    studies, inputs = loaded.config.noise_studies, _predictor_files(loaded)
    found: list[NoiseResult] = []
    for place, study in enumerate(studies):

        def told(done: int, every: int, place: int = place) -> None:
            if progress is not None:
                progress(place * every + done, len(studies) * every)

        try:
            found += _study(source, loaded, place, study, told)
        except KeyboardInterrupt:
            if not found:
                raise
            return NoiseStudies((*found[:-1], _stopped(found[-1], studies[place:])), True, inputs)
        if found[-1].partial:
            return NoiseStudies((*found[:-1], _stopped(found[-1], studies[place + 1 :])), True, inputs)
    return NoiseStudies(tuple(found), False, inputs)


def check_noise_studies(source: Source, loaded: LoadedConfig) -> list[Problem]:
    """What of the studies does not fit the rows, each at its key: everything that can be told without the predictors.

    For a source that fits the rest of its config. The rows that were read are kept for :func:`run_noise_studies`.
    """
    problems: list[Problem] = []
    for place, study in enumerate(loaded.config.noise_studies):
        try:
            rows = _rows(source, loaded, place, study)
        except ReporterError as error:
            problems += (_at(loaded, place, problem) for problem in error.problems)
            continue
        found = study_problems(study, rows.inputs, groups=rows.groups, label=rows.label)
        problems += (_at(loaded, place, problem) for problem in found)
    return problems


def _rows(source: Source, loaded: LoadedConfig, place: int, study: NoiseConfig) -> NoiseRows:
    kept: dict[int, NoiseRows] = source.memo.setdefault("noise rows", {})
    if place not in kept:
        kept[place] = noise_rows(source, loaded, study)
    return kept[place]


def _predictor_files(loaded: LoadedConfig) -> tuple[dict[str, Any], ...]:
    """Each file once; one that is missing is the study's to complain about."""
    named = (getattr(study.predictor, kind) for study in loaded.config.noise_studies for kind in FILES)
    paths = dict.fromkeys(loaded.base / name for name in named if name is not None)
    return tuple(
        {"name": path.name, "sha256": hash_file(path), "bytes": path.stat().st_size} for path in paths if path.is_file()
    )


def _study(
    source: Source, loaded: LoadedConfig, place: int, study: NoiseConfig, progress: Progress
) -> tuple[NoiseResult, ...]:
    config = loaded.config
    model = next((one for one in config.models if one.name == study.model and one.score is not None), None)
    try:
        rows = _rows(source, loaded, place, study)
        del source.memo["noise rows"][place]
        results = noise_results(
            study,
            rows.inputs,
            groups=rows.groups,
            label=rows.label,
            threshold=0.5 if model is None else model.cut,
            rule=">=" if model is None else model.rule,
            seed=config.seed,
            folder=loaded.base,
            sampled_from=rows.sampled_from,
            grouping=study.group,
            progress=progress,
        )
    except MissingExtraError as error:
        # Its message says how to install what is missing.
        error.problems = tuple(_at(loaded, place, replace(one, key="predictor")) for one in error.problems)
        raise
    except ReporterError as error:
        raise type(error)(*(_at(loaded, place, problem) for problem in error.problems)) from error
    return tuple(replace(one, predictor=_public(loaded, place, one.predictor)) for one in results)


def _at(loaded: LoadedConfig, place: int, problem: Problem) -> Problem:
    """The problem at its key's place in the config."""
    if problem.path:
        return problem
    start: KeyPath = ("noise", place) if isinstance(loaded.config.noise, tuple) else ("noise",)
    return loaded.problem(
        path_text((*start, *_key(problem.key))), _public(loaded, place, problem.message), problem.hint
    )


def _key(key: str) -> KeyPath:
    """A study's key, e.g. ``perturb.age at visit.sd``, as steps: a column's name may hold dots and anything else.

    >>> _key("perturb.a.b.sd"), _key("one_hot: [a, b]"), _key("predictor.onnx"), _key("groups")
    (('perturb', 'a.b', 'sd'), ('one_hot',), ('predictor', 'onnx'), ('group',))
    """
    change = re.fullmatch(r"perturb\.(.*?)(?:\.(sd|round|min|max|replace))?", key, flags=re.DOTALL)
    if change is not None:
        return tuple(step for step in ("perturb", change[1], change[2]) if step)
    first, *rest = key.split(":")[0].split(".")
    first = {"groups": "group", "label": "predictor", "threshold": "model", "rule": "model", "seed": ""}.get(
        first, first
    )
    return tuple(step for step in (first, *rest) if step)


def _public(loaded: LoadedConfig, place: int, text: str) -> str:
    """The text with an endpoint's address as the config writes it: parts of it may come from the environment."""
    address = loaded.config.noise_studies[place].predictor.http
    if address is not None:
        written = loaded.public["noise"]
        written = written[place] if isinstance(written, list) else written
        text = text.replace(shown_address(address), shown_address(written["predictor"]["http"]))
    return loaded.redact(text)


def _stopped(result: NoiseResult, missing: tuple[NoiseConfig, ...]) -> NoiseResult:
    names = ", ".join(study.model for study in missing)
    notes = (*result.notes, f"stopped before the studies {names}") if missing else result.notes
    return replace(result, partial=True, notes=notes)
