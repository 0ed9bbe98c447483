"""Shared fixtures: where the public data and the golden values are, and which real parts this machine has."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REFERENCE = Path(__file__).parent / "reference"


def _shared_folder(*parts: str) -> Path:
    root = os.environ.get("REPORTER_DATA")
    if not root:
        pytest.skip("REPORTER_DATA is not set: it names the folder with the public data sets and golden values")
    folder = Path(root).joinpath(*parts)
    if not folder.is_dir():
        pytest.skip(f"REPORTER_DATA has no folder {'/'.join(parts)}")
    return folder


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public data sets."""
    return _shared_folder("data")


@pytest.fixture(scope="session")
def shared_golden() -> Path:
    """The folder of golden values made by independent software."""
    return _shared_folder("golden")
