"""Frames from Python as Arrow tables: every column of single values in a type that an engine reads, called what pandas calls them.

Knows no engine; repeated and missing names of columns are left to ``tables``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from reporter.data.values import text_of
from reporter.errors import InputError, Problem
from reporter.stats.delta_options import as_found

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


def arrow_table(data: Any) -> pa.Table:
    """A pandas frame, a mapping of columns, or anything with the Arrow C stream interface.

    Raises
    ------
    InputError
        For anything else, and for what makes no table.

    Examples
    --------
    >>> import pandas as pd
    >>> arrow_table(pd.DataFrame({"quarter": pd.PeriodIndex(["2020Q1"], freq="Q")})).to_pylist()
    [{'quarter': '2020Q1'}]
    """
    import pyarrow as pa

    if hasattr(data, "iloc") and hasattr(data, "columns"):
        return _from_pandas(data)
    streams = hasattr(data, "__arrow_c_stream__") and not hasattr(data, "iloc")
    if not (streams or isinstance(data, dict)):
        expected = "a pandas or Arrow frame, an Ibis table or a path"
        raise InputError(Problem(f"found {as_found(data)}, expected {expected}", key="data"))
    try:
        return pa.table(data)
    except (TypeError, ValueError, OverflowError, pa.ArrowException) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(Problem(f"cannot be read as a table: {reason}", key="data")) from error


def _from_pandas(frame: pd.DataFrame) -> pa.Table:
    import pyarrow as pa

    names = [str(name) for name in frame.columns]
    arrays = []
    for position, name in enumerate(names):
        _check_unicode(name)
        try:
            arrays.append(pa.chunked_array([_array(frame.iloc[:, position])]))
        except UnicodeEncodeError as error:
            message = f"column {name!r} holds text that is not Unicode ({_HALF})"
            raise InputError(Problem(message, key="data")) from error
    return pa.table(arrays, names=names)


_HALF = "half of a pair of surrogates"


def _check_unicode(name: str) -> None:
    try:
        name.encode()
    except UnicodeEncodeError as error:
        raise InputError(Problem(f"the name {name!a} is not Unicode ({_HALF})", key="data")) from error


def _array(column: pd.Series[Any]) -> Any:
    import pandas as pd
    import pyarrow as pa

    dtype: Any = column.dtype
    values = dtype.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
    if isinstance(values, pd.PeriodDtype | pd.IntervalDtype):
        return _spelled(column)
    if isinstance(dtype, pd.SparseDtype):
        column = pd.Series(column.array.to_dense())
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError, OverflowError):
        # Python objects of several types, or integers beyond 64 bits: each value gets its one spelling.
        return pa.array(column.map(text_of), type=pa.string(), from_pandas=True)


def _spelled(column: pd.Series[Any]) -> Any:
    """Periods and intervals by their names; an engine would have the numbers they are stored as."""
    import pandas as pd
    import pyarrow as pa

    codes, distinct = pd.factorize(column)
    texts = pa.array([text_of(value) for value in distinct.tolist()], pa.string())
    return texts.take(pa.array(codes, mask=codes < 0))
