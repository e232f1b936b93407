"""Results without Snakemake's memory of them, as after copying a folder: their own records show stale ones.

Snakemake keeps in ``.snakemake`` what each file was made from. Without it every file that is there counts as right,
whatever the configuration says by now. Seals and arrays say themselves what they were made from. A cell is
an algorithm in one environment at one budget and horizon.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core.errors import BadInput, DamagedFile
from dpbandits.core.files import Json, check, differing, read_arrays

if TYPE_CHECKING:
    from dpbandits.products import Products
    from dpbandits.runs.plan import Cells

MEMORY = Path(".snakemake/metadata")
# How many stale files are named.
NAMED = 3


def refuse_stale(cells: Cells, products: Products, results: str) -> None:
    """Raise `BadInput` if the folder ``.snakemake`` is lost, and a result was made from another configuration.

    Without this folder Snakemake takes every file that is there for right. Arrays are compared with ``cells``, the
    planned cells (an algorithm in one environment at one budget and horizon). Other files are compared with
    ``products``, the plan of all files beside arrays. ``results`` is the folder of results. Missing files are not
    stale.
    """
    if MEMORY.is_dir() and any(MEMORY.iterdir()):
        return
    stale = list(_stale(cells, products, Path(results)))
    if stale:
        names = ", ".join(stale[:NAMED]) + (f" and {len(stale) - NAMED} more" if len(stale) > NAMED else "")
        allowed = (
            "results of this configuration and these sources: .snakemake, which knows what is stale, is lost; "
            "move these files away, and Snakemake makes them again"
        )
        raise BadInput(results, names, allowed)


def _stale(cells: Cells, products: Products, results: Path) -> Iterator[str]:
    """Yield the files that were made from something else; damaged ones are refused by their readers."""
    for of_experiment in cells.values():
        for cell in of_experiment.values():
            for name in cell.files:
                file = results / name
                if file.is_file() and _differs(file, cell.job.record):
                    yield str(file)
    for product in products.values():
        file = Path(product.main)
        if file.is_file():
            try:
                check(file, product.fingerprint)
            except (DamagedFile, OSError):
                yield str(file)


def _differs(file: Path, record: Json) -> bool:
    try:
        _, metadata = read_arrays(file)
    except (DamagedFile, OSError):
        return False
    return differing(metadata, record) is not None
