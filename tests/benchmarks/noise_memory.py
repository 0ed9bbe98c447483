"""Memory of the noise study: 1 million rows, 20 perturbed columns, 31 levels within 2 GiB.

    python tests/benchmarks/noise_memory.py [ROWS]

Prints the peak resident memory and CPU seconds, and ends with 1 if the bound is missed.
"""

from __future__ import annotations

import resource
import sys
import time

import numpy as np
import pandas as pd

import reporter

BOUND_GIB = 2.0


def main() -> int:
    """Run the study; 1 if the bound is missed."""
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    rng = np.random.default_rng(0)
    numeric = {f"x{i}": rng.integers(0, 50, n) for i in range(10)}
    binary = {f"b{i}": rng.integers(0, 2, n) for i in range(10)}
    inputs = pd.DataFrame(numeric | binary)
    weights = rng.normal(size=20) / np.r_[np.full(10, 50), np.ones(10)]

    def predict(frame: pd.DataFrame) -> np.ndarray:
        return 1 / (1 + np.exp(-(frame.to_numpy(dtype=np.float64) @ weights)))

    start = time.process_time()
    study = reporter.noise_study(
        predict,
        inputs,
        rng.integers(0, 3, n),
        perturb={name: {"sd": 5, "round": True, "min": 0} for name in numeric} | dict.fromkeys(binary, "flip"),
        levels={"from": 0, "to": 0.3, "step": 0.01},
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**30 if sys.platform == "darwin" else 2**20)
    print(
        f"{n:,} rows x {inputs.shape[1]} columns x 31 levels: {peak:.2f} GiB, {time.process_time() - start:.0f} CPU s"
    )
    print(study.curves.query("statistic == 'kappa' and noise == 0.3").to_string(index=False))
    return 0 if peak <= BOUND_GIB else 1


if __name__ == "__main__":
    sys.exit(main())
