"""Evidence by content: what slow tests depend on, what is cited, and what is not."""

from __future__ import annotations

import json
from pathlib import Path

import evidence
import pytest
from evidence import Evidence

from dpbandits.core import provenance

LAWS = "tests/settings/stochastic/test_laws.py"


def _edited(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Make the sources of a module differ from what they were."""
    sources = provenance.sources

    def changed(*modules: str) -> str:
        return sources(*modules) + (" edited" if module in modules else "")

    evidence.digest.cache_clear()
    monkeypatch.setattr(provenance, "sources", changed)


@pytest.mark.parametrize(
    ("module", "file", "depends"),
    [
        ("dpbandits.core.streams", LAWS, True),
        # No import says so: an algorithm is found by being a file.
        ("dpbandits.settings.stochastic.algorithms.dp_se", LAWS, True),
        ("dpbandits.publish.html", LAWS, False),
        ("dpbandits.core.distributions", "tests/core/test_distributions.py", True),
        # Figures move no law, and commands no replay.
        ("dpbandits.papers.plot", LAWS, False),
        ("dpbandits.papers.wu2025.certificates.step_one", "tests/papers/wu2025/test_certificates.py", True),
        ("dpbandits.cli.main", "tests/audit/test_replay.py", False),
    ],
)
def test_an_edit_changes_what_reaches_it_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, module: str, file: str, depends: bool
) -> None:
    """An edit of a page runs no law; one of a stream runs every law."""
    evidence.digest.cache_clear()
    before = evidence.digest(root / file)
    _edited(monkeypatch, module)
    assert (evidence.digest(root / file) != before) == depends
    evidence.digest.cache_clear()


def test_a_package_is_reached_by_those_who_import_it(root: Path) -> None:
    """Laws run with none of them; noisetap's own tests with noisetap alone."""
    of_noisetap = root / "packages/noisetap/src/noisetap/__init__.py"
    _, files = evidence.reached(root / LAWS)
    assert not any(root / "packages" in file.parents for file in files)
    _, files = evidence.reached(root / "packages/noisetap/tests/test_planted.py")
    assert of_noisetap in files and root / "packages/prefork/src/prefork/__init__.py" not in files
    _, files = evidence.reached(root / "tests/noisetap/test_policies.py")
    assert of_noisetap in files


def test_what_starts_a_workflow_depends_on_all_that_is_shipped(root: Path) -> None:
    """Rules, configuration and the code of pages are read by processes, whose imports nobody sees."""
    _, files = evidence.reached(root / "tests/system/test_pipeline.py")
    shipped = {
        "Snakefile",
        "config/config.yaml",
        "src/dpbandits/publish/html.py",
        "packages/prefork/pyproject.toml",
    }
    assert {root / name for name in shipped if (root / name).exists()} <= files
    assert root / "packages/prefork/pyproject.toml" in files
    assert root / "docs/results/claims.csv" not in files


class _Item:
    """A slow test as pytest would collect it."""

    def __init__(self, path: Path, nodeid: str, slow: bool = True) -> None:
        self.path, self.nodeid, self.slow, self.markers = path, nodeid, slow, list[pytest.MarkDecorator]()

    def get_closest_marker(self, name: str) -> bool | None:
        return True if name == "slow" and self.slow else None

    def add_marker(self, mark: pytest.MarkDecorator) -> None:
        self.markers.append(mark)


def _cited(root: Path, record: Path, sources: str, **options: bool) -> tuple[int, list[_Item]]:
    """Return how many of 200 slow tests are cited if all but one passed on these sources, and the tests."""
    names = [f"{LAWS}::test_law[{number}]" for number in range(200)]
    record.write_text(json.dumps({LAWS: {"sources": sources, "passed": names[1:]}}))
    items = [_Item(root / LAWS, name) for name in names] + [_Item(root / LAWS, f"{LAWS}::test_fast", slow=False)]
    plugin = Evidence(cite=options.get("cite", True), within=None, record=False)
    plugin.pytest_collection_modifyitems(items)  # type: ignore[arg-type]
    return sum(bool(item.markers) for item in items), items


def test_only_what_passed_on_the_same_sources_is_cited(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And of that a tenth runs all the same; without ``--cite`` all do."""
    record = tmp_path / "passed.json"
    monkeypatch.setattr(evidence, "RECORD", record)
    same = evidence.digest(root / LAWS)
    cited, items = _cited(root, record, same)
    # 199 draws with 9 of 10: below 150 or at 199 by a chance of 1e-8, and the commit decides.
    assert 150 < cited < 199
    assert not next(item for item in items if item.nodeid.endswith("[0]")).markers
    assert items[0].nodeid.endswith("test_fast")
    assert _cited(root, record, "of other sources")[0] == 0
    assert _cited(root, record, same, cite=False)[0] == 0


def test_a_failure_is_not_recorded(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor what was skipped, or failed while it was torn down; and a later failure takes back what passed."""
    record = tmp_path / "passed.json"
    monkeypatch.setattr(evidence, "RECORD", record)

    class Session:
        config = object()

    def session(*outcomes: tuple[str, str, str]) -> list[str]:
        plugin = Evidence(cite=False, within=None, record=True)
        for name, when, outcome in outcomes:
            report = pytest.TestReport(f"{LAWS}::{name}", (LAWS, 0, name), {}, outcome, None, when)  # type: ignore[arg-type]
            plugin.pytest_runtest_logreport(report)
        plugin.pytest_sessionfinish(Session())  # type: ignore[arg-type]
        kept = evidence.recorded()[LAWS]
        assert kept["sources"] == evidence.digest(root / LAWS)
        return [name.partition("::")[2] for name in kept["passed"]]

    first = session(("a", "call", "passed"), ("b", "setup", "skipped"), ("c", "call", "failed"))
    assert first == ["a"]
    assert session(("d", "call", "passed"), ("e", "call", "passed"), ("e", "teardown", "failed")) == ["a", "d"]
    assert session(("a", "call", "failed")) == ["d"]
