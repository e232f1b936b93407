"""Configurations given by ``--configfile`` are looked at before Snakemake reads them.

Snakemake's reader has errors of its own for a file that is empty, a list, or indented by tabs. A missing file, such
as a target that follows ``--configfile``, gives a traceback. And the reader runs what a file defines: with
``__use_yte__`` YAML is a program there (https://yte-template-engine.github.io). A stranger's configuration must be
safe to open.

``profiles/default/config.yaml``, which Snakemake reads first, calls `refuse` as such a program. From then on our
reader stands in for Snakemake's. Where another profile is used, the Snakefile's first lines see to it. So a file
that a profile names, or that lies in ``config/``, is read no other way.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dpbandits.core.errors import MENDABLE, BadInput, needing_workflow, tell

if TYPE_CHECKING:
    from dpbandits.runs.expand_labels import Content

SUFFIXES = (".yaml", ".yml", ".json")
RUNS_CODE = "__use_yte__"
MAY_CONFIGURE = ("--conf", "--prof", "--workflow-p")


def refuse(arguments: Sequence[str] | None = None) -> None:
    """End this process, with one line, if a file after ``--configfile`` is no configuration.

    It first puts our reader of configurations in the place of Snakemake's (`guard`).

    Parameters
    ----------
    arguments
        Words that follow ``snakemake`` on the command line; by default those of this process.
    """
    guard()
    words = sys.argv[1:] if arguments is None else arguments
    # Most commands have no such option, not even shortened or in a profile. They are spared 0.1 s of parsing.
    if "SNAKEMAKE_PROFILE" not in os.environ and not any(word.startswith(MAY_CONFIGURE) for word in words):
        return
    import snakemake.cli

    # This cannot fail, since Snakemake has parsed these words before.
    parsed, _ = snakemake.cli.get_argument_parser().parse_known_args(words)
    try:
        with needing_workflow("A configuration"):
            for file in parsed.configfile or ():
                check(Path(file))
    except MENDABLE as error:
        sys.exit(tell(error))


def guard() -> None:
    """Replace Snakemake's reader of configurations by ours, which refuses those that run code."""
    import snakemake.common.configfile
    import snakemake.settings.types

    snakemake.common.configfile.load_configfile = _loaded
    snakemake.settings.types.load_configfile = _loaded


def _loaded(file: str | Path) -> Content:
    """Return a configuration as Snakemake wants it, or end this process with one line."""
    try:
        return dict(check(Path(file)))
    except MENDABLE as error:
        sys.exit(tell(error))


def check(file: Path) -> Content:
    """Return the configuration in a file: a mapping in YAML or JSON that runs no code.

    `BadInput` is raised for any other content, such as YAML that is a program (``__use_yte__``). A file that cannot
    be read raises `MissingFile`, or `BadInput` if its suffix is not ``.yaml``, ``.yml`` or ``.json``.
    """
    from dpbandits.runs.safe_yaml import read

    try:
        content = read(file)
    except (BadInput, OSError):
        if file.suffix in SUFFIXES:
            raise
        allowed = "a configuration in YAML; a target comes before --configfile, not after it"
        raise BadInput("--configfile", str(file), allowed) from None
    if RUNS_CODE in content:
        raise BadInput(f"{file}: {RUNS_CODE}", "a program", "a configuration that runs no code")
    return content
