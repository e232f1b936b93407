"""Checks of `dpbandits doctor`: whether this machine can run the pipeline, and what to do if not.

A check is a function that returns one `Finding`. Nothing heavy is imported, so that a broken installation can be
looked at too.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import platformdirs

from dpbandits.core.errors import BadInput, MissingFile
from dpbandits.core.home import home
from dpbandits.core.imported import PACKAGE
from dpbandits.core.provenance import RECORDED_PACKAGES, compiled_cache

GIGABYTE = 1e9
# Memory of one job, with the interpreter.
MEMORY_OF_JOB = 1.0 * GIGABYTE
# Space of the full scale's results, and the least space with which anything works.
DISK_OF_FULL_SCALE = 2.0 * GIGABYTE
DISK_AT_LEAST = 0.2 * GIGABYTE
# Variables that set a library's number of threads.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")


class Finding(NamedTuple):
    """Outcome of a check.

    Attributes
    ----------
    status
        ``"ok"``: nothing to do. ``"warn"``: the pipeline may run, perhaps slowly or with other last digits.
        ``"fail"``: it cannot run, or not to the committed results.
    found
        What the check found, in words.
    remedy
        What to do about it; empty if nothing.
    """

    status: Literal["ok", "warn", "fail"]
    found: str
    remedy: str = ""


def interpreter() -> Finding:
    """Check that Python's version is one that the package supports."""
    from packaging.specifiers import SpecifierSet

    allowed = importlib.metadata.metadata(PACKAGE)["Requires-Python"]
    version = platform.python_version()
    found = f"Python {version}, {sys.executable}"
    if version not in SpecifierSet(allowed):
        return Finding("fail", found, f"make an environment with Python {allowed}, as README says")
    return Finding("ok", found)


