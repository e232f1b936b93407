"""Builder of the crate: a Workflow Run RO-Crate of a finished run, files with digests, each verdict a ClaimReview.

Regret arrays are not in it, but their digests are: from the same configuration they are made again, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from dpbandits.core.errors import MissingExtra
from dpbandits.core.files import read_json, whole
from dpbandits.core.provenance import ROOT
from dpbandits.publish.claim_review import FOUNDERS, Entity, claim_review, scholarly_article
from dpbandits.publish.crate.digests import MANIFEST, digest, digest_of_text
from dpbandits.publish.html.view_models import read_rows
from dpbandits.runs import resource_usage

if TYPE_CHECKING:
    from rocrate.model import ComputationalWorkflow, File
    from rocrate.rocrate import ROCrate

    from dpbandits.publish.content import CitedPaper

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
# Terms that RO-Crate's own context does not have.
TERMS = {name: f"https://w3id.org/ro/terms/workflow-run#{name}" for name in ("sha256", "resourceUsage")}
LICENCE = "https://spdx.org/licenses/MIT"
SNAKEFILE, CONFIGURATION, LEDGER = "Snakefile", "config.json", "claims.csv"
# Of a project's root, what a run is made from; the package itself is put beside it.
RECIPE = ("README.md", "LICENSE", "CITATION.cff", "pyproject.toml", "requirements.lock", "environment.yml")
FOLDERS = ("workflow", "config", "profiles")
# What of the results is left out: arrays are only in the manifest, the rest says nothing new.
LEFT_OUT = ("cells", "site")
MEDIA_TYPES = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".md": "text/markdown",
    ".pdf": "application/pdf",
    ".png": "image/png",
    ".py": "text/x-python",
    ".yaml": "application/yaml",
}


class StoredArrays(TypedDict):
    """Size in bytes, and SHA-256 in hexadecimal, of a file of regret arrays; the file is not in the crate."""

    bytes: int
    sha256: str


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder, in order."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and not file.name.startswith(".") and "__pycache__" not in file.parts:
            yield file


def _packed_files(
    files: Sequence[str], ledger: Path, results: Path, figures: Path, root: Path
) -> Iterator[tuple[Path, str]]:
    """Yield the path of each file to pack into a crate, and its path within the crate.

    Parameters
    ----------
    files
        Files of results and figures.
    ledger
        The ledger, which lies at the top of the results.
    results, figures, root
        Folders of results, of figures and of the repository.
    """
    for name in RECIPE:
        if (root / name).is_file():
            yield root / name, name
    for part in FOLDERS:
        for file in _files(root / part):
            yield file, file.relative_to(root).as_posix()
    for file in _files(ROOT):
        yield file, f"src/{file.relative_to(ROOT.parent).as_posix()}"
    for file in map(Path, files):
        folder, place = (results, "results") if file.is_relative_to(results) else (figures, "figures")
        inner = file.relative_to(folder)
        if file.with_suffix("") == ledger.with_suffix(""):
            # Where readers of a run look, also if it is of one paper alone.
            inner = Path(file.name)
        if file.is_file() and not set(LEFT_OUT) & set(inner.parts[:-1]):
            yield file, f"{place}/{inner.as_posix()}"


def _arrays(results: Path, papers: Iterable[str]) -> Mapping[str, StoredArrays]:
    """Return size and digest of each array of regrets of these papers."""
    return {
        file.relative_to(results).as_posix(): {"bytes": file.stat().st_size, "sha256": digest(file)}
        for name in sorted(papers)
        for file in sorted((results / name / "cells").glob("**/*.npz"))
    }


def _add_entity(crate: ROCrate, entity: Entity) -> dict[str, str]:
    """Add an entity of JSON-LD, and those within it, to a crate, each once; return a reference to it."""
    from rocrate.model import ContextEntity

    name = str(entity["@id"])
    if crate.dereference(name) is None:
        properties = {
            key: _add_entity(crate, value) if isinstance(value, dict) else value
            for key, value in entity.items()
            if key != "@id"
        }
        crate.add(ContextEntity(crate, name, properties=properties))
    return {"@id": name}


def _iso_time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def build(
    version: str,
    papers: Mapping[str, CitedPaper],
    files: Sequence[str],
    results: str,
    figures: str,
    root: str,
    ledger: str,
    output: Path,
) -> None:
    """Write a crate: a zip file with the results of a finished run, or of one paper's part, and their metadata.

    Parameters
    ----------
    version
        The package's version.
    papers
        Title, authors and year of each paper in the crate, by the paper's id.
    files
        Files of the run to pack. Left out are those that do not exist, such as an article that was not asked for,
        arrays, and pages of the site. Without being named here, files of ``root`` such as the workflow, and this
        package's sources are packed too.
    results, figures
        Folders of the run's results and of its figures.
    root
        The folder with Snakefile, workflow and configuration.
    ledger
        CSV file of the ledger, the table of the papers' claims with verdicts.
    output
        The zip file to write.

    Raises
    ------
    MissingExtra
        If rocrate is missing.
    """
    try:
        from rocrate.rocrate import ROCrate
    except ModuleNotFoundError:
        raise MissingExtra("The crate", "rocrate", "crate") from None
    made, drawn = Path(results), Path(figures)
    # The version that the profiles of runs are of.
    crate = ROCrate(version="1.1")
    crate.name = "dpbandits: a run"
    crate.description = f"A finished run of dpbandits {version}: verdicts, audits, figures and tables."
    crate.root_dataset["license"] = _add_entity(crate, {"@type": "CreativeWork", "@id": LICENCE, "name": "MIT"})
    crate.root_dataset["author"] = _add_entity(crate, FOUNDERS)
    crate.metadata.extra_terms.update(TERMS)
    workflow = crate.add_workflow(
        Path(root) / SNAKEFILE,
        SNAKEFILE,
        main=True,
        lang="snakemake",
        properties={"name": "dpbandits", "sha256": digest(Path(root) / SNAKEFILE), "license": {"@id": LICENCE}},
    )
    crate.root_dataset["conformsTo"] = [
        _add_entity(
            crate, {"@type": "CreativeWork", "@id": name, "name": title, "version": name.rpartition("/")[2]}
        )
        for name, title in PROFILES.items()
    ]
    entities = {
        place: crate.add_file(file, place, properties=file_metadata(file, place))
        for file, place in _packed_files(files, Path(ledger), made, drawn, Path(root))
    }
    arrays = json.dumps(_arrays(made, papers), indent=1) + "\n"
    told = {"name": "arrays of regrets, which are not in the crate", "sha256": digest_of_text(arrays)}
    crate.add_file(StringIO(arrays), MANIFEST, properties={**told, "encodingFormat": MEDIA_TYPES[".json"]})
    _add_run(crate, workflow, entities, made, Path(ledger), papers)
    for row in read_rows(Path(ledger)):
        about = scholarly_article(row["paper"], papers[row["paper"]])
        crate.root_dataset.append_to("mentions", _add_entity(crate, claim_review(row, about)))
    crate.root_dataset["datePublished"] = _iso_time(Path(ledger).stat().st_mtime)
    with whole(output) as zipped:
        crate.write_zip(zipped)


def file_metadata(file: Path, place: str) -> Mapping[str, str]:
    """Return the metadata that a crate has on a file, by property.

    They are ``name`` (``place``, its path in the crate), ``sha256``, ``contentSize`` (in bytes, as text), and for
    known suffixes ``encodingFormat``, such as ``text/csv``. ``file`` is its path outside.
    """
    told = {"name": place, "sha256": digest(file), "contentSize": str(file.stat().st_size)}
    return {**told, "encodingFormat": MEDIA_TYPES[file.suffix]} if file.suffix in MEDIA_TYPES else told


def _add_run(
    crate: ROCrate,
    workflow: ComputationalWorkflow,
    entities: Mapping[str, File],
    results: Path,
    ledger: Path,
    papers: Iterable[str],
) -> None:
    """Add the run to a crate: the workflow's parameters, what the run took, and versions of software.

    Parameters
    ----------
    crate, workflow, entities
        The crate, its workflow, and its files by place.
    results, ledger
        The folder of results, and the ledger.
    papers
        Ids of the papers.
    """
    given, verdicts = entities[f"results/{CONFIGURATION}"], entities[f"results/{LEDGER}"]
    for name, example, key in (("configuration", given, "input"), ("ledger", verdicts, "output")):
        parameter = crate.add_formal_parameter(
            name, "File", identifier=f"#{name}", properties={"workExample": {"@id": example.id}}
        )
        workflow.append_to(key, parameter)
        example["exampleOfWork"] = {"@id": parameter.id}
    made = [entity for place, entity in entities.items() if place.startswith(("results/", "figures/"))]
    status = {"@id": "http://schema.org/CompletedActionStatus"}
    action = crate.add_action(
        workflow,
        identifier="#run",
        object=[given],
        result=[entity for entity in made if entity is not given],
        properties={"name": "the run", "agent": {"@id": FOUNDERS["@id"]}, "actionStatus": status},
    )
    logs = [file.stat().st_mtime for file in (results / "logs").glob("**/*.tsv")]
    finished = max([*logs, ledger.stat().st_mtime])
    action["endTime"] = _iso_time(finished)
    if logs:
        action["startTime"] = _iso_time(min(logs))
        took = resource_usage.cost(
            results, sorted(name for name in papers if (results / name / "findings.csv").is_file())
        )
        for part, spent in took["parts"].items():
            value = {"@type": "PropertyValue", "@id": f"#took-{part}", "name": f"processor seconds of {part}"}
            action.append_to("resourceUsage", _add_entity(crate, {**value, "value": str(spent["seconds"])}))
    for name, version in read_json(ledger.with_suffix(".json")).get("versions", {}).items():
        software = {"@type": "SoftwareApplication", "@id": f"#{name}", "name": name, "softwareVersion": version}
        workflow.append_to("softwareRequirements", _add_entity(crate, software))
    crate.root_dataset.append_to("mentions", action)
