"""A plan imports neither what draws nor what computes. Snakemake itself imports pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Packages that planning does without.
HEAVY = ("llvmlite", "matplotlib", "mpl_toolkits", "numba", "scipy", "seaborn")


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
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
