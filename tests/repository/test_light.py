"""Simulations, audits and policies need seven packages of others; what the rest needs is said in one line."""

from __future__ import annotations

import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from dpbandits.core.errors import WORKFLOW

# A process in which nothing but the standard library and hard dependencies can be imported.
BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {blocked!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Blocked())
{then}
"""
COMMAND = "from dpbandits.cli.main import main; sys.exit(main({words!r}))"


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    """Return what pyproject.toml says of the project."""
    return dict(tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"])


def name_of(requirement: str) -> str:
    """Return the name of the distribution that a requirement is of."""
    return re.split(r"[ <>=!;\[~(]", requirement)[0].lower().replace("_", "-").replace(".", "-")


def with_dependencies(names: list[str]) -> set[str]:
    """Return distributions and all that they need, extras apart."""
    found: set[str] = set()
    while names:
        name = names.pop()
        if name not in found:
            found.add(name)
            needs = importlib.metadata.requires(name) or []
            # What a marker asks for is another platform's or an extra's.
            names += [name_of(need) for need in needs if ";" not in need]
    return found


@pytest.fixture(scope="module")
def packages() -> Mapping[str, list[str]]:
    """Return the distributions of each import name."""
    return importlib.metadata.packages_distributions()


@pytest.fixture(scope="module")
def blocked(project: dict[str, Any], packages: Mapping[str, list[str]]) -> set[str]:
    """Return the import names of all that is installed and that no hard dependency needs."""
    light = with_dependencies([name_of(need) for need in project["dependencies"]])
    return {
        module
        for module, distributions in packages.items()
        if not {name_of(each) for each in distributions} & {*light, "dpbandits"} and not module.startswith("_")
    }


def light(then: str, blocked: set[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program where only hard dependencies can be imported."""
    program = BLOCKED.format(blocked=blocked, then=then)
    return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=folder)


def test_seven_packages(project: dict[str, Any]) -> None:
    """No more are needed, and no Python is excluded that they allow; one of this repository brings no others."""
    needed = {name_of(need) for need in project["dependencies"]}
    assert len(needed - {"noisetap"}) <= 7
    assert with_dependencies(["noisetap"]) == {"noisetap", "numpy"}
    assert project["requires-python"] == ">=3.11"


def test_import_names_are_those_of_the_extra(project: dict[str, Any], packages: Mapping[str, list[str]]) -> None:
    """What an extra brings is known by its name, so that its absence can be told."""
    brought = {name_of(need) for need in project["optional-dependencies"]["workflow"]}
    # Editable installations of this repository's own packages list no modules.
    assert {name_of(each) for module in WORKFLOW for each in packages.get(module, [module])} == brought


COMMANDS = [
    ["list", "dp-imed"],
    ["list", "--setting", "stochastic"],
    ["simulate", "dp-imed", "--means", "0.9,0.1", "--epsilon", "1", "--horizon", "1000", "--seeds", "0-3"],
    ["audit", "dp-imed", "--epsilon", "1", "--effort", "1000", "--replay-horizon", "100"],
]


def test_commands(blocked: set[str], tmp_path: Path) -> None:
    """What a person who audits his algorithm runs, in one process, whose start is dearer."""
    assert {"snakemake", "matplotlib", "pydantic"} <= blocked
    then = (
        "from dpbandits.cli.main import main\n"
        f"for words in {COMMANDS}:\n    print('status', main(words))\n    print('command')\n"
    )
    said = light(then, blocked, tmp_path).stdout.split("command\n")
    assert [(each.endswith("status 0\n"), "dp-imed" in each) for each in said[:-1]] == [(True, True)] * 4, said


def test_python_interface(blocked: set[str], tmp_path: Path) -> None:
    """Importing, simulating on two threads, and a table of the runs; a plot says what it needs."""
    then = (
        "import dpbandits, dpbandits.authoring\n"
        "cell = {'means': [0.9, 0.1], 'epsilon': 1, 'horizon': 1000, 'seeds': range(4)}\n"
        "runs = dpbandits.simulate('dp-imed', **cell, threads=2)\n"
        "runs.summary(), runs.to_frame()\n"
        "try:\n    runs.plot()\nexcept Exception as error:\n    print(type(error).__name__, error)\n"
    )
    done = light(then, blocked, tmp_path)
    assert done.stdout == "MissingExtra A plot needs matplotlib: pip install 'dpbandits[notebook]'.\n", done.stderr


def test_a_command_says_what_it_needs(blocked: set[str], tmp_path: Path) -> None:
    """One line, and no traceback."""
    done = light(COMMAND.format(words=["doctor", "--release"]), blocked, tmp_path)
    assert re.fullmatch(
        r"dpbandits: `dpbandits doctor` needs \w+: pip install 'dpbandits\[workflow\]'\.\n", done.stderr
    ), done.stderr
    assert done.returncode == 2


@pytest.mark.slow
def test_doctor_of_a_light_installation(blocked: set[str], tmp_path: Path) -> None:
    """It says that the pipeline cannot run, and what to install."""
    done = light(COMMAND.format(words=["doctor"]), blocked, tmp_path)
    assert done.returncode == 1, done.stderr
    assert "packaging is not installed" in done.stdout
    assert "pip install 'dpbandits[workflow]'" in done.stdout


def test_only_packages_of_the_extra_are_told(blocked: set[str], tmp_path: Path) -> None:
    """An import that fails for another reason is a fault, which is shown whole."""
    then = (
        "from dpbandits.core.errors import needing_workflow\n"
        "with needing_workflow('This'):\n    import dpbandits.core.no_such_module\n"
    )
    assert (
        "ModuleNotFoundError: No module named 'dpbandits.core.no_such_module'"
        in light(then, blocked, tmp_path).stderr
    )
