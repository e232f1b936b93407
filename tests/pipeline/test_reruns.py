"""What reruns is what changed: every module and template is edited in turn; docs/reruns.md says what is remade."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from dpbandits.core import provenance, registry
from dpbandits.pipeline.products import Products, catalogue
from dpbandits.runs import plan

# What the table's columns are called, by kind of product.
COLUMNS = {
    "cell": "cells",
    "aggregate": "aggregates",
    "computation": "computations",
    "figure": "figures",
    "table": "tables",
    "audit": "audits",
    "findings": "claims",
    "ledger": "ledger",
    "register": "register",
    "configuration": "configuration",
    "curves": "curves",
    "kernels": "kernels",
    "site": "site",
    "certificates": "certificates",
    "article": "article",
    "crate": "crate",
}
# Kinds of which there is one for all papers count among those of each paper.
SAME = {"privacy_table": "table", "privacy_figure": "figure"}
HEAD = """\
# What reruns

<!-- Made by `pytest tests/pipeline/test_reruns.py --write-table`; the test compares it with what is so. -->

A job is run again if its *definition* (what the configuration says of it), its *sources* (the modules that make it)
or what it reads has changed. This table says which sources: how many jobs of the small scale are run again because
of a comment in a module, before what then hangs on them. Where nothing stands, no such job looks at the module.

To ask why a job would run: `snakemake -n figures/azize2025/fig4.pdf` says for each whether its definition has
changed, or its sources, and which.
"""


@pytest.fixture(scope="module")
def products(root: Path) -> Products:
    """Return all products of the small scale."""
    from dpbandits.claims import claim
    from dpbandits.runs import config

    complete = config.load([*config.shipped(root / "config"), root / "config" / "small.yaml"])
    known = plan.all_cells(complete)
    return catalogue(complete, known, claim.load(complete))


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a copy of the package's sources, of which digests are taken."""
    folder = shutil.copytree(provenance.ROOT, tmp_path / "dpbandits")
    monkeypatch.setattr(provenance, "ROOT", folder)
    forget()
    yield folder
    forget()


def forget() -> None:
    """Forget digests of sources; what imports what does not change by a comment."""
    for cached in (provenance._digest_of, provenance.sources, provenance.source_digest):
        cached.cache_clear()


def modules_of(products: Products) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kind of every job, and the modules that make it."""
    made = [(SAME.get(kind, kind), product.modules) for (kind, *_), product in products.items()]
    cells = {id(cell): cell for product in products.values() for cell in product.cells}
    return made + [("cell", cell.job.modules) for cell in cells.values() for _ in cell.files]


def edited(folder: Path) -> Iterator[tuple[str, Path]]:
    """Yield every module and template of the package by its name, and its file, with a comment added."""
    for file in sorted(folder.rglob("*")):
        if file.is_file() and "__pycache__" not in file.parts and file.name != "py.typed":
            kept = file.read_bytes()
            file.write_bytes(kept + b"\n# edited\n")
            yield str(file.relative_to(folder)), file
            file.write_bytes(kept)


def table(products: Products, folder: Path) -> str:
    """Return the table: for every module how many jobs of each kind it is a source of."""
    made = modules_of(products)
    distinct = {modules for _, modules in made}
    forget()
    before = {modules: provenance.sources(*modules) for modules in distinct}
    everything = Counter(kind for kind, _ in made)
    heads = [f"{head} ({everything[kind]})" for kind, head in COLUMNS.items()]
    lines = [f"| module | {' | '.join(heads)} |", f"|---|{'---:|' * len(heads)}"]
    for name, _ in edited(folder):
        forget()
        changed = {modules for modules in distinct if provenance.sources(*modules) != before[modules]}
        rerun = Counter(kind for kind, modules in made if modules in changed)
        counts = ["all" if rerun[kind] == everything[kind] else str(rerun[kind] or "") for kind in COLUMNS]
        lines.append(f"| `{name}` | {' | '.join(counts)} |")
    return HEAD + "\n" + "\n".join(lines) + "\n"


def test_every_module_reruns_what_the_table_says(
    root: Path, products: Products, copy: Path, request: pytest.FixtureRequest
) -> None:
    """If this fails after a change that is meant: pytest tests/pipeline/test_reruns.py --write-table."""
    document = root / "docs" / "reruns.md"
    found = table(products, copy)
    if request.config.getoption("--write-table"):
        document.write_text(found, encoding="utf-8")
    assert found == document.read_text(encoding="utf-8")


def row(root: Path, name: str) -> dict[str, str]:
    """Return a module's row of the table, by kind."""
    found = re.search(rf"^\| `{re.escape(name)}` \|(.*)\|$", (root / "docs/reruns.md").read_text("utf-8"), re.M)
    assert found, name
    return dict(zip(COLUMNS, (cell.strip() for cell in found[1].split("|")), strict=True))


NO_SIMULATION = (
    *("core/exhibit.py", "core/tables.py", "papers/exhibit.py", "papers/style.py", "runs/aggregate.py"),
    *("claims/evidence.py", "claims/ledger.py", "claims/tests/exponent.py", "claims/claim.py"),
    *("audit/candidates.py", "site/build.py", "site/templates/style.css", "runs/models.py", "runs/config.py"),
    *("pipeline/doctor.py", "pipeline/cli.py", "pipeline/make.py", "pipeline/products.py"),
)


@pytest.mark.parametrize("name", NO_SIMULATION)
def test_what_only_shows_and_judges_reruns_no_simulation(root: Path, name: str) -> None:
    """Declarations, tests of claims, pages, audits' search, command line."""
    assert not row(root, name)["cell"]


def test_each_thing_reruns_what_is_made_by_it(root: Path) -> None:
    """A style sheet remakes pages alone, the ledger's module the ledger, a figure's kind its figures."""

    def remade(name: str) -> dict[str, str]:
        return {kind: count for kind, count in row(root, name).items() if count}

    pages = {"site": "all", "article": "all", "crate": "all"}
    assert remade("site/templates/style.css") == pages
    assert remade("site/article/templates/style.typ") == {"article": "all"}
    assert remade("claims/ledger.py") == {"ledger": "all"}
    assert remade("papers/azize2025/figures/regret_slope.py") == {"figure": "1", "curves": "1"}
    assert remade("papers/curves.py") == {"curves": "all"}
    assert all(remade(f"site/templates/{name}") == pages for name in ("look.js", "explore.js"))
    assert remade("papers/azize2025/computations/private_mean_tail.py") == {"computation": "1"}
    assert set(remade("audit/candidates.py")) == {"audit"}
    assert set(remade("papers/style.py")) == {"figure", "curves"}
    assert remade("pipeline/doctor.py") == remade("pipeline/cli.py") == {}
    assert remade("settings/stochastic/algorithms/lazy_dp_ts.py").keys() == {"cell", "audit", "kernels"}
    # It is run with noise on some batches only, too.
    assert remade("settings/stochastic/algorithms/dp_imed.py").keys() == {"cell", "audit", "computation", "kernels"}


def test_an_edit_is_noticed_at_all(copy: Path) -> None:
    """The comparison can fail: two sources that differ by a comment have two digests."""
    module = registry.module("algorithm", "dp-imed")
    before = provenance.sources(module)
    file = copy / "settings" / "stochastic" / "algorithms" / "dp_imed.py"
    file.write_text(file.read_text("utf-8") + "# edited\n", encoding="utf-8")
    forget()
    changed = set(provenance.sources(module).split(", ")) - set(before.split(", "))
    assert [entry.split()[0] for entry in changed] == ["settings.stochastic.algorithms.dp_imed"]
