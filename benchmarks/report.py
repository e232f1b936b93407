"""Keep what pytest-benchmark measured in docs/results/speed.json: python benchmarks/report.py FILE.

`python tools/documents.py` then brings it into the documents.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

SPEED = Path(__file__).parents[1] / "docs" / "results" / "speed.json"


def reduced(content: dict) -> dict:
    """Return of a JSON file of pytest-benchmark what is told: the shortest time of each benchmark, and of what."""
    machine = content["machine_info"]
    return {
        "machine": machine["cpu"].get("brand_raw", "unknown processor"),
        "python": machine["python_version"],
        "date": content["datetime"][:10],
        "benchmarks": [
            {"name": entry["name"].removeprefix("test_"), "seconds": entry["stats"]["min"], **entry["extra_info"]}
            for entry in content["benchmarks"]
        ],
    }


if __name__ == "__main__":
    content = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    SPEED.write_text(json.dumps(reduced(content), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
