"""The repository keeps its promises: equal pins, named sources, tests behind every discrepancy."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest
import shipped
import yaml

from dpbandits.claims import discrepancies
from dpbandits.cli.doctor import pinned_versions
from dpbandits.core import provenance, registry


def pins(root: Path) -> dict[str, str]:
    """Return the lock's version of each package, on this platform."""
    return pinned_versions(root / "requirements.lock")


def not_collected(config: pytest.Config, files: list[str]) -> list[str]:
    """Return the test files, by their paths, that lie elsewhere or of which pytest skips a folder or the name."""
    skipped, named, begun = (config.getini(name) for name in ("norecursedirs", "python_files", "testpaths"))
    return [
        file
        for file in files
        if Path(file).parts[0] not in begun
        or any(fnmatch(folder, pattern) for folder in Path(file).parts[:-1] for pattern in skipped)
        or not any(fnmatch(Path(file).name, pattern) for pattern in named)
    ]


def test_every_file_of_tests_is_collected(root: Path, pytestconfig: pytest.Config) -> None:
    """pytest passes by folders called ``build`` or ``dist``, and says nothing. Sixty tests were lost in one."""
    # Benchmarks are no tests: their outcome is a time.
    listed = subprocess.run(
        ["git", "ls-files", ":(glob)**/test_*.py", ":!benchmarks"],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    files = listed.stdout.splitlines()
    assert len(files) > 100
    assert not_collected(pytestconfig, files) == []
    assert not_collected(pytestconfig, ["tests/build/test_a.py", "tests/a/b.py", "docs/test_c.py"]) == [
        "tests/build/test_a.py",
        "tests/a/b.py",
        "docs/test_c.py",
    ]


def test_conda_users_get_the_same_versions(root: Path) -> None:
    """environment.yml pins the direct dependencies, each to the lock's version."""
    environment = yaml.safe_load((root / "environment.yml").read_text(encoding="utf-8"))
    listed = dict(entry.split("==") for entry in environment["dependencies"][-1]["pip"])
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["workflow"], *extras["site"]]
    # From the clone, as dpbandits itself.
    beside = {folder.name for folder in (root / "packages").iterdir() if folder.is_dir()}
    direct = {re.split(r"[<>=\[]", entry)[0] for entry in needed} - beside
    assert set(listed) == direct
    assert listed == {name: pins(root)[name] for name in listed}


def test_this_environment_has_the_locked_versions() -> None:
    """Of all that can change a number."""
    root = Path(__file__).parents[2]
    installed = provenance.package_versions()
    for name in provenance.RECORDED_PACKAGES:
        assert installed[name] == pins(root)[name], name


def test_no_host_is_in_a_lock(root: Path) -> None:
    """A registry's address belongs to a machine, not to the repository."""
    files = [
        root / "requirements.lock",
        *root.glob("*/requirements.lock"),
        *root.glob("profiles/*/requirements.lock"),
    ]
    assert len(files) == 6
    for file in files:
        # Three slashes, as of the line for a Python that is too old, name no host.
        assert not re.search(r"://[^/]", file.read_text(encoding="utf-8")), file


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Every command imports what it needs: start-up is what users of thousands of jobs feel."""
    code = (
        "import sys, dpbandits.cli.main\n"
        "print([m for m in ('numpy', 'numba', 'pandas', 'scipy') if m in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_simulating_does_not_import_what_draws() -> None:
    """A simulation needs neither pandas nor matplotlib, nor what checks a configuration."""
    code = "import sys; from dpbandits.runs.job import make_job\n"
    code += "make_job('dp-imed', {}, {'kind': 'bernoulli', 'means': [0, 1]}, 1, 9, 1, 0)\n"
    code += "print([m for m in ('pandas', 'matplotlib', 'pydantic') if m in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == "[]"


def test_the_digest_follows_imports() -> None:
    """A cell's digest covers what it can reach, and no other algorithm."""
    reached = provenance.transitive_imports(registry.module("algorithm", "dp-imed"))
    assert "dpbandits.settings.stochastic.divergences" in reached
    assert "dpbandits.core.streams" in reached
    assert "dpbandits.core.compiled" in reached
    assert not [name for name in reached if ".algorithms." in name and not name.endswith(".dp_imed")]
    digests = {provenance.source_digest(module) for module in registry.modules("algorithm").values()}
    assert len(digests) == len(registry.modules("algorithm"))


