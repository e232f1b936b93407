"""What the catalogue of workflows reads: a schema of the configuration, declared usage, a recipe of a container."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import jsonschema
import projects
import pytest
import yaml

from dpbandits.products import catalogue
from dpbandits.publish import texts
from dpbandits.runs import config


def test_schema_is_that_of_the_models(root: Path) -> None:
    """If this fails: python tools/config_readme.py."""
    specification = importlib.util.spec_from_file_location("config_readme", root / "tools" / "config_readme.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    assert module.SCHEMA.read_text(encoding="utf-8") == module.schema()


def test_schema_accepts_a_configuration_and_refuses_another(root: Path) -> None:
    """A misspelt key and a value out of range are refused, as by the models."""
    schema = yaml.safe_load((root / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"))
    check = jsonschema.Draft202012Validator(schema)
    check.check_schema(schema)
    check.validate(projects.tiny())
    for wrong in (projects.tiny(root_sed=1), projects.tiny(level=2)):
        with pytest.raises(jsonschema.ValidationError):
            check.validate(wrong)


def test_container_is_of_the_lock(root: Path) -> None:
    """It installs what the lock has, and names no version itself but Python's."""
    text = (root / "Containerfile").read_text(encoding="utf-8")
    assert "pip install --no-cache-dir --no-deps --require-hashes -r requirements.lock" in text
    assert "==" not in text


def test_declared_usage(root: Path) -> None:
    """The catalogue reads `report` below `usage` (its class Repo), so that is where it is."""
    usage = yaml.safe_load((root / ".snakemake-workflow-catalog.yml").read_text(encoding="utf-8"))["usage"]
    assert usage["report"] is True


def test_rule_graph_is_that_of_the_plan(root: Path) -> None:
    """Every rule is there, and of the arrows each but those to crates."""
    page = (root / "docs" / "architecture.md").read_text(encoding="utf-8")
    lines = page.split("\n## Rules\n")[1].split("```")[1].splitlines()[2:]
    drawn = {tuple(line.split()[::2]) for line in lines if "-->" in line}
    written = {
        name
        for file in (root / "workflow" / "rules").glob("*.smk")
        for name in re.findall(r"^ *rule (\w+):", file.read_text(encoding="utf-8"), re.M)
    }
    assert {name for line in lines for name in line.split()[::2]} == written
    planned = config.planned([*config.shipped(root / "config"), root / "config" / "small.yaml"])
    known = catalogue(*planned, texts.load(planned[0]))
    rule = {product.main: {"computation": "compute"}.get(kind, kind) for (kind, *_), product in known.items()}
    arrows = {(rule[read.main], rule[made.main]) for made in known.values() for read in made.products}
    arrows |= {("simulate", rule[made.main]) for made in known.values() if made.cells}
    assert drawn == {arrow for arrow in arrows if not arrow[1].endswith("crate")}
