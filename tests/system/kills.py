"""Kill the small-scale run at random moments, resume it, compare: python tests/system/kills.py --output kills.json.

Each kill takes the workflow alone, which leaves its jobs running as orphans, or the workflow with all its jobs, or
one job. Every run that comes to its end must have the bytes of an undisturbed one, arrays, aggregates, tables,
figures and seals; and of what a kill found finished, at most the jobs in flight may be done again.
"""

from __future__ import annotations

import argparse
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
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
COPIED = ("Snakefile", "workflow", "config", "profiles", "docs", "CITATION.cff", "environment.yml", "src")
CORES = 2
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
    """

    folder: Path
    targets: Sequence[str] = ()
    configuration: str = "config/small.yaml"

    def command(self, *arguments: str) -> list[str]:
        """Return the command of the workflow."""
        base = [sys.executable, "-m", "snakemake", *self.targets, "--cores", str(CORES), "--quiet", "all"]
        return [*base, *arguments, "--configfile", self.configuration]

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
        for name in ("results", "figures", ".snakemake"):
            shutil.rmtree(self.folder / name)

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
        Half-written files at the end of those runs.
    """

    kills: Counter[str] = field(default_factory=Counter)
    found: list[int] = field(default_factory=list)
    redone: list[int] = field(default_factory=list)
    runs: int = 0
    differences: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def _finished(project: Project) -> dict[str, int]:
    """Return when each finished job wrote its result: arrays, seals and the configuration stand for jobs."""
    found: dict[str, int] = {}
    for name, file in project.products().items():
        if file.suffix in (".npz", ".json"):
            found[name] = file.stat().st_mtime_ns
    return found


def _kill_one_job(workflow: psutil.Process, choice: random.Random) -> bool:
    """Kill one of the workflow's jobs, if there is one, and say whether."""
    jobs = [child for child in workflow.children(recursive=True) if not child.children()]
    if jobs:
        choice.choice(sorted(jobs, key=lambda job: job.pid)).kill()
    return bool(jobs)


def _strike(project: Project, kind: str, wait: float, choice: random.Random) -> bool:
    """Start the workflow, kill after ``wait`` seconds, and say whether there was something to kill."""
    started = project.start()
    time.sleep(wait)
    if started.poll() is not None:
        return False
    if kind == "job":
        struck = _kill_one_job(psutil.Process(started.pid), choice)
        # The rest of the session is left to run on for as long again, then ends as a whole.
        time.sleep(wait / 2)
        if started.poll() is None:
            os.killpg(started.pid, signal.SIGKILL)
    else:
        struck = True
        (os.killpg if kind == "all" else os.kill)(started.pid, signal.SIGKILL)
    started.wait()
    return struck


def torment(calm: Project, killed: Project, kills: int, seed: int, longest: float) -> Tally:
    """Kill runs ``kills`` times in all, each time resuming, and compare each finished run with an undisturbed one.

    Parameters
    ----------
    calm
        The undisturbed run, finished.
    killed
        What is run and killed. When it comes to its end before the last kill it starts anew.
    kills, seed
        How many, and the seed of their moments and kinds.
    longest
        A kill comes at most that many seconds after the first jobs start.
    """
    choice, tally = random.Random(seed), Tally()
    start = calm.finish()
    while True:
        enough = sum(tally.kills.values()) >= kills
        kind, wait = choice.choice(["workflow", "all", "job"]), choice.uniform(0, start + longest)
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
            _, still = psutil.wait_procs(orphans(killed), timeout=60)
            for process in still:
                process.kill()
            killed.finish()
            tally.runs += 1
            tally.differences += differences(calm, killed)
            tally.left += [str(file) for top in TOPS for file in killed.folder.glob(f"{top}/**/.*~*")]
            if enough:
                return tally
            killed.remove_products()


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
    parser.add_argument("--output", type=Path, help="a JSON file")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        calm = Project(copy_of_repository(Path(name, "calm")), given.targets)
        killed = Project(copy_of_repository(Path(name, "killed")), given.targets)
        calm.finish()
        tally = torment(calm, killed, given.kills, given.seed, given.longest)
        happened = {
            "targets": given.targets,
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
        }
    text = json.dumps(happened, indent=1) + "\n"
    print(text, end="")
    if given.output is not None:
        given.output.write_text(text, encoding="utf-8")
    return int(bool(tally.differences or tally.left or sum(tally.redone) > CORES * given.kills))


if __name__ == "__main__":
    sys.exit(main())
