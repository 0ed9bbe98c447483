"""Loading a config: positions, what stays as written, the environment, --set, mappings, and how fast it is."""

from __future__ import annotations

import datetime
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from reporter.config.loader import LoadedConfig, config_from_public, load_config
from reporter.errors import ConfigError

MINIMAL = """\
data: {source: p.csv, label: ill}
models:
  - {name: "2.4", score: risk}
"""


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "c.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def load(folder: Path, text: str | bytes, *overrides: str, **environ: str) -> LoadedConfig:
    return load_config(write(folder, text), overrides=overrides, environ=environ)


def problems(folder: Path, text: str | bytes, *overrides: str, **environ: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(folder, text, *overrides, **environ)
    assert caught.value.exit_code == 2
    return [str(problem) for problem in caught.value.problems]


def test_everything_that_others_need_is_there(tmp_path: Path) -> None:
    loaded = load(tmp_path, MINIMAL)
    assert loaded.config.models[0].cut == 0.5
    assert loaded.public["flags"]["alpha"] == 0.05
    assert loaded.path == tmp_path / "c.yaml"
    assert loaded.text == MINIMAL.encode()
    assert loaded.base == tmp_path.resolve()


def test_positions_are_those_of_values_and_of_the_keys_of_lists_and_mappings(tmp_path: Path) -> None:
    text = "data:\n  source: p.csv\n  label: y\nmodels:\n  - name: a\n    score: s\nflags:\n  rules:\n    - {metric: fnr, difference: 0.1}\n"
    positions = load(tmp_path, text).positions
    assert positions["data"] == (1, 1)
    assert positions["data.source"] == (2, 11)
    assert positions["models"] == (4, 1)
    assert positions["models[0]"] == (5, 5)
    assert positions["models[0].score"] == (6, 12)
    assert positions["flags.rules[0].metric"] == (9, 16)


def test_a_problem_of_a_later_pass_is_placed_at_the_nearest_key(tmp_path: Path) -> None:
    loaded = load(tmp_path, MINIMAL)
    path = tmp_path / "c.yaml"
    assert str(loaded.problem("data.label", "no such column", "Is it 'ill_1'?")) == (
        f"{path}:1:30 data.label: no such column. Is it 'ill_1'?"
    )
    assert str(loaded.problem("models[0].prediction", "odd")) == f"{path}:3:5 models[0].prediction: odd"
    assert str(loaded.problem("output.fonts[0]", "odd")) == f"{path}:1:1 output.fonts[0]: odd"


@pytest.mark.parametrize("mark", [b"\xef\xbb\xbf", b""])
def test_a_byte_order_mark_and_windows_line_ends_change_no_position(tmp_path: Path, mark: bytes) -> None:
    loaded = load(tmp_path, mark + MINIMAL.replace("\n", "\r\n").encode())
    assert loaded.positions["data.source"] == (1, 16)
    assert loaded.positions["models[0].score"] == (3, 26)


def test_text_keys_keep_numbers_as_they_are_written(tmp_path: Path) -> None:
    text = (
        "card: {version: 2.10}\ndata: {source: p.csv, label: y, missing: [NA, -9, 1e3]}\n"
        "models: [{name: 2.40, score: s}, {name: 007, score: t}]\n"
        "trees: [{compare: [2.40, 007], attribute: sex, levels: [0, 1.0], split_on: [age]}]\n"
        "agreement: {icc_forms: [1, A1]}\n"
    )
    config = load(tmp_path, text).config
    assert config.card.version == "2.10"
    assert config.data.missing == ("NA", "-9", "1e3")
    assert [model.name for model in config.models] == ["2.40", "007"]
    assert config.trees[0].levels == ("0", "1.0")
    assert config.agreement is not None
    assert config.agreement.icc_forms == ("1", "A1")


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("1", 1),
        ("1.0", 1.0),
        ("true", True),
        ("'1'", "1"),
        ("yes", "yes"),
        ("0123", "0123"),
        ('">50K"', ">50K"),
        ("2020-01-01", "2020-01-01"),
    ],
)
def test_positive_keeps_the_kind_that_was_written(tmp_path: Path, written: str, value: object) -> None:
    positive = load(tmp_path, MINIMAL.replace("label: ill", f"label: ill, positive: {written}")).config.data.positive
    assert (positive, type(positive)) == (value, type(value))


