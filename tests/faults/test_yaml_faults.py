"""Faults of YAML that users of such tools have reported: Norway, octal, exponents, duplicate keys, words, passwords."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporter.config.loader import LoadedConfig, load_config
from reporter.errors import ConfigError


def load(folder: Path, text: str, **environ: str) -> LoadedConfig:
    path = folder / "c.yaml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, environ=environ)


def config(*, positive: str = "1", rule: str = "{metric: fnr, difference: 0.05}", alpha: str = "0.05") -> str:
    return (
        f"data: {{source: p.csv, label: y, positive: {positive}}}\nmodels: [{{name: a, score: s}}]\n"
        f"flags: {{alpha: {alpha}, rules: [{rule}]}}\n"
    )


@pytest.mark.parametrize("word", ["NO", "no", "No", "yes", "Y", "n", "on", "OFF"])
def test_norway_stays_a_text(tmp_path: Path, word: str) -> None:
    loaded = load(tmp_path, config(rule=f"{{metric: fnr, difference: 0.05, reference: {word}}}", positive=word))
    assert loaded.config.flags.rules[0].reference == word
    assert loaded.config.data.positive == word


def test_a_truth_value_where_text_is_wanted_says_to_quote_it(tmp_path: Path) -> None:
    with pytest.raises(
        ConfigError, match=r'reference: found True \(a truth value\), expected a text. If it is text, quote it: "True"'
    ):
        load(tmp_path, config(rule="{metric: fnr, difference: 0.05, reference: True}"))


@pytest.mark.parametrize("number", ["0123", "01", "0o17", "0x1F", "0b1", "1_000", "12:30", "12:30:45"])
def test_octal_and_other_old_numbers_stay_text(tmp_path: Path, number: str) -> None:
    assert load(tmp_path, config(positive=number)).config.data.positive == number


def test_an_old_number_where_a_number_is_wanted_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"alpha: found the text '00\.05', expected a number"):
        load(tmp_path, config(alpha="00.05"))


@pytest.mark.parametrize(
    ("written", "value"), [("1e-2", 0.01), ("1E-2", 0.01), (".25", 0.25), ("5.e-2", 0.05), ("0.1e+0", 0.1)]
)
def test_exponents_are_numbers(tmp_path: Path, written: str, value: float) -> None:
    assert load(tmp_path, config(alpha=written)).config.flags.alpha == value


@pytest.mark.parametrize("written", [".nan", "nan", ".inf", "-.inf", "1e999"])
def test_what_is_not_finite_is_no_number(tmp_path: Path, written: str) -> None:
    with pytest.raises(ConfigError, match="alpha: found the text"):
        load(tmp_path, config(alpha=written))


def test_a_duplicate_key_is_an_error_with_both_lines(tmp_path: Path) -> None:
    text = config() + "models:\n  - {name: b, score: t}\n"
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    assert [str(problem) for problem in caught.value.problems] == [
        f"{tmp_path}/c.yaml:4:1 models: found this key on line 2 and again on line 4, expected it once. Keep one of them."
    ]


def test_a_quoted_key_is_the_same_key(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="models: found this key on line 2 and again on line 4"):
        load(tmp_path, config() + '"models": [{name: b, score: t}]\n')


def test_a_label_in_words_is_kept_as_it_is_written(tmp_path: Path) -> None:
    assert load(tmp_path, config(positive='">50K"')).config.data.positive == ">50K"
    assert load(tmp_path, config(positive="<=50K")).config.data.positive == "<=50K"


class TestPassword:
    TEXT = 'data:\n  source: {url: "postgres://reader:${DB_PASSWORD}@host/db", table: t}\nmodels: [{name: a, prediction: p}]\n'

    def test_is_read_from_the_environment_and_kept_out_of_the_rest(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, self.TEXT, DB_PASSWORD="hunter2")
        assert loaded.config.data.source.url == "postgres://reader:hunter2@host/db"  # type: ignore[union-attr]
        for kept in (repr(loaded), str(loaded.public), loaded.text.decode(), loaded.redact("failed: hunter2")):
            assert "hunter2" not in kept

    def test_unset_is_an_error_that_names_the_variable(self, tmp_path: Path) -> None:
        with pytest.raises(
            ConfigError, match=r"c\.yaml:2:17 data\.source\.url: the environment variable DB_PASSWORD is not set"
        ):
            load(tmp_path, self.TEXT)

    def test_written_in_the_config_is_refused_and_not_repeated(self, tmp_path: Path) -> None:
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, self.TEXT.replace("${DB_PASSWORD}", "hunter2").replace("table: t", "tabel: t"))
        assert "data.source.url: found a password written in a URL, expected ${NAME} in its place" in str(caught.value)
        assert "hunter2" not in str(caught.value)
