"""Client of the fork server: starts Python programs warm, from a process that has imported what they import.

The cost of a short Python job is mostly that of its imports. Here a *server*, a process of its own, imports once,
and each job is a child that is forked from it. In all else a job is what a cold start is: the same program, with
the environment, working directory, process group and standard streams that the shell would have given it.
`Starter.popen` takes the place of `subprocess.Popen` for commands of the shell, and leaves to it each command that
cannot start warm. Of Snakemake only the prefix of its commands is known here.

A server preloads. A job that had to import a module reports the module at its end, and the server imports it
before it starts another job. The server itself runs no job, so jobs share nothing with each other. A module that
preloads more than imports, such as compiled code, can be named as the *preloader*. At the end of a job its
``preloads()`` returns texts, and in the server its ``preload(text)`` is called with each of them.

A server and its workflow talk by a pair of sockets without an address, so none is left over, or open to others.
When the workflow ends, even by SIGKILL, the pair closes, and the server kills its children and ends. When the
server is killed, the workflow kills the server's children. A server serves one program, one environment, one
working directory and one state of the sources; if any of them differs, another server is started, up to four.

``multiprocessing`` has a fork server too. There is one to a process, with that process' environment and not the
job's. It listens in the file system, and what it imports is fixed at its start. It imports the main script into
every child, and its children outlive a killed workflow.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from prefork.commands import Command, parse_simple
from prefork.state import state_of

# Bytes that say how long a request is; none is the last one.
LENGTH_BYTES = 4
# Why a server refuses to start jobs for good.
EDITED = "what they import was edited"
# A server that says nothing for so long, in seconds, is ended: it may be stopped. It may have much to import first.
PATIENCE = 300.0
# More servers than this, dead ones included, a workflow does not have at a time.
MOST_SERVERS = 4


class Refusal(Exception):
    """A command cannot be started warm, that is forked from a server; the message says why."""


class Usage(NamedTuple):
    """Resources that a process used, its own children included.

    Attributes
    ----------
    seconds
        Processor time in seconds.
    memory
        Peak memory in kilobytes of 1024 bytes; it includes what the process shares with its server.
    read, written
        Numbers of blocks of 512 bytes that were read from disks, and that were written to disks.
    """

    seconds: float
    memory: int
    read: int
    written: int


@dataclass
class Started:
    """A job that a server has started, with those members of `subprocess.Popen` that poll, wait and kill.

    Attributes
    ----------
    args
        Text of the shell command.
    pid
        Process id of the job.
    connection
        Connection by which the server reports the job's end.
    on_end
        Function that is called with the process id when the job's end is noticed.
    on_wait
        Function that is called while `wait` waits: each half second, after 15 seconds each half minute.
    returncode
        Exit status as in `subprocess.Popen`, -9 if its server was killed; ``None`` until the job's end is noticed.
    usage
        Resources that the job used; ``None`` before its end, or if its server was killed.
    stdin, stdout, stderr
        Always ``None``, as of a process whose streams are not piped.
    """

    args: str
    pid: int
    connection: Connection
    on_end: Callable[[int], object]
    on_wait: Callable[[], object] = lambda: None
    returncode: int | None = None
    usage: Usage | None = None
    stdin: None = None
    stdout: None = None
    stderr: None = None

    def poll(self) -> int | None:
        """Return the exit status (-N after a signal N), or ``None`` if the job runs; call `on_end` at its end."""
        if self.returncode is None and self.connection.poll():
            try:
                # The job has ended. Only now does its server reap it: until then its usage could be read.
                self.connection.recv()
                self.connection.send(None)
                self.returncode, usage = self.connection.recv()
                self.usage = Usage(*usage)
            except (EOFError, OSError):
                # The server has ended, and nobody else would end its child.
                self.kill()
                self.returncode = -signal.SIGKILL
            self.connection.close()
            self.on_end(self.pid)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end of the job, and return its exit status.

        Raises
        ------
        subprocess.TimeoutExpired
            If the job has not ended after ``timeout`` seconds; ``None`` sets no limit.
        """
        began = time.monotonic()
        while (status := self.poll()) is None:
            passed = time.monotonic() - began
            if timeout is not None and passed >= timeout:
                raise subprocess.TimeoutExpired(self.args, timeout)
            # As Snakemake does, look at long jobs less often.
            pause = 0.5 if passed < 15 else 30.0
            if not self.connection.poll(pause if timeout is None else min(pause, timeout - passed)):
                self.on_wait()
        return status

    def send_signal(self, number: int) -> None:
        """Send the signal with this number to the job, if it runs."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask the job to end, by SIGTERM, if it runs."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End the job by SIGKILL, if it runs."""
        self.send_signal(signal.SIGKILL)


