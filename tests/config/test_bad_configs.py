"""Every bad config gives exactly the message in the .txt file beside it. ``pytest --update-golden`` writes them anew."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reporter.config.loader import load_config
from reporter.errors import ConfigError

FOLDER = Path(__file__).parent.parent / "bad_configs"
CONFIGS = sorted(path.stem for path in FOLDER.glob("*.yaml"))


@pytest.mark.parametrize("name", CONFIGS)
def test_bad_config_gives_exactly_its_message(name: str, update_golden: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FOLDER)
    with pytest.raises(ConfigError) as caught:
        load_config(Path(f"{name}.yaml"), environ={"SECRET": "swordfish", "THRESHOLD": "0.3"})
    golden = FOLDER / f"{name}.txt"
    if update_golden:
        golden.write_text(f"{caught.value}\n", encoding="utf-8")
    assert f"{caught.value}\n" == golden.read_text("utf-8")


def test_every_message_belongs_to_a_config() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.txt")) == CONFIGS


@pytest.mark.parametrize("name", CONFIGS)
def test_messages_speak_the_language_of_the_config(name: str) -> None:
    text = (FOLDER / f"{name}.txt").read_text("utf-8")
    jargon = r"pydantic|Input should|shape:|NoneType|\b(dict|tuple|str|int|float|bool)\b|Traceback|Value error"
    assert re.search(jargon, text) is None


@pytest.mark.parametrize("name", CONFIGS)
def test_every_problem_has_its_line(name: str) -> None:
    for line in (FOLDER / f"{name}.txt").read_text("utf-8").splitlines():
        assert line.startswith(f"{name}.yaml:")
