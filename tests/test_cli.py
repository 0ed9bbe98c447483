"""The command line: exit codes, what is on stdout and what on stderr."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporter.cli import _guarded


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nope"], "No such command 'nope'"),
        (["run"], "Missing argument 'CONFIG'"),
        (["run", "a.yaml", "--nope"], "No such option: --nope"),
        (["run", "a.yaml", "b.yaml"], "unexpected extra argument"),
        (["render", "report.json", "--out"], "'--out' requires an argument"),
        ([], "Usage: reporter"),
    ],
)
def test_wrong_usage_ends_with_2_and_names_what_is_wrong(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _guarded(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert said in err
    assert "Traceback" not in err


def test_a_config_that_is_not_there_ends_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _guarded(["run", str(tmp_path / "no.yaml"), "--quiet"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "found no such file" in err


def test_metrics_says_of_each_when_it_is_undefined(capsys: pytest.CaptureFixture[str]) -> None:
    assert _guarded(["metrics"]) == 0
    out, _ = capsys.readouterr()
    assert (
        "ppv (also precision)\n    tp / (tp + fp); needs label; interval: Wilson\n    undefined: nobody was predicted 1\n"
        in out
    )
    assert out.count("    undefined: ") * 3 == len(out.splitlines())


def test_an_unexpected_error_is_told_by_the_first_line_of_its_message(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ArithmeticError("\nBinder Error: what is wrong\n\nLINE 1: select\n        ^^^^^^")

    monkeypatch.setattr("reporter.cli.app", fail)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert _guarded(["metrics"]) == 5
    _, err = capsys.readouterr()
    assert "An unexpected error: ArithmeticError: Binder Error: what is wrong\n" in err
    (log,) = tmp_path.glob("*.log")
    assert f"The traceback is in {log}" in err
    assert "Traceback" in log.read_text()