class Server:
    """Handle by which a workflow starts a fork server, sends it jobs and ends it.

    Parameters
    ----------
    shell, prefix, environment
        Path of the shell that starts the server, text before the shell's command, such as ``set -euo pipefail; ``,
        and environment variables.
    preloader
        Name of a module that preloads more than imports (`prefork.install` tells how); ``None`` for none.
    """

    def __init__(self, shell: str, prefix: str, environment: Mapping[str, str], preloader: str | None) -> None:
        """Start the server by the shell of a cold start, with a socket for requests."""
        self._socket, theirs = socket.socketpair()
        begin = (
            "import sys; del sys.path[: not sys.flags.safe_path]; "
            f"from {__package__}.server import serve; serve({theirs.fileno()}, {preloader!r})"
        )
        with theirs:
            # By the same shell as a cold start: what that does to the environment is done to the server's.
            self._process = subprocess.Popen(
                f"{prefix}exec {shlex.quote(sys.executable)} -c {shlex.quote(begin)}",
                shell=True,
                executable=shell,
                env=dict(environment),
                pass_fds=[theirs.fileno()],
            )
        self._lock = threading.Lock()

    @property
    def has_ended(self) -> bool:
        """Whether the server's process has ended."""
        return self._process.poll() is not None

    def start(self, command: Command, text: str, on_end: Callable[[int], object]) -> Started:
        """Let the server start ``command``, whose text is ``text``, and return the started job.

        ``on_end`` is called with the job's process id when its end is noticed.

        Raises
        ------
        Refusal
            If the server refuses the job, does not answer, or has ended.
        """
        content = json.dumps([command.words, command.redirections]).encode()
        ours, theirs = socket.socketpair()
        connection = Connection(ours.detach())
        try:
            with theirs, self._lock:
                socket.send_fds(self._socket, [len(content).to_bytes(LENGTH_BYTES, "big")], [theirs.fileno()])
                self._socket.sendall(content)
            answer = connection.recv() if connection.poll(PATIENCE) else self._give_up(connection)
        except (EOFError, OSError):
            answer = "their server has ended"
        if not isinstance(answer, int):
            connection.close()
            raise Refusal(answer)
        return Started(text, answer, connection, on_end)

    def _give_up(self, connection: Connection) -> str:
        """End a server that does not answer, and a job that it has started by now; return why."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(EOFError, OSError):
            if isinstance(pid := connection.recv(), int):
                with contextlib.suppress(ProcessLookupError):
                    while True:
                        os.kill(pid, signal.SIGKILL)
                        time.sleep(0.01)
        return "their server does not answer"

    def retire(self) -> None:
        """Let the server take no more jobs, and end when its last running job has ended."""
        with self._lock, contextlib.suppress(OSError):
            self._socket.sendall(bytes(LENGTH_BYTES))

    def close(self) -> None:
        """End the server, which kills the jobs that still run."""
        self._socket.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Starter:
    """Starter of a workflow's jobs: warm, forked from a server, where that is possible, else cold.

    Parameters
    ----------
    programs
        Names of console scripts, such as ``mytool``, that may start warm, if the one on a job's ``PATH`` is run by
        this interpreter. So may a script file that is given to this interpreter.
    sources
        Folders of files that can influence a job; if one of these files changes, new jobs get a new server.
    preloader
        Name of a module that preloads more than imports (`prefork.install` tells how); ``None`` for none.
    warn
        Function that is called with a line of text when a job starts cold that might have started warm; once for
        each text.
    """

    def __init__(
        self,
        programs: Sequence[str],
        sources: Sequence[Path],
        preloader: str | None = None,
        warn: Callable[[str], object] = lambda _: None,
    ) -> None:
        """Begin without servers; each is started for its first job."""
        self._programs = frozenset(programs)
        self._sources = tuple(sources)
        self._preloader = preloader
        # Each text is given once.
        self._warn = functools.cache(warn)
        self._lock = threading.Lock()
        self._state: tuple[object, ...] = ()
        self._servers: dict[tuple[str, ...], Server] = {}
        self._deaths = 0
        self._retired: list[Server] = []
        self.running: dict[int, Started] = {}  # Jobs that started warm and still run, by process id.
        atexit.register(self.close)

    def popen(self, command: str, **options: Any) -> Started | subprocess.Popen[Any]:
        """Start a command of the shell: warm if it is a simple call of a known program, else by `subprocess.Popen`.

        A simple call has a program, arguments and redirections of output; no variables, globs, pipes or further
        commands. ``options`` are those of `subprocess.Popen`. A warm start needs ``shell=True``, a bash as
        ``executable`` and an ``env``; other options only as by default, or this process's own ``stdout``.
        """
        try:
            return self._start(command, **options)
        except Refusal:
            pass
        except OSError as error:
            # Such as no descriptors, no memory for a process, or no working directory. A cold start may do without.
            self._warn(f"some jobs start cold: {error.strerror or error}")
        return subprocess.Popen(command, **options)

    def _start(
        self,
        text: str,
        *,
        shell: bool = False,
        executable: str | None = None,
        env: Mapping[str, str] | None = None,
        stdout: Any = None,
        bufsize: int = -1,
        close_fds: bool = True,
        universal_newlines: bool | None = None,
        **others: object,
    ) -> Started:
        """Start a command as `subprocess.Popen` would, from a server; raise `Refusal` if only a shell can.

        Parameters
        ----------
        text
            The command.
        shell, executable, env, stdout, bufsize, close_fds, universal_newlines, others
            Options of `subprocess.Popen`.
        """
        command = parse_simple(text)
        if command is None or not shell or executable is None or Path(executable).name != "bash" or env is None:
            raise Refusal("not a simple command of bash")
        piped = stdout is not None and (isinstance(stdout, int) or stdout.fileno() != 1)
        if others or universal_newlines or piped or bufsize != -1 or not close_fds:
            raise Refusal("something else is wanted of it")
        program, *arguments = command.words
        script = program == sys.executable and len(arguments) == 1 and not arguments[0].startswith("-")
        if not script and (program not in self._programs or f"BASH_FUNC_{program}%%" in env):
            raise Refusal("not one of the programs")
        key = (program, executable, command.prefix, str(Path.cwd()), *map("=".join, sorted(env.items())))
        try:
            started = self._start_on_server(key, command, text, env)
        except Refusal as reason:
            self._warn(f"jobs of {program} start cold: {reason}")
            raise
        self.running[started.pid] = started
        return started

    def _start_on_server(
        self, key: tuple[str, ...], command: Command, text: str, env: Mapping[str, str]
    ) -> Started:
        """Have a job started, by another server if the first one has imported what was edited since.

        Parameters
        ----------
        key
            Program, shell, prefix, working directory and environment: one server has one key.
        command, text, env
            The command, its text, and its environment.
        """
        for again in (True, False):
            with self._lock:
                server = self._server(key, key[1], command.prefix, env)
            try:
                return server.start(command, text, lambda pid: self.running.pop(pid, None))
            except Refusal as reason:
                if str(reason) != EDITED:
                    raise
                with self._lock:
                    if self._servers.get(key) is server:
                        self._retire(key)
                if not again:
                    raise
        raise AssertionError

    def _retire(self, *keys: tuple[str, ...]) -> None:
        """Let servers end with their last jobs."""
        for key in keys:
            self._servers[key].retire()
            self._retired.append(self._servers.pop(key))

    def _server(self, key: tuple[str, ...], shell: str, prefix: str, environment: Mapping[str, str]) -> Server:
        """Return the server of such jobs, from now on if there is none."""
        state = state_of(*self._sources)
        if state != self._state:
            self._retire(*self._servers)
            self._state, self._deaths = state, 0
        if key in self._servers and self._servers[key].has_ended:
            self._servers.pop(key).close()
            self._deaths += 1
        if key not in self._servers:
            if len(self._servers) + self._deaths >= MOST_SERVERS:
                raise Refusal("there were too many servers")
            self._servers[key] = Server(shell, prefix, environment, self._preloader)
        return self._servers[key]

    def close(self) -> None:
        """End all servers, and by that the jobs that still run."""
        for server in (*self._servers.values(), *self._retired):
            server.close()
