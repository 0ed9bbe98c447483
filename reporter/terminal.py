"""What may reach a terminal or the log of a pipeline: text in which nothing moves the cursor, ends the line or reverses reading.

Names of groups, columns and files are untrusted. Knows nothing of what the text is about.
"""

from __future__ import annotations

import os
import sys
import unicodedata

from reporter.errors import OutputError, Problem

_UNSAFE = frozenset({"Cc", "Cs", "Zl", "Zp"})
_JOINERS = frozenset("\u200c\u200d")


def printable(text: str) -> str:
    """The text with each control character, line separator, half surrogate and direction mark as a visible escape.

    Examples
    --------
    >>> print(printable("a\\x1b[31mb\\nc \\u202e \\x9b"), printable("Größe 漢字"))
    a\\x1b[31mb\\nc \\u202e \\x9b Größe 漢字
    """
    return text if text.isascii() and text.isprintable() else "".join(map(_visible, text))


def readable(path: str) -> str:
    r"""A path with the letters that its bytes are in UTF-8, where the locale knows no such letters and has put halves of surrogates for them.

    Examples
    --------
    >>> readable("t\udcc3\udcbc/a"), readable("tü")
    ('tü/a', 'tü')
    """
    if not any("\udc80" <= character <= "\udcff" for character in path):
        return path
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return path


def say(text: object) -> None:
    """One line on stdout. What its encoding cannot hold is escaped too, except in a path, which has to be found again: a finished run
    does not fail over its last line.

    A reader that went away (head, less) changes nothing, since the exit code tells the result. Raises OutputError where stdout
    cannot be written for another reason, such as a full disk.
    """
    line = printable(found := readable(str(text)))
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        if found != str(text) and line == found and hasattr(sys.stdout, "buffer"):
            sys.stdout.buffer.write(f"{line}\n".encode())
            sys.stdout.buffer.flush()
        else:
            print(line.encode(encoding, "backslashreplace").decode(encoding), flush=True)
    except OSError as error:
        _let_go_of_stdout()
        if not isinstance(error, BrokenPipeError):
            found = (error.strerror or str(error)).lower()
            raise OutputError(Problem(f"standard output cannot be written: {found}")) from error


def _let_go_of_stdout() -> None:
    """What is left in its buffer goes nowhere, so that the interpreter's last flush does not fail as well."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def complain(text: object) -> None:
    """One line on stderr."""
    print(printable(readable(str(text))), file=sys.stderr, flush=True)


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category in _UNSAFE or (category == "Cf" and character not in _JOINERS):
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")
    return character
