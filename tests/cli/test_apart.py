"""What a command's own process has called reaches the server that forks jobs: the next job finds it loaded."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from dpbandits.core import compiled

# A job as a server of prefork has forked it, and as a person starts it.
SERVER = "import sys, types; sys.modules['prefork.server'] = types.ModuleType('prefork.server')"
PERSON = "import sys"
JOB = """
import json
from dpbandits.cli.main import main
sys.argv = "dpbandits simulate dp-se --means 0.9,0.1 --epsilon 1 --horizon 50 --seeds 0-1".split()
assert main() == 0
compiled = sys.modules.get("dpbandits.core.compiled")
print(json.dumps([compiled.preloads() if compiled else [], "numba" in sys.modules]))
"""


@pytest.mark.parametrize("start", [SERVER, PERSON], ids=["a job", "a person's command"])
def test_a_server_is_told_what_the_child_of_a_job_called(start: str) -> None:
    """Else each job of the pipeline would load numba and kernels anew: half a second, some thousand times."""
    done = subprocess.run([sys.executable, "-c", start + JOB], capture_output=True, text=True, check=True)
    texts, has_numba = json.loads(done.stdout.splitlines()[-1])
    assert bool(texts) == (start == SERVER)
    # The process that forks the next job loads them, not this one.
    assert not has_numba
    for text in texts:
        compiled.preload(text)
    assert not texts or compiled.KERNELS["dpbandits.settings.stochastic.algorithms.dp_se", "_simulate"].signatures


# A file that takes 40 bytes, as on a full disk, in the child alone.
FULL = """
import os, resource, signal, dpbandits.cli.apart as apart
usual = apart._hand_over_calls
def full(called):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (40, 40))
    usual(called)
apart._hand_over_calls = full
"""
NOWHERE = """
import tempfile
usual = tempfile.TemporaryFile
tempfile.TemporaryFile = lambda *a, **k: usual(*a, **k) if a or k else open("/nowhere/file")
"""


@pytest.mark.parametrize("fault", [FULL, NOWHERE], ids=["a full disk", "no folder"])
def test_a_job_does_without_what_it_cannot_hand_over(fault: str) -> None:
    """The next job is dearer then; this one has its own status, and a part of a list counts for nothing."""
    done = subprocess.run(
        [sys.executable, "-c", f"{SERVER}\n{fault}{JOB}"], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout.splitlines()[-1]) == [[], False]
    assert done.stderr == ""