def test_aliases_and_merge_keys_repeat_parts(tmp_path: Path) -> None:
    text = (
        "data: {source: p.csv, label: y}\nmodels: [{name: a, score: s}]\nflags:\n  rules:\n"
        "    - &rule {metric: fnr, difference: 0.05, severity: warn}\n    - {<<: *rule, metric: fpr}\n    - *rule\n"
    )
    lines = problems(tmp_path, text)
    assert lines == [
        f"{tmp_path}/c.yaml:3:1 flags: found two rules for fnr with the same name, expected a different name in each: "
        "it is part of a finding's id"
    ]
    rules = load(tmp_path, text.rsplit("    - *rule\n", 1)[0]).config.flags.rules
    assert [(rule.metric, rule.difference, rule.severity) for rule in rules] == [
        ("fnr", 0.05, "warn"),
        ("fpr", 0.05, "warn"),
    ]


def test_aliases_of_metrics_become_their_names(tmp_path: Path) -> None:
    text = (
        MINIMAL
        + "metrics: [selection_rate, referral_rate, sensitivity]\nflags: {rules: [{metric: specificity, difference: 0.1}]}\n"
    )
    config = load(tmp_path, text).config
    assert config.metrics == ("referral_rate", "tpr")
    assert config.flags.rules[0].metric == "tnr"


def test_without_a_label_the_defaults_shrink_to_the_referral_rate(tmp_path: Path) -> None:
    loaded = load(tmp_path, "data: {source: p.csv}\nmodels: [{name: a, score: s}]\n")
    assert loaded.config.metrics == ("referral_rate",)
    assert [rule.metric for rule in loaded.config.flags.rules] == ["referral_rate"]
    assert loaded.public["metrics"] == ["referral_rate"]


def test_a_metric_of_scores_is_fine_when_one_model_has_scores(tmp_path: Path) -> None:
    text = "data: {source: p.csv, label: y}\nmodels: [{name: a, score: s}, {name: b, prediction: p}]\nmetrics: [auc]\n"
    assert load(tmp_path, text).config.metrics == ("auc",)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.yaml: found no such file\. `reporter init DATA`"):
        load_config(tmp_path / "none.yaml", environ={})
    with pytest.raises(ConfigError, match=r"cannot be read: Is a directory"):
        load_config(tmp_path, environ={})


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    assert problems(tmp_path, b"x" * (1 << 21)) == [
        f"{tmp_path}/c.yaml: found a file of 2,097,152 bytes, expected a config of at most 1,048,576. Is this the data file?"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "- " * 3000 + "x",
        "{" * 3000,
        "a: " + "&a " * 10 + "x",
        "? " * 2000,
        "%YAML 9.9\n---\na: 1",
        "\x85",
        "a: *",
        "!",
        "\ufeff\ufeff",
    ],
)
def test_odd_texts_give_a_problem_and_never_a_traceback(tmp_path: Path, text: str) -> None:
    assert problems(tmp_path, text)


def test_a_chain_of_aliases_is_bounded(tmp_path: Path) -> None:
    nested = "k0: &k0 x\n" + "".join(f"k{i}: &k{i} {'[' * 30}*k{i - 1}{']' * 30}\n" for i in range(1, 60))
    assert "nested more than 40 deep" in problems(tmp_path, nested)[0]
    merged = "k0: &k0 {a: x}\n" + "".join(f"k{i}: &k{i} {{<<: *k{i - 1}}}\n" for i in range(1, 2000))
    assert "nested more than 40 deep" in problems(tmp_path, merged)[0]


class TestMapping:
    def test_takes_the_same_keys(self) -> None:
        loaded = load_config(
            {
                "data": {"source": Path("p.csv"), "label": "y", "positive": np.int64(1)},
                "models": [{"name": "a", "score": "s", "threshold": np.float64(0.25)}],
                "groups": ("sex", ("sex", "site")),
                "accepted": [
                    {"finding": "fnr/sex/F/a", "reason": "r", "approver": "p", "until": datetime.date(2027, 3, 31)}
                ],
            },
            environ={},
        )
        assert loaded.path is None
        assert loaded.base == Path.cwd()
        assert loaded.config.models[0].threshold == 0.25
        assert loaded.config.groups == ("sex", ("sex", "site"))
        assert loaded.config.accepted[0].until == datetime.date(2027, 3, 31)
        assert load_config(dict(loaded.public), environ={}).config == loaded.config

    def test_its_text_is_a_config_that_loads_alike(self, tmp_path: Path) -> None:
        source = {
            "data": {"source": "ä.csv", "where": "a = 'x: y'"},
            "models": [{"name": "a", "score": "s", "threshold": 1e-7}],
        }
        loaded = load_config(source, environ={})
        assert load(tmp_path, loaded.text).config == loaded.config

    def test_problems_name_the_key_without_a_line(self) -> None:
        with pytest.raises(ConfigError) as caught:
            load_config({"data": {"source": "p.csv", "label": 3}, "models": [{"name": "a", "scor": "s"}]}, environ={})
        assert [str(problem) for problem in caught.value.problems] == [
            "data.label: found the number 3, expected a text",
            "models[0].scor: unknown key. Did you mean 'score'? Allowed here: name, score, prediction, threshold, rule, positive.",
        ]

    @pytest.mark.parametrize(
        ("value", "message"),
        [
            (float("nan"), "found the number nan, expected a finite number"),
            (object(), "found a object, expected text, a number"),
            ({1, 2}, "found a set"),
        ],
    )
    def test_what_is_no_config_value_is_said(self, value: Any, message: str) -> None:
        with pytest.raises(ConfigError, match=message):
            load_config(
                {"data": {"source": "p.csv"}, "models": [{"name": "a", "score": "s", "threshold": value}]}, environ={}
            )

    def test_one_that_contains_itself_is_refused(self) -> None:
        source: dict[str, Any] = {"models": []}
        source["data"] = source
        with pytest.raises(ConfigError, match="nested more than 40 deep"):
            load_config(source, environ={})


