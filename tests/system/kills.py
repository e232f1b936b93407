"""Interrupt the small-scale run at random moments, resume it, compare.

    python tests/system/kills.py --kills 100 --folder /tmp/kills --output docs/results/kills.json

There are eight kinds of interruptions (`KINDS`): the workflow alone is killed, which leaves its jobs running as
orphans, or everything, or one job, or the parent that jobs start from; Ctrl-C, SIGTERM, SIGHUP; or everything is
stopped, and killed later. Every run that comes to its end must have the bytes of an undisturbed one, arrays,
aggregates, tables, figures and seals, and leave no process, socket or half-written file; and of what was found
finished, at most the jobs in flight may be done again. With `--packs` jobs are submitted in groups to a
scheduler that is none, and live on when their workflow dies. Stopped at any moment, it goes on in its folder.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import yaml

ROOT = Path(__file__).parents[2]
COPIED = ("Snakefile", "workflow", "config", "profiles", "docs", "CITATION.cff", "environment.yml", "src")
CORES = 2
# Submits a job's script: it runs in a session of its own, as on another machine, and its number is said.
SUBMIT = "sh -c 'setsid sh $0 >/dev/null 2>&1 & echo $!'"
PACKS = ("--profile", "profiles/generic", "--cluster-generic-submit-cmd", SUBMIT, "--latency-wait", "2")
# Seconds in which a workflow that was asked to end does, orphans finish, and a stopped one is left so.
ASKED, ORPHANED, STOPPED = 120, 60, 2.0
# Where products are.
TOPS = ("results", "figures")


def copy_of_repository(folder: Path) -> Path:
    """Make a copy of what the workflow consists of, so that edits meanwhile do not matter."""
    folder.mkdir(parents=True)
    for part in COPIED:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, folder / part)
    return folder


@dataclass
class Project:
    """A folder with a copy of the repository, and the workflow run in it.

    Attributes
    ----------
    folder
        The copy.
    targets
        What is made; everything if empty.
    configuration
        The configuration file, laid over the copy's ``config/config.yaml``.
    options
        Further options of Snakemake.
    """

    folder: Path
    targets: Sequence[str] = ()
    configuration: str = "config/small.yaml"
    options: Sequence[str] = ()

    def command(self, *arguments: str) -> list[str]:
        """Return the command of the workflow."""
        base = [sys.executable, "-m", "snakemake", *self.targets, "--cores", str(CORES), "--quiet", "all"]
        return [*base, *self.options, *arguments, "--configfile", self.configuration]

    def start(self, *arguments: str) -> subprocess.Popen[bytes]:
        """Start the workflow in a process group of its own."""
        with (self.folder / "snakemake.log").open("ab") as log:
            return subprocess.Popen(
                self.command(*arguments),
                cwd=self.folder,
                env={**os.environ, "PYTHONPATH": str(self.folder / "src")},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def unlock(self) -> None:
        """Do what ``snakemake --unlock`` does, at once."""
        shutil.rmtree(self.folder / ".snakemake" / "locks", ignore_errors=True)

    def finish(self) -> float:
        """Run the workflow to its end, and return how many seconds that took."""
        self.unlock()
        began = time.monotonic()
        if self.start().wait() != 0:
            raise RuntimeError((self.folder / "snakemake.log").read_text(encoding="utf-8")[-5000:])
        return time.monotonic() - began

    def remove_products(self) -> None:
        """Start anew."""
        for name in (*TOPS, ".snakemake"):
            shutil.rmtree(self.folder / name, ignore_errors=True)

    def products(self) -> dict[str, Path]:
        """Return all files that are results; what is being written has a name that starts with a dot."""
        files = [file for top in TOPS for file in self.folder.glob(f"{top}/**/[!.]*.*")]
        named = {str(file.relative_to(self.folder)): file for file in sorted(files) if file.is_file()}
        return {name: file for name, file in named.items() if "/logs/" not in name}


@dataclass
class Tally:
    """What happened.

    Attributes
    ----------
    kills
        How many of each kind.
    found
        How many jobs each kill found finished.
    redone
        How many finished ones each session did again. A job in flight that outlives its workflow finishes, but
        nobody has noted that: some later session does it again.
    runs
        How many runs came to their end.
    differences
        Products at the end of those runs that do not have the bytes of an undisturbed run.
    left
        Half-written files and sockets at the end of those runs.
    processes
        How many processes were still there a while after those runs.
    """

    kills: Counter[str] = field(default_factory=Counter)
    found: list[int] = field(default_factory=list)
    redone: list[int] = field(default_factory=list)
    runs: int = 0
    differences: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    processes: int = 0


def _finished(project: Project) -> dict[str, int]:
    """Return when each finished job wrote its result: arrays, seals and the configuration stand for jobs."""
    found: dict[str, int] = {}
    for name, file in project.products().items():
        if file.suffix in (".npz", ".json"):
            # A pack that lives on may have removed it meanwhile.
            with contextlib.suppress(FileNotFoundError):
                found[name] = file.stat().st_mtime_ns
    return found


def _kill_one(processes: Sequence[psutil.Process], choice: random.Random) -> bool:
    """Kill one of these processes, if there is one, and say whether."""
    if processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            choice.choice(sorted(processes, key=lambda process: process.pid)).kill()
    return bool(processes)


def _schedules(process: psutil.Process) -> bool:
    """Say whether a process is a Snakemake: a submitted pack has one of its own."""
    return "snakemake" in process.cmdline()[:3]


def _job(processes: Sequence[psutil.Process], choice: random.Random) -> bool:
    """Kill one of the workflow's jobs."""
    return _kill_one([each for each in processes if not each.children() and not _schedules(each)], choice)