def pinned_versions(lock: Path, all_platforms: bool = False) -> dict[str, str]:
    """Return the version that a lock file pins for each package: ``{"numpy": "2.1.3", "pyyaml": "6.0.2"}``.

    Packages are called by their normalised names: lower case, with hyphens. Lines without a version are left out.

    Parameters
    ----------
    lock
        The file, such as ``requirements.lock``.
    all_platforms
        Whether to return packages of other platforms too.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    lines = lock.read_text(encoding="utf-8").splitlines()
    # Hashes and options stand on lines of their own.
    pins = [Requirement(line.removesuffix(" \\")) for line in lines if line and line[0] not in "# -"]
    # A line without a version is for a Python that is too old, and pins nothing.
    here = [pin for pin in pins if pin.specifier and (all_platforms or pin.marker is None or pin.marker.evaluate())]
    return {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in here}


def packages() -> Finding:
    """Check that all packages that are needed are installed, in the versions of requirements.lock.

    A missing package fails. Another version is a warning, and so is a missing requirements.lock.
    """
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    remedy = "in the repository's root: pip install --no-deps --require-hashes -r requirements.lock"
    needed = [Requirement(text) for text in importlib.metadata.requires(PACKAGE) or []]
    # The pipeline's, which an extra has.
    extra = {"extra": "workflow"}
    core = [canonicalize_name(need.name) for need in needed if need.marker is None or need.marker.evaluate(extra)]
    installed = {str(canonicalize_name(d.name)): d.version for d in importlib.metadata.distributions()}
    missing = sorted(set(core) - set(installed))
    if missing:
        return Finding("fail", f"missing: {', '.join(missing)}", remedy)
    try:
        pins = pinned_versions(home() / "requirements.lock")
    except FileNotFoundError:
        return Finding("warn", "no requirements.lock to compare with", "install again, as README says")
    different = [
        f"{name} {installed[name]}, not {pins[name]}"
        for name in sorted(pins)
        if name in installed and installed[name] != pins[name]
    ]
    # Only these can change a number.
    matters = any(text.split()[0] in RECORDED_PACKAGES for text in different)
    if different:
        found = "; ".join(different[:5]) + (f"; and {len(different) - 5} more" if len(different) > 5 else "")
        return Finding("warn", found, f"{'numbers may differ in their last digits; ' if matters else ''}{remedy}")
    return Finding("ok", f"{len(core)} needed ones are there, all as in requirements.lock")


def _unwritable(folder: Path) -> str:
    """Return why nothing can be written to a folder, or to where it would be made; empty if something can."""
    while not folder.exists():
        folder = folder.parent
    try:
        with tempfile.TemporaryFile(dir=folder):
            return ""
    except OSError as error:
        return f"{folder}: {error.strerror}"


def compiled_code() -> Finding:
    """Check that numba compiles, and that its compiled code can be kept on disk; nothing is compiled here.

    It fails if ``NUMBA_DISABLE_JIT`` is set, which switches numba off. Code that cannot be kept is a warning: each
    job would compile it again.
    """
    cache = compiled_cache()
    if os.environ.get("NUMBA_DISABLE_JIT", "0") != "0":
        return Finding("fail", "NUMBA_DISABLE_JIT is set: nothing is compiled", "unset NUMBA_DISABLE_JIT")
    reason = _unwritable(cache)
    if reason:
        return Finding("warn", reason, "set NUMBA_CACHE_DIR to a folder that can be written, best on a local disk")
    size = sum(file.stat().st_size for file in cache.rglob("*") if file.is_file())
    return Finding("ok", f"{cache}, {size / 1e6:.0f} MB; it may be deleted at any time")


def differing_golden_arrays() -> list[str]:
    """Simulate ten cells of ``runs/golden.json``, and return labels of those whose bytes differ on this machine.

    A cell is some runs, labelled such as ``dp-imed in bernoulli, T=3000, epsilon=1.0``. Digests of its arrays'
    bytes are in that file. The cells are simulated in a process of their own, which may take a minute to compile.
    """
    command = [sys.executable, "-m", "dpbandits.runs.golden"]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()


def same_bytes() -> Finding:
    """Check that this machine simulates ten cells to the bytes that other machines got; other bytes fail."""
    others = differing_golden_arrays()
    if others:
        remedy = "install the lock's versions; if they are there, please report this processor"
        return Finding("fail", f"other bytes than elsewhere: {'; '.join(others)}", remedy)
    return Finding("ok", "this machine makes our bytes: ten known arrays are the same here")


def output_folders() -> list[Path]:
    """Return the folders of results and figures that ``config/config.yaml`` names, else their defaults.

    The file is that of the working directory. It is only parsed, not checked as a configuration: that would import
    the packages which `dpbandits doctor` examines.
    """
    from dpbandits.runs.safe_yaml import parsed

    try:
        content = parsed(Path("config/config.yaml"))
    except (BadInput, MissingFile):
        # Snakemake tells what is wrong with it.
        content = None
    named = content.get("folders") if isinstance(content, dict) else None
    named = named if isinstance(named, dict) else {}
    return [Path.cwd() / str(named.get(key, key)) for key in ("results", "figures")]


def write_access() -> Finding:
    """Check that four folders can be written: results, figures, ``.snakemake`` and Snakemake's user cache.

    The first two are those that `output_folders` returns; ``.snakemake`` is in the working directory.
    """
    folders = (*output_folders(), Path.cwd() / ".snakemake", platformdirs.user_cache_path("snakemake"))
    reasons = {_unwritable(folder) for folder in folders} - {""}
    if reasons:
        remedy = (
            "change the rights, or set XDG_CACHE_HOME, or folders.results and folders.figures in a configuration"
        )
        return Finding("fail", "; ".join(sorted(reasons)), remedy)
    return Finding("ok", f"{Path.cwd()} and its folders can be written")


def left_lock() -> Finding:
    """Check that Snakemake has not locked the working directory; a lock is a warning.

    A killed run leaves its lock behind, and a run that is active has one too.
    """
    if any(Path(".snakemake/locks").glob("*")):
        return Finding("warn", "Snakemake has locked this folder", "if no run is active: snakemake --unlock")
    return Finding("ok", "this folder is not locked")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> Finding:
    """Check that no variable, such as ``OMP_NUM_THREADS=4``, lets libraries start several threads; else warn."""
    many = {name: os.environ[name] for name in THREAD_VARIABLES if os.environ.get(name, "1") != "1"}
    found = f"{cores()} cores; run: snakemake --cores {cores()}"
    if many:
        found += "".join(f"; {name}={number}" for name, number in many.items())
        return Finding("warn", found, f"unset {' '.join(many)}: jobs run beside one another")
    return Finding("ok", found)


def available_memory() -> float:
    """Return the bytes of memory that are available, or the container's limit if that is less."""
    import psutil

    available = float(psutil.virtual_memory().available)
    limit = Path("/sys/fs/cgroup/memory.max")
    text = limit.read_text().strip() if limit.is_file() else "max"
    return min(available, float(text)) if text.isdecimal() else available