class TestSet:
    def test_changes_values_as_yaml(self, tmp_path: Path) -> None:
        loaded = load(
            tmp_path,
            MINIMAL,
            "models[0].threshold=3e-1",
            "output.formats=[html,pdf]",
            "card.version=2.10",
            'agreement.raters["night nurse"]=n',
            "data.where=a = 'b=c'",
        )
        assert loaded.config.models[0].threshold == 0.3
        assert loaded.config.output.formats == ("html", "pdf")
        assert loaded.config.card.version == "2.10"
        assert loaded.config.agreement is not None
        assert loaded.config.agreement.raters == {"night nurse": "n"}
        assert loaded.public["data"]["where"] == "a = 'b=c'"
        assert loaded.text == MINIMAL.encode()

    def test_the_last_one_counts_and_null_unsets(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, MINIMAL, "confidence=0.9", "confidence=0.8", "archive=x", "archive=null")
        assert loaded.config.confidence == 0.8
        assert loaded.config.archive is None

    @pytest.mark.parametrize(
        ("override", "message"),
        [
            ("flags.alpha=2", "--set flags.alpha: found the number 2, expected a number below 0.5"),
            ("nope.x=1", "--set nope: unknown key"),
            ("flags.alhpa=2", "--set flags.alhpa: unknown key. Did you mean 'alpha'?"),
            ("models[1].name=x", "--set models[1]: found no entry 1, models has 1. Entries count from 0."),
            ("data.source.url=x", "--set data.source.url: found no mapping in data.source. Set the whole key."),
            ("data[0]=x", "--set data[0]: found no list in data. Set the whole key."),
            ("confidence", "--set: found 'confidence', expected key=value, e.g. flags.alpha=0.01"),
            ("=3", "--set: found '', expected key=value"),
            ("models[=3", "--set: found 'models[', expected key=value"),
            ("metrics=[fnr", "--set metrics: found a list in [ ] that is not closed"),
            ("metrics=[fnrr]", "--set metrics[0]: found 'fnrr', expected a metric. Did you mean 'fnr'?"),
            ("archive=${NOWHERE}", "--set archive: the environment variable NOWHERE is not set."),
            ("archive=s3://k:swordfish@b", "--set archive: found a password written in a URL"),
        ],
    )
    def test_its_problems_say_that_they_are_of_the_command_line(
        self, tmp_path: Path, override: str, message: str
    ) -> None:
        (line,) = problems(tmp_path, MINIMAL, override)
        assert line.startswith(message)
        assert "swordfish" not in line

    def test_later_passes_say_so_too(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, MINIMAL, "data.label=sick")
        assert str(loaded.problem("data.label", "no such column")) == "--set data.label: no such column"


