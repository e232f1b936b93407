"""What several tests of whole workflows look at."""

from __future__ import annotations

import pytest
from projects import SAID, Finished, copied, finished, once, tiny


@pytest.fixture(scope="session")
def tiny_run(tmp_path_factory: pytest.TempPathFactory) -> Finished:
    """Return the tiny project, finished, all runs of a cell in one block: to be looked at, or copied."""
    folder = once(tmp_path_factory, "tiny", lambda folder: finished(copied(folder, tiny())))
    return Finished(folder, (folder / SAID).read_text(encoding="utf-8"))
