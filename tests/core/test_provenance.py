"""What results are made from: an edit changes what can depend on it alone, blocks nothing, mix-ups are seen."""

from __future__ import annotations

import functools
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tiers import core

from dpbandits.core import imported, provenance
from dpbandits.core.errors import DamagedFile
from dpbandits.core.files import seal
from dpbandits.core.tables import write_table
from dpbandits.products import catalogue
from dpbandits.publish import texts
from dpbandits.runs import config, plan
from dpbandits.runs.aggregate import aggregate, read_cell
from dpbandits.runs.job import run_to_file
from dpbandits.runs.models import Config, RunsPerJob


def forget() -> None:
    """Forget sources and digests of them."""
    imported.forget()
    for cached in (provenance.source, provenance._digest_of, provenance.sources, provenance.source_digest):
        cached.cache_clear()


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a copy of the package's sources that digests are taken of."""
    copy = shutil.copytree(provenance.ROOT, tmp_path / "dpbandits", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "ROOT", copy)
    forget()
    yield copy
    forget()


@functools.cache
def small(root: Path) -> Config:
    """Return the small scale."""
    return config.load([*config.shipped(root / "config"), root / "config" / "small.yaml"])


# What a paper's products are.
KINDS = ("aggregate", "computation", "figure", "table")


def identities(content: Config) -> dict[tuple[str, ...], str]:
    """Return the identities of all cells, aggregates, computations, figures and tables."""
    forget()
    known = plan.all_cells(content)
    made = catalogue(content, known, texts.load(content))
    products = {name: product for name, product in made.items() if name[0] in KINDS}
    return {name: product.fingerprint for name, product in products.items()} | {
        ("cell", paper, experiment, *labels): cell.fingerprint
        for (paper, experiment), cells in known.items()
        for labels, cell in cells.items()
    }


def shown_by(content: Config, paper: str, kind: str, names: set[str]) -> set[tuple[str, ...]]:
    """Return the figures and tables of a paper that show experiments or computations."""
    entry = content.papers[paper]
    figures = {
        ("figure", paper, file.stem)
        for file in plan.figure_files(content, paper)
        if names & set(getattr(entry.figures[file.figure], kind))
    }
    return figures | {
        ("table", paper, name) for name, table in entry.tables.items() if names & set(getattr(table, kind))
    }


@pytest.mark.budget(1)
def test_an_edit_changes_what_depends_on_it_and_nothing_else(root: Path, sources: Path) -> None:
    """Of the small scale: an algorithm's, computation's, figure's and table's file, and one of no use."""
    content = small(root)
    # Of the sources as they are, after each edit the last.
    known = [identities(content)]

    def changed(file: str) -> set[tuple[str, ...]]:
        with (sources / file).open("a", encoding="utf-8") as opened:
            opened.write("EDITED = 1\n")
        known.append(identities(content))
        before, after = known[-2:]
        return {key for key in before if before[key] != after[key]}

    paper = content.papers["azize2025"]
    users = {"dp-imed", "dp-imed-long-start", "dp-imed-polynomial", "dp-imed-tradeoff", "forgetting-dp-imed"}
    labels = {label for label in paper.algorithms if paper.algorithm(label) in users}
    edited = changed("settings/stochastic/algorithms/dp_imed.py")
    cells = {key for key in edited if key[0] == "cell"}
    assert cells == {key for key in known[0] if key[0] == "cell" and key[3] in labels}
    experiments = {key[2] for key in cells}
    aggregates = {("aggregate", "azize2025", name) for name in experiments}
    computations = {name for name, entry in paper.computations.items() if experiments & set(entry.experiments)}
    computations |= {"first-batch", *(f"population-{number}" for number in range(1, 11))}
    computations |= {name for name, entry in paper.computations.items() if entry.compute == "noise-by-batch"}
    assert edited == (
        cells
        | aggregates
        | {("computation", "azize2025", name) for name in computations}
        | shown_by(content, "azize2025", "experiments", experiments)
        | shown_by(content, "azize2025", "computations", computations)
    )

    edited = changed("papers/azize2025/computations/private_mean_tail.py")
    alone = {"private-mean-tail"}
    assert edited == {("computation", "azize2025", "private-mean-tail")} | shown_by(
        content, "azize2025", "computations", alone
    )
    assert changed("papers/azize2025/figures/regret_slope.py") == {("figure", "azize2025", "thm4.3")}
    tables = {
        ("table", paper, name)
        for paper, entry in content.papers.items()
        for name, table in entry.tables.items()
        if table.make == "regret-bounds"
    }
    assert changed("papers/asi2025/tables/regret_bounds.py") == tables
    assert changed("cli/doctor.py") == set()


