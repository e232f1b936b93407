"""Write what the package carries of published results: the numbers behind each figure, small and with digests.

python tools/published.py [RESULTS FIGURES]     # of a finished run of the full scale; these by default

Behind a figure of experiments are their aggregates. Behind any other is the figure's own table; the one of privacy
is of all papers.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
import sys
from pathlib import Path

from dpbandits.core.files import check, read_json, seal_of
from dpbandits.core.provenance import package_version
from dpbandits.core.tables import read_tables
from dpbandits.notebook.published import FOLDER, Manifest
from dpbandits.runs import config as configuration

ROOT = Path(__file__).parents[1]
# What tells cells apart, and what a picture or a comparison needs.
LABELS = ["experiment", "algorithm", "title", "environment", "epsilon", "horizon", "runs", "round"]
STATISTICS = ["mean", "sd", "mean_low", "mean_high", "q05", "q50", "q95", "q99", "maximum", "uniform"]


def main(arguments: list[str]) -> None:
    """Write all files anew."""
    results, figures = map(Path, arguments or ("results", "figures"))
    config = configuration.load(configuration.shipped(ROOT / "config"))
    found: Manifest = {
        "version": package_version(),
        "root_seed": config.root_seed,
        "environments": {},
        "figures": {},
        "files": {},
        "seals": {},
    }
    shutil.rmtree(FOLDER, ignore_errors=True)
    for paper, content in config.papers.items():
        found["environments"] |= {name: dict(given) for name, given in content.environments.items()}
        for figure, shown in content.figures.items():
            behind = shown.experiments or [f"figure-{figure}"]
            found["figures"].setdefault(paper, {})[figure] = list(behind)
    found["figures"]["all"] = {"privacy": ["figure-privacy"]}
    for paper, drawn in found["figures"].items():
        for name in sorted({each for behind in drawn.values() for each in behind}):
            own = name.removeprefix("figure-")
            if own == name:
                source = results / paper / "aggregates" / f"{name}.csv"
            else:
                source = figures / ("" if paper == "all" else paper) / f"{own}.csv"
            # A run that is not finished ends here.
            check(source)
            table = read_tables([source])
            if own == name:
                table = table[table["version"] == "full"][[*LABELS, *STATISTICS]]
            file = FOLDER / paper / f"{name}.csv.gz"
            file.parent.mkdir(parents=True, exist_ok=True)
            # No time in the file's head: the same results give the same bytes.
            packed = gzip.compress(table.to_csv(index=False, float_format="%.7g").encode(), mtime=0)
            file.write_bytes(packed)
            told = file.relative_to(FOLDER).as_posix()
            found["files"][told] = hashlib.blake2b(packed, digest_size=16).hexdigest()
            found["seals"][told] = str(read_json(seal_of(source))["made_from"]["identity"])
    # Not sealed: `dpbandits repair` would take it for a result.
    (FOLDER / "manifest.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    print(f"{len(found['files'])} files, {sum(file.stat().st_size for file in FOLDER.rglob('*.gz')):,} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
