"""Templates, style sheets and scripts of the HTML renderers, and how strings of the user's program get into a page."""

from __future__ import annotations

import base64
import functools
import hashlib
from importlib.resources import files
from typing import Any

import jinja2
from markupsafe import Markup

from whygrad.render._text import clean, count, number, percent, shorten

_FOLDER = files("whygrad.render") / "templates"

#: Where a notebook says that it is dark: JupyterLab (and Notebook 7), VS Code, Colab.
_DARK_NOTEBOOK = (
    "[data-jp-theme-light=false] .wg,.vscode-dark .wg,.vscode-high-contrast:not(.vscode-high-contrast-light) .wg,"
    "html[theme=dark] .wg{}"
)


@functools.cache
def environment() -> jinja2.Environment:
    """The templates. Whatever they print is first cleaned (control and bidirectional characters become visible) and
    then escaped."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(asset),
        autoescape=True,
        finalize=_visible,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {
        "count": count,
        "number": number,
        "percent": percent,
        "shorten": shorten,
        "sentence": sentence,
    }
    return made


def asset(name: str) -> str:
    """A file of ours as it stands."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def fragment(template: str, **values: Any) -> str:
    """A template as a piece of HTML for a notebook, with styles that reach nothing outside it."""
    return (
        environment()
        .get_template(template)
        .render(style=styles(_DARK_NOTEBOOK, "base", "card", "notebook"), **values)
    )


def styles(dark: str, *names: str) -> str:
    """Our style sheets, light, and in dark colours where ``dark`` (a selector or rule, ``{}`` for the colours) holds.
    All of it speaks of what has the class ``wg``, or lies in it."""
    colours = f".wg{{{asset('light.css')}}}\n" + dark.replace("{}", f"{{{asset('dark.css')}}}")
    return colours + "\n" + "".join(asset(f"{name}.css") for name in names)


def digest(text: str) -> str:
    """The hash of an inline style or script, as a Content-Security-Policy has it (https://www.w3.org/TR/CSP3/)."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def sentence(text: str) -> str:
    """``text`` with a capital letter, unless it begins with a name (``cross_entropy is given ...``)."""
    return text[:1].upper() + text[1:] if text.split(" ", maxsplit=1)[0].isalpha() else text


def _visible(value: Any) -> Any:
    return clean(value) if isinstance(value, str) and not isinstance(value, Markup) else value
