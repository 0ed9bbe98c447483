"""What a run was: its clock, versions, seed, config and hashes, gathered once and passed in.

The only place that asks the clock, git and the installed packages. No path of the machine, user name or secret is kept.
"""

from __future__ import annotations

import datetime
import hashlib
import os
import platform
import re
import subprocess
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from reporter import __version__
from reporter.config.loader import LoadedConfig
from reporter.errors import ConfigError, Problem
from reporter.results import Provenance

PACKAGES = ("duckdb", "ibis-framework", "jinja2", "matplotlib", "numpy", "pandas", "pyarrow", "scipy", "weasyprint")


def moment_of_run(environ: Mapping[str, str] = os.environ) -> datetime.datetime:
    """The run's time in UTC, to the second: SOURCE_DATE_EPOCH when it is set, else the clock.

    Examples
    --------
    >>> moment_of_run({"SOURCE_DATE_EPOCH": "0"}).isoformat()
    '1970-01-01T00:00:00+00:00'
    """
    epoch = environ.get("SOURCE_DATE_EPOCH")
    if epoch is None:
        return datetime.datetime.now(datetime.UTC).replace(microsecond=0)
    try:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
    except (ValueError, OverflowError, OSError):
        raise ConfigError(
            Problem(f"found {epoch!r}, expected a number of seconds since 1970", key="SOURCE_DATE_EPOCH")
        ) from None


def make_provenance(
    loaded: LoadedConfig,
    *,
    moment: datetime.datetime,
    inputs: Sequence[dict[str, Any]],
    overrides: Sequence[str] = (),
) -> Provenance:
    """The provenance of a run of ``loaded`` at ``moment`` over ``inputs`` (each with name and sha256)."""
    name = loaded.path.name if loaded.path else "(from Python)"
    return Provenance(
        created=moment.isoformat(),
        reporter_version=__version__,
        python=platform.python_version(),
        packages={package: metadata.version(package) for package in PACKAGES},
        command=_command(name, overrides),
        config_name=name,
        config_sha256=hashlib.sha256(loaded.text).hexdigest(),
        config=dict(loaded.public),
        config_text=loaded.text.decode("utf-8", "replace"),
        seed=loaded.config.seed,
        inputs=tuple(inputs),
        git=_git(loaded.base, name) if loaded.path else None,
        fonts={Path(font).name: _sha256(loaded.base / font) for font in loaded.config.output.fonts},
        rule_lines=tuple(_line(loaded, i) for i in range(len(loaded.config.flags.rules))),
    )


def _command(name: str, overrides: Sequence[str]) -> str:
    kept = [o for o in overrides if not o.startswith(("output.", "archive=", "sealed_archive=", "baseline="))]
    shown = [re.sub(r"://[^/@\s]*@", "://***@", override) for override in kept]
    return " ".join(["reporter run", name, *(f"--set '{override}'" for override in shown)])


def _line(loaded: LoadedConfig, rule: int) -> int | None:
    position = loaded.positions.get(f"flags.rules[{rule}]")
    return position[0] if position else None


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _git(folder: Path, name: str) -> dict[str, Any] | None:
    """The commit of the folder that holds the config, whether tracked files differ from it, and the config's path in the
    repository; None outside one."""
    try:
        commit = _run_git(folder, "rev-parse", "HEAD")
        prefix = _run_git(folder, "rev-parse", "--show-prefix")
        changed = _run_git(folder, "status", "--porcelain", "--untracked-files=no")
    except (OSError, subprocess.SubprocessError):
        return None
    return {"commit": commit, "modified": bool(changed), "path": f"{prefix}{name}"}


def _run_git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments],
        capture_output=True,
        text=True,
        check=True,
        timeout=10,
        stdin=subprocess.DEVNULL,
    )
    return done.stdout.strip()
