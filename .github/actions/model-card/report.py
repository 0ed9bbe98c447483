"""The action's work: run the reporter, then hand its verdict to the job as outputs, summary and annotations.

Reads CONFIG, BASELINE, ARCHIVE, OUT and FORMATS from the environment, so that no input is ever part of a shell command. What the
reporter says may hold names from the data: while it runs, and while its messages are shown, the runner obeys no workflow command.
Ends with the reporter's exit code.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
from pathlib import Path
from typing import Any


def main() -> int:
    """Run, publish, and return the exit code."""
    environ = os.environ
    out = Path(environ["OUT"])
    names = (name.strip() for name in environ["FORMATS"].split(","))
    formats = list(dict.fromkeys([*filter(None, names), "github"]))
    arguments = ["run", "--out", str(out), "--format", ",".join(formats), "--json"]
    for option, name in (("--baseline", "BASELINE"), ("--archive", "ARCHIVE")):
        if environ.get(name):
            arguments += [option, environ[name]]
    # What follows is no option, however it begins.
    done = _run([*arguments, "--", environ["CONFIG"]])
    result = _read(done.stdout)
    _write_outputs(result)
    summary = _summary(out, result, done.stderr)
    with open(environ["GITHUB_STEP_SUMMARY"], "a", encoding="utf-8") as file:
        file.write(summary)
    annotations = out / "annotations.txt"
    if result and annotations.is_file():
        print(annotations.read_text(encoding="utf-8"), end="", flush=True)
    elif not result:
        print(
            f"::error title=model card::No verdict was reached (exit code {done.returncode}); see the log.", flush=True
        )
    return done.returncode


def _run(arguments: list[str]) -> subprocess.CompletedProcess[str]:
    """The reporter's run, with its messages shown where no workflow command is obeyed."""
    token = secrets.token_hex(16)
    print(f"::stop-commands::{token}", flush=True)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "reporter", *arguments],
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        print(done.stderr, end="", flush=True)
    finally:
        print(f"\n::{token}::", flush=True)
    return done


def _read(stdout: str) -> dict[str, Any]:
    """What the run says for machines; empty when it ended before there was a verdict."""
    try:
        result = json.loads(stdout)
    except ValueError:
        return {}
    return result if isinstance(result, dict) and "outcome" in result else {}


def _write_outputs(result: dict[str, Any]) -> None:
    files = result.get("files", {})
    values = {
        "verdict": result.get("outcome", "error"),
        "flagged-count": str(result.get("n_flagged", "")),
        "html": next(iter(files.get("html", [])), ""),
        "pdf": next(iter(files.get("pdf", [])), ""),
        "record": (result.get("record") or {}).get("path", ""),
    }
    with open(os.environ["GITHUB_OUTPUT"], "a", encoding="utf-8") as file:
        for name, value in values.items():
            end = f"end-{secrets.token_hex(16)}"
            file.write(f"{name}<<{end}\n{value}\n{end}\n")


def _summary(out: Path, result: dict[str, Any], messages: str) -> str:
    if result:
        written = out / "summary.md"
        text = written.read_text(encoding="utf-8") if written.is_file() else ""
        problems = "\n".join(result.get("problems", []))
        return text + (f"\n### What could not be made\n\n{_code_block(problems)}" if problems else "")
    return f"## Model card: no verdict was reached\n\n{_code_block(messages[-20_000:])}"


def _code_block(text: str) -> str:
    """The text as it is, fenced so that nothing in it ends the block."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text.rstrip()}\n{fence}\n"


if __name__ == "__main__":
    raise SystemExit(main())
