"""The command line: without Snakemake what the rules run with it."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from dpbandits.core.errors import (
    MENDABLE,
    BadInput,
    MissingExtra,
    called,
    needing_workflow,
    printable,
    suggest,
    tell,
    within,
)
from dpbandits.core.provenance import package_version

if TYPE_CHECKING:
    from dpbandits.core.files import Json

T = TypeVar("T")
# Run numbers are 63 bits wide; more runs than this at a time are surely a slip.
LAST_RUN, MOST_RUNS = 2**63 - 1, 10**9
# Budgets at which an audit looks that is told none.
AUDITED = (0.1, 1.0, 10.0)
# What the command line calls the arguments of `make_job` and `audit`.
OPTIONS = {name: f"--{name}" for name in ("horizon", "checkpoints", "epsilon", "effort", "seed", "confidence")}
OPTIONS |= {"parameters": "--param", "algorithm": "ALGORITHM", "replay_horizon": "--replay-horizon"}
OPTIONS |= {name: f"--{name}" for name in ("arms", "rounds", "seeds")}
SHELLS = ("bash", "fish", "zsh")


def seed_range(text: str) -> range:
    """Return the run numbers of ``"0-19"`` or ``"7"``.

    Raises
    ------
    BadInput
        If the text is neither, or the range is empty.
    """
    first, _, last = text.partition("-")
    allowed = f"run numbers as 0-19 or 7, first <= last < {LAST_RUN}, at most {MOST_RUNS} of them"
    last = last or first
    if not (first.isdecimal() and last.isdecimal()) or max(len(first), len(last)) > len(str(LAST_RUN)):
        raise BadInput("--seeds", text, allowed)
    seeds = range(int(first), int(last) + 1)
    if not seeds or seeds.stop > LAST_RUN or len(seeds) > MOST_RUNS:
        raise BadInput("--seeds", text, allowed)
    return seeds


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            raise BadInput((), text, "a number") from None


def _count(text: str) -> int:
    value = _number(text)
    if value != value or value in (float("inf"), -float("inf")) or value != int(value):
        raise BadInput((), text, "an integer")
    return int(value)


def _option(arguments: argparse.Namespace, name: str, read: Callable[[str], T]) -> T:
    """Return an option's value, read from its text."""
    with within(f"--{name.replace('_', '-')}"):
        return read(getattr(arguments, name))


def _parameters(assignments: Sequence[str]) -> dict[str, object]:
    parameters: dict[str, object] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals:
            raise BadInput("--param", assignment, "NAME=VALUE, such as alpha=2")
        if name in parameters:
            raise BadInput("--param", assignment, f"one value for {name}")
        try:
            parameters[name] = _number(value)
        except BadInput:
            # The name of a base, or refused with what is allowed once the parameter is known.
            parameters[name] = value
    return parameters


def _environment(arguments: argparse.Namespace) -> Json:
    if arguments.means is not None:
        means: list[float] = []
        for text in arguments.means.split(","):
            with within("--means", len(means)):
                means.append(_number(text))
        return {"kind": "bernoulli", "means": means}
    try:
        environment = json.loads(arguments.environment)
    except (json.JSONDecodeError, RecursionError):
        environment = None
    if not isinstance(environment, dict):
        raise BadInput(
            "--environment", arguments.environment, 'JSON such as {"kind": "bernoulli", "means": [0.9, 0.1]}'
        )
    return environment


