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


CONFIG = "data:\n  source: a.csv\n  label: y\nmodels:\n  - {name: m, prediction: d}\n"


def _check(folder: Path, lines: str, capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    (folder / "a.csv").write_text("y,d\n1,1\n0,1\n")
    (folder / "c.yaml").write_text(CONFIG + lines)
    code = _guarded(["check", str(folder / "c.yaml"), *options])
    out, err = capsys.readouterr()
    return code, out.replace(f"{folder}/", ""), err.replace(f"{folder}/", "")


@pytest.mark.parametrize("gate", ["worse_than_baseline", "unsigned_baseline"])
def test_check_warns_of_a_gate_that_needs_a_baseline(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], gate: str
) -> None:
    code, out, err = _check(tmp_path, f"fail_on: [diverges, {gate}]\n", capsys)
    assert (code, out) == (0, "c.yaml: no problems found\n")
    assert err == (
        f"c.yaml:6:21 fail_on[1]: found {gate}, which always fails without a baseline. "
        "Set baseline, or give --baseline to run.\n"
    )


def test_check_warns_of_latest_approved_without_an_archive(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "signers").write_text("")
    code, out, err = _check(tmp_path, "baseline: latest-approved\nallowed_signers: signers\n", capsys)
    assert (code, out) == (0, "c.yaml: no problems found\n")
    assert err == (
        "c.yaml:6:11 baseline: latest-approved needs an archive, and none is set. Set archive, or give --archive to run.\n"
    )


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("baseline: latest-approved\n", "baseline: latest-approved needs to know whose approvals count"),
        ("baseline: a.csv\n", "expected a record, a report.json, or latest-approved"),
        ("baseline: bad.json\n", "bad.json"),
        ("baseline: latest-approved\narchive: store\nallowed_signers: signers\n", "holds no approved record"),
    ],
)
def test_check_reads_the_baseline_as_a_run_would(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], lines: str, said: str
) -> None:
    (tmp_path / "bad.json").write_text('{"a": 1}')
    (tmp_path / "signers").write_text(
        "a@b.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHm2v1sR1sJ2bKqgSFgWBtNqVwmAaRfGd5uFX5RxgqQr\n"
    )
    code, out, err = _check(tmp_path, lines, capsys)
    assert (code, out) == (2, "")
    assert said in err
    code, out, _ = _check(tmp_path, lines, capsys, "--data")
    assert (code, out) == (2, "")


def test_check_tells_of_the_baseline_and_of_the_data_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = _check(tmp_path, "baseline: a.csv\ngroups: [sex]\n", capsys, "--data")
    assert code == 2
    assert "expected a record, a report.json" in err
    assert "c.yaml:7:10 groups[0]: the data have no column 'sex'" in err


def test_check_takes_a_report_as_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check(tmp_path, "", capsys)[0] == 0
    run = ["run", str(tmp_path / "c.yaml"), "--out", str(tmp_path / "old"), "--format", "json", "-q"]
    assert _guarded(run) == 0
    capsys.readouterr()
    lines = "baseline: old/report.json\nfail_on: [worse_than_baseline]\n"
    assert _check(tmp_path, lines, capsys) == (0, "c.yaml: no problems found\n", "")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--archive", "{folder}/full"], "found the same place as --archive, or one inside the other"),
        (["--archive", "file://{folder}/full/x"], "found the same place as --archive, or one inside the other"),
        (["--out", "{folder}"], "found a place inside --out, the folder of the outputs"),
    ],
)
def test_no_option_brings_full_records_where_others_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], options: list[str], said: str
) -> None:
    lines = "small_cells: 2\nsealed_archive: full\n"
    assert _check(tmp_path, lines, capsys)[0] == 0
    given = [option.replace("{folder}", str(tmp_path)) for option in options]
    assert _guarded(["run", str(tmp_path / "c.yaml"), "-q", *given]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert f"c.yaml:7:17 sealed_archive: {said}" in err
    assert not (tmp_path / "full").exists()
