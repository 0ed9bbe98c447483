"""Where a value sits in a config: ``("models", 0, "threshold")`` and, in words, ``models[0].threshold``.

Knows nothing of files or of what the keys mean.
"""

from __future__ import annotations

import json
import re

KeyPath = tuple[str | int, ...]

_PLAIN = re.compile(r"[^\W\d][\w-]*")
_STEP = re.compile(r"""\[(?P<index>\d+)\]|\[(?P<quoted>"(?:[^"\\]|\\.)*")\]|(?P<dot>\.?)(?P<plain>[^.\[\]="]+)""")


def path_text(path: KeyPath) -> str:
    """The path as people write it.

    >>> path_text(("models", 0, "threshold"))
    'models[0].threshold'
    >>> path_text(("raters", "night nurse"))
    'raters["night nurse"]'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f"[{json.dumps(step, ensure_ascii=False)}]"
    return text


def read_path(text: str) -> KeyPath | None:
    """The path that ``text`` writes, None when it is no path.

    >>> read_path('models[0].threshold')
    ('models', 0, 'threshold')
    >>> read_path('raters["night nurse"]')
    ('raters', 'night nurse')
    >>> read_path('models[') is None
    True
    """
    path: list[str | int] = []
    position = 0
    while position < len(text):
        match = _STEP.match(text, position)
        if match is None or (match["plain"] is not None and bool(match["dot"]) != bool(path)):
            return None
        if match["index"] is not None:
            path.append(int(match["index"]))
        elif match["quoted"] is not None:
            path.append(str(json.loads(match["quoted"])))
        else:
            path.append(match["plain"].strip())
        position = match.end()
    return tuple(path)
