"""What a run shows while it works: one timed line a step on stderr, or nothing.

stdout is never touched: it carries only paths and results.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from reporter.terminal import printable


class Step:
    """A running step; ``detail`` is shown behind its name when it ends, ``advance`` while it runs."""

    def __init__(self, name: str, stream: TextIO | None) -> None:
        self.name = name
        self.detail = ""
        self._stream = stream
        self._started = time.monotonic()
        self._shown = 0.0
        self._live = bool(stream and stream.isatty())

    def advance(self, done: float, total: float) -> None:
        """Say how far the step is (``done`` of ``total``) and how long it will still take, at most five times a second."""
        now = time.monotonic()
        if not self._live or now - self._shown < 0.2 or done <= 0:
            return
        self._shown = now
        left = (now - self._started) * (total - done) / done
        assert self._stream is not None
        self._stream.write(f"\r\x1b[K  {self.name} {done / total:.0%}, about {left:.0f} s left")
        self._stream.flush()

    def _open(self) -> None:
        if self._live and self._stream:
            self._stream.write(f"\r\x1b[K  {self.name} …")
            self._stream.flush()

    def _close(self, failed: bool) -> None:
        if not self._stream:
            return
        mark = "x" if failed else "✓" if _can_print(self._stream, "✓") else "-"
        detail = f": {printable(self.detail)}" if self.detail else ""
        start = "\r\x1b[K" if self._live else ""
        self._stream.write(f"{start}{mark} {self.name}{detail} ({time.monotonic() - self._started:.2f} s)\n")
        self._stream.flush()


class Progress:
    """Steps on ``stream``; ``Progress(None)`` is silent.

    Examples
    --------
    >>> with Progress(None).step("Counting") as step:
    ...     step.detail = "7,214 rows"
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream

    @classmethod
    def on_stderr(cls, *, quiet: bool = False) -> Progress:
        """A progress display on stderr, silent when ``quiet``."""
        return cls(None if quiet else sys.stderr)

    @contextmanager
    def step(self, name: str) -> Iterator[Step]:
        """A timed step: one line when it ends, also when it fails."""
        step = Step(name, self._stream)
        step._open()
        try:
            yield step
        except BaseException:
            step._close(failed=True)
            raise
        step._close(failed=False)


def _can_print(stream: TextIO, text: str) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
