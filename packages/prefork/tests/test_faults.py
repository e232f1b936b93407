"""No fault among sources or in the process stops a workflow: jobs start warm, or cold, and see each edit."""

from __future__ import annotations

import errno
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import prefork
from prefork import client


def _loop(folder: Path) -> None:
    (folder / "loop").symlink_to("loop")


def _unreadable(folder: Path) -> None:
    (folder / "closed").mkdir()
    (folder / "closed").chmod(0)


def _listener(folder: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(folder / "socket"))


def _bytes(folder: Path) -> None:
    os.close(os.open(os.fsencode(folder) + b"/\xff.py", os.O_CREAT))


# What may lie among sources.
LYING: dict[str, Callable[[Path], object]] = {
    "an editor's lock": lambda folder: (folder / ".#a.py").symlink_to("me@host.1:2"),
    "a link to itself": _loop,
    "a link to the folder above": lambda folder: (folder / "up").symlink_to(folder),
    "a link below a file": lambda folder: (folder / "below").symlink_to(folder / "bin/prog/file"),
    "a closed folder": _unreadable,
    "a pipe": lambda folder: os.mkfifo(folder / "pipe"),
    "a socket": _listener,
    "a name that is no text": _bytes,
    "a link to a device": lambda folder: (folder / "zero").symlink_to("/dev/zero"),
    "a name as long as can be": lambda folder: (folder / ("a" * 255)).touch(),
}
# What a look at the sources, or the start of a server, may end with.
FAILING = [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.ESTALE, errno.EACCES]


class Place:
    """A program that prints a number of a module, and its starter."""

    def __init__(self, folder: Path) -> None:
        self.sources = folder / "sources"
        (self.sources / "bin").mkdir(parents=True)
        self.module = self.sources / "value.py"
        program = self.sources / "bin" / "prog"
        program.write_text(f"#!{sys.executable}\nimport value\nprint(value.value)\n")
        program.chmod(0o755)
        self.env = {
            **os.environ,
            "PATH": f"{program.parent}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.sources}:{folder / 'installed'}",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.told: list[str] = []
        self.starter = prefork.Starter(["prog"], [self.sources], tell=self.told.append)

    def said(self, warm: bool | None = None) -> str:
        """Run the program and return what it prints."""
        started = self.starter.popen("prog > out", shell=True, executable="/bin/bash", env=self.env)
        assert warm in (None, isinstance(started, prefork.Started)), self.told
        assert started.wait(timeout=60) == 0
        return Path("out").read_text().strip()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """Yield a place, and work in its folder."""
    monkeypatch.chdir(tmp_path)
    found = Place(tmp_path)
    yield found
    found.starter.close()


@pytest.mark.parametrize("kind", LYING)
def test_what_lies_among_sources_starts_jobs_warm(place: Place, kind: str) -> None:
    """Links to nothing, pipes, closed folders; an edit is seen beside them."""
    LYING[kind](place.sources)
    place.module.write_text("value = 1\n")
    assert place.said(warm=True) == "1"
    place.module.write_text("value = 2\n")
    assert place.said(warm=True) == "2"


@pytest.mark.parametrize("number", FAILING, ids=errno.errorcode.__getitem__)
def test_what_the_system_refuses_starts_jobs_cold(
    place: Place, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Descriptors, memory, processes: of looks, pairs of sockets and servers."""
    place.module.write_text("value = 1\n")

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    for name in ("state_of", "Server"):
        with monkeypatch.context() as patch:
            patch.setattr(client, name, refuse)
            assert place.said(warm=False) == "1"
        place.starter._state = ()
    assert any("start cold" in line for line in place.told)
    assert place.said(warm=True) == "1"


def test_files_that_vanish_while_they_are_listed(place: Place) -> None:
    """Swap files come and go; of a thousand looks each gives a state."""
    maker = (
        "import os, sys\nwhile os.getppid() != 1:\n"
        "    for i in range(9): open(f'{sys.argv[1]}/.{i}.swp', 'w').close()\n"
        "    for i in range(9): os.unlink(f'{sys.argv[1]}/.{i}.swp')\n"
    )
    with subprocess.Popen([sys.executable, "-c", maker, place.sources]) as process:
        try:
            assert all(client.state_of(place.sources) for _ in range(1000))
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["plain", "a linked file", "a linked folder", "an installed package"])
def test_an_edit_that_keeps_size_and_time_is_seen(tmp_path: Path, place: Place, kind: str) -> None:
    """In place, behind links, and of a package that is not among the sources."""
    place.module.unlink(missing_ok=True)
    elsewhere = tmp_path / ("installed" if kind == "an installed package" else "elsewhere")
    elsewhere.mkdir()
    file = elsewhere / "value.py"
    if kind == "plain":
        file = place.module
    elif kind == "a linked file":
        place.module.symlink_to(file)
    elif kind == "a linked folder":
        (place.sources / "value").symlink_to(elsewhere)
        file = elsewhere / "__init__.py"
    for value in range(1, 5):
        file.write_text(f"value = {value}\n")
        os.utime(file, (10**9, 10**9))
        assert [place.said(), place.said()] == [str(value)] * 2
