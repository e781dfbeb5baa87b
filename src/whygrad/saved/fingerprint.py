"""What makes two findings of two runs the same one: the rule, the parameters and the place, not the wording.

The place is the file and the text of the line, not its number: lines move when something is added above them.
"""

from __future__ import annotations

import hashlib
import json

from whygrad.finding import Finding
from whygrad.notebooks.cells import split


def place_key(finding: Finding) -> tuple[str, str]:
    """File and code of the line to look at first; the line's number only where its text is not known."""
    if not finding.causes:
        return "", ""
    site = finding.causes[0]
    cell = split(site.file)
    # cells are numbered anew when one is put in before them
    return cell[0] if cell else site.file, " ".join(site.code.split()) or f"line {site.line}"


def fingerprint(finding: Finding) -> str:
    """32 hexadecimal digits."""
    known = [finding.rule, *place_key(finding), *sorted(finding.parameters)]
    return hashlib.sha256(json.dumps(known).encode("ascii")).hexdigest()[:32]
