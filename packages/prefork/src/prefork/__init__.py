"""Warm starts for the shell jobs of Snakemake: Python programs forked from a preloaded server.

`install` lets a workflow start jobs this way; `Starter` does the same for any caller of ``subprocess.Popen``.
See its README.
"""

from prefork.client import Started, Starter, Usage
from prefork.workflow import install

__all__ = ["Started", "Starter", "Usage", "install"]
