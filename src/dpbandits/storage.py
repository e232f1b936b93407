"""Files that are whole or absent: written aside, then renamed; npz for arrays, CSV for tables."""

from __future__ import annotations

import contextlib
import glob
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpbandits.errors import BadInput


@contextlib.contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a path to write to; on success it becomes ``path`` at once, else nothing is left.

    The suffix is kept, since writers choose a format by it. What a killed writer of the same file left behind is
    removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.stem)}~*{glob.escape(path.suffix)}"):
        left.unlink(missing_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.stem}~", suffix=path.suffix, dir=path.parent)
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        # mkstemp makes files private; results are shared.
        aside.chmod(0o644)
        aside.replace(path)
    finally:
        aside.unlink(missing_ok=True)


def write_arrays(path: Path, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any]) -> None:
    """Write arrays with their metadata as an uncompressed npz; equal content gives equal bytes.

    Parameters
    ----------
    path
        Where to.
    arrays
        Arrays by name, none called ``metadata``.
    metadata
        JSON data, stored as text in the array ``metadata``.
    """
    text = np.array(json.dumps(metadata, sort_keys=True))
    with whole(path) as aside:
        np.savez(aside, allow_pickle=False, metadata=text, **arrays)


def read_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the metadata of a file of `write_arrays`.

    Raises
    ------
    BadInput
        If the file is damaged: every array is checked against its checksum (npz is a zip file).
    """
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
            metadata = json.loads(str(arrays.pop("metadata")))
    except (ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise BadInput(str(path), str(error), "an undamaged file of dpbandits; remove it and rerun") from None
    return arrays, metadata
