"""The profiles for schedulers know every rule that a scheduler sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from dpbandits.claims import claim
from dpbandits.pipeline.products import catalogue
from dpbandits.runs import config as configuration


def rules(root: Path) -> dict[str, str]:
    """Return the text of each rule by its name."""
    return {
        match[1]: match[2]
        for file in (root / "workflow" / "rules").glob("*.smk")
        for match in re.finditer(r"^rule (\w+):\n(.*?)(?=^\S|\Z)", file.read_text(encoding="utf-8"), re.M | re.S)
    }


def submitted(root: Path) -> set[str]:
    """Return the rules that are not run where Snakemake runs."""
    local = re.search(r"^localrules:\n((?:    \w+,\n)+)", (root / "workflow/Snakefile").read_text("utf-8"), re.M)
    assert local
    return set(rules(root)) - set(re.findall(r"\w+", local[1]))


@pytest.mark.parametrize("profile", ["slurm", "generic"])
def test_no_rule_reaches_a_scheduler_job_by_job(root: Path, profile: str) -> None:
    """A rule without a group would flood it with jobs of seconds."""
    settings = yaml.safe_load((root / "profiles" / profile / "config.yaml").read_text(encoding="utf-8"))
    assert set(settings["groups"]) == submitted(root)
    assert set(settings["group-components"]) == set(settings["groups"].values())


def test_what_is_submitted_asks_for_memory_and_time(root: Path) -> None:
    """In the rule, raised at each retry: a profile's defaults fit no rule in particular."""
    for name in submitted(root):
        assert re.search(r"mem_mb=asked\(\d+\),\n\s+runtime=asked\(\d+\)", rules(root)[name]), name


def test_no_wildcard_has_a_comma(root: Path) -> None:
    """Snakemake hands wildcards to a submission as a list that it takes apart at commas."""
    full, known = configuration.planned(configuration.shipped(root / "config"))
    files = [
        file for product in catalogue(full, known, claim.load(full)).values() for file in product.files.values()
    ]
    files += [file for of_experiment in known.values() for cell in of_experiment.values() for file in cell.files]
    assert len(files) > 1000
    assert not [file for file in files if "," in file]
