"""What several tests of whole workflows look at."""

from __future__ import annotations

import pytest
from projects import Finished, copied, finished, tiny


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Return the tiny project, finished, all runs of a cell in one block: to be looked at, or copied."""
    return finished(copied(tmp_path_factory.mktemp("tiny") / "copy", tiny()))
