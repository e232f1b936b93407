"""Commands on results: ``verify``, ``repair``, ``diff``, ``whence``, ``bundle`` and ``review``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.cli.commands.arguments import (
    agrees,
    is_watched,
    parse_integer,
    parse_number,
    parse_option,
    parse_path,
)
from dpbandits.core.errors import BadInput, DamagedFile, printable

if TYPE_CHECKING:
    from dpbandits.cli.commands.arguments import Commands


def add(commands: Commands) -> None:
    """Add the parsers of ``verify``, ``repair``, ``diff``, ``whence``, ``bundle`` and ``review``."""
    verified = commands.add_parser(
        "verify",
        help="are the files of results and figures, or of a crate, what was written",
        description=(
            "Compare arrays, tables, figures and audits with the digests that were written with them, and files of "
            "a crate.zip with the crate's; name each that is damaged, and end with status 1 if one is."
        ),
        epilog="example: dpbandits verify results figures",
    )
    verified.add_argument(
        "--signed",
        metavar="SIGNERS",
        type=parse_path,
        help="check the signature of each crate too (crate.zip.sig, OpenSSH) by a list of allowed signers",
    )
    verified.set_defaults(run=command_verify)

    repaired = commands.add_parser(
        "repair",
        help="move aside what is damaged, so that Snakemake makes it again",
        description=(
            "Move aside every file that `dpbandits verify` names, and its seal, if we made it: a saved "
            "configuration, a seal or what is left of its content says so. Anything else stays. The files are "
            "listed first; in a terminal you are asked. Then one run of Snakemake, with the arguments as before, "
            "makes all of it again, to the same bytes."
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
            type=parse_path,
            default=[Path("results"), Path("figures")],
            help="where to look (default: results figures)",
        )

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
        differing.add_argument(name, metavar="RUN", type=parse_path, help="a folder of results, or a crate.zip")
    differing.add_argument("--markdown", action="store_true", help="as a table in Markdown")
    differing.set_defaults(run=command_diff)

    traced = commands.add_parser(
        "whence",
        help="what made a picture that was found or mailed: command, commit, versions, configuration, sources",
        description=(
            "Say what a picture of ours, or a seal, carries: the command that makes it, the commit, the versions, "
            "and a digest of all that it is made from. If the seal is here too, its configuration and sources."
        ),
        epilog="example: dpbandits whence figures/mine/fig1.png",
    )
    traced.add_argument("file", metavar="FILE", type=parse_path, help="a .png, a .pdf, or the .json beside them")
    traced.set_defaults(run=command_whence)

    bundled = commands.add_parser(
        "bundle",
        help="pack runs, their algorithms' files and a picture into one file, for others to review",
        description=(
            "Pack files of `dpbandits simulate --output` with the files of their algorithms and a picture as an "
            "RO-Crate. `dpbandits review BUNDLE` makes a part of the runs again."
        ),
        epilog="example: dpbandits bundle mine.npz theirs.npz --output bundle.zip",
    )
    bundled.add_argument("runs", metavar="RUNS", nargs="+", type=parse_path, help="an .npz file of runs")
    bundled.add_argument("--output", required=True, type=parse_path, help="the .zip file to write")
    bundled.set_defaults(run=command_bundle)

    reviewed = commands.add_parser(
        "review",
        help="make a random sample of the results again, and compare with what was committed",
        description=(
            "Draw three cells, an audit and a certificate at random, make them again, compare them with the "
            "committed digests and numbers, and print one page; status 1 if one differs. Needs a clone, and "
            "python-flint: pip install 'dpbandits[certify]'. With a BUNDLE: make a part of its runs again, drawn "
            "by their bytes, in another process, and compare. Code that is not installed here runs as you; in a "
            "terminal you are asked."
        ),
        epilog="example: dpbandits review --seed 7; dpbandits review bundle.zip --sample 0.1",
    )
    reviewed.add_argument("bundle", metavar="BUNDLE", nargs="?", type=parse_path, help="of `dpbandits bundle`")
    reviewed.add_argument("--sample", default="0.1", help="share of a bundle's runs (default: 0.1)")
    reviewed.add_argument("--yes", action="store_true", help="run a bundle's code without asking")
    reviewed.add_argument("--seed", default="0", help="of the draw: the same seed draws the same (default: 0)")
    reviewed.set_defaults(run=command_review, limit=None)


def command_verify(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits verify``: print each damaged, missing or unsealed file; status 1 if there is one, else 0.

    A file is unsealed if no digest was written with it. Papers of which nothing was run are named, and are no
    damage. With ``--signed`` all paths have to be crates, and the signature of each is checked first.
    """
    from dpbandits.integrity.verify import verify

    if arguments.signed is not None:
        from dpbandits.integrity import signatures

        for crate in arguments.folders:
            print(printable(f"{crate}: signed by {signatures.check(crate, arguments.signed)}"))
    found = verify(arguments.folders)
    # A crate of nothing is whole.
    if any(not path.is_file() for path in arguments.folders) and not (
        found.intact or found.damaged or found.not_run
    ):
        raise BadInput("FOLDER", " ".join(map(str, arguments.folders)), "a folder or crate with files of ours")
    for damage in found.damaged:
        print(printable(str(damage)))
    for paper, absent in found.not_run.items():
        print(printable(f"{paper or 'what is of all papers together'}: not run ({absent} files)"))
    print(f"{found.intact} files intact; {len(found.damaged)} damaged, missing or unsealed")
    return int(len(found.damaged) > 0)


