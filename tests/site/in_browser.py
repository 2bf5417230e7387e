"""A site in Debian's Chromium: `python -m tests.site.in_browser FOLDER AXE [PICTURES]`, which `nox -s site` does.

AXE is the file axe.min.js. Every page is loaded on a screen and on a phone: its console, what it requests, whether it
has to be scrolled sideways. Some are gone through in light and dark by axe-core, by keyboard and by mouse; the examples
that pages show are run. The same is done, briefly, to the site of a library whose author means harm. Into PICTURES go
pictures, to be looked at.
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from opwright_build.cli.entry import main as opwright
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.site.hostile_library import HOSTILE, lay

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-default-browser-check",
    "--window-size=1280,900",
)
SCREEN, PHONE = (1280, 900), (375, 800)
LOOKED_AT = ("index", "functions/index", "calls", "search", "functions/ai.onnx/Gelu", "functions/ai.onnx/Attention")
LOOKED_AT += ("functions/ai.onnx/SoftmaxCrossEntropyLoss", "functions/opwright.aten/layer_norm")
LOOKED_AT += ("guide/language", "guide/tutorial")
HARMLESS = ("file:", "data:", "chrome:", "chrome-untrusted:")  # the last of a new tab, before a page is opened


def main(arguments: list[str]) -> int:
    folder, axe = (Path(item).resolve() for item in arguments[:2])
    pictures = Path(arguments[2]) if len(arguments) > 2 else None
    problems = [*links(folder), *examples(folder)]
    with browser() as chromium:
        site = Site(folder, chromium)
        problems += site.pages(SCREEN)
        problems += site.pages(PHONE)
        for check in (site.search, site.keyboard, site.side_bar, site.drawing, partial(site.contrast, axe)):
            problems += check()
        if pictures is not None:
            site.take(pictures)
    problems += hostile_site()
    for problem in problems:
        print(f"FAILED: {problem}")
    print(f"{len(problems)} failed")
    return 1 if problems else 0


@contextlib.contextmanager
def browser() -> Iterator[webdriver.Chrome]:
    options = webdriver.ChromeOptions()
    options.binary_location = os.environ.get("CHROMIUM", "/usr/bin/chromium")
    with tempfile.TemporaryDirectory(prefix="opwright-chromium-") as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        service = webdriver.ChromeService(os.environ.get("CHROMEDRIVER", "/usr/bin/chromedriver"))
        driver = webdriver.Chrome(options=options, service=service)
        try:
            yield driver
        finally:
            driver.quit()


class Site:
    def __init__(self, folder: Path, driver: webdriver.Chrome) -> None:
        self.folder = folder
        self.driver = driver

    def pages(self, size: tuple[int, int]) -> Iterator[str]:
        """What is wrong with pages as they are when they have been loaded."""
        self.resize(size)
        for page in sorted(self.folder.rglob("*.html")):
            name = page.relative_to(self.folder).as_posix().removesuffix(".html")
            self.open(name)
            yield from (f"{name}: {text}" for text in self.told())
            width = self.driver.execute_script("return document.documentElement.scrollWidth")
            if width > size[0]:
                yield f"{name}: {width} pixels wide on a screen of {size[0]}"
            twice = self.driver.execute_script(
                "const ids = [...document.querySelectorAll('[id]')].map(item => item.id);"
                "return ids.filter((id, place) => ids.indexOf(id) !== place)"
            )
            if twice:
                yield f"{name}: the ids {twice} stand twice"

    def told(self) -> Iterator[str]:
        """What the console says, and what was asked of anything but the disk."""
        for entry in self.driver.get_log("browser"):
            yield f"console: {entry['message']}"
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if not url.startswith(HARMLESS):
                    yield f"requests {url}"

    def search(self) -> Iterator[str]:
        self.resize(SCREEN)
        ended = "#search-results p.search-summary"
        for words, wanted in (("gelu", "Gelu"), ("erf", "Gelu"), ("OW314", "Diagnostics"), ("zoom", "A site of a")):
            self.open("index")
            field = self.one("input[name=q]")
            field.send_keys(words, Keys.ENTER)
            try:
                WebDriverWait(self.driver, 20).until(lambda driver: "ound" in "".join(self.texts(ended)))
            except Exception:
                yield f"search for {words}: nothing"
                continue
            found = self.texts("#search-results ul.search li a")
            if not any(wanted in text for text in found):
                yield f"search for {words}: {found[:5]}"
        yield from self.told()

    def keyboard(self) -> Iterator[str]:
        """The skip link first, and every stop of the Tab key can be seen."""
        self.resize(SCREEN)
        self.open("functions/ai.onnx/SoftmaxCrossEntropyLoss")
        for stop in range(40):
            ActionChains(self.driver).send_keys(Keys.TAB).pause(0.5 if stop == 0 else 0).perform()  # it slides in
            told: dict[str, Any] = self.driver.execute_script(
                "const item = document.activeElement, style = getComputedStyle(item);"
                "const box = item.getBoundingClientRect();"
                "return {tag: item.tagName, text: item.textContent.slice(0, 30), href: item.getAttribute('href'),"
                "outline: style.outlineStyle, width: box.width, seen: box.top < innerHeight && box.bottom > 0}"
            )
            if stop == 0 and told["href"] != "#furo-main-content":
                yield f"the first stop of Tab is {told}, not the skip link"
            if told["tag"] == "BODY":
                yield f"stop {stop} of Tab is nowhere"
            elif told["outline"] == "none" or not told["width"] or not told["seen"]:
                yield f"stop {stop} of Tab cannot be seen: {told}"

    def side_bar(self) -> Iterator[str]:
        self.resize(SCREEN)
        self.open("index")
        field = self.one("#ow-filter")
        field.send_keys("norm")
        shown = [item.text for item in self.all("#ow-functions li") if item.is_displayed()]
        if not shown or not all("norm" in text.lower() for text in shown):
            yield f"the filter shows {shown}"
        field.send_keys(Keys.ENTER)
        WebDriverWait(self.driver, 10).until(lambda driver: "functions/" in driver.current_url)
        here = self.texts("#ow-functions a[aria-current]")
        if here != shown[:1]:
            yield f"Enter leads to {here}, not to {shown[:1]}"

    def drawing(self) -> Iterator[str]:
        """Keys, wheel, mouse, buttons, and a callee that is a link."""
        self.resize(SCREEN)
        self.open("functions/ai.onnx/SoftmaxCrossEntropyLoss")
        view = self.one(".ow-view")
        scroll = "arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})"
        self.driver.execute_script(scroll, view)
        seen = [self.view_box()]
        view.send_keys("+")
        seen.append(self.view_box())
        view.send_keys(Keys.ARROW_RIGHT)
        seen.append(self.view_box())
        view.send_keys("0")
        seen.append(self.view_box())
        self.driver.execute_script(scroll, view)
        ActionChains(self.driver).move_to_element(view).click_and_hold().move_by_offset(60, 40).release().perform()
        seen.append(self.view_box())
        for name in ("in", "out", "all"):
            self.one(f".ow-tools [data-zoom={name}]").click()
            seen.append(self.view_box())
        for before, after in pairwise(seen):
            if before == after:
                yield f"the drawing does not move: {seen}"
        if not seen[1][2] < seen[0][2]:
            yield f"`+` does not enlarge the drawing: {seen[:2]}"
        link = self.one(".ow-view svg a")
        link.click()
        WebDriverWait(self.driver, 10).until(lambda driver: "NegativeLogLikelihoodLoss" in driver.current_url)
        yield from self.told()

    def contrast(self, axe: Path) -> Iterator[str]:
        """axe-core's rules on some pages, in light and dark, with everything unfolded."""
        script = axe.read_text(encoding="utf-8")
        self.driver.set_script_timeout(300)
        for theme in ("light", "dark"):
            self.theme(theme)
            for name in LOOKED_AT:
                self.open(name)
                self.driver.execute_script("document.querySelectorAll('details').forEach(item => item.open = true)")
                self.driver.execute_script(script)
                found = self.driver.execute_async_script(
                    "const done = arguments[arguments.length - 1];"
                    "const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];"
                    "axe.run(document, {runOnly: rules, resultTypes: ['violations'], preload: false})"
                    ".then(result => done(result.violations))"
                )
                for item in found:
                    nodes = item["nodes"]
                    first = f"{nodes[0]['target']} {nodes[0]['failureSummary']}"
                    yield f"{name}, {theme}: {item['id']} ({len(nodes)}): {first}"
        self.theme("light")

    def take(self, folder: Path) -> None:
        """Pictures of pages, on a screen and on a phone, in light and dark."""
        folder.mkdir(parents=True, exist_ok=True)
        for size, title in ((SCREEN, "screen"), (PHONE, "phone")):
            self.resize(size)
            for theme in ("light", "dark"):
                self.theme(theme)
                for name in LOOKED_AT:
                    self.open(name)
                    height = self.driver.execute_script("return document.documentElement.scrollHeight")
                    clip = {"x": 0, "y": 0, "width": size[0], "height": min(height, 4 * size[1]), "scale": 1}
                    told = {"captureBeyondViewport": True, "clip": clip}
                    data = self.driver.execute_cdp_cmd("Page.captureScreenshot", told)["data"]
                    path = folder / f"{name.replace('/', '-')}-{title}-{theme}.png"
                    path.write_bytes(base64.b64decode(data))

    def open(self, name: str) -> None:
        self.driver.get((self.folder / f"{name}.html").as_uri())

    def resize(self, size: tuple[int, int]) -> None:
        width, height = size
        told = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", told)

    def theme(self, theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def view_box(self) -> list[float]:
        return [float(item) for item in str(self.one(".ow-view svg").get_dom_attribute("viewBox")).split()]

    def one(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector: str) -> list[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def texts(self, selector: str) -> list[str]:
        return [item.text for item in self.all(selector)]


class _Page(HTMLParser):
    """The addresses that a page names, its ids, and its blocks of code by the heading that they stand under."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.loaded: list[str] = []
        self.ids: set[str] = set()
        self.code: dict[str, list[str]] = {}
        self._section, self._in_code, self._text = "", False, ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.add(found.get("id") or "")
        if tag == "section":
            self._section = found.get("id") or ""
        if tag == "pre":
            self._in_code, self._text = True, ""
        if href := found.get("href"):
            (self.loaded if tag == "link" else self.addresses).append(href)
        if src := found.get("src"):
            self.loaded.append(src)

    def handle_endtag(self, tag: str) -> None:
        if tag == "pre":
            self._in_code = False
            self.code.setdefault(self._section, []).append(self._text)

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self._text += data


def read(page: Path) -> _Page:
    parser = _Page()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def links(folder: Path) -> Iterator[str]:
    """Addresses that lead nowhere, and what a page loads from elsewhere."""
    pages = {page: read(page) for page in sorted(folder.rglob("*.html"))}
    for page, parsed in pages.items():
        name = page.relative_to(folder).as_posix()
        for address in (*parsed.addresses, *parsed.loaded):
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                if address in parsed.loaded or parts.scheme not in ("http", "https", "mailto"):
                    yield f"{name}: names {address}"
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.is_file() or not target.is_relative_to(folder):
                yield f"{name}: {address} is not there"
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].ids:
                yield f"{name}: {address} has no such place"


def examples(folder: Path) -> Iterator[str]:
    """Examples that do not print what their pages say. The package of the library is importable."""
    count = 0
    for page in sorted((folder / "functions").rglob("*.html")):
        code = read(page).code.get("example", [])
        if not code:
            continue
        count += 1
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            exec(compile(code[0], page.stem, "exec"), {"__name__": "__main__"})
        if told.getvalue().strip() != code[1].strip():
            yield f"{page.stem}: prints {told.getvalue()!r}, not {code[1]!r}"
    print(f"{count} examples were run")


def hostile_site() -> Iterator[str]:
    """Nothing of its author runs, and nothing is loaded for it."""
    with tempfile.TemporaryDirectory(prefix="opwright-hostile-") as made:
        root, folder = Path(made) / "library", Path(made) / "site"
        lay(root, HOSTILE)
        status = opwright(["site", str(root), "-o", str(folder)])
        if status:
            yield f"the site of a hostile library: status {status}"
            return
        yield from links(folder)
        with browser() as chromium:
            site = Site(folder, chromium)
            chromium.execute_cdp_cmd(
                "Page.addScriptToEvaluateOnNewDocument",
                {"source": "window.alert = text => console.error(`alert ${text}`)"},
            )
            yield from site.pages(SCREEN)
            for words in ("script", "alert", "onerror"):
                site.open("index")
                site.one("input[name=q]").send_keys(words, Keys.ENTER)
                WebDriverWait(chromium, 10).until(lambda driver: site.texts("#search-results p.search-summary"))
                yield from (f"search for {words}: {text}" for text in site.told())
                images = chromium.execute_script(
                    "return document.querySelectorAll('article img, article script').length"
                )
                if images:
                    yield f"search for {words}: {images} images or scripts"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
