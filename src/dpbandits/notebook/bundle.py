"""Bundles: an algorithm's file, its runs and their picture as one crate; and a stranger's review of a part of it.

A crate says what it holds, with digests. A review draws runs by the crate's bytes and makes them again.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple

import numpy as np

from dpbandits.core import registry
from dpbandits.core.errors import BadInput, BrokenFile, DamagedFile, MissingExtra, needing_workflow, printable
from dpbandits.core.fields import real
from dpbandits.core.files import Json, read_arrays, whole
from dpbandits.core.provenance import ROOT, module_path, package_version
from dpbandits.notebook.simulated import load
from dpbandits.publish.crate import digests as crates
from dpbandits.runs.again import Asked, digests

# Folders and file of a bundle.
ALGORITHMS, RUNS, FIGURE = "algorithms", "runs", "regret.png"
# Limits of a process with a stranger's code: processor time and time by the clock, in seconds; bytes of a file.
LONGEST, LONGEST_WAIT, LARGEST = 3600, 3 * 3600, 2**30


def _modules(job: Json) -> list[str]:
    """Return the modules of a job's algorithm, and of the base algorithm that it wraps."""
    names = [str(job["algorithm"])]
    if registry.algorithm(names[0]).wraps is not None:
        names.append(str(job["parameters"]["base"]))
    return [registry.module("algorithm", name) for name in names]


def bundle(files: Sequence[Path], output: Path) -> None:
    """Write an RO-Crate (zip file) of runs: algorithms' files, arrays with definitions, and a picture of the runs.

    Parameters
    ----------
    files
        Files that ``dpbandits simulate --output`` has written, one at least. In the crate they are
        ``runs/NAME.npz``, the algorithms' files ``algorithms/SETTING/NAME.py``, and the picture ``regret.png``.
    output
        A file that is not there yet, ending in ``.zip``.

    Raises
    ------
    BadInput
        If the output exists or has another ending, two files have one name, or a file is damaged or holds no runs
        of an algorithm that is installed.
    MissingFile
        If a file is not there.
    MissingExtra
        If rocrate or Matplotlib is missing.
    """
    if output.suffix != ".zip" or output.exists():
        raise BadInput("--output", str(output), "a file that is not there yet, ending in .zip")
    repeated = {file.name for file in files if [other.name for other in files].count(file.name) > 1}
    if repeated:
        raise BadInput("RUNS", ", ".join(sorted(repeated)), "files of different names")
    try:
        from rocrate.rocrate import ROCrate
    except ModuleNotFoundError:
        raise MissingExtra("A bundle", "rocrate", "crate") from None
    with needing_workflow("A picture", "notebook"):
        from matplotlib.figure import Figure
    from dpbandits.publish.crate.build import TERMS, file_metadata

    crate = ROCrate(version="1.1")
    crate.name, crate.description = "dpbandits: runs", f"Runs of algorithms, made by dpbandits {package_version()}."
    crate.metadata.extra_terms.update(TERMS)
    axes = (figure := Figure(layout="constrained")).subplots()
    modules: set[str] = set()
    for file in files:
        runs = load(file)
        runs.plot(axes)
        modules |= set(_modules(runs.job))
        told = {"description": json.dumps(runs.job, sort_keys=True)}
        place = f"{RUNS}/{file.name}"
        crate.add_file(file, place, properties={**file_metadata(file, place), **told})
    for module in sorted(modules):
        source = module_path(module)
        place = f"{ALGORITHMS}/{module.split('.')[2]}/{source.name}"
        crate.add_file(source, place, properties=file_metadata(source, place))
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder, FIGURE)
        figure.savefig(picture, metadata={"Software": f"dpbandits {package_version()}"})
        crate.add_file(picture, FIGURE, properties=file_metadata(picture, FIGURE))
        with whole(output) as zipped:
            crate.write_zip(zipped)


class SampledRuns(NamedTuple):
    """Runs of one file of a bundle that a review makes again.

    Attributes
    ----------
    file
        The file's name in the bundle, such as ``runs/mine.npz``.
    request
        ``job``, its definition; ``root_seed``; ``rounds`` with recorded regret; ``run_numbers``, each >= 0.
    expected
        Digest of each of these runs, in their order, as the bundle has it.
    """

    file: str
    request: Asked
    expected: list[str]


@dataclass(frozen=True)
class Bundle:
    """A sample of the runs in a bundle, all of whose files agree with the bundle's digests.

    Attributes
    ----------
    drawn
        Drawn runs of each file of runs, at least one of each.
    foreign_sources
        Content of algorithms' files that are not installed here, or are different here, by their paths below the
        package, such as ``settings/stochastic/algorithms/mine.py``.
    total
        Number of all runs in the bundle.
    """

    drawn: list[SampledRuns]
    foreign_sources: dict[str, bytes]
    total: int


