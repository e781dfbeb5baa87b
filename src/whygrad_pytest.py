"""The pytest plugin: the fixture ``whygrad``, the marker ``@pytest.mark.whygrad(steps=3)`` and the option ``--whygrad``.

pytest loads it in every session where whygrad is installed: until a test asks for it, it imports nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from types import ModuleType

    from whygrad.finding import Report, Severity

_KEY = "whygrad"


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--whygrad`` and ``--whygrad-fail-on``."""
    group = parser.getgroup("whygrad")
    group.addoption(
        "--whygrad",
        action="store_true",
        help="observe every test that trains (calls backward or steps an optimizer), and fail those in which "
        "parameters do not train",
    )
    group.addoption(
        "--whygrad-fail-on",
        choices=("error", "warning"),
        default="error",
        help="what fails an observed test: errors (default), or warnings too",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line(
        "markers",
        "whygrad(steps=None, fail_on='error', select=(), ignore=()): observe the test (only its first STEPS optimizer "
        "steps closely) and fail it if parameters do not train; select and ignore name rules",
    )


@pytest.fixture
def whygrad() -> ModuleType:
    """The module whygrad: ``whygrad.assert_trains(model, loss_fn, batch)`` and the others."""
    import whygrad

    return whygrad


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Observe a test that is marked, or every one with ``--whygrad``."""
    marker = item.get_closest_marker(_KEY)
    if marker is None and not item.config.getoption("--whygrad"):
        return (yield)
    options = {"fail_on": item.config.getoption("--whygrad-fail-on")} | (
        dict(marker.kwargs) if marker else {}
    )
    unknown = sorted(options.keys() - {"steps", "fail_on", "select", "ignore"})
    given = unknown or list(marker.args if marker is not None else ())
    if given:
        pytest.fail(f"whygrad: the marker takes steps, fail_on, select and ignore by name, not {given}.")
    import whygrad

    recording = whygrad.record(item.nodeid, options.get("steps"))
    with recording:
        result = yield
    report = recording.report(options.get("select", ()), options.get("ignore", ()))
    trained = bool(report.backwards or report.steps)
    if trained or marker is not None:
        _judge(item, report, options["fail_on"], required=marker is not None)
    return result


def _judge(item: pytest.Item, report: Report, fail_on: Severity, required: bool) -> None:
    """Note what was found for the summary; fail the test if it must be."""
    from whygrad.api.checking import failure

    text = failure(report, fail_on) if required or report.loud() else ""
    item.user_properties.append((_KEY, ", ".join(sorted({f.rule for f in report.loud()}))))
    if text:
        pytest.fail(text.lstrip("\n"), pytrace=False)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """How many tests were observed, and which showed something."""
    seen = [
        (report.nodeid, value)
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "call"
        for key, value in getattr(report, "user_properties", ())
        if key == _KEY
    ]
    if seen:
        found = [f"{node}: {rules}" for node, rules in seen if rules]
        terminalreporter.section("whygrad")
        terminalreporter.line(f"{len(seen)} observed, {len(found)} with findings")
        for line in found:
            terminalreporter.line(line)
