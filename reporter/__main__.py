"""``python -m reporter``: the same as the console script."""

from __future__ import annotations

from reporter.cli import main

if __name__ == "__main__":
    main()
