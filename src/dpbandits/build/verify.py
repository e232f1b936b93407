"""What `dpbandits verify` and `repair` look at: is every file there, what was written, and in its own place."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.build.products import catalogue
from dpbandits.build.products.privacy import Audit
from dpbandits.claims import claim
from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.core.files import Json, file_digest, is_ours, read_arrays, read_json, seal_of
from dpbandits.core.provenance import record_digest
from dpbandits.publish.crate import digests
from dpbandits.runs import config as configuration
from dpbandits.runs import plan

# What is never written without a seal.
SEALED = (".csv", ".pdf", ".png", ".tex", ".html", ".js", ".css")
# Arrays are named after their first and last run, of which there are never more.
RUNS, MOST_RUNS = re.compile(r"(\d{1,9})-(\d{1,9})\.npz"), 10**6
# What a run saves its configuration as.
SAVED = "config.json"
# Where arrays lie below a folder of results: paper, cells, experiment, algorithm, environment, horizon, budget.
CELL = re.compile(r"[^/]+/cells/[^/]+/[^/]+/[^/]+/T=\d+/eps=[^/]+/\d+-\d+\.npz")
# Of how many missing arrays a seal is believed, and how long a name may be that it has, in bytes.
MOST_MISSING, LONGEST_PART, LONGEST_NAME = 10**5, 255, 1000
# Where repair moves things, below the working directory; the first number that is free is added.
ASIDE = Path(".removed-by-repair")


class Examined(NamedTuple):
    """What is known of the files of some folders.

    Attributes
    ----------
    damage
        What is wrong with each file, ``None`` where nothing is.
    seals
        The seal of each file that has one.
    placed
        Files that a saved configuration, or a seal, or the layout of results has a place for.
    """

    damage: Mapping[Path, DamagedFile | None]
    seals: Mapping[Path, Path]
    placed: Collection[Path]

    @property
    def damaged(self) -> list[DamagedFile]:
        """What is wrong, file by file."""
        return [damage for damage in self.damage.values() if damage is not None]

    def is_ours(self, file: Path) -> bool:
        """Say whether we made a file: its place says so, or what is left of its content."""
        return file in self.placed or is_ours(file)

    @property
    def removable(self) -> list[Path]:
        """What `repair` takes away: damaged files that we made, and seals that fit no longer."""
        found: dict[Path, None] = {}
        for file, damage in self.damage.items():
            if damage is None:
                continue
            sealed = file in self.seals or file.suffix in SEALED
            if file in self.seals or file.suffix not in SEALED:
                found[file] = None
            # A file without a seal stays, and loses what lies where its seal should: then it is made anew.
            seal = self.seals.get(file, seal_of(file))
            if sealed and (file in self.seals or seal in self.placed or self.damage.get(seal) is not None):
                found[seal] = None
        return [file for file in found if os.path.lexists(file) and self.is_ours(file)]


def _misplaced(file: Path) -> DamagedFile:
    return DamagedFile(str(file), "the content of another place", "what belongs here")


class _Expected(NamedTuple):
    """What a configuration says of a file: JSON data that is part of it, its runs, and the files that it seals."""

    part: Json
    seeds: range | None = None
    files: Sequence[str] = ()

    def check(self, file: Path, content: Json, seeds: NDArray[np.int64] | None = None) -> None:
        same = self.seeds is None or (seeds is not None and np.array_equal(self.seeds, seeds))
        same = same and _is_part(json.loads(json.dumps(self.part)), content)
        # Arrays carry whatever their metadata say; what a seal describes has been looked at.
        if not same or (self.files and not content.get("files", {}).keys() >= set(self.files)):
            raise _misplaced(file)


ANYWHERE = _Expected({})


class _Arrays(NamedTuple):
    """What seals say of a folder of arrays that were read: the digest of the job, and how many runs."""

    job: str
    runs: int

    def check(self, file: Path, content: Json, seeds: NDArray[np.int64] | None) -> None:
        """Arrays are named after their runs."""
        named = seeds is not None and seeds.size and file.stem == f"{seeds[0]}-{seeds[-1]}"
        if not named or record_digest(content.get("job", {})) != self.job:
            raise _misplaced(file)

    def missing(self, present: Iterable[Path], folder: Path) -> Iterator[Path]:
        """Yield the files of runs that are in none of those that are there."""
        named = [RUNS.fullmatch(file.name) for file in present]
        blocks = sorted((int(found[1]), int(found[2])) for found in named if found)
        size = max((last - first + 1 for first, last in blocks), default=self.runs)
        begin = 0
        for first, last in [*blocks, (self.runs, self.runs)]:
            for start in range(begin, first, size):
                yield folder / f"{start}-{min(start + size, first) - 1}.npz"
            begin = max(begin, last + 1)


def _is_name(name: str) -> bool:
    """Say whether a file can have this name: JSON can hold letters that none has, and any number of them."""
    try:
        written = os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return (
        b"\0" not in written
        and len(written) <= LONGEST_NAME
        and all(len(part) <= LONGEST_PART for part in written.split(b"/"))
    )


def _read_elsewhere(seal: Path, content: Json) -> dict[Path, _Arrays]:
    """Return the folders of arrays that went into what a seal describes; nothing, if it does not say."""
    made_from = content.get("made_from")
    arrays = made_from.get("arrays") if isinstance(made_from, dict) else None
    found = {}
    for name, of in arrays.items() if isinstance(arrays, dict) else ():
        job, runs = (of.get("job"), of.get("runs")) if isinstance(of, dict) else (None, None)
        if _is_name(name) and isinstance(job, str) and isinstance(runs, int) and 0 < runs <= MOST_RUNS:
            found[Path(os.path.normpath(seal.parent / name))] = _Arrays(job, runs)
    return found


def _is_part(part: object, whole: object) -> bool:
    if isinstance(part, dict) and isinstance(whole, dict):
        return all(key in whole and _is_part(value, whole[key]) for key, value in part.items())
    return part == whole


def _planned(saved: Path, content: Json) -> dict[Path, _Expected]:
    """Return what a saved configuration says of files; nothing, if it is of another version or no longer whole.

    Results are looked for where the configuration lies, figures from the working directory on.
    """
    try:
        config = configuration.checked(dict(content))
        cells = plan.all_cells(config)
        products = catalogue(config, cells, claim.load(config))
    except (BadInput, DamagedFile, OSError, ArithmeticError, RecursionError, MemoryError):
        return {}
    places = {
        saved.parent / name: _Expected({"job": cell.job.definition}, seeds)
        for of_experiment in cells.values()
        for cell in of_experiment.values()
        for name, seeds in zip(cell.files, cell.seeds, strict=True)
    }
    results = Path(config.folders.results)
    for product in products.values():
        if product.optional:
            continue
        # Of other products their seal says what they were made from.
        part = {"made_from": {"definition": product.rerun_if_changed}} if isinstance(product, Audit) else {}
        for file in map(Path, product.outputs):
            here = saved.parent / file.relative_to(results) if file.is_relative_to(results) else file
            described = product.files.values() if str(file) == product.seal else ()
            places[here] = _Expected(part, files=[os.path.relpath(name, file.parent) for name in described])
    return places


def _described(seal: Path, content: Json) -> dict[Path, str]:
    """Return the files that a JSON file describes, each with its digest: none, if it is no seal.

    Raises
    ------
    DamagedFile
        If it is another file's seal, or names what no seal does: one describes files beside itself or below.
    """
    files = content.get("files", {})
    if not isinstance(files, dict) or any(
        not _is_name(name) or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
        for name in files
    ):
        raise DamagedFile(str(seal), "a seal of files elsewhere", "one of files beside it or below")
    described = {seal.parent / name: digest for name, digest in files.items()}
    if described and not any(seal_of(path) == seal for path in described):
        raise DamagedFile(str(seal), "a seal of other files", "one of files of its name")
    return described


def examine(folders: Iterable[Path]) -> Examined:
    """Look at all files of some folders but logs, of which nothing is known.

    A file of arrays or of JSON has its own digest, others have a seal's; and where a configuration was saved, it
    says which files should be there and what is in them. Where that is damaged too, seals of what was made from
    arrays say which belong where.

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
    digests: dict[Path, str] = {}
    seals: dict[Path, Path] = {}
    places: dict[Path, _Expected] = {}
    elsewhere: dict[Path, _Arrays] = {}

    @contextlib.contextmanager
    def looked_at(file: Path) -> Iterator[None]:
        try:
            yield
            damage.setdefault(file, None)
        except DamagedFile as error:
            damage[file] = error

    written: dict[Path, Json] = {}
    for file in found:
        if file.suffix == ".json":
            with looked_at(file):
                content = read_json(file)
                described = _described(file, content)
                if not all(map(is_inside, described)):
                    raise DamagedFile(str(file), "a seal of files elsewhere", "one of files beside it or below")
                written[file] = content
                digests |= described
                seals |= dict.fromkeys(described, file)
                elsewhere |= _read_elsewhere(file, content)
                if file.name == SAVED and isinstance(content.get("configuration"), dict):
                    places |= _planned(file, content["configuration"])
    for file, content in written.items():
        with looked_at(file):
            places.get(file, ANYWHERE).check(file, content)
    for file in found:
        with looked_at(file) if file.suffix in (".npz", *SEALED) else contextlib.nullcontext():
            if file.suffix == ".npz":
                arrays, metadata = read_arrays(file, strictly=True)
                places.get(file, ANYWHERE).check(file, metadata, arrays.get("seeds"))
                if file not in places and file.parent in elsewhere:
                    elsewhere[file.parent].check(file, metadata, arrays.get("seeds"))
            elif file.suffix in SEALED and file not in digests:
                raise DamagedFile(str(file), "a file without a seal", "one that a seal describes")
    for file, digest in digests.items():
        with looked_at(file):
            is_there = file.is_file()
            if not is_there or file_digest(file) != digest:
                value = "altered content" if is_there else _instead(file)
                raise DamagedFile(str(file), value, f"the file that {seals[file].name} describes")
    missing = dict.fromkeys(places.keys() - damage.keys(), "the saved configuration plans")
    if not places:
        present: dict[Path, list[Path]] = {}
        for file in found:
            present.setdefault(file.parent, []).append(file)
        for folder, read in elsewhere.items():
            if len(missing) >= MOST_MISSING:
                break
            named = itertools.islice(read.missing(present.get(folder, ()), folder), MOST_MISSING)
            missing |= dict.fromkeys(named, "was made into other files")
    for file, why in missing.items():
        if not file.is_file() and is_inside(file):
            damage[file] = DamagedFile(str(file), _instead(file), f"what {why}")
    placed = {*places, *digests, *seals.values()}
    placed |= {file for file in found if RUNS.fullmatch(file.name) and file.parent in elsewhere}
    blocks = [file for file in found if CELL.fullmatch("/".join(file.parts[-8:]))]
    # Whole ones show where results lie, and so where the configuration was saved.
    placed |= {*blocks, *(file.parents[7] / SAVED for file in blocks if damage.get(file) is None)}
    return Examined(dict(sorted(damage.items())), seals, {file for file in placed if is_inside(file)})