def command_repair(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits repair``: list damaged files, and move aside those that this package made.

    In a terminal it asks first, unless ``--yes`` is given. ``--dry-run`` only lists. The status is 1 if the answer
    was no, else 0.
    """
    from dpbandits.integrity.verify import examine, fresh_aside, set_aside

    examined = examine(arguments.folders)
    if not examined.damage:
        raise BadInput("FOLDER", " ".join(map(str, arguments.folders)), "a folder with files of ours")
    files, aside = examined.removable, fresh_aside()
    for file, damage in examined.damage.items():
        if damage is not None:
            stays = "" if file in files or not file.exists() else "; stays"
            print(printable(f"{damage.file}: {damage.found}{stays}"))
    for file in files:
        print(printable(f"to be moved aside: {file}"))
    if not examined.damaged:
        print("nothing to repair")
        return 0
    print(f"{len(examined.damaged)} damaged, missing or unsealed; to be moved to {aside}: {len(files)}")
    if arguments.dry_run:
        return 0
    # A script has nobody to answer; nothing is lost by what is only moved.
    asks = files and not arguments.yes and is_watched()
    if asks and not agrees("Move them?"):
        print("nothing was moved")
        return 1
    set_aside(files, aside)
    print("To make them again run Snakemake once more, as when they were made: snakemake --cores 2,")
    print("for the small scale with --configfile config/small.yaml")
    return 0


def command_diff(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits diff``: print how two finished runs of the workflow differ; status 1 if they do, else 0."""
    from dpbandits.integrity.compare import differences, markdown, text

    found = differences(arguments.first, arguments.second)
    told = markdown(found, str(arguments.first), str(arguments.second)) if arguments.markdown else text(found)
    print(printable(told))
    return int(len(found) > 0)


def command_review(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits review``: make some committed results again, or some runs of a bundle, and compare them.

    It prints which are the same. The status is 1 if one differs, else 0.
    """
    if arguments.bundle is not None:
        return _review_bundle(arguments)
    from dpbandits.cli.review import as_text, review

    seed = parse_option(arguments, "seed", parse_integer)
    found = review(seed)
    print(as_text(found, seed))
    return int(not all(compared.same for compared in found))


def command_whence(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits whence``: print how a picture was made, such as by which command and commit.

    The picture carries this, and so does its seal, a .json file beside it; either may be given.
    """
    from dpbandits.core.origin import origin_of, sealed

    try:
        told = origin_of(arguments.file)
    except DamagedFile as error:
        allowed = f"a picture of ours, or the .json beside one; here: {error.found}"
        raise BadInput("FILE", str(arguments.file), allowed) from None
    for key, value in {**told, **sealed(arguments.file, told)}.items():
        text = value if isinstance(value, str) else ", ".join(f"{name} {of}" for name, of in value.items())
        print(printable(f"{key:12}{text}"))


def command_bundle(arguments: argparse.Namespace) -> None:
    """Run ``dpbandits bundle``: pack files of runs into one .zip file, and print how others review it."""
    from dpbandits.notebook.bundle import bundle

    bundle(arguments.runs, arguments.output)
    print(f"{arguments.output}; for others: dpbandits review {arguments.output.name} --sample 0.1")


def _review_bundle(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits review`` on a bundle: make some runs again, and return 1 if one has other bytes."""
    from dpbandits.notebook.bundle import open_bundle, review

    given = open_bundle(arguments.bundle, parse_option(arguments, "sample", parse_number))
    if given.foreign_sources and not arguments.yes:
        for place, content in given.foreign_sources.items():
            print(printable(f"not installed here: {place}, {len(content.splitlines())} lines"), file=sys.stderr)
        if not agrees("A stranger's code will run as you. Go on?"):
            raise BadInput("BUNDLE", str(arguments.bundle), "one whose code you have read, with --yes")
    drawn = sum(len(each.expected) for each in given.drawn)
    # Where its code is compiled nobody hears it.
    words = f"{drawn} of {given.total} runs are made again in another process, which may compile for a minute"
    print(f"dpbandits: {words}", file=sys.stderr, flush=True)
    found = review(given)
    for file, runs, other in found:
        print(
            printable(f"{'DIFFERS' if other else 'same':8}{file}: {runs} runs made again, {other} with other bytes")
        )
    print(f"{sum(runs for _, runs, _ in found)} of {given.total} runs, drawn by their bytes")
    return int(any(other for _, _, other in found))
