"""Take README's picture of a site in headless Chromium: python tools/site_picture.py results/site [output]."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path

from dpbandits.publish.html.build import thumbnail

ROOT = Path(__file__).parents[1]
# The game after ten more sets, with DP-IMED's first batch of one pull.
VIEW = "index.html#play=0,10"
# Of the window and of the picture, in pixels. At a README's 6.5 inches the smallest type is above 8 points.
WINDOW, HEIGHT, WIDTH, SCALE = 700, 900, 1300, 2
SECONDS = 120.0
DRAWN = "return document.getElementById('play').dataset.drawn"
# A reader of the picture can press no button.
WITHOUT_BUTTONS = "document.querySelector('#play .buttons').hidden = true"


def take(site: Path, output: Path) -> None:
    """Open a site, wait until its game is drawn, and save that part of the page.

    Parameters
    ----------
    site
        Its folder.
    output
        Where to, a PNG.
    """
    spec = importlib.util.spec_from_file_location(
        "click", ROOT / "tests" / "system" / "browser" / "click_through.py"
    )
    assert spec is not None and spec.loader is not None
    click = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(click)
    with click.browser() as driver, tempfile.TemporaryDirectory() as aside:
        # Wider than the type needs, so that numbers are sharp.
        device = {"width": WINDOW, "height": HEIGHT, "deviceScaleFactor": SCALE, "mobile": False}
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", device)
        driver.get(f"{(site / VIEW.partition('#')[0]).resolve().as_uri()}#{VIEW.partition('#')[2]}")
        driver.execute_script("document.getElementById('play').scrollIntoView()")
        end = time.monotonic() + SECONDS
        while driver.execute_script(DRAWN) != "11":
            if time.monotonic() > end:
                raise SystemExit("The game is not drawn.")
            time.sleep(0.2)
        driver.execute_script(WITHOUT_BUTTONS)
        large = Path(aside, "large.png")
        driver.find_element("css selector", "#play .game").screenshot(str(large))
        thumbnail(large, output, WIDTH)


if __name__ == "__main__":
    take(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "docs" / "results" / "play.png")
