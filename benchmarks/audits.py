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

from dpbandits.auditing.audit import audit
from dpbandits.auditing.jobs import AuditJob, audit_jobs, definition
from dpbandits.runs import config as configuration
from dpbandits.runs.models import Config

ROOT = Path(__file__).resolve().parent.parent


def at_budget(epsilon: float) -> Config:
    """Return the shipped configuration with one claimed budget."""
    config, _ = configuration.planned(configuration.shipped(ROOT / "config"))
    return config.model_copy(update={"privacy": config.privacy.model_copy(update={"epsilons": [epsilon]})})


def correct(config: Config) -> list[AuditJob]:
    """Return the private algorithms, with every base, whose exact loss, if known, is within the claim."""
    found = []
    for job in audit_jobs(config):
        parameters = definition(config, job)["parameters"]
        exact = audit(job.algorithm, job.epsilon, parameters=parameters, effort=1).exact
        if exact is None or exact.loss <= job.epsilon * (1 + 1e-9):
            found.append(job)
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
    config = at_budget(given.epsilon)
    for job in correct(config):
        began = time.process_time()
        parameters = definition(config, job)["parameters"]
        audits = [
            audit(job.algorithm, job.epsilon, parameters=parameters, effort=given.effort, seed=seed)
            for seed in range(1, given.repeats + 1)
        ]
        name = job.algorithm if job.base is None else f"{job.algorithm} {job.base}"
        results[name] = {
            "audits": len(audits),
            "violated": sum(found.sampled.bound > job.epsilon for found in audits),
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
