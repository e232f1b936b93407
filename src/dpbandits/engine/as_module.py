"""This workflow as the main one, or as a ``module:`` of another: which configuration counts, and where files go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from snakemake.path_modifier import PathModifier

from dpbandits.runs import config as configuration
from dpbandits.runs.expand_labels import Content


def is_main(workflow: Any) -> bool:
    """Tell whether the Snakefile that is being read is the main workflow's, and not included by ``module:``."""
    return len(workflow.modifier_stack) == 1


def configured(workflow: Any, folder: Path) -> tuple[list[Path], Content]:
    """Return the files of the configuration, and what is laid over them.

    Parameters
    ----------
    workflow
        Snakemake's workflow, while it reads our Snakefile.
    folder
        The folder of configuration in the working directory.

    Returns
    -------
    files, given
        Paths of the files, and the content laid over them, for `dpbandits.runs.config.planned`. If another workflow
        has this one as a ``module:``, the module's ``config:`` stands in place of ``config.yaml`` and of the
        command line, and the folders get its ``prefix:``.
    """
    common, *papers = configuration.shipped(folder)
    modifier = workflow.modifier
    if modifier.skip_configfile:
        files, given = papers, dict(modifier.globals["config"])
    else:
        files = [common, *papers, *map(Path, workflow.overwrite_configfiles)]
        given = dict(workflow.config_settings.config)
    if not is_main(workflow):
        given["folders"] = _prefixed(workflow, files, given)
    return files, given


def _prefixed(workflow: Any, files: list[Path], given: Content) -> dict[str, str]:
    """Return the folders with the host's ``prefix:``, and keep Snakemake from putting it before them again.

    Jobs are handed the names of files too, which Snakemake does not change.
    """
    folders = configuration.load(files, given).folders.model_dump()
    modifier = workflow.modifier.path_modifier
    workflow.modifier.path_modifier = PathModifier(None, None, workflow)
    return {name: modifier.replace_prefix(folder) for name, folder in folders.items()}
