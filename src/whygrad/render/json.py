"""The report as strict JSON, the contract ``whygrad.report/1``: field for field what the report holds."""

from __future__ import annotations

import json
import math
from typing import Any

from whygrad.finding import Report


def render(report: Report, **_: object) -> str:
    """JSON in the order of the contract, in ASCII. Numbers that JSON lacks (nan, infinities) become null."""
    return json.dumps(strict(report.to_dict()), indent=1, allow_nan=False) + "\n"


def strict(value: Any) -> Any:
    """``value`` with every number that is not finite replaced by None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict(item) for item in value]
    return value
