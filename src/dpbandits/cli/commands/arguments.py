"""Arguments of commands: texts are read as numbers, run numbers and parameters, and errors name the option."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dpbandits.core.errors import BadInput, within

if TYPE_CHECKING:
    from dpbandits.runs.job import Job

    Commands = argparse._SubParsersAction[argparse.ArgumentParser]

T = TypeVar("T")
# Option of the command line for each argument of `make_job` and `audit`.
OPTIONS = {name: f"--{name}" for name in ("horizon", "checkpoints", "epsilon", "effort", "seed", "confidence")}
OPTIONS |= {"parameters": "--param", "algorithm": "ALGORITHM", "replay_horizon": "--replay-horizon"}
OPTIONS |= {name: f"--{name}" for name in ("arms", "rounds", "runs", "seconds", "seeds")}


def parse_path(text: str) -> Path:
    """Return a path; refuse an empty text with argparse's error."""
    # It is the value of a script's variable that was not set.
    if not text:
        raise argparse.ArgumentTypeError("'' is not allowed; allowed: the name of a file or a folder")
    return Path(text)


def parse_run_numbers(text: str) -> range:
    """Return the run numbers of a text: ``range(0, 20)`` of ``"0-19"``, and ``range(7, 8)`` of ``"7"``.

    Raises
    ------
    BadInput
        If the text has another form, the range is empty, or it has over 10^9 numbers or one of 2^63 - 1 or more.
    """
    # NumPy is loaded only by commands that compute.
    from dpbandits.core.arguments import LAST_RUN, MOST_RUNS

    first, to, last = text.partition("-")
    allowed = f"run numbers as 0-19 or 7, first <= last < {LAST_RUN}, at most {MOST_RUNS} of them"
    last = last if to else first
    if not (first.isdecimal() and last.isdecimal()) or max(len(first), len(last)) > len(str(LAST_RUN)):
        raise BadInput("--seeds", text, allowed)
    seeds = range(int(first), int(last) + 1)
    if not seeds or seeds.stop > LAST_RUN or len(seeds) > MOST_RUNS:
        raise BadInput("--seeds", text, allowed)
    return seeds


def parse_number(text: str) -> int | float:
    """Return a text as an integer, or else as a float; raise `BadInput` if it is no number.

    The error has no key: the caller knows the option's name. ``inf`` and ``nan`` are floats. Texts that only Python
    takes for numbers are refused: ``1_0``, and digits of other scripts.
    """
    if "_" in text or not text.isascii():
        raise BadInput((), text, "a number")
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise BadInput((), text, "a number") from None


def parse_integer(text: str) -> int:
    """Return a text such as ``7`` or ``1e6`` as an integer; raise `BadInput` for any other text.

    The error has no key: the caller knows the option's name.
    """
    value = parse_number(text)
    if isinstance(value, float) and not value.is_integer():
        raise BadInput((), text, "an integer")
    return int(value)


def parse_option(arguments: argparse.Namespace, name: str, read: Callable[[str], T]) -> T:
    """Return the value of an option of the command line; an error of ``read`` names the option.

    Parameters
    ----------
    arguments, name
        The parsed command line, and the option's attribute there, such as ``root_seed`` for ``--root-seed``.
    read
        Function from the option's text to its value, such as `parse_integer`. If it raises a `BadInput`, the
        option's name is put before that error's key.
    """
    with within(f"--{name.replace('_', '-')}"):
        return read(getattr(arguments, name))


def parse_parameters(texts: Sequence[str]) -> dict[str, object]:
    """Return the values of texts ``NAME=VALUE`` by name: ``{"alpha": 2, "base": "exp3"}``.

    A value is a number where it can be read as one, else a text. `BadInput` is raised for a text without ``=``, and
    for a second value of one name.
    """
    found: dict[str, object] = {}
    for assignment in texts:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise BadInput("--param", assignment, "NAME=VALUE, such as alpha=2")
        if name in found:
            raise BadInput("--param", assignment, f"one value for {name}")
        try:
            found[name] = parse_number(value)
        except BadInput:
            # The name of a base, or refused with what is allowed once the parameter is known.
            found[name] = value
    return found


def confirm_long_runs(job: Job, number_of_runs: int, threads: int = 1) -> None:
    """Warn of runs that would take more than a month, and ask in a terminal whether to begin.

    The time is estimated from two short runs. This is done only if the algorithm decides in every round, and all
    runs together have 10^12 rounds or more. Other runs are taken to be short.

    Parameters
    ----------
    job, number_of_runs
        Algorithm, environment, budget and horizon to simulate, and the number of runs.
    threads
        Number of threads that share the runs.

    Raises
    ------
    BadInput
        If the answer is no, or there is no terminal to ask in.
    """
    from dpbandits.runs import duration

    expected = duration.seconds(job, number_of_runs, threads)
    if expected <= duration.PATIENCE:
        return
    print(f"{job.algorithm}: {duration.words(expected)} here, for it decides in every round", file=sys.stderr)
    if not agrees("Begin?"):
        raise BadInput("--horizon", job.horizon, "a shorter one, or --yes")


def is_watched() -> bool:
    """Tell whether standard input is a terminal, where somebody can answer a question."""
    return sys.stdin is not None and sys.stdin.isatty()


def agrees(question: str) -> bool:
    """Ask a question in a terminal, and tell whether the answer is yes; without a terminal it is no."""
    return is_watched() and input(f"{question} [y/N] ").strip().lower() in ("y", "yes")


def algorithm_names() -> list[str]:
    """Return the names of all algorithms, such as ``dp-imed``, sorted."""
    from dpbandits.core import registry

    return list(registry.modules("algorithm"))


def names() -> list[str]:
    """Return the names of all algorithms, then those of all environments, both sorted."""
    from dpbandits.core import registry

    return [*algorithm_names(), *registry.modules("environment")]


def settings() -> list[str]:
    """Return the names of all settings, such as ``stochastic``, sorted."""
    from dpbandits.core import registry

    return sorted({registry.setting("algorithm", name) for name in algorithm_names()})


def complete_with(argument: argparse.Action, names: Callable[[], list[str]]) -> None:
    """Let shells complete an argument with ``names()``, which argcomplete calls when a shell asks."""
    vars(argument)["completer"] = lambda **_: names()


@contextlib.contextmanager
def errors_name_means() -> Iterator[None]:
    """Mend errors about the environment of ``--means`` in a ``with`` block, so that they speak of the option.

    ``--means`` stands for a whole environment, whose errors have paths such as ``("environment", "means", 0)``.
    ``called({"environment": "--means"})`` inside the block has to rename the first key; here the second is dropped,
    which leaves ``("--means", 0)``. If the second key is ``kind``, the algorithm takes no Bernoulli bandit; the
    error then says that ``--environment`` is needed.
    """
    try:
        yield
    except BadInput as fault:
        if fault.path[:2] == ("--means", "kind"):
            fault.value, fault.allowed = "a Bernoulli bandit", f"--environment with a kind, {fault.allowed}"
        if fault.path[0] == "--means":
            fault.path = ("--means", *fault.path[2:])
        raise
