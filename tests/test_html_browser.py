"""The HTML report in a real browser: Debian's Chromium, driven by playwright. One browser for all the tests here."""

from __future__ import annotations

import math
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from whygrad.finding import Finding, ParameterVerdict, Report, Site, Station, Step
from whygrad.render import renderer
from whygrad.render._text import clean
from whygrad.saved.reports import read

playwright = pytest.importorskip("playwright.sync_api")
axe = pytest.importorskip("axe_core_python.sync_playwright")

FIXTURES = Path(__file__).parent / "fixtures"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium here; script/test installs Debian's as root"
)

LONG = "x" * 10_000
HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">'\"&\u202egnp\x1b[2J\x00"


def shared() -> Report:
    return read(FIXTURES / "golden" / "report.json").report


def hostile(name: str) -> Report:
    """A report with ``name`` in every place that a program can fill."""
    site, step = Site(name, 3, name, name, name), Step(name, name, 4, name, "cut", name, name, 0.5)
    edit = {"file": name, "line": 3, "old": name, "new": name}
    one = Finding(
        "detached-path",
        "error",
        name,
        (name, f"{name}.w"),
        5,
        (site, site),
        (step, step),
        {name: name},
        name,
        (edit,),
    )
    row = ParameterVerdict(
        f"a.{name}.weight", (2,), name, True, name, 0, 0.1, "reaches the loss by autograd", 5, (0.1, math.nan, None), 0.0,
        ("detached-path",), name, False, site, site, (0.1, None), (0.1, math.inf), 0,
    )  # fmt: skip
    stations = (Station(name, name, 4, name, "cut", name, name, 0.5, next=None),)
    return Report(
        "does-not-train", name, 1, 1, 0.1, {"torch": name}, (one, one), (row, row), incomplete=(name,), raised=name,
        losses=(1.0, math.nan), stations=stations,
    )  # fmt: skip


def large(count: int = 10_000) -> Report:
    """``count`` parameters, half of which do not train."""
    rows = tuple(
        ParameterVerdict(
            f"net.blocks.{i // 100}.layer{i // 10 % 10}.w{i % 10}", (64, 64), "float32", True, "AdamW", 0, 1e-3,
            "trains" if i % 2 else "reaches the loss by autograd", None if i % 2 else 5,
            tuple((i + 1) / 10**6 * (step + 1) for step in range(10)) if i % 2 else (), 0.01 if i % 2 else 0.0,
            () if i % 2 else ("detached-path",), "Linear", True, Site("model.py", 3), Site("model.py", 9, role="linear"),
            (0.1,) * 10, (0.001,) * 10, i,
        )
        for i in range(count)
    )  # fmt: skip
    stations = tuple(
        Station(
            "linear",
            "model.py",
            9,
            "Net.forward",
            "ok",
            "net (Linear)",
            "AddmmBackward0",
            0.1,
            next=i - 1 if i else None,
        )
        for i in range(count)
    )
    names = tuple(row.fqn for row in rows if row.broken_link)
    one = Finding(
        "detached-path",
        "error",
        "5,000 of 10,000 parameters get no gradient",
        names,
        5,
        (Site("model.py", 9),),
    )
    return Report(
        "does-not-train", "train.py", 10, 10, 1.0, {}, (one,), rows, losses=(1.0,) * 200, stations=stations
    )


class Pages:
    """Opens reports as files and notes whatever the page complains of, and whatever it asks the network for."""

    def __init__(self, browser: Any, folder: Path) -> None:
        self.browser, self.folder = browser, folder
        self.problems: list[str] = []
        self.opened: list[Any] = []

    def open(self, html: str, **options: Any) -> Any:
        file = self.folder / "report.html"
        file.write_text(html, encoding="utf-8")
        context = self.browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        self.opened.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.problems.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", lambda dialog: self.problems.append(f"dialog: {dialog.message}"))
        page.on(
            "request",
            lambda request: (
                request.url not in (file.as_uri(), "data:,", "about:srcdoc")
                and self.problems.append(f"request: {request.url[:200]}")
            ),
        )
        page.goto(file.as_uri())
        return page


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    sandbox = ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=CHROMIUM, args=sandbox)
        yield started
        started.close()


@pytest.fixture
def pages(browser: Any, tmp_path: Path) -> Iterator[Pages]:
    made = Pages(browser, tmp_path)
    yield made
    for context in made.opened:
        context.close()
    assert made.problems == []


def draw(report: Report) -> str:
    return renderer("html")(report, root=FIXTURES / "report")


def until(frame: Any, condition: str) -> None:
    """Wait for a condition. Playwright's own way evaluates text in the page, which its policy forbids."""
    deadline = time.monotonic() + 10
    while not frame.evaluate(condition):
        assert time.monotonic() < deadline, condition
        time.sleep(0.03)


def overflow(page: Any) -> list[str]:
    """What sticks out of the page at its right; what can be scrolled by itself may be wide."""
    found: list[str] = page.evaluate(
        """() => [...document.querySelectorAll('body *')].filter((node) => node.getBoundingClientRect().right > innerWidth + 1
          && !node.closest('.scroll, .source, nav, .skip, .hide')).map((node) => `${node.tagName}.${node.getAttribute('class')}`)"""
    )
    return [
        *found,
        *(["the page"] if page.evaluate("document.documentElement.scrollWidth > innerWidth") else []),
    ]


