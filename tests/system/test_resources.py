"""No room, no rights, no memory: one clear line, nothing that looks like a result, and the next run goes on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from dpbandits.core.files import read_arrays

# To root nothing is read-only, unless root gives up this right.
AS_ANYBODY = ["setpriv", "--bounding-set=-dac_override"] if os.getuid() == 0 else []


def simulate(
    output: Path, seeds: str = "0-19", before: str = "", through: Sequence[str] = ()
) -> subprocess.CompletedProcess[str]:
    """Simulate in a process of its own, which loads and compiles all it needs, then runs the code ``before``."""
    command = ["simulate", "dp-se", "--means", "0.75,0.7", "--epsilon", "0.5", "--horizon", "1000000"]
    warm = [*command, "--seeds", "0", "--output", str(output.parents[1] / "warm.npz")]
    imports = "import os, resource, signal, sys; from dpbandits.cli.main import main"
    code = f"{imports}\nmain({warm})\n{before}\nsys.exit(main())"
    return subprocess.run(
        [*through, sys.executable, "-c", code, *command, "--seeds", seeds, "--output", str(output)],
        # Python would write compiled modules, and with too little room truncate them.
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )


@pytest.fixture
def output(tmp_path: Path) -> Path:
    """Return where to write, in a folder that is there."""
    (tmp_path / "results").mkdir()
    return tmp_path / "results" / "out.npz"


def recovers(output: Path) -> None:
    """Assert that nothing was left, and that the same command now makes a result."""
    assert not list(output.parent.iterdir())
    assert simulate(output).returncode == 0
    assert read_arrays(output)[0]["regret"].shape[0] == 20


def test_a_full_disk_is_said_and_leaves_nothing(output: Path) -> None:
    """A file may not grow beyond 4 KB, as on a disk that has so much left."""

    # Writing beyond the limit then is an error, and no signal that kills.
    limit = "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    refused = simulate(output, before=limit)
    assert refused.returncode == 4
    assert refused.stderr == f"dpbandits: {output}: File too large\n"
    recovers(output)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is always full")
def test_the_message_of_a_full_disk_names_the_file(tmp_path: Path) -> None:
    """The operating system says what, not where."""
    (tmp_path / "a").symlink_to("/dev/full")
    code = (
        "from pathlib import Path\nfrom dpbandits.core.errors import plainly\n"
        "from dpbandits.core.files import whole\n"
        f"with plainly(), whole(Path({str(tmp_path / 'b.csv')!r})), open({str(tmp_path / 'a')!r}, 'w') as file:\n"
        "    file.write('x' * 10000)"
    )
    refused = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert refused.returncode == 4
    assert refused.stderr == f"dpbandits: {tmp_path / 'b.csv'}: No space left on device\n"
    assert [file.name for file in tmp_path.iterdir()] == ["a"]


@pytest.mark.slow
@pytest.mark.skipif(not all(map(shutil.which, AS_ANYBODY[:1])), reason="root has every right here")
def test_a_read_only_folder_is_said(output: Path) -> None:
    """As somebody without the right to write there."""
    folder = output.parent
    folder.chmod(0o555)
    refused = simulate(output, through=AS_ANYBODY)
    assert refused.returncode == 4
    assert refused.stderr.splitlines()[-1].startswith(f"dpbandits: {folder}")
    assert refused.stderr.endswith("Permission denied\n")
    folder.chmod(0o755)
    recovers(output)


@pytest.mark.slow
def test_too_little_memory_is_said(output: Path) -> None:
    """An array that does not fit is no traceback; the same job with fewer runs goes through."""
    limit = "resource.setrlimit(resource.RLIMIT_AS, (2**32, 2**32))"
    refused = simulate(output, seeds="0-3999999", before=limit)
    assert refused.returncode == 4
    assert refused.stderr.startswith("dpbandits: not enough memory")
    assert "fewer runs (seeds_per_job)" in refused.stderr
    assert refused.stderr.count("\n") == 1
    recovers(output)
