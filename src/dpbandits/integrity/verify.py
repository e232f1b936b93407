"""Check of files for `dpbandits verify` and `repair`: each is there, intact, and in its own place.

A seal is a JSON file beside others: their digests, and what they were made from. A crate is a zip file of a
finished run.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.core.errors import DamagedFile
from dpbandits.core.files import file_digest, is_ours, read_arrays, read_json, seal_of
from dpbandits.integrity import expected
from dpbandits.integrity.expected import ANY_CONTENT, RUNS, Content, Expected, SealedArrays, is_file_name
from dpbandits.publish.crate import digests

# Suffixes of files that are never written without a seal.
SEALED = (".csv", ".pdf", ".png", ".tex", ".html", ".js", ".css")
# What a run saves its configuration as.
SAVED_CONFIGURATION = "config.json"
# Place of arrays below a folder of results, eight names: paper, cells, experiment, algorithm, environment, horizon,
# budget, file. So the folder of results is the eighth parent, ``parents[7]``.
ARRAYS_PATH = re.compile(r"[^/]+/cells/[^/]+/[^/]+/[^/]+/T=\d+/eps=[^/]+/\d+-\d+\.npz")
LEFTOVER = "nothing reads it; `dpbandits repair` moves it aside"
# At most this many missing arrays are believed of seals, which may be of somebody else's making.
MOST_MISSING = 10**5
# Where repair moves things, below the working directory; the first number that is free is added.
ASIDE = Path(".removed-by-repair")


class Examined(NamedTuple):
    """State of the files of some folders: which are damaged, and which this package made.

    A seal is a JSON file beside others, which has their digests and says what they were made from.

    Attributes
    ----------
    damage
        Damage of each file, by path; ``None`` for an intact file.
    seals
        For each file that a seal describes, the path of that seal, by the file's path; the file may be missing.
    known_places
        Paths where this package writes files, as a saved configuration, a seal, or the layout of results shows.
    not_run
        Number of missing files by paper, for papers of which nothing was run; these files are no damage. The empty
        name counts files of all papers together, which could not be made.
    """

    damage: Mapping[Path, DamagedFile | None]
    seals: Mapping[Path, Path]
    known_places: Collection[Path]
    not_run: Mapping[str, int]

    @property
    def damaged(self) -> list[DamagedFile]:
        """The damage of all files that have any."""
        return [damage for damage in self.damage.values() if damage is not None]

    def is_ours(self, file: Path) -> bool:
        """Tell whether this package made a file: it is in a known place, or its content still looks like ours."""
        return file in self.known_places or is_ours(file)

    @property
    def removable(self) -> list[Path]:
        """Files that `repair` moves away: damaged ones that this package made, and seals that fit no longer.

        A seal is the JSON file beside others that has their digests. Tables, figures and pages without a seal are
        not moved.
        """
        found: dict[Path, None] = {}
        for file, damage in self.damage.items():
            if damage is None:
                continue
            sealed = file in self.seals or file.suffix in SEALED
            if file in self.seals or file.suffix not in SEALED:
                found[file] = None
            # A table or page without a seal stays; what lies in its seal's place goes, so that both are made again.
            seal = self.seals.get(file, seal_of(file))
            if sealed and (file in self.seals or seal in self.known_places or self.damage.get(seal) is not None):
                found[seal] = None
        return [file for file in found if os.path.lexists(file) and self.is_ours(file)]


def _files_in_seal(seal: Path, content: Content) -> dict[Path, str]:
    """Return the digest of each file that a seal describes, by path; empty for a JSON file that is no seal.

    Raises
    ------
    DamagedFile
        If it is another file's seal, or names what no seal does: one describes files beside itself or below.
    """
    files = content.get("files", {})
    if not isinstance(files, dict) or any(
        not is_file_name(name) or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
        for name in files
    ):
        raise DamagedFile(str(seal), "a seal of files elsewhere", "one of files beside it or below")
    described = {seal.parent / name: digest for name, digest in files.items()}
    if described and not any(seal_of(path) == seal for path in described):
        raise DamagedFile(str(seal), "a seal of other files", "one of files of its name")
    return described


def examine(folders: Iterable[Path]) -> Examined:
    """Check the files in ``folders`` and below, and return their state: which are damaged, missing or misplaced.

    Files with arrays and JSON carry a digest of their own. Tables, figures and pages have theirs in a seal: a JSON
    file beside them, which also says what they were made from. Other files, such as logs, are looked at only if a
    seal describes them, and hidden ones never.

    Which files should be there, and what is in them, is known from the configuration that was saved with the
    results. If it is damaged, one from ``config/`` or the working directory takes its place. If none fits, the
    files should be there that others were made from, as seals say.

    Raises
    ------
    OSError
        If a folder is not there, or a file cannot be read.
    """
    folders = list(folders)
    found = [file for folder in folders for file in _files(folder)]
    around = [folder.resolve() for folder in folders]

    def is_inside(file: Path) -> bool:
        place = file.parent.resolve()
        return any(place.is_relative_to(folder) for folder in around)

    damage: dict[Path, DamagedFile | None] = {}

    @contextlib.contextmanager
    def looked_at(file: Path) -> Iterator[None]:
        try:
            yield
            damage.setdefault(file, None)
        except DamagedFile as error:
            damage[file] = error

    # First JSON files: seals say which digests other files have, and a saved configuration what should be there.
    written: dict[Path, Content] = {}
    digest_of: dict[Path, str] = {}
    seals: dict[Path, Path] = {}
    places: dict[Path, Expected] = {}
    for file in found:
        if file.suffix == ".json":
            with looked_at(file):
                content = read_json(file)
                described = _files_in_seal(file, content)
                if not all(map(is_inside, described)):
                    raise DamagedFile(str(file), "a seal of files elsewhere", "one of files beside it or below")
                written[file] = content
                digest_of |= described
                seals |= dict.fromkeys(described, file)
                if file.name == SAVED_CONFIGURATION and isinstance(content.get("configuration"), dict):
                    places |= expected.planned_by_saved(file, content["configuration"])
                elif file.name == SAVED_CONFIGURATION and not described:
                    raise expected.misplaced_error(file)
    # Then arrays, which have their own digest, and files that only a seal could describe.
    whole: dict[Path, tuple[Content, range | None]] = {}
    for file in found:
        with looked_at(file) if file.suffix in (".npz", *SEALED) else contextlib.nullcontext():
            if file.suffix == ".npz":
                arrays, metadata = read_arrays(file, strictly=True)
                whole[file] = metadata, _run_numbers(arrays)
            elif file.suffix in SEALED and file not in digest_of:
                raise DamagedFile(str(file), "a file without a seal", "one that a seal describes")
    # With all of these known: is each file in its own place, and as its seal describes it?
    for results in _without_configuration(found, damage):
        places |= expected.planned_by_shipped(results, whole)
    elsewhere = {place: of for seal in written.items() for place, of in expected.read_arrays_of(*seal).items()}
    for file, content in written.items():
        with looked_at(file):
            places.get(file, ANY_CONTENT).check(file, content)
    for file, (metadata, runs) in whole.items():
        with looked_at(file):
            places.get(file, elsewhere.get(file.parent, ANY_CONTENT)).check(file, metadata, runs)
    for file, digest in digest_of.items():
        with looked_at(file):
            is_there = file.is_file()
            if not is_there or file_digest(file) != digest:
                value = "altered content" if is_there else _in_place_of_missing(file)
                raise DamagedFile(str(file), value, f"the file that {seals[file].name} describes")
    # Last, what should be there and is not.
    read = dict.fromkeys(_read_and_missing(written, elsewhere, found), "was made into other files")
    missing = dict.fromkeys(places.keys() - damage.keys(), "the configuration plans") if places else read
    not_run = _not_run(places, missing, read)
    missing = {file: why for file, why in missing.items() if file not in not_run}
    for file, why in missing.items():
        if not file.is_file() and is_inside(file):
            damage[file] = DamagedFile(str(file), _in_place_of_missing(file), f"what {why}")
    planned = {file.parent for file in places if file.suffix == ".npz"}
    for file in whole:
        if file.parent in planned and file not in places and damage[file] is None:
            damage[file] = DamagedFile(
                str(file), "a block of another number of runs", "one that is planned", LEFTOVER
            )
    placed = {*places, *digest_of, *seals.values()}
    placed |= {file for file in found if RUNS.fullmatch(file.name) and file.parent in elsewhere}
    blocks = [file for file in found if ARRAYS_PATH.fullmatch("/".join(file.parts[-8:]))]
    # Undamaged arrays show where the folder of results is, and so where the configuration was saved.
    placed |= {*blocks, *(file.parents[7] / SAVED_CONFIGURATION for file in blocks if damage.get(file) is None)}
    absent = Counter(places[file].paper for file in not_run if is_inside(file))
    return Examined(
        dict(sorted(damage.items())),
        seals,
        {file for file in placed if is_inside(file)},
        dict(sorted(absent.items())),
    )


def _not_run(places: Mapping[Path, Expected], missing: Collection[Path], read: Collection[Path]) -> set[Path]:
    """Return missing files that are no damage, because nothing of their paper was run.

    If there is such a paper, files of all papers together could not be made, and are returned too.
    """
    # Their own paper is "".
    absent = {expected.paper for expected in places.values()} - {""}
    absent -= {places[file].paper for file in places if file not in missing or file in read or file.is_file()}
    if not absent:
        return set()
    return {file for file in missing if places[file].paper in (*absent, "") and file not in read}


def _run_numbers(arrays: Mapping[str, NDArray[Any]]) -> range | None:
    """Return the numbers of the runs in arrays, if they have no gaps."""
    seeds = arrays.get("seeds")
    if seeds is None or seeds.ndim != 1 or seeds.dtype.kind not in "iu" or not seeds.size:
        return None
    runs = range(int(seeds[0]), int(seeds[-1]) + 1)
    return runs if len(runs) == seeds.size and np.array_equal(seeds, runs) else None


def _without_configuration(found: Sequence[Path], damage: Mapping[Path, object]) -> set[Path]:
    """Return folders of results whose configuration is damaged, or lost although its site is there."""
    had = {file.parent for file in found if file.name == SAVED_CONFIGURATION}
    with_arrays = {file.parents[7] for file in found if ARRAYS_PATH.fullmatch("/".join(file.parts[-8:]))}
    sites = {file.parents[1] for file in found if file.suffix == ".html" and file.parent.name == "site"}
    # A paper has a site without a configuration of its own.
    had |= sites & with_arrays
    return {folder for folder in had if damage.get(folder / SAVED_CONFIGURATION, "missing") is not None}


def _read_and_missing(
    written: Mapping[Path, Content], elsewhere: Mapping[Path, SealedArrays], found: Iterable[Path]
) -> Iterator[Path]:
    """Yield files that others were made from, as the seals of these say; the files may be missing."""
    present: dict[Path, list[Path]] = {}
    for file in found:
        present.setdefault(file.parent, []).append(file)
    arrays = (file for folder, read in elsewhere.items() for file in read.missing(present.get(folder, ()), folder))
    yield from itertools.islice(arrays, MOST_MISSING)
    for seal, content in written.items():
        yield from expected.read_products_of(seal, content)


def _in_place_of_missing(file: Path) -> str:
    """Return, for an error, what is in the place of a missing file: ``a folder`` or ``nothing``."""
    return "a folder" if file.is_dir() else "nothing"


class Verified(NamedTuple):
    """Result of a verification.

    Attributes
    ----------
    intact
        Number of files that are intact and in their place.
    damaged
        An error for each other file, which says what was found and what was expected.
    not_run
        Number of missing files by paper's id, for papers of which nothing was run; they do not count as damaged.
        The empty id is for files that belong to all papers together.
    """

    intact: int
    damaged: Sequence[DamagedFile]
    not_run: Mapping[str, int]


def verify(paths: Iterable[Path]) -> Verified:
    """Check all files in ``paths``, which are folders and crates (zip files of results), and return what was found.

    Raises
    ------
    DamagedFile
        If a file is given that is no crate.
    OSError
        If a path is not there, or a file cannot be read.
    """
    paths = list(paths)
    crates = [path for path in paths if path.is_file()]
    examined = examine(path for path in paths if path not in crates)
    whole, damaged = len(examined.damage) - len(examined.damaged), examined.damaged
    for crate in crates:
        more, wrong = digests.check(crate)
        whole, damaged = whole + more, damaged + wrong
    return Verified(whole, damaged, examined.not_run)


def _files(folder: Path) -> Sequence[Path]:
    """Return what is whole below a folder, in order; nothing that is hidden, or in a hidden folder."""
    folder.stat()
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(file for file in found if file.is_file())


def fresh_aside() -> Path:
    """Return a folder that is not there yet, such as ``.removed-by-repair/1``, for the files of one repair."""
    return next(place for number in itertools.count(1) if not (place := ASIDE / str(number)).exists())


def set_aside(files: Iterable[Path], folder: Path) -> None:
    """Move files, or folders that stand in their place, into ``folder``, where they keep their paths.

    A path is kept relative to the working directory, or to the root of the file system for a file outside of it.

    Raises
    ------
    OSError
        The first error, if files cannot be moved; the other files are moved all the same.
    """
    here, failed = Path.cwd(), None
    for file in files:
        absolute = here / os.path.normpath(file)
        inner = absolute.relative_to(here) if absolute.is_relative_to(here) else Path(*absolute.parts[1:])
        try:
            (folder / inner).parent.mkdir(parents=True, exist_ok=True)
            shutil.move(file, folder / inner)
        except OSError as error:
            failed = failed or error
    if failed is not None:
        raise failed


def repair(folders: Iterable[Path]) -> list[DamagedFile]:
    """Move damaged files in ``folders`` out of the way, so that Snakemake makes them again; return all damage.

    They go to a new folder below ``.removed-by-repair``, with their seals (the JSON files beside them). A table,
    figure or page without a seal stays. So does a file that this package did not make: neither its place, by a
    saved configuration or a seal, nor its content shows that it did.

    Raises
    ------
    OSError
        If a folder is not there, or a file cannot be read or moved.
    """
    examined = examine(folders)
    set_aside(examined.removable, fresh_aside())
    return examined.damaged
