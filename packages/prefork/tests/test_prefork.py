"""A warm start is a cold start in all but its cost: what a job finds, what it leaves, and how it ends."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import prefork
from prefork import client, commands
from prefork.process import kilobytes

BASH = shutil.which("bash")
PREFIX = "set -euo pipefail;  "
# All that a process can see of how it was started, but for its number and its parent's.
LOOK = """
import json, os, resource, signal, sys
seen = {
    "arguments": sys.argv,
    "name": __name__,
    "file": __file__,
    "main": sys.modules["__main__"].__dict__ is globals(),
    "path": sys.path,
    "flags": str(sys.flags),
    "folder": os.getcwd(),
    "environment": sorted(os.environ.items()),
    "mask": os.umask(0),
    "group": os.getpgrp(),
    "session": os.getsid(0),
    "nice": os.nice(0),
    "limits": [resource.getrlimit(limit) for limit in (resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)],
    "signals": {int(number): str(signal.getsignal(number)) for number in signal.valid_signals() if number != 32},
    "blocked": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
    "streams": [os.stat(number).st_ino for number in range(3)],
    "buffered": [sys.stdin.line_buffering, sys.stdout.line_buffering, sys.stderr.line_buffering],
    "encoding": [sys.stdin.encoding, sys.stdout.encoding, sys.stderr.errors],
}
print(json.dumps(seen, default=str, indent=1))
"""


def options(**changes: Any) -> dict[str, Any]:
    """Return what Snakemake gives to `subprocess.Popen` beside the command."""
    usual = {
        "bufsize": -1,
        "shell": True,
        "stdout": None,
        "universal_newlines": None,
        "close_fds": True,
        "executable": BASH,
        "env": {**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    }
    return {**usual, **changes}


class Bench:
    """A folder with Python programs, and what starts them."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        self.folder = folder
        self.told: list[str] = []
        self.sources = folder / "sources"
        (self.sources / "bin").mkdir(parents=True)
        self.env = {
            **os.environ,
            "OPENBLAS_NUM_THREADS": "1",
            "PATH": f"{self.sources / 'bin'}:{os.environ['PATH']}",
            "PYTHONPATH": f"{self.sources}:{os.environ.get('PYTHONPATH', '')}",
            # Python takes compiled bytes for fresh by size and whole second: too coarse here, cold or warm.
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        self.starter = prefork.Starter(["prog"], [self.sources], warn=self.told.append, **changes)

    def write(self, name: str, text: str) -> Path:
        """Write a source."""
        path = self.sources / name
        path.write_text(text, encoding="utf-8")
        return path

    def program(self, text: str) -> None:
        """Write ``prog``, which is on the path."""
        path = self.write("bin/prog", f"#!{sys.executable}\n{text}")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def start(self, command: str) -> prefork.Started:
        """Start a command warm, or fail."""
        started = self.starter.popen(PREFIX + command, **options(env=self.env))
        assert isinstance(started, prefork.Started), self.told
        return started

    def warm(self, command: str) -> int:
        """Run a command warm, or fail; return its status."""
        return self.start(command).wait(timeout=60)

    def cold(self, command: str) -> int:
        """Run a command as Snakemake does; return its status."""
        return subprocess.Popen(PREFIX + command, **options(env=self.env)).wait(timeout=60)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    """Return a bench, and work in its folder."""
    monkeypatch.chdir(tmp_path)
    made = Bench(tmp_path)
    before = os.umask(0o027)
    yield made
    os.umask(before)
    made.starter.close()


SIMPLE = {
    "prog": (["prog"], ()),
    "prog -x 'a b' --c=d 2> log": (["prog", "-x", "a b", "--c=d"], ((2, "log"),)),
    "prog 'it'\"'\"'s' \"$\"": None,
    "prog 'it'\"'\"'s' >out 2>&1": (["prog", "it's"], ((1, "out"), (2, 1))),
    "prog '$HOME' > 'a b'": (["prog", "$HOME"], ((1, "a b"),)),
    "prog '' ''": (["prog", "", ""], ()),
    "prog 'a\nb'": (["prog", "a\nb"], ()),
    "prog 2>&1 > a 2 ": (["prog", "2"], ((2, 1), (1, "a"))),
    "prog >a 2> 'b c'": (["prog"], ((1, "a"), (2, "b c"))),
}
NOT_SIMPLE = [
    "",
    "prog $HOME",
    "prog `id`",
    'prog "$HOME"',
    "prog *",
    "prog ~/x",
    "prog a{b,c}",
    "prog \\a",
    "prog; prog",
    "prog & ",
    "prog && prog",
    "prog | cat",
    "prog < in",
    "prog >> log",
    "prog 3> log",
    "prog a2> log",
    "prog (a)",
    "prog # a",
    "prog\nprog",
    "prog !a",
    "prog 'a",
    "prog ä",
]


@pytest.mark.parametrize("text", SIMPLE)
def test_simple_commands_are_understood(text: str) -> None:
    """Those that Snakemake makes of a rule's shell line."""
    known = SIMPLE[text]
    found = commands.parse_simple(PREFIX + text)
    if known is None:
        assert found is None
    else:
        assert found is not None
        assert (list(found.words), found.redirections, found.prefix) == (*known, PREFIX)


@pytest.mark.parametrize("text", NOT_SIMPLE)
def test_others_are_left_to_the_shell(text: str) -> None:
    """Whatever may be more than a program and redirections."""
    assert commands.parse_simple(PREFIX + text) is None


@given(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6), max_size=4))
@settings(max_examples=200, deadline=None)
def test_quoted_words_are_the_words(words: list[str]) -> None:
    """What Snakemake quotes (``:q``) is read back."""
    found = commands.parse_simple(f"{PREFIX}prog {shlex.join(words)}".rstrip(" "))
    assert found is not None
    assert list(found.words) == ["prog", *words]


