"""Locator and files of numba's cache. `dpbandits.core.compiled` names its folder after a digest of sources.

A crash or a full disk can leave a file short or empty, and a hand can exchange two. numba would end there, in a
traceback that names no file. Here each file has a digest in front: another content counts as none, and is compiled
again. What cannot be written is not kept.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import pickle
import sys
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from numba.core.caching import IndexDataCacheFile, UserProvidedCacheLocator

if TYPE_CHECKING:
    from collections.abc import Iterator

DIGEST_SIZE = 16


class ByContent(UserProvidedCacheLocator):
    """numba's locator of a cache folder, without a subfolder for each source: copies of the repository share it."""

    @classmethod
    def get_suitable_cache_subpath(cls, _: str) -> str:
        """Return an empty text for no subfolder, where numba has one that is named after the source's path."""
        return ""

    def get_source_stamp(self) -> tuple[float, int]:
        """Return the same time and size for all files: the folder's name has a digest of their code instead."""
        return 0.0, 0

    def ensure_cache_path(self) -> None:
        """Make the folder, if that is possible; no error is raised, since a read-only folder serves too."""
        with contextlib.suppress(OSError):
            super().ensure_cache_path()  # type: ignore[no-untyped-call]


class SealedFiles(IndexDataCacheFile):
    """Files of one kernel, its index and data, each with a digest of folder, name and content in front."""

    def _load_index(self) -> dict[Any, str]:
        found = self._read(self._index_name)
        return found[2] if found is not None and found[:2] == (self._version, self._source_stamp) else {}

    def _save_index(self, overloads: dict[Any, str]) -> None:
        with self._open_for_write(self._index_path) as opened:
            opened.write(pickle.dumps((self._version, self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        # numba compiles where nothing is loaded.
        return self._read(name)

    @contextlib.contextmanager
    def _open_for_write(self, filepath: str) -> Iterator[IO[bytes]]:
        yield (content := BytesIO())
        path = Path(filepath)
        try:
            with super()._open_for_write(filepath) as opened:
                opened.write(self._digest(path.name, content.getvalue()) + content.getvalue())
        except OSError as error:
            _say_once(
                f"{path.parents[1]}: {error.strerror}: compiled code is not kept, and each process compiles; set "
                "NUMBA_CACHE_DIR to a folder that can be written"
            )

    def _read(self, name: str) -> Any:
        """Return what a file holds; nothing, if it is not there or not what was written."""
        path = Path(self._cache_path, name)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        digest, pickled = content[:DIGEST_SIZE], content[DIGEST_SIZE:]
        if digest != self._digest(name, pickled):
            _say_once(f"{path}: not what was written; compiling again")
            return None
        return pickle.loads(pickled)

    def _digest(self, name: str, content: bytes) -> bytes:
        place = f"{Path(self._cache_path).name}\0{name}\0".encode()
        return hashlib.blake2b(place + content, digest_size=DIGEST_SIZE).digest()


@functools.cache
def _say_once(text: str) -> None:
    """Print one line on stderr, once in a process."""
    print(f"dpbandits: {text}", file=sys.stderr, flush=True)


def sealed(cache: Any) -> None:
    """Let each file of ``cache``, numba's cache of one function, begin with a digest of the rest.

    A file that is damaged counts as missing from then on, and its function is compiled again.
    """
    locator = cache._impl.locator
    named: Any = SealedFiles
    cache._cache_file = named(cache._cache_path, cache._impl.filename_base, locator.get_source_stamp())
