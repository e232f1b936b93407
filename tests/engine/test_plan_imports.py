"""A plan imports neither what draws nor what computes. Snakemake itself imports pandas."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import projects
import pytest
import yaml

# Packages that planning does without.
HEAVY = ("llvmlite", "matplotlib", "mpl_toolkits", "numba", "scipy", "seaborn")


@pytest.mark.parametrize("scale", ["mine.yaml", pytest.param("config/small.yaml", marks=pytest.mark.slow)])
def test_a_plan_imports_neither_what_draws_nor_what_computes(root: Path, tmp_path: Path, scale: str) -> None:
    """In the process of a dry run, with all jobs, their parameters and resources.

    The slow tier plans the small scale of all papers; the fast one runs, audits and figures of one paper.
    """
    code = f"""
import sys, types
from snakemake.cli import main
try:
    main(["-n", "--quiet", "all", "--configfile", {scale!r}])
finally:
    print([name for name in {HEAVY} if type(sys.modules.get(name)) is types.ModuleType])
"""
    folder = tmp_path / "plan"
    folder.mkdir()
    parts = ["CITATION.cff", "Snakefile", "docs", "environment.yml", "profiles", "workflow"]
    if scale == "mine.yaml":
        # What is shipped would be merged with it.
        (folder / "config").mkdir()
        (folder / "config" / "config.yaml").write_text("{}", encoding="utf-8")
        configuration = projects.tiny(privacy={"epsilons": [1.0]})
        (folder / scale).write_text(yaml.safe_dump(configuration), encoding="utf-8")
    else:
        parts.append("config")
    for part in parts:
        (folder / part).symlink_to(root / part)
    run = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
    # Jobs of each kind were planned.
    assert all(kind in run.stdout + run.stderr for kind in ("simulate", "audit", "figure"))
