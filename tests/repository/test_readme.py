"""README is short, its commands stand alone, its prices are the measured ones, and every page is linked."""

from __future__ import annotations

import csv
import importlib.util
import re
from pathlib import Path
from types import ModuleType

import pytest

# Lines are narrow enough for a page of 830 pixels; words are as few as before they were.
MOST_LINES, MOST_WORDS = 123, 1215
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")
INSTALL = "python3 -m venv .venv && . .venv/bin/activate && pip install --quiet --no-deps --require-hashes -r "


def tool(root: Path, name: str) -> ModuleType:
    """Return a module of tools."""
    specification = importlib.util.spec_from_file_location(name, root / "tools" / f"{name}.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def readme(root: Path) -> str:
    """Return README."""
    return (root / "README.md").read_text(encoding="utf-8")


def test_it_is_short_and_has_one_generated_block(readme: str) -> None:
    assert len(readme.splitlines()) <= MOST_LINES
    assert len(readme.split()) <= MOST_WORDS
    assert readme.count("<!-- begin: ") == 1


@pytest.mark.parametrize(
    ("ends", "lock"), [("snakemake --cores 2", "requirements.lock"), ("pytest -n 2", "tests/requirements.lock")]
)
def test_both_commands_make_their_environment(readme: str, root: Path, ends: str, lock: str) -> None:
    """Each needs nothing before; `.ci/run` joins its lines, as a shell does, and runs exactly these."""
    joined = re.sub(r" \\\n +", " ", readme)
    (line,) = (line for line in joined.splitlines() if line.startswith(INSTALL) and line.endswith(f"&& {ends}"))
    assert line.startswith(f"{INSTALL}{lock} && ")
    assert f"&& {ends}" in (root / ".ci" / "run").read_text(encoding="utf-8")


def test_commands_fit_a_narrow_page(readme: str) -> None:
    """Of blocks of commands: what is wider than 97 letters is cut at 830 pixels."""
    blocks = re.findall(r"```sh\n(.*?)```", readme, re.DOTALL)
    assert len(blocks) == 3
    assert [line for block in blocks for line in block.splitlines() if len(line) > 97] == []


def test_what_everything_costs_is_what_was_measured(readme: str, root: Path) -> None:
    minutes, _, gigabytes = tool(root, "documents").price(root)
    assert f"{minutes} minutes of processor time" in readme
    assert f"{gigabytes:.1f} GB of disk" in readme


def test_its_caption_counts_settings_as_the_snapshot_has_them(readme: str, root: Path) -> None:
    """In as many settings as the caption says DP-IMED's mean is surely below DP-KLUCB's; one is undecided."""
    with (root / "docs" / "results" / "regret-law.csv").open(encoding="utf-8", newline="") as file:
        law = {
            (row["environment"], row["epsilon"], row["algorithm"], row["statistic"]): row
            for row in csv.DictReader(file)
        }
    settings = {key[:2] for key in law}

    def below(one: str, other: str, statistic: str) -> int:
        return sum(
            float(law[*setting, one, statistic]["high"]) < float(law[*setting, other, statistic]["low"])
            for setting in settings
        )

    lower, higher = below("dp-imed", "dp-klucb", "mean"), below("dp-klucb", "dp-imed", "mean")
    assert f"in {len(settings)} settings" in readme
    assert f"means (full dots) clearly in {lower}." in readme.replace("\n", " ")
    assert len(settings) - lower - higher == 1
    assert (
        below("dp-imed", "dp-klucb", "median") == below("dp-imed-long-start", "dp-klucb", "mean") == len(settings)
    )


def test_a_cluster_is_found_by_its_words(readme: str) -> None:
    assert "SLURM" in readme
    assert "scheduler" in readme
    assert "cluster" in readme


def test_its_picture_is_drawn_from_the_snapshot(root: Path, tmp_path: Path) -> None:
    """If this fails: python tools/readme_picture.py."""
    drawn = tmp_path / "rare-runs.png"
    tool(root, "readme_picture").draw(root / "docs" / "results", drawn)
    assert drawn.read_bytes() == (root / "docs" / "results" / "rare-runs.png").read_bytes()


def test_links_lead_somewhere_and_reach_every_page(root: Path) -> None:
    """Relative links of README and docs are files; docs/index.md names every page, and README names the index."""
    pages = [root / "README.md", *sorted((root / "docs").glob("*.md")), *(root / "docs" / "api").glob("index.*")]
    links = {
        page: {(page.parent / link).resolve() for link in LINK.findall(page.read_text(encoding="utf-8"))}
        for page in pages
    }
    broken = {str(page): missing for page in pages if (missing := [str(x) for x in links[page] if not x.exists()])}
    assert not broken
    index = root / "docs" / "index.md"
    assert index in links[root / "README.md"]
    inside = {page for page in pages if page.parent.name == "docs"}
    assert inside - links[index] == {index}
