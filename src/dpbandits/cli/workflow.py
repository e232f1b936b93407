"""Copy of the installed package's workflow, which `dpbandits workflow init` writes where it can be run."""

from __future__ import annotations

import shutil
from pathlib import Path

from dpbandits.core.errors import BadInput
from dpbandits.core.home import home

# Files and folders of a clone's root that a run needs; a wheel has them in a folder of the package.
WORKFLOW_FILES = ("Snakefile", "workflow", "config", "profiles", "environment.yml", "requirements.lock")


def copy_workflow(folder: Path) -> str:
    """Copy the workflow into a folder, made if need be, and return a sentence with the command to run next.

    The workflow is Snakefile, the folders workflow, config and profiles, environment.yml and requirements.lock.

    Raises
    ------
    BadInput
        If a part of the workflow is there already, or the installed package lacks one.
    """
    there = [name for name in WORKFLOW_FILES if (folder / name).exists()]
    if there:
        raise BadInput("DIR", str(folder), f"a folder without {there[0]}: nothing is overwritten")
    origin = home()
    missing = [name for name in WORKFLOW_FILES if not (origin / name).exists()]
    if missing:
        raise BadInput("workflow", missing[0], "a wheel, or a clone, that has it: install again, as README says")
    folder.mkdir(parents=True, exist_ok=True)
    for name in WORKFLOW_FILES:
        if (origin / name).is_dir():
            shutil.copytree(origin / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copyfile(origin / name, folder / name)
    return f"{folder} has the workflow; next: cd {folder} && snakemake --cores 2 --configfile config/small.yaml"
