"""Command that scores a ledger of claims on made-up data of which the truth is known: ``planted``."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.cli.commands.arguments import parse_path
from dpbandits.core.errors import BadInput, suggest

if TYPE_CHECKING:
    from dpbandits.claims.planted import Case
    from dpbandits.cli.commands.arguments import Commands


def add(commands: Commands) -> None:
    """Add the parser of ``planted`` to those of the command line."""
    listed = commands.add_parser(
        "planted",
        help="score a ledger of claims on data of which the truth is known",
        description=(
            "Planted cases: for each a claim, data at the sizes used, whether the claim is true, and the words "
            "that are fair of it. Without options our own ledger is scored. --write makes the data for others: "
            "a CSV file for each case, and cases.json. --answers scores what they say, a CSV file with the columns "
            "name and word."
        ),
        epilog="example: dpbandits planted --write planted",
    )
    listed.add_argument("--write", type=parse_path, metavar="FOLDER", help="write the data and the questions there")
    listed.add_argument("--answers", type=parse_path, metavar="FILE", help="score these words in the place of ours")
    listed.add_argument("--json", action="store_true", help="print JSON")
    listed.set_defaults(run=command_planted)


def _question(case: Case) -> dict[str, object]:
    return {
        "name": case.name,
        "tests": [dict(test) for test in case.tests],
        "true": case.true,
        "fair": sorted(case.fair),
    }


def _write(folder: Path) -> None:
    """Write the data and the questions of all cases."""
    from dpbandits.claims.planted import catalogue
    from dpbandits.core.files import write_json
    from dpbandits.core.tables import write_table

    folder.mkdir(parents=True, exist_ok=True)
    cases = catalogue()
    for number, case in enumerate(cases, 1):
        write_table(case.table(), folder / f"{number:02}.csv")
    told = [{"file": f"{number:02}.csv", **_question(case)} for number, case in enumerate(cases, 1)]
    write_json(folder / "cases.json", {"cases": told})


def _answers(file: Path) -> dict[str, str]:
    """Return the word for each case that a file answers.

    Raises
    ------
    BadInput
        If it answers none, one twice, or one that there is not: its score would be of something else.
    """
    from dpbandits.claims.planted import catalogue
    from dpbandits.core import escapes

    try:
        with file.open(encoding="utf-8", newline="") as opened:
            rows = escapes.read_rows(opened)
    except UnicodeDecodeError:
        rows = []
    if not rows or not {"name", "word"} <= set(rows[0]):
        raise BadInput(
            "--answers", str(file), "a CSV file with the columns name and word, and a row for each answer"
        )
    known = [case.name for case in catalogue()]
    words: dict[str, str] = {}
    for row in rows:
        name = row["name"]
        if name not in known:
            raise BadInput("--answers.name", name, suggest(name, known))
        if name in words:
            raise BadInput("--answers.name", name, "each case once")
        words[name] = row["word"]
    return words


def command_planted(arguments: argparse.Namespace) -> int:
    """Run ``dpbandits planted``: judge claims on made-up data, and print each verdict and whether it is fair.

    The words for a claim are a verdict such as *holds*, or ``stops the build``. They are fair if the claim's known
    truth and the size of its data allow them. They are this package's own, or those of the file ``--answers``. With
    ``--write`` the data are written to a folder instead, for others to judge. The status is 0.
    """
    from dpbandits.claims.planted import our_word, score

    if arguments.write is not None:
        if arguments.answers is not None:
            raise BadInput("--answers", str(arguments.answers), "one of --write and --answers")
        _write(arguments.write)
        return 0
    answer = our_word
    if arguments.answers is not None:
        words = _answers(arguments.answers)

        def answer(case: Case) -> str:
            return words.get(case.name, "no answer")

    scores = score(answer)
    if arguments.json:
        found = [{**_question(each.case), "word": each.word, "is_fair": each.fair} for each in scores]
        print(json.dumps(found, indent=1))
        return 0
    for each in scores:
        print(f"{'fair  ' if each.fair else 'unfair'} {each.case.name}: {each.word}")
    print(f"{sum(each.fair for each in scores)} of {len(scores)} words are fair")
    return 0
