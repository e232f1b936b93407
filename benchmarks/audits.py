"""Honesty and tightness of audits: python benchmarks/audits.py --output benchmarks/audits.json.

Every private algorithm without a known fault is audited again and again with fresh seeds; no audit may call one
violated. The share of the known loss that the sampled bound reaches is written beside it.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from dpbandits.audit.audit import audit
from dpbandits.audit.table import Entry, entries


def correct(epsilon: float) -> list[Entry]:
    """Return the private algorithms, with every base, whose exact loss, if known, is within the claim."""
    found = []
    for entry in entries({"privacy": {"epsilons": [epsilon]}}):
        exact = audit(entry.algorithm, epsilon, parameters=entry.parameters, effort=1).exact
        if exact is None or exact.loss <= epsilon * (1 + 1e-9):
            found.append(entry)
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=200, help="audits of each algorithm")
    parser.add_argument("--effort", type=int, default=20000, help="runs on each input of an audit")
    parser.add_argument("--epsilon", type=float, default=1.0, help="claimed budget")
    parser.add_argument("--output", type=Path, required=True, help="a JSON file")
    given = parser.parse_args()
    results = {}
    for entry in correct(given.epsilon):
        began = time.process_time()
        audits = [
            audit(entry.algorithm, entry.epsilon, parameters=entry.parameters, effort=given.effort, seed=seed)
            for seed in range(1, given.repeats + 1)
        ]
        name = " ".join([entry.algorithm, *entry.parameters.values()])
        results[name] = {
            "audits": len(audits),
            "violated": sum(found.sampled.bound > entry.epsilon for found in audits),
            "largest_bound": max(found.sampled.bound for found in audits),
            "median_bound": float(np.median([found.sampled.bound for found in audits])),
            "cpu_seconds_each": round((time.process_time() - began) / len(audits), 3),
        }
        print(name, results[name], flush=True)
        given.output.write_text(
            json.dumps({"epsilon": given.epsilon, "effort": given.effort, "results": results}, indent=1) + "\n",
            encoding="utf-8",
        )


if __name__ == "__main__":
    main()
