"""Killed at whatever moment, a run leaves an archive in which every record is whole. ``tests/benchmarks/archive_kills.py`` does many more."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from reporter.archive.store import open_archive
from reporter.archive.verify import verify_archive

HERE = Path(__file__).parent


def test_a_run_that_is_killed_leaves_no_partial_record(tmp_path: Path, release: Callable[..., Path]) -> None:
    config, place = release(), tmp_path / "archive"
    command = [sys.executable, "-m", "reporter", "run", str(config), "--archive", str(place), "--quiet"]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    whole = time.perf_counter() - started
    draws = random.Random(11)
    for _ in range(6):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(draws.uniform(0.3 * whole, 1.1 * whole))
        process.kill()
        process.wait()
        found = verify_archive(open_archive(place))
        assert found.valid, found.faults
        assert len(found.records) >= 1


def test_archiving_that_is_killed_at_forty_moments_leaves_no_partial_record(tmp_path: Path) -> None:
    place = tmp_path / "archive"
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(HERE / "kills.py"), str(place), "40"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    kills, through, listed = map(int, done.stdout.split())
    found = verify_archive(open_archive(place))
    assert found.valid, found.faults
    assert len(found.records) == listed
    assert 1 + through <= listed <= 1 + kills
    assert listed < 1 + kills
