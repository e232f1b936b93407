"""Every array of the small scale has the bytes that it had at commit 525d366, before the tree was rebuilt.

``before`` has the configuration of that time, as this version reads it, and ``arrays.json`` a digest for each file
of regret arrays. The cells are planned as the workflow plans them and simulated in this process. Kept until the
rebuilding is over; a change that is meant to move numbers ends it.
"""

from __future__ import annotations

import functools
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from dpbandits.runs import config
from dpbandits.runs.job import Job, run

BEFORE = Path(__file__).parent / "before"
SMALL = json.loads((BEFORE / "arrays.json").read_text(encoding="utf-8"))


@functools.cache
def planned(*scale: str) -> dict[str, tuple[Job, range]]:
    """Return what each file of arrays was made by, with files of that configuration laid over the others."""
    _, known = config.planned([*config.shipped(BEFORE), *(BEFORE / file for file in scale)])
    cells = [cell for one in known.values() for cell in one.values()]
    return {file: (cell.job, seeds) for cell in cells for file, seeds in zip(cell.files, cell.seeds, strict=True)}


def digest(job: Job, seeds: range) -> str:
    """Return the digest of the arrays that a job's runs are."""
    runs = run(job, seeds)
    numbers = np.arange(seeds.start, seeds.stop, dtype=np.int64)
    arrays = {"regret": runs.regret, "rounds": runs.rounds, "pulls": runs.pulls, "seeds": numbers}
    made = hashlib.blake2b(digest_size=8)
    for name, array in arrays.items():
        made.update(f"{name} {array.dtype.str} {array.shape}\0".encode())
        made.update(np.ascontiguousarray(array).tobytes())
    return made.hexdigest()


@pytest.mark.parametrize("paper", sorted({file.split("/")[0] for file in SMALL}))
def test_small_scale(paper: str) -> None:
    """All 409 files that there were: those of one paper at a time."""
    expected = {file: known for file, known in SMALL.items() if file.split("/")[0] == paper}
    small = planned("small.yaml")
    found = {file: digest(*small[file]) for file in expected}
    assert found == expected