def test_every_section_shows_and_the_first_screen_says_what_matters(pages: Pages) -> None:
    page = pages.open(draw(shared()))
    for section in ("verdict", "findings", "chain", "model", "flow", "loss", "seen"):
        assert page.locator(f"#{section}").is_visible(), section
        assert page.locator(f"nav a[href='#{section}']").count() == 1
    for selector in (".badge", "h1", "article .here", "article .fix", "article .proof"):
        box = page.locator(selector).first.bounding_box()
        assert box is not None, selector
        assert box["y"] + min(box["height"], 40) < 900, f"{selector} is not on the first screen"
    assert page.locator("#loss-body svg path.line").count() == 1
    assert page.locator("#flow-body svg.chart").first.get_attribute("aria-label").startswith("Pass ")
    assert page.locator("#chain-body .links > li").count() == 9
    assert page.title().endswith("– whygrad")


def test_the_table_is_sorted_and_searched(pages: Pages) -> None:
    report = shared()
    page = pages.open(draw(report))
    page.check("#model input[type=radio] >> nth=1")
    names = page.locator("#model tbody .leaf")
    in_order = names.all_inner_texts()
    assert in_order == [clean(row.fqn) for row in report.parameters]
    head = page.locator("#model thead th[data-key=grad]")
    norms = {clean(row.fqn): row.grad_norm[-1] if row.grad_norm else None for row in report.parameters}
    known = [name for name in in_order if norms[name] is not None]
    for state, reverse in (("descending", True), ("ascending", False)):
        head.locator("button").click()
        assert head.get_attribute("aria-sort") == state
        shown = names.all_inner_texts()
        assert shown[: len(known)] == sorted(known, key=lambda name: norms[name] or 0.0, reverse=reverse)
        assert set(shown[len(known) :]) == {name for name in in_order if norms[name] is None}
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "none"
    assert names.all_inner_texts() == in_order
    page.fill("#model-search", in_order[0].upper()[:6])
    found = [name for name in in_order if in_order[0][:6] in name]
    assert names.all_inner_texts() == found
    assert f"{len(found)} of {len(in_order)}" in page.inner_text("#model [role=status]")
    page.fill("#model-search", "")
    page.select_option("#model-filter", "trains")
    assert names.all_inner_texts() == [clean(row.fqn) for row in report.parameters if row.verdict == "trains"]
    page.fill("#model-search", "nothing like that")
    assert "No parameter matches" in page.inner_text("#model tbody")


def test_the_tree_opens_and_the_chain_follows_the_choice(pages: Pages) -> None:
    report = shared()
    page = pages.open(draw(report))
    module = page.locator("#model .twist").first
    assert module.get_attribute("aria-expanded") == "true"
    rows = page.locator("#model tbody tr").count()
    module.click()
    assert page.locator("#model .twist").first.get_attribute("aria-expanded") == "false"
    assert page.locator("#model tbody tr").count() < rows
    healthy = next(row for row in report.parameters if row.verdict == "trains")
    page.fill("#chain-search", healthy.fqn)
    assert page.locator("#chain-body .holds").count() == 9
    broken = next(row for row in report.parameters if row.broken_link == 5)
    page.fill("#chain-search", broken.fqn)
    states = page.locator("#chain-body .links .state").all_inner_texts()
    assert states == ["holds"] * 4 + ["broken"] + ["not judged after the first broken link"] * 4
    page.fill("#chain-search", "")
    page.select_option("#chain-pick", index=1)
    assert report.parameters[1].fqn in page.inner_text("#chain-body .picked")


def test_another_parameters_way_is_drawn_in_a_finding(pages: Pages) -> None:
    page = pages.open(draw(shared()))
    pick = page.locator("article .path-pick")
    options = pick.locator("option").all_inner_texts()
    assert len(options) > 1
    pick.select_option(index=len(options) - 1)
    assert page.locator("article .path h3 code").inner_text() == options[-1]
    assert page.locator("article .stations .break").count() == 1


def test_all_of_it_is_done_by_keyboard(pages: Pages) -> None:
    page = pages.open(draw(shared()))
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.focus("#model-search")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('th button')"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus must be seen"
    page.keyboard.press("Enter")
    assert page.locator("#model thead th").first.get_attribute("aria-sort") == "ascending"
    page.locator("#model .twist").first.focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    while not page.evaluate("document.activeElement.classList.contains('leaf')"):
        page.keyboard.press("ArrowDown")
    name = page.evaluate("document.activeElement.title")
    page.keyboard.press("Enter")
    assert name in page.inner_text("#chain-body .picked")
    assert page.evaluate("document.activeElement.id") == "chain-pick"
    page.locator("details.card summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details.card[open]").count() == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_accessibility_fault_is_found(pages: Pages, scheme: str) -> None:
    page = pages.open(draw(shared()), color_scheme=scheme, bypass_csp=True)
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    result = axe.Axe().run(page)
    bad = [one for one in result["violations"] if one["impact"] in ("serious", "critical", "moderate")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in bad] == []
    checked = {one["id"] for one in result["passes"]}
    assert {"color-contrast", "heading-order", "landmark-one-main", "label"} <= checked, "axe has looked"


