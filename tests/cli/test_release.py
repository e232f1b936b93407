"""What a release needs is checked, each check can fail, and an installed wheel has the workflow."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from dpbandits import __version__
from dpbandits.cli import release, workflow
from dpbandits.cli.main import main
from dpbandits.core import registry
from dpbandits.core.errors import BadInput
from dpbandits.publish.article.build import references

FILES = (
    *("pyproject.toml", "CHANGELOG.md", "requirements.lock", "Snakefile", *release.METADATA_FILES, release.SBOM),
    *("tests/requirements.lock", "profiles/generic/requirements.lock", "profiles/slurm-arrays/requirements.lock"),
    *("benchmarks/requirements.lock", ".ci/requirements.lock"),
)


@pytest.fixture
def clone(root: Path, tmp_path: Path) -> Path:
    """Return a copy of what a release is checked by."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(root / name, tmp_path / name)
    for file in root.glob("packages/*/pyproject.toml"):
        (tmp_path / file.relative_to(root)).parent.mkdir(parents=True)
        shutil.copy(file, tmp_path / file.relative_to(root))
    for name in ("workflow", "config"):
        (tmp_path / name).mkdir()
    return tmp_path


def status(root: Path) -> dict[str, str]:
    """Return the status of each check."""
    return {name: finding.status for name, finding in release.examine(root)}


def test_this_repository_can_be_released(root: Path) -> None:
    """Nothing is stale; addresses and a DOI need a person."""
    assert {name for name, found in status(root).items() if found != "ok"} <= {"persons"}


def test_a_placeholder_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An article without its addresses is not released; with them a DOI is asked for."""
    assert status(root)["persons"] == "fail"
    text = (release.TEMPLATES / "article.typ.jinja2").read_text(encoding="utf-8")
    (tmp_path / "article.typ.jinja2").write_text(
        text.replace(release.PLACEHOLDER, "https://example.org"), encoding="utf-8"
    )
    monkeypatch.setattr(release, "TEMPLATES", tmp_path)
    assert status(root)["persons"] == "warn"


@pytest.mark.parametrize(
    ("name", "old", "new", "check"),
    [
        ("CITATION.cff", "version: ", "version: 9", "metadata"),
        ("environment.yml", "numpy==", "numpy==9", "metadata"),
        ("CHANGELOG.md", f"## {__version__}", "## 9.9.9", "changelog"),
        ("requirements.lock", "--hash=sha256:", "--no", "locks"),
        ("tests/requirements.lock", "numpy==", "numpy==9", "locks"),
        (release.SBOM, '"name": "numpy"', '"name": "other"', "bill"),
        (release.SBOM, '"content": "0', '"content": "1', "bill"),
        ("pyproject.toml", 'profiles = "', 'other = "', "wheel"),
        ("pyproject.toml", '    "tabulate",', '    "tabulate",\n    "unheard-of",', "locks"),
    ],
)
def test_each_check_can_fail(clone: Path, name: str, old: str, new: str, check: str) -> None:
    """What is changed by hand, or forgotten, is named."""
    assert status(clone)[check] == "ok"
    text = (clone / name).read_text(encoding="utf-8")
    assert old in text
    (clone / name).write_text(text.replace(old, new), encoding="utf-8")
    assert status(clone)[check] == "fail"


def test_the_bill_has_licences(root: Path) -> None:
    """Of each package whose metadata state one; a package for Windows alone is not installed here."""
    parts = json.loads((root / release.SBOM).read_text(encoding="utf-8"))["components"]
    without = [part["name"] for part in parts if "licenses" not in part]
    assert [name for name in without if not name.startswith("snakemake-interface-")] == [
        "conda-inject",
        "pyreadline3",
    ]


@pytest.mark.parametrize("version", [(3, 6), (3, 10)])
def test_a_python_that_is_too_old_gets_one_line(root: Path, version: tuple[int, int]) -> None:
    """From the sources, and from pip, which stops at a lock's first line."""
    source = (root / "src/dpbandits/__init__.py").read_text(encoding="utf-8")
    code = f"import sys\nsys.version_info = {version}\nexec({source!r}, {{'__name__': 'dpbandits'}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"dpbandits needs Python 3.11 or later; this is 3.{version[1]}\n"
    for lock in FILES:
        if lock.endswith(".lock"):
            lines = [line for line in (root / lock).read_text(encoding="utf-8").splitlines() if line[0] not in "#-"]
            pin = Requirement(lines[0])
            assert pin.url == "file:///needs/Python/3.11/or/later"
            assert pin.marker is not None
            assert pin.marker.evaluate({"python_version": f"3.{version[1]}"})
            assert not pin.marker.evaluate({"python_version": "3.11"})


def test_citation_and_article_have_one_source(root: Path) -> None:
    """Each paper's DOI and arXiv number is the bibliography's."""
    cited = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    assert [entry["doi"] for entry in cited] == [
        references()[paper]["doi"] for paper in release.replicated_papers()
    ]
    for entry, paper in zip(cited, release.replicated_papers(), strict=True):
        assert entry["identifiers"][0]["value"] == f"arXiv:{references()[paper]['eprint']}"
        family = [person["family-names"] for person in entry["authors"]]
        assert all(name in references()[paper]["author"] for name in family)


def test_a_paper_has_one_title_and_year(root: Path) -> None:
    """Those of the replicated version, in its package: site, article, README, docs and citations have them."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    own = yaml.safe_load(release.citation(root))
    as_cited = f"({own['date-released'][:4]}), *{own['title']}*, version {own['version']}."
    assert f"{own['authors'][0]['name']} {as_cited}" in readme
    for paper, cited in zip(release.replicated_papers(), own["references"], strict=True):
        about = registry.papers()[paper]
        assert (cited["title"], str(cited["year"])) == (about["title"], about["year"]), paper
        assert f"[{about['title']}](https://arxiv.org/abs/{references()[paper]['eprint']}" in readme


def test_the_workflow_is_copied_and_nothing_is_overwritten(tmp_path: Path) -> None:
    """A second time it is refused, in one line."""
    assert main(["workflow", "init", str(tmp_path / "run")]) == 0
    for name in workflow.WORKFLOW_FILES:
        assert (tmp_path / "run" / name).exists()
    assert (tmp_path / "run" / "profiles" / "default" / "config.yaml").is_file()
    with pytest.raises(BadInput, match="nothing is overwritten"):
        workflow.copy_workflow(tmp_path / "run")
    assert main(["workflow", "init", str(tmp_path / "run")]) == 2
