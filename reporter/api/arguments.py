"""Arguments that several functions take: a table, a vector with one value for each row, a confidence level.

What does not fit is an :class:`~reporter.errors.InputError` (a ValueError) with the argument's name, what was found and what was
expected.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import TYPE_CHECKING, Any

from reporter.errors import InputError, Problem
from reporter.stats.delta_options import as_found, value_problems

if TYPE_CHECKING:
    import pandas as pd

A_TABLE = "a pandas or Arrow frame, an Ibis table or a path"


def vector(name: str, values: Any) -> pd.Series[Any]:
    """One value for each row, numbered from 0.

    Lists, arrays, Series, Arrow arrays and iterators are vectors. A text, a mapping or a set is none, nor is a table.

    Examples
    --------
    >>> vector("labels", iter([1, 0])).tolist()
    [1, 0]
    """
    import pandas as pd

    if hasattr(values, "to_pandas"):
        values = values.to_pandas()
    if isinstance(values, str | bytes | Mapping | Set) or not isinstance(values, Iterable):
        raise InputError(Problem(f"found {as_found(values)}, expected a vector with one value for each row", key=name))
    if isinstance(values, Iterator):
        values = list(values)
    if getattr(values, "ndim", 1) != 1:
        message = f"found {values.ndim} dimensions, expected a vector with one value for each row"
        raise InputError(Problem(message, key=name))
    series = values if isinstance(values, pd.Series) else pd.Series(values)
    check_single_values(name, series)
    return series.reset_index(drop=True)


def check_single_values(name: str, column: pd.Series[Any]) -> None:
    """Refuse rows that hold lists or the like, and complex numbers."""
    if holds_several_values(column):
        message = "found rows that hold several values (lists or the like), expected one value in each"
        raise InputError(Problem(message, key=name))
    if column.dtype.kind == "c":
        raise InputError(Problem("found complex numbers, expected numbers or words", key=name))


def holds_several_values(column: pd.Series[Any]) -> bool:
    """Whether rows of a column hold lists, mappings or the like."""
    import pandas as pd

    if not (column.dtype == object or isinstance(column.dtype, pd.ArrowDtype)):
        return False
    try:
        pd.factorize(column)
    except (TypeError, NotImplementedError):  # what cannot be hashed: pandas' own objects, Arrow's
        return True
    return False


def check_confidence(confidence: Any) -> None:
    """Refuse what is no level of confidence."""
    problems = value_problems({"confidence": confidence})
    if problems:
        raise InputError(*problems)


def may_be_a_table(data: Any) -> bool:
    """Whether this is something that can be opened as a table; only opening it tells for sure."""
    import pandas as pd

    if isinstance(data, str | os.PathLike | Mapping | pd.DataFrame):
        return True
    if isinstance(data, pd.Series | pd.Index):
        return False
    return any(hasattr(data, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "to_pyarrow"))


def as_arrow(data: Any) -> Any:
    """Columns in memory as an Arrow table; ``InputError`` where they make none."""
    import pyarrow as pa

    try:
        return data if isinstance(data, pa.Table) else pa.table(data)
    except (TypeError, ValueError, AttributeError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(Problem(f"the data cannot be read as a table: {reason}", key="data")) from None