def _parent(processes: Sequence[psutil.Process], choice: random.Random) -> bool:
    """Kill a process that jobs start from."""
    started = [child for each in processes if _schedules(each) for child in each.children()]
    return _kill_one([child for child in started if child.children()], choice)


Strike = Callable[[Project, subprocess.Popen[bytes], random.Random], bool]


def _one_of(kill: Callable[[Sequence[psutil.Process], random.Random], bool]) -> Strike:
    """Return what looks among all that works in the project's folder: submitted packs have other sessions."""

    def strike(project: Project, _: subprocess.Popen[bytes], choice: random.Random) -> bool:
        with contextlib.suppress(psutil.NoSuchProcess):
            return kill(orphans(project), choice)
        return False

    return strike


def _stopped(_: Project, started: subprocess.Popen[bytes], __: random.Random) -> bool:
    """Stop everything, as a laptop that is closed, and kill it later."""
    os.killpg(started.pid, signal.SIGSTOP)
    time.sleep(STOPPED)
    os.killpg(started.pid, signal.SIGKILL)
    return True


def _signalled(send: Callable[[int, int], None], number: int) -> Strike:
    """Return what sends a signal to the workflow, by `os.kill`, or to all its processes, by `os.killpg`."""

    def strike(_: Project, started: subprocess.Popen[bytes], __: random.Random) -> bool:
        send(started.pid, number)
        return True

    return strike


KINDS: Mapping[str, Strike] = {
    "workflow": _signalled(os.kill, signal.SIGKILL),
    "all": _signalled(os.killpg, signal.SIGKILL),
    "job": _one_of(_job),
    "parent": _one_of(_parent),
    "interrupt": _signalled(os.killpg, signal.SIGINT),
    "terminate": _signalled(os.kill, signal.SIGTERM),
    "hangup": _signalled(os.killpg, signal.SIGHUP),
    "stopped": _stopped,
}


def _strike(project: Project, kind: str, wait: float, choice: random.Random) -> bool:
    """Start the workflow, interrupt it after ``wait`` seconds, and say whether there was something to interrupt."""
    started = project.start()
    time.sleep(wait)
    if started.poll() is not None:
        return False
    struck = KINDS[kind](project, started, choice)
    if kind in ("job", "parent"):
        # The rest of the session is left to run on for as long again, then ends as a whole.
        time.sleep(wait / 2)
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
    try:
        started.wait(timeout=ASKED)
    except subprocess.TimeoutExpired:
        os.killpg(started.pid, signal.SIGKILL)
        started.wait()
    return struck


