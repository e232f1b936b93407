"""Say where the pipeline's time went, from its jobs' benchmark files: python benchmarks/pipeline.py [RESULTS]."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pandas as pd


def main(results: Path) -> None:
    """Print job counts, CPU seconds and the share of start-up for each algorithm."""
    rows = []
    for file in sorted(results.glob("logs/*/cells/**/*.tsv")):
        seconds = pd.read_csv(file, sep="\t")["s"].iloc[0]
        rows.append({"algorithm": file.parts[-4], "seconds": seconds})
    jobs = pd.DataFrame(rows)
    table = jobs.groupby("algorithm")["seconds"].agg(["count", "sum", "min", "median", "max"])
    # The shortest job of all simulates for some milliseconds: it is what a start costs.
    startup = jobs["seconds"].min()
    table["start-up"] = table["count"] * startup
    table.loc["all"] = [
        len(jobs),
        jobs["seconds"].sum(),
        startup,
        jobs["seconds"].median(),
        jobs["seconds"].max(),
        len(jobs) * startup,
    ]
    print(table.round(2).to_string())
    print(json.dumps({"jobs": len(jobs), "start-up share": round(len(jobs) * startup / jobs["seconds"].sum(), 3)}))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "results"))
