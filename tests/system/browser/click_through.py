"""Open the report and the site in headless Chromium, without a network, and click through both.

    tests/system/browser/install.sh && python tests/system/browser/click_through.py report.zip results/site

Every page is loaded, every result of the report opened and its caption read; pictures have to show, tables to sort,
links to lead somewhere. A request to any network, or an error on the console, is a failure.
"""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"),
    *("--allow-file-access-from-files", "--host-resolver-rules=MAP * ~NOTFOUND"),
)
LOCAL = ("file", "data", "blob", "about", "chrome")
WIDTHS = {"desktop": 1280, "phone": 390}
# The category of what is about no single paper.
ACROSS = "All papers"
# How a caption tells its scale: runs and horizon, a computation, or neither.
SCALE = ("T = ", "Computed: ", "A diagram")
# All pictures of a page, those beyond the screen too, have arrived.
PICTURES = """
const done = arguments[0], pictures = [...document.images];
pictures.forEach((picture) => { picture.loading = "eager"; });
Promise.allSettled(pictures.map((picture) => picture.decode())).then(() => done(
    pictures.filter((picture) => !picture.naturalWidth).map((picture) => picture.src)));
"""


class Failed(AssertionError):
    """What a reader would have found broken."""


def expect(condition: object, message: str) -> None:
    """Raise `Failed` unless the condition is true."""
    if not condition:
        raise Failed(message)


@contextlib.contextmanager
def browser() -> Iterator[Chrome]:
    """Give a browser that has never been used and knows no host."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        driver = Chrome(options, Service("/usr/bin/chromedriver"))
        driver.set_script_timeout(30)
        try:
            yield driver
        finally:
            driver.quit()


def check_quiet(driver: Chrome, where: str) -> None:
    """Refuse errors on the console and requests that left the machine, since the last look."""
    errors = [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]
    expect(not errors, f"{where}: {errors[:3]}")
    events = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
    outside = [url for url in asked if urlparse(url).scheme not in LOCAL]
    expect(not outside, f"{where} asks the network for {outside[:3]}")


def until(found: object, seconds: float = 20.0) -> object:
    """Return what ``found()`` returns as soon as it is true."""
    end = time.monotonic() + seconds
    while not (value := found()) and time.monotonic() < end:
        time.sleep(0.05)
    return value


def check_sorting(driver: Chrome, table: WebElement, where: str) -> None:
    """A click on a heading brings the rows into its order, a second one reverses them."""
    keys = (
        "return [...arguments[0].tBodies[0].rows].map((row) => row.cells[0].dataset.sort ?? row.cells[0].innerText)"
    )
    button = table.find_element(By.CSS_SELECTOR, "th button")
    driver.execute_script("arguments[0].click()", button)
    up = driver.execute_script(keys, table)
    driver.execute_script("arguments[0].click()", button)
    down = driver.execute_script(keys, table)
    expect(up == down[::-1], f"{where}: a table does not sort")
    numbers = [float(key) for key in up] if all(key.replace(".", "", 1).isdigit() for key in up) else []
    expect(numbers == sorted(numbers), f"{where}: a table sorts wrongly")


def check_links(driver: Chrome, page: Path, known: dict[Path, set[str]]) -> None:
    """Every link of a page leads to a file that is there, and to a part of it that is there."""
    for link in driver.execute_script("return [...document.links].map((link) => link.href)"):
        address, part = urldefrag(link)
        if urlparse(address).scheme != "file":
            continue
        file = Path(unquote(urlparse(address).path))
        expect(file.is_file(), f"{page.name}: nothing at {link}")
        expect(not part or part in known.get(file, {part}), f"{page.name}: no such part: {link}")


def click_site(driver: Chrome, folder: Path) -> int:
    """Look at every page of the site, as wide as a desk's screen and as a phone's; return how many."""
    pages = sorted(folder.glob("*.html"))
    expect(folder / "index.html" in pages, f"no site in {folder}")
    known = {}
    for page in pages:
        driver.get(page.as_uri())
        known[page] = set(driver.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)"))
    for page in pages:
        for name, width in WIDTHS.items():
            size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": name == "phone"}
            driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            driver.get(page.as_uri())
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            expect(wide <= width, f"{page.name} is {wide} pixels wide on a {name} of {width}")
        broken = driver.execute_async_script(PICTURES)
        expect(not broken, f"{page.name}: pictures that do not show: {broken[:3]}")
        check_links(driver, page, known)
        for table in driver.find_elements(By.CSS_SELECTOR, "table.sortable"):
            check_sorting(driver, table, page.name)
        for field in driver.find_elements(By.CSS_SELECTOR, "input[type=search]"):
            field.send_keys("qqq")
            hidden = "return document.querySelectorAll(arguments[0] + ':not([hidden])').length"
            expect(driver.execute_script(hidden, field.get_attribute("data-hides")) == 0, f"{page.name}: no search")
        check_quiet(driver, page.name)
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return len(pages)


def menu(driver: Chrome, text: str) -> None:
    """Click an entry of the report's menu, from its start."""
    click(driver, driver.find_element(By.CSS_SELECTOR, "nav ol a"))
    entry(driver, text)


