"""What several test files share."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]

# A shell starts what is to run in the background with interrupts ignored, and every process from there inherits it:
# tests that interrupt a workflow would wait for an end that does not come.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what writes a document that a test holds fresh."""
    parser.addoption("--write-table", action="store_true", help="write docs/reruns.md anew")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with whole workflows: a long test at the end would leave other workers without work."""
    items.sort(key=lambda item: "system" not in item.path.parts)


@pytest.fixture(scope="session")
def root() -> Path:
    """Return the repository's root."""
    return ROOT


@pytest.fixture
def tiny() -> dict[str, object]:
    """Return a configuration of seconds: two private algorithms and one without privacy, one figure."""
    return yaml.safe_load(TINY)


TINY = """\
root_seed: 5
papers:
  azize2025:
    title: a tiny one
    published_runs: 3
    runs: {batches: 6, rounds: 4}
    environments:
      near: {kind: bernoulli, means: [0.75, 0.7, 0.2]}
    algorithms:
      dp-imed: {}
      dp-imed-1.5: {algorithm: dp-imed, parameters: {alpha: 1.5}}
      dp-se: {}
      imed: {}
    experiments:
      small:
        environments: [near]
        algorithms: [dp-imed, dp-imed-1.5, dp-se, imed]
        epsilons: [0.5]
        horizon: 2000
        checkpoints: 20
    figures:
      curves:
        draw: regret-over-time
        experiments: [small]
        versions: [published, full]
        caption: Regret over time.
"""
