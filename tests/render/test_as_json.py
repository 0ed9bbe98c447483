"""Reports as canonical JSON: strict, complete, versioned, the same both ways."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import replace

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reporter.errors import ConfigError
from reporter.render.as_json import canonical_json, report_from_json, report_schema, report_to_json
from reporter.results import AgreementSection, Curves, Estimate, Report, RocPoint, TreeResult
from reporter.tree import Node, NodeTest, Rate, Split, Tree

Make = Callable[..., Report]


def _tree() -> TreeResult:
    leaf = Node(
        2, 60, None, None, None, {"m1_a1": Rate(None, 0)}, {"a1": Rate(0.5, 60)}, reason="too small", path="sex = f"
    )
    root = Node(
        1,
        120,
        -0.125,
        -0.25,
        0.0,
        {"m1_a1": Rate(0.25, 60)},
        {"a1": Rate(0.5, 60)},
        {"sex": NodeTest(8.5, 1, 0.004, -5.5, 0.008), "age": NodeTest(None, None, None, None, None, "one level")},
        Split("sex", ("f",), ("m",)),
        children=(leaf, replace(leaf, id=3, path="sex = m")),
    )
    return TreeResult("t", ("a", "b"), "race", ("x", "y"), "fpr", "wald", "delta", 0.05, "bonferroni", 50, None, 0.0, False, ("sex",), Tree(root))  # fmt: skip


def test_a_report_read_back_is_equal_and_writes_the_same_text(make_report: Make) -> None:
    report = make_report(
        tree_results=(_tree(),),
        agreement_section=AgreementSection(sentences=("a",)),
        settings={"alpha": 0.05, "nested": {"list": [1, None, "x"]}},
    )
    text = report_to_json(report)
    assert report_from_json(text) == report
    assert report_to_json(report_from_json(text)) == text


def test_json_is_canonical(make_report: Make) -> None:
    text = report_to_json(make_report())
    assert text.endswith("}\n")
    assert list(json.loads(text)) == sorted(json.loads(text))
    assert canonical_json({"b": 1e21, "a": 0.1 + 0.2, "é": -0.0}) == '{"a":0.30000000000000004,"b":1e+21,"é":0}\n'


def test_undefined_numbers_are_null_beside_their_reason(make_report: Make) -> None:
    ppv = json.loads(report_to_json(make_report()))["models"][0]["metrics"]["ppv"]
    assert ppv["value"] is None
    assert (ppv["reason"], ppv["n"], ppv["numerator"], ppv["denominator"]) == ("nobody is ill", 0, 0, 0)


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_without_json_form_is_refused_with_its_place(make_report: Make, number: float) -> None:
    report = make_report(settings={"limits": [1.0, number]})
    with pytest.raises(ValueError, match=r"^settings\.limits\[1\]: -?(nan|inf) has no JSON form"):
        report_to_json(report)


def test_a_whole_number_beyond_json_and_half_a_character_are_refused(make_report: Make) -> None:
    with pytest.raises(ValueError, match=r"settings\.n: 9007199254740993 is too large"):
        report_to_json(make_report(settings={"n": 2**53 + 1}))
    with pytest.raises(ValueError, match=r"notes\[0\]: .* is not Unicode text"):
        report_to_json(make_report(notes=("\ud800",)))


def test_numbers_of_numpy_give_the_same_text_as_python_numbers(make_report: Make) -> None:
    plain = report_to_json(make_report(settings={"x": 0.25, "n": 3}))
    assert report_to_json(make_report(settings={"x": np.float64(0.25), "n": np.int64(3)})) == plain


def test_the_report_fulfils_its_schema_and_an_altered_one_does_not(make_report: Make) -> None:
    document = json.loads(report_to_json(make_report(tree_results=(_tree(),))))
    validator = jsonschema.Draft202012Validator(report_schema())
    validator.check_schema(report_schema())
    validator.validate(document)
    del document["comparisons"][0]["p"]
    document["extra"] = 1
    assert {error.validator for error in validator.iter_errors(document)} == {"required", "additionalProperties"}


def test_another_schema_version_is_refused_with_what_to_do(make_report: Make) -> None:
    text = report_to_json(make_report()).replace('"schema_version":1', '"schema_version":99')
    with pytest.raises(
        ConfigError, match=r"^schema_version: found version 99, expected 1\. Render it with the release"
    ):
        report_from_json(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ('{"a": 1', "not JSON"),
        ("[1]", "not a report: it has no schema_version"),
        ('{"schema_version": NaN}', "not strict JSON: it holds NaN"),
        ('{"schema_version": 1, "schema_version": 1}', "schema_version: not strict JSON: a key occurs twice"),
        (b'{"a": "\xff"}', "not UTF-8"),
    ],
)
def test_what_is_not_a_report_is_refused(text: str | bytes, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        report_from_json(text)


def test_all_problems_of_a_changed_report_are_told_with_their_place(make_report: Make) -> None:
    document = json.loads(report_to_json(make_report()))
    document["confidence"] = "high"
    document["comparisons"][1]["verdict"] = "maybe"
    del document["data"]["n"]
    with pytest.raises(ConfigError) as caught:
        report_from_json(json.dumps(document))
    assert [problem.key for problem in caught.value.problems] == ["data.n", "comparisons[1].verdict", "confidence"]


def test_unknown_keys_are_refused_with_their_place(make_report: Make) -> None:
    document = json.loads(report_to_json(make_report()))
    document["groupings"][0]["results"][1]["metrics"]["fnr"]["shiny"] = 1
    with pytest.raises(ConfigError, match=r"^groupings\[0\]\.results\[1\]\.metrics\.fnr\.shiny: unknown key"):
        report_from_json(json.dumps(document))


def test_hundreds_of_problems_are_capped_and_counted(make_report: Make) -> None:
    document = json.loads(report_to_json(make_report(groups=tuple(f"g{i}" for i in range(300)))))
    for comparison in document["comparisons"]:
        comparison["verdict"] = "maybe"
    with pytest.raises(ConfigError) as caught:
        report_from_json(json.dumps(document))
    assert len(caught.value.problems) == 21
    assert str(caught.value).endswith("and 280 more")


@given(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"])),
)
def test_any_finite_number_and_text_survives_the_way_there_and_back(x: float, y: float, name: str) -> None:
    curves = Curves(name, None, 1, roc=(RocPoint(x, y, 0.5),), reason=name)
    estimate = Estimate(x, y)
    plain = json.loads(canonical_json({"curves": curves, "estimate": estimate}))
    assert plain["curves"]["model"] == name
    assert float(plain["curves"]["roc"][0]["threshold"]) == x
    assert float(plain["estimate"]["low"]) == y
