"""Checks of a release: one version everywhere, metadata from one source, and complete locks.

Files of metadata are made from the package's version, pyproject.toml, the article's bibliography and the lock;
``tools/release_metadata.py`` writes them, `dpbandits doctor --release` says whether they are fresh. In all
functions ``root`` is the folder of a clone. A check returns a `Finding`: its status ``ok``, ``warn`` or ``fail``,
what was found, and a remedy.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypedDict

import yaml

from dpbandits.cli.doctor import Finding, pinned_versions
from dpbandits.cli.workflow import WORKFLOW_FILES
from dpbandits.core import registry
from dpbandits.core.provenance import package_version
from dpbandits.publish.article.build import TEMPLATES, references
from dpbandits.publish.cite import Work

TITLE = "dpbandits: a replication of four papers on differentially private online decisions"
# The day of this version: a release changes it by hand, so that nothing made from it depends on the clock.
RELEASED = "2026-11-23"
FOUNDERS = "The dpbandits founders"
SBOM = "docs/sbom.cdx.json"
# What the article has in place of an address, until a person gives one.
PLACEHOLDER = "address to be given at release"
# Command that writes the files of metadata.
WRITE = "python tools/release_metadata.py"


# The section ``project`` of pyproject.toml, as far as metadata need it.
Project = TypedDict(
    "Project",
    {
        "name": str,
        "license": str,
        "keywords": list[str],
        "dependencies": list[str],
        "optional-dependencies": dict[str, list[str]],
    },
)


def project(root: Path) -> Project:
    """Return the section ``project`` of ``root``'s pyproject.toml: name, licence, dependencies and so on."""
    told: Project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return told


def replicated_papers() -> list[str]:
    """Return the ids, such as ``smith2026``, of those replicated papers that the article's bibliography has."""
    return [paper for paper in registry.papers() if paper in references()]


def _people(authors: str) -> list[dict[str, str]]:
    pairs = (author.split(", ") for author in authors.split(" and "))
    return [{"family-names": family, "given-names": given} for family, given in pairs]


def _title(text: str) -> str:
    # Braces keep capitals in BibTeX.
    return text.replace("{", "").replace("}", "")


def _reference(entry: dict[str, str]) -> Work:
    """Return a paper of the bibliography as CITATION.cff has it."""
    told: Work = {
        "type": "conference-paper" if "booktitle" in entry else "article",
        "title": _title(entry["title"]),
        "year": int(entry["year"]),
        "authors": _people(entry["author"]),
    }
    if "booktitle" in entry:
        told["conference"] = {"name": entry["booktitle"]}
        told["collection-title"] = entry["series"]
        told["volume"] = int(entry["volume"])
    if "note" in entry:
        told["notes"] = entry["note"].replace("--", "–")
    archive = {"type": "other", "value": f"arXiv:{entry['eprint']}", "description": "the paper on arXiv"}
    return {**told, "doi": entry["doi"], "identifiers": [archive]}


def citation(root: Path) -> str:
    """Return the content of CITATION.cff as YAML text: this package's version, keywords and so on, and the papers.

    Name, licence and keywords are those of ``root``'s pyproject.toml; the papers are those that are replicated.
    """
    told = project(root)
    content = {
        "cff-version": "1.2.0",
        "message": f"If you use {told['name']}, please cite it and the papers it replicates.",
        "title": TITLE,
        "type": "software",
        "license": told["license"],
        "version": package_version(),
        "date-released": RELEASED,
        "authors": [{"name": FOUNDERS}],
        "keywords": told["keywords"],
        "references": [_reference(references()[paper]) for paper in replicated_papers()],
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=116)


def environment(root: Path) -> str:
    """Return the content of environment.yml: the workflow's direct dependencies, each with the lock's version."""
    pins = pinned_versions(root / "requirements.lock")
    told = project(root)
    extras = told["optional-dependencies"]
    needed = sorted([*told["dependencies"], *extras["workflow"], *extras["site"]])
    names = [name for entry in needed if (name := re.split(r"[<>=]", entry)[0]) not in _own_distributions(root)]
    head = (
        "# For conda users: the same versions as requirements.lock, from PyPI.\n"
        "#   conda env create -f environment.yml && conda activate dpbandits\n"
        "#   pip install --no-deps -r packages/editable.txt\n"
        f"# Made by: {WRITE}\n"
    )
    lines = [
        "name: dpbandits",
        "channels:",
        "  - conda-forge",
        "  - nodefaults",
        "dependencies:",
        "  - python=3.11",
    ]
    lines += ["  - pip", "  - pip:", *(f"      - {name}=={pins[name]}" for name in names)]
    return head + "\n".join(lines) + "\n"


# Functions that return the content of each file of metadata, by the file's name.
METADATA_FILES: dict[str, Callable[[Path], str]] = {
    "CITATION.cff": citation,
    "environment.yml": environment,
}


def metadata(root: Path) -> Finding:
    """Check that CITATION.cff and environment.yml have the content that `citation` and `environment` return."""
    stale = [
        name
        for name, make in METADATA_FILES.items()
        if not (root / name).is_file() or (root / name).read_text(encoding="utf-8") != make(root)
    ]
    if stale:
        return Finding("fail", f"not fresh: {', '.join(stale)}", WRITE)
    return Finding("ok", f"{', '.join(METADATA_FILES)}, all of version {package_version()}")


def changelog(root: Path) -> Finding:
    """Check that the first entry of CHANGELOG.md, a heading such as ``## 1.2.0``, is of this version."""
    file = root / "CHANGELOG.md"
    found = re.search(r"^## (\S+)", file.read_text(encoding="utf-8"), re.MULTILINE) if file.is_file() else None
    if found is None or found[1] != package_version():
        newest = "no entry" if found is None else f"the newest entry is {found[1]}"
        return Finding("fail", newest, f"write what is new in {package_version()} at the top of CHANGELOG.md")
    return Finding("ok", f"CHANGELOG.md begins with {package_version()}")