@given(st.text("ab1='\"$`\\!&|;<>(){}*?[]#~ \n-%^,", max_size=9))
@settings(max_examples=150, deadline=None)
def test_what_is_understood_is_what_bash_understands(text: str) -> None:
    """However odd: bash itself is asked."""
    found = commands.parse_simple(f"printf '%s\\0' x {text}")
    if found is None or found.redirections:
        return
    assert BASH
    said = subprocess.run([BASH, "-c", f"printf '%s\\0' x {text}"], capture_output=True, text=True, check=True)
    assert said.stdout.split("\0")[:-1] == list(found.words[2:])


@pytest.mark.parametrize("kind", ["program", "script"])
def test_a_job_finds_what_it_would_find(bench: Bench, kind: str) -> None:
    """Arguments, environment, folder, mask, group, signals, streams, the module's name: all but its number."""
    bench.program(LOOK)
    bench.write("look.py", LOOK)
    call = "prog 'a b' c" if kind == "program" else f"{sys.executable} sources/look.py"
    for _ in range(2):
        assert bench.warm(f"{call} > warm.json 2> warm.log") == 0
    inode = (bench.folder / "warm.json").stat().st_ino, (bench.folder / "warm.log").stat().st_ino
    assert bench.cold(f"{call} > cold.json 2> cold.log") == 0
    seen, expected = (json.loads((bench.folder / name).read_text("utf-8")) for name in ("warm.json", "cold.json"))
    assert tuple(seen["streams"][1:]) == inode
    seen["streams"][1:] = expected["streams"][1:] = []
    # What was last called, and whether bash is still there.
    for known in (seen, expected):
        known["environment"] = [item for item in known["environment"] if item[0] not in ("_", "SHLVL")]
    assert seen == expected
    assert not (bench.folder / "warm.log").read_text("utf-8")


ENDS = {
    "import sys; sys.exit(3)": 3,
    "import sys; sys.exit('no more')": 1,
    "import sys; sys.exit()": 0,
    "import sys; sys.exit(258)": 2,
    "def f():\n    raise ValueError('wrong')\nf()": 1,
    "1 +": 1,
    "import atexit; atexit.register(print, 'at the end')": 0,
    "import tempfile, pathlib; t = tempfile.TemporaryDirectory(); pathlib.Path('named').write_text(t.name)": 0,
    "import threading, time\nthreading.Thread(target=lambda: (time.sleep(0.1), print('late'))).start()": 0,
    "import warnings; warnings.warn('look')": 0,
    "print('out'); import os; os.write(2, b'err'); print('out')": 0,
    "import os; os._exit(4)": 4,
}


