"""The catalogue's ways of use: Snakemake alone, deployed, and as a module of another workflow."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from projects import tiny
from tiers import core

# What Python reads first: packages that are installed, and that it does not find.
WITHOUT = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def __getattr__(self, name):
        return getattr(self.finder, name)
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in {missing!r} else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Without(finder) for finder in sys.meta_path]
"""
# Snakemake's own first line, which nothing of a workflow can prevent.
PROFILE = "Using workflow specific profile profiles/default for setting default command line arguments."
HOST = """
import json
from snakemake.scheduling.job_scheduler import JobScheduler
from snakemake.persistence import PersistenceBase

BEFORE = JobScheduler._schedule_reevalutation, PersistenceBase._serialize_param

configfile: "host.yaml"

rule all:
    default_target: True
    input:
        "own.txt", "{folder}figures/azize2025/curves-published.png"

rule own:
    output: "own.txt"
    shell: "echo mine > {{output}}"

module bandits:
    snakefile: "{root}/workflow/Snakefile"
    {more}

use rule * from bandits as bandits_*

import gc, sys
assert BEFORE == (JobScheduler._schedule_reevalutation, PersistenceBase._serialize_param)
assert gc.get_threshold()[0] < 100_000
assert type(sys.modules.get("pandas", sys)) is type(sys)
"""
USES = {
    "config": ("", 'config: config["bandits"]'),
    "config and prefix": ("bandits/", 'config: config["bandits"]\n    prefix: "bandits"'),
    "own folder": ("", ""),
    "own folder and prefix": ("bandits/", 'prefix: "bandits"'),
    # As snakedeploy writes it.
    "deployed": ("", "config: config"),
}


def snakemake(folder: Path, *arguments: str, **changes: str) -> subprocess.CompletedProcess[str]:
    """Run Snakemake, which finds this installation's package or what else is said."""
    return subprocess.run(
        [sys.executable, "-m", "snakemake", *arguments],
        cwd=folder,
        env={**os.environ, **changes},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=900,
    )


LINT, PLAN = "--lint", "-n --configfile config/small.yaml"
ALONE = (("dpbandits", "numba", "pandas", "scipy", "seaborn"), "dpbandits")
WITHOUT_EXTRA = (("seaborn", "latex2mathml"), "latex2mathml")


# One in the fast tier, each way of use with each installation in the slow one.
@pytest.mark.parametrize(
    ("words", "missing", "told"),
    core(
        [(words, *lacks) for words in (LINT, PLAN) for lacks in (ALONE, WITHOUT_EXTRA)],
        lambda case: case == (LINT, *WITHOUT_EXTRA),
    ),
)
def test_one_line_says_what_to_install(
    root: Path, tmp_path: Path, words: str, missing: tuple[str, ...], told: str
) -> None:
    """Where Snakemake is alone, or the package without what the workflow needs."""
    for part in ("Snakefile", "config", "profiles", "workflow", "environment.yml"):
        (tmp_path / part).symlink_to(root / part)
    (tmp_path / "first").mkdir()
    (tmp_path / "first" / "sitecustomize.py").write_text(WITHOUT.format(missing=missing), encoding="utf-8")
    done = snakemake(tmp_path, *words.split(), PYTHONPATH=str(tmp_path / "first"))
    line = (
        f"This workflow needs {told}: pip install 'dpbandits[workflow]', or in a clone pip install '.[workflow]'."
    )
    assert [each for each in done.stdout.splitlines() if each != PROFILE] == [line]
    assert done.returncode == 1


def host(folder: Path, root: Path, use: str) -> Path:
    """Make a host workflow that uses ours in one of the ways of `USES`; return its folder."""
    prefix, more = USES[use]
    folder.mkdir()
    (folder / "Snakefile").write_text(HOST.format(folder=prefix, root=root, more=more), encoding="utf-8")
    own: dict[str, object] = {"host": 1}
    paper = tiny()["papers"]["azize2025"]
    if use.startswith("config"):
        own["bandits"] = tiny()
    else:
        (folder / "config" / "azize2025").mkdir(parents=True)
        (folder / "config" / "azize2025" / "experiments.yaml").write_text(json.dumps(paper), encoding="utf-8")
        (folder / "config" / "config.yaml").write_text("root_seed: 5", encoding="utf-8")
        own = {"root_seed": 5} if use == "deployed" else own
    (folder / "host.yaml").write_text(json.dumps(own), encoding="utf-8")
    return folder


@pytest.mark.parametrize("use", core(USES, "config and prefix".__eq__))
def test_a_module_plans_a_figure(root: Path, tmp_path: Path, use: str) -> None:
    """With the configuration that it is given, below the prefix; the host's Snakemake is as it was."""
    folder = host(tmp_path / "host", root, use)
    done = snakemake(folder, "--summary")
    assert done.returncode == 0, done.stdout
    # Nothing is said but the table.
    said, *lines = done.stdout.splitlines()
    assert said == "Building DAG of jobs..."
    files = dict(line.split("\t")[0:3:2] for line in lines)
    prefix = USES[use][0]
    assert files[f"{prefix}figures/azize2025/curves-published.csv"] == "bandits_figure"
    assert files["own.txt"] == "own"
    cells = [file for file, rule in files.items() if rule == "bandits_simulate"]
    assert cells
    assert all(file.startswith(f"{prefix}results/azize2025/cells/small/") for file in cells)


@pytest.mark.slow
@pytest.mark.parametrize("use", ["config and prefix", "deployed"])
def test_a_module_makes_a_figure(root: Path, tmp_path: Path, use: str) -> None:
    """The host's own job is run beside ours, and the figure is whole."""
    folder = host(tmp_path / "host", root, use)
    done = snakemake(folder, "--cores", "1")
    assert done.returncode == 0, done.stdout
    assert (folder / "own.txt").read_text() == "mine\n"
    figures = folder / USES[use][0] / "figures" / "azize2025"
    assert (figures / "curves-published.png").read_bytes().startswith(b"\x89PNG")
    again = snakemake(folder, "--cores", "1")
    assert "Nothing to be done" in again.stdout
    from dpbandits.integrity.verify import verify

    whole, damaged, _ = verify([figures])
    assert whole > 0
    assert not damaged