def torment(
    calm: Project, killed: Project, kills: int, seed: int, longest: float, tally: Tally, note: Callable[[], None]
) -> None:
    """Interrupt runs until there were ``kills`` in all, each time resuming, and compare each finished run.

    Parameters
    ----------
    calm
        The undisturbed run, finished.
    killed
        What is run and interrupted. When it comes to its end before the last interruption it starts anew.
    kills, seed
        How many, and the seed of their moments and kinds.
    longest
        An interruption comes at most that many seconds after the first jobs start.
    tally
        What happened, so far and from now on.
    note
        Called when the tally has changed.
    """
    start = calm.finish()
    while True:
        enough = sum(tally.kills.values()) >= kills
        choice = random.Random(f"{seed} {len(tally.found)}")
        # In turn, so that there are as many of each.
        kind, wait = list(KINDS)[sum(tally.kills.values()) % len(KINDS)], choice.uniform(0, start + longest)
        before = _finished(killed)
        killed.unlock()
        if enough:
            killed.finish()
        elif _strike(killed, kind, wait, choice):
            tally.kills[kind] += 1
        after = _finished(killed)
        tally.redone.append(sum(after.get(name) != when for name, when in before.items()))
        tally.found.append(len(after))
        if enough or len(after) == len(_finished(calm)):
            # What orphans write late has to be the same as well.
            _, still = psutil.wait_procs(orphans(killed), timeout=ORPHANED)
            for process in still:
                process.kill()
            killed.finish()
            _, still = psutil.wait_procs(orphans(killed), timeout=ORPHANED)
            tally.processes += len(still)
            tally.runs += 1
            tally.differences += differences(calm, killed)
            tally.left += [str(file) for top in TOPS for file in killed.folder.glob(f"{top}/**/.*~*")]
            tally.left += [str(file) for file in killed.folder.rglob("*") if file.is_socket()]
            if not enough:
                killed.remove_products()
        note()
        if enough:
            return


def differences(one: Project, other: Project) -> list[str]:
    """Return the products that are not the same bytes in both, or are in one alone."""
    left, right = one.products(), other.products()
    return sorted(
        name
        for name in left.keys() | right.keys()
        if name not in left or name not in right or left[name].read_bytes() != right[name].read_bytes()
    )


def orphans(project: Project) -> list[psutil.Process]:
    """Return the processes that work in the project's folder."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd() == str(project.folder):
                found.append(process)
        except psutil.Error:
            continue
    return found


def main() -> int:
    """Torment runs, print what happened, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help="what is made (default: all of the small scale)"
    )
    parser.add_argument("--kills", type=int, default=50, help="how many")
    parser.add_argument("--seed", type=int, default=8, help="of their moments and kinds")
    parser.add_argument("--longest", type=float, default=15.0, help="seconds from the first job to a kill at most")
    parser.add_argument("--packs", action="store_true", help="submit jobs in groups to a scheduler that is none")
    parser.add_argument("--folder", type=Path, help="where it runs and goes on (default: one that is removed)")
    parser.add_argument("--output", type=Path, help="a JSON file")
    given = parser.parse_args()
    with contextlib.ExitStack() as kept:
        folder = given.folder or Path(kept.enter_context(tempfile.TemporaryDirectory()))
        projects = []
        for name, options in (("calm", ()), ("killed", PACKS if given.packs else ())):
            if not (folder / name).exists():
                copy_of_repository(folder / name)
            projects.append(Project((folder / name).resolve(), given.targets, options=options))
        calm, killed = projects
        calm.finish()
        state = folder / "tally.json"
        tally = Tally()
        if state.exists():
            told = json.loads(state.read_text(encoding="utf-8"))
            tally = Tally(**{**told, "kills": Counter(told["kills"])})

        def note() -> None:
            state.write_text(json.dumps({**vars(tally), "kills": dict(tally.kills)}), encoding="utf-8")
            print(dict(tally.kills), f"{tally.runs} runs", flush=True)

        torment(calm, killed, given.kills, given.seed, given.longest, tally, note)
        happened = {
            "targets": given.targets,
            "packs": given.packs,
            "jobs": len(_finished(calm)),
            "files": len(calm.products()),
            "cores": CORES,
            "kills": dict(sorted(tally.kills.items())),
            "runs": tally.runs,
            "found": [min(tally.found), max(tally.found)],
            "redone": sum(tally.redone),
            "redone_at_once": max(tally.redone),
            "half_written": tally.left,
            "different": tally.differences,
            "processes_left": tally.processes,
        }
    text = json.dumps(happened, indent=1) + "\n"
    print(text, end="")
    if given.output is not None:
        given.output.write_text(text, encoding="utf-8")
    # What a kill finds in flight is done again: a job a core; of packs, noted as a whole, one of each kind.
    sizes = yaml.safe_load((ROOT / "profiles" / "generic" / "config.yaml").read_text(encoding="utf-8"))
    in_flight = sum(sizes["group-components"].values()) if given.packs else CORES
    wrong = tally.differences or tally.left or tally.processes or sum(tally.redone) > in_flight * given.kills
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
