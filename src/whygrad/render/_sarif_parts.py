"""The small objects that SARIF is made of: messages and locations."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote

from whygrad.finding import Site
from whygrad.notebooks.cells import place
from whygrad.render._repository import spot
from whygrad.render._text import clean, shorten

Json = dict[str, Any]
ROOT = "%SRCROOT%"  #: what paths start from; the name is that of other tools
PARAGRAPH = 4000


def message(*paragraphs: str) -> Json:
    """A message (3.11). What would be a placeholder or a link in it is written so that it is none."""
    text = "\n".join(shorten(clean(paragraph), PARAGRAPH) for paragraph in paragraphs)
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "] (")}


def location(site: Site, root: Path | None, role: str | None = None) -> Json:
    """A location (3.28), with what the place has to do with the result: ``role``, or what the site says."""
    found = spot(site.file, site.line, root)
    where: Json = {}
    if found.path:
        # lines of a cell are told in words: they are not those of the notebook's file
        line = 1 if found.cell else max(found.line, 1)
        region: Json = {"startLine": line}
        if site.code and not found.cell:
            region["snippet"] = {"text": clean(site.code)}
        where = {"physicalLocation": {"artifactLocation": artifact(found.path), "region": region}}
    name = place(found.cell, found.line) if found.cell else ""
    logical: list[Json] = (
        [{"fullyQualifiedName": clean(site.function), "kind": "function"}] if site.function else []
    )
    logical += [{"name": name}] if name else []
    words = ", ".join(part for part in (name, role or site.role) if part)
    return {
        **where,
        **({"logicalLocations": logical} if logical else {}),
        **({"message": message(words)} if words else {}),
    }


def artifact(path: str) -> Json:
    """A file (3.4), from the root of the source where it lies below it."""
    # what cannot be written in UTF-8 (a lone surrogate) is taken as it is; a drive's colon is no scheme
    uri = quote(path, errors="surrogatepass")
    if path.startswith("/"):
        return {"uri": f"file://{uri}"}
    return {"uri": uri, "uriBaseId": ROOT}
