"""The keys of a config as a page of documentation and as a JSON Schema for editors, both made from the schema's classes.

``python -m reporter.config.docs FOLDER`` writes README.md and reporter.schema.json there; a test holds the committed ones
against these.
"""

from __future__ import annotations

import datetime
import json
import re
import sys
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from reporter.config.schema import Config
from reporter.config.schema_walk import keys_of, sections_in, walk

_INTRODUCTION = """\
# Every key of a config

This page is generated from `reporter/config/schema.py`. [annotated.yaml](annotated.yaml) shows every key in use,
[reporter.schema.json](reporter.schema.json) lets an editor complete and check them; put this line at the top of a config:

    # yaml-language-server: $schema=reporter.schema.json

`reporter check CONFIG` shows every mistake at once with its line; `reporter init DATA` writes a first config.

## How a config is read

- Only `data.source` and `models` are required. Unknown keys and keys that stand twice are errors.
- Paths are relative to the config file.
- `true` and `false` are truth values, and nothing else is: `NO`, `yes` and `on` are texts. So are numbers with leading zeros
  (`0123`) and dates. Where a key wants text, a number is taken as it is written: `version: 2.10` is "2.10".
- `${NAME}` in a text reads the environment, `$${` stands for `${`. What was read never enters a log, a record or a message, except in
  keys that the card prints anyway. A password belongs there: one that is written in a URL is refused.
- `--set models[0].threshold=0.3` changes a key for one run.
- `&name`, `*name` and `<<` repeat parts of a config. Tags (`!!python/...`) are refused.

## Configs in this folder

"""


def config_page(examples: Path | None = None) -> str:
    """The page of all keys, in Markdown. The configs in ``examples`` are listed with their first comment line."""
    parts = [_INTRODUCTION, *_examples(examples)]
    for section in _sections():
        parts += [
            f"\n## {_title(section)}\n\n{_summary(section)}\n\n",
            "| key | type | default | meaning |\n|---|---|---|---|\n",
        ]
        parts += [_row(key, field) for key, field in keys_of(section).items()]
    return "".join(parts)


def config_schema() -> dict[str, Any]:
    """The JSON Schema of a config, as an editor uses it."""
    schema: dict[str, Any] = _plain(Config.model_json_schema(by_alias=True))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "title": "reporter config"}


def config_schema_text() -> str:
    """The JSON Schema as the text of its file."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def type_words(annotation: Any) -> str:
    """A type in words.

    >>> from reporter.config.schema import Alpha, Pair
    >>> type_words(Alpha), type_words(Pair), type_words(Literal["holm", "bh"])
    ('number (above 0, below 1)', 'list of texts (2 entries)', '`holm`, `bh`')
    """
    if hasattr(annotation, "__metadata__"):
        return f"{type_words(get_args(annotation)[0])}{_limits(annotation.__metadata__)}"
    origin, arguments = get_origin(annotation), [a for a in get_args(annotation) if a is not type(None)]
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in arguments)
    if origin in (tuple, list):
        inner = type_words(arguments[0])
        return f"list of {_PLURALS.get(inner, f'({inner})' if ' or ' in inner else inner)}"
    if origin is dict:
        return f"mapping of names to {type_words(arguments[1])}"
    if {str, bool, int, float} <= set(arguments):
        return "text, number or truth value"
    if arguments:
        return " or ".join(dict.fromkeys(map(type_words, arguments)))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return f"[{_title(annotation)}](#{_anchor(annotation)})"
    return _PRIMITIVES[annotation]


_PRIMITIVES = {
    str: "text",
    float: "number",
    int: "whole number",
    bool: "`true` or `false`",
    datetime.date: "date such as 2027-03-31",
}
_PLURALS = {"text": "texts", "number": "numbers", "whole number": "whole numbers"}


def _limits(metadata: tuple[Any, ...]) -> str:
    low, high, least, most = None, None, None, None
    for item in _flat(metadata):
        low = f"above {item.gt:g}" if getattr(item, "gt", None) is not None else low
        high = f"below {item.lt:g}" if getattr(item, "lt", None) is not None else high
        low = f"at least {item.ge:g}" if _bounded(getattr(item, "ge", None)) else low
        high = f"at most {item.le:g}" if _bounded(getattr(item, "le", None)) else high
        least = getattr(item, "min_length", None) or least
        most = getattr(item, "max_length", None) or most
    said = [limit for limit in (low, high) if limit]
    if least and most:
        said.append(f"{least} entries" if least == most else f"{least} to {most} entries")
    return f" ({', '.join(said)})" if said else ""


def _bounded(limit: Any) -> bool:
    return limit is not None and abs(limit) < 2**53 - 1


def _flat(metadata: tuple[Any, ...]) -> Iterator[Any]:
    for item in metadata:
        yield from item.metadata if isinstance(item, FieldInfo) else (item,)


def _sections() -> Iterator[type[BaseModel]]:
    """The root first, then each section where it is first used."""
    seen: dict[type[BaseModel], None] = {}

    def visit(section: type[BaseModel]) -> None:
        if section not in seen:
            seen[section] = None
            for field in section.model_fields.values():
                for inner in sections_in(field.annotation):
                    visit(inner)

    visit(Config)
    yield from seen


def _row(key: str, field: FieldInfo) -> str:
    kind = f"{type_words(field.annotation)}{_limits(tuple(field.metadata))}"
    cells = (f"`{key}`", kind, _default(field), field.description or "")
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    if field.default is None:
        return "none"
    if field.default is PydanticUndefined:
        return "empty" if field.default_factory is dict else "its defaults"
    if isinstance(field.default, str):
        return f"`{field.default}`" if field.default else "empty"
    if field.default and isinstance(field.default, tuple) and isinstance(field.default[0], BaseModel):
        return "see right"
    return f"`{json.dumps(field.default, ensure_ascii=False)}`"


def _title(section: type[BaseModel]) -> str:
    return "Top level" if section is Config else section.__name__.removesuffix("Config")


def _anchor(section: type[BaseModel]) -> str:
    return _title(section).lower().replace(" ", "-")


def _summary(section: type[BaseModel]) -> str:
    return " ".join((section.__doc__ or "").split())


def _where(section: type[BaseModel]) -> str:
    paths = dict.fromkeys(path for path, inner, _, _ in walk() if inner is section and path)
    return f" Where: {', '.join(f'`{path}`' for path in paths)}." if paths else ""


def _examples(folder: Path | None) -> Iterator[str]:
    for path in sorted(folder.glob("*.yaml")) if folder else ():
        lines = takewhile(lambda line: line.startswith("#"), path.read_text("utf-8").splitlines())
        comment = " ".join(line.lstrip("# ") for line in lines)
        yield f"- [{path.name}]({path.name}): {re.split(r'(?<=[.?:]) ', comment)[0]}\n"


def _plain(node: Any) -> Any:
    """Without the titles that only repeat the keys, and without what releases of pydantic write differently."""
    if isinstance(node, list):
        return [_plain(item) for item in node]
    if not isinstance(node, dict):
        return node
    kept = {key: _plain(value) for key, value in node.items() if not (key == "title" and isinstance(value, str))}
    if "const" in kept:
        kept.pop("enum", None)
    return kept


if __name__ == "__main__":
    target = Path(sys.argv[1])
    (target / "README.md").write_text(config_page(target), encoding="utf-8")
    (target / "reporter.schema.json").write_text(config_schema_text(), encoding="utf-8")
