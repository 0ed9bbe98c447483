"""Where templates and style sheets are found and how they are filled, the same for every format.

A user's folder is searched before the packaged one. Every template escapes, whatever its name; an unknown name in a template is an
error and never an empty text.
"""

from __future__ import annotations

from pathlib import Path

from jinja2 import ChoiceLoader, Environment, FileSystemLoader, StrictUndefined, TemplateError, TemplateNotFound

from reporter.errors import OutputError, Problem
from reporter.packaged import packaged_folder


def environment(templates: Path | None) -> Environment:
    """The environment of one rendering. ``templates`` is the user's folder, or None.

    Raises
    ------
    OutputError
        ``templates`` is not a folder.
    """
    folders = [packaged_folder("templates")]
    if templates is not None:
        if not templates.is_dir():
            raise OutputError(
                Problem(
                    f"found no folder {templates}", key="output.templates", hint="Give a folder with your templates."
                )
            )
        folders.insert(0, templates)
    return Environment(
        loader=ChoiceLoader([FileSystemLoader(folder, encoding="utf-8") for folder in folders]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.loopcontrols"],
    )


def fill(env: Environment, name: str, **values: object) -> str:
    """A filled template.

    Raises
    ------
    OutputError
        A template has a fault; the message names its file and line.
    """
    try:
        return env.get_template(name).render(**values)
    except TemplateError as error:
        place = getattr(error, "filename", None) or getattr(error, "name", None) or name
        raise OutputError(
            Problem(
                f"the template has a fault: {error.message or error}",
                path=str(place),
                line=getattr(error, "lineno", None),
                key="output.templates",
                hint="templates/README.md names what a template may use.",
            )
        ) from error


def source(env: Environment, name: str) -> str:
    """A file of the template folders as it is, for style sheets and scripts; empty when there is none."""
    if env.loader is None:
        return ""
    try:
        return env.loader.get_source(env, name)[0]
    except TemplateNotFound:
        return ""
