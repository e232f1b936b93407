"""Fork server: a process that imports what jobs import, and forks them."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import functools
import gc
import importlib
import itertools
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import threading
import time
import types
import weakref
from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NamedTuple, NoReturn

from prefork.client import EDITED, LENGTH_BYTES, Refusal
from prefork.process import attribute_or_none, inherited_state, kilobytes, thread_count

Redirections = Sequence[tuple[int, str | int]]


def serve(descriptor: int, preloader: str | None) -> NoReturn:
    """Run as the server: fork a child for each request from the socket ``descriptor``, until that closes.

    ``preloader`` is the name of a module, or ``None``. Its ``preloads()`` returns texts at the end of a child, and
    its ``preload(text)`` is called here with each.
    """
    _Server(socket.socket(fileno=descriptor), preloader).serve()


class _Child(NamedTuple):
    """Connections about a child: to the client, with its start and end; from the child, with what it loaded."""

    to_client: Connection
    from_child: Connection


class _Server:
    """A server: its children, and what is known of modules that jobs import."""

    def __init__(self, requests: socket.socket, preloader: str | None) -> None:
        """Begin without children, and note what a cold start would find."""
        self.requests = requests
        self.preloader = preloader
        self.children: dict[int, _Child] = {}
        # Of them, those that have ended and that their workflow has not waited for.
        self.ended_children: set[int] = set()
        self.retired = False
        # Names of modules and texts of the preloader: what is known, and what children have said since.
        self.loaded: set[str] = set()
        self.reported: dict[str, None] = {}
        # Files of modules, as they were when they were imported.
        self.began = time.time_ns()
        self.files: dict[str, tuple[int, ...]] = {}
        # Folders of modules, with their times.
        self.folders: list[tuple[str, int]] = []
        # What no import may change, for jobs that do not import it.
        self.own_folders = len(sys.path)
        self.state_at_start: dict[str, object] = {}
        self.ended, self.ends = socket.socketpair()
        self.selector = selectors.DefaultSelector()
        # As a cold start finds it: a workflow in the background of a script ignores it.
        self.interrupt = signal.getsignal(signal.SIGINT)

    def serve(self) -> NoReturn:
        """Take requests and look after children until the workflow is over."""
        # Ctrl-C goes to the whole process group. Children end by it, and the server is there to tell.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self.ended.setblocking(False)
        self.ends.setblocking(False)
        signal.set_wakeup_fd(self.ends.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.requests, selectors.EVENT_READ, self.take_request)
        self.selector.register(self.ended, selectors.EVENT_READ, self.report_ended)
        # A collection would write to, so copy, what children share with it.
        gc.disable()
        self.state_at_start = inherited_state(self.own_folders)
        while not self.retired or self.children:
            for event, _ in self.selector.select():
                event.data()
        _end(0)

    def take_request(self) -> None:
        """Take a request, and start what it asks for."""
        head, descriptors, _, _ = socket.recv_fds(self.requests, LENGTH_BYTES, 1, socket.MSG_WAITALL)
        if not head:
            self.abandon()
        missing = int.from_bytes(head, "big")
        if not missing:
            self.retired = True
            return
        content = b""
        while missing > len(content):
            part = self.requests.recv(missing - len(content))
            if not part:
                self.abandon()
            content += part
        to_client = Connection(descriptors[0])
        try:
            self.start(to_client, *json.loads(content))
        except Exception as reason:
            # A server that ended here would take along what it runs.
            with contextlib.suppress(OSError):
                to_client.send(str(reason) or type(reason).__name__)
            to_client.close()

    def start(self, to_client: Connection, words: list[str], redirections: Redirections) -> None:
        """Fork a child that runs a program."""
        path, arguments = _program(words)
        self.preload()
        if self.is_edited():
            raise Refusal(EDITED)
        now = inherited_state(self.own_folders)
        if changed := [name for name, value in now.items() if value != self.state_at_start[name]]:
            raise Refusal(f"what they import changes their process: {', '.join(changed)}")
        if thread_count() != 1:
            # A fork has the calling thread alone, and locks that others held stay locked in it.
            raise Refusal("what they import starts threads")
        readable, writable = os.pipe()
        known, knows = os.pipe()
        from_child, to_server = Connection(readable, writable=False), Connection(writable, readable=False)
        gc.freeze()
        # One that arrives before the child is ready for it waits.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        try:
            pid = os.fork()
            if pid == 0:
                os.close(knows)
                # It runs when its workflow knows of it, and not where this server is killed before.
                if not os.read(known, 1):
                    os._exit(70)
                os.close(known)
                self.run_as_child(to_client, from_child, to_server, path, arguments, redirections)
        except OSError:
            from_child.close()
            os.close(knows)
            raise
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            to_server.close()
            os.close(known)
        self.children[pid] = _Child(to_client, from_child)
        self.selector.register(from_child, selectors.EVENT_READ, functools.partial(self.note_loaded, from_child))
        with contextlib.suppress(OSError):
            to_client.send(pid)
            os.write(knows, b".")
        os.close(knows)

    def note_loaded(self, from_child: Connection) -> None:
        """Note the modules and texts that a child had to load, and reports at its end."""
        if from_child.closed:
            # Its end was noticed first, by what woke the server at the same time.
            return
        try:
            self.reported |= dict.fromkeys(from_child.recv())
        except (EOFError, OSError):
            self.selector.unregister(from_child)
            from_child.close()

    def preload(self) -> None:
        """Import what children had to import, and let the preloader do the rest."""
        for text in self.reported:
            self.loaded.add(text)
            # What cannot be preloaded here, as from a folder that only a job looks into, each job loads itself. A
            # module may also end the process that has not the arguments which it wants.
            with contextlib.suppress(Exception, SystemExit, KeyboardInterrupt):
                kind, _, rest = text.partition(" ")
                if kind == "import":
                    importlib.import_module(rest)
                elif self.preloader is not None:
                    importlib.import_module(self.preloader).preload(rest)
        self.reported.clear()

    def is_edited(self) -> bool:
        """Return whether a file that this process imported was changed since, in an installed package too."""
        for module in list(sys.modules.values()):
            file = attribute_or_none(module, "__file__")
            if isinstance(file, str):
                with contextlib.suppress(OSError, ValueError):
                    status = os.stat(file)  # noqa: PTH116 - some thousand files for each job.
                    state = status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino
                    # Later than the server began it may have been edited before it was first looked at.
                    if self.files.setdefault(file, state) != state or status.st_ctime_ns > self.began:
                        return True
        return self.is_shadowed()

    def is_shadowed(self) -> bool:
        """Return whether another module of an imported one's name comes before it on ``sys.path`` by now."""
        folders = []
        for folder in sys.path:
            with contextlib.suppress(OSError, ValueError):
                folders.append((folder, os.stat(folder).st_mtime_ns))  # noqa: PTH116
        if folders != self.folders:
            self.folders = folders
            # A folder's time may be that of a change just now.
            importlib.invalidate_caches()
            for name in sys.modules.keys() - sys.stdlib_module_names:
                spec = attribute_or_none(sys.modules[name], "__spec__")
                if "." not in name and isinstance(spec, ModuleSpec) and spec.has_location:
                    found = PathFinder.find_spec(name)
                    if found is not None and found.origin != spec.origin:
                        return True
        return False

    def report_ended(self) -> None:
        """Report children that have ended to their clients."""
        with contextlib.suppress(BlockingIOError):
            while self.ended.recv(4096):
                pass
        for pid, child in self.children.items():
            if pid in self.ended_children or os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                continue
            self.ended_children.add(pid)
            while not child.from_child.closed and child.from_child.poll():
                self.note_loaded(child.from_child)
            if not child.from_child.closed:
                # A process that the child left behind holds the other end.
                self.selector.unregister(child.from_child)
                child.from_child.close()
            with contextlib.suppress(OSError):
                child.to_client.send(None)
            self.selector.register(child.to_client, selectors.EVENT_READ, functools.partial(self.reap, pid))

    def reap(self, pid: int) -> None:
        """Wait for an ended child, once its client asks for that or is gone, and report what the child used."""
        to_client = self.children.pop(pid).to_client
        self.ended_children.remove(pid)
        self.selector.unregister(to_client)
        _, status, usage = os.wait4(pid, 0)
        used = (usage.ru_utime + usage.ru_stime, kilobytes(usage.ru_maxrss), usage.ru_inblock, usage.ru_oublock)
        with contextlib.suppress(OSError):
            to_client.send((os.waitstatus_to_exitcode(status), used))
        to_client.close()

    def abandon(self) -> NoReturn:
        """End with the workflow, and all children too."""
        for pid in self.children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for pid in self.children:
            os.waitpid(pid, 0)
        _end(0)

    # From here on it is the child that runs.

    def run_as_child(
        self,
        to_client: Connection,
        from_child: Connection,
        to_server: Connection,
        path: str,
        arguments: list[str],
        redirections: Redirections,
    ) -> NoReturn:
        """Run the program in this child process, and end as it does.

        Parameters
        ----------
        to_client, from_child
            The server's ends of the connections to the client and from this child; they are closed here.
        to_server
            Connection by which this child reports, at its end, what it had to load.
        path, arguments, redirections
            The program, its arguments, and its standard streams.
        """
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGINT, self.interrupt)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            self.selector.close()
            for end in (self.requests, self.ended, self.ends):
                end.close()
            for connection in (to_client, from_child, *itertools.chain(*self.children.values())):
                connection.close()
            gc.enable()
            modules_before = set(sys.modules)
            _forget_the_end_of_the_server()
            if "numpy.random" in sys.modules:
                # Random numbers that nobody seeded differ from process to process.
                sys.modules["numpy.random"].seed()
            status = _redirect(redirections) or _run(path, arguments)
            with contextlib.suppress(Exception):
                to_server.send(self.loaded_since(modules_before))
            _end(status)
        finally:
            os._exit(70)

    def loaded_since(self, modules_before: set[str]) -> list[str]:
        """Return what to preload: modules that were imported since, in order, and the preloader's texts."""
        found = [
            f"import {name}"
            for name, module in list(sys.modules.items())
            if name not in modules_before and attribute_or_none(module, "__spec__") is not None
        ]
        if self.preloader in sys.modules:
            found += [f"preload {text}" for text in sys.modules[self.preloader].preloads()]
        return [preload for preload in found if preload not in self.loaded]


