"""Command that simulates runs of an algorithm: ``simulate``."""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING, Any

from dpbandits.cli.commands.arguments import (
    OPTIONS,
    algorithm_names,
    complete_with,
    confirm_long_runs,
    errors_name_means,
    parse_integer,
    parse_number,
    parse_option,
    parse_parameters,
    parse_path,
    parse_run_numbers,
)
from dpbandits.core.errors import BadInput, called, within

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands
    from dpbandits.core.fields import Parameters
    from dpbandits.runs.job import Job


def add(commands: Commands) -> None:
    """Add the parser of ``simulate`` to those of the command line."""
    simulated = commands.add_parser(
        "simulate",
        help="run an algorithm in an environment and save its regret",
        description=(
            "Run an algorithm in an environment and save an npz with regret (runs x checkpoints), rounds, "
            "pulls (runs x arms), seeds, parameters and metadata; or print a summary of the regret at T."
        ),
        epilog=(
            "example: dpbandits simulate dp-imed --means 0.75,0.7,0.7 --epsilon 0.25 --horizon 1000000 "
            "--seeds 0-19 --param n0=1 --param alpha=2 --checkpoints 200 --output out.npz"
        ),
    )
    complete_with(
        simulated.add_argument("algorithm", metavar="ALGORITHM", help="a name of `dpbandits list`"), algorithm_names
    )
    environment = simulated.add_mutually_exclusive_group(required=True)
    environment.add_argument("--means", help="a Bernoulli bandit's means, as 0.75,0.7,0.7")
    environment.add_argument("--environment", help="any environment, as JSON with its kind and parameters")
    simulated.add_argument("--epsilon", help="privacy budget > 0; refused without privacy")
    simulated.add_argument("--horizon", required=True, help="T, from 1 to 2^52; 1e6 is fine")
    simulated.add_argument("--seeds", default="0-19", help="run numbers, as 0-19 (default) or 7")
    simulated.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter; may be repeated"
    )
    simulated.add_argument("--checkpoints", default="200", help="recorded rounds, at most (default: 200)")
    simulated.add_argument("--root-seed", default="0", help="root seed of all streams (default: 0)")
    simulated.add_argument("--threads", default="1", help="threads that share the runs (default: 1)")
    simulated.add_argument(
        "--preflight",
        action="store_true",
        help="first record one run, and refuse an algorithm that reads a reward twice, or draws from elsewhere",
    )
    simulated.add_argument("--output", type=parse_path, help="an .npz file (default: a summary is printed)")
    simulated.add_argument(
        "--rare",
        action="store_true",
        help="print the mean alone, by importance splitting, which sees what one run in thousands makes (DP-IMED)",
    )
    simulated.add_argument("--yes", action="store_true", help="do not ask about runs that take more than a month")
    simulated.set_defaults(run=command_simulate, limit=None)