def test_a_module_has_one_trade(root: Path) -> None:
    """No module is longer than a reader can hold in mind."""
    lines = {
        file: len(file.read_text(encoding="utf-8").splitlines())
        for top in (root / "src", *root.glob("packages/*/src"))
        for file in top.rglob("*.py")
    }
    assert {file.name: number for file, number in lines.items() if number > 400} == {}


def test_settings_do_not_import_one_another() -> None:
    """A setting stands on the ground floor alone; experts may build on adversarial, as the paper does."""
    modules = [module for kind in ("algorithm", "environment") for module in registry.modules(kind).values()]
    allowed = {("experts", "adversarial")}
    for module in modules:
        own = module.split(".")[2]
        imported = (name.split(".") for name in provenance.transitive_imports(module))
        others = {parts[2] for parts in imported if parts[1:2] == ["settings"] and len(parts) > 3}
        assert {(own, other) for other in others - {own}} <= allowed, module


def test_figures_import_no_algorithm() -> None:
    """A figure never simulates."""
    for module in registry.modules("figure").values():
        assert not [name for name in provenance.transitive_imports(module) if ".algorithms." in name], module


def test_every_discrepancy_names_a_test_that_exists(root: Path) -> None:
    """The register is evidence: each line has the test that shows it."""
    papers = discrepancies.load(shipped.configuration())
    known = [entry for entries in papers.values() for entry in entries]
    assert known
    for entry in known:
        file, name = entry.test.split("::")
        assert f"def {name}(" in (root / file).read_text(encoding="utf-8"), entry.id
    assert len({entry.id for entry in known}) == len(known)


@pytest.mark.slow
def test_copies_of_the_repository_share_compiled_code(root: Path, tmp_path: Path) -> None:
    """Compiled code is found by its sources' content, wherever they lie: nothing is compiled twice."""
    # One kernel, so that the test costs seconds.
    code = "import numpy as np\nfrom dpbandits.core.streams import shuffle, streams\n"
    code += "shuffle(streams(0, 'x', np.arange(1))[0], np.arange(3))\nprint(len(shuffle.stats.cache_hits))"
    hits = []
    for name in ("one", "other"):
        shutil.copytree(root / "src", tmp_path / name)
        environment = {**os.environ, "PYTHONPATH": str(tmp_path / name), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
        command = [sys.executable, "-c", code]
        shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        hits.append(int(shown.stdout))
    assert hits == [0, 1]


def test_figures_that_are_asked_for_exist(root: Path) -> None:
    """A figure that a script or a page asks for is one that the configuration has."""
    papers = shipped.configuration().papers
    asked = [root / ".ci" / "run", root / "tests" / "system" / "slurm" / "run", root / "README.md"]
    # A page that shows how to add a figure names one that is not there.
    asked += [page for page in (root / "docs").glob("*.md") if page.stem != "extending"]
    for file in asked:
        found = re.findall(r"\bfigures/(?:small/)?(\w+\d{4})/([\w.-]+)\.p", file.read_text(encoding="utf-8"))
        unknown = [
            f"{paper}/{name}"
            for paper, name in found
            if name.removesuffix("-published") not in papers[paper].figures
        ]
        assert not unknown, file


def test_no_two_files_import_each_other(root: Path) -> None:
    """Neither at the top nor inside of functions; what is imported for types alone counts as well."""
    files = {
        ".".join(file.relative_to(root / "src").with_suffix("").parts).removesuffix(".__init__"): file
        for file in (root / "src").rglob("*.py")
    }
    imported: dict[str, set[str]] = {}
    for module, file in files.items():
        read = imported.setdefault(module, set())
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                inner = {f"{node.module}.{name.name}" for name in node.names}
                read |= (inner & files.keys()) or {node.module}
    circles = {
        tuple(sorted((one, other))) for one in files for other in imported[one] if one in imported.get(other, ())
    }
    assert circles == set()
