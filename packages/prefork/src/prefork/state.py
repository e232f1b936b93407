"""State of source files, by which a change of a file that jobs import is noticed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

# Errors of the process or the machine, which say nothing about a file.
_NO_ROOM = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EIO)
_INSTALLED = (sys.executable, *{sysconfig.get_path(name) for name in ("purelib", "platlib")})


def state_of(*folders: Path) -> tuple[object, ...]:
    """Return a tuple that changes when a file in or below the folders changes, or a package is installed.

    It has names, times and sizes of all files but those in folders ``__pycache__``. Links are followed, each folder
    once. A file that cannot be looked at counts by its name: an editor's lock file is a link to nothing, and files
    vanish while they are listed. An edit inside an installed package changes nothing.
    """
    seen: set[tuple[int, int]] = set()

    def files(folder: str) -> Iterator[tuple[str, *tuple[int, ...]]]:
        """Yield each file below a folder with times, size and number; by its name alone if it cannot be read."""
        # Not by recursion: folders may be deeper than Python's stack.
        waiting = [folder]
        while waiting:
            with (
                contextlib.suppress(FileNotFoundError, NotADirectoryError, PermissionError),
                os.scandir(waiting.pop()) as entries,
            ):
                for entry in entries:
                    if entry.name == "__pycache__":
                        continue
                    try:
                        status = entry.stat()
                    except OSError as error:
                        if error.errno in _NO_ROOM:
                            raise
                        yield (entry.path,)
                        continue
                    if not stat.S_ISDIR(status.st_mode):
                        yield entry.path, status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
                    elif (place := (status.st_dev, status.st_ino)) not in seen:
                        seen.add(place)
                        waiting.append(entry.path)

    def changed(path: str) -> int:
        with contextlib.suppress(FileNotFoundError):
            return os.stat(path).st_mtime_ns  # noqa: PTH116 - a name, as those above.
        return 0

    # Whatever installs a package changes the folder that it is in.
    return (*(file for folder in folders for file in sorted(files(str(folder)))), *map(changed, _INSTALLED))
