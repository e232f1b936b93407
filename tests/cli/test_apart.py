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
