"""Kills ``reporter run --archive`` at 50 random moments, and the archiving itself at 200: the archive is valid after each.

python tests/benchmarks/archive_kills.py [KILLS]
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from reporter.archive.store import open_archive
from reporter.archive.verify import verify_archive
from reporter.packaged import packaged_folder

DRIVER = Path(__file__).parents[1] / "archive" / "kills.py"


def main(kills: int) -> int:
    """Kill, verify, count."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        config = packaged_folder("configs") / "clinic.yaml"
        command = [
            sys.executable,
            "-m",
            "reporter",
            "run",
            str(config),
            "--format",
            "json",
            "--out",
            str(folder / "out"),
        ]
        command += ["--archive", str(folder / "runs"), "--quiet"]
        started = time.perf_counter()
        subprocess.run(command, capture_output=True, check=False)
        whole = time.perf_counter() - started
        draws = random.Random(5)
        broken = 0
        for _ in range(kills):
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(draws.uniform(0, 1.1 * whole))
            process.kill()
            process.wait()
            broken += not verify_archive(open_archive(folder / "runs")).valid
        listed = len(verify_archive(open_archive(folder / "runs")).records)
        print(
            f"{kills} runs killed: {listed - 1} had archived their record, {broken} left an archive that is not valid"
        )
        subprocess.run([sys.executable, "-W", "ignore", str(DRIVER), str(folder / "steps"), "200"], check=True)
        found = verify_archive(open_archive(folder / "steps"))
        print(f"archiving killed 200 times: {len(found.records)} records, valid: {found.valid}")
    return int(broken > 0 or not found.valid)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