class TestEnvironment:
    TEXT = (
        'card: {version: "${RELEASE}", summary: "costs $${x}"}\n'
        'data: {source: {url: "postgres://${DB_USER}:${DB_PASSWORD}@host/db", table: t}, label: ill}\n'
        'models: [{name: "${RELEASE}", score: risk}]\narchive: "s3://${BUCKET}/x"\n'
    )
    VALUES: ClassVar = {"RELEASE": "2.10", "DB_USER": "reader", "DB_PASSWORD": "sword:fish@/1", "BUCKET": "b-secret"}

    def test_values_are_read(self, tmp_path: Path) -> None:
        config = load(tmp_path, self.TEXT, **self.VALUES).config
        assert config.card.version == config.models[0].name == "2.10"
        assert config.card.summary == "costs ${x}"
        assert config.data.source.url == "postgres://reader:sword:fish@/1@host/db"  # type: ignore[union-attr]

    def test_what_may_be_secret_stays_out_of_all_that_is_kept_or_shown(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, self.TEXT, **self.VALUES)
        assert loaded.public["data"]["source"]["url"] == "postgres://${DB_USER}:${DB_PASSWORD}@host/db"
        assert loaded.public["archive"] == "s3://${BUCKET}/x"
        for shown in (repr(loaded), str(loaded.public), loaded.text.decode()):
            assert "sword" not in shown
            assert "b-secret" not in shown

    def test_what_the_card_prints_is_kept_as_it_is_printed(self, tmp_path: Path) -> None:
        public = load(tmp_path, self.TEXT, **self.VALUES).public
        assert public["card"]["version"] == public["models"][0]["name"] == "2.10"

    def test_a_replay_reads_the_public_config(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, self.TEXT, **self.VALUES)
        config = config_from_public(loaded.public)
        assert config.card == loaded.config.card
        assert config.data.source.url == "postgres://${DB_USER}:${DB_PASSWORD}@host/db"  # type: ignore[union-attr]
        with pytest.raises(ConfigError, match="models: this key is required, and missing"):
            config_from_public({"data": {"source": "p.csv"}})

    def test_later_messages_are_redacted(self, tmp_path: Path) -> None:
        loaded = load(tmp_path, self.TEXT, **self.VALUES)
        message = "cannot open postgres://reader:sword:fish@/1@host/db (sword%3Afish%40%2F1)"
        assert str(loaded.problem("data.source", message)).endswith(
            "data.source: cannot open postgres://${DB_USER}:${DB_PASSWORD}@host/db (${DB_PASSWORD})"
        )
        assert loaded.redact("bucket b-secret") == "bucket ${BUCKET}"

    def test_problems_show_the_name_and_never_the_value(self, tmp_path: Path) -> None:
        text = 'data: {source: p.csv, label: y, format: "${A}"}\nmodels: [{name: a, score: s, threshold: "${A}"}]\nmetrics: ["${A}"]\n'
        lines = problems(tmp_path, text, A="swordfish")
        assert len(lines) == 3
        assert "found the text '${A}', expected one of auto, csv, parquet, jsonl, arrow" in lines[0]
        assert all("swordfish" not in line for line in lines)

    def test_an_unset_variable_is_one_problem_that_names_key_and_variable(self, tmp_path: Path) -> None:
        text = 'data: {source: "${NOWHERE}/p.csv", label: y, format: "${NOWHERE}"}\nmodels: [{name: a, score: s}]\n'
        hint = "the environment variable NOWHERE is not set. Set NOWHERE, or write the value."
        assert problems(tmp_path, text) == [
            f"{tmp_path}/c.yaml:1:16 data.source: {hint}",
            f"{tmp_path}/c.yaml:1:54 data.format: {hint}",
        ]


def test_the_config_imports_neither_data_frames_nor_engines() -> None:
    code = "import sys, reporter.config.loader as l; print(sorted({'pandas','ibis','duckdb','numpy','scipy','pyarrow','matplotlib'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env={**os.environ})
    assert out.stdout.strip() == "[]"


def test_a_typical_config_loads_within_thirty_milliseconds(tmp_path: Path) -> None:
    typical = Path(__file__).parent.parent.parent / "configs" / "clinic.yaml"
    load_config(typical, environ={})
    seconds = []
    for _ in range(7):
        start = time.process_time()
        load_config(typical, environ={})
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.03


def test_half_or_more_is_no_level_of_a_flag(tmp_path: Path) -> None:
    (problem,) = problems(
        tmp_path, "data: {source: p.csv, label: y}\nmodels: [{name: a, score: s}]\nflags: {alpha: 0.5}\n"
    )
    assert problem == f"{tmp_path}/c.yaml:3:16 flags.alpha: found the number 0.5, expected a number below 0.5"


@pytest.mark.parametrize("finding", ["fnr/sex/f/a%2Fb", "fnr/sex/f/a%2Fb/r", "fnr/sex/f%2Fg/100%25"])
def test_an_accepted_finding_names_a_model_as_its_id_spells_it(tmp_path: Path, finding: str) -> None:
    accepted = f"accepted: [{{finding: {finding}, reason: r, approver: x, until: 2099-01-01}}]\n"
    models = 'models: [{name: a/b, score: s}, {name: "100%", score: t}]\n'
    loaded = load(tmp_path, f"data: {{source: p.csv, label: y}}\n{models}{accepted}")
    assert loaded.config.accepted[0].finding == finding


def test_a_number_that_is_none_is_one_problem() -> None:
    keys = {"data": {"source": "p.csv"}, "models": [{"name": "a", "score": "s"}], "agreement": {"limit": float("nan")}}
    with pytest.raises(ConfigError) as raised:
        load_config(keys, environ={})
    assert [str(problem) for problem in raised.value.problems] == [
        "agreement.limit: found the number nan, expected a finite number"
    ]