@pytest.mark.budget(1)
def test_words_and_versions_rerun_nothing(root: Path, sources: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A docstring, a comment, a longer line or a new version: no cell, aggregate, computation, figure or table."""
    content = small(root)
    before = identities(content)
    for file in sources.rglob("*.py"):
        text = file.read_text(encoding="utf-8")
        documented = re.sub(r'^( *)"""(?=\w)', r'\1"""Other words. ', text, flags=re.MULTILINE)
        file.write_text(f"{documented}\n\n# edited\n", encoding="utf-8")
    (sources / "_version.py").write_text('__version__ = "9.9.9"\n', encoding="utf-8")
    monkeypatch.setattr(provenance, "package_version", lambda: "9.9.9")
    assert "Other words. " in (sources / "core" / "streams.py").read_text(encoding="utf-8")
    assert identities(content) == before
    with (sources / "core" / "streams.py").open("a", encoding="utf-8") as opened:
        opened.write("EDITED = 1\n")
    after = identities(content)
    assert all(after[key] != before[key] for key in before if key[0] == "cell")


SAME = [
    ("x = 1", "x  =  1  # one"),
    ('"""A."""\nx = 1', '"""B."""\nx = 1'),
    ('def f():\n    """A."""\n    return 1', "def f():\n    return 1"),
    ('class A:\n    """A."""\n    x = 1', 'class A:\n    """B."""\n\n    x = 1'),
    ("f(a, b)", "f(\n    a,\n    b,\n)"),
]
DIFFERENT = [
    ("x = 1", "x = 2"),
    ("x = 1", "x = 1.0"),
    ("x = 1", "x = True"),
    ("x = 'a'", "x = b'a'"),
    ("f(a, b)", "f(a, b=b)"),
    ("x = [1, 2]", "x = [2, 1]"),
    ("x = (1, 2)", "x = [1, 2]"),
    ("x = not a", "x = -a"),
    ('x = """A."""', 'x = """B."""'),
    ('def f():\n    x = 1\n    """A."""', 'def f():\n    x = 1\n    """B."""'),
    ("def f(a, *, b): pass", "def f(a, b): pass"),
    ("x = 0.1", "x = 0.1000000000000001"),
    ("import dpbandits.core.files", "import dpbandits.core.errors"),
    ("lambda: None", "lambda: 0"),
]
# What a module can reach, beside what it imports by a full name.
REACHING = [
    "from .errors import BadInput",
    "from . import errors",
    "from ..core.errors import BadInput",
    "if TYPE_CHECKING:\n    pass\nelse:\n    from dpbandits.core import errors",
    "import dpbandits.core.files\n\n\ndef f(): return dpbandits.core.errors.BadInput",
    "from dpbandits import core\n\nx = [core.errors.BadInput]",
    "import dpbandits as d\n\nx = d.core.errors.BadInput.path",
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_words_are_no_code(one: str, other: str) -> None:
    """Comments, docstrings, spaces and lines."""
    assert provenance._parsed(one.encode()) == provenance._parsed(other.encode())


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_code_is_code(one: str, other: str) -> None:
    """Values, their types, names, order, and text that is no docstring."""
    assert provenance._parsed(one.encode()) != provenance._parsed(other.encode())


def test_what_is_reached_is_a_source(sources: Path) -> None:
    """By relative imports, in the other branch of a check of types, and by names of a package that it looks up."""
    for number, source in enumerate(REACHING):
        (sources / "core" / f"tiny{number}.py").write_text(source, encoding="utf-8")
    forget()
    provenance.direct_imports.cache_clear()
    for number, source in enumerate(REACHING):
        assert "dpbandits.core.errors" in provenance.direct_imports(f"dpbandits.core.tiny{number}"), source


def test_what_sources_are_is_known_from_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same as is parsed; an edited source is parsed anew, and all are where nothing is known, or nonsense."""
    file = tmp_path / "cache" / "sources.json"
    source = b"import dpbandits.core.files\nfrom dpbandits.core import errors\nimport math\n"
    names = ["dpbandits.core", "dpbandits.core.errors", "dpbandits.core.files"]
    first = provenance._Sources(file)
    assert first.of(source).imports == names
    first.keep()
    monkeypatch.setattr(provenance, "_parsed", lambda _: pytest.fail("parsed"))
    known = provenance._Sources(file)
    assert known.of(source) == first.of(source)
    monkeypatch.undo()
    assert known.of(source + b"import dpbandits.core.streams").imports == [*names, "dpbandits.core.streams"]
    known.way += b"another"
    assert known.of(source.replace(b"errors", b"compiled")).imports[1] == "dpbandits.core.compiled"
    for content in ("", "[]", '{"', "null"):
        file.write_text(content, encoding="utf-8")
        assert provenance._Sources(file).of(source).imports == names
    # Where nothing can be written.
    lost = provenance._Sources(file / "sources.json")
    lost.of(source)
    lost.keep()


@pytest.fixture
def project(tiny: dict[str, Any]) -> Config:
    """Return a tiny configuration with runs for several blocks."""
    tiny["papers"]["azize2025"]["runs"] = {"batches": 21, "rounds": 21}
    return config.checked(tiny)


def simulated(content: Config, results: Path) -> list[plan.Cell]:
    """Simulate the tiny experiment and return its cells."""
    cells = plan.cells(content, "azize2025", "small")
    for cell in cells:
        for name, seeds in zip(cell.files, cell.run_numbers, strict=True):
            run_to_file(cell.job, seeds, results / name)
    return cells


def in_blocks(content: Config, size: int) -> Config:
    """Return the configuration with jobs of so many runs."""
    return content.model_copy(update={"seeds_per_job": RunsPerJob(batches=size, rounds=size)})


@pytest.mark.parametrize("block", core([1, 7, 20], lambda block: block == 7))
def test_blocks_do_not_change_a_byte(tmp_path: Path, project: Config, block: int) -> None:
    """Aggregates and their seals, for blocks of 1, 7 and 20 against all runs at once."""
    files = []
    for size in (block, 21):
        content = in_blocks(project, size)
        results = tmp_path / str(size)
        cells = simulated(content, results)
        assert len(cells[0].files) == -(-21 // size)
        file = results / "small.csv"
        made = catalogue(content, plan.all_cells(content), texts.load(content))
        product = made["aggregate", "azize2025", "small"]
        write_table(aggregate(cells, results, 3, 0.95), file)
        seal([file], product.request.made_from)
        files.append(file)
    assert files[0].read_bytes() == files[1].read_bytes()
    assert files[0].with_suffix(".json").read_bytes() == files[1].with_suffix(".json").read_bytes()


def test_mixed_up_and_stale_files_are_refused_by_name(tmp_path: Path, project: Config) -> None:
    """Whole files, but another cell's, another block's, of another root seed, or of sources before an edit."""
    content = in_blocks(project, 7)
    cell, other, *_ = simulated(content, tmp_path)
    first, second, _ = (tmp_path / name for name in cell.files)
    intact = first.read_bytes()
    for file, message in (
        (tmp_path / other.files[0], r"0-6\.npz: job .*, not the job .*; remove it and rerun"),
        (second, r"0-6\.npz: runs .*, not the runs of its name; remove it and rerun"),
    ):
        first.write_bytes(file.read_bytes())
        with pytest.raises(DamagedFile, match=message):
            read_cell(cell, tmp_path)
    first.write_bytes(intact)
    assert read_cell(cell, tmp_path).regret.shape[0] == 21
    reseeded = plan.cells(content.model_copy(update={"root_seed": 6}), "azize2025", "small")[0]
    with pytest.raises(DamagedFile, match="the root_seed 6"):
        read_cell(reseeded, tmp_path)
    edited = plan.cells(content, "azize2025", "small")[0]
    edited.job.__dict__["sources"] = "0" * 16
    with pytest.raises(DamagedFile, match="the sources 0000000000000000; remove it and rerun"):
        read_cell(edited, tmp_path)
    first.unlink()
    with pytest.raises(FileNotFoundError, match=r"0-6\.npz"):
        read_cell(cell, tmp_path)