@pytest.mark.parametrize("text", ENDS)
def test_a_job_ends_as_it_would_end(bench: Bench, text: str) -> None:
    """The same status, and the same on its streams: tracebacks, threads, what is done at the end."""
    bench.program(text)
    assert bench.warm("prog > warm 2>&1") == ENDS[text]
    left = Path("named").read_text("utf-8") if Path("named").exists() else ""
    assert not left or not Path(left).exists()
    assert bench.cold("prog > cold 2>&1") == ENDS[text]
    assert Path("warm").read_text("utf-8") == Path("cold").read_text("utf-8")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_job_ends_by_its_signal(bench: Bench, number: int) -> None:
    """Bash says 128 more in some cases; Snakemake sees that it failed, and by what."""
    bench.program("import time; open('runs', 'w').close(); time.sleep(60)")
    started = bench.start("prog 2> log")
    wait_for(lambda: Path("runs").exists())
    started.send_signal(number)
    assert started.wait(timeout=60) == -number
    assert ("KeyboardInterrupt" in Path("log").read_text("utf-8")) == (number == signal.SIGINT)


def test_a_file_that_cannot_be_written_fails_the_job(bench: Bench) -> None:
    """As in bash: status 1, and the program does not run."""
    bench.program("open('ran', 'w').close()")
    assert bench.warm("prog 2> none/log") == bench.cold("prog 2> none/log") == 1
    assert not Path("ran").exists()


def test_a_server_imports_once_what_jobs_import(bench: Bench) -> None:
    """The first job imports for itself, the server before the second, nobody after that."""
    bench.write("heavy.py", "import os\nwith open('imports', 'a') as file:\n    print(os.getpid(), file=file)\n")
    bench.program("import heavy, os\nwith open('jobs', 'a') as file:\n    print(os.getpid(), file=file)\n")
    for _ in range(4):
        assert bench.warm("prog") == 0
    importers, jobs = (Path(name).read_text("utf-8").split() for name in ("imports", "jobs"))
    assert len(set(jobs)) == 4
    assert len(importers) == 2
    assert importers[0] == jobs[0]
    assert importers[1] not in jobs


PRELOADER = """
KNOWN = {}

def look_up(key):
    if key not in KNOWN:
        print('computed')
    return KNOWN.setdefault(key, 2 * key)

def preloads():
    return [str(key) for key in KNOWN]

def preload(text):
    KNOWN[int(text)] = 2 * int(text)
"""


def test_many_jobs_at_a_time_all_start_warm(bench: Bench) -> None:
    """From several threads, each job so short that its end, its preloads and the next request meet."""
    bench.program("import sys; sys.exit(int(sys.argv[1]))")

    def some(first: int) -> list[int]:
        return [bench.warm(f"prog {number}") for number in range(first, first + 40)]

    with ThreadPoolExecutor(6) as threads:
        assert list(threads.map(some, range(6))) == [list(range(first, first + 40)) for first in range(6)]
    assert len(servers(bench)) == 1
    assert bench.starter.running == {}


def test_the_preloader_hands_down_what_jobs_know(bench: Bench) -> None:
    """What is no import, as compiled code."""
    bench.write("preloader.py", PRELOADER)
    bench.starter = prefork.Starter(["prog"], [bench.sources], "preloader")
    bench.program("import sys, preloader\nprint(preloader.look_up(int(sys.argv[1])))")
    said = []
    for number in (1, 2, 1, 2):
        assert bench.warm(f"prog {number} > out") == 0
        said.append(Path("out").read_text("utf-8").split())
    assert said == [["computed", "2"], ["computed", "4"], ["2"], ["4"]]


def test_jobs_have_nothing_of_each_other(bench: Bench) -> None:
    """Neither what they change in modules, nor random numbers that nobody seeded."""
    bench.program(
        "import json, random, numpy\n"
        "print(hasattr(json, 'mine'), random.random(), numpy.random.random())\n"
        "json.mine = 1"
    )
    said = []
    for number in range(4):
        assert bench.warm(f"prog > out{number}") == 0
        said.append(Path(f"out{number}").read_text("utf-8").split())
    assert [line[0] for line in said] == ["False"] * 4
    assert len({line[1] for line in said}) == len({line[2] for line in said}) == 4


def test_an_edited_source_is_never_served_by_an_old_server(bench: Bench) -> None:
    """Edited, even to the same size; new; removed; of a job's imports or of none."""
    module = bench.write("value.py", "value = 1\n")
    bench.program("import value\nprint(value.value)")

    def said() -> str:
        assert bench.warm("prog > out") == 0
        return Path("out").read_text("utf-8").strip()

    assert [said(), said()] == ["1", "1"]
    server = servers(bench)[0]
    module.write_text("value = 2\n", encoding="utf-8")
    assert [said(), said()] == ["2", "2"]
    assert servers(bench) != [server]
    module.unlink()
    (bench.sources / "value").mkdir()
    bench.write("value/__init__.py", "value = 3")
    assert said() == "3"
    now = servers(bench)
    bench.write("data.txt", "nothing")
    assert said() == "3"
    assert servers(bench) != now


