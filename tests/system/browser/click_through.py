"""Open the report and the site in headless Chromium, without a network, and click through both.

    tests/system/browser/install.sh && python tests/system/browser/click_through.py report.zip results/site

Every page is loaded, every result of the report opened and its caption read; pictures have to show, tables to sort,
links to lead somewhere. Every figure that answers has the numbers of its CSV; of each paper some are zoomed,
hidden from, divided, drawn again from other runs and read by keyboard, and Explore shows the same by its address.
On the page Try every algorithm is run, and the command that it shows run here too: the digests have to be the same.
A request to any network, an error on the console, a page that is not painted within a second, or a serious finding
of axe-core on accessibility is a failure.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import json
import math
import shlex
import shutil
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

import numpy as np
from selenium.webdriver import Chrome, ChromeOptions
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement

from dpbandits.cli.main import main

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
# axe-core 4.14.1 (MPL 2.0), as npm has it: for this test alone.
AXE = Path(__file__).with_name("axe.min.js")
SERIOUS = """
const done = arguments[0];
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(found.violations
    .filter((rule) => ["serious", "critical"].includes(rule.impact) || rule.id === "heading-order")
    .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 3).map((node) => node.target.join(" ")).join("; ")}`)));
"""
PAINTED = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
FIRST_PAINT = 1000.0
HEAVIEST = 3_000_000
# What a figure draws: for each of its charts the names, heights and limits of its lines.
DRAWN = """
return arguments[0].look.charts.map(({view, u}) => ({
    x: [u.scales.x.min, u.scales.x.max], y: [u.scales.y.min, u.scales.y.max], xs: view.xs,
    lines: view.lines.map((line) => (
        {name: line.curve?.name ?? "", bound: line.bound ?? "", again: line.draw ?? -1, values: line.values})),
}));
"""
DATA = """
return arguments[0].look.data.panels.flatMap((panel) => panel.curves.map((curve) => ({
    name: curve.name, x: curve.x, column: panel.x.column, lines: curve.lines, heights: curve.heights,
    cells: curve.cells ?? [], runs: curve.runs ?? null})));
"""
# Choose an entry of a selector of Explore by its place, from the end if negative.
CHOOSE = """
const label = [...document.querySelectorAll("#choose label")].find((one) => one.innerText.startsWith(arguments[0]));
const select = label.querySelector("select"), number = select.options.length;
select.selectedIndex = (number + arguments[1]) % number;
select.dispatchEvent(new Event("change"));
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
        driver.set_script_timeout(120)
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
        # Behind the sign Explore, claims and the register keep what is chosen.
        named = part and file.stem != "explore" and "=" not in part
        expect(not named or part in known.get(file, {part}), f"{page.name}: no such part: {link}")


def check_paint(driver: Chrome, where: str) -> None:
    """Refuse a page whose first words come late."""
    painted = until(lambda: driver.execute_script(PAINTED), 5.0)
    expect(painted and float(str(painted)) < FIRST_PAINT, f"{where} is painted after {painted} ms")


def check_accessible(driver: Chrome, where: str) -> None:
    """Refuse what axe-core calls serious or critical, and headings that skip a level."""
    driver.execute_script(AXE.read_text(encoding="utf-8"))
    found = driver.execute_async_script(SERIOUS)
    expect(not found, f"{where}: {found[:5]}")


def resize(driver: Chrome, name: str) -> None:
    """Make the window as wide as a desk's screen or a phone's."""
    size = {"width": WIDTHS[name], "height": 900, "deviceScaleFactor": 1, "mobile": name == "phone"}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def click_site(driver: Chrome, folder: Path) -> int:
    """Look at every page of the site, as wide as a desk's screen and as a phone's; return how many."""
    pages = sorted(folder.glob("*.html"))
    expect(folder / "index.html" in pages, f"no site in {folder}")
    known = {}
    for page in pages:
        driver.get(page.as_uri())
        known[page] = set(driver.execute_script("return [...document.querySelectorAll('[id]')].map((e) => e.id)"))
    # Of pages of one kind one is enough: the first claim's, violation's and table's, all others.
    kinds = {page.stem.split("-")[0]: page for page in reversed(pages)}
    for page in pages:
        for name, width in WIDTHS.items():
            resize(driver, name)
            driver.get(page.as_uri())
            check_paint(driver, page.name)
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            expect(wide <= width, f"{page.name} is {wide} pixels wide on a {name} of {width}")
        broken = driver.execute_async_script(PICTURES)
        expect(not broken, f"{page.name}: pictures that do not show: {broken[:3]}")
        check_links(driver, page, known)
        if page in kinds.values():
            check_accessible(driver, page.name)
        for table in driver.find_elements(By.CSS_SELECTOR, "table.sortable"):
            check_sorting(driver, table, page.name)
        for field in driver.find_elements(By.CSS_SELECTOR, "input[type=search]"):
            field.send_keys("qqq")
            hidden = "return document.querySelectorAll(arguments[0] + ':not([hidden])').length"
            expect(driver.execute_script(hidden, field.get_attribute("data-hides")) == 0, f"{page.name}: no search")
        check_quiet(driver, page.name)
    resize(driver, "desktop")
    for page in pages:
        driver.get(page.as_uri())
        figures = driver.find_elements(By.CSS_SELECTOR, "figure[data-figure]")
        if figures:
            click_figures(driver, page, figures)
    click_claim(driver, kinds["claim"]) if "claim" in kinds else None
    click_claims(driver, folder / "claims.html") if "claim" in kinds else None
    click_register(driver, folder / "discrepancies.html")
    click_violation(driver, kinds["violation"]) if "violation" in kinds else None
    click_explore(driver, folder / "explore.html")
    click_play(driver, folder / "index.html")
    driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    return len(pages)


class Trial:
    """The page Try, open.

    Parameters
    ----------
    driver
        The browser.
    page
        The page, or its whole address.
    seconds
        How long it may take to answer.
    """

    def __init__(self, driver: Chrome, page: Path | str, seconds: float = 120.0) -> None:
        self.driver, self.seconds = driver, seconds
        # A page that is open already is read anew, with its address.
        driver.get("about:blank")
        driver.get(page if isinstance(page, str) else page.as_uri())
        expect(not driver.find_elements(By.ID, "missing"), "Try: ziglang is not installed")
        expect(until(lambda: self.data("ready"), seconds), "Try: is never ready")
        self.fine("at first")

    def data(self, name: str) -> str | None:
        """Return what the page says of itself."""
        found: str | None = self.driver.execute_script("return document.body.dataset[arguments[0]]", name)
        return found

    def text(self, name: str) -> str:
        """Return the text of a part."""
        return str(self.driver.execute_script("return document.getElementById(arguments[0]).textContent", name))

    def fine(self, where: str) -> None:
        """Refuse an error that the page tells."""
        expect(not self.text("fault"), f"Try, {where}: {self.text('fault')}")

    def ask(self, **fields: object) -> None:
        """Fill in fields as a person does, and wait for what comes of it."""
        before = self.data("done")
        self.driver.execute_script(
            """for (const [name, value] of Object.entries(arguments[0])) {
                const field = document.getElementById("asked").elements[name];
                field.value = value;
                field.dispatchEvent(new Event("change", { bubbles: true }));
            }""",
            {name: str(value) for name, value in fields.items()},
        )
        answered = until(lambda: self.data("done") != before and not self.busy(), self.seconds)
        expect(answered, f"Try: no answer to {fields}")

    def busy(self) -> bool:
        """Say whether the page still computes."""
        return bool(self.driver.execute_script("return document.body.hasAttribute('aria-busy')"))

    def press(self, name: str) -> None:
        """Click a button."""
        click(self.driver, self.driver.find_element(By.ID, name))

    def algorithms(self) -> list[str]:
        """Return the names of what is offered."""
        options = "return [...document.querySelectorAll('select[name=algorithm] option')].map((each) => each.value)"
        return list(self.driver.execute_script(options))


def native_digest(command: str) -> str:
    """Run a command line of the page here; return the SHA-256 of its regret."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder, "out.npz")
        arguments = shlex.split(command.replace("--output out.npz", f"--output {output}"))[1:]
        expect(main(arguments) == 0, f"Try: refused in a terminal: {command}")
        with np.load(output) as arrays:
            return hashlib.sha256(arrays["regret"].tobytes()).hexdigest()


def click_try(driver: Chrome, page: Path) -> int:
    """Run every algorithm of the page Try, with keys and buttons too; return how many have the native bytes."""
    trial = Trial(driver, page)
    names = trial.algorithms()
    expect(len(names) >= 15, f"Try: only {names}")
    for name in names:
        trial.ask(algorithm=name)
        trial.ask(horizon="1500", runs="10", checkpoints="30", rootSeed="3")
        trial.fine(name)
        expect(trial.text("digest") == native_digest(trial.text("command")), f"Try: {name} has other bytes here")
    same = "return [...document.querySelectorAll('#comparison [data-same=true]')].length"
    expect(driver.execute_script(same) == len(names), "Try: the page found other bytes")
    expect(not driver.find_elements(By.CSS_SELECTOR, "#comparison [data-defaults=false]"), "Try: other defaults")
    _refuse(trial)
    _extremes(trial)
    _keys(trial)
    _beside(trial)
    _cancel(trial)
    _watch(Trial(driver, page))
    refuse_other_bytes(driver, page)
    check_quiet(driver, "Try")
    return len(names)


def refuse_other_bytes(driver: Chrome, page: Path) -> None:
    """An algorithm whose bytes are not the native ones is not offered: here those are said to be others."""
    with tempfile.TemporaryDirectory() as folder:
        other = Path(shutil.copytree(page.parent / "shared", Path(folder, "shared")), "kernels.js")
        text = other.read_text(encoding="utf-8")
        at = text.index('"digest":"', text.index('"dp-klucb":{')) + len('"digest":"')
        other.write_text(f"{text[:at]}{'1' if text[at] == '0' else '0'}{text[at + 1 :]}", encoding="utf-8")
        trial = Trial(driver, Path(shutil.copy(page, folder)))
        trial.ask(algorithm="dp-klucb")
        expect("DP-KLUCB is not offered" in trial.text("fault"), "Try: other bytes are offered")
        expect(trial.text("digest") == "–", "Try: other bytes have a digest")
        trial.ask(algorithm="dp-imed")
        trial.fine("after a refusal")


def _refuse(trial: Trial) -> None:
    """What the command line refuses is refused, in the same words."""
    trial.ask(algorithm="dp-imed")
    for field, value, words in (
        ("epsilon", "0", "a number > 0, from 1e-100"),
        ("horizon", "1e17", "an integer from 1 to 2**52"),
        ("alpha", "1", "a number > 1"),
        ("n0", "nan", "an integer > 0"),
    ):
        before = trial.driver.execute_script(f"return document.getElementsByName('{field}')[0].value")
        trial.ask(**{field: value})
        expect(words in trial.text("fault"), f"Try: {field} {value}: {trial.text('fault')!r}")
        trial.ask(**{field: before})
        trial.fine(f"{field} again")


def _extremes(trial: Trial) -> None:
    """Where numbers overflow, vanish or are none, and where memory grows, the bytes are the native ones too."""
    for name, fields in (
        ("dp-imed", {"horizon": "2**52", "runs": "50"}),
        ("dp-imed", {"epsilon": "1e-100"}),
        ("dp-imed", {"epsilon": "1e100"}),
        ("dp-klucb", {"horizon": "1000", "runs": "20000", "checkpoints": "300"}),
        ("exp3", {"eta": "1e300", "runs": "10"}),
        ("agarwal-singh", {"epsilon": "1e-99", "runs": "10", "horizon": "1000"}),
        ("rnm-ftnl-gumbel", {"scale": "1e300"}),
        ("batched-exp4", {"epsilon": "1", "eta": "1e30", "runs": "10"}),
    ):
        trial.ask(algorithm=name)
        for field, value in fields.items():
            trial.ask(**{field: 2**52 if value == "2**52" else value})
        trial.fine(f"{name} {fields}")
        expect(trial.text("digest") == native_digest(trial.text("command")), f"Try: {name} {fields}: other bytes")


def _keys(trial: Trial) -> None:
    """Arms move by keys."""
    trial.ask(algorithm="dp-imed")
    trial.driver.execute_script("arms = [0.75, 0.7, 0.7, 0.7, 0.7]; showArms()")
    before, shown = trial.data("done"), trial.text("command")
    trial.driver.find_element(By.CSS_SELECTOR, ".arm").send_keys(Keys.ARROW_UP)
    expect(until(lambda: trial.data("done") != before, trial.seconds), "Try: an arm does not move")
    expect("--means 0.76,0.7" in trial.text("command"), f"Try: {shown} is as before")


def _beside(trial: Trial) -> None:
    """Two algorithms are side by side, sliders move budget and gap, and the address brings all of it back."""
    trial.ask(algorithm="dp-imed", beside="dp-klucb")
    trial.ask(preset="1", runs="200")
    expect("DP-IMED mean" in trial.text("status") and "DP-KLUCB mean" in trial.text("status"), "Try: one of two")
    slide = """for (const [name, value] of [["epsilon-slider", -1], ["gap-slider", 0.25]]) {
        const slider = document.getElementById(name);
        slider.value = value;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
    }"""
    before = trial.data("done")
    trial.driver.execute_script(slide)
    expect(until(lambda: trial.data("done") != before and not trial.busy(), trial.seconds), "Try: sliders")
    asked, told = trial.text("command"), trial.text("status").partition("Regret")[2]
    expect("--means 0.75,0.5,0.25,0.0,0.0" in asked and "--epsilon 0.1 " in asked, f"Try: sliders: {asked}")
    again = Trial(trial.driver, trial.driver.current_url)
    expect(again.text("command") == asked, f"Try: the address has {again.text('command')}")
    expect(again.text("status").partition("Regret")[2] == told, "Try: the address has other runs")
    again.ask(epsilon="abc")
    expect(again.text("fault").startswith("Budget ε cannot be “abc”: it takes a number"), again.text("fault"))
    again.ask(epsilon="0.25", beside="")
    expect("DP-KLUCB" not in again.text("status"), "Try: nothing was asked for beside it")


def _cancel(trial: Trial) -> None:
    """A long simulation can be left, and the page goes on."""
    trial.ask(algorithm="ftpl")
    trial.driver.execute_script("document.getElementById('asked').elements.horizon.value = '1e8'")
    trial.press("run")
    expect(until(lambda: trial.text("status").startswith("Running"), trial.seconds), "Try: does not run")
    trial.press("cancel")
    expect(until(lambda: trial.text("status").startswith("Cancelled"), trial.seconds), "Try: does not stop")
    trial.ask(algorithm="dp-imed")
    trial.fine("after cancelling")


def _watch(trial: Trial) -> None:
    """The worst run is told, batch by batch, and its draws are proved."""
    watched = "return document.getElementById('watch').dataset.exact"
    for name in ("dp-imed", "forgetting-dp-klucb"):
        trial.ask(algorithm=name)
        trial.press("worst")
        exact = until(lambda: trial.driver.execute_script(watched), trial.seconds)
        expect(exact == "true", f"Try: {name}'s draws are not proved")
        expect("The first noisy batch that made it" in trial.text("story"), f"Try: {trial.text('story')}")
        rows = trial.driver.find_elements(By.CSS_SELECTOR, "#batches tbody tr")
        expect(len(rows) > 10, f"Try: {len(rows)} batches")
        trial.driver.execute_script("delete document.getElementById('watch').dataset.exact")


def click_play(driver: Chrome, page: Path) -> None:
    """The front page draws the paper's number of runs; others at a click; what its commands give is the same."""
    driver.get(page.as_uri())
    if not driver.find_elements(By.ID, "play"):
        return
    section = driver.find_element(By.ID, "play")
    driver.execute_script("arguments[0].scrollIntoView()", section)
    expect(until(lambda: section.get_attribute("data-drawn") == "1", 60.0), f"{page.name}: no runs: {section.text}")
    first = section.get_attribute("data-digests")
    click(driver, section.find_element(By.CSS_SELECTOR, "button.again"))
    expect(until(lambda: section.get_attribute("data-drawn") == "2"), f"{page.name}: no other runs")
    digests, commands = (str(section.get_attribute(f"data-{name}")) for name in ("digests", "commands"))
    expect(digests != first, f"{page.name}: other runs are the same")
    for digest, command in zip(digests.split(), commands.splitlines(), strict=True):
        expect("--seeds 20-39" in command, f"{page.name}: {command} is of other runs")
        expect(native_digest(command) == digest, f"{page.name}: {command} has other bytes here")
    click(driver, section.find_elements(By.CSS_SELECTOR, "input[type=radio]")[-1])
    drawn = section.find_element(By.CLASS_NAME, "dots")
    expect(until(lambda: "10/ε" in str(drawn.get_attribute("innerHTML"))), f"{page.name}: the switch draws nothing")
    expect(driver.current_url.endswith("#play=1,1"), f"{page.name}: {driver.current_url} does not keep the view")
    check_quiet(driver, page.name)


def answering(driver: Chrome, figure: WebElement) -> bool:
    """Ask a figure, which is there as printed, for its curves, and say whether it has drawn them."""
    driver.execute_script("arguments[0].reveal()", figure)
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", figure)
    expect(figure.find_element(By.CSS_SELECTOR, ".printed img").is_displayed(), "a figure is not there as printed")
    click(driver, figure.find_element(By.CSS_SELECTOR, ".switch"))
    ready = "return Boolean(arguments[0].look) && arguments[0].look.charts.every((chart) => chart.u)"
    return bool(until(lambda: driver.execute_script(ready, figure)))


def click_figures(driver: Chrome, page: Path, figures: list[WebElement]) -> None:
    """Compare all figures of a page with their files, and use those that have the most to choose from."""
    clicked, names = set(), []
    for figure in figures:
        name = str(figure.get_attribute("data-figure"))
        expect(answering(driver, figure), f"{page.name}: {name} does not draw")
        if not driver.execute_script("return arguments[0].look.data.panels.length", figure):
            expect(figure.find_element(By.CSS_SELECTOR, ".nothing").is_displayed(), f"{name}: is empty, unsaid")
            check_empty(page, name)
            continue
        names.append(name)
        check_numbers(driver, page, figure, name)
        check_bounds(driver, figure, name)
        wide = driver.execute_script("return document.documentElement.scrollWidth")
        expect(wide <= WIDTHS["desktop"], f"{page.name}: {name} makes the page {wide} pixels wide")
        offered = bool(figure.find_elements(By.CSS_SELECTOR, ".resample"))
        if offered not in clicked:
            clicked.add(offered)
            click_figure(driver, figure, name)
    sent = "return performance.getEntriesByType('resource').map((entry) => entry.name)"
    data = [Path(unquote(urlparse(url).path)) for url in driver.execute_script(sent) if url.endswith(".js")]
    heavy = page.stat().st_size + sum(file.stat().st_size for file in set(data) if "runs-" not in file.name)
    expect(heavy < HEAVIEST, f"{page.name} has {heavy} bytes, its figures' data included")
    resize(driver, "phone")
    wide = until(lambda: driver.execute_script("return document.documentElement.scrollWidth") <= WIDTHS["phone"])
    expect(wide, f"{page.name} with its curves is too wide for a phone")
    check_accessible(driver, f"{page.name} with its curves")
    resize(driver, "desktop")
    check_quiet(driver, page.name)
    if names:
        check_figure_address(driver, page, names[-1])


def check_figure_address(driver: Chrome, page: Path, name: str) -> None:
    """What is chosen of a figure stands in the address, which alone shows the same; a damaged one draws too."""

    def reopened(address: str) -> object:
        """Return what the figure draws on a page that was loaded anew, as soon as it draws."""
        driver.get("about:blank")
        driver.get(address)
        figure = driver.find_element(By.CSS_SELECTOR, f'[data-figure="{name}"]')
        ready = "return Boolean(arguments[0].look) && arguments[0].look.charts.every((chart) => chart.u)"
        expect(until(lambda: driver.execute_script(ready, figure)), f"{page.name}: nothing opens at {address}")
        return driver.execute_script(DRAWN, figure)

    driver.get("about:blank")
    driver.get(page.as_uri())
    figure = driver.find_element(By.CSS_SELECTOR, f'[data-figure="{name}"]')
    expect(answering(driver, figure), f"{page.name}: {name} does not draw")
    expect("#" not in driver.current_url, f"{page.name}: {driver.current_url} says what nobody chose")
    click(driver, figure.find_element(By.CSS_SELECTOR, ".key"))
    click(driver, figure.find_element(By.CSS_SELECTOR, ".tick input"))
    address, shown = driver.current_url, driver.execute_script(DRAWN, figure)
    expect(reopened(address) == shown, f"{page.name}: {address} shows something else")
    for wrong in ("hidden=%5B", "bounds=7", "height=no&divide=no&xlog=no"):
        reopened(f"{page.as_uri()}#figure={name}&{wrong}")
    check_quiet(driver, address)


def check_numbers(driver: Chrome, page: Path, figure: WebElement, name: str) -> None:
    """Every number of a figure that its CSV has is the CSV's, in seven digits."""
    with (page.parent / "files" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    compared = 0
    for curve in driver.execute_script(DATA, figure):
        # What follows from several rows is in none.
        lines = [rows[line] if line >= 0 else dict[str, str]() for line in curve["lines"]]
        shown = [(curve["column"], curve["x"])] if curve["x"] and curve["column"] in rows[0] else []
        shown += [
            (column, height[part]) for height in curve["heights"] for part, column in height["columns"].items()
        ]
        for column, values in shown:
            for row, value in zip(lines, values, strict=True):
                if row.get(column) and math.isfinite(float(row[column])):
                    same = value is not None and math.isclose(value, float(row[column]), rel_tol=1e-6)
                    expect(same, f"{name}, {curve['name']}: {value}, and {row[column]} in the CSV's {column}")
                    compared += 1
    expect(compared or check_maps(driver, figure, name), f"{name}: no number is the CSV's")


def check_maps(driver: Chrome, figure: WebElement, name: str) -> int:
    """Cells of a map have levels that the legend names, those of a table a row and a column; return how many."""
    panels = driver.execute_script("return arguments[0].look.data.panels", figure)
    maps = [panel["cells"] for panel in panels if panel["cells"]]
    for one in maps:
        shape = {len(row) for row in one["levels"]}
        expect(shape == {len(one["x"]) - 1}, f"{name}: {shape} cells between {len(one['x'])} edges")
        expect(len(one["levels"]) == len(one["y"]) - 1, f"{name}: rows of cells are lost")
        levels = {level for row in one["levels"] for level in row}
        expect(levels <= {-1, *range(len(one["names"]))}, f"{name}: levels {levels} of {one['names']}")
    shades = [(panel, region) for panel in panels if not panel["curves"] for region in panel["regions"]]
    for panel, region in shades:
        for axis in "xy":
            middle, places = sum(region[axis]) / 2, [place for place, _ in panel[axis]["ticks"]]
            expect(middle in places, f"{name}: {region['name']} is at {axis} = {middle}, of {places}")
    return sum(len(row) for one in maps for row in one["levels"]) + len(shades)


def check_empty(page: Path, name: str) -> None:
    """A figure that draws nothing has shares, and all of them are 0. Medians beside them say what is far."""
    with (page.parent / "files" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        values = [
            float(row["value"]) for row in csv.DictReader(file) if row["value"] and row.get("statistic") != "median"
        ]
    expect(not any(values), f"{name}: draws nothing of {len(values)} numbers")


def check_bounds(driver: Chrome, figure: WebElement, name: str) -> None:
    """A figure draws the bounds that paper shows, and no other, and compares panels on the same axes."""
    data = "return arguments[0].look.data.panels"
    panels = driver.execute_script(data, figure)
    shown = {bound for panel in panels for bound in panel["shown"]}
    shown &= {bound for panel in panels for curve in panel["curves"] for bound in curve["bounds"]}
    drawn = {str(line["bound"]) for line in lines_of(driver, figure) if line["bound"]}
    expect(drawn == shown, f"{name}: draws the bounds {drawn}, and paper {shown}")
    ends: dict[tuple[str, ...], set[tuple[float, ...]]] = {}
    for panel, chart in zip(panels, driver.execute_script(DRAWN, figure), strict=True):
        axes = (panel["x"]["label"], panel["y"]["label"], str(panel["x"]["log"]), str(panel["y"]["log"]))
        ends.setdefault((*axes, panel["divided"]), set()).add((*chart["x"], *chart["y"]))
    expect(all(len(same) == 1 for same in ends.values()), f"{name}: panels cannot be compared: {ends}")


def lines_of(driver: Chrome, figure: WebElement) -> list[dict[str, object]]:
    """Return all lines that a figure draws."""
    return [line for chart in driver.execute_script(DRAWN, figure) for line in chart["lines"]]


def click_figure(driver: Chrome, figure: WebElement, name: str) -> None:
    """Zoom, hide, isolate, divide, draw again, move by keyboard, read the table, and look at the picture."""

    def buttons(selector: str) -> list[WebElement]:
        return figure.find_elements(By.CSS_SELECTOR, selector)

    def named() -> list[str]:
        return [str(line["name"]) for line in lines_of(driver, figure) if line["name"]]

    before = driver.execute_script(DRAWN, figure)[0]
    click(driver, buttons("[data-zoom='zoom in']")[0])
    zoomed = driver.execute_script(DRAWN, figure)[0]
    expect(zoomed["x"][0] > before["x"][0] and zoomed["x"][1] < before["x"][1], f"{name}: no zoom")
    click(driver, buttons("[data-zoom='show all']")[0])
    expect(driver.execute_script(DRAWN, figure)[0]["x"] == before["x"], f"{name}: zoom has no end")
    over = buttons(".u-over")[0]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", over)
    dragged = ActionChains(driver).move_to_element_with_offset(over, -60, -40).click_and_hold()
    dragged.move_by_offset(90, 70).release().perform()
    expect(driver.execute_script(DRAWN, figure)[0]["x"] != before["x"], f"{name}: a drag does not zoom")
    click(driver, buttons("[data-zoom='show all']")[0])

    keys = buttons(".key")
    if len(keys) > 1:
        first, whole = keys[0].text, named()
        click(driver, keys[0])
        expect(first not in named() and set(named()) == set(whole) - {first}, f"{name}: {first} is not hidden")
        click(driver, keys[0])
        click(driver, buttons(".only")[0])
        expect(set(named()) == {first}, f"{name}: {first} is not alone")
        click(driver, buttons(".only")[0])
        expect(named() == whole, f"{name}: curves are lost")
        click_divided(driver, figure, name, first)
    if buttons(".resample"):
        for draw in (1, 2):
            click(driver, buttons(".resample")[0])
            done = until(lambda draw=draw: {line["again"] for line in lines_of(driver, figure)} >= set(range(draw)))
            expect(done, f"{name}: runs are not drawn again")
        again = {(line["again"], tuple(line["values"])) for line in lines_of(driver, figure) if line["again"] >= 0}
        expect(len(again) > 1, f"{name}: every draw is the same")
        click(driver, next(button for button in buttons(".draws button") if "without" in button.text))
        expect(all(line["again"] < 0 for line in lines_of(driver, figure)), f"{name}: draws stay")

    chart = buttons(".graph")[0]
    driver.execute_script("arguments[0].focus()", chart)
    chart.send_keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    said = buttons(".readout")[0].text
    expect(any(key.text in said for key in keys), f"{name}: the keyboard says nothing: {said!r}")
    curve = driver.execute_script(DATA, figure)[0]
    if curve["cells"] and curve["runs"]:
        expect("dpbandits simulate" in said and "runs" in said, f"{name}: a point without command: {said!r}")
    numbers = buttons(".numbers summary")[0]
    click(driver, numbers)
    expect(until(lambda: len(buttons(".numbers tbody tr")) > 1), f"{name}: no table")
    click(driver, numbers)
    click(driver, buttons(".switch")[0])
    expect(buttons(".printed img")[0].is_displayed(), f"{name}: no picture as printed")
    click(driver, buttons(".switch")[0])


def click_divided(driver: Chrome, figure: WebElement, name: str, by: str) -> None:
    """Divide all curves by one of them: it is 1 everywhere then."""
    chosen = "const s = arguments[0]; s.value = arguments[1]; s.dispatchEvent(new Event('change'))"
    (select,) = [
        label.find_element(By.TAG_NAME, "select")
        for label in figure.find_elements(By.CSS_SELECTOR, ".tools label")
        if label.text.startswith("Divided by")
    ]
    kept = driver.execute_script("return arguments[0].value", select)
    driver.execute_script(chosen, select, f"curve:{by}")
    own = [line for line in lines_of(driver, figure) if line["name"] == by]
    values = [value for line in own for value in line["values"] if value is not None]
    expect(values and all(math.isclose(value, 1.0, rel_tol=1e-9) for value in values), f"{name}: not divided")
    driver.execute_script(chosen, select, kept)


def click_claim(driver: Chrome, page: Path) -> None:
    """A claim's page has its verdict, a strip for each part of a test with an axis, and a command."""
    driver.get(page.as_uri())
    expect(driver.find_elements(By.CSS_SELECTOR, ".verdict .sign"), f"{page.name}: no verdict")
    # What is proved, or has no number at this scale, has no axis, which the table's foot shows.
    rows = driver.find_elements(By.CSS_SELECTOR, ".strips:has(tfoot) tbody tr")
    strips = driver.find_elements(By.CSS_SELECTOR, ".strips tbody svg")
    expect(len(rows) == len(strips), f"{page.name}: a part has no strip")
    # It is folded, with all else that says how it was made.
    commands = driver.find_element(By.TAG_NAME, "pre").get_attribute("textContent")
    expect("snakemake" in str(commands), f"{page.name}: no command")


def click_claims(driver: Chrome, page: Path) -> None:
    """A verdict's button leaves as many claims as it says; the address alone shows the same again."""
    shown = "return document.querySelectorAll('tr[data-verdict]:not([hidden])').length"
    driver.get(page.as_uri())
    button = driver.find_element(By.CSS_SELECTOR, "button[name=verdict]")
    number = int(button.find_element(By.TAG_NAME, "b").text)
    button.click()
    expect(driver.execute_script(shown) == number, f"{page.name}: not {number} claims of a verdict")
    address = driver.current_url
    expect("verdict=" in address, f"{page.name}: the address is {address}")
    driver.get("about:blank")
    driver.get(address)
    expect(driver.execute_script(shown) == number, f"{page.name}: the address does not keep the verdict")
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("qqq")
    headings = "return [...document.querySelectorAll('section.filtered')].filter((one) => !one.hidden).length"
    expect(driver.execute_script(headings) == 0, f"{page.name}: tables without a claim are shown")


def click_register(driver: Chrome, page: Path) -> None:
    """A kind's button leaves as many entries as it says; together with a paper's none of another paper."""
    shown = "return [...document.querySelectorAll('article.item:not([hidden])')].map((one) => one.dataset.paper)"
    driver.get(page.as_uri())
    button = driver.find_element(By.CSS_SELECTOR, "button[name=kind]")
    button.click()
    expect(
        len(driver.execute_script(shown)) == int(button.find_element(By.TAG_NAME, "b").text), f"{page.name}: kinds"
    )
    paper = driver.find_element(By.CSS_SELECTOR, "button[name=paper]")
    paper.click()
    expect(set(driver.execute_script(shown)) <= {paper.get_attribute("value")}, f"{page.name}: papers")


def click_violation(driver: Chrome, page: Path) -> None:
    """A violation's page has what differs between two inputs, the event and a command."""
    driver.get(page.as_uri())
    expect(len(driver.find_elements(By.TAG_NAME, "mark")) >= 2, f"{page.name}: the inputs do not differ")
    text = driver.find_element(By.TAG_NAME, "main").text
    expect("The event:" in text and "dpbandits audit" in text, f"{page.name}: no event, or no command")


def click_explore(driver: Chrome, page: Path) -> None:
    """Choose something of each paper; the address alone shows the same again."""
    drawn = "const root = document.getElementById('curves'); return root.dataset.drawn === location.hash"
    root = (By.ID, "curves")

    def ready() -> bool:
        return bool(until(lambda: driver.execute_script(drawn)))

    def choose(label: str, place: int) -> None:
        """Choose an entry of a selector by its place, from the end if negative."""
        driver.execute_script(
            CHOOSE,
            label,
            place,
        )
        expect(ready(), f"{page.name}: {label} draws nothing")

    driver.get("about:blank")
    driver.get(page.as_uri())
    expect(ready(), f"{page.name} draws nothing")
    papers = len(driver.find_elements(By.CSS_SELECTOR, "#choose label:first-child option"))
    for place in range(papers):
        choose("Paper", place)
        choose("Along the axis", -1)
        choose("Environment", -1)
        click(driver, driver.find_elements(By.CSS_SELECTOR, "#curves .key")[0])
        address = driver.current_url
        shown = driver.execute_script(DRAWN, driver.find_element(*root))
        expect(any(chart["lines"] for chart in shown) or "hidden" in address, f"{page.name}: empty at {address}")
        driver.get("about:blank")
        driver.get(address)
        expect(ready(), f"{page.name}: nothing at {address}")
        again = driver.execute_script(DRAWN, driver.find_element(*root))
        expect(again == shown, f"{page.name}: {address} shows something else")
        expect(driver.current_url == address, f"{page.name}: {address} becomes {driver.current_url}")
        check_accessible(driver, address)
        check_quiet(driver, address)


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
        print(
            f"Try: {click_try(driver, Path(sys.argv[2]).resolve() / 'try.html')} algorithms with the native bytes"
        )
