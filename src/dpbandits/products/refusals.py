"""Refusals of valid configurations that would make nothing, or one file twice."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dpbandits.core.errors import BadInput, within

if TYPE_CHECKING:
    from dpbandits.runs.models import Config, Paper


def check(config: Config) -> None:
    """Refuse a configuration with a fault that its schema allows.

    Raises
    ------
    BadInput
        If a figure or table has empty lists of experiments and computations, the title of a paper or a caption is
        empty, or results and figures have the same folder. The error names the key of the first fault.
    """
    for name, paper in config.papers.items():
        with within("papers", name):
            _check_paper(paper)
    folders = config.folders
    if os.path.normpath(folders.results) == os.path.normpath(folders.figures):
        raise BadInput(("folders", "figures"), folders.figures, "another folder than that of the results")


def _check_paper(paper: Paper) -> None:
    """Refuse a paper without a title, or with a figure or table that shows nothing or has no caption."""
    if not paper.title.strip():
        raise BadInput("title", paper.title, "text that is not empty")
    for kind, exhibits in (("figures", paper.figures), ("tables", paper.tables)):
        for name, exhibit in exhibits.items():
            # One of a formula has no such key; an empty list is a slip.
            for key in sorted({"experiments", "computations"} & exhibit.model_fields_set):
                if not exhibit.experiments and not exhibit.computations:
                    raise BadInput((kind, name, key), [], "at least one; leave the key out if it shows none")
            if not exhibit.caption.strip():
                raise BadInput((kind, name, "caption"), exhibit.caption, "text that is not empty")
