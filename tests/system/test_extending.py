"""docs/extending.md does what it says: its files are put into a copy of the repository, its commands run there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

COPIED = (
    "CITATION.cff",
    "Snakefile",
    "workflow",
    "config",
    "profiles",
    "environment.yml",
    "src",
    "tests",
    "docs",
    "pyproject.toml",
)
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.DOTALL | re.MULTILINE)
LONGEST = 40
# What makes the page's commands small: little effort, short experiments.
SMALLER = {"audit": "--effort 100000", "pytest": "-q"}
SMALL = """\
papers:
  azize2025:
    runs: {batches: 20, rounds: 2}
    published_runs: 5
    experiments: {newcomer: {horizon: 20000, checkpoints: 20, epsilons: [0.25]}}
"""


@pytest.fixture(scope="module")
def page() -> list[tuple[str, str, str]]:
    """Return the page's blocks: language, file, text."""
    text = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
    return [(match[1], match[2] or "", match[3]) for match in BLOCK.finditer(text)]


@pytest.fixture(scope="module")
def extended(page: list[tuple[str, str, str]], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the repository with the page's files, none of which was there before."""
    root, folder = Path(__file__).parents[2], tmp_path_factory.mktemp("extended")
    for part in COPIED:
        copy = shutil.copytree if (root / part).is_dir() else shutil.copy
        copy(root / part, folder / part)
    for _, file, text in page:
        if file:
            assert not (folder / file).exists(), file
            (folder / file).write_text(text, encoding="utf-8")
    (folder / "small.yaml").write_text(SMALL, encoding="utf-8")
    return folder


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the page in the copy, with this interpreter."""
    program = command.split()[1] if command.startswith("dpbandits") else command.split()[0]
    command = f"{command} {SMALLER.get(program, '')}".replace("newcomer.yaml", "newcomer.yaml small.yaml")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(folder / "src")}
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


def test_the_worked_example_is_short(page: list[tuple[str, str, str]]) -> None:
    """An algorithm is a file of a screen."""
    (text,) = (text for _, file, text in page if file.endswith("dp_ucb.py") and file.startswith("src"))
    assert len(text.splitlines()) < LONGEST


@pytest.mark.slow
def test_the_page_does_what_it_says(page: list[tuple[str, str, str]], extended: Path) -> None:
    """Simulated, drawn beside the published ones, audited and tested, with no existing file edited."""
    outputs = {}
    for language, _, text in page:
        if language == "sh":
            done = run(extended, text.strip())
            assert done.returncode == 0, f"{text}\n{done.stdout}\n{done.stderr}"
            outputs[text.split()[1]] = done.stdout
    assert (extended / "out.npz").is_file()
    assert (extended / "good.npz").is_file()
    assert (extended / "figures/azize2025/newcomer.pdf").read_bytes().startswith(b"%PDF")
    drawn = (extended / "figures/azize2025/newcomer.csv").read_text(encoding="utf-8")
    assert all(title in drawn for title in ("DP-UCB", "DP-IMED", "DP-KLUCB", "DP-SE"))
    assert "consistent" in outputs["audit"]
    assert re.search(r"[1-9]\d* passed", outputs["tests/contract"])


@pytest.mark.slow
def test_what_only_the_newcomer_promises(extended: Path) -> None:
    """The page's own test file passes, and fails if the newcomer prefers bad arms."""
    command = "pytest tests/test_dp_ucb.py"
    assert run(extended, command).returncode == 0
    source = extended / "src/dpbandits/settings/stochastic/algorithms/dp_ucb.py"
    kept = source.read_text(encoding="utf-8")
    try:
        source.write_text(kept.replace("argmax(state, arms", "argmax(state, -arms"), encoding="utf-8")
        assert run(extended, command).returncode == 1
    finally:
        source.write_text(kept, encoding="utf-8")
