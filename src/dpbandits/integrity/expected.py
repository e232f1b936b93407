"""Expected files of a run: what a configuration plans, and what seals say that they were made from.

A seal is a JSON file beside others: their digests, and what they were made from. The configuration is the one that
was saved with the results. Where that is damaged, it is a file in ``config/`` or in the working directory that has
its results there, if most arrays are as it plans.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.core.files import differing, seal_of
from dpbandits.core.provenance import record_digest
from dpbandits.products import catalogue
from dpbandits.publish import texts
from dpbandits.runs import config as configuration
from dpbandits.runs import plan
from dpbandits.runs.models import Config

# Arrays are named after their first and last run, of which there are never more.
RUNS, MOST_RUNS = re.compile(r"(\d{1,9})-(\d{1,9})\.npz"), 10**6
# Longest name of a file that a seal may have, in bytes: of a part between slashes, and of all.
LONGEST_PART, LONGEST_NAME = 255, 1000
# Content of a JSON file or metadata of arrays, perhaps of somebody else's making: all of it is checked.
Content = Mapping[str, object]
# Errors of a configuration that is wrong, of another version or of somebody else's making.
UNUSABLE = (BadInput, DamagedFile, OSError, ArithmeticError, RecursionError, MemoryError)


def misplaced_error(file: Path) -> DamagedFile:
    """Return the error for a file that is undamaged, but has content that belongs in another place."""
    return DamagedFile(str(file), "the content of another place", "what belongs here")


class Expected(NamedTuple):
    """Description of one file that should exist, by a configuration.

    Attributes
    ----------
    planned
        Values that the file's content must have, by key, such as ``job`` of arrays. The key ``made_from.identity``
        is ``identity`` inside ``made_from``.
    run_numbers
        For arrays, the numbers of their runs; else ``None``.
    files
        For a seal (the JSON file beside others), the files that it must describe, relative to the seal's folder.
    paper
        Id of the paper that the file belongs to; empty for a file of all papers together.
    """

    planned: Content
    run_numbers: range | None = None
    files: Sequence[str] = ()
    paper: str = ""

    def check(self, file: Path, content: Content, run_numbers: range | None = None) -> None:
        """Raise `DamagedFile` if an undamaged file is not the expected one.

        Parameters
        ----------
        file, content
            Path of the file, and its JSON content or the metadata of its arrays.
        run_numbers
            The numbers of the runs in its arrays; ``None`` if they have gaps, or the file is JSON.
        """
        same = self.run_numbers in (None, run_numbers) and differing(content, self.planned) is None
        # A seal must describe all planned files; whether these are as it says is checked elsewhere.
        described = content.get("files")
        names = described.keys() if isinstance(described, dict) else set()
        if not same or not names >= set(self.files):
            raise misplaced_error(file)


# Stands for a file that no configuration describes: any content is right.
ANY_CONTENT = Expected({})


class SealedArrays(NamedTuple):
    """Description, by a seal, of the arrays in one folder: those that the sealed result was made from.

    A seal is the JSON file beside a result, such as a figure, that says what it was made from.

    Attributes
    ----------
    job_digest
        Digest of the job's definition.
    runs
        Number of runs in all arrays of the folder.
    """

    job_digest: str
    runs: int

    def check(self, file: Path, content: Content, run_numbers: range | None) -> None:
        """Raise `DamagedFile` if an undamaged file of arrays is of another job, or not named after its runs.

        ``content`` is the arrays' metadata. ``run_numbers`` are the numbers of their runs, ``None`` if these have
        gaps.
        """
        named = run_numbers and file.stem == f"{run_numbers[0]}-{run_numbers[-1]}"
        job = content.get("job")
        if not named or not isinstance(job, dict) or record_digest(job) != self.job_digest:
            raise misplaced_error(file)

    def missing(self, present: Iterable[Path], folder: Path) -> Iterator[Path]:
        """Yield paths in ``folder``, such as ``100-199.npz``, for the runs that none of the ``present`` files has.

        A file's name says its first and last run, from 0; files with other names are passed over. Missing files are
        taken to have as many runs as the largest present one. If none is present, one file has all runs.
        """
        named = [RUNS.fullmatch(file.name) for file in present]
        blocks = sorted((int(found[1]), int(found[2])) for found in named if found)
        size = max((last - first + 1 for first, last in blocks), default=self.runs)
        begin = 0
        # A last, empty block stands for the end, so that what is missing before it is found too.
        for first, last in [*blocks, (self.runs, self.runs)]:
            for start in range(begin, first, size):
                yield folder / f"{start}-{min(start + size, first) - 1}.npz"
            begin = max(begin, last + 1)


def is_file_name(name: str) -> bool:
    """Tell whether a file can have this name: at most 1,000 bytes, 255 between slashes, and no zero byte.

    Text in JSON may also have letters that no name can have.
    """
    try:
        written = os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return (
        b"\0" not in written
        and len(written) <= LONGEST_NAME
        and all(len(part) <= LONGEST_PART for part in written.split(b"/"))
    )


def _named_in_seal(seal: Path, content: Content, key: str) -> dict[Path, object]:
    """Return the entries under ``key`` in a seal's ``made_from``, by the path of their file or folder."""
    made_from = content.get("made_from")
    named = made_from.get(key) if isinstance(made_from, dict) else None
    return {
        Path(os.path.normpath(seal.parent / name)): of
        for name, of in (named.items() if isinstance(named, dict) else ())
        if is_file_name(name)
    }


