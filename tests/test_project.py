"""The project's frame: what is packed, what a bare import loads, what the README promises, and the committed example data."""

from __future__ import annotations

import ast
import doctest
import importlib.metadata
import itertools
import os
import re
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

import reporter
from reporter.config.schema import Config

ROOT = Path(__file__).parent.parent
CONFIGS = sorted((ROOT / "configs").glob("*.yaml"))
HEAVY = ("pandas", "ibis", "duckdb", "pyarrow", "matplotlib", "weasyprint", "scipy", "numpy")


def _run(*command: str | Path, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(word) for word in command],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def _pyproject() -> dict:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_version_is_the_same_everywhere() -> None:
    declared = _pyproject()["project"]["version"]
    assert reporter.__version__ == declared
    assert importlib.metadata.version("model-card-reporter") == declared
    assert f"## [{declared}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_make_command_in_the_readme_is_a_target() -> None:
    named = set(
        re.findall(r"^\s*(?:\$ )?make ([a-z]+)", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert {"card", "test"} <= named
    assert named <= targets


def test_every_file_and_folder_that_the_readme_links_to_exists() -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#]+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_reporter_command_in_the_readme_exists() -> None:
    named = set(
        re.findall(r"(?:^|`)\s*reporter ([a-z]+)\b", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    )
    assert {"run", "check", "init"} <= named
    for command in sorted(named):
        done = _run(sys.executable, "-m", "reporter", command, "--help")
        assert done.returncode == 0, done.stderr


def test_the_python_examples_of_the_readme_run() -> None:
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.attempted > 0
    assert result.failed == 0


def test_the_first_config_of_the_readme_validates() -> None:
    block = re.search(
        r"## A first config\n\n```yaml\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL
    )
    assert block
    assert [model.name for model in Config.model_validate(yaml.safe_load(block[1])).models] == ["2.4", "2.3"]


def test_every_third_party_import_is_declared() -> None:
    project = _pyproject()["project"]
    declared = [*project["dependencies"], *itertools.chain(*project["optional-dependencies"].values())]
    names = {re.split(r"[\[<>=! ]", requirement)[0].lower() for requirement in declared}
    homes = importlib.metadata.packages_distributions()
    undeclared = set()
    for path in sorted((ROOT / "reporter").rglob("*.py")):
        for module in _imported(ast.parse(path.read_text(encoding="utf-8"))):
            # An extra that is not installed here: by the name it is declared under.
            installed = homes.get(module) or [name for name in names if name.startswith(module)]
            distributions = {name.lower().replace("_", "-") for name in installed}
            if module not in sys.stdlib_module_names and module != "reporter" and not distributions & names:
                undeclared.add(f"{path.relative_to(ROOT)} imports {module}")
    assert undeclared == set()


def test_every_extra_that_a_message_names_exists() -> None:
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "reporter").rglob("*.py"))
    named = set(re.findall(r"""\bextra=["']([a-z0-9]+)["']""", source)) - {"forbid", "allow", "ignore"}
    assert named
    assert named <= set(_pyproject()["project"]["optional-dependencies"])


def _imported(tree: ast.AST) -> set[str]:
    """The top-level modules that a file imports, anywhere in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            found.add(node.module.split(".")[0])
    return found


@pytest.mark.parametrize("statement", ["import reporter", "import reporter.cli", "import reporter.config.schema"])
def test_a_bare_import_loads_nothing_heavy(statement: str) -> None:
    done = _run(sys.executable, "-c", f"{statement}; import sys; print(*[m for m in {HEAVY} if m in sys.modules])")
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == []


def test_help_and_version_load_nothing_heavy() -> None:
    for option in ("--help", "--version"):
        done = _run(sys.executable, "-X", "importtime", "-m", "reporter", option)
        assert done.returncode == 0, done.stderr
        loaded = {
            line.rsplit("|", 1)[-1].strip() for line in done.stderr.splitlines() if line.startswith("import time:")
        }
        assert "reporter.cli" in loaded or "typer" in loaded
        assert loaded.intersection(HEAVY) == set()


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_config_validates(path: Path) -> None:
    config = Config.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    assert config.models


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("compas", "compas-scores-two-years.csv"),
        ("credit", "germancredit_fairness.csv"),
        ("reliability", "compas_friedler.csv"),
    ],
)
def test_the_sha256_of_a_config_is_that_of_the_public_file(name: str, file: str, shared_data: Path) -> None:
    import hashlib

    config = Config.model_validate(yaml.safe_load((ROOT / "configs" / f"{name}.yaml").read_text(encoding="utf-8")))
    assert config.data.sha256 == hashlib.sha256((shared_data / file).read_bytes()).hexdigest()


def test_the_clinic_example_is_what_its_script_makes(tmp_path: Path) -> None:
    made = tmp_path / "clinic.csv"
    done = _run(sys.executable, ROOT / "configs" / "data" / "make_clinic.py", made)
    assert done.returncode == 0, done.stderr
    assert made.read_bytes() == (ROOT / "configs" / "data" / "clinic.csv").read_bytes()


def test_the_clinic_example_holds_the_harm_that_it_says() -> None:
    import pandas as pd

    patients = pd.read_csv(ROOT / "configs" / "data" / "clinic.csv").query("visit_year == 2026 and ill == 1")
    old = patients["age"] > 75
    missed_24 = patients["risk_24"] < 0.35
    missed_23 = patients["referred_23"] == 0
    assert missed_24[old].mean() - missed_24[~old].mean() > 0.10
    assert abs(missed_23[old].mean() - missed_23[~old].mean()) < 0.05
    for column in ("sex", "ethnicity"):
        rates = missed_24.groupby(patients[column])
        for group, rate in rates.mean().items():
            assert abs(rate - missed_24[patients[column] != group].mean()) < 0.05, group


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    done = _run(
        *(sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--quiet"),
        *("--disable-pip-version-check", "--wheel-dir", folder, ROOT),
    )
    assert done.returncode == 0, done.stderr
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_holds_templates_and_configs_and_no_tests(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    committed = [
        path for folder in ("templates", "configs") for path in _run("git", "ls-files", folder).stdout.splitlines()
    ]
    if committed:
        assert {f"reporter/{path}" for path in committed} <= names
    assert {"reporter/configs/clinic.yaml", "reporter/configs/data/clinic.csv", "reporter/py.typed"} <= names
    assert [name for name in names if not name.startswith(("reporter/", "model_card_reporter-"))] == []
    assert [name for name in names if name.endswith("lending.csv") or "/report/" in name] == []


def test_an_installed_wheel_makes_the_example_card_without_the_checkout(wheel: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(site)
    # Dependencies come from this environment; the checkout, which an editable install adds by a .pth file there, does not.
    paths = os.pathsep.join([str(site), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    command = "from reporter.cli import main; main()"
    out = tmp_path / "out"
    done = _run(
        *(sys.executable, "-S", "-c", command, "demo", "--out", out, "--format", "html,json"),
        cwd=tmp_path,
        PYTHONPATH=paths,
        PYTHONSAFEPATH="1",
    )
    assert done.returncode == 1, done.stderr
    assert {"card.html", "report.json"} <= {path.name for path in out.iterdir()}
    assert "75" in done.stdout or "75" in (out / "card.html").read_text(encoding="utf-8")