def command_simulate(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits simulate``."""
    # numba and numpy are loaded only by the commands that compute.
    from dpbandits.runs.job import make_job, run, run_to_file, write_runs

    environment = "--environment" if arguments.means is None else "--means"
    with called({**OPTIONS, "environment": environment}):
        job = make_job(
            algorithm=arguments.algorithm,
            parameters=_parameters(arguments.param),
            environment=_environment(arguments),
            epsilon=None if arguments.epsilon is None else _option(arguments, "epsilon", _number),
            horizon=_option(arguments, "horizon", _count),
            checkpoints=_option(arguments, "checkpoints", _count),
            root_seed=_option(arguments, "root_seed", _count),
        )
    threads = _option(arguments, "threads", _count)
    if threads < 1:
        raise BadInput("--threads", threads, "an integer >= 1")
    if arguments.output is not None and arguments.output.suffix != ".npz":
        raise BadInput("--output", str(arguments.output), "a file name that ends in .npz")
    seeds = seed_range(arguments.seeds)
    if arguments.seeds.isdecimal() and seeds.start > 0:
        print(f"run {seeds.start} alone; the first {seeds.start} runs are 0-{seeds.start - 1}", file=sys.stderr)
    if arguments.preflight:
        from dpbandits.audit.preflight import check_one_run

        check_one_run(job, seeds.start)
    watched = sys.stderr.isatty()
    if arguments.output is not None and not watched:
        run_to_file(job, seeds, arguments.output, threads)
        return
    from dpbandits.cli.progress import progress, summary

    for note in job.notes:
        print(f"{job.algorithm}: {note}", file=sys.stderr)
    runs = run(job, seeds, threads, *([progress(job, len(seeds))] if watched else []))
    if arguments.output is None:
        print(summary(job, runs, seeds))
    else:
        write_runs(job, seeds, runs, arguments.output)


def command_list(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits list``."""
    from dpbandits.cli.listing import Chosen, about, inventory, listing

    if arguments.name is not None:
        print(about(arguments.name))
        return
    chosen = Chosen(arguments.setting, arguments.paper, arguments.privacy)
    chosen.check()
    print(json.dumps(inventory(chosen), indent=2) if arguments.json else listing(chosen))


def command_completion(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits completion``."""
    if arguments.shell not in SHELLS:
        raise BadInput("SHELL", arguments.shell, suggest(arguments.shell, SHELLS))
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise MissingExtra("Completion", "argcomplete", "completion") from None
    # To argcomplete zsh is a bash.
    print(shellcode(["dpbandits"], shell="fish" if arguments.shell == "fish" else "bash"))


def command_audit(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits audit``: status 1 if the claim is contradicted, or the algorithm bypasses the recorder."""
    from dpbandits.audit.audit import audit
    from dpbandits.core.files import write_json

    sizes = [
        name for name in ("effort", "arms", "rounds", "replay_horizon") if getattr(arguments, name) is not None
    ]
    budgets = AUDITED if arguments.epsilon is None else (_option(arguments, "epsilon", _number),)
    with called(OPTIONS):
        found = [
            audit(
                arguments.algorithm,
                epsilon,
                parameters=_parameters(arguments.param),
                **{name: _option(arguments, name, _count) for name in sizes},
                seeds=_option(arguments, "seeds", _count),
                seed=_option(arguments, "seed", _count),
                confidence=float(_option(arguments, "confidence", _number)),
            )
            for epsilon in budgets
        ]
    data = found[0].data() if len(found) == 1 else {"audits": [each.data() for each in found]}
    if arguments.output is not None:
        write_json(arguments.output, data)
    print(json.dumps(data, indent=2) if arguments.json else "\n\n".join(map(str, found)))
    return int(any(each.verdict != "consistent" for each in found))


def command_check(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits check``: status 1 if no certificate in the file is accepted."""
    from dpbandits.audit.check import check
    from dpbandits.core.files import read_json

    read = read_json(arguments.witness)
    rulings = [check(each.get("certificate", each)) for each in read.get("audits", [read])]
    for ruling in rulings:
        print(f"{'accepted: the claim is false' if ruling.accepted else 'no proof'}; {ruling.words}")
    return int(not any(ruling.accepted for ruling in rulings))


def command_doctor(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits doctor``: status 1 if something stops the pipeline, or the release."""
    from dpbandits.cli import doctor
    from dpbandits.cli.doctor import report

    if arguments.release:
        from dpbandits.cli import release

        findings = dict(release.examine(Path.cwd()))
    else:
        findings = dict(doctor.examine())
    as_json = {name: finding._asdict() for name, finding in findings.items()}
    print(json.dumps(as_json, indent=2) if arguments.json else report(findings))
    return int(any(finding.status == "fail" for finding in findings.values()))


def command_verify(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits verify``: status 1 if a file is not what was written."""
    from dpbandits.build.verify import verify

    whole, damaged = verify(arguments.folders)
    for damage in damaged:
        print(printable(f"{damage.where}: {damage.value}, not {damage.allowed}"))
    print(f"what was written: {whole} files; damaged, missing or unsealed: {len(damaged)}")
    return int(len(damaged) > 0)


def command_diff(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits diff``: status 1 if two runs differ."""
    from dpbandits.build.compare import differences, markdown, text

    found = differences(arguments.first, arguments.second)
    told = markdown(found, str(arguments.first), str(arguments.second)) if arguments.markdown else text(found)
    print(printable(told))
    return int(len(found) > 0)


def command_workflow(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits workflow init``."""
    from dpbandits.cli.workflow import init

    print(init(arguments.folder))
    return 0


def command_repair(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits repair``."""
    from dpbandits.build.verify import examine, fresh_aside, set_aside

    examined = examine(arguments.folders)
    files, aside = examined.removable, fresh_aside()
    for file, damage in examined.damage.items():
        if damage is not None:
            stays = "" if file in files or not file.exists() else "; stays"
            print(printable(f"{damage.where}: {damage.value}{stays}"))
    for file in files:
        print(printable(f"to be moved aside: {file}"))
    if not examined.damaged:
        print("nothing to repair")
        return 0
    print(f"damaged, missing or unsealed: {len(examined.damaged)}; to be moved to {aside}: {len(files)}")
    if arguments.dry_run:
        return 0
    # A script has nobody to answer; nothing is lost by what is only moved.
    asks = files and not arguments.yes and sys.stdin is not None and sys.stdin.isatty()
    if asks and input("Move them? [y/N] ").strip().lower() not in ("y", "yes"):
        print("nothing was moved")
        return 1
    set_aside(files, aside)
    print("To make them anew run Snakemake once more, as when they were made: snakemake --cores 2,")
    print("for the small scale with --configfile config/small.yaml")
    return 0


def command_new(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits new``."""
    from dpbandits.cli.scaffold import scaffold

    print(scaffold(arguments.kind, arguments.name, arguments.setting, arguments.title))


def command_certify(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits certify``: status 1 if a certificate fails."""
    from dpbandits.build.certify import certify
    from dpbandits.core.files import write_json

    found = {}
    for outcome in certify(arguments.names):
        found[outcome.name] = outcome.data()
        if not arguments.json:
            print(outcome, flush=True)
    if arguments.output is not None:
        write_json(arguments.output, found)
    if arguments.json:
        print(json.dumps(found, indent=2))
    return int(any(outcome["fault"] is not None for outcome in found.values()))


def _algorithms() -> list[str]:
    from dpbandits.core import registry

    return list(registry.modules("algorithm"))


def _things() -> list[str]:
    from dpbandits.core import registry

    return [*_algorithms(), *registry.modules("environment")]


def _settings() -> list[str]:
    from dpbandits.core import registry

    return sorted({registry.setting("algorithm", name) for name in _algorithms()})


def _papers() -> list[str]:
    from dpbandits.core import registry

    return list(registry.papers())


def _named(argument: argparse.Action, names: Callable[[], list[str]]) -> None:
    """Let shells complete an argument with these names: argcomplete asks for them when they are needed."""
    vars(argument)["completer"] = lambda **_: names()


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(
        prog="dpbandits",
        description="Replications of four papers on differentially private online decisions.",
        epilog="example: dpbandits list",
    )
    top.add_argument("--version", action="version", version=f"dpbandits {package_version()}")
    commands = top.add_subparsers(required=True, metavar="COMMAND", dest="command")

    listed = commands.add_parser(
        "list",
        help="papers, algorithms with their privacy and source, environments",
        description=(
            "List papers, algorithms with their privacy and source, environments and what else there is, as "
            "tables; or, by its NAME, all about one algorithm or environment, with the parameters that it takes."
        ),
        epilog="example: dpbandits list --setting stochastic --privacy pure",
    )
    _named(listed.add_argument("name", metavar="NAME", nargs="?", help="an algorithm or an environment"), _things)
    _named(listed.add_argument("--setting", help="only what is of this setting"), _settings)
    _named(listed.add_argument("--paper", help="only what is of this paper, by its id"), _papers)
    listed.add_argument("--privacy", help="only algorithms so private: pure, approximate, local or none")
    listed.add_argument("--json", action="store_true", help="as JSON")
    listed.set_defaults(run=command_list)

    completed = commands.add_parser(
        "completion",
        help="print what makes a shell complete commands, options and names",
        description=(
            "Print what makes bash, zsh or fish complete commands, options and names. In ~/.bashrc or ~/.zshrc: "
            'eval "$(dpbandits completion bash)"; in fish: dpbandits completion fish | source.'
        ),
        epilog="example: dpbandits completion bash",
    )
    completed.add_argument("shell", metavar="SHELL", help="bash, zsh or fish")
    completed.set_defaults(run=command_completion)

    examined = commands.add_parser(
        "doctor",
        help="can this machine run the pipeline, and what to do if not",
        description="Look at what the pipeline needs here and say what to do; status 1 if it cannot run.",
        epilog="example: dpbandits doctor",
    )
    examined.add_argument("--json", action="store_true", help="as JSON")
    examined.add_argument(
        "--release", action="store_true", help="look at what a release of this clone needs instead"
    )
    examined.set_defaults(run=command_doctor)

    verified = commands.add_parser(
        "verify",
        help="are the files of results and figures, or of a crate, what was written",
        description=(
            "Compare arrays, tables, figures and audits with the digests that were written with them, and files of "
            "a crate.zip with the crate's; name each that is damaged, and end with status 1 if one is."
        ),
        epilog="example: dpbandits verify results figures",
    )
    verified.set_defaults(run=command_verify)

    differing = commands.add_parser(
        "diff",
        help="which verdicts, effects, audits and figures of two runs differ, and why",
        description=(
            "Compare two finished runs, each a folder of results or a crate.zip: verdicts, effects, audits and "
            "figures, with the reasons that their seals tell (source, version, seed, configuration). Status 1 if "
            "they differ, 2 if one is no run."
        ),
        epilog="example: dpbandits diff results ../other/results/crate.zip --markdown",
    )
    for name in ("first", "second"):
        differing.add_argument(name, metavar="RUN", type=Path, help="a folder of results, or a crate.zip")
    differing.add_argument("--markdown", action="store_true", help="as a table in Markdown")
    differing.set_defaults(run=command_diff)

    workflow = commands.add_parser(
        "workflow",
        help="copy the workflow out of the installed package",
        description="Copy Snakefile, workflow, config and profiles into a folder: what a clone would have.",
        epilog="example: dpbandits workflow init replication && cd replication && snakemake --cores 2",
    )
    doing = workflow.add_subparsers(required=True, metavar="ACTION")
    started = doing.add_parser("init", help="copy it into a folder that has none")
    started.add_argument("folder", metavar="DIR", type=Path, help="a folder, made if it is not there")
    started.set_defaults(run=command_workflow)

    repaired = commands.add_parser(
        "repair",
        help="move aside what is damaged, so that Snakemake makes it anew",
        description=(
            "Move aside every file that `dpbandits verify` names, and its seal, if we made it: a saved "
            "configuration, a seal or what is left of its content says so. Anything else stays. The files are "
            "listed first; in a terminal you are asked. Then one run of Snakemake, with the arguments as before, "
            "makes all of it anew, to the same bytes."
        ),
        epilog="example: dpbandits repair results figures && snakemake --cores 2",
    )
    repaired.add_argument("--dry-run", action="store_true", help="list the files and leave them")
    repaired.add_argument("--yes", action="store_true", help="do not ask, as in a script")
    repaired.set_defaults(run=command_repair)
    for looking in (verified, repaired):
        looking.add_argument(
            "folders",
            metavar="FOLDER",
            nargs="*",
            type=Path,
            default=[Path("results"), Path("figures")],
            help="where to look (default: results figures)",
        )

    certified = commands.add_parser(
        "certify",
        help="prove again, in exact or interval arithmetic, what we call exact",
        description=(
            "Prove certificates again, one line each: proved or FAILED, seconds, rows; status 1 if one fails. "
            "Needs python-flint: pip install 'dpbandits[certify]'."
        ),
        epilog="example: dpbandits certify conjecture",
    )
    certified.add_argument("names", metavar="NAME", nargs="*", help="a certificate (default: all)")
    certified.add_argument("--json", action="store_true", help="print the rows, as JSON")
    certified.add_argument("--output", type=Path, help="a file to write the rows to, as JSON")
    certified.set_defaults(run=command_certify)

    begun = commands.add_parser(
        "new",
        help="write an algorithm, an environment or a paper that works, to be filled in",
        description=(
            "Write the file of an algorithm, an environment or a paper, with an experiment, a figure and a test. "
            "All of it works at once, and is found by being there; nothing is edited or overwritten."
        ),
        epilog="example: dpbandits new algorithm dp-ucb --setting stochastic --title DP-UCB",
    )
    begun.add_argument("kind", metavar="KIND", help="algorithm, environment or paper")
    begun.add_argument("name", metavar="NAME", help="its name, as dp-ucb; of a paper letters and digits, as wu2025")
    begun.add_argument(
        "--setting",
        required=True,
        help="adversarial, experts, full_information, linear or stochastic; of a paper, for its first experiment",
    )
    begun.add_argument("--title", help="its title in figures and tables (default: the name)")
    begun.set_defaults(run=command_new)

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
    _named(simulated.add_argument("algorithm", metavar="ALGORITHM", help="a name of `dpbandits list`"), _algorithms)
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
    simulated.add_argument("--output", type=Path, help="an .npz file (default: a summary is printed)")
    simulated.set_defaults(run=command_simulate)

    audited = commands.add_parser(
        "audit",
        help="look for neighbouring inputs and an event that contradict an algorithm's privacy claim",
        description=(
            "Audit a privacy claim: the exact loss where the law of the output is known, that of whole runs "
            "replayed on neighbouring inputs, and a lower bound from runs, with the two inputs, the event and its "
            "probabilities; status 1 if the claim is contradicted, or the algorithm bypasses the recorder. An "
            "(epsilon, delta) claim is audited at delta = 1e-6, unless --param delta=... says otherwise."
        ),
        epilog="example: dpbandits audit dp-imed --epsilon 1",
    )
    _named(
        audited.add_argument("algorithm", metavar="ALGORITHM", help="a private algorithm of `dpbandits list`"),
        _algorithms,
    )
    audited.add_argument("--epsilon", help="privacy budget > 0, the claim (default: 0.1, 1 and 10)")
    audited.add_argument(
        "--param", action="append", default=[], metavar="NAME=VALUE", help="a parameter to keep; may be repeated"
    )
    audited.add_argument(
        "--effort", help="runs on each input in the last test (default: the setting's); replays grow with it"
    )
    audited.add_argument("--replay-horizon", help="rounds of long replays (default: 1e6 in batches, else 1e5)")
    audited.add_argument("--arms", help="arms of sampled tables and long replays (default: the algorithm's)")
    audited.add_argument("--rounds", help="rounds of sampled tables (default: the algorithm's)")
    audited.add_argument("--seeds", default="1", help="seeds that runs are replayed with (default: 1)")
    audited.add_argument("--confidence", default="0.999", help="of the sampled bound (default: 0.999)")
    audited.add_argument("--seed", default="0", help="root seed of everything random (default: 0)")
    audited.add_argument("--json", action="store_true", help="print JSON")
    audited.add_argument("--output", type=Path, help="a file to write JSON to")
    audited.set_defaults(run=command_audit)
    checked = commands.add_parser(
        "check",
        help="check the certificate of an audit",
        description=(
            "Run the program of a certificate on its two inputs, with the draws and outputs that it names, and say "
            "whether they prove the claim false. It knows nothing of the search."
        ),
        epilog="example: dpbandits check results/privacy/rnm-ftnl-exponential/epsilon=1.json",
    )
    checked.add_argument("witness", metavar="JSON", type=Path, help="what `dpbandits audit --output` writes")
    checked.set_defaults(run=command_check)
    return top


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status: 2 for bad input, in one line on stderr."""
    top = parser()
    if "_ARGCOMPLETE" in os.environ:
        # A shell asks what could follow; it does so only where argcomplete is installed.
        import argcomplete

        argcomplete.autocomplete(top)
    parsed = top.parse_args(arguments)
    try:
        with needing_workflow(f"`dpbandits {parsed.command}`"):
            return int(parsed.run(parsed) or 0)
    except MENDABLE as error:
        return tell(error)