def test_a_job_that_has_ended_can_be_looked_at_until_it_is_waited_for(bench: Bench) -> None:
    """As any child can: Snakemake's measurements begin with it, and a job may be the faster."""
    bench.program("")
    started = bench.start("prog")
    assert started.connection.poll(60)
    wait_for(lambda: psutil.Process(started.pid).status() == psutil.STATUS_ZOMBIE)
    assert started.wait(timeout=60) == 0
    assert not psutil.pid_exists(started.pid)


def test_a_job_that_nobody_waits_for_is_not_kept(bench: Bench) -> None:
    """Its workflow has forgotten it."""
    bench.program("")
    process = psutil.Process(bench.start("prog").pid)
    bench.starter.running.clear()
    process.wait(timeout=60)


def test_a_job_of_old_sources_runs_to_its_end(bench: Bench) -> None:
    """Its server takes no more jobs, but stays for it, and no longer."""
    bench.program("import time, pathlib\nwhile not pathlib.Path('go').exists():\n    time.sleep(0.01)")
    first = bench.start("prog")
    old = psutil.Process(servers(bench)[0])
    bench.write("other.py", "")
    second = bench.start("prog")
    assert old.is_running()
    assert old.pid not in servers(bench)
    Path("go").touch()
    assert first.wait(timeout=60) == second.wait(timeout=60) == 0
    old.wait(timeout=60)


def test_other_environments_have_other_servers(bench: Bench) -> None:
    """A job finds its own variables, from the start of the interpreter; too many are left to the shell."""
    bench.program("import os, sys\nprint(os.environ['MINE'], sys.flags.optimize)")
    for number in range(6):
        bench.env |= {"MINE": str(number), "PYTHONOPTIMIZE": str(number % 3)}
        started = bench.starter.popen(f"{PREFIX}prog > out", **options(env=bench.env))
        assert started.wait(timeout=60) == 0
        assert Path("out").read_text("utf-8").split() == [str(number), str(number % 3)]
        assert isinstance(started, prefork.Started) == (number < client.MOST_SERVERS)
    assert len(bench.told) == 1


COLD = {
    "a pipe": ("prog | cat > out", {}),
    "output that is wanted": ("prog", {"stdout": subprocess.PIPE}),
    "another shell": ("prog > out", {"executable": "/bin/sh"}),
    "another program": ("echo 1 > out", {}),
    "an option of the interpreter": (f"{sys.executable} -V > out", {}),
    "a module": (f"{sys.executable} -c pass > out", {}),
}


@pytest.mark.parametrize("case", COLD)
def test_what_is_not_known_starts_cold(bench: Bench, case: str) -> None:
    """By the ordinary Popen, with the ordinary result, and no word is said of it."""
    bench.program("print(1)")
    command, changes = COLD[case]
    prefix = "" if "executable" in changes else PREFIX
    started = bench.starter.popen(prefix + command, **options(env=bench.env, **changes))
    assert isinstance(started, subprocess.Popen)
    started.communicate(timeout=60)
    assert started.returncode == 0
    assert bench.told == []


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ("#!/usr/bin/env python3", "is not of"),
        ("#!/bin/bash", "is not of"),
        (f"#!{sys.executable} -O", "is not of"),
        ("", "is not of"),
    ],
)
def test_a_program_of_another_interpreter_starts_cold(bench: Bench, first: str, reason: str) -> None:
    """And the reason is said, once."""
    bench.program("")
    (bench.sources / "bin" / "prog").write_text(f"{first}\nprint(1)", encoding="utf-8")
    for _ in range(2):
        started = bench.starter.popen(f"{PREFIX}prog > out 2> log", **options(env=bench.env))
        assert isinstance(started, subprocess.Popen)
        started.wait(timeout=60)
    assert len(bench.told) == 1
    assert reason in bench.told[0]


def test_imports_that_start_threads_start_cold(bench: Bench) -> None:
    """A fork would have their locks and not them."""
    bench.write(
        "busy.py", "import threading, time\nthreading.Thread(target=time.sleep, args=[60], daemon=True).start()"
    )
    bench.program("import busy")
    kinds = []
    for _ in range(3):
        started = bench.starter.popen(f"{PREFIX}prog", **options(env=bench.env))
        assert started.wait(timeout=60) == 0
        kinds.append(type(started))
    assert kinds == [prefork.Started, subprocess.Popen, subprocess.Popen]
    assert "threads" in bench.told[0]