def _instead(file: Path) -> str:
    """Return what is there where a file is not."""
    return "a folder" if file.is_dir() else "nothing"


def verify(paths: Iterable[Path]) -> tuple[int, list[DamagedFile]]:
    """Return how many files of folders and crates are what was written, and what is wrong with the others.

    Raises
    ------
    DamagedFile
        If a file is given that is no crate.
    OSError
        If something is not there, or cannot be read.
    """
    paths = list(paths)
    crates = [path for path in paths if path.is_file()]
    examined = examine(path for path in paths if path not in crates)
    whole, damaged = len(examined.damage) - len(examined.damaged), examined.damaged
    for crate in crates:
        more, wrong = digests.check(crate)
        whole, damaged = whole + more, damaged + wrong
    return whole, damaged


def _files(folder: Path) -> Sequence[Path]:
    """Return what is whole below a folder, in order; nothing that is hidden, or in a hidden folder."""
    folder.stat()
    found: list[Path] = []
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [Path(place, name) for name in names if not name.startswith(".")]
    return sorted(file for file in found if file.is_file())


def fresh_aside() -> Path:
    """Return the folder, not there yet, that `set_aside` is to fill: one for each repair."""
    return next(place for number in itertools.count(1) if not (place := ASIDE / str(number)).exists())


def set_aside(files: Iterable[Path], folder: Path) -> None:
    """Move files, or what is there in their place, into a folder, below their own paths.

    Raises
    ------
    OSError
        The first that was met; the others are moved all the same.
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
    """Move aside what is damaged and ours, with its seal, so that Snakemake makes it anew; return what was wrong.

    A file without a seal stays, and so does what nothing shows to be ours: neither a place in a saved
    configuration, nor a seal, nor its own content.

    Raises
    ------
    OSError
        If a folder is not there, or a file cannot be read or moved.
    """
    examined = examine(folders)
    set_aside(examined.removable, fresh_aside())
    return examined.damaged