def _program(words: Sequence[str]) -> tuple[str, list[str]]:
    """Return the file of the Python program that a command calls, and its arguments, the first its own name."""
    if words[0] == sys.executable:
        return words[1], list(words[1:])
    path = shutil.which(words[0])
    if path is None:
        raise Refusal(f"there is no {words[0]}")
    with Path(path).open("rb") as opened:
        first = opened.readline(1000)
    if not first.startswith(b"#!") or not _same_interpreter(Path(os.fsdecode(first[2:]).strip())):
        raise Refusal(f"{path} is not of {sys.executable}")
    return path, [path, *words[1:]]


def _same_interpreter(path: Path) -> bool:
    """Say whether a path is this interpreter, of this virtual environment; it may have several names there."""
    own = Path(sys.executable)
    return path.parent == own.parent and path.resolve() == own.resolve()


def _forget_the_end_of_the_server() -> None:
    """Leave to the server what it will do at its end, such as removing folders that its children use."""
    atexit._clear()
    # One of these handlers serves all that have a finalizer; it has to be registered anew.
    for finalizer in weakref.finalize._registry:  # type: ignore[attr-defined]
        finalizer.atexit = False
    weakref.finalize._registered_with_atexit = False  # type: ignore[attr-defined]


def _redirect(redirections: Redirections) -> int:
    """Redirect standard streams as the shell does, and return its exit status."""
    for stream, target in redirections:
        try:
            opened = (
                target if isinstance(target, int) else os.open(target, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o666)
            )
        except OSError as error:
            print(f"bash: {target}: {error.strerror}", file=sys.stderr)
            return 1
        os.dup2(opened, stream)
        if not isinstance(target, int):
            os.close(opened)
        if stream == 1:
            sys.stdout.reconfigure(line_buffering=False)  # type: ignore[union-attr]
    return 0


def _run(path: str, arguments: list[str]) -> int:
    """Run a program as the main module, and return its exit status."""
    with contextlib.suppress(OSError):
        Path("/proc/self/comm").write_text(Path(path).name, encoding="utf-8")
    sys.argv = arguments
    sys.orig_argv = [sys.executable, *arguments]
    if not sys.flags.safe_path:
        sys.path.insert(0, str(Path(path).resolve().parent))
    main = types.ModuleType("__main__")
    vars(main).update(__file__=str(Path(path).absolute()), __builtins__=builtins)
    sys.modules["__main__"] = main
    try:
        exec(compile(Path(path).read_bytes(), path, "exec", dont_inherit=True), vars(main))
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            return stop.code or 0
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:
        # Without the frame of this function, which is no part of the program.
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGINT)
        return 1
    return 0


def _end(status: int) -> NoReturn:
    """End this process as Python does, but leave its memory to the system: taking it down piece by piece costs."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        # Python's own status for it.
        status = status or 120
    os._exit(status & 0xFF)
