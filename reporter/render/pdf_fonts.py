"""Which fonts a PDF may use: DejaVu, which matplotlib ships, and the files that the config names; never the machine's.

Bytes and look then depend on nothing but the inputs. Knows fontconfig's file format, nothing of documents.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from reporter.errors import OutputError, Problem

PACKAGED = (
    "DejaVuSans.ttf",
    "DejaVuSans-Bold.ttf",
    "DejaVuSans-Oblique.ttf",
    "DejaVuSans-BoldOblique.ttf",
    "DejaVuSansMono.ttf",
    "DejaVuSansMono-Bold.ttf",
)
SUFFIXES = (".ttf", ".otf", ".ttc", ".otc")


@contextmanager
def only_these_fonts(fonts: Sequence[Path]) -> Iterator[None]:
    """Within the block fontconfig, and so Pango, knows the packaged fonts and ``fonts`` alone.

    Raises
    ------
    OutputError
        A file of ``fonts`` is missing or is not a font.
    """
    files = [*packaged_fonts(), *(_checked(font) for font in fonts)]
    before = os.environ.get("FONTCONFIG_FILE")
    with tempfile.TemporaryDirectory(prefix="reporter-fonts-") as name:
        folder = Path(name)
        for number, file in enumerate(files):
            (folder / f"{number:03d}{file.suffix.lower()}").symlink_to(file)
        configuration = folder / "fonts.conf"
        configuration.write_text(_configuration(folder), encoding="utf-8")
        os.environ["FONTCONFIG_FILE"] = str(configuration)
        try:
            yield
        finally:
            if before is None:
                del os.environ["FONTCONFIG_FILE"]
            else:
                os.environ["FONTCONFIG_FILE"] = before


def packaged_fonts() -> list[Path]:
    """The DejaVu files inside the installed matplotlib."""
    import matplotlib

    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return [folder / name for name in PACKAGED]


def _checked(font: Path) -> Path:
    if font.suffix.lower() not in SUFFIXES:
        hint = f"Give font files that end in {', '.join(SUFFIXES)}"
        raise OutputError(Problem(f"{font} is not a font file", key="output.fonts", hint=hint))
    try:
        with font.open("rb") as file:
            start = file.read(4)
    except OSError as error:
        found = (error.strerror or str(error)).lower()
        raise OutputError(
            Problem(f"{font} cannot be read: {found}", key="output.fonts", hint="Correct the path")
        ) from None
    if start not in (b"\0\1\0\0", b"OTTO", b"true", b"ttcf"):
        raise OutputError(Problem(f"{font} holds no font", key="output.fonts", hint="Give a TrueType or OpenType file"))
    return font.resolve()


def _configuration(folder: Path) -> str:
    """Generic families lead to DejaVu; the cache lives as long as the folder."""
    place = escape(str(folder))
    aliases = "".join(
        f"<alias binding='same'><family>{generic}</family><prefer><family>{family}</family></prefer></alias>"
        for generic, family in (
            ("sans-serif", "DejaVu Sans"),
            ("serif", "DejaVu Sans"),
            ("system-ui", "DejaVu Sans"),
            ("monospace", "DejaVu Sans Mono"),
        )
    )
    return (
        "<?xml version='1.0'?><!DOCTYPE fontconfig SYSTEM 'fonts.dtd'>"
        f"<fontconfig><dir>{place}</dir><cachedir>{place}/cache</cachedir>{aliases}</fontconfig>"
    )