def read_arrays_of(seal: Path, content: Content) -> dict[Path, SealedArrays]:
    """Return what a seal says of the folders of runs that its product was made from, by the folder's path.

    A value has the digest of the folder's job, and its number of runs. The seal names folders relative to its own
    folder; keys are these names after that folder's path, without ``..``. Nothing on disk is read, and folders may
    be missing. ``content`` is the JSON object in the file ``seal``. The result is empty if it names no folder.
    Entries of another form are left out, and those of fewer than 1 or more than 10^6 runs.
    """
    found = {}
    for folder, of in _named_in_seal(seal, content, "arrays").items():
        job, runs = (of.get("job"), of.get("runs")) if isinstance(of, dict) else (None, None)
        if isinstance(job, str) and isinstance(runs, int) and 0 < runs <= MOST_RUNS:
            found[folder] = SealedArrays(job, runs)
    return found


def read_products_of(seal: Path, content: Content) -> list[Path]:
    """Return the paths of the JSON files of all results that a result was made from, by that result's seal.

    A seal is the JSON file beside a result, and most of the returned files are seals too. ``seal`` is its path, and
    ``content`` the JSON data in it. The returned files may be missing.
    """
    return [seal_of(file) for file in _named_in_seal(seal, content, "products")]


def planned_by_saved(file: Path, content: Content) -> dict[Path, Expected]:
    """Return the files that should exist by a saved configuration, by path, each with what it must hold.

    ``content`` is the configuration that was saved in ``file``. Results are looked for in the folder of that file,
    figures from the working directory on. Products that are made only on request, such as the article, are left
    out. A configuration of another version, or a damaged one, plans no files.
    """
    try:
        config = configuration.checked(dict(content))
        return _planned(config, plan.all_cells(config), file.parent)
    except UNUSABLE:
        return {}


def planned_by_shipped(
    results: Path, undamaged: Mapping[Path, tuple[Content, range | None]]
) -> dict[Path, Expected]:
    """Return the files that should exist, by path, for results whose saved configuration is damaged or lost.

    In its place the configuration in ``config/`` is tried, alone and with each file there or in the working
    directory laid over it. The first counts that has its results in this folder, and by which most of the undamaged
    arrays are as planned. The result is empty if none fits.

    Parameters
    ----------
    results
        The folder of results.
    undamaged
        Metadata and run numbers of undamaged arrays, by file; those outside of the folder are not looked at.
    """
    below = {file: of for file, of in undamaged.items() if file.is_relative_to(results)}
    folder = Path("config")
    for more in [None, *sorted(folder.glob("*.y*ml")), *sorted(Path().glob("*.y*ml"))]:
        try:
            config, cells = configuration.planned([*configuration.shipped(folder), *([more] if more else [])])
            if Path(config.folders.results).resolve() != results.resolve():
                continue
            places = _planned(config, cells, results)
        except UNUSABLE:
            continue
        if 2 * sum(_agrees(places.get(file), file, *of) for file, of in below.items()) > len(below):
            return places
    return {}


def _agrees(expected: Expected | None, file: Path, content: Content, run_numbers: range | None) -> bool:
    """Tell whether a file is the expected one."""
    try:
        if expected is not None:
            expected.check(file, content, run_numbers)
    except DamagedFile:
        return False
    return expected is not None


def _planned(config: Config, cells: plan.Cells, results: Path) -> dict[Path, Expected]:
    """Return the files that a configuration plans, by path; those of results are below ``results``."""
    products = catalogue(config, cells, texts.load(config))
    places = {
        results / name: Expected({"job": cell.job.definition}, runs, paper=cell.paper)
        for of_experiment in cells.values()
        for cell in of_experiment.values()
        for name, runs in zip(cell.files, cell.run_numbers, strict=True)
    }
    planned = Path(config.folders.results)
    for key, product in products.items():
        if product.optional:
            continue
        paper = key[1] if len(key) > 1 and key[1] in config.papers else ""
        for file in map(Path, product.outputs):
            here = results / file.relative_to(planned) if file.is_relative_to(planned) else file
            described = product.files.values() if str(file) == product.seal else ()
            names = [os.path.relpath(name, file.parent) for name in described]
            places[here] = Expected(product.known_content, files=names, paper=paper)
    return places