def open_bundle(file: Path, share_of_runs: float) -> Bundle:
    """Check a bundle, and return a sample of its runs, drawn by a hash that is keyed by the bytes of its files.

    Parameters
    ----------
    file
        Path of the zip file.
    share_of_runs
        Probability with which each run is drawn, from 1e-12 to 1. Of each file one run at least is drawn.

    Raises
    ------
    BadInput
        If the share is out of this range.
    DamagedFile
        If the file is no bundle, or a file in it is not the one that the bundle describes.
    FileNotFoundError
        If the file is not there.
    """
    share = real("--sample", share_of_runs, 1e-12, 1, "a share, above 0 and at most 1")
    _, wrong = crates.check(file)
    if wrong:
        raise wrong[0]
    drawn, strange, total = [], {}, 0
    with zipfile.ZipFile(file) as archive, tempfile.TemporaryDirectory() as folder:
        for name in sorted(archive.namelist()):
            content = crates.read_member(archive, name, file.stat().st_size) if name.count("/") else b""
            parts = name.split("/")
            if parts[0] == RUNS:
                place = Path(folder, "runs.npz")
                place.write_bytes(content)
                arrays, metadata = read_arrays(place)
                total += len(arrays["seeds"])
                drawn.append(_sample(name, arrays, metadata, share, hashlib.sha256(content).digest()))
            elif parts[0] == ALGORITHMS and len(parts) == 3 and name.endswith(".py"):
                inner = f"settings/{parts[1]}/algorithms/{parts[2]}"
                here = ROOT / inner
                if not here.parent.is_dir():
                    raise DamagedFile(f"{file}:{name}", "an unknown setting", "a bundle's file", crates.REMEDY)
                if not here.is_file() or here.read_bytes() != content:
                    strange[inner] = content
    if not drawn:
        raise DamagedFile(str(file), "no runs", "a bundle of `dpbandits bundle`", crates.REMEDY)
    return Bundle(drawn, strange, total)


def _sample(
    name: str, arrays: Mapping[str, np.ndarray], metadata: Json, share: float, hash_key: bytes
) -> SampledRuns:
    """Return some runs of a file, drawn by a keyed hash of name and seed; at least one.

    Parameters
    ----------
    name, arrays, metadata
        The file: its name, its arrays, and what it says of itself.
    share
        Share of the runs that are drawn.
    hash_key
        Key of the hash, so that nobody who makes a file can choose what is drawn.
    """

    def lot(seed: int) -> int:
        return int.from_bytes(hashlib.blake2b(f"{name} {seed}".encode(), key=hash_key, digest_size=8).digest())

    seeds = arrays["seeds"].tolist()
    lots = [lot(seed) for seed in seeds]
    chosen = [row for row, value in enumerate(lots) if value < share * 2**64] or [int(np.argmin(lots))]
    asked: Asked = {
        "job": metadata["job"],
        "root_seed": metadata["root_seed"],
        "rounds": arrays["rounds"].tolist(),
        "run_numbers": [seeds[row] for row in chosen],
    }
    return SampledRuns(name, asked, digests(arrays["regret"][chosen], arrays["pulls"][chosen]))


def review(bundle: Bundle) -> list[tuple[str, int, int]]:
    """Make the drawn runs again, in a process without the bundle's arrays and this user's environment variables.

    The process runs as this user, with the bundle's own source of an algorithm if that differs from the installed
    one. Its limits are an hour of processor time, three hours by the clock, and 1 GiB for each file that it writes.

    Returns
    -------
    list
        For each file: its name, the number of runs that were made again, and how many of them have other bytes.

    Raises
    ------
    BrokenFile
        If the process failed or did not end in time; the message has the last line that it printed as an error.
    """
    with tempfile.TemporaryDirectory() as folder:
        home, source = Path(folder), ROOT.parent
        if bundle.foreign_sources:
            source = home / "src"
            shutil.copytree(ROOT, source / ROOT.name, ignore=shutil.ignore_patterns("__pycache__"))
            for place, content in bundle.foreign_sources.items():
                (source / ROOT.name / place).write_bytes(content)
        environment = {
            "PATH": os.defpath,
            "HOME": folder,
            "PYTHONPATH": str(source),
            "NUMBA_CACHE_DIR": str(home / "numba"),
        }
        # Into files: what it starts and leaves behind would hold a pipe open.
        with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as noted:
            try:
                done = subprocess.run(
                    [sys.executable, "-m", "dpbandits.runs.again"],
                    input=json.dumps([each.request for each in bundle.drawn]).encode(),
                    stdout=printed,
                    stderr=noted,
                    cwd=folder,
                    env=environment,
                    preexec_fn=_limit_resources,
                    timeout=LONGEST_WAIT,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                words = f"cannot be made again: they do not return within {LONGEST_WAIT:g} s"
                raise BrokenFile("the bundle's runs", 0, words) from None
            made, told = (_printed_text(file) for file in (printed, noted))
    try:
        found = json.loads(made)
        pairs = [
            list(zip(each.expected, made, strict=True)) for each, made in zip(bundle.drawn, found, strict=True)
        ]
    except (ValueError, TypeError, RecursionError):
        words = (printable(told).strip() or f"status {done.returncode}").splitlines()[-1]
        raise BrokenFile("the bundle's runs", 0, f"cannot be made again: {words}") from None
    return [
        (each.file, len(of_file), sum(one != other for one, other in of_file))
        for each, of_file in zip(bundle.drawn, pairs, strict=True)
    ]


def _printed_text(file: IO[bytes]) -> str:
    """Return the output of a stranger's process as text, with signs in place of bytes that are no text."""
    file.seek(0)
    return file.read(LARGEST).decode("utf-8", "replace")


def _limit_resources() -> None:
    """Bound a process's processor time and the size of its files."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (LONGEST, LONGEST))
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST, LARGEST))
