"""Work in several processes, or on a cluster through one of joblib's backends."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from reporter.errors import MissingExtraError
from reporter.stats.noise import Spread, in_this_process


def processes(n: int) -> Spread:
    """A way to spread work over ``n`` processes; 1: this process, without joblib.

    The backend is joblib's: within ``joblib.parallel_config(backend="dask")`` (or "ray", "spark") the work goes there. Results
    come in the order of the work.

    Raises
    ------
    MissingExtraError
        joblib is not installed and n is not 1.

    Examples
    --------
    >>> list(processes(1)(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    if n == 1:
        return in_this_process
    try:
        import joblib
    except ImportError:
        raise MissingExtraError(feature="work in several processes", package="joblib", extra="parallel") from None

    def spread(function: Callable[..., Any], work: Sequence[tuple[Any, ...]]) -> Iterator[Any]:
        parallel = joblib.Parallel(n_jobs=n, return_as="generator")
        results: Iterator[Any] = parallel(joblib.delayed(function)(*arguments) for arguments in work)
        return results

    return spread