def entry(driver: Chrome, text: str) -> None:
    """Click an entry of what the report's menu shows."""

    def found() -> list[WebElement]:
        return [link for link in driver.find_elements(By.CSS_SELECTOR, "nav ul a") if link.text == text]

    expect(until(found), f"report: no entry {text} in its menu")
    click(driver, found()[0])


def click(driver: Chrome, element: WebElement) -> None:
    """Click an element wherever it is, also where another one scrolls over it."""
    driver.execute_script("arguments[0].click()", element)


def shows(driver: Chrome, name: str) -> bool:
    """Say whether a result is on the screen: a picture that has arrived, or a page with something in it."""
    if name.endswith(".png"):
        pictures = driver.find_elements(By.CSS_SELECTOR, f"img[src$='/{name}']")
        return any(picture.get_property("naturalWidth") and picture.is_displayed() for picture in pictures)
    frames = driver.find_elements(By.CSS_SELECTOR, f"iframe[src$='/{name}']")
    if not frames:
        return False
    driver.switch_to.frame(frames[0])
    try:
        tables = driver.find_elements(By.CSS_SELECTOR, "table.sortable")
        for table in tables:
            check_sorting(driver, table, name)
        return bool(tables or driver.find_elements(By.CSS_SELECTOR, ".highlight span, article.item"))
    finally:
        driver.switch_to.default_content()


def click_list(driver: Chrome, category: str) -> set[str]:
    """Open all results of a list of the report, and what is said about them; return their paths."""
    opened = set()
    for row in range(len(driver.find_elements(By.CSS_SELECTOR, "nav tbody tr"))):
        view, about = driver.find_elements(By.CSS_SELECTOR, "nav tbody tr")[row].find_elements(By.CSS_SELECTOR, "a")
        click(driver, view)
        path = str(driver.execute_script("return app.state.resultPath"))
        expect(until(lambda path=path: shows(driver, Path(path).name)), f"report: {path} does not show")
        click(driver, about)
        captions = until(lambda: driver.find_elements(By.CSS_SELECTOR, "nav li.prose"))
        words = captions[0].text if captions else ""
        expect(len(words) > 40, f"report: {path} has no caption")
        told = any(word in words for word in SCALE)
        expect(told or category == ACROSS, f"report: {path} does not tell its scale")
        driver.execute_script("app.setView({navbarMode: 'subcategory'})")
        opened.add(path)
    return opened


def click_report(driver: Chrome, archive: Path) -> int:
    """Open everything in the report; return how many results."""
    with tempfile.TemporaryDirectory() as folder:
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
        driver.get(next(Path(folder).glob("*/report.html")).as_uri())
        expect(until(lambda: driver.find_elements(By.CSS_SELECTOR, "nav ul a")), "report: empty")
        check_quiet(driver, "report")
        for part in ("Statistics", "Workflow"):
            entry(driver, part)
            expect(
                until(lambda: driver.find_elements(By.CSS_SELECTOR, "svg.marks, canvas.marks")),
                f"report: no {part}",
            )
        opened: set[str] = set()
        for category, subcategories in driver.execute_script("return categories").items():
            for subcategory in subcategories:
                menu(driver, category)
                if len(subcategories) > 1:
                    entry(driver, subcategory)
                opened |= click_list(driver, category)
                check_quiet(driver, f"report, {category}")
        missed = set(driver.execute_script("return Object.keys(results)")) - opened
        expect(not missed, f"report: not in its lists: {sorted(missed)}")
        return len(opened)


if __name__ == "__main__":
    with browser() as driver:
        print(f"report: {click_report(driver, Path(sys.argv[1]))} results")
        print(f"site: {click_site(driver, Path(sys.argv[2]).resolve())} pages")
