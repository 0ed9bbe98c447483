"""Where the package's own templates and configs are: inside an installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path


def packaged_folder(name: str) -> Path:
    """The folder ``templates`` or ``configs`` that belongs to this package.

    Examples
    --------
    >>> packaged_folder("templates").name
    'templates'
    """
    here = Path(__file__).resolve().parent
    for candidate in (here / name, here.parent / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the installation is incomplete: no folder {name} in {here}")