def test_a_dead_server_is_replaced_but_not_for_ever(bench: Bench) -> None:
    """Killed between two jobs: the next ones start warm by another; if that happens again and again, cold."""
    bench.program("print(1)")
    kinds = []
    for _ in range(6):
        started = bench.starter.popen(f"{PREFIX}prog > out", **options(env=bench.env))
        kinds.append(isinstance(started, prefork.Started))
        assert started.wait(timeout=60) == 0
        for number in servers(bench):
            server = psutil.Process(number)
            server.kill()
            wait_for(lambda server=server: server.status() == psutil.STATUS_ZOMBIE)
    assert kinds == [True] * client.MOST_SERVERS + [False] * 2
    assert len(bench.told) == 1


def test_a_server_that_cannot_start_leaves_jobs_to_the_shell(bench: Bench) -> None:
    """Here it cannot import what it consists of."""
    bench.program("print(1)")
    bench.write("prefork.py", "")
    bench.env["PYTHONPATH"] = str(bench.sources)
    started = bench.starter.popen(f"{PREFIX}prog > out", **options(env=bench.env))
    assert isinstance(started, subprocess.Popen)
    assert started.wait(timeout=60) == 0
    assert "has ended" in bench.told[0]


def test_a_killed_server_takes_its_jobs_along(bench: Bench) -> None:
    """They fail, and are no more."""
    bench.program("import time; open('runs', 'w').close(); time.sleep(60)")
    started = bench.start("prog")
    wait_for(lambda: Path("runs").exists())
    job = psutil.Process(started.pid)
    psutil.Process(servers(bench)[0]).kill()
    assert started.wait(timeout=60) == -signal.SIGKILL
    wait_for(lambda: not job.is_running())


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, None])
def test_a_workflow_that_ends_leaves_no_process(bench: Bench, end: int | None) -> None:
    """Killed in the midst of a job, or at its end with a server that waits."""
    bench.program("import time; open('runs', 'w').close(); time.sleep(60)")
    workflow = bench.write(
        "workflow.py",
        "import os, shutil, pathlib, sys\nfrom prefork import Starter\n"
        "started = Starter(['prog'], [pathlib.Path('sources')]).popen('prog', shell=True, "
        "executable=shutil.which('bash'), env=dict(os.environ))\n"
        + ("started.wait()" if end else "import time\nwhile not os.path.exists('runs'): time.sleep(0.01)"),
    )
    process = psutil.Popen([sys.executable, str(workflow)], env=bench.env)
    wait_for(lambda: Path("runs").exists())
    family = process.children(recursive=True)
    assert len(family) == 2 or end is None
    if end:
        process.send_signal(end)
    process.wait(timeout=60)
    _, alive = psutil.wait_procs(family, timeout=60)
    assert not alive


BUSY = "import time\nend = time.process_time() + {}\nwhile time.process_time() < end: pass\n"


@pytest.mark.slow
def test_what_is_measured_is_the_job(bench: Bench) -> None:
    """Its own processor time and memory, and not what its server or another job used."""
    bench.write("heavy.py", BUSY.format("0.4"))
    bench.program(f"import heavy, sys\nx = bytearray(int(sys.argv[2]))\n{BUSY.format('float(sys.argv[1])')}")
    used = []
    for words in ("0 1", "0 1", "0.4 50_000_000", "0 1"):
        started = bench.start(f"prog {words}")
        assert started.wait(timeout=60) == 0
        assert started.usage is not None
        used.append(started.usage)
    assert used[0].seconds > 0.35
    assert used[2].seconds > 0.35
    # A start takes some hundredths; the server's import and the other job's work 0.4 s each, on every machine.
    assert max(used[1].seconds, used[3].seconds) < 0.35
    assert used[2].memory - used[3].memory > 40_000


def test_peak_memory_is_in_kilobytes_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS counts it in bytes."""
    for platform, peak in (("linux", 50_000), ("darwin", 50_000 * 1024)):
        monkeypatch.setattr(sys, "platform", platform)
        assert kilobytes(peak) == 50_000


def servers(bench: Bench) -> list[int]:
    """Return the process numbers of the servers that take jobs."""
    return [server._process.pid for server in bench.starter._servers.values()]


def wait_for(condition: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is so, or fail."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