def memory() -> Finding:
    """Check that 1 GB of memory is available for a job on each core.

    Less than 1 GB in all fails; memory for fewer jobs than cores is a warning.
    """
    available = available_memory()
    room = int(available / MEMORY_OF_JOB)
    found = f"{available / GIGABYTE:.1f} GB available, a job needs up to {MEMORY_OF_JOB / GIGABYTE:.0f}"
    if room < 1:
        return Finding("fail", found, "close other programs, or use a machine with more memory")
    if room < cores():
        return Finding("warn", found, f"snakemake --cores {room}")
    return Finding("ok", found)


def disk() -> Finding:
    """Check that there is disk space for results: less than 0.2 GB fails, less than 2 GB is a warning."""
    free = shutil.disk_usage(Path.cwd()).free
    found = f"{free / GIGABYTE:.1f} GB free, the full scale needs {DISK_OF_FULL_SCALE / GIGABYTE:.0f}"
    if free < DISK_AT_LEAST:
        return Finding("fail", found, "make room; finished results are kept, so just run snakemake again")
    if free < DISK_OF_FULL_SCALE:
        return Finding("warn", found, "make room, or run config/small.yaml or single figures")
    return Finding("ok", found)


def snakemake() -> Finding:
    """Check that the command ``snakemake`` is of this Python, and that Snakefile and profile are here; else warn.

    Here is the working directory; the profile is ``profiles/default``.
    """
    version = importlib.metadata.version("snakemake")
    command = shutil.which("snakemake")
    if command is None or Path(command).parent != Path(sys.executable).parent:
        found = f"the command is {command or 'not there'}"
        return Finding("warn", found, f"activate the environment, or run {sys.executable} -m snakemake")
    if not Path("Snakefile").is_file():
        return Finding("warn", f"no Snakefile in {Path.cwd()}", "change to the repository's root")
    if not Path("profiles/default/config.yaml").is_file():
        remedy = "restore profiles/default from the repository: it keeps the scheduler fast"
        return Finding("warn", "no profiles/default/config.yaml", remedy)
    return Finding("ok", f"Snakemake {version}, profiles/default")


def slurm() -> Finding:
    """Check that a machine with SLURM has a plugin of Snakemake that submits to it; else warn.

    A machine without SLURM needs none. There the plugin ``slurm`` is a warning, because it slows each start.
    """
    there = shutil.which("sbatch") is not None
    arrays, packs = (
        importlib.util.find_spec(f"snakemake_executor_plugin_{name}") is not None
        for name in ("slurm", "cluster_generic")
    )
    if arrays and not there:
        found = "the SLURM plugin without SLURM: every snakemake command starts slower"
        return Finding("warn", found, "pip uninstall snakemake-executor-plugin-slurm")
    if there and not (packs or arrays):
        remedy = "pip install --no-deps --require-hashes -r profiles/generic/requirements.lock"
        return Finding("warn", "SLURM without a plugin that submits to it", remedy)
    return Finding("ok", "SLURM and a plugin for it" if there else "no SLURM here; nothing is needed for it")


CHECKS: dict[str, Callable[[], Finding]] = {
    "interpreter": interpreter,
    "packages": packages,
    "compiled code": compiled_code,
    "same bytes": same_bytes,
    "write access": write_access,
    "lock": left_lock,
    "cores": threads,
    "memory": memory,
    "disk": disk,
    "snakemake": snakemake,
    "slurm": slurm,
}


def examine() -> Iterator[tuple[str, Finding]]:
    """Run all checks; yield the name of each, such as ``memory``, and its finding. One that raises has failed."""
    for name, check in CHECKS.items():
        try:
            yield name, check()
        except ModuleNotFoundError as error:
            remedy = "for more than simulations and audits: pip install 'dpbandits[workflow]'"
            yield name, Finding("fail", f"{error.name} is not installed", remedy)
        except Exception as error:
            yield name, Finding("fail", f"{type(error).__name__}: {error}", "install again, as README says")


def report(findings_by_check: dict[str, Finding]) -> str:
    """Return findings as text: a line with status, check and what was found, and below it the remedy, if any.

    Such a line is ``warn  memory         1.5 GB available, a job needs up to 1``. Checks are those that `examine`
    yields.
    """
    lines = []
    for name, finding in findings_by_check.items():
        lines.append(f"{finding.status:4}  {name:13}  {finding.found}")
        lines += [f"{'':21}-> {finding.remedy}"] if finding.remedy else []
    return "\n".join(lines)
