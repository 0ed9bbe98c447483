"""Archives record after record in children that are killed at random moments; prints how many of them were through.

    python tests/archive/kills.py ARCHIVE KILLS

Each child seals a report of its own. A child's whole way from the report to the renamed record takes some milliseconds; it is killed
somewhere on it. Run in a process of its own, since it forks.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import pandas as pd

from reporter.archive.record import archive_record
from reporter.archive.store import open_archive
from reporter.config.loader import load_config
from reporter.provenance import moment_of_run
from reporter.runner import evaluate


def main(place: Path, kills: int) -> None:
    """Fork, kill, count."""
    frame = pd.DataFrame({"sex": ["F", "M"] * 20, "ill": [1, 0, 0, 1] * 10, "referred": [1, 0] * 20})
    config = {
        "data": {"source": "(frame)", "label": "ill"},
        "models": [{"name": "m", "prediction": "referred"}],
        "groups": ["sex"],
    }
    done = evaluate(load_config(config, environ=os.environ), data=frame)
    archive = open_archive(place)
    draws = random.Random(7)

    def write(version: str) -> None:
        report = replace(done.report, card=replace(done.report.card, version=version))
        archive_record(
            archive, report, counts=done.counts, files={"card.html": b"x" * 300_000}, log="", now=moment_of_run()
        )

    started = time.perf_counter()
    write("first")
    typical = time.perf_counter() - started
    through = 0
    for i in range(kills):
        child = os.fork()
        if child == 0:
            write(f"killed-{i}")
            os._exit(0)
        time.sleep(draws.uniform(0, 1.3 * typical))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        through += os.WIFEXITED(status)
    print(f"{kills} {through} {len(archive.records('Model'))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
