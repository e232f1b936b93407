"""What `dpbandits verify` and `repair` look at: is every file there, what was written, and in its own place."""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dpbandits.claims import claim
from dpbandits.core.errors import BadInput
from dpbandits.core.files import REMEDY, Json, file_digest, read_arrays, read_json, seal_of
from dpbandits.core.provenance import record_digest
from dpbandits.pipeline.products import catalogue
from dpbandits.runs import config as configuration
from dpbandits.runs import plan
from dpbandits.site.crate import digests

# What is never written without a seal.
SEALED = (".csv", ".pdf", ".png", ".tex", ".html", ".js", ".css")
# Arrays are named after their first and last run, of which there are never more.
RUNS, MOST_RUNS = re.compile(r"(\d{1,9})-(\d{1,9})\.npz"), 10**6
# What a run saves its configuration as.
SAVED = "config.json"


class Examined(NamedTuple):
    """What is known of the files of some folders.

    Attributes
    ----------
    damage
        What is wrong with each file, ``None`` where nothing is.
    seals
        The seal of each file that has one.
    """

    damage: Mapping[Path, BadInput | None]
    seals: Mapping[Path, Path]

    @property
    def damaged(self) -> list[BadInput]:
        """What is wrong, file by file."""
        return [damage for damage in self.damage.values() if damage is not None]


def _misplaced(file: Path) -> BadInput:
    return BadInput(str(file), "the content of another place", f"what belongs here; {REMEDY}")


class _Place(NamedTuple):
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


ANYWHERE = _Place({})


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
    """Say whether a file can have this name: JSON can hold a byte that none has."""
    return "\0" not in name


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


def _planned(saved: Path, content: Json) -> dict[Path, _Place]:
    """Return what a saved configuration says of files; nothing, if it is of another version or no longer whole.

    Results are looked for where the configuration lies, figures from the working directory on.
    """
    try:
        config = configuration.checked(dict(content))
        cells = plan.all_cells(config)
        products = catalogue(config, cells, claim.load(config))
    except (BadInput, OSError):
        return {}
    places = {
        saved.parent / name: _Place({"job": cell.job.definition}, seeds)
        for of_experiment in cells.values()
        for cell in of_experiment.values()
        for name, seeds in zip(cell.files, cell.seeds, strict=True)
    }
    results = Path(config.folders.results)
    for product in products.values():
        if product.on_request:
            continue
        # Of other products their seal says what they were made from.
        part = {"made_from": {"definition": product.definition}} if product.kind == "audit" else {}
        for file in map(Path, product.everything):
            here = saved.parent / file.relative_to(results) if file.is_relative_to(results) else file
            described = product.files.values() if str(file) == product.seal else ()
            places[here] = _Place(part, files=[os.path.relpath(name, file.parent) for name in described])
    return places


def _described(seal: Path, content: Json) -> dict[Path, str]:
    """Return the files that a JSON file describes, each with its digest: none, if it is no seal.

    Raises
    ------
    BadInput
        If it is another file's seal, or names what no seal does: one describes files beside itself or below.
    """
    files = content.get("files", {})
    if not isinstance(files, dict) or any(
        not _is_name(name) or PurePosixPath(name).is_absolute() or ".." in PurePosixPath(name).parts
        for name in files
    ):
        raise BadInput(str(seal), "a seal of files elsewhere", f"one of files beside it or below; {REMEDY}")
    described = {seal.parent / name: digest for name, digest in files.items()}
    if described and not any(seal_of(path) == seal for path in described):
        raise BadInput(str(seal), "a seal of other files", f"one of files of its name; {REMEDY}")
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
    damage: dict[Path, BadInput | None] = {}
    digests: dict[Path, str] = {}
    seals: dict[Path, Path] = {}
    places: dict[Path, _Place] = {}
    elsewhere: dict[Path, _Arrays] = {}

    @contextlib.contextmanager
    def looked_at(file: Path) -> Iterator[None]:
        try:
            yield
            damage.setdefault(file, None)
        except BadInput as error:
            damage[file] = error

    written: dict[Path, Json] = {}
    for file in found:
        if file.suffix == ".json":
            with looked_at(file):
                content = read_json(file)
                described = _described(file, content)
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
                raise BadInput(str(file), "a file without a seal", f"one that a seal describes; {REMEDY}")
    for file, digest in digests.items():
        with looked_at(file):
            is_there = file.is_file()
            if not is_there or file_digest(file) != digest:
                value = "altered content" if is_there else "nothing"
                raise BadInput(str(file), value, f"the file that {seals[file].name} describes; {REMEDY}")
    around = [folder.resolve() for folder in folders]
    missing = dict.fromkeys(places.keys() - damage.keys(), "the saved configuration plans")
    if not places:
        present: dict[Path, list[Path]] = {}
        for file in found:
            present.setdefault(file.parent, []).append(file)
        for folder, read in elsewhere.items():
            missing |= dict.fromkeys(read.missing(present.get(folder, ()), folder), "was made into other files")
    for file, why in missing.items():
        if not file.exists() and any(file.resolve().is_relative_to(folder) for folder in around):
            damage[file] = BadInput(str(file), "nothing", f"what {why}; {REMEDY}")
    return Examined(dict(sorted(damage.items())), seals)


def verify(paths: Iterable[Path]) -> tuple[int, list[BadInput]]:
    """Return how many files of folders and crates are what was written, and what is wrong with the others.

    Raises
    ------
    BadInput
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
    """Return what is whole below a folder, in order."""
    folder.stat()
    return [file for file in sorted(folder.rglob("*")) if file.is_file() and not file.name.startswith(".")]


def repair(folders: Iterable[Path]) -> list[BadInput]:
    """Remove what is damaged, with its seal, so that Snakemake makes it anew; return what was wrong.

    A file without a seal stays, and loses what lies where its seal should: then it is made anew if it is ours.

    Raises
    ------
    OSError
        If a folder is not there, or a file cannot be read or removed.
    """
    examined = examine(folders)
    for file, damage in examined.damage.items():
        if damage is None:
            continue
        if file in examined.seals or file.suffix not in SEALED:
            file.unlink(missing_ok=True)
        examined.seals.get(file, file.with_suffix(".json")).unlink(missing_ok=True)
    return examined.damaged
