"""No fault among sources or in the process stops a workflow: jobs start warm, or cold, and see each edit."""

from __future__ import annotations

import errno
import os
import signal
import socket
import subprocess
import sys
import time
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


def _deep(folder: Path) -> None:
    # Deeper than Python's stack, and short enough for a path.
    subprocess.run(["mkdir", "-p", folder / "/".join("a" * 1100)], check=True)


def _bytes(folder: Path) -> None:
    os.close(os.open(os.fsencode(folder) + b"/\xff.py", os.O_CREAT))


def _dated(file: Path, when: int) -> None:
    file.touch()
    os.utime(file, (when, when))


def _sparse(file: Path) -> None:
    with file.open("wb") as made:
        made.truncate(2**40)


def _bytecode(folder: Path) -> None:
    folder.mkdir()
    (folder / f"value.{sys.implementation.cache_tag}.pyc").write_bytes(b"\xff" * 99)


def _closed(file: Path) -> None:
    file.touch()
    file.chmod(0)


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
    "a folder in a folder in a folder": _deep,
    "a name as long as can be": lambda folder: (folder / ("a" * 255)).touch(),
    "a name of two lines": lambda folder: (folder / "a\nb.py").touch(),
    "a file of the future": lambda folder: _dated(folder / "future.py", 2**33),
    "a file from before 1970": lambda folder: _dated(folder / "past.py", -(2**31)),
    "a file of a terabyte": lambda folder: _sparse(folder / "huge.bin"),
    "a second name of the module": lambda folder: os.link(folder / "bin" / "prog", folder / "again.py"),
    "bytecode of nobody": lambda folder: _bytecode(folder / "__pycache__"),
    "a file that nobody may read": lambda folder: _closed(folder / "closed.py"),
    "a module that is a folder too": lambda folder: (folder / "values.py").mkdir(),
    "a list of paths that is none": lambda folder: (folder / "x.pth").write_bytes(b"import nothing\x00\xff"),
    "no Python": lambda folder: (folder / "wrong.py").write_bytes(b"\x00(("),
}
# What a look at the sources, or the start of a server, may end with.
FAILING = [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN, errno.EIO, errno.ESTALE, errno.EACCES]
FAILING += [errno.EPERM, errno.ENOSPC, errno.ELOOP, errno.ENOENT, errno.EROFS]


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
        self.starter = prefork.Starter(["prog"], [self.sources], warn=self.told.append)

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
    # A deep folder that stays would end a later run of pytest, which goes through it by recursion.
    subprocess.run(["rm", "-rf", found.sources / "a"], check=True)


# Of links, files and folders that are hard to read or to name, the fast tier has one or two of each.
ALIKE = (
    "an editor's lock",
    "a link to the folder above",
    "a link below a file",
    "a socket",
    "a name as long as can be",
    "a name of two lines",
    "a file from before 1970",
    "a file that nobody may read",
    "a module that is a folder too",
    "a folder in a folder in a folder",
)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) if kind in ALIKE else kind for kind in LYING]
)
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


# What a module may do when a server imports it, as its first job did.
IMPORTED = {
    "it wants arguments": "import sys\nif sys.argv[0] == '-c': sys.exit('usage: prog FILE')\n",
    "it stops as by Ctrl-C": "import sys\nif sys.argv[0] == '-c': raise KeyboardInterrupt\n",
    "it is no module": (
        "import sys\n\n\nclass Lazy:\n    def __getattr__(self, name):\n        raise RuntimeError(name)\n\n\n"
        "sys.modules['lazy'] = Lazy()\n"
    ),
    "it has no file that can be": (
        "import sys, types\nsys.modules['odd'] = odd = types.ModuleType('odd')\nodd.__file__ = 'a\\0b'\n"
    ),
}


