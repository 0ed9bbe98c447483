"""Real records of a small model, keys made on the spot, and the command line as a user runs it."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reporter.archive.chain import RecordRef
from reporter.archive.record import archive_record
from reporter.archive.store import Archive, open_archive
from reporter.runner import Evaluation, evaluate

FIRST_DAY = datetime.datetime(2026, 1, 15, 9, 0, tzinfo=datetime.UTC)

Run = Callable[..., "subprocess.CompletedProcess[str]"]
Evaluate = Callable[..., Evaluation]
Make = Callable[..., RecordRef]


def _frame(n_missed: int) -> Any:
    """80 patients, 40 of each sex, half of them ill; of the ill women ``n_missed`` are missed, of the ill men 2."""
    import pandas as pd

    rows = []
    for sex, missed in (("F", n_missed), ("M", 2)):
        rows += [(sex, 1, int(i >= missed)) for i in range(20)] + [(sex, 0, int(i < 3)) for i in range(20)]
    return pd.DataFrame(rows, columns=["sex", "ill", "referred"])


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch) -> Evaluate:
    """Compute a report: ``evaluated("1.1", day=30, n_missed=12, accepted=[...])``."""

    def make(
        version: str = "1.0", *, day: float = 0, n_missed: int = 2, name: str = "Referral model", **keys: Any
    ) -> Evaluation:
        from reporter.config.loader import load_config

        moment = FIRST_DAY + datetime.timedelta(days=day)
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(moment.timestamp())))
        config = {
            "card": {"name": name, "version": version, "vocabulary": {"unit": "patient", "units": "patients"}},
            "data": {"source": "(frame)", "label": "ill"},
            "models": [{"name": version, "prediction": "referred"}],
            "groups": ["sex"],
            "metrics": ["accuracy", "fnr", "fpr"],
            "flags": {
                "min_group_size": 10,
                "rules": [
                    {"metric": "fnr", "reference": "rest", "difference": 0.1, "side": "high", "severity": "fail"}
                ],
            },
            **keys,
        }
        return evaluate(load_config(config, environ=os.environ), data=_frame(n_missed))

    return make


@pytest.fixture
def record(evaluated: Evaluate) -> Make:
    """Archive a release: ``record(archive, "1.1", day=30)``."""

    def make(
        archive: Archive, version: str = "1.0", *, day: float = 0, files: dict[str, bytes] | None = None, **options: Any
    ) -> RecordRef:
        done = evaluated(version, day=day, **options)
        now = FIRST_DAY + datetime.timedelta(days=day)
        return archive_record(
            archive, done.report, counts=done.counts, files=files or {"card.html": b"<p>card</p>"}, log="log\n", now=now
        )[0]

    return make


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    """An archive that does not exist yet."""
    return open_archive(tmp_path / "archive")


@pytest.fixture
def key(tmp_path: Path) -> Callable[[str], Path]:
    """Make an OpenSSH key pair by name; the private key's path."""

    def make(name: str) -> Path:
        path = tmp_path / f"key-{name}"
        if not path.exists():
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", str(path)], check=True)
        return path

    return make


@pytest.fixture
def signers(tmp_path: Path, key: Callable[[str], Path]) -> Callable[..., Path]:
    """An allowed-signers file of these people: ``signers("board", "audit", options='valid-before="20260101"')``."""

    def make(*names: str, options: str = "") -> Path:
        path = tmp_path / f"signers-{'-'.join(names)}{len(options)}"
        lines = []
        for name in names:
            kind, blob = Path(f"{key(name)}.pub").read_text().split()[:2]
            lines.append(" ".join(part for part in (f"{name}@example.org", options, kind, blob) if part))
        path.write_text("\n".join(lines) + "\n")
        return path

    return make


@pytest.fixture
def reporter(tmp_path: Path) -> Run:
    """Run the command line in a process of its own: ``reporter("verify", path, SOURCE_DATE_EPOCH="0")``."""

    def run(*arguments: object, cwd: Path = tmp_path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "reporter", *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture
def release(tmp_path: Path) -> Callable[..., Path]:
    """A config with its data as files: ``release("1.1", n_missed=12)``; its path."""

    def make(version: str = "1.0", *, n_missed: int = 2, extra: str = "") -> Path:
        folder = tmp_path / f"release-{version}"
        folder.mkdir(exist_ok=True)
        frame = _frame(n_missed)
        frame["id"] = [f"P{i:03d}" for i in range(len(frame))]
        frame.to_csv(folder / "data.csv", index=False)
        config = folder / "config.yaml"
        config.write_text(
            f"""\
card: {{name: Referral model, version: "{version}"}}
data: {{source: data.csv, label: ill, key: id}}
models: [{{name: "{version}", prediction: referred}}]
groups: [sex]
metrics: [accuracy, fnr, fpr]
flags:
  min_group_size: 10
  rules: [{{metric: fnr, reference: rest, difference: 0.1, side: high, severity: fail}}]
output: {{directory: out, formats: [json]}}
{extra}"""
        )
        return config

    return make
