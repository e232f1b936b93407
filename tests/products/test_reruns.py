"""What reruns is what changed: the table of `tools/reruns.py`, and edits that show that it is right."""

from __future__ import annotations

import runpy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from dpbandits.core import imported, provenance, registry


@pytest.fixture(scope="module")
def tool(root: Path) -> dict[str, Any]:
    """Return tools/reruns.py."""
    return runpy.run_path(str(root / "tools" / "reruns.py"))


@pytest.fixture(scope="module")
def made(root: Path, tool: dict[str, Any]) -> list[tuple[str, tuple[str, ...]]]:
    """Return all jobs of the small scale."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        return tool["jobs"](tool["planned"]([Path("config/small.yaml")]))


@pytest.fixture(scope="module")
def reruns(made: list[tuple[str, tuple[str, ...]]], tool: dict[str, Any]) -> dict[str, dict[str, int]]:
    """Return how many jobs of each kind a module reruns."""
    return tool["reruns"](made)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yield a copy of the package's sources, of which digests are taken."""
    folder = shutil.copytree(provenance.ROOT, tmp_path / "dpbandits", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "ROOT", folder)
    forget()
    yield folder
    forget()


def forget() -> None:
    """Forget sources and digests of them."""
    imported.forget()
    for cached in (provenance.source, provenance._digest_of, provenance.sources, provenance.source_digest):
        cached.cache_clear()


NO_SIMULATION = (
    *("core.declarations", "core.tables", "papers.render", "papers.style", "runs.aggregate"),
    *("claims.declarations", "claims.ledger", "claims.kinds.exponent", "claims.claim"),
    *("auditing.candidates", "publish.html.build", "runs.models", "runs.config"),
    *("cli.doctor", "cli.main", "products.make", "products"),
)


@pytest.mark.parametrize("name", NO_SIMULATION)
def test_what_only_shows_and_judges_reruns_no_simulation(reruns: dict[str, dict[str, int]], name: str) -> None:
    """Declarations, tests of claims, pages, audits' search, command line."""
    assert provenance.module_path(f"dpbandits.{name}").is_file()
    assert "cell" not in reruns.get(f"dpbandits.{name}", {})


def test_each_thing_reruns_what_is_made_by_it(reruns: dict[str, dict[str, int]]) -> None:
    """The ledger's module remakes the ledger, a figure's kind its figures, an algorithm its cells."""

    def remade(name: str) -> dict[str, int]:
        return dict(reruns.get(f"dpbandits.{name}", {}))

    assert remade("claims.ledger") == {"ledger": 1, "paper_ledger": 4}
    assert remade("papers.azize2025.figures.regret_slope") == {"figure": 1, "curves": 1}
    assert remade("papers.curves").keys() == {"curves"}
    # Captions on pages have its parameters.
    tail = remade("papers.azize2025.computations.private_mean_tail")
    assert tail == {"computation": 1, "site": 1, "paper_site": 1, "article": 1}
    assert remade("auditing.candidates").keys() == {"audit"}
    assert remade("papers.style").keys() == {"figure", "privacy_figure", "curves"}
    assert remade("cli.doctor") == remade("cli.main") == remade("_version") == {}
    # Pages and article have its title.
    texts = {"site", "paper_site", "article"}
    lazy = remade("settings.stochastic.algorithms.lazy_dp_ts").keys()
    assert lazy == {"cell", "audit", "kernel_group"} | texts
    # It is run with noise on some batches only, too.
    imed = remade("settings.stochastic.algorithms.dp_imed").keys()
    assert imed == {"cell", "audit", "computation", "kernel_group"} | texts


EDITS = (
    *("settings/stochastic/algorithms/dp_imed.py", "core/streams.py", "papers/style.py", "claims/ledger.py"),
    *("publish/html/templates/style.css", "publish/article/templates/style.typ", "_version.py", "cli/doctor.py"),
)


@pytest.mark.parametrize("file", EDITS)
def test_the_table_is_what_edits_rerun(
    made: list[tuple[str, tuple[str, ...]]], reruns: dict[str, dict[str, int]], copy: Path, file: str
) -> None:
    """An edit of code changes the sources of the jobs that the table counts, a docstring those of none."""
    distinct = {modules for _, modules in made}
    before = {modules: provenance.sources(*modules) for modules in distinct}

    def changed(text: str) -> set[str]:
        with (copy / file).open("a", encoding="utf-8") as opened:
            opened.write(text)
        forget()
        return {kind for kind, modules in made if provenance.sources(*modules) != before[modules]}

    if file.endswith(".py"):
        assert changed("# edited\n") == set()
        module = ".".join(("dpbandits", *Path(file).with_suffix("").parts))
        assert changed("EDITED = 1\n") == set(reruns.get(module, {}))
    else:
        pages = {"site", "paper_site", "article", "crate", "paper_crate"} if "html" in file else {"article"}
        assert changed("/* edited */\n") == pages


def test_an_edit_is_noticed_at_all(copy: Path) -> None:
    """And named."""
    module = registry.module("algorithm", "dp-imed")
    before = provenance.sources(module)
    file = copy / "settings" / "stochastic" / "algorithms" / "dp_imed.py"
    file.write_text(file.read_text("utf-8") + "EDITED = 1\n", encoding="utf-8")
    forget()
    changed = set(provenance.sources(module).split(", ")) - set(before.split(", "))
    assert [entry.split()[0] for entry in changed] == ["settings.stochastic.algorithms.dp_imed"]
