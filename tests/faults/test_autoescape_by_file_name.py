"""Public fault kind: a template engine that escapes by file name misses ``card.html.j2``. Here every template escapes."""

from __future__ import annotations

from pathlib import Path

import pytest

from reporter.render.templating import environment, fill


@pytest.mark.parametrize("name", ["card.html.j2", "card.html", "card.md.j2", "card.txt", "card", "card.xml.jinja"])
def test_a_template_of_any_name_escapes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text('<p title="{{ text }}">{{ text }}</p>', encoding="utf-8")
    assert fill(environment(tmp_path), name, text='"><b>') == '<p title="&#34;&gt;&lt;b&gt;">&#34;&gt;&lt;b&gt;</p>'


def test_an_included_template_and_a_macro_escape(tmp_path: Path) -> None:
    (tmp_path / "part.html.j2").write_text("{{ text }}", encoding="utf-8")
    (tmp_path / "macros.j2").write_text("{% macro show(text) %}{{ text }}{% endmacro %}", encoding="utf-8")
    (tmp_path / "whole.html.j2").write_text(
        '{% import "macros.j2" as macros %}{% include "part.html.j2" %}{{ macros.show(text) }}', encoding="utf-8"
    )
    assert fill(environment(tmp_path), "whole.html.j2", text="<") == "&lt;&lt;"
