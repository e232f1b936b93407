"""A plan imports neither what draws nor what computes; what waits is the real thing as soon as it is used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

# What planning is to do without. pandas is here too: half a second, and a plan reads no table.
HEAVY = ("llvmlite", "matplotlib", "mpl_toolkits", "numba", "pandas", "scipy", "seaborn")


def shown(code: str, folder: Path | None = None, **given: str) -> str:
    """Return what a Python program says in a process of its own."""
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**os.environ, **given},
        capture_output=True,
        text=True,
        check=True,
    )
    return run.stdout


def test_a_plan_imports_neither_what_draws_nor_what_computes(root: Path, tmp_path: Path) -> None:
    """Of the small scale, in the process of a dry run, with all jobs, their parameters and resources."""
    code = f"""
import sys, types
from snakemake.cli import main
try:
    main(["-n", "--quiet", "all", "--configfile", "config/small.yaml"])
finally:
    print([name for name in {HEAVY} if type(sys.modules.get(name)) is types.ModuleType])
"""
    folder = tmp_path / "plan"
    folder.mkdir()
    for part in ("CITATION.cff", "Snakefile", "config", "docs", "environment.yml", "profiles", "workflow"):
        (folder / part).symlink_to(root / part)
    assert shown(code, folder).splitlines()[-1] == "[]"


def test_what_waits_is_real_when_it_is_used() -> None:
    """Runs, tables and figures of a process that plans are those of every process."""
    code = """
import hashlib, importlib, sys, types
{begin}
import numpy as np
from dpbandits.claims.estimate import student
from dpbandits.core import declarations
from dpbandits.core.tables import means_of
from dpbandits.core.labels import looks
from dpbandits.papers.style import panels, runs
from dpbandits.runs.job import make_job, run
assert type(sys.modules["pandas"]) is types.ModuleType or not {real}
assert not {{"matplotlib", "numba", "scipy"}} & sys.modules.keys()
for algorithm in ("dp-imed", "adap-klucb"):
    job = make_job(algorithm, {{}}, {{"kind": "bernoulli", "means": [0.25, 0.75]}}, 1, 500, 5, 0)
    print(hashlib.sha256(run(job, range(20)).regret.tobytes()).hexdigest())
print(student(0.5, 0.1, 10.0).low)
print(declarations.computation("private-mean-tail").title)
table = importlib.import_module("pandas").DataFrame({{"runs": [3, 4], "title": ["a", "b"], "round": [1, 1]}})
print(runs(table))
figure, axes = panels(3, 2)
axes[0].plot([1, 2], [3, 4])
figure.canvas.draw()
print(hashlib.sha256(np.asarray(figure.canvas.buffer_rgba()).tobytes()).hexdigest())
"""
    begin = "from dpbandits.engine import lazy_imports; lazy_imports.begin()"
    late = shown(code.format(begin=begin, real=False), MPLBACKEND="agg")
    assert late == shown(code.format(begin="", real=True), MPLBACKEND="agg")
    assert len(late.splitlines()) == 6