def test_an_accessibility_fault_would_be_found(pages: Pages) -> None:
    page = pages.open(draw(shared()), bypass_csp=True)
    page.evaluate("document.querySelector('h1').style.color = '#999'")
    result = axe.Axe().run(page, "h1")
    assert "color-contrast" in {one["id"] for one in result["violations"]}


def test_nothing_sticks_out_of_the_page(pages: Pages) -> None:
    page = pages.open(draw(shared()))
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    for width in (320, 390, 800, 1600):
        page.set_viewport_size({"width": width, "height": 800})
        until(page, f"document.querySelector('#loss svg').getAttribute('width') <= {width}")
        assert overflow(page) == [], f"{width} px"


@pytest.mark.parametrize("name", [HOSTILE, LONG, "..", "a" * 300 + "." * 50 + "\u4e00" * 3000])
def test_names_of_the_program_stay_text_and_break_no_layout(pages: Pages, name: str) -> None:
    page = pages.open(draw(hostile(name)), viewport={"width": 900, "height": 800})
    page.evaluate("document.querySelectorAll('details').forEach((node) => { node.open = true; })")
    assert overflow(page) == []
    assert page.title() != "owned"
    assert page.locator("main img").count() == 0
    assert page.locator("#chain-body .links > li").count() == 9
    assert page.locator("#model tbody .leaf").count() == 2
    if name is HOSTILE:
        text = page.inner_text("#chain-body")
        assert "\\u202e" in text, "a mark that turns text around is made visible"
        assert "\\x1b" in text
        assert not set("\u202e\x1b\x00") & set(page.content())


def test_ten_thousand_parameters_are_quick(pages: Pages) -> None:
    html = draw(large())
    loaded = math.inf
    for _ in range(3):  # other processes may hold the machine up; one load of three tells what it takes
        page = pages.open(html)
        loaded = min(loaded, page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd"))
        if loaded < 2000:
            break
    assert loaded < 2000, "milliseconds, everything drawn"
    assert page.locator("#flow-body svg.chart").first.is_visible()
    assert page.locator("#model tbody tr").count() > 0
    assert page.evaluate("document.querySelectorAll('*').length") < 30_000, "only a part of it is in the page"
    page.fill("#model-search", "blocks.77.layer3")
    assert "10 of 10,000" in page.inner_text("#model [role=status]")
    assert page.locator("#model tbody .leaf").count() == 10


def test_a_report_of_nothing_has_no_empty_sections(pages: Pages) -> None:
    empty = msgspec.structs.replace(
        shared(), parameters=(), findings=(), losses=(), stations=(), verdict="incomplete"
    )
    page = pages.open(draw(empty))
    assert page.locator("nav a").all_inner_texts() == ["Verdict", "Run"]
    assert page.locator("main section").count() == 2


def test_without_javascript_the_findings_and_the_parameters_are_there(pages: Pages) -> None:
    report = shared()
    page = pages.open(draw(report), java_script_enabled=False)
    assert page.locator("article h2").inner_text() == report.findings[0].title
    assert page.locator("article .stations li").count() > 2
    assert page.locator("#model tbody tr").count() == len(report.parameters)
    assert not page.locator("#chain").is_visible()


def test_on_paper_it_is_light_whole_and_without_controls(pages: Pages) -> None:
    page = pages.open(draw(shared()), color_scheme="dark")
    page.emulate_media(media="print", color_scheme="dark")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert not page.locator("nav").is_visible()
    assert not page.locator("#model-search").is_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("details.card:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details.card[open]").count() == 0


def test_in_a_notebook_the_report_keeps_to_itself(pages: Pages) -> None:
    fragment = shared()._repr_html_()
    host = (
        "<!doctype html><meta charset='utf-8'><title>notebook</title><body><p class='card' id='host'>host</p>"
    )
    page = pages.open(f"{host}{fragment}<p class='muted' id='after'>after</p>")
    assert page.evaluate("getComputedStyle(document.getElementById('host')).borderTopWidth") == "0px"
    assert page.evaluate("getComputedStyle(document.getElementById('after')).color") == "rgb(0, 0, 0)"
    page.locator(".whole summary").click()
    frame = page.frame_locator(".whole iframe")
    frame.locator("#model tbody tr").first.wait_for()
    assert frame.locator("h1").is_visible()
    frame.locator("nav a[href='#model']").click()
    inner = next(frame for frame in page.frames if frame.parent_frame)
    assert inner.url == "about:srcdoc", "a link within the page stays in it"
    until(inner, "document.getElementById('model').getBoundingClientRect().top < innerHeight")
    light = page.evaluate("getComputedStyle(document.querySelector('.wg.report')).backgroundColor")
    page.evaluate("document.body.setAttribute('data-jp-theme-light', 'false')")
    assert page.evaluate("getComputedStyle(document.querySelector('.wg.report')).backgroundColor") != light
