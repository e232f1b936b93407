"""Turn a JSON file of pytest-benchmark into the table of benchmarks/README.md: python benchmarks/report.py FILE."""

from __future__ import annotations

import json
import sys
from pathlib import Path

README = Path(__file__).with_name("README.md")
BEGIN, END = "<!-- begin: report.py -->", "<!-- end: report.py -->"


def table(content: dict) -> str:
    """Return the measurements as Markdown."""
    machine = content["machine_info"]
    lines = [
        f"{machine['cpu'].get('brand_raw', 'unknown processor')}, one core, Python {machine['python_version']}, "
        f"{content['datetime'][:10]}; minimum of the repetitions.",
        "",
        "| benchmark | µs a run | million rounds a second |",
        "|---|---:|---:|",
    ]
    units = ["", "| benchmark | nanoseconds | for each |", "|---|---:|---|"]
    for entry in content["benchmarks"]:
        seconds, information = entry["stats"]["min"], entry["extra_info"]
        name = entry["name"].removeprefix("test_")
        if "count" in information:
            units.append(f"| {name} | {seconds / information['count'] * 1e9:,.3g} | {information['per']} |")
        else:
            rate = information["rounds"] / seconds / 1e6
            lines.append(f"| {name} | {seconds / information['runs'] * 1e6:,.1f} | {rate:,.3g} |")
    return "\n".join(lines + units)


if __name__ == "__main__":
    before, rest = README.read_text(encoding="utf-8").split(BEGIN)
    after = rest.split(END)[1]
    content = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    README.write_text(f"{before}{BEGIN}\n{table(content)}\n{END}{after}", encoding="utf-8")
