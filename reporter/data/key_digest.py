"""One hash that stands for all values of the key column: two tables with the same hash have the same rows, in any order and type."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import numpy as np

from reporter.data.values import text_of

if TYPE_CHECKING:
    from reporter.config.loader import LoadedConfig
    from reporter.data.source import Source

MOST_KEYS = 20_000_000
"""Beyond this many rows no hash is made, as all keys would have to be held at once."""


def key_digest(source: Source, loaded: LoadedConfig) -> str | None:
    """The SHA-256 of the keys' texts, sorted by length and then by bytes, with their lengths; None without a key or with too many rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    key = loaded.config.data.key
    if key is None or source.n > MOST_KEYS:
        return None
    column = source.fetch(source.table.select(key=source.table[key]))["key"].combine_chunks()
    keys = pa.concat_arrays(column.chunks) if isinstance(column, pa.ChunkedArray) else column
    texts = _sorted_texts(keys).cast(pa.large_string())
    digest = hashlib.sha256()
    digest.update(pc.binary_length(texts).to_numpy(zero_copy_only=False).astype("<i8").tobytes())
    digest.update(b"".join(_bytes(texts)))
    return digest.hexdigest()


def _sorted_texts(keys: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_integer(keys.type) and (pc.min(keys).as_py() or 0) >= 0:
        # The order of whole numbers is that of their texts by length and bytes.
        return pa.array(np.sort(keys.to_numpy(zero_copy_only=False))).cast(pa.string())
    if not pa.types.is_string(keys.type):
        encoded = keys if pa.types.is_dictionary(keys.type) else keys.dictionary_encode()
        names = pa.array([text_of(value) for value in encoded.dictionary.to_pylist()], pa.string())
        keys = names.take(encoded.indices)
    table = pa.table({"length": pc.binary_length(keys), "text": keys})
    return keys.take(pc.sort_indices(table, sort_keys=[("length", "ascending"), ("text", "ascending")]))


def _bytes(texts: Any) -> list[bytes]:
    """The characters of all texts, one after another."""
    _, offsets, data = texts.buffers()
    if data is None:
        return []
    places = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return [memoryview(data)[int(places[0]) : int(places[-1])].tobytes()]