def locks(root: Path) -> Finding:
    """Check the files that pin versions: ``requirements.lock``, and those of folders and profiles.

    It fails unless every pin has a hash, all locks pin each package in one version (that of the folder ``.ci``
    aside), and every direct dependency is pinned.
    """
    remedy = "python tools/locks.py"
    files = [
        root / "requirements.lock",
        *sorted(root.glob("*/requirements.lock")),
        *sorted(root.glob("profiles/*/*.lock")),
    ]
    agreed: dict[str, str] = {}
    for file in files:
        text = file.read_text(encoding="utf-8")
        bare = [pin for pin, hashes in pinned(text) if not hashes]
        if bare:
            return Finding("fail", f"{file.relative_to(root)}: no hash of {bare[0]}", remedy)
        for name, version in {} if file.parent.name == ".ci" else pinned_versions(file).items():
            if agreed.setdefault(name, version) != version:
                return Finding(
                    "fail", f"{name} {version} in {file.relative_to(root)}, {agreed[name]} elsewhere", remedy
                )
    missing = [name for name in _direct_dependencies(root) if name not in agreed]
    if missing:
        return Finding("fail", f"not locked: {', '.join(missing)}", remedy)
    return Finding("ok", f"{len(files)} locks agree on {len(agreed)} packages, all with hashes")


def pinned(text: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each pin in the text of a lock, such as ``numpy==2.1.3``, and its SHA-256 hashes, perhaps none."""
    for block in re.split(r"\n(?=[\w.-]+==)", "\n" + text)[1:]:
        yield block.split()[0], re.findall(r"--hash=sha256:(\w+)", block)


def _own_distributions(root: Path) -> set[str]:
    """Return the distributions that are in this repository and so in no lock."""
    return {file.parent.name for file in root.glob("packages/*/pyproject.toml")}


def _direct_dependencies(root: Path) -> list[str]:
    """Return the names of the distributions that this package needs itself, with those of all extras."""
    from packaging.utils import canonicalize_name

    told = project(root)
    entries = [*told["dependencies"], *(each for extra in told["optional-dependencies"].values() for each in extra)]
    return [
        name
        for entry in entries
        if (name := canonicalize_name(re.split(r"[<>=\[]", entry)[0])) not in _own_distributions(root)
    ]


def bill_of_materials(root: Path) -> Finding:
    """Check that the bill of materials, docs/sbom.cdx.json, lists what requirements.lock pins, with its hashes."""
    file = root / SBOM
    if not file.is_file():
        return Finding("fail", f"no {SBOM}", f"{WRITE} --sbom")
    parts = json.loads(file.read_text(encoding="utf-8"))["components"]
    listed = {f"{part['name']}=={part.get('version')}": component_hashes(part) for part in parts}
    pins = dict(pinned((root / "requirements.lock").read_text(encoding="utf-8")))
    different = sorted(name for name in pins if listed.get(name) != pins[name])
    if different or len(listed) != len(pins):
        return Finding("fail", f"{SBOM} is not of requirements.lock: {', '.join(different[:5])}", f"{WRITE} --sbom")
    return Finding("ok", f"{SBOM} lists {len(listed)} packages, with hashes")


def component_hashes(part: dict[str, Any]) -> list[str]:
    """Return the hashes of a component's files; ``part`` is its entry in a bill of materials (CycloneDX)."""
    references = part.get("externalReferences", [])
    return [each["content"] for reference in references for each in reference.get("hashes", [])]


def wheel_contents(root: Path) -> Finding:
    """Check that all `WORKFLOW_FILES`, such as Snakefile, exist, and that pyproject.toml puts them into wheels."""
    told = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]["targets"]
    missing = [
        name for name in WORKFLOW_FILES if name not in told["wheel"]["force-include"] or not (root / name).exists()
    ]
    if missing:
        return Finding(
            "fail", f"not in the wheel: {', '.join(missing)}", "tool.hatch.build.targets.wheel.force-include"
        )
    return Finding("ok", f"the wheel has {', '.join(WORKFLOW_FILES)}")


def manual_steps(root: Path) -> Finding:
    """Check the steps of a release that only a person can take: addresses in the article, and a DOI.

    It fails while the article has a placeholder for an address. A CITATION.cff without a DOI of this package is a
    warning.
    """
    article = (TEMPLATES / "article.typ.jinja2").read_text(encoding="utf-8")
    remedy = "needs a person: archive a tag, see docs/release.md"
    if count := article.count(PLACEHOLDER):
        return Finding("fail", f"missing: {count} addresses of the article", remedy)
    if "doi" not in yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8")):
        return Finding("warn", "missing: a DOI of its own; nobody else has run it", remedy)
    return Finding("ok", "CITATION.cff has a DOI of its own, the article addresses of code and data")


CHECKS: dict[str, Callable[[Path], Finding]] = {
    "metadata": metadata,
    "changelog": changelog,
    "locks": locks,
    "bill": bill_of_materials,
    "wheel": wheel_contents,
    "persons": manual_steps,
}


def examine(root: Path) -> Iterator[tuple[str, Finding]]:
    """Run all checks of a release on the clone ``root``; yield each one's name and its finding.

    A check that raises OSError, KeyError or ValueError has failed.
    """
    for name, check in CHECKS.items():
        try:
            yield name, check(root)
        except (OSError, KeyError, ValueError) as error:
            yield name, Finding("fail", f"{type(error).__name__}: {error}", "run it in the root of a clone")
