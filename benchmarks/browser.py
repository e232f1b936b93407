"""How fast the kernels are in a browser, against native ones: every algorithm that the page *Try* offers.

    python benchmarks/browser.py results/site/try.html docs/results/browser.json

Both simulate the same runs with one checkpoint, in turns; of each the shortest of several processor times is kept:
here that of the kernel, there that of all threads of the browser, so that what else the machine does is left out.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "system" / "browser"))
import psutil
from click_through import Trial, browser
from selenium.webdriver import Chrome

from dpbandits.core.files import Json
from dpbandits.publish.explore.kernels import ENVIRONMENTS
from dpbandits.runs.job import Job, fill, make_job, prepare

TIMES = 5
# In all, for one algorithm on one side.
SECONDS = 0.06
SIMULATE = """
const [asked] = arguments, done = arguments[arguments.length - 1];
send("simulate", asked).then((found) => done(found.digest));
"""


def native(job: Job, runs: int) -> float:
    """Return the shortest time of so many runs, in seconds."""
    least = float("inf")
    for _ in range(TIMES):
        unfilled, problem = prepare(job, range(runs))
        began = time.process_time()
        fill(job, unfilled, problem)
        least = min(least, time.process_time() - began)
    return least


def spent(driver: Chrome) -> float:
    """Return the processor time of the browser's threads so far, in seconds."""
    processes = psutil.Process(driver.service.process.pid).children(recursive=True)
    files = (file for each in processes for file in Path(f"/proc/{each.pid}/task").glob("*/schedstat"))
    return sum(int(file.read_text().split()[0]) for file in files) / 1e9


def in_browser(driver: Chrome, asked: Json) -> float:
    """Return the shortest time of a simulation there, in seconds."""
    least = float("inf")
    for _ in range(TIMES):
        before = spent(driver)
        driver.execute_async_script(SIMULATE, asked)
        least = min(least, spent(driver) - before)
    return least


def compare(trial: Trial, name: str, about: Json) -> Json:
    """Return the times of one algorithm, in microseconds a run, here and there."""
    setting, environment = about["setting"], ENVIRONMENTS[about["setting"]]
    horizon = 10**6 if about["decides"] == "batches" and setting != "experts" else 10**4
    epsilon = None if about["private"] is None else 0.5
    job = make_job(name, {}, environment, epsilon, horizon, 1, 0)
    arms: Any = environment.get("means") or environment.get("theta") or environment["losses"][0]
    asked = {"algorithm": name, "parameters": {}, "arms": arms, "epsilon": epsilon, "horizon": horizon}
    asked |= {"base": about["base"], "checkpoints": 1, "rootSeed": 0}
    native(job, 1)
    runs = max(2, min(20000, round(SECONDS / native(job, 2) * 2)))
    here = native(job, runs)
    there = in_browser(trial.driver, {**asked, "runs": runs})
    here = min(here, native(job, runs))
    micro = {"native": here / runs * 1e6, "browser": there / runs * 1e6}
    return {
        "setting": setting,
        "horizon": horizon,
        "runs": runs,
        **micro,
        "speed": micro["native"] / micro["browser"],
    }


def main(page: Path, output: Path) -> None:
    """Compare all algorithms and write what was found."""
    with browser() as driver:
        driver.set_script_timeout(600)
        trial = Trial(driver, page)
        algorithms = driver.execute_script("return kernels.algorithms")
        found = {}
        for name, about in algorithms.items():
            found[name] = compare(trial, name, about)
            print(name, {key: value for key, value in found[name].items() if key != "setting"}, flush=True)
        version = driver.capabilities["browserVersion"]
    output.write_text(json.dumps({"browser": f"Chromium {version}", "algorithms": found}, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]))
