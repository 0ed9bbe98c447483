"""Whether two archives are one place, or one lies inside the other, however their addresses are written.

Looks at addresses, and at the links of local paths; opens no archive. Where an address leaves it open, two places count as one:
a second address costs a user a moment, a sealed record in a public archive cannot be taken back.
"""

from __future__ import annotations

import os
import posixpath
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

_SAME_SCHEME = {
    "s3a": "s3", "s3n": "s3", "gcs": "gs", "abfss": "abfs", "az": "abfs", "adl": "abfs", "ssh": "sftp", "https": "http",
}  # fmt: skip
_DEFAULT_PORTS = (":21", ":22", ":80", ":443")
_BUCKETS = ("s3", "gs", "memory")
"""Here the part after ``://`` is a part of the path; case counts in it."""


@dataclass(frozen=True)
class _Place:
    scheme: str
    host: str
    steps: tuple[str, ...]


APART = "Give the full records a place of their own, which nobody publishes."


def sealed_faults(sealed: str, places: Mapping[str, str], base: Path) -> Iterator[str]:
    """Why full records may not lie at ``sealed``: others see the places that these keys or options name. Tells no address.

    Examples
    --------
    >>> list(sealed_faults("cards", {"archive": "./cards"}, Path("/srv")))
    ['found the same place as archive, or one inside the other: the full record would be published']
    """
    for name, place in places.items():
        if "archive" in name and overlap(sealed, place, base):
            yield f"found the same place as {name}, or one inside the other: the full record would be published"
        elif "out" in name and is_inside(sealed, place, base):
            yield f"found a place inside {name}, the folder of the outputs: the full record would be published"


def overlap(first: str, second: str, base: Path) -> bool:
    """Whether one of two folders or fsspec URLs is the other or lies inside it. Paths are relative to ``base``.

    Examples
    --------
    >>> overlap("cards", "./cards/sealed/", Path("/srv")), overlap("cards", "cards-sealed", Path("/srv"))
    (True, False)
    >>> overlap("s3://b/cards", "s3a://b//x/../cards/", Path()), overlap("s3://b/cards", "s3://c/cards", Path())
    (True, False)
    """
    return is_inside(first, second, base) or is_inside(second, first, base)


def is_inside(inner: str, outer: str, base: Path) -> bool:
    """Whether ``inner`` is ``outer`` or a folder below it.

    Examples
    --------
    >>> is_inside("report/sealed", "report", Path("/srv")), is_inside("report", "report/sealed", Path("/srv"))
    (True, False)
    """
    low, high = _place(inner, base), _place(outer, base)
    if low.scheme != high.scheme or (low.host and high.host and low.host != high.host):
        return False
    return low.steps[: len(high.steps)] == high.steps or (low.scheme == "file" and _is_below(inner, outer, base))


def _place(location: str, base: Path) -> _Place:
    # Of a chain such as simplecache::s3://... the last is the place, the others are the way there.
    scheme, found, rest = location.rpartition("::")[2].partition("://")
    scheme = _SAME_SCHEME.get(scheme.casefold(), scheme.casefold())
    if not found or scheme in ("file", "local"):
        # Some file systems know no case and no form of an accent.
        text = unicodedata.normalize("NFC", os.path.realpath(_local(location, base))).casefold()
        return _Place("file", "", Path(text).parts)
    netloc, _, path = rest.partition("?")[0].partition("/")
    user, at, host = netloc.rpartition("@")
    if scheme == "abfs":
        container, host = (user, host) if at else (netloc, "")
        return _Place(scheme, host.casefold(), (container, *_steps(path)))
    if scheme in _BUCKETS:
        return _Place(scheme, "", _steps(f"{netloc}/{path}"))
    host = host.casefold()
    for port in _DEFAULT_PORTS:
        host = host.removesuffix(port)
    return _Place(scheme, host, _steps(unquote(path)))


def _steps(path: str) -> tuple[str, ...]:
    return tuple(step for step in posixpath.normpath(f"/{path}").split("/") if step)


def _local(location: str, base: Path) -> Path:
    text = location.rpartition("::")[2]
    return Path(os.path.expanduser(text.partition("://")[2])).absolute() if "://" in text else base / text


def _is_below(inner: str, outer: str, base: Path) -> bool:
    """What the file system itself says: a mount can show one folder at two paths."""
    folder, top = _local(inner, base), _local(outer, base)
    for parent in (folder, *Path(os.path.realpath(folder)).parents):
        try:
            if os.path.samefile(parent, top):
                return True
        except OSError:
            continue
    return False