def command_simulate(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits simulate``: write the runs to ``--output``, or print a summary of the regret at T.

    With ``--rare`` it prints the mean regret alone, estimated by importance splitting, and writes nothing.
    """
    # numba and numpy are loaded only by the commands that compute.
    from dpbandits.core import registry
    from dpbandits.core.arguments import MOST_THREADS
    from dpbandits.notebook.memory import refuse_too_many
    from dpbandits.runs.job import make_job, refuse_overwriting, run, write_runs

    environment = "--environment" if arguments.means is None else "--means"
    with errors_name_means(), called({**OPTIONS, "environment": environment}):
        job = make_job(
            algorithm=arguments.algorithm,
            parameters=parse_parameters(arguments.param),
            environment=_environment(arguments),
            epsilon=None if arguments.epsilon is None else parse_option(arguments, "epsilon", parse_number),
            horizon=parse_option(arguments, "horizon", parse_integer),
            checkpoints=parse_option(arguments, "checkpoints", parse_integer),
            root_seed=parse_option(arguments, "root_seed", parse_integer),
        )
    if arguments.rare:
        _print_rare_mean(job, parse_run_numbers(arguments.seeds))
        return
    threads = parse_option(arguments, "threads", parse_integer)
    if not 1 <= threads <= MOST_THREADS:
        raise BadInput("--threads", threads, f"an integer from 1 to {MOST_THREADS}")
    if arguments.output is not None and arguments.output.suffix != ".npz":
        raise BadInput("--output", str(arguments.output), "a file name that ends in .npz")
    seeds = parse_run_numbers(arguments.seeds)
    if arguments.seeds.isdecimal() and seeds.start > 0:
        print(f"run {seeds.start} alone; the first {seeds.start} runs are 0-{seeds.start - 1}", file=sys.stderr)
    with called(OPTIONS):
        refuse_too_many([job], len(seeds), "seeds")
    if registry.environment(job.environment["kind"]).fixed is not None:
        # Rewards that lie in a table are read by index.
        from dpbandits.auditing.preflight import check_short_runs

        check_short_runs(job)
    if arguments.preflight:
        from dpbandits.auditing.preflight import check_one_run

        check_one_run(job, seeds.start)
    if arguments.output is not None:
        with called({"output": "--output"}):
            refuse_overwriting(job, seeds, arguments.output)
    if not arguments.yes:
        confirm_long_runs(job, len(seeds), threads)
    if arguments.output is not None and not arguments.output.parent.is_dir():
        # Before hours of runs, not after them: a folder that cannot be made ends the command here.
        arguments.output.parent.mkdir(parents=True)
        print(f"made the folder {arguments.output.parent}", file=sys.stderr)
    from dpbandits.cli.progress import Progress, summary

    for note in job.notes:
        print(f"{job.algorithm}: {note}", file=sys.stderr)
    with Progress(f"{job.algorithm}, T = {job.horizon:,}", len(seeds), "runs") as progress:
        runs = run(job, seeds, threads, progress)
    if arguments.output is None:
        print(summary(job, runs, seeds))
    else:
        write_runs(job, seeds, runs, arguments.output)


def _print_rare_mean(job: Job, seeds: range) -> None:
    """Print the mean regret of a job by splitting, with as many runs as there are seeds."""
    from dpbandits.core.numbers import number
    from dpbandits.settings.stochastic.splitting import rare_mean

    if job.environment["kind"] != "bernoulli" or job.epsilon is None:
        raise BadInput("--rare", job.environment["kind"], "a Bernoulli bandit, by --means, and a private algorithm")
    if len(seeds) < 2:
        raise BadInput("--seeds", len(seeds), "at least two runs, with --rare")
    means = list(job.environment["means"])
    with called({"algorithm": "ALGORITHM", "means": "--means"}):
        found = rare_mean(job.algorithm, job.parameters, means, job.epsilon, job.horizon, len(seeds), job.root_seed)
    print(
        f"{job.algorithm}, epsilon = {job.epsilon:g}, T = {job.horizon:,}, {found.runs:,} runs split into "
        f"{found.leaves:,} at {found.levels.size} levels; mean regret at T:"
    )
    print(f"  mean    {number(found.value)}, from {number(found.low)} to {number(found.high)} at 95 %, Student's t")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; refuse a key that occurs twice, of which `json` would keep the last value."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise BadInput(("--environment", key), value, "one value for each key")
        found[key] = value
    return found


def _environment(arguments: argparse.Namespace) -> Parameters:
    """Return the environment of ``--means`` or ``--environment``, with its kind."""
    if arguments.means is not None:
        means: list[float] = []
        for text in arguments.means.split(","):
            with within("environment", "means", len(means)):
                means.append(parse_number(text))
        return {"kind": "bernoulli", "means": means}
    try:
        environment = json.loads(arguments.environment, object_pairs_hook=_unique_keys)
    except (json.JSONDecodeError, RecursionError):
        environment = None
    if not isinstance(environment, dict):
        raise BadInput(
            "--environment", arguments.environment, 'JSON such as {"kind": "bernoulli", "means": [0.9, 0.1]}'
        )
    return environment
