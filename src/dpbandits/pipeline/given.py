"""Configurations given by ``--configfile`` are looked at before Snakemake reads them.

Snakemake's reader has words of its own for a file that is empty, a list, or indented by tabs, and a traceback for
one that is missing, such as a target that follows ``--configfile``. And it runs what a file defines: with
``__use_yte__`` YAML is a program there (https://yte-template-engine.github.io). A stranger's configuration must be
safe to open.

``profiles/default/config.yaml``, which Snakemake reads first, calls `refuse` by that very way.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from dpbandits.core.errors import MENDABLE, BadInput, tell
from dpbandits.pipeline import late

SUFFIXES = (".yaml", ".yml", ".json")
RUNS_CODE = "__use_yte__"


def refuse(arguments: Sequence[str] | None = None) -> None:
    """End this process, with one line, if a configuration that is given cannot be one.

    Parameters
    ----------
    arguments
        What follows ``snakemake`` on the command line; by default, on this process's.
    """
    import snakemake.cli

    # What checks a file imports algorithms.
    late.begin()
    # Snakemake has read them before, so that they can be read.
    words = sys.argv[1:] if arguments is None else arguments
    parsed, _ = snakemake.cli.get_argument_parser().parse_known_args(words)
    try:
        for file in parsed.configfile or ():
            check(Path(file))
    except MENDABLE as error:
        sys.exit(tell(error))


def check(file: Path) -> None:
    """Raise `BadInput` if a file is not a configuration: a mapping, in YAML or JSON, that runs no code."""
    from dpbandits.runs.config import read

    if not file.exists() and file.suffix not in SUFFIXES:
        raise BadInput("--configfile", str(file), "a file; a target comes before --configfile, not after it")
    if RUNS_CODE in read(file):
        raise BadInput(f"{file}: {RUNS_CODE}", "a program", "a configuration that runs no code")