@pytest.mark.parametrize("kind", IMPORTED)
def test_what_a_module_does_kills_no_job(place: Place, kind: str) -> None:
    """The server lives on, and so does a job that it runs."""
    place.module.write_text("import time\nvalue = 1\ntime.sleep(0.5)\n")
    assert place.said(warm=True) == "1"
    # It comes among the modules while a job runs.
    extra = place.sources / "extra.py"
    extra.write_text(IMPORTED[kind])
    place.module.write_text("import os, time\nvalue = 1\nif os.path.exists('now'): import extra\ntime.sleep(0.5)\n")
    jobs = [place.starter.popen("prog > out", shell=True, executable="/bin/bash", env=place.env)]
    Path("now").touch()
    for _ in range(3):
        jobs.append(place.starter.popen("prog > out", shell=True, executable="/bin/bash", env=place.env))
        time.sleep(0.7)
    assert [job.wait(timeout=60) for job in jobs] == [0] * 4
    assert place.told == []


def test_a_stopped_server_is_not_waited_for(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is ended, and jobs start cold; each runs once."""
    place.module.write_text("value = 1\n")
    program = place.sources / "bin" / "prog"
    program.write_text(f"{program.read_text()}open('ran', 'a').write('once ')\n")
    assert place.said(warm=True) == "1"
    (server,) = place.starter._servers.values()
    os.kill(server._process.pid, signal.SIGSTOP)
    monkeypatch.setattr(client, "PATIENCE", 0.2)
    assert place.said(warm=False) == "1"
    assert any("does not answer" in line for line in place.told)
    monkeypatch.undo()
    monkeypatch.chdir(place.sources.parent)
    assert place.said(warm=True) == "1"
    assert Path("ran").read_text().split() == ["once"] * 3


def test_a_job_runs_only_if_its_workflow_knows_of_it(place: Place) -> None:
    """A server that is killed before it tells of a job leaves none that runs on beside the cold one."""
    # The server imports this before it forks, and then ends as if it were killed.
    place.module.write_text(
        "import os, sys\nvalue = 1\nif sys.argv[0] == '-c':\n"
        "    from prefork import server\n"
        "    server.Connection.send = lambda *_: os.kill(os.getpid(), 9)\n"
        "else:\n    open('ran', 'a').write('once ')\n"
    )
    assert place.said(warm=True) == "1"
    assert place.said(warm=False) == "1"
    time.sleep(0.5)
    assert Path("ran").read_text().split() == ["once"] * 2


def test_a_module_that_comes_before_another_is_seen(tmp_path: Path, place: Place) -> None:
    """On the path of modules, where no source lies."""
    first, second = tmp_path / "first", tmp_path / "installed"
    for folder in (first, second):
        folder.mkdir()
    place.env["PYTHONPATH"] = f"{first}:{second}"
    (second / "value.py").write_text("value = 1\n")
    assert [place.said(), place.said()] == ["1", "1"]
    (first / "value.py").write_text("value = 2\n")
    assert place.said() == "2"
    (first / "value.py").unlink()
    assert place.said() == "1"


@pytest.mark.parametrize(
    "change", ["os.chdir('/')", "os.environ['A'] = 'b'", "os.umask(0o77)", "sys.path.insert(0, '/')"]
)
def test_a_module_that_changes_its_process_starts_jobs_cold(place: Place, change: str) -> None:
    """Another job, which does not import it, would be changed too."""
    place.module.write_text(f"import os, sys\n{change}\nvalue = 1\n")
    (place.sources / "bin" / "prog").write_text(
        f"#!{sys.executable}\nimport os, sys\nif sys.argv[1:]: import value\n"
        "print(os.getcwd(), os.environ.get('A'), os.umask(0o22) == 0o22, '/' in sys.path)\n"
    )
    out = Path("out").absolute()
    for words in ("", "value", "", ""):
        command = f"prog {words} > {out}"
        place.starter.popen(command, shell=True, executable="/bin/bash", env=place.env).wait()
    assert out.read_text().split() == [str(Path.cwd()), "None", "True", "False"]


def test_a_module_may_append_where_others_are_found(place: Place) -> None:
    """As Snakemake does: what was found before is found first."""
    place.module.write_text("import sys\nsys.path.append('added')\nvalue = 1\n")
    assert [place.said(warm=True), place.said(warm=True), place.said(warm=True)] == ["1"] * 3
    assert place.told == []
